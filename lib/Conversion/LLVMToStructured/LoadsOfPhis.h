// Loads through a pointer that depends on the way taken.
#ifndef EVO_LIB_CONVERSION_LLVMTOSTRUCTURED_LOADSOFPHIS_H
#define EVO_LIB_CONVERSION_LLVMTOSTRUCTURED_LOADSOFPHIS_H

#include "llvm/IR/PassManager.h"

namespace evo::raise {

/// Moves a load through a phi of pointers to where the pointers come from, so
/// that the values meet instead of the pointers: `c ? a[i] : zero` of a class
/// then reads from one place on each way. No load is made that was not there.
struct LoadsOfPhisPass : llvm::PassInfoMixin<LoadsOfPhisPass> {
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &);
};

} // namespace evo::raise

#endif
