// A block's own copy of what its threads join into an array.
#ifndef EVO_LIB_TRANSFORMS_KERNEL_PRIVATIZE_H
#define EVO_LIB_TRANSFORMS_KERNEL_PRIVATIZE_H

#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/Error.h"

namespace evo {

/// An array, a parameter of a kernel, that the kernel only joins values into:
/// by atomics of one operation and type whose results nobody asks for.
struct JoinedArray {
  unsigned parameter;
  llvm::Type *type;
  llvm::AtomicRMWInst::BinOp operation;
};

/// Those of `kernel`, in the order of its parameters; at least one. An error
/// says why there is none.
llvm::Expected<llvm::SmallVector<JoinedArray>>
findJoinedArrays(llvm::Function &kernel);

/// Lets each block of `kernel` join into copies of `arrays` in dynamic shared
/// memory, which it then joins into the arrays themselves, each element once. A
/// kernel of the same name takes its place, which has one more parameter of
/// type i32 for each array: how many elements it has. The copies lie behind
/// each other, each at a multiple of `copyAlignment` bytes.
void privatize(llvm::Function &kernel, llvm::ArrayRef<JoinedArray> arrays);

constexpr unsigned copyAlignment = 16;

} // namespace evo

#endif
