// Follows pointers forward from each variable. More alignment than is needed
// breaks nothing, so how an offset comes about is of no interest.
#include "evo/Analysis/SharedAlignment.h"
#include "evo/Target/AddressSpace.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

/// The max that an access through `user` says of the place of `pointer`.
static Align promiseOf(const User &user, const Value &pointer) {
  if (auto *load = dyn_cast<LoadInst>(&user))
    return load->getAlign();
  if (auto *store = dyn_cast<StoreInst>(&user))
    return store->getPointerOperand() == &pointer ? store->getAlign() : Align();
  if (auto *copy = dyn_cast<MemIntrinsic>(&user)) {
    Align max = copy->getDest() == &pointer ? copy->getDestAlign().valueOrOne()
                                            : Align();
    if (auto *transfer = dyn_cast<MemTransferInst>(copy);
        transfer && transfer->getSource() == &pointer)
      max = std::max(max, transfer->getSourceAlign().valueOrOne());
    return max;
  }
  return Align();
}

void evo::raiseSharedAlignment(Module &module) {
  const Align widest(16);
  for (GlobalVariable &variable : module.globals()) {
    if (variable.getAddressSpace() != target::Shared ||
        variable.isDeclaration())
      continue;
    const Align declared = module.getDataLayout().getPreferredAlign(&variable);
    Align max = declared;
    SmallVector<const Value *, 8> pointers = {&variable};
    SmallPtrSet<const Value *, 8> seen;
    while (!pointers.empty() && max < widest) {
      const Value *pointer = pointers.pop_back_val();
      for (const User *user : pointer->users()) {
        max = std::max(max, std::min(widest, promiseOf(*user, *pointer)));
        const bool passesOn =
            isa<GEPOperator, AddrSpaceCastOperator, PHINode, SelectInst>(user);
        if (passesOn && seen.insert(user).second)
          pointers.push_back(user);
      }
    }
    if (max > declared)
      variable.setAlignment(max);
  }
}
