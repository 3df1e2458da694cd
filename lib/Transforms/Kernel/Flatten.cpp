// Windows over the edge of an image are cut off by conditions. Each of them
// keeps the loads behind it from being shared by neighbouring windows, and
// threads that are regrouped from going one way. Without ways there are only
// values. A buffer whose beginning is loaded from has an element wherever some
// thread loads one; the verifier sees where that is not so.
#include "Flatten.h"
#include "KernelTraits.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace evo;

/// The parameter that `pointer` points into, whatever is selected on the way.
static Argument *getBuffer(Value *pointer) {
  pointer = getUnderlyingObject(pointer);
  if (auto *select = dyn_cast<SelectInst>(pointer)) {
    Argument *buffer = getBuffer(select->getTrueValue());
    return buffer == getBuffer(select->getFalseValue()) ? buffer : nullptr;
  }
  return dyn_cast<Argument>(pointer);
}

/// Whether a way is short and has nothing to it but values.
static bool isFlat(BasicBlock &way, BasicBlock &from, BasicBlock &meeting) {
  constexpr unsigned most = 32;
  if (way.getSinglePredecessor() != &from ||
      way.getSingleSuccessor() != &meeting || way.sizeWithoutDebug() > most)
    return false;
  return all_of(way, [](Instruction &inst) {
    auto *load = dyn_cast<LoadInst>(&inst);
    return inst.isTerminator() || isSafeToSpeculativelyExecute(&inst) ||
           (load && load->isSimple() && getBuffer(load->getPointerOperand()));
  });
}

/// Everything that threads may differ in.
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

/// Computes what `way` does before `from` ends; loads elsewhere unless `taken`.
static void hoist(BasicBlock &way, BasicBlock &from, Value *taken) {
  Instruction *end = from.getTerminator();
  for (Instruction &inst : make_early_inc_range(way)) {
    if (inst.isTerminator())
      break;
    inst.moveBefore(end->getIterator());
    inst.dropUBImplyingAttrsAndMetadata();
    if (auto *load = dyn_cast<LoadInst>(&inst)) {
      IRBuilder<> b(load);
      Value *pointer = load->getPointerOperand();
      // A pointer may say more of where it points to than its buffer's does.
      Value *buffer =
          b.CreateAddrSpaceCast(getBuffer(pointer), pointer->getType());
      load->setOperand(LoadInst::getPointerOperandIndex(),
                       b.CreateSelect(taken, pointer, buffer));
    }
  }
}

/// Flattens the branch at the end of `from`, if it can be.
static bool flattenAt(BasicBlock &from,
                      const DenseSet<const Value *> &varying) {
  auto *branch = dyn_cast<BranchInst>(from.getTerminator());
  if (!branch || !branch->isConditional() ||
      !varying.contains(branch->getCondition()) ||
      branch->getSuccessor(0) == branch->getSuccessor(1))
    return false;
  BasicBlock *yes = branch->getSuccessor(0), *no = branch->getSuccessor(1);
  BasicBlock *meeting = no;
  bool hasYes = true, hasNo = false;
  if (isFlat(*no, from, *yes)) {
    meeting = yes;
    hasYes = false;
    hasNo = true;
  } else if (BasicBlock *next = yes->getSingleSuccessor();
             next && isFlat(*no, from, *next)) {
    meeting = next;
    hasNo = true;
  }
  if ((hasYes && !isFlat(*yes, from, *meeting)) || meeting == &from)
    return false;
  Value *condition = branch->getCondition();
  if (hasYes)
    hoist(*yes, from, condition);
  if (hasNo)
    hoist(*no, from, IRBuilder<>(branch).CreateNot(condition));
  BasicBlock *viaYes = hasYes ? yes : &from, *viaNo = hasNo ? no : &from;
  IRBuilder<> b(branch);
  for (PHINode &phi : meeting->phis()) {
    Value *left = phi.getIncomingValueForBlock(viaYes),
          *right = phi.getIncomingValueForBlock(viaNo);
    Value *value =
        left == right ? left : b.CreateSelect(condition, left, right);
    for (BasicBlock *via : {viaYes, viaNo})
      phi.removeIncomingValue(via, /*DeletePHIIfEmpty=*/false);
    phi.addIncoming(value, &from);
  }
  b.CreateBr(meeting);
  branch->eraseFromParent();
  for (BasicBlock *way : {hasYes ? yes : nullptr, hasNo ? no : nullptr})
    if (way) {
      way->getTerminator()->eraseFromParent();
      way->eraseFromParent();
    }
  MergeBlockIntoPredecessor(meeting);
  return true;
}

Error evo::flatten(Function &kernel) {
  bool any = false, changed;
  do {
    changed = false;
    DenseSet<const Value *> varying = findVarying(kernel);
    for (BasicBlock &from : kernel)
      if (flattenAt(from, varying)) {
        any = changed = true;
        break; // blocks are gone
      }
  } while (changed);
  if (!any)
    return createStringError("nothing can be flattened: no two ways of threads "
                             "meet again at once and only load");
  return Error::success();
}
