// Statements are walked in order: a branch on its own copy of what is known, a
// block with what its statements leave behind.
#include "HostFlow.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace clang;
using namespace evo;

namespace {
/// The variables that a statement assigns.
class Assignments : public DynamicRecursiveASTVisitor {
public:
  std::set<const ValueDecl *> found;

  bool VisitBinaryOperator(BinaryOperator *op) override {
    if (op->isAssignmentOp())
      note(op->getLHS());
    return true;
  }
  bool VisitCXXOperatorCallExpr(CXXOperatorCallExpr *call) override {
    if (call->isAssignmentOp())
      note(call->getArg(0));
    return true;
  }

private:
  void note(const Expr *place) {
    if (const ValueDecl *decl = HostExpressions::assignedBy(place).first)
      found.insert(decl);
  }
};
} // namespace

static std::set<const ValueDecl *> assignedIn(const Stmt *stmt) {
  Assignments assignments;
  assignments.TraverseStmt(const_cast<Stmt *>(stmt));
  return std::move(assignments.found);
}

HostFlow::HostFlow(ASTContext &context, Stmt *body)
    : context(context), expressions(context, assignedIn(body)) {}

std::vector<std::string> HostFlow::requirements() {
  std::vector<std::string> found;
  for (const HostCondition &condition : conditions)
    for (std::string &text : requirementsOf(condition, expressions))
      if (!llvm::is_contained(found, text))
        found.push_back(std::move(text));
  return found;
}

/// Says by now what later assignments would change.
void HostFlow::settle(size_t first) {
  for (size_t i = first; i < conditions.size(); ++i)
    if (expressions.mayChange(conditions[i].condition))
      conditions[i].requirements = requirementsOf(conditions[i], expressions);
}

bool HostFlow::traverseUnder(const HostCondition &condition, Stmt *stmt) {
  const size_t depth = conditions.size();
  conditions.push_back(condition);
  settle(depth);
  bool goesOn = TraverseStmt(stmt);
  conditions.resize(depth);
  return goesOn;
}

bool HostFlow::TraverseIfStmt(IfStmt *branch) {
  if (!TraverseStmt(branch->getInit()) ||
      !TraverseStmt(branch->getConditionVariableDeclStmt()) ||
      !TraverseStmt(branch->getCond()))
    return false;
  const Expr *condition = branch->getCond();
  bool isTaken = false;
  if (!condition->isValueDependent() &&
      condition->EvaluateAsBooleanCondition(isTaken, context))
    return TraverseStmt(isTaken ? branch->getThen() : branch->getElse());
  const HostExpressions::State before = expressions.state;
  if (!traverseUnder({condition, true}, branch->getThen()))
    return false;
  HostExpressions::State afterThen = std::move(expressions.state);
  expressions.state = before;
  if (branch->getElse() &&
      !traverseUnder({condition, false}, branch->getElse()))
    return false;
  if (isLeft(branch->getThen()))
    return true;
  if (isLeft(branch->getElse()))
    expressions.state = std::move(afterThen);
  else
    expressions.merge(condition, before, afterThen);
  return true;
}

bool HostFlow::TraverseSwitchStmt(SwitchStmt *branch) {
  if (!TraverseStmt(branch->getInit()) || !TraverseStmt(branch->getCond()))
    return false;
  llvm::SaveAndRestore nested(switched,
                              static_cast<const Expr *>(branch->getCond()));
  return TraverseStmt(branch->getBody());
}

/// The condition that a label of a switch stands for: none of several labels.
static const Expr *labelOf(const Stmt *stmt) {
  const auto *label = dyn_cast<CaseStmt>(stmt);
  return label && !label->caseStmtIsGNURange() &&
                 !isa_and_nonnull<SwitchCase>(label->getSubStmt())
             ? label->getLHS()
             : nullptr;
}

bool HostFlow::TraverseCompoundStmt(CompoundStmt *block) {
  const size_t depth = conditions.size();
  for (Stmt *child : block->body()) {
    if (isa<SwitchCase>(child)) {
      conditions.resize(depth);
      if (const Expr *label = switched ? labelOf(child) : nullptr)
        conditions.push_back({switched, true, label});
    }
    if (!TraverseStmt(child))
      return false;
    const size_t known = conditions.size();
    addPassed(child, context, conditions);
    settle(known);
  }
  conditions.resize(depth);
  return true;
}

bool HostFlow::leaveLoop(const Stmt *loop, bool goesOn) {
  for (const ValueDecl *decl : assignedIn(loop))
    expressions.forget(decl);
  return goesOn;
}

bool HostFlow::TraverseForStmt(ForStmt *loop) {
  return leaveLoop(loop, DynamicRecursiveASTVisitor::TraverseForStmt(loop));
}
bool HostFlow::TraverseWhileStmt(WhileStmt *loop) {
  return leaveLoop(loop, DynamicRecursiveASTVisitor::TraverseWhileStmt(loop));
}
bool HostFlow::TraverseDoStmt(DoStmt *loop) {
  return leaveLoop(loop, DynamicRecursiveASTVisitor::TraverseDoStmt(loop));
}
bool HostFlow::TraverseCXXForRangeStmt(CXXForRangeStmt *loop) {
  return leaveLoop(loop,
                   DynamicRecursiveASTVisitor::TraverseCXXForRangeStmt(loop));
}

bool HostFlow::VisitVarDecl(VarDecl *variable) {
  expressions.declare(variable);
  return true;
}

bool HostFlow::VisitBinaryOperator(BinaryOperator *op) {
  if (op->isAssignmentOp())
    expressions.assign(op->getLHS(),
                       op->getOpcode() == BO_Assign ? op->getRHS() : op);
  return true;
}

bool HostFlow::VisitCXXOperatorCallExpr(CXXOperatorCallExpr *call) {
  if (call->getOperator() == OO_Equal && call->getNumArgs() == 2)
    expressions.assign(call->getArg(0), call->getArg(1));
  return true;
}
