// Products whose operands come through a ring of stages in shared memory: while
// threads multiply what has arrived, the copies of what comes next are under
// way. A block computes a tile of the results (see EmitTiles.cpp for what its
// rows and columns are), a thread a smaller one in registers, in vectors of
// four along both.
//
// Both operands lie in shared memory with neighbouring points of the tile side
// by side. Where these are neighbours in memory too and rows of it begin at
// multiples of 16 bytes, a copy takes 16 bytes; which is asked at run time, as
// any size has to be right. Otherwise it takes an element, which transposes an
// operand that lies along the reduced dimension. What is beyond the end of that
// is zero, which only a sum of products takes no notice of; points beyond the
// tile's edge repeat the last one, and their results are not stored.
#include "EmitProducts.h"
#include "evo/Target/Warp.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace evo;
using linalg::LinalgOp;

/// Through conversions to a wider type.
static Value skipExtensions(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

std::optional<std::pair<Operation *, Operation *>> evo::matchSum(LinalgOp op) {
  Operation *sum =
      op.getBlock()->getTerminator()->getOperand(0).getDefiningOp();
  if (!isa_and_nonnull<arith::AddFOp, arith::AddIOp>(sum))
    return std::nullopt;
  Value result = op.getRegionOutputArgs().front();
  Operation *product = nullptr;
  for (unsigned i : {0u, 1u})
    if (sum->getOperand(i) == result)
      product = sum->getOperand(1 - i).getDefiningOp();
  if (!isa_and_nonnull<arith::MulFOp, arith::MulIOp>(product))
    return std::nullopt;
  Value left = skipExtensions(product->getOperand(0)),
        right = skipExtensions(product->getOperand(1));
  auto isInput = [&](Value value) {
    return isa<BlockArgument>(value) && value != result;
  };
  if (!isInput(left) || !isInput(right) || left == right)
    return std::nullopt;
  return std::pair(sum, product);
}

bool evo::isLinear(AffineMap map) {
  return llvm::all_of(map.getResults(), [](AffineExpr result) {
    return !result
                .walk([](AffineExpr part) {
                  return part.getKind() == AffineExprKind::Add ||
                                 part.getKind() == AffineExprKind::Mul ||
                                 isa<AffineDimExpr, AffineConstantExpr>(part)
                             ? WalkResult::advance()
                             : WalkResult::interrupt();
                })
                .wasInterrupted();
  });
}

std::optional<KernelEmitter::Staging> KernelEmitter::getPipelined() {
  LinalgOp op = plan.ops.front();
  const ProductTile &tile = options.product;
  if (tile.rows == 0 || usesWarps() || !plan.partials.empty())
    return std::nullopt;
  std::optional<Staging> result = matchProduct();
  if (!result || !matchSum(op))
    return std::nullopt;
  for (OpOperand *operand : {result->left, result->right}) {
    auto type = cast<MemRefType>(operand->get().getType());
    bool isDense = type.getLayout().isIdentity() &&
                   isLinear(op.getMatchingIndexingMap(operand)) &&
                   type.getElementType().isIntOrFloat() &&
                   type.getElementTypeBitWidth() % 8 == 0;
    Value root = getRootBuffer(operand->get());
    bool isWritten = llvm::any_of(plan.ops, [&](LinalgOp member) {
      return llvm::any_of(member.getDpsInits(), [&](Value output) {
        return getRootBuffer(output) == root;
      });
    });
    if (!isDense || isWritten)
      return std::nullopt;
  }
  return result;
}

KernelEmitter::Pipeline::Pipeline(KernelEmitter &e, const Staging &product)
    : e(e), b(e.b), loc(e.loc), product(product), tile(e.options.product),
      op(e.plan.ops.front()), batches(product.batch.empty() ? 1 : tile.batches),
      crew(tile.countThreads()), threads(crew * batches) {
  threadRows = tile.rows / tile.threadRows;
  threadColumns = tile.columns / tile.threadColumns;
}

/// What results start from; none where that is what they are, which is then
/// added at last, by threads that have a result to store.
linalg::FillOp KernelEmitter::Pipeline::getFill() {
  return e.fills.find(op)->second.front();
}

int64_t KernelEmitter::Pipeline::bytesOf(OpOperand &operand) {
  return getElementTypeOrSelf(operand.get()).getIntOrFloatBitWidth() / 8;
}

/// Distance of the rows of a stage. An operand that is transposed on its way is
/// written down a column by neighbouring threads, which that spreads over the
/// banks.
int64_t KernelEmitter::Pipeline::pitchOf(OpOperand &operand,
                                         ArrayRef<unsigned> dims,
                                         int64_t width) {
  return width + (goesAlongPoints(operand, dims) ? 0 : padding);
}

/// Lines of a stage, of which each product of the batch has its own: one more
/// than it is deep where a warp reads several, then at other banks.
int64_t KernelEmitter::Pipeline::linesOfSlot() const {
  return tile.depth + (crew % target::warpSize == 0 ? 0 : 1);
}

/// Of the results, which come where the operands were.
int64_t KernelEmitter::Pipeline::pitchOfResults() const {
  return tile.columns + padding;
}

int64_t KernelEmitter::Pipeline::countSharedBytes() {
  auto bytes = [&](OpOperand &operand, ArrayRef<unsigned> dims, int64_t width) {
    return batches * tile.stages * linesOfSlot() *
           pitchOf(operand, dims, width) * bytesOf(operand);
  };
  auto ofOperands = static_cast<int64_t>(
      llvm::alignTo(bytes(*product.left, product.rows, tile.rows), 16) +
      bytes(*product.right, product.columns, tile.columns));
  return std::max(ofOperands, batches * tile.rows * pitchOfResults() *
                                  bytesOf(*op.getDpsInitOperand(0)));
}

/// How the number of a block is made up, innermost last: groups of rows of
/// tiles, columns of tiles, rows of tiles in a group; of batches rows, columns
/// and the batch. Where there are fewer tiles than a group has, it is as large
/// as these.
KernelEmitter::Values KernelEmitter::Pipeline::countBlocks() {
  Value down = e.ceilDiv(e.countOf(product.rows), tile.rows),
        across = e.ceilDiv(e.countOf(product.columns), tile.columns);
  if (!product.batch.empty())
    return {down, across, e.ceilDiv(e.countOf(product.batch), batches)};
  return {e.ceilDiv(down, tile.group), across,
          b.createOrFold<arith::MinUIOp>(e.loc, down, e.constant(tile.group))};
}

bool KernelEmitter::Pipeline::goesAlongPoints(OpOperand &operand,
                                              ArrayRef<unsigned> dims) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  return map.getNumResults() > 0 &&
         map.getResults().back().isFunctionOfDim(dims.back());
}

/// Where in its tile the thread's results are. Of the lanes of a warp eight lie
/// across and four down, neighbours first down: then the two halves of a warp
/// read alike what is beside, and pairs what is below.
void KernelEmitter::Pipeline::placeThread() {
  int64_t across = 8;
  while (crew % target::warpSize == 0 && across > 1 &&
         (threadColumns % across != 0 ||
          threadRows % (target::warpSize / across) != 0))
    across /= 2;
  int64_t down = target::warpSize / across;
  if (crew % target::warpSize != 0 || threadRows % down != 0 ||
      threadColumns % across != 0 || down < 2) {
    row = e.div(member, e.constant(threadColumns));
    column = e.rem(member, e.constant(threadColumns));
    return;
  }
  Value two = e.constant(2), lane = e.rem(member, e.constant(target::warpSize)),
        warp = e.div(member, e.constant(target::warpSize));
  Value warpsAcross = e.constant(threadColumns / across);
  row =
      e.add(e.rem(lane, two), e.mul(e.div(lane, e.constant(2 * across)), two));
  row = e.add(row, e.mul(e.div(warp, warpsAcross), e.constant(down)));
  column = e.rem(e.div(lane, two), e.constant(across));
  column = e.add(column, e.mul(e.rem(warp, warpsAcross), e.constant(across)));
}

KernelEmitter::Pipeline::Side
KernelEmitter::Pipeline::makeSide(OpOperand &operand, ArrayRef<unsigned> dims,
                                  Value first, int64_t width, int64_t offset) {
  Side side{&operand, dims, first, width};
  side.tile = e.viewShared(
      {batches * tile.stages, linesOfSlot(), pitchOf(operand, dims, width)},
      getElementTypeOrSelf(operand.get()), offset);
  side.isAlongPoints = goesAlongPoints(operand, dims);
  constexpr int64_t widest = 16;
  if (side.isAlongPoints && liesAlong(op, operand, dims.back())) {
    side.vector = widest / bytesOf(operand);
    side.isWhole = b.createOrFold<arith::CmpIOp>(
        loc, arith::CmpIPredicate::eq,
        e.rem(e.extents[op][dims.back()], e.constant(side.vector)),
        e.constant(0));
    side.vectors = planMoves(side, side.vector);
  }
  side.elements = planMoves(side, 1);
  return side;
}

/// The quotient and remainder by `inner` of a thread's number plus `done`,
/// where the number is below `count`: all powers of two, as a rule.
std::pair<Value, Value> KernelEmitter::Pipeline::split(Value number,
                                                       int64_t count,
                                                       int64_t done,
                                                       int64_t inner) {
  if (count % inner == 0 && done % inner == 0)
    return {e.add(e.div(number, e.constant(inner)), e.constant(done / inner)),
            e.rem(number, e.constant(inner))};
  if (inner % count == 0 && done % count == 0)
    return {e.constant(done / inner), e.add(number, e.constant(done % inner))};
  number = e.add(number, e.constant(done));
  return {e.div(number, e.constant(inner)), e.rem(number, e.constant(inner))};
}

/// What a thread copies of an operand in each step, `vector` elements at once.
std::vector<KernelEmitter::Pipeline::Move>
KernelEmitter::Pipeline::planMoves(const Side &side, int64_t vector) {
  int64_t across = side.width / vector, total = across * tile.depth;
  Value last = b.createOrFold<arith::SubIOp>(loc, e.countOf(side.dims),
                                             e.constant(vector));
  std::vector<Move> moves;
  for (int64_t done = 0; done < total; done += crew) {
    Move move;
    if (done + crew > total)
      move.inside = e.less(e.add(member, e.constant(done)), e.constant(total));
    if (side.isAlongPoints) {
      auto [depth, point] = split(member, crew, done, across);
      move.depth = depth;
      move.point = e.mul(point, e.constant(vector));
    } else {
      // Eight neighbours read a sector.
      int64_t together = std::min<int64_t>(tile.depth, 8);
      Value beside = e.rem(member, e.constant(together)),
            line = e.div(member, e.constant(together));
      auto [depth, point] = split(line, std::max<int64_t>(crew / together, 1),
                                  done / together, side.width);
      move.depth = e.add(e.mul(depth, e.constant(together)), beside);
      move.point = point;
    }
    Values ivs = base;
    Value number = b.createOrFold<arith::MinUIOp>(
        loc, e.add(side.first, move.point), last);
    e.place(ivs, side.dims, number);
    for (unsigned dim : product.around)
      ivs[dim] = e.constant(0);
    ivs[product.depth] = move.depth;
    for (Value &iv : ivs)
      if (!iv)
        iv = e.constant(0); // of the other operand alone
    move.from = viewFrom(*side.operand, placeInMemory(*side.operand, ivs));
    moves.push_back(move);
  }
  return moves;
}

/// How many elements are before the one of `operand` at `ivs`.
Value KernelEmitter::Pipeline::placeInMemory(OpOperand &operand,
                                             ArrayRef<Value> ivs) {
  Value place = e.constant(0);
  for (auto [i, index] : llvm::enumerate(e.indicesOf(op, operand, ivs))) {
    Value extent = b.createOrFold<memref::DimOp>(loc, operand.get(), i);
    place = e.add(e.mul(place, extent), index);
  }
  return place;
}

/// All of `operand` from the element on that `place` others are before.
Value KernelEmitter::Pipeline::viewFrom(OpOperand &operand, Value place) {
  auto type = cast<MemRefType>(operand.get().getType());
  Value count = e.constant(1);
  for (int64_t i = 0; i < type.getRank(); ++i)
    count = e.mul(count, b.createOrFold<memref::DimOp>(loc, operand.get(), i));
  auto layout = StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic, 1);
  auto view = MemRefType::get(ShapedType::kDynamic, type.getElementType(),
                              layout, type.getMemorySpace());
  Value rest = b.createOrFold<arith::SubIOp>(loc, count, place);
  return memref::ReinterpretCastOp::create(
      b, loc, view, operand.get(), OpFoldResult(place),
      ArrayRef<OpFoldResult>(rest), ArrayRef<OpFoldResult>(b.getIndexAttr(1)));
}

/// By how many elements what `step` copies is behind what the first one does.
/// That is the same for all of them, and nothing else is left to compute in the
/// loop.
Value KernelEmitter::Pipeline::distanceOf(const Side &side, const Step &step) {
  Values ivs(op.getNumLoops(), e.constant(0));
  Value first = placeInMemory(*side.operand, ivs);
  for (auto [dim, iv] : llvm::zip_equal(product.around, step.around))
    ivs[dim] = iv;
  ivs[product.depth] = step.from;
  return b.createOrFold<arith::SubIOp>(loc, placeInMemory(*side.operand, ivs),
                                       first);
}

/// How much of the stage at `step` is there, of its depth, in 32 bits.
Value KernelEmitter::Pipeline::countThere(const Step &step) {
  Value left = b.createOrFold<arith::MinUIOp>(
      loc, b.createOrFold<arith::SubIOp>(loc, depthEnd, step.from),
      e.constant(tile.depth));
  left = b.createOrFold<arith::SelectOp>(loc, e.less(step.from, depthEnd), left,
                                         e.constant(0));
  return arith::IndexCastOp::create(b, loc, b.getI32Type(), left);
}

/// One copy of `vector` elements to `slot`, of what is there.
void KernelEmitter::Pipeline::emitMove(const Side &side, const Move &move,
                                       int64_t vector, const Step &step,
                                       Value there, Value slot) {
  OpBuilder::InsertionGuard guard(b);
  if (move.inside) {
    auto guarded =
        scf::IfOp::create(b, loc, move.inside, /*withElseRegion=*/false);
    b.setInsertionPointToStart(guarded.thenBlock());
  }
  Value depth = arith::IndexCastOp::create(b, loc, b.getI32Type(), move.depth);
  Value isThere = e.less(depth, there);
  Values to{e.add(slot, firstSlot), move.depth, move.point},
      from{distanceOf(side, step)};
  int64_t bytes = vector * bytesOf(*side.operand);
  if (bytes == 4 || bytes == 8 || bytes == 16) {
    Value count = b.createOrFold<arith::SelectOp>(
        loc, isThere, e.constant(vector), e.constant(0));
    nvgpu::DeviceAsyncCopyOp::create(
        b, loc, side.tile, to, move.from, from, b.getIndexAttr(vector), count,
        bytes == 16 ? b.getUnitAttr() : UnitAttr());
    return;
  }
  Type element = getElementTypeOrSelf(move.from);
  auto loaded = scf::IfOp::create(b, loc, TypeRange(element), isThere,
                                  /*withElseRegion=*/true);
  Value value = loaded.getResult(0);
  b.setInsertionPointToStart(loaded.thenBlock());
  Value read = memref::LoadOp::create(b, loc, move.from, from);
  scf::YieldOp::create(b, loc, read);
  b.setInsertionPointToStart(loaded.elseBlock());
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
  scf::YieldOp::create(b, loc, zero);
  b.setInsertionPointAfter(loaded);
  memref::StoreOp::create(b, loc, value, side.tile, to);
}

/// Starts the `part`th of `parts` equal shares of the copies of `step` to
/// `slot`.
void KernelEmitter::Pipeline::emitCopies(const Step &step, Value there,
                                         Value slot, bool byVectors,
                                         int64_t part, int64_t parts) {
  int64_t total = 0, number = 0;
  for (const Side &side : sides)
    total += side.getMoves(byVectors).size();
  for (const Side &side : sides)
    for (const Move &move : side.getMoves(byVectors))
      if (number++ * parts / total == part)
        emitMove(side, move, side.getWidth(byVectors), step, there, slot);
}

/// Ends the group of the copies that were started.
void KernelEmitter::Pipeline::commit() {
  NVVM::CpAsyncCommitGroupOp::create(b, loc);
}

/// Until `left` groups at most are under way.
void KernelEmitter::Pipeline::wait(int64_t left) {
  NVVM::CpAsyncWaitGroupOp::create(b, loc, static_cast<uint32_t>(left));
}

/// What is copied after `step`: the dimension that is cut goes slowest. What a
/// convolution reads for one point of its window it reads again for the next.
KernelEmitter::Pipeline::Step
KernelEmitter::Pipeline::advance(const Step &step) {
  Step next = step;
  Value zero = e.constant(0), stays; // whether those after are within extents
  auto follow = [&](Value at, int64_t by) {
    Value following = e.add(at, e.constant(by));
    return stays ? b.createOrFold<arith::SelectOp>(loc, stays, at, following)
                 : following;
  };
  for (unsigned i = next.around.size(); i-- > 0;) {
    Value following = follow(step.around[i], 1);
    stays = e.less(following, e.extents[op][product.around[i]]);
    next.around[i] =
        b.createOrFold<arith::SelectOp>(loc, stays, following, zero);
  }
  next.from = follow(step.from, tile.depth);
  return next;
}

/// A thread's part of an operand at one depth, in vectors.
void KernelEmitter::Pipeline::loadFragments(const Side &side, Value slot,
                                            Value depth, Value place,
                                            int64_t apart, int64_t count,
                                            Values &vectors) {
  auto type = cast<MemRefType>(side.tile.getType());
  int64_t width = std::min<int64_t>(count, 4);
  for (int64_t i = 0; i < count / width; ++i)
    vectors.push_back(vector::LoadOp::create(
        b, loc, VectorType::get({width}, type.getElementType()), side.tile,
        ValueRange{
            e.add(slot, firstSlot), depth,
            e.mul(e.add(place, e.constant(i * apart)), e.constant(width))},
        /*nontemporal=*/false, alignmentOf(type, width)));
}

KernelEmitter::Values KernelEmitter::Pipeline::loadBoth(Value slot,
                                                        int64_t depth) {
  Values vectors;
  Value at = e.constant(depth);
  loadFragments(sides[0], slot, at, row, threadRows, tile.threadRows, vectors);
  loadFragments(sides[1], slot, at, column, threadColumns, tile.threadColumns,
                vectors);
  return vectors;
}

/// Rows and columns of a thread's results, in the order in which they are added
/// to. Any is right; which one leaves the assembler registers without conflicts
/// of banks can only be tried. One that goes back and forth repeats an operand.
SmallVector<std::pair<int64_t, int64_t>> KernelEmitter::Pipeline::walk() const {
  const bool isByColumns = tile.walk == 1;
  const int64_t rows = tile.threadRows, columns = tile.threadColumns,
                outer = isByColumns ? columns : rows,
                width = tile.walk == 2 ? std::min<int64_t>(2, columns)
                        : isByColumns  ? rows
                                       : columns;
  SmallVector<std::pair<int64_t, int64_t>> places;
  for (int64_t first = 0; first < rows * columns / outer; first += width)
    for (int64_t i = 0; i < outer; ++i)
      for (int64_t j = 0; j < width; ++j) {
        int64_t inner = first + (i % 2 ? width - 1 - j : j);
        places.push_back(isByColumns ? std::pair(inner, i)
                                     : std::pair(i, inner));
      }
  return places;
}

/// Adds the products of one depth to the results.
void KernelEmitter::Pipeline::multiply(ArrayRef<Value> vectors,
                                       Values &results) {
  Values parts;
  for (Value whole : vectors)
    for (int64_t i = 0, n = cast<VectorType>(whole.getType()).getNumElements();
         i < n; ++i)
      parts.push_back(vector::ExtractOp::create(b, loc, whole, i));
  auto extended = [&](Value factor, Value part) {
    IRMapping map;
    SmallVector<Operation *> extensions;
    while (Operation *op = factor.getDefiningOp()) {
      extensions.push_back(op);
      factor = op->getOperand(0);
    }
    map.map(factor, part);
    for (Operation *op : llvm::reverse(extensions))
      part = b.clone(*op, map)->getResult(0);
    return part;
  };
  Operation *times = matchSum(op)->second;
  Value isLeft = op.getMatchingBlockArgument(product.left);
  Values left, right;
  for (Value factor : times->getOperands()) {
    bool goesLeft = skipExtensions(factor) == isLeft;
    for (int64_t i = 0; i < (goesLeft ? tile.threadRows : tile.threadColumns);
         ++i)
      (goesLeft ? left : right)
          .push_back(
              extended(factor, parts[goesLeft ? i : tile.threadRows + i]));
  }
  for (auto [i, j] : walk()) {
    Value &result = results[i * tile.threadColumns + j];
    Value x = left[i], y = right[j];
    if (isa<FloatType>(result.getType()))
      result = math::FmaOp::create(b, loc, x, y, result);
    else
      result = arith::AddIOp::create(b, loc, result,
                                     arith::MulIOp::create(b, loc, x, y));
  }
}

Value KernelEmitter::Pipeline::nextSlot(Value slot) {
  Value next = e.add(slot, e.constant(1));
  return b.createOrFold<arith::SelectOp>(
      loc, e.less(next, e.constant(tile.stages)), next, e.constant(0));
}

KernelEmitter::Values KernelEmitter::Pipeline::startSums() {
  Type type = getElementTypeOrSelf(op.getDpsInitOperand(0)->get());
  Value start = getFill()
                    ? getFill().getInputs()[0]
                    : arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  return Values(tile.threadRows * tile.threadColumns, start);
}

/// The sums of the thread's results, with copies of vectors or of elements.
///
/// Fragments are loaded one depth ahead, and the last ones of a stage are those
/// of the next. What a load is followed by that writes to memory keeps it where
/// it is: LLVM would make one load of two that a phi joins.
KernelEmitter::Values KernelEmitter::Pipeline::sumInRing(bool byVectors) {
  Values results = startSums();
  Value zero = e.constant(0);
  Step step{Values(product.around.size(), zero), zero};
  // All but one of the slots are filled. The group that is committed last is
  // not among those that are waited for.
  for (int64_t stage = 0; stage + 1 < tile.stages; ++stage) {
    if (stage > 0)
      commit();
    emitCopies(step, countThere(step), e.constant(stage), byVectors, 0, 1);
    step = advance(step);
  }
  wait(tile.stages - 3);
  gpu::BarrierOp::create(b, loc);
  Values vectors = loadBoth(zero, 0);
  commit();
  Value steps = e.ceilDiv(e.extents[op][product.depth], tile.depth);
  steps = e.mul(steps, e.countOf(product.around));
  Values carried = results;
  unsigned numResults = results.size(), numVectors = vectors.size();
  llvm::append_range(carried, vectors);
  carried.push_back(zero);
  carried.push_back(e.constant(tile.stages - 1));
  carried.push_back(step.from);
  llvm::append_range(carried, step.around);
  auto loop = scf::ForOp::create(b, loc, zero, steps, e.constant(1), carried);
  OpBuilder::InsertPoint after = b.saveInsertionPoint();
  b.setInsertionPointToStart(loop.getBody());
  Values args(loop.getRegionIterArgs());
  results.assign(args.begin(), args.begin() + numResults);
  vectors.assign(args.begin() + numResults,
                 args.begin() + numResults + numVectors);
  ArrayRef<Value> rest =
      ArrayRef<Value>(args).drop_front(numResults + numVectors);
  // The slot that is free is the one before.
  Value slot = rest[0], freeSlot = rest[1];
  step = {Values(rest.drop_front(3)), rest[2]};
  Value there = countThere(step);
  // Copies in few places: each time they wait for the loads before them.
  const int64_t shares = std::min<int64_t>(4, tile.depth / 2),
                apart = tile.depth / shares;
  for (int64_t depth = 0; depth + 1 < tile.depth; ++depth) {
    Values next = loadBoth(slot, depth + 1);
    if (depth % apart == 0)
      emitCopies(step, there, freeSlot, byVectors, depth / apart, shares);
    multiply(vectors, results);
    vectors = next;
  }
  Value following = nextSlot(slot);
  wait(tile.stages - 3);
  // All have read the slot when they meet, so that it is free.
  gpu::BarrierOp::create(b, loc);
  Values next = loadBoth(following, 0);
  commit();
  multiply(vectors, results);
  step = advance(step);
  carried = results;
  llvm::append_range(carried, next);
  carried.push_back(following);
  carried.push_back(slot);
  carried.push_back(step.from);
  llvm::append_range(carried, step.around);
  scf::YieldOp::create(b, loc, carried);
  b.restoreInsertionPoint(after);
  b.setInsertionPointAfter(loop);
  return Values(loop.getResults().take_front(numResults));
}

/// The same without a ring: what is copied is waited for. Where there are many
/// small products, other blocks have the time.
KernelEmitter::Values KernelEmitter::Pipeline::sumAtOnce(bool byVectors) {
  Values results = startSums();
  Value zero = e.constant(0);
  unsigned numResults = results.size();
  Values carried = results;
  carried.push_back(zero);
  carried.append(product.around.size(), zero);
  Value steps = e.mul(e.ceilDiv(e.extents[op][product.depth], tile.depth),
                      e.countOf(product.around));
  auto loop = scf::ForOp::create(b, loc, zero, steps, e.constant(1), carried);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Values args(loop.getRegionIterArgs());
  results.assign(args.begin(), args.begin() + numResults);
  Step step{Values(ArrayRef<Value>(args).drop_front(numResults + 1)),
            args[numResults]};
  emitCopies(step, countThere(step), zero, byVectors, 0, 1);
  commit();
  wait(0);
  gpu::BarrierOp::create(b, loc);
  for (int64_t depth = 0; depth < tile.depth; ++depth)
    multiply(loadBoth(zero, depth), results);
  // All have read what the next step writes over.
  gpu::BarrierOp::create(b, loc);
  step = advance(step);
  results.push_back(step.from);
  llvm::append_range(results, step.around);
  scf::YieldOp::create(b, loc, results);
  return Values(loop.getResults().take_front(numResults));
}

/// The sums by whatever copies sizes allow.
KernelEmitter::Values KernelEmitter::Pipeline::sumBoth() {
  Value areWhole;
  for (const Side &side : sides)
    if (side.vector > 1)
      areWhole =
          areWhole ? b.createOrFold<arith::AndIOp>(loc, areWhole, side.isWhole)
                   : side.isWhole;
  auto sum = [&](bool byVectors) {
    return tile.stages == 1 ? sumAtOnce(byVectors) : sumInRing(byVectors);
  };
  if (!areWhole)
    return sum(/*byVectors=*/false);
  Type type = getElementTypeOrSelf(op.getDpsInitOperand(0)->get());
  SmallVector<Type> types(tile.threadRows * tile.threadColumns, type);
  auto kinds =
      scf::IfOp::create(b, loc, types, areWhole, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(kinds.thenBlock());
  scf::YieldOp::create(b, loc, sum(/*byVectors=*/true));
  b.setInsertionPointToStart(kinds.elseBlock());
  scf::YieldOp::create(b, loc, sum(/*byVectors=*/false));
  return Values(kinds.getResults());
}

/// Which product of the batch the thread does, and who does so with it; `block`
/// is of the batch, where there is one. What is beyond its end is the last one,
/// whose results are not stored again.
void KernelEmitter::Pipeline::placeCrew(Value block) {
  entry = e.div(e.thread, e.constant(crew));
  member = e.rem(e.thread, e.constant(crew));
  if (batches == 1) {
    entry = e.constant(0);
    member = e.thread;
  }
  firstSlot = e.mul(entry, e.constant(tile.stages));
  if (!block)
    return;
  firstEntry = e.mul(block, e.constant(batches));
  e.place(base, product.batch, e.add(firstEntry, entry));
}

/// Blocks that run at the same time have tiles near each other in both
/// directions, and share what they read: some rows of tiles go together, of
/// each column all of them. In batches these are blocks of the batch.
void KernelEmitter::Pipeline::emit() {
  base.assign(op.getNumLoops(), Value());
  Values block = e.delinearize(e.block, countBlocks());
  Value down = block[0];
  OpBuilder::InsertionGuard guard(b);
  placeCrew(product.batch.empty() ? Value() : block[2]);
  if (product.batch.empty() && tile.group > 1) {
    down = e.add(e.mul(down, e.constant(tile.group)), block[2]);
    Value isThere = e.less(down, e.ceilDiv(e.countOf(product.rows), tile.rows));
    auto guarded = scf::IfOp::create(b, loc, isThere, /*withElseRegion=*/false);
    b.setInsertionPointToStart(guarded.thenBlock());
  }
  depthEnd = e.extents[op][product.depth];
  if (!product.around.empty())
    depthEnd = b.createOrFold<arith::SelectOp>(
        loc, e.less(e.constant(0), e.countOf(product.around)), depthEnd,
        e.constant(0));
  placeThread();
  sides.push_back(makeSide(*product.left, product.rows,
                           e.mul(down, e.constant(tile.rows)), tile.rows, 0));
  int64_t bytes = cast<MemRefType>(sides[0].tile.getType()).getNumElements() *
                  bytesOf(*product.left);
  sides.push_back(makeSide(*product.right, product.columns,
                           e.mul(block[1], e.constant(tile.columns)),
                           tile.columns, llvm::alignTo(bytes, 16)));
  store(sumBoth());
}
