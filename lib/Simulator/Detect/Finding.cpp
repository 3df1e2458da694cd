// Findings as text. One line per finding, in the words the evidence and the
// proposer see.
#include "evo/Simulator/Finding.h"

namespace evo::sim {

const char *findingKindName(FindingKind kind) {
  switch (kind) {
#define EVO_FINDING(KIND, NAME)                                                \
  case FindingKind::KIND:                                                      \
    return NAME;
#include "evo/Support/Reasons.def"
  }
  return "unknown";
}

static std::string triple(const std::array<uint32_t, 3> &v) {
  return "(" + std::to_string(v[0]) + ", " + std::to_string(v[1]) + ", " +
         std::to_string(v[2]) + ")";
}

std::string Finding::str() const {
  std::string out = std::string(findingKindName(kind)) + ": " + message;
  if (kind == FindingKind::LaunchFailure)
    return out;
  out += ", block " + triple(block) + ", thread " + triple(thread);
  if (!buffer.empty())
    out += ", '" + buffer + "' at byte " + std::to_string(byteOffset);
  if (location.line)
    out += ", at " + location.str();
  return out;
}

} // namespace evo::sim
