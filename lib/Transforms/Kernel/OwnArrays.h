// Arrays of a thread's own that loops go through.
#ifndef EVO_LIB_TRANSFORMS_KERNEL_OWNARRAYS_H
#define EVO_LIB_TRANSFORMS_KERNEL_OWNARRAYS_H

#include "llvm/IR/PassManager.h"

namespace evo {

/// Writes out loops of few iterations, whose number is known, within each
/// other.
struct WriteOutLoops : llvm::PassInfoMixin<WriteOutLoops> {
  /// Sets `any` where there are such loops.
  explicit WriteOutLoops(bool &any) : any(&any) {}
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);

private:
  bool *any;
};

/// Unrolls the loops, of few iterations each, whose counters say which element
/// of an array of the thread's own is meant, and makes values of the elements.
struct OwnArraysToValues : llvm::PassInfoMixin<OwnArraysToValues> {
  static llvm::PreservedAnalyses run(llvm::Function &function,
                                     llvm::FunctionAnalysisManager &analyses);
};

} // namespace evo

#endif
