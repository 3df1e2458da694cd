// Scalars and buffer contents of one workload.
#ifndef EVO_LIB_MEASURE_WORKLOADINPUTS_H
#define EVO_LIB_MEASURE_WORKLOADINPUTS_H

#include "evo/Dialect/Evo/IR/Evo.h"
#include "evo/Interfaces/Fitness.h"
#include "evo/Runtime/CUDA/DevicePlan.h"

namespace evo {

/// Bytes of the float scalars: their default, else a value of their domain.
llvm::Expected<llvm::StringMap<std::string>>
drawScalars(KernelOp kernel, const Bindings &sizes, uint64_t seed);

/// What fills an argument's buffer on a device: values of its domain.
llvm::Expected<cuda::InputValues> describeValues(ArgumentAttr arg,
                                                 const Bindings &sizes);

/// How far results may be apart. Half of the digits have to agree,
///   |c - b| <= sqrt(u) max(|b|, rms(b))    for each element, rms over all sets
///   of inputs,
/// where u is the roundoff of `AllowedError`, or its tolerances where they are
/// more.
cuda::Tolerance describeTolerance(ArgumentAttr arg, AccuracyAttr accuracy);

/// Gives the buffers of `plan` their values and tolerances.
llvm::Error describeBuffers(KernelOp kernel, const Bindings &sizes,
                            cuda::DevicePlan &plan);

} // namespace evo

#endif
