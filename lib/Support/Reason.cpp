// The words for reasons of verdicts.
#include "evo/Support/Reason.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace evo;

static constexpr std::pair<Reason, StringLiteral> names[] = {
#define EVO_REASON(REASON, NAME) {Reason::REASON, NAME},
#include "evo/Support/Reasons.def"
};

StringRef evo::reasonName(Reason reason) {
  return find_if(names,
                 [&](const auto &entry) { return entry.first == reason; })
      ->second;
}

std::optional<Reason> evo::reasonFromName(StringRef name) {
  for (const auto &[reason, word] : names)
    if (word == name)
      return reason;
  return std::nullopt;
}
