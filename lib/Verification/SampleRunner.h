// One sample: reference and candidate on the same data, findings first, values
// second.
#ifndef EVO_LIB_VERIFICATION_SAMPLERUNNER_H
#define EVO_LIB_VERIFICATION_SAMPLERUNNER_H

#include "VerificationState.h"

namespace evo {

/// How a sample is to be run and taken.
struct SampleKind {
  llvm::StringRef values; // what the evidence calls the data
  bool runPreOptimised = false, detectRaces = false;
  /// Outputs may be NaN and infinite.
  bool special = false;
  /// Where the reference is faulty the sample is dropped: it lies beyond what
  /// the contract spells out.
  bool mayFail = false;
  /// Races were watched at these sizes before.
  bool again = false;
  /// The reference has to be clean beyond what usual data ask of it: no number
  /// overflows, no result is ill-conditioned, no signed sum or product wraps.
  bool strict = false;
  /// Of a strict one no result may have any error: the reference chooses among
  /// numbers, and makes none.
  bool onlySelects = false;
  /// Of a strict one whose data are close to the largest number: results that
  /// are computed are far from it, for what scales with the data may overflow
  /// in another order alone.
  bool isAtLimit = false;
  /// Half of the reference's results have to be known to half: an overflow on
  /// the way may leave a finite number, such as a quotient by infinity.
  bool mostlyKnown = false;
  /// Many elements have the same value, and so the same error: only each by
  /// itself is held to its bound, not all of them together.
  bool byElement = false;
  /// A sample at which the candidate takes more is dropped; 0: it has to end
  /// within its budget.
  uint64_t maxInstructions = 0;
  /// The same of the reference, in instructions of warps; 0: its budget is the
  /// usual one.
  uint64_t maxOfReference = 0;
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

/// Runs samples and counts them in the state; a refutation is left there.
class SampleRunner {
public:
  explicit SampleRunner(VerificationState &state) : state(state) {}

  /// Fails, with a diagnostic, where the reference is at fault.
  mlir::LogicalResult trySample(const TrialInputs &inputs, SampleKind kind,
                                Random &random);
  /// The same beyond what the contract spells out: where the reference fails
  /// there it does not count as dropped. Answers whether it was clean.
  mlir::FailureOr<bool> tryBeyond(const TrialInputs &inputs, SampleKind kind,
                                  Random &random);
  /// Whether the last sample was dropped because its reference took too much.
  bool wasOverBudget() const { return overBudget; }
  /// The reference on some data, which count as no sample: null where they
  /// cannot be used, or the verdict is already clear.
  mlir::FailureOr<std::unique_ptr<TrialRun>>
  runReference(const TrialInputs &inputs, SampleKind kind);
  /// Runs the candidate in one form; nothing where that refutes it.
  std::optional<TrialRun> runCandidate(const ExecutablePlan &form,
                                       const TrialInputs &inputs,
                                       const sim::Options &engine,
                                       Accidents accidents);
  /// Refutes where a result is out of bounds; answers whether one of the bounds
  /// is so wide that this says little. Where the reference itself is out of its
  /// bound a result is not judged by it, and the sample says little, too.
  bool compare(const TrialInputs &inputs, TrialRun &wanted, const TrialRun &got,
               const SampleKind &kind = {});
  /// Adds to a refutation at which sizes and on which data it was found.
  void locateRefutation(const TrialInputs &inputs, llvm::StringRef values);

private:
  VerificationState &state;
  bool referenceMissed = false; ///< its own bound, on this sample
  bool overBudget = false;      ///< the reference, on this sample

  /// Where a result is out of a bound, errors of the reference are widened to
  /// those of any order of its sums first.
  Comparison compareBuffer(const TrialInputs &inputs,
                           const TrialInputs::Buffer &buffer, TrialRun &wanted,
                           const TrialRun &got, const SampleKind &kind);
  /// Whether the candidate would be within the bound if the reference computed
  /// in the type of the result.
  bool isOnlyLessAccurate(const TrialInputs &inputs,
                          const TrialInputs::Buffer &buffer, TrialRun &wanted,
                          const TrialRun &got, bool special);
  bool runPreOptimised(const TrialInputs &inputs, TrialRun &wanted,
                       SampleKind kind, Accidents accidents,
                       uint64_t postOptimisedInstructions);
  /// Whether the values that shuffles took from lanes not taking part reach a
  /// result of that run, which is then refuted.
  bool usesInactiveLanes(const ExecutablePlan &form, const TrialInputs &inputs,
                         const TrialRun &run, Accidents accidents);
  bool isPreOptimisedAffordable(uint64_t postOptimisedInstructions) const;
  /// Whether optimised code races; nothing where it is over budget to say.
  std::optional<bool> seemsToRace(const TrialInputs &inputs,
                                  uint64_t instructions, Accidents accidents);
  /// Counts sizes at which races were not watched.
  void noteWatched(const Bindings &sizes, bool watched);
  void nameLastStore(const TrialInputs &inputs, const ExecutablePlan &form,
                     Accidents accidents);
  /// Whether a candidate that is over budget takes long rather than for ever:
  /// with the longest dimension shorter it ends, and takes its share.
  bool isSlow(const Bindings &sizes, const sim::Options &engine);
  llvm::Expected<TrialRun> runBounded(const ExecutablePlan &form,
                                      const TrialInputs &inputs,
                                      sim::Options engine, Accidents accidents);
};

} // namespace evo

#endif
