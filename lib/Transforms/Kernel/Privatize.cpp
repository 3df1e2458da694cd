// Atomics on few elements of global memory contend in L2, those on shared
// memory only within a block. So each block gets private copies, initialised
// with the neutral element, and combines them into the arrays at its end. This
// pays if a block does much work: after coarsening.
#include "Privatize.h"
#include "KernelTraits.h"
#include "evo/DeviceOps/Intrinsics.h"
#include "evo/Target/AddressSpace.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace evo;

static Error refuse(const Twine &what) {
  return createStringError("no array can be privatized: " + what);
}

/// The neutral element; null if none is known.
static Constant *getIdentity(AtomicRMWInst::BinOp operation, Type *type) {
  unsigned bits = type->getScalarSizeInBits();
  if (bits != 32 && bits != 64)
    return nullptr;
  switch (operation) {
  case AtomicRMWInst::Add:
  case AtomicRMWInst::Or:
  case AtomicRMWInst::Xor:
  case AtomicRMWInst::UMax:
    return Constant::getNullValue(type);
  case AtomicRMWInst::And:
  case AtomicRMWInst::UMin:
    return Constant::getAllOnesValue(type);
  case AtomicRMWInst::Max:
    return ConstantInt::get(type, APInt::getSignedMinValue(bits));
  case AtomicRMWInst::Min:
    return ConstantInt::get(type, APInt::getSignedMaxValue(bits));
  case AtomicRMWInst::FAdd:
    return ConstantFP::getNegativeZero(type);
  default:
    return nullptr;
  }
}

/// Collects the atomics that update memory at `pointer` plus any offset.
/// Returns an instruction that does anything else with it, or null.
static const Instruction *collect(Value &pointer,
                                  SmallVectorImpl<AtomicRMWInst *> &atomics) {
  for (User *user : pointer.users()) {
    auto *atomic = dyn_cast<AtomicRMWInst>(user);
    auto *inst = cast<Instruction>(user);
    const Instruction *other = nullptr;
    if (isa<GetElementPtrInst>(user))
      other = collect(*user, atomics);
    else if (atomic && atomic->getPointerOperand() == &pointer &&
             atomic->use_empty() && !atomic->isVolatile() &&
             getIdentity(atomic->getOperation(), atomic->getType()))
      atomics.push_back(atomic);
    else
      other = inst;
    if (other)
      return other;
  }
  return nullptr;
}

Expected<SmallVector<ReducedArray>> evo::findReducedArrays(Function &kernel) {
  if (auto [inst, problem] = KernelTraits::of(kernel).getObstacle(); inst)
    return refuse(Twine(problem) + " at " + describe(*inst));
  SmallVector<ReducedArray> arrays;
  std::string why = "there is no atomic whose result is unused";
  for (Argument &parameter : kernel.args()) {
    if (!parameter.getType()->isPointerTy())
      continue;
    SmallVector<AtomicRMWInst *> atomics;
    const Instruction *other = collect(parameter, atomics);
    if (other) {
      if (isa<AtomicRMWInst>(other) || !atomics.empty())
        why = "an array that atomics update has another use at " +
              describe(*other);
      continue;
    }
    if (atomics.empty())
      continue;
    auto differs = [&](AtomicRMWInst *atomic) {
      return atomic->getOperation() != atomics[0]->getOperation() ||
             atomic->getType() != atomics[0]->getType();
    };
    if (auto *atomic = find_if(atomics, differs); atomic != atomics.end()) {
      why = "atomics of different operations update an array at " +
            describe(**atomic);
      continue;
    }
    arrays.push_back({parameter.getArgNo(), atomics[0]->getType(),
                      atomics[0]->getOperation()});
  }
  if (arrays.empty())
    return refuse(why);
  return arrays;
}

namespace {
/// The new kernel, while the private copies are added.
class Privatizer {
public:
  Privatizer(Function &kernel, ArrayRef<ReducedArray> arrays)
      : kernel(kernel), arrays(arrays) {}
  void run();

private:
  Function &kernel;
  ArrayRef<ReducedArray> arrays;
  SmallVector<Value *> copies; // of each array, in shared memory
  Value *thread, *numThreads;  // linear index in the block, block size

  Value *count(size_t which) const {
    return kernel.getArg(kernel.arg_size() - arrays.size() + which);
  }
  void placeCopies(IRBuilderBase &b);
  void redirect();
  void forEachElement(IRBuilder<> &b, size_t which,
                      function_ref<void(IRBuilder<> &, Value *)> visit);
  static void createBarrier(IRBuilderBase &b) {
    b.CreateIntrinsic(device::getBlockBarrier(), {b.getInt32(0)});
  }
};
} // namespace

void Privatizer::placeCopies(IRBuilderBase &b) {
  auto *bytes = ArrayType::get(b.getInt8Ty(), 0);
  auto *memory = new GlobalVariable(
      *kernel.getParent(), bytes, /*isConstant=*/false,
      GlobalValue::ExternalLinkage, nullptr, kernel.getName() + "_private",
      nullptr, GlobalValue::NotThreadLocal, target::Shared);
  memory->setAlignment(Align(copyAlignment));
  Value *at = memory;
  for (auto [which, array] : enumerate(arrays)) {
    copies.push_back(at);
    uint64_t width = array.type->getScalarSizeInBits() / 8;
    Value *size = b.CreateMul(count(which), b.getInt32(width));
    size = b.CreateAnd(b.CreateAdd(size, b.getInt32(copyAlignment - 1)),
                       b.getInt32(~(copyAlignment - 1)));
    if (which + 1 < arrays.size())
      at = b.CreateGEP(b.getInt8Ty(), at, size);
  }
  thread = b.getInt32(0);
  numThreads = b.getInt32(1);
  for (unsigned dim = 3; dim-- > 0;) {
    Value *extent = readRegister(b, Register::BlockDim, dim);
    thread = b.CreateAdd(b.CreateMul(thread, extent),
                         readRegister(b, Register::ThreadId, dim));
    numThreads = b.CreateMul(numThreads, extent);
  }
}

/// The address in `copy` of what `pointer` points to in the array.
static Value *inCopy(Value *pointer, Value *copy) {
  auto *offset = dyn_cast<GetElementPtrInst>(pointer);
  if (!offset)
    return copy;
  IRBuilder<> b(offset);
  return b.CreateGEP(offset->getSourceElementType(),
                     inCopy(offset->getPointerOperand(), copy),
                     SmallVector<Value *>(offset->indices()), "private",
                     offset->getNoWrapFlags());
}

void Privatizer::redirect() {
  SyncScope::ID block = kernel.getContext().getOrInsertSyncScopeID("block");
  for (auto [array, copy] : zip_equal(arrays, copies)) {
    SmallVector<AtomicRMWInst *> atomics;
    collect(*kernel.getArg(array.parameter), atomics);
    for (AtomicRMWInst *atomic : atomics) {
      IRBuilder<> b(atomic);
      b.CreateAtomicRMW(array.operation,
                        inCopy(atomic->getPointerOperand(), copy),
                        atomic->getValOperand(), atomic->getAlign(),
                        AtomicOrdering::Monotonic, block);
      atomic->eraseFromParent();
    }
  }
}

/// Distributes the elements of an array over the block's threads. The builder
/// then stands after the loop.
void Privatizer::forEachElement(
    IRBuilder<> &b, size_t which,
    function_ref<void(IRBuilder<> &, Value *)> visit) {
  LLVMContext &context = kernel.getContext();
  BasicBlock *before = b.GetInsertBlock();
  auto *head = BasicBlock::Create(context, "element", &kernel);
  auto *body = BasicBlock::Create(context, "private", &kernel);
  auto *done = BasicBlock::Create(context, "elements", &kernel);
  b.CreateBr(head);
  b.SetInsertPoint(head);
  PHINode *element = b.CreatePHI(b.getInt32Ty(), 2);
  element->addIncoming(thread, before);
  b.CreateCondBr(b.CreateICmpULT(element, count(which)), body, done);
  b.SetInsertPoint(body);
  visit(b, element);
  Value *next = b.CreateNUWAdd(element, numThreads);
  element->addIncoming(next, b.GetInsertBlock());
  b.CreateBr(head);
  b.SetInsertPoint(done);
}

void Privatizer::run() {
  SmallVector<ReturnInst *> returns;
  for (BasicBlock &block : kernel)
    if (auto *end = dyn_cast<ReturnInst>(block.getTerminator()))
      returns.push_back(end);
  BasicBlock &entry = kernel.getEntryBlock();
  BasicBlock *work =
      entry.splitBasicBlock(entry.getFirstNonPHIOrDbgOrAlloca(), "work");
  entry.getTerminator()->eraseFromParent();
  IRBuilder<> b(&entry);
  placeCopies(b);
  redirect();
  auto elementOf = [&](IRBuilder<> &b, size_t which, Value *element) {
    return b.CreateGEP(arrays[which].type, copies[which], element);
  };
  for (size_t which = 0; which < arrays.size(); ++which)
    forEachElement(b, which, [&](IRBuilder<> &b, Value *element) {
      b.CreateStore(getIdentity(arrays[which].operation, arrays[which].type),
                    elementOf(b, which, element));
    });
  createBarrier(b);
  b.CreateBr(work);

  auto *end = BasicBlock::Create(kernel.getContext(), "combine.all", &kernel);
  for (ReturnInst *inst : returns) {
    BranchInst::Create(end, inst->getIterator());
    inst->eraseFromParent();
  }
  b.SetInsertPoint(end);
  createBarrier(b);
  for (size_t which = 0; which < arrays.size(); ++which)
    forEachElement(b, which, [&](IRBuilder<> &b, Value *element) {
      const ReducedArray &array = arrays[which];
      Value *value = b.CreateLoad(array.type, elementOf(b, which, element));
      Constant *identity = getIdentity(array.operation, array.type);
      Value *isUpdated = array.type->isIntegerTy()
                             ? b.CreateICmpNE(value, identity)
                             : b.CreateFCmpUNE(value, identity);
      LLVMContext &context = kernel.getContext();
      auto *combine = BasicBlock::Create(context, "combine", &kernel);
      auto *next = BasicBlock::Create(context, "next", &kernel);
      b.CreateCondBr(isUpdated, combine, next);
      b.SetInsertPoint(combine);
      Value *place = b.CreateGEP(array.type, kernel.getArg(array.parameter),
                                 b.CreateZExt(element, b.getInt64Ty()));
      b.CreateAtomicRMW(array.operation, place, value, MaybeAlign(),
                        AtomicOrdering::Monotonic);
      b.CreateBr(next);
      b.SetInsertPoint(next);
    });
  b.CreateRetVoid();
}

void evo::privatize(Function &kernel, ArrayRef<ReducedArray> arrays) {
  Privatizer(widen(kernel, arrays.size()), arrays).run();
}
