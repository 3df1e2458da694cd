// What an execution found wrong. A finding is one defect seen while a kernel
// ran: which thread did it, where in the source, and to which byte of which
// buffer. Findings are values rather than diagnostics printed on the spot,
// because the verifier turns them into evidence, a proposer reads them as text,
// and tests compare their kinds.
#ifndef EVO_SIMULATOR_FINDING_H
#define EVO_SIMULATOR_FINDING_H

#include "evo/Analysis/SourceLoc.h"
#include <array>
#include <cstdint>
#include <string>

namespace evo::sim {

/// Reasons.def says what each is.
enum class FindingKind {
#define EVO_FINDING(KIND, NAME) KIND,
#include "evo/Support/Reasons.def"
};

/// "out-of-bounds", "barrier-divergence", ... : the names evidence uses.
const char *findingKindName(FindingKind kind);

/// Whether the engine could not go on, or not within its budget: no fault of
/// the kernel's.
inline bool isNoFault(FindingKind kind) {
  return kind == FindingKind::Unsupported ||
         kind == FindingKind::WaitsForBlock ||
         kind == FindingKind::BudgetExceeded;
}

struct Finding {
  FindingKind kind = FindingKind::Trap;
  std::string message;                    ///< complete sentence part, no period
  std::array<uint32_t, 3> block{0, 0, 0}; ///< ctaid x, y, z
  std::array<uint32_t, 3> thread{0, 0, 0}; ///< tid x, y, z
  uint64_t address = 0;                    ///< virtual address, 0 if none
  std::string buffer;                      ///< buffer or variable, "" if none
  int64_t byteOffset = 0;                  ///< from the start of `buffer`
  SourceLoc location;
  SourceLoc otherLocation; ///< of a race: the earlier access
  /// One line with everything above.
  std::string str() const;
};

} // namespace evo::sim

#endif
