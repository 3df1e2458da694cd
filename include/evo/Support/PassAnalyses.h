// What LLVM's passes ask of the code they change.
#ifndef EVO_SUPPORT_PASSANALYSES_H
#define EVO_SUPPORT_PASSANALYSES_H

#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"

namespace evo {

/// The analyses of a run of passes, all registered.
struct PassAnalyses {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;

  PassAnalyses() {
    llvm::PassBuilder builder;
    registerAll(builder);
  }
  /// As a builder makes them, for a target machine of its own say.
  explicit PassAnalyses(llvm::PassBuilder &builder) { registerAll(builder); }

private:
  void registerAll(llvm::PassBuilder &builder) {
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);
  }
};

} // namespace evo

#endif
