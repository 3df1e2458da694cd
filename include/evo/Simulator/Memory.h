// Checked virtual memory of a launch. Device memory as an executed kernel sees
// it. Every buffer, every module global, every shared and every local variable
// and every allocation by malloc is its own *region* with its own part of a
// 64-bit virtual address space:
//
//     63        60 59                40 39                               0
//    +------------+--------------------+----------------------------------+
//    | space      | index + 1          | byte offset                      |
//    +------------+--------------------+----------------------------------+
//
// Pointer arithmetic cannot move from one region into another without an
// offset of 2^39 bytes, so every access can be attributed to the object its
// pointer was derived from, and one compare decides whether it is in bounds.
// Address space casts keep the value; the space is read off the top bits.
//
// Buffers are mapped without reserving storage: a buffer of the workload's own
// size (gigabytes) costs nothing until pages are touched. Beside the bytes lie
// shadows, mapped just as lazily: one bit per byte "was written", one double
// per element for the shadow value (what exact-enough arithmetic would have
// stored) and eight bytes for a bound of the error or the handle of a field
// value, whichever the mode of the launch is. All-zero shadow means "absent",
// so fresh pages need no initialisation; an absent shadow value is the value of
// the bits.
#ifndef EVO_SIMULATOR_MEMORY_H
#define EVO_SIMULATOR_MEMORY_H

#include "evo/Target/AddressSpace.h"
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace evo::sim {

enum class ElementKind : uint8_t { Bytes, Int, F16, BF16, F32, F64 };

/// Which shadows accompany float values; see Launch.h. One memory holds either
/// errors, field values or terms.
enum class Shadow {
  None,
  ShadowValue,
  ValueAndError,
  ValueAndField,
  ValueAndTerms
};

/// Writes the bytes that a buffer holds at first from `offset` on.
using PageContents =
    std::function<void(uint64_t offset, char *bytes, uint64_t size)>;

/// The pages of a sparse buffer that is only read, for all memories that have
/// it: in one thread at a time.
class ReadOnlyPages;

struct BufferSpec {
  std::string name;
  uint64_t bytes = 0;
  ElementKind kind = ElementKind::Bytes;
  /// Stores and atomics are findings.
  bool readOnly = false;
  /// Added to a base address that is aligned to 4096 bytes: the sweep of
  /// alignments asks for 16, 32, ... here.
  uint64_t alignmentOffset = 0;
  /// In constant memory, which instructions for global memory do not reach.
  bool constant = false;
  /// All of it counts as initialised, so reads are never uninitialised and no
  /// bitmap is kept.
  bool initialized = false;
  /// Only what is touched has storage, `storage` bytes at most; `fill` says
  /// what it holds at first (nothing: zeros). `write` and `poison` do not work
  /// on such a buffer, and `bytes` says nothing.
  bool sparse = false;
  uint64_t storage = uint64_t(64) << 20;
  PageContents fill;
  /// Instead of storage of its own: what was made for a buffer like it.
  std::shared_ptr<ReadOnlyPages> pages;
  /// Unless empty: it is only read, and holds these bytes, some units of
  /// `repeatUnit`, again and again, but for the units that begin at `apart`, in
  /// ascending order, of which `fill` gives the bytes.
  std::vector<char> repeated;
  std::vector<uint64_t> apart;
  static constexpr uint64_t repeatUnit = 4096;
};

/// For sparse buffers like this one, which is only read and not moved by an
/// offset. Null where there is no room.
std::shared_ptr<ReadOnlyPages> makeReadOnlyPages(const BufferSpec &spec);
/// Whether more than half of what may be kept has been touched.
bool isHalfFull(const ReadOnlyPages &pages);

class Heap;
class SparsePages;

/// Handle of a buffer inside one GlobalMemory.
using BufferId = unsigned;

/// Shadow values are stored XORed with this pattern (a NaN that arithmetic does
/// not produce), so that zero-filled memory reads as "absent".
constexpr uint64_t shadowKey = 0x7ff4dead5afe0001ull;

/// The memories that instructions name; the numbers of address spaces in PTX's
/// LLVM IR, as far as there are any.
enum class MemoryPlace : uint8_t {
  Any = 0, ///< a generic address
  Global = target::Global,
  Shared = target::Shared,
  Constant = target::Constant,
  Local = target::Local,
  Parameter = 6,
};

/// One region as the interpreter sees it: plain data, so that the hot loop
/// depends on nothing else.
struct Region {
  char *host = nullptr;          ///< storage of byte 0
  uint64_t address = 0;          ///< virtual address of byte 0
  uint64_t bytes = 0;            ///< in-bounds length
  uint64_t laneStride = 0;       ///< local memory: storage per lane; else 0
  uint8_t *init = nullptr;       ///< bit per byte "written"; null: all written
  double *shadowValue = nullptr; ///< per granule; null: not kept
  double *error = nullptr;       ///< or handles; per granule; null: not kept
  uint32_t *loadTag = nullptr;  ///< per 32-byte sector: last block that read it
  uint32_t *storeTag = nullptr; ///< the same for writes
  uint32_t granuleShift = 2;    ///< log2 bytes per shadow value
  bool readOnly = false;
  MemoryPlace place = MemoryPlace::Global;
  SparsePages *sparse = nullptr; ///< then `bytes` is 0: no fast path applies
};

/// What kernels have allocated with malloc. Bytes are rounded up to 16 for each
/// allocation, the alignment that the device promises.
struct HeapUse {
  uint64_t liveAllocations = 0;
  uint64_t liveBytes = 0;
  uint64_t peakBytes = 0;
  uint64_t allocations = 0; ///< ever made
};

/// Owns the buffers of a sequence of launches. Not thread-safe: one launch at a
/// time runs on one GlobalMemory; parallel verification uses one per worker.
class GlobalMemory {
public:
  GlobalMemory();
  ~GlobalMemory();
  GlobalMemory(const GlobalMemory &) = delete;
  GlobalMemory &operator=(const GlobalMemory &) = delete;

  /// Maps a zero-filled buffer. Aborts never: when mapping fails the buffer has
  /// no storage and `isMapped` answers false.
  BufferId addBuffer(const BufferSpec &spec);
  bool isMapped(BufferId id) const;
  unsigned size() const;

  const BufferSpec &spec(BufferId id) const;
  /// Virtual address of byte 0, to be passed as a kernel argument.
  uint64_t address(BufferId id) const;
  /// Raw bytes. Writing through this pointer marks nothing as initialised.
  char *bytes(BufferId id);
  const char *bytes(BufferId id) const;
  /// The byte at an offset; null where a sparse buffer was not touched.
  const char *touched(BufferId id, uint64_t offset) const;
  /// Makes the bytes of a sparse buffer hold what they do at first, if nothing
  /// has touched them yet. False where there is no room.
  bool touch(BufferId id, uint64_t offset, uint64_t size);
  /// Where the pages of a sparse buffer begin that something has touched, in
  /// ascending order.
  std::vector<uint64_t> listTouched(BufferId id) const;

  /// What lets the pages of all buffers with `repeated` bytes go until they are
  /// read again: each counts as memory, though most are one. May be called in
  /// any thread, whatever runs, as long as this memory lives.
  std::function<void()> getRelease() const;

  /// Copies bytes in, marks them written and drops their shadow values.
  void write(BufferId id, uint64_t offset, const void *data, uint64_t size);
  /// Fills with a repeated byte pattern; init marks and shadow values are
  /// cleared.
  void poison(BufferId id, uint64_t pattern);
  void markInitialized(BufferId id, uint64_t offset, uint64_t size);
  void clearInitialized(BufferId id, uint64_t offset, uint64_t size);
  bool isInitialized(BufferId id, uint64_t offset) const;

  /// Maps shadow value (and error) storage for every float or byte buffer.
  /// `launch` does this on demand; call it first to set shadow values of
  /// inputs.
  void enableShadow(Shadow shadow);
  /// Maps the sector tags that the traffic counters need.
  void enableSectorTags();
  bool hasShadowValue(BufferId id, uint64_t offset) const;
  /// The shadow value of the element at a byte offset, or `fallback` when
  /// absent. Of an f64 it is what the bits lack, and absent means zero.
  double shadowValue(BufferId id, uint64_t offset, double fallback) const;
  void setShadowValue(BufferId id, uint64_t offset, double value);
  /// Absolute error bound of the element, 0 when absent.
  double error(BufferId id, uint64_t offset) const;
  void setError(BufferId id, uint64_t offset, double value);
  /// Handle of the element's field value, in the mode that has them.
  uint64_t fieldHandle(BufferId id, uint64_t offset) const;
  void setFieldHandle(BufferId id, uint64_t offset, uint64_t handle);

  /// The interpreter's view, indexed by buffer index + 1; entry 0 is empty.
  const std::vector<Region> &regions() const { return table; }
  std::vector<Region> &regions() { return table; }

  /// Index of the first buffer that holds the globals of the program with this
  /// serial number, or ~0u: device globals live as long as this memory does,
  /// just as those of a loaded module outlive one launch.
  unsigned moduleGlobals(uint64_t programSerial) const;
  void setModuleGlobals(uint64_t programSerial, unsigned firstBuffer);

  /// The device heap lives as long as this memory does: allocations that a
  /// launch did not free are still there in the next one.
  HeapUse heapUse() const;
  /// Drops every allocation, as a reset of the device would. Pointers to them
  /// point nowhere afterwards.
  void resetHeap();
  /// For the interpreter.
  Heap &heap();

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
  std::vector<Region> table;

  uint64_t stored(BufferId id, uint64_t offset) const;
};

} // namespace evo::sim

#endif
