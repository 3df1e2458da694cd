// What malloc and free of a kernel work on. Every allocation is a region of its
// own in the heap's part of the address space, so the checks of buffers hold
// for it as they are. A freed region keeps its place with no bytes in it: an
// access falls out of bounds, and the slow path sees that it was freed, and
// where. Places are used again only when all of them have been handed out,
// oldest first.
//
// One heap belongs to one GlobalMemory and, as on the device, outlives a
// launch: a pointer that one launch stored may be used and freed by another.
#ifndef EVO_LIB_SIMULATOR_MEMORY_HEAP_H
#define EVO_LIB_SIMULATOR_MEMORY_HEAP_H

#include "Simulator/IR/Bytecode.h"
#include "evo/Simulator/Memory.h"
#include <deque>
#include <map>

namespace evo::sim {

class Heap {
public:
  Heap();
  ~Heap();
  Heap(const Heap &) = delete;
  Heap &operator=(const Heap &) = delete;

  /// Address of `bytes` unwritten bytes, aligned like a page, or 0: for no
  /// bytes, when live allocations would exceed `limit`, or when the host has
  /// no room.
  uint64_t allocate(uint64_t bytes, uint64_t limit, uint64_t poison);

  enum class FreeResult { Done, NotAllocated, Inside, Twice };
  FreeResult release(uint64_t address, const SourceLoc &where);

  /// Whether an address lies in what was freed; says where by `location`.
  bool wasFreed(uint64_t address, std::string &location) const;

  void enableShadow(Shadow wanted);
  void enableTags();
  void reset();

  HeapUse use;
  /// By index + 1, as the interpreter wants them; entry 0 is empty.
  std::vector<Region> table;
  std::vector<std::string> names;

private:
  struct Block;
  std::vector<Block> blocks; ///< in step with `table`
  std::deque<uint32_t> freed;
  std::vector<std::string> places; ///< texts of distinct source locations
  std::map<std::string, uint32_t> placeIds;
  Shadow shadow = Shadow::None;
  bool tags = false;

  void mapShadow(uint32_t index);
  void mapTags(uint32_t index);
  void drop(uint32_t index);
};

} // namespace evo::sim

#endif
