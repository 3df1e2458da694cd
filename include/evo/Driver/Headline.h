// What came of a search, in one line for people.
#ifndef EVO_DRIVER_HEADLINE_H
#define EVO_DRIVER_HEADLINE_H

#include "evo/Dialect/Evo/IR/Evo.h"
#include <string>

namespace evo {

/// "29x, estimated for an H200, verified algebraic": the time of the kernel as
/// it was given over that of the best variant, measured where both were, else
/// estimated; and the grade of the best. Empty where no variant was accepted,
/// or where there are no times to compare.
std::string makeHeadline(KernelOp kernel);

/// A machine's name with its article: "an H200", "a B200", "an NVIDIA H200".
std::string describeMachine(llvm::StringRef machine);

} // namespace evo

#endif
