// A plain mapping of linalg ops on buffers to GPU kernels, one kernel an op and
// one thread an element of the result. It takes any op with any number of
// dimensions, so that whatever a front end emits can be run and improved upon;
// schedules that know an op better do better.
#include "evo/Transforms/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace evo {
#define GEN_PASS_DEF_MAPLINALG
#include "evo/Transforms/Passes.h.inc"

namespace {
struct MapLinalgPass : impl::MapLinalgBase<MapLinalgPass> {
  using MapLinalgBase::MapLinalgBase;
  void runOnOperation() override;
};

/// The kernel of one op.
class OpMapper {
public:
  OpMapper(linalg::LinalgOp op, int64_t threads)
      : op(op), threads(threads), b(op), loc(op.getLoc()) {}
  void run();

private:
  linalg::LinalgOp op;
  int64_t threads;
  OpBuilder b;
  Location loc;

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  /// Where `operand` is accessed in the iteration `ivs`.
  SmallVector<Value> indices(OpOperand &operand, ArrayRef<Value> ivs);
  Value read(OpOperand &operand, ArrayRef<Value> ivs);
  /// The op's region in the iteration `ivs`, on these former results.
  SmallVector<Value> compute(ArrayRef<Value> ivs, ValueRange results);
  void emitElement(SmallVector<Value> ivs, ArrayRef<Value> extents,
                   ArrayRef<unsigned> reductions,
                   ArrayRef<Value> initialValues);
  /// The value that an output was filled with just before, if it was: the fill
  /// then needs no kernel of its own.
  linalg::FillOp findFill(OpOperand &output);
};
} // namespace

SmallVector<Value> OpMapper::indices(OpOperand &operand, ArrayRef<Value> ivs) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  SmallVector<OpFoldResult> operands(ivs.begin(), ivs.end());
  SmallVector<Value> result;
  for (unsigned i = 0; i < map.getNumResults(); ++i)
    result.push_back(getValueOrCreateConstantIndexOp(
        b, loc,
        affine::makeComposedFoldedAffineApply(b, loc, map.getSubMap({i}),
                                              operands)));
  return result;
}

Value OpMapper::read(OpOperand &operand, ArrayRef<Value> ivs) {
  if (!isa<MemRefType>(operand.get().getType()))
    return operand.get();
  return memref::LoadOp::create(b, loc, operand.get(), indices(operand, ivs));
}

SmallVector<Value> OpMapper::compute(ArrayRef<Value> ivs, ValueRange results) {
  IRMapping map;
  Block *body = op.getBlock();
  for (OpOperand *input : op.getDpsInputOperands())
    if (BlockArgument arg = op.getMatchingBlockArgument(input);
        !arg.use_empty())
      map.map(arg, read(*input, ivs));
  for (auto [i, output] : llvm::enumerate(op.getDpsInitsMutable()))
    map.map(op.getMatchingBlockArgument(&output), results[i]);
  for (Operation &inner : body->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner))
      map.map(index.getResult(), ivs[index.getDim()]);
    else
      b.clone(inner, map);
  }
  SmallVector<Value> yielded;
  for (Value value : body->getTerminator()->getOperands())
    yielded.push_back(map.lookupOrDefault(value));
  return yielded;
}

void OpMapper::emitElement(SmallVector<Value> ivs, ArrayRef<Value> extents,
                           ArrayRef<unsigned> reductions,
                           ArrayRef<Value> initialValues) {
  SmallVector<Value> results;
  for (auto [i, output] : llvm::enumerate(op.getDpsInitsMutable())) {
    bool isRead = !op.getMatchingBlockArgument(&output).use_empty();
    if (Value initial = initialValues[i])
      results.push_back(initial);
    else if (isRead || !reductions.empty())
      results.push_back(read(output, ivs));
    else
      results.push_back(Value());
  }
  // Loops over what is reduced carry the results, outermost first.
  Value zero = constant(0), one = constant(1);
  SmallVector<scf::ForOp> loops;
  OpBuilder::InsertionGuard guard(b);
  for (unsigned dim : reductions) {
    auto loop = scf::ForOp::create(b, loc, zero, extents[dim], one, results);
    loops.push_back(loop);
    ivs[dim] = loop.getInductionVar();
    results.assign(loop.getRegionIterArgs().begin(),
                   loop.getRegionIterArgs().end());
    b.setInsertionPointToStart(loop.getBody());
  }
  results = compute(ivs, results);
  for (scf::ForOp loop : llvm::reverse(loops)) {
    b.setInsertionPointToEnd(loop.getBody());
    scf::YieldOp::create(b, loc, results);
    results.assign(loop.getResults().begin(), loop.getResults().end());
    b.setInsertionPointAfter(loop);
  }
  for (auto [value, output] : llvm::zip(results, op.getDpsInitsMutable()))
    memref::StoreOp::create(b, loc, value, output.get(), indices(output, ivs));
}

linalg::FillOp OpMapper::findFill(OpOperand &output) {
  // A buffer has other names where it was cast or cut, so only whole ones are
  // looked at, and every op that may touch memory ends the search but fills of
  // other whole buffers.
  auto isWhole = [](Value buffer) {
    return isa<BlockArgument>(buffer) ||
           isa<memref::AllocOp, memref::AllocaOp>(buffer.getDefiningOp());
  };
  if (!isWhole(output.get()) ||
      !op.getMatchingIndexingMap(&output).isProjectedPermutation())
    return {};
  for (Operation *before = op->getPrevNode(); before;
       before = before->getPrevNode()) {
    auto fill = dyn_cast<linalg::FillOp>(before);
    Value filled = fill ? fill.getDpsInitOperand(0)->get() : Value();
    if (filled == output.get())
      return fill;
    if (!isMemoryEffectFree(before) &&
        !isa<memref::AllocOp, memref::AllocaOp>(before) &&
        !(fill && isWhole(filled)))
      return {};
  }
  return {};
}

void OpMapper::run() {
  SmallVector<unsigned> parallel, reductions;
  op.getParallelDims(parallel);
  op.getReductionDims(reductions);
  SmallVector<Value> extents;
  for (Range range : op.createLoopRanges(b, loc))
    extents.push_back(getValueOrCreateConstantIndexOp(b, loc, range.size));

  SmallVector<Value> initialValues(op.getNumDpsInits());
  SmallVector<linalg::FillOp> fills;
  if (!reductions.empty())
    for (auto [i, output] : llvm::enumerate(op.getDpsInitsMutable()))
      if (linalg::FillOp fill = findFill(output)) {
        initialValues[i] = fill.getInputs()[0];
        fills.push_back(fill);
      }

  Value total = constant(1);
  for (unsigned dim : parallel)
    total = arith::MulIOp::create(b, loc, total, extents[dim]);
  Value size = constant(parallel.empty() ? 1 : threads), one = constant(1);
  Value blocks = arith::CeilDivUIOp::create(b, loc, total, size);
  auto launch = gpu::LaunchOp::create(b, loc, blocks, one, one, size, one, one);
  b.setInsertionPointToEnd(&launch.getBody().front());
  Value id = arith::AddIOp::create(
      b, loc, arith::MulIOp::create(b, loc, launch.getBlockIds().x, size),
      launch.getThreadIds().x);
  Value inside =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, id, total);
  auto guarded = scf::IfOp::create(b, loc, inside, /*withElseRegion=*/false);
  gpu::TerminatorOp::create(b, loc);
  b.setInsertionPointToStart(guarded.thenBlock());
  // Neighbouring threads are neighbours in the innermost dimension.
  SmallVector<Value> ivs(extents.size());
  for (unsigned i = parallel.size(); i-- > 0;) {
    unsigned dim = parallel[i];
    ivs[dim] =
        i == 0 ? id
               : arith::RemUIOp::create(b, loc, id, extents[dim]).getResult();
    if (i > 0)
      id = arith::DivUIOp::create(b, loc, id, extents[dim]);
  }
  emitElement(ivs, extents, reductions, initialValues);
  op.erase();
  for (linalg::FillOp fill : fills)
    fill.erase();
}

/// A table of constants lies beside the kernel that reads it.
static void sinkTables(gpu::LaunchOp launch) {
  OpBuilder b = OpBuilder::atBlockBegin(&launch.getBody().front());
  llvm::DenseMap<Operation *, Operation *> copies;
  launch.walk([&](Operation *op) {
    for (OpOperand &operand : op->getOpOperands())
      if (auto table = operand.get().getDefiningOp<memref::GetGlobalOp>();
          table && !launch->isAncestor(table)) {
        Operation *&copy = copies[table];
        if (!copy)
          copy = b.clone(*table);
        operand.set(copy->getResult(0));
      }
  });
}

void MapLinalgPass::runOnOperation() {
  func::FuncOp function = getOperation();
  if (threads < 1 || threads > 1024) {
    function.emitError() << "option 'threads' is " << threads
                         << ", expected 1 to 1024";
    return signalPassFailure();
  }
  // Copies that bufferisation made are kernels too.
  SmallVector<memref::CopyOp> copies;
  function.walk([&](memref::CopyOp op) { copies.push_back(op); });
  for (memref::CopyOp copy : copies) {
    OpBuilder b(copy);
    linalg::makeMemRefCopyOp(b, copy.getLoc(), copy.getSource(),
                             copy.getTarget());
    copy.erase();
  }
  SmallVector<linalg::LinalgOp> ops;
  WalkResult result = function.walk([&](linalg::LinalgOp op) {
    if (!op.hasPureBufferSemantics()) {
      op.emitError("works on tensors: bufferise the function first");
      return WalkResult::interrupt();
    }
    if (!isa<func::FuncOp>(op->getParentOp())) {
      op.emitError("stands in a loop or a branch of the host");
      return WalkResult::interrupt();
    }
    ops.push_back(op);
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return signalPassFailure();
  // From the last to the first, so that a fill is still there when the op that
  // may absorb it is mapped.
  for (linalg::LinalgOp op : llvm::reverse(ops)) {
    bool stillThere = llvm::any_of(function.getOps(), [&](Operation &other) {
      return &other == op.getOperation();
    });
    if (stillThere) {
      ++numKernels;
      OpMapper(op, threads).run();
    }
  }
  function.walk(sinkTables);
}
} // namespace evo
