// What a failure is, apart from what it says. Whoever acts on a failure asks
// for its kind; the text is for people, and may be worded anew at any time.
#ifndef EVO_SUPPORT_FAULTKIND_H
#define EVO_SUPPORT_FAULTKIND_H

#include "llvm/ADT/StringRef.h"
#include <optional>

namespace evo {

enum class FaultKind {
  Candidate,   ///< what was proposed is wrong, or of no use
  Reference,   ///< the reference is wrong itself: nothing can be judged by it
  Machine,     ///< the machine lacks what a stage needs
  Unsupported, ///< nothing is known to be wrong, but this build cannot do it
  Request,     ///< what was asked for is not in the file that was named
  Server,      ///< what was to answer gave nothing that can be read
  OutOfTime,   ///< the process that was at it ran out of time
  OutOfMemory, ///< or out of memory
  Crashed,     ///< that process died of something else
};

/// The word for a kind in files and messages between processes: "candidate",
/// "reference", "machine", "unsupported", "request", "server",
/// "out-of-time", "out-of-memory", "crashed".
llvm::StringRef faultName(FaultKind kind);
/// The inverse; nothing for another word.
std::optional<FaultKind> faultFromName(llvm::StringRef name);

/// Whether time or memory ran out, which says nothing of who was judged.
inline bool isExhaustion(FaultKind kind) {
  return kind == FaultKind::OutOfTime || kind == FaultKind::OutOfMemory;
}

} // namespace evo

#endif
