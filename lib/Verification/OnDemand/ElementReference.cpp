// One function for each output, a thread for each element.
#include "ElementReference.h"
#include "ElementBuilder.h"
#include "Verification/OnDemand/TensorLowering.h"
#include "evo/Support/OwnDiagnostics.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace evo;

static std::string nameResult(unsigned output) {
  return "element_result_" + std::to_string(output);
}

static MemRefType toMemRef(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return MemRefType::get(tensor.getShape(), tensor.getElementType());
}

/// A buffer like `arg`.
static ArgumentAttr withName(ArgumentAttr arg, StringRef name) {
  MLIRContext *context = arg.getContext();
  return ArgumentAttr::get(context, StringAttr::get(context, name),
                           arg.getRole(), arg.getElementType(), arg.getDims(),
                           arg.getDomain(), arg.getAlign(),
                           arg.getDefaultValue());
}

/// func @element_result_i(arguments..., result, places)
static LogicalResult buildFunction(func::FuncOp source, unsigned output,
                                   std::string &obstacle) {
  Location loc = source.getLoc();
  OpBuilder b(source);
  SmallVector<Type> types;
  for (Type type : source.getArgumentTypes())
    types.push_back(isa<TensorType>(type) ? Type(toMemRef(type)) : type);
  types.push_back(toMemRef(source.getResultTypes()[output]));
  types.push_back(MemRefType::get({ElementReference::threads}, b.getI64Type()));
  auto function = func::FuncOp::create(b, loc, nameResult(output),
                                       b.getFunctionType(types, {}));
  Block *entry = function.addEntryBlock();
  b.setInsertionPointToEnd(entry);
  auto arguments = entry->getArguments();
  Value places = arguments.back(), result = arguments.drop_back().back();
  Value thread = arith::IndexCastOp::create(
      b, loc, b.getIndexType(),
      NVVM::ThreadIdXOp::create(b, loc, b.getI32Type()));
  Value place = memref::LoadOp::create(b, loc, places, thread);
  Value zero =
      arith::ConstantOp::create(b, loc, b.getIntegerAttr(b.getI64Type(), 0));
  Value isAsked =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, place, zero);
  auto asked = scf::IfOp::create(b, loc, isAsked, /*withElseRegion=*/false);
  func::ReturnOp::create(b, loc);

  b.setInsertionPointToStart(asked.thenBlock());
  Value number = arith::IndexCastOp::create(b, loc, b.getIndexType(), place);
  IRMapping map;
  map.map(source.getArguments(),
          arguments.take_front(source.getNumArguments()));
  ElementBuilder elements(b, map);
  elements.scopes.push(asked.thenBlock(), asked.thenBlock()->getTerminator());
  Value returned = source.front().getTerminator()->getOperand(output);
  FailureOr<Scopes::Values> index = elements.unrank(returned, number);
  FailureOr<Value> value = failure();
  if (succeeded(index))
    value = elements.element(returned, *index);
  if (failed(value)) {
    // unreachable: who gives up says at what
    obstacle = elements.obstacle.empty() ? "it has no form by elements"
                                         : elements.obstacle;
    return failure();
  }
  memref::StoreOp::create(b, loc, *value, result, *index);
  return success();
}

FailureOr<OwningOpRef<ModuleOp>>
evo::lowerElementReference(KernelOp kernel, std::string &obstacle) {
  OwningOpRef<ModuleOp> work = ModuleOp::create(kernel.getLoc());
  FailureOr<func::FuncOp> source = cloneTensorReference(kernel, *work);
  if (failed(source))
    return failure();
  SmallVector<ReferenceScratch> scratches;
  SmallVector<ReferenceLaunch> launches;
  Builder b(kernel.getContext());
  for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>()) {
    if (!arg.isWritten())
      continue;
    const auto output = static_cast<unsigned>(launches.size());
    if (failed(buildFunction(*source, output, obstacle)))
      return failure();
    ReferenceLaunch launch{nameResult(output), ElementReference::threads,
                           getReferenceArguments(kernel)};
    appendDescriptor(withName(arg, launch.function), launch.args);
    const std::string places = ElementReference::places.str();
    llvm::append_values(launch.args, places, places, std::string("0"),
                        std::to_string(ElementReference::threads),
                        std::string("1"));
    scratches.push_back({launch.function, arg.getElementType(), arg.getDims()});
    launches.push_back(std::move(launch));
  }
  scratches.push_back(
      {ElementReference::places.str(), b.getI64Type(),
       ExprAttr::getArray(b.getContext(),
                          {std::to_string(ElementReference::threads)})});
  source->erase();
  if (failed(lowerLoopsToLLVM(*work))) {
    obstacle = "its elements cannot be lowered to loops";
    return failure();
  }
  return makeReferencePlan(kernel, *work, scratches, launches);
}

llvm::Expected<ElementReference>
ElementReference::create(KernelOp kernel, TargetAttrInterface target,
                         DeviceBuilder &builder, llvm::LLVMContext &context) {
  // The whole reference was lowered without a word; this is for its elements.
  std::string caught;
  OwnDiagnosticHandler handler(kernel.getContext(), [&](Diagnostic &diag) {
    caught = caught.empty() ? diag.str() : caught + "; " + diag.str();
    return success();
  });
  std::string obstacle;
  FailureOr<OwningOpRef<ModuleOp>> lowered =
      lowerElementReference(kernel, obstacle);
  if (failed(lowered))
    return llvm::createStringError(obstacle.empty() ? caught : obstacle);
  auto copy = *(*lowered)->getOps<KernelOp>().begin();
  CodegenOptions codegen(target);
  FailureOr<std::vector<DeviceModule>> modules = builder.build(
      copy.getReference(), codegen, context, DeviceBuilder::Forms::Unoptimized);
  if (failed(modules))
    return llvm::createStringError(caught);
  llvm::Expected<ExecutablePlan> plan = ExecutablePlan::create(
      copy.getReference(), *modules, ExecutablePlan::Form::PreOptimisation);
  if (!plan)
    return plan.takeError();
  ElementReference result{std::move(*plan), {}};
  for (size_t output = 0; output < result.plan.getNumLaunches(); ++output)
    result.results.push_back(nameResult(output));
  return result;
}
