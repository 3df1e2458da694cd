// Proposals to variants, by the materializer of each proposal's genome.
#include "evo/Interfaces/Backends.h"
#include "evo/Interfaces/Faults.h"
#include "evo/Interfaces/Structure.h"
#include "evo/Support/OwnDiagnostics.h"
#include "evo/Transforms/Passes.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace evo {
#define GEN_PASS_DEF_MATERIALIZE
#include "evo/Transforms/Passes.h.inc"

namespace {
struct MaterializePass : impl::MaterializeBase<MaterializePass> {
  void runOnOperation() override;
  /// Builds the variant of one proposal; diagnostics become its failure.
  void materialize(ProposalOp proposal, const BackendInterface &backends);
};
} // namespace

/// Notes what the proposal became; what was tried before is not tried again.
static void refuseIfKnown(ProposalOp proposal, VariantOp variant) {
  OpBuilder b(proposal.getContext());
  StructureHash hash = hashStructure(variant);
  proposal->setAttr(codeAttr, b.getStringAttr(hash.code));
  proposal->setAttr(shapeAttr, b.getStringAttr(hash.shape));
  auto kernel = cast<KernelOp>(proposal->getParentOp());
  auto known = kernel->getAttrOfType<DictionaryAttr>(knownAttr);
  auto earlier = known ? known.getAs<StringAttr>(hash.code) : StringAttr();
  if (!earlier)
    return;
  variant.erase();
  setFailure(proposal, Stage::Duplicate, "the same code as " + earlier.str(),
             FaultKind::Candidate);
}

void MaterializePass::materialize(ProposalOp proposal,
                                  const BackendInterface &backends) {
  std::string diagnostics;
  FaultKind fault = FaultKind::Candidate; // the first that is none of it
  OwnDiagnosticHandler handler(&getContext(), [&](Diagnostic &diag) {
    if (!diagnostics.empty())
      diagnostics += '\n';
    llvm::raw_string_ostream os(diagnostics);
    if (auto loc = dyn_cast<FileLineColLoc>(diag.getLocation()))
      os << loc.getFilename().getValue() << ':' << loc.getLine() << ':'
         << loc.getColumn() << ": ";
    os << diag.str();
    if (fault == FaultKind::Candidate)
      fault = faultOf(diag);
    return success();
  });
  auto fail = [&] {
    setFailure(proposal, Stage::Materialize,
               diagnostics.empty() ? "no diagnostic" : diagnostics, fault);
  };
  std::string name = ProposalOp::nameVariantOf(proposal.getSymName());
  if (getOperation().lookupSymbol(name)) {
    proposal.emitError() << "'" << name << "', the name of its variant, is "
                         << "taken; a variant that was made of it says 'of @"
                         << proposal.getSymName() << "'";
    return fail();
  }
  OpBuilder b(&getContext());
  b.setInsertionPointToEnd(&getOperation().getBody().front());
  auto origin = OriginAttr::get(&getContext(), proposal.getProposerAttr(),
                                proposal.getParent()
                                    ? b.getArrayAttr({proposal.getParentAttr()})
                                    : ArrayAttr(),
                                proposal.getRationaleAttr());
  auto variant =
      VariantOp::create(b, proposal.getLoc(), b.getStringAttr(name),
                        FlatSymbolRefAttr::get(proposal.getSymNameAttr()),
                        origin, /*source=*/StringAttr(),
                        /*requirements=*/ArrayAttr(), proposal.getOptionsAttr(),
                        EvidenceAttr(), ArrayAttr(), CostAttr(), CostAttr());
  variant.getBody().emplaceBlock();
  Materializer *materializer = backends.getMaterializer(proposal.getGenome());
  bool ok = false;
  if (!materializer)
    // unreachable: evo-opt has them all; a user of the library may lack some
    proposal.emitError() << "this build cannot materialize the genome '"
                         << stringifyGenome(proposal.getGenome()) << "'";
  else
    ok = succeeded(materializer->materialize(proposal, variant)) &&
         succeeded(verify(variant));
  if (ok) {
    refuseIfKnown(proposal, variant);
    return;
  }
  variant.erase();
  fail();
}

void MaterializePass::runOnOperation() {
  KernelOp kernel = getOperation();
  const BackendInterface *backends =
      BackendInterface::get(&getContext(), kernel.getLoc());
  if (!backends)
    return signalPassFailure();
  SmallVector<ProposalOp> proposals(kernel.getBody().getOps<ProposalOp>());
  for (ProposalOp proposal : proposals)
    if (!proposal.getFailure() && !proposal.lookupVariant())
      materialize(proposal, *backends);
}
} // namespace evo
