// What the branches of a kernel hang on, found before it runs.
#ifndef EVO_ANALYSIS_BRANCHES_H
#define EVO_ANALYSIS_BRANCHES_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Instructions.h"

namespace evo::sim {

enum class BranchNature : unsigned char {
  Constant,
  Launch,
  Data,
  Input, ///< data of which loads from arguments, atomics on them or float
         ///< arguments are the origin, by a path of values that is known
};

/// For each conditional branch and switch of a function in which all calls are
/// inlined. Data are what loads from memory that kernels may write give, what
/// atomics give, and float arguments; what is computed of them, or chosen by
/// them; and what lies in a local or shared variable into which such a value
/// was ever stored. The rest hangs on the launch.
llvm::DenseMap<const llvm::Instruction *, BranchNature>
classifyBranches(const llvm::Function &function);

} // namespace evo::sim

#endif
