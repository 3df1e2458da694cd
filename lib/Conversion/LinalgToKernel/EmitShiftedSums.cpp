// A row's maximum, and the sum of powers that are shifted by it, found in one
// pass: the sum is scaled whenever the maximum grows (Milakov and Gimelshein,
// Online normalizer calculation for softmax, 2018).
#include "KernelEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace evo;
using linalg::LinalgOp;

/// The only combiner of an op over rows' elements, whose result is the op's.
static Operation *combinerOfRow(LinalgOp op, unsigned rowDims) {
  if (op.getNumLoops() != rowDims + 1 || op.getNumReductionLoops() != 1 ||
      op.getNumDpsInits() != 1)
    return nullptr;
  SmallVector<Operation *> combiners = getCombiners(op);
  if (combiners.size() != 1 || op.getBlock()->getTerminator()->getOperand(0) !=
                                   combiners[0]->getResult(0))
    return nullptr;
  return combiners[0];
}

/// The power that `sum` adds up, where it is one of a difference from what is
/// in `shift`.
static Operation *powerShiftedBy(LinalgOp sum, Operation *combiner,
                                 Value shift) {
  Value former = sum.getRegionOutputArgs()[0];
  Operation *power =
      combiner->getOperand(combiner->getOperand(0) == former ? 1 : 0)
          .getDefiningOp();
  if (!isa_and_nonnull<math::ExpOp, math::Exp2Op>(power))
    return nullptr;
  auto difference = power->getOperand(0).getDefiningOp<arith::SubFOp>();
  if (!difference)
    return nullptr;
  // Nothing else of the sum may depend on it.
  auto arg = dyn_cast<BlockArgument>(difference.getRhs());
  if (!arg || arg.getOwner() != sum.getBlock() || !arg.hasOneUse() ||
      !llvm::hasSingleElement(power->getUsers()))
    return nullptr;
  OpOperand *operand = sum.getOpOperandsMatchingBBargs()[arg.getArgNumber()];
  bool isOnce = llvm::count(sum->getOperands(), shift) == 1;
  return operand->get() == shift && isOnce ? power : nullptr;
}

/// Whether both go over the elements of one operand, so that they have as many.
static bool areOfOneRow(LinalgOp first, LinalgOp second, unsigned dim) {
  return llvm::any_of(first.getDpsInputOperands(), [&](OpOperand *operand) {
    AffineMap map = first.getMatchingIndexingMap(operand);
    return map.getResultPosition(getAffineDimExpr(dim, map.getContext())) &&
           llvm::any_of(second.getDpsInputOperands(), [&](OpOperand *other) {
             return other->get() == operand->get() &&
                    second.getMatchingIndexingMap(other) == map;
           });
  });
}

std::optional<KernelEmitter::ShiftedSum>
KernelEmitter::matchShiftedSum(LinalgOp largest) {
  unsigned dim = *plan.rowDims;
  Operation *max = options.online ? combinerOfRow(largest, dim) : nullptr;
  if (!isa_and_nonnull<arith::MaximumFOp, arith::MaxNumFOp>(max) ||
      !plan.partials.empty())
    return std::nullopt;
  Value shift = largest.getDpsInits()[0];
  auto readsWritten = [&](LinalgOp op, Value but) {
    return llvm::any_of(op.getDpsInputs(), [&](Value input) {
      return input != but && isa<MemRefType>(input.getType()) &&
             isWrittenHere(input);
    });
  };
  // Of a row without finite elements `shift` is not the maximum.
  if (!isInternal(shift) || readsWritten(largest, Value()))
    return std::nullopt;
  for (LinalgOp op :
       llvm::drop_begin(ArrayRef<LinalgOp>(plan.ops),
                        llvm::find(plan.ops, largest) - plan.ops.begin() + 1)) {
    Operation *combiner = combinerOfRow(op, dim);
    if (!isa_and_nonnull<arith::AddFOp>(combiner) ||
        combiner->getResult(0).getType() != max->getResult(0).getType() ||
        !areOfOneRow(largest, op, dim) || readsWritten(op, shift))
      continue;
    if (Operation *power = powerShiftedBy(op, combiner, shift))
      return ShiftedSum{largest, op, power};
  }
  return std::nullopt;
}

bool KernelEmitter::hasShiftedSum() {
  return llvm::any_of(
      plan.ops, [&](LinalgOp op) { return matchShiftedSum(op).has_value(); });
}

/// A round's elements added to the maximum and the sum `carried`.
KernelEmitter::Values KernelEmitter::addShifted(ShiftedSum pair,
                                                const Values &ivs,
                                                ArrayRef<Lanes> round,
                                                const Values &carried) {
  Operation *max = getCombiners(pair.largest)[0],
            *plus = getCombiners(pair.sum)[0];
  auto inTree = [&](Operation *combiner, Values values) {
    while (values.size() > 1) {
      size_t half = values.size() / 2;
      for (size_t i = 0; i < half; ++i)
        values[i] = combine(combiner, values[i], values[i + half]);
      values.resize(half);
    }
    return values[0];
  };
  const int64_t width = round.front().width;
  // Loads first; what shifts is no load.
  remember(pair.largest, ivs, carried[0]);
  SmallVector<Loaded> ofLargest, ofSum;
  for (const Lanes &lanes : round) {
    ofLargest.push_back(load(pair.largest, lanes));
    ofSum.push_back(load(pair.sum, lanes));
  }
  Values maxima(width, neutralValues(pair.largest)[0]);
  for (auto [lanes, loaded] : llvm::zip_equal(round, ofLargest))
    for (int64_t lane = 0; lane < width; ++lane)
      maxima[lane] =
          computeLane(pair.largest, lanes, loaded, lane, {maxima[lane]})[0];
  Value largest = combine(max, carried[0], inTree(max, maxima));
  remember(pair.largest, ivs, largest);
  Values sums(width, neutralValues(pair.sum)[0]);
  for (auto [lanes, loaded] : llvm::zip_equal(round, ofSum))
    for (int64_t lane = 0; lane < width; ++lane)
      sums[lane] = computeLane(pair.sum, lanes, loaded, lane, {sums[lane]})[0];
  Value scaled = scaleShifted(pair.power, carried[1], carried[0], largest);
  return {largest, combine(plus, scaled, inTree(plus, sums))};
}

/// `sum`, of powers shifted by `before`, as the sum of those shifted by
/// `shift`.
Value KernelEmitter::scaleShifted(Operation *power, Value sum, Value before,
                                  Value shift) {
  Value difference = arith::SubFOp::create(b, loc, before, shift);
  Operation *scale = b.clone(*power);
  scale->setOperand(0, difference);
  return arith::MulFOp::create(b, loc, sum, scale->getResult(0));
}

void KernelEmitter::emitShiftedSum(ShiftedSum pair, const RowGroup &row) {
  Operation *max = getCombiners(pair.largest)[0],
            *plus = getCombiners(pair.sum)[0];
  Values ivs = row.ivs;
  ivs.resize(pair.largest.getNumLoops());
  Values first = initialValues(pair.largest, ivs),
         start = initialValues(pair.sum, ivs);
  // What shifts is finite: a thread's elements may all be -inf where the row's
  // are not. Where those are, the sum is zero instead of no number.
  auto type = cast<FloatType>(max->getResult(0).getType());
  Value lowest = arith::ConstantOp::create(
      b, loc,
      b.getFloatAttr(type, APFloat::getLargest(type.getFloatSemantics(),
                                               /*Negative=*/true)));
  Values carried{lowest, neutralValues(pair.sum)[0]};
  carried = overRounds(pair.largest, row, carried,
                       [&](ArrayRef<Lanes> round, const Values &former) {
                         return addShifted(pair, ivs, round, former);
                       });
  Value largest = combine(max, first[0], reduceInGroup(max, carried[0], row));
  Value sum = scaleShifted(pair.power, carried[1], carried[0], largest);
  sum = combine(plus, start[0], reduceInGroup(plus, sum, row));
  remember(pair.largest, ivs, largest);
  remember(pair.sum, ivs, sum);
  storeRowResult(pair.largest, row.isFirst);
  storeRowResult(pair.sum, row.isFirst);
}
