// The cuda genome. The proposal's own name stands as the file name, so that a
// diagnostic tells which candidate's line it means.
#include "IncludeCheck.h"
#include "evo/Frontend/CUDAHeaders.h"
#include "evo/Frontend/Lift.h"
#include "evo/Frontend/Materializers.h"
#include "evo/Interfaces/Faults.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace evo;

namespace {
class CUDAMaterializer : public Materializer {
public:
  explicit CUDAMaterializer(CUDAOptions given) : options(std::move(given)) {
    options.confined = true;
  }
  Genome getGenome() const override { return Genome::CUDA; }

  void warmUp(bool isRepeated) override {
    if (!headers && !options.toolkit.empty())
      headers =
          isRepeated ? CUDAHeaders::parse(options) : CUDAHeaders::find(options);
  }

  LogicalResult materialize(ProposalOp proposal, VariantOp variant) override {
    if (options.toolkit.empty())
      // Of no place in the text, since it is none of its doing.
      return machineFault(emitError(UnknownLoc::get(variant.getContext())))
             << "CUDA code needs the headers of a CUDA toolkit, and none was "
                "found";
    std::string file = (proposal.getSymName() + ".cu").str();
    SmallVector<Attribute> requirements;
    variant.setSourceAttr(proposal.getTextAttr());
    if (failed(checkIncludes(variant.getContext(), proposal.getText(), file)) ||
        failed(buildPlanFromCUDA(variant, proposal.getText(), file, options,
                                 &requirements, headers.get())))
      return failure();
    if (requirements.empty())
      return success();
    variant.setRequirementsAttr(
        ArrayAttr::get(variant.getContext(), requirements));
    return success();
  }

private:
  CUDAOptions options;
  std::unique_ptr<CUDAHeaders> headers; // null while cold
};
} // namespace

std::unique_ptr<Materializer> evo::createCUDAMaterializer(CUDAOptions options) {
  return std::make_unique<CUDAMaterializer>(std::move(options));
}
