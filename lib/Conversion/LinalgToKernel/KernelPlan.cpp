// Which linalg ops on buffers become one kernel. All conclusions rest on the
// indexing maps: two ops that address a buffer alike in their leading
// dimensions iterate over the same points of them.
#include "KernelPlan.h"
#include "evo/Target/TargetInfo.h"
#include "evo/Target/Warp.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace evo;
using linalg::LinalgOp;

Value evo::getRootBuffer(Value value) {
  while (auto view = value.getDefiningOp<ViewLikeOpInterface>())
    value = view.getViewSource();
  return value;
}

bool evo::looksUp(LinalgOp op, Value root) {
  return op.getBlock()
      ->walk([&](memref::LoadOp load) {
        return getRootBuffer(load.getMemRef()) == root ? WalkResult::interrupt()
                                                       : WalkResult::advance();
      })
      .wasInterrupted();
}

std::optional<Scatter> evo::getScatter(LinalgOp op, const MapOptions &options) {
  // Other threads change the results meanwhile: nothing else may look at them.
  auto isApart = [&](Value output) {
    Value root = getRootBuffer(output);
    return cast<MemRefType>(output.getType()).getLayout().isIdentity() &&
           !looksUp(op, root) &&
           llvm::count_if(op->getOperands(), [&](Value operand) {
             return isa<MemRefType>(operand.getType()) &&
                    getRootBuffer(operand) == root;
           }) == 1;
  };
  if (options.scatter == 0 || !llvm::all_of(op.getDpsInits(), isApart))
    return std::nullopt;
  return matchScatter(op);
}

/// Whether it is all of a buffer, in whatever shape.
static bool isWhole(Value buffer) {
  while (Operation *view = buffer.getDefiningOp()) {
    if (!isa<memref::CollapseShapeOp, memref::ExpandShapeOp>(view))
      break;
    buffer = view->getOperand(0);
  }
  return isa<BlockArgument>(buffer) ||
         isa<memref::AllocOp, memref::AllocaOp>(buffer.getDefiningOp());
}

/// Whether `op` may touch the buffer `root` (one that is whole).
static bool touches(Operation *op, Value root) {
  if (isMemoryEffectFree(op) || isa<memref::AllocOp, memref::AllocaOp>(op))
    return false; // views among them
  if (op->getNumRegions() && !isa<LinalgOp>(op))
    return true;
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    return isa<MemRefType>(operand.getType()) && getRootBuffer(operand) == root;
  });
}

static linalg::FillOp findFill(LinalgOp op, OpOperand &output) {
  // A fill that is absorbed has to have filled what is computed, and all of it.
  AffineMap map = op.getMatchingIndexingMap(&output);
  if (!isWhole(output.get()) || !map.isProjectedPermutation() ||
      op.getMatchingBlockArgument(&output).use_empty() ||
      map.getNumResults() != op.getNumParallelLoops())
    return {};
  Value root = getRootBuffer(output.get());
  for (OpOperand *input : op.getDpsInputOperands())
    if (getRootBuffer(input->get()) == root)
      return {};
  for (Operation *before = op->getPrevNode(); before;
       before = before->getPrevNode())
    if (touches(before, root)) {
      auto fill = dyn_cast<linalg::FillOp>(before);
      return fill && isWhole(fill.getDpsInitOperand(0)->get())
                 ? fill
                 : linalg::FillOp();
    }
  return {};
}

AbsorbedFills evo::absorbFills(ArrayRef<LinalgOp> ops) {
  AbsorbedFills result;
  for (LinalgOp op : ops) {
    SmallVector<linalg::FillOp> fills;
    if (!isa<linalg::FillOp>(op.getOperation()))
      for (OpOperand &output : op.getDpsInitsMutable())
        fills.push_back(findFill(op, output));
    fills.resize(op.getNumDpsInits());
    result[op] = fills;
  }
  return result;
}

/// How many leading results of `map` are the dimensions 0, 1, ... which no
/// other result uses.
static unsigned countLeading(AffineMap map) {
  unsigned count = 0;
  while (count < map.getNumResults() &&
         map.getResult(count) == getAffineDimExpr(count, map.getContext()))
    ++count;
  for (unsigned i = count; i < map.getNumResults(); ++i)
    for (unsigned dim = 0; dim < count; ++dim)
      if (map.getResult(i).isFunctionOfDim(dim))
        count = dim;
  return count;
}

/// Leading parallel dimensions by which all of the op's results are told apart.
static unsigned countRowDims(LinalgOp op) {
  if (hasResultsOnTheWay(op))
    return 0; // a kernel by itself
  unsigned count = 0;
  for (utils::IteratorType type : op.getIteratorTypesArray()) {
    if (type != utils::IteratorType::parallel)
      break;
    ++count;
  }
  for (OpOperand &output : op.getDpsInitsMutable()) {
    AffineMap map = op.getMatchingIndexingMap(&output);
    count =
        map.isProjectedPermutation() ? std::min(count, countLeading(map)) : 0;
  }
  return count;
}

static bool isWritten(LinalgOp op, Value root) {
  return llvm::any_of(op.getDpsInits(), [&](Value output) {
    return getRootBuffer(output) == root;
  });
}

/// Whether one of them looks up what the other one writes: any place of it.
static bool lookUpEachOther(LinalgOp op, LinalgOp other) {
  auto looksUpOutputs = [](LinalgOp reader, LinalgOp writer) {
    return llvm::any_of(writer.getDpsInits(), [&](Value output) {
      return looksUp(reader, getRootBuffer(output));
    });
  };
  return looksUpOutputs(op, other) || looksUpOutputs(other, op);
}

bool evo::joinsRows(LinalgOp op, ArrayRef<LinalgOp> others, unsigned rowDims) {
  bool isTied = false;
  for (LinalgOp other : others)
    if (lookUpEachOther(op, other))
      return false;
  for (OpOperand &mine : op->getOpOperands()) {
    if (!isa<MemRefType>(mine.get().getType()))
      continue;
    Value root = getRootBuffer(mine.get());
    for (LinalgOp other : others)
      for (OpOperand &theirs : other->getOpOperands()) {
        if (!isa<MemRefType>(theirs.get().getType()) ||
            getRootBuffer(theirs.get()) != root)
          continue;
        bool alike =
            mine.get() == theirs.get() &&
            countLeading(op.getMatchingIndexingMap(&mine)) >= rowDims &&
            countLeading(other.getMatchingIndexingMap(&theirs)) >= rowDims;
        isTied |= alike;
        if (!alike && (isWritten(op, root) || isWritten(other, root)))
          return false;
      }
  }
  return isTied;
}

/// An op of which every thread would do a whole reduction.
static bool isHeavy(LinalgOp op, unsigned rowDims) {
  return op.getNumReductionLoops() > 0 && op.getNumParallelLoops() > rowDims;
}

/// A product: each of two operands lies along results that the other one does
/// not, so that blocks of results share what they load. A block a result would
/// load all of it anew.
static bool isProduct(LinalgOp op) {
  if (op.getNumReductionLoops() == 0)
    return false;
  SmallVector<unsigned> parallel;
  op.getParallelDims(parallel);
  SmallVector<AffineMap> maps;
  for (OpOperand *input : op.getDpsInputOperands())
    if (isa<MemRefType>(input->get().getType()))
      maps.push_back(op.getMatchingIndexingMap(input));
  auto hasOwn = [&](AffineMap mine, AffineMap other) {
    return llvm::any_of(parallel, [&](unsigned dim) {
      return mine.isFunctionOfDim(dim) && !other.isFunctionOfDim(dim);
    });
  };
  return maps.size() == 2 && hasOwn(maps[0], maps[1]) &&
         hasOwn(maps[1], maps[0]);
}

/// A reduction over windows, which overlap: neighbouring results share what
/// they load, of which a block a result would load all anew.
static bool hasWindows(LinalgOp op) {
  auto kinds = op.getIteratorTypesArray();
  auto isWindow = [&](AffineExpr place) {
    bool isOf[2] = {false, false};
    for (auto [dim, kind] : llvm::enumerate(kinds))
      if (place.isFunctionOfDim(dim))
        isOf[kind == utils::IteratorType::reduction] = true;
    return isOf[0] && isOf[1];
  };
  return llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
    return llvm::any_of(op.getMatchingIndexingMap(input).getResults(),
                        isWindow);
  });
}

/// Whether one block is enough for all of the op, at the workload.
static bool isSmall(LinalgOp op) {
  constexpr int64_t max = target::TargetInfo::maxThreadsPerBlock;
  std::optional<int64_t> points = expectedPoints(op);
  return points && *points <= max && !hasResultsOnTheWay(op);
}

bool evo::leavesLittle(const KernelPlan &plan) {
  unsigned reductions = 0;
  for (LinalgOp op : plan.ops)
    if (op.getNumReductionLoops() > 0)
      ++reductions;
    else if (op.getNumLoops() > *plan.rowDims && !isSmall(op))
      return false;
  return reductions == 1;
}

/// Whether a row has, at the workload, less than a warp's threads could share,
/// and what `plan` does beside reducing it is done for each result alone: a
/// thread that reduces it reads no more than a block would.
static bool isShortRow(const KernelPlan &plan) {
  std::optional<int64_t> points =
      expectedPoints(plan.ops.front(), *plan.rowDims);
  return points && *points < target::warpSize &&
         llvm::all_of(
             ArrayRef(plan.ops).drop_front(),
             [&](LinalgOp op) { return op.getNumLoops() == *plan.rowDims; });
}

/// The longest group from the start of `ops` that is worth it; its length is 0
/// where there is none. What there is one of is a row, too: all that is reduced
/// to it.
static KernelPlan findGroup(ArrayRef<LinalgOp> ops, int64_t kind) {
  KernelPlan plan;
  LinalgOp first = ops.front();
  unsigned rowDims = countRowDims(first);
  bool isWhole = first.getNumParallelLoops() == 0 &&
                 first.getNumReductionLoops() > 0 && !hasResultsOnTheWay(first);
  if (rowDims == 0 && !isWhole)
    return plan;
  KernelPlan best;
  plan.ops.push_back(first);
  for (LinalgOp op : ops.drop_front()) {
    unsigned fewer = std::min(rowDims, countRowDims(op));
    if (!(isWhole ? isSmall(op) : fewer > 0) || !joinsRows(op, plan.ops, fewer))
      break;
    rowDims = fewer;
    plan.ops.push_back(op);
    auto heavy = [&](LinalgOp member) {
      return isHeavy(member, rowDims) || isProduct(member) ||
             hasWindows(member);
    };
    auto reduces = [](LinalgOp member) {
      return member.getNumReductionLoops() > 0;
    };
    if ((kind == 2 || llvm::none_of(plan.ops, heavy)) &&
        llvm::any_of(plan.ops, reduces)) {
      best.ops = plan.ops;
      best.rowDims = rowDims;
    }
  }
  if (best.rowDims && isShortRow(best))
    return KernelPlan();
  return best;
}

/// Whether `user` only wants, element for element, what `ops` computed.
static bool isElementwiseUser(LinalgOp user, ArrayRef<LinalgOp> ops) {
  LinalgOp producer = ops.front();
  if (user.getNumReductionLoops() > 0 || hasResultsOnTheWay(producer) ||
      user.getNumLoops() != producer.getNumParallelLoops())
    return false;
  SmallVector<unsigned> parallel;
  producer.getParallelDims(parallel);
  auto isIdentityOf = [&](LinalgOp op, OpOperand &operand) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (op != producer)
      return map.isIdentity();
    if (map.getNumResults() != parallel.size())
      return false;
    for (auto [result, dim] : llvm::zip(map.getResults(), parallel))
      if (result != getAffineDimExpr(dim, map.getContext()))
        return false;
    return true;
  };
  bool isTied = false;
  for (LinalgOp op : ops)
    if (lookUpEachOther(user, op))
      return false;
  for (OpOperand &mine : user->getOpOperands()) {
    if (!isa<MemRefType>(mine.get().getType()))
      continue;
    Value root = getRootBuffer(mine.get());
    for (LinalgOp op : ops)
      for (OpOperand &theirs : op->getOpOperands()) {
        if (!isa<MemRefType>(theirs.get().getType()) ||
            getRootBuffer(theirs.get()) != root)
          continue;
        bool shares = isWritten(op, root) || isWritten(user, root);
        bool alike = mine.get() == theirs.get() && isIdentityOf(user, mine) &&
                     isIdentityOf(op, theirs);
        if (shares && !alike)
          return false;
        isTied |= shares && isWritten(op, root);
      }
  }
  return isTied;
}

std::vector<KernelPlan> evo::planKernels(ArrayRef<LinalgOp> ops,
                                         const AbsorbedFills &fills,
                                         const MapOptions &options) {
  llvm::SmallPtrSet<Operation *, 8> absorbed;
  for (const auto &entry : fills)
    for (linalg::FillOp fill : entry.second)
      if (fill)
        absorbed.insert(fill);
  SmallVector<LinalgOp> left;
  for (LinalgOp op : ops)
    if (!absorbed.contains(op))
      left.push_back(op);
  std::vector<KernelPlan> plans;
  for (ArrayRef<LinalgOp> after = left; !after.empty();
       after = after.drop_front(plans.back().ops.size())) {
    KernelPlan plan;
    // A scatter is a kernel by itself.
    if (getScatter(after.front(), options)) {
      plan.ops.push_back(after.front());
      plans.push_back(std::move(plan));
      continue;
    }
    ArrayRef<LinalgOp> rest = after.take_until(
        [&](LinalgOp op) { return getScatter(op, options).has_value(); });
    if (options.attend && options.product.isForAttention())
      plan = matchAttention(rest, fills);
    if (options.group > 0 && plan.ops.empty())
      plan = findGroup(rest, options.group);
    // Ops whose reductions several blocks share have to wait for each other.
    if (options.parts > 1 && options.group < 3 && !plan.ops.empty() &&
        !leavesLittle(plan))
      plan = KernelPlan();
    if (plan.ops.empty()) {
      plan.ops.push_back(rest.front());
      LinalgOp op = rest.front();
      bool reduces = op.getNumReductionLoops() > 0;
      if (options.chain)
        while (plan.ops.size() < rest.size() &&
               isElementwiseUser(rest[plan.ops.size()], plan.ops))
          plan.ops.push_back(rest[plan.ops.size()]);
      // A block for each result, or for the only one.
      if (reduces && !getCombiners(op).empty() && plan.ops.size() == 1 &&
          (options.split == 2 ||
           (options.split == 1 && op.getNumParallelLoops() == 0))) {
        unsigned rowDims = countRowDims(op);
        if (rowDims == op.getNumParallelLoops())
          plan.rowDims = rowDims;
      }
    }
    plans.push_back(std::move(plan));
  }
  return plans;
}
