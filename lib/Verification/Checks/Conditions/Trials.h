// What the ways of trying the conditions of a kernel's code share: the launches
// with their graphs, what was seen of them, budgets, and running a sample. Each
// way is a method, of which those alike are a file.
#ifndef EVO_LIB_VERIFICATION_CHECKS_CONDITIONS_TRIALS_H
#define EVO_LIB_VERIFICATION_CHECKS_CONDITIONS_TRIALS_H

#include "Verification/VerificationState.h"
#include "evo/Prove/ConditionSolver.h"
#include "evo/Verification/Checks.h"
#include <map>
#include <set>

namespace evo::conditions {

inline constexpr BudgetLine maxGoals{
    "conditions", "ways of conditions that are solved for", 8, 48, 512};
inline constexpr BudgetLine maxSamples{"samples", "that come of them", 4, 20,
                                       200};
inline constexpr BudgetLine maxEffort{
    "solver-effort", "the solver's measure of work, for all of them together",
    1'500'000, 5'000'000, 100'000'000};
inline constexpr BudgetLine maxWork{"work", "estimated work of a shape",
                                    160'000, 600'000, 1'600'000};
inline constexpr BudgetLine maxInstructions{
    "instructions",
    "lane instructions of one run of both at a shape, as "
    "estimated",
    4'000'000, 12'000'000, 60'000'000};
inline constexpr BudgetLine maxPoints{
    "points",
    "threads, blocks, counters and data by chance that conditions are "
    "evaluated with at the sizes of a sample of earlier checks",
    192};
inline constexpr BudgetLine maxLaterPoints{
    "later-points", "the same at the sizes of a sample that comes of them", 64};
inline constexpr BudgetLine maxSweptPoints{
    "swept-points", "the same at sizes that are only looked through", 8};
inline constexpr BudgetLine maxSwept{"swept-sizes",
                                     "such sizes for each kernel", 8192};

/// One launch with the graph of its kernel, of the candidate or the reference:
/// what that does in a case of its own the candidate may leave out.
struct Asked {
  const KernelConditions *graph;
  LaunchFormulas launch;
  LoadedRanges ranges;
  /// By condition: at how many sizes it can have been false, and true.
  std::vector<std::array<unsigned, 2>> seen;
};

/// The ways that conditions of one candidate and its reference are tried.
class ConditionTrials {
public:
  ConditionTrials(VerificationState &state, Budget budget)
      : state(state), budget(budget),
        random(state.options.seed ^ 0x636f6e6473) {}

  void prepare();
  mlir::LogicalResult solveAll();

private:
  VerificationState &state;
  Budget budget;
  Random random;
  std::vector<Asked> asked;
  uint64_t samples = 0;
  std::set<std::string> boundaries; ///< sizes that were tried there

  /// With `isLowered` the loops of a plan are nobody's code.
  void prepare(const ExecutablePlan &plan, bool isLowered);

  /// A way of a condition.
  using Way = std::pair<size_t, bool>;
  using Ways = std::set<Way>;

  std::vector<uint64_t> drawLeaves(const Asked &one, const Bindings &sizes,
                                   const ConditionModel *model);
  /// Notes the ways that conditions go at these sizes; with `fresh` those that
  /// hardly a sample can have had are written there instead.
  void see(Asked &one, const Bindings &sizes, uint64_t points,
           const ConditionModel *model = nullptr, Ways *fresh = nullptr);
  mlir::LogicalResult sweep(Asked &one);               // RelatedSizes.cpp
  mlir::LogicalResult tryBoundaries(const Asked &one); // Boundaries.cpp
  mlir::LogicalResult tryProducts(const Asked &one);
  mlir::LogicalResult tryThresholds(const Asked &one); // Thresholds.cpp
  /// Sizes that were not tried so before, where the budget lasts.
  mlir::LogicalResult tryAt(const Asked &one, const Bindings &sizes);
  void shorten(Bindings &sizes);
  mlir::LogicalResult tryModel(const Asked &one, const ConditionModel &model);
};

} // namespace evo::conditions

#endif
