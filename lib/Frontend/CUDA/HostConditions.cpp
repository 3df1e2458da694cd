// Comparisons of integers, and what passes a statement by.
#include "HostConditions.h"
#include "HostExpressions.h"
#include "evo/Support/IntExpr.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;
using namespace evo;

/// The minimum where no name is below one; nothing where that is unknown.
static std::optional<int64_t> minimumOf(const IntExpr &expr) {
  if (std::optional<int64_t> number = expr.getAsConstant())
    return number;
  if (!expr.getAsName().empty())
    return 1;
  std::optional<int64_t> lhs = minimumOf(expr.getLhs());
  std::optional<int64_t> rhs = minimumOf(expr.getRhs());
  constexpr int64_t large = int64_t(1) << 31;
  if (!lhs || !rhs || *lhs < 0 || *rhs < 0 || *lhs > large || *rhs > large)
    return std::nullopt;
  switch (expr.getKind()) {
  case IntExpr::Kind::Add:
    return *lhs + *rhs;
  case IntExpr::Kind::Mul:
    return *lhs * *rhs;
  case IntExpr::Kind::Min:
    return std::min(*lhs, *rhs);
  case IntExpr::Kind::Max:
    return std::max(*lhs, *rhs);
  case IntExpr::Kind::Mod:
    return 0;
  case IntExpr::Kind::Div:
    if (expr.getRhs().getAsConstant() && *rhs > 0)
      return *lhs / *rhs;
    return std::nullopt;
  case IntExpr::Kind::CeilDiv:
    return *lhs > 0 ? 1 : 0;
  default:
    return std::nullopt;
  }
}

/// Whether it holds for all sizes that there are.
static bool isTrivial(const Requirement &requirement) {
  std::optional<int64_t> bound = requirement.getRhs().getAsConstant();
  std::optional<int64_t> minimum = minimumOf(requirement.getLhs());
  if (!bound || !minimum)
    return false;
  switch (requirement.getComparison()) {
  case Requirement::Comparison::NE:
  case Requirement::Comparison::GT:
    return *minimum > *bound;
  case Requirement::Comparison::GE:
    return *minimum >= *bound;
  default:
    return false;
  }
}

/// Adds `lhs op rhs` unless it says nothing of sizes.
static void addComparison(StringRef lhs, StringRef op, StringRef rhs,
                          std::vector<std::string> &found) {
  llvm::Expected<Requirement> requirement =
      Requirement::parse((lhs + " " + op + " " + rhs).str());
  if (!requirement) // unreachable: formulas of host code are formulas
    return llvm::consumeError(requirement.takeError());
  bool isOfNumbers = true;
  requirement->forEachName([&](StringRef) { isOfNumbers = false; });
  std::string text = requirement->str();
  if (!isOfNumbers && lhs != rhs && !isTrivial(*requirement) &&
      !llvm::is_contained(found, text))
    found.push_back(std::move(text));
}

/// The comparison, or its negation; empty: it is none.
static StringRef spellComparison(BinaryOperatorKind kind, bool holds) {
  switch (kind) {
  case BO_EQ:
    return holds ? "==" : "!=";
  case BO_NE:
    return holds ? "!=" : "==";
  case BO_LT:
    return holds ? "<" : ">=";
  case BO_LE:
    return holds ? "<=" : ">";
  case BO_GT:
    return holds ? ">" : "<=";
  case BO_GE:
    return holds ? ">=" : "<";
  default:
    return "";
  }
}

static void addRequirements(const Expr *expr, bool holds,
                            HostExpressions &expressions, unsigned depth,
                            std::vector<std::string> &found) {
  constexpr unsigned maxDepth = 32;
  expr = HostExpressions::strip(expr);
  if (depth > maxDepth || expr->isValueDependent())
    return;
  if (const auto *op = dyn_cast<UnaryOperator>(expr);
      op && op->getOpcode() == UO_LNot)
    return addRequirements(op->getSubExpr(), !holds, expressions, depth + 1,
                           found);
  if (const auto *op = dyn_cast<BinaryOperator>(expr)) {
    if (op->getOpcode() == (holds ? BO_LAnd : BO_LOr)) {
      addRequirements(op->getLHS(), holds, expressions, depth + 1, found);
      addRequirements(op->getRHS(), holds, expressions, depth + 1, found);
      return;
    }
    if (op->isLogicalOp())
      return;
    if (StringRef spelling = spellComparison(op->getOpcode(), holds);
        !spelling.empty()) {
      auto lhs = expressions.operand(op->getLHS());
      auto rhs = expressions.operand(op->getRHS());
      if (lhs && rhs)
        addComparison(*lhs, spelling, *rhs, found);
      return;
    }
  }
  if (const Expr *init = expressions.initOfFlag(expr))
    return addRequirements(init, holds, expressions, depth + 1, found);
  if (expr->getType()->isBooleanType())
    return;
  if (auto text = expressions.operand(expr))
    addComparison(*text, holds ? "!=" : "==", "0", found);
}

std::vector<std::string> evo::requirementsOf(const HostCondition &condition,
                                             HostExpressions &expressions) {
  if (condition.requirements)
    return *condition.requirements;
  std::vector<std::string> found;
  if (!condition.equals) {
    addRequirements(condition.condition, condition.holds, expressions, 0,
                    found);
    return found;
  }
  auto lhs = expressions.operand(condition.condition);
  auto rhs = expressions.operand(condition.equals);
  if (lhs && rhs)
    addComparison(*lhs, condition.holds ? "==" : "!=", *rhs, found);
  return found;
}

/// The body of a `do { ... } while (false)`, as macros have it.
static const Stmt *bodyOfOnce(const Stmt *stmt, const ASTContext &context) {
  const auto *loop = dyn_cast_or_null<DoStmt>(stmt);
  bool again = true;
  if (!loop || loop->getCond()->isValueDependent() ||
      !loop->getCond()->EvaluateAsBooleanCondition(again, context) || again)
    return nullptr;
  return loop->getBody();
}

bool evo::isLeft(const Stmt *stmt) {
  if (!stmt)
    return false;
  if (isa<ReturnStmt, CXXThrowExpr, BreakStmt, ContinueStmt>(stmt))
    return true;
  if (const auto *expr = dyn_cast<Expr>(stmt)) {
    expr = expr->IgnoreParenImpCasts()->IgnoreImplicit();
    if (isa<CXXThrowExpr>(expr))
      return true;
    const auto *call = dyn_cast<CallExpr>(expr);
    const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
    return callee && callee->isNoReturn();
  }
  if (const auto *branch = dyn_cast<IfStmt>(stmt))
    return isLeft(branch->getThen()) && isLeft(branch->getElse());
  if (const auto *loop = dyn_cast<DoStmt>(stmt))
    return isLeft(loop->getBody());
  return isa<CompoundStmt>(stmt) && llvm::any_of(stmt->children(), isLeft);
}

void evo::addPassed(const Stmt *stmt, const ASTContext &context,
                    std::vector<HostCondition> &conditions) {
  if (const Stmt *body = bodyOfOnce(stmt, context))
    return addPassed(body, context, conditions);
  if (isa_and_nonnull<CompoundStmt>(stmt)) {
    for (const Stmt *child : stmt->children())
      addPassed(child, context, conditions);
    return;
  }
  if (const auto *branch = dyn_cast_or_null<IfStmt>(stmt)) {
    const bool thenLeaves = isLeft(branch->getThen()),
               elseLeaves = isLeft(branch->getElse());
    if (thenLeaves != elseLeaves)
      conditions.push_back({branch->getCond(), elseLeaves});
    return;
  }
  // An assert is `condition ? void() : fail()`.
  const auto *expr = dyn_cast_or_null<Expr>(stmt);
  const auto *choice =
      expr ? dyn_cast<ConditionalOperator>(HostExpressions::strip(expr))
           : nullptr;
  if (choice && isLeft(choice->getFalseExpr()))
    conditions.push_back({choice->getCond(), true});
}
