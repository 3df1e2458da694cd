// Kernels of element-wise ops one of whose operands lies in memory along
// another dimension than the results do, as in a transposition. Either the
// reads or the writes of neighbouring threads would lie apart: a block turns a
// square in shared memory, which does not mind. Threads read and write vectors
// where both extents are whole numbers of these, else elements.
#include "KernelEmitter.h"
#include "evo/Target/TargetInfo.h"
#include "evo/Target/Warp.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace evo;
using linalg::LinalgOp;

/// Vectors of a row that a warp accesses at once, beside rows: neighbours fill
/// lines of memory, and of shared memory each accesses a bank of its own when
/// the vectors lie along rows as when they lie across.
static constexpr int64_t vectorsAcross = 8;

static int64_t bytesOf(Value buffer) {
  return llvm::divideCeil(getElementTypeOrSelf(buffer).getIntOrFloatBitWidth(),
                          8);
}

/// Elements from a row of a square to the next: one word more than there are,
/// so that what lies across is spread over the banks.
static int64_t getPitch(int64_t side, Value buffer) {
  constexpr int64_t word = 4;
  return side + std::max<int64_t>(1, word / bytesOf(buffer));
}

/// Neighbours that a thread reads along `dim` and writes along the last one.
int64_t KernelEmitter::widthOfCrossing(const Crossing &crossing) {
  LinalgOp first = plan.ops.front();
  unsigned last = first.getNumLoops() - 1;
  int64_t width = std::max<int64_t>(1, options.access);
  for (OpOperand *operand : crossing.operands) {
    if (!liesAlong(first, *operand, crossing.dim))
      return 1;
    width = std::min(width, options.access / bytesOf(operand->get()));
  }
  for (LinalgOp op : plan.ops) {
    if (op.getNumLoops() != first.getNumLoops())
      return 1;
    for (OpOperand &output : op.getDpsInitsMutable()) {
      if (!liesAlong(op, output, last))
        return 1;
      width = std::min(width, options.access / bytesOf(output.get()));
    }
  }
  return std::max<int64_t>(1, width);
}

std::optional<KernelEmitter::Crossing> KernelEmitter::getCrossing() {
  LinalgOp op = plan.ops.front();
  if (options.stage == 0 || plan.rowDims || op.getNumReductionLoops() > 0 ||
      op.getNumLoops() < 2 || rereadsWhatItWrites())
    return std::nullopt;
  unsigned last = op.getNumLoops() - 1;
  for (OpOperand &output : op.getDpsInitsMutable())
    if (!op.getMatchingIndexingMap(&output).isIdentity())
      return std::nullopt;
  Crossing result;
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
    result.dim = dim.getPosition();
    result.operands.push_back(input);
  }
  if (result.operands.empty())
    return std::nullopt;
  constexpr int64_t perThread = 16; // elements of a side, by the knob's unit
  result.width = widthOfCrossing(result);
  result.side = target::warpSize;
  if (result.width > 1)
    result.side =
        std::max<int64_t>(vectorsAcross * result.width,
                          perThread * llvm::bit_floor<uint64_t>(options.stage));
  int64_t bytes = 0;
  for (OpOperand *operand : result.operands)
    bytes += result.side * getPitch(result.side, operand->get()) *
             bytesOf(operand->get());
  // A square is gone through in whole turns.
  constexpr int64_t maxBytes = target::TargetInfo::sharedPerBlockDefault;
  int64_t accesses = result.side * result.side / result.width;
  if (bytes > maxBytes || accesses % options.threads != 0 ||
      options.threads % target::warpSize != 0)
    return std::nullopt;
  for (unsigned other = 0; other < last; ++other)
    if (other != result.dim)
      result.others.push_back(other);
  return result;
}

Value KernelEmitter::countSquares(const Crossing &crossing) {
  LinalgOp op = plan.ops.front();
  return mul(countOf(crossing.others),
             mul(ceilDiv(extents[op][crossing.dim], crossing.side),
                 ceilDiv(extents[op].back(), crossing.side)));
}

/// Where a thread's access `number` is in the square: the row, and the first of
/// the neighbours along it.
std::pair<Value, Value> KernelEmitter::placeInSquare(const Crossing &crossing,
                                                     Value number) {
  if (crossing.width == 1)
    return {div(number, constant(crossing.side)),
            rem(number, constant(crossing.side))};
  int64_t groups = crossing.side / crossing.width / vectorsAcross;
  constexpr int64_t rows = target::warpSize / vectorsAcross;
  Value lane = rem(number, constant(target::warpSize)),
        turn = div(number, constant(target::warpSize));
  Value row = add(mul(div(turn, constant(groups)), constant(rows)),
                  div(lane, constant(vectorsAcross)));
  Value vector = add(mul(rem(turn, constant(groups)), constant(vectorsAcross)),
                     rem(lane, constant(vectorsAcross)));
  return {row, mul(vector, constant(crossing.width))};
}

/// Reads the operands along, into the squares: all loads come first.
void KernelEmitter::fillSquares(const Crossing &crossing, const Square &square,
                                ArrayRef<Value> numbers) {
  LinalgOp op = plan.ops.front();
  unsigned last = op.getNumLoops() - 1;
  SmallVector<std::pair<Value, Value>> places;
  SmallVector<SmallVector<Values>> loaded(numbers.size());
  for (auto [i, number] : llvm::enumerate(numbers)) {
    places.push_back(placeInSquare(crossing, number));
    Lanes lanes{square.base, crossing.dim, crossing.width, Value()};
    auto [atWide, atDeep] = places.back();
    place(lanes.ivs, {last}, add(square.wide, atWide));
    lanes.ivs[crossing.dim] = b.createOrFold<arith::MinUIOp>(
        loc, add(square.deep, atDeep),
        b.createOrFold<arith::SubIOp>(loc, extents[op][crossing.dim],
                                      constant(crossing.width)));
    for (OpOperand *operand : crossing.operands)
      loaded[i].push_back(loadLanes(op, *operand, lanes));
  }
  for (auto [i, at] : llvm::enumerate(places))
    for (auto [values, array] : llvm::zip_equal(loaded[i], square.arrays))
      for (auto [lane, value] : llvm::enumerate(values))
        memref::StoreOp::create(
            b, loc, value, array,
            ValueRange{at.first, add(at.second, constant(lane))});
}

/// Computes and writes along the results.
void KernelEmitter::emptySquares(const Crossing &crossing, const Square &square,
                                 ArrayRef<Value> numbers) {
  LinalgOp op = plan.ops.front();
  unsigned last = op.getNumLoops() - 1;
  for (Value number : numbers) {
    auto [atDeep, atWide] = placeInSquare(crossing, number);
    Value deep = add(square.deep, atDeep), wide = add(square.wide, atWide);
    Lanes lanes{square.base, last, crossing.width, Value()};
    lanes.ivs[crossing.dim] = deep;
    lanes.ivs[last] = wide;
    lanes.inside = b.createOrFold<arith::AndIOp>(
        loc, less(deep, extents[op][crossing.dim]),
        less(wide, extents[op][last]));
    Loaded turned;
    for (auto [operand, array] :
         llvm::zip_equal(crossing.operands, square.arrays)) {
      Values values;
      for (int64_t lane = 0; lane < crossing.width; ++lane)
        values.push_back(memref::LoadOp::create(
            b, loc, array, ValueRange{add(atWide, constant(lane)), atDeep}));
      turned.push_back({operand, values});
    }
    auto stored =
        scf::IfOp::create(b, loc, std::exchange(lanes.inside, Value()),
                          /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(stored.thenBlock());
    for (auto &[operand, values] : turned)
      staged[operand] = values.front(); // so that it is not loaded
    SmallVector<Loaded> loaded = loadForAll(lanes);
    for (auto &[operand, values] : loaded.front())
      for (auto &[other, found] : turned)
        if (operand == other)
          values = found;
    staged.clear();
    emitLanes(lanes, loaded);
  }
}

void KernelEmitter::emitCrossing(const Crossing &crossing) {
  LinalgOp op = plan.ops.front();
  unsigned last = op.getNumLoops() - 1;
  Value deep = extents[op][crossing.dim], wide = extents[op][last];
  int64_t side = crossing.side;
  Values squareOf =
      delinearize(block, {countOf(crossing.others), ceilDiv(deep, side),
                          ceilDiv(wide, side)});
  Square square;
  square.base.resize(op.getNumLoops());
  if (!crossing.others.empty())
    place(square.base, crossing.others, squareOf[0]);
  square.deep = mul(squareOf[1], constant(side));
  square.wide = mul(squareOf[2], constant(side));
  for (OpOperand *operand : crossing.operands)
    square.arrays.push_back(createShared({side, getPitch(side, operand->get())},
                                         getElementTypeOrSelf(operand->get())));
  Values numbers;
  for (int64_t i = 0; i < side * side / crossing.width; i += options.threads)
    numbers.push_back(add(thread, constant(i)));

  // The same elements one by one: rows begin where no vector may.
  Crossing single = crossing;
  single.width = 1;
  auto oneByOne = [&](auto step) {
    auto loop = scf::ForOp::create(b, loc, thread, constant(side * side),
                                   constant(options.threads));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    (this->*step)(single, square, loop.getInductionVar());
  };
  Value isWhole;
  if (crossing.width > 1) {
    Value rest =
        b.createOrFold<arith::OrIOp>(loc, rem(deep, constant(crossing.width)),
                                     rem(wide, constant(crossing.width)));
    isWhole = b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, rest,
                                            constant(0));
  }
  auto emit = [&](auto step) {
    if (!isWhole)
      return (this->*step)(crossing, square, numbers);
    auto either = scf::IfOp::create(b, loc, isWhole, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(either.thenBlock());
    (this->*step)(crossing, square, numbers);
    b.setInsertionPointToStart(either.elseBlock());
    oneByOne(step);
  };
  emit(&KernelEmitter::fillSquares);
  gpu::BarrierOp::create(b, loc);
  emit(&KernelEmitter::emptySquares);
}
