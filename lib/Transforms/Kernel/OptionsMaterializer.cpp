// The options genome: the reference's own plan, rewritten.
#include "evo/Transforms/Kernel/OptionsMaterializer.h"
#include "evo/Lowering/ForNVRTC.h"
#include "evo/Transforms/Kernel/Rewrites.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace evo;

/// Whether the rewrites leave the code as it is.
static bool changesLaunchOnly(StringRef text) {
  SmallVector<StringRef> lines;
  text.split(lines, '\n', -1, /*KeepEmpty=*/false);
  return llvm::all_of(lines, [](StringRef line) {
    auto [name, operands] = line.trim().split(' ');
    return name.empty() ||
           ((name == "block" || name == "only") && !operands.empty());
  });
}

/// What the proposal leaves open stays as the kernel has it. A compiler that
/// starts from the source is none for code that was rewritten.
static void takeOptions(ReferenceOp reference, VariantOp variant) {
  DictionaryAttr own = reference.getOptionsAttr();
  if (!own)
    return;
  NamedAttrList options(own);
  if (!variant.getSource())
    options.erase("codegen");
  if (DictionaryAttr said = variant.getOptionsAttr())
    for (NamedAttribute option : said)
      options.set(option.getName(), option.getValue());
  if (!options.empty())
    variant.setOptionsAttr(options.getDictionary(variant.getContext()));
}

namespace {
class OptionsMaterializer : public Materializer {
public:
  Genome getGenome() const override { return Genome::Options; }

  LogicalResult materialize(ProposalOp proposal, VariantOp variant) override {
    auto kernel = cast<KernelOp>(proposal->getParentOp());
    ReferenceOp reference = kernel.getReference();
    if (!reference || !reference.isLaunchPlan())
      return proposal.emitError("rewrites need a launch plan as reference");
    OpBuilder b = OpBuilder::atBlockEnd(&variant.getBody().front());
    for (Operation &op : reference.getBody().front())
      b.clone(op);
    // NVRTC starts from the source, which knows nothing of rewritten code;
    // block shapes live in the launch, outside the source.
    if (reference.getSource() && changesLaunchOnly(proposal.getText()))
      variant.setSourceAttr(reference.getSourceAttr());
    takeOptions(reference, variant);
    LaunchPlanOpInterface from = reference, to = variant;
    if (ArrayAttr spellings = from.getKernelSpellings())
      to.setKernelSpellings(spellings);
    if (StringAttr why = getWhyNotNVRTC(reference)) {
      variant->setAttr(notForNVRTCAttr, why);
      auto codegen = variant.getOptions()
                         ? variant.getOptionsAttr().getAs<StringAttr>("codegen")
                         : StringAttr();
      if (codegen && codegen.getValue() == nvrtcGenerator)
        return proposal.emitError("NVRTC is withheld, for it would make other "
                                  "code of the source: ")
               << why.getValue() << " chooses it";
    }
    return applyRewrites(variant, proposal.getText(),
                         (proposal.getSymName() + ".rewrites").str());
  }
};
} // namespace

std::unique_ptr<Materializer> evo::createOptionsMaterializer() {
  return std::make_unique<OptionsMaterializer>();
}
