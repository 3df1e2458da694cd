// Sizes at the literals of the code.
#include "ShapeSampler.h"

using namespace mlir;
using namespace evo;

namespace {
class Chooser {
public:
  Chooser(KernelOp kernel, LaunchPlanOpInterface plan, const Literals &literals,
          TargetAttrInterface target, int64_t workLimit,
          llvm::function_ref<int64_t(const Bindings &)> work,
          ArrayRef<Bindings> tried, Random random)
      : kernel(kernel), literals(literals),
        sampler(kernel, plan, {}, target, random), workLimit(workLimit),
        work(work), tried(tried), dims(kernel.getDimensionNames()) {}

  void addSingle(unsigned count);
  void addCombined(unsigned count);
  LiteralShapes result;

private:
  KernelOp kernel;
  const Literals &literals;
  ShapeSampler sampler;
  int64_t workLimit;
  llvm::function_ref<int64_t(const Bindings &)> work;
  ArrayRef<Bindings> tried;
  SmallVector<StringRef> dims;

  SmallVector<StringRef> getDimensionsOf(int64_t literal) const;
  bool isTried(const Bindings &fixed) const;
  enum class Outcome { Taken, OverBudget, Impossible };
  Outcome tryAt(const Bindings &fixed);
};
} // namespace

static bool isUsable(int64_t extent) {
  return extent >= 2 && extent <= (1 << 24);
}

/// Those that the code compares with it; all where that is not known.
SmallVector<StringRef> Chooser::getDimensionsOf(int64_t literal) const {
  if (llvm::is_contained(literals.ofAnySize, literal))
    return dims;
  SmallVector<StringRef> own;
  bool isNamed = false;
  for (const auto &[name, value] : literals.ofNames) {
    if (value != literal)
      continue;
    isNamed = true;
    for (StringRef dim : dims)
      if (dim == name && !llvm::is_contained(own, dim))
        own.push_back(dim);
  }
  return isNamed ? own : dims;
}

bool Chooser::isTried(const Bindings &fixed) const {
  // Where all others are small, too little may depend on that extent (a
  // softmax of one element is 1).
  auto has = [&](const Bindings &shape) {
    return hasInterior(kernel, shape) &&
           llvm::all_of(fixed, [&](const auto &entry) {
             return shape.lookup(entry.first()) == entry.second;
           });
  };
  return llvm::any_of(tried, has) || llvm::any_of(result.shapes, has);
}

Chooser::Outcome Chooser::tryAt(const Bindings &fixed) {
  bool isPossible = false;
  auto take = [&](std::optional<Bindings> shape, int64_t limit) {
    isPossible |= shape.has_value();
    bool isTaken = shape && work(*shape) <= limit;
    if (isTaken)
      result.shapes.push_back(std::move(*shape));
    return isTaken;
  };
  // An interior, as stencils have it, where that is not over budget.
  for (auto [min, many] : {std::pair(3, 3), {3, 1}, {1, 4}, {1, 1}})
    if (take(sampler.drawAt(fixed, min, many), workLimit))
      return Outcome::Taken;
  // What requirements ask of the others, one that was tried has. A launch
  // may have many threads that do nothing.
  if (!tried.empty())
    for (int64_t min : {3, 1})
      if (take(sampler.shrink(tried.front(), fixed, min), 4 * workLimit))
        return Outcome::Taken;
  return isPossible ? Outcome::OverBudget : Outcome::Impossible;
}

/// Each literal itself, on one dimension after another; then those just above.
void Chooser::addSingle(unsigned count) {
  std::set<int64_t> seen, leftOut;
  for (int64_t step : {0, 1})
    for (size_t round = 0; round < dims.size(); ++round)
      for (int64_t literal : literals.sizes) {
        SmallVector<StringRef> own = getDimensionsOf(literal);
        if (round >= own.size() || !isUsable(literal) ||
            !isUsable(literal + step))
          continue;
        Bindings fixed;
        fixed[own[round]] = literal + step;
        if (isTried(fixed)) {
          seen.insert(literal);
          continue;
        }
        Outcome outcome =
            result.shapes.size() < count ? tryAt(fixed) : Outcome::OverBudget;
        if (outcome == Outcome::Taken)
          seen.insert(literal);
        else if (outcome == Outcome::OverBudget)
          leftOut.insert(literal);
      }
  for (int64_t literal : leftOut)
    result.leftOut += !seen.count(literal);
}

/// Any two dimensions at literals of theirs, those first that come first in
/// the code.
void Chooser::addCombined(unsigned count) {
  // More of one dimension are not paired.
  constexpr size_t max = 16;
  std::map<StringRef, std::vector<int64_t>> own;
  for (int64_t literal : literals.sizes)
    if (isUsable(literal))
      for (StringRef dim : getDimensionsOf(literal))
        if (own[dim].size() < max)
          own[dim].push_back(literal);
  struct Pair {
    size_t rank;
    Bindings fixed;
  };
  std::vector<Pair> pairs;
  for (size_t i = 0; i < dims.size(); ++i)
    for (size_t j = i + 1; j < dims.size(); ++j)
      for (auto [a, first] : llvm::enumerate(own[dims[i]]))
        for (auto [b, second] : llvm::enumerate(own[dims[j]])) {
          Bindings fixed;
          fixed[dims[i]] = first;
          fixed[dims[j]] = second;
          pairs.push_back({a + b, std::move(fixed)});
        }
  stableSortBy(pairs, [](const Pair &pair) { return pair.rank; });
  unsigned taken = 0;
  for (int64_t step : {0, 1})
    for (const Pair &pair : pairs) {
      if (taken == count)
        return;
      Bindings fixed = pair.fixed;
      for (auto &entry : fixed)
        entry.second += step;
      taken += !isTried(fixed) && tryAt(fixed) == Outcome::Taken;
    }
}

LiteralShapes
evo::sampleLiteralShapes(KernelOp kernel, LaunchPlanOpInterface plan,
                         const Literals &literals, TargetAttrInterface target,
                         unsigned count, unsigned combined, int64_t workLimit,
                         llvm::function_ref<int64_t(const Bindings &)> work,
                         ArrayRef<Bindings> tried, Random random) {
  Chooser chooser(kernel, plan, literals, target, workLimit, work, tried,
                  random);
  chooser.addSingle(count);
  chooser.addCombined(combined);
  return std::move(chooser.result);
}
