// The mlir genome: the body of a variant, parsed inside a copy of the contract,
// so that formulas are checked against the right names; or whatever may be a
// reference: an evo.kernel with its variants, linalg on tensors, the gpu
// dialect with the function that launches it.
#include "evo/Frontend/Lift.h"
#include "evo/Frontend/Materializers.h"
#include "evo/Frontend/Variants.h"
#include "evo/Interfaces/Faults.h"
#include "evo/Shapes/AbstractShapes.h"
#include "mlir/IR/Builders.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace evo;

/// The contract as text, up to its body.
static std::string headOf(KernelOp kernel) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "evo.kernel ";
  os << FlatSymbolRefAttr::get(kernel.getSymNameAttr());
  auto clause = [&](StringRef keyword, Attribute value) {
    if (value)
      os << ' ' << keyword << ' ' << spellTexts(value);
  };
  clause("args", kernel.getArgsAttr());
  clause("workloads", kernel.getWorkloadsAttr());
  clause("requires", kernel.getRequirementsAttr());
  return text;
}

static bool hasLine(StringRef text, StringRef start) {
  SmallVector<StringRef> lines;
  text.split(lines, '\n');
  return llvm::any_of(
      lines, [&](StringRef line) { return line.ltrim().starts_with(start); });
}

/// Whether the text is a file of its own and no body of a variant, whose
/// launches stand outside of any function.
static bool isWholeFile(StringRef text) {
  return hasLine(text, "evo.kernel ") ||
         (text.contains("func.func") && !hasLine(text, "evo.launch "));
}

/// The plan of a kernel that is taken as a candidate: the best variant, else
/// the only one, else the reference. Null after a diagnostic.
static LaunchPlanOpInterface choosePlan(ProposalOp proposal, KernelOp kernel) {
  SmallVector<VariantOp> variants(kernel.getBody().getOps<VariantOp>());
  if (auto name = proposal->getAttrOfType<StringAttr>(takeVariantAttr))
    return llvm::cast_if_present<LaunchPlanOpInterface>(
        findVariant(kernel, name.getValue(), proposal.getLoc()).getOperation());
  if (kernel.getBest())
    return cast<LaunchPlanOpInterface>(kernel.lookupSymbol(*kernel.getBest()));
  if (variants.size() == 1)
    return variants.front();
  if (!variants.empty())
    return markFault(proposal.emitError("holds "), FaultKind::Request)
               << variants.size()
               << " variants and says of none that it is the best; "
               << listVariants(kernel),
           LaunchPlanOpInterface();
  if (ReferenceOp reference = kernel.getReference())
    return reference;
  return markFault(
             proposal.emitError("holds neither a variant nor a reference"),
             FaultKind::Request),
         LaunchPlanOpInterface();
}

/// Fills `variant` from tensor-level code, the reference of `kernel`: its plain
/// mapping, as schedules make it.
static LogicalResult mapTensors(KernelOp kernel, VariantOp variant) {
  const BackendInterface *backends =
      BackendInterface::get(kernel.getContext(), kernel.getLoc());
  Materializer *schedules =
      backends ? backends->getMaterializer(Genome::Schedule) : nullptr;
  if (!schedules)
    // unreachable: who knows this genome knows that one
    return kernel.emitError("tensor-level code needs schedules");
  OpBuilder b = OpBuilder::atBlockEnd(&kernel.getBody().front());
  auto text = [&](StringRef value) { return b.getStringAttr(value); };
  auto proposal =
      ProposalOp::create(b, kernel.getLoc(), text("plain"),
                         GenomeAttr::get(b.getContext(), Genome::Schedule),
                         text("plain"), DictionaryAttr(), StringAttr(),
                         StringAttr(), text("user"), StageAttr(), StringAttr());
  // The code is valid: what is not mapped, the mapping lacks.
  FaultScope scope(kernel.getContext(), FaultKind::Unsupported);
  return schedules->materialize(proposal, variant);
}

/// That all dimensions have these sizes.
static ArrayAttr requireSizes(KernelOp contract, const Bindings &sizes) {
  std::vector<Requirement> found;
  for (StringRef name : contract.getDimensionNames())
    found.emplace_back(IntExpr::name(name), Requirement::Comparison::EQ,
                       IntExpr::constant(sizes.lookup(name)));
  return RequirementAttr::getArray(contract.getContext(), found);
}

namespace {
class MLIRMaterializer : public Materializer {
public:
  Genome getGenome() const override { return Genome::MLIR; }

  LogicalResult materialize(ProposalOp proposal, VariantOp variant) override {
    return isWholeFile(proposal.getText()) ? takeFile(proposal, variant)
                                           : takeBody(proposal, variant);
  }

private:
  static std::string fileOf(ProposalOp proposal) {
    return (proposal.getSymName() + ".mlir").str();
  }

  /// The text is the body of a variant.
  static LogicalResult takeBody(ProposalOp proposal, VariantOp variant) {
    auto kernel = cast<KernelOp>(proposal->getParentOp());
    // All of the frame is on the first line, so that lines keep their numbers.
    OwningOpRef<ModuleOp> parsed = parseSourceString<ModuleOp>(
        headOf(kernel) + " { evo.variant @candidate { " +
            proposal.getText().str() + "\n} }",
        proposal.getContext(), fileOf(proposal));
    if (!parsed)
      return failure();
    auto kernels = parsed->getOps<KernelOp>();
    SmallVector<VariantOp> variants;
    if (llvm::hasSingleElement(parsed->getBody()->getOperations()) &&
        !kernels.empty())
      llvm::append_range(variants,
                         (*kernels.begin()).getBody().getOps<VariantOp>());
    if (variants.size() != 1)
      return proposal.emitError("does not parse as the body of a variant");
    // What only the measuring passes may say does not come in by the text.
    if (variants.front().getEvidence() || variants.front().getMeasured())
      // unreachable: the frame leaves no place for them
      return proposal.emitError("a proposal states no evidence and no cost");
    return take(variants.front(), variant);
  }

  /// The text is a file that may be a reference as well.
  static LogicalResult takeFile(ProposalOp proposal, VariantOp variant) {
    auto contract = cast<KernelOp>(proposal->getParentOp());
    FailureOr<OwningOpRef<ModuleOp>> lifted = liftMLIR(
        proposal.getContext(), proposal.getText(), fileOf(proposal), contract);
    if (failed(lifted))
      return failure();
    SmallVector<KernelOp> kernels((*lifted)->getOps<KernelOp>());
    if (kernels.size() != 1)
      return proposal.emitError("holds ")
             << kernels.size() << " kernels, expected one";
    KernelOp kernel = kernels.front();
    std::optional<Bindings> sizes = getCallerSizes(contract);
    bool isAtSizes = sizes && kernel.getArgsAttr() != contract.getArgsAttr() &&
                     llvm::equal(kernel.getArgsAttr(),
                                 bindArguments(contract.getArgsAttr(), *sizes));
    if (kernel.getArgsAttr() != contract.getArgsAttr() && !isAtSizes)
      return proposal.emitError() << "is for other arguments: the contract has "
                                  << contract.getArgsAttr();
    LaunchPlanOpInterface plan = choosePlan(proposal, kernel);
    if (!plan)
      return failure();
    // Sizes to which the file confines its kernel confine the candidate.
    if (kernel.getRequirementsAttr() != contract.getRequirementsAttr())
      variant.setRequirementsAttr(kernel.getRequirementsAttr());
    if (isAtSizes)
      variant.setRequirementsAttr(requireSizes(contract, *sizes));
    auto reference = dyn_cast<ReferenceOp>(plan.getOperation());
    if (!reference) {
      takeCodegen(plan, proposal, variant);
      return take(cast<VariantOp>(plan.getOperation()), variant);
    }
    if (!reference.isLaunchPlan())
      return mapTensors(kernel, variant);
    takeCodegen(plan, proposal, variant);
    variant.getBody().takeBody(reference.getBody());
    return success();
  }

  /// How code is made of a variant is a part of it, unless the proposal says
  /// it.
  static void takeCodegen(LaunchPlanOpInterface source, ProposalOp proposal,
                          VariantOp variant) {
    if (proposal.getOptions() || !source.getOptionsAttr())
      return;
    variant.setOptionsAttr(source.getOptionsAttr());
    if (source.getSourceAttr())
      variant.setSourceAttr(source.getSourceAttr());
  }

  static LogicalResult take(VariantOp source, VariantOp variant) {
    variant.getBody().takeBody(source.getBody());
    SmallVector<Attribute> requirements;
    for (ArrayAttr list :
         {variant.getRequirementsAttr(), source.getRequirementsAttr()})
      if (list)
        llvm::append_range(requirements, list);
    if (!requirements.empty())
      variant.setRequirementsAttr(
          ArrayAttr::get(variant.getContext(), requirements));
    return success();
  }
};
} // namespace

std::unique_ptr<Materializer> evo::createMLIRMaterializer() {
  return std::make_unique<MLIRMaterializer>();
}
