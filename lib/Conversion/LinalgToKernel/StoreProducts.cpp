// What becomes of the results of a product: they go through shared memory,
// where the operands were, so that neighbouring threads write neighbours, and
// so that what users make of them is written down once and not for each
// register.
#include "EmitProducts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace evo;
using linalg::LinalgOp;

/// The place in the tile of the thread's `i`th row or column.
Value KernelEmitter::Pipeline::placeOf(Value place, int64_t apart,
                                       int64_t count, int64_t i) {
  int64_t width = std::min<int64_t>(count, 4);
  Value vector = e.add(place, e.constant(i / width * apart));
  return e.add(e.mul(vector, e.constant(width)), e.constant(i % width));
}

/// Four neighbours in a row of results at once, with what their users make of
/// them.
void KernelEmitter::Pipeline::storeVector(const Values &ivs,
                                          ArrayRef<Value> results) {
  SmallVector<unsigned> parallel;
  op.getParallelDims(parallel);
  Values element;
  for (unsigned dim : parallel)
    element.push_back(ivs[dim]);
  auto width = static_cast<int64_t>(results.size());
  Lanes lanes{ivs, product.columns.back(), width, Value()};
  auto dim = static_cast<unsigned>(
      llvm::find(parallel, product.columns.back()) - parallel.begin());
  Lanes ofUsers{element, dim, width, Value()};
  ArrayRef<LinalgOp> users = ArrayRef<LinalgOp>(e.plan.ops).drop_front();
  e.known.clear();
  for (Value output : op.getDpsInits())
    e.known[output] = {};
  SmallVector<Loaded> loaded;
  for (LinalgOp user : users) {
    loaded.push_back(e.load(user, ofUsers));
    for (Value output : user.getDpsInits())
      e.known[output] = {};
  }
  // By op and output, a value each lane.
  SmallVector<SmallVector<Values>> byOp(e.plan.ops.size());
  byOp[0].push_back(Values(results));
  if (!getFill())
    for (auto [result, initial] : llvm::zip_equal(
             byOp[0][0], e.loadLanes(op, *op.getDpsInitOperand(0), lanes)))
      result = e.combine(getCombiners(op).front(), initial, result);
  for (auto [i, user] : llvm::enumerate(users))
    byOp[1 + i].resize(LinalgOp(user).getNumDpsInits());
  for (int64_t lane = 0; lane < width; ++lane) {
    e.known.clear();
    e.remember(op, e.pointOf(lanes, lane), byOp[0][0][lane]);
    for (auto [i, user] : llvm::enumerate(users)) {
      Values values = e.computeLane(user, ofUsers, loaded[i], lane, {});
      e.remember(user, e.pointOf(ofUsers, lane), values);
      for (auto [all, value] : llvm::zip_equal(byOp[1 + i], values))
        all.push_back(value);
    }
  }
  e.known.clear();
  llvm::SmallPtrSet<Value, 4> done;
  for (unsigned i = e.plan.ops.size(); i-- > 0;) {
    LinalgOp member = e.plan.ops[i];
    for (auto [j, output] : llvm::enumerate(member.getDpsInitsMutable()))
      // The last writer decides.
      if (done.insert(output.get()).second && !e.isInternal(output.get()))
        e.storeLanes(member, output, i == 0 ? lanes : ofUsers, byOp[i][j]);
  }
}

/// The tile of results, in the shared memory that operands had.
Value KernelEmitter::Pipeline::share(ArrayRef<Value> results) {
  Type element = results.front().getType();
  Value whole =
      e.viewShared({batches * tile.rows, pitchOfResults()}, element, 0);
  Value firstRow = e.mul(entry, e.constant(tile.rows));
  wait(0);
  gpu::BarrierOp::create(b, loc);
  int64_t width = std::min<int64_t>(tile.threadColumns, 4);
  auto type = VectorType::get({width}, element);
  for (int64_t i = 0; i < tile.threadRows; ++i)
    for (int64_t j = 0; j < tile.threadColumns; j += width) {
      Value part = vector::FromElementsOp::create(
          b, loc, type, results.slice(i * tile.threadColumns + j, width));
      vector::StoreOp::create(
          b, loc, part, whole,
          ValueRange{
              e.add(placeOf(row, threadRows, tile.threadRows, i), firstRow),
              placeOf(column, threadColumns, tile.threadColumns, j)},
          /*nontemporal=*/false,
          alignmentOf(cast<MemRefType>(whole.getType()), width));
    }
  gpu::BarrierOp::create(b, loc);
  return whole;
}

/// All results of the tile, `width` neighbours at once by neighbouring threads.
/// Where these are whole rows, a thread stays in its column, whose place in the
/// result (of a convolution: image, line and point) it finds but once.
void KernelEmitter::Pipeline::storeShared(Value whole, int64_t width) {
  OpBuilder::InsertionGuard guard(b);
  const int64_t across = tile.columns / width;
  const bool isWholeRows = threads % across == 0;
  const int64_t rows = batches * tile.rows;
  Value first = e.thread, end = e.constant(rows * across),
        step = e.constant(threads), beside, atColumn;
  Values ivs = base;
  auto enterColumn = [&](Value number) {
    beside = e.mul(e.rem(number, e.constant(across)), e.constant(width));
    atColumn = e.add(sides[1].first, beside);
    e.place(ivs, product.columns, atColumn);
  };
  if (isWholeRows) {
    enterColumn(e.thread);
    first = e.div(e.thread, e.constant(across));
    end = e.constant(rows);
    step = e.constant(threads / across);
  }
  auto loop = scf::ForOp::create(b, loc, first, end, step);
  b.setInsertionPointToStart(loop.getBody());
  Value down = loop.getInductionVar();
  if (!isWholeRows) {
    enterColumn(down);
    down = e.div(down, e.constant(across));
  }
  Value line = batches == 1 ? down : e.rem(down, e.constant(tile.rows));
  Value atRow = e.add(sides[0].first, line);
  Value inside = b.createOrFold<arith::AndIOp>(
      loc, e.less(atRow, e.countOf(product.rows)),
      e.less(atColumn, e.countOf(product.columns)));
  e.place(ivs, product.rows, atRow);
  if (batches > 1) {
    Value number = e.add(firstEntry, e.div(down, e.constant(tile.rows)));
    inside = b.createOrFold<arith::AndIOp>(
        loc, inside, e.less(number, e.countOf(product.batch)));
    e.place(ivs, product.batch, number);
  }
  if (width == 1) {
    Value result =
        memref::LoadOp::create(b, loc, whole, ValueRange{down, beside});
    e.known.clear();
    e.storePoints({ivs}, {result}, {inside}, {}, !getFill());
    return;
  }
  auto guarded = scf::IfOp::create(b, loc, inside, /*withElseRegion=*/false);
  b.setInsertionPointToStart(guarded.thenBlock());
  auto type = cast<MemRefType>(whole.getType());
  Value loaded = vector::LoadOp::create(
      b, loc, VectorType::get({width}, type.getElementType()), whole,
      ValueRange{down, beside}, /*nontemporal=*/false,
      alignmentOf(type, width));
  Values results;
  for (int64_t i = 0; i < width; ++i)
    results.push_back(vector::ExtractOp::create(b, loc, loaded, i));
  storeVector(ivs, results);
}

/// What becomes of results is written down twice, whatever their number: for
/// rows that hold whole vectors, and for others.
void KernelEmitter::Pipeline::store(ArrayRef<Value> results) {
  Value whole = share(results);
  unsigned last = product.columns.back();
  if (!liesAlong(op, *op.getDpsInitOperand(0), last))
    return storeShared(whole, 1);
  constexpr int64_t width = 4;
  Value extent = e.extents[op][last];
  Value isWhole = b.createOrFold<arith::CmpIOp>(
      loc, arith::CmpIPredicate::eq, e.endOfVectors(extent, width), extent);
  auto kinds = scf::IfOp::create(b, loc, isWhole, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(kinds.thenBlock());
  storeShared(whole, width);
  b.setInsertionPointToStart(kinds.elseBlock());
  storeShared(whole, 1);
}
