// Equalities are put in where they hold, so that nobody has to look for sizes
// that fulfil them; the rest is left to be required.
#include "Conditions.h"
#include "LaunchForms.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <set>

using namespace evo;

/// Sizes by their names; a buffer's or a number's own name is none.
static std::set<std::string> sizesOf(const CUDADraft &draft) {
  std::set<std::string> names;
  auto add = [&](const DraftExtents &extents) {
    extents.forEachName(
        [&](llvm::StringRef name) { names.insert(name.str()); });
  };
  for (const std::string *text : {&draft.grid, &draft.block, &draft.shared})
    add(*text);
  for (const auto &[text, type] : draft.numbers)
    add(text);
  for (const CUDADraft::Argument &argument : draft.arguments)
    add(argument.dims);
  for (const CUDADraft::Argument &argument : draft.arguments)
    names.erase(argument.name);
  return names;
}

/// Whether nothing in the file has the name: a draft made it of a tensor's.
static bool isMadeUp(const CUDADraft &draft, llvm::StringRef name) {
  if (name.starts_with("numel_"))
    return true;
  auto [tensor, place] = name.rsplit('_');
  return !place.empty() && llvm::all_of(place, llvm::isDigit) &&
         llvm::any_of(draft.arguments,
                      [&, of = tensor](const CUDADraft::Argument &argument) {
                        return argument.name == of;
                      });
}

/// The first equality that something can be put in for: the name, and what.
static std::optional<std::pair<std::string, IntExpr>>
findEquality(const CUDADraft &draft) {
  const std::set<std::string> sizes = sizesOf(draft);
  for (const std::string &text : draft.conditions) {
    llvm::Expected<Requirement> condition = Requirement::parse(text);
    if (!condition) {
      llvm::consumeError(condition.takeError());
      continue;
    }
    if (condition->getComparison() != Requirement::Comparison::EQ)
      continue;
    IntExpr lhs = condition->getLhs(), rhs = condition->getRhs();
    if (lhs.getAsName().empty())
      std::swap(lhs, rhs);
    const std::string left = lhs.getAsName().str(),
                      right = rhs.getAsName().str();
    if (!sizes.count(left) || left == right)
      continue;
    if (std::optional<int64_t> number = rhs.getAsConstant();
        number && *number > 0)
      return std::pair(left, rhs);
    if (sizes.count(right))
      return isMadeUp(draft, right) ? std::pair(right, lhs)
                                    : std::pair(left, rhs);
  }
  return std::nullopt;
}

CUDADraft evo::withEqualities(CUDADraft draft) {
  while (auto equality = findEquality(draft))
    draft = withSizes(std::move(draft), {*equality});
  return draft;
}

static bool holds(const Requirement &requirement, const Bindings &sizes) {
  llvm::Expected<bool> answer = requirement.holds(sizes, "");
  if (!answer)
    return llvm::consumeError(answer.takeError()), false;
  return *answer;
}

/// Whether it is negative where each size is one of few, and `known` hold.
static bool mayBeNegative(const IntExpr &expr,
                          const std::vector<Requirement> &known) {
  std::vector<std::string> names;
  expr.forEachName([&](llvm::StringRef name) {
    if (!llvm::is_contained(names, name))
      names.push_back(name.str());
  });
  auto isNegative = [&](const Bindings &sizes) {
    llvm::Expected<int64_t> value = expr.evaluate(sizes);
    if (!value)
      return llvm::consumeError(value.takeError()), false;
    return *value < 0 && llvm::all_of(
                             known,
                             [&](const Requirement &each) {
                               bool hasAll = true;
                               each.forEachName([&](llvm::StringRef name) {
                                 hasAll &= sizes.contains(name);
                               });
                               return !hasAll || holds(each, sizes);
                             });
  };
  constexpr int64_t large = 1000;
  for (int64_t others : {int64_t(1), large})
    for (size_t i = 0; i <= names.size(); ++i) {
      Bindings sizes;
      for (auto [place, name] : llvm::enumerate(names))
        sizes[name] = place == i ? 1 + large - others : others;
      if (isNegative(sizes))
        return true;
    }
  return false;
}

static void addNotNegative(const IntExpr &expr,
                           std::vector<Requirement> &found) {
  if (expr.getAsConstant() || !expr.getAsName().empty())
    return;
  // What is asked of a part may be enough for the whole.
  addNotNegative(expr.getLhs(), found);
  addNotNegative(expr.getRhs(), found);
  if (expr.getKind() != IntExpr::Kind::Sub || !mayBeNegative(expr, found))
    return;
  // In a requirement that name would not be a size.
  if (expr.getLhs().getAsName() != "target")
    found.emplace_back(expr.getLhs(), Requirement::Comparison::GE,
                       expr.getRhs());
}

std::vector<Requirement> evo::notNegative(llvm::ArrayRef<std::string> extents) {
  std::vector<Requirement> found;
  for (const std::string &extent : extents)
    if (llvm::Expected<IntExpr> expr = IntExpr::parse(extent))
      addNotNegative(*expr, found);
    else
      llvm::consumeError(expr.takeError());
  return found;
}

namespace {
/// A bound of a size by a number.
struct Bound {
  std::string size;
  bool isLower = false;
  int64_t last = 0; ///< that is allowed
};
} // namespace

static std::optional<Bound> boundOf(const std::string &text) {
  llvm::Expected<Requirement> requirement = Requirement::parse(text);
  if (!requirement) // unreachable: it was made of one
    return llvm::consumeError(requirement.takeError()), std::nullopt;
  std::optional<int64_t> number = requirement->getRhs().getAsConstant();
  if (!number)
    return std::nullopt;
  const std::string size = requirement->getLhs().str();
  switch (requirement->getComparison()) {
  case Requirement::Comparison::GT:
    return Bound{size, true, *number + 1};
  case Requirement::Comparison::GE:
    return Bound{size, true, *number};
  case Requirement::Comparison::LT:
    return Bound{size, false, *number - 1};
  case Requirement::Comparison::LE:
    return Bound{size, false, *number};
  default:
    return std::nullopt;
  }
}

void evo::dropImplied(std::vector<std::string> &requirements) {
  auto isImplied = [&](const std::string &text) {
    std::optional<Bound> bound = boundOf(text);
    return bound && llvm::any_of(requirements, [&](const std::string &other) {
             std::optional<Bound> by = boundOf(other);
             return by && by->size == bound->size &&
                    by->isLower == bound->isLower &&
                    (bound->isLower ? by->last > bound->last
                                    : by->last < bound->last);
           });
  };
  std::vector<std::string> kept;
  for (const std::string &text : requirements)
    if (!isImplied(text))
      kept.push_back(text);
  requirements = std::move(kept);
}
