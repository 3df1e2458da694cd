// Places that observers hear of.
#ifndef EVO_SIMULATOR_LOCATIONS_H
#define EVO_SIMULATOR_LOCATIONS_H

#include "evo/Simulator/Finding.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace evo::sim {

class Program;

/// The place that an AccessObserver's event names by its number, in a kernel of
/// the program; nothing where it has no such kernel.
std::optional<SourceLoc> locationIn(const Program &program,
                                    llvm::StringRef kernel, uint32_t number);

} // namespace evo::sim

#endif
