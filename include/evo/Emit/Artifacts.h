// What is shipped for a kernel, as files in memory: code, its launch, and a
// host launcher. Writing them is the caller's business.
#ifndef EVO_EMIT_ARTIFACTS_H
#define EVO_EMIT_ARTIFACTS_H

#include "evo/Emit/DescribeLaunch.h"

namespace evo {

struct Artifact {
  std::string fileName;
  std::string contents;
};

/// Text of launch.json.
std::string printLaunchJSON(const LaunchDescription &description);

/// CUDA source that is what `variant` is, launch lines included; nothing where
/// there is none (the variant is no CUDA C++, or was rewritten since).
std::optional<std::string> findSource(VariantOp variant);

/// PTX and cubin of each variant, best.cu where the best has a source,
/// launch.json and launcher.cpp, as describeLaunch names them. Errors are those
/// of describeLaunch.
llvm::Expected<std::vector<Artifact>>
emitArtifacts(KernelOp kernel, llvm::ArrayRef<VariantOp> variants);

} // namespace evo

#endif
