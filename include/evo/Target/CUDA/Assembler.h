// PTX to machine code, and the facts about it that need no GPU: registers,
// spills, stack, shared and constant bytes, and the assembler's notes. The
// assembler is nvJitLink inside this process (no child, no temporary file) or
// ptxas as a child. The two are not the same compiler mode: nvJitLink compiles
// for linking, so a call that was not inlined costs more there (a kernel with
// one such call: 54 registers, 26 from ptxas; plain kernels differ by a
// register or not at all). Facts are therefore bound to the backend that gave
// them, and code that is to be shipped should be assembled by both.
#ifndef EVO_TARGET_CUDA_ASSEMBLER_H
#define EVO_TARGET_CUDA_ASSEMBLER_H

#include "evo/Target/Arch.h"
#include "evo/Target/CUDA/Toolkit.h"
#include <cstdint>
#include <string>
#include <vector>

namespace evo::cuda {

enum class AssemblerBackend {
  /// ptxas where the toolkit has it, else nvJitLink: the latter compiles for
  /// linking and was seen to take 80 registers where ptxas takes 56.
  Automatic,
  NvJitLink,
  Ptxas
};

struct AssemblerOptions {
  /// Architecture of the machine code, such as "sm_90a".
  std::string arch = target::getDefaultArch();
  /// Upper bound of registers per thread; 0 means the assembler's choice.
  unsigned maxRegisters = 0;
  /// 0 to 3.
  unsigned optLevel = 3;
  bool lineInfo = false;
  AssemblerBackend backend = AssemblerBackend::Automatic;
  /// Seconds after which the ptxas child is killed; 0 means no limit.
  /// nvJitLink cannot be interrupted: run it where its hanging is only a
  /// verdict.
  unsigned timeoutSeconds = 60;
};

/// What one kernel (entry function) uses. Bytes, unless said otherwise.
struct KernelResources {
  std::string kernel;
  /// 32-bit registers of a thread.
  unsigned registers = 0;
  /// Of a thread.
  unsigned spillStoreBytes = 0, spillLoadBytes = 0, stackBytes = 0;
  /// Declared by the kernel, without the system's reserved part.
  unsigned staticSharedBytes = 0;
  /// Constant bank 0: launch facts and parameters.
  unsigned constBytes = 0;
  unsigned parameterBytes = 0;
  /// Named barriers, 0 to 16.
  unsigned barriers = 0;
};

enum class NoteKind { Warning, Advisory, Performance };

/// A message of the assembler that is not an error, such as C7510 (wgmma
/// serialised). `code` is empty where the assembler gives none.
struct AssemblerNote {
  NoteKind kind;
  std::string code;
  std::string text;
};

struct Assembly {
  /// ELF image for cuModuleLoadData.
  std::string cubin;
  /// The assembler's own text, verbatim.
  std::string log;
  std::vector<KernelResources> kernels;
  std::vector<AssemblerNote> notes;
  /// Automatic never appears here.
  AssemblerBackend backend = AssemblerBackend::Automatic;

  /// Null if there is no such kernel.
  const KernelResources *find(llvm::StringRef kernel) const;
};

/// Assembles `ptx`. Errors: the toolkit has no assembler (named), the
/// assembler refused the text (its message), it did not end within
/// `timeoutSeconds`, or its log and its ELF image disagree about a resource.
/// Registers, stack, shared, constant and parameter bytes are the ELF image's;
/// spills and barriers are the log's.
llvm::Expected<Assembly> assemble(llvm::StringRef ptx, const Toolkit &toolkit,
                                  const AssemblerOptions &options = {});

/// Facts in an assembler's verbose log, in the order of the log. Exposed for
/// tests and for logs that come from elsewhere.
struct VerboseLog {
  std::vector<KernelResources> kernels;
  std::vector<AssemblerNote> notes;
};
VerboseLog parseVerboseLog(llvm::StringRef log);

/// Facts in a cubin's ELF sections: registers, stack, shared, constant and
/// parameter bytes (spills and barriers are only in the log).
llvm::Expected<std::vector<KernelResources>>
readCubinResources(llvm::StringRef cubin);

} // namespace evo::cuda

#endif
