// The checks one after another, until one of them decides. A candidate can only
// make its own evidence worse; what is wrong with contract or reference is a
// diagnostic instead.
#include "evo/Verification/Verifier.h"
#include "Verdict/Evidence.h"
#include "evo/Verification/Checks.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace evo;

FailureOr<EvidenceAttr> evo::verifyPlan(KernelOp kernel,
                                        LaunchPlanOpInterface plan,
                                        const VerificationOptions &options,
                                        DeviceBuilder &builder) {
  VerificationState state(kernel, plan, options, builder);
  const Budget budget(options.effort);
  for (const Check *check : getChecks()) {
    if (!check->runsAt(options.effort) ||
        (!check->isEssential && state.timeIsUp()))
      continue;
    if (failed(check->run(state, budget)))
      return failure();
    if (state.refutation) {
      state.decidedBy = check->name;
      break;
    }
  }
  plan->removeAttr(counterexampleAttr);
  if (state.refutation && state.counterexample)
    plan->setAttr(counterexampleAttr, state.counterexample);
  return writeEvidence(state);
}

FailureOr<std::string> evo::expectedEvidenceHash(LaunchPlanOpInterface plan,
                                                 TargetAttrInterface target,
                                                 DeviceBuilder &builder) {
  FailureOr<CodegenOptions> codegen =
      CodegenOptions::parse(plan.getOptionsAttr(), target, plan->getLoc());
  if (failed(codegen))
    return failure();
  llvm::LLVMContext context;
  FailureOr<std::vector<DeviceModule>> modules =
      builder.build(plan, *codegen, context, DeviceBuilder::Forms::Digest);
  if (failed(modules))
    return failure();
  return hashPlan(plan, *modules, *codegen);
}

bool evo::hasValidEvidence(VariantOp variant, TargetAttrInterface target,
                           DeviceBuilder &builder, std::string &why) {
  EvidenceAttr evidence = variant.getEvidenceAttr();
  if (!evidence) {
    why = "it has no evidence";
    return false;
  }
  if (!evidence.isAccepted()) {
    why = ("its evidence says " + stringifyGrade(evidence.getGrade())).str();
    return false;
  }
  FailureOr<std::string> hash = expectedEvidenceHash(variant, target, builder);
  if (failed(hash) || *hash != evidence.getHash().getValue()) {
    why = "its evidence is bound to other code, contract, target or tool "
          "version";
    return false;
  }
  return true;
}
