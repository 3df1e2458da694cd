// Lowers the func.func of a tensor-level reference to a sequential kernel.
#include "TensorReference.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace evo;

/// Results become trailing output buffers; temporaries come from the device
/// heap; everything else is plain loops.
static constexpr StringLiteral pipeline =
    "one-shot-bufferize{bufferize-function-boundaries=1 "
    "function-boundary-type-conversion=identity-layout-map},"
    "buffer-results-to-out-params{hoist-static-allocs=0 modify-public-functions=1},"
    "func.func(convert-linalg-to-loops),"
    "expand-strided-metadata,lower-affine,convert-scf-to-cf,"
    "convert-math-to-libm,convert-arith-to-llvm,finalize-memref-to-llvm,"
    "convert-func-to-llvm,convert-cf-to-llvm,reconcile-unrealized-casts";

/// The descriptor of a dense row-major buffer as kernel arguments: allocated
/// and aligned pointer, offset, sizes, strides.
static void appendDescriptor(ArgumentAttr arg,
                             SmallVectorImpl<std::string> &args) {
  std::string name = arg.getName().str();
  llvm::append_values(args, name, name, std::string("0"));
  SmallVector<StringRef> dims = arg.getDimStrings();
  for (StringRef dim : dims)
    args.push_back(dim.str());
  for (size_t i = 0; i < dims.size(); ++i) {
    std::string stride = "1";
    for (StringRef dim : ArrayRef(dims).drop_front(i + 1))
      stride += " * (" + dim.str() + ")";
    args.push_back(stride);
  }
}

FailureOr<OwningOpRef<ModuleOp>> evo::lowerTensorReference(KernelOp kernel) {
  auto functions = kernel.getReference().getBody().getOps<func::FuncOp>();
  if (llvm::range_size(functions) != 1)
    return kernel.getReference().emitError(
               "needs either a launch plan or one func.func"),
           failure();
  func::FuncOp function = *functions.begin();
  Location loc = function.getLoc();
  MLIRContext *context = kernel.getContext();

  OwningOpRef<ModuleOp> work = ModuleOp::create(loc);
  OpBuilder builder = OpBuilder::atBlockEnd(work->getBody());
  builder.clone(*function);
  PassManager pm(context, ModuleOp::getOperationName());
  if (failed(parsePassPipeline(pipeline, pm)) || failed(pm.run(*work)))
    return function.emitError("cannot be lowered to loops"), failure();

  // Arguments in the lowered order: what is read first, then the results.
  SmallVector<std::string> args;
  for (bool results : {false, true})
    for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>()) {
      if ((arg.getRole() == Role::Out) != results)
        continue;
      if (arg.isBuffer())
        appendDescriptor(arg, args);
      else
        args.push_back(arg.getName().str());
    }

  OwningOpRef<ModuleOp> result = ModuleOp::create(loc);
  builder.setInsertionPointToEnd(result->getBody());
  auto copy = cast<KernelOp>(builder.cloneWithoutRegions(*kernel));
  copy.removeBestAttr();
  builder.createBlock(&copy.getBody());
  auto reference = ReferenceOp::create(builder, loc, StringAttr());
  builder.createBlock(&reference.getBody());
  SmallVector<StringRef> views(args.begin(), args.end());
  ArrayAttr one = builder.getStrArrayAttr({"1", "1", "1"});
  LaunchOp::create(
      builder, loc,
      SymbolRefAttr::get(builder.getStringAttr("device"),
                         FlatSymbolRefAttr::get(context, function.getName())),
      one, one, StringAttr(), builder.getStrArrayAttr(views));
  auto device = gpu::GPUModuleOp::create(builder, loc, "device");
  for (Operation &op :
       llvm::make_early_inc_range(work->getBody()->getOperations()))
    op.moveBefore(device.getBody(), device.getBody()->end());
  auto lowered = device.lookupSymbol<LLVM::LLVMFuncOp>(function.getName());
  if (!lowered || lowered.getNumArguments() != args.size())
    return function.emitError()
               << "its arguments and results do not match the contract: "
               << args.size() << " lowered arguments expected, found "
               << (lowered ? lowered.getNumArguments() : 0),
           failure();
  lowered.setCConv(LLVM::CConv::PTX_Kernel);
  return result;
}
