// Shapes that were tried with success, with what they cost.
#ifndef EVO_LIB_VERIFICATION_TRIEDSHAPES_H
#define EVO_LIB_VERIFICATION_TRIEDSHAPES_H

#include "evo/Dialect/Evo/IR/Evo.h"
#include "evo/Support/IntExpr.h"

namespace evo {

/// One entry for each sample in which races were to be looked for; sizes may
/// repeat.
class TriedShapes {
public:
  struct Shape {
    uint64_t instructions; ///< lane instructions of one run of both
    Bindings sizes;
    bool watched; ///< races were looked for, within their budget
  };

  void add(uint64_t instructions, const Bindings &sizes, bool watched) {
    shapes.push_back({instructions, sizes, watched});
  }
  bool isEmpty() const { return shapes.empty(); }
  size_t size() const { return shapes.size(); }
  const Shape &operator[](size_t index) const { return shapes[index]; }

  /// Sorts by cost; equal ones keep their order.
  llvm::ArrayRef<Shape> sort();
  /// Sorts, and answers those that are cheap: one, where none is.
  llvm::ArrayRef<Shape> sortCheap();
  /// The largest of them that is still cheap; else the cheapest.
  Bindings takeCheap() { return sortCheap().back().sizes; }
  /// Of those at which both take no more lane instructions than these, the one
  /// whose shortest dimension is longest; else the cheapest.
  Bindings takeSquare(KernelOp kernel, uint64_t instructions);
  /// The first of those that cost least.
  Bindings getCheapest() const;
  /// A small one that has an interior, if there is one.
  Bindings getSmallWithInterior(KernelOp kernel) const;
  /// Whether samples of these extents ran, with all that they write compared.
  bool contains(KernelOp kernel, const Bindings &sizes) const;

private:
  std::vector<Shape> shapes;
};

} // namespace evo

#endif
