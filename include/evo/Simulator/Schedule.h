// In which order blocks take their turns. Blocks usually run one after another,
// which devices may do and need not: what holds in that order alone is no
// result. A schedule has several blocks under way at once. Each runs until it
// waits for others or has ended, and then the next one goes on. To turn the
// order of two accesses round, blocks are held before one of them until nobody
// else can go on.
#ifndef EVO_SIMULATOR_SCHEDULE_H
#define EVO_SIMULATOR_SCHEDULE_H

#include "evo/Simulator/Finding.h"
#include <optional>
#include <vector>

namespace evo::sim {

class Program;

struct Schedule {
  /// Blocks that may be under way at once.
  unsigned resident = 1024;
  /// The kernel, and the place in its code, before which each warp of the
  /// blocks `who` is held once.
  std::string kernel;
  std::optional<uint32_t> held;
  enum class Who { All, First, Last } who = Who::All; ///< as they start
  /// Of blocks that are held the one that began last goes on first.
  bool newestFirst = false;
  /// In every kernel they are held as well before the first access by which
  /// others may learn of them and that answers nothing.
  bool holdsTelling = false;
  /// What is stored at this place reaches others late: at the next fence of who
  /// stores, which waits for others, or after its end.
  std::optional<uint32_t> late;
  /// Non-zero: blocks give up their turn at accesses by chance.
  uint64_t turnSeed = 0;
};

/// An access to memory that blocks share by which one may learn of another:
/// atomic, volatile, relaxed or past the cache.
struct SharedAccess {
  std::string kernel;
  uint32_t at = 0; ///< place in its code
  SourceLoc location;
  bool answers = false; ///< the program learns what was there
  bool isStore = false;
};
/// In the order of the code. Those of shared memory are left out where their
/// address says so.
std::vector<SharedAccess> findSharedAccesses(const Program &program);

} // namespace evo::sim

#endif
