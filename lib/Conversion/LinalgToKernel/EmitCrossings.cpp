// Kernels of element-wise ops one of whose operands lies in memory along
// another dimension than the results do, as in a transposition. Either the
// reads or the writes of neighbouring threads would lie apart: a block turns a
// tile in shared memory, which does not mind. It is a square, but where one
// extent is short. Threads read, or write, vectors where the extent along them
// is a whole number of these, else elements.
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

/// Elements from a row of a tile to the next: one word more than there are,
/// so that what lies across is spread over the banks.
static int64_t getPitch(int64_t side, Value buffer) {
  constexpr int64_t word = 4;
  return side + std::max<int64_t>(1, word / bytesOf(buffer));
}

/// Makes the tile narrow along an extent that fills less than half of it, and
/// longer by as much along the other.
static void narrow(int64_t &side, int64_t &other, std::optional<int64_t> extent,
                   int64_t minSide) {
  while (extent && side / 2 >= std::max(*extent, minSide)) {
    side /= 2;
    other *= 2;
  }
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
  int64_t side = target::warpSize;
  if (result.width > 1)
    side =
        std::max<int64_t>(vectorsAcross * result.width,
                          perThread * llvm::bit_floor<uint64_t>(options.stage));
  result.deepSide = result.wideSide = side;
  const int64_t minSide = 2 * result.width;
  narrow(result.deepSide, result.wideSide,
         expectedExtent(extents[op][result.dim]), minSide);
  narrow(result.wideSide, result.deepSide, expectedExtent(extents[op][last]),
         minSide);
  int64_t bytes = 0;
  for (OpOperand *operand : result.operands)
    bytes += result.wideSide * getPitch(result.deepSide, operand->get()) *
             bytesOf(operand->get());
  // A tile is gone through in whole turns.
  constexpr int64_t maxBytes = target::TargetInfo::sharedPerBlockDefault;
  int64_t accesses = side * side / result.width;
  if (bytes > maxBytes || accesses % options.threads != 0 ||
      options.threads % target::warpSize != 0)
    return std::nullopt;
  for (unsigned other = 0; other < last; ++other)
    if (other != result.dim)
      result.others.push_back(other);
  return result;
}

Value KernelEmitter::countTiles(const Crossing &crossing) {
  LinalgOp op = plan.ops.front();
  return mul(countOf(crossing.others),
             mul(ceilDiv(extents[op][crossing.dim], crossing.deepSide),
                 ceilDiv(extents[op].back(), crossing.wideSide)));
}

/// Where a thread's access `number` is in the tile, whose rows have `along`
/// elements: the row, and the first of the neighbours along it.
std::pair<Value, Value> KernelEmitter::placeInTile(Value number, int64_t along,
                                                   int64_t width) {
  if (width == 1)
    return {div(number, constant(along)), rem(number, constant(along))};
  const int64_t across = std::min(vectorsAcross, along / width);
  const int64_t groups = along / width / across;
  const int64_t rows = target::warpSize / across;
  Value lane = rem(number, constant(target::warpSize)),
        turn = div(number, constant(target::warpSize));
  Value row = add(mul(div(turn, constant(groups)), constant(rows)),
                  div(lane, constant(across)));
  Value vector = add(mul(rem(turn, constant(groups)), constant(across)),
                     rem(lane, constant(across)));
  return {row, mul(vector, constant(width))};
}

/// Reads the operands along, into the tile: all loads come first.
void KernelEmitter::fillTile(const Crossing &crossing, const Tile &tile,
                             ArrayRef<Value> numbers) {
  LinalgOp op = plan.ops.front();
  unsigned last = op.getNumLoops() - 1;
  SmallVector<std::pair<Value, Value>> places;
  SmallVector<SmallVector<Values>> loaded(numbers.size());
  for (auto [i, number] : llvm::enumerate(numbers)) {
    places.push_back(placeInTile(number, crossing.deepSide, crossing.width));
    Lanes lanes{tile.base, crossing.dim, crossing.width, Value()};
    auto [atWide, atDeep] = places.back();
    place(lanes.ivs, {last}, add(tile.wide, atWide));
    lanes.ivs[crossing.dim] = b.createOrFold<arith::MinUIOp>(
        loc, add(tile.deep, atDeep),
        b.createOrFold<arith::SubIOp>(loc, extents[op][crossing.dim],
                                      constant(crossing.width)));
    for (OpOperand *operand : crossing.operands)
      loaded[i].push_back(loadLanes(op, *operand, lanes));
  }
  for (auto [i, at] : llvm::enumerate(places))
    for (auto [values, array] : llvm::zip_equal(loaded[i], tile.arrays))
      for (auto [lane, value] : llvm::enumerate(values))
        memref::StoreOp::create(
            b, loc, value, array,
            ValueRange{at.first, add(at.second, constant(lane))});
}

/// Computes and writes along the results.
void KernelEmitter::emptyTile(const Crossing &crossing, const Tile &tile,
                              ArrayRef<Value> numbers) {
  LinalgOp op = plan.ops.front();
  unsigned last = op.getNumLoops() - 1;
  for (Value number : numbers) {
    auto [atDeep, atWide] =
        placeInTile(number, crossing.wideSide, crossing.width);
    Value deep = add(tile.deep, atDeep), wide = add(tile.wide, atWide);
    Lanes lanes{tile.base, last, crossing.width, Value()};
    lanes.ivs[crossing.dim] = deep;
    lanes.ivs[last] = wide;
    lanes.inside = b.createOrFold<arith::AndIOp>(
        loc, less(deep, extents[op][crossing.dim]),
        less(wide, extents[op][last]));
    Loaded turned;
    for (auto [operand, array] :
         llvm::zip_equal(crossing.operands, tile.arrays)) {
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
  const int64_t deepSide = crossing.deepSide, wideSide = crossing.wideSide;
  Values tileOf =
      delinearize(block, {countOf(crossing.others), ceilDiv(deep, deepSide),
                          ceilDiv(wide, wideSide)});
  Tile tile;
  tile.base.resize(op.getNumLoops());
  if (!crossing.others.empty())
    place(tile.base, crossing.others, tileOf[0]);
  tile.deep = mul(tileOf[1], constant(deepSide));
  tile.wide = mul(tileOf[2], constant(wideSide));
  for (OpOperand *operand : crossing.operands)
    tile.arrays.push_back(
        createShared({wideSide, getPitch(deepSide, operand->get())},
                     getElementTypeOrSelf(operand->get())));
  Values numbers;
  for (int64_t i = 0; i < deepSide * wideSide / crossing.width;
       i += options.threads)
    numbers.push_back(add(thread, constant(i)));

  // The same elements one by one: rows begin where no vector may.
  Crossing single = crossing;
  single.width = 1;
  auto oneByOne = [&](auto step) {
    auto loop =
        scf::ForOp::create(b, loc, thread, constant(deepSide * wideSide),
                           constant(options.threads));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    (this->*step)(single, tile, loop.getInductionVar());
  };
  auto emit = [&](auto step, Value extent) {
    if (crossing.width == 1)
      return (this->*step)(crossing, tile, numbers);
    Value isWhole = isZero(rem(extent, constant(crossing.width)));
    auto either = scf::IfOp::create(b, loc, isWhole, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(either.thenBlock());
    (this->*step)(crossing, tile, numbers);
    b.setInsertionPointToStart(either.elseBlock());
    oneByOne(step);
  };
  emit(&KernelEmitter::fillTile, deep);
  gpu::BarrierOp::create(b, loc);
  emit(&KernelEmitter::emptyTile, wide);
}
