// Kernels of the gpu dialect: with a host function that launches them, or with
// launch lines that name them.
#include "ReadMLIR.h"
#include "evo/HostAnalysis/PlanFromHost.h"
#include "evo/Support/IntExpr.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace evo;

bool evo::hasGPUCode(ModuleOp module) {
  return module
      .walk([](Operation *op) {
        return isa<gpu::GPUModuleOp, gpu::LaunchOp>(op)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// The host function's arguments are the contract's in order.
static LogicalResult checkHost(KernelOp kernel, func::FuncOp host) {
  ArrayAttr args = kernel.getArgsAttr();
  if (host.getNumArguments() != args.size())
    return host.emitError() << "has " << host.getNumArguments()
                            << " arguments, the contract has " << args.size();
  if (host.getNumResults())
    return host.emitError("returns what a kernel writes: outputs are passed as "
                          "memrefs");
  for (auto [arg, type] : llvm::zip_equal(args.getAsRange<ArgumentAttr>(),
                                          host.getArgumentTypes())) {
    auto buffer = dyn_cast<MemRefType>(type);
    SmallVector<StringRef> dims = arg.getDimStrings();
    Type element = buffer ? buffer.getElementType() : type;
    // An integer scalar may be an index of the host.
    bool isIndex =
        !buffer && type.isIndex() && isa<IntegerType>(arg.getElementType());
    bool matches =
        (element == arg.getElementType() || isIndex) &&
        (buffer != nullptr) == arg.isBuffer() &&
        (!buffer || (buffer.getRank() == static_cast<int64_t>(dims.size()) &&
                     buffer.getLayout().isIdentity()));
    if (!matches)
      return host.emitError()
             << "'" << arg.getName().getValue()
             << "' of the contract does not match type " << type;
    for (unsigned i = 0; buffer && i < dims.size(); ++i)
      if (!buffer.isDynamicDim(i) &&
          dims[i] != std::to_string(buffer.getDimSize(i)))
        return host.emitError()
               << "'" << arg.getName().getValue() << "' has extent "
               << buffer.getDimSize(i) << " where the contract says '"
               << dims[i] << "'";
  }
  return success();
}

/// The kernels that launch lines name; all have to be in one gpu.module, which
/// the lines do not name.
static LogicalResult planFromHeader(OpBuilder &b, ModuleOp module,
                                    ReferenceOp reference,
                                    const ContractHeader &header) {
  SmallVector<gpu::GPUModuleOp> devices(module.getOps<gpu::GPUModuleOp>());
  if (header.launches.empty())
    return emitError(*header.loc)
           << "needs a func.func that launches the kernels, or '// evo.launch' "
              "lines that name them";
  if (devices.size() != 1)
    return emitError(*header.loc)
           << "launch lines need one gpu.module, found " << devices.size();
  gpu::GPUModuleOp device = devices.front();
  std::vector<std::string> symbols;
  for (const ContractHeader::Launch &launch : header.launches) {
    auto kernel = device.lookupSymbol<gpu::GPUFuncOp>(launch.kernel);
    if (!kernel || !kernel.isKernel()) {
      SmallVector<StringRef> names;
      for (auto function : device.getOps<gpu::GPUFuncOp>())
        if (function.isKernel())
          names.push_back(function.getName());
      InFlightDiagnostic diag = emitError(launch.loc);
      diag << "'" << launch.kernel << "' is no kernel of this module";
      if (!names.empty())
        diag << ", expected " << llvm::join(names, " or ");
      return failure();
    }
    symbols.push_back(launch.kernel);
  }
  createPlan(b, header, device.getName(), symbols);
  device->moveBefore(&reference.getBody().front(),
                     reference.getBody().front().end());
  return success();
}

FailureOr<OwningOpRef<ModuleOp>> evo::liftGPU(ModuleOp input,
                                              const ContractHeader &header) {
  if (!header.name)
    return input.emitError(
               "needs an '// evo.kernel' line, or evo.args on the function: a "
               "memref does not say whether it is read or written"),
           failure();
  PassManager passes(input.getContext(), ModuleOp::getOperationName());
  passes.addNestedPass<func::FuncOp>(
      createGpuLaunchSinkIndexComputationsPass());
  passes.addPass(createGpuKernelOutliningPass());
  passes.addPass(createCanonicalizerPass());
  if (failed(passes.run(input)))
    return failure();
  SmallVector<func::FuncOp> hosts;
  input.walk([&](gpu::LaunchFuncOp launch) {
    if (auto host = launch->getParentOfType<func::FuncOp>();
        host && !llvm::is_contained(hosts, host))
      hosts.push_back(host);
  });
  if (hosts.size() > 1)
    return hosts[1].emitError("launches kernels too: a contract is for one "
                              "function"),
           failure();
  OwningOpRef<ModuleOp> module = ModuleOp::create(*header.loc);
  OpBuilder b = OpBuilder::atBlockEnd(module->getBody());
  KernelOp kernel = createKernel(b, *header.loc, header);
  if (failed(kernel.verify()) ||
      (!hosts.empty() && failed(checkHost(kernel, hosts.front()))))
    return failure();
  b.setInsertionPointToStart(&kernel.getBody().front());
  auto reference = ReferenceOp::create(b, *header.loc, StringAttr());
  b.createBlock(&reference.getBody());
  if (!hosts.empty() && !header.launches.empty())
    return emitError(header.launches.front().loc)
               << "the function '" << hosts.front().getName()
               << "' says already how kernels are launched",
           failure();
  LogicalResult planned =
      hosts.empty() ? planFromHeader(b, input, reference, header)
                    : buildPlanFromHost(reference, input, hosts.front());
  if (failed(planned))
    return failure();
  takeOptions(reference, header);
  if (failed(verify(module->getOperation())))
    return failure();
  return module;
}
