// Draws sizes that satisfy the requirements of a contract and of a plan.
#ifndef EVO_LIB_VERIFICATION_SAMPLING_SHAPESAMPLER_H
#define EVO_LIB_VERIFICATION_SAMPLING_SHAPESAMPLER_H

#include "Shapes.h"
#include "evo/Interfaces/Fitness.h"
#include "evo/Support/Sort.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include <set>

namespace evo {

class ShapeSampler {
public:
  ShapeSampler(KernelOp kernel, LaunchPlanOpInterface plan,
               llvm::ArrayRef<int64_t> constants, TargetAttrInterface target,
               Random random)
      : kernel(kernel), target(target), random(random),
        dims(kernel.getDimensionNames()) {
    addRequirements(kernel.getRequirementsAttr());
    addRequirements(plan.getRequirementsAttr());
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
    std::vector<std::pair<int64_t, Bindings>> overBudget;
    for (unsigned attempt = 0; attempt < 4000 && found.size() < count;
         ++attempt) {
      // First each dimension by itself beyond twice the largest boundary, the
      // others small: a grid or a table of one size only shows there. Where
      // requirements hold for few shapes, this takes a few tries.
      constexpr unsigned tries = 16;
      llvm::StringRef longest;
      if (attempt < tries * dims.size() && !isLong[attempt % dims.size()])
        longest = dims[attempt % dims.size()];
      std::optional<Bindings> shape = draw(attempt, longest);
      if (!shape || !seen.insert(printBindings(*shape)).second)
        continue;
      if (!longest.empty())
        isLong[attempt % dims.size()] = true;
      int64_t work = workOf(*shape);
      (work <= workLimit ? found : overBudget).emplace_back(work, *shape);
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
    // With many dimensions hardly a draw is cheap: of the cheapest all but one
    // dimension become short.
    auto byWork = [](const auto &shape) { return shape.first; };
    stableSortBy(overBudget, byWork);
    for (const auto &[work, shape] : overBudget) {
      if (found.size() >= std::max(1u, count / 2))
        break;
      Bindings shorter = shorten(shape);
      const int64_t less = workOf(shorter);
      if (less <= workLimit && seen.insert(printBindings(shorter)).second)
        found.emplace_back(less, std::move(shorter));
    }
    // A specialisation may leave nothing cheap: then the cheapest there is.
    if (found.empty()) {
      overBudget.resize(
          std::min<size_t>(overBudget.size(), std::max(1u, count / 4)));
      found = std::move(overBudget);
    }
    stableSortBy(found, byWork);
    std::vector<Bindings> result;
    for (auto &[work, shape] : found)
      result.push_back(std::move(shape));
    return result;
  }

  bool meetsRequirements(const Bindings &shape) const {
    for (const Requirement &requirement : requirements) {
      llvm::Expected<bool> holds = requirement.holds(shape, target.getArch());
      if (!holds) {
        llvm::consumeError(holds.takeError());
        return false;
      }
      if (!*holds)
        return false;
    }
    return true;
  }

  /// A shape with that extent, or those, all other dimensions short: from
  /// `min` on, `many` of them.
  std::optional<Bindings> drawAt(llvm::StringRef dim, int64_t extent,
                                 int64_t min, unsigned many) {
    Bindings fixed;
    fixed[dim] = extent;
    return drawAt(fixed, min, many);
  }
  std::optional<Bindings> drawAt(const Bindings &fixed, int64_t min,
                                 unsigned many) {
    Bindings shape;
    for (llvm::StringRef dim : dims) {
      auto extent = fixed.find(dim);
      shape[dim] = extent == fixed.end()
                       ? min + static_cast<int64_t>(random.below(many))
                       : extent->second;
    }
    return complete(std::move(shape));
  }

  /// `from` with `dim` at `extent` and each other one at `min` if
  /// requirements let it be so small.
  std::optional<Bindings> shrink(Bindings from, llvm::StringRef dim,
                                 int64_t extent, int64_t min) const {
    Bindings fixed;
    fixed[dim] = extent;
    return shrink(std::move(from), fixed, min);
  }
  std::optional<Bindings> shrink(Bindings from, const Bindings &fixed,
                                 int64_t min) const {
    for (const auto &entry : fixed)
      from[entry.first()] = entry.second;
    if (!meetsRequirements(from))
      return std::nullopt;
    for (llvm::StringRef other : dims) {
      Bindings smaller = from;
      smaller[other] = min;
      if (!fixed.contains(other) && meetsRequirements(smaller))
        from = std::move(smaller);
    }
    return from;
  }

  /// All dimensions but the longest from 1 to 3, as far as requirements let
  /// them be so small.
  Bindings shorten(Bindings from) {
    constexpr unsigned shortest = 3;
    llvm::StringRef longest =
        *llvm::max_element(dims, [&](llvm::StringRef a, llvm::StringRef b) {
          return from.lookup(a) < from.lookup(b);
        });
    for (llvm::StringRef dim : dims) {
      Bindings shorter = from;
      const auto extent = static_cast<int64_t>(1 + random.below(shortest));
      shorter[dim] = std::min(extent, from.lookup(dim));
      if (dim != longest && meetsRequirements(shorter))
        from = std::move(shorter);
    }
    return from;
  }

  /// `from` with `dim` as long as `draw` makes one and each other dimension
  /// short, as far as requirements let it be.
  std::optional<Bindings> lengthen(const Bindings &from,
                                   llvm::StringRef dim) const {
    constexpr int64_t tries = 64;
    const int64_t extent = 2 * getLargestBoundary() + 1;
    for (int64_t more = 0; more < tries; ++more)
      if (std::optional<Bindings> shape = shrink(from, dim, extent + more, 2))
        return shape;
    return std::nullopt;
  }

  /// The same where requirements may ask more of the others.
  std::optional<Bindings> drawAtAnyOther(llvm::StringRef dim, int64_t extent) {
    constexpr unsigned tries = 16;
    for (unsigned attempt = 0; attempt < tries; ++attempt) {
      Bindings shape;
      // In the end one that is longer yet: what a window slides over.
      llvm::StringRef longer =
          attempt < tries / 2 ? "" : dims[attempt % dims.size()];
      for (llvm::StringRef other : dims)
        shape[other] = other == longer ? extent + 1 + random.below(4)
                       : attempt % 2
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
  TargetAttrInterface target;
  Random random;
  llvm::SmallVector<llvm::StringRef> dims;
  std::vector<Requirement> requirements;
  std::vector<int64_t> boundaries;     // of the code
  std::vector<int64_t> requiredValues; // of requirements
  enum class Turn { Lowest, Highest, Default, Chance };
  llvm::StringMap<std::vector<Turn>> turns; // of scalars, until all came

  void addRequirements(mlir::ArrayAttr list) {
    if (!list)
      return;
    for (auto requirement : list.getAsRange<RequirementAttr>()) {
      requirements.push_back(requirement.getValue());
      llvm::StringRef rest = requirement.getText();
      while (!rest.empty()) {
        rest = rest.drop_until([](char c) { return isdigit(c); });
        llvm::StringRef digits =
            rest.take_while([](char c) { return isdigit(c); });
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
      auto times = static_cast<int64_t>(1 + random.below(kind == 0 ? 1 : 9));
      return value <= INT64_MAX / times ? value * times : value;
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
  std::optional<Bindings> draw(unsigned attempt, llvm::StringRef longest) {
    Bindings shape;
    for (llvm::StringRef dim : dims)
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
      for (llvm::StringRef dim : dims)
        shape[dim] = dim == longest ? (2 * largest + 1 + more) * width
                                    : static_cast<int64_t>(1 + random.below(5));
    }
    return complete(std::move(shape));
  }

  /// Adds scalars; nothing where the requirements do not hold.
  std::optional<Bindings> complete(Bindings shape) {
    for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>()) {
      if (arg.isBuffer() || !llvm::isa<mlir::IntegerType>(arg.getElementType()))
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

  /// What takes turns, in another order each time: both ends of a declared
  /// range, the default, and what chance brings.
  Turn takeTurn(llvm::StringRef scalar) {
    std::vector<Turn> &left = turns[scalar];
    if (left.empty())
      left = {Turn::Lowest, Turn::Highest, Turn::Default, Turn::Chance};
    std::swap(left[random.below(left.size())], left.back());
    Turn turn = left.back();
    left.pop_back();
    return turn;
  }

  std::optional<int64_t> drawScalar(ArgumentAttr arg, const Bindings &shape) {
    auto type = llvm::cast<mlir::IntegerType>(arg.getElementType());
    bool isUnsigned = type.isUnsigned() || type.getWidth() == 1;
    int64_t lower = isUnsigned ? 0 : -8, upper = type.getWidth() == 1 ? 1 : 8;
    DomainAttr domain = arg.getDomain();
    const bool isRange = domain && domain.getLower();
    if (isRange) {
      if (llvm::Error error = domain.evaluate(shape, lower, upper))
        return llvm::consumeError(std::move(error)), std::nullopt;
      if (lower >= upper)
        return std::nullopt;
      --upper;
    }
    const bool isNonZero = domain && domain.getKind() == DomainKind::NonZero;
    if (domain && domain.getKind() == DomainKind::NonNegative)
      lower = 0;
    if (isNonZero && isUnsigned)
      lower = 1;
    std::optional<int64_t> fixed = getDefaultInteger(arg);
    const Turn turn = takeTurn(arg.getName().getValue());
    if (turn == Turn::Default && fixed &&
        (!isRange || (*fixed >= lower && *fixed <= upper)))
      return fixed;
    if (isRange && turn == Turn::Lowest)
      return lower;
    if (isRange && turn == Turn::Highest)
      return upper;
    int64_t value = random.between(lower, upper);
    while (isNonZero && value == 0)
      value = random.between(lower, upper);
    return value;
  }
};

} // namespace evo

#endif
