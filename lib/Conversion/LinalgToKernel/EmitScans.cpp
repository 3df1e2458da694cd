// Kernels of scans: a thread goes along, or a warp or a block does so by as
// many elements at a time as it has threads, each of which knows in the end
// what was combined before it.
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
  IRMapping map;
  for (OpOperand *input : op.getDpsInputOperands())
    if (BlockArgument arg = op.getMatchingBlockArgument(input);
        arg && !arg.use_empty())
      map.map(arg, read(op, *input, ivs));
  for (Operation &inner : op.getBlock()->without_terminator()) {
    if (&inner == scan.combiner)
      continue;
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      map.map(index.getResult(), ivs[index.getDim()]);
      continue;
    }
    b.clone(inner, map)->walk([&](linalg::IndexOp index) {
      index.replaceAllUsesWith(ivs[index.getDim()]);
      index.erase();
    });
  }
  return map.lookupOrDefault(scan.combiner->getOperand(scan.input));
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

void KernelEmitter::emitSharedScan(LinalgOp op, const Scan &scan, Values ivs) {
  const int64_t threads = threadsPerScan();
  const int64_t warps = threads / target::warpSize;
  Value lane = rem(thread, constant(target::warpSize));
  Value place = rem(thread, constant(threads));
  Value warp = div(place, constant(target::warpSize));
  Value neutral = arith::ConstantOp::create(
      b, loc, *arith::getNeutralElement(scan.combiner));
  Value extent = extents[op][scan.dim];
  Value totals;
  if (warps > 1)
    totals = createShared({warps}, neutral.getType());
  Value start = scanStart(op, scan, ivs);
  // All threads take every step, for they wait for each other in it.
  auto loop =
      scf::ForOp::create(b, loc, constant(0), extent, constant(threads), start);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value carried = loop.getRegionIterArg(0);
    Value at = add(loop.getInductionVar(), place);
    Value isInside = less(at, extent);
    ivs[scan.dim] = at;
    auto loaded = scf::IfOp::create(b, loc, TypeRange{neutral.getType()},
                                    isInside, /*withElseRegion=*/true);
    {
      OpBuilder::InsertionGuard inner(b);
      b.setInsertionPointToStart(loaded.thenBlock());
      scf::YieldOp::create(b, loc, scannedInput(op, scan, ivs));
      b.setInsertionPointToStart(loaded.elseBlock());
      scf::YieldOp::create(b, loc, neutral);
    }
    Value with = scanInWarp(scan, loaded.getResult(0), lane);
    // What comes before the warp's first element, and all of the step.
    Value before = carried, next;
    if (warps > 1) {
      Value isLast = b.createOrFold<arith::CmpIOp>(
          loc, arith::CmpIPredicate::eq, lane, constant(target::warpSize - 1));
      auto told = scf::IfOp::create(b, loc, isLast, /*withElseRegion=*/false);
      {
        OpBuilder::InsertionGuard inner(b);
        b.setInsertionPointToStart(told.thenBlock());
        memref::StoreOp::create(b, loc, with, totals, warp);
      }
      gpu::BarrierOp::create(b, loc);
      next = carried;
      for (int64_t i = 0; i < warps; ++i) {
        if (i > 0) {
          Value isBelow = b.createOrFold<arith::CmpIOp>(
              loc, arith::CmpIPredicate::uge, warp, constant(i));
          before = arith::SelectOp::create(b, loc, isBelow, next, before);
        }
        next = combine(scan.combiner, next,
                       memref::LoadOp::create(b, loc, totals, constant(i)));
      }
      // The next step's totals come into the same array.
      gpu::BarrierOp::create(b, loc);
    } else {
      next =
          combine(scan.combiner, carried,
                  shuffle(with, target::warpSize - 1, gpu::ShuffleMode::IDX));
    }
    Value whole = combine(scan.combiner, before, with);
    Value exclusive;
    if (llvm::is_contained(scan.isInclusive, false)) {
      Value isFirst = b.createOrFold<arith::CmpIOp>(
          loc, arith::CmpIPredicate::eq, lane, constant(0));
      exclusive = arith::SelectOp::create(
          b, loc, isFirst, before, shuffle(whole, 1, gpu::ShuffleMode::UP));
    }
    auto stored = scf::IfOp::create(b, loc, isInside, /*withElseRegion=*/false);
    {
      OpBuilder::InsertionGuard inner(b);
      b.setInsertionPointToStart(stored.thenBlock());
      storeScanned(op, scan, ivs, exclusive, whole);
    }
    scf::YieldOp::create(b, loc, next);
  }
  ivs[scan.dim] = constant(0);
  OpOperand &last = *op.getDpsInitOperand(scan.carried);
  if (isInternal(last.get()))
    return;
  Value isFirst = b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq,
                                                place, constant(0));
  auto told = scf::IfOp::create(b, loc, isFirst, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(told.thenBlock());
  store(last.get(), loop.getResult(0), indicesOf(op, last, ivs));
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
  Value id = div(add(mul(block, constant(options.threads)), thread),
                 constant(threadsPerScan()));
  // Warps and blocks are there as a whole, or not at all.
  auto guarded =
      scf::IfOp::create(b, loc, less(id, total), /*withElseRegion=*/false);
  b.setInsertionPointToStart(guarded.thenBlock());
  Values around = delinearize(id, counts), ivs(op.getNumLoops());
  for (unsigned dim = 0, next = 0; dim < op.getNumLoops(); ++dim)
    if (dim != scan.dim)
      ivs[dim] = around[next++];
  if (options.split == 0)
    emitSerialScan(op, scan, ivs);
  else
    emitSharedScan(op, scan, ivs);
}
