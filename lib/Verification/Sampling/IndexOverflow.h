// Sizes that nobody runs as a whole: where 32 bits do not count the elements.
#ifndef EVO_LIB_VERIFICATION_SAMPLING_INDEXOVERFLOW_H
#define EVO_LIB_VERIFICATION_SAMPLING_INDEXOVERFLOW_H

#include "evo/Dialect/Evo/IR/Evo.h"
#include "evo/Support/IntExpr.h"
#include <functional>
#include <set>

namespace evo {

/// Elements of a buffer; 0 where that cannot be said.
double countElements(ArgumentAttr buffer, const Bindings &sizes);

/// Elements of the largest buffer of a contract; 0 where that cannot be said.
double largestBuffer(KernelOp kernel, const Bindings &sizes);

/// The largest extent of `dim` that a requirement of the contract states as a
/// number.
std::optional<int64_t> getStatedBound(KernelOp kernel, llvm::StringRef dim);

/// The same of a bound on a product of several, of which the others are one.
std::optional<int64_t> getBoundOfProduct(KernelOp kernel, llvm::StringRef dim);

/// What became of a shape.
enum class IndexOverflowShape {
  Tried,   ///< go on with the next dimension
  TooMuch, ///< nothing can be said there; a smaller one may do
  Enough,  ///< no more of them
};

/// For each dimension `visitDimensions` hands over shapes in which it is large
/// and all others are as small as requirements let them be, so that an index in
/// 32 bits, signed or not, is wrong at a buffer's end: first with a buffer of
/// some 100 GB, so that units of several elements are too many as well, down to
/// one of 1.5 * 2^31 elements. Where a launch does not reach as far, other
/// dimensions grow too, those first that the grid is spread along: others make
/// a thread's loops long. `visitBuffers` then does so for each buffer that none
/// of these shapes made as large, with longer loops. `visitBounds` has the
/// largest sizes that the contract states. Requirements of contract and plan
/// hold; dimensions fit 31 bits, where no bound is stated beyond and the
/// reference takes no more.
class SizesBeyond32Bits {
public:
  struct Ask {
    /// Whether a device takes all launches, of reference and candidate.
    std::function<bool(const Bindings &)> isLaunched;
    /// Of the reference.
    std::function<uint64_t(const Bindings &)> countThreads;
    /// Whether the reference takes more of a dimension than 32 bits count.
    std::function<bool(llvm::StringRef)> isWide;
  };
  SizesBeyond32Bits(KernelOp kernel, LaunchPlanOpInterface plan,
                    TargetAttrInterface target, const Ask &ask,
                    const Bindings &base);

  using Visitor = llvm::function_ref<IndexOverflowShape(const Bindings &)>;
  void visitDimensions(Visitor visitor);
  void visitBuffers(Visitor visitor);
  /// A shape of just more elements than 32 bits count: what wraps around is
  /// small there.
  void visitWrapped(Visitor visitor);
  void visitBounds(Visitor visitor);

private:
  KernelOp kernel;
  LaunchPlanOpInterface plan;
  TargetAttrInterface target;
  const Ask &ask;
  llvm::SmallVector<llvm::StringRef> dims;  // the grid's first
  llvm::SmallVector<llvm::StringRef> loops; // those of threads
  Bindings small;                           // what shapes grow from
  std::set<std::string> visited;
  std::vector<Bindings> done; // were tried

  /// Elements that are wanted of one buffer, or of the largest one if it is
  /// null, and the largest extents that may take.
  struct Goal {
    double elements, extent, loop;
    ArgumentAttr buffer = {};
  };
  /// Whether to go on.
  bool visit(const Bindings &from, llvm::StringRef dim,
             llvm::ArrayRef<Goal> goals, Visitor visitor);
  double count(const Goal &goal, const Bindings &sizes) const;
  bool isReached(const Goal &goal, const Bindings &sizes) const;
  bool isPossible(const Bindings &sizes) const;
  Bindings shrink(Bindings sizes, int64_t min) const;
  void findLoops(const Bindings &sizes);
  std::optional<Bindings> grow(const Bindings &from, llvm::StringRef dim,
                               const Goal &goal) const;
  std::optional<Bindings> growOne(const Bindings &from, llvm::StringRef dim,
                                  const Goal &goal) const;
  std::optional<Bindings> nearby(const Bindings &from, llvm::StringRef dim,
                                 int64_t extent) const;
};

} // namespace evo

#endif
