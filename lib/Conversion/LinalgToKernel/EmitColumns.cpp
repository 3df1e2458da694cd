// Kernels that reduce rows and columns of what they read once: a block, or a
// warp, does several rows that it holds in registers, and its threads keep what
// they combine along their columns. Only at the end they combine that with the
// results in memory, atomically, for other blocks have it of other rows. Of
// columns beyond the registers this is done row by row.
#include "KernelEmitter.h"
#include "evo/Target/Warp.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace evo;
using linalg::LinalgOp;

bool KernelEmitter::hasColumns() {
  return llvm::any_of(plan.ops,
                      [&](LinalgOp op) { return isOfColumns(op, plan); });
}

/// `sums` are of each part in registers, each of its neighbours, each output.
/// Those of a thread without elements there are made of others, and dropped.
void KernelEmitter::addColumns(LinalgOp op, const RowGroup &row,
                               MutableArrayRef<Value> sums) {
  unsigned count = op.getNumDpsInits();
  overRow(op, row, {},
          [&](const Lanes &lanes, const Loaded &loaded,
              std::optional<int64_t> chunk, const Values &) -> Values {
            for (int64_t lane = 0; lane < lanes.width; ++lane) {
              if (chunk) {
                auto own =
                    sums.slice((*chunk * row.width + lane) * count, count);
                llvm::copy(computeLane(op, lanes, loaded, lane, Values(own)),
                           own.begin());
                continue;
              }
              Values values =
                  computeLane(op, lanes, loaded, lane, neutralValues(op));
              for (auto [i, output] : llvm::enumerate(op.getDpsInitsMutable()))
                combineAtomically(getCombiners(op)[i], output.get(),
                                  indicesOf(op, output, pointOf(lanes, lane)),
                                  values[i]);
            }
            return {};
          });
}

void KernelEmitter::storeColumns(LinalgOp op, const RowGroup &row,
                                 ArrayRef<Value> sums) {
  unsigned count = op.getNumDpsInits(), dim = *plan.rowDims;
  Value end = endOfVectors(extents[op][dim], row.width);
  for (int64_t chunk = 0; chunk < row.parts; ++chunk) {
    Values ivs(op.getNumLoops(), constant(0)); // but for the column, unused
    Value start =
        mul(add(row.place, constant(chunk * row.all)), constant(row.width));
    Lanes lanes{ivs, dim, row.width, Value()};
    lanes.ivs[dim] = start;
    auto inside =
        scf::IfOp::create(b, loc, less(start, end), /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(inside.thenBlock());
    for (int64_t lane = 0; lane < row.width; ++lane)
      for (auto [i, output] : llvm::enumerate(op.getDpsInitsMutable()))
        combineAtomically(getCombiners(op)[i], output.get(),
                          indicesOf(op, output, pointOf(lanes, lane)),
                          sums[(chunk * row.width + lane) * count + i]);
  }
}

SmallVector<std::pair<LinalgOp, OpOperand *>> KernelEmitter::operandsOfRows() {
  SmallVector<std::pair<LinalgOp, OpOperand *>> result;
  for (LinalgOp op : plan.ops) {
    if (op.getNumLoops() == *plan.rowDims)
      continue;
    for (OpOperand *operand : operandsToLoad(op)) {
      AffineMap map = op.getMatchingIndexingMap(operand);
      bool isKnown = llvm::any_of(result, [&](auto &other) {
        auto [reader, same] = other;
        return same->get() == operand->get() &&
               reader.getMatchingIndexingMap(same) == map;
      });
      if (!isKnown && !isOfAllRows(op, *operand) &&
          !isWrittenHere(operand->get()) && map.isFunctionOfDim(*plan.rowDims))
        result.push_back({op, operand});
    }
  }
  return result;
}

/// What a thread holds of a row that the registers are enough for: of each
/// operand each part's neighbours.
KernelEmitter::Values KernelEmitter::loadRow(const RowGroup &row) {
  Values values;
  for (auto [op, operand] : operandsOfRows()) {
    SmallVector<Lanes> parts;
    for (int64_t chunk = 0; chunk < row.parts; ++chunk)
      parts.push_back(lanesOfPart(op, row, chunk));
    Value end = extents[op][*plan.rowDims];
    for (const Values &part : loadParts(op, *operand, parts, end))
      llvm::append_range(values, part);
  }
  return values;
}

void KernelEmitter::holdRow(const RowGroup &row, ArrayRef<Value> values) {
  held.clear();
  for (auto [op, operand] : operandsOfRows())
    for (int64_t chunk = 0; chunk < row.parts; ++chunk) {
      held[{operand->get(), op.getMatchingIndexingMap(operand)}][chunk] =
          Values(values.take_front(row.width));
      values = values.drop_front(row.width);
    }
}

/// The block's rows, and what their columns come to. While one row is done the
/// next one is under way.
void KernelEmitter::emitRowLoop(RowGroup row) {
  int64_t groups = options.threads / row.group;
  Values counts(
      ArrayRef<Value>(extents[plan.ops.front()]).take_front(*plan.rowDims));
  Value total = productOf(counts), first = block;
  if (groups > 1)
    first = add(mul(block, constant(groups)), div(thread, constant(row.group)));
  auto hasRows =
      scf::IfOp::create(b, loc, less(first, total), /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(hasRows.thenBlock());
  auto sizeOf = [&](LinalgOp op) -> size_t {
    return isOfColumns(op, plan) ? row.parts * row.width * op.getNumDpsInits()
                                 : 0;
  };
  size_t numSums = 0;
  Values carried;
  for (LinalgOp op : plan.ops) {
    for (size_t i = 0; i < sizeOf(op); i += op.getNumDpsInits())
      llvm::append_range(carried, neutralValues(op));
    numSums += sizeOf(op);
  }
  held.clear();
  known.clear();
  if (row.isWhole) {
    row.ivs = delinearize(first, counts);
    llvm::append_range(carried, loadRow(row));
  }
  Value step = constant(options.parts * groups);
  auto loop = scf::ForOp::create(b, loc, first, total, step, carried);
  auto forColumns = [&](auto visit) {
    size_t from = 0;
    for (LinalgOp op : plan.ops) {
      visit(op, MutableArrayRef<Value>(carried).slice(from, sizeOf(op)));
      from += sizeOf(op);
    }
  };
  {
    OpBuilder::InsertionGuard inLoop(b);
    b.setInsertionPointToStart(loop.getBody());
    carried.assign(loop.getRegionIterArgs().begin(),
                   loop.getRegionIterArgs().end());
    Values next;
    if (row.isWhole) {
      // After the last one it is that again.
      Value last = b.createOrFold<arith::SubIOp>(loc, total, constant(1));
      Value following = b.createOrFold<arith::MinUIOp>(
          loc, add(loop.getInductionVar(), step), last);
      row.ivs = delinearize(following, counts);
      next = loadRow(row);
    }
    row.ivs = delinearize(loop.getInductionVar(), counts);
    known.clear();
    holdRow(row, ArrayRef(carried).drop_front(numSums));
    forColumns([&](LinalgOp op, MutableArrayRef<Value> own) {
      if (isOfColumns(op, plan))
        addColumns(op, row, own);
      else
        emitHeldOp(op, row);
    });
    // What warps tell each other of the next row comes into the same arrays.
    if (row.group > int64_t(target::warpSize))
      gpu::BarrierOp::create(b, loc);
    carried.truncate(numSums);
    llvm::append_range(carried, next);
    if (!carried.empty())
      scf::YieldOp::create(b, loc, carried);
  }
  carried.assign(loop.getResults().begin(), loop.getResults().end());
  forColumns([&](LinalgOp op, MutableArrayRef<Value> own) {
    if (isOfColumns(op, plan))
      storeColumns(op, row, own);
  });
}

void KernelEmitter::emitRowsWithColumns() {
  int64_t group = groupOfRow();
  Value lane = rem(thread, constant(group)), isFirst = isZero(lane);
  Share share = shareOfThread(group);
  // Rows that the registers are enough for have a loop without all that is
  // there for others.
  auto either = scf::IfOp::create(b, loc, isInRegisters(share, group),
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(either.thenBlock());
  emitRowLoop({{},
               isFirst,
               group,
               lane,
               group,
               Value(),
               share.width,
               share.parts,
               true});
  b.setInsertionPointToStart(either.elseBlock());
  emitRowLoop(
      {{}, isFirst, group, lane, group, Value(), share.width, 0, false});
}
