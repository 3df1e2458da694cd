// Removal of what does not decide where a kernel stores.
#include "evo/Simulator/StoreSlice.h"
#include "evo/DeviceOps/DeviceOps.h"
#include "evo/DeviceOps/Libdevice.h"
#include "evo/DeviceOps/Statements.h"
#include "evo/Support/PassAnalyses.h"
#include "evo/Target/AddressSpace.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/LoopDeletion.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace evo::sim {

/// Whether a pointer may be one to shared memory. What a kernel is handed is
/// not.
static bool mayBeShared(const Value *pointer) {
  const unsigned space = pointer->getType()->getPointerAddressSpace();
  if (space != target::Generic)
    return space == target::Shared;
  auto *argument = dyn_cast<Argument>(getUnderlyingObject(pointer));
  return !argument ||
         argument->getParent()->getCallingConv() != CallingConv::PTX_Kernel;
}

/// What is stored elsewhere the same threads load again, and in shared memory
/// others.
static void storeZeros(Function &f) {
  for (Instruction &i : instructions(f))
    if (auto *store = dyn_cast<StoreInst>(&i)) {
      const unsigned space = store->getPointerAddressSpace();
      if (space == target::Global || (space == target::Generic &&
                                      !mayBeShared(store->getPointerOperand())))
        store->setOperand(
            0, Constant::getNullValue(store->getValueOperand()->getType()));
    }
}

/// A copy beside the thread, a wait for one, or a barrier of the block of which
/// nobody takes a result: all that they do to addresses goes through memory.
static bool onlyMovesData(const CallBase &call) {
  bool is = call.use_empty();
  device::forEachOperation(call, [&](const device::Operation &operation) {
    is &= operation.isDirective ||
          (operation.op && operation.op->isSupported &&
           (operation.op->isAsync ||
            operation.op->scope == device::Scope::Block));
  });
  return is;
}

static bool mayReadShared(const Instruction &i) {
  if (auto *load = dyn_cast<LoadInst>(&i))
    return mayBeShared(load->getPointerOperand());
  if (isa<AtomicRMWInst, AtomicCmpXchgInst>(i))
    return true;
  auto *call = dyn_cast<CallBase>(&i);
  if (!call || !call->mayReadFromMemory() || onlyMovesData(*call))
    return false;
  // Inline assembly takes addresses as numbers, too.
  return call->isInlineAsm() || any_of(call->args(), [](const Use &argument) {
           return argument->getType()->isPointerTy();
         });
}

/// What fills shared memory, and waits until it is filled.
static void dropShared(Function &f) {
  for (Instruction &i : make_early_inc_range(instructions(f))) {
    auto *store = dyn_cast<StoreInst>(&i);
    auto *call = dyn_cast<CallBase>(&i);
    if ((store && store->getPointerAddressSpace() == target::Shared) ||
        (call && !call->isTerminator() && !call->doesNotAccessMemory() &&
         onlyMovesData(*call)))
      i.eraseFromParent();
  }
}

/// Does that to kernels that `mayDrop` says so of; calls `done` for each.
static void keepWhatPlacesStores(Module &module,
                                 function_ref<bool(const Function &)> mayDrop,
                                 function_ref<void(const Function &)> done) {
  PassAnalyses analyses;
  FunctionPassManager passes;
  passes.addPass(ADCEPass());
  passes.addPass(createFunctionToLoopPassAdaptor(LoopDeletionPass()));
  passes.addPass(ADCEPass());
  device::annotateLibdevice(module);
  for (Function &f : module) {
    if (f.isDeclaration())
      continue;
    storeZeros(f);
    if (mayDrop(f))
      dropShared(f);
    // An endless loop that does nothing says nothing of stores either.
    f.addFnAttr(Attribute::MustProgress);
    passes.run(f, analyses.functions);
    done(f);
  }
}

void keepWhatPlacesStores(Module &module) {
  // If nothing is read of shared memory once nothing is written there, no
  // address hung on it. A copy tells, since values go round in circles there.
  StringSet<> free;
  keepWhatPlacesStores(
      *CloneModule(module), [](const Function &) { return true; },
      [&](const Function &f) {
        if (none_of(instructions(f), mayReadShared))
          free.insert(f.getName());
      });
  keepWhatPlacesStores(
      module, [&](const Function &f) { return free.contains(f.getName()); },
      [](const Function &) {});
}

} // namespace evo::sim
