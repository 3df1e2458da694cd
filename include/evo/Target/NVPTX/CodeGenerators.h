// Code generators for NVIDIA GPUs: LLVM's NVPTX back end, and NVRTC for
// variants that still have their CUDA source. Both end in the same assembler.
#ifndef EVO_TARGET_NVPTX_CODEGENERATORS_H
#define EVO_TARGET_NVPTX_CODEGENERATORS_H

#include "evo/Device/DeviceBuilder.h"
#include "evo/Search/Backends.h"

namespace evo {

/// `toolkitPath` may be empty: the toolkit is then discovered. Without one,
/// only PTX comes out, and code that needs libdevice is refused. `builder` is
/// shared with the other backends of the same context.
std::unique_ptr<CodeGenerator>
createLLVMGenerator(std::string toolkitPath,
                    std::shared_ptr<DeviceBuilder> builder);
std::unique_ptr<CodeGenerator> createNVRTCGenerator(std::string toolkitPath);

} // namespace evo

#endif
