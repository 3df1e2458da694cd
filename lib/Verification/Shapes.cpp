// Boundary-biased sampling of sizes. A wrong guard shows at a tile's edge, a
// wrong loop from its second trip on, a hard-coded size anywhere else.
#include "Shapes.h"
#include "HugeShapes.h"
#include "evo/Support/Sort.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"
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

namespace {
class ShapeSampler {
public:
  ShapeSampler(KernelOp kernel, Operation *plan, ArrayRef<int64_t> constants,
               StringRef target, Random random)
      : kernel(kernel), target(target), random(random),
        dims(kernel.getDimensionNames()) {
    addRequirements(kernel.getRequirementsAttr());
    addRequirements(plan->getAttrOfType<ArrayAttr>("requirements"));
    for (int64_t constant : constants)
      addConstant(constant);
  }

  /// With `oneLong`, each dimension is long in one of them.
  std::vector<Bindings>
  sample(unsigned count, int64_t workLimit,
         llvm::function_ref<int64_t(const Bindings &)> workOf, bool oneLong) {
    std::set<std::string> seen;
    std::vector<bool> isLong(dims.size(), !oneLong);
    std::vector<std::pair<int64_t, Bindings>> found;
    std::vector<std::pair<int64_t, Bindings>> tooDear;
    for (unsigned attempt = 0; attempt < 4000 && found.size() < count;
         ++attempt) {
      // First each dimension by itself beyond twice the largest boundary, the
      // others small: a grid or a table of one size only shows there. Where
      // requirements hold for few shapes, this takes a few tries.
      constexpr unsigned tries = 16;
      StringRef longest;
      if (attempt < tries * dims.size() && !isLong[attempt % dims.size()])
        longest = dims[attempt % dims.size()];
      std::optional<Bindings> shape = draw(attempt, longest);
      if (!shape || !seen.insert(printBindings(*shape)).second)
        continue;
      if (!longest.empty())
        isLong[attempt % dims.size()] = true;
      int64_t work = workOf(*shape);
      (work <= workLimit ? found : tooDear).emplace_back(work, *shape);
    }
    // Where the others have to be of certain sizes (a head of 64 elements),
    // the last of those drawn makes room for one that keeps to them.
    for (auto [dim, isDone] : llvm::zip_equal(dims, isLong)) {
      if (isDone || found.empty())
        continue;
      std::optional<Bindings> shape = lengthen(found.front().second, dim);
      if (!shape || !seen.insert(printBindings(*shape)).second ||
          workOf(*shape) > workLimit)
        continue;
      if (found.size() > dims.size())
        found.erase(found.end() - 1);
      found.emplace(found.begin(), workOf(*shape), *shape);
    }
    // A specialisation may leave nothing cheap: then the cheapest there is.
    auto byWork = [](const auto &shape) { return shape.first; };
    if (found.empty()) {
      stableSortBy(tooDear, byWork);
      tooDear.resize(std::min<size_t>(tooDear.size(), std::max(1u, count / 4)));
      found = std::move(tooDear);
    }
    stableSortBy(found, byWork);
    std::vector<Bindings> result;
    for (auto &[work, shape] : found)
      result.push_back(std::move(shape));
    return result;
  }

  bool meetsRequirements(const Bindings &shape) const {
    for (const Requirement &requirement : requirements) {
      llvm::Expected<bool> holds = requirement.holds(shape, target);
      if (!holds) {
        llvm::consumeError(holds.takeError());
        return false;
      }
      if (!*holds)
        return false;
    }
    return true;
  }

  /// A shape with that extent, all other dimensions short: from `least` on,
  /// `many` of them.
  std::optional<Bindings> drawAt(StringRef dim, int64_t extent, int64_t least,
                                 unsigned many) {
    Bindings shape;
    for (StringRef other : dims)
      shape[other] = least + static_cast<int64_t>(random.below(many));
    shape[dim] = extent;
    return complete(std::move(shape));
  }

  /// `from` with `dim` at `extent` and each other one at `least` if
  /// requirements let it be so small.
  std::optional<Bindings> shrink(Bindings from, StringRef dim, int64_t extent,
                                 int64_t least) const {
    from[dim] = extent;
    if (!meetsRequirements(from))
      return std::nullopt;
    for (StringRef other : dims) {
      Bindings smaller = from;
      smaller[other] = least;
      if (other != dim && meetsRequirements(smaller))
        from = std::move(smaller);
    }
    return from;
  }

  /// `from` with `dim` as long as `draw` makes one and each other dimension
  /// short, as far as requirements let it be.
  std::optional<Bindings> lengthen(const Bindings &from, StringRef dim) const {
    constexpr int64_t tries = 64;
    const int64_t extent = 2 * getLargestBoundary() + 1;
    for (int64_t more = 0; more < tries; ++more)
      if (std::optional<Bindings> shape = shrink(from, dim, extent + more, 2))
        return shape;
    return std::nullopt;
  }

  /// The same where requirements may ask more of the others.
  std::optional<Bindings> drawAtAnyOther(StringRef dim, int64_t extent) {
    constexpr unsigned tries = 16;
    for (unsigned attempt = 0; attempt < tries; ++attempt) {
      Bindings shape;
      for (StringRef other : dims)
        shape[other] = attempt % 2
                           ? std::max<int64_t>(1, drawExtent(attempt))
                           : int64_t(1 + random.below(4)) << random.below(3);
      shape[dim] = extent;
      if (std::optional<Bindings> complete = this->complete(std::move(shape)))
        return complete;
    }
    return std::nullopt;
  }

private:
  KernelOp kernel;
  StringRef target;
  Random random;
  SmallVector<StringRef> dims;
  std::vector<Requirement> requirements;
  std::vector<int64_t> boundaries;     // of the code
  std::vector<int64_t> requiredValues; // of requirements

  void addRequirements(ArrayAttr texts) {
    if (!texts)
      return;
    for (auto text : texts.getAsRange<StringAttr>()) {
      requirements.push_back(llvm::cantFail(Requirement::parse(text)));
      StringRef rest = text.getValue();
      while (!rest.empty()) {
        rest = rest.drop_until([](char c) { return isdigit(c); });
        StringRef digits = rest.take_while([](char c) { return isdigit(c); });
        int64_t value;
        if (!digits.empty() && !digits.getAsInteger(10, value) && value > 0)
          requiredValues.push_back(value);
        rest = rest.drop_front(digits.size());
      }
    }
  }

  /// Of those that a dimension is made twice as long as.
  int64_t getLargestBoundary() const {
    int64_t largest = 64;
    for (int64_t boundary : boundaries)
      if (boundary <= 512)
        largest = std::max(largest, boundary);
    return largest;
  }

  void addConstant(int64_t constant) {
    if (constant >= 2 && constant <= 1024 &&
        !llvm::is_contained(boundaries, constant))
      boundaries.push_back(constant);
  }

  int64_t drawExtent(unsigned attempt) {
    static constexpr int64_t usual[] = {
        1,  2,  3,  5,   7,   8,   13,  16,  17,  31,  32,  33, 47,
        64, 65, 97, 100, 127, 128, 129, 131, 255, 256, 257, 300};
    uint64_t kind = random.below(10);
    if (kind < 3 && !requiredValues.empty()) {
      int64_t value = requiredValues[random.below(requiredValues.size())];
      return value * static_cast<int64_t>(1 + random.below(kind == 0 ? 1 : 9));
    }
    if (kind < 6 && !boundaries.empty()) {
      int64_t c = boundaries[random.below(boundaries.size())];
      switch (random.below(6)) {
      case 0:
        return c;
      case 1:
        return c - 1;
      case 2:
        return c + 1;
      case 3:
        return 2 * c + 1;
      case 4:
        return 3 * c;
      default:
        return 2 * c + static_cast<int64_t>(random.below(c));
      }
    }
    if (kind == 9)
      return static_cast<int64_t>(1 + random.below(200));
    return usual[random.below(std::size(usual))];
  }

  /// With `longest`, that dimension is long and all others are short.
  std::optional<Bindings> draw(unsigned attempt, StringRef longest) {
    Bindings shape;
    for (StringRef dim : dims)
      shape[dim] = std::max<int64_t>(1, drawExtent(attempt));
    if (!longest.empty()) {
      const int64_t largest = getLargestBoundary();
      // An odd extent first; again, whatever a requirement may ask for. Where
      // that is a multiple of a small number, rows are dealt out by as many.
      int64_t more = attempt < dims.size() ? 0 : random.below(64);
      int64_t width = 1;
      if (more % 2)
        for (int64_t value : requiredValues)
          if (value >= 2 && value <= 16)
            width = width == 1 ? value : std::min(width, value);
      for (StringRef dim : dims)
        shape[dim] = dim == longest ? (2 * largest + 1 + more) * width
                                    : static_cast<int64_t>(1 + random.below(5));
    }
    return complete(std::move(shape));
  }

  /// Adds scalars; nothing where the requirements do not hold.
  std::optional<Bindings> complete(Bindings shape) {
    for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>()) {
      if (arg.isBuffer() || !isa<IntegerType>(arg.getElementType()))
        continue;
      std::optional<int64_t> value = drawScalar(arg, shape);
      if (!value)
        return std::nullopt;
      shape[arg.getName().getValue()] = *value;
    }
    if (!meetsRequirements(shape))
      return std::nullopt;
    return shape;
  }

  std::optional<int64_t> drawScalar(ArgumentAttr arg, const Bindings &shape) {
    auto type = cast<IntegerType>(arg.getElementType());
    bool isUnsigned = type.isUnsigned() || type.getWidth() == 1;
    int64_t lower = isUnsigned ? 0 : -8, upper = type.getWidth() == 1 ? 1 : 8;
    if (DomainAttr domain = arg.getDomain()) {
      if (domain.getLower()) {
        auto bound = [&](StringAttr text) -> std::optional<int64_t> {
          auto expr = llvm::cantFail(IntExpr::parse(text.getValue()));
          llvm::Expected<int64_t> value = expr.evaluate(shape);
          if (value)
            return *value;
          llvm::consumeError(value.takeError());
          return std::nullopt;
        };
        std::optional<int64_t> low = bound(domain.getLower());
        std::optional<int64_t> high = bound(domain.getUpper());
        if (!low || !high || *low >= *high)
          return std::nullopt;
        return random.between(*low, *high - 1);
      }
      if (domain.getKind() == DomainKind::NonNegative)
        lower = 0;
      if (domain.getKind() == DomainKind::NonZero)
        lower = 1;
    }
    if (auto value = dyn_cast_or_null<IntegerAttr>(arg.getDefaultValue()))
      if (random.below(3) == 0)
        return value.getInt();
    return random.between(lower, upper);
  }
};
} // namespace

std::vector<Bindings>
evo::sampleShapes(KernelOp kernel, Operation *plan, ArrayRef<int64_t> constants,
                  StringRef target, unsigned count, int64_t workLimit,
                  llvm::function_ref<int64_t(const Bindings &)> work,
                  Random random) {
  return ShapeSampler(kernel, plan, constants, target, random)
      .sample(count, workLimit, work, /*oneLong=*/true);
}

bool evo::meetsRequirements(KernelOp kernel, Operation *plan,
                            const Bindings &sizes, StringRef target) {
  return ShapeSampler(kernel, plan, {}, target, Random(0))
      .meetsRequirements(sizes);
}

std::vector<Bindings>
evo::sampleLiteralShapes(KernelOp kernel, Operation *plan,
                         ArrayRef<int64_t> literals, StringRef target,
                         unsigned count, int64_t workLimit,
                         llvm::function_ref<int64_t(const Bindings &)> work,
                         ArrayRef<Bindings> tried, Random random) {
  ShapeSampler sampler(kernel, plan, {}, target, random);
  std::vector<Bindings> result;
  for (int64_t literal : literals)
    for (int64_t extent : {literal, literal + 1})
      for (StringRef dim : kernel.getDimensionNames()) {
        // Where all others are small, too little may depend on that extent (a
        // softmax of one element is 1).
        auto isTried = [&](const Bindings &shape) {
          return shape.lookup(dim) == extent && hasInterior(kernel, shape);
        };
        if (result.size() == count || extent < 2 || extent > (1 << 24) ||
            llvm::any_of(tried, isTried) || llvm::any_of(result, isTried))
          continue;
        // An interior, as stencils have it, where that is not too dear.
        auto take = [&](std::optional<Bindings> shape, int64_t limit) {
          bool isTaken = shape && work(*shape) <= limit;
          if (isTaken)
            result.push_back(std::move(*shape));
          return isTaken;
        };
        bool found = false;
        for (auto [least, many] : {std::pair(3, 3), {3, 1}, {1, 4}, {1, 1}})
          found = found ||
                  take(sampler.drawAt(dim, extent, least, many), workLimit);
        // What requirements ask of the others, one that was tried has. A launch
        // may have many threads that do nothing.
        if (!tried.empty())
          for (int64_t least : {3, 1})
            found =
                found || take(sampler.shrink(tried.front(), dim, extent, least),
                              4 * workLimit);
      }
  return result;
}

bool evo::hasInterior(KernelOp kernel, const Bindings &sizes) {
  return llvm::all_of(kernel.getDimensionNames(),
                      [&](StringRef dim) { return sizes.lookup(dim) >= 3; });
}

/// Whether no extent of a buffer is negative, and none of them is large.
static bool canBeHeld(KernelOp kernel, const Bindings &sizes) {
  constexpr double mostElements = 1 << 20;
  for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>())
    if (arg.isBuffer())
      for (StringRef dim : arg.getDimStrings()) {
        llvm::Expected<int64_t> extent =
            llvm::cantFail(IntExpr::parse(dim)).evaluate(sizes);
        if (!extent)
          return llvm::consumeError(extent.takeError()), false;
        if (*extent < 0)
          return false;
      }
  return largestBuffer(kernel, sizes) <= mostElements;
}

std::optional<Bindings> evo::sampleHeldOutShape(
    KernelOp kernel, Operation *plan, ArrayRef<int64_t> constants,
    StringRef target, int64_t workLimit,
    llvm::function_ref<int64_t(const Bindings &)> work,
    ArrayRef<Bindings> others, uint64_t seed, StringRef hash) {
  constexpr unsigned count = 4;
  Random own(seed ^ llvm::xxh3_64bits(hash));
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

std::vector<Bindings> evo::sampleEmptyShapes(KernelOp kernel, Operation *plan,
                                             StringRef target, Random random) {
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
    KernelOp kernel, Operation *plan, int64_t block, StringRef target,
    int64_t least, const Bindings &tried,
    llvm::function_ref<uint64_t(const Bindings &)> countBlocks, Random random) {
  constexpr int64_t largest = 1 << 30, steps = 8;
  ShapeSampler sampler(kernel, plan, {}, target, random);
  std::vector<Bindings> result;
  if (block < 1 || block > largest)
    return result;
  for (StringRef dim : kernel.getDimensionNames()) {
    std::optional<Bindings> shape = sampler.drawAt(dim, largest, least, 1);
    if (!shape && least > 1)
      shape = sampler.drawAt(dim, largest, 1, 1);
    if (!shape)
      shape = sampler.shrink(tried, dim, tried.lookup(dim), least);
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
    KernelOp kernel, Operation *plan, ArrayRef<int64_t> constants,
    unsigned launches, StringRef target, int64_t workLimit,
    llvm::function_ref<int64_t(const Bindings &)> work,
    llvm::function_ref<uint64_t(const Bindings &)> threads,
    ArrayRef<Bindings> tried, Random random) {
  // Far beyond what any grid that is bounded has.
  constexpr int64_t far = 1 << 22;
  // Those that a block for each element makes would take long to run.
  constexpr uint64_t mostThreads = 1 << 21;
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
        if (work(*shape) <= workLimit && threads(*shape) <= mostThreads)
          result.push_back(std::move(*shape));
        break;
      }
    }
  }
  return result;
}

std::vector<Bindings> evo::sampleLimitShapes(KernelOp kernel, Operation *plan,
                                             StringRef target, Random random) {
  // An odd extent, one with many divisors, and one whose half is too many for
  // a grid. Larger ones would refuse tiles of 16 rows on a grid's second axis,
  // which nobody takes for a specialisation.
  constexpr int64_t extents[] = {65537, 65600, 1 << 18};
  // Of a buffer: no device's memory holds more.
  constexpr double mostElements = 0x1p37;
  constexpr unsigned draws = 8;
  ShapeSampler sampler(kernel, plan, {}, target, random);
  std::vector<Bindings> result;
  for (StringRef dim : kernel.getDimensionNames())
    for (int64_t extent : extents)
      for (unsigned draw = 0; draw < draws; ++draw) {
        std::optional<Bindings> shape = sampler.drawAtAnyOther(dim, extent);
        if (!shape)
          break;
        if (largestBuffer(kernel, *shape) > mostElements)
          continue;
        result.push_back(std::move(*shape));
        break;
      }
  return result;
}
