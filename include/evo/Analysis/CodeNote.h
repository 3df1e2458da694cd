// What static analysis says of a place. One sentence about one instruction,
// with its place in the source. Unlike a Finding it names no thread and no
// access: it is said of code that did not run.
#ifndef EVO_ANALYSIS_CODENOTE_H
#define EVO_ANALYSIS_CODENOTE_H

#include "evo/Analysis/SourceLoc.h"
#include <vector>

namespace llvm {
class DILocation;
class Instruction;
} // namespace llvm

namespace evo::sim {

struct CodeNote {
  std::string what;   ///< a sentence without a period
  SourceLoc location; ///< of the instruction
  /// The sentence and, where it is known, its place.
  std::string str() const;
};

/// Adds a note about `inst` unless the same is said already or there are
/// `max`.
void addNote(std::vector<CodeNote> &notes, const llvm::Instruction &inst,
             std::string what, size_t max);
/// The same of a place, which may be null.
void addNote(std::vector<CodeNote> &notes, const llvm::DILocation *place,
             std::string what, size_t max);

} // namespace evo::sim

#endif
