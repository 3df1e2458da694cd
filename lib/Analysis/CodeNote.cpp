// What static analysis says of a place.
#include "evo/Analysis/CodeNote.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instruction.h"

namespace evo::sim {

std::string CodeNote::str() const {
  return location.line ? what + " at " + location.str() : what;
}

void addNote(std::vector<CodeNote> &notes, const llvm::Instruction &inst,
             std::string what, size_t max) {
  addNote(notes, inst.getDebugLoc().get(), std::move(what), max);
}

void addNote(std::vector<CodeNote> &notes, const llvm::DILocation *l,
             std::string what, size_t max) {
  CodeNote note;
  note.what = std::move(what);
  if (l) {
    note.location.file = l->getFilename().str();
    note.location.line = l->getLine();
    note.location.column = l->getColumn();
  }
  for (const CodeNote &other : notes)
    if (other.str() == note.str())
      return;
  if (notes.size() < max)
    notes.push_back(std::move(note));
}

} // namespace evo::sim
