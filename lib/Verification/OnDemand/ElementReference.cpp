// For each output a function of a thread for each element, and one of a warp.
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

namespace {
/// Who computes an element.
enum class By { Thread, Warp };
} // namespace

/// func @NAME(arguments..., result, places): each thread stores its element, or
/// all together one after another. No function where that is asked for and
/// lanes have no sums to share.
static FailureOr<func::FuncOp> buildFunction(func::FuncOp source,
                                             unsigned output, By by,
                                             StringRef name,
                                             std::string &obstacle) {
  Location loc = source.getLoc();
  OpBuilder b(source);
  SmallVector<Type> types;
  for (Type type : source.getArgumentTypes())
    types.push_back(isa<TensorType>(type) ? Type(toMemRef(type)) : type);
  types.push_back(toMemRef(source.getResultTypes()[output]));
  types.push_back(MemRefType::get({ElementReference::threads}, b.getI64Type()));
  auto function =
      func::FuncOp::create(b, loc, name, b.getFunctionType(types, {}));
  Block *entry = function.addEntryBlock();
  b.setInsertionPointToEnd(entry);
  auto arguments = entry->getArguments();
  Value places = arguments.back(), result = arguments.drop_back().back();
  Value thread = arith::IndexCastOp::create(
      b, loc, b.getIndexType(),
      NVVM::ThreadIdXOp::create(b, loc, b.getI32Type()));
  Value zero =
      arith::ConstantOp::create(b, loc, b.getIntegerAttr(b.getI64Type(), 0));
  Value slot = thread;
  scf::ForOp all;
  if (by == By::Warp) {
    auto number = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(b, loc, value);
    };
    all = scf::ForOp::create(b, loc, number(0),
                             number(ElementReference::threads), number(1));
    slot = all.getInductionVar();
  }
  func::ReturnOp::create(b, loc);
  if (all)
    b.setInsertionPointToStart(all.getBody());
  else
    b.setInsertionPoint(entry->getTerminator());
  Value place = memref::LoadOp::create(b, loc, places, slot);
  Value isAsked =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, place, zero);
  auto asked = scf::IfOp::create(b, loc, isAsked, /*withElseRegion=*/false);

  b.setInsertionPointToStart(asked.thenBlock());
  Value number = arith::IndexCastOp::create(b, loc, b.getIndexType(), place);
  IRMapping map;
  map.map(source.getArguments(),
          arguments.take_front(source.getNumArguments()));
  ElementBuilder elements(b, map, by == By::Warp ? thread : Value());
  // What all elements share is computed once before them.
  if (all) {
    elements.scopes.push(entry, all);
    elements.scopes.push(all.getBody(), asked);
  }
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
  if (all && !elements.hasSharedSums) {
    function.erase();
    return func::FuncOp();
  }
  if (all) { // all lanes have it
    Value isFirst =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, thread,
                              arith::ConstantIndexOp::create(b, loc, 0));
    auto first = scf::IfOp::create(b, loc, isFirst, /*withElseRegion=*/false);
    b.setInsertionPointToStart(first.thenBlock());
  }
  memref::StoreOp::create(b, loc, *value, result, *index);
  return function;
}

FailureOr<LoweredElements> evo::lowerElementReference(KernelOp kernel,
                                                      std::string &obstacle) {
  OwningOpRef<ModuleOp> work = ModuleOp::create(kernel.getLoc());
  FailureOr<func::FuncOp> source = cloneTensorReference(kernel, *work);
  if (failed(source))
    return failure();
  LoweredElements lowered;
  SmallVector<ReferenceScratch> scratches;
  SmallVector<ReferenceLaunch> launches;
  Builder b(kernel.getContext());
  auto add = [&](ArgumentAttr arg, unsigned output, By by) -> LogicalResult {
    const std::string name =
        (by == By::Warp ? "element_by_warp_" : "element_by_thread_") +
        std::to_string(output);
    FailureOr<func::FuncOp> function =
        buildFunction(*source, output, by, name, obstacle);
    if (failed(function))
      return failure();
    if (!*function)
      return success();
    if (by == By::Warp)
      lowered.byWarp[output] = static_cast<unsigned>(launches.size());
    ReferenceLaunch launch{name, ElementReference::threads,
                           getReferenceArguments(kernel)};
    appendDescriptor(withName(arg, lowered.results[output]), launch.args);
    const std::string places = ElementReference::places.str();
    llvm::append_values(launch.args, places, places, std::string("0"),
                        std::to_string(ElementReference::threads),
                        std::string("1"));
    launches.push_back(std::move(launch));
    return success();
  };
  SmallVector<ArgumentAttr> outputs;
  for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>()) {
    if (!arg.isWritten())
      continue;
    lowered.results.push_back("element_result_" +
                              std::to_string(outputs.size()));
    lowered.byWarp.emplace_back();
    scratches.push_back(
        {lowered.results.back(), arg.getElementType(), arg.getDims()});
    outputs.push_back(arg);
  }
  for (By by : {By::Thread, By::Warp})
    for (auto [output, arg] : llvm::enumerate(outputs))
      if (failed(add(arg, static_cast<unsigned>(output), by)))
        return failure();
  scratches.push_back(
      {ElementReference::places.str(), b.getI64Type(),
       ExprAttr::getArray(b.getContext(),
                          {std::to_string(ElementReference::threads)})});
  source->erase();
  if (failed(lowerLoopsToLLVM(*work))) {
    obstacle = "its elements cannot be lowered to loops";
    return failure();
  }
  lowered.module = makeReferencePlan(kernel, *work, scratches, launches);
  return lowered;
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
  FailureOr<LoweredElements> lowered = lowerElementReference(kernel, obstacle);
  if (failed(lowered))
    return llvm::createStringError(obstacle.empty() ? caught : obstacle);
  auto copy = *lowered->module->getOps<KernelOp>().begin();
  CodegenOptions codegen(target);
  FailureOr<std::vector<DeviceModule>> modules = builder.build(
      copy.getReference(), codegen, context, DeviceBuilder::Forms::Unoptimized);
  if (failed(modules))
    return llvm::createStringError(caught);
  llvm::Expected<ExecutablePlan> plan = ExecutablePlan::create(
      copy.getReference(), *modules, ExecutablePlan::Form::PreOptimisation);
  if (!plan)
    return plan.takeError();
  return ElementReference{std::move(*plan), std::move(lowered->results),
                          std::move(lowered->byWarp)};
}
