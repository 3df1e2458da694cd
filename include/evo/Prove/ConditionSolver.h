// Sizes and data at which a condition of a kernel comes out in a given way.
#ifndef EVO_PROVE_CONDITIONSOLVER_H
#define EVO_PROVE_CONDITIONSOLVER_H

#include "evo/Analysis/Conditions.h"
#include "evo/Support/LaunchFormulas.h"
#include "llvm/ADT/ArrayRef.h"
#include <memory>

namespace evo {

/// Half open ranges of what the buffers hold, by argument of the kernel; none
/// where none is declared, or not by integers.
using LoadedRanges = std::vector<std::optional<std::pair<IntExpr, IntExpr>>>;

struct ConditionModel {
  Bindings sizes;
  /// What loads from buffers have to give, by argument of the kernel.
  std::vector<std::pair<unsigned, uint64_t>> loaded;
};

/// Questions to Z3 about bit vectors of the code's own widths. A model is a
/// guess that is to be run: counters of loops are any numbers in it.
class ConditionSolver {
public:
  /// `effort`: Z3's resource units for all questions together.
  ConditionSolver(llvm::ArrayRef<std::string> names,
                  llvm::ArrayRef<Requirement> requirements, uint64_t effort);
  ~ConditionSolver();
  ConditionSolver(const ConditionSolver &) = delete;
  ConditionSolver &operator=(const ConditionSolver &) = delete;

  /// Small sizes at which all of `facts` hold: all extents are small, or all
  /// but one. None where there are none, or the effort has ended.
  std::optional<ConditionModel>
  solve(const KernelConditions &graph, const LaunchFormulas &launch,
        const LoadedRanges &ranges,
        llvm::ArrayRef<KernelConditions::Fact> facts);
  bool hasEnded() const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace evo

#endif
