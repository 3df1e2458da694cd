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

/// Those that take no more, or one, of sorted ones.
static ArrayRef<TriedShapes::Shape>
takeWithin(ArrayRef<TriedShapes::Shape> sorted, uint64_t instructions) {
  ArrayRef<TriedShapes::Shape> within =
      sorted.take_while([&](const TriedShapes::Shape &shape) {
        return shape.instructions <= instructions;
      });
  return within.empty() ? sorted.take_front(1) : within;
}

ArrayRef<TriedShapes::Shape> TriedShapes::sortCheap() {
  constexpr uint64_t maxInstructions = 60'000;
  return takeWithin(sort(), maxInstructions);
}

Bindings TriedShapes::takeSquare(KernelOp kernel, uint64_t instructions) {
  auto shortest = [&](const Shape &shape) {
    int64_t extent = INT64_MAX;
    for (StringRef dim : kernel.getDimensionNames())
      extent = std::min(extent, shape.sizes.lookup(dim));
    return extent;
  };
  return llvm::max_element(takeWithin(sort(), instructions),
                           [&](const Shape &l, const Shape &r) {
                             return shortest(l) < shortest(r);
                           })
      ->sizes;
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
