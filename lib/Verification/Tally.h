// What the samples of one candidate added up to.
#ifndef EVO_LIB_VERIFICATION_TALLY_H
#define EVO_LIB_VERIFICATION_TALLY_H

#include "evo/Support/IntExpr.h"
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace evo {

struct Tally {
  unsigned samples = 0, shapes = 0, dropped = 0;
  /// Samples whose bounds are wider than the results, so that they admit
  /// nearly anything finite.
  unsigned illConditioned = 0;
  /// Of the samples that were run in both forms, and how many were not, for
  /// the code before optimisation is over budget.
  uint64_t preOptimisedInstructions = 0, postOptimisedInstructions = 0;
  unsigned onlyPostOptimised = 0;
  /// Shapes at which races were not looked for, in neither form; and whether
  /// those with an interior were on either side.
  unsigned unwatched = 0;
  bool watchedInside = false, unwatchedInside = false;
  /// Of optimised code while races were looked for.
  uint64_t watchedInstructions = 0;
  /// Of the usual samples: how many were to be run, and on how many of these
  /// the reference overflows or misses its own bound.
  unsigned drawn = 0, lost = 0;
  /// By dimension, the extents that were to be run and those that were.
  struct Extents {
    std::set<int64_t> drawn, run;
  };
  std::map<std::string, Extents> extents;
  unsigned overBudget = 0; ///< of those dropped; the reference's budget ended
  std::string costliest;   ///< sizes of one of them
  std::string whyDropped;  ///< of the latest sample that was
  bool bitIdentical = true;
  bool inOrder = false;  ///< blocks wait for blocks of smaller numbers
  bool together = false; ///< blocks wait for each other
  bool readerWithoutFence = false; ///< reads what it has not acquired
  std::string
      notTurned; ///< accesses of which the order was not turned, and why
  double worstRatio = 0;
  /// Dimensions at whose extent 0 the reference writes results and the
  /// candidate does not do the same, and why.
  std::vector<std::pair<std::string, std::string>> notAtExtent0;
  /// What seems to be passed by somewhere, though the reference cannot be run
  /// there.
  std::string notCovered;
  /// A workload at whose own size results were not compared, and why.
  std::string notCompared;
  /// Sizes of such workloads that the full grid may yet make up for, if there
  /// are no others.
  std::vector<Bindings> forFullGrid;
  /// Why no machine code was made of the candidate, if none was.
  std::string notAssembled;
};

} // namespace evo

#endif
