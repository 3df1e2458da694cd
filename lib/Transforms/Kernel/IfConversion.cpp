// Bounds checks at the edge of an image keep neighbouring windows from sharing
// loads, and coarsened threads from sharing one control flow. As selects they
// do not. The beginning of a buffer can be loaded wherever some thread loads an
// element; the verifier finds where that is not so.
#include "IfConversion.h"
#include "KernelTraits.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace evo;

/// The parameter that `pointer` points into, looking through selects.
static Argument *getBuffer(Value *pointer) {
  pointer = getUnderlyingObject(pointer);
  if (auto *select = dyn_cast<SelectInst>(pointer)) {
    Argument *buffer = getBuffer(select->getTrueValue());
    return buffer == getBuffer(select->getFalseValue()) ? buffer : nullptr;
  }
  return dyn_cast<Argument>(pointer);
}

/// Whether `arm` is short and has no side effects.
static bool isSpeculatable(BasicBlock &arm, BasicBlock &from,
                           BasicBlock &merge) {
  constexpr unsigned maxInstructions = 32;
  if (arm.getSinglePredecessor() != &from ||
      arm.getSingleSuccessor() != &merge ||
      arm.sizeWithoutDebug() > maxInstructions)
    return false;
  return all_of(arm, [](Instruction &inst) {
    auto *load = dyn_cast<LoadInst>(&inst);
    return inst.isTerminator() || isSafeToSpeculativelyExecute(&inst) ||
           (load && load->isSimple() && getBuffer(load->getPointerOperand()));
  });
}

/// The values that may differ between threads.
static DenseSet<const Value *> findVarying(Function &kernel) {
  SmallVector<const Value *> work;
  for (unsigned dim = 0; dim < 3; ++dim)
    append_range(work, readsOf(kernel, Register::ThreadId, dim));
  DenseSet<const Value *> varying;
  while (!work.empty()) {
    const Value *value = work.pop_back_val();
    if (varying.insert(value).second)
      append_range(work, value->users());
  }
  return varying;
}

/// Hoists `arm` to the end of `from`; its loads read the beginning of the
/// buffer unless `taken`.
static void hoist(BasicBlock &arm, BasicBlock &from, Value *taken) {
  Instruction *end = from.getTerminator();
  for (Instruction &inst : make_early_inc_range(arm)) {
    if (inst.isTerminator())
      break;
    inst.moveBefore(end->getIterator());
    inst.dropUBImplyingAttrsAndMetadata();
    if (auto *load = dyn_cast<LoadInst>(&inst)) {
      IRBuilder<> b(load);
      Value *pointer = load->getPointerOperand();
      // The pointer may have a more specific address space than the buffer.
      Value *buffer =
          b.CreateAddrSpaceCast(getBuffer(pointer), pointer->getType());
      load->setOperand(LoadInst::getPointerOperandIndex(),
                       b.CreateSelect(taken, pointer, buffer));
    }
  }
}

/// Converts the branch at the end of `from`, if it can be.
static bool ifConvertAt(BasicBlock &from,
                        const DenseSet<const Value *> &varying) {
  auto *branch = dyn_cast<BranchInst>(from.getTerminator());
  if (!branch || !branch->isConditional() ||
      !varying.contains(branch->getCondition()) ||
      branch->getSuccessor(0) == branch->getSuccessor(1))
    return false;
  BasicBlock *yes = branch->getSuccessor(0), *no = branch->getSuccessor(1);
  BasicBlock *merge = no;
  bool hasYes = true, hasNo = false;
  if (isSpeculatable(*no, from, *yes)) {
    merge = yes;
    hasYes = false;
    hasNo = true;
  } else if (BasicBlock *next = yes->getSingleSuccessor();
             next && isSpeculatable(*no, from, *next)) {
    merge = next;
    hasNo = true;
  }
  if ((hasYes && !isSpeculatable(*yes, from, *merge)) || merge == &from)
    return false;
  Value *condition = branch->getCondition();
  if (hasYes)
    hoist(*yes, from, condition);
  if (hasNo)
    hoist(*no, from, IRBuilder<>(branch).CreateNot(condition));
  BasicBlock *viaYes = hasYes ? yes : &from, *viaNo = hasNo ? no : &from;
  IRBuilder<> b(branch);
  for (PHINode &phi : merge->phis()) {
    Value *left = phi.getIncomingValueForBlock(viaYes),
          *right = phi.getIncomingValueForBlock(viaNo);
    Value *value =
        left == right ? left : b.CreateSelect(condition, left, right);
    for (BasicBlock *via : {viaYes, viaNo})
      phi.removeIncomingValue(via, /*DeletePHIIfEmpty=*/false);
    phi.addIncoming(value, &from);
  }
  b.CreateBr(merge);
  branch->eraseFromParent();
  for (BasicBlock *arm : {hasYes ? yes : nullptr, hasNo ? no : nullptr})
    if (arm) {
      arm->getTerminator()->eraseFromParent();
      arm->eraseFromParent();
    }
  MergeBlockIntoPredecessor(merge);
  return true;
}

Error evo::ifConvert(Function &kernel) {
  bool any = false, changed;
  do {
    changed = false;
    DenseSet<const Value *> varying = findVarying(kernel);
    for (BasicBlock &from : kernel)
      if (ifConvertAt(from, varying)) {
        any = changed = true;
        break; // blocks are gone
      }
  } while (changed);
  if (!any)
    return createStringError(
        "nothing can be if-converted: no divergent branch has "
        "short arms that only load and rejoin at once");
  return Error::success();
}
