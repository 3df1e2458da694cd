// Kernels of scans: a thread goes along, or a warp or a block does so by
// rounds, in which each of its threads has neighbouring elements, several
// times. It combines its own, then knows what the threads before it have, by
// shuffles in its warp and shared memory beyond that, once a round. Where many
// blocks share a scan, a kernel before tells what the part of each comes to.
#include "KernelEmitter.h"
#include "evo/Target/Warp.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace evo;
using linalg::LinalgOp;

int64_t KernelEmitter::threadsPerScan() {
  return options.split == 0   ? 1
         : options.split == 1 ? target::warpSize
                              : options.threads;
}

/// What the first element is combined with.
Value KernelEmitter::scanStart(LinalgOp op, const Scan &scan, Values ivs) {
  if (linalg::FillOp fill = fills.find(op)->second[scan.carried])
    return fill.getInputs()[0];
  ivs[scan.dim] = constant(0); // which its map does not use
  return read(op, *op.getDpsInitOperand(scan.carried), ivs);
}

/// What is combined with all before it, at a point.
Value KernelEmitter::scannedInput(LinalgOp op, const Scan &scan,
                                  const Values &ivs) {
  IRMapping known;
  return evaluate(op, scan.combiner->getOperand(scan.input), ivs, known);
}

/// Writes the results of a step: `with` is combined with its element, `before`
/// is not.
void KernelEmitter::storeScanned(LinalgOp op, const Scan &scan,
                                 const Values &ivs, Value before, Value with) {
  for (auto [i, output] : llvm::enumerate(op.getDpsInitsMutable()))
    if (i != scan.carried)
      store(output.get(), scan.isInclusive[i] ? with : before,
            indicesOf(op, output, ivs));
}

void KernelEmitter::emitSerialScan(LinalgOp op, const Scan &scan, Values ivs) {
  Value start = scanStart(op, scan, ivs);
  auto loop = scf::ForOp::create(b, loc, constant(0), extents[op][scan.dim],
                                 constant(1), start);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    ivs[scan.dim] = loop.getInductionVar();
    Value before = loop.getRegionIterArg(0);
    Value with = combine(scan.combiner, before, scannedInput(op, scan, ivs));
    storeScanned(op, scan, ivs, before, with);
    scf::YieldOp::create(b, loc, with);
  }
  ivs[scan.dim] = constant(0);
  OpOperand &last = *op.getDpsInitOperand(scan.carried);
  if (!isInternal(last.get()))
    store(last.get(), loop.getResult(0), indicesOf(op, last, ivs));
}

/// Of the values of a warp, in the order of its lanes, all up to the own one.
Value KernelEmitter::scanInWarp(const Scan &scan, Value value, Value lane) {
  for (int32_t distance = 1; distance < int32_t(target::warpSize);
       distance *= 2) {
    Value other = shuffle(value, distance, gpu::ShuffleMode::UP);
    Value isAlone = less(lane, constant(distance));
    value = arith::SelectOp::create(b, loc, isAlone, value,
                                    combine(scan.combiner, other, value));
  }
  return value;
}

/// What each thread of a scan has of a round: neighbours, so many times.
KernelEmitter::ScanRound KernelEmitter::roundOfScan(LinalgOp op,
                                                    const Scan &scan) {
  const int64_t threads = threadsPerScan();
  // Where nothing is there nothing may be computed, or where places are looked
  // up: one by one.
  if (!isComputedAnywhere(op))
    return {1, 1};
  int64_t width = countLanes(op, scan.dim);
  for (auto [i, output] : llvm::enumerate(op.getDpsInitsMutable()))
    if (i != scan.carried && !liesAlong(op, output, scan.dim))
      width = 1;
  // What all warps of all parts come to is one warp's.
  constexpr int64_t maxHeld = 64;
  int64_t parts = std::clamp<int64_t>(options.hold, 1, maxHeld / width);
  if (threads > int64_t(target::warpSize))
    parts = std::min<int64_t>(
        parts, std::max<int64_t>(1, int64_t(target::warpSize) *
                                        int64_t(target::warpSize) / threads));
  if (std::optional<int64_t> extent = expectedExtent(extents[op][scan.dim]))
    parts = std::clamp<int64_t>(
        llvm::divideCeil(*extent,
                         (plan.totals ? options.parts : 1) * threads * width),
        1, parts);
  return {width, parts};
}

/// The inputs of a round's part, a value per lane; neutral ones after the last.
KernelEmitter::Values KernelEmitter::scannedInputs(LinalgOp op,
                                                   const Scan &scan,
                                                   const Lanes &lanes,
                                                   Value neutral) {
  Values values;
  if (!isComputedAnywhere(op)) {
    auto loaded = scf::IfOp::create(b, loc, TypeRange{neutral.getType()},
                                    lanes.inside, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loaded.thenBlock());
    scf::YieldOp::create(b, loc, scannedInput(op, scan, lanes.ivs));
    b.setInsertionPointToStart(loaded.elseBlock());
    scf::YieldOp::create(b, loc, neutral);
    return {loaded.getResult(0)};
  }
  // Those who have none read the last ones, and drop them: a branch around each
  // would wait for one before the next is asked for.
  Lanes there = lanes;
  there.inside = Value();
  Value last = b.createOrFold<arith::SubIOp>(loc, extents[op][scan.dim],
                                             constant(lanes.width));
  there.ivs[scan.dim] =
      b.createOrFold<arith::MinUIOp>(loc, lanes.ivs[scan.dim], last);
  Loaded loaded = load(op, there);
  for (int64_t lane = 0; lane < lanes.width; ++lane) {
    for (const auto &[operand, all] : loaded)
      staged[operand] = all[lane];
    values.push_back(b.createOrFold<arith::SelectOp>(
        loc, lanes.inside, scannedInput(op, scan, pointOf(there, lane)),
        neutral));
    for (const auto &entry : loaded)
      staged.erase(entry.first);
  }
  return values;
}

/// Of what comes before each part of a round, and after all of them: `totals`
/// are of this thread's warp, part by part, up to each lane.
KernelEmitter::Values KernelEmitter::valuesBefore(const Scan &scan,
                                                  Value carried,
                                                  ArrayRef<Value> totals,
                                                  Value array) {
  const int64_t threads = threadsPerScan();
  const int64_t warps = threads / target::warpSize;
  const int64_t last = target::warpSize - 1;
  Values before{carried};
  if (warps == 1) {
    for (Value total : totals)
      before.push_back(combine(scan.combiner, before.back(),
                               shuffle(total, last, gpu::ShuffleMode::IDX)));
    return before;
  }
  Value lane = rem(thread, constant(target::warpSize));
  Value warp = div(rem(thread, constant(threads)), constant(target::warpSize));
  const int64_t count = warps * totals.size();
  Value isLast = b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq,
                                               lane, constant(last));
  auto told = scf::IfOp::create(b, loc, isLast, /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard inner(b);
    b.setInsertionPointToStart(told.thenBlock());
    for (auto [i, total] : llvm::enumerate(totals))
      memref::StoreOp::create(b, loc, total, array,
                              add(constant(i * warps), warp));
  }
  gpu::BarrierOp::create(b, loc);
  // Every warp scans them all. Lanes that have none repeat the last one.
  Value place = b.createOrFold<arith::MinUIOp>(loc, lane, constant(count - 1));
  Value scanned =
      scanInWarp(scan, memref::LoadOp::create(b, loc, array, place), lane);
  before.clear();
  for (size_t i = 0; i < totals.size(); ++i) {
    Value number = add(constant(i * warps), warp);
    Value isFirst = b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq,
                                                  number, constant(0));
    Value former = b.createOrFold<arith::SelectOp>(
        loc, isFirst, constant(0),
        b.createOrFold<arith::SubIOp>(loc, number, constant(1)));
    Value sum = combine(scan.combiner, carried,
                        shuffle(scanned, arith::IndexCastOp::create(
                                             b, loc, b.getI32Type(), former)));
    before.push_back(arith::SelectOp::create(b, loc, isFirst, carried, sum));
  }
  before.push_back(combine(scan.combiner, carried,
                           shuffle(scanned, count - 1, gpu::ShuffleMode::IDX)));
  return before;
}

/// Goes along by rounds, the first of which `start` comes before; what all of
/// them come to.
Value KernelEmitter::scanByRounds(LinalgOp op, const Scan &scan,
                                  const Values &ivs, const Segment &segment,
                                  Value start, ScanRound round) {
  const int64_t threads = threadsPerScan();
  const int64_t warps = threads / target::warpSize;
  Value lane = rem(thread, constant(target::warpSize));
  Value place = rem(thread, constant(threads));
  Value neutral = arith::ConstantOp::create(
      b, loc, *arith::getNeutralElement(scan.combiner));
  Value array;
  if (warps > 1)
    array = createShared({warps * round.parts}, neutral.getType());
  // All threads take every step, for they wait for each other in it.
  auto loop =
      scf::ForOp::create(b, loc, segment.first, segment.end,
                         constant(threads * round.width * round.parts), start);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<Lanes> parts;
  SmallVector<Values> values;
  for (int64_t part = 0; part < round.parts; ++part) {
    Lanes lanes{ivs, scan.dim, round.width, Value()};
    lanes.ivs[scan.dim] =
        add(loop.getInductionVar(),
            mul(add(place, constant(part * threads)), constant(round.width)));
    lanes.inside = less(lanes.ivs[scan.dim], segment.end);
    parts.push_back(lanes);
    values.push_back(scannedInputs(op, scan, lanes, neutral));
  }
  Values totals;
  for (Values &own : values) {
    for (int64_t i = 1; i < round.width; ++i)
      own[i] = combine(scan.combiner, own[i - 1], own[i]);
    totals.push_back(scanInWarp(scan, own.back(), lane));
  }
  Values before = valuesBefore(scan, loop.getRegionIterArg(0), totals, array);
  Value isFirst = b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq,
                                                lane, constant(0));
  for (int64_t part = 0; part < round.parts; ++part) {
    // Before this thread's first neighbour.
    Value sum = combine(scan.combiner, before[part],
                        shuffle(totals[part], 1, gpu::ShuffleMode::UP));
    sum = arith::SelectOp::create(b, loc, isFirst, before[part], sum);
    Values exclusive, inclusive;
    for (Value own : values[part]) {
      exclusive.push_back(inclusive.empty() ? sum : inclusive.back());
      inclusive.push_back(combine(scan.combiner, sum, own));
    }
    for (auto [i, output] : llvm::enumerate(op.getDpsInitsMutable()))
      if (i != scan.carried)
        storeLanes(op, output, parts[part],
                   scan.isInclusive[i] ? inclusive : exclusive);
  }
  // The next round's totals come into the same array.
  if (warps > 1)
    gpu::BarrierOp::create(b, loc);
  scf::YieldOp::create(b, loc, before.back());
  return loop.getResult(0);
}

/// What a segment comes to, for all threads.
Value KernelEmitter::reduceByRounds(LinalgOp op, const Scan &scan,
                                    const Values &ivs, const Segment &segment,
                                    ScanRound round) {
  Value place = rem(thread, constant(options.threads));
  Value neutral = arith::ConstantOp::create(
      b, loc, *arith::getNeutralElement(scan.combiner));
  auto loop =
      scf::ForOp::create(b, loc, segment.first, segment.end,
                         constant(options.threads * round.width * round.parts),
                         Values(round.width, neutral));
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    SmallVector<Values> values;
    for (int64_t part = 0; part < round.parts; ++part) {
      Lanes lanes{ivs, scan.dim, round.width, Value()};
      lanes.ivs[scan.dim] =
          add(loop.getInductionVar(),
              mul(add(place, constant(part * options.threads)),
                  constant(round.width)));
      lanes.inside = less(lanes.ivs[scan.dim], segment.end);
      values.push_back(scannedInputs(op, scan, lanes, neutral));
    }
    Values sums(loop.getRegionIterArgs());
    for (const Values &own : values)
      for (auto [sum, value] : llvm::zip_equal(sums, own))
        sum = combine(scan.combiner, sum, value);
    scf::YieldOp::create(b, loc, sums);
  }
  Value sum = loop.getResult(0);
  for (Value other : loop.getResults().drop_front())
    sum = combine(scan.combiner, sum, other);
  return reduceInBlock(scan.combiner, sum);
}

Value KernelEmitter::byVectorsOrElements(LinalgOp op, const Scan &scan,
                                         Type type,
                                         function_ref<Value(ScanRound)> body) {
  ScanRound round = roundOfScan(op, scan);
  if (round.width == 1)
    return body(round);
  Value extent = extents[op][scan.dim];
  Value isWhole = b.createOrFold<arith::CmpIOp>(
      loc, arith::CmpIPredicate::eq, endOfVectors(extent, round.width), extent);
  auto either = scf::IfOp::create(b, loc, TypeRange{type}, isWhole,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(either.thenBlock());
  scf::YieldOp::create(b, loc, body(round));
  b.setInsertionPointToStart(either.elseBlock());
  round.width = 1;
  scf::YieldOp::create(b, loc, body(round));
  return either.getResult(0);
}

/// Segments are whole numbers of vectors.
KernelEmitter::Segment KernelEmitter::segmentOf(LinalgOp op, const Scan &scan,
                                                Value part) {
  Value extent = extents[op][scan.dim];
  if (!part)
    return {constant(0), extent};
  int64_t width = roundOfScan(op, scan).width;
  Value length = mul(ceilDiv(extent, options.parts * width), constant(width));
  auto within = [&](Value place) {
    return b.createOrFold<arith::MinUIOp>(loc, place, extent);
  };
  return {within(mul(part, length)),
          within(mul(add(part, constant(1)), length))};
}

void KernelEmitter::emitTotals(LinalgOp op, const Scan &scan, Values ivs,
                               Value part) {
  Segment segment = segmentOf(op, scan, part);
  Value total = byVectorsOrElements(
      op, scan, scan.combiner->getResult(0).getType(), [&](ScanRound round) {
        return reduceByRounds(op, scan, ivs, segment, round);
      });
  Value isFirst = b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq,
                                                thread, constant(0));
  auto stored = scf::IfOp::create(b, loc, isFirst, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(stored.thenBlock());
  ivs.erase(ivs.begin() + scan.dim);
  ivs.push_back(part);
  memref::StoreOp::create(b, loc, total, plan.totals, ivs);
}

/// `start` with what all parts before this one come to.
Value KernelEmitter::startOfPart(const Scan &scan, const Values &around,
                                 Value part, Value start) {
  Value neutral = arith::ConstantOp::create(
      b, loc, *arith::getNeutralElement(scan.combiner));
  auto loop = scf::ForOp::create(b, loc, thread, part,
                                 constant(options.threads), neutral);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Values indices = around;
    indices.push_back(loop.getInductionVar());
    Value total = memref::LoadOp::create(b, loc, plan.totals, indices);
    scf::YieldOp::create(
        b, loc, combine(scan.combiner, loop.getRegionIterArg(0), total));
  }
  return combine(scan.combiner, start,
                 reduceInBlock(scan.combiner, loop.getResult(0)));
}

/// One part of a scan, or all of it.
void KernelEmitter::emitSharedScan(LinalgOp op, const Scan &scan, Values ivs,
                                   Value part) {
  Value start = scanStart(op, scan, ivs);
  if (part) {
    Values around = ivs;
    around.erase(around.begin() + scan.dim);
    start = startOfPart(scan, around, part, start);
  }
  Segment segment = segmentOf(op, scan, part);
  Value all =
      byVectorsOrElements(op, scan, start.getType(), [&](ScanRound round) {
        return scanByRounds(op, scan, ivs, segment, start, round);
      });
  ivs[scan.dim] = constant(0);
  OpOperand &last = *op.getDpsInitOperand(scan.carried);
  if (isInternal(last.get()))
    return;
  Value place = rem(thread, constant(threadsPerScan()));
  Value isFirst = b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq,
                                                place, constant(0));
  if (part)
    isFirst = b.createOrFold<arith::AndIOp>(
        loc, isFirst,
        b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, part,
                                      constant(options.parts - 1)));
  auto told = scf::IfOp::create(b, loc, isFirst, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(told.thenBlock());
  store(last.get(), all, indicesOf(op, last, ivs));
}

void KernelEmitter::emitScan(const Scan &scan) {
  LinalgOp op = plan.ops.front();
  Values counts;
  Value total = constant(1);
  for (auto [dim, extent] : llvm::enumerate(extents[op]))
    if (dim != scan.dim) {
      counts.push_back(extent);
      total = mul(total, extent);
    }
  if (plan.totals) {
    counts.push_back(constant(options.parts));
    total = mul(total, counts.back());
  }
  Value id = div(add(mul(block, constant(options.threads)), thread),
                 constant(threadsPerScan()));
  // Warps and blocks are there as a whole, or not at all.
  auto guarded =
      scf::IfOp::create(b, loc, less(id, total), /*withElseRegion=*/false);
  b.setInsertionPointToStart(guarded.thenBlock());
  Values around = delinearize(id, counts), ivs(op.getNumLoops());
  Value part = plan.totals ? around.pop_back_val() : Value();
  for (unsigned dim = 0, next = 0; dim < op.getNumLoops(); ++dim)
    if (dim != scan.dim)
      ivs[dim] = around[next++];
  if (plan.fillsTotals)
    emitTotals(op, scan, ivs, part);
  else if (options.split == 0)
    emitSerialScan(op, scan, ivs);
  else
    emitSharedScan(op, scan, ivs, part);
}
