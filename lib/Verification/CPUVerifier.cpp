// Adapts verifyPlan to the role of a search.
#include "evo/Verification/CPUVerifier.h"
#include "evo/Verification/Audit.h"
#include "evo/Verification/Verifier.h"

using namespace mlir;
using namespace evo;

namespace {
class CPUVerifier : public Verifier {
public:
  explicit CPUVerifier(std::shared_ptr<DeviceBuilder> builder)
      : builder(std::move(builder)) {}
  FailureOr<EvidenceAttr> verify(LaunchPlanOpInterface plan,
                                 const VerificationRequest &request) override {
    VerificationOptions options(request.target);
    options.seed = request.seed;
    options.secondsBudget = request.seconds;
    options.effort = request.effort;
    options.keepsCounterexample = request.keepsCounterexample;
    return verifyPlan(plan.getKernel(), plan, options, *builder);
  }
  FailureOr<AuditReport> audit(KernelOp kernel, TargetAttrInterface target,
                               uint64_t seed) override {
    return auditContract(kernel, target, seed, *builder);
  }
  bool hasValidEvidence(VariantOp variant, TargetAttrInterface target,
                        std::string &why) override {
    return evo::hasValidEvidence(variant, target, *builder, why);
  }

private:
  std::shared_ptr<DeviceBuilder> builder;
};
} // namespace

std::unique_ptr<Verifier>
evo::createCPUVerifier(std::shared_ptr<DeviceBuilder> builder) {
  return std::make_unique<CPUVerifier>(std::move(builder));
}
