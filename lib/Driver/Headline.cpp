// The ratio is to the kernel as it was given, which may be slow: the line on
// the minimum time that the table prints says how much the ratio is worth.
#include "evo/Driver/Headline.h"
#include "evo/Interfaces/Fitness.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace evo;

std::string evo::describeMachine(StringRef machine) {
  // Letters whose names begin with a vowel, as all names are spelled out.
  bool vowel = machine.find_first_of("AEFHILMNORSXaefhilmnorsx") == 0;
  return (vowel ? "an " : "a ") + machine.upper();
}

std::string evo::makeHeadline(KernelOp kernel) {
  auto best = kernel.lookupSymbol<VariantOp>(kernel.getBest().value_or(""));
  auto baseline = kernel.lookupBaseline();
  if (!best || !baseline || !best.getEvidence())
    return "";
  StringRef grade = stringifyGrade(best.getEvidenceAttr().getGrade());
  if (best == baseline)
    return "nothing faster than the kernel as it was given, verified " +
           grade.str();
  for (bool measured : {true, false}) {
    std::optional<double> before = weightedTime(baseline, measured);
    std::optional<double> after = weightedTime(best, measured);
    if (!before || !after)
      continue;
    CostAttr cost = measured ? best.getMeasuredAttr() : best.getEstimateAttr();
    double ratio = *before / *after;
    std::string factor = ratio < 9.95 ? llvm::formatv("{0:f1}x", ratio).str()
                                      : llvm::formatv("{0:f0}x", ratio).str();
    return factor + (measured ? ", measured on " : ", estimated for ") +
           describeMachine(cost.getMachine().getValue()) + ", verified " +
           grade.str();
  }
  return "";
}
