// A walk through the body of a host function as it runs.
#ifndef EVO_LIB_FRONTEND_CUDA_HOSTFLOW_H
#define EVO_LIB_FRONTEND_CUDA_HOSTFLOW_H

#include "HostConditions.h"
#include "HostExpressions.h"

namespace clang {
class CallExpr;
} // namespace clang

namespace evo {

class HostWalk;

/// Knows, wherever it is, which conditions led there and what variables were
/// last assigned. Branches that are never taken are left out. Loops are walked
/// once, as they begin.
class HostFlow {
public:
  /// For a function with this body.
  HostFlow(clang::ASTContext &context, clang::Stmt *body);
  virtual ~HostFlow();

  void walk();

protected:
  clang::ASTContext &context;
  HostExpressions expressions;

  /// Of each call, in order.
  virtual void visitCall(const clang::CallExpr *call) = 0;
  /// What holds where the walk is, as comparisons of integers.
  std::vector<std::string> requirements();

private:
  friend class HostWalk;
  clang::Stmt *body;
  std::vector<HostCondition> conditions;

  /// Says of conditions from the `first` on what later assignments would
  /// change.
  void settle(size_t first);
};

} // namespace evo

#endif
