// Attributes of declared functions of libdevice.
#include "evo/DeviceOps/Libdevice.h"
#include "evo/DeviceOps/DeviceOps.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

using namespace llvm;

void evo::device::annotateLibdevice(Module &module) {
  for (Function &function : module) {
    if (!isLibdeviceDeclaration(function))
      continue;
    if (const DeviceOp *op = lookupFunction(function.getName()).op)
      function.setMemoryEffects(op->memory.inLLVM());
    function.setDoesNotThrow();
    function.addFnAttr(Attribute::WillReturn);
    function.removeFnAttr(Attribute::Convergent);
    for (User *user : function.users())
      if (auto *call = dyn_cast<CallBase>(user))
        call->removeFnAttr(Attribute::Convergent);
  }
}
