// Device allocations on the host. Small blocks come from the C library and
// large ones are mapped lazily: a process may have no more than some ten
// thousand mappings, but a kernel may make any number of small allocations.
#include "Heap.h"
#include "evo/Target/TargetInfo.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

namespace evo::sim {

namespace {
/// Zeroed host memory.
class HostBlock {
public:
  HostBlock() = default;
  HostBlock(HostBlock &&o) noexcept : p(o.p), mapped(o.mapped) {
    o.p = nullptr;
    o.mapped = 0;
  }
  HostBlock &operator=(HostBlock &&o) noexcept {
    std::swap(p, o.p);
    std::swap(mapped, o.mapped);
    return *this;
  }
  ~HostBlock() {
    if (mapped)
      munmap(p, mapped);
    else
      std::free(p);
  }
  char *allocate(uint64_t bytes) {
    if (bytes < largeBytes)
      return static_cast<char *>(p = std::calloc(bytes, 1));
    p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
      return static_cast<char *>(p = nullptr);
    mapped = bytes;
    return static_cast<char *>(p);
  }
  explicit operator bool() const { return p; }

private:
  static constexpr uint64_t largeBytes = 1 << 20;
  void *p = nullptr;
  uint64_t mapped = 0;
};

constexpr uint64_t indexMask = 0xfffff;
/// What an allocation counts towards the limit.
uint64_t charge(uint64_t bytes) { return (bytes + 15) / 16 * 16; }
uint32_t indexOf(uint64_t address) { return address >> 40 & indexMask; }
uint64_t roundUp(uint64_t bytes) { return (bytes + 63) / 64 * 64; }
} // namespace

struct Heap::Block {
  HostBlock data, shadow, tags;
  uint64_t bytes = 0;
  uint32_t freedAt = 0; ///< index into `places`
  bool live = false;
};

Heap::Heap() : table(1), names(1), blocks(1) {}
Heap::~Heap() = default;

void Heap::mapShadow(uint32_t index) {
  Region &r = table[index];
  Block &b = blocks[index];
  if (!b.live || shadow == Shadow::None ||
      (r.shadowValue && (r.error || shadow == Shadow::ShadowValue)))
    return;
  // Both in one block. One made for shadow values alone is replaced, its shadow
  // values kept.
  const uint64_t bytes = ((r.bytes >> r.granuleShift) + 2) * sizeof(double);
  const bool two = shadow >= Shadow::ValueAndError;
  HostBlock fresh;
  char *p = fresh.allocate(two ? 2 * bytes : bytes);
  if (!p)
    return;
  if (r.shadowValue)
    std::memcpy(p, r.shadowValue, bytes);
  r.shadowValue = reinterpret_cast<double *>(p);
  r.error = two ? reinterpret_cast<double *>(p + bytes) : nullptr;
  b.shadow = std::move(fresh);
}

void Heap::mapTags(uint32_t index) {
  Region &r = table[index];
  Block &b = blocks[index];
  if (!b.live)
    return;
  const uint64_t sectors = r.bytes / target::TargetInfo::sectorBytes + 2;
  if (r.loadTag) { // a new launch has touched nothing yet
    std::memset(r.loadTag, 0, 2 * sectors * sizeof(uint32_t));
    return;
  }
  char *p = b.tags.allocate(2 * sectors * sizeof(uint32_t));
  if (!p)
    return;
  r.loadTag = reinterpret_cast<uint32_t *>(p);
  r.storeTag = r.loadTag + sectors;
}

uint64_t Heap::allocate(uint64_t bytes, uint64_t limit, uint64_t poison) {
  // No region may be longer than half of its part of the address space.
  if (bytes == 0 || bytes > 1ull << 38 || use.liveBytes > limit ||
      charge(bytes) > limit - use.liveBytes)
    return 0;
  const bool grow = table.size() <= indexMask;
  if (!grow && freed.empty())
    return 0;
  // Bytes with slack for unaligned access, then a bit for each.
  HostBlock data;
  const uint64_t room = roundUp(bytes + 64);
  char *p = data.allocate(room + bytes / 8 + 16);
  if (!p)
    return 0;
  uint32_t index;
  if (grow) {
    index = table.size();
    table.emplace_back();
    names.emplace_back();
    blocks.emplace_back();
  } else {
    index = freed.front();
    freed.pop_front();
    table[index] = Region();
  }
  ++use.allocations;
  ++use.liveAllocations;
  use.liveBytes += charge(bytes);
  use.peakBytes = std::max(use.peakBytes, use.liveBytes);
  names[index] = "malloc " + std::to_string(use.allocations);
  Block &b = blocks[index];
  b.data = std::move(data);
  b.bytes = bytes;
  b.live = true;
  Region &r = table[index];
  r.host = p;
  r.address = regionAddress(SpaceHeap, index - 1);
  r.bytes = bytes;
  r.init = reinterpret_cast<uint8_t *>(p + room);
  // Its elements may have any type, so every half has a shadow value.
  r.granuleShift = 1;
  for (uint64_t o = 0; o < bytes; o += 8)
    std::memcpy(p + o, &poison, 8);
  mapShadow(index);
  if (tags)
    mapTags(index);
  return r.address;
}

/// Gives the storage of a live block back.
void Heap::drop(uint32_t index) {
  Block &b = blocks[index];
  --use.liveAllocations;
  use.liveBytes -= charge(b.bytes);
  b.live = false;
  b.data = HostBlock();
  b.shadow = HostBlock();
  b.tags = HostBlock();
  Region gone;
  gone.address = table[index].address;
  table[index] = gone;
}

Heap::FreeResult Heap::release(uint64_t address, const SourceLoc &where) {
  const uint32_t index = indexOf(address);
  if (address >> 60 != SpaceHeap || index == 0 || index >= table.size())
    return FreeResult::NotAllocated;
  if (!blocks[index].live)
    return FreeResult::Twice;
  if (address != table[index].address)
    return FreeResult::Inside;
  drop(index);
  std::string text = where.line ? where.str() : "";
  auto [it, isNew] = placeIds.try_emplace(text, places.size());
  if (isNew)
    places.push_back(std::move(text));
  blocks[index].freedAt = it->second;
  freed.push_back(index);
  return FreeResult::Done;
}

bool Heap::wasFreed(uint64_t address, std::string &location) const {
  const uint32_t index = indexOf(address);
  if (address >> 60 != SpaceHeap || index == 0 || index >= table.size() ||
      blocks[index].live)
    return false;
  location = places[blocks[index].freedAt];
  return true;
}

void Heap::enableShadow(Shadow wanted) {
  if (shadow >= wanted)
    return;
  shadow = wanted;
  for (uint32_t i = 1; i < table.size(); ++i)
    mapShadow(i);
}

void Heap::enableTags() {
  tags = true;
  for (uint32_t i = 1; i < table.size(); ++i)
    mapTags(i);
}

void Heap::reset() {
  table.resize(1);
  names.resize(1);
  blocks.resize(1);
  freed.clear();
  use.liveAllocations = use.liveBytes = 0;
}

} // namespace evo::sim
