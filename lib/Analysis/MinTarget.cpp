// Instructions that came with a target. Instructions of LLVM IR are not looked
// at, as the back end has code for them everywhere.
#include "evo/Analysis/MinTarget.h"
#include "evo/DeviceOps/DeviceOps.h"
#include "evo/DeviceOps/Statements.h"
#include "evo/Target/Arch.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace evo::sim {

/// Of what a header holds, where it was called.
static const DILocation *placeOf(const Instruction &inst) {
  const DILocation *l = inst.getDebugLoc().get();
  while (l && l->getInlinedAt() && l->getFilename().contains("/include/"))
    l = l->getInlinedAt();
  return l;
}

std::vector<CodeNote> findInstructionsLacking(const Module &module,
                                              StringRef target) {
  constexpr size_t maxNotes = 4;
  std::vector<CodeNote> notes;
  const std::optional<target::Arch> arch = target::Arch::parse(target);
  if (!arch)
    return notes;
  auto note = [&](const Instruction &inst, StringRef name) {
    const unsigned needed = device::minCapabilityOf(name);
    if (needed <= arch->capability)
      return;
    std::string what =
        ("'" + name + "' needs " + target::Arch{needed}.str() +
         ", and the target is " + target::Arch{arch->capability}.str())
            .str();
    addNote(notes, placeOf(inst), std::move(what), maxNotes);
  };
  for (const Function &function : module)
    for (const Instruction &inst : instructions(function)) {
      auto *call = dyn_cast<CallBase>(&inst);
      if (!call)
        continue;
      // Functions need what they are made of.
      if (const Function *callee = call->getCalledFunction();
          callee && !callee->isTargetIntrinsic())
        continue;
      device::forEachOperation(*call, [&](const device::Operation &operation) {
        note(inst, operation.name);
      });
    }
  return notes;
}

} // namespace evo::sim
