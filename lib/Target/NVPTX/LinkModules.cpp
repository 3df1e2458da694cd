// A plan may call kernels of several gpu.modules, as one does that was put
// together of two others. PTX is one text with one space of names, so they are
// linked; each was optimised, and judged, by itself.
#include "LinkModules.h"
#include "evo/Interfaces/Faults.h"
#include "llvm/Linker/Linker.h"

using namespace mlir;
using namespace evo;

/// Leaves to others nothing but the kernels that are launched.
static void keepToItself(llvm::Module &module, const llvm::StringSet<> &kept) {
  for (llvm::Function &function : llvm::make_early_inc_range(module)) {
    if (function.isDeclaration() || kept.contains(function.getName()))
      continue;
    function.setComdat(nullptr);
    function.setLinkage(llvm::GlobalValue::InternalLinkage);
    if (function.use_empty())
      function.eraseFromParent();
  }
  // Dynamic shared memory is declared, and is the launch's.
  for (llvm::GlobalVariable &variable : module.globals())
    if (!variable.isDeclaration() && !variable.getName().starts_with("llvm.")) {
      variable.setComdat(nullptr);
      variable.setLinkage(llvm::GlobalValue::InternalLinkage);
    }
}

FailureOr<std::unique_ptr<llvm::Module>>
evo::linkModules(LaunchPlanOpInterface plan,
                 std::vector<DeviceModule> modules) {
  if (modules.size() == 1)
    return std::move(modules.front().optimized);
  std::unique_ptr<llvm::Module> all;
  llvm::StringSet<> names;
  for (DeviceModule &module : modules) {
    llvm::StringSet<> kept;
    for (LaunchOp launch : plan.getLaunches())
      if (launch.getCallee().getRootReference() == module.name)
        kept.insert(launch.getCallee().getLeafReference());
    for (const auto &name : kept)
      if (!names.insert(name.getKey()).second)
        return markFault(plan.emitError(), FaultKind::Unsupported)
                   << "two gpu.modules have the kernel '" << name.getKey()
                   << "', and PTX knows kernels by their names alone",
               failure();
    keepToItself(*module.optimized, kept);
    if (!all)
      all = std::move(module.optimized);
    else if (llvm::Linker::linkModules(*all, std::move(module.optimized)))
      // unreachable: what is left has other names, or the same declaration
      return plan.emitError("the gpu.modules cannot be linked"), failure();
  }
  return all;
}
