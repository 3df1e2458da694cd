// Both plans whole at long extents, by the fast path: what the checks share
// that compare there.
#ifndef EVO_LIB_VERIFICATION_CHECKS_LONGTRIALS_H
#define EVO_LIB_VERIFICATION_CHECKS_LONGTRIALS_H

#include "Verification/FastPath/FullGrid.h"
#include "Verification/VerificationState.h"

namespace evo {

/// Trials of one check, which share its lane instructions. That the engines
/// agree is seen once, at a cheap size.
class LongTrials {
public:
  /// `share`: of the instructions and seconds that are left, for each trial.
  LongTrials(VerificationState &state, uint64_t seed, uint64_t instructions,
             double share)
      : state(state), seed(seed), limits{instructions}, share(share) {}

  /// Whether its share suffices for a trial at `sizes`: by what it takes where
  /// the longest dimension is a sixteenth as long, in proportion to the
  /// estimated work. So, too, where there is no such size.
  bool affords(const Bindings &sizes) const;

  /// Compares at `sizes`; false: there is a verdict, or engines that do not
  /// agree, so that no other size is to be tried.
  bool tryAt(const Bindings &sizes, LongData data);

  /// Whether the last trial ran all of both.
  bool ranWhole() const { return isWhole; }

private:
  VerificationState &state;
  uint64_t seed;
  FullGridLimits limits;
  double share;
  bool doEnginesAgree = false, isWhole = false;

  uint64_t getLimit() const {
    return static_cast<uint64_t>(share *
                                 static_cast<double>(limits.instructions));
  }
  FullGridTrial make(const Bindings &sizes, LongData data,
                     uint64_t instructions) const;
};

} // namespace evo

#endif
