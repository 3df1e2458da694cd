// Which of the shapes that were tried is tried again.
#include "TriedShapes.h"
#include "Verification/Sampling/Shapes.h"
#include "evo/Support/Sort.h"

using namespace mlir;
using namespace evo;

ArrayRef<TriedShapes::Shape> TriedShapes::sort() {
  stableSortBy(shapes, [](const Shape &shape) { return shape.instructions; });
  return shapes;
}

ArrayRef<TriedShapes::Shape> TriedShapes::sortCheap() {
  constexpr uint64_t maxInstructions = 60'000;
  auto isCheap = [](const Shape &shape) {
    return shape.instructions <= maxInstructions;
  };
  ArrayRef<Shape> sorted = sort();
  ArrayRef<Shape> cheap = sorted.take_while(isCheap);
  return cheap.empty() ? sorted.take_front(1) : cheap;
}

Bindings TriedShapes::getCheapest() const {
  return llvm::min_element(shapes,
                           [](const Shape &l, const Shape &r) {
                             return l.instructions < r.instructions;
                           })
      ->sizes;
}

Bindings TriedShapes::getSmallWithInterior(KernelOp kernel) const {
  auto smallness = [&](const Shape &shape) {
    return std::pair(!hasInterior(kernel, shape.sizes), shape.instructions);
  };
  return llvm::min_element(shapes,
                           [&](const Shape &l, const Shape &r) {
                             return smallness(l) < smallness(r);
                           })
      ->sizes;
}

bool TriedShapes::contains(KernelOp kernel, const Bindings &sizes) const {
  return llvm::any_of(shapes, [&](const Shape &shape) {
    return llvm::all_of(kernel.getDimensionNames(), [&](StringRef dim) {
      return shape.sizes.lookup(dim) == sizes.lookup(dim);
    });
  });
}
