// Objects that are passed around as a whole become their members.
#ifndef EVO_LIB_CONVERSION_LLVMTOSTRUCTURED_SPLITAGGREGATES_H
#define EVO_LIB_CONVERSION_LLVMTOSTRUCTURED_SPLITAGGREGATES_H

#include "llvm/IR/PassManager.h"

namespace evo::raise {

/// Takes phis and choices of structs and arrays apart, and members from where
/// they were put together: what functions returned by value, as the groups of
/// threads of CUDA's headers, is then scalars and pointers.
struct SplitAggregatesPass : llvm::PassInfoMixin<SplitAggregatesPass> {
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &manager);
};

} // namespace evo::raise

#endif
