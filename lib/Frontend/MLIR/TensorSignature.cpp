// The types of a function on tensors, and the contract.
#include "ReadMLIR.h"
#include "evo/Support/IntExpr.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"

using namespace mlir;
using namespace evo;

/// Checks that `type` is the tensor (or scalar) that `arg` declares.
static LogicalResult checkType(func::FuncOp function, ArgumentAttr arg,
                               Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  Type element = tensor ? tensor.getElementType() : type;
  SmallVector<IntExpr> dims = arg.getExtents();
  bool matches =
      element == arg.getElementType() &&
      (tensor != nullptr) == arg.isBuffer() &&
      (!tensor || tensor.getRank() == static_cast<int64_t>(dims.size()));
  if (!matches)
    return function.emitError()
           << "'" << arg.getName().getValue()
           << "' of the contract does not match type " << type;
  if (!tensor)
    return success();
  // An extent that the type fixes has to be fixed by the contract.
  for (auto [extent, dim] : llvm::zip_equal(tensor.getShape(), dims)) {
    if (ShapedType::isDynamic(extent))
      continue;
    llvm::Expected<int64_t> declared = dim.evaluate({});
    bool agrees = declared && *declared == extent;
    if (!declared)
      llvm::consumeError(declared.takeError());
    if (!agrees)
      return function.emitError()
             << "'" << arg.getName().getValue() << "' has extent " << extent
             << " where the contract says '" << dim.str() << "'";
  }
  return success();
}

/// Adds an argument for each output, where the contract has it.
static void addDestinations(KernelOp kernel, func::FuncOp function) {
  Block &body = function.getBody().front();
  SmallVector<Value> destinations;
  SmallVector<Type> outputs(function.getResultTypes());
  unsigned next = 0;
  for (auto [i, arg] :
       llvm::enumerate(kernel.getArgsAttr().getAsRange<ArgumentAttr>())) {
    if (arg.getRole() == Role::Out)
      (void)function.insertArgument(i, outputs[next], DictionaryAttr(),
                                    function.getLoc());
    if (arg.isWritten()) {
      destinations.push_back(body.getArgument(i));
      ++next;
    }
  }
  auto results = cast<func::ReturnOp>(body.getTerminator());
  OpBuilder b(results);
  for (auto [operand, destination] :
       llvm::zip(results->getOpOperands(), destinations))
    operand.set(bufferization::MaterializeInDestinationOp::create(
                    b, operand.get().getLoc(), destination.getType(),
                    operand.get(), destination)
                    .getResult());
}

LogicalResult evo::matchSignature(KernelOp kernel, func::FuncOp function) {
  ArrayAttr args = kernel.getArgsAttr();
  unsigned written = 0, outputs = 0;
  for (auto arg : args.getAsRange<ArgumentAttr>()) {
    written += arg.isWritten();
    outputs += arg.getRole() == Role::Out;
  }
  bool hasBody = function.getBody().hasOneBlock();
  if (hasBody && outputs > 0 && function.getNumResults() == written &&
      function.getNumArguments() + outputs == args.size())
    addDestinations(kernel, function);
  if (function.getNumArguments() != args.size())
    return function.emitError()
           << "has " << function.getNumArguments()
           << " arguments, the contract has " << args.size()
           << " (outputs are passed as destination tensors, or all returned)";
  SmallVector<Type> destinations;
  for (auto [attr, type] : llvm::zip_equal(args.getAsRange<ArgumentAttr>(),
                                           function.getArgumentTypes())) {
    if (failed(checkType(function, attr, type)))
      return failure();
    if (attr.isWritten())
      destinations.push_back(type);
  }
  if (function.getNumResults() != written)
    return function.emitError()
           << "has " << function.getNumResults()
           << " results, the contract has " << written << " written arguments";
  for (auto [i, destination] : llvm::enumerate(destinations))
    if (function.getResultTypes()[i] != destination)
      return function.emitError()
             << "result " << i << " has type " << function.getResultTypes()[i]
             << ", its destination " << destination;
  return success();
}

/// The domain of `argument`, where the function says of which numbers it is.
static DomainAttr deriveDomain(BlockArgument argument) {
  std::optional<ValueDomain> domain = findDomain(argument);
  Type element = getElementTypeOrSelf(argument.getType());
  if (!domain || isa<FloatType>(element) == bool(domain->indexed))
    return {};
  Builder b(argument.getContext());
  // A logarithm of what is nearly 0 hides all else.
  StringRef lower = "0.015625", upper = "64";
  std::string extent;
  if (domain->indexed) {
    auto type = cast<RankedTensorType>(domain->indexed.getType());
    if (type.isDynamicDim(domain->axis))
      return {};
    extent = std::to_string(type.getDimSize(domain->axis));
    lower = "0";
    upper = extent;
  }
  return DomainAttr::get(b.getContext(), DomainKind::Range,
                         DomainAttr::getBound(b.getContext(), lower),
                         DomainAttr::getBound(b.getContext(), upper));
}

LogicalResult evo::deriveContract(func::FuncOp function,
                                  ContractHeader &header) {
  Builder b(function.getContext());
  auto add = [&](StringRef name, Role role, Type type,
                 DomainAttr domain = {}) -> LogicalResult {
    auto tensor = dyn_cast<RankedTensorType>(type);
    Type element = tensor ? tensor.getElementType() : type;
    if (!element.isIntOrFloat())
      return function.emitError()
             << "'" << name << "' has type " << type
             << ", which no contract has: ranked tensors and scalars of "
                "integers and floats";
    if (tensor && !tensor.hasStaticShape())
      return function.emitError("needs an '// evo.kernel' line or an "
                                "evo.kernel: it says which of the extents "
                                "that the types leave open are equal");
    SmallVector<Attribute> dims;
    if (tensor)
      for (int64_t extent : tensor.getShape())
        dims.push_back(
            ExprAttr::get(b.getContext(), IntExpr::constant(extent)));
    auto argument = ArgumentAttr::getChecked(
        [&] { return function.emitError(); }, b.getContext(),
        b.getStringAttr(name), tensor ? role : Role::Scalar, element,
        tensor ? b.getArrayAttr(dims) : ArrayAttr(), domain,
        /*align=*/int64_t(16), Attribute());
    if (!argument)
      return failure();
    header.args.push_back(argument);
    return success();
  };
  // A front end's own name says more than `main`.
  auto module = function->getParentOfType<ModuleOp>();
  header.name =
      function.getName() == "main" && module && module.getSymNameAttr()
          ? module.getSymNameAttr()
          : function.getNameAttr();
  header.loc = function.getLoc();
  for (BlockArgument argument : function.getArguments())
    if (failed(add("arg" + std::to_string(argument.getArgNumber()), Role::In,
                   argument.getType(), deriveDomain(argument))))
      return failure();
  for (auto [i, type] : llvm::enumerate(function.getResultTypes()))
    if (failed(add("result" + std::to_string(i), Role::Out, type)))
      return failure();
  return success();
}

LogicalResult evo::readContractAttributes(func::FuncOp function,
                                          ContractHeader &header) {
  Attribute args = function->removeAttr("evo.args");
  Attribute workloads = function->removeAttr("evo.workloads");
  Attribute requirements = function->removeAttr("evo.requires");
  if (!args)
    return success();
  header.name = function.getNameAttr();
  header.loc = function.getLoc();
  auto list = [&](Attribute attr, StringRef name,
                  function_ref<bool(Attribute)> take) -> LogicalResult {
    auto array = dyn_cast_or_null<ArrayAttr>(attr);
    if (attr && (!array || !llvm::all_of(array, take)))
      return function.emitError() << "attribute '" << name << "' is " << attr;
    return success();
  };
  return success(
      succeeded(list(args, "evo.args",
                     [&](Attribute attr) {
                       header.args.push_back(attr);
                       return isa<ArgumentAttr>(attr);
                     })) &&
      succeeded(list(workloads, "evo.workloads",
                     [&](Attribute attr) {
                       header.workloads.push_back(attr);
                       return isa<WorkloadAttr>(attr);
                     })) &&
      succeeded(list(requirements, "evo.requires", [&](Attribute attr) {
        auto text = dyn_cast<StringAttr>(attr);
        if (!text)
          return false;
        llvm::Expected<RequirementAttr> requirement =
            RequirementAttr::parseText(attr.getContext(), text);
        if (!requirement)
          return llvm::consumeError(requirement.takeError()), false;
        header.requirements.push_back(*requirement);
        return true;
      })));
}
