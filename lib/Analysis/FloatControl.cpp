// Where float data steers a kernel. A forward data flow over SSA from the
// comparisons of floats. A branch on one is harmless where the blocks between
// it and the place at which its ways meet again only compute: it is a select
// written as control flow, and the integers chosen there carry on the
// dependence.
#include "evo/Analysis/FloatControl.h"
#include "evo/DeviceOps/DeviceOps.h"
#include "evo/DeviceOps/Statements.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace evo::sim {

namespace {

constexpr size_t maxReports = 8;

bool isFloatLike(const Type *t) {
  return t->getScalarType()->isFloatingPointTy();
}

bool hasFloatOperand(const CallBase &call) {
  return any_of(call.args(),
                [](const Use &u) { return isFloatLike(u->getType()); });
}

class Flow {
public:
  Flow(const Function &function, std::vector<CodeNote> &out)
      : function(function), out(out) {}
  void run();

private:
  const Function &function;
  std::vector<CodeNote> &out;
  PostDominatorTree ways;
  SmallPtrSet<const Value *, 32> tainted;
  SmallVector<const Value *, 32> work;

  void taint(const Value *v) {
    if (tainted.insert(v).second)
      work.push_back(v);
  }
  void report(const Instruction &inst, const Twine &what);
  void use(const Instruction &user, const Value &value);
  void call(const CallBase &call);
  void branch(const BranchInst &inst);
  bool collectRegion(const BasicBlock *from, const BasicBlock *join,
                     SmallPtrSetImpl<const BasicBlock *> &region);
};

/// Seeds: integers that say how floats compare.
bool comparesFloats(const Instruction &inst) {
  if (isa<FCmpInst>(inst))
    return true;
  auto *call = dyn_cast<CallBase>(&inst);
  if (!call || !hasFloatOperand(*call) || call->getType()->isVoidTy() ||
      isFloatLike(call->getType()))
    return false;
  // Conversions and bit patterns are followed while they run. What a pointer
  // names may be anything.
  bool compares = !call->getCalledFunction() && !call->isInlineAsm();
  device::forEachOperation(*call, [&](const device::Operation &operation) {
    compares |= operation.op && operation.op->comparesFloats;
  });
  return compares;
}

} // namespace

void Flow::report(const Instruction &inst, const Twine &what) {
  addNote(out, inst, ("a comparison of floats " + what).str(), maxReports);
}

/// Whether a call is of a function of numbers. Declarations of the math library
/// say neither that they write nothing nor that they do not converge.
static bool onlyComputes(const CallBase &call) {
  if (!call.mayWriteToMemory() && !call.isConvergent())
    return true;
  const Function *callee = call.getCalledFunction();
  if (!callee || !callee->isDeclaration() || callee->isIntrinsic() ||
      !isFloatLike(call.getType()))
    return false;
  return device::isLibdevice(callee->getName())
             ? none_of(call.args(),
                       [](const Use &u) { return u->getType()->isPointerTy(); })
             : all_of(call.args(),
                      [](const Use &u) { return isFloatLike(u->getType()); });
}

/// Blocks that lie between `from` and `join`. False where `from` is one of them
/// (a loop) or the way out is not through `join`.
bool Flow::collectRegion(const BasicBlock *from, const BasicBlock *join,
                         SmallPtrSetImpl<const BasicBlock *> &region) {
  SmallVector<const BasicBlock *, 8> todo;
  for (const BasicBlock *next : successors(from))
    todo.push_back(next);
  while (!todo.empty()) {
    const BasicBlock *block = todo.pop_back_val();
    if (block == join || !region.insert(block).second)
      continue;
    if (block == from)
      return false;
    for (const BasicBlock *next : successors(block))
      todo.push_back(next);
  }
  return true;
}

void Flow::branch(const BranchInst &inst) {
  const BasicBlock *from = inst.getParent();
  const auto *node = ways.getNode(from);
  const BasicBlock *join =
      node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
  SmallPtrSet<const BasicBlock *, 8> region;
  if (!join)
    return report(inst, "decides which way the kernel ends");
  if (join == from || !collectRegion(from, join, region))
    return report(inst, "decides how often a loop runs");
  for (const BasicBlock *block : region)
    for (const Instruction &other : *block) {
      auto *call = dyn_cast<CallBase>(&other);
      if (call && !onlyComputes(*call))
        return report(inst, "decides a branch around a call that does more "
                            "than compute");
      if (!call && other.mayWriteToMemory())
        return report(inst, "decides a branch around a store");
    }
  for (const PHINode &phi : join->phis()) {
    const Value *common = nullptr;
    bool differs = false;
    for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
      const BasicBlock *in = phi.getIncomingBlock(i);
      if (in != from && !region.contains(in))
        continue;
      differs |= common && common != phi.getIncomingValue(i);
      common = phi.getIncomingValue(i);
    }
    if (differs && !isFloatLike(phi.getType()))
      taint(&phi);
  }
}

void Flow::call(const CallBase &call) {
  if (call.getType()->isVoidTy())
    return report(call, "is handed to '" +
                            (call.getCalledFunction()
                                 ? call.getCalledFunction()->getName()
                                 : StringRef("inline asm")) +
                            "'");
  if (isFloatLike(call.getType()))
    return report(call, "is handed to a call whose result is a float");
  taint(&call);
}

void Flow::use(const Instruction &user, const Value &value) {
  if (auto *b = dyn_cast<BranchInst>(&user))
    return branch(*b);
  if (isa<SwitchInst>(user))
    return report(user, "decides a switch");
  if (auto *load = dyn_cast<LoadInst>(&user))
    return report(*load, "decides an address");
  if (auto *store = dyn_cast<StoreInst>(&user))
    return report(*store, store->getPointerOperand() == &value
                              ? "decides an address"
                              : "is stored as an integer");
  if (isa<AtomicRMWInst>(user) || isa<AtomicCmpXchgInst>(user))
    return report(user, "decides an atomic operation");
  if (auto *c = dyn_cast<CallBase>(&user))
    return call(*c);
  // A float that is chosen, or made of what was chosen, is a value.
  if (!isFloatLike(user.getType()) && !user.getType()->isVoidTy())
    taint(&user);
}

void Flow::run() {
  for (const Instruction &inst : instructions(function))
    if (comparesFloats(inst))
      taint(&inst);
  if (work.empty())
    return;
  // The tree is built from the function and does not change it.
  ways.recalculate(const_cast<Function &>(function));
  while (!work.empty()) {
    const Value *value = work.pop_back_val();
    for (const User *user : value->users())
      if (auto *inst = dyn_cast<Instruction>(user))
        use(*inst, *value);
  }
}

std::vector<CodeNote> findFloatControl(const Module &module) {
  std::vector<CodeNote> out;
  for (const Function &function : module)
    if (!function.isDeclaration())
      Flow(function, out).run();
  return out;
}

} // namespace evo::sim
