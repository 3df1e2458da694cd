// Kernels in which a thread (or a warp) computes an element, or a small tile.
#include "KernelEmitter.h"
#include "evo/Target/Warp.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace evo;
using linalg::LinalgOp;

/// A thread past the end repeats the last element of its tile, which another
/// thread may have written already.
bool KernelEmitter::rereadsWhatItWrites() {
  llvm::SmallPtrSet<Value, 8> written;
  for (LinalgOp op : plan.ops)
    for (Value output : op.getDpsInits())
      written.insert(getRootBuffer(output));
  llvm::SmallPtrSet<Value, 8> computed;
  for (LinalgOp op : plan.ops) {
    for (OpOperand &operand : op->getOpOperands()) {
      Value value = operand.get();
      BlockArgument arg = op.getMatchingBlockArgument(&operand);
      if (!isa<MemRefType>(value.getType()) || !arg || arg.use_empty() ||
          computed.contains(value))
        continue;
      bool isFilled = op.isDpsInit(&operand) &&
                      fills.find(op)->second[operand.getOperandNumber() -
                                             op.getNumDpsInputs()] != nullptr;
      if (!isFilled && written.contains(getRootBuffer(value)))
        return true;
    }
    for (Value output : op.getDpsInits())
      computed.insert(output);
  }
  return false;
}

std::pair<int64_t, int64_t> KernelEmitter::tileSizes() {
  LinalgOp op = plan.ops.front();
  if (op.getNumParallelLoops() == 0 || usesWarps() || rereadsWhatItWrites())
    return {1, 1};
  bool reuses = op.getNumReductionLoops() > 0 && op.getNumParallelLoops() > 1;
  return {reuses ? options.rows : 1, options.columns};
}

KernelEmitter::Values KernelEmitter::elementCounts() {
  LinalgOp op = plan.ops.front();
  SmallVector<unsigned> parallel;
  op.getParallelDims(parallel);
  auto [rows, columns] = tileSizes();
  Values counts;
  for (auto [i, dim] : llvm::enumerate(parallel)) {
    int64_t tile = i + 1 == parallel.size()   ? columns
                   : i + 2 == parallel.size() ? rows
                                              : 1;
    counts.push_back(ceilDiv(extents[op][dim], tile));
  }
  if (!plan.partials.empty())
    counts.insert(counts.begin(), constant(options.parts));
  return counts;
}

void KernelEmitter::emitElements(gpu::LaunchOp launch) {
  LinalgOp op = plan.ops.front();
  SmallVector<unsigned> parallel;
  op.getParallelDims(parallel);
  auto [rows, columns] = tileSizes();
  Values counts = elementCounts();
  Value total = productOf(counts);
  Value id = add(mul(block, launch.getBlockSizeX()), thread), lane;
  if (usesWarps()) {
    lane = rem(id, constant(target::warpSize));
    id = div(id, constant(target::warpSize));
  }
  auto guarded =
      scf::IfOp::create(b, loc, less(id, total), /*withElseRegion=*/false);
  b.setInsertionPointToStart(guarded.thenBlock());
  Values base = delinearize(id, counts);
  // Threads of a part lie together: they access neighbours.
  Value part;
  if (!plan.partials.empty()) {
    part = base.front();
    base.erase(base.begin());
    counts.erase(counts.begin());
  }

  // The points of the tile. Rows lie together, which reuses what they share;
  // columns lie as far apart as there are threads for them, so that neighbours
  // access neighbours.
  SmallVector<Values> points;
  Values inside;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column) {
      Values point(op.getNumLoops());
      Value valid;
      for (auto [i, dim] : llvm::enumerate(parallel)) {
        Value iv = base[i];
        bool isColumn = i + 1 == parallel.size();
        bool isRow = i + 2 == parallel.size();
        if (isRow && rows > 1)
          iv = add(mul(iv, constant(rows)), constant(row));
        if (isColumn && columns > 1)
          iv = add(iv, mul(counts[i], constant(column)));
        if ((isRow && rows > 1) || (isColumn && columns > 1)) {
          Value extent = extents[op][dim];
          Value last = b.createOrFold<arith::SubIOp>(loc, extent, constant(1));
          Value fits = less(iv, extent);
          valid =
              valid ? b.createOrFold<arith::AndIOp>(loc, valid, fits) : fits;
          iv = b.createOrFold<arith::MinUIOp>(loc, iv, last);
        }
        point[dim] = iv;
      }
      points.push_back(point);
      inside.push_back(valid);
    }

  Values results;
  for (Values &point : points)
    llvm::append_range(results, usesWarps() || part ? neutralValues(op)
                                                    : initialValues(op, point));
  if (op.getNumReductionLoops() > 0) {
    int64_t step = usesWarps() ? target::warpSize : 1;
    Value first = lane;
    if (part) {
      Value from = mul(part, constant(step));
      first = lane ? add(from, lane) : from;
      step *= options.parts;
    }
    results = reduce(op, points, results, first, step);
  } else {
    Values values;
    unsigned count = op.getNumDpsInits();
    for (auto [i, point] : llvm::enumerate(points))
      llvm::append_range(
          values,
          compute(op, point, ArrayRef<Value>(results).slice(i * count, count)));
    results = values;
  }
  if (usesWarps()) {
    for (auto [i, combiner] : llvm::enumerate(getCombiners(op)))
      results[i] = reduceInWarp(combiner, results[i], target::warpSize);
    inside[0] = b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq,
                                              lane, constant(0));
  }
  storePoints(points, results, inside, part, usesWarps());
}

/// Writes partial results where the kernel that combines them looks.
void KernelEmitter::storePart(ArrayRef<Value> ivs, ArrayRef<Value> values,
                              Value part) {
  LinalgOp op = plan.ops.front();
  for (auto [i, output] : llvm::enumerate(op.getDpsInitsMutable())) {
    Values indices = indicesOf(op, output, ivs);
    indices.insert(plan.rowDims ? indices.end() : indices.begin(), part);
    memref::StoreOp::create(b, loc, values[i], plan.partials[i], indices);
  }
}

/// Writes the results of points that are inside, with what their users make of
/// them. What results start from is theirs already, unless that is left.
void KernelEmitter::storePoints(ArrayRef<Values> points, Values results,
                                ArrayRef<Value> inside, Value part,
                                bool isStartLeft) {
  LinalgOp op = plan.ops.front();
  SmallVector<unsigned> parallel;
  op.getParallelDims(parallel);
  unsigned count = op.getNumDpsInits();
  for (auto [i, point] : llvm::enumerate(points)) {
    OpBuilder::InsertionGuard guard(b);
    if (inside[i]) {
      auto stored =
          scf::IfOp::create(b, loc, inside[i], /*withElseRegion=*/false);
      b.setInsertionPointToStart(stored.thenBlock());
    }
    if (part) {
      storePart(point, ArrayRef<Value>(results).slice(i * count, count), part);
      continue;
    }
    known.clear();
    // Only the thread that writes a result reads what it was.
    if (isStartLeft) {
      Values initial = initialValues(op, point);
      for (auto [j, combiner] : llvm::enumerate(getCombiners(op))) {
        Value &result = results[i * count + j];
        result = combine(combiner, initial[j], result);
      }
    }
    remember(op, point, ArrayRef<Value>(results).slice(i * count, count));
    Values element;
    for (unsigned dim : parallel)
      element.push_back(point[dim]);
    for (LinalgOp user : ArrayRef<LinalgOp>(plan.ops).drop_front())
      remember(user, element,
               compute(user, element, initialValues(user, element)));
    storeKnown();
  }
}
