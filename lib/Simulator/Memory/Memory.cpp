// Lazily mapped buffers and their shadows. mmap with MAP_NORESERVE: address
// space is plentiful, pages appear when they are touched. Shadows are separate
// mappings, so that a launch without shadows pays nothing for them.
#include "evo/Simulator/Memory.h"
#include "Heap.h"
#include "RepeatedBytes.h"
#include "SparsePages.h"
#include "evo/Target/TargetInfo.h"
#include <algorithm>
#include <cstring>
#include <map>
#include <sys/mman.h>

namespace evo::sim {

namespace {
constexpr uint64_t hostPageBytes = 4096;

struct Mapping {
  char *p = nullptr;
  uint64_t size = 0;
};

uint64_t roundUpToPages(uint64_t bytes) {
  return (bytes + SparsePages::pageBytes - 1) / SparsePages::pageBytes *
         SparsePages::pageBytes;
}

/// Bytes that have storage.
uint64_t getStorage(const BufferSpec &spec) {
  return spec.sparse ? std::min(spec.storage, roundUpToPages(spec.bytes))
                     : spec.bytes;
}

/// For unaligned access.
constexpr uint64_t slack = 64;

struct Buffer {
  BufferSpec spec;
  Mapping data, init, shadowValue, error, loadTag, storeTag;
  std::unique_ptr<SparsePages> pages;
  std::unique_ptr<RepeatedBytes> repeated;
  uint64_t storage() const { return getStorage(spec); }
};

Mapping map(uint64_t bytes) {
  Mapping m;
  m.size = (bytes + hostPageBytes) / hostPageBytes * hostPageBytes;
  void *p = mmap(nullptr, m.size, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED)
    return Mapping();
  m.p = static_cast<char *>(p);
  return m;
}
void unmap(Mapping &m) {
  if (m.p)
    munmap(m.p, m.size);
  m = Mapping();
}
/// Back to zero pages.
void clear(Mapping &m) {
  if (m.p)
    madvise(m.p, m.size, MADV_DONTNEED);
}

uint32_t granuleShift(ElementKind kind) {
  switch (kind) {
  case ElementKind::F32:
  case ElementKind::F64:
  case ElementKind::Int:
    return 2;
  default:
    return 1;
  }
}
} // namespace

class ReadOnlyPages {
public:
  ReadOnlyPages(const BufferSpec &spec, Mapping data)
      : data(data), pages(spec.bytes, data.p, getStorage(spec), spec.fill) {}
  ~ReadOnlyPages() { unmap(data); }
  ReadOnlyPages(const ReadOnlyPages &) = delete;
  ReadOnlyPages &operator=(const ReadOnlyPages &) = delete;

  Mapping data;
  SparsePages pages;
};

std::shared_ptr<ReadOnlyPages> makeReadOnlyPages(const BufferSpec &spec) {
  assert(spec.sparse && spec.readOnly && !spec.alignmentOffset);
  Mapping data = map(getStorage(spec) + slack);
  return data.p ? std::make_shared<ReadOnlyPages>(spec, data) : nullptr;
}

bool isHalfFull(const ReadOnlyPages &pages) { return pages.pages.isHalfFull(); }

struct GlobalMemory::Impl {
  std::vector<Buffer> buffers;
  std::map<uint64_t, unsigned> modules;
  Heap heap;
  Shadow shadow = Shadow::None;
  bool tags = false;
};

GlobalMemory::GlobalMemory() : impl(std::make_unique<Impl>()), table(1) {}

GlobalMemory::~GlobalMemory() {
  for (Buffer &b : impl->buffers)
    for (Mapping *m :
         {&b.data, &b.init, &b.shadowValue, &b.error, &b.loadTag, &b.storeTag})
      unmap(*m);
}

static void mapShadow(Buffer &b, Region &r, Shadow shadow) {
  // What is only read is what its bits say.
  if (b.spec.kind == ElementKind::Int || b.spec.pages || b.repeated || !r.host)
    return;
  uint64_t granules = (b.storage() >> r.granuleShift) + 2;
  if (shadow != Shadow::None && !b.shadowValue.p) {
    b.shadowValue = map(granules * sizeof(double));
    r.shadowValue = reinterpret_cast<double *>(b.shadowValue.p);
  }
  if (shadow >= Shadow::ValueAndError && !b.error.p) {
    b.error = map(granules * sizeof(double));
    r.error = reinterpret_cast<double *>(b.error.p);
  }
}

static void mapTags(Buffer &b, Region &r) {
  if (b.loadTag.p || !r.host)
    return;
  uint64_t sectors =
      (b.storage() + b.spec.alignmentOffset) / target::TargetInfo::sectorBytes +
      2;
  b.loadTag = map(sectors * 4);
  b.storeTag = map(sectors * 4);
  r.loadTag = reinterpret_cast<uint32_t *>(b.loadTag.p);
  r.storeTag = reinterpret_cast<uint32_t *>(b.storeTag.p);
}

BufferId GlobalMemory::addBuffer(const BufferSpec &spec) {
  BufferId id = impl->buffers.size();
  impl->buffers.emplace_back();
  Buffer &b = impl->buffers.back();
  b.spec = spec;
  // Index 0 stays the empty region, so that small integers are wild pointers.
  Region r;
  r.address = regionAddress(SpaceGlobal, id) + spec.alignmentOffset;
  r.bytes = spec.bytes;
  r.readOnly = spec.readOnly;
  r.place = spec.constant ? MemoryPlace::Constant : MemoryPlace::Global;
  r.granuleShift = granuleShift(spec.kind);
  // The host address gets the same offset.
  if (spec.pages)
    r.host = spec.pages->data.p;
  else if (!spec.repeated.empty())
    r.host = (b.repeated = std::make_unique<RepeatedBytes>(spec))->get();
  else if ((b.data = map(b.storage() + spec.alignmentOffset + slack)).p)
    r.host = b.data.p + spec.alignmentOffset;
  if (!r.host)
    r.bytes = 0;
  if (!spec.initialized && r.host) {
    b.init = map(b.storage() / 8 + 16);
    r.init = reinterpret_cast<uint8_t *>(b.init.p);
  }
  if (spec.pages) {
    r.sparse = &spec.pages->pages;
    r.bytes = 0;
  } else if (spec.sparse && r.host) {
    b.pages = std::make_unique<SparsePages>(spec.bytes, r.host, b.storage(),
                                            spec.fill);
    r.sparse = b.pages.get();
    r.bytes = 0;
  }
  table.push_back(r);
  mapShadow(b, table.back(), impl->shadow);
  if (impl->tags)
    mapTags(b, table.back());
  return id;
}

bool GlobalMemory::isMapped(BufferId id) const {
  return table[id + 1].host != nullptr;
}
unsigned GlobalMemory::size() const { return impl->buffers.size(); }
const BufferSpec &GlobalMemory::spec(BufferId id) const {
  return impl->buffers[id].spec;
}
uint64_t GlobalMemory::address(BufferId id) const {
  return table[id + 1].address;
}
char *GlobalMemory::bytes(BufferId id) { return table[id + 1].host; }
const char *GlobalMemory::bytes(BufferId id) const {
  return table[id + 1].host;
}

void GlobalMemory::markInitialized(BufferId id, uint64_t offset,
                                   uint64_t size) {
  uint8_t *init = table[id + 1].init;
  if (!init)
    return;
  uint64_t end = offset + size;
  for (; offset < end && offset % 8; ++offset)
    init[offset / 8] |= 1u << offset % 8;
  if (offset < end) {
    std::memset(init + offset / 8, 0xff, (end - offset) / 8);
    for (offset = offset + (end - offset) / 8 * 8; offset < end; ++offset)
      init[offset / 8] |= 1u << offset % 8;
  }
}

void GlobalMemory::clearInitialized(BufferId id, uint64_t offset,
                                    uint64_t size) {
  uint8_t *init = table[id + 1].init;
  if (!init)
    return;
  for (uint64_t o = offset; o < offset + size; ++o)
    init[o / 8] &= ~(1u << o % 8);
}

/// Where a byte lies in its buffer's storage.
uint64_t GlobalMemory::stored(BufferId id, uint64_t offset) const {
  const SparsePages *pages = table[id + 1].sparse;
  return pages ? pages->find(offset) : offset;
}

const char *GlobalMemory::touched(BufferId id, uint64_t offset) const {
  const uint64_t at = stored(id, offset);
  return at == SparsePages::nowhere ? nullptr : table[id + 1].host + at;
}

bool GlobalMemory::touch(BufferId id, uint64_t offset, uint64_t size) {
  SparsePages *pages = table[id + 1].sparse;
  return !pages || pages->locate(offset, size) != SparsePages::nowhere;
}

std::function<void()> GlobalMemory::getRelease() const {
  std::vector<const RepeatedBytes *> all;
  for (const Buffer &buffer : impl->buffers)
    if (buffer.repeated)
      all.push_back(buffer.repeated.get());
  return [all = std::move(all)] {
    for (const RepeatedBytes *bytes : all)
      bytes->letGo();
  };
}

std::vector<uint64_t> GlobalMemory::listTouched(BufferId id) const {
  const SparsePages *pages = table[id + 1].sparse;
  return pages ? pages->list() : std::vector<uint64_t>();
}

bool GlobalMemory::isInitialized(BufferId id, uint64_t offset) const {
  const uint8_t *init = table[id + 1].init;
  offset = stored(id, offset);
  if (offset == SparsePages::nowhere)
    return false;
  return !init || (init[offset / 8] >> offset % 8 & 1);
}

void GlobalMemory::write(BufferId id, uint64_t offset, const void *data,
                         uint64_t size) {
  Region &r = table[id + 1];
  if (!r.host || offset > r.bytes || size > r.bytes - offset || size == 0)
    return;
  std::memcpy(r.host + offset, data, size);
  markInitialized(id, offset, size);
  uint64_t first = offset >> r.granuleShift,
           last = (offset + size - 1) >> r.granuleShift;
  for (double *shadow : {r.shadowValue, r.error})
    if (shadow)
      std::memset(shadow + first, 0, (last - first + 1) * sizeof(double));
}

void GlobalMemory::poison(BufferId id, uint64_t pattern) {
  Region &r = table[id + 1];
  // A sparse buffer is what its pages begin with. Launches that are run one by
  // one hand on what is in it, and how far that may be off. What is repeated
  // cannot be written.
  if (!r.host || r.sparse || impl->buffers[id].repeated)
    return;
  uint64_t o = 0;
  for (; o + 8 <= r.bytes; o += 8)
    std::memcpy(r.host + o, &pattern, 8);
  std::memcpy(r.host + o, &pattern, r.bytes - o);
  Buffer &b = impl->buffers[id];
  clear(b.init);
  clear(b.shadowValue);
  clear(b.error);
}

void GlobalMemory::enableShadow(Shadow shadow) {
  if (impl->shadow < shadow)
    impl->shadow = shadow;
  for (unsigned i = 0; i < impl->buffers.size(); ++i)
    mapShadow(impl->buffers[i], table[i + 1], impl->shadow);
  impl->heap.enableShadow(impl->shadow);
}

void GlobalMemory::enableSectorTags() {
  impl->tags = true;
  for (unsigned i = 0; i < impl->buffers.size(); ++i) {
    Buffer &b = impl->buffers[i];
    mapTags(b, table[i + 1]);
    clear(b.loadTag);
    clear(b.storeTag);
  }
  impl->heap.enableTags();
}

static uint64_t rawShadowValue(const Region &r, uint64_t offset) {
  uint64_t v = 0;
  if (r.shadowValue)
    std::memcpy(&v, r.shadowValue + (offset >> r.granuleShift), 8);
  return v;
}

bool GlobalMemory::hasShadowValue(BufferId id, uint64_t offset) const {
  return rawShadowValue(table[id + 1], offset) != 0;
}
double GlobalMemory::shadowValue(BufferId id, uint64_t offset,
                                 double fallback) const {
  offset = stored(id, offset);
  uint64_t v = offset == SparsePages::nowhere
                   ? 0
                   : rawShadowValue(table[id + 1], offset);
  if (!v)
    return fallback;
  v ^= shadowKey;
  double d;
  std::memcpy(&d, &v, 8);
  return d;
}
void GlobalMemory::setShadowValue(BufferId id, uint64_t offset, double value) {
  Region &r = table[id + 1];
  if (!r.shadowValue)
    return;
  uint64_t v;
  std::memcpy(&v, &value, 8);
  v ^= shadowKey;
  std::memcpy(r.shadowValue + (offset >> r.granuleShift), &v, 8);
}
double GlobalMemory::error(BufferId id, uint64_t offset) const {
  const Region &r = table[id + 1];
  offset = stored(id, offset);
  return r.error && offset != SparsePages::nowhere
             ? r.error[offset >> r.granuleShift]
             : 0;
}
void GlobalMemory::setError(BufferId id, uint64_t offset, double value) {
  Region &r = table[id + 1];
  if (r.error)
    r.error[offset >> r.granuleShift] = value;
}
uint64_t GlobalMemory::fieldHandle(BufferId id, uint64_t offset) const {
  const Region &r = table[id + 1];
  offset = stored(id, offset);
  uint64_t handle = 0;
  if (r.error && offset != SparsePages::nowhere)
    std::memcpy(&handle, r.error + (offset >> r.granuleShift), 8);
  return handle;
}
void GlobalMemory::setFieldHandle(BufferId id, uint64_t offset,
                                  uint64_t handle) {
  Region &r = table[id + 1];
  if (r.error)
    std::memcpy(r.error + (offset >> r.granuleShift), &handle, 8);
}

unsigned GlobalMemory::moduleGlobals(uint64_t programSerial) const {
  auto it = impl->modules.find(programSerial);
  return it == impl->modules.end() ? ~0u : it->second;
}
void GlobalMemory::setModuleGlobals(uint64_t programSerial,
                                    unsigned firstBuffer) {
  impl->modules[programSerial] = firstBuffer;
}

HeapUse GlobalMemory::heapUse() const { return impl->heap.use; }
void GlobalMemory::resetHeap() { impl->heap.reset(); }
Heap &GlobalMemory::heap() { return impl->heap; }

} // namespace evo::sim
