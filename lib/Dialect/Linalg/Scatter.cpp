// Scatters among linalg ops, by what their regions compare: a contribution that
// counts only where an integer equals the number of the result belongs to that
// result alone. What is combined must not care about order, for elements come
// as they like; and the integer must not be what is being combined.
#include "evo/Dialect/Linalg/Scatter.h"
#include "evo/Dialect/Linalg/Reductions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace evo;
using linalg::LinalgOp;

/// Calls `visit` for all values of the op's region that `value` is made of, and
/// itself, until that says no; whether it never did.
static bool walkParts(LinalgOp op, Value value,
                      function_ref<bool(Value)> visit) {
  SmallVector<Value> left{value};
  llvm::SmallDenseSet<Value> seen;
  while (!left.empty()) {
    Value next = left.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    if (!op->isAncestor(next.getParentBlock()->getParentOp()))
      continue;
    if (!visit(next))
      return false;
    Operation *inner = next.getDefiningOp();
    if (!inner)
      continue;
    llvm::append_range(left, inner->getOperands());
    for (Region &region : inner->getRegions())
      region.walk([&](Operation *deep) {
        llvm::append_range(left, deep->getOperands());
        llvm::append_range(left, deep->getResults());
      });
  }
  return true;
}

bool evo::dependsOn(LinalgOp op, Value value, ArrayRef<unsigned> dims) {
  return !walkParts(op, value, [&](Value part) {
    if (auto index = part.getDefiningOp<linalg::IndexOp>())
      return !llvm::is_contained(dims, index.getDim());
    auto arg = dyn_cast<BlockArgument>(part);
    if (!arg || arg.getOwner() != op.getBlock())
      return true;
    AffineMap map =
        op.getMatchingIndexingMap(&op->getOpOperand(arg.getArgNumber()));
    return llvm::none_of(
        dims, [&](unsigned dim) { return map.isFunctionOfDim(dim); });
  });
}

/// Whether `value` is made of what the results were.
static bool usesResults(LinalgOp op, Value value) {
  return !walkParts(op, value, [&](Value part) {
    auto arg = dyn_cast<BlockArgument>(part);
    return !arg || arg.getOwner() != op.getBlock() ||
           arg.getArgNumber() < op.getNumDpsInputs();
  });
}

/// Whether `value` is looked up in memory at places that the region computes:
/// only where the conditions before it hold are these sure to be there.
static bool looksUpElements(LinalgOp op, Value value) {
  return !walkParts(op, value, [](Value part) {
    Operation *inner = part.getDefiningOp();
    return !inner || (isMemoryEffectFree(inner) &&
                      !isa<tensor::ExtractOp>(inner) && isSpeculatable(inner));
  });
}

/// The dimension that `value` is the index along, in whatever integer type that
/// holds extents.
static std::optional<unsigned> findIndex(Value value) {
  constexpr unsigned enough = 32;
  while (Operation *op = value.getDefiningOp()) {
    if (auto index = dyn_cast<linalg::IndexOp>(op))
      return index.getDim();
    Type type = value.getType();
    if (!isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
             arith::ExtUIOp>(op) ||
        (isa<IntegerType>(type) && type.getIntOrFloatBitWidth() < enough))
      return std::nullopt;
    value = op->getOperand(0);
  }
  return std::nullopt;
}

/// Whether combining with `value` changes nothing. Zeros of either sign do not,
/// but for the sign of a zero, which nothing says.
static bool isNeutral(Value value, Operation *combiner) {
  TypedAttr number;
  if (!matchPattern(value, m_Constant(&number)))
    return false;
  if (isa<arith::AddFOp>(combiner))
    return cast<FloatAttr>(number).getValue().isZero();
  return number == *arith::getNeutralElement(combiner);
}

namespace {
/// A value that is chosen, and another one that it is else.
struct Choice {
  Value condition, taken, otherwise;
};
} // namespace

static std::optional<Choice> getChoice(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto select = dyn_cast_or_null<arith::SelectOp>(op))
    return Choice{select.getCondition(), select.getTrueValue(),
                  select.getFalseValue()};
  auto branch = dyn_cast_or_null<scf::IfOp>(op);
  if (!branch)
    return std::nullopt;
  unsigned number = cast<OpResult>(value).getResultNumber();
  return Choice{branch.getCondition(), branch.thenYield().getOperand(number),
                branch.elseYield().getOperand(number)};
}

/// Adds what has to hold where `value` holds, or does not: of a conjunction its
/// parts.
static void addConditions(Value value, bool holds,
                          SmallVectorImpl<Scatter::Condition> &conditions) {
  Operation *both = value.getDefiningOp();
  if (holds ? isa_and_nonnull<arith::AndIOp>(both)
            : isa_and_nonnull<arith::OrIOp>(both)) {
    addConditions(both->getOperand(0), holds, conditions);
    addConditions(both->getOperand(1), holds, conditions);
    return;
  }
  conditions.push_back({value, holds});
}

/// Takes off `value` the conditions under which it is not neutral.
static Value findContribution(Value value, Operation *combiner,
                              SmallVectorImpl<Scatter::Condition> &conditions) {
  while (std::optional<Choice> choice = getChoice(value)) {
    bool isTaken = isNeutral(choice->otherwise, combiner);
    if (!isTaken && !isNeutral(choice->taken, combiner))
      break;
    addConditions(choice->condition, isTaken, conditions);
    value = isTaken ? choice->taken : choice->otherwise;
  }
  return value;
}

/// Whether each point of the parallel dimensions has results of its own.
static bool hasPlainResults(LinalgOp op) {
  return llvm::all_of(op.getDpsInitsMutable(), [&](OpOperand &output) {
    AffineMap map = op.getMatchingIndexingMap(&output);
    return map.isProjectedPermutation() &&
           map.getNumResults() == op.getNumParallelLoops();
  });
}

/// The dimension that a condition ties to a place, and the place.
static std::optional<std::pair<unsigned, Value>>
findPlace(LinalgOp op, const Scatter::Condition &condition) {
  auto compare = condition.value.getDefiningOp<arith::CmpIOp>();
  if (!compare ||
      compare.getPredicate() != (condition.holds ? arith::CmpIPredicate::eq
                                                 : arith::CmpIPredicate::ne))
    return std::nullopt;
  Value sides[] = {compare.getLhs(), compare.getRhs()};
  for (unsigned side : {0, 1})
    if (std::optional<unsigned> dim = findIndex(sides[side]);
        dim &&
        op.getIteratorTypesArray()[*dim] == utils::IteratorType::parallel &&
        !dependsOn(op, sides[1 - side], *dim) &&
        !usesResults(op, sides[1 - side]))
      return std::pair(*dim, sides[1 - side]);
  return std::nullopt;
}

std::optional<Scatter> evo::matchScatter(LinalgOp op) {
  SmallVector<unsigned> reduced;
  op.getReductionDims(reduced);
  if (reduced.empty() || hasResultsOnTheWay(op) || !hasPlainResults(op))
    return std::nullopt;
  Scatter result;
  if (!canCombineAtomically(op))
    return std::nullopt;
  result.combiners = getCombiners(op);
  for (auto [i, combiner] : llvm::enumerate(result.combiners)) {
    BlockArgument former = op.getRegionOutputArgs()[i];
    Value combined = combiner->getOperand(combiner->getOperand(0) == former);
    SmallVector<Scatter::Condition> conditions;
    result.values.push_back(findContribution(combined, combiner, conditions));
    auto areAmong = [](ArrayRef<Scatter::Condition> some,
                       ArrayRef<Scatter::Condition> all) {
      return llvm::all_of(some, [&](const Scatter::Condition &each) {
        return llvm::any_of(all, [&](const Scatter::Condition &other) {
          return each.value == other.value && each.holds == other.holds;
        });
      });
    };
    if (i == 0)
      result.conditions = conditions;
    else if (!areAmong(conditions, result.conditions) ||
             !areAmong(result.conditions, conditions))
      return std::nullopt;
  }
  for (auto [i, condition] : llvm::enumerate(result.conditions)) {
    auto place = findPlace(op, condition);
    if (!place || result.isOwn(place->first) ||
        (i > 0 && looksUpElements(op, place->second)))
      continue;
    result.own.push_back(place->first);
    result.places.push_back(place->second);
  }
  // No place hangs on another one, and there is something to look through.
  if (result.own.empty() || llvm::any_of(result.places, [&](Value place) {
        return dependsOn(op, place, result.own);
      }))
    return std::nullopt;
  return result;
}
