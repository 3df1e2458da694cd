// Host code as a launch plan.
#include "evo/HostAnalysis/PlanFromHost.h"
#include "HostFormulas.h"
#include "evo/Interfaces/Faults.h"
#include "evo/Support/IntExpr.h"
#include "evo/Target/AddressSpace.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace evo;

namespace {
class PlanBuilder {
public:
  PlanBuilder(LaunchPlanOpInterface plan, ModuleOp module)
      : kernel(plan.getKernel()), module(module), formulas(kernel),
        b(OpBuilder::atBlockEnd(&plan.getBody().front())) {}

  LogicalResult add(Operation *op);
  LogicalResult addResults(func::ReturnOp op);
  bool hasLaunch() const { return numLaunches > 0; }
  /// Names of kernels that merging changes.
  void rename(SymbolRefAttr from, SymbolRefAttr to) { renamed[from] = to; }

private:
  KernelOp kernel;
  ModuleOp module;
  HostFormulas formulas;
  OpBuilder b;
  unsigned numScratches = 0, numLaunches = 0;
  llvm::DenseMap<Attribute, SymbolRefAttr> renamed;

  LogicalResult addBuffer(Value value, ValueRange sizes);
  LogicalResult addLaunch(gpu::LaunchFuncOp launch);
  LogicalResult addFormulas(ValueRange values,
                            SmallVectorImpl<IntExpr> &result);
};
} // namespace

LogicalResult PlanBuilder::addFormulas(ValueRange values,
                                       SmallVectorImpl<IntExpr> &result) {
  for (Value value : values) {
    FailureOr<IntExpr> formula = formulas.formula(value);
    if (failed(formula))
      return failure();
    result.push_back(*formula);
  }
  return success();
}

LogicalResult PlanBuilder::addBuffer(Value value, ValueRange sizes) {
  auto type = cast<MemRefType>(value.getType());
  if (!type.getLayout().isIdentity())
    return emitError(value.getLoc())
           << "is no dense row-major buffer: " << type;
  std::string name;
  auto isTaken = [&] {
    return kernel.lookupArgument(name) ||
           llvm::is_contained(kernel.getDimensionNames(), name);
  };
  do
    name = "t" + std::to_string(numScratches++);
  while (isTaken());
  if (failed(formulas.addScratch(value, name, sizes)))
    return failure();
  HostFormulas::Buffer buffer = *formulas.buffer(value);
  ScratchOp::create(b, value.getLoc(), b.getStringAttr(name),
                    TypeAttr::get(type.getElementType()),
                    ExprAttr::getArray(b.getContext(), buffer.dims));
  return success();
}

LogicalResult PlanBuilder::addLaunch(gpu::LaunchFuncOp launch) {
  if (launch.hasClusterSize())
    return launch.emitOpError("launches clusters, which a plan cannot state");
  SmallVector<IntExpr> grid, block, args, shared;
  gpu::KernelDim3 gridDim = launch.getGridSizeOperandValues();
  gpu::KernelDim3 blockDim = launch.getBlockSizeOperandValues();
  if (failed(addFormulas({gridDim.x, gridDim.y, gridDim.z}, grid)) ||
      failed(addFormulas({blockDim.x, blockDim.y, blockDim.z}, block)))
    return failure();
  if (Value bytes = launch.getDynamicSharedMemorySize())
    if (failed(addFormulas({bytes}, shared)))
      return failure();
  for (Value operand : launch.getKernelOperands()) {
    if (!isa<MemRefType>(operand.getType())) {
      if (failed(addFormulas({operand}, args)))
        return failure();
      continue;
    }
    FailureOr<HostFormulas::Buffer> buffer = formulas.buffer(operand);
    if (failed(buffer))
      return failure();
    buffer->appendDescriptor(args);
  }
  ++numLaunches;
  auto array = [&](ArrayRef<IntExpr> list) {
    return ExprAttr::getArray(b.getContext(), list);
  };
  SymbolRefAttr callee = launch.getKernelAttr();
  if (SymbolRefAttr now = renamed.lookup(callee))
    callee = now;
  LaunchOp::create(b, launch.getLoc(), callee, array(grid), array(block),
                   shared.empty() || shared[0].getAsConstant() == 0
                       ? ExprAttr()
                       : ExprAttr::get(b.getContext(), shared[0]),
                   array(args));
  return success();
}

LogicalResult PlanBuilder::addResults(func::ReturnOp op) {
  SmallVector<unsigned> written;
  for (auto [i, arg] :
       llvm::enumerate(kernel.getArgsAttr().getAsRange<ArgumentAttr>()))
    if (arg.isWritten())
      written.push_back(i);
  for (auto [i, operand] : llvm::enumerate(op.getOperands())) {
    Value value = operand;
    // All of it, in whatever shape.
    while (isa_and_nonnull<memref::CastOp, memref::CollapseShapeOp,
                           memref::ExpandShapeOp>(value.getDefiningOp()))
      value = value.getDefiningOp()->getOperand(0);
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument || i >= written.size() ||
        argument.getArgNumber() != written[i])
      return op.emitOpError()
             // unreachable: schedules bind results, and other hosts have none
             << "result " << i << " is not in the destination of the contract";
  }
  return success();
}

LogicalResult PlanBuilder::add(Operation *op) {
  if (auto alloc = dyn_cast<memref::AllocOp>(op))
    return addBuffer(alloc, alloc.getDynamicSizes());
  if (auto alloca = dyn_cast<memref::AllocaOp>(op))
    return addBuffer(alloca, alloca.getDynamicSizes());
  if (auto alloc = dyn_cast<gpu::AllocOp>(op))
    return addBuffer(alloc.getMemref(), alloc.getDynamicSizes());
  if (auto launch = dyn_cast<gpu::LaunchFuncOp>(op))
    return addLaunch(launch);
  if (auto results = dyn_cast<func::ReturnOp>(op))
    return addResults(results);
  // Launches follow each other as they are written, whatever waits for what.
  if (isMemoryEffectFree(op) ||
      isa<memref::DeallocOp, gpu::DeallocOp, gpu::WaitOp>(op))
    return success();
  return op->emitOpError("is host code that a launch plan cannot state: it has "
                         "launches one after another, and scratch buffers");
}

/// Moves the contents of all gpu.modules into the first: code is generated for
/// one. What has the same name in two is renamed.
static gpu::GPUModuleOp mergeDevices(ModuleOp module, PlanBuilder &builder) {
  SmallVector<gpu::GPUModuleOp> devices(module.getOps<gpu::GPUModuleOp>());
  if (devices.empty())
    return {};
  gpu::GPUModuleOp first = devices.front();
  SymbolTable symbols(first);
  for (gpu::GPUModuleOp device : llvm::drop_begin(devices)) {
    SmallVector<Operation *> members;
    for (Operation &op : *device.getBody())
      members.push_back(&op);
    // All names change while their uses are still in the same module.
    SymbolTable own(device);
    llvm::DenseMap<Operation *, SymbolRefAttr> before;
    for (Operation *op : members) {
      auto symbol = dyn_cast<SymbolOpInterface>(op);
      if (!symbol)
        continue;
      StringAttr name = symbol.getNameAttr();
      Operation *other = symbols.lookup(name);
      auto function = dyn_cast<FunctionOpInterface>(op);
      if (other && function && function.isExternal() &&
          isa<FunctionOpInterface>(other))
        continue; // declared there as well
      before[op] = SymbolRefAttr::get(
          device.getNameAttr(), FlatSymbolRefAttr::get(op->getContext(), name));
      if (!other)
        continue;
      std::string fresh = (device.getName() + "_" + name.getValue()).str();
      while (symbols.lookup(fresh) || own.lookup(fresh))
        fresh += "_";
      (void)own.rename(op, fresh);
    }
    for (Operation *op : members) {
      auto symbol = dyn_cast<SymbolOpInterface>(op);
      SymbolRefAttr from = before.lookup(op);
      if (symbol && !from) {
        op->erase();
        continue;
      }
      op->moveBefore(first.getBody(), first.getBody()->end());
      if (!symbol)
        continue;
      symbols.insert(op);
      builder.rename(from, SymbolRefAttr::get(
                               first.getNameAttr(),
                               FlatSymbolRefAttr::get(op->getContext(),
                                                      symbol.getNameAttr())));
    }
    device.erase();
  }
  return first;
}

LogicalResult evo::buildPlanFromHost(LaunchPlanOpInterface plan,
                                     ModuleOp module, func::FuncOp host) {
  // Host code that is no plan may well be right; nobody here can state it.
  FaultScope scope(module.getContext(), FaultKind::Unsupported);
  PlanBuilder builder(plan, module);
  gpu::GPUModuleOp device = mergeDevices(module, builder);
  if (!host.getBody().hasOneBlock())
    return host.emitError("branches, which a launch plan cannot state");
  for (Operation &op : host.getBody().front())
    if (failed(builder.add(&op)))
      return failure();
  if (!builder.hasLaunch())
    return host.emitError("launches no kernel");
  device->moveBefore(&plan.getBody().front(), plan.getBody().front().end());
  // Vectors of up to 16 bytes move through shared memory; the lowering of
  // memrefs leaves such arrays with the alignment of their element.
  for (auto global : device.getOps<LLVM::GlobalOp>())
    if (global.getAddrSpace() == target::Shared &&
        global.getAlignment().value_or(0) < 16)
      global.setAlignment(16);
  for (auto function : device.getOps<LLVM::LLVMFuncOp>())
    if (function->hasAttr(gpu::GPUDialect::getKernelFuncAttrName()) ||
        function->hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName()))
      function.setCConv(LLVM::CConv::PTX_Kernel);
  return success();
}

/// Whether `value` is computed in the tensor `destination`, or a reshaped one.
static bool isComputedIn(Value value, Value destination) {
  while (value != destination) {
    auto result = dyn_cast<OpResult>(value);
    if (!result)
      return false;
    if (auto op = dyn_cast<DestinationStyleOpInterface>(result.getOwner()))
      value = op.getTiedOpOperand(result)->get();
    else if (auto loop = dyn_cast<LoopLikeOpInterface>(result.getOwner());
             loop && loop.getTiedLoopInit(result))
      value = loop.getTiedLoopInit(result)->get();
    else if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
                 result.getOwner()))
      value = result.getOwner()->getOperand(0);
    else
      return false;
  }
  return true;
}

void evo::bindResults(KernelOp kernel, func::FuncOp function) {
  SmallVector<Value> destinations;
  for (auto [attr, argument] :
       llvm::zip(kernel.getArgsAttr().getAsRange<ArgumentAttr>(),
                 function.getArguments()))
    if (attr.isWritten())
      destinations.push_back(argument);
  function.walk([&](func::ReturnOp op) {
    OpBuilder b(op);
    for (auto [operand, destination] :
         llvm::zip(op->getOpOperands(), destinations))
      if (!isComputedIn(operand.get(), destination))
        operand.set(bufferization::MaterializeInDestinationOp::create(
                        b, op.getLoc(), destination.getType(), operand.get(),
                        destination)
                        .getResult());
  });
}
