// Prints a contract back as header lines: what a model or a person reads is the
// same text that the parser takes.
#include "evo/Frontend/ContractHeader.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace evo;

static void printType(raw_ostream &os, Type type) {
  if (auto integer = dyn_cast<IntegerType>(type);
      integer && integer.isUnsigned())
    os << 'u' << integer.getWidth();
  else
    os << type;
}

/// A number that is read back as the same.
static void printNumber(raw_ostream &os, FloatAttr number) {
  double value = number.getValueAsDouble(), again = 0;
  std::string text;
  llvm::raw_string_ostream(text) << value;
  if (StringRef(text).getAsDouble(again) ||
      FloatAttr::get(number.getType(), again) != number)
    text = llvm::formatv("{0:e16}", value);
  os << text;
}

static void printArgument(raw_ostream &os, ArgumentAttr arg) {
  os << arg.getName().getValue() << ": ";
  if (arg.isBuffer())
    os << stringifyRole(arg.getRole()) << ' ';
  printType(os, arg.getElementType());
  if (arg.isBuffer())
    os << '[' << llvm::join(arg.getDimStrings(), ", ") << ']';
  if (DomainAttr domain = arg.getDomain()) {
    os << ' ' << stringifyDomainKind(domain.getKind());
    if (domain.getLower())
      os << '(' << domain.getLowerText() << ", " << domain.getUpperText()
         << ')';
  }
  if (arg.getAlign() != 16)
    os << " align(" << arg.getAlign() << ')';
  if (auto value = dyn_cast_or_null<FloatAttr>(arg.getDefaultValue()))
    printNumber(os << " = ", value);
  else if (auto value = dyn_cast_or_null<IntegerAttr>(arg.getDefaultValue()))
    os << " = " << value.getValue();
}

template <typename Attr = ExprAttr> static std::string joined(ArrayAttr attrs) {
  return llvm::join(llvm::map_range(attrs.getAsRange<Attr>(),
                                    [](Attr attr) { return attr.getText(); }),
                    ", ");
}

static void printPlan(raw_ostream &os, LaunchPlanOpInterface plan) {
  for (ScratchOp scratch : plan.getScratches()) {
    os << "// evo.scratch " << scratch.getName() << ": ";
    printType(os, scratch.getElementType());
    os << '[' << joined(scratch.getDims()) << "]\n";
  }
  for (LaunchOp launch : plan.getLaunches()) {
    os << "// evo.launch " << launch.getCallee().getLeafReference().getValue()
       << "<<<(" << joined(launch.getGrid()) << "), ("
       << joined(launch.getBlock()) << ')';
    if (launch.getShared())
      os << ", " << launch.getShared()->getText();
    os << ">>>(" << joined(launch.getArgs()) << ")\n";
  }
  if (ArrayAttr requirements = plan.getRequirementsAttr())
    os << "// evo.require " << joined<RequirementAttr>(requirements) << '\n';
}

std::string evo::printOptionsLine(DictionaryAttr options) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (options)
    for (NamedAttribute option : options) {
      if (!isCodegenOption(option))
        continue; // the knobs of a schedule
      os << (text.empty() ? "// evo.options " : ", ")
         << option.getName().getValue() << " = ";
      if (auto value = dyn_cast<StringAttr>(option.getValue()))
        os << value.getValue();
      else
        os << cast<IntegerAttr>(option.getValue()).getInt();
    }
  return text.empty() ? text : text + "\n";
}

std::string evo::printContractHeader(KernelOp kernel,
                                     LaunchPlanOpInterface plan) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (kernel.hasContract()) {
    os << "// evo.kernel ";
    // MLIR has names that the header has no spelling for.
    for (char c : kernel.getSymName())
      os << (llvm::isAlnum(c) ? c : '_');
    os << '(';
    llvm::interleave(
        kernel.getArgsAttr().getAsRange<ArgumentAttr>(), os,
        [&](ArgumentAttr arg) { printArgument(os, arg); }, ", ");
    os << ")\n";
  }
  if (plan)
    printPlan(os, plan);
  if (ArrayAttr workloads = kernel.getWorkloadsAttr())
    for (auto workload : workloads.getAsRange<WorkloadAttr>()) {
      os << "// evo.workload ";
      llvm::interleave(
          workload.getSizes(), os,
          [&](NamedAttribute size) {
            os << size.getName().getValue() << " = "
               << cast<IntegerAttr>(size.getValue()).getInt();
          },
          ", ");
      if (workload.getWeight() != 1)
        os << " weight " << workload.getWeight();
      os << '\n';
    }
  if (kernel.getRequirements())
    os << "// evo.require "
       << joined<RequirementAttr>(kernel.getRequirementsAttr()) << '\n';
  if (AccuracyAttr accuracy = kernel.getAccuracyAttr()) {
    os << "// evo.accuracy";
    if (accuracy.getMultiply())
      os << " multiply " << accuracy.getMultiply().getValue();
    if (accuracy.getAccumulate())
      os << " accumulate " << accuracy.getAccumulate().getValue();
    if (accuracy.getRtol())
      printNumber(os << " rtol = ", accuracy.getRtol());
    if (accuracy.getAtol())
      printNumber(os << " atol = ", accuracy.getAtol());
    if (accuracy.getNorm())
      printNumber(os << " norm rtol = ", accuracy.getNorm());
    os << '\n';
  }
  return text;
}
