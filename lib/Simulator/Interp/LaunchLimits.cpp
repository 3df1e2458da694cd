// What launches a device refuses. The limits are those of all targets, but for
// shared memory, which differs and is asked for.
#include "evo/Simulator/LaunchLimits.h"

namespace evo::sim {

static std::string print(const Dim3 &d) {
  return "(" + std::to_string(d.x) + ", " + std::to_string(d.y) + ", " +
         std::to_string(d.z) + ")";
}

static bool isWithin(const Dim3 &d, const Dim3 &limit) {
  return d.x >= 1 && d.y >= 1 && d.z >= 1 && d.x <= limit.x && d.y <= limit.y &&
         d.z <= limit.z;
}

std::optional<std::string> findBadLaunch(Dim3 g, Dim3 b, uint64_t sharedBytes,
                                         const Limits &limits) {
  using target::TargetInfo;
  const Dim3 maxGrid{TargetInfo::maxGrid[0], TargetInfo::maxGrid[1],
                     TargetInfo::maxGrid[2]};
  const Dim3 maxBlock{TargetInfo::maxBlock[0], TargetInfo::maxBlock[1],
                      TargetInfo::maxBlock[2]};
  if (!isWithin(g, maxGrid))
    return "grid " + print(g) + " outside the limits " + print(maxGrid);
  if (!isWithin(b, maxBlock))
    return "block " + print(b) + " outside the limits " + print(maxBlock);
  if (b.x * b.y * b.z > TargetInfo::maxThreadsPerBlock)
    return "block " + print(b) + " has more than " +
           std::to_string(TargetInfo::maxThreadsPerBlock) + " threads";
  if (sharedBytes > limits.sharedBytes)
    return std::to_string(sharedBytes) +
           " bytes of shared memory exceed the limit of " +
           std::to_string(limits.sharedBytes);
  return std::nullopt;
}

} // namespace evo::sim
