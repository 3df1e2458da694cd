// Kernels in which a block, a warp or a part of one does a row and reads it
// once: each thread keeps its elements in registers from the first op that
// reads them to the last. What of a long row is beyond the registers is read by
// each op anew, as are rows whose length is no multiple of a vector. Of a
// reduction in parts each block, or warp, does a part of the row, whose threads
// it shares out with those of the other parts: the loads of all of its accesses
// come first.
#include "KernelEmitter.h"
#include "evo/Target/Warp.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace evo;
using linalg::LinalgOp;

/// Whether every op goes over the row's elements by one dimension or is a value
/// of the row, and an element is always the same thread's.
bool KernelEmitter::holdsRows() {
  if (options.hold == 0 || !plan.rowDims)
    return false;
  unsigned dim = *plan.rowDims;
  llvm::DenseMap<Value, std::pair<Value, AffineMap>> written;
  for (LinalgOp op : plan.ops) {
    bool isOfElements = op.getNumLoops() == dim + 1;
    bool reduces = op.getNumReductionLoops() > 0;
    if ((!isOfElements && op.getNumLoops() != dim) || hasResultsOnTheWay(op) ||
        !(isComputedAnywhere(op) || (!isOfElements && isComputedInRow(op))) ||
        (reduces && getCombiners(op).empty()))
      return false;
    if (isOfColumns(op, plan)) {
      for (OpOperand &output : op.getDpsInitsMutable())
        if (!isOfElements || !liesAlong(op, output, dim) ||
            op.getMatchingIndexingMap(&output).getNumResults() != 1)
          return false;
      continue;
    }
    for (auto [i, output] : llvm::enumerate(op.getDpsInitsMutable())) {
      bool isOfRow = !isOfElements || reduces;
      BlockArgument arg = op.getMatchingBlockArgument(&output);
      // What a part starts from is neutral.
      bool startsFromOutput = arg && !arg.use_empty() &&
                              plan.partials.empty() &&
                              !fills.find(op)->second[i];
      if (isOfRow ? startsFromOutput : !liesAlong(op, output, dim))
        return false;
      written.insert({getRootBuffer(output.get()),
                      {output.get(), op.getMatchingIndexingMap(&output)}});
    }
  }
  for (LinalgOp op : plan.ops)
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<MemRefType>(operand.get().getType()))
        continue;
      auto it = written.find(getRootBuffer(operand.get()));
      if (it == written.end())
        continue;
      AffineMap map = op.getMatchingIndexingMap(&operand);
      if (it->second.first != operand.get() ||
          it->second.second.getNumResults() != map.getNumResults() ||
          // the same place, though ops of rows and of elements count their
          // dimensions apart
          it->second.second.getResults() != map.getResults())
        return false;
    }
  return true;
}

/// Elements that an access of every op may take.
int64_t KernelEmitter::maxWidthOfRow() {
  int64_t width = std::numeric_limits<int64_t>::max();
  for (LinalgOp op : plan.ops)
    if (op.getNumLoops() > *plan.rowDims)
      width = std::min(width, countLanes(op, *plan.rowDims));
  return width;
}

/// Elements that it takes: the workload's rows are whole numbers of these.
int64_t KernelEmitter::widthOfRow() {
  int64_t width = maxWidthOfRow();
  std::optional<int64_t> longest = longestRow();
  while (longest && *longest % width != 0)
    width /= 2;
  return width;
}

/// The elements of the workload's longest row; unknown where it names none.
std::optional<int64_t> KernelEmitter::longestRow() {
  int64_t longest = 0;
  for (LinalgOp op : plan.ops)
    if (op.getNumLoops() > *plan.rowDims) {
      std::optional<int64_t> extent =
          expectedExtent(extents[op][*plan.rowDims]);
      if (!extent)
        return std::nullopt;
      longest = std::max(longest, *extent);
    }
  return longest;
}

/// Threads of a row. A warp does several rows that have no vector for each of
/// its lanes: the more a thread holds, the fewer lanes has a row.
int64_t KernelEmitter::groupOfRow() {
  if (options.split != 1)
    return options.threads;
  int64_t group = target::warpSize;
  std::optional<int64_t> longest = longestRow();
  if (!longest || !plan.partials.empty() || hasColumns() ||
      *longest > group * widthOfRow())
    return group;
  constexpr int64_t holdPerAccess = 8;
  int64_t ofThread =
      widthOfRow() * std::max<int64_t>(1, options.hold / holdPerAccess);
  while (group > 1 && group / 2 * ofThread >= *longest)
    group /= 2;
  return group;
}

Value KernelEmitter::reduceInGroup(Operation *combiner, Value value,
                                   const RowGroup &row) {
  return options.split == 1 ? reduceInWarp(combiner, value, row.group)
                            : reduceInBlock(combiner, value);
}

/// Whether the op is computed only where there is an element. Elsewhere what it
/// makes of zeros is thrown away, so that ops which compute the same find it;
/// but what is compared there would be compared for nothing.
bool KernelEmitter::isGuarded(LinalgOp op) {
  bool compares =
      llvm::any_of(op.getBlock()->without_terminator(), [](Operation &inner) {
        return isa<arith::CmpFOp, arith::MaximumFOp, arith::MinimumFOp,
                   arith::MaxNumFOp, arith::MinNumFOp>(inner);
      });
  // What columns have there is thrown away.
  if (!compares || isOfColumns(op, plan))
    return false;
  if (op.getNumReductionLoops() > 0)
    return true;
  // What other ops read of it has to be at hand outside.
  return llvm::none_of(plan.ops, [&](LinalgOp other) {
    return other != op &&
           llvm::any_of(other->getOperands(), [&](Value operand) {
             return llvm::is_contained(op.getDpsInits(), operand);
           });
  });
}

/// Whether all rows have the same elements of it: caches do, so that it need
/// not be asked for early.
bool KernelEmitter::isOfAllRows(LinalgOp op, OpOperand &operand) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  return llvm::none_of(llvm::seq(*plan.rowDims),
                       [&](unsigned dim) { return map.isFunctionOfDim(dim); });
}

/// Whether the plan's ops write what `buffer` is of.
bool KernelEmitter::isWrittenHere(Value buffer) {
  return llvm::any_of(plan.ops, [&](LinalgOp op) {
    return llvm::any_of(op.getDpsInits(), [&](Value output) {
      return getRootBuffer(output) == getRootBuffer(buffer);
    });
  });
}

/// All loads of an operand's parts with nothing in between that waits for one
/// of them: a branch around each would have it loaded when it is needed. So a
/// thread without elements in a part loads the row's last ones, which nobody
/// writes, and drops them; only rows without vectors are left out.
SmallVector<KernelEmitter::Values>
KernelEmitter::loadParts(LinalgOp op, OpOperand &operand, ArrayRef<Lanes> parts,
                         Value end) {
  unsigned dim = *plan.rowDims;
  SmallVector<Values> result;
  if (parts.empty())
    return result;
  if (!op.getMatchingIndexingMap(&operand).isFunctionOfDim(dim) ||
      isWrittenHere(operand.get())) {
    for (const Lanes &lanes : parts)
      result.push_back(loadLanes(op, operand, lanes));
    return result;
  }
  int64_t width = parts.front().width;
  Type element = cast<MemRefType>(operand.get().getType()).getElementType();
  SmallVector<Type> types(parts.size() * width, element);
  auto guarded = scf::IfOp::create(b, loc, types, less(constant(0), end),
                                   /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(guarded.thenBlock());
  Value last = b.createOrFold<arith::SubIOp>(loc, end, constant(width));
  Values loaded;
  for (Lanes lanes : parts) {
    lanes.inside = Value();
    lanes.ivs[dim] = b.createOrFold<arith::MinUIOp>(loc, lanes.ivs[dim], last);
    llvm::append_range(loaded, loadLanes(op, operand, lanes));
  }
  scf::YieldOp::create(b, loc, loaded);
  b.setInsertionPointToStart(guarded.elseBlock());
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
  scf::YieldOp::create(b, loc, Values(types.size(), zero));
  for (size_t i = 0; i < parts.size(); ++i)
    result.emplace_back(guarded.getResults().slice(i * width, width));
  return result;
}

/// The elements of a row that a thread has the `chunk`th in registers of.
KernelEmitter::Lanes
KernelEmitter::lanesOfPart(LinalgOp op, const RowGroup &row, int64_t chunk) {
  unsigned dim = *plan.rowDims;
  Lanes lanes{row.ivs, dim, row.width, Value()};
  lanes.ivs.resize(op.getNumLoops());
  lanes.ivs[dim] =
      mul(add(row.place, constant(chunk * row.all)), constant(row.width));
  return lanes;
}

/// The values of one operand in these parts, which `firstPart` is the first of.
SmallVector<KernelEmitter::Values>
KernelEmitter::loadHeld(LinalgOp op, OpOperand &operand, ArrayRef<Lanes> parts,
                        int64_t firstPart, Value end) {
  auto key = std::pair(operand.get(), op.getMatchingIndexingMap(&operand));
  if (held[key].lookup(firstPart).empty()) {
    SmallVector<Values> loaded = loadParts(op, operand, parts, end);
    for (auto [i, values] : llvm::enumerate(loaded))
      held[key][firstPart + i] = values;
  }
  SmallVector<Values> result;
  for (size_t i = 0; i < parts.size(); ++i)
    result.push_back(held[key].lookup(firstPart + i));
  return result;
}

/// What every op does: on the parts in registers, then on vectors beyond these,
/// then on what no vector covers. `body` takes the lanes, what was loaded, the
/// part's number where it is in registers, and what the ops before handed on.
KernelEmitter::Values KernelEmitter::overRow(
    LinalgOp op, const RowGroup &row, Values carried,
    function_ref<Values(const Lanes &, const Loaded &, std::optional<int64_t>,
                        const Values &)>
        body) {
  unsigned dim = *plan.rowDims;
  Value extent = extents[op][dim];
  int64_t width = row.width;
  Value end = row.isWhole ? extent : endOfVectors(extent, width);
  SmallVector<Lanes> parts;
  SmallVector<Loaded> loaded;
  for (int64_t chunk = 0; chunk < row.parts; ++chunk) {
    parts.push_back(lanesOfPart(op, row, chunk));
    parts.back().inside = less(parts.back().ivs[dim], end);
  }
  loaded.resize(row.parts);
  auto load = [&](OpOperand &operand, int64_t first, int64_t count) {
    SmallVector<Values> values =
        loadHeld(op, operand, ArrayRef(parts).slice(first, count), first, end);
    for (int64_t i = 0; i < count; ++i)
      loaded[first + i].push_back({&operand, values[i]});
  };
  // What all rows have is in caches; much of it is asked for part by part.
  SmallVector<OpOperand *> ofAllRows;
  for (OpOperand *operand : operandsToLoad(op))
    if (isOfAllRows(op, *operand))
      ofAllRows.push_back(operand);
    else
      load(*operand, 0, row.parts);
  constexpr int64_t maxAtOnce = 16;
  bool isMuch = ofAllRows.size() * row.parts * width > maxAtOnce;
  if (!isMuch)
    for (OpOperand *operand : ofAllRows)
      load(*operand, 0, row.parts);
  for (int64_t chunk = 0; chunk < row.parts; ++chunk) {
    if (isMuch)
      for (OpOperand *operand : ofAllRows)
        load(*operand, chunk, 1);
    if (isGuarded(op)) {
      auto guarded = scf::IfOp::create(
          b, loc, ValueRange(carried).getTypes(),
          std::exchange(parts[chunk].inside, Value()), !carried.empty());
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(guarded.thenBlock());
      Values next = body(parts[chunk], loaded[chunk], chunk, carried);
      if (!carried.empty()) {
        scf::YieldOp::create(b, loc, next);
        b.setInsertionPointToStart(guarded.elseBlock());
        scf::YieldOp::create(b, loc, carried);
      }
      carried = Values(guarded.getResults());
      continue;
    }
    Values next = body(parts[chunk], loaded[chunk], chunk, carried);
    for (auto [value, before] : llvm::zip_equal(next, carried))
      value = b.createOrFold<arith::SelectOp>(loc, parts[chunk].inside, value,
                                              before);
    carried = next;
  }
  if (row.isWhole)
    return carried;
  return overRounds(
      op, row, carried, [&](ArrayRef<Lanes> round, const Values &former) {
        SmallVector<Loaded> ofRound;
        for (const Lanes &lanes : round)
          ofRound.push_back(this->load(op, lanes));
        Values next = former;
        for (auto [lanes, values] : llvm::zip_equal(round, ofRound))
          next = body(lanes, values, std::nullopt, next);
        return next;
      });
}

/// What `body` makes of the elements beyond the parts in registers, a round of
/// vectors after the other and then of single elements where the row has no
/// vectors: there is no branch in a round, whose loads are all under way
/// together.
KernelEmitter::Values KernelEmitter::overRounds(
    LinalgOp op, const RowGroup &row, Values carried,
    function_ref<Values(ArrayRef<Lanes>, const Values &)> body) {
  unsigned dim = *plan.rowDims;
  auto loopFrom = [&](Value first, Value last, int64_t count, int64_t times) {
    auto loop = scf::ForOp::create(b, loc, first, last,
                                   constant(row.all * count * times), carried);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    SmallVector<Lanes> round;
    for (int64_t i = 0; i < times; ++i) {
      Lanes lanes{row.ivs, dim, count, Value()};
      lanes.ivs.resize(op.getNumLoops());
      lanes.ivs[dim] = loop.getInductionVar();
      if (i > 0)
        lanes.ivs[dim] = add(lanes.ivs[dim], constant(i * row.all * count));
      round.push_back(std::move(lanes));
    }
    Values next = body(round, Values(loop.getRegionIterArgs()));
    if (!next.empty())
      scf::YieldOp::create(b, loc, next);
    carried = Values(loop.getResults());
  };
  // Whole rounds, and what is left of them.
  auto inRounds = [&](Value first, Value last, int64_t count, int64_t times) {
    if (times > 1) {
      Value enough = b.createOrFold<arith::SubIOp>(
                loc, last, constant((times - 1) * row.all * count)),
            step = constant(times * row.all * count);
      Value rounds = b.createOrFold<arith::CeilDivSIOp>(
          loc, b.createOrFold<arith::SubIOp>(loc, enough, first), step);
      rounds = b.createOrFold<arith::MaxSIOp>(loc, rounds, constant(0));
      loopFrom(first, enough, count, times);
      first = add(first, mul(rounds, step));
    }
    loopFrom(first, last, count, 1);
  };
  Value extent = extents[op][dim], end = endOfVectors(extent, row.width);
  inRounds(
      mul(add(row.place, constant(row.parts * row.all)), constant(row.width)),
      end, row.width, row.rounds);
  constexpr int64_t singles = 4;
  if (row.width > 1)
    inRounds(add(end, row.place), extent, 1, singles);
  return carried;
}

/// What this thread's elements make. Each lane has results of its own, so that
/// none waits for its neighbours.
KernelEmitter::Values KernelEmitter::reduceLanes(LinalgOp op,
                                                 const RowGroup &row) {
  unsigned count = op.getNumDpsInits();
  Values neutral = neutralValues(op), carried;
  for (int64_t lane = 0; lane < row.width; ++lane)
    llvm::append_range(carried, neutral);
  carried =
      overRow(op, row, carried,
              [&](const Lanes &lanes, const Loaded &loaded,
                  std::optional<int64_t>, Values results) {
                for (int64_t lane = 0; lane < lanes.width; ++lane) {
                  Values own(ArrayRef(results).slice(lane * count, count));
                  llvm::copy(computeLane(op, lanes, loaded, lane, own),
                             results.begin() + lane * count);
                }
                return results;
              });
  for (int64_t lanes = row.width / 2; lanes > 0; lanes /= 2)
    for (int64_t lane = 0; lane < lanes; ++lane)
      for (auto [i, combiner] : llvm::enumerate(getCombiners(op))) {
        Value &into = carried[lane * count + i];
        into = combine(combiner, into, carried[(lane + lanes) * count + i]);
      }
  carried.resize(count);
  return carried;
}

/// A value of the row that all of its threads know in the end.
void KernelEmitter::emitHeldResult(LinalgOp op, const RowGroup &row) {
  Values ivs = row.ivs;
  ivs.resize(op.getNumLoops());
  Values results;
  if (plan.partials.empty())
    results = initialValues(op, ivs);
  if (op.getNumReductionLoops() > 0) {
    Values parts = reduceLanes(op, row);
    for (auto [i, combiner] : llvm::enumerate(getCombiners(op))) {
      parts[i] = reduceInGroup(combiner, parts[i], row);
      if (plan.partials.empty())
        results[i] = combine(combiner, results[i], parts[i]);
    }
    if (!plan.partials.empty())
      return storeFirst(ivs, parts, row.isFirst, row.part);
  } else {
    results = compute(op, ivs, results);
  }
  remember(op, ivs, results);
  storeRowResult(op, row.isFirst);
}

void KernelEmitter::emitHeldElements(LinalgOp op, const RowGroup &row) {
  llvm::MapVector<std::pair<Value, AffineMap>, llvm::DenseMap<int64_t, Values>>
      results;
  overRow(op, row, {},
          [&](const Lanes &lanes, const Loaded &loaded,
              std::optional<int64_t> chunk, const Values &) -> Values {
            SmallVector<Values> byOutput(op.getNumDpsInits());
            for (int64_t lane = 0; lane < lanes.width; ++lane)
              for (auto [values, value] : llvm::zip_equal(
                       byOutput, computeLane(op, lanes, loaded, lane, {})))
                values.push_back(value);
            for (auto [i, output] : llvm::enumerate(op.getDpsInitsMutable())) {
              if (!chunk || !isInternal(output.get()))
                storeLanes(op, output, lanes, byOutput[i]);
              if (chunk && !isGuarded(op))
                results[{output.get(), op.getMatchingIndexingMap(&output)}]
                       [*chunk] = byOutput[i];
            }
            return {};
          });
  for (auto &[key, values] : results)
    held[key] = std::move(values);
}

void KernelEmitter::emitHeldOp(LinalgOp op, const RowGroup &row) {
  if (op.getNumParallelLoops() == *plan.rowDims)
    emitHeldResult(op, row);
  else
    emitHeldElements(op, row);
}

/// Neighbours that each of a row's threads has at once, and how many times.
KernelEmitter::Share KernelEmitter::shareOfThread(int64_t threads) {
  int64_t width = widthOfRow();
  std::optional<int64_t> longest = longestRow();
  // No more than what the workload fills, and what a thread has registers for
  // beside all else.
  constexpr int64_t maxHeld = 64;
  int64_t parts = std::min(options.hold * (maxWidthOfRow() / width),
                           std::max<int64_t>(1, maxHeld / width));
  if (longest)
    parts =
        std::min<int64_t>(parts, llvm::divideCeil(*longest, threads * width));
  return {width, parts,
          longest && *longest % width == 0 &&
              *longest <= parts * threads * width};
}

/// Whether rows are whole vectors, and no more than `threads` threads hold.
Value KernelEmitter::isInRegisters(const Share &share, int64_t threads) {
  Value result;
  for (LinalgOp op : plan.ops) {
    if (op.getNumLoops() == *plan.rowDims)
      continue;
    Value extent = extents[op][*plan.rowDims];
    Value isEven = b.createOrFold<arith::CmpIOp>(
        loc, arith::CmpIPredicate::eq, endOfVectors(extent, share.width),
        extent);
    Value fits = b.createOrFold<arith::AndIOp>(
        loc, isEven,
        less(extent, constant(share.parts * threads * share.width + 1)));
    result = result ? b.createOrFold<arith::AndIOp>(loc, result, fits) : fits;
  }
  return result;
}

void KernelEmitter::emitHeldRow(const RowGroup &row) {
  held.clear();
  known.clear();
  llvm::SmallPtrSet<Operation *, 2> done;
  for (LinalgOp op : plan.ops) {
    if (done.contains(op))
      continue;
    if (std::optional<ShiftedSum> pair = matchShiftedSum(op)) {
      emitShiftedSum(*pair, row);
      done.insert(pair->sum);
    } else {
      emitHeldOp(op, row);
    }
  }
}

/// Whether one op alone goes over the row's elements, and makes none.
bool KernelEmitter::isReadOnce() {
  auto goesOverElements = [&](LinalgOp op) {
    return op.getNumLoops() > *plan.rowDims;
  };
  auto it = llvm::find_if(plan.ops, goesOverElements);
  return llvm::count_if(plan.ops, goesOverElements) == 1 &&
         it->getNumReductionLoops() > 0;
}

void KernelEmitter::emitHeldRows() {
  int64_t group = groupOfRow();
  Values counts(
      ArrayRef<Value>(extents[plan.ops.front()]).take_front(*plan.rowDims));
  counts.push_back(constant(plan.partials.empty() ? 1 : options.parts));
  if (group == options.threads)
    return emitHeldRowsOf(counts, block, Value());
  Value number = add(mul(block, constant(options.threads / group)),
                     div(thread, constant(group)));
  Value total = productOf(counts), isRow = less(number, total);
  if (group < int64_t(target::warpSize)) {
    // All lanes of a warp take part in its shuffles: those without a row go
    // along with the last one.
    Value last = b.createOrFold<arith::SubIOp>(loc, total, constant(1));
    number = b.createOrFold<arith::MinUIOp>(loc, number, last);
    return emitHeldRowsOf(counts, number, isRow);
  }
  auto guarded = scf::IfOp::create(b, loc, isRow, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(guarded.thenBlock());
  emitHeldRowsOf(counts, number, Value());
}

/// The row of this number. Threads for which `isRow` is set and false have
/// none: they read and write no element of it, and store no result.
void KernelEmitter::emitHeldRowsOf(const Values &counts, Value number,
                                   Value isRow) {
  int64_t group = groupOfRow();
  int64_t numParts = plan.partials.empty() ? 1 : options.parts;
  Share share = shareOfThread(group * numParts);
  Value lane = group == options.threads ? thread : rem(thread, constant(group));
  Value isInside = isInRegisters(share, group * numParts);
  Value isFirst = isZero(lane);
  if (isRow) {
    isFirst = b.createOrFold<arith::AndIOp>(loc, isFirst, isRow);
    for (LinalgOp op : plan.ops)
      if (op.getNumLoops() > *plan.rowDims)
        extents[op][*plan.rowDims] = b.createOrFold<arith::SelectOp>(
            loc, isRow, extents[op][*plan.rowDims], constant(0));
  }
  Values ivs = delinearize(number, counts);
  Value part = ivs.pop_back_val();
  Value place = add(mul(part, constant(group)), lane);
  RowGroup row{ivs,  isFirst,     group,      place, group * numParts,
               part, share.width, share.parts};
  // Of what is read but once, as much as would be held is under way together;
  // powers take registers beside it.
  bool isShifted = hasShiftedSum();
  if (isShifted || (!share.isEnough && isReadOnce())) {
    row.parts = 0;
    row.rounds =
        isShifted ? std::max<int64_t>(1, share.parts / 4) : share.parts;
    return emitHeldRow(row);
  }
  if (!share.isEnough)
    return emitHeldRow(row);
  // What is there for other rows alone takes registers and time.
  auto either = scf::IfOp::create(b, loc, isInside, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(either.thenBlock());
  row.isWhole = true;
  emitHeldRow(row);
  b.setInsertionPointToStart(either.elseBlock());
  row.isWhole = false;
  row.parts = 0;
  emitHeldRow(row);
}
