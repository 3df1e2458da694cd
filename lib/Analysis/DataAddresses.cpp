// Whether integers that code loads decide where it loads and stores.
#include "evo/Analysis/DataAddresses.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

/// What is made of a value and is no more than a number itself. What floats are
/// made of ends the search: they become no addresses but by a conversion.
static bool isNumberOf(const Instruction &inst) {
  return isa<BinaryOperator, CmpInst, SelectInst, PHINode, FreezeInst,
             TruncInst, ZExtInst, SExtInst>(inst);
}

static bool decides(const LoadInst &load) {
  SmallVector<const Value *> open = {&load};
  SmallPtrSet<const Value *, 16> seen = {&load};
  while (!open.empty())
    for (const User *user : open.pop_back_val()->users()) {
      auto *inst = dyn_cast<Instruction>(user);
      if (!inst)
        return true;
      if (isa<UIToFPInst, SIToFPInst>(inst))
        continue;
      if (auto *store = dyn_cast<StoreInst>(inst)) {
        if (seen.contains(store->getPointerOperand()))
          return true;
        // What lies in a variable of the thread may be loaded from there.
        if (isa<AllocaInst>(getUnderlyingObject(store->getPointerOperand())))
          return true;
        continue;
      }
      if (!isNumberOf(*inst))
        return true;
      if (!inst->getType()->isFloatingPointTy() && seen.insert(inst).second)
        open.push_back(inst);
    }
  return false;
}

bool evo::sim::takesPlacesFromData(const Module &module) {
  return any_of(module, [](const Function &function) {
    return any_of(instructions(function), [](const Instruction &inst) {
      if (isa<FPToSIInst, FPToUIInst>(inst))
        return true;
      auto *load = dyn_cast<LoadInst>(&inst);
      return load && load->getType()->isIntOrIntVectorTy() && decides(*load);
    });
  });
}
