// One verdict in the making: what is prepared, sampled and counted on the way.
#ifndef EVO_LIB_VERIFICATION_PLANVERIFIER_H
#define EVO_LIB_VERIFICATION_PLANVERIFIER_H

#include "Compare.h"
#include "FieldTrial.h"
#include "Trial.h"
#include "evo/Simulator/Coverage.h"
#include "evo/Verification/Verifier.h"
#include "mlir/IR/Builders.h"
#include "llvm/IR/LLVMContext.h"
#include <chrono>

namespace evo {

class SampledBlocksTrial;

struct EffortLevel {
  unsigned shapes, distributions;
  int64_t workLimit;
  /// Lane instructions that the field's samples may take together.
  uint64_t fieldInstructions;
  /// Samples of values, and shapes, at literals of the code.
  unsigned literalSamples, literalShapes;
  /// Lane instructions that blocks at a workload's own size may take.
  uint64_t sampledBlockInstructions;
  /// Lane instructions that the candidate as written may take together, beyond
  /// its first sample.
  uint64_t writtenInstructions;
  /// The solver's measure of work for a question about indices; 0: none asked.
  uint64_t proofEffort;
  /// Multiply-adds, or what is like them, of a size at which reference and
  /// candidate are run whole by the fast path; 0: none is.
  int64_t fullGridWork;
};

/// What the samples of one candidate added up to.
struct Tally {
  unsigned samples = 0, shapes = 0, dropped = 0, skipped = 0;
  unsigned literalSamples = 0, repeatedCalls = 0, indexOverflowShapes = 0;
  /// Literals of the code that no sample had as a size, or as a value.
  unsigned sizesLeftOut = 0, valuesLeftOut = 0;
  /// Samples whose bounds are wider than the results, so that they admit
  /// nearly anything finite.
  unsigned illConditioned = 0;
  unsigned orders = 0; ///< samples that were run in two orders
  /// Of the samples that were run in both forms, and how many were not, for
  /// they are dear as written.
  uint64_t writtenInstructions = 0, shippedInstructions = 0;
  unsigned onlyShipped = 0;
  /// Shapes at which races were not looked for, in neither form; and whether
  /// those with an interior were on either side.
  unsigned unwatched = 0;
  bool watchedInside = false, unwatchedInside = false;
  /// Of the code as shipped while races were looked for.
  uint64_t watchedInstructions = 0;
  unsigned overBudget = 0; // of those dropped; the reference's budget ended
  bool bitIdentical = true;
  /// Dimensions at whose extent 0 the reference writes results and the
  /// candidate has a launch without blocks.
  std::vector<std::string> launchesNothingAt;
  bool inOrder = false; // blocks wait for blocks of smaller numbers
  double worstRatio = 0;
  std::vector<std::string>
      sampledBlocks;                 // what was done at each workload's size
  std::vector<std::string> fullGrid; // the same with all blocks and launches
};

/// A counterexample, or why there is no verdict.
struct Refutation {
  std::string reason;  // "out-of-bounds", "different result", ...
  std::string message; // one line for people and proposers
  mlir::NamedAttrList details;
  bool undecided = false;   // the engine, not the candidate, could not go on
  bool isOfElement = false; // one element of a result differs
};

/// How a sample is to be run and taken.
struct SampleKind {
  llvm::StringRef values; // what the evidence calls the data
  bool runWritten = false, detectRaces = false;
  /// Outputs may be NaN and infinite.
  bool special = false;
  /// Where the reference is faulty the sample is dropped: it lies beyond what
  /// the contract spells out.
  bool mayFail = false;
  /// A sample at which the candidate takes more is dropped; 0: it has to end
  /// within its budget.
  uint64_t maxInstructions = 0;
};

/// Which samples of one shape are tried.
struct ShapeTrials {
  /// From number `first` to below `end`; number 0 has normal data.
  unsigned end, first = 0;
  uint64_t maxInstructions = 0; // as in SampleKind
  /// The distribution of all data of all of them. Without one, some arguments
  /// have data of another distribution than the sample's.
  std::optional<Distribution> all = {};
  /// That of number 1; otherwise its turn decides.
  std::optional<Distribution> second = {};
};

/// What a device leaves to chance.
struct Accidents {
  uint64_t poison = 0; // what memory holds that nobody wrote
  uint64_t order = 0;  // of warps and blocks; 0: by their numbers
  static Accidents draw(Random &random) {
    uint64_t poison = random.next();
    return {poison, random.next() | 1};
  }
};

class PlanVerifier {
public:
  PlanVerifier(KernelOp kernel, LaunchPlanOpInterface plan,
               const VerificationOptions &options, DeviceBuilder &builder)
      : kernel(kernel), plan(plan), options(options), builder(builder),
        b(kernel.getContext()), start(std::chrono::steady_clock::now()) {}

  mlir::FailureOr<EvidenceAttr> run();

private:
  KernelOp kernel;
  LaunchPlanOpInterface plan;
  const VerificationOptions &options;
  DeviceBuilder &builder;
  mlir::Builder b;
  std::chrono::steady_clock::time_point start;
  llvm::LLVMContext llvmContext;
  std::string hash;
  std::optional<ExecutablePlan> reference, written, shipped;
  Tally tally;
  Literals literals;
  unsigned distributionsDrawn = 0;
  std::optional<Refutation> refutation;
  std::optional<FieldTrial> field;
  /// Shapes that were tried, with the lane instructions of one run of both.
  std::vector<std::pair<uint64_t, Bindings>> tried;
  /// Of the candidate as written, over all samples.
  exec::Coverage coverage;

  // Verifier.cpp: before and after.
  /// Fills `refutation` (and answers a grade) where the candidate cannot run.
  std::optional<Grade> prepareCandidate();
  void refuteFinding(const exec::Finding &finding);
  EvidenceAttr evidence(Grade grade);
  mlir::FailureOr<Grade> judgeInField(EffortLevel level, Random random);
  EffortLevel effortLevel() const;
  bool timeIsUp() const {
    return options.secondsBudget > 0 &&
           std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         start)
                   .count() > options.secondsBudget;
  }

  /// Whether further shapes are of no use.
  bool isOver() const {
    return refutation || timeIsUp() ||
           tally.overBudget - overBudgetBefore >= maxOverBudget;
  }

  /// Sizes at which the reference takes longer than anybody would wait are
  /// dropped, but not many of them in one phase.
  static constexpr unsigned maxOverBudget = 3;
  unsigned overBudgetBefore = 0; ///< this phase
  std::string costliest;         ///< sizes of one of them
  std::string whyDropped;        ///< of the latest sample that was
  std::string uncompared;        ///< a workload, and why its results were not

  // Samples.cpp: what is tried.
  mlir::LogicalResult trySamples(EffortLevel level, Random &random);
  mlir::LogicalResult tryShape(const Bindings &sizes, ShapeTrials trials,
                               Random random);
  mlir::LogicalResult tryShapes(llvm::ArrayRef<Bindings> shapes,
                                ShapeTrials trials, Random &random);
  mlir::LogicalResult tryUsualShapes(EffortLevel level,
                                     llvm::ArrayRef<Bindings> shapes,
                                     Random &random);
  /// Those that take turns after normal data.
  unsigned countDistributions();
  mlir::LogicalResult tryLiterals(EffortLevel level, Random random);
  mlir::LogicalResult tryRepeatedCalls(Random random);
  /// Sorts the shapes that were tried; how many are cheap, one at least.
  size_t sortByCost();
  /// The largest of them that is still cheap; else the cheapest.
  Bindings getCheapShape() { return tried[sortByCost() - 1].second; }
  /// Whether samples of these extents ran, with all that they write compared.
  bool wasTriedWhole(const Bindings &sizes);
  /// The distributions that no shape's turn came for, on one that is cheap.
  mlir::LogicalResult tryOtherDistributions(Random random);
  mlir::LogicalResult tryEmptyExtents(Random random);
  /// Where the candidate is another function, these data or others of these
  /// sizes may well show it.
  mlir::LogicalResult lookCloser(const TrialInputs &inputs, Random &random);
  mlir::LogicalResult tryLastBlocks(EffortLevel level, Random random);
  mlir::LogicalResult tryCounts(EffortLevel level, Random random);
  void checkLaunchLimits(Random random);

  // Orders.cpp: equal data, other accidents.
  void tryTwoOrders(Random random);

  // SampledBlockSizes.cpp: a few blocks of what is too large to be run.
  void trySampledBlocks(EffortLevel level, uint64_t seed);
  void tryIndexOverflow(EffortLevel level, uint64_t seed);

  // FullGridSizes.cpp: all blocks and launches at large sizes, by the fast
  // path.
  void tryFullGrids(EffortLevel level, uint64_t seed);
  void tryOneBlock(const Bindings &sizes, uint64_t block, uint64_t seed,
                   uint64_t &instructionsLeft);
  bool takeSampledBlocks(const SampledBlocksTrial &trial,
                         const Bindings &sizes);

  // Sample.cpp: one sample.
  mlir::LogicalResult trySample(const TrialInputs &inputs, SampleKind kind,
                                Random &random);
  /// Runs the candidate in one form; nothing where that refutes it.
  std::optional<TrialRun> runCandidate(const ExecutablePlan &form,
                                       const TrialInputs &inputs,
                                       const exec::Options &engine,
                                       Accidents accidents);
  void runWritten(const TrialInputs &inputs, const TrialRun &wanted,
                  SampleKind kind, Accidents accidents);
  bool isAffordablePreOptimisation(uint64_t shippedInstructions) const;
  /// Whether the code as shipped races; nothing where it is over budget to say.
  std::optional<bool> seemsToRace(const TrialInputs &inputs,
                                  uint64_t shippedInstructions,
                                  Accidents accidents);
  /// The reference on a sample; null where the sample was dropped, or the
  /// verdict is already clear.
  mlir::FailureOr<std::unique_ptr<TrialRun>>
  runReference(const TrialInputs &inputs, SampleKind kind);
  Refutation describeDifference(llvm::StringRef argument,
                                const Comparison &comparison);
  /// Fills `refutation` where a result is out of bounds; answers whether one of
  /// the bounds is so wide that this says little.
  bool compare(const TrialInputs &inputs, const TrialRun &wanted,
               const TrialRun &got);
  void nameLastStore(const TrialInputs &inputs, const ExecutablePlan &form,
                     Accidents accidents);
  void locateRefutation(const TrialInputs &inputs, SampleKind kind);
  int64_t estimateWork(const Bindings &sizes);
  llvm::Expected<TrialRun> runBounded(const ExecutablePlan &form,
                                      const TrialInputs &inputs,
                                      exec::Options engine,
                                      Accidents accidents);
  exec::Options engineOptions() const;
  bool hasOpenBranchOnData() const;
};

} // namespace evo

#endif
