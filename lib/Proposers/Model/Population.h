// Which accepted candidates a strategy keeps, and which of them it shows.
// Computed anew from the history each time; islands are told apart by an
// attribute of the proposals.
#ifndef EVO_LIB_PROPOSERS_MODEL_POPULATION_H
#define EVO_LIB_PROPOSERS_MODEL_POPULATION_H

#include "History.h"
#include "evo/Proposers/Model/Strategy.h"
#include "evo/Support/Random.h"

namespace evo {

/// One island as a strategy sees it.
struct Population {
  /// What the rule keeps, in the order by which selection ranks it (the best
  /// first). What no model proposed lives on every island.
  std::vector<const Attempt *> members;
  /// Accepted candidates of the model that live here, kept or not.
  size_t own = 0;
};

Population populationOf(const History &history, const PopulationRule &rule,
                        unsigned island);

/// The parents of one request, without repetition; fewer where there are fewer
/// members. `Rank` draws among those not chosen yet.
std::vector<const Attempt *>
chooseParents(llvm::ArrayRef<const Attempt *> members,
              const StrategyOperator &operation, Random &random);

/// A number of the attempt's profile whose name begins with `metric`, the
/// largest where there are several; "time" is the weighted time.
std::optional<double> metricOf(const Attempt &attempt, llvm::StringRef metric);

} // namespace evo

#endif
