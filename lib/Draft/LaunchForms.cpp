// Block sizes that host code takes from a caller become numbers: a contract is
// for one way to launch, and the usual one is 256 threads.
#include "LaunchForms.h"
#include "Conditions.h"
#include "evo/Support/IntExpr.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace evo;

namespace {
/// Replaces names in expressions.
class Replacement {
public:
  SizeValues values;

  std::string apply(const std::string &text) const {
    llvm::Expected<IntExpr> expr = IntExpr::parse(text);
    if (!expr) {
      llvm::consumeError(expr.takeError());
      return text;
    }
    bool isChanged = false;
    IntExpr changed =
        expr->substitute([&](llvm::StringRef name) -> std::optional<IntExpr> {
          auto it = values.find(name.str());
          if (it == values.end())
            return std::nullopt;
          isChanged = true;
          return it->second;
        });
    if (!isChanged)
      return text;
    llvm::Expected<int64_t> number = changed.evaluate({});
    if (number)
      return std::to_string(*number);
    llvm::consumeError(number.takeError());
    return changed.str();
  }
  std::string applyToAll(llvm::StringRef extents) const {
    std::vector<std::string> parts = splitExtents(extents);
    for (std::string &part : parts)
      part = apply(part);
    std::string text = llvm::join(parts, ", ");
    return parts.size() > 1 ? "(" + text + ")" : text;
  }
  /// `cudaMemset(y, 0, bytes)`.
  std::string applyToStep(llvm::StringRef step) const {
    auto [name, rest] = step.split('(');
    if (!rest.consume_back(")"))
      return step.str(); // unreachable: a step is a call
    std::vector<std::string> parts = splitExtents("(" + rest.str() + ")");
    for (std::string &part : llvm::drop_begin(parts))
      part = apply(part);
    return (name + "(").str() + llvm::join(parts, ", ") + ")";
  }
  /// Empty: of numbers alone it says nothing, or nothing that is true.
  std::string applyToCondition(const std::string &text) const {
    llvm::Expected<Requirement> condition = Requirement::parse(text);
    if (!condition) // unreachable: host code's conditions are some
      return llvm::consumeError(condition.takeError()), "";
    Requirement changed = condition->substitute(
        [&](llvm::StringRef name) -> std::optional<IntExpr> {
          auto it = values.find(name.str());
          return it == values.end() ? std::nullopt : std::optional(it->second);
        });
    bool hasName = false;
    changed.forEachName([&](llvm::StringRef) { hasName = true; });
    return hasName && changed.getLhs().str() != changed.getRhs().str()
               ? changed.str()
               : "";
  }
};
} // namespace

static void addNames(const DraftExtents &extents,
                     std::vector<std::string> &names) {
  extents.forEachName([&](llvm::StringRef name) {
    if (!llvm::is_contained(names, name))
      names.push_back(name.str());
  });
}

/// What host code asks of the sizes, and what its formulas do.
static void addRequirements(const CUDADraft &draft, const Replacement &numbers,
                            LaunchForm &form) {
  auto add = [&](const std::string &text) {
    llvm::Expected<Requirement> requirement = Requirement::parse(text);
    if (!requirement)
      return llvm::consumeError(requirement.takeError()), false;
    bool isKnown = true;
    requirement->forEachName([&](llvm::StringRef name) {
      isKnown &= llvm::is_contained(form.names, name);
    });
    if (!isKnown || llvm::is_contained(form.requirements, text))
      return false;
    form.requirements.push_back(text);
    return true;
  };
  for (const std::string &condition : draft.conditions)
    add(numbers.applyToCondition(condition));
  dropImplied(form.requirements);
  std::vector<std::string> extents = form.gridExtents;
  for (const CUDADraft::Argument &argument : draft.arguments)
    if (argument.dims.isKnown())
      llvm::append_range(extents, argument.dims.getParts());
  for (const Requirement &requirement : notNegative(extents))
    if (add(requirement.str()))
      form.guesses.push_back(requirement.str() +
                             ": there are no negative extents");
  // Where one is none, the launch is skipped.
  for (const std::string &extent : form.gridExtents)
    if (!notNegative({extent}).empty())
      form.atTrials.push_back(extent + " >= 1");
}

static LaunchForm makeForm(const CUDADraft &draft, const std::string &grid,
                           const std::string &block,
                           const Replacement &numbers) {
  LaunchForm form;
  auto isArgument = [&](const std::string &name) {
    return llvm::any_of(draft.arguments, [&](const auto &argument) {
      return argument.name == name;
    });
  };
  std::vector<std::string> passed;
  for (const std::string &argument : draft.passed)
    passed.push_back(isArgument(argument) ? argument : numbers.apply(argument));
  std::vector<std::string> names;
  for (const auto &[text, type] : draft.numbers)
    addNames(numbers.apply(text), names);
  const std::string wholeGrid = numbers.applyToAll(grid),
                    wholeBlock = numbers.applyToAll(block),
                    shared = numbers.apply(draft.shared);
  const size_t numPassed = names.size();
  addNames(wholeGrid, names);
  // A size that the kernel is not told is no stride in it: it counts rows.
  std::rotate(names.begin(), names.begin() + numPassed, names.end());
  addNames(wholeBlock, names);
  addNames(shared, names);
  for (const CUDADraft::Argument &argument : draft.arguments)
    if (argument.dims.isKnown())
      addNames(argument.dims, names);
  for (const std::string &name : names)
    if (!isArgument(name)) {
      form.names.push_back(name);
      form.types[name] = "i32";
    }
  for (const auto &[text, type] : draft.numbers)
    if (form.types.count(text) && type != "?")
      form.types[text] = type;
  for (const std::string &symbol : draft.symbols)
    form.symbols += "// evo.symbol " + symbol + "\n";
  for (const std::string &step : draft.steps)
    form.lines += "// evo.launch " + step + "\n";
  form.lines += "// evo.launch " + draft.kernel + "<<<" + wholeGrid + ", " +
                wholeBlock + (shared == "0" ? "" : ", " + shared) + ">>>(" +
                llvm::join(passed, ", ") + ")\n";
  form.gridExtents = splitExtents(wholeGrid);
  addRequirements(draft, numbers, form);
  return form;
}

/// The form of the launch that host code has.
static LaunchForm formOfLaunch(const CUDADraft &draft) {
  Replacement numbers;
  std::vector<std::string> names, gridNames;
  addNames(draft.grid, gridNames);
  // What is bounded there, min(n, 1024), is a size of the data.
  for (const std::string &part : splitExtents(draft.block))
    if (!llvm::StringRef(part).contains("min(") &&
        !llvm::StringRef(part).contains("max("))
      addNames(part, names);
  LaunchForm form;
  // A block as long as the data is a size of the data.
  if (names.size() == 1 && draft.block == names[0] &&
      !llvm::is_contained(gridNames, names[0]) &&
      llvm::is_contained(draft.passed, names[0])) {
    form = makeForm(draft, draft.grid, draft.block, numbers);
    form.requirements.push_back(names[0] + " <= 1024");
    return form;
  }
  constexpr int64_t threads = 256, side = 16;
  for (const std::string &name : names)
    numbers.values.insert_or_assign(
        name, IntExpr::constant(names.size() == 1 ? threads : side));
  form = makeForm(draft, draft.grid, draft.block, numbers);
  for (const auto &[name, value] : numbers.values)
    form.guesses.push_back(name + " is " + value.str() +
                           ": its caller's choice");
  return form;
}

/// Launches that are usual for a kernel with these sizes.
static std::vector<LaunchForm> usualForms(const CUDADraft &draft) {
  std::vector<std::string> names;
  for (const auto &[text, type] : draft.numbers)
    addNames(text, names);
  const bool hasNames = !names.empty();
  if (!hasNames)
    names.push_back("n");
  std::vector<LaunchForm> forms;
  auto add = [&](const std::string &grid, const std::string &block) {
    forms.push_back(makeForm(draft, grid, block, {}));
    forms.back().guesses.push_back(
        "the launch: nothing in the file launches the kernel");
  };
  // A thread for each of one size, of the product of two, of all.
  std::vector<std::string> totals = names;
  for (size_t i = 0; i < names.size(); ++i)
    for (size_t j = i + 1; j < names.size(); ++j)
      totals.push_back(names[i] + " * " + names[j]);
  if (names.size() > 2)
    totals.push_back(llvm::join(names, " * "));
  for (const std::string &total : totals)
    add("ceildiv(" + total + ", 256)", "256");
  // A block for each; a thread for each of two sizes.
  for (const std::string &name : names)
    add(name, "256");
  for (const std::string &x : names)
    for (const std::string &y : names)
      if (x != y)
        add("(ceildiv(" + x + ", 16), ceildiv(" + y + ", 16))", "(16, 16)");
  constexpr size_t maxForms = 16;
  if (forms.size() > maxForms)
    forms.resize(maxForms);
  return forms;
}

CUDADraft evo::withSizes(CUDADraft draft, const SizeValues &values) {
  Replacement sizes{values};
  for (const auto &[name, value] : values)
    draft.values.erase(name);
  for (std::string *text : {&draft.grid, &draft.block})
    if (!llvm::StringRef(*text).contains('?'))
      *text = sizes.applyToAll(*text);
  draft.shared = sizes.apply(draft.shared);
  for (std::string &passed : draft.passed)
    passed = sizes.apply(passed);
  for (auto &[text, type] : draft.numbers)
    text = sizes.apply(text);
  for (CUDADraft::Argument &argument : draft.arguments)
    if (!argument.dims.str().empty() && argument.dims.isKnown()) {
      std::vector<std::string> dims = argument.dims.getParts();
      for (std::string &dim : dims)
        dim = sizes.apply(dim);
      argument.dims = llvm::join(dims, ", ");
    }
  for (std::string &step : draft.steps)
    step = sizes.applyToStep(step);
  for (std::string &condition : draft.conditions)
    condition = sizes.applyToCondition(condition);
  llvm::erase(draft.conditions, "");
  return draft;
}

CUDADraft evo::withNumbers(CUDADraft draft) {
  SizeValues values;
  for (const auto &[name, value] : draft.values)
    values.insert_or_assign(name, IntExpr::constant(value));
  return withSizes(std::move(draft), values);
}

std::vector<LaunchForm>
evo::findLaunchForms(const CUDADraft &draft,
                     std::vector<std::string> &missing) {
  if (!draft.isLaunched)
    return usualForms(draft);
  for (auto [text, what] : {std::pair(&draft.grid, "the grid"),
                            std::pair(&draft.block, "the block"),
                            std::pair(&draft.shared, "the shared memory")})
    if (text->find('?') != std::string::npos)
      missing.push_back(what + std::string(" of the launch at line ") +
                        std::to_string(draft.line) +
                        " is no formula of the host's variables");
  for (const std::string &step : draft.steps)
    if (step.find('?') != std::string::npos)
      missing.push_back("an extent of '" + step +
                        "' is no formula of the host's variables");
  if (!missing.empty())
    return {};
  return {formOfLaunch(draft)};
}
