// Filling goes by blocks: an index of a large workload has millions of
// elements.
#include "FillIndices.h"
#include "evo/Simulator/Plan/ExecutablePlan.h"
#include "evo/Support/Random.h"
#include <numeric>

using namespace mlir;
using namespace evo;

/// A number that steps through all of `count` in an order far from theirs.
static uint64_t strideThrough(uint64_t count) {
  auto stride = static_cast<uint64_t>(0.618 * double(count)) | 1;
  while (std::gcd(stride, count) != 1)
    stride += 2;
  return stride;
}

llvm::Error evo::fillIndices(ArgumentAttr arg, uint64_t elements,
                             const Bindings &sizes, exec::GlobalMemory &memory,
                             exec::BufferId buffer) {
  DomainAttr domain = arg.getDomain();
  if (!arg.isRead() || !isa<IntegerType>(arg.getElementType()) || !domain ||
      elements == 0)
    return llvm::Error::success();
  int64_t lower = 0, upper = static_cast<int64_t>(elements);
  if (domain.getKind() == DomainKind::Range ||
      domain.getKind() == DomainKind::Monotone) {
    for (auto [text, bound] : {std::pair(domain.getLower(), &lower),
                               std::pair(domain.getUpper(), &upper)}) {
      llvm::Expected<int64_t> value =
          llvm::cantFail(IntExpr::parse(text.getValue())).evaluate(sizes);
      if (!value)
        return value.takeError();
      *bound = *value;
    }
  } else if (domain.getKind() != DomainKind::Permutation) {
    return llvm::Error::success();
  }
  if (upper <= lower)
    return llvm::Error::success();
  auto extent = static_cast<uint64_t>(upper - lower);
  uint64_t stride = strideThrough(elements);
  auto valueOf = [&](uint64_t index) -> uint64_t {
    if (domain.getKind() == DomainKind::Permutation)
      return static_cast<unsigned __int128>(index) * stride % elements;
    if (domain.getKind() == DomainKind::Range)
      return lower + mixBits(index + 1) % extent;
    return lower + static_cast<unsigned __int128>(index) * (extent - 1) /
                       std::max<uint64_t>(1, elements - 1);
  };
  unsigned width = getElementBytes(arg.getElementType());
  constexpr uint64_t block = 4096;
  std::vector<char> bytes(block * width);
  for (uint64_t first = 0; first < elements; first += block) {
    uint64_t count = std::min(block, elements - first);
    for (uint64_t i = 0; i < count; ++i) {
      uint64_t value = valueOf(first + i);
      // Little-endian: the low bytes come first.
      std::memcpy(&bytes[i * width], &value, width);
    }
    memory.write(buffer, first * width, bytes.data(), count * width);
  }
  return llvm::Error::success();
}
