// The llvm genome: a candidate that another compiler printed.
#include "evo/Frontend/Lift.h"
#include "evo/Frontend/Materializers.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace evo;

namespace {
class LLVMIRMaterializer : public Materializer {
public:
  Genome getGenome() const override { return Genome::LLVMIR; }

  LogicalResult materialize(ProposalOp proposal, VariantOp variant) override {
    SmallVector<Attribute> requirements;
    if (failed(buildPlanFromLLVMIR(variant, proposal.getText(),
                                   (proposal.getSymName() + ".ll").str(),
                                   &requirements)))
      return failure();
    if (requirements.empty())
      return success();
    variant.setRequirementsAttr(
        ArrayAttr::get(variant.getContext(), requirements));
    return success();
  }
};
} // namespace

std::unique_ptr<Materializer> evo::createLLVMIRMaterializer() {
  return std::make_unique<LLVMIRMaterializer>();
}
