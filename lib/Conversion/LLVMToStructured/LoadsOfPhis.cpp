// Loads through a phi of pointers become a phi of loads.
#include "LoadsOfPhis.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

/// A small copy is a load and a store.
static void splitCopies(PHINode &phi) {
  for (User *user : make_early_inc_range(phi.users())) {
    auto *copy = dyn_cast<MemCpyInst>(user);
    auto *length = copy ? dyn_cast<ConstantInt>(copy->getLength()) : nullptr;
    if (!length || copy->isVolatile() || copy->getRawSource() != &phi ||
        copy->getRawDest() == &phi ||
        !is_contained({1u, 2u, 4u, 8u, 16u}, length->getZExtValue()))
      continue;
    IRBuilder<> b(copy);
    Type *type = b.getIntNTy(8 * length->getZExtValue());
    Value *value =
        b.CreateAlignedLoad(type, &phi, copy->getSourceAlign().valueOrOne());
    b.CreateAlignedStore(value, copy->getRawDest(),
                         copy->getDestAlign().valueOrOne());
    copy->eraseFromParent();
  }
}

/// Whether everything between the start of its block and `load` leaves memory
/// alone and goes on, so that the load may as well stand at the end of the
/// blocks before.
static bool isFirstInBlock(LoadInst &load) {
  for (Instruction &before : *load.getParent()) {
    if (&before == &load)
      return true;
    if (before.mayWriteToMemory() ||
        !isGuaranteedToTransferExecutionToSuccessor(&before))
      return false;
  }
  return false;
}

static bool moveLoads(PHINode &phi) {
  BasicBlock *block = phi.getParent();
  SmallVector<LoadInst *> loads;
  for (User *user : phi.users()) {
    auto *load = dyn_cast<LoadInst>(user);
    if (!load || !load->isSimple() || load->getParent() != block ||
        !isFirstInBlock(*load))
      return false;
    loads.push_back(load);
  }
  // On a way that leads elsewhere too, the load would be new.
  for (BasicBlock *before : phi.blocks())
    if (before->getSingleSuccessor() != block)
      return false;
  for (LoadInst *load : loads) {
    IRBuilder<> b(&phi);
    PHINode *values = b.CreatePHI(load->getType(), phi.getNumIncomingValues());
    for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
      IRBuilder<> there(phi.getIncomingBlock(i)->getTerminator());
      there.SetCurrentDebugLocation(load->getDebugLoc());
      values->addIncoming(there.CreateAlignedLoad(load->getType(),
                                                  phi.getIncomingValue(i),
                                                  load->getAlign()),
                          phi.getIncomingBlock(i));
    }
    load->replaceAllUsesWith(values);
    load->eraseFromParent();
  }
  phi.eraseFromParent();
  return true;
}

PreservedAnalyses evo::raise::LoadsOfPhisPass::run(Function &function,
                                                   FunctionAnalysisManager &) {
  SmallVector<PHINode *> phis;
  for (BasicBlock &block : function)
    for (PHINode &phi : block.phis())
      if (phi.getType()->isPointerTy())
        phis.push_back(&phi);
  bool changed = false;
  for (PHINode *phi : phis) {
    splitCopies(*phi);
    changed = true;
    moveLoads(*phi);
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}
