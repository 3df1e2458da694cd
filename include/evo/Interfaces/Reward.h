// One number for what a candidate is worth to whoever made it.
#ifndef EVO_INTERFACES_REWARD_H
#define EVO_INTERFACES_REWARD_H

#include <optional>

namespace evo {

/// 0 for what was not accepted; else the baseline's time over the candidate's,
/// where both are known, and 1 where they are not. So a candidate that is right
/// and as slow as the baseline has 1, whatever else it says of itself.
inline double rewardOf(bool isAccepted, std::optional<double> baselineMicros,
                       std::optional<double> micros) {
  if (!isAccepted)
    return 0;
  if (!baselineMicros || !micros || !(*micros > 0))
    return 1;
  return *baselineMicros / *micros;
}

} // namespace evo

#endif
