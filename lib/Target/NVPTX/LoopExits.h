// The form of loops that the assembler knows. Private to this library.
#ifndef EVO_LIB_TARGET_NVPTX_LOOPEXITS_H
#define EVO_LIB_TARGET_NVPTX_LOOPEXITS_H

namespace llvm {
class Function;
}

namespace evo {

/// Has each loop end in a branch that is taken to go on: ptxas unrolls loops
/// once more, and overlaps their loads, where the condition of the branch
/// backwards is true for another round. LLVM as often tests for the end, and
/// jumps back after that. Nothing else changes.
void branchBackWhereTrue(llvm::Function &function);

} // namespace evo

#endif
