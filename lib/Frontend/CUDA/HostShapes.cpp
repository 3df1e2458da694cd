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

/// What a method of that name is called of.
static const Expr *objectOf(const Expr *expr, StringRef name) {
  const auto *method = dyn_cast<CXXMemberCallExpr>(expr);
  const CXXMethodDecl *callee = method ? method->getMethodDecl() : nullptr;
  return callee && callee->getIdentifier() && callee->getName() == name
             ? method->getImplicitObjectArgument()
             : nullptr;
}

/// The tensor whose elements are counted.
const ValueDecl *HostExpressions::countedBy(const Expr *expr) {
  expr = strip(expr);
  if (const ValueDecl *variable = referee(expr); variable && initOf(variable))
    expr = initOf(variable);
  const Expr *tensor = objectOf(expr, "numel");
  return tensor ? referee(tensor) : nullptr;
}

/// A tensor's elements divided by its width are its rows; divided by its first
/// sizes they are its last one.
std::optional<std::string> HostExpressions::quotientOf(const ValueDecl *decl,
                                                       const Expr *init) {
  std::string name = decl->getNameAsString();
  if (quotients.count(decl))
    return name;
  const auto *quotient = dyn_cast<BinaryOperator>(init);
  const ValueDecl *tensor = quotient && quotient->getOpcode() == BO_Div
                                ? countedBy(quotient->getLHS())
                                : nullptr;
  auto by = tensor ? integer(quotient->getRHS()) : std::nullopt;
  if (!by || *by == name || rows.count(tensor))
    return std::nullopt;
  std::map<int64_t, std::string> named;
  if (auto it = sizes.find(tensor); it != sizes.end())
    named = it->second;
  std::string first;
  bool isOther = false;
  for (const auto &[place, text] : named) {
    first = place == 0 ? text : "(" + first + " * " + text + ")";
    isOther |= text != *by;
  }
  if (!isOther && isWord(*by))
    rows[tensor] = {name, *by};
  else if (first == *by && named.rbegin()->first + 1 == int64_t(named.size()))
    sizes[tensor][named.size()] = name;
  else
    return std::nullopt;
  counts[tensor] = "(" + name + " * " + *by + ")";
  quotients.insert(decl);
  return name;
}

std::optional<std::string> HostExpressions::tensorSize(const CallExpr *call,
                                                       const std::string &as) {
  auto refereeOf = [](const Expr *expr) {
    return expr ? referee(expr) : nullptr;
  };
  if (const ValueDecl *tensor = refereeOf(objectOf(call, "numel")))
    return counts
        .try_emplace(tensor,
                     as.empty() ? "numel_" + tensor->getNameAsString() : as)
        .first->second;
  const ValueDecl *tensor = refereeOf(objectOf(call, "size"));
  if (tensor && countWritten(call) == 1)
    return sizeAt(tensor, call->getArg(0), as);
  // `x.sizes()[place]`, or of a variable that has the sizes.
  const auto *element = dyn_cast<CXXOperatorCallExpr>(call);
  if (!element || element->getOperator() != OO_Subscript ||
      element->getNumArgs() != 2)
    return std::nullopt;
  const Expr *list = strip(element->getArg(0));
  if (const ValueDecl *variable = referee(list); variable && initOf(variable))
    list = initOf(variable);
  tensor = refereeOf(objectOf(list, "sizes"));
  return tensor ? sizeAt(tensor, element->getArg(1), as) : std::nullopt;
}

std::optional<std::string> HostExpressions::sizeAt(const ValueDecl *tensor,
                                                   const Expr *place,
                                                   const std::string &as) {
  Expr::EvalResult index;
  if (!place->EvaluateAsInt(index, context) || index.Val.getInt().isNegative())
    return std::nullopt;
  const int64_t number = index.Val.getInt().getExtValue();
  return sizes[tensor]
      .try_emplace(number, as.empty() ? tensor->getNameAsString() + "_" +
                                            std::to_string(number)
                                      : as)
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
