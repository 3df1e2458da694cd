// Follows variables to what they were initialised with. That is no proof: a
// draft is read by whoever completes it, and what it says is checked like any
// other contract.
#include "HostExpressions.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace clang;
using namespace evo;

const Expr *HostExpressions::strip(const Expr *expr) {
  while (true) {
    const Expr *before = expr;
    expr = expr->IgnoreParenImpCasts()->IgnoreImplicit();
    if (const auto *cast = dyn_cast<ExplicitCastExpr>(expr))
      expr = cast->getSubExpr();
    if (const auto *construct = dyn_cast<CXXConstructExpr>(expr))
      if (construct->getConstructor()->isCopyOrMoveConstructor())
        expr = construct->getArg(0);
    if (expr == before)
      return expr;
  }
}

StringRef HostExpressions::nameOf(const FunctionDecl *function) {
  return function && function->getIdentifier() ? function->getName() : "";
}

unsigned HostExpressions::countWritten(const CallExpr *call) {
  unsigned count = 0;
  for (const Expr *arg : call->arguments())
    count += !isa<CXXDefaultArgExpr>(arg);
  return count;
}

const ValueDecl *HostExpressions::referee(const Expr *expr) {
  const auto *name = dyn_cast<DeclRefExpr>(strip(expr));
  return name ? name->getDecl() : nullptr;
}

const Expr *HostExpressions::initOf(const ValueDecl *decl) {
  const auto *variable = dyn_cast<VarDecl>(decl);
  if (!variable || isa<ParmVarDecl>(variable) || !variable->getInit())
    return nullptr;
  return strip(variable->getInit());
}

const Expr *HostExpressions::takenOf(const Expr *expr) {
  const auto *op = dyn_cast<ConditionalOperator>(expr->IgnoreParenImpCasts());
  bool isTaken = false;
  if (!op || op->getCond()->isValueDependent() ||
      !op->getCond()->EvaluateAsBooleanCondition(isTaken, context))
    return expr;
  return isTaken ? op->getTrueExpr() : op->getFalseExpr();
}

const Expr *HostExpressions::initOfFlag(const Expr *expr) {
  const ValueDecl *decl = referee(expr);
  return decl && decl->getType()->isBooleanType() && !changing.count(decl)
             ? initOf(decl)
             : nullptr;
}

const ValueDecl *HostExpressions::buffer(const Expr *expr) {
  expr = strip(expr);
  if (const auto *call = dyn_cast<CXXMemberCallExpr>(expr)) {
    bool isData = llvm::StringSwitch<bool>(nameOf(call->getMethodDecl()))
                      .Cases({"data_ptr", "const_data_ptr", "mutable_data_ptr",
                              "data", "get"},
                             true)
                      .Default(false);
    return isData ? referee(call->getImplicitObjectArgument()) : nullptr;
  }
  const ValueDecl *decl = referee(expr);
  // A pointer that a tensor gave goes by the tensor.
  if (const Expr *init = decl ? initOf(decl) : nullptr)
    if (isa<CXXMemberCallExpr>(init))
      if (const ValueDecl *tensor = buffer(init))
        return tensor;
  return decl;
}

bool HostExpressions::mentions(const Stmt *stmt,
                               llvm::function_ref<bool(const ValueDecl *)> is,
                               unsigned depth) {
  if (!stmt || depth > maxDepth)
    return false;
  if (const auto *name = dyn_cast<DeclRefExpr>(stmt)) {
    const ValueDecl *decl = name->getDecl();
    return is(decl) || mentions(initOf(decl), is, depth + 1);
  }
  return llvm::any_of(stmt->children(), [&](const Stmt *child) {
    return mentions(child, is, depth);
  });
}

std::optional<std::string> HostExpressions::number(const Expr *expr) {
  Expr::EvalResult value;
  if (!expr->EvaluateAsInt(value, context) ||
      (!named.empty() && mentions(expr, [&](const ValueDecl *decl) {
        return named.count(decl) != 0;
      })))
    return std::nullopt;
  return llvm::toString(value.Val.getInt(), 10);
}

std::optional<std::pair<std::string, int64_t>>
HostExpressions::nameSize(const Expr *expr) {
  const auto *local = dyn_cast_or_null<VarDecl>(referee(expr));
  const Expr *init = local ? initOf(local) : nullptr;
  Expr::EvalResult value;
  if (!init || !local->isLocalVarDecl() || init->isValueDependent() ||
      !init->EvaluateAsInt(value, context) ||
      !value.Val.getInt().isStrictlyPositive())
    return std::nullopt;
  bool isSize = llvm::any_of(allocations, [&](const auto &allocation) {
    return mentions(allocation.second,
                    [&](const ValueDecl *decl) { return decl == local; });
  });
  if (!isSize)
    return std::nullopt;
  named.insert(local);
  return std::pair(local->getNameAsString(), value.Val.getInt().getExtValue());
}

std::optional<std::string>
HostExpressions::variable(const ValueDecl *decl,
                          std::optional<int64_t> sizeOfType) {
  const Expr *init = initOf(decl);
  if (named.count(decl))
    return decl->getNameAsString();
  if (auto texts = valueOf(decl); texts && texts->size() == 1)
    return texts->front();
  // Unless something is known of it, what is assigned may be anything.
  if (!init || state.count(decl))
    return decl->getNameAsString();
  // The name that the file has for a size is the name of the dimension.
  if (const auto *call = dyn_cast<CallExpr>(init))
    if (auto size = tensorSize(call, decl->getNameAsString()))
      return size;
  if (auto size = quotientOf(decl, init))
    return size;
  if (auto text = integer(init, sizeOfType))
    return text;
  return decl->getNameAsString();
}

std::optional<std::string>
HostExpressions::call(const Expr *expr, const std::string &name,
                      std::optional<int64_t> sizeOfType) {
  const auto *call = cast<CallExpr>(expr);
  auto lhs = integer(call->getArg(0), sizeOfType);
  auto rhs = integer(call->getArg(1), sizeOfType);
  if (!lhs || !rhs)
    return std::nullopt;
  return name + "(" + *lhs + ", " + *rhs + ")";
}

std::optional<std::string>
HostExpressions::integer(const Expr *expr, std::optional<int64_t> sizeOfType) {
  expr = strip(expr);
  if (expr->isValueDependent() || depth > maxDepth)
    return std::nullopt;
  if (sizeOfType)
    if (isa<UnaryExprOrTypeTraitExpr>(expr))
      return std::to_string(*sizeOfType);
  if (!isa<BinaryOperator>(expr) || !sizeOfType)
    if (auto text = number(expr))
      return text;
  llvm::SaveAndRestore nested(depth, depth + 1);
  if (const ValueDecl *decl = referee(expr))
    return variable(decl, sizeOfType);
  if (isa<ConditionalOperator>(expr))
    return choice(expr, sizeOfType);
  if (const auto *member = dyn_cast<MemberExpr>(expr))
    return extent(member);
  if (const auto *op = dyn_cast<BinaryOperator>(expr))
    return binary(op, sizeOfType);
  const auto *called = dyn_cast<CallExpr>(expr);
  if (!called)
    return std::nullopt;
  if (isa<CXXMemberCallExpr, CXXOperatorCallExpr>(called))
    return tensorSize(called, "");
  std::string name = nameOf(called->getDirectCallee()).lower();
  if (countWritten(called) == 1 && (name == "ceil" || name == "ceilf"))
    return roundedUp(called->getArg(0), sizeOfType);
  if (countWritten(called) != 2)
    return std::nullopt;
  if (name == "min" || name == "max")
    return call(expr, name, sizeOfType);
  bool roundsUp = llvm::StringSwitch<bool>(name)
                      .Cases({"ceil_div", "ceildiv", "cdiv", "div_up", "divup",
                              "div_ceil", "idivup", "divceil"},
                             true)
                      .Default(false);
  return roundsUp ? call(expr, "ceildiv", sizeOfType) : std::nullopt;
}

std::optional<std::string>
HostExpressions::binary(const BinaryOperator *op,
                        std::optional<int64_t> sizeOfType) {
  auto lhs = integer(op->getLHS(), sizeOfType);
  auto rhs = integer(op->getRHS(), sizeOfType);
  if (!lhs || !rhs)
    return std::nullopt;
  const BinaryOperatorKind kind =
      op->isCompoundAssignmentOp()
          ? BinaryOperator::getOpForCompoundAssignment(op->getOpcode())
          : op->getOpcode();
  switch (kind) {
  case BO_Mul:
    if (*lhs == "1" || *rhs == "1")
      return *lhs == "1" ? rhs : lhs;
    return "(" + *lhs + " * " + *rhs + ")";
  case BO_Add:
  case BO_Sub:
  case BO_Div:
  case BO_Rem:
    return "(" + *lhs + " " + BinaryOperator::getOpcodeStr(kind).str() + " " +
           *rhs + ")";
  case BO_And:
    // A mask is a remainder.
    if (uint64_t mask = 0;
        !StringRef(*rhs).getAsInteger(10, mask) && llvm::isMask_64(mask))
      return "(" + *lhs + " % " + std::to_string(mask + 1) + ")";
    return std::nullopt;
  case BO_Shl:
  case BO_Shr:
    if (unsigned bits; !StringRef(*rhs).getAsInteger(10, bits) && bits < 31)
      return "(" + *lhs + (kind == BO_Shl ? " * " : " / ") +
             std::to_string(1u << bits) + ")";
    return std::nullopt;
  default:
    return std::nullopt;
  }
}

std::optional<std::string> HostExpressions::extent(const MemberExpr *member) {
  auto [decl, which] = assignedBy(member);
  std::optional<std::vector<std::string>> all;
  if (decl && which >= 0)
    all = extentList(member->getBase());
  if (!all || which > 2)
    return std::nullopt;
  return size_t(which) < all->size() ? (*all)[which] : "1";
}

/// A quotient of floating point that is rounded up.
std::optional<std::string>
HostExpressions::roundedUp(const Expr *expr,
                           std::optional<int64_t> sizeOfType) {
  const auto *op = dyn_cast<BinaryOperator>(strip(expr));
  if (!op || op->getOpcode() != BO_Div || !op->getType()->isFloatingType())
    return std::nullopt;
  auto lhs = integer(op->getLHS(), sizeOfType);
  auto rhs = integer(op->getRHS(), sizeOfType);
  if (!lhs || !rhs)
    return std::nullopt;
  return "ceildiv(" + *lhs + ", " + *rhs + ")";
}

std::optional<std::string> HostExpressions::operand(const Expr *expr) {
  const Expr *inner = strip(expr);
  auto isNumber = [](const Expr *of) {
    return of->getType()->isIntegerType() && !of->getType()->isBooleanType();
  };
  if (!isNumber(expr->IgnoreParenImpCasts()) || !isNumber(inner))
    return std::nullopt;
  // What is one of several values is not known to be that one.
  std::vector<std::string> others = std::move(assumed);
  assumed.clear();
  auto text = integer(inner);
  const bool isKnown = assumed.empty();
  assumed = std::move(others);
  return isKnown ? text : std::nullopt;
}

std::optional<std::vector<std::string>>
HostExpressions::extentList(const Expr *expr) {
  expr = strip(expr);
  if (const ValueDecl *decl = referee(expr))
    if (decl->getType()->isRecordType()) {
      if (state.count(decl))
        return valueOf(decl);
      const Expr *init = initOf(decl);
      return init ? extentList(init) : std::nullopt;
    }
  std::vector<std::string> texts;
  const auto *construct = dyn_cast<CXXConstructExpr>(expr);
  if (!construct) {
    auto text = integer(expr);
    if (!text)
      return std::nullopt;
    return std::vector{*text};
  }
  for (const Expr *arg : construct->arguments()) {
    if (isa<CXXDefaultArgExpr>(arg))
      continue;
    auto extent = integer(arg);
    if (!extent)
      return std::nullopt;
    texts.push_back(*extent);
  }
  if (texts.empty()) // assigned later
    return std::nullopt;
  return texts;
}

std::optional<std::string> HostExpressions::extents(const Expr *expr) {
  auto texts = extentList(expr);
  if (!texts || texts->empty())
    return std::nullopt;
  return texts->size() > 1 ? "(" + llvm::join(*texts, ", ") + ")"
                           : texts->front();
}
