// Sizes that nobody runs as a whole: where 32 bits do not count the elements.
#ifndef EVO_LIB_VERIFICATION_HUGESHAPES_H
#define EVO_LIB_VERIFICATION_HUGESHAPES_H

#include "evo/Dialect/Evo/IR/Evo.h"
#include "evo/Support/IntExpr.h"
#include <functional>

namespace evo {

/// Elements of a buffer; 0 where that cannot be said.
double countElements(ArgumentAttr buffer, const Bindings &sizes);

/// Elements of the largest buffer of a contract; 0 where that cannot be said.
double largestBuffer(KernelOp kernel, const Bindings &sizes);

/// What became of a shape.
enum class HugeShape {
  Tried,   ///< go on with the next dimension
  TooMuch, ///< nothing can be said there; a smaller one may do
  Enough,  ///< no more of them
};

/// For each dimension hands shapes to a visitor in which it is large and all
/// others are as small as requirements let them be, so that an index in 32
/// bits, signed or not, is wrong at a buffer's end: first with a buffer of some
/// 100 GB, so that units of several elements are too many as well, down to one
/// of 1.5 * 2^31 elements. Where a launch does not reach as far, other
/// dimensions grow too, those first that the grid is spread along: others make
/// a thread's loops long. Requirements of contract and plan hold; dimensions
/// themselves fit 31 bits.
class SizesBeyond32Bits {
public:
  struct Ask {
    /// Whether a device takes all launches, of reference and candidate.
    std::function<bool(const Bindings &)> isLaunched;
    /// Of the reference.
    std::function<uint64_t(const Bindings &)> countThreads;
  };
  SizesBeyond32Bits(KernelOp kernel, mlir::Operation *plan,
                    llvm::StringRef target, const Ask &ask)
      : kernel(kernel), plan(plan), target(target), ask(ask),
        dims(kernel.getDimensionNames()) {}

  void visit(const Bindings &base,
             llvm::function_ref<HugeShape(const Bindings &)> visitor);

private:
  KernelOp kernel;
  mlir::Operation *plan;
  llvm::StringRef target;
  const Ask &ask;
  llvm::SmallVector<llvm::StringRef> dims;  // the grid's first
  llvm::SmallVector<llvm::StringRef> loops; // those of threads

  bool isPossible(const Bindings &sizes) const;
  Bindings shrink(Bindings sizes) const;
  void findLoops(const Bindings &sizes);
  std::optional<Bindings> grow(const Bindings &from, llvm::StringRef dim,
                               double wanted, double extent) const;
  std::optional<Bindings> growOne(const Bindings &from, llvm::StringRef dim,
                                  double wanted, double most) const;
  std::optional<Bindings> nearby(const Bindings &from, llvm::StringRef dim,
                                 int64_t extent) const;
};

} // namespace evo

#endif
