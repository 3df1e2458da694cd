// Judges whether a launch plan computes what a kernel's reference computes, by
// running both on the CPU on sampled sizes and values. docs/Guarantee.md
// says what each grade promises.
#ifndef EVO_VERIFICATION_VERIFIER_H
#define EVO_VERIFICATION_VERIFIER_H

#include "evo/Dialect/Evo/IR/Evo.h"
#include "evo/Lowering/DeviceBuilder.h"

namespace evo {

struct VerificationOptions {
  explicit VerificationOptions(TargetAttrInterface target) : target(target) {}
  /// Judged is code for its architecture, whichever card is meant.
  TargetAttrInterface target;
  Effort effort = Effort::Default;
  /// Same seed, same samples, same verdict.
  uint64_t seed = 0;
  /// Lane instructions one launch may execute before it counts as endless.
  uint64_t instructionBudget = 400'000'000;
  /// Seconds for all samples of a candidate together; 0: no bound. Where it
  /// ends first, the verdict is `unsupported`, never an acceptance.
  double secondsBudget = 60;
  /// Whether a refuted plan gets `counterexampleAttr`.
  bool keepsCounterexample = false;
};

/// The attribute of a refuted plan with the data that refute it, where a sample
/// found them and they are few: a dictionary of `sizes` and `floats` (numbers),
/// and `inputs`, `expected` and `found`, whose buffers are tensors of bytes.
constexpr llvm::StringLiteral counterexampleAttr = "evo.counterexample";

/// The judgement of `plan` (an evo.variant or evo.reference of `kernel`). Fails
/// with a diagnostic only where the contract or the reference is itself at
/// fault; whatever is wrong with the candidate is in the evidence.
mlir::FailureOr<EvidenceAttr> verifyPlan(KernelOp kernel,
                                         LaunchPlanOpInterface plan,
                                         const VerificationOptions &options,
                                         DeviceBuilder &builder);

/// The hash that valid evidence for `plan` carries, or failure where its device
/// code cannot be built.
mlir::FailureOr<std::string> expectedEvidenceHash(LaunchPlanOpInterface plan,
                                                  TargetAttrInterface target,
                                                  DeviceBuilder &builder);

/// Whether `variant` has accepting evidence for just what would be shipped.
/// `why` is filled where it has not.
bool hasValidEvidence(VariantOp variant, TargetAttrInterface target,
                      DeviceBuilder &builder, std::string &why);

} // namespace evo

#endif
