// A walk through the body of a host function as it runs.
#ifndef EVO_LIB_FRONTEND_CUDA_HOSTFLOW_H
#define EVO_LIB_FRONTEND_CUDA_HOSTFLOW_H

#include "HostConditions.h"
#include "HostExpressions.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/StmtCXX.h"

namespace evo {

/// Knows, wherever it is, which conditions led there and what variables were
/// last assigned. Branches that are never taken are left out. Loops are walked
/// once, as they begin.
class HostFlow : public clang::DynamicRecursiveASTVisitor {
public:
  /// For a function with this body.
  HostFlow(clang::ASTContext &context, clang::Stmt *body);

  bool TraverseIfStmt(clang::IfStmt *branch) override;
  bool TraverseSwitchStmt(clang::SwitchStmt *branch) override;
  bool TraverseCompoundStmt(clang::CompoundStmt *block) override;
  bool TraverseForStmt(clang::ForStmt *loop) override;
  bool TraverseWhileStmt(clang::WhileStmt *loop) override;
  bool TraverseDoStmt(clang::DoStmt *loop) override;
  bool TraverseCXXForRangeStmt(clang::CXXForRangeStmt *loop) override;
  bool VisitVarDecl(clang::VarDecl *variable) override;
  bool VisitBinaryOperator(clang::BinaryOperator *op) override;
  bool VisitCXXOperatorCallExpr(clang::CXXOperatorCallExpr *call) override;

protected:
  clang::ASTContext &context;
  HostExpressions expressions;

  /// What holds where the walk is, as comparisons of integers.
  std::vector<std::string> requirements();

private:
  std::vector<HostCondition> conditions;
  const clang::Expr *switched = nullptr; ///< of the innermost switch

  void settle(size_t first);
  /// Walks `stmt` under one more condition.
  bool traverseUnder(const HostCondition &condition, clang::Stmt *stmt);
  /// Walks what may run again; what it assigns is unknown behind it.
  bool leaveLoop(const clang::Stmt *loop, bool goesOn);
};

} // namespace evo

#endif
