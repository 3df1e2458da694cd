// Kernels in which a block computes a tile of the results of a reduction with
// two operands: a matrix product, be it one in disguise. What is a row of the
// product is each point of the dimensions that the left operand has for itself,
// and a column of the right one's; of a convolution these are its channels and
// its pixels. Parts of both operands go to shared memory, as deep as one
// dimension of the reduction allows, and the others are loops around.
#include "KernelEmitter.h"
#include "evo/Target/TargetInfo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace evo;
using linalg::LinalgOp;

unsigned evo::chooseDepth(LinalgOp op, ArrayRef<unsigned> reduced) {
  auto isPure = [&](unsigned dim) {
    return llvm::all_of(op.getIndexingMapsArray(), [&](AffineMap map) {
      return llvm::all_of(map.getResults(), [&](AffineExpr result) {
        return !result.isFunctionOfDim(dim) || isa<AffineDimExpr>(result);
      });
    });
  };
  const auto *pure = llvm::find_if(reduced, isPure);
  return pure == reduced.end() ? reduced.back() : *pure;
}

std::optional<KernelEmitter::Staging> KernelEmitter::matchProduct() {
  LinalgOp op = plan.ops.front();
  if (plan.rowDims || op.getNumReductionLoops() == 0 ||
      op.getNumDpsInits() != 1 || op.hasIndexSemantics())
    return std::nullopt;
  SmallVector<unsigned> parallel, reduced;
  op.getParallelDims(parallel);
  op.getReductionDims(reduced);
  SmallVector<OpOperand *> operands;
  for (OpOperand *input : op.getDpsInputOperands()) {
    BlockArgument arg = op.getMatchingBlockArgument(input);
    if (isa<MemRefType>(input->get().getType()) && arg && !arg.use_empty())
      operands.push_back(input);
  }
  if (operands.size() != 2 || parallel.empty())
    return std::nullopt;
  auto uses = [&](OpOperand *operand, unsigned dim) {
    return op.getMatchingIndexingMap(operand).isFunctionOfDim(dim);
  };
  // Neighbouring threads go along the innermost dimension.
  if (uses(operands[0], parallel.back()))
    std::swap(operands[0], operands[1]);
  Staging result{operands[0], operands[1], {}, {}, {}, 0, {}};
  for (unsigned dim : parallel) {
    bool left = uses(operands[0], dim), right = uses(operands[1], dim);
    if (!left && !right)
      return std::nullopt;
    (left && right ? result.batch
     : left        ? result.rows
                   : result.columns)
        .push_back(dim);
  }
  if (result.rows.empty() || result.columns.empty())
    return std::nullopt;
  result.depth = chooseDepth(op, reduced);
  for (unsigned dim : reduced)
    if (dim != result.depth)
      result.around.push_back(dim);
  return result;
}

std::optional<KernelEmitter::Staging> KernelEmitter::getStaging() {
  if (options.stage == 0 || usesWarps() || rereadsWhatItWrites())
    return std::nullopt;
  std::optional<Staging> result = matchProduct();
  if (!result)
    return std::nullopt;
  constexpr int64_t maxBytes = target::TargetInfo::sharedPerBlockDefault;
  int64_t bytes = 0;
  auto [across, down] = getThreadShape();
  for (auto [operand, width] :
       {std::pair(result->left, down), std::pair(result->right, across)})
    bytes +=
        getTileDepth() * (width * options.stage + padding) *
        llvm::divideCeil(
            getElementTypeOrSelf(operand->get()).getIntOrFloatBitWidth(), 8);
  if (bytes > maxBytes)
    return std::nullopt;
  return result;
}

/// Threads of a block along the columns and the rows of its tile.
std::pair<int64_t, int64_t> KernelEmitter::getThreadShape() {
  int64_t across = 1;
  while (across * across < options.threads)
    across *= 2;
  while (options.threads % across != 0)
    across /= 2;
  return {across, options.threads / across};
}

int64_t KernelEmitter::getTileDepth() { return options.stage >= 8 ? 8 : 16; }

Value KernelEmitter::countOf(ArrayRef<unsigned> dims) {
  Value total = constant(1);
  for (unsigned dim : dims)
    total = mul(total, extents[plan.ops.front()][dim]);
  return total;
}

Value KernelEmitter::productOf(ArrayRef<Value> counts) {
  Value total = constant(1);
  for (Value count : counts)
    total = mul(total, count);
  return total;
}

Value KernelEmitter::enterPoints(ArrayRef<Value> counts) {
  Value total = productOf(counts);
  Value id = add(mul(block, constant(options.threads)), thread);
  auto guarded =
      scf::IfOp::create(b, loc, less(id, total), /*withElseRegion=*/false);
  b.setInsertionPointToStart(guarded.thenBlock());
  return id;
}

Value KernelEmitter::countTiles(const Staging &staging) {
  auto [across, down] = getThreadShape();
  return mul(countOf(staging.batch),
             mul(ceilDiv(countOf(staging.rows), down * options.stage),
                 ceilDiv(countOf(staging.columns), across * options.stage)));
}

/// Puts the point `number` of `dims`, or the last one, into `ivs`.
void KernelEmitter::place(Values &ivs, ArrayRef<unsigned> dims, Value number) {
  Value last = b.createOrFold<arith::SubIOp>(loc, countOf(dims), constant(1));
  number = b.createOrFold<arith::MinUIOp>(loc, number, last);
  Values counts;
  for (unsigned dim : dims)
    counts.push_back(extents[plan.ops.front()][dim]);
  for (auto [dim, iv] : llvm::zip(dims, delinearize(number, counts)))
    ivs[dim] = iv;
}

/// What a thread copies of `operand` in every step, for whose points outside
/// the reduction `ivs` has room.
SmallVector<KernelEmitter::Copy>
KernelEmitter::planCopies(OpOperand &operand, Value tile, const Values &ivs,
                          ArrayRef<unsigned> dims, Value first, int64_t width) {
  LinalgOp op = plan.ops.front();
  AffineMap map = op.getMatchingIndexingMap(&operand);
  int64_t depth = getTileDepth(), total = depth * width;
  // Neighbours read neighbours, if they can.
  bool goesAlong = map.getNumResults() > 0 &&
                   map.getResults().back().isFunctionOfDim(dims.back());
  SmallVector<Copy> copies;
  for (int64_t done = 0; done < total; done += options.threads) {
    Value number = add(thread, constant(done));
    // Where there are more threads than work the last is done several times.
    if (done + options.threads > total)
      number = b.createOrFold<arith::MinUIOp>(loc, number, constant(total - 1));
    Value inner = constant(goesAlong ? width : depth);
    Value fast = rem(number, inner), slow = div(number, inner);
    Copy copy{&operand, tile, goesAlong ? slow : fast, goesAlong ? fast : slow,
              ivs};
    place(copy.ivs, dims, add(first, copy.place));
    copies.push_back(std::move(copy));
  }
  return copies;
}

/// Copies one step's part of the operands.
void KernelEmitter::emitCopies(ArrayRef<Copy> copies, const Staging &staging,
                               const Values &around, Value from) {
  LinalgOp op = plan.ops.front();
  Value last = b.createOrFold<arith::SubIOp>(loc, extents[op][staging.depth],
                                             constant(1));
  Values values;
  for (const Copy &copy : copies) {
    Values ivs = copy.ivs;
    for (auto [dim, iv] : llvm::zip_equal(staging.around, around))
      ivs[dim] = iv;
    ivs[staging.depth] =
        b.createOrFold<arith::MinUIOp>(loc, add(from, copy.depth), last);
    values.push_back(memref::LoadOp::create(b, loc, copy.operand->get(),
                                            indicesOf(op, *copy.operand, ivs)));
  }
  for (auto [copy, value] : llvm::zip_equal(copies, values))
    memref::StoreOp::create(b, loc, value, copy.tile,
                            ValueRange{copy.depth, copy.place});
}

void KernelEmitter::emitTiles(const Staging &staging) {
  LinalgOp op = plan.ops.front();
  int64_t side = options.stage, depth = getTileDepth();
  auto [across, down] = getThreadShape();
  Value rows = countOf(staging.rows), columns = countOf(staging.columns);
  Values counts = {countOf(staging.batch), ceilDiv(rows, down * side),
                   ceilDiv(columns, across * side)};
  Values tileOf = delinearize(block, counts);
  Value firstRow = mul(tileOf[1], constant(down * side)),
        firstColumn = mul(tileOf[2], constant(across * side));
  Value lane = rem(thread, constant(across)),
        line = mul(div(thread, constant(across)), constant(side));
  Values base(op.getNumLoops());
  if (!staging.batch.empty())
    place(base, staging.batch, tileOf[0]);

  // A thread's rows lie together and its columns apart: neighbours then have
  // neighbouring columns, in shared memory and in the result.
  SmallVector<Values> points;
  Values inside;
  for (int64_t i = 0; i < side; ++i)
    for (int64_t j = 0; j < side; ++j) {
      Value row = add(firstRow, add(line, constant(i))),
            column = add(firstColumn, add(lane, constant(j * across)));
      points.push_back(base);
      place(points.back(), staging.rows, row);
      place(points.back(), staging.columns, column);
      inside.push_back(b.createOrFold<arith::AndIOp>(loc, less(row, rows),
                                                     less(column, columns)));
    }
  auto tileFor = [&](OpOperand *operand, int64_t width) {
    return createShared({depth, width + padding},
                        getElementTypeOrSelf(operand->get()));
  };
  Value left = tileFor(staging.left, down * side),
        right = tileFor(staging.right, across * side);
  SmallVector<Copy> copies = planCopies(*staging.left, left, base, staging.rows,
                                        firstRow, down * side);
  llvm::append_range(copies,
                     planCopies(*staging.right, right, base, staging.columns,
                                firstColumn, across * side));
  Values results;
  for (Values &point : points)
    llvm::append_range(results, initialValues(op, point));

  Value zero = constant(0), one = constant(1), step = constant(depth);
  SmallVector<scf::ForOp> loops;
  auto enter = [&](Value end, Value by) {
    loops.push_back(scf::ForOp::create(b, loc, zero, end, by, results));
    results.assign(loops.back().getRegionIterArgs().begin(),
                   loops.back().getRegionIterArgs().end());
    b.setInsertionPointToStart(loops.back().getBody());
    return loops.back().getInductionVar();
  };
  OpBuilder::InsertPoint after = b.saveInsertionPoint();
  Values around;
  for (unsigned dim : staging.around) {
    around.push_back(enter(extents[op][dim], one));
    for (Values &point : points)
      point[dim] = around.back();
  }
  Value from = enter(extents[op][staging.depth], step);
  gpu::BarrierOp::create(b, loc);
  emitCopies(copies, staging, around, from);
  gpu::BarrierOp::create(b, loc);
  Value rest =
      b.createOrFold<arith::SubIOp>(loc, extents[op][staging.depth], from);
  Value at = enter(b.createOrFold<arith::MinUIOp>(loc, rest, step), one);
  Values ofRow, ofColumn;
  for (int64_t i = 0; i < side; ++i) {
    ofRow.push_back(memref::LoadOp::create(
        b, loc, left, ValueRange{at, add(line, constant(i))}));
    ofColumn.push_back(memref::LoadOp::create(
        b, loc, right, ValueRange{at, add(lane, constant(i * across))}));
  }
  Value number = add(from, at);
  for (auto [i, point] : llvm::enumerate(points)) {
    point[staging.depth] = number;
    staged[staging.left] = ofRow[i / side];
    staged[staging.right] = ofColumn[i % side];
    results[i] = compute(op, point, results[i])[0];
  }
  staged.clear();
  for (scf::ForOp loop : llvm::reverse(loops)) {
    b.setInsertionPointToEnd(loop.getBody());
    scf::YieldOp::create(b, loc, results);
    results.assign(loop.getResults().begin(), loop.getResults().end());
  }
  b.restoreInsertionPoint(after);
  b.setInsertionPointAfter(loops.front());
  storePoints(points, results, inside);
}
