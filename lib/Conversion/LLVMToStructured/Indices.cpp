// CUDA C++ computes indices in 32 bits and widens them at the access. Here the
// same arithmetic is done in the type index from the start, which frees it of
// casts. That is exact where C++ forbids the wrap (nsw), in 64 bits, and for
// comparisons; for unsigned products of ids, extents and arguments, where C++
// would wrap beyond 2^32, it is a guess that the check of the result covers.
#include "Raise.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace evo::raise;

namespace {
class IndexPromotion {
public:
  explicit IndexPromotion(func::FuncOp function)
      : function(function), b(function.getContext()) {}
  void run();

private:
  func::FuncOp function;
  OpBuilder b;
  DenseMap<Value, Value> promoted;
  // What was asked before: values that several ways lead to are met often.
  DenseMap<Value, bool> bounded, fromIndex;
  DenseMap<Operation *, bool> promotable;

  Value asIndex(Value value);
  Value promoteOp(Operation *op);
  bool canPromote(Operation *op) {
    return lookup(promotable, op, &IndexPromotion::findPromotable);
  }
  bool isBounded(Value value) {
    return lookup(bounded, value, &IndexPromotion::findBounded);
  }
  bool comesFromIndex(Value value) {
    return lookup(fromIndex, value, &IndexPromotion::findFromIndex);
  }
  template <typename Key>
  bool lookup(DenseMap<Key, bool> &known, Key key,
              bool (IndexPromotion::*find)(Key)) {
    if (auto it = known.find(key); it != known.end())
      return it->second;
    bool result = (this->*find)(key);
    known[key] = result;
    return result;
  }
  bool findPromotable(Operation *op);
  bool findBounded(Value value);
  bool findFromIndex(Value value);
  void promoteComparison(arith::CmpIOp compare);
  void promoteArguments();
};
} // namespace

static bool isCastToIndex(Operation *op) {
  return isa<arith::IndexCastOp, arith::IndexCastUIOp>(op) &&
         op->getResult(0).getType().isIndex();
}

/// The index that `value` was narrowed from; null if it was not.
static Value narrowedFrom(Value value) {
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<arith::IndexCastOp, arith::IndexCastUIOp>(op) &&
      op->getOperand(0).getType().isIndex() &&
      value.getType().getIntOrFloatBitWidth() >= 32)
    return op->getOperand(0);
  return {};
}

static bool isInteger(Value value) { return value.getType().isInteger(); }

/// Values that stay small for as long as a launch is possible: ids, extents,
/// arguments, small literals, and what is computed from them.
bool IndexPromotion::findBounded(Value value) {
  if (narrowedFrom(value))
    return true;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner() == &function.getBody().front();
  Operation *op = value.getDefiningOp();
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto number = dyn_cast<IntegerAttr>(constant.getValue());
    return number && number.getValue().getSignificantBits() <= 17;
  }
  return canPromote(op) && llvm::all_of(op->getOperands(), [&](Value operand) {
           return isBounded(operand);
         });
}

bool IndexPromotion::findPromotable(Operation *op) {
  if (op->getNumResults() != 1 || !isInteger(op->getResult(0)) ||
      op->getResult(0).getType().getIntOrFloatBitWidth() < 32)
    return false;
  if (isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::ShLIOp>(op)) {
    auto flags = cast<arith::ArithIntegerOverflowFlagsInterface>(op);
    return flags.hasNoSignedWrap() ||
           op->getResult(0).getType().isInteger(64) ||
           llvm::all_of(op->getOperands(),
                        [&](Value operand) { return isBounded(operand); });
  }
  if (isa<arith::ExtSIOp, arith::ExtUIOp>(op))
    return op->getOperand(0).getType().getIntOrFloatBitWidth() >= 32;
  // Of what is not negative these are the same in any width.
  if (isa<arith::DivUIOp, arith::RemUIOp, arith::ShRUIOp>(op))
    return isBounded(op->getOperand(0)) && isBounded(op->getOperand(1));
  if (isa<arith::AndIOp>(op))
    return isBounded(op->getOperand(0)) && isBounded(op->getOperand(1));
  if (isa<arith::TruncIOp>(op))
    return isBounded(op->getOperand(0));
  return isa<arith::DivSIOp, arith::RemSIOp, arith::ShRSIOp, arith::MinSIOp,
             arith::MaxSIOp>(op);
}

/// `op`, whose result is an integer, computed on indices.
Value IndexPromotion::promoteOp(Operation *op) {
  SmallVector<Value> operands;
  auto select = dyn_cast<arith::SelectOp>(op);
  for (Value operand :
       select ? op->getOperands().drop_front() : op->getOperands())
    operands.push_back(asIndex(operand));
  b.setInsertionPointAfter(op);
  Location loc = op->getLoc();
  if (select)
    return arith::SelectOp::create(b, loc, select.getCondition(), operands[0],
                                   operands[1]);
  if (isa<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(op))
    return operands[0];
  if (isa<arith::ShLIOp>(op)) {
    // A power of two reads better as such, and strides are found as products.
    if (auto by = operands[1].getDefiningOp<arith::ConstantIndexOp>();
        by && by.value() >= 0 && by.value() < 32) {
      Value factor =
          arith::ConstantIndexOp::create(b, loc, int64_t(1) << by.value());
      return arith::MulIOp::create(b, loc, operands[0], factor);
    }
  }
  OperationState state(loc, op->getName(), operands, {b.getIndexType()});
  return b.create(state)->getResult(0);
}

Value IndexPromotion::asIndex(Value value) {
  if (value.getType().isIndex())
    return value;
  if (Value wide = narrowedFrom(value))
    return wide;
  if (Value known = promoted.lookup(value))
    return known;
  Value result;
  Operation *op = value.getDefiningOp();
  if (op && (canPromote(op) || isa<arith::SelectOp>(op))) {
    result = promoteOp(op);
  } else {
    b.setInsertionPointAfterValue(value);
    result =
        arith::IndexCastOp::create(b, value.getLoc(), b.getIndexType(), value);
  }
  return promoted[value] = result;
}

/// Whether the arithmetic behind `value` starts from an index.
bool IndexPromotion::findFromIndex(Value value) {
  if (narrowedFrom(value))
    return true;
  Operation *op = value.getDefiningOp();
  return op && canPromote(op) &&
         llvm::any_of(op->getOperands(),
                      [&](Value operand) { return comesFromIndex(operand); });
}

void IndexPromotion::promoteComparison(arith::CmpIOp compare) {
  Value lhs = compare.getLhs(), rhs = compare.getRhs();
  if (!isInteger(lhs) || (!comesFromIndex(lhs) && !comesFromIndex(rhs)))
    return;
  bool isUnsigned = compare.getPredicate() >= arith::CmpIPredicate::ult;
  // Unsigned, a negative value is a large one in any width.
  if (isUnsigned && (!isBounded(lhs) || !isBounded(rhs)))
    return;
  Value left = asIndex(lhs), right = asIndex(rhs);
  b.setInsertionPoint(compare);
  compare.replaceAllUsesWith(arith::CmpIOp::create(b, compare.getLoc(),
                                                   compare.getPredicate(), left,
                                                   right)
                                 .getResult());
}

/// An argument of which only the index is used is passed as one.
void IndexPromotion::promoteArguments() {
  for (BlockArgument argument : function.getArguments()) {
    bool onlyIndex = isInteger(argument) && !argument.use_empty() &&
                     argument.getType().getIntOrFloatBitWidth() >= 32 &&
                     llvm::all_of(argument.getUsers(), isCastToIndex);
    if (!onlyIndex)
      continue;
    for (Operation *user : llvm::make_early_inc_range(argument.getUsers())) {
      user->getResult(0).replaceAllUsesWith(argument);
      user->erase();
    }
    argument.setType(b.getIndexType());
  }
  function.setFunctionType(
      b.getFunctionType(function.getBody().front().getArgumentTypes(), {}));
}

static void eraseDead(func::FuncOp function) {
  for (bool changed = true; changed;) {
    changed = false;
    function.walk([&](Operation *op) {
      if (!isOpTriviallyDead(op))
        return;
      op->erase();
      changed = true;
    });
  }
}

void IndexPromotion::run() {
  SmallVector<Operation *> casts;
  SmallVector<arith::CmpIOp> comparisons;
  function.walk([&](Operation *op) {
    if (isCastToIndex(op))
      casts.push_back(op);
    else if (auto compare = dyn_cast<arith::CmpIOp>(op))
      comparisons.push_back(compare);
  });
  for (Operation *cast : casts) {
    Value source = cast->getOperand(0);
    // What is negative becomes large: only signed casts look through wrapping.
    if (isa<arith::IndexCastUIOp>(cast) && !isBounded(source))
      continue;
    Value result = asIndex(source);
    if (result.getDefiningOp() != cast)
      cast->getResult(0).replaceAllUsesWith(result);
  }
  for (arith::CmpIOp compare : comparisons)
    promoteComparison(compare);
  eraseDead(function);
  promoteArguments();
}

void evo::raise::useIndices(func::FuncOp function) {
  IndexPromotion(function).run();
}
