// One verdict in the making: what the checks share.
#ifndef EVO_LIB_VERIFICATION_VERIFICATIONSTATE_H
#define EVO_LIB_VERIFICATION_VERIFICATIONSTATE_H

#include "Budgets.h"
#include "FieldTrial.h"
#include "OnDemand/ElementReference.h"
#include "Tally.h"
#include "TriedShapes.h"
#include "Verdict/Details.h"
#include "Verdict/Refutation.h"
#include "Verification/FastPath/FastEngine.h"
#include "evo/Simulator/Coverage.h"
#include "evo/Verification/Verifier.h"
#include "llvm/IR/LLVMContext.h"
#include <chrono>

namespace evo {

/// Whether a way that no sample took leaves out a store, and data decide on it.
inline bool skipsStoresOnData(const sim::OneWayBranch &branch) {
  return branch.skipsStores && branch.input == sim::BranchInput::Data;
}
/// Whether there is no verdict as long as a branch is one-way.
inline bool leavesOpen(const sim::OneWayBranch &branch) {
  return skipsStoresOnData(branch) || (branch.onInput && branch.guardsStores);
}

/// Holds data and answers questions about them; what is done with them is the
/// business of checks and of the runners that they use.
struct VerificationState {
  VerificationState(KernelOp kernel, LaunchPlanOpInterface plan,
                    const VerificationOptions &options, DeviceBuilder &builder)
      : kernel(kernel), plan(plan), options(options), builder(builder),
        details(plan->getContext()), random(options.seed),
        start(std::chrono::steady_clock::now()) {}

  // What is judged.
  KernelOp kernel;
  LaunchPlanOpInterface plan;
  const VerificationOptions &options;
  DeviceBuilder &builder;

  // What the check `build` prepares.
  llvm::LLVMContext llvmContext;
  std::string hash;
  std::optional<ExecutablePlan> reference, preOptimised, postOptimised;
  /// What the reference holds that the engine does not know, if anything.
  std::optional<std::string> referenceObstacle;
  /// A reference of tensors by its elements, once a check has asked for it, or
  /// why there is none.
  std::optional<ElementReference> elements;
  std::optional<std::string> noElements;
  /// The candidate's own come first.
  Literals literals;
  /// Kernels that checks had compiled.
  FastEngine fastEngine;

  // What was tried.
  Tally tally;
  TriedShapes tried;
  std::vector<Bindings> usualShapes;
  /// Distributions whose turn came.
  unsigned distributionsDrawn = 0;
  /// Of the candidate before optimisation, over all samples.
  sim::Coverage coverage;
  std::optional<FieldTrial> field;

  // What comes of it: a refutation, or a grade.
  std::optional<Refutation> refutation;
  llvm::StringRef decidedBy; ///< the check that left it
  /// The data on which it was refuted, where they are asked for and at hand.
  mlir::DictionaryAttr counterexample;
  std::optional<Grade> grade;
  /// What the evidence of an accepted candidate says of single checks.
  evidence::Details details;

  /// The stream of the samples that shapes are tried on.
  Random random;
  /// The seed of a check's own draws, which hang on neither the number nor the
  /// kind of the draws of others.
  uint64_t drawSeed();

  double secondsSpent() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         start)
        .count();
  }
  bool timeIsUp() const {
    return options.secondsBudget > 0 && secondsSpent() > options.secondsBudget;
  }
  /// Whether nothing further need be tried.
  bool isDecided() const { return refutation || timeIsUp(); }

  /// Integer literals that may mark a boundary, of candidate and reference.
  std::vector<int64_t> getConstants() const;
  /// What a shape costs, roughly: the product of all dimensions, which bounds
  /// the work of most kernels, or the threads launched, which bounds it from
  /// below.
  int64_t estimateWork(const Bindings &sizes) const;
  /// What both take there, in lane instructions, by what they took at the
  /// largest shape so far.
  uint64_t estimateInstructions(const Bindings &sizes) const;
  bool meetsRequirements(const Bindings &sizes) const;
  /// Why a device does not take the candidate's launches, or what they hand
  /// over, where it takes the reference's. Nothing is run.
  std::optional<Refutation> refuteLaunch(const Bindings &sizes) const;
  sim::Options engineOptions() const;
  /// Branches of the candidate before optimisation that did not go all their
  /// ways on all samples so far.
  std::vector<sim::OneWayBranch> getOpenBranches() const;
  bool hasOpenBranchOnData() const;
  /// Whether data beyond the usual are worth their time.
  bool needsMoreData(Budget budget) const {
    return budget[budgets::closedBranches] > 0 || hasOpenBranchOnData();
  }

private:
  std::chrono::steady_clock::time_point start;
  /// Seeds of checks; split off when the first of them is asked for.
  std::optional<Random> seeds;
};

} // namespace evo

#endif
