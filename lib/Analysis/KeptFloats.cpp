// Whether code keeps floats from one step to the next.
#include "evo/Analysis/KeptFloats.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;

/// Whether a loop carries it from one round to the next.
static bool isCarried(const Instruction &inst, const DominatorTree &ways) {
  auto *choice = dyn_cast<PHINode>(&inst);
  return choice && any_of(choice->blocks(), [&](const BasicBlock *from) {
           return ways.dominates(choice->getParent(), from);
         });
}

static bool keepsFloatsIn(const Function &function, const DominatorTree &ways) {
  SmallPtrSet<const Value *, 8> loaded, stored;
  for (const Instruction &inst : instructions(function)) {
    const bool isFloat = inst.getType()->isFPOrFPVectorTy();
    if (isFloat && (isa<AtomicRMWInst>(inst) || isCarried(inst, ways)))
      return true;
    auto *call = dyn_cast<CallBase>(&inst);
    if (call && call->isConvergent())
      for (const Use &use : call->args())
        if (isa<BitCastInst, FPToSIInst, FPToUIInst>(use) ||
            use->getType()->isFPOrFPVectorTy())
          return true;
    if (auto *load = dyn_cast<LoadInst>(&inst); load && isFloat)
      loaded.insert(getUnderlyingObject(load->getPointerOperand(), 12));
    auto *store = dyn_cast<StoreInst>(&inst);
    if (store && store->getValueOperand()->getType()->isFPOrFPVectorTy())
      stored.insert(getUnderlyingObject(store->getPointerOperand(), 12));
  }
  return any_of(stored, [&](const Value *object) {
    return !isa<Argument>(object) || loaded.contains(object);
  });
}

/// Before optimisation all variables lie in memory.
static void promoteVariables(Function &function, DominatorTree &ways) {
  std::vector<AllocaInst *> variables;
  for (Instruction &inst : instructions(function))
    if (auto *variable = dyn_cast<AllocaInst>(&inst);
        variable && isAllocaPromotable(variable))
      variables.push_back(variable);
  PromoteMemToReg(variables, ways);
}

bool evo::sim::keepsFloats(const Module &module) {
  const std::unique_ptr<Module> copy = CloneModule(module);
  return any_of(*copy, [](Function &function) {
    if (function.isDeclaration())
      return false;
    DominatorTree ways(function);
    promoteVariables(function, ways);
    return keepsFloatsIn(function, ways);
  });
}
