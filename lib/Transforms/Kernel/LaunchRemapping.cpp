// A division by a number that is known only at run time costs some twenty
// instructions, more for 64 bits: simple kernels over images spend most of
// their time on computing coordinates. The linear index is recomputed from row
// and column instead, so its other uses stay right.
#include "LaunchRemapping.h"
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
  return createStringError("the launch cannot be remapped: " + what);
}

static Value *stripCasts(Value *value) {
  while (isa<ZExtInst, SExtInst, TruncInst>(value))
    value = cast<CastInst>(value)->getOperand(0);
  return value;
}

/// `value` before casts to other widths, which keep a linear index that is less
/// than 2^31. Sets `isNarrowed` where that is needed.
static Value *stripWidths(Value *value, bool &isNarrowed) {
  constexpr unsigned minBits = 32;
  while (isa<ZExtInst, SExtInst>(value) ||
         (isa<TruncInst>(value) &&
          value->getType()->getScalarSizeInBits() >= minBits)) {
    isNarrowed |= isa<TruncInst>(value);
    value = cast<CastInst>(value)->getOperand(0);
  }
  return value;
}

/// `size` before its sign extension, which is repeated where it is used.
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
/// Divisions of one index by one size.
struct Level {
  Value *size = nullptr; // before its sign extension
  SmallVector<BinaryOperator *> quotients, remainders;
};

class LaunchRemapper {
public:
  LaunchRemapper(Function &kernel, unsigned numLevels)
      : kernel(kernel), levels(numLevels) {}
  /// Returns whether there have to be less than 2^31 threads.
  Expected<bool> run();

private:
  Function &kernel;
  SmallVector<Level> levels;
  SmallVector<Instruction *> indices; // the linear thread index
  SmallVector<CallInst *> reads;      // of registers, from which it is computed
  bool needsFewThreads = false;       // less than 2^31

  Error check();
  bool isRead(const Value *value, Register kind) const;
  bool isLinearIndex(Instruction &inst) const;
  Error checkUses(Instruction &part) const;
  Error findDivisions(ArrayRef<Instruction *> dividends, Level &level);
  Value *hoist(IRBuilderBase &b, Value *value) const;
};
} // namespace

bool LaunchRemapper::isRead(const Value *value, Register kind) const {
  return is_contained(readsOf(kernel, kind, 0), value);
}

/// Whether `inst` is blockIdx.x * blockDim.x + threadIdx.x.
bool LaunchRemapper::isLinearIndex(Instruction &inst) const {
  Value *left, *right;
  if (!match(&inst, m_AddLike(m_Value(left), m_Value(right))))
    return false;
  left = stripCasts(left);
  right = stripCasts(right);
  if (isRead(left, Register::ThreadId))
    std::swap(left, right);
  Value *block, *extent;
  if (!isRead(right, Register::ThreadId) ||
      !match(left, m_Mul(m_Value(block), m_Value(extent))))
    return false;
  block = stripCasts(block);
  extent = stripCasts(extent);
  return (isRead(block, Register::BlockId) &&
          isRead(extent, Register::BlockDim)) ||
         (isRead(extent, Register::BlockId) &&
          isRead(block, Register::BlockDim));
}

/// Parts of the linear index must have no other uses.
Error LaunchRemapper::checkUses(Instruction &part) const {
  for (User *user : part.users()) {
    auto &inst = *cast<Instruction>(user);
    if (is_contained(indices, &inst))
      continue;
    if (!isa<CastInst>(inst) && inst.getOpcode() != Instruction::Mul)
      return refuse(
          "a thread's position is used for more than its linear index at " +
          describe(inst));
    if (Error error = checkUses(inst))
      return error;
  }
  return Error::success();
}

Error LaunchRemapper::check() {
  if (auto [inst, problem] = KernelTraits::of(kernel).getObstacle(); inst)
    return refuse(Twine(problem) + " at " + describe(*inst));
  if (prescribesBlock(kernel))
    return refuse("the kernel prescribes its block");
  for (unsigned dim = 0; dim < 3; ++dim)
    for (Register kind : {Register::ThreadId, Register::BlockId,
                          Register::BlockDim, Register::GridDim}) {
      SmallVector<CallInst *> all = readsOf(kernel, kind, dim);
      if (dim > 0 || kind == Register::GridDim) {
        if (!all.empty())
          return refuse("a thread's position is used for more than its "
                        "linear index at " +
                        describe(*all.front()));
        continue;
      }
      append_range(reads, all);
    }
  for (Instruction &inst : instructions(kernel))
    if (isLinearIndex(inst))
      indices.push_back(&inst);
  for (CallInst *read : reads)
    if (Error error = checkUses(*read))
      return error;
  SmallVector<Instruction *> dividends = indices;
  for (Level &level : levels) {
    if (Error error = findDivisions(dividends, level))
      return error;
    dividends.assign(level.quotients.begin(), level.quotients.end());
  }
  return Error::success();
}

Error LaunchRemapper::findDivisions(ArrayRef<Instruction *> dividends,
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
                      ? "nothing divides the linear thread index"
                      : "nothing divides the row number");
  return Error::success();
}

/// `value`, recomputed at the builder's insertion point from the parameters;
/// without an insertion point, only whether that is possible. Null if not.
Value *LaunchRemapper::hoist(IRBuilderBase &b, Value *value) const {
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

Expected<bool> LaunchRemapper::run() {
  if (Error error = check())
    return std::move(error);
  BasicBlock &entry = kernel.getEntryBlock();
  BasicBlock *work =
      entry.splitBasicBlock(entry.getFirstNonPHIOrDbgOrAlloca(), "work");
  entry.getTerminator()->eraseFromParent();
  IRBuilder<> b(&entry);
  // Column, row and image, unsigned.
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
  // The quotient of a level, from the outermost coordinate inwards.
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
  for (Instruction *index : indices)
    index->replaceAllUsesWith(build(index->getType(), 0));
  auto *end = BasicBlock::Create(kernel.getContext(), "outside", &kernel);
  ReturnInst::Create(kernel.getContext(), end);
  b.CreateCondBr(exists, work, end);
  // The old ones are dead, but would still read the 1-D registers.
  for (Level &level : levels)
    for (auto *list : {&level.remainders, &level.quotients})
      for (BinaryOperator *division : *list)
        division->eraseFromParent();
  SmallVector<WeakTrackingVH> dead(indices.begin(), indices.end());
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(dead);
  forgetBlockPromises(kernel);
  return needsFewThreads;
}

Expected<bool> evo::remapLaunch(Function &kernel, unsigned levels) {
  return LaunchRemapper(kernel, levels).run();
}
