// The choice among operators, or models, by what they brought and what it cost:
// UCB1 (Auer, Cesa-Bianchi, Fischer, "Finite-time analysis of the multiarmed
// bandit problem", 2002) or Thompson's sampling (Thompson, "On the likelihood
// that one unknown probability exceeds another", 1933), on rewards per cost.
//
// A candidate's reward is 1 where it became the fastest, half the ratio of the
// best time to its own where it was merely accepted, 0 where it was not. Its
// cost is its money over the mean of all, where the price of each is known,
// else its tokens: a token of one model may cost ten of another. All stand in
// the IR.
#ifndef EVO_LIB_PROPOSERS_MODEL_BANDIT_H
#define EVO_LIB_PROPOSERS_MODEL_BANDIT_H

#include "History.h"
#include "evo/Proposers/Model/Strategy.h"
#include "evo/Support/Random.h"

namespace evo {

struct BanditRule {
  Strategy::Choose choose = Strategy::Choose::UCB;
  double exploration = 0.5; ///< of UCB
};

/// The index of the arm to pull. `armOf` says which arm made an attempt (none
/// for a negative number). By UCB arms that were never tried come first, in an
/// order that `random` draws.
size_t chooseArm(size_t arms, const History &history,
                 llvm::function_ref<int(const Attempt &)> armOf,
                 BanditRule rule, Random &random);

} // namespace evo

#endif
