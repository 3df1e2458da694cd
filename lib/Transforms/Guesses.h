// Tensor-level code that the shapes of a contract suggest.
#ifndef EVO_LIB_TRANSFORMS_GUESSES_H
#define EVO_LIB_TRANSFORMS_GUESSES_H

#include "evo/Dialect/Evo/IR/Evo.h"

namespace evo {

/// Creates one guess: a function of the contract's arguments that returns what
/// they hold afterwards.
using Guess = llvm::function_ref<mlir::func::FuncOp(mlir::OpBuilder)>;

/// Calls `visit` with each guess that fits `kernel`, likeliest first, until it
/// answers true.
void forEachGuess(KernelOp kernel, llvm::function_ref<bool(Guess)> visit);

} // namespace evo

#endif
