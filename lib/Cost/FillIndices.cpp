// An index of a large workload has millions of elements, of which few are
// looked at.
#include "FillIndices.h"
#include "evo/Simulator/Plan/ExecutablePlan.h"
#include "evo/Support/Coprime.h"
#include "evo/Support/Random.h"

using namespace mlir;
using namespace evo;

/// A number that steps through all of `count` in an order far from theirs.
static uint64_t strideThrough(uint64_t count) {
  return makeCoprime(static_cast<uint64_t>(0.618 * double(count)), count);
}

llvm::Expected<sim::PageContents>
evo::fillIndices(ArgumentAttr arg, uint64_t elements, const Bindings &sizes) {
  DomainAttr domain = arg.getDomain();
  if (!arg.isRead() || !isa<IntegerType>(arg.getElementType()) || !domain ||
      elements == 0)
    return sim::PageContents();
  int64_t lower = 0, upper = static_cast<int64_t>(elements);
  if (domain.getKind() == DomainKind::Range ||
      domain.getKind() == DomainKind::Monotone) {
    if (llvm::Error error = domain.evaluate(sizes, lower, upper))
      return std::move(error);
  } else if (domain.getKind() != DomainKind::Permutation) {
    return sim::PageContents();
  }
  if (upper <= lower)
    return sim::PageContents();
  auto extent = static_cast<uint64_t>(upper - lower);
  uint64_t stride = strideThrough(elements);
  auto valueOf = [=, kind = domain.getKind()](uint64_t index) -> uint64_t {
    if (kind == DomainKind::Permutation)
      return static_cast<unsigned __int128>(index) * stride % elements;
    if (kind == DomainKind::Range)
      return lower + mixBits(index + 1) % extent;
    return lower + static_cast<unsigned __int128>(index) * (extent - 1) /
                       std::max<uint64_t>(1, elements - 1);
  };
  unsigned width = getElementBytes(arg.getElementType());
  return [=](uint64_t offset, char *bytes, uint64_t size) {
    for (uint64_t at = 0; at + width <= size; at += width) {
      uint64_t value = valueOf((offset + at) / width);
      // Little-endian: the low bytes come first.
      std::memcpy(bytes + at, &value, width);
    }
  };
}
