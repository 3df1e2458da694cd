// A buffer of gigabytes that machine code reads like any other, and that takes
// the memory of a few of its pages.
#ifndef EVO_LIB_SIMULATOR_MEMORY_REPEATEDBYTES_H
#define EVO_LIB_SIMULATOR_MEMORY_REPEATEDBYTES_H

#include "evo/Simulator/Memory.h"

namespace evo::sim {

/// The bytes of a BufferSpec that has some `repeated`: a file in memory holds
/// the bytes that are repeated, and those that are apart after them, and is
/// mapped piece by piece, for reading only. A
/// process may have some 60,000 pieces.
class RepeatedBytes {
public:
  explicit RepeatedBytes(const BufferSpec &spec);
  ~RepeatedBytes();
  RepeatedBytes(const RepeatedBytes &) = delete;
  RepeatedBytes &operator=(const RepeatedBytes &) = delete;

  /// Null where there is no room.
  char *get() const { return bytes; }

  /// Whatever reads it at the time.
  void letGo() const;

private:
  char *bytes = nullptr;
  uint64_t size;
};

} // namespace evo::sim

#endif
