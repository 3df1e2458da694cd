// Tensor-level code that the shapes of a contract suggest.
#ifndef EVO_CONVERSION_KERNELTOLINALG_GUESSES_H
#define EVO_CONVERSION_KERNELTOLINALG_GUESSES_H

#include "evo/Dialect/Evo/IR/Evo.h"

namespace evo {

/// Creates one guess: a function of the contract's arguments that returns what
/// they hold afterwards. Null where there is none after all.
using Guess = llvm::function_ref<mlir::func::FuncOp(mlir::OpBuilder)>;

/// An empty function of the contract's arguments that returns those which are
/// written.
mlir::func::FuncOp createTensorFunction(mlir::OpBuilder &builder,
                                        KernelOp kernel);

/// Calls `visit` with each guess that fits `kernel`, likeliest first, until it
/// answers true, and says whether it did.
bool forEachGuess(KernelOp kernel, llvm::function_ref<bool(Guess)> visit);

} // namespace evo

#endif
