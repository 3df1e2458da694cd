// From what a trial found to what is said of it.
#include "Refutation.h"
#include "llvm/Support/ErrorHandling.h"

using namespace mlir;
using namespace evo;

/// A finding is its own reason.
static Reason reasonOf(sim::FindingKind kind) {
  switch (kind) {
#define EVO_FINDING(KIND, NAME)                                                \
  case sim::FindingKind::KIND:                                                 \
    return Reason::KIND;
#include "evo/Support/Reasons.def"
  }
  llvm_unreachable("unknown kind of finding");
}

Refutation evo::describeFinding(const sim::Finding &finding) {
  Refutation result{reasonOf(finding.kind), finding.str()};
  // Of what does not end within its budget the caller has to say.
  result.undecided = sim::isNoFault(finding.kind) &&
                     finding.kind != sim::FindingKind::BudgetExceeded;
  if (finding.location.line)
    result.location = finding.location.str();
  if (finding.otherLocation.line)
    result.otherLocation = finding.otherLocation.str();
  return result;
}

Refutation evo::describeDifference(StringRef argument,
                                   const Comparison &comparison) {
  Refutation result{Reason::DifferentResult,
                    argument.str() + "[" + std::to_string(comparison.index) +
                        "]: expected " + comparison.expected + ", found " +
                        comparison.found + " (" + comparison.message + ")"};
  result.argument = argument.str();
  result.index = comparison.index;
  if (comparison.expectedValue) {
    result.expected = comparison.expectedValue;
    result.found = comparison.foundValue;
  }
  return result;
}

void evo::sayLessAccurate(Refutation &difference, ArgumentAttr argument) {
  std::string type;
  llvm::raw_string_ostream(type) << argument.getElementType();
  difference.reason = Reason::LessAccurate;
  difference.message += "; as accurate as arithmetic of " + type +
                        " is, and the reference has more: its contract allows "
                        "that by '// evo.accuracy multiply " +
                        type + " accumulate " + type + "'";
}

std::optional<Refutation>
evo::describeTrial(const std::optional<sim::Finding> &finding,
                   const std::optional<Comparison> &difference,
                   StringRef argument, StringRef at, StringRef values) {
  std::optional<Refutation> result;
  if (finding)
    result = describeFinding(*finding);
  else if (difference)
    result = describeDifference(argument, *difference);
  if (result) {
    result->at = at.str();
    result->values = values.str();
  }
  return result;
}
