// Sums along the columns of what a kernel reads row by row, such as gradients
// of a normalisation's scale and shift, join that kernel: its blocks then do
// several rows each, and what they have read is not read again.
#include "KernelEmitter.h"
#include "KernelPlan.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace evo;
using linalg::LinalgOp;

bool evo::isOfColumns(LinalgOp op, const KernelPlan &plan) {
  return plan.rowDims && *plan.rowDims > 0 &&
         op.getIteratorTypesArray().front() == utils::IteratorType::reduction;
}

/// Whether `op` reduces the first `rowDims` dimensions of its operands to a
/// result for each place along the next one; then `order` has these first.
static bool reducesRows(LinalgOp op, unsigned rowDims,
                        SmallVectorImpl<unsigned> &order) {
  if (!isa<linalg::GenericOp>(op) || op.getNumLoops() != rowDims + 1 ||
      op.getNumReductionLoops() != rowDims || hasResultsOnTheWay(op) ||
      !canCombineAtomically(op))
    return false;
  op.getReductionDims(order);
  SmallVector<unsigned> parallel;
  op.getParallelDims(parallel);
  order.push_back(parallel.front());
  return true;
}

/// Whether the two read an element of one buffer in the same iteration.
static bool readTheSame(LinalgOp op, LinalgOp other, unsigned numLoops) {
  if (other.getNumLoops() != numLoops)
    return false;
  auto isWhole = [&](LinalgOp reader, OpOperand &operand) {
    AffineMap map = reader.getMatchingIndexingMap(&operand);
    return isa<MemRefType>(operand.get().getType()) && map.isIdentity();
  };
  return llvm::any_of(op->getOpOperands(), [&](OpOperand &mine) {
    return isWhole(op, mine) &&
           llvm::any_of(other->getOpOperands(), [&](OpOperand &theirs) {
             return theirs.get() == mine.get() && isWhole(other, theirs);
           });
  });
}

static bool usesRoot(Operation *op, Value root) {
  if (auto linalgOp = dyn_cast<LinalgOp>(op);
      linalgOp && looksUp(linalgOp, root))
    return true;
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    return isa<MemRefType>(operand.getType()) && getRootBuffer(operand) == root;
  });
}

/// Whether `op` may change places with `other`.
static bool canPass(LinalgOp op, LinalgOp other) {
  return llvm::none_of(op.getDpsInits(),
                       [&](Value output) {
                         return usesRoot(other, getRootBuffer(output));
                       }) &&
         llvm::none_of(other.getDpsInits(), [&](Value output) {
           return usesRoot(op, getRootBuffer(output));
         });
}

/// Moves `op`, and the constants that it takes, to where it comes before
/// another one; whether all that it needs is there already.
static bool moveTo(Operation *op, Operation *before) {
  if (op->isBeforeInBlock(before))
    return true;
  for (Value operand : op->getOperands()) {
    Operation *source = operand.getDefiningOp();
    if (!source || source->getBlock() != before->getBlock() ||
        source->isBeforeInBlock(before))
      continue;
    if (!source->hasTrait<OpTrait::ConstantLike>())
      return false;
    source->moveBefore(&before->getBlock()->front());
  }
  op->moveBefore(before);
  return true;
}

/// `op` with its loops in `order`, before it.
static LinalgOp reorder(LinalgOp op, ArrayRef<unsigned> order) {
  IRRewriter rewriter(op.getContext());
  rewriter.setInsertionPoint(op);
  auto copy = cast<linalg::GenericOp>(rewriter.clone(*op));
  rewriter.setInsertionPoint(copy);
  FailureOr<linalg::GenericOp> result =
      linalg::interchangeGenericOp(rewriter, copy, order);
  return succeeded(result) ? cast<LinalgOp>(result->getOperation())
                           : LinalgOp();
}

/// Lets `op`, the only one of another plan, join `rows`; `between` are the ops
/// of the plans that lie between the two.
static bool join(KernelPlan &rows, LinalgOp op, bool isAfter,
                 ArrayRef<LinalgOp> between, AbsorbedFills &fills,
                 SmallVectorImpl<LinalgOp> &ops, const MapOptions &options,
                 SmallVectorImpl<linalg::FillOp> &started) {
  SmallVector<unsigned> order;
  if (!reducesRows(op, *rows.rowDims, order) ||
      !llvm::all_of(between, [&](LinalgOp each) { return canPass(op, each); }))
    return false;
  SmallVector<linalg::FillOp> own = fills.lookup(op);
  for (linalg::FillOp fill : own)
    if (fill && !llvm::all_of(rows.ops, [&](LinalgOp each) {
          return canPass(cast<LinalgOp>(fill.getOperation()), each);
        }))
      return false;
  LinalgOp turned = reorder(op, order);
  if (!turned)
    return false;
  KernelPlan joined = rows;
  joined.ops.insert(isAfter ? joined.ops.end() : joined.ops.begin(), turned);
  fills[turned].assign(turned.getNumDpsInits(), linalg::FillOp());
  Operation *first = rows.ops.front(), *last = rows.ops.back();
  bool fits =
      joinsRows(turned, rows.ops, *rows.rowDims) &&
      llvm::any_of(rows.ops,
                   [&](LinalgOp each) {
                     return readTheSame(turned, each, *rows.rowDims + 1);
                   }) &&
      KernelEmitter(joined, fills, options).holdsRows() &&
      moveTo(turned, isAfter ? last->getNextNode() : first) &&
      llvm::all_of(own, [&](linalg::FillOp fill) {
        return !fill || moveTo(fill, joined.ops.front());
      });
  if (!fits) {
    fills.erase(turned);
    turned->erase();
    return false;
  }
  llvm::copy_if(own, std::back_inserter(started),
                [](linalg::FillOp fill) { return bool(fill); });
  rows = std::move(joined);
  fills.erase(op);
  llvm::erase(ops, op);
  ops.push_back(turned);
  op->erase();
  return true;
}

void evo::joinColumns(std::vector<KernelPlan> &plans, AbsorbedFills &fills,
                      SmallVectorImpl<LinalgOp> &ops,
                      const MapOptions &options) {
  if (options.group < 3 || options.parts == 1)
    return;
  for (size_t i = 0; i < plans.size(); ++i) {
    if (!plans[i].rowDims || *plans[i].rowDims == 0 || plans[i].ops.size() < 2)
      continue;
    for (size_t j = 0; j < plans.size(); ++j) {
      if (i == j || plans[j].ops.size() != 1)
        continue;
      SmallVector<LinalgOp> between;
      for (size_t k = std::min(i, j) + 1; k < std::max(i, j); ++k)
        llvm::append_range(between, plans[k].ops);
      SmallVector<linalg::FillOp> started;
      if (!join(plans[i], plans[j].ops.front(), j > i, between, fills, ops,
                options, started))
        continue;
      // What the sums start from is there before the rows.
      std::vector<KernelPlan> before(started.size());
      for (auto [plan, fill] : llvm::zip_equal(before, started))
        plan.ops.push_back(cast<LinalgOp>(fill.getOperation()));
      plans.erase(plans.begin() + j);
      i -= j < i;
      plans.insert(plans.begin() + i, before.begin(), before.end());
      i += before.size();
      j = -1; // from the first one, for their numbers have changed
    }
  }
}
