// The lines that come of an attempt.
#include "Attempt.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace evo;

unsigned LaunchAttempt::score() const {
  unsigned terms = 0;
  for (const CUDADraft::Argument &buffer : buffers)
    if (buffer.isWritten)
      terms += extents.at(buffer.name).terms.size();
  return terms;
}

void LaunchAttempt::noteUsedNames() {
  usedNames.clear();
  for (const auto &[buffer, extent] : extents)
    extent.dims.forEachName(
        [&](StringRef name) { usedNames.insert(name.str()); });
}

void LaunchAttempt::addGuesses(const CUDADraft &draft) {
  guesses = form.guesses;
  std::string fitted;
  for (const CUDADraft::Argument &argument : draft.arguments)
    if (argument.isBuffer &&
        extents.at(argument.name).dims.str() != argument.dims.str())
      fitted += (fitted.empty() ? "" : ", ") + argument.name;
  if (!fitted.empty())
    guesses.push_back("the extents of " + fitted +
                      ": from what is touched at " +
                      std::to_string(trials.size()) + " sizes");
  for (const auto &[buffer, domain] : domains)
    guesses.push_back("the values of " + buffer +
                      ": they decide what else is touched");
  for (const auto &[name, multiple] : multiples)
    if (multiple > 1)
      guesses.push_back(name + " % " + std::to_string(multiple) +
                        ": nothing is known of other sizes");
}

/// With the steps that had to wait for extents.
std::string LaunchAttempt::launchLines() const {
  std::string lines = form.symbols;
  for (const CUDADraft::Argument &buffer : buffers)
    if (buffer.zeroed && buffer.isWritten)
      lines += "// evo.launch " +
               CUDADraft::zeroStep(
                   buffer,
                   llvm::join(extents.at(buffer.name).dims.getParts(), ", ")) +
               "\n";
  return lines + form.lines;
}

bool LaunchAttempt::isNeeded(const std::string &size) const {
  llvm::SmallVector<llvm::StringRef> words;
  llvm::SplitString(form.lines, words, "<>(), ;{}+-*/%\n");
  return llvm::is_contained(words, size);
}

static size_t countFactors(const IntExpr &expr) {
  if (expr.getAsConstant())
    return 0;
  return expr.getKind() == IntExpr::Kind::Mul
             ? countFactors(expr.getLhs()) + countFactors(expr.getRhs())
             : 1;
}

/// Of how many factors the largest buffer's extents are made.
static size_t degreeOf(const std::map<std::string, FittedExtent> &extents) {
  size_t degree = 1;
  for (const auto &[buffer, extent] : extents) {
    size_t factors = 0;
    for (const std::optional<IntExpr> &dim : extent.dims.getValues())
      factors += dim ? countFactors(*dim) : 0;
    degree = std::max(degree, factors);
  }
  return degree;
}

static void addFactors(const IntExpr &expr, std::set<std::string> &factors) {
  if (!expr.getAsName().empty())
    factors.insert(expr.getAsName().str());
  if (expr.getKind() != IntExpr::Kind::Mul)
    return;
  addFactors(expr.getLhs(), factors);
  addFactors(expr.getRhs(), factors);
}

/// Sizes that are extents, or factors of one; others are steps and widths of
/// windows.
static std::set<std::string>
factorsOf(const std::map<std::string, FittedExtent> &extents) {
  std::set<std::string> factors;
  for (const auto &[buffer, extent] : extents)
    for (const std::optional<IntExpr> &dim : extent.dims.getValues())
      if (dim)
        addFactors(*dim, factors);
  return factors;
}

/// About four million elements in the largest buffer, unless the host says
/// more, or asks for something else.
Bindings LaunchAttempt::chooseWorkload(const CUDADraft &draft) const {
  constexpr int64_t usual[] = {1 << 22, 1 << 11, 1 << 7, 1 << 5};
  const size_t degree = degreeOf(extents);
  const int64_t size = usual[std::min(degree, std::size(usual)) - 1];
  Bindings sizes;
  const SizeLimits within = limits();
  const std::set<std::string> factors = factorsOf(extents);
  std::set<std::string> names(form.names.begin(), form.names.end());
  names.insert(usedNames.begin(), usedNames.end());
  for (const std::string &name : names) {
    const int64_t step = within.multipleOf(name);
    const bool isBlock =
        llvm::is_contained(form.requirements, name + " <= 1024");
    auto told = draft.values.find(name);
    if (!usedNames.count(name))
      sizes[name] = 4;
    else if (!factors.count(name) && told == draft.values.end())
      sizes[name] = 2 * step;
    else if (told != draft.values.end() && told->second % step == 0)
      sizes[name] = told->second;
    else
      sizes[name] = isBlock ? 1024 : (size + step - 1) / step * step;
  }
  // Those that it was tried at are some.
  return fulfil(sizes, within) || trials.empty() ? sizes : trials.front();
}

std::string LaunchAttempt::header(const CUDADraft &draft) {
  noteUsedNames();
  addGuesses(draft);
  std::string name;
  for (char c : draft.kernel)
    name += llvm::isAlnum(c) ? c : '_';
  std::vector<std::string> arguments, workload, requirements;
  for (const CUDADraft::Argument &given : draft.arguments) {
    if (!given.isBuffer) {
      arguments.push_back(given.name + ": " + given.element);
      continue;
    }
    const CUDADraft::Argument &buffer =
        *llvm::find_if(buffers, [&](const CUDADraft::Argument &other) {
          return other.name == given.name;
        });
    auto domain = domains.find(buffer.name);
    arguments.push_back(buffer.name + ": " + roleOf(buffer) + " " +
                        buffer.element + "[" +
                        extents.at(buffer.name).dims.str() + "]" +
                        (domain == domains.end() ? "" : " " + domain->second));
  }
  const Bindings sizes = chooseWorkload(draft);
  for (const std::string &size : form.names) {
    if (usedNames.count(size) || !isNeeded(size))
      continue;
    const int64_t value = sizes.lookup(size);
    arguments.push_back(size + ": " + form.types.at(size) + " range(1, " +
                        std::to_string(std::max<int64_t>(8, value + 1)) +
                        ") = " + std::to_string(value));
    guesses.push_back("the values of " + size);
  }
  bool isGuess = false;
  for (const std::string &used : usedNames) {
    auto told = draft.values.find(used);
    isGuess |= told == draft.values.end() || told->second != sizes.lookup(used);
    workload.push_back(used + " = " + std::to_string(sizes.lookup(used)));
    auto multiple = multiples.find(used);
    if (multiple != multiples.end() && multiple->second > 1)
      requirements.push_back(used + " % " + std::to_string(multiple->second) +
                             " == 0");
  }
  for (const std::string &text : form.requirements) {
    bool isOfNeeded = true;
    llvm::cantFail(Requirement::parse(text))
        .forEachName([&](llvm::StringRef name) {
          isOfNeeded &= usedNames.count(name.str()) || isNeeded(name.str());
        });
    if (isOfNeeded && !llvm::is_contained(requirements, text))
      requirements.push_back(text);
  }
  std::string text = "// evo.kernel " + name + "(" +
                     llvm::join(arguments, ", ") + ")\n" + launchLines();
  if (!workload.empty()) {
    text += "// evo.workload " + llvm::join(workload, ", ") + "\n";
    if (isGuess)
      guesses.push_back("the workload");
  }
  if (!requirements.empty())
    text += "// evo.require " + llvm::join(requirements, ", ") + "\n";
  return text;
}
