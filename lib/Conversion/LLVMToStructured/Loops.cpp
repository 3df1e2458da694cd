// Loops as they were written. Structuring leaves loops whose whole body, with
// the test in it, stands before the condition: first the test moves to where
// scf.while has it, then loops that count become scf.for.
#include "Raise.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace evo::raise;

static std::optional<int64_t> constantOf(Value value) {
  APInt number;
  if (!matchPattern(value, m_ConstantInt(&number)))
    return std::nullopt;
  return number.getSExtValue();
}

// Testing first.

namespace {
/// `scf.while` as structuring leaves it: its before region is some ops, one
/// scf.if that either goes round once more or leaves, and the condition.
struct TestInside {
  scf::WhileOp loop;
  scf::IfOp branch;
  bool leavesOnTrue;

  static std::optional<TestInside> match(scf::WhileOp loop);
  Block &goOn() {
    return leavesOnTrue ? *branch.elseBlock() : *branch.thenBlock();
  }
  Block &leave() {
    return leavesOnTrue ? *branch.thenBlock() : *branch.elseBlock();
  }
};
} // namespace

std::optional<TestInside> TestInside::match(scf::WhileOp loop) {
  // The after region forwards.
  Block *after = loop.getAfterBody();
  if (!llvm::hasSingleElement(*after) ||
      !llvm::equal(after->getTerminator()->getOperands(),
                   after->getArguments()))
    return std::nullopt;
  Value condition = loop.getConditionOp().getCondition();
  auto narrowed = condition.getDefiningOp<arith::TruncIOp>();
  if (narrowed)
    condition = narrowed.getIn();
  auto branch = condition.getDefiningOp<scf::IfOp>();
  if (!branch || branch->getBlock() != loop.getBeforeBody() ||
      !branch.elseBlock())
    return std::nullopt;
  // Nothing may stand between the test and the end.
  Operation *next = branch->getNextNode();
  if (narrowed && next == narrowed)
    next = next->getNextNode();
  if (next != loop.getConditionOp())
    return std::nullopt;
  unsigned flag = cast<OpResult>(condition).getResultNumber();
  std::optional<int64_t> then = constantOf(branch.thenYield().getOperand(flag));
  std::optional<int64_t> otherwise =
      constantOf(branch.elseYield().getOperand(flag));
  if (!then || !otherwise || !*then == !*otherwise)
    return std::nullopt;
  return TestInside{loop, branch, *then == 0};
}

/// Values of `before`'s own, and of what it has computed, that `user` needs.
static void collectForwarded(Block *before, Block *user, Operation *branch,
                             llvm::SetVector<Value> &forwarded) {
  auto add = [&](Value value) {
    Operation *definition = value.getDefiningOp();
    if (value.getParentBlock() == before && definition != branch)
      forwarded.insert(value);
  };
  for (Operation &op : *user)
    op.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        add(operand);
    });
}

/// Moves the test in front. What is left of the body follows the condition, and
/// what is done on leaving follows the loop.
static void testFirst(TestInside match) {
  scf::WhileOp loop = match.loop;
  Block *before = loop.getBeforeBody();
  auto end = loop.getConditionOp();
  llvm::SetVector<Value> forwarded;
  collectForwarded(before, &match.goOn(), match.branch, forwarded);
  collectForwarded(before, &match.leave(), match.branch, forwarded);
  for (Value value : end.getArgs())
    if (value.getParentBlock() == before &&
        value.getDefiningOp() != match.branch)
      forwarded.insert(value);

  IRRewriter b(loop.getContext());
  b.setInsertionPoint(loop);
  Location loc = loop.getLoc();
  SmallVector<Type> types(
      llvm::map_range(forwarded, [](Value v) { return v.getType(); }));
  auto result = scf::WhileOp::create(b, loc, types, loop.getInits());
  Block *newBefore = b.createBlock(&result.getBefore());
  newBefore->addArguments(
      before->getArgumentTypes(),
      SmallVector<Location>(before->getNumArguments(), loc));
  Block *newAfter = b.createBlock(&result.getAfter());
  newAfter->addArguments(types, SmallVector<Location>(types.size(), loc));

  // The arguments of the condition, on going round and on leaving.
  SmallVector<Value> next, left;
  for (Value value : end.getArgs()) {
    auto given = dyn_cast<OpResult>(value);
    bool branched = given && given.getOwner() == match.branch;
    next.push_back(branched ? match.goOn().getTerminator()->getOperand(
                                  given.getResultNumber())
                            : value);
    left.push_back(branched ? match.leave().getTerminator()->getOperand(
                                  given.getResultNumber())
                            : value);
  }

  IRMapping inBody, onExit;
  for (auto [value, inside, outside] : llvm::zip_equal(
           forwarded, newAfter->getArguments(), result.getResults())) {
    inBody.map(value, inside);
    onExit.map(value, outside);
  }
  b.setInsertionPointToEnd(newAfter);
  for (Operation &op : match.goOn().without_terminator())
    b.clone(op, inBody);
  scf::YieldOp::create(b, loc, llvm::map_to_vector(next, [&](Value v) {
                         return inBody.lookupOrDefault(v);
                       }));
  b.setInsertionPointAfter(result);
  for (Operation &op : match.leave().without_terminator())
    b.clone(op, onExit);
  for (auto [old, value] : llvm::zip_equal(loop.getResults(), left))
    old.replaceAllUsesWith(onExit.lookupOrDefault(value));

  // What comes before the test stays before it.
  for (auto [old, argument] :
       llvm::zip_equal(before->getArguments(), newBefore->getArguments()))
    old.replaceAllUsesWith(argument);
  SmallVector<Value> values(
      llvm::map_range(forwarded, [&](Value value) -> Value {
        auto argument = dyn_cast<BlockArgument>(value);
        return argument && argument.getOwner() == before
                   ? newBefore->getArgument(argument.getArgNumber())
                   : value;
      }));
  Value condition = match.branch.getCondition();
  newBefore->getOperations().splice(newBefore->end(), before->getOperations(),
                                    before->begin(),
                                    Block::iterator(match.branch));
  b.setInsertionPointToEnd(newBefore);
  if (match.leavesOnTrue)
    condition = arith::XOrIOp::create(
        b, loc, condition, arith::ConstantIntOp::create(b, loc, 1, 1));
  scf::ConditionOp::create(b, loc, condition, values);
  loop.erase();
}

// Counting.

namespace {
/// A loop that goes on while an induction variable has not reached a bound.
struct Counted {
  scf::WhileOp loop;
  unsigned position; // of the induction variable among the arguments
  Value bound, step; // defined outside
  bool isUnsigned;
  bool inclusive; // <=, >=
  bool down;      // counts to smaller values

  static std::optional<Counted> match(scf::WhileOp loop);
};
} // namespace

/// The predicate that says the same with its operands in the other order.
static arith::CmpIPredicate swapped(arith::CmpIPredicate predicate) {
  using P = arith::CmpIPredicate;
  switch (predicate) {
  case P::slt:
    return P::sgt;
  case P::sle:
    return P::sge;
  case P::sgt:
    return P::slt;
  case P::sge:
    return P::sle;
  case P::ult:
    return P::ugt;
  case P::ule:
    return P::uge;
  case P::ugt:
    return P::ult;
  case P::uge:
    return P::ule;
  default:
    return predicate;
  }
}

static bool isOutside(scf::WhileOp loop, Value value) {
  return !loop->isAncestor(value.getParentRegion()->getParentOp());
}

/// `value` as a value from outside, computed there again if it is a constant.
static Value hoistConstant(scf::WhileOp loop, Value value) {
  if (isOutside(loop, value))
    return value;
  Operation *op = value.getDefiningOp();
  if (!op || !op->hasTrait<OpTrait::ConstantLike>())
    return {};
  op->moveBefore(loop);
  return value;
}

std::optional<Counted> Counted::match(scf::WhileOp loop) {
  scf::ConditionOp end = loop.getConditionOp();
  auto compare = end.getCondition().getDefiningOp<arith::CmpIOp>();
  if (!compare || compare->getBlock() != loop.getBeforeBody())
    return std::nullopt;
  // What is computed before the test is computed again elsewhere.
  for (Operation &op : loop.getBeforeBody()->without_terminator())
    if (!isPure(&op))
      return std::nullopt;
  Value lhs = compare.getLhs(), rhs = compare.getRhs();
  arith::CmpIPredicate predicate = compare.getPredicate();
  auto isInduction = [&](Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && argument.getOwner() == loop.getBeforeBody();
  };
  if (!isInduction(lhs)) {
    std::swap(lhs, rhs);
    predicate = swapped(predicate);
  }
  if (!isInduction(lhs))
    return std::nullopt;
  Counted result{
      loop, cast<BlockArgument>(lhs).getArgNumber(), {}, {}, false, false,
      false};
  using P = arith::CmpIPredicate;
  switch (predicate) {
  case P::ult:
  case P::ule:
    result.isUnsigned = true;
    [[fallthrough]];
  case P::slt:
  case P::sle:
    break;
  case P::sgt:
  case P::sge:
    result.down = true;
    break;
  default:
    return std::nullopt;
  }
  result.inclusive =
      predicate == P::sle || predicate == P::ule || predicate == P::sge;
  // The next value is this one and a step.
  Value next = loop.getYieldOp().getOperand(result.position);
  auto add = next.getDefiningOp<arith::AddIOp>();
  if (!add)
    return std::nullopt;
  auto isSame = [&](Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && argument.getOwner() == loop.getAfterBody() &&
           end.getArgs()[argument.getArgNumber()] == lhs;
  };
  Value step = isSame(add.getLhs())   ? add.getRhs()
               : isSame(add.getRhs()) ? add.getLhs()
                                      : Value();
  if (!step)
    return std::nullopt;
  // A step by less than nothing counts down.
  std::optional<int64_t> known = constantOf(step);
  if (known && (*known < 0) != result.down)
    return std::nullopt;
  if (result.down && !known)
    return std::nullopt;
  result.bound = hoistConstant(loop, rhs);
  result.step = hoistConstant(loop, step);
  if (!result.bound || !result.step)
    return std::nullopt;
  return result;
}

static Value toIndex(OpBuilder &b, Location loc, Value value, bool isUnsigned) {
  if (value.getType().isIndex())
    return value;
  if (isUnsigned)
    return arith::IndexCastUIOp::create(b, loc, b.getIndexType(), value);
  return arith::IndexCastOp::create(b, loc, b.getIndexType(), value);
}

static Value fromIndex(OpBuilder &b, Location loc, Value value, Type type) {
  if (type.isIndex())
    return value;
  return arith::IndexCastOp::create(b, loc, type, value);
}

/// scf.for in place of the loop. Counting down, the loop variable is the
/// distance from the start.
static void count(Counted match) {
  scf::WhileOp loop = match.loop;
  Location loc = loop.getLoc();
  IRRewriter b(loop.getContext());
  b.setInsertionPoint(loop);
  Value start = loop.getInits()[match.position];
  Type type = start.getType();
  Value from = toIndex(b, loc, start, match.isUnsigned);
  Value to = toIndex(b, loc, match.bound, match.isUnsigned);
  Value step;
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value lower = from, upper = to;
  if (match.down) {
    step = arith::ConstantIndexOp::create(b, loc, -*constantOf(match.step));
    lower = arith::ConstantIndexOp::create(b, loc, 0);
    upper = arith::SubIOp::create(b, loc, from, to);
  } else {
    step = toIndex(b, loc, match.step, match.isUnsigned);
  }
  if (match.inclusive)
    upper = arith::AddIOp::create(b, loc, upper, one);

  // The induction variable stays an argument too, for what uses its last value;
  // nothing is left of it where nothing does.
  Block *before = loop.getBeforeBody(), *after = loop.getAfterBody();
  SmallVector<Value> inits(loop.getInits());
  auto result = scf::ForOp::create(b, loc, lower, upper, step, inits);
  Block *body = result.getBody();
  b.setInsertionPointToStart(body);
  Value current = result.getInductionVar();
  if (match.down)
    current = arith::SubIOp::create(b, loc, from, current);
  current = fromIndex(b, loc, current, type);

  auto recompute = [&](IRMapping &mapping) {
    for (Operation &op : before->without_terminator())
      b.clone(op, mapping);
    return llvm::map_to_vector(
        loop.getConditionOp().getArgs(),
        [&](Value value) { return mapping.lookupOrDefault(value); });
  };
  IRMapping inBody;
  inBody.map(before->getArguments(), result.getRegionIterArgs());
  inBody.map(before->getArgument(match.position), current);
  SmallVector<Value> forwarded = recompute(inBody);
  inBody.map(after->getArguments(), forwarded);
  for (Operation &op : after->without_terminator())
    b.clone(op, inBody);
  scf::YieldOp::create(
      b, loc,
      llvm::map_to_vector(loop.getYieldOp().getOperands(), [&](Value value) {
        return inBody.lookupOrDefault(value);
      }));
  b.setInsertionPointAfter(result);
  IRMapping onExit;
  onExit.map(before->getArguments(), result.getResults());
  SmallVector<Value> results = recompute(onExit);
  b.replaceOp(loop, results);
}

void evo::raise::testLoopsFirst(func::FuncOp function) {
  SmallVector<scf::WhileOp> loops;
  function.walk([&](scf::WhileOp loop) { loops.push_back(loop); });
  // Inner loops first: they are what an outer loop's body is cloned from.
  for (scf::WhileOp loop : loops)
    if (std::optional<TestInside> match = TestInside::match(loop))
      testFirst(*match);
}

void evo::raise::countLoops(func::FuncOp function) {
  SmallVector<scf::WhileOp> loops;
  function.walk([&](scf::WhileOp loop) { loops.push_back(loop); });
  for (scf::WhileOp loop : loops)
    if (std::optional<Counted> match = Counted::match(loop))
      count(*match);
}
