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

/// Whether the assembler takes anything at all for that target: one that does
/// not know it says nothing about the code.
static bool knowsTarget(const cuda::Toolkit &toolkit,
                        const cuda::AssemblerOptions &options,
                        const std::string &ptx) {
  // Up to its kernels the text says for whom it is.
  std::string nothing;
  SmallVector<StringRef> lines;
  StringRef(ptx).split(lines, '\n');
  for (StringRef line : lines)
    if (StringRef word = line.ltrim(); word.starts_with(".version") ||
                                       word.starts_with(".target") ||
                                       word.starts_with(".address_size"))
      nothing += (word + "\n").str();
  nothing += ".visible .entry nothing()\n{\n\tret;\n}\n";
  llvm::Expected<cuda::Assembly> assembly =
      cuda::assemble(nothing, toolkit, options);
  if (assembly)
    return true;
  llvm::consumeError(assembly.takeError());
  return false;
}

/// The version of PTX that a toolkit brought, as 10 * major + minor; 0: not
/// known.
static unsigned latestPTX(const cuda::Toolkit &toolkit) {
  unsigned major = 0, minor = 0;
  StringRef rest = toolkit.getVersion();
  if (rest.consumeInteger(10, major) || !rest.consume_front(".") ||
      rest.consumeInteger(10, minor) || major < 11)
    return 0;
  // Two releases of CUDA 12 share one.
  return 10 * (major - 4) + (major == 12 && minor > 5 ? minor - 1 : minor);
}

/// LLVM writes the min version that knows the target, and inline PTX may need
/// a later one: a text of one version is one of each later. False where it is
/// of that version already.
static bool takeLatestPTX(std::string &ptx, unsigned version) {
  constexpr StringLiteral directive = ".version ";
  const size_t at = StringRef(ptx).find(directive);
  if (at == StringRef::npos)
    return false;
  const StringRef number =
      StringRef(ptx).substr(at + directive.size()).take_until(llvm::isSpace);
  unsigned major = 0, minor = 0;
  StringRef rest = number;
  if (rest.consumeInteger(10, major) || !rest.consume_front(".") ||
      rest.consumeInteger(10, minor) || 10 * major + minor >= version)
    return false;
  ptx.replace(at + directive.size(), number.size(),
              std::to_string(version / 10) + "." +
                  std::to_string(version % 10));
  return true;
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
  if (!assembly && takeLatestPTX(object.ptx, latestPTX(*toolkit))) {
    llvm::consumeError(assembly.takeError());
    assembly = cuda::assemble(object.ptx, *toolkit, assembler);
  }
  if (!assembly) {
    llvm::Error error = assembly.takeError();
    if (!cuda::isOfMachine(error) &&
        !knowsTarget(*toolkit, assembler, object.ptx))
      return machineFault(plan->emitError())
             << "assembling for " << assembler.arch
             << " does not work: " << llvm::toString(std::move(error));
    return emitNoCode(plan, "the assembler refused the PTX", "assembling",
                      std::move(error));
  }
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
