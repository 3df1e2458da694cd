// Grows dimensions until a buffer holds what 32 bits do not count.
#include "HugeShapes.h"
#include "Shapes.h"
#include <cmath>

using namespace mlir;
using namespace evo;

/// A half beyond 2^32: there a signed index of 32 bits is negative, and an
/// unsigned one is elsewhere in the buffer.
static constexpr double wantedElements = 1.5 * 0x1p32;
static constexpr double leastElements = 0x1p31;
/// Short of 2^31 by what a grid may go beyond the last element.
static constexpr double largestExtent = INT32_MAX - (1 << 24);

double evo::largestBuffer(KernelOp kernel, const Bindings &sizes) {
  double most = 0;
  for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>()) {
    if (!arg.isBuffer())
      continue;
    double elements = 1;
    for (StringRef dim : arg.getDimStrings()) {
      llvm::Expected<int64_t> extent =
          llvm::cantFail(IntExpr::parse(dim)).evaluate(sizes);
      if (!extent)
        return llvm::consumeError(extent.takeError()), 0;
      elements *= static_cast<double>(std::max<int64_t>(0, *extent));
    }
    most = std::max(most, elements);
  }
  return most;
}

namespace {
class Grower {
public:
  Grower(KernelOp kernel, Operation *plan, StringRef target,
         llvm::function_ref<bool(const Bindings &)> isLaunched)
      : kernel(kernel), plan(plan), target(target), isLaunched(isLaunched) {}

  /// Grows `dim` as far as is wanted and possible.
  std::optional<Bindings> grow(const Bindings &from, StringRef dim) {
    double elements = largestBuffer(kernel, from);
    auto start = static_cast<double>(from.lookup(dim));
    if (elements <= 0)
      return std::nullopt;
    double extent =
        std::min(std::ceil(start * wantedElements / elements), largestExtent);
    while (extent > 2 * start) {
      if (std::optional<Bindings> found =
              nearby(from, dim, static_cast<int64_t>(extent)))
        return found;
      extent = std::floor(extent / 2);
    }
    return std::nullopt;
  }
  bool isHuge(const Bindings &sizes, StringRef dim) {
    // Of one dimension alone, which is an int, the last that it holds.
    return largestBuffer(kernel, sizes) >= leastElements ||
           static_cast<double>(sizes.lookup(dim)) > largestExtent - 4096;
  }

private:
  KernelOp kernel;
  Operation *plan;
  StringRef target;
  llvm::function_ref<bool(const Bindings &)> isLaunched;

  /// The largest extent below, for which requirements hold.
  std::optional<Bindings> nearby(const Bindings &from, StringRef dim,
                                 int64_t extent) {
    constexpr int64_t steps[] = {0, 1, 2, 3, 4, 5, 6, 7};
    Bindings sizes = from;
    for (int64_t multiple : {1, 16, 128, 1024})
      for (int64_t step : steps) {
        sizes[dim] = (extent / multiple - step) * multiple;
        if (meetsRequirements(kernel, plan, sizes, target) && isLaunched(sizes))
          return sizes;
      }
    return std::nullopt;
  }
};
} // namespace

std::vector<Bindings>
evo::sampleHugeShapes(KernelOp kernel, Operation *plan, const Bindings &base,
                      StringRef target,
                      llvm::function_ref<bool(const Bindings &)> isLaunched) {
  Grower grower(kernel, plan, target, isLaunched);
  std::vector<Bindings> result;
  for (StringRef dim : kernel.getDimensionNames()) {
    std::optional<Bindings> sizes = grower.grow(base, dim);
    if (!sizes)
      continue;
    for (StringRef other : kernel.getDimensionNames()) {
      if (grower.isHuge(*sizes, dim))
        break;
      if (other == dim)
        continue;
      std::optional<Bindings> more = grower.grow(*sizes, other);
      if (more && grower.isHuge(*more, other))
        sizes = more;
    }
    if (grower.isHuge(*sizes, dim) &&
        llvm::none_of(result, [&](const Bindings &known) {
          return printBindings(known) == printBindings(*sizes);
        }))
      result.push_back(*sizes);
  }
  return result;
}
