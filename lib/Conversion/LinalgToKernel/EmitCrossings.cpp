// Kernels of element-wise ops one of whose operands lies in memory along
// another dimension than the results do, as in a transposition. Either the
// reads or the writes of neighbouring threads would lie apart: a block turns a
// square in shared memory, which does not mind.
#include "KernelEmitter.h"
#include "evo/Target/TargetInfo.h"
#include "evo/Target/Warp.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace evo;
using linalg::LinalgOp;

static constexpr int64_t side = target::warpSize; // of a square

std::optional<KernelEmitter::Crossing> KernelEmitter::getCrossing() {
  LinalgOp op = plan.ops.front();
  // A square is gone through in whole turns.
  bool hasTurns =
      options.threads % side == 0 && side % (options.threads / side) == 0;
  if (options.stage == 0 || plan.rowDims || !hasTurns ||
      op.getNumReductionLoops() > 0 || op.getNumLoops() < 2 ||
      rereadsWhatItWrites())
    return std::nullopt;
  unsigned last = op.getNumLoops() - 1;
  for (OpOperand &output : op.getDpsInitsMutable())
    if (!op.getMatchingIndexingMap(&output).isIdentity())
      return std::nullopt;
  Crossing result;
  int64_t bytes = 0;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    BlockArgument arg = op.getMatchingBlockArgument(input);
    if (!isa<MemRefType>(input->get().getType()) || !arg || arg.use_empty() ||
        map.getNumResults() < 2 || !map.isFunctionOfDim(last))
      continue;
    auto dim = dyn_cast<AffineDimExpr>(map.getResults().back());
    if (!dim || dim.getPosition() == last ||
        (!result.operands.empty() && dim.getPosition() != result.dim))
      continue;
    bytes += side * (side + 1) *
             llvm::divideCeil(
                 getElementTypeOrSelf(input->get()).getIntOrFloatBitWidth(), 8);
    result.dim = dim.getPosition();
    result.operands.push_back(input);
  }
  constexpr int64_t maxBytes = target::TargetInfo::sharedPerBlockDefault;
  if (result.operands.empty() || bytes > maxBytes)
    return std::nullopt;
  for (unsigned other = 0; other < last; ++other)
    if (other != result.dim)
      result.others.push_back(other);
  return result;
}

Value KernelEmitter::countSquares(const Crossing &crossing) {
  LinalgOp op = plan.ops.front();
  return mul(countOf(crossing.others),
             mul(ceilDiv(extents[op][crossing.dim], side),
                 ceilDiv(extents[op].back(), side)));
}

void KernelEmitter::emitCrossing(const Crossing &crossing) {
  LinalgOp op = plan.ops.front();
  unsigned last = op.getNumLoops() - 1;
  Value deep = extents[op][crossing.dim], wide = extents[op][last];
  Values squareOf =
      delinearize(block, {countOf(crossing.others), ceilDiv(deep, side),
                          ceilDiv(wide, side)});
  Value firstDeep = mul(squareOf[1], constant(side)),
        firstWide = mul(squareOf[2], constant(side));
  Value lane = rem(thread, constant(side)), line = div(thread, constant(side));
  Values base(op.getNumLoops());
  if (!crossing.others.empty())
    place(base, crossing.others, squareOf[0]);
  auto pointAt = [&](Value atDeep, Value atWide) {
    Values point = base;
    place(point, {crossing.dim}, atDeep);
    place(point, {last}, atWide);
    return point;
  };

  // Read along the operand, ...
  int64_t lines = options.threads / side;
  Values squares;
  for (OpOperand *operand : crossing.operands)
    squares.push_back(
        createShared({side, side + 1}, getElementTypeOrSelf(operand->get())));
  Values values, wides;
  for (int64_t i = 0; i < side; i += lines) {
    wides.push_back(add(line, constant(i)));
    Values point = pointAt(add(firstDeep, lane), add(firstWide, wides.back()));
    for (OpOperand *operand : crossing.operands)
      values.push_back(memref::LoadOp::create(b, loc, operand->get(),
                                              indicesOf(op, *operand, point)));
  }
  for (auto [i, value] : llvm::enumerate(values))
    memref::StoreOp::create(b, loc, value, squares[i % squares.size()],
                            ValueRange{wides[i / squares.size()], lane});
  gpu::BarrierOp::create(b, loc);

  // ... write along the results.
  SmallVector<Values> points;
  Values inside, results;
  for (Value at : wides) {
    Value atDeep = add(firstDeep, at), atWide = add(firstWide, lane);
    points.push_back(pointAt(atDeep, atWide));
    inside.push_back(b.createOrFold<arith::AndIOp>(loc, less(atDeep, deep),
                                                   less(atWide, wide)));
    for (auto [operand, square] : llvm::zip_equal(crossing.operands, squares))
      staged[operand] =
          memref::LoadOp::create(b, loc, square, ValueRange{lane, at});
    llvm::append_range(
        results, compute(op, points.back(), initialValues(op, points.back())));
  }
  staged.clear();
  storePoints(points, results, inside);
}
