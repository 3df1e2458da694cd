// Why candidates of a search came to nothing, by cause.
#ifndef EVO_LIB_DRIVER_CAUSES_H
#define EVO_LIB_DRIVER_CAUSES_H

#include "evo/Interfaces/SearchSession.h"
#include "evo/Support/FaultKind.h"
#include "evo/Support/Reason.h"
#include "llvm/Support/JSON.h"
#include <variant>

namespace evo {

/// What happened to some candidates, all in the same way.
struct Cause {
  enum class Outcome { Refuted, Undecided, NotBuilt, NotTried, NotAnswered };
  Outcome outcome = Outcome::Undecided;
  /// The kind of a proposal's fault, or the reason of evidence; one that is
  /// none here, but in a file of another version, is a word.
  std::variant<FaultKind, Reason, std::string> why;
  std::optional<Stage> stage; ///< where it came up; none where it was judged
  unsigned count = 0;
  std::string candidate;  ///< the first one
  std::string message;    ///< what was said of it, one line
  llvm::StringRef advice; ///< what a user may do; empty: nothing is known
};

/// The causes among what was not accepted, the most frequent first.
std::vector<Cause> collectCauses(KernelOp kernel);

/// {"count": ..., "outcome": ..., "reason": ..., ...} for each.
llvm::json::Array describeCauses(llvm::ArrayRef<Cause> causes);

/// The last lines of a search without a winner: that there is none, why it
/// ended, each cause with its count, and what to do.
void printCauses(llvm::raw_ostream &os, KernelOp kernel,
                 const SearchSummary &summary);

/// What to do where nothing was found that is faster than the kernel as it is,
/// which was accepted: against causes, or to look farther.
void printAdviceBesideBaseline(llvm::raw_ostream &os, KernelOp kernel,
                               const SearchSummary &summary);

} // namespace evo

#endif
