// How CUDA C++ is read, by the driver's options.
#ifndef EVO_LIB_DRIVER_CUDASETUP_H
#define EVO_LIB_DRIVER_CUDASETUP_H

#include "evo/Driver/Registration.h"
#include "evo/Frontend/CUDA.h"
#include "evo/Target/CUDA/Toolkit.h"

namespace evo {

/// The toolkit in `asked`, or, where that is empty, the one that is found.
cuda::FoundToolkit findToolkit(const std::string &asked);

/// With the toolkit in the folder `toolkit`.
CUDAOptions cudaOptions(const BackendOptions &options, llvm::StringRef toolkit);

} // namespace evo

#endif
