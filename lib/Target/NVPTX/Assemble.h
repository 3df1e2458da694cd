// The step both generators share: PTX to cubin and resource facts.
#ifndef EVO_LIB_TARGET_NVPTX_ASSEMBLE_H
#define EVO_LIB_TARGET_NVPTX_ASSEMBLE_H

#include "evo/Interfaces/Backends.h"
#include "evo/Lowering/DeviceModule.h"
#include "evo/Target/CUDA/Toolkit.h"

namespace evo {
/// Says why there is no code: what refused the text, or that the machine lacks
/// what `doing` takes. Always a failure.
mlir::LogicalResult emitNoCode(LaunchPlanOpInterface plan,
                               llvm::StringRef refused, llvm::StringRef doing,
                               llvm::Error error);

/// Assembles `ptx` where `toolkit` can; without an assembler the cubin stays
/// empty and a remark says so.
mlir::FailureOr<CodeObject> assemblePTX(LaunchPlanOpInterface plan,
                                        std::string ptx,
                                        const cuda::Toolkit *toolkit,
                                        const CodegenOptions &options);
} // namespace evo

#endif
