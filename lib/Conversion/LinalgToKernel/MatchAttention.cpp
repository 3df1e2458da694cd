// Which ops on buffers are an attention: softmax(f(Q K')) V, with f element by
// element. Their order is that in which people and front ends write them.
#include "KernelPlan.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace evo;
using linalg::LinalgOp;

namespace {
/// Goes through the ops; each step takes those that it is named after.
class Matcher {
public:
  Matcher(ArrayRef<LinalgOp> ops, const AbsorbedFills &fills)
      : ops(ops), fills(fills) {}
  bool match();
  Attention result = {};
  unsigned numOps = 0;

private:
  ArrayRef<LinalgOp> ops;
  const AbsorbedFills &fills;
  unsigned rank = 0;          // of the scores
  Value scores;               // the buffer that they are in
  SmallVector<Value> earlier; // those before, which are not written

  LinalgOp next() { return numOps < ops.size() ? ops[numOps] : LinalgOp(); }
  AffineMap leading(LinalgOp op, unsigned count) {
    return AffineMap::getMultiDimIdentityMap(op.getNumLoops(), op.getContext())
        .getMajorSubMap(count);
  }
  bool isShaped(LinalgOp op, unsigned parallel, unsigned reduced);
  bool startsFrom(LinalgOp op, bool isZero);
  OpOperand *operandOf(LinalgOp op, Value arg);
  bool isScore(LinalgOp op, Value arg);
  bool takeScores();
  void takeScoreOps();
  bool isReductionOfScores(LinalgOp op, bool isSum);
  bool isScoreWith(LinalgOp op, Value value, Value ofRow, bool isDistance);
  bool takeValues();
};
} // namespace

/// An op on floats that has its parallel dimensions first, and its only result
/// along these.
bool Matcher::isShaped(LinalgOp op, unsigned parallel, unsigned reduced) {
  if (!op || op.getNumDpsInits() != 1 || op.getNumParallelLoops() != parallel ||
      op.getNumReductionLoops() != reduced)
    return false;
  auto kinds = op.getIteratorTypesArray();
  auto type = dyn_cast<MemRefType>(op.getDpsInits()[0].getType());
  return llvm::all_of(ArrayRef(kinds).take_front(parallel),
                      [](utils::IteratorType kind) {
                        return kind == utils::IteratorType::parallel;
                      }) &&
         op.getMatchingIndexingMap(op.getDpsInitOperand(0)) ==
             leading(op, parallel) &&
         type && type.getElementType().isF32();
}

/// Whether `op` starts from nothing: zero, or what no other is less than. A
/// maximum that takes no notice of what is no number may start from that.
bool Matcher::startsFrom(LinalgOp op, bool isZero) {
  linalg::FillOp fill = fills.find(op)->second.front();
  if (!fill)
    return false;
  Value start = fill.getInputs()[0];
  if (isZero)
    return matchPattern(start, m_AnyZeroFloat());
  return matchPattern(start, m_NegInfFloat()) ||
         (matchPattern(start, m_NaNFloat()) &&
          isa<arith::MaxNumFOp>(getCombiners(op).front()));
}

OpOperand *Matcher::operandOf(LinalgOp op, Value arg) {
  auto argument = dyn_cast<BlockArgument>(arg);
  return argument && argument.getOwner() == op.getBlock()
             ? op.getOpOperandsMatchingBBargs()[argument.getArgNumber()]
             : nullptr;
}

bool Matcher::isScore(LinalgOp op, Value arg) {
  OpOperand *operand = operandOf(op, arg);
  return operand && operand->get() == scores &&
         op.getMatchingIndexingMap(operand) == leading(op, rank);
}

bool Matcher::takeScores() {
  LinalgOp op = next();
  rank = op.getNumParallelLoops();
  if (rank < 2 || !isShaped(op, rank, 1) || op.hasIndexSemantics() ||
      !matchSum(op) || !startsFrom(op, /*isZero=*/true))
    return false;
  SmallVector<OpOperand *> inputs(op.getDpsInputOperands());
  auto uses = [&](OpOperand *input, unsigned dim) {
    return op.getMatchingIndexingMap(input).isFunctionOfDim(dim);
  };
  const unsigned rows = rank - 2, keys = rank - 1;
  if (inputs.size() != 2)
    return false;
  if (uses(inputs[0], keys))
    std::swap(inputs[0], inputs[1]);
  if (!uses(inputs[0], rows) || uses(inputs[0], keys) ||
      uses(inputs[1], rows) || !uses(inputs[1], keys))
    return false;
  result.queries = inputs[0];
  result.keys = inputs[1];
  scores = op.getDpsInits()[0];
  ++numOps;
  return true;
}

/// Element-wise ops that make scores of scores.
void Matcher::takeScoreOps() {
  for (LinalgOp op = next(); op && isShaped(op, rank, 0); op = next()) {
    bool readsScores = false;
    for (OpOperand &operand : op->getOpOperands()) {
      // Scores of before, too, are there at the thread's own place alone.
      if (llvm::is_contained(earlier, operand.get()) &&
          op.getMatchingIndexingMap(&operand) != leading(op, rank))
        return;
      if (operand.get() != scores)
        continue;
      BlockArgument arg = op.getMatchingBlockArgument(&operand);
      if (!arg || !isScore(op, arg))
        return;
      readsScores |= !arg.use_empty();
    }
    if (!readsScores)
      return;
    earlier.push_back(scores);
    scores = op.getDpsInits()[0];
    ++numOps;
    ++result.numScoreOps;
  }
}

/// The largest score of a row, or the sum of all.
bool Matcher::isReductionOfScores(LinalgOp op, bool isSum) {
  if (!isShaped(op, rank - 1, 1))
    return false;
  SmallVector<Operation *> combiners = getCombiners(op);
  if (combiners.size() != 1 || !startsFrom(op, isSum) ||
      combiners[0] !=
          op.getBlock()->getTerminator()->getOperand(0).getDefiningOp() ||
      !(isSum ? isa<arith::AddFOp>(combiners[0])
              : isa<arith::MaximumFOp, arith::MaxNumFOp>(combiners[0])))
    return false;
  Value former = op.getRegionOutputArgs()[0];
  Value element =
      combiners[0]->getOperand(combiners[0]->getOperand(0) == former ? 1 : 0);
  return isScore(op, element);
}

/// Whether `value` is, of a score and of what there is `ofRow`, the distance or
/// else the quotient.
bool Matcher::isScoreWith(LinalgOp op, Value value, Value ofRow,
                          bool isDistance) {
  Operation *made = value.getDefiningOp();
  if (!(isDistance ? isa_and_nonnull<arith::SubFOp>(made)
                   : isa_and_nonnull<arith::DivFOp>(made)) ||
      !isScore(op, made->getOperand(0)))
    return false;
  OpOperand *row = operandOf(op, made->getOperand(1));
  return row && row->get() == ofRow &&
         op.getMatchingIndexingMap(row) == leading(op, rank - 1);
}

bool Matcher::takeValues() {
  LinalgOp op = next();
  if (!isShaped(op, rank, 1) || op.hasIndexSemantics() || !matchSum(op) ||
      !startsFrom(op, /*isZero=*/true))
    return false;
  SmallVector<OpOperand *> inputs(op.getDpsInputOperands());
  if (inputs.size() != 2)
    return false;
  if (inputs[1]->get() == scores)
    std::swap(inputs[0], inputs[1]);
  AffineMap weights = leading(op, rank - 1);
  SmallVector<AffineExpr> places(weights.getResults());
  places.push_back(getAffineDimExpr(rank, op.getContext()));
  AffineMap ofValues = op.getMatchingIndexingMap(inputs[1]);
  if (inputs[0]->get() != scores || inputs[1]->get() == scores ||
      llvm::is_contained(earlier, inputs[1]->get()) ||
      op.getMatchingIndexingMap(inputs[0]) !=
          AffineMap::get(rank + 1, 0, places, op.getContext()) ||
      ofValues.isFunctionOfDim(rank - 2) ||
      !ofValues.isFunctionOfDim(rank - 1) || !ofValues.isFunctionOfDim(rank))
    return false;
  result.values = inputs[1];
  ++numOps;
  return true;
}

bool Matcher::match() {
  if (!takeScores())
    return false;
  takeScoreOps();
  LinalgOp largest = next();
  if (!largest || !isReductionOfScores(largest, /*isSum=*/false))
    return false;
  ++numOps;
  LinalgOp powers = next();
  if (!isShaped(powers, rank, 0))
    return false;
  auto power = powers.getBlock()
                   ->getTerminator()
                   ->getOperand(0)
                   .getDefiningOp<math::ExpOp>();
  if (!power || !isScoreWith(powers, power.getOperand(),
                             largest.getDpsInits()[0], /*isDistance=*/true))
    return false;
  scores = powers.getDpsInits()[0];
  ++numOps;
  LinalgOp sum = next();
  if (!sum || !isReductionOfScores(sum, /*isSum=*/true))
    return false;
  ++numOps;
  LinalgOp weights = next();
  if (!isShaped(weights, rank, 0) ||
      !isScoreWith(weights, weights.getBlock()->getTerminator()->getOperand(0),
                   sum.getDpsInits()[0], /*isDistance=*/false))
    return false;
  scores = weights.getDpsInits()[0];
  ++numOps;
  if (!takeValues())
    return false;
  OpOperand *operands[] = {result.queries, result.keys, result.values};
  return llvm::all_of(operands, [](OpOperand *operand) {
    auto op = cast<LinalgOp>(operand->getOwner());
    auto type = cast<MemRefType>(operand->get().getType());
    return type.getLayout().isIdentity() && type.getElementType().isF32() &&
           isLinear(op.getMatchingIndexingMap(operand));
  });
}

/// Whether nothing but `ops`, and the fills that they start from, uses
/// `buffer`.
static bool isLocal(Value buffer, ArrayRef<LinalgOp> ops,
                    const AbsorbedFills &fills) {
  Operation *alloc = buffer.getDefiningOp();
  if (!isa_and_nonnull<memref::AllocOp, memref::AllocaOp>(alloc))
    return false;
  return llvm::all_of(alloc->getUsers(), [&](Operation *user) {
    auto fill = dyn_cast<linalg::FillOp>(user);
    return isa<memref::DimOp, memref::DeallocOp>(user) ||
           llvm::any_of(ops, [&](LinalgOp op) {
             return op.getOperation() == user ||
                    (fill && llvm::is_contained(fills.find(op)->second, fill));
           });
  });
}

KernelPlan evo::matchAttention(ArrayRef<LinalgOp> ops,
                               const AbsorbedFills &fills) {
  KernelPlan plan;
  Matcher matcher(ops, fills);
  if (!matcher.match())
    return plan;
  ArrayRef<LinalgOp> taken = ops.take_front(matcher.numOps);
  // One block stores what another one still copies.
  const Attention &found = matcher.result;
  for (OpOperand *operand : {found.queries, found.keys, found.values})
    if (llvm::any_of(taken, [&](LinalgOp op) {
          return getRootBuffer(op.getDpsInits()[0]) ==
                 getRootBuffer(operand->get());
        }))
      return plan;
  if (llvm::all_of(taken.drop_back(), [&](LinalgOp op) {
        return isLocal(op.getDpsInits()[0], taken, fills);
      })) {
    plan.ops.assign(ops.begin(), ops.begin() + matcher.numOps);
    plan.attention = matcher.result;
  }
  return plan;
}
