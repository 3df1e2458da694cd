// Findings as text. One line per finding, in the words the evidence and the
// proposer see.
#include "evo/Simulator/Finding.h"

namespace evo::exec {

const char *findingKindName(FindingKind kind) {
  switch (kind) {
  case FindingKind::OutOfBounds:
    return "out-of-bounds";
  case FindingKind::NullOrWildPointer:
    return "wild-pointer";
  case FindingKind::Misaligned:
    return "misaligned";
  case FindingKind::ReadOnlyWrite:
    return "read-only-write";
  case FindingKind::UninitializedRead:
    return "uninitialized-read";
  case FindingKind::BarrierDivergence:
    return "barrier-divergence";
  case FindingKind::InactiveLaneRead:
    return "inactive-lane-read";
  case FindingKind::LaunchFailure:
    return "launch-failure";
  case FindingKind::BudgetExceeded:
    return "budget-exceeded";
  case FindingKind::Trap:
    return "trap";
  case FindingKind::DivisionByZero:
    return "division-by-zero";
  case FindingKind::Unsupported:
    return "unsupported";
  case FindingKind::SignedWrap:
    return "signed-overflow";
  case FindingKind::UseAfterFree:
    return "use-after-free";
  case FindingKind::WaitsForBlock:
    return "waits-for-a-block";
  case FindingKind::Race:
    return "race";
  case FindingKind::KeptState:
    return "kept-state";
  case FindingKind::InvalidFree:
    return "invalid-free";
  case FindingKind::ConversionRange:
    return "conversion-overflow";
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

} // namespace evo::exec
