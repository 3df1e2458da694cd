// evo as a library of another compiler: MLIR in, files out. The header needs no
// MLIR, so that a compiler that prints its IR as text needs none either.
#ifndef EVO_DRIVER_COMPILER_H
#define EVO_DRIVER_COMPILER_H

#include "evo/Target/Arch.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>
#include <vector>

namespace evo {

struct CompileOptions {
  std::string target = target::getDefaultArch();
  /// Candidates that the search may try.
  unsigned budget = 16;
  uint64_t seed = 0;
  std::string proposer = "search";
  /// Prefix of a CUDA toolkit; empty: discover.
  std::string cudaPath;
  /// Command of the worker; empty: evo-worker beside libEvo, or in ../bin.
  std::vector<std::string> worker;
};

struct CompiledFile {
  std::string name, contents;
};

/// Optimises the kernel that `text` holds, as `evo-opt optimize` does with a
/// .mlir file: linalg on tensors or kernels of the gpu dialect with `// evo.`
/// lines, or an evo.kernel. The files are best.mlir (the whole search), and for
/// the best variant best.ptx, best.cubin, launch.json and launcher.cpp. An
/// error holds the diagnostics; that nothing was accepted is one as well.
llvm::Expected<std::vector<CompiledFile>>
compileMLIR(llvm::StringRef text, llvm::StringRef fileName,
            const CompileOptions &options);

} // namespace evo

#endif
