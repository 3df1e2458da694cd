// Boundary-biased sampling of sizes. A wrong guard shows at a tile's edge, a
// wrong loop from its second trip on, a hard-coded size anywhere else.
#include "IndexOverflow.h"
#include "ShapeSampler.h"
#include "evo/Support/Digest.h"
#include "evo/Verification/Values.h"
#include <set>

using namespace mlir;
using namespace evo;

std::string evo::printBindings(const Bindings &bindings) {
  SmallVector<StringRef> names(bindings.keys());
  llvm::sort(names);
  std::string text;
  for (StringRef name : names)
    text += (text.empty() ? "" : ", ") + name.str() + " = " +
            std::to_string(bindings.lookup(name));
  return text.empty() ? "fixed sizes" : text;
}

std::vector<Bindings> evo::sampleShapes(
    KernelOp kernel, LaunchPlanOpInterface plan, ArrayRef<int64_t> constants,
    TargetAttrInterface target, unsigned count, int64_t workLimit,
    llvm::function_ref<int64_t(const Bindings &)> work, Random random) {
  return ShapeSampler(kernel, plan, constants, target, random)
      .sample(count, workLimit, work, /*oneLong=*/true);
}

bool evo::forEachScalar(
    KernelOp kernel, const Bindings &sizes,
    llvm::function_ref<bool(StringRef, int64_t, int64_t)> act) {
  for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>()) {
    StringRef name = arg.getName().getValue();
    if (arg.isBuffer() || !sizes.contains(name) || !declaresRange(arg) ||
        !isa<IntegerType>(arg.getElementType()))
      continue;
    auto range = getIntegerRange(arg, sizes);
    if (!range)
      return llvm::consumeError(range.takeError()), false;
    if (!act(name, range->first, range->second))
      return false;
  }
  return true;
}

void evo::fitScalars(KernelOp kernel, Bindings &sizes) {
  forEachScalar(
      kernel, sizes, [&](StringRef name, int64_t lower, int64_t upper) {
        int64_t &value = sizes[name];
        if (value < lower || value >= upper)
          value = lower +
                  static_cast<int64_t>(static_cast<uint64_t>(value - lower) %
                                       static_cast<uint64_t>(upper - lower));
        return true;
      });
}

bool evo::meetsRequirements(KernelOp kernel, LaunchPlanOpInterface plan,
                            const Bindings &sizes, TargetAttrInterface target) {
  return ShapeSampler(kernel, plan, {}, target, Random(0))
             .meetsRequirements(sizes) &&
         forEachScalar(kernel, sizes,
                       [&](StringRef name, int64_t lower, int64_t upper) {
                         const int64_t value = sizes.lookup(name);
                         return value >= lower && value < upper;
                       });
}

bool evo::hasInterior(KernelOp kernel, const Bindings &sizes) {
  return llvm::all_of(kernel.getDimensionNames(),
                      [&](StringRef dim) { return sizes.lookup(dim) >= 3; });
}

/// Whether no extent of a buffer is negative, and none of them is large.
static bool canBeHeld(KernelOp kernel, const Bindings &sizes) {
  constexpr double maxElements = 1 << 20;
  for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>())
    if (arg.isBuffer())
      for (const IntExpr &dim : arg.getExtents()) {
        llvm::Expected<int64_t> extent = dim.evaluate(sizes);
        if (!extent)
          return llvm::consumeError(extent.takeError()), false;
        if (*extent < 0)
          return false;
      }
  return largestBuffer(kernel, sizes) <= maxElements;
}

std::optional<Bindings> evo::sampleHeldOutShape(
    KernelOp kernel, LaunchPlanOpInterface plan, ArrayRef<int64_t> constants,
    TargetAttrInterface target, int64_t workLimit,
    llvm::function_ref<int64_t(const Bindings &)> work,
    ArrayRef<Bindings> others, uint64_t seed, StringRef hash) {
  constexpr unsigned count = 4;
  Random own(seed ^ fingerprint(hash));
  ShapeSampler sampler(kernel, plan, constants, target, own.split());
  std::vector<Bindings> shapes =
      sampler.sample(count, workLimit, work, /*oneLong=*/false);
  llvm::erase_if(shapes, [&](const Bindings &shape) {
    return llvm::is_contained(others, shape);
  });
  if (shapes.empty())
    return std::nullopt;
  return shapes[own.below(shapes.size())];
}

std::vector<Bindings> evo::sampleEmptyShapes(KernelOp kernel,
                                             LaunchPlanOpInterface plan,
                                             TargetAttrInterface target,
                                             Random random) {
  ShapeSampler sampler(kernel, plan, {}, target, random);
  std::vector<Bindings> result;
  for (StringRef dim : kernel.getDimensionNames()) {
    std::optional<Bindings> shape = sampler.drawAt(dim, 0, 3, 3);
    if (!shape)
      shape = sampler.drawAt(dim, 0, 1, 4);
    if (!shape)
      shape = sampler.drawAtAnyOther(dim, 0);
    if (shape && canBeHeld(kernel, *shape))
      result.push_back(std::move(*shape));
  }
  return result;
}

std::vector<Bindings> evo::sampleShapesOfGrids(
    KernelOp kernel, LaunchPlanOpInterface plan, int64_t block,
    TargetAttrInterface target, int64_t min, const Bindings &tried,
    llvm::function_ref<uint64_t(const Bindings &)> countBlocks, Random random) {
  constexpr int64_t largest = 1 << 30, steps = 8;
  ShapeSampler sampler(kernel, plan, {}, target, random);
  std::vector<Bindings> result;
  if (block < 1 || block > largest)
    return result;
  for (StringRef dim : kernel.getDimensionNames()) {
    std::optional<Bindings> shape = sampler.drawAt(dim, largest, min, 1);
    if (!shape && min > 1)
      shape = sampler.drawAt(dim, largest, 1, 1);
    if (!shape)
      shape = sampler.shrink(tried, dim, tried.lookup(dim), min);
    if (!shape)
      continue;
    auto reaches = [&](int64_t extent) {
      (*shape)[dim] = extent;
      return countBlocks(*shape) > static_cast<uint64_t>(block);
    };
    if (!reaches(largest))
      continue;
    int64_t low = 1, high = largest;
    while (low < high) {
      int64_t middle = low + (high - low) / 2;
      if (reaches(middle))
        high = middle;
      else
        low = middle + 1;
    }
    for (int64_t extent = low; extent < low + steps; ++extent) {
      (*shape)[dim] = extent;
      if (!sampler.meetsRequirements(*shape))
        continue;
      if (countBlocks(*shape) == static_cast<uint64_t>(block) + 1)
        result.push_back(*shape);
      break;
    }
  }
  return result;
}

std::vector<Bindings> evo::sampleSecondTripShapes(
    KernelOp kernel, LaunchPlanOpInterface plan, ArrayRef<int64_t> constants,
    unsigned launches, TargetAttrInterface target, int64_t workLimit,
    llvm::function_ref<int64_t(const Bindings &)> work,
    llvm::function_ref<uint64_t(const Bindings &)> threads,
    ArrayRef<Bindings> tried, Random random) {
  // Far beyond what any grid that is bounded has.
  constexpr int64_t far = 1 << 22;
  // Those that a block for each element makes would take long to run.
  constexpr uint64_t maxThreads = 1 << 21;
  ShapeSampler sampler(kernel, plan, {}, target, random);
  std::vector<Bindings> result;
  for (StringRef dim : kernel.getDimensionNames()) {
    int64_t longest = 0;
    for (const Bindings &shape : tried)
      longest = std::max(longest, shape.lookup(dim));
    SmallVector<int64_t> extents;
    auto one = sampler.drawAt(dim, far, 1, 1),
         two = sampler.drawAt(dim, 2 * far, 1, 1);
    if (one && two && threads(*one) == threads(*two) && threads(*one) < far)
      extents.push_back(static_cast<int64_t>(threads(*one)));
    // What blocks leave is dealt out to the threads of one block.
    int64_t largest = 0;
    for (int64_t constant : constants)
      if (constant <= 512)
        largest = std::max(largest, constant);
    if (launches > 1)
      extents.push_back(largest * largest);
    for (int64_t extent : extents) {
      if (extent <= longest)
        continue;
      int64_t more = extent / 3 + 1;
      for (int64_t step = 0; step < 16; ++step) {
        std::optional<Bindings> shape =
            sampler.drawAt(dim, extent + more + step, 1, 1);
        if (!shape)
          continue;
        if (work(*shape) <= workLimit && threads(*shape) <= maxThreads)
          result.push_back(std::move(*shape));
        break;
      }
    }
  }
  return result;
}

std::optional<Bindings> evo::growDimension(KernelOp kernel,
                                           LaunchPlanOpInterface plan,
                                           TargetAttrInterface target,
                                           const Bindings &base,
                                           StringRef dim) {
  const int64_t extent = base.lookup(dim);
  for (int64_t multiple : {1, 16, 128, 1024}) {
    Bindings sizes = base;
    sizes[dim] = (extent + extent / 8) / multiple * multiple + multiple;
    if (evo::meetsRequirements(kernel, plan, sizes, target))
      return sizes;
  }
  return std::nullopt;
}

std::vector<Bindings> evo::sampleLimitShapes(KernelOp kernel,
                                             LaunchPlanOpInterface plan,
                                             TargetAttrInterface target,
                                             Random random) {
  // An odd extent, one with many divisors, and one whose half is too many for
  // a grid. Larger ones would refuse tiles of 16 rows on a grid's second axis,
  // which nobody takes for a specialisation.
  std::vector<int64_t> extents = {65537, 65600, 1 << 18};
  // Of a buffer: no device's memory holds more.
  constexpr double maxElements = 0x1p37;
  constexpr unsigned draws = 8;
  ShapeSampler sampler(kernel, plan, {}, target, random);
  std::vector<Bindings> result;
  for (StringRef dim : kernel.getDimensionNames()) {
    // Twice what it is used at is another matter.
    extents.resize(3);
    if (ArrayAttr workloads = kernel.getWorkloadsAttr())
      for (auto workload : workloads.getAsRange<WorkloadAttr>())
        if (int64_t used = getWorkloadSizes(kernel, workload).lookup(dim);
            used > 1 << 17 && used < int64_t(1) << 40)
          extents.push_back(2 * used + 1);
    // A bound that a contract states is a size that callers have.
    if (std::optional<int64_t> bound = getStatedBound(kernel, dim))
      extents.push_back(*bound);
    if (std::optional<int64_t> bound = getBoundOfProduct(kernel, dim)) {
      Bindings others;
      for (StringRef other : kernel.getDimensionNames())
        if (other != dim)
          others[other] = 1;
      others[dim] = *bound;
      if (meetsRequirements(kernel, plan, others, target))
        result.push_back(std::move(others));
    }
    for (int64_t extent : extents)
      for (unsigned draw = 0; draw < draws; ++draw) {
        std::optional<Bindings> shape = sampler.drawAtAnyOther(dim, extent);
        if (!shape)
          break;
        if (largestBuffer(kernel, *shape) > maxElements)
          continue;
        result.push_back(std::move(*shape));
        break;
      }
  }
  return result;
}
