// Mappings of a file in memory.
#include "RepeatedBytes.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cassert>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

namespace evo::sim {

static constexpr uint64_t unit = BufferSpec::repeatUnit;

static uint64_t roundUp(uint64_t bytes) {
  return (bytes + unit - 1) / unit * unit;
}

/// Makes a file with the bytes that are repeated, and what is apart; -1 where
/// that fails.
static int makeFile(const BufferSpec &spec) {
  const uint64_t repeated = spec.repeated.size(),
                 length = repeated + spec.apart.size() * unit;
  const int file = memfd_create(spec.name.c_str(), MFD_CLOEXEC);
  if (file < 0)
    return -1;
  void *all = MAP_FAILED;
  if (ftruncate(file, static_cast<off_t>(length)) == 0)
    all = mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (all == MAP_FAILED)
    return close(file), -1;
  char *at = static_cast<char *>(all);
  std::memcpy(at, spec.repeated.data(), repeated);
  at += repeated;
  for (uint64_t place : spec.apart) {
    spec.fill(place, at, std::min(unit, spec.bytes - place));
    at += unit;
  }
  munmap(all, length);
  return file;
}

RepeatedBytes::RepeatedBytes(const BufferSpec &spec)
    : size(roundUp(spec.bytes) + unit) {
  const uint64_t repeated = spec.repeated.size();
  assert(spec.readOnly && repeated % unit == 0 && !spec.alignmentOffset &&
         !spec.sparse);
  // Zeros, for a start, which count as nobody's memory where they are read.
  void *begin = mmap(nullptr, size, PROT_READ,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (begin == MAP_FAILED)
    return;
  bytes = static_cast<char *>(begin);
  const int file = makeFile(spec);
  bool isDone = file >= 0;
  auto show = [&](uint64_t place, uint64_t length, uint64_t inFile) {
    isDone =
        isDone && mmap(bytes + place, length, PROT_READ, MAP_SHARED | MAP_FIXED,
                       file, static_cast<off_t>(inFile)) != MAP_FAILED;
  };
  const bool isZero =
      llvm::all_of(spec.repeated, [](char byte) { return byte == 0; });
  for (uint64_t place = 0; place < size && !isZero; place += repeated)
    show(place, std::min(repeated, size - place), 0);
  uint64_t inFile = repeated;
  for (uint64_t place : spec.apart) {
    show(place, unit, inFile);
    inFile += unit;
  }
  if (file >= 0)
    close(file);
  if (isDone)
    return;
  munmap(bytes, size);
  bytes = nullptr;
}

void RepeatedBytes::letGo() const {
  if (bytes)
    madvise(bytes, size, MADV_DONTNEED);
}

RepeatedBytes::~RepeatedBytes() {
  if (bytes)
    munmap(bytes, size);
}

} // namespace evo::sim
