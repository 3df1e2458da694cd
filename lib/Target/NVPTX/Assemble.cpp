// PTX to machine code, with the assembler's facts as attributes.
#include "Assemble.h"
#include "evo/Interfaces/Faults.h"
#include "evo/Target/CUDA/Assembler.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace evo;

LogicalResult evo::emitNoCode(LaunchPlanOpInterface plan, StringRef refused,
                              StringRef doing, llvm::Error error) {
  if (cuda::isOfMachine(error))
    return machineFault(plan->emitError())
           << doing << " does not work: " << llvm::toString(std::move(error));
  return plan->emitError() << refused << ": "
                           << llvm::toString(std::move(error));
}

FailureOr<CodeObject> evo::assemblePTX(LaunchPlanOpInterface plan,
                                       std::string ptx,
                                       const cuda::Toolkit *toolkit,
                                       const CodegenOptions &options) {
  CodeObject object;
  object.ptx = std::move(ptx);
  if (!toolkit || (!toolkit->has(cuda::ToolkitPart::NvJitLink) &&
                   !toolkit->has(cuda::ToolkitPart::Ptxas))) {
    plan.emitRemark("no assembler was found (nvJitLink or ptxas): PTX only");
    return object;
  }
  cuda::AssemblerOptions assembler;
  assembler.arch = options.target.getArch().str();
  assembler.maxRegisters = options.maxRegisters;
  llvm::Expected<cuda::Assembly> assembly =
      cuda::assemble(object.ptx, *toolkit, assembler);
  if (!assembly)
    return emitNoCode(plan, "the assembler refused the PTX", "assembling",
                      assembly.takeError());
  object.cubin = std::move(assembly->cubin);
  Builder b(plan.getContext());
  SmallVector<Attribute> notes;
  for (const cuda::AssemblerNote &note : assembly->notes)
    notes.push_back(b.getStringAttr(
        note.code.empty() ? note.text : note.code + ": " + note.text));
  for (const cuda::KernelResources &kernel : assembly->kernels)
    object.resources.push_back(ResourcesAttr::get(
        plan.getContext(), b.getStringAttr(kernel.kernel), kernel.registers,
        kernel.spillStoreBytes, kernel.spillLoadBytes, kernel.stackBytes,
        kernel.staticSharedBytes,
        notes.empty() ? ArrayAttr() : b.getArrayAttr(notes)));
  return object;
}
