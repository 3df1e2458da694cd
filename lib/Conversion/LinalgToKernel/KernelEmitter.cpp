// What all kernels of linalg ops are made of: index arithmetic, accesses, the
// ops' regions, loops over what is reduced, and the launch itself.
#include "KernelEmitter.h"
#include "EmitAttention.h"
#include "EmitProducts.h"
#include "evo/Target/Warp.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace evo;
using linalg::LinalgOp;

KernelEmitter::KernelEmitter(KernelPlan given, const AbsorbedFills &fills,
                             const MapOptions &options)
    : plan(std::move(given)), fills(fills), options(options),
      b(plan.ops.back().getOperation()), loc(plan.ops.front().getLoc()) {}

Value KernelEmitter::constant(int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

Value KernelEmitter::add(Value lhs, Value rhs) {
  return b.createOrFold<arith::AddIOp>(loc, lhs, rhs);
}
Value KernelEmitter::mul(Value lhs, Value rhs) {
  return b.createOrFold<arith::MulIOp>(loc, lhs, rhs);
}
Value KernelEmitter::div(Value lhs, Value rhs) {
  return b.createOrFold<arith::DivUIOp>(loc, lhs, rhs);
}
Value KernelEmitter::rem(Value lhs, Value rhs) {
  return b.createOrFold<arith::RemUIOp>(loc, lhs, rhs);
}
Value KernelEmitter::ceilDiv(Value lhs, int64_t rhs) {
  if (rhs == 1)
    return lhs;
  return b.createOrFold<arith::CeilDivUIOp>(loc, lhs, constant(rhs));
}
Value KernelEmitter::less(Value lhs, Value rhs) {
  return b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, lhs,
                                       rhs);
}

KernelEmitter::Values KernelEmitter::delinearize(Value id,
                                                 ArrayRef<Value> counts) {
  Values result(counts.size());
  for (unsigned i = counts.size(); i-- > 0;) {
    result[i] = i == 0 ? id : rem(id, counts[i]);
    if (i > 0)
      id = div(id, counts[i]);
  }
  return result;
}

KernelEmitter::Values KernelEmitter::indicesOf(LinalgOp op, OpOperand &operand,
                                               ArrayRef<Value> ivs) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  SmallVector<OpFoldResult> operands(ivs.begin(), ivs.end());
  Values result;
  for (unsigned i = 0; i < map.getNumResults(); ++i)
    result.push_back(getValueOrCreateConstantIndexOp(
        b, loc,
        affine::makeComposedFoldedAffineApply(b, loc, map.getSubMap({i}),
                                              operands)));
  return result;
}

Value KernelEmitter::read(LinalgOp op, OpOperand &operand,
                          ArrayRef<Value> ivs) {
  Value buffer = operand.get();
  if (!isa<MemRefType>(buffer.getType()))
    return buffer;
  if (Value value = staged.lookup(&operand))
    return value;
  if (auto it = known.find(buffer); it != known.end())
    return it->second.value;
  Values indices = indicesOf(op, operand, ivs);
  if (Value array = shared.lookup(buffer)) {
    indices.erase(indices.begin(), indices.begin() + *plan.rowDims);
    return memref::LoadOp::create(b, loc, array, indices);
  }
  return memref::LoadOp::create(b, loc, buffer, indices);
}

void KernelEmitter::store(Value buffer, Value value, ArrayRef<Value> indices) {
  if (Value array = shared.lookup(buffer)) {
    indices = indices.drop_front(*plan.rowDims);
    buffer = array;
  }
  memref::StoreOp::create(b, loc, value, buffer, indices);
}

KernelEmitter::Values KernelEmitter::compute(LinalgOp op, ArrayRef<Value> ivs,
                                             ValueRange results) {
  IRMapping map;
  Block *body = op.getBlock();
  for (OpOperand *input : op.getDpsInputOperands())
    if (BlockArgument arg = op.getMatchingBlockArgument(input);
        arg && !arg.use_empty())
      map.map(arg, read(op, *input, ivs));
  for (auto [i, output] : llvm::enumerate(op.getDpsInitsMutable()))
    if (BlockArgument arg = op.getMatchingBlockArgument(&output);
        arg && !arg.use_empty())
      map.map(arg, results[i]);
  for (Operation &inner : body->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      map.map(index.getResult(), ivs[index.getDim()]);
      continue;
    }
    // An index may also be asked for in a branch.
    b.clone(inner, map)->walk([&](linalg::IndexOp index) {
      index.replaceAllUsesWith(ivs[index.getDim()]);
      index.erase();
    });
  }
  Values yielded;
  for (Value value : body->getTerminator()->getOperands())
    yielded.push_back(map.lookupOrDefault(value));
  return yielded;
}

/// Whether loops over what is reduced may have no step.
static bool mayReduceNothing(LinalgOp op) {
  SmallVector<unsigned> dims;
  op.getReductionDims(dims);
  const SmallVector<int64_t> extents = op.getStaticLoopRanges();
  return llvm::any_of(dims, [&](unsigned dim) {
    return ShapedType::isDynamic(extents[dim]) || extents[dim] <= 0;
  });
}

KernelEmitter::Values KernelEmitter::initialValues(LinalgOp op,
                                                   ArrayRef<Value> ivs) {
  Values results;
  SmallVector<linalg::FillOp> filled = fills.find(op)->second;
  for (auto [i, output] : llvm::enumerate(op.getDpsInitsMutable())) {
    BlockArgument arg = op.getMatchingBlockArgument(&output);
    bool isRead = arg && !arg.use_empty();
    if (filled[i])
      results.push_back(filled[i].getInputs()[0]);
    else if (isRead || mayReduceNothing(op))
      results.push_back(read(op, output, ivs));
    else if (op.getNumReductionLoops() > 0) // each step overwrites it
      results.push_back(arith::ConstantOp::create(
          b, loc, b.getZeroAttr(getElementTypeOrSelf(output.get().getType()))));
    else
      results.push_back(Value());
  }
  return results;
}

KernelEmitter::Values KernelEmitter::neutralValues(LinalgOp op) {
  Values results;
  for (Operation *combiner : getCombiners(op))
    results.push_back(
        arith::ConstantOp::create(b, loc, *arith::getNeutralElement(combiner)));
  return results;
}

KernelEmitter::Values KernelEmitter::reduce(LinalgOp op,
                                            MutableArrayRef<Values> points,
                                            Values results, Value first,
                                            int64_t step) {
  SmallVector<unsigned> dims;
  op.getReductionDims(dims);
  Value zero = constant(0), one = constant(1);
  Value stride = step == 1 ? one : constant(step);
  SmallVector<scf::ForOp> loops;
  OpBuilder::InsertionGuard guard(b);
  // Loops over what is reduced carry the results, outermost first.
  for (unsigned dim : dims) {
    bool innermost = dim == dims.back();
    auto loop =
        scf::ForOp::create(b, loc, innermost && first ? first : zero,
                           extents[op][dim], innermost ? stride : one, results);
    loops.push_back(loop);
    for (Values &point : points)
      point[dim] = loop.getInductionVar();
    results.assign(loop.getRegionIterArgs().begin(),
                   loop.getRegionIterArgs().end());
    b.setInsertionPointToStart(loop.getBody());
  }
  unsigned count = op.getNumDpsInits();
  Values next;
  for (auto [i, point] : llvm::enumerate(points))
    llvm::append_range(
        next,
        compute(op, point, ArrayRef<Value>(results).slice(i * count, count)));
  for (scf::ForOp loop : llvm::reverse(loops)) {
    b.setInsertionPointToEnd(loop.getBody());
    scf::YieldOp::create(b, loc, next);
    next.assign(loop.getResults().begin(), loop.getResults().end());
  }
  return next;
}

void KernelEmitter::remember(LinalgOp op, ArrayRef<Value> ivs,
                             ValueRange values) {
  for (auto [i, output] : llvm::enumerate(op.getDpsInitsMutable())) {
    // The last writer decides.
    known.erase(output.get());
    known[output.get()] = {values[i], indicesOf(op, output, ivs)};
  }
}

bool KernelEmitter::isInternal(Value buffer) {
  Operation *alloc = getRootBuffer(buffer).getDefiningOp();
  return isa_and_nonnull<memref::AllocOp, memref::AllocaOp>(alloc) &&
         isUsedHereAlone(alloc->getResult(0));
}

bool KernelEmitter::isUsedHereAlone(Value buffer) {
  return llvm::all_of(buffer.getUsers(), [&](Operation *user) {
    if (isa<memref::DimOp, memref::DeallocOp>(user))
      return true;
    if (isa<memref::CollapseShapeOp, memref::ExpandShapeOp>(user))
      return isUsedHereAlone(user->getResult(0));
    auto fill = dyn_cast<linalg::FillOp>(user);
    return llvm::any_of(plan.ops, [&](LinalgOp op) {
      return op.getOperation() == user ||
             (fill && llvm::is_contained(fills.find(op)->second, fill));
    });
  });
}

void KernelEmitter::storeKnown() {
  for (auto &[buffer, result] : known)
    if (!isInternal(buffer))
      store(buffer, result.value, result.indices);
}

bool KernelEmitter::usesWarps() {
  LinalgOp op = plan.ops.front();
  return options.split == 1 && op.getNumReductionLoops() > 0 &&
         !getCombiners(op).empty();
}

/// A value computed on the host's side of the launch, made again inside: then
/// only buffers and scalars are handed over. A load is made again only where
/// nothing writes the buffer in between.
static bool canSink(Operation *op, Operation *launch) {
  if (isMemoryEffectFree(op) && op->getNumRegions() == 0)
    return true;
  if (isa<memref::GetGlobalOp>(op))
    return true;
  auto load = dyn_cast<memref::LoadOp>(op);
  if (!load || op->getBlock() != launch->getBlock())
    return false;
  Value root = getRootBuffer(load.getMemref());
  for (Operation *next = op->getNextNode(); next && next != launch;
       next = next->getNextNode())
    if (isa<gpu::LaunchOp>(next) ||
        llvm::any_of(next->getOperands(), [&](Value operand) {
          return isa<MemRefType>(operand.getType()) &&
                 getRootBuffer(operand) == root && !isMemoryEffectFree(next) &&
                 !isa<memref::LoadOp>(next);
        }))
      return false;
  return true;
}

static void sinkValues(gpu::LaunchOp launch) {
  OpBuilder b = OpBuilder::atBlockBegin(&launch.getBody().front());
  Region &body = launch.getBody();
  IRMapping copies;
  std::function<void(Value)> sink = [&](Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || body.isAncestor(op->getParentRegion()) ||
        copies.contains(value) || !canSink(op, launch))
      return;
    for (Value operand : op->getOperands())
      sink(operand);
    b.clone(*op, copies);
  };
  SmallVector<Operation *> ops;
  for (Operation &op : body.front())
    op.walk([&](Operation *inner) { ops.push_back(inner); });
  for (Operation *op : ops)
    for (OpOperand &operand : op->getOpOperands()) {
      sink(operand.get());
      if (Value copy = copies.lookupOrNull(operand.get()))
        operand.set(copy);
    }
}

void KernelEmitter::run() {
  for (LinalgOp op : plan.ops)
    for (Range range : op.createLoopRanges(b, loc))
      extents[op].push_back(
          getValueOrCreateConstantIndexOp(b, loc, range.size));
  Value one = constant(1), threads = constant(options.threads), blocks = one;
  Value bytes; // of dynamic shared memory
  bool isPartial = !plan.partials.empty();
  std::optional<Scan> scan = matchScan(plan.ops.front());
  std::optional<Attending> attending;
  if (plan.attention)
    attending.emplace(*this, *plan.attention);
  std::optional<Staging> pipelined;
  if (!attending)
    pipelined = getPipelined();
  std::optional<Pipeline> pipeline;
  if (pipelined)
    pipeline.emplace(*this, *pipelined);
  std::optional<Scattering> scattering = getScattering();
  std::optional<Staging> staging = getStaging();
  std::optional<Crossing> crossing = getCrossing();
  bool isHeld = holdsRows();
  int64_t width = vectorWidth();
  if (scan) {
    for (auto [dim, extent] : llvm::enumerate(extents[plan.ops.front()]))
      if (dim != scan->dim)
        blocks = mul(blocks, extent);
    if (plan.totals)
      blocks = mul(blocks, constant(options.parts));
    blocks = ceilDiv(mul(blocks, constant(threadsPerScan())), options.threads);
  } else if (scattering) {
    for (Value count : scatterCounts(*scattering))
      blocks = mul(blocks, count);
    blocks = ceilDiv(blocks, options.threads);
  } else if (attending) {
    for (Value count : attending->countBlocks())
      blocks = mul(blocks, count);
    threads = constant(attending->countThreads());
    bytes =
        arith::ConstantIntOp::create(b, loc, attending->countSharedBytes(), 32);
  } else if (pipeline) {
    for (Value count : pipeline->countBlocks())
      blocks = mul(blocks, count);
    threads = constant(pipeline->countThreads());
    bytes =
        arith::ConstantIntOp::create(b, loc, pipeline->countSharedBytes(), 32);
  } else if (staging) {
    blocks = countTiles(*staging);
  } else if (crossing) {
    blocks = countTiles(*crossing);
  } else if (plan.rowDims) {
    for (Value extent :
         ArrayRef<Value>(extents[plan.ops.front()]).take_front(*plan.rowDims))
      blocks = mul(blocks, extent);
    if (isPartial)
      blocks = mul(blocks, constant(options.parts));
    if (hasColumns())
      blocks = constant(options.parts);
    else if (isHeld)
      blocks = ceilDiv(blocks, options.threads / groupOfRow());
  } else if (width > 1) {
    for (Value count : vectorCounts(width))
      blocks = mul(blocks, count);
    blocks = ceilDiv(blocks, options.threads);
  } else {
    LinalgOp op = plan.ops.front();
    if (op.getNumParallelLoops() == 0 && !usesWarps() && !isPartial)
      threads = one;
    for (Value count : elementCounts())
      blocks = mul(blocks, count);
    blocks =
        ceilDiv(usesWarps() ? mul(blocks, constant(target::warpSize)) : blocks,
                threads == one ? 1 : options.threads);
  }
  auto launch =
      gpu::LaunchOp::create(b, loc, blocks, one, one, threads, one, one, bytes);
  if ((pipeline || attending) && options.product.resident > 1)
    launch->setAttr("evo.resident",
                    b.getI32IntegerAttr(options.product.resident));
  b.setInsertionPointToEnd(&launch.getBody().front());
  auto terminator = gpu::TerminatorOp::create(b, loc);
  b.setInsertionPoint(terminator);
  thread = launch.getThreadIds().x;
  block = launch.getBlockIds().x;
  if (scan)
    emitScan(*scan);
  else if (scattering)
    emitScatter(*scattering);
  else if (attending)
    attending->emit();
  else if (pipeline)
    pipeline->emit();
  else if (staging)
    emitTiles(*staging);
  else if (crossing)
    emitCrossing(*crossing);
  else if (hasColumns())
    emitRowsWithColumns();
  else if (isHeld)
    emitHeldRows();
  else if (plan.rowDims)
    emitRow();
  else if (width > 1)
    emitVectors(width);
  else
    emitElements(launch);
  sinkValues(launch);
}
