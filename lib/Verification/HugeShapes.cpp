// Grows dimensions until a buffer holds what 32 bits do not count.
#include "HugeShapes.h"
#include "Shapes.h"
#include "evo/Plan/ExecutablePlan.h"
#include <cmath>
#include <set>

using namespace mlir;
using namespace evo;

/// Bytes of the largest buffer: 6.25 * 2^32 elements of four bytes. A half or a
/// quarter of the last index, too, lies beyond 2^32, and neither of them nor
/// the index itself is near to a multiple of it.
static constexpr double mostBytes = 25 * 0x1p32;
/// Elements: a half beyond 2^32, where a signed index of 32 bits is negative
/// and an unsigned one is elsewhere in the buffer; then so for signed ones
/// alone.
static constexpr double pastUnsigned = 1.5 * 0x1p32, pastSigned = 1.5 * 0x1p31;
/// Short of 2^31 by what a grid may go beyond the last element.
static constexpr double largestExtent = INT32_MAX - (1 << 24);
/// Rounds of a loop that blocks of many threads can do in little time.
static constexpr double longestLoop = 128;

double evo::countElements(ArgumentAttr buffer, const Bindings &sizes) {
  double elements = 1;
  for (StringRef dim : buffer.getDimStrings()) {
    llvm::Expected<int64_t> extent =
        llvm::cantFail(IntExpr::parse(dim)).evaluate(sizes);
    if (!extent)
      return llvm::consumeError(extent.takeError()), 0;
    elements *= static_cast<double>(std::max<int64_t>(0, *extent));
  }
  return elements;
}

double evo::largestBuffer(KernelOp kernel, const Bindings &sizes) {
  double most = 0;
  for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>())
    if (arg.isBuffer())
      most = std::max(most, countElements(arg, sizes));
  return most;
}

/// Of the largest element type.
static unsigned largestElement(KernelOp kernel) {
  unsigned most = 1;
  for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>())
    if (arg.isBuffer())
      most = std::max(most, getElementBytes(arg.getElementType()));
  return most;
}

bool SizesBeyond32Bits::isPossible(const Bindings &sizes) const {
  return meetsRequirements(kernel, plan, sizes, target) &&
         ask.isLaunched(sizes);
}

/// As small as can be, with an interior as stencils have it.
Bindings SizesBeyond32Bits::shrink(Bindings sizes) const {
  constexpr int64_t small[] = {3, 4, 5, 6, 7, 8, 16, 32, 64, 128};
  for (StringRef dim : dims)
    for (int64_t extent : small) {
      Bindings smaller = sizes;
      smaller[dim] = extent;
      if (extent >= sizes.lookup(dim) || !isPossible(smaller))
        continue;
      sizes = std::move(smaller);
      break;
    }
  return sizes;
}

/// Loops are what no threads are added for.
void SizesBeyond32Bits::findLoops(const Bindings &sizes) {
  constexpr int64_t longer = 1024;
  uint64_t threads = ask.countThreads(sizes);
  SmallVector<StringRef> ofGrid;
  for (StringRef dim : dims) {
    Bindings more = sizes;
    more[dim] *= longer;
    (ask.countThreads(more) / 2 > threads ? ofGrid : loops).push_back(dim);
  }
  dims = ofGrid;
  llvm::append_range(dims, loops);
}

/// Lets `dim` grow up to `extent`, and others after it, until the largest
/// buffer has about as many elements as are wanted; nothing where they stay far
/// from it.
std::optional<Bindings> SizesBeyond32Bits::grow(const Bindings &from,
                                                StringRef dim, double wanted,
                                                double extent) const {
  auto isHuge = [&](const Bindings &sizes) {
    return largestBuffer(kernel, sizes) > 0.75 * wanted;
  };
  std::optional<Bindings> sizes = growOne(from, dim, wanted, extent);
  if (!sizes)
    return std::nullopt;
  for (StringRef other : dims)
    if (other != dim && !isHuge(*sizes))
      if (auto more = growOne(*sizes, other, wanted,
                              llvm::is_contained(loops, other) ? longestLoop
                                                               : largestExtent))
        sizes = std::move(more);
  // Of one dimension alone, which is an int, the last that it holds.
  bool isLast = dims.size() == 1 &&
                static_cast<double>(sizes->lookup(dim)) > largestExtent - 4096;
  return isLast || isHuge(*sizes) ? sizes : std::nullopt;
}

std::optional<Bindings> SizesBeyond32Bits::growOne(const Bindings &from,
                                                   StringRef dim, double wanted,
                                                   double most) const {
  double elements = largestBuffer(kernel, from);
  auto start = static_cast<double>(from.lookup(dim));
  if (elements <= 0)
    return std::nullopt;
  double extent = std::min(std::ceil(start * wanted / elements), most);
  while (extent > start) {
    if (std::optional<Bindings> found =
            nearby(from, dim, static_cast<int64_t>(extent)))
      return found;
    extent = std::floor(extent / 2);
  }
  return std::nullopt;
}

/// The largest extent below, for which requirements hold.
std::optional<Bindings> SizesBeyond32Bits::nearby(const Bindings &from,
                                                  StringRef dim,
                                                  int64_t extent) const {
  constexpr int64_t steps[] = {0, 1, 2, 3, 4, 5, 6, 7};
  Bindings sizes = from;
  for (int64_t multiple : {1, 16, 128, 1024})
    for (int64_t step : steps) {
      sizes[dim] = (extent / multiple - step) * multiple;
      if (sizes[dim] > from.lookup(dim) && isPossible(sizes))
        return sizes;
    }
  return std::nullopt;
}

void SizesBeyond32Bits::visit(
    const Bindings &base,
    llvm::function_ref<HugeShape(const Bindings &)> visitor) {
  const double most = mostBytes / largestElement(kernel);
  // Smaller extents are for kernels that compute in 32 bits what is a small
  // multiple of one.
  const std::pair<double, double> ofGrid[] = {
      {most, largestExtent},   {pastUnsigned, largestExtent},
      {pastUnsigned, 1 << 28}, {pastSigned, largestExtent},
      {pastSigned, 1 << 20},
  };
  const std::pair<double, double> ofLoop[] = {{most, longestLoop},
                                              {pastUnsigned, longestLoop},
                                              {pastSigned, longestLoop}};
  const Bindings small = shrink(base);
  findLoops(small);
  std::set<std::string> visited;
  for (StringRef dim : dims) {
    bool isLoop = llvm::is_contained(loops, dim);
    for (auto [wanted, extent] : isLoop ? ArrayRef(ofLoop) : ArrayRef(ofGrid)) {
      auto sizes = grow(small, dim, wanted, extent);
      if (!sizes || !visited.insert(printBindings(*sizes)).second)
        continue;
      HugeShape what = visitor(*sizes);
      if (what == HugeShape::Enough)
        return;
      if (what == HugeShape::Tried)
        break;
    }
  }
}
