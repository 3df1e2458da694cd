// Statements are walked in order: a branch on its own copy of what is known, a
// block with what its statements leave behind.
#include "HostFlow.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
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
    : context(context), expressions(context, assignedIn(body)), body(body) {}

HostFlow::~HostFlow() = default;

std::vector<std::string> HostFlow::requirements() {
  std::vector<std::string> found;
  for (const HostCondition &condition : conditions)
    for (std::string &text : requirementsOf(condition, expressions))
      if (!llvm::is_contained(found, text))
        found.push_back(std::move(text));
  return found;
}

void HostFlow::settle(size_t first) {
  for (size_t i = first; i < conditions.size(); ++i)
    if (expressions.mayChange(conditions[i].condition))
      conditions[i].requirements = requirementsOf(conditions[i], expressions);
}

class evo::HostWalk : public DynamicRecursiveASTVisitor {
public:
  explicit HostWalk(HostFlow &flow) : flow(flow) {}

  bool TraverseIfStmt(IfStmt *branch) override;
  bool TraverseSwitchStmt(SwitchStmt *branch) override;
  bool TraverseCompoundStmt(CompoundStmt *block) override;
  bool TraverseForStmt(ForStmt *loop) override;
  bool TraverseWhileStmt(WhileStmt *loop) override;
  bool TraverseDoStmt(DoStmt *loop) override;
  bool TraverseCXXForRangeStmt(CXXForRangeStmt *loop) override;
  bool VisitVarDecl(VarDecl *variable) override;
  bool VisitBinaryOperator(BinaryOperator *op) override;
  bool VisitCXXOperatorCallExpr(CXXOperatorCallExpr *call) override;
  bool VisitCallExpr(CallExpr *call) override {
    flow.visitCall(call);
    return true;
  }

private:
  HostFlow &flow;
  const Expr *switched = nullptr; ///< of the innermost switch

  /// Walks `stmt` under one more condition.
  bool traverseUnder(const HostCondition &condition, Stmt *stmt);
  /// Walks what may run again; what it assigns is unknown behind it.
  bool leaveLoop(const Stmt *loop, bool goesOn);
};

void HostFlow::walk() { HostWalk(*this).TraverseStmt(body); }

bool HostWalk::traverseUnder(const HostCondition &condition, Stmt *stmt) {
  const size_t depth = flow.conditions.size();
  flow.conditions.push_back(condition);
  flow.settle(depth);
  bool goesOn = TraverseStmt(stmt);
  flow.conditions.resize(depth);
  return goesOn;
}

bool HostWalk::TraverseIfStmt(IfStmt *branch) {
  if (!TraverseStmt(branch->getInit()) ||
      !TraverseStmt(branch->getConditionVariableDeclStmt()) ||
      !TraverseStmt(branch->getCond()))
    return false;
  const Expr *condition = branch->getCond();
  bool isTaken = false;
  if (!condition->isValueDependent() &&
      condition->EvaluateAsBooleanCondition(isTaken, flow.context))
    return TraverseStmt(isTaken ? branch->getThen() : branch->getElse());
  const HostExpressions::State before = flow.expressions.state;
  if (!traverseUnder({condition, true}, branch->getThen()))
    return false;
  HostExpressions::State afterThen = std::move(flow.expressions.state);
  flow.expressions.state = before;
  if (branch->getElse() &&
      !traverseUnder({condition, false}, branch->getElse()))
    return false;
  if (isLeft(branch->getThen()))
    return true;
  if (isLeft(branch->getElse()))
    flow.expressions.state = std::move(afterThen);
  else
    flow.expressions.merge(condition, before, afterThen);
  return true;
}

bool HostWalk::TraverseSwitchStmt(SwitchStmt *branch) {
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

bool HostWalk::TraverseCompoundStmt(CompoundStmt *block) {
  const size_t depth = flow.conditions.size();
  for (Stmt *child : block->body()) {
    if (isa<SwitchCase>(child)) {
      flow.conditions.resize(depth);
      if (const Expr *label = switched ? labelOf(child) : nullptr)
        flow.conditions.push_back({switched, true, label});
    }
    if (!TraverseStmt(child))
      return false;
    const size_t known = flow.conditions.size();
    addPassed(child, flow.context, flow.conditions);
    flow.settle(known);
  }
  flow.conditions.resize(depth);
  return true;
}

bool HostWalk::leaveLoop(const Stmt *loop, bool goesOn) {
  for (const ValueDecl *decl : assignedIn(loop))
    flow.expressions.forget(decl);
  return goesOn;
}

bool HostWalk::TraverseForStmt(ForStmt *loop) {
  return leaveLoop(loop, DynamicRecursiveASTVisitor::TraverseForStmt(loop));
}
bool HostWalk::TraverseWhileStmt(WhileStmt *loop) {
  return leaveLoop(loop, DynamicRecursiveASTVisitor::TraverseWhileStmt(loop));
}
bool HostWalk::TraverseDoStmt(DoStmt *loop) {
  return leaveLoop(loop, DynamicRecursiveASTVisitor::TraverseDoStmt(loop));
}
bool HostWalk::TraverseCXXForRangeStmt(CXXForRangeStmt *loop) {
  return leaveLoop(loop,
                   DynamicRecursiveASTVisitor::TraverseCXXForRangeStmt(loop));
}

bool HostWalk::VisitVarDecl(VarDecl *variable) {
  flow.expressions.declare(variable);
  return true;
}

bool HostWalk::VisitBinaryOperator(BinaryOperator *op) {
  if (op->isAssignmentOp())
    flow.expressions.assign(op->getLHS(),
                            op->getOpcode() == BO_Assign ? op->getRHS() : op);
  return true;
}

bool HostWalk::VisitCXXOperatorCallExpr(CXXOperatorCallExpr *call) {
  if (call->getOperator() == OO_Equal && call->getNumArgs() == 2)
    flow.expressions.assign(call->getArg(0), call->getArg(1));
  return true;
}
