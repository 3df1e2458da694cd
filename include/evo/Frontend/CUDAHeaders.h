// Clang's CUDA wrapper headers, parsed once. They are the dearest part of the
// compilation of a small kernel, and the same for every candidate. The bytes
// are a precompiled header held in memory, which forks of the process share.
#ifndef EVO_FRONTEND_CUDAHEADERS_H
#define EVO_FRONTEND_CUDAHEADERS_H

#include "evo/Frontend/CUDA.h"

namespace evo {

class CUDAHeaders {
public:
  /// Parses what every compilation with `options` starts with. Null where that
  /// fails: a compilation without them then says why.
  static std::unique_ptr<CUDAHeaders> parse(const CUDAOptions &options);

  /// Whether they stand for the same text under `other`.
  bool serve(const CUDAOptions &other) const { return other == options; }
  llvm::StringRef getBytes() const { return bytes; }

private:
  CUDAOptions options;
  std::string bytes;
};

} // namespace evo

#endif
