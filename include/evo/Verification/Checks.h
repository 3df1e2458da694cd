// The checks that a verdict is made of: each has a name, says what it catches
// and what it costs, and spends a budget of its own.
#ifndef EVO_VERIFICATION_CHECKS_H
#define EVO_VERIFICATION_CHECKS_H

#include "evo/Verification/Verifier.h"
#include "llvm/ADT/ArrayRef.h"

namespace evo {

struct VerificationState;
namespace evidence {
class Details;
} // namespace evidence

/// One number that bounds what a check does, at each level of effort.
struct BudgetLine {
  llvm::StringLiteral name; ///< "shapes"
  llvm::StringLiteral unit; ///< what it counts
  uint64_t quick, byDefault, thorough;

  constexpr BudgetLine(llvm::StringLiteral name, llvm::StringLiteral unit,
                       uint64_t quick, uint64_t byDefault, uint64_t thorough)
      : name(name), unit(unit), quick(quick), byDefault(byDefault),
        thorough(thorough) {}
  /// The same number at each level.
  constexpr BudgetLine(llvm::StringLiteral name, llvm::StringLiteral unit,
                       uint64_t always)
      : BudgetLine(name, unit, always, always, always) {}

  constexpr uint64_t at(Effort effort) const {
    switch (effort) {
    case Effort::Quick:
      return quick;
    case Effort::Default:
      break;
    case Effort::Thorough:
      return thorough;
    }
    return byDefault;
  }
};

/// The numbers at one level of effort: `budget[line]`.
class Budget {
public:
  explicit Budget(Effort effort) : effort(effort) {}
  uint64_t operator[](const BudgetLine &line) const { return line.at(effort); }

private:
  Effort effort;
};

struct Check {
  llvm::StringLiteral name;    ///< "usual-shapes"
  llvm::StringLiteral catches; ///< one line: mistakes that it is there for
  llvm::StringLiteral cost;    ///< one line: what its time grows with
  Effort from;                 ///< the lowest effort at which it runs
  /// The verdict rests on it, so it runs even where time has ended.
  bool isEssential;
  llvm::ArrayRef<const BudgetLine *> budgets;
  /// Tries to refute the candidate; a refutation is left in the state, and ends
  /// the verdict. Fails, with a diagnostic, only where the contract or the
  /// reference is at fault.
  mlir::LogicalResult (*run)(VerificationState &state, Budget budget);
  /// Of an accepted candidate, whether the check was run or not: what evidence
  /// says of it that later checks may still ask for or change. Null where there
  /// is no such detail.
  void (*write)(const VerificationState &state,
                evidence::Details &details) = nullptr;

  bool runsAt(Effort effort) const { return effort >= from; }
};

/// All of them, in the order in which they run.
llvm::ArrayRef<const Check *> getChecks();

} // namespace evo

#endif
