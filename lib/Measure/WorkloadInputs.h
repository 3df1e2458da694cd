// Scalars and buffer contents of one workload.
#ifndef EVO_LIB_MEASURE_WORKLOADINPUTS_H
#define EVO_LIB_MEASURE_WORKLOADINPUTS_H

#include "evo/Dialect/Evo/IR/Evo.h"
#include "evo/Interfaces/Fitness.h"
#include "evo/Runtime/CUDA/Session.h"

namespace evo {

/// Bytes of the float scalars: their default, else a value of their domain.
llvm::Expected<llvm::StringMap<std::string>>
drawScalars(KernelOp kernel, const Bindings &sizes, uint64_t seed);

/// Fills buffers with values of the contract's domains, different ones in each
/// set, the same for the same seed. Elements of large buffers repeat with a
/// period of a few million, an odd number of rows.
/// Refers to `kernel` and `sizes`, which must outlive it.
cuda::InputSource makeInputSource(KernelOp kernel, const Bindings &sizes,
                                  uint64_t seed);

} // namespace evo

#endif
