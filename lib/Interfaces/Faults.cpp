// A diagnostic's metadata may be anybody's, so the mark is a dictionary with a
// key of its own.
#include "evo/Interfaces/Faults.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace evo;

void evo::markFault(Diagnostic &diagnostic, FaultKind kind) {
  Builder b(diagnostic.getLocation().getContext());
  diagnostic.getMetadata().push_back(DiagnosticArgument(b.getDictionaryAttr(
      b.getNamedAttr(faultAttr, b.getStringAttr(faultName(kind))))));
}

InFlightDiagnostic evo::markFault(InFlightDiagnostic diagnostic,
                                  FaultKind kind) {
  if (Diagnostic *marked = diagnostic.getUnderlyingDiagnostic())
    markFault(*marked, kind);
  return diagnostic;
}

InFlightDiagnostic evo::referenceFault(InFlightDiagnostic diagnostic) {
  diagnostic << "the reference is itself faulty";
  return markFault(std::move(diagnostic), FaultKind::Reference);
}

InFlightDiagnostic evo::machineFault(InFlightDiagnostic diagnostic) {
  diagnostic << "not on this machine: ";
  return markFault(std::move(diagnostic), FaultKind::Machine);
}

FaultKind evo::faultOf(Diagnostic &diagnostic) {
  for (DiagnosticArgument &argument : diagnostic.getMetadata()) {
    if (argument.getKind() !=
        DiagnosticArgument::DiagnosticArgumentKind::Attribute)
      continue;
    auto mark = dyn_cast<DictionaryAttr>(argument.getAsAttribute());
    auto name = mark ? mark.getAs<StringAttr>(faultAttr) : StringAttr();
    if (name)
      return faultFromName(name.getValue()).value_or(FaultKind::Candidate);
  }
  return FaultKind::Candidate;
}

FaultScope::FaultScope(MLIRContext *context, FaultKind kind)
    : handler(context, [kind](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error &&
            faultOf(diagnostic) == FaultKind::Candidate)
          markFault(diagnostic, kind);
        return failure();
      }) {}

void evo::setFailure(ProposalOp proposal, Stage stage, StringRef why,
                     FaultKind kind) {
  proposal.setStage(stage);
  proposal.setFailure(why);
  proposal->removeAttr(faultAttr);
  if (kind != FaultKind::Candidate)
    proposal->setAttr(faultAttr,
                      StringAttr::get(proposal.getContext(), faultName(kind)));
}

std::optional<FaultKind> evo::faultOf(ProposalOp proposal) {
  if (!proposal.getFailure())
    return std::nullopt;
  auto name = proposal->getAttrOfType<StringAttr>(faultAttr);
  return name ? faultFromName(name.getValue()).value_or(FaultKind::Candidate)
              : FaultKind::Candidate;
}
