// Grows dimensions until a buffer holds what 32 bits do not count.
#include "IndexOverflow.h"
#include "Shapes.h"
#include "evo/Simulator/Plan/ExecutablePlan.h"
#include <cmath>

using namespace mlir;
using namespace evo;

/// Bytes of the largest buffer: 6.25 * 2^32 elements of four bytes. A half or a
/// quarter of the last index, too, lies beyond 2^32, and neither of them nor
/// the index itself is near to a multiple of it.
static constexpr double maxBytes = 25 * 0x1p32;
/// Elements: a half beyond 2^32, where a signed index of 32 bits is negative
/// and an unsigned one is elsewhere in the buffer; then so for signed ones
/// alone.
static constexpr double pastUnsigned = 1.5 * 0x1p32, pastSigned = 1.5 * 0x1p31;
/// Short of 2^31 by what a grid may go beyond the last element.
static constexpr double largestExtent = INT32_MAX - (1 << 24);
/// From which on a bound is one that bits of addresses may not count.
static constexpr int64_t farBound = 1 << 24;
/// Rounds of a loop that blocks of many threads can do in little time, and that
/// few threads can.
static constexpr double longestLoop = 128, longestLoopOfFew = 1 << 16;

double evo::countElements(ArgumentAttr buffer, const Bindings &sizes) {
  double elements = 1;
  for (const IntExpr &dim : buffer.getExtents()) {
    llvm::Expected<int64_t> extent = dim.evaluate(sizes);
    if (!extent)
      return llvm::consumeError(extent.takeError()), 0;
    elements *= static_cast<double>(std::max<int64_t>(0, *extent));
  }
  return elements;
}

double evo::largestBuffer(KernelOp kernel, const Bindings &sizes) {
  double max = 0;
  for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>())
    if (arg.isBuffer())
      max = std::max(max, countElements(arg, sizes));
  return max;
}

std::optional<int64_t> evo::getStatedBound(KernelOp kernel, StringRef dim) {
  using Comparison = Requirement::Comparison;
  std::optional<int64_t> bound;
  ArrayAttr requirements = kernel.getRequirementsAttr();
  if (!requirements)
    return bound;
  for (auto attr : requirements.getAsRange<RequirementAttr>()) {
    const Requirement &requirement = attr.getValue();
    if (requirement.isOnTarget())
      continue;
    const IntExpr &left = requirement.getLhs(), &right = requirement.getRhs();
    Comparison comparison = requirement.getComparison();
    std::optional<int64_t> number;
    if (left.getAsName() == dim &&
        (comparison == Comparison::LE || comparison == Comparison::LT))
      number = right.getAsConstant();
    else if (right.getAsName() == dim &&
             (comparison == Comparison::GE || comparison == Comparison::GT))
      number = left.getAsConstant();
    if (!number)
      continue;
    *number -= comparison == Comparison::LT || comparison == Comparison::GT;
    bound = std::min(bound.value_or(*number), *number);
  }
  return bound;
}

std::optional<int64_t> evo::getBoundOfProduct(KernelOp kernel, StringRef dim) {
  using Comparison = Requirement::Comparison;
  ArrayAttr requirements = kernel.getRequirementsAttr();
  if (!requirements)
    return std::nullopt;
  for (auto attr : requirements.getAsRange<RequirementAttr>()) {
    const Requirement &requirement = attr.getValue();
    const std::optional<int64_t> number = requirement.getRhs().getAsConstant();
    if (requirement.isOnTarget() || !number ||
        requirement.getComparison() != Comparison::LE)
      continue;
    Bindings ones, two;
    unsigned names = 0;
    bool hasDim = false;
    requirement.getLhs().forEachName([&](StringRef name) {
      names += ones.try_emplace(name, 1).second;
      two[name] = name == dim ? 2 : 1;
      hasDim |= name == dim;
    });
    llvm::Expected<int64_t> one = requirement.getLhs().evaluate(ones),
                            more = requirement.getLhs().evaluate(two);
    const bool isProduct =
        one && more && hasDim && names > 1 && *one > 0 && *more == 2 * *one;
    const int64_t factor = isProduct ? *one : 1;
    llvm::consumeError(one.takeError());
    llvm::consumeError(more.takeError());
    if (isProduct)
      return *number / factor;
  }
  return std::nullopt;
}

/// Of the largest element type.
static unsigned largestElement(KernelOp kernel) {
  unsigned max = 1;
  for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>())
    if (arg.isBuffer())
      max = std::max(max, getElementBytes(arg.getElementType()));
  return max;
}

bool SizesBeyond32Bits::isPossible(const Bindings &sizes) const {
  return meetsRequirements(kernel, plan, sizes, target) &&
         ask.isLaunched(sizes);
}

/// As small as can be, but not below `min`.
Bindings SizesBeyond32Bits::shrink(Bindings sizes, int64_t min) const {
  constexpr int64_t small[] = {1, 2, 3, 4, 5, 6, 7, 8, 16, 32, 64, 128};
  for (StringRef dim : dims)
    for (int64_t extent : small) {
      if (extent < min)
        continue;
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

double SizesBeyond32Bits::count(const Goal &goal, const Bindings &sizes) const {
  return goal.buffer ? countElements(goal.buffer, sizes)
                     : largestBuffer(kernel, sizes);
}

bool SizesBeyond32Bits::isReached(const Goal &goal,
                                  const Bindings &sizes) const {
  return count(goal, sizes) > 0.75 * goal.elements;
}

/// Lets `dim` grow up to the extent that the goal allows, and others after it,
/// until there are about as many elements as are wanted; nothing where they
/// stay far from it.
std::optional<Bindings> SizesBeyond32Bits::grow(const Bindings &from,
                                                StringRef dim,
                                                const Goal &goal) const {
  std::optional<Bindings> sizes = growOne(from, dim, goal);
  if (!sizes)
    return std::nullopt;
  // Where it was small another buffer may have been the largest.
  if (goal.extent > largestExtent && !isReached(goal, *sizes))
    if (auto more = growOne(*sizes, dim, goal))
      sizes = std::move(more);
  Goal ofOthers = goal;
  ofOthers.extent = largestExtent;
  for (StringRef other : dims)
    if (other != dim && !isReached(goal, *sizes))
      if (auto more = growOne(*sizes, other, ofOthers))
        sizes = std::move(more);
  // Of one dimension alone, which is an int, the last that it holds.
  bool isLast = dims.size() == 1 &&
                static_cast<double>(sizes->lookup(dim)) > largestExtent - 4096;
  return isLast || isReached(goal, *sizes) ? sizes : std::nullopt;
}

std::optional<Bindings> SizesBeyond32Bits::growOne(const Bindings &from,
                                                   StringRef dim,
                                                   const Goal &goal) const {
  double elements = count(goal, from);
  auto start = static_cast<double>(from.lookup(dim));
  Bindings more = from;
  ++more[dim];
  // Of the largest buffer: another one may become that.
  if (elements <= 0 || (goal.buffer && count(goal, more) == elements))
    return std::nullopt;
  double extent =
      std::min(std::ceil(start * goal.elements / elements),
               llvm::is_contained(loops, dim) ? goal.loop : goal.extent);
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

SizesBeyond32Bits::SizesBeyond32Bits(KernelOp kernel,
                                     LaunchPlanOpInterface plan,
                                     TargetAttrInterface target, const Ask &ask,
                                     const Bindings &base)
    : kernel(kernel), plan(plan), target(target), ask(ask),
      dims(kernel.getDimensionNames()) {
  // With an interior as stencils have it. Twice, for one may be bounded by
  // another that comes later.
  small = shrink(shrink(base, 3), 3);
  findLoops(small);
  // A step of some loop is a tile: more than the first one.
  for (StringRef dim : loops) {
    Bindings more = small;
    more[dim] *= 3;
    if (small.lookup(dim) > 8 && isPossible(more))
      small = std::move(more);
  }
}

bool SizesBeyond32Bits::visit(const Bindings &from, StringRef dim,
                              ArrayRef<Goal> goals, Visitor visitor) {
  for (const Goal &goal : goals) {
    auto sizes = grow(from, dim, goal);
    if (!sizes || !visited.insert(printBindings(*sizes)).second)
      continue;
    IndexOverflowShape what = visitor(*sizes);
    if (what == IndexOverflowShape::Tried)
      done.push_back(std::move(*sizes));
    if (what != IndexOverflowShape::TooMuch)
      return what == IndexOverflowShape::Tried;
  }
  return true;
}

void SizesBeyond32Bits::visitDimensions(Visitor visitor) {
  const double max = maxBytes / largestElement(kernel);
  // Smaller extents are for kernels that compute in 32 bits what is a small
  // multiple of one.
  const Goal goals[] = {
      {max, largestExtent, longestLoop},
      {pastUnsigned, largestExtent, longestLoop},
      {pastUnsigned, 1 << 28, longestLoop},
      {pastSigned, largestExtent, longestLoop},
      {pastSigned, 1 << 20, longestLoop},
      // Where a contract has no more elements, their bytes may be more.
      {pastSigned / largestElement(kernel), largestExtent, longestLoop},
  };
  for (StringRef dim : dims)
    if (!visit(small, dim, goals, visitor))
      return;
  // Sizes themselves that 32 bits do not hold.
  for (StringRef dim : dims)
    if (ask.isWide(dim) &&
        !visit(small, dim, Goal{pastUnsigned, pastUnsigned, longestLoop},
               visitor))
      return;
  // A search by halves takes few rounds, however many there are, and a table
  // that indices lead into none at all.
  const double pastSignedBytes = pastSigned / largestElement(kernel);
  constexpr int64_t lookups = 64;
  Bindings several = small;
  for (StringRef dim : ArrayRef(dims).drop_back(loops.size())) {
    Bindings more = several;
    more[dim] = std::max(lookups, small.lookup(dim));
    if (isPossible(more))
      several = std::move(more);
  }
  constexpr size_t maxLoops = 3;
  for (StringRef dim : ArrayRef(loops).take_front(maxLoops)) {
    Bindings from = several;
    from[dim] = std::max(lookups, small.lookup(dim));
    if (isPossible(from) &&
        !visit(from, dim,
               {Goal{largestExtent, largestExtent, largestExtent},
                Goal{pastSignedBytes, largestExtent, largestExtent}},
               visitor))
      return;
  }
}

/// Stated bounds, together and each by itself: other numbers than those of
/// elements may be too many there.
void SizesBeyond32Bits::visitBounds(Visitor visitor) {
  const double max = maxBytes / largestElement(kernel);
  SmallVector<std::pair<StringRef, int64_t>> bounds;
  for (StringRef dim : dims)
    if (std::optional<int64_t> bound = getStatedBound(kernel, dim);
        bound && *bound >= farBound)
      bounds.emplace_back(dim, *bound);
  using Extents = ArrayRef<std::pair<StringRef, int64_t>>;
  auto visitAt = [&](Extents some) {
    Bindings sizes = small;
    for (auto [dim, bound] : some)
      sizes[dim] = bound;
    return largestBuffer(kernel, sizes) > max || !isPossible(sizes) ||
           !visited.insert(printBindings(sizes)).second ||
           visitor(sizes) != IndexOverflowShape::Enough;
  };
  // Two extents whose product 32 bits do not count, where no buffer has it.
  constexpr int64_t root = (1 << 17) + 3;
  constexpr unsigned maxPairs = 3;
  unsigned pairs = 0;
  for (size_t a = 0; a < dims.size(); ++a)
    for (size_t b = a + 1; b < dims.size() && pairs < maxPairs; ++b) {
      Bindings sizes = small;
      sizes[dims[a]] = sizes[dims[b]] = root;
      if (largestBuffer(kernel, sizes) < static_cast<double>(root) * root)
        pairs += visitAt({{dims[a], root}, {dims[b], root}}) ? 1 : maxPairs;
    }
  // Those that are short beside it, too.
  for (const auto &far : bounds) {
    SmallVector<std::pair<StringRef, int64_t>> all = {far};
    for (StringRef dim : dims)
      if (std::optional<int64_t> bound = getStatedBound(kernel, dim);
          bound && *bound < farBound)
        all.emplace_back(dim, *bound);
    if (!visitAt(all) || !visitAt(far))
      return;
  }
}

void SizesBeyond32Bits::visitWrapped(Visitor visitor) {
  constexpr double justPast = 0x1p32 + 0x1p8;
  bool isTried = false;
  for (StringRef dim : dims) {
    const double extent = ask.isWide(dim) ? justPast : largestExtent;
    visit(small, dim, Goal{justPast, extent, longestLoop},
          [&](const Bindings &sizes) {
            const IndexOverflowShape what = visitor(sizes);
            isTried |= what != IndexOverflowShape::TooMuch;
            return what;
          });
    if (isTried)
      break;
  }
  // A step of a loop over the grid leads from the last elements past 2^32.
  constexpr double root = 0x1p16;
  Bindings square = small;
  for (StringRef dim : ArrayRef(dims).take_front(2))
    square[dim] = static_cast<int64_t>(root) - (dim == dims.front());
  if (dims.size() > 1 && isPossible(square) &&
      largestBuffer(kernel, square) < 0x1p32 &&
      largestBuffer(kernel, square) > 0x1p32 - 0x1p18 &&
      visited.insert(printBindings(square)).second)
    visitor(square);
}

void SizesBeyond32Bits::visitBuffers(Visitor visitor) {
  // Twice, for one may be bounded by another that comes later.
  const Bindings min = shrink(shrink(small, 1), 1);
  for (auto buffer : kernel.getArgsAttr().getAsRange<ArgumentAttr>()) {
    if (!buffer.isBuffer())
      continue;
    const Goal goal = {pastSigned, largestExtent, longestLoopOfFew, buffer};
    for (StringRef dim : dims) {
      if (llvm::any_of(done, [&](const Bindings &sizes) {
            return isReached(goal, sizes);
          }))
        break;
      if (!visit(min, dim, goal, visitor))
        return;
    }
  }
}
