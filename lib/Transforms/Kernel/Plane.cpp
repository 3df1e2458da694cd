// A division by a number that is known at run time alone costs some twenty
// instructions, of 64 bits more: plain kernels of images spend most of their
// time on finding out where they are. The number is put together from row and
// column instead, so whatever else is computed of it stays right.
#include "Plane.h"
#include "KernelTraits.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace evo;
using namespace llvm::PatternMatch;

static Error refuse(const Twine &what) {
  return createStringError("no plane can be made: " + what);
}

static Value *stripCasts(Value *value) {
  while (isa<ZExtInst, SExtInst, TruncInst>(value))
    value = cast<CastInst>(value)->getOperand(0);
  return value;
}

/// `value` before its width changed: a thread's number stays the same, with or
/// without a sign, as long as it is less than 2^31, which has to be so where it
/// `isNarrowed`.
static Value *stripWidths(Value *value, bool &isNarrowed) {
  constexpr unsigned least = 32;
  while (isa<ZExtInst, SExtInst>(value) ||
         (isa<TruncInst>(value) &&
          value->getType()->getScalarSizeInBits() >= least)) {
    isNarrowed |= isa<TruncInst>(value);
    value = cast<CastInst>(value)->getOperand(0);
  }
  return value;
}

/// `size` before it was widened with its sign, which is how it is widened
/// again.
static Value *stripSigned(Value *size) {
  auto isSigned = [](Value *value) {
    auto *zero = dyn_cast<ZExtInst>(value);
    return isa<SExtInst>(value) || (zero && zero->hasNonNeg());
  };
  while (isSigned(size))
    size = cast<CastInst>(size)->getOperand(0);
  return size;
}

static bool isRemainder(const BinaryOperator &division) {
  return is_contained({Instruction::URem, Instruction::SRem},
                      division.getOpcode());
}

namespace {
/// Divisions of one number by one size.
struct Level {
  Value *size = nullptr; // before it was widened with its sign
  SmallVector<BinaryOperator *> quotients, remainders;
};

class PlaneMaker {
public:
  PlaneMaker(Function &kernel, unsigned numLevels)
      : kernel(kernel), levels(numLevels) {}
  /// Answers whether there have to be less than 2^31 threads.
  Expected<bool> run();

private:
  Function &kernel;
  SmallVector<Level> levels;
  SmallVector<Instruction *> numbers; // the thread's among all
  SmallVector<CallInst *> places;     // what they are made of
  bool needsFewThreads = false;       // less than 2^31

  Error check();
  bool isPlace(const Value *value, Register kind) const;
  bool isNumber(Instruction &inst) const;
  Error checkUses(Instruction &place) const;
  Error findDivisions(ArrayRef<Instruction *> dividends, Level &level);
  Value *hoist(IRBuilderBase &b, Value *value) const;
};
} // namespace

bool PlaneMaker::isPlace(const Value *value, Register kind) const {
  return is_contained(readsOf(kernel, kind, 0), value);
}

/// Block times extent plus thread.
bool PlaneMaker::isNumber(Instruction &inst) const {
  Value *left, *right;
  if (!match(&inst, m_AddLike(m_Value(left), m_Value(right))))
    return false;
  left = stripCasts(left);
  right = stripCasts(right);
  if (isPlace(left, Register::ThreadId))
    std::swap(left, right);
  Value *block, *extent;
  if (!isPlace(right, Register::ThreadId) ||
      !match(left, m_Mul(m_Value(block), m_Value(extent))))
    return false;
  block = stripCasts(block);
  extent = stripCasts(extent);
  return (isPlace(block, Register::BlockId) &&
          isPlace(extent, Register::BlockDim)) ||
         (isPlace(extent, Register::BlockId) &&
          isPlace(block, Register::BlockDim));
}

/// A part of the number must be nothing else.
Error PlaneMaker::checkUses(Instruction &place) const {
  for (User *user : place.users()) {
    auto &inst = *cast<Instruction>(user);
    if (is_contained(numbers, &inst))
      continue;
    if (!isa<CastInst>(inst) && inst.getOpcode() != Instruction::Mul)
      return refuse("a thread's place is used for more than its number at " +
                    describe(inst));
    if (Error error = checkUses(inst))
      return error;
  }
  return Error::success();
}

Error PlaneMaker::check() {
  if (auto [inst, problem] = KernelTraits::of(kernel).getObstacle(); inst)
    return refuse(Twine(problem) + " at " + describe(*inst));
  if (prescribesBlock(kernel))
    return refuse("the kernel prescribes its block");
  for (unsigned dim = 0; dim < 3; ++dim)
    for (Register kind : {Register::ThreadId, Register::BlockId,
                          Register::BlockDim, Register::GridDim}) {
      SmallVector<CallInst *> reads = readsOf(kernel, kind, dim);
      if (dim > 0 || kind == Register::GridDim) {
        if (!reads.empty())
          return refuse("a thread's place is used for more than its number "
                        "at " +
                        describe(*reads.front()));
        continue;
      }
      append_range(places, reads);
    }
  for (Instruction &inst : instructions(kernel))
    if (isNumber(inst))
      numbers.push_back(&inst);
  for (CallInst *place : places)
    if (Error error = checkUses(*place))
      return error;
  SmallVector<Instruction *> dividends = numbers;
  for (Level &level : levels) {
    if (Error error = findDivisions(dividends, level))
      return error;
    dividends.assign(level.quotients.begin(), level.quotients.end());
  }
  return Error::success();
}

Error PlaneMaker::findDivisions(ArrayRef<Instruction *> dividends,
                                Level &level) {
  for (Instruction &inst : instructions(kernel)) {
    auto *division = dyn_cast<BinaryOperator>(&inst);
    bool isNarrowed = false;
    if (!division || !division->isIntDivRem() ||
        !is_contained(dividends,
                      stripWidths(division->getOperand(0), isNarrowed)))
      continue;
    Value *size = stripSigned(division->getOperand(1));
    if (!level.size) {
      IRBuilder<> b(kernel.getContext());
      if (!hoist(b, size))
        continue;
      level.size = size;
    }
    if (size != level.size)
      continue;
    needsFewThreads |= isNarrowed;
    (isRemainder(*division) ? level.remainders : level.quotients)
        .push_back(division);
  }
  if (!level.size)
    return refuse(&level == &levels.front()
                      ? "nothing divides a thread's number"
                      : "nothing divides the number of its row");
  return Error::success();
}

/// `value`, computed at the builder's place from the parameters alone; without
/// a place only whether that can be. Null where it cannot.
Value *PlaneMaker::hoist(IRBuilderBase &b, Value *value) const {
  if (isa<Argument, ConstantInt>(value))
    return value;
  auto *inst = dyn_cast<Instruction>(value);
  if (!inst || !isa<CastInst, BinaryOperator, SelectInst, ICmpInst>(inst) ||
      !isSafeToSpeculativelyExecute(inst))
    return nullptr;
  SmallVector<Value *> operands;
  for (Value *operand : inst->operands()) {
    operands.push_back(hoist(b, operand));
    if (!operands.back())
      return nullptr;
  }
  if (!b.GetInsertBlock())
    return value;
  Instruction *copy = inst->clone();
  copy->dropPoisonGeneratingFlags();
  copy->setDebugLoc(DebugLoc());
  for (auto [use, operand] : zip_equal(copy->operands(), operands))
    use.set(operand);
  return b.Insert(copy);
}

Expected<bool> PlaneMaker::run() {
  if (Error error = check())
    return std::move(error);
  BasicBlock &entry = kernel.getEntryBlock();
  BasicBlock *work =
      entry.splitBasicBlock(entry.getFirstNonPHIOrDbgOrAlloca(), "work");
  entry.getTerminator()->eraseFromParent();
  IRBuilder<> b(&entry);
  // Column, row and plane, each without a sign.
  SmallVector<Value *> at, sizes;
  Value *exists = b.getTrue();
  for (unsigned dim = 0; dim <= levels.size(); ++dim) {
    Value *block = readRegister(b, Register::BlockId, dim);
    Value *first = b.CreateMul(block, readRegister(b, Register::BlockDim, dim),
                               "", true, true);
    at.push_back(b.CreateAdd(first, readRegister(b, Register::ThreadId, dim),
                             "", true, true));
    if (dim == levels.size())
      break;
    Value *size = hoist(b, levels[dim].size);
    Type *wide = size->getType()->getScalarSizeInBits() > 32 ? b.getInt64Ty()
                                                             : b.getInt32Ty();
    sizes.push_back(b.CreateSExtOrTrunc(size, wide));
    exists = b.CreateAnd(
        exists, b.CreateICmpULT(b.CreateZExt(at.back(), wide), sizes.back()));
  }
  // From the outermost: what a level's quotient is.
  auto build = [&](Type *type, unsigned from) {
    Value *value = b.CreateZExtOrTrunc(at.back(), type);
    bool isWide = type->getScalarSizeInBits() > 32;
    for (unsigned dim = levels.size(); dim-- > from;) {
      Value *size = b.CreateSExtOrTrunc(sizes[dim], type);
      value = b.CreateAdd(b.CreateMul(value, size, "", true, isWide),
                          b.CreateZExtOrTrunc(at[dim], type), "", true, isWide);
    }
    return value;
  };
  for (auto [depth, level] : enumerate(levels)) {
    for (BinaryOperator *division : level.remainders)
      division->replaceAllUsesWith(
          b.CreateZExtOrTrunc(at[depth], division->getType()));
    for (BinaryOperator *division : level.quotients)
      division->replaceAllUsesWith(build(division->getType(), depth + 1));
  }
  for (Instruction *number : numbers)
    number->replaceAllUsesWith(build(number->getType(), 0));
  auto *end = BasicBlock::Create(kernel.getContext(), "outside", &kernel);
  ReturnInst::Create(kernel.getContext(), end);
  b.CreateCondBr(exists, work, end);
  // Nothing uses the old ones any more, but they ask for a place on a line.
  for (Level &level : levels)
    for (auto *list : {&level.remainders, &level.quotients})
      for (BinaryOperator *division : *list)
        division->eraseFromParent();
  SmallVector<WeakTrackingVH> dead(numbers.begin(), numbers.end());
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(dead);
  forgetBlockPromises(kernel);
  return needsFewThreads;
}

Expected<bool> evo::makePlane(Function &kernel, unsigned levels) {
  return PlaneMaker(kernel, levels).run();
}
