// CUDA C++ to PTX through NVRTC, in process. It is the second code generator
// beside LLVM's NVPTX: on some kernels (wmma above all) it is the faster one,
// and which one wins is part of the search.
#ifndef EVO_TARGET_CUDA_NVRTC_H
#define EVO_TARGET_CUDA_NVRTC_H

#include "evo/Target/Arch.h"
#include "evo/Target/CUDA/Toolkit.h"
#include <map>
#include <string>
#include <vector>

namespace evo::cuda {

struct NvrtcOptions {
  /// Such as "sm_90a"; PTX for compute_90a results.
  std::string arch = target::getDefaultArch();
  /// "NAME" or "NAME=value".
  std::vector<std::string> defines;
  /// Searched before the toolkit's own include folders.
  std::vector<std::string> includeDirs;
  /// Expressions that name `__global__` functions or template instances, such
  /// as "softmax_rows<128>"; each is instantiated and its symbol reported.
  std::vector<std::string> nameExpressions;
  /// The language standard, "c++17" or "c++20".
  std::string standard = "c++17";
  bool fastMath = false;
  bool lineInfo = false;
  /// NVRTC has no C or C++ library. The prelude gives what kernels commonly
  /// take from one: INFINITY, NAN, FLT_MAX and their like, the fixed width
  /// integers, size_t, CHAR_BIT, and std::min and std::max.
  bool prelude = true;
};

struct NvrtcResult {
  std::string ptx;
  /// Name expression to symbol in the PTX.
  std::map<std::string, std::string> loweredNames;
  /// Warnings; empty if there are none.
  std::string log;
};

/// Compiles `source`; `name` appears in its messages. Errors: the toolkit has
/// no NVRTC, or the source does not compile (the compiler's log, with line
/// numbers of `source`).
llvm::Expected<NvrtcResult> compileCuda(llvm::StringRef source,
                                        llvm::StringRef name,
                                        const Toolkit &toolkit,
                                        const NvrtcOptions &options = {});

} // namespace evo::cuda

#endif
