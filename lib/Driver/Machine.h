// What this machine lacks of what the tool can use: for the portable package,
// which lands where nobody has set anything up.
#ifndef EVO_LIB_DRIVER_MACHINE_H
#define EVO_LIB_DRIVER_MACHINE_H

#include "CommandLine.h"
#include "evo/Target/CUDA/Toolkit.h"
#include <string>

namespace evo {

/// What is missing, and what that means, in one line; empty: nothing.
/// `driverProblem`: why there is no driver; empty where there is one, or where
/// none is asked for.
std::string describeMissing(const cuda::FoundToolkit &found,
                            llvm::StringRef driverProblem);

/// Warns of that on the first line of a verb's output, where EVO_PORTABLE says
/// that this tool came in a portable package. `times`: the verb times kernels.
void warnOfMissing(const VerbOptions &options, bool times);

} // namespace evo

#endif
