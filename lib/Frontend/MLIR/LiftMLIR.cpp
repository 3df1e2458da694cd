// MLIR as front ends emit it, linalg on tensors above all: with a contract in
// comments or attributes, or that of its types.
#include "ReadMLIR.h"
#include "evo/Frontend/Lift.h"
#include "evo/Shapes/AbstractShapes.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace evo;

/// The function that a file is about: the only one, or the only public one, the
/// others inlined. Null after a diagnostic.
static func::FuncOp findFunction(ModuleOp module) {
  SmallVector<func::FuncOp> functions(module.getOps<func::FuncOp>());
  SmallVector<func::FuncOp> entries;
  for (func::FuncOp function : functions)
    if (function.isPublic() && !function.isExternal())
      entries.push_back(function);
  if (functions.size() == 1)
    return functions.front();
  if (entries.size() != 1) {
    module.emitError("needs exactly one func.func, or one that is public");
    return {};
  }
  PassManager passes(module.getContext(), ModuleOp::getOperationName());
  passes.addPass(createInlinerPass());
  passes.addPass(createSymbolDCEPass());
  if (failed(passes.run(module)))
    return {};
  WalkResult result = entries.front().walk([](func::CallOp call) {
    call.emitError() << "calls '" << call.getCallee()
                     << "', which cannot be inlined";
    return WalkResult::interrupt();
  });
  return result.wasInterrupted() ? func::FuncOp() : entries.front();
}

/// Where all sizes are literals there is one workload, and nothing to say of
/// it.
static void addOnlyWorkload(ContractHeader &header) {
  MLIRContext *context = header.name ? header.name.getContext() : nullptr;
  if (!context || !header.workloads.empty())
    return;
  for (auto arg : header.args) {
    auto argument = cast<ArgumentAttr>(arg);
    if (!argument.isBuffer() && isa<IntegerType>(argument.getElementType()))
      return;
    for (StringRef dim : argument.getDimStrings())
      if (int64_t extent; dim.getAsInteger(10, extent))
        return;
  }
  header.workloads.push_back(
      WorkloadAttr::get(context, DictionaryAttr::get(context), 1));
}

/// What `kernel` says of its arguments, with `sizes` in the place of names if
/// there are any; requirements that the file states are its own.
static void takeContract(KernelOp kernel, Location loc,
                         std::optional<Bindings> sizes,
                         ContractHeader &header) {
  header.name = kernel.getSymNameAttr();
  header.loc = loc;
  header.accuracy = kernel.getAccuracyAttr();
  if (sizes) {
    header.args = bindArguments(kernel.getArgsAttr(), *sizes);
    return;
  }
  header.args.assign(kernel.getArgsAttr().begin(), kernel.getArgsAttr().end());
  if (ArrayAttr workloads = kernel.getWorkloadsAttr())
    header.workloads.assign(workloads.begin(), workloads.end());
}

/// Whether all shapes of the function's signature are static.
static bool isStatic(func::FuncOp function) {
  return llvm::all_of(function.getArgumentTypes(), [](Type type) {
    auto shaped = dyn_cast<ShapedType>(type);
    return !shaped || shaped.hasStaticShape();
  });
}

FailureOr<OwningOpRef<ModuleOp>>
evo::liftMLIR(MLIRContext *context, StringRef source, StringRef fileName,
              KernelOp contract, bool keepsSizes) {
  FailureOr<OwningOpRef<ModuleOp>> read = readMLIR(context, source, fileName);
  if (failed(read))
    return failure();
  OwningOpRef<ModuleOp> input = std::move(*read);
  if (!input->getOps<KernelOp>().empty())
    return input; // lifted already
  FailureOr<ContractHeader> header =
      parseContractHeader(context, source, fileName);
  if (failed(header))
    return failure();
  for (auto function : input->getOps<func::FuncOp>())
    if (!header->name && failed(readContractAttributes(function, *header)))
      return failure();
  bool isGPU = hasGPUCode(*input);
  func::FuncOp function = isGPU ? func::FuncOp() : findFunction(*input);
  if (!isGPU && !function)
    return failure();
  bool isAbstracted = false;
  if (!header->name && contract) {
    // A file for a kernel whose sizes were abstracted has them as well.
    std::optional<Bindings> sizes;
    if (function && isStatic(function))
      sizes = getCallerSizes(contract);
    isAbstracted = sizes.has_value();
    takeContract(contract, FileLineColLoc::get(context, fileName, 1, 1), sizes,
                 *header);
  } else if (!header->name && function) {
    isAbstracted = !keepsSizes;
  }
  if (isGPU) {
    addOnlyWorkload(*header);
    return liftGPU(*input, *header);
  }
  if (header->options)
    return emitError(*header->optionsLoc)
               << "options are for code that is launched, and tensors become "
                  "such code by schedules",
           failure();
  if (!header->name && failed(deriveContract(function, *header)))
    return failure();
  addOnlyWorkload(*header);
  OwningOpRef<ModuleOp> module = ModuleOp::create(*header->loc);
  OpBuilder b = OpBuilder::atBlockEnd(module->getBody());
  KernelOp kernel = createKernel(b, *header->loc, *header);
  if (failed(kernel.verify()) || failed(matchSignature(kernel, function)))
    return failure();
  b.setInsertionPointToStart(&kernel.getBody().front());
  auto reference = ReferenceOp::create(b, *header->loc, StringAttr());
  b.createBlock(&reference.getBody());
  function->moveBefore(&reference.getBody().front(),
                       reference.getBody().front().end());
  if (isAbstracted)
    abstractKernel(kernel, contract);
  if (failed(verify(module->getOperation())))
    return failure();
  return module;
}
