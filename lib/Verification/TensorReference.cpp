// Lowers the func.func of a tensor-level reference to a kernel of one block.
#include "TensorReference.h"
#include "OnDemand/LaneDistribution.h"
#include "OnDemand/TensorLowering.h"
#include "evo/DeviceOps/DeviceOps.h"
#include "evo/Target/Warp.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace evo;

// Some of this is done for candidates too, elsewhere: what they are compared
// with shares no code with what makes them.

/// Results are the destination arguments, so they vanish; temporaries come from
/// the device heap; everything else is plain loops.
static constexpr StringLiteral toBuffers =
    "func.func(convert-elementwise-to-linalg),eliminate-empty-tensors,"
    "one-shot-bufferize{bufferize-function-boundaries=1 "
    "function-boundary-type-conversion=identity-layout-map},"
    "drop-equivalent-buffer-results";
static constexpr StringLiteral toParallelLoops =
    "func.func(convert-linalg-to-parallel-loops)";
static constexpr StringLiteral toLLVM =
    "func.func(convert-linalg-to-loops),"
    "expand-strided-metadata,lower-affine,convert-scf-to-cf,"
    "convert-math-to-llvm,convert-math-to-libm,convert-arith-to-llvm,finalize-"
    "memref-to-llvm,"
    "convert-func-to-llvm,convert-cf-to-llvm,reconcile-unrealized-casts";

/// Named ops that stand for several (softmax) have no loops of their own.
static LogicalResult decomposeAggregates(func::FuncOp function) {
  SmallVector<linalg::AggregatedOpInterface> ops;
  function.walk([&](linalg::AggregatedOpInterface op) { ops.push_back(op); });
  for (linalg::AggregatedOpInterface op : ops) {
    OpBuilder b(op);
    FailureOr<SmallVector<Value>> results = op.decomposeOperation(b);
    if (failed(results))
      // unreachable: softmax, the only such op, always can
      return op->emitError("cannot be decomposed");
    op->replaceAllUsesWith(*results);
    op->erase();
  }
  return success();
}

/// Makes the i-th result the destination that the contract's i-th written
/// argument is, by a copy where bufferisation finds no other way.
static void bindResults(KernelOp kernel, func::FuncOp function) {
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
      operand.set(
          bufferization::MaterializeInDestinationOp::create(
              b, op.getLoc(), destination.getType(), operand.get(), destination)
              .getResult());
  });
  // Nothing is computed where an input is.
  for (auto [i, attr] :
       llvm::enumerate(kernel.getArgsAttr().getAsRange<ArgumentAttr>()))
    if (attr.isBuffer() && !attr.isWritten())
      function.setArgAttr(
          static_cast<unsigned>(i),
          bufferization::BufferizationDialect::kWritableAttrName,
          BoolAttr::get(function.getContext(), false));
  // Only private functions may lose results.
  function.setPrivate();
}

/// Copies between views are loops too; their own lowering calls a library.
static void expandCopies(ModuleOp module) {
  SmallVector<memref::CopyOp> copies;
  module.walk([&](memref::CopyOp op) { copies.push_back(op); });
  for (memref::CopyOp copy : copies) {
    OpBuilder b(copy);
    if (copy.getSource() != copy.getTarget())
      linalg::makeMemRefCopyOp(b, copy.getLoc(), copy.getSource(),
                               copy.getTarget());
    copy.erase();
  }
}

/// Reshapes into several extents that are open have no lowering of their own;
/// shapes that are read from memory do.
static void reshapeByMemory(ModuleOp module) {
  SmallVector<memref::ExpandShapeOp> ops;
  module.walk([&](memref::ExpandShapeOp op) { ops.push_back(op); });
  for (memref::ExpandShapeOp op : ops) {
    auto type = cast<MemRefType>(op.getResult().getType());
    if (type.getNumDynamicDims() < 2 || !type.getLayout().isIdentity() ||
        !op.getSrcType().getLayout().isIdentity())
      continue;
    OpBuilder b(op);
    Location loc = op.getLoc();
    Value shape = memref::AllocaOp::create(
        b, loc, MemRefType::get({type.getRank()}, b.getIndexType()));
    for (auto [i, size] : llvm::enumerate(op.getMixedOutputShape())) {
      Value extent = getValueOrCreateConstantIndexOp(b, loc, size);
      Value place = arith::ConstantIndexOp::create(b, loc, i);
      memref::StoreOp::create(b, loc, extent, shape, place);
    }
    op.replaceAllUsesWith(
        memref::ReshapeOp::create(b, loc, type, op.getSrc(), shape)
            .getResult());
    op.erase();
  }
}

/// The function takes what the contract names and returns what it has written.
static LogicalResult checkSignature(KernelOp kernel, func::FuncOp function) {
  size_t arguments = kernel.getArgsAttr().size(), written = 0;
  for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>())
    written += arg.isWritten();
  if (function.isExternal())
    return function.emitError("a reference needs a body");
  if (function.getNumArguments() != arguments)
    return function.emitError()
           << "has " << function.getNumArguments()
           << " arguments, the contract names " << arguments
           << " (outputs are passed as destination tensors)";
  if (function.getNumResults() != written)
    return function.emitError()
           << "has " << function.getNumResults()
           << " results, the contract has " << written << " outputs";
  return success();
}

FailureOr<func::FuncOp> evo::cloneTensorReference(KernelOp kernel,
                                                  ModuleOp work) {
  auto functions = kernel.getReference().getBody().getOps<func::FuncOp>();
  if (llvm::range_size(functions) != 1)
    return kernel.getReference().emitError(
               "needs either a launch plan or one func.func"),
           failure();
  func::FuncOp function = *functions.begin();
  if (failed(checkSignature(kernel, function)))
    return failure();
  OpBuilder builder = OpBuilder::atBlockEnd(work.getBody());
  auto copy = cast<func::FuncOp>(builder.clone(*function));
  if (failed(decomposeAggregates(copy)))
    return failure();
  return copy;
}

static LogicalResult runPasses(StringRef pipeline, ModuleOp module) {
  PassManager pm(module.getContext(), ModuleOp::getOperationName());
  return success(succeeded(parsePassPipeline(pipeline, pm)) &&
                 succeeded(pm.run(module)));
}

/// Upstream calls the C library's functions, of which a device has none.
static LogicalResult nameByLibdevice(ModuleOp module) {
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    const std::string name = device::libdeviceNameOf(function.getSymName());
    if (function.isExternal() && !name.empty() &&
        failed(SymbolTable(module).rename(function, name)))
      return failure();
  }
  return success();
}

LogicalResult evo::lowerLoopsToLLVM(ModuleOp module) {
  return success(succeeded(runPasses(toLLVM, module)) &&
                 succeeded(nameByLibdevice(module)));
}

OwningOpRef<ModuleOp>
evo::makeReferencePlan(KernelOp kernel, ModuleOp lowered,
                       ArrayRef<ReferenceScratch> scratches,
                       ArrayRef<ReferenceLaunch> launches) {
  Location loc = kernel.getLoc();
  OwningOpRef<ModuleOp> result = ModuleOp::create(loc);
  OpBuilder builder = OpBuilder::atBlockEnd(result->getBody());
  auto copy = cast<KernelOp>(builder.cloneWithoutRegions(*kernel));
  copy.removeBestAttr();
  builder.createBlock(&copy.getBody());
  auto reference = ReferenceOp::create(builder, loc, StringAttr());
  builder.createBlock(&reference.getBody());
  for (const ReferenceScratch &scratch : scratches)
    ScratchOp::create(builder, loc, builder.getStringAttr(scratch.name),
                      TypeAttr::get(scratch.elementType), scratch.dims);
  for (const ReferenceLaunch &launch : launches) {
    MLIRContext *context = builder.getContext();
    ArrayAttr grid = ExprAttr::getArray(context, {"1", "1", "1"});
    std::string threads = std::to_string(launch.threads);
    LaunchOp::create(
        builder, loc,
        SymbolRefAttr::get(builder.getStringAttr("device"),
                           FlatSymbolRefAttr::get(context, launch.function)),
        grid, ExprAttr::getArray(context, {threads, "1", "1"}), ExprAttr(),
        ExprAttr::getArray(context, launch.args));
  }
  auto device = gpu::GPUModuleOp::create(builder, loc, "device");
  for (Operation &op :
       llvm::make_early_inc_range(lowered.getBody()->getOperations()))
    op.moveBefore(device.getBody(), device.getBody()->end());
  for (const ReferenceLaunch &launch : launches) {
    auto function = device.lookupSymbol<LLVM::LLVMFuncOp>(launch.function);
    assert(function && function.getNumArguments() == launch.args.size() &&
           "arguments lost");
    function.setCConv(LLVM::CConv::PTX_Kernel);
    function.setLinkage(LLVM::Linkage::External);
    function.setPublic();
  }
  return result;
}

SmallVector<std::string> evo::getReferenceArguments(KernelOp kernel) {
  // The function's arguments are the contract's, in order.
  SmallVector<std::string> args;
  for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>()) {
    if (arg.isBuffer())
      appendDescriptor(arg, args);
    else
      args.push_back(arg.getName().str());
  }
  return args;
}

FailureOr<OwningOpRef<ModuleOp>>
evo::lowerTensorReference(KernelOp kernel, TargetAttrInterface target) {
  OwningOpRef<ModuleOp> work = ModuleOp::create(kernel.getLoc());
  FailureOr<func::FuncOp> function = cloneTensorReference(kernel, *work);
  if (failed(function))
    return failure();
  const std::string name = function->getName().str();
  Location loc = function->getLoc();
  bindResults(kernel, *function);
  if (failed(runPasses(toBuffers, *work)))
    return emitError(loc, "cannot be lowered to loops"), failure();
  expandCopies(*work);
  reshapeByMemory(*work);
  if (failed(runPasses(toParallelLoops, *work)))
    // unreachable: structured operations on buffers always can
    return emitError(loc, "cannot be lowered to loops"), failure();
  const bool isShared =
      llvm::hasSingleElement(work->getOps<func::FuncOp>()) &&
      distributeOverLanes(*work->getOps<func::FuncOp>().begin(), target);
  if (failed(lowerLoopsToLLVM(*work)))
    return emitError(loc, "cannot be lowered to loops"), failure();
  if (isShared)
    shareAllocations(*work, target);
  return makeReferencePlan(kernel, *work, {},
                           {{name, isShared ? target.getWarpSize() : 1,
                             getReferenceArguments(kernel)}});
}
