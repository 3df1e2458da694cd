// Kernels in which a block does a row: op after op, with barriers where one
// reads what other threads wrote. A value per row stays in registers.
#include "KernelEmitter.h"
#include "evo/Target/Warp.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace evo;
using linalg::LinalgOp;

Value KernelEmitter::combine(Operation *combiner, Value lhs, Value rhs) {
  Operation *copy = b.clone(*combiner);
  copy->setOperands({lhs, rhs});
  return copy->getResult(0);
}

/// Shuffles move 32 bits: what is wider goes by halves, and what is narrower is
/// widened, which loses nothing.
Value KernelEmitter::shuffle(Value value, int32_t by, gpu::ShuffleMode mode) {
  return shuffleWords(value, [&](Value word) -> Value {
    return gpu::ShuffleOp::create(b, loc, word, by, target::warpSize, mode)
        .getShuffleResult();
  });
}

Value KernelEmitter::shuffle(Value value, Value lane) {
  Value width = arith::ConstantIntOp::create(b, loc, target::warpSize, 32);
  return shuffleWords(value, [&](Value word) -> Value {
    return gpu::ShuffleOp::create(b, loc, word, lane, width,
                                  gpu::ShuffleMode::IDX)
        .getShuffleResult();
  });
}

Value KernelEmitter::shuffleWords(Value value,
                                  function_ref<Value(Value)> shuffleWord) {
  Type type = value.getType();
  unsigned bits = type.getIntOrFloatBitWidth();
  if (bits == 32)
    return shuffleWord(value);
  Type integer = b.getIntegerType(bits), word = b.getI32Type();
  Value whole = isa<FloatType>(type)
                    ? arith::BitcastOp::create(b, loc, integer, value)
                    : value;
  Value other;
  if (bits == 64) {
    Value half =
        arith::ConstantOp::create(b, loc, b.getIntegerAttr(integer, 32));
    auto part = [&](Value from) -> Value {
      Value narrow = arith::TruncIOp::create(b, loc, word, from);
      return arith::ExtUIOp::create(b, loc, integer, shuffleWord(narrow));
    };
    Value low = part(whole);
    Value high = part(arith::ShRUIOp::create(b, loc, whole, half));
    other = arith::OrIOp::create(
        b, loc, arith::ShLIOp::create(b, loc, high, half), low);
  } else {
    Value wide = arith::ExtUIOp::create(b, loc, word, whole);
    other = arith::TruncIOp::create(b, loc, integer, shuffleWord(wide));
  }
  return isa<FloatType>(type) ? arith::BitcastOp::create(b, loc, type, other)
                              : other;
}

Value KernelEmitter::reduceInWarp(Operation *combiner, Value value,
                                  int64_t lanes) {
  for (int32_t distance = lanes / 2; distance > 0; distance /= 2)
    value = combine(combiner, value,
                    shuffle(value, distance, gpu::ShuffleMode::XOR));
  return value;
}

static MemRefType sharedType(ArrayRef<int64_t> shape, Type element) {
  auto space = gpu::AddressSpaceAttr::get(element.getContext(),
                                          gpu::AddressSpace::Workgroup);
  return MemRefType::get(shape, element, MemRefLayoutAttrInterface(),
                         Attribute(space));
}

Value KernelEmitter::createShared(ArrayRef<int64_t> shape, Type element) {
  return memref::AllocaOp::create(b, loc, sharedType(shape, element));
}

Value KernelEmitter::viewShared(ArrayRef<int64_t> shape, Type element,
                                int64_t offset) {
  Value memory = gpu::DynamicSharedMemoryOp::create(
      b, loc, sharedType({ShapedType::kDynamic}, b.getI8Type()));
  return memref::ViewOp::create(b, loc, sharedType(shape, element), memory,
                                constant(offset), ValueRange());
}

Value KernelEmitter::reduceInBlock(Operation *combiner, Value value) {
  value = reduceInWarp(combiner, value, target::warpSize);
  int64_t warps = options.threads / target::warpSize;
  if (warps == 1)
    return value;
  Value array = createShared({warps}, value.getType());
  Value lane = rem(thread, constant(target::warpSize)),
        warp = div(thread, constant(target::warpSize));
  auto first =
      scf::IfOp::create(b, loc, isZero(lane), /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(first.thenBlock());
    memref::StoreOp::create(b, loc, value, array, warp);
  }
  gpu::BarrierOp::create(b, loc);
  reads.clear();
  writes.clear();
  Value total = memref::LoadOp::create(b, loc, array, constant(0));
  for (int64_t i = 1; i < warps; ++i)
    total = combine(combiner, total,
                    memref::LoadOp::create(b, loc, array, constant(i)));
  return total;
}

void KernelEmitter::placeInSharedMemory() {
  // Static arrays of a block are limited, and more of them is less occupancy.
  int64_t left = 24 * 1024;
  for (LinalgOp op : plan.ops)
    for (OpOperand &output : op.getDpsInitsMutable()) {
      Value buffer = output.get();
      auto type = cast<MemRefType>(buffer.getType());
      ArrayRef<int64_t> shape = type.getShape().drop_front(
          std::min<size_t>(*plan.rowDims, type.getRank()));
      if (shape.empty() || shared.contains(buffer) || !isInternal(buffer) ||
          ShapedType::isDynamicShape(shape))
        continue;
      int64_t bytes = ShapedType::getNumElements(shape) *
                      llvm::divideCeil(type.getElementTypeBitWidth(), 8);
      if (bytes > left)
        continue;
      left -= bytes;
      shared[buffer] = createShared(shape, type.getElementType());
    }
}

/// A barrier where `op` touches what other threads wrote, or writes what they
/// may still read.
void KernelEmitter::synchronize(LinalgOp op) {
  llvm::SmallPtrSet<Value, 4> ownReads, ownWrites;
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get();
    if (!isa<MemRefType>(value.getType()))
      continue;
    BlockArgument arg = op.getMatchingBlockArgument(&operand);
    if (op.isDpsInit(&operand))
      ownWrites.insert(getRootBuffer(value));
    if (arg && !arg.use_empty() && !known.count(value))
      ownReads.insert(getRootBuffer(value));
  }
  bool conflicts =
      llvm::any_of(ownReads, [&](Value root) { return writes.contains(root); });
  conflicts |= llvm::any_of(ownWrites, [&](Value root) {
    return writes.contains(root) || reads.contains(root);
  });
  if (conflicts) {
    gpu::BarrierOp::create(b, loc);
    reads.clear();
    writes.clear();
  }
  reads.insert(ownReads.begin(), ownReads.end());
  writes.insert(ownWrites.begin(), ownWrites.end());
}

/// One value per row, or some: all threads know it in the end.
void KernelEmitter::emitRowResult(LinalgOp op, const Values &ivs) {
  Values results = initialValues(op, ivs);
  SmallVector<Values, 1> points{ivs};
  SmallVector<Operation *> combiners;
  if (op.getNumReductionLoops() > 0)
    combiners = getCombiners(op);
  if (!combiners.empty()) {
    Values parts =
        reduce(op, points, neutralValues(op), thread, options.threads);
    for (auto [i, combiner] : llvm::enumerate(combiners))
      results[i] =
          combine(combiner, results[i], reduceInBlock(combiner, parts[i]));
  } else if (op.getNumReductionLoops() > 0) {
    results = reduce(op, points, results, Value(), 1);
  } else {
    results = compute(op, ivs, results);
  }
  remember(op, ivs, results);
  // Results that are updated were read by all threads.
  bool wasRead = llvm::any_of(op.getDpsInits(), [&](Value output) {
    return reads.contains(getRootBuffer(output));
  });
  if (wasRead) {
    gpu::BarrierOp::create(b, loc);
    reads.clear();
    writes.clear();
  }
  storeRowResult(op, isZero(thread));
}

Value KernelEmitter::isZero(Value value) {
  return b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, value,
                                       constant(0));
}

void KernelEmitter::storeRowResult(LinalgOp op, Value isFirst) {
  bool isNeeded = llvm::any_of(
      op.getDpsInits(), [&](Value output) { return !isInternal(output); });
  if (!isNeeded)
    return;
  OpBuilder::InsertionGuard guard(b);
  auto first = scf::IfOp::create(b, loc, isFirst, /*withElseRegion=*/false);
  b.setInsertionPointToStart(first.thenBlock());
  for (Value output : op.getDpsInits())
    if (!isInternal(output))
      store(output, known[output].value, known[output].indices);
}

/// A part of one value per row, or of some: it is left for another kernel.
void KernelEmitter::emitRowPart(LinalgOp op, const Values &ivs, Value part) {
  SmallVector<Values, 1> points{ivs};
  Value first = add(mul(part, constant(options.threads)), thread);
  Values parts = reduce(op, points, neutralValues(op), first,
                        options.threads * options.parts);
  for (auto [i, combiner] : llvm::enumerate(getCombiners(op)))
    parts[i] = reduceInBlock(combiner, parts[i]);
  storeFirst(ivs, parts, isZero(thread), part);
}

/// The first of a part's threads stores what all have.
void KernelEmitter::storeFirst(const Values &ivs, const Values &values,
                               Value isFirst, Value part) {
  auto stored = scf::IfOp::create(b, loc, isFirst, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(stored.thenBlock());
  storePart(ivs, values, part);
}

/// Several elements per row, distributed cyclically over the threads.
void KernelEmitter::emitRowElements(LinalgOp op, Values ivs) {
  SmallVector<unsigned> parallel;
  op.getParallelDims(parallel);
  ArrayRef<unsigned> dims =
      ArrayRef<unsigned>(parallel).drop_front(*plan.rowDims);
  Values counts;
  Value total = constant(1);
  for (unsigned dim : dims) {
    counts.push_back(extents[op][dim]);
    total = mul(total, counts.back());
  }
  auto loop =
      scf::ForOp::create(b, loc, thread, total, constant(options.threads));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  for (auto [dim, iv] :
       llvm::zip(dims, delinearize(loop.getInductionVar(), counts)))
    ivs[dim] = iv;
  Values results = initialValues(op, ivs);
  SmallVector<Values, 1> points{ivs};
  results = op.getNumReductionLoops() > 0
                ? reduce(op, points, results, Value(), 1)
                : compute(op, ivs, results);
  for (auto [i, output] : llvm::enumerate(op.getDpsInitsMutable()))
    store(output.get(), results[i], indicesOf(op, output, ivs));
}

void KernelEmitter::emitRow() {
  Values rowCounts(
      ArrayRef<Value>(extents[plan.ops.front()]).take_front(*plan.rowDims));
  if (!plan.partials.empty()) {
    rowCounts.push_back(constant(options.parts));
    Values row = delinearize(block, rowCounts);
    Value part = row.pop_back_val();
    row.resize(plan.ops.front().getNumLoops());
    return emitRowPart(plan.ops.front(), row, part);
  }
  placeInSharedMemory();
  Values row = delinearize(block, rowCounts);
  for (LinalgOp op : plan.ops) {
    Values ivs = row;
    ivs.resize(op.getNumLoops());
    synchronize(op);
    if (op.getNumParallelLoops() == *plan.rowDims)
      emitRowResult(op, ivs);
    else
      emitRowElements(op, ivs);
  }
}
