// Reads contracts and plans. The dialect's verifier has checked formulas and
// names; what is checked here is how arguments meet the kernels' parameters,
// since a launcher passes raw bytes.
#include "evo/Emit/DescribeLaunch.h"
#include "evo/Dialect/Evo/IR/Shipped.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace evo;

std::string evo::getTypeName(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type)) {
    std::string name =
        (integer.isUnsigned() ? "u" : "i") + std::to_string(integer.getWidth());
    return getElementBits(name) ? name : "";
  }
  std::string name;
  llvm::raw_string_ostream(name) << type;
  return getElementBits(name) ? name : "";
}

static Formula toFormula(ExprAttr attr) {
  return Formula(attr.getText().str(), attr.getValue());
}

static std::vector<Formula> toFormulas(ArrayAttr attrs) {
  std::vector<Formula> result;
  for (auto attr : attrs.getAsRange<ExprAttr>())
    result.push_back(toFormula(attr));
  return result;
}

static std::vector<Condition> toConditions(ArrayAttr attrs) {
  std::vector<Condition> result;
  if (attrs)
    for (auto attr : attrs.getAsRange<RequirementAttr>())
      result.push_back(Condition(attr.getText().str(), attr.getValue()));
  return result;
}

llvm::Expected<LaunchDescription> evo::describeContract(KernelOp kernel) {
  if (!kernel.hasContract())
    return llvm::createStringError("kernel '" + kernel.getSymName() +
                                   "' has no contract");
  LaunchDescription description;
  description.name = kernel.getSymName().str();
  for (StringRef dim : kernel.getDimensionNames())
    description.dimensions.push_back(dim.str());
  for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>()) {
    if (!arg.isBuffer() && isa<IntegerType>(arg.getElementType())) {
      description.dimensions.push_back(arg.getName().str());
      continue;
    }
    LaunchArgument argument;
    argument.name = arg.getName().str();
    switch (arg.getRole()) {
    case Role::In:
      argument.role = ArgumentRole::In;
      break;
    case Role::Out:
      argument.role = ArgumentRole::Out;
      break;
    case Role::InOut:
      argument.role = ArgumentRole::InOut;
      break;
    case Role::Scalar:
      argument.role = ArgumentRole::Scalar;
      break;
    }
    argument.type = getTypeName(arg.getElementType());
    if (arg.getDims())
      argument.dims = toFormulas(arg.getDims());
    argument.alignment = arg.getAlign();
    description.arguments.push_back(std::move(argument));
  }
  description.requirements = toConditions(kernel.getRequirementsAttr());
  return description;
}

/// Type in which a formula is passed to a parameter; empty if to none.
static std::string getFormulaType(Type parameter) {
  if (parameter.isIndex())
    return "i64";
  auto integer = dyn_cast<IntegerType>(parameter);
  if (!integer)
    return "";
  // A flag occupies a byte of the parameter space. Signs are not known to a
  // signature: a 64-bit formula that fits either reading is passed as it is.
  if (integer.getWidth() == 1)
    return "u8";
  std::string name = "i" + std::to_string(integer.getWidth());
  return getElementBits(name) ? name : "";
}

static std::string print(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// Argument `expr` of a launch, for a parameter of type `parameter`.
static llvm::Expected<KernelOperand>
describeOperand(KernelOp kernel, const llvm::StringSet<> &scratch,
                ExprAttr expr, Type parameter, StringRef symbol) {
  const StringRef text = expr.getText();
  auto mismatch = [&](StringRef what) {
    return llvm::createStringError("'" + text + "' of '" + symbol + "' is " +
                                   what + ", the kernel's parameter is " +
                                   print(parameter));
  };
  bool isPointer = isa<LLVM::LLVMPointerType>(parameter);
  ArgumentAttr argument = kernel.lookupArgument(text);
  if (scratch.contains(text) || (argument && argument.isBuffer())) {
    if (!isPointer)
      return mismatch("a buffer");
    return KernelOperand{scratch.contains(text) ? KernelOperand::Scratch
                                                : KernelOperand::Argument,
                         text.str()};
  }
  if (argument && !isa<IntegerType>(argument.getElementType())) {
    // The launcher passes the bytes as they are, so the types must agree.
    if (parameter != argument.getElementType())
      return mismatch("a scalar of type " + print(argument.getElementType()));
    return KernelOperand{KernelOperand::Argument, text.str()};
  }
  // The null pointer, which compilers want for parameters that go unused.
  if (isPointer && text == "0")
    return KernelOperand{KernelOperand::Formula, "", "i64", toFormula(expr)};
  std::string type = getFormulaType(parameter);
  if (type.empty())
    return mismatch("an integer");
  return KernelOperand{KernelOperand::Formula, "", type, toFormula(expr)};
}

static llvm::Expected<KernelLaunch> describe(LaunchOp launch, KernelOp kernel,
                                             const llvm::StringSet<> &scratch) {
  KernelLaunch result;
  result.symbol = launch.getCallee().getLeafReference().str();
  result.grid = toFormulas(launch.getGrid());
  result.block = toFormulas(launch.getBlock());
  if (launch.getShared())
    result.sharedBytes = toFormula(*launch.getShared());
  auto function = dyn_cast_or_null<FunctionOpInterface>(
      SymbolTable::lookupSymbolIn(launch->getParentOp(), launch.getCallee()));
  if (!function)
    return llvm::createStringError(
        "the signature of '" + result.symbol +
        "' is not known, for the plan does not hold its device module");
  SmallVector<Type> parameters = launch.getLoweredTypes();
  SmallVector<ExprAttr> args = launch.getLoweredArgs();
  assert(parameters.size() == args.size() && "not verified");
  for (auto [arg, parameter] : llvm::zip(args, parameters)) {
    llvm::Expected<KernelOperand> operand =
        describeOperand(kernel, scratch, arg, parameter, result.symbol);
    if (!operand)
      return operand.takeError();
    result.operands.push_back(std::move(*operand));
  }
  return result;
}

llvm::Expected<LaunchVariant> evo::describePlan(LaunchPlanOpInterface plan,
                                                StringRef name,
                                                const target::Arch &target) {
  KernelOp kernel = plan.getKernel();
  LaunchVariant result;
  result.name = name.str();
  result.target = target;
  result.requirements = toConditions(plan.getRequirementsAttr());
  llvm::StringSet<> scratch;
  for (ScratchOp buffer : plan.getScratches()) {
    scratch.insert(buffer.getName());
    result.scratch.push_back({buffer.getName().str(),
                              getTypeName(buffer.getElementType()),
                              toFormulas(buffer.getDims())});
  }
  for (LaunchOp launch : plan.getLaunches()) {
    llvm::Expected<KernelLaunch> described = describe(launch, kernel, scratch);
    if (!described)
      return described.takeError();
    result.launches.push_back(std::move(*described));
  }
  return result;
}

llvm::Expected<VariantCode> evo::findCode(VariantOp variant) {
  VariantCode code;
  for (auto binary : variant.getBody().getOps<gpu::BinaryOp>())
    for (auto object : binary.getObjects().getAsRange<gpu::ObjectAttr>()) {
      auto target = dyn_cast<NVVM::NVVMTargetAttr>(object.getTarget());
      if (!target)
        continue;
      std::optional<target::Arch> arch = target::Arch::parse(target.getChip());
      if (!arch)
        return llvm::createStringError("unknown target '" + target.getChip() +
                                       "'");
      code.target = *arch;
      if (object.getFormat() == gpu::CompilationTarget::Assembly)
        code.ptx = object.getObject().getValue();
      if (object.getFormat() == gpu::CompilationTarget::Binary)
        code.cubin = object.getObject().getValue();
    }
  if (code.ptx.empty() && code.cubin.empty())
    return llvm::createStringError("variant '" + variant.getSymName() +
                                   "' has no code (run evo-lower first)");
  return code;
}

/// A name that is safe in a file system.
static std::string makeFileName(StringRef name) {
  std::string result = name.str();
  for (char &c : result)
    if (!llvm::isAlnum(c) && c != '.' && c != '-' && c != '_')
      c = '_';
  return result;
}

static bool isSpecialized(KernelOp kernel, VariantOp variant) {
  auto names = kernel->getAttrOfType<ArrayAttr>(specializedAttr);
  return names && llvm::is_contained(names, FlatSymbolRefAttr::get(variant));
}

llvm::Expected<LaunchDescription>
evo::describeLaunch(KernelOp kernel, ArrayRef<VariantOp> variants) {
  llvm::Expected<LaunchDescription> description = describeContract(kernel);
  if (!description)
    return description;
  bool hasBest = false;
  llvm::StringSet<> names;
  for (VariantOp variant : variants) {
    llvm::Expected<VariantCode> code = findCode(variant);
    if (!code)
      return code.takeError();
    ArrayAttr when;
    // What an earlier choice has left on others means nothing.
    if (isSpecialized(kernel, variant) && variants.size() > 1)
      when = variant->getAttrOfType<ArrayAttr>(usedWhenAttr);
    bool isBest = !hasBest && ((!variant.getRequirements() && !when) ||
                               variants.size() == 1);
    hasBest |= isBest;
    std::string name = isBest ? "best" : makeFileName(variant.getSymName());
    // Symbols may differ in characters that file names have not.
    while (!names.insert(name).second)
      name += "_";
    llvm::Expected<LaunchVariant> described =
        describePlan(variant, name, code->target);
    if (!described)
      return described.takeError();
    described->usedWhen = toConditions(when);
    described->ptxFile = code->ptx.empty() ? "" : name + ".ptx";
    described->cubinFile = code->cubin.empty() ? "" : name + ".cubin";
    description->variants.push_back(std::move(*described));
  }
  if (llvm::Error error = description->validate())
    return std::move(error);
  return description;
}
