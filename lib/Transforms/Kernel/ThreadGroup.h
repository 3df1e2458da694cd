// A cooperative thread group: neighbouring threads that do what one thread did.
// Creates its collectives: all-reduce, inclusive scan, ballot, broadcast.
#ifndef EVO_LIB_TRANSFORMS_KERNEL_THREADGROUP_H
#define EVO_LIB_TRANSFORMS_KERNEL_THREADGROUP_H

#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"

namespace evo {

class ThreadGroup {
public:
  using Values = llvm::SmallVector<llvm::Value *>;
  /// Combines two tuples of values; the right one comes later in order.
  using Combine = llvm::function_ref<Values(llvm::IRBuilderBase &,
                                            llvm::ArrayRef<llvm::Value *>,
                                            llvm::ArrayRef<llvm::Value *>)>;

  /// Groups of `size` threads (a power of two) in place of each of the `count`
  /// threads of a block of `kernel`, which from now on reads the number of its
  /// group as its thread index.
  ThreadGroup(llvm::Function &kernel, unsigned size, int64_t count);

  unsigned getSize() const { return size; }
  // Computed at the kernel's entry: the index in the group, and whether it is
  // 0.
  llvm::Value *getRank() const { return rank; }
  llvm::Value *isFirst() const { return first; }

  void createBarrier(llvm::IRBuilderBase &b) const;
  /// All-reduce of `values` over the group, in any order. The builder has to
  /// stand before an instruction. If the code may run again, a barrier keeps
  /// the shared memory of one run apart from that of the next.
  Values reduceAll(llvm::IRBuilder<> &b, Values values, Combine combine,
                   bool mayRepeat) const;
  /// Inclusive scan of `values` over the group, in order, and the total. May
  /// run again and again.
  std::pair<Values, Values> scanInclusive(llvm::IRBuilder<> &b, Values values,
                                          Combine combine) const;
  // Only for groups within a warp:
  /// The mask of the lanes for which `condition` holds.
  llvm::Value *ballot(llvm::IRBuilderBase &b, llvm::Value *condition) const;
  /// The `values` of the lane `member`, for all members.
  Values broadcast(llvm::IRBuilderBase &b, llvm::ArrayRef<llvm::Value *> values,
                   llvm::Value *member) const;

private:
  /// Where a lane takes a value from: the lane whose number differs in one bit
  /// (butterfly), one with a smaller number (up), or a given one (index).
  enum class From { Butterfly, Up, Index };

  llvm::Function &kernel;
  unsigned size;
  llvm::Value *thread, *rank, *first;
  llvm::Value *members; // mask of the group's lanes

  /// The value of another lane, shuffled as words of 32 bits.
  llvm::Value *shuffle(llvm::IRBuilderBase &b, llvm::Value *value, From from,
                       llvm::Value *which) const;
  /// The same of several values.
  Values shuffle(llvm::IRBuilderBase &b, llvm::ArrayRef<llvm::Value *> values,
                 From from, llvm::Value *which) const;
  Values shuffle(llvm::IRBuilderBase &b, llvm::ArrayRef<llvm::Value *> values,
                 From from, unsigned which) const {
    return shuffle(b, values, from, b.getInt32(which));
  }
  Values reduceLanes(llvm::IRBuilderBase &b, Values values, Combine combine,
                     unsigned lanes) const;
  /// Arrays in shared memory, of `count` elements, one for each of `values`.
  llvm::SmallVector<llvm::GlobalVariable *>
  createTables(llvm::ArrayRef<llvm::Value *> values, unsigned count) const;
};

} // namespace evo

#endif
