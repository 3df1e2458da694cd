// Privatisation of arrays that are updated by atomics: a copy per block.
#ifndef EVO_LIB_TRANSFORMS_KERNEL_PRIVATIZE_H
#define EVO_LIB_TRANSFORMS_KERNEL_PRIVATIZE_H

#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/Error.h"

namespace evo {

/// A parameter of a kernel that it only updates by atomics of one operation and
/// type, without using their results.
struct ReducedArray {
  unsigned parameter;
  llvm::Type *type;
  llvm::AtomicRMWInst::BinOp operation;
};

/// Those of `kernel`, in the order of its parameters; at least one. An error
/// says why there is none.
llvm::Expected<llvm::SmallVector<ReducedArray>>
findReducedArrays(llvm::Function &kernel);

/// Lets each block of `kernel` update private copies of `arrays` in dynamic
/// shared memory, and at its end combine each of their elements into the arrays
/// once. A kernel of the same name takes its place, with one more parameter of
/// type i32 for each array: its number of elements. The copies follow each
/// other, each at a multiple of `copyAlignment` bytes.
void privatize(llvm::Function &kernel, llvm::ArrayRef<ReducedArray> arrays);

constexpr unsigned copyAlignment = 16;

} // namespace evo

#endif
