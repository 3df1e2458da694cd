// Which lines of two texts are the same: the shortest script from one to the
// other (E. Myers, An O(ND) difference algorithm, 1986).
#ifndef EVO_LIB_REPORT_DIFFERENCE_H
#define EVO_LIB_REPORT_DIFFERENCE_H

#include "llvm/ADT/StringRef.h"
#include <vector>

namespace evo::report {

struct DiffLine {
  enum class Kind { Same, Removed, Added };
  Kind kind;
  size_t oldNumber, newNumber; ///< from 1; 0 where it is not in that text
  llvm::StringRef text;
};

/// All lines of both, those removed before those added. The texts have to
/// outlive the result. Of texts that have hardly anything in common, all lines
/// between their common beginning and end are removed and added.
std::vector<DiffLine> compareLines(llvm::StringRef before,
                                   llvm::StringRef after);

} // namespace evo::report

#endif
