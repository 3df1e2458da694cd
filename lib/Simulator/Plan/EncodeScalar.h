// Float arguments of a launch as the kernel's parameters take them.
#ifndef EVO_LIB_SIMULATOR_PLAN_ENCODESCALAR_H
#define EVO_LIB_SIMULATOR_PLAN_ENCODESCALAR_H

#include "evo/Simulator/Launch.h"
#include "evo/Simulator/Program.h"
#include "mlir/IR/Types.h"
#include <optional>

namespace evo {

/// A float of `type` as a parameter takes it: a number, or the bytes of a
/// number in a structure or in an integer, as the short types of CUDA C++ are;
/// nothing where it takes no such number.
std::optional<sim::Argument>
encodeScalar(double value, mlir::Type type,
             const sim::KernelParameter &parameter);

} // namespace evo

#endif
