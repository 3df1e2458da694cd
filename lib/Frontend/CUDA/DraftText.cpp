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

std::vector<std::string> evo::splitExtents(llvm::StringRef text) {
  text = text.trim();
  std::vector<std::string> parts;
  auto split = [&parts](llvm::StringRef inner) {
    int depth = 0;
    size_t from = 0;
    parts.clear();
    for (size_t i = 0; i <= inner.size(); ++i) {
      if (i == inner.size() || (inner[i] == ',' && depth == 0)) {
        parts.push_back(inner.slice(from, i).trim().str());
        from = i + 1;
      } else if (inner[i] == '(') {
        ++depth;
      } else if (inner[i] == ')' && --depth < 0) {
        return false;
      }
    }
    return true;
  };
  // "(a + b) / c" begins and ends in no tuple.
  if (text.starts_with("(") && text.ends_with(")"))
    if (split(text.drop_front().drop_back()))
      return parts;
  split(text);
  return parts;
}

DraftExtents::DraftExtents(std::string all)
    : text(std::move(all)), parts(splitExtents(text)) {
  for (const std::string &part : parts)
    if (llvm::Expected<IntExpr> value = IntExpr::parse(part)) {
      values.emplace_back(std::move(*value));
    } else {
      llvm::consumeError(value.takeError());
      values.emplace_back();
    }
}

void DraftExtents::forEachName(
    llvm::function_ref<void(StringRef)> callback) const {
  for (const std::optional<IntExpr> &value : values)
    if (value)
      value->forEachName(callback);
}

/// Integers that are no extents of a buffer, as arguments; none where extents
/// are still to be filled in, perhaps by these.
static std::vector<std::pair<std::string, std::string>>
plainNumbers(const CUDADraft &draft) {
  std::string extents;
  for (const CUDADraft::Argument &argument : draft.arguments)
    extents += argument.dims.str() + ",";
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
            (argument.isBuffer ? "[" + argument.dims.str() + "]" : "");
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
      text += "\n// evo.launch " + zeroStep(argument, argument.dims.str());
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
