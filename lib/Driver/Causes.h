// Why candidates of a search came to nothing, by cause.
#ifndef EVO_LIB_DRIVER_CAUSES_H
#define EVO_LIB_DRIVER_CAUSES_H

#include "evo/Interfaces/SearchSession.h"
#include "llvm/Support/JSON.h"

namespace evo {

/// What happened to some candidates, all in the same way.
struct Cause {
  enum class Outcome { Refuted, Undecided, NotBuilt, NotTried, NotAnswered };
  Outcome outcome = Outcome::Undecided;
  std::string reason;         ///< of evidence, or the kind of the fault
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
