// Chooses a backend, then turns its image and log into facts. The ELF image is
// the authority where both speak, since with nvJitLink the log is written
// before linking and a callee may raise a kernel's registers afterwards; but a
// log that claims more than the image has means that one of the two formats is
// misread, and that is an error rather than a wrong fact.
#include "AssemblerBackends.h"
#include "evo/Target/Arch.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace evo::cuda {

const KernelResources *Assembly::find(StringRef kernel) const {
  auto it = find_if(kernels, [&](const KernelResources &resources) {
    return resources.kernel == kernel;
  });
  return it == kernels.end() ? nullptr : &*it;
}

static Error disagree(const KernelResources &kernel, StringRef fact,
                      unsigned inLog, unsigned inImage) {
  return make_error<MachineError>(
      "the assembler's log and image disagree on the " + fact + " of kernel '" +
      kernel.kernel + "': " + Twine(inLog) + " against " + Twine(inImage));
}

/// Adds to the image's facts those that only the log has.
static Error mergeLog(KernelResources &kernel, const KernelResources &logged,
                      AssemblerBackend backend) {
  bool linked = backend == AssemblerBackend::NvJitLink;
  if (linked ? logged.registers > kernel.registers
             : logged.registers != kernel.registers)
    return disagree(kernel, "registers", logged.registers, kernel.registers);
  if (logged.staticSharedBytes != kernel.staticSharedBytes)
    return disagree(kernel, "static shared bytes", logged.staticSharedBytes,
                    kernel.staticSharedBytes);
  kernel.spillStoreBytes = logged.spillStoreBytes;
  kernel.spillLoadBytes = logged.spillLoadBytes;
  kernel.stackBytes = std::max(kernel.stackBytes, logged.stackBytes);
  kernel.barriers = logged.barriers;
  return Error::success();
}

Expected<Assembly> assemble(StringRef ptx, const Toolkit &toolkit,
                            const AssemblerOptions &options) {
  if (!target::Arch::parse(options.arch))
    return createStringError("architecture '%s' is not of the form sm_<N>",
                             options.arch.c_str());
  if (options.optLevel > 3)
    return createStringError("optimization level %u is not in 0 to 3",
                             options.optLevel);
  AssemblerBackend backend = options.backend;
  if (backend == AssemblerBackend::Automatic)
    backend = toolkit.has(ToolkitPart::Ptxas) ? AssemblerBackend::Ptxas
                                              : AssemblerBackend::NvJitLink;
  ToolkitPart part = backend == AssemblerBackend::NvJitLink
                         ? ToolkitPart::NvJitLink
                         : ToolkitPart::Ptxas;
  if (Error error = toolkit.require(part))
    return std::move(error);

  Expected<RawAssembly> raw =
      backend == AssemblerBackend::NvJitLink
          ? assembleWithNvJitLink(ptx, toolkit.getPath(part), options)
          : assembleWithPtxas(ptx, toolkit.getPath(part), options);
  if (!raw)
    return raw.takeError();

  Expected<std::vector<KernelResources>> kernels =
      readCubinResources(raw->cubin);
  if (!kernels) // nobody but the assembler wrote it
    return make_error<MachineError>(toString(kernels.takeError()));
  VerboseLog log = parseVerboseLog(raw->log);
  for (KernelResources &kernel : *kernels) {
    auto logged = find_if(log.kernels, [&](const KernelResources &candidate) {
      return candidate.kernel == kernel.kernel;
    });
    if (logged == log.kernels.end())
      return make_error<MachineError>("the assembler's log does not mention "
                                      "kernel '" +
                                      kernel.kernel + "' of the image");
    if (Error error = mergeLog(kernel, *logged, backend))
      return std::move(error);
  }
  return Assembly{std::move(raw->cubin), std::move(raw->log),
                  std::move(*kernels), std::move(log.notes), backend};
}

} // namespace evo::cuda
