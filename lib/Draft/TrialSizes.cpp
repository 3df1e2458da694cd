// A local search: sizes begin as different numbers, which is what tells them
// apart later, so a value near the one there was is taken first.
#include "TrialSizes.h"
#include "llvm/ADT/STLExtras.h"

using namespace evo;

static bool holds(const Requirement &requirement, const Bindings &sizes) {
  llvm::Expected<bool> answer = requirement.holds(sizes, "");
  if (!answer)
    return llvm::consumeError(answer.takeError()), false;
  return *answer;
}

static size_t countViolated(const SizeLimits &limits, const Bindings &sizes) {
  return llvm::count_if(limits.requirements, [&](const Requirement &each) {
    return !holds(each, sizes);
  });
}

static void addNumbers(const IntExpr &expr, std::vector<int64_t> &numbers) {
  if (std::optional<int64_t> number = expr.getAsConstant())
    return numbers.push_back(*number);
  if (!expr.getAsName().empty())
    return;
  addNumbers(expr.getLhs(), numbers);
  addNumbers(expr.getRhs(), numbers);
}

/// Values to try for a size that is `now`, nearest first.
static std::vector<int64_t> candidates(int64_t now, int64_t step,
                                       const Requirement &requirement,
                                       const Bindings &sizes) {
  constexpr int64_t nearest = 16;
  std::vector<int64_t> numbers, found;
  for (const IntExpr &side : {requirement.getLhs(), requirement.getRhs()}) {
    addNumbers(side, numbers);
    // What it has to equal may be what the other side is.
    llvm::Expected<int64_t> value = side.evaluate(sizes);
    if (value)
      numbers.push_back(*value);
    else
      llvm::consumeError(value.takeError());
  }
  if (auto divisor = requirement.getDivisor())
    found.push_back(now * divisor->second);
  for (int64_t i = 1; i <= nearest; ++i)
    found.push_back(now + i * step);
  for (int64_t factor : {2, 3, 4, 8, 16, 32, 64})
    found.push_back(now * factor);
  for (int64_t i = 1; i <= nearest; ++i)
    found.push_back(now - i * step);
  for (int64_t divisor : {2, 4, 8, 16, 32, 64})
    found.push_back(now / divisor / step * step);
  for (int64_t number : numbers) {
    const int64_t whole = number / step * step;
    for (int64_t value : {whole + now, whole + step, whole, whole - step,
                          whole - now, 2 * whole + now, whole / 2 * now})
      found.push_back(value);
  }
  constexpr int64_t maxSize = int64_t(1) << 31;
  llvm::erase_if(found, [&](int64_t value) {
    return value < 1 || value > maxSize || value % step != 0;
  });
  return found;
}

/// Changes one of the names of `violated` so that fewer are violated than
/// `count`.
static bool mend(const Requirement &violated, size_t count, Bindings &sizes,
                 const SizeLimits &limits) {
  std::vector<std::string> names;
  violated.forEachName([&](llvm::StringRef name) {
    if (!llvm::is_contained(names, name) && sizes.contains(name))
      names.push_back(name.str());
  });
  for (const std::string &name : names) {
    const int64_t now = sizes[name];
    for (int64_t value :
         candidates(now, limits.multipleOf(name), violated, sizes)) {
      sizes[name] = value;
      if (holds(violated, sizes) && countViolated(limits, sizes) < count)
        return true;
    }
    sizes[name] = now;
  }
  return false;
}

/// Makes the largest size smaller that lowers the cost and violates no
/// more.
static bool shrink(Bindings &sizes, const SizeLimits &limits) {
  const uint64_t cost = limits.cost(sizes);
  const size_t violated = countViolated(limits, sizes);
  std::vector<std::pair<int64_t, std::string>> largest;
  for (const auto &entry : sizes)
    largest.emplace_back(entry.getValue() / limits.multipleOf(entry.getKey()),
                         entry.getKey().str());
  llvm::sort(largest, std::greater<>());
  for (const auto &[count, name] : largest) {
    const int64_t now = sizes[name];
    // An odd number stays one: it is no block's multiple.
    const int64_t half = count / 2 + (count > 4 && count / 2 % 2 == 0 ? 1 : 0);
    sizes[name] = std::max<int64_t>(1, half) * limits.multipleOf(name);
    if (limits.cost(sizes) < cost && countViolated(limits, sizes) <= violated)
      return true;
    sizes[name] = now;
  }
  return false;
}

bool evo::fulfil(Bindings &sizes, const SizeLimits &limits) {
  constexpr unsigned maxChanges = 64;
  for (unsigned i = 0; i < maxChanges; ++i) {
    if (size_t count = countViolated(limits, sizes)) {
      const bool isMended =
          llvm::any_of(limits.requirements, [&](const Requirement &each) {
            return !holds(each, sizes) && mend(each, count, sizes, limits);
          });
      if (!isMended)
        return false;
    } else if (limits.cost && limits.cost(sizes) > limits.maxCost) {
      if (!shrink(sizes, limits))
        return false;
    } else {
      return true;
    }
  }
  return false;
}
