// Shapes of tensors and of what is allocated, as far as host code tells them.
#include "HostExpressions.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace clang;
using namespace evo;

static bool isWord(StringRef text) {
  return llvm::all_of(text,
                      [](char c) { return c == '_' || llvm::isAlnum(c); });
}

/// A tensor's elements divided by a size: the tensor is that many rows.
std::optional<std::string> HostExpressions::rowsOf(const ValueDecl *decl,
                                                   const Expr *init) {
  const auto *quotient = dyn_cast<BinaryOperator>(init);
  if (!quotient || quotient->getOpcode() != BO_Div)
    return std::nullopt;
  const Expr *count = strip(quotient->getLHS());
  if (const ValueDecl *variable = referee(count); variable && initOf(variable))
    count = initOf(variable);
  const auto *method = dyn_cast<CXXMemberCallExpr>(count);
  const ValueDecl *tensor = method && nameOf(method->getMethodDecl()) == "numel"
                                ? referee(method->getImplicitObjectArgument())
                                : nullptr;
  if (!tensor)
    return std::nullopt;
  auto width = integer(quotient->getRHS());
  const std::string name = decl->getNameAsString();
  if (auto it = rows.find(tensor); it != rows.end())
    return it->second.second == width ? std::optional(it->second.first)
                                      : std::nullopt;
  auto named = sizes.find(tensor);
  const bool hasOthers = named != sizes.end() &&
                         llvm::any_of(named->second, [&](const auto &size) {
                           return size.second != width;
                         });
  if (!width || hasOthers || !isWord(*width) || *width == name)
    return std::nullopt;
  rows[tensor] = {name, *width};
  counts[tensor] = "(" + name + " * " + *width + ")";
  return name;
}

std::optional<std::string>
HostExpressions::tensorSize(const CXXMemberCallExpr *method) {
  const ValueDecl *tensor = referee(method->getImplicitObjectArgument());
  StringRef name = nameOf(method->getMethodDecl());
  Expr::EvalResult index;
  if (tensor && name == "numel")
    return counts.try_emplace(tensor, "numel_" + tensor->getNameAsString())
        .first->second;
  if (!tensor || name != "size" || countWritten(method) != 1 ||
      !method->getArg(0)->EvaluateAsInt(index, context) ||
      index.Val.getInt().isNegative())
    return std::nullopt;
  std::string number = llvm::toString(index.Val.getInt(), 10);
  return sizes[tensor]
      .try_emplace(index.Val.getInt().getExtValue(),
                   tensor->getNameAsString() + "_" + number)
      .first->second;
}

std::optional<std::pair<const ValueDecl *, int64_t>>
HostExpressions::sizeNamed(StringRef name) const {
  for (const auto &[tensor, named] : sizes)
    for (const auto &[place, text] : named)
      if (text == name)
        return std::pair(tensor, place);
  return std::nullopt;
}

std::optional<std::string> HostExpressions::nameOfSize(const ValueDecl *tensor,
                                                       int64_t place) const {
  auto it = sizes.find(tensor);
  if (it == sizes.end() || !it->second.count(place))
    return std::nullopt;
  return it->second.at(place);
}

const CallExpr *HostExpressions::maker(const ValueDecl *decl) {
  const Expr *init = initOf(decl);
  return init ? dyn_cast<CallExpr>(init) : nullptr;
}

bool HostExpressions::isZeroed(const ValueDecl *buffer) {
  const CallExpr *call = maker(buffer);
  return call && nameOf(call->getDirectCallee()).starts_with("zeros");
}

std::string HostExpressions::dims(const ValueDecl *buffer, unsigned size) {
  if (auto it = allocations.find(buffer); it != allocations.end()) {
    const Expr *expr = strip(it->second);
    uint64_t bytes = 0;
    if (auto text = number(expr);
        text && !StringRef(*text).getAsInteger(10, bytes))
      return std::to_string(bytes / size);
    return integer(expr, 1).value_or("?");
  }
  if (auto it = rows.find(buffer); it != rows.end())
    return it->second.first + ", " + it->second.second;
  if (auto it = sizes.find(buffer); it != sizes.end()) {
    // One that nothing in the file has a name for is named after the tensor.
    std::string text;
    for (int64_t place = 0; place <= it->second.rbegin()->first; ++place)
      text += (place ? ", " : "") +
              it->second
                  .try_emplace(place, buffer->getNameAsString() + "_" +
                                          std::to_string(place))
                  .first->second;
    return text;
  }
  if (auto it = counts.find(buffer); it != counts.end())
    return it->second;
  const CallExpr *call = maker(buffer);
  if (!call || depth > maxDepth)
    return "?";
  llvm::SaveAndRestore nested(depth, depth + 1);
  StringRef name = nameOf(call->getDirectCallee());
  if (const auto *method = dyn_cast<CXXMemberCallExpr>(call)) {
    const ValueDecl *of = referee(method->getImplicitObjectArgument());
    return of && name == "contiguous" ? dims(of, size) : "?";
  }
  if (call->getNumArgs() == 0)
    return "?";
  if (name.ends_with("_like")) {
    const ValueDecl *like = referee(call->getArg(0));
    return like ? dims(like, size) : "?";
  }
  // The list of sizes lies below the conversions to what the function takes.
  const Stmt *list = call->getArg(0);
  while (list && !isa<InitListExpr>(list))
    list = list->children().empty() ? nullptr : *list->child_begin();
  const auto *items = dyn_cast_or_null<InitListExpr>(list);
  if (!items)
    return "?";
  std::string text;
  for (const Expr *item : items->inits()) {
    auto extent = integer(item);
    if (!extent)
      return "?";
    text += (text.empty() ? "" : ", ") + *extent;
  }
  return text.empty() ? "?" : text;
}
