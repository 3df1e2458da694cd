// The gpu.modules of a plan as one.
#ifndef EVO_LIB_TARGET_NVPTX_LINKMODULES_H
#define EVO_LIB_TARGET_NVPTX_LINKMODULES_H

#include "evo/Lowering/DeviceModule.h"

namespace evo {

/// The optimised module of a plan that has one; else all of them, linked: the
/// kernels that are launched keep their names, and all else is its module's
/// own. A diagnostic where two modules have a kernel of the same name that is
/// launched.
mlir::FailureOr<std::unique_ptr<llvm::Module>>
linkModules(LaunchPlanOpInterface plan, std::vector<DeviceModule> modules);

} // namespace evo

#endif
