// Conditions of host code as those of a contract.
#ifndef EVO_LIB_FRONTEND_CUDA_HOSTCONDITIONS_H
#define EVO_LIB_FRONTEND_CUDA_HOSTCONDITIONS_H

#include <optional>
#include <string>
#include <vector>

namespace clang {
class ASTContext;
class Expr;
class Stmt;
} // namespace clang

namespace evo {

class HostExpressions;

/// What is known to hold, or not to hold, where a statement is reached.
struct HostCondition {
  const clang::Expr *condition;
  bool holds = true;
  /// Where it is there: the condition is that both are equal (of a switch).
  const clang::Expr *equals = nullptr;
  /// What follows from it, where that is said already.
  std::optional<std::vector<std::string>> requirements = std::nullopt;
};

/// Comparisons of integers that follow from `condition`: conjunctions taken
/// apart, what holds of all sizes left out. Nothing stands for what the
/// contract's language cannot say.
std::vector<std::string> requirementsOf(const HostCondition &condition,
                                        HostExpressions &expressions);

/// Whether nothing that follows the statement is reached through it.
bool isLeft(const clang::Stmt *stmt);

/// What holds once `stmt` was passed: that a check did not refuse, that a
/// branch which returns was not taken.
void addPassed(const clang::Stmt *stmt, const clang::ASTContext &context,
               std::vector<HostCondition> &conditions);

} // namespace evo

#endif
