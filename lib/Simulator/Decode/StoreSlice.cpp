// Removal of what does not decide where a kernel stores.
#include "evo/Simulator/StoreSlice.h"
#include "evo/Support/PassAnalyses.h"
#include "evo/Target/AddressSpace.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/LoopDeletion.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"

using namespace llvm;

namespace evo::exec {

/// What is stored elsewhere the same threads load again.
static void storeZeros(Function &f) {
  for (Instruction &i : instructions(f))
    if (auto *store = dyn_cast<StoreInst>(&i))
      if (store->getPointerAddressSpace() == target::Global ||
          store->getPointerAddressSpace() == target::Generic)
        store->setOperand(
            0, Constant::getNullValue(store->getValueOperand()->getType()));
}

void keepWhatPlacesStores(Module &module) {
  PassAnalyses analyses;
  FunctionPassManager passes;
  passes.addPass(ADCEPass());
  passes.addPass(createFunctionToLoopPassAdaptor(LoopDeletionPass()));
  passes.addPass(ADCEPass());
  for (Function &f : module) {
    if (f.isDeclaration())
      continue;
    storeZeros(f);
    // An endless loop that does nothing says nothing of stores either.
    f.addFnAttr(Attribute::MustProgress);
    passes.run(f, analyses.functions);
  }
}

} // namespace evo::exec
