// What an address says of the memory it lies in.
#ifndef EVO_SIMULATOR_SPACES_H
#define EVO_SIMULATOR_SPACES_H

#include <cstdint>

namespace evo::sim {

/// Whether `address`, as an observer hears of it, lies in memory that all
/// blocks reach: not in a block's shared memory, nor in a thread's own.
bool isGlobalAddress(uint64_t address);

} // namespace evo::sim

#endif
