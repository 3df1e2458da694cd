// Code generators for NVIDIA GPUs: LLVM's NVPTX back end, and NVRTC for
// variants that still have their CUDA source. Both end in the same assembler.
#ifndef EVO_TARGET_NVPTX_CODEGENERATORS_H
#define EVO_TARGET_NVPTX_CODEGENERATORS_H

#include "evo/Interfaces/Backends.h"
#include "evo/Lowering/DeviceBuilder.h"
#include "evo/Target/CUDA/Toolkit.h"

namespace evo {

/// Without a toolkit only PTX comes out, and code that needs libdevice is
/// refused. `builder` is shared with the other backends of the same context.
std::unique_ptr<CodeGenerator>
createLLVMGenerator(std::optional<cuda::Toolkit> toolkit,
                    std::shared_ptr<DeviceBuilder> builder);
/// Without a toolkit it says what was wrong with the search for one.
std::unique_ptr<CodeGenerator> createNVRTCGenerator(cuda::FoundToolkit found);
/// One that generates in a fork of this process, whose death is a diagnostic of
/// ours, not of the plan; it keeps what it made of the last plans. Where the
/// context has several threads, of which a fork has only one, it is the same as
/// `generator`.
std::unique_ptr<CodeGenerator>
isolateGenerator(std::unique_ptr<CodeGenerator> generator);

} // namespace evo

#endif
