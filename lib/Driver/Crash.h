// What is said where this process itself dies.
#ifndef EVO_LIB_DRIVER_CRASH_H
#define EVO_LIB_DRIVER_CRASH_H

#include "llvm/ADT/StringRef.h"

namespace evo {

/// From now on a crash of this process, in its own code or in that of a
/// compiler on what a user gave it, ends it with a line that says so, on
/// standard error or (`json`) as an object on standard output, and with the
/// exit code of the machine's failures. `doing` is the verb.
void explainCrashes(llvm::StringRef doing, bool json);

} // namespace evo

#endif
