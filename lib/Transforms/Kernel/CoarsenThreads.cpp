// Thread coarsening by unroll-and-jam: an instruction whose value varies
// between the threads that become one is replicated for each of them, in one
// shared control flow. Loads of neighbours then are adjacent and can be
// vectorised, and values that do not vary are computed once: this is register
// tiling. A loop around the old body would give neither. A copy that is another
// one plus a constant is expressed so, which later passes could not always
// prove.
#include "Coarsen.h"
#include "KernelTraits.h"
#include "evo/DeviceOps/DeviceOps.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace evo;

namespace {
class ThreadJam {
public:
  ThreadJam(Function &kernel, const Coarsening &how, ArrayRef<int64_t> block)
      : kernel(kernel), how(how), block(block), copies(how.getNumCopies()),
        assumptions(kernel), dominance(kernel) {}
  Error run();

private:
  Function &kernel;
  const Coarsening &how;
  ArrayRef<int64_t> block;
  unsigned copies;
  /// Values that vary between the threads that become one.
  DenseSet<const Value *> varying;
  /// For each copy but the first, the replica of a varying value.
  std::vector<DenseMap<Value *, Value *>> copyOf;
  /// The constant step of a value (in bytes: of an address) from one copy to
  /// the next along each dimension, if there is one.
  using Steps = std::array<std::optional<int64_t>, 3>;
  DenseMap<const Value *, Steps> stepsOf;
  /// Requirements on parameters, as assumptions at the kernel's entry.
  mutable AssumptionCache assumptions;
  DominatorTree dominance;
  Function *single = nullptr;
  BasicBlock *sequential = nullptr;

  Error checkTraits() const;
  Error checkBranches() const;
  void findVarying();
  void replicate();
  void replicate(Instruction &inst);
  void replaceThreadIds();
  Steps getSteps(const Value *value) const;
  Steps findSteps(Instruction &inst);
  bool addsWithoutCarry(Instruction &inst, const Steps &steps) const;
  bool sharesQuotient(BinaryOperator &division) const;
  unsigned getBase(unsigned copy, const Steps &steps) const;
  int64_t getDistance(unsigned copy, const Steps &steps) const;
  void agreeAt(Instruction *terminator);
  Value *copyFor(unsigned copy, Value *value) const;
  BasicBlock *makeSequential();
  /// Position along `dim` of copy `index` among the threads that become one.
  unsigned place(unsigned index, unsigned dim) const {
    for (unsigned d = 0; d < dim; ++d)
      index /= how.factors[d];
    return index % how.factors[dim];
  }
  /// The old thread index along `dim`, from the new one.
  Value *oldThread(IRBuilderBase &b, Value *thread, Value *place,
                   unsigned dim) const {
    // Extents of a block are at most 1024: nothing wraps.
    if (how.isStrided) {
      Value *stride = b.getInt32(block[dim] / how.factors[dim]);
      return b.CreateNUWAdd(thread, b.CreateNUWMul(place, stride));
    }
    Value *first =
        b.CreateMul(thread, b.getInt32(how.factors[dim]), "", true, true);
    return b.CreateAdd(first, place, "", true, true);
  }
};
} // namespace

static Error refuse(const Twine &what) { return createStringError(what); }

Error ThreadJam::checkTraits() const {
  for (unsigned dim = 0; dim < 3; ++dim)
    if (block[dim] % how.factors[dim])
      return refuse("the block's extent " + Twine(block[dim]) +
                    " is no multiple of " + Twine(how.factors[dim]));
  KernelTraits traits = KernelTraits::of(kernel);
  const std::pair<const Instruction *, const char *> obstacles[] = {
      {traits.barrier, "its threads wait for each other"},
      {traits.warpWide, "threads of a warp work together"},
      {traits.shared, "its threads share memory"},
      {traits.place, "it asks for a thread's place in its warp"},
      {traits.unknown, "it is not known what the call does"},
      {traits.exit, "a thread may end there"}};
  for (auto [inst, why] : obstacles)
    if (inst)
      return refuse("threads cannot be coarsened: " + Twine(why) + " at " +
                    describe(*inst));
  if (prescribesBlock(kernel))
    return refuse("threads cannot be coarsened: the kernel prescribes its "
                  "block");
  return Error::success();
}

/// Whether `inst` has a side effect that another thread, or a second run, could
/// observe.
static bool hasEffect(const Instruction &inst) {
  if (inst.isVolatile() || inst.isAtomic())
    return true;
  if (!inst.mayWriteToMemory())
    return false;
  if (auto *call = dyn_cast<IntrinsicInst>(&inst)) {
    if (call->isAssumeLikeIntrinsic())
      return false;
    if (auto *memory = dyn_cast<AnyMemIntrinsic>(call))
      return !isa<AllocaInst>(getUnderlyingObject(memory->getDest()));
  }
  if (auto *store = dyn_cast<StoreInst>(&inst))
    return !isa<AllocaInst>(getUnderlyingObject(store->getPointerOperand()));
  return true;
}

void ThreadJam::findVarying() {
  SmallVector<const Value *> work;
  auto mark = [&](const Value *value) {
    if (varying.insert(value).second)
      work.push_back(value);
  };
  for (unsigned dim = 0; dim < 3; ++dim)
    if (how.factors[dim] > 1)
      for (CallInst *read : readsOf(kernel, Register::ThreadId, dim))
        mark(read);
  // Side effects happen once per thread, and local memory is private to it. A
  // plain store of one value to one address may happen once.
  for (Instruction &inst : instructions(kernel))
    if (isa<AllocaInst>(inst) ||
        (hasEffect(inst) && (inst.isVolatile() || !isa<StoreInst>(inst))))
      mark(&inst);
  while (!work.empty())
    for (const User *user : work.pop_back_val()->users())
      mark(user);
}

static Value *getCondition(const Instruction &terminator) {
  if (auto *branch = dyn_cast<BranchInst>(&terminator))
    return branch->isConditional() ? branch->getCondition() : nullptr;
  if (auto *choice = dyn_cast<SwitchInst>(&terminator))
    return choice->getCondition();
  return nullptr;
}

Error ThreadJam::checkBranches() const {
  for (BasicBlock &from : kernel) {
    Instruction *terminator = from.getTerminator();
    Value *condition = getCondition(*terminator);
    if (!condition || !varying.contains(condition))
      continue;
    for (Instruction &inst : instructions(kernel))
      if (hasEffect(inst) && isPotentiallyReachable(&inst, terminator))
        return refuse("threads cannot be coarsened: they may diverge at " +
                      describe(*terminator) + " after " + describe(inst) +
                      " took effect");
  }
  return Error::success();
}

Value *ThreadJam::copyFor(unsigned copy, Value *value) const {
  if (copy == 0)
    return value;
  Value *own = copyOf[copy - 1].lookup(value);
  return own ? own : value;
}

/// Replaces the new thread index by that of the first copy in the old block.
void ThreadJam::replaceThreadIds() {
  for (unsigned dim = 0; dim < 3; ++dim) {
    if (how.factors[dim] == 1)
      continue;
    for (CallInst *read : readsOf(kernel, Register::ThreadId, dim)) {
      IRBuilder<> b(read);
      Value *first = oldThread(b, readRegister(b, Register::ThreadId, dim),
                               b.getInt32(0), dim);
      stepsOf[first] = {0, 0, 0};
      stepsOf[first][dim] = how.isStrided ? block[dim] / how.factors[dim] : 1;
      varying.insert(first);
      read->replaceAllUsesWith(first);
      varying.erase(read);
      read->eraseFromParent();
    }
    replaceReads(
        kernel, Register::BlockDim, dim,
        ConstantInt::get(Type::getInt32Ty(kernel.getContext()), block[dim]));
  }
}

ThreadJam::Steps ThreadJam::getSteps(const Value *value) const {
  if (!varying.contains(value))
    return {0, 0, 0};
  auto known = stepsOf.find(value);
  return known == stepsOf.end() ? Steps() : known->second;
}

/// The copy from which `copy` differs by a constant.
unsigned ThreadJam::getBase(unsigned copy, const Steps &steps) const {
  unsigned base = 0, weight = 1;
  for (unsigned dim = 0; dim < 3; ++dim) {
    if (!steps[dim])
      base += place(copy, dim) * weight;
    weight *= how.factors[dim];
  }
  return base;
}

int64_t ThreadJam::getDistance(unsigned copy, const Steps &steps) const {
  int64_t distance = 0;
  for (unsigned dim = 0; dim < 3; ++dim)
    distance += steps[dim].value_or(0) * place(copy, dim);
  return distance;
}

/// Whether no copy of the integer `inst` differs from its base in more than low
/// bits that are zero in the base.
bool ThreadJam::addsWithoutCarry(Instruction &inst, const Steps &steps) const {
  const DataLayout &layout = kernel.getDataLayout();
  for (unsigned copy = 1; copy < copies; ++copy) {
    int64_t distance = getDistance(copy, steps);
    Value *base = copyFor(getBase(copy, steps), &inst);
    if (distance < 0 || distance > INT32_MAX ||
        computeKnownBits(base, layout).countMinTrailingZeros() <
            Log2_64_Ceil(distance + 1))
      return false;
  }
  return true;
}

/// Whether `value` is a sum or product of thread and block indices and counts:
/// in a correct kernel it is not negative.
static bool isCount(const Value *value, unsigned depth = 0) {
  constexpr unsigned maxDepth = 8;
  if (auto *constant = dyn_cast<ConstantInt>(value))
    return !constant->isNegative();
  auto *inst = dyn_cast<Instruction>(value);
  if (!inst || depth == maxDepth)
    return false;
  if (auto *call = dyn_cast<IntrinsicInst>(inst)) {
    const device::DeviceOp *op = device::lookup(*call);
    return op && op->tells != device::Tells::Nothing;
  }
  bool sums =
      isa<CastInst>(inst) || is_contained({Instruction::Add, Instruction::Mul,
                                           Instruction::Shl, Instruction::Or},
                                          inst->getOpcode());
  return sums && all_of(inst->operands(), [&](const Use &operand) {
           return isCount(operand, depth + 1);
         });
}

static bool isRemainder(const BinaryOperator &division) {
  return is_contained({Instruction::URem, Instruction::SRem},
                      division.getOpcode());
}

/// Whether all copies of a dividend have one quotient, because they lie between
/// two multiples of a power of two that divides the divisor. Their remainders
/// then have the same steps.
bool ThreadJam::sharesQuotient(BinaryOperator &division) const {
  auto *number = dyn_cast<Instruction>(division.getOperand(0));
  Value *divisor = division.getOperand(1);
  if (!number || varying.contains(divisor))
    return false;
  bool isSigned = is_contained({Instruction::SDiv, Instruction::SRem},
                               division.getOpcode());
  Steps steps = getSteps(number);
  if ((isSigned && !isCount(number)) || !addsWithoutCarry(*number, steps))
    return false;
  int64_t maxDistance = 0;
  for (unsigned copy = 1; copy < copies; ++copy)
    maxDistance = std::max(maxDistance, getDistance(copy, steps));
  KnownBits bits = computeKnownBits(divisor, kernel.getDataLayout(),
                                    &assumptions, &division, &dominance);
  return bits.countMinTrailingZeros() >= Log2_64_Ceil(maxDistance + 1);
}

/// Steps of a value from those of its operands. Integers wrap, so sums always
/// keep their steps; extensions keep them if no low bits carry.
ThreadJam::Steps ThreadJam::findSteps(Instruction &inst) {
  if (isa<AllocaInst>(inst) || hasEffect(inst))
    return {};
  Steps steps = {0, 0, 0};
  // The same operands give the same value.
  for (unsigned dim = 0; dim < 3; ++dim)
    for (const Use &use : inst.operands())
      if (getSteps(use)[dim] != 0)
        steps[dim] = std::nullopt;
  auto combine = [&](const Value *a, int64_t scaleA, const Value *b,
                     int64_t scaleB) {
    for (unsigned dim = 0; dim < 3; ++dim) {
      std::optional<int64_t> left = getSteps(a)[dim];
      std::optional<int64_t> right = b ? getSteps(b)[dim] : 0;
      // Distances stay small enough for their products not to overflow.
      constexpr int64_t limit = int64_t(1) << 24;
      if (left && right && std::abs(scaleA) < limit &&
          std::abs(*left) < limit && std::abs(scaleB) < limit &&
          std::abs(*right) < limit)
        steps[dim] = *left * scaleA + *right * scaleB;
    }
  };
  if (auto *binary = dyn_cast<BinaryOperator>(&inst)) {
    Value *a = binary->getOperand(0), *b = binary->getOperand(1);
    auto *constant = dyn_cast<ConstantInt>(b);
    bool isSmall = constant && constant->getValue().isSignedIntN(24);
    auto *disjoint = dyn_cast<PossiblyDisjointInst>(binary);
    if (!binary->getType()->isIntegerTy())
      return steps;
    if (binary->getOpcode() == Instruction::Add ||
        (disjoint && disjoint->isDisjoint()))
      combine(a, 1, b, 1);
    else if (binary->getOpcode() == Instruction::Sub)
      combine(a, 1, b, -1);
    else if (binary->getOpcode() == Instruction::Mul && isSmall)
      combine(a, constant->getSExtValue(), nullptr, 0);
    else if (binary->getOpcode() == Instruction::Shl && constant &&
             constant->getValue().ult(24))
      combine(a, int64_t(1) << constant->getZExtValue(), nullptr, 0);
    else if (binary->isIntDivRem() && sharesQuotient(*binary))
      combine(a, isRemainder(*binary), nullptr, 0);
  } else if (isa<TruncInst>(inst)) {
    combine(inst.getOperand(0), 1, nullptr, 0);
  } else if (isa<SExtInst, ZExtInst>(inst)) {
    auto *narrow = dyn_cast<Instruction>(inst.getOperand(0));
    if (narrow && addsWithoutCarry(*narrow, getSteps(narrow)))
      combine(narrow, 1, nullptr, 0);
  } else if (auto *address = dyn_cast<GetElementPtrInst>(&inst)) {
    if (address->getNumIndices() == 1 &&
        address->getOperand(1)->getType()->isIntegerTy(64)) {
      TypeSize size = kernel.getDataLayout().getTypeAllocSize(
          address->getSourceElementType());
      combine(address->getPointerOperand(), 1, address->getOperand(1),
              static_cast<int64_t>(size.getFixedValue()));
    }
  }
  return steps;
}

/// Inserts the copies of `inst` behind it.
void ThreadJam::replicate(Instruction &inst) {
  // The steps of the thread indices are known.
  auto known = stepsOf.find(&inst);
  Steps steps = known == stepsOf.end() ? findSteps(inst) : known->second;
  // Only integers and addresses can be another one plus a constant.
  bool isSum = inst.getType()->isIntegerTy() || inst.getType()->isPointerTy();
  if (!isSum || isa<PHINode>(inst))
    for (std::optional<int64_t> &step : steps)
      if (step && *step != 0)
        step = std::nullopt;
  stepsOf[&inst] = steps;
  IRBuilder<> b(inst.getContext());
  Instruction *last = &inst;
  for (unsigned copy = 1; copy < copies; ++copy) {
    unsigned base = getBase(copy, steps);
    int64_t distance = getDistance(copy, steps);
    Value *&own = copyOf[copy - 1][&inst];
    if (base != copy && distance == 0) {
      own = copyFor(base, &inst);
      continue;
    }
    if (base == copy) {
      Instruction *clone = inst.clone();
      for (Use &use : clone->operands())
        use.set(copyFor(copy, use.get())); // phis are set again later
      clone->insertAfter(last->getIterator());
      own = last = clone;
      continue;
    }
    b.SetInsertPoint(last->getNextNode());
    b.SetCurrentDebugLocation(inst.getDebugLoc());
    Value *from = copyFor(base, &inst);
    if (inst.getType()->isPointerTy())
      own = b.CreatePtrAdd(from, b.getInt64(distance));
    else
      own = b.CreateAdd(from, ConstantInt::getSigned(inst.getType(), distance));
    last = cast<Instruction>(own);
  }
}

void ThreadJam::replicate() {
  copyOf.resize(copies - 1);
  replaceThreadIds();
  SmallVector<Instruction *> originals;
  for (BasicBlock *from : ReversePostOrderTraversal<Function *>(&kernel))
    for (Instruction &inst : *from)
      if (varying.contains(&inst) && !inst.isTerminator())
        originals.push_back(&inst);
  for (Instruction *inst : originals)
    replicate(*inst);
  // The copies of loop-carried values exist only now.
  for (Instruction *inst : originals)
    if (auto *phi = dyn_cast<PHINode>(inst))
      for (unsigned copy = 1; copy < copies; ++copy)
        if (auto *own = cast<PHINode>(copyFor(copy, phi)); own != phi)
          for (auto [use, from] :
               zip(own->incoming_values(), phi->incoming_values()))
            use.set(copyFor(copy, from));
}

/// The fallback where the copies diverge: each of them by itself, from the
/// start.
BasicBlock *ThreadJam::makeSequential() {
  LLVMContext &context = kernel.getContext();
  auto *entry = BasicBlock::Create(context, "sequential", &kernel);
  auto *loop = BasicBlock::Create(context, "sequential.next", &kernel);
  auto *done = BasicBlock::Create(context, "sequential.done", &kernel);
  IRBuilder<> b(entry);
  SmallVector<Value *> threads(3);
  for (unsigned dim = 0; dim < 3; ++dim)
    if (how.factors[dim] > 1)
      threads[dim] = readRegister(b, Register::ThreadId, dim);
  b.CreateBr(loop);
  b.SetInsertPoint(loop);
  PHINode *index = b.CreatePHI(b.getInt32Ty(), 2);
  index->addIncoming(b.getInt32(0), entry);
  SmallVector<Value *> args;
  for (Argument &arg : kernel.args())
    args.push_back(&arg);
  Value *rest = index;
  for (unsigned dim = 0; dim < 3; ++dim) {
    if (how.factors[dim] == 1)
      continue;
    Value *factor = b.getInt32(how.factors[dim]);
    args.push_back(oldThread(b, threads[dim], b.CreateURem(rest, factor), dim));
    rest = b.CreateUDiv(rest, factor);
  }
  Value *next = b.CreateNUWAdd(index, b.getInt32(1));
  Instruction *jump =
      b.CreateCondBr(b.CreateICmpULT(next, b.getInt32(copies)), loop, done);
  // It is the cold path, so its code is kept short.
  auto *rare =
      MDNode::get(context, MDString::get(context, "llvm.loop.unroll.disable"));
  MDNode *mark = MDNode::getDistinct(context, {nullptr, rare});
  mark->replaceOperandWith(0, mark);
  jump->setMetadata(LLVMContext::MD_loop, mark);
  b.SetInsertPoint(done);
  b.CreateRetVoid();
  b.SetInsertPoint(jump);
  inlineBody(b, *single, args);
  index->addIncoming(next, jump->getParent());
  return entry;
}

/// Branches to the fallback before `terminator` if the copies diverge there.
void ThreadJam::agreeAt(Instruction *terminator) {
  Value *condition = getCondition(*terminator);
  IRBuilder<> b(terminator);
  Value *agree;
  if (condition->getType()->isIntegerTy(1)) {
    SmallVector<Value *> all;
    for (unsigned copy = 0; copy < copies; ++copy) {
      Value *own = copyFor(copy, condition);
      if (!is_contained(all, own))
        all.push_back(own);
    }
    agree = b.CreateICmpEQ(b.CreateAnd(all), b.CreateOr(all));
  } else {
    SmallVector<Value *> same;
    for (unsigned copy = 1; copy < copies; ++copy)
      same.push_back(b.CreateICmpEQ(condition, copyFor(copy, condition)));
    agree = b.CreateAnd(same);
  }
  if (!sequential)
    sequential = makeSequential();
  BasicBlock *from = terminator->getParent();
  BasicBlock *common = SplitBlock(from, terminator->getIterator());
  Instruction *jump = from->getTerminator();
  b.SetInsertPoint(jump);
  b.CreateCondBr(agree, common, sequential,
                 MDBuilder(kernel.getContext()).createLikelyBranchWeights());
  jump->eraseFromParent();
}

Error ThreadJam::run() {
  if (Error error = checkTraits())
    return error;
  findVarying();
  if (Error error = checkBranches())
    return error;
  unsigned numDims = 0;
  for (unsigned factor : how.factors)
    numDims += factor > 1;
  single = cloneAsBody(kernel, ".single", numDims);
  unsigned next = kernel.arg_size();
  for (unsigned dim = 0; dim < 3; ++dim) {
    if (how.factors[dim] == 1)
      continue;
    replaceReads(*single, Register::ThreadId, dim, single->getArg(next++));
    replaceReads(
        *single, Register::BlockDim, dim,
        ConstantInt::get(Type::getInt32Ty(kernel.getContext()), block[dim]));
  }
  SmallVector<Instruction *> divergent;
  for (BasicBlock &from : kernel)
    if (Value *condition = getCondition(*from.getTerminator()))
      if (varying.contains(condition))
        divergent.push_back(from.getTerminator());
  replicate();
  for (Instruction *terminator : divergent)
    agreeAt(terminator);
  if (divergent.empty())
    single->eraseFromParent();
  return Error::success();
}

Error evo::coarsenThreads(Function &kernel, const Coarsening &how,
                          ArrayRef<int64_t> block) {
  return ThreadJam(kernel, how, block).run();
}
