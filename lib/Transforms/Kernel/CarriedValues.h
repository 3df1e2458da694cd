// Loop-carried values of a loop whose iterations are distributed over the
// threads of a group.
#ifndef EVO_LIB_TRANSFORMS_KERNEL_CARRIEDVALUES_H
#define EVO_LIB_TRANSFORMS_KERNEL_CARRIEDVALUES_H

#include "DistributedLoop.h"
#include "ThreadGroup.h"

namespace evo {

/// The arg-reduction of each thread, with the number of the iteration that won,
/// which tells the first of equals.
struct DistributedArgReduction {
  const ArgReduction &argReduction;
  ThreadGroup::Values values; // the number, the key, and what belongs to it

  /// Makes `loop` carry the number.
  static DistributedArgReduction create(const DistributedLoop &loop,
                                        const ArgReduction &argReduction,
                                        const ThreadGroup &group);
  ThreadGroup::Values combine(llvm::IRBuilderBase &b,
                              llvm::ArrayRef<llvm::Value *> left,
                              llvm::ArrayRef<llvm::Value *> right) const;
};

/// Makes the exit of `loop` uniform: the whole group iterates as long as its
/// first thread does. Called before the induction variables are distributed.
void makeExitUniform(const DistributedLoop &loop, const ThreadGroup &group);

/// Rebuilds `loop` so that the group iterates together and computes its scan
/// cooperatively. Called before the induction variables are distributed.
void scanTogether(const DistributedLoop &loop, const ThreadGroup &group,
                  llvm::LoopInfo &loops);

} // namespace evo

#endif
