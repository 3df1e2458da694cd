// What is known of a launch, as header lines.
#include "evo/Frontend/CUDA.h"
#include "evo/Support/IntExpr.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace evo;
using llvm::SmallVector;
using llvm::StringRef;

static bool isName(StringRef text) {
  return !text.empty() && !llvm::isDigit(text[0]) &&
         llvm::all_of(text,
                      [](char c) { return c == '_' || llvm::isAlnum(c); });
}

/// Integers that are no extents of a buffer, as arguments; none where extents
/// are still to be filled in, perhaps by these.
static std::vector<std::pair<std::string, std::string>>
plainNumbers(const CUDADraft &draft) {
  std::string extents;
  for (const CUDADraft::Argument &argument : draft.arguments)
    extents += argument.dims + ",";
  std::vector<std::pair<std::string, std::string>> found;
  if (StringRef(extents).contains('?'))
    return found;
  SmallVector<StringRef> words;
  llvm::SplitString(extents, words, "[], ()+-*/%");
  auto isKnown = [&](const std::string &name) {
    return llvm::is_contained(words, name) ||
           llvm::any_of(
               draft.arguments,
               [&](const auto &known) { return known.name == name; }) ||
           llvm::any_of(found,
                        [&](const auto &known) { return known.first == name; });
  };
  for (const auto &[name, type] : draft.numbers)
    if (isName(name) && !isKnown(name))
      found.emplace_back(name, type);
  return found;
}

/// Whether the condition has no names but those in `lines`.
static bool isOfNames(const std::string &condition, StringRef lines) {
  SmallVector<StringRef> words;
  llvm::SplitString(lines, words, "[]<>(), :+-*/%\n");
  llvm::Expected<Requirement> requirement = Requirement::parse(condition);
  if (!requirement) // unreachable: it was made of one
    return llvm::consumeError(requirement.takeError()), false;
  bool isKnown = true;
  requirement->forEachName(
      [&](StringRef name) { isKnown &= llvm::is_contained(words, name); });
  return isKnown;
}

std::string CUDADraft::zeroStep(const Argument &buffer, StringRef dims) {
  return "cudaMemset(" + buffer.name + ", 0, " + std::to_string(buffer.zeroed) +
         " * (" + llvm::join(llvm::split(dims, ", "), ") * (") + "))";
}

std::string CUDADraft::text() const {
  std::string text = "// evo.kernel ";
  for (char c : kernel)
    text += llvm::isAlnum(c) ? c : '_';
  text += "(";
  bool isFirst = true;
  for (const Argument &argument : arguments) {
    StringRef role = !argument.isBuffer    ? ""
                     : !argument.isWritten ? "in "
                     : argument.isRead     ? "inout "
                                           : "out ";
    text += (isFirst ? "" : ", ") + argument.name + ": " + role.str() +
            argument.element +
            (argument.isBuffer ? "[" + argument.dims + "]" : "");
    isFirst = false;
  }
  for (const auto &[name, type] : plainNumbers(*this)) {
    text += (isFirst ? "" : ", ") + name + ": " + type;
    isFirst = false;
  }
  text += ")";
  for (const std::string &symbol : symbols)
    text += "\n// evo.symbol " + symbol;
  for (const Argument &argument : arguments)
    if (argument.zeroed)
      text += "\n// evo.launch " + zeroStep(argument, argument.dims);
  for (const std::string &step : steps)
    text += "\n// evo.launch " + step;
  text += "\n// evo.launch " + kernel + "<<<" + grid + ", " + block +
          (shared == "0" ? "" : ", " + shared) + ">>>(" +
          llvm::join(passed, ", ") + ")";
  std::string required;
  for (const std::string &condition : conditions)
    if (isOfNames(condition, text))
      required += (required.empty() ? "" : ", ") + condition;
  return required.empty() ? text : text + "\n// evo.require " + required;
}
