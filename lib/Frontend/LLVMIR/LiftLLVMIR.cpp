// From NVPTX LLVM IR to an evo.kernel: the same way as that of CUDA C++ once
// Clang is done, with kernels found by their symbols.
#include "ReadLLVMIR.h"
#include "evo/Frontend/ContractHeader.h"
#include "evo/Frontend/Lift.h"
#include "evo/Lowering/DeviceModule.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace evo;

/// Name of the gpu.module of a lifted file.
static constexpr StringLiteral deviceName = "device";

/// Symbols of the kernels a module defines, in order.
static SmallVector<std::string> getKernelSymbols(const llvm::Module &module) {
  SmallVector<std::string> kernels;
  for (const llvm::Function &function : module)
    if (!function.isDeclaration() &&
        function.getCallingConv() == llvm::CallingConv::PTX_Kernel)
      kernels.push_back(function.getName().str());
  return kernels;
}

/// The kernel that each launch line names.
static FailureOr<std::vector<std::string>>
findKernels(const llvm::Module &module, const ContractHeader &header) {
  SmallVector<std::string> kernels = getKernelSymbols(module);
  std::vector<std::string> symbols;
  for (const ContractHeader::Launch &launch : header.launches) {
    if (!llvm::is_contained(kernels, launch.kernel)) {
      InFlightDiagnostic diag = emitError(launch.loc);
      diag << "'" << launch.kernel << "' is no kernel of this module, ";
      if (kernels.empty())
        diag << "which defines none (a function with ptx_kernel)";
      else
        diag << "expected " << llvm::join(kernels, " or ");
      return failure();
    }
    symbols.push_back(launch.kernel);
  }
  return symbols;
}

LogicalResult
evo::buildPlanFromLLVMIR(LaunchPlanOpInterface plan, StringRef source,
                         StringRef fileName,
                         SmallVectorImpl<Attribute> *requirements) {
  MLIRContext *context = plan.getContext();
  Location start = FileLineColLoc::get(context, fileName, 1, 1);
  FailureOr<ContractHeader> header =
      parseContractHeader(context, source, fileName, ";");
  if (failed(header))
    return failure();
  if (header->launches.empty())
    return emitError(start) << "needs a '; evo.launch' line";
  llvm::LLVMContext llvmContext;
  FailureOr<std::unique_ptr<llvm::Module>> module =
      readLLVMIR(context, llvmContext, source, fileName);
  if (failed(module))
    return failure();
  FailureOr<std::vector<std::string>> symbols = findKernels(**module, *header);
  if (failed(symbols))
    return failure();
  OpBuilder builder = OpBuilder::atBlockEnd(&plan.getBody().front());
  createPlan(builder, *header, deviceName, *symbols);
  if (requirements)
    *requirements = header->requirements;
  return importDevice(builder, start, deviceName, std::move(*module));
}

/// A kernel without a contract, named after the first that `module` defines.
static LogicalResult liftWithoutContract(OpBuilder &builder, Location loc,
                                         std::unique_ptr<llvm::Module> module) {
  SmallVector<std::string> kernels = getKernelSymbols(*module);
  if (kernels.empty())
    return emitError(loc) << "defines no kernel (a function with ptx_kernel)";
  auto kernel = KernelOp::create(
      builder, loc, builder.getStringAttr(kernels.front()), ArrayAttr(),
      ArrayAttr(), ArrayAttr(), AccuracyAttr(), FlatSymbolRefAttr());
  builder.createBlock(&kernel.getBody());
  auto reference = ReferenceOp::create(builder, loc, StringAttr());
  builder.createBlock(&reference.getBody());
  return importDevice(builder, loc, deviceName, std::move(module));
}

FailureOr<OwningOpRef<ModuleOp>>
evo::liftLLVMIR(MLIRContext *context, StringRef source, StringRef fileName) {
  Location start = FileLineColLoc::get(context, fileName, 1, 1);
  FailureOr<ContractHeader> header =
      parseContractHeader(context, source, fileName, ";");
  if (failed(header))
    return failure();
  OwningOpRef<ModuleOp> module = ModuleOp::create(start);
  OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
  if (!header->name) {
    if (!header->empty())
      return emitError(start) << "has evo lines but no '; evo.kernel' line",
             failure();
    llvm::LLVMContext llvmContext;
    FailureOr<std::unique_ptr<llvm::Module>> code =
        readLLVMIR(context, llvmContext, source, fileName);
    if (failed(code))
      return failure();
    if (failed(liftWithoutContract(builder, start, std::move(*code))))
      return failure();
    return module;
  }
  KernelOp kernel = createKernel(builder, *header->loc, *header);
  if (failed(kernel.verify()))
    return failure();
  builder.setInsertionPointToStart(&kernel.getBody().front());
  auto reference = ReferenceOp::create(builder, *header->loc, StringAttr());
  reference.getBody().emplaceBlock();
  if (failed(buildPlanFromLLVMIR(reference, source, fileName, nullptr)) ||
      failed(verify(module->getOperation())))
    return failure();
  return module;
}
