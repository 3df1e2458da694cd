// Why a verdict is no acceptance, apart from what is said of it. Whoever acts
// on a verdict compares reasons; words are for evidence and files.
#ifndef EVO_SUPPORT_REASON_H
#define EVO_SUPPORT_REASON_H

#include "llvm/ADT/StringRef.h"
#include <optional>

namespace evo {

enum class Reason {
#define EVO_REASON(REASON, NAME) REASON,
#include "evo/Support/Reasons.def"
};

/// The word for a reason: "out-of-bounds", "different-result", ...
llvm::StringRef reasonName(Reason reason);
/// The inverse; nothing for another word.
std::optional<Reason> reasonFromName(llvm::StringRef name);

} // namespace evo

#endif
