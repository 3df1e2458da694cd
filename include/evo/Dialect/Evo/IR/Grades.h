// Grades as texts, in which files and command lines have them.
#ifndef EVO_DIALECT_EVO_IR_GRADES_H
#define EVO_DIALECT_EVO_IR_GRADES_H

#include "evo/Dialect/Evo/IR/Evo.h"

namespace evo {

/// Whether a candidate of this grade may ship; false for what is no grade.
inline bool isAcceptedGrade(llvm::StringRef text) {
  std::optional<Grade> grade = symbolizeGrade(text);
  return grade == Grade::Exact || grade == Grade::Algebraic ||
         grade == Grade::Numeric;
}

} // namespace evo

#endif
