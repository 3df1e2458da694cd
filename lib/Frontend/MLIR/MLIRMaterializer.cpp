// The mlir genome: the text is parsed as the body of a variant, inside a copy
// of the contract, so that formulas are checked against the right names. A file
// as `lift --level=l1` prints it, an evo.kernel with one variant, is taken as
// well: its contract must be the one that is asked for.
#include "evo/Frontend/Materializers.h"
#include "mlir/IR/Builders.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace evo;

namespace {
class MLIRMaterializer : public Materializer {
public:
  Genome getGenome() const override { return Genome::MLIR; }

  LogicalResult materialize(ProposalOp proposal, VariantOp variant) override {
    auto kernel = cast<KernelOp>(proposal->getParentOp());
    std::string file = (proposal.getSymName() + ".mlir").str();
    // All of the frame is on the first line, so that lines stay as written.
    bool whole = isWholeFile(proposal.getText());
    OwningOpRef<ModuleOp> parsed = parseSourceString<ModuleOp>(
        whole ? proposal.getText().str()
              : headOf(kernel) + " { evo.variant @candidate { " +
                    proposal.getText().str() + "\n} }",
        proposal.getContext(), file);
    if (!parsed)
      return failure();
    auto kernels = parsed->getOps<KernelOp>();
    if (!llvm::hasSingleElement(parsed->getBody()->getOperations()) ||
        kernels.empty())
      return proposal.emitError("does not parse as the body of a variant");
    if (whole && (*kernels.begin()).getArgsAttr() != kernel.getArgsAttr())
      return proposal.emitError() << "is for other arguments: the contract has "
                                  << kernel.getArgsAttr();
    auto variants = (*kernels.begin()).getBody().getOps<VariantOp>();
    if (llvm::range_size(variants) != 1)
      return whole ? proposal.emitError("holds ") << llvm::range_size(variants)
                                                  << " variants, expected one"
                   : proposal.emitError(
                         "does not parse as the body of a variant");
    VariantOp source = *variants.begin();
    // What only the measuring passes may say does not come in by the text.
    if (!whole && (source.getEvidence() || source.getMeasured()))
      // unreachable: the frame leaves no place for them
      return proposal.emitError("a proposal states no evidence and no cost");
    variant.getBody().takeBody(source.getBody());
    if (source.getRequirements())
      variant.setRequirementsAttr(source.getRequirementsAttr());
    return success();
  }

private:
  static bool isWholeFile(StringRef text) {
    SmallVector<StringRef> lines;
    text.split(lines, '\n');
    return llvm::any_of(lines, [](StringRef line) {
      return line.ltrim().starts_with("evo.kernel ");
    });
  }

  /// The contract as text, up to its body.
  static std::string headOf(KernelOp kernel) {
    std::string text;
    llvm::raw_string_ostream os(text);
    os << "evo.kernel ";
    os << FlatSymbolRefAttr::get(kernel.getSymNameAttr());
    auto clause = [&](StringRef keyword, Attribute value) {
      if (value)
        os << ' ' << keyword << ' ' << value;
    };
    clause("args", kernel.getArgsAttr());
    clause("workloads", kernel.getWorkloadsAttr());
    clause("requires", kernel.getRequirementsAttr());
    return text;
  }
};
} // namespace

std::unique_ptr<Materializer> evo::createMLIRMaterializer() {
  return std::make_unique<MLIRMaterializer>();
}
