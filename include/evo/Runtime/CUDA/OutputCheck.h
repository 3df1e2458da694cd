// Comparison of a plan's outputs with the baseline's, both from the device. The
// verifier has judged the variant already; this finds what only the device does
// (a miscompile behind PTX, a race, code that does other than was judged), so
// the bound is wide and knows nothing of how the values came about.
#ifndef EVO_RUNTIME_CUDA_OUTPUTCHECK_H
#define EVO_RUNTIME_CUDA_OUTPUTCHECK_H

#include "evo/Runtime/CUDA/DevicePlan.h"

namespace evo::cuda {

/// Holds an output to the buffer's tolerance. Integers, infinities and NaN must
/// be equal. Elements that the baseline left poisoned (all bits set) are not
/// looked at. `scale` is the root mean square of the output over all inputs
/// that it was computed from; 0: over this one. The error names the first
/// element.
llvm::Error checkOutput(const PlanBuffer &buffer, llvm::StringRef baseline,
                        llvm::StringRef other, double scale = 0);

/// The bytes that an input of stream `key` is filled with on a device.
void generateValues(InputValues values, uint64_t key,
                    llvm::MutableArrayRef<char> bytes);

} // namespace evo::cuda

#endif
