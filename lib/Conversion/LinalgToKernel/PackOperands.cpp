// Operands of products that lie in memory along none of the dimensions that a
// block cuts: the weights of a convolution lie along its window, so that
// neighbouring channels, in or out, are a window apart, and each of them is
// read from a sector of its own, by all blocks. A copy of such an operand is
// made first, that lies along its results.
#include "KernelPlan.h"
#include "evo/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using linalg::LinalgOp;

namespace evo {
#define GEN_PASS_DEF_PACKOPERANDS
#include "evo/Transforms/Passes.h.inc"

namespace {
struct PackOperandsPass : impl::PackOperandsBase<PackOperandsPass> {
  using PackOperandsBase::PackOperandsBase;
  void runOnOperation() override;
};
} // namespace

/// Dimensions of what `map` places, as the copy has them: those of the batch,
/// those that are reduced, of these the one that is cut last, and those along
/// which other operands do not lie.
static SmallVector<int64_t> orderDims(LinalgOp op, AffineMap map,
                                      AffineMap other) {
  SmallVector<unsigned> reduced;
  op.getReductionDims(reduced);
  const unsigned depth = chooseDepth(op, reduced);
  auto rank = [&](int64_t place) {
    const unsigned dim = map.getDimPosition(place);
    if (dim == depth)
      return 2;
    if (llvm::is_contained(reduced, dim))
      return 1;
    return other.isFunctionOfDim(dim) ? 0 : 3;
  };
  auto order = llvm::to_vector(llvm::seq<int64_t>(map.getNumResults()));
  llvm::stable_sort(order,
                    [&](int64_t a, int64_t b) { return rank(a) < rank(b); });
  return order;
}

/// Whether the operand of `map` has results of its own beside that of `other`,
/// and lies along what is reduced, but not along the part of that which a block
/// cuts.
static bool liesAcross(LinalgOp op, AffineMap map, AffineMap other) {
  SmallVector<unsigned> reduced, parallel;
  op.getReductionDims(reduced);
  op.getParallelDims(parallel);
  if (!map.isProjectedPermutation() || map.getNumResults() == 0 ||
      reduced.empty() || llvm::none_of(parallel, [&](unsigned dim) {
        return map.isFunctionOfDim(dim) && !other.isFunctionOfDim(dim);
      }))
    return false;
  const unsigned last = map.getDimPosition(map.getNumResults() - 1);
  return llvm::is_contained(reduced, last) && last != chooseDepth(op, reduced);
}

/// `op` on copies of the operands that lie across.
static void pack(LinalgOp op) {
  SmallVector<OpOperand *> inputs(op.getDpsInputOperands());
  if (inputs.size() != 2 || op.getNumDpsInits() != 1 ||
      !op.hasPureTensorSemantics())
    return;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<Value> operands(op->getOperands());
  IRRewriter b(op);
  Location loc = op.getLoc();
  bool isPacked = false;
  for (unsigned i : {0u, 1u}) {
    AffineMap map = maps[i];
    auto type = dyn_cast<RankedTensorType>(operands[i].getType());
    if (!type || !liesAcross(op, map, maps[1 - i]))
      continue;
    SmallVector<int64_t> order = orderDims(op, map, maps[1 - i]);
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(b, loc, operands[i]);
    SmallVector<OpFoldResult> packedSizes;
    SmallVector<AffineExpr> results;
    for (int64_t place : order) {
      packedSizes.push_back(sizes[place]);
      results.push_back(map.getResult(place));
    }
    Value empty =
        tensor::EmptyOp::create(b, loc, packedSizes, type.getElementType());
    operands[i] = linalg::TransposeOp::create(b, loc, operands[i], empty, order)
                      ->getResult(0);
    maps[i] = AffineMap::get(map.getNumDims(), 0, results, b.getContext());
    isPacked = true;
  }
  if (!isPacked)
    return;
  auto packed = linalg::GenericOp::create(
      b, loc, op->getResultTypes(), ArrayRef(operands).take_front(2),
      ArrayRef(operands).drop_front(2), maps, op.getIteratorTypesArray());
  b.cloneRegionBefore(op->getRegion(0), packed.getRegion(),
                      packed.getRegion().end());
  b.replaceOp(op, packed);
}

void PackOperandsPass::runOnOperation() {
  if (!pack)
    return;
  SmallVector<LinalgOp> ops;
  getOperation().walk([&](LinalgOp op) { ops.push_back(op); });
  for (LinalgOp op : ops)
    evo::pack(op);
}
} // namespace evo
