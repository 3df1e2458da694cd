// A team of neighbouring threads that does what one thread did: who is in it,
// and how its members tell each other things.
#ifndef EVO_LIB_TRANSFORMS_KERNEL_TEAM_H
#define EVO_LIB_TRANSFORMS_KERNEL_TEAM_H

#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"

namespace evo {

class Team {
public:
  using Values = llvm::SmallVector<llvm::Value *>;
  /// Joins two groups of values, of which the second comes later.
  using Join = llvm::function_ref<Values(llvm::IRBuilderBase &,
                                         llvm::ArrayRef<llvm::Value *>,
                                         llvm::ArrayRef<llvm::Value *>)>;

  /// Teams of `size` threads in the place of `rows` threads of `kernel`, which
  /// from now on reads a team's number as its thread's.
  Team(llvm::Function &kernel, unsigned size, int64_t rows);

  unsigned getSize() const { return size; }
  // At the kernel's start: the thread in the new block, and in its team.
  llvm::Value *getThread() const { return thread; }
  llvm::Value *getPlace() const { return place; }
  llvm::Value *isFirst() const { return first; }

  void createBarrier(llvm::IRBuilderBase &b) const;
  /// `values` of all members joined in any order, the same for all of them.
  /// The builder has to stand before an instruction. Where this may come
  /// again, a barrier keeps what is shared apart.
  Values joinAll(llvm::IRBuilder<> &b, Values values, Join join,
                 bool mayRepeat) const;
  /// Those of the members up to each joined in order, and those of all. Comes
  /// again and again.
  std::pair<Values, Values> joinUpToEach(llvm::IRBuilder<> &b, Values values,
                                         Join join) const;
  // Of teams within a warp alone:
  /// The lanes of the members for whom `condition` holds, as bits.
  llvm::Value *ballot(llvm::IRBuilderBase &b, llvm::Value *condition) const;
  /// Those of `values` that the member of that number has, for all of them.
  Values takeFrom(llvm::IRBuilderBase &b, llvm::ArrayRef<llvm::Value *> values,
                  llvm::Value *member) const;

private:
  /// Whom a value comes from: the lane whose number differs in one bit, or is
  /// less by so many, or the member of that number.
  enum class From { Partner, Before, Member };

  llvm::Function &kernel;
  unsigned size;
  llvm::Value *thread, *place, *first;
  llvm::Value *members; // the team's lanes

  /// The value of another lane, in words.
  llvm::Value *exchange(llvm::IRBuilderBase &b, llvm::Value *value, From from,
                        llvm::Value *which) const;
  /// The same of groups.
  Values exchange(llvm::IRBuilderBase &b, llvm::ArrayRef<llvm::Value *> values,
                  From from, llvm::Value *which) const;
  Values exchange(llvm::IRBuilderBase &b, llvm::ArrayRef<llvm::Value *> values,
                  From from, unsigned which) const {
    return exchange(b, values, from, b.getInt32(which));
  }
  Values joinLanes(llvm::IRBuilderBase &b, Values values, Join join,
                   unsigned lanes) const;
  /// Arrays of the block, one for each of `values`.
  llvm::SmallVector<llvm::GlobalVariable *>
  createTables(llvm::ArrayRef<llvm::Value *> values, unsigned count) const;
};

} // namespace evo

#endif
