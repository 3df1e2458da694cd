// What an assembler backend hands back before anything is read out of it.
// Private to this library: callers see one `assemble`.
#ifndef EVO_LIB_TARGET_CUDA_ASSEMBLERBACKENDS_H
#define EVO_LIB_TARGET_CUDA_ASSEMBLERBACKENDS_H

#include "evo/Target/CUDA/Assembler.h"

namespace evo::cuda {

struct RawAssembly {
  std::string cubin;
  std::string log;
};

/// In process. `library` is the path of libnvJitLink.
llvm::Expected<RawAssembly>
assembleWithNvJitLink(llvm::StringRef ptx, const std::string &library,
                      const AssemblerOptions &options);

/// As a child process. `program` is the path of ptxas.
llvm::Expected<RawAssembly> assembleWithPtxas(llvm::StringRef ptx,
                                              const std::string &program,
                                              const AssemblerOptions &options);

} // namespace evo::cuda

#endif
