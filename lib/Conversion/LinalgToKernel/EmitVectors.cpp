// Element-wise kernels in which a thread does vectors of neighbouring elements,
// all of its loads before its stores: with a branch around each it would wait
// for one before it asks for the next, so that threads which have all of their
// vectors do them in one piece, and only those at the end vector by vector.
// Where the innermost extent is no multiple of a vector, the same threads do
// the same elements one by one.
#include "KernelEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace evo;
using linalg::LinalgOp;

int64_t KernelEmitter::vectorWidth() {
  if (options.access == 0 || plan.rowDims || !plan.partials.empty())
    return 1;
  int64_t width = std::numeric_limits<int64_t>::max();
  unsigned numLoops = plan.ops.front().getNumLoops();
  for (LinalgOp op : plan.ops) {
    if (op.getNumReductionLoops() > 0 || numLoops == 0 ||
        op.getNumLoops() != numLoops)
      return 1;
    for (OpOperand &output : op.getDpsInitsMutable())
      if (!liesAlong(op, output, numLoops - 1))
        return 1;
    width = std::min(width, countLanes(op, numLoops - 1));
  }
  return width;
}

KernelEmitter::Values KernelEmitter::vectorCounts(int64_t width) {
  Values counts = extents[plan.ops.front()];
  counts.back() = ceilDiv(ceilDiv(counts.back(), width), options.columns);
  return counts;
}

/// All ops on these lanes, where they are there: what was computed stays in
/// registers for the next.
void KernelEmitter::emitLanes(Lanes lanes, ArrayRef<Loaded> loaded) {
  OpBuilder::InsertionGuard guard(b);
  if (Value inside = std::exchange(lanes.inside, Value())) {
    auto guarded = scf::IfOp::create(b, loc, inside, /*withElseRegion=*/false);
    b.setInsertionPointToStart(guarded.thenBlock());
  }
  SmallVector<SmallVector<Values>> byOp;
  for (LinalgOp op : plan.ops)
    byOp.emplace_back(op.getNumDpsInits());
  for (int64_t lane = 0; lane < lanes.width; ++lane) {
    known.clear();
    for (auto [i, op] : llvm::enumerate(plan.ops)) {
      Values results = computeLane(op, lanes, loaded[i], lane, {});
      remember(op, lanes.ivs, results);
      for (auto [values, value] : llvm::zip_equal(byOp[i], results))
        values.push_back(value);
    }
  }
  known.clear();
  llvm::SmallPtrSet<Value, 4> done;
  for (unsigned i = plan.ops.size(); i-- > 0;) {
    LinalgOp op = plan.ops[i];
    for (auto [j, output] : llvm::enumerate(op.getDpsInitsMutable()))
      // The last writer decides.
      if (done.insert(output.get()).second && !isInternal(output.get()))
        storeLanes(op, output, lanes, byOp[i][j]);
  }
}

/// What the ops read of these lanes, but for what ops before them compute.
SmallVector<KernelEmitter::Loaded>
KernelEmitter::loadForAll(const Lanes &lanes) {
  known.clear();
  SmallVector<Loaded> loaded;
  for (LinalgOp op : plan.ops) {
    loaded.push_back(load(op, lanes));
    for (Value output : op.getDpsInits())
      known[output] = {};
  }
  known.clear();
  return loaded;
}

void KernelEmitter::emitVectors(int64_t width) {
  LinalgOp op = plan.ops.front();
  unsigned dim = op.getNumLoops() - 1;
  Values counts = vectorCounts(width);
  OpBuilder::InsertionGuard guard(b);
  Value id = enterPoints(counts);
  Values base = delinearize(id, counts);
  Value extent = extents[op][dim], end = endOfVectors(extent, width);
  auto startOf = [&](Value column) {
    return mul(add(base[dim], mul(counts[dim], column)), constant(width));
  };
  auto vectorAt = [&](Value column) {
    Lanes lanes{base, dim, width, Value()};
    lanes.ivs[dim] = startOf(column);
    return lanes;
  };
  if (options.columns > 1) {
    Value last = startOf(constant(options.columns - 1));
    auto either = scf::IfOp::create(b, loc, less(last, end),
                                    /*withElseRegion=*/true);
    {
      OpBuilder::InsertionGuard inner(b);
      b.setInsertionPointToStart(either.thenBlock());
      SmallVector<Lanes> parts;
      SmallVector<SmallVector<Loaded>> loaded;
      for (int64_t column = 0; column < options.columns; ++column) {
        parts.push_back(vectorAt(constant(column)));
        loaded.push_back(loadForAll(parts.back()));
      }
      for (auto [lanes, values] : llvm::zip_equal(parts, loaded))
        emitLanes(lanes, values);
    }
    b.setInsertionPointToStart(either.elseBlock());
  }
  {
    OpBuilder::InsertionGuard inner(b);
    Value column = constant(0);
    if (options.columns > 1) {
      auto loop = scf::ForOp::create(b, loc, column, constant(options.columns),
                                     constant(1));
      b.setInsertionPointToStart(loop.getBody());
      column = loop.getInductionVar();
    }
    Lanes lanes = vectorAt(column);
    lanes.inside = less(lanes.ivs[dim], end);
    SmallVector<Loaded> loaded = loadForAll(lanes);
    emitLanes(lanes, loaded);
  }

  Value isWhole =
      b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, end, extent);
  emitSingles(base, counts[dim], isWhole, options.columns * width);
}

/// As many elements of each thread, one by one, where there are no whole
/// vectors. Neighbouring threads have neighbouring elements.
void KernelEmitter::emitSingles(const Values &base, Value threadsOfRow,
                                Value isWhole, int64_t count) {
  LinalgOp op = plan.ops.front();
  unsigned dim = op.getNumLoops() - 1;
  Value extent = extents[op][dim];
  auto elementAt = [&](Value number) {
    Lanes lanes{base, dim, 1, Value()};
    lanes.ivs[dim] = add(base[dim], mul(threadsOfRow, number));
    return lanes;
  };
  auto guarded = scf::IfOp::create(b, loc, isWhole, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(guarded.elseBlock());
  bool readsWhatItWrites = false;
  llvm::SmallPtrSet<Value, 4> computed;
  for (LinalgOp other : plan.ops) {
    for (OpOperand *operand : operandsToLoad(other))
      readsWhatItWrites |=
          !computed.contains(operand->get()) && isWrittenHere(operand->get());
    computed.insert_range(other.getDpsInits());
  }
  constexpr int64_t maxAtOnce = 16;
  if (count > maxAtOnce || readsWhatItWrites) {
    auto loop =
        scf::ForOp::create(b, loc, constant(0), constant(count), constant(1));
    b.setInsertionPointToStart(loop.getBody());
    Lanes lanes = elementAt(loop.getInductionVar());
    auto inside = scf::IfOp::create(b, loc, less(lanes.ivs[dim], extent),
                                    /*withElseRegion=*/false);
    b.setInsertionPointToStart(inside.thenBlock());
    return emitLanes(lanes, loadForAll(lanes));
  }
  // All loads come first. Those beyond the row are of its last element.
  Value last = b.createOrFold<arith::SubIOp>(loc, extent, constant(1));
  SmallVector<Lanes> parts;
  SmallVector<SmallVector<Loaded>> loaded;
  for (int64_t number = 0; number < count; ++number) {
    Lanes lanes = elementAt(constant(number));
    lanes.inside = less(lanes.ivs[dim], extent);
    lanes.ivs[dim] = b.createOrFold<arith::MinUIOp>(loc, lanes.ivs[dim], last);
    Lanes unguarded = lanes;
    unguarded.inside = Value();
    loaded.push_back(loadForAll(unguarded));
    parts.push_back(std::move(lanes));
  }
  for (auto [lanes, values] : llvm::zip_equal(parts, loaded))
    emitLanes(lanes, values);
}
