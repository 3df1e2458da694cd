// The NVPTX back end, and running of pass pipelines for it.
#include "evo/Lowering/DeviceModule.h"
#include "evo/Support/PassAnalyses.h"
#include "evo/Target/TargetInfo.h"
#include "evo/Target/Triple.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/Target/TargetMachine.h"
#include <mutex>

using namespace mlir;
using namespace evo;

/// Kernels are lowered side by side, and what registers a target is not made
/// for that.
static void registerTarget() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
}

FailureOr<std::unique_ptr<llvm::TargetMachine>>
evo::createTargetMachine(TargetAttrInterface target, unsigned optLevel,
                         Location loc) {
  registerTarget();
  const llvm::Triple triple(target::triple);
  std::string error;
  const llvm::Target *backend =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!backend)
    return emitError(loc) << error, failure();
  std::unique_ptr<llvm::TargetMachine> machine;
  const StringRef arch = target.getArch();
  machine.reset(backend->createTargetMachine(
      triple, arch, "+ptx" + std::to_string(target.getPTXVersion()),
      llvm::TargetOptions(), std::nullopt, std::nullopt,
      *llvm::CodeGenOpt::getLevel(optLevel)));
  if (!machine || !machine->getMCSubtargetInfo()->isCPUStringValid(arch))
    return emitError(loc) << "unknown target '" << arch
                          << "', expected one such as "
                          << target::getDefaultArch(),
           failure();
  return machine;
}

void evo::runModulePasses(
    llvm::Module &module, llvm::TargetMachine &machine,
    llvm::function_ref<void(llvm::PassBuilder &, llvm::ModulePassManager &)>
        build) {
  // A file system of its own: the default is one object that the threads of a
  // process share, made where ThreadSanitizer does not see it.
  llvm::PassBuilder builder(&machine, llvm::PipelineTuningOptions(),
                            /*PGOOpt=*/std::nullopt, /*PIC=*/nullptr,
                            llvm::vfs::createPhysicalFileSystem());
  machine.registerPassBuilderCallbacks(builder);
  PassAnalyses analyses(builder);
  llvm::ModulePassManager passes;
  build(builder, passes);
  passes.run(module, analyses.modules);
}
