// Proposals written as programs become variants.
#ifndef EVO_FRONTEND_MATERIALIZERS_H
#define EVO_FRONTEND_MATERIALIZERS_H

#include "evo/Frontend/CUDA.h"
#include "evo/Interfaces/Backends.h"

namespace evo {

/// CUDA C++ with `// evo.launch`, `// evo.scratch` and `// evo.require` lines.
std::unique_ptr<Materializer> createCUDAMaterializer(CUDAOptions options);

/// NVPTX LLVM IR with the same lines behind `;`.
std::unique_ptr<Materializer> createLLVMIRMaterializer();

/// The body of an evo.variant in upstream dialects: evo.launch, evo.scratch and
/// a gpu.module.
std::unique_ptr<Materializer> createMLIRMaterializer();

} // namespace evo

#endif
