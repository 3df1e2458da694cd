// Copies in flight.
// cp.async starts a copy from global to shared memory that ends at any time
// before its thread has waited for it. What a program may count on is therefore
// what holds for every such time, and this is what is checked:
//   - From the start of a copy to the wait its destination holds nothing: it is
//     poisoned and counts as never written, so a read finds a missing wait.
//   - The bytes arrive at the wait. To the race detector the thread writes the
//     destination twice, when the copy starts and when it arrives: what others
//     did there before must be ordered before the start, and what they do later
//     after the wait, by a barrier for instance.
//   - The source must be the same at both times, and nobody may write to the
//     destination between them.
// So no time needs to be drawn at random: an outcome that depends on it is a
// finding.
//
// Groups are counted by thread: those that it committed, and one that is open.
#ifndef EVO_LIB_SIMULATOR_INTERP_ASYNCCOPY_H
#define EVO_LIB_SIMULATOR_INTERP_ASYNCCOPY_H

#include "Cold.h"
#include <deque>
#include <vector>

namespace evo::sim {

class AsyncCopies {
public:
  explicit AsyncCopies(unsigned warps) : threads(warps * warpSize) {}
  /// A block begins: nothing is in flight.
  void reset();
  void start(Exec &x, Warp &w, const Inst &i, LaneMask mask);
  void commit(const Warp &w, LaneMask mask);
  /// Until at most `left` committed groups are in flight; -1: until nothing is.
  void wait(Exec &x, Warp &w, LaneMask mask, int left);

private:
  static constexpr unsigned maxBytes = 16; ///< bytes of a copy
  struct Copy {
    const Inst *inst = nullptr;
    uint32_t group = 0;
    unsigned bytes = 0, taken = 0; ///< to write, and of these from the source
    const Region *to = nullptr;
    bool fromReadOnly = true;
    uint64_t toAddress = 0, toOffset = 0, fromAddress = 0;
    uint8_t data[maxBytes] = {};
    uint32_t written = 0; ///< bit per byte: the source was
    Tagged tags[maxBytes / 2];
  };
  struct Thread {
    uint32_t group = 0; ///< the open one, which are those committed so far
    std::deque<Copy> copies;
  };
  std::vector<Thread> threads;

  bool check(Exec &x, Warp &w, const Inst &i, uint32_t lane,
             const Copy &copy) const;
  bool take(Exec &x, Warp &w, const Inst &i, LaneMask mask, Copy *copies);
  bool empty(Exec &x, Warp &w, const Inst &i, LaneMask mask, Copy *copies);
  void checkSource(Exec &x, Warp &w, unsigned lane, const Copy &copy) const;
  void arrive(Exec &x, Warp &w, LaneMask mask, Copy *copies);
};

} // namespace evo::sim

#endif
