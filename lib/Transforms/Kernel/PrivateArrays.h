// Full unrolling, and private arrays that it turns into values.
#ifndef EVO_LIB_TRANSFORMS_KERNEL_PRIVATEARRAYS_H
#define EVO_LIB_TRANSFORMS_KERNEL_PRIVATEARRAYS_H

#include "llvm/IR/PassManager.h"

namespace evo {

/// Unrolls loops with a small constant trip count completely, nested ones too.
struct FullUnroll : llvm::PassInfoMixin<FullUnroll> {
  /// Sets `any` if there are such loops.
  explicit FullUnroll(bool &any) : any(&any) {}
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);

private:
  bool *any;
};

/// Unrolls the loops with a small constant trip count that index a private
/// array of the thread, and promotes the array's elements to values.
struct PromotePrivateArrays : llvm::PassInfoMixin<PromotePrivateArrays> {
  static llvm::PreservedAnalyses run(llvm::Function &function,
                                     llvm::FunctionAnalysisManager &analyses);
};

} // namespace evo

#endif
