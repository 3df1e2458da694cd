// Where a block gives up its turn in the middle. What a Schedule asks of the
// block that runs; Interleave.cpp has the blocks.
#ifndef EVO_LIB_SIMULATOR_TURNS_TURNS_H
#define EVO_LIB_SIMULATOR_TURNS_TURNS_H

#include "Simulator/Interp/Exec.h"
#include "evo/Simulator/Schedule.h"
#include "evo/Support/Random.h"

namespace evo::sim {

/// Stores of a block that others do not see yet. While the block has its turn
/// memory is as it sees it.
class LateStores {
public:
  bool isEmpty() const { return stores.empty(); }
  /// `warp` is about to store to `bytes` bytes at `host`.
  void add(const Warp &warp, char *host, unsigned bytes);
  bool has(const Warp &warp) const;
  /// What the warp has stored is there for all, or what lies at `host`.
  void publish(const Warp &warp);
  void publish(const char *host, unsigned bytes);
  /// The block's turn ends: memory is as others see it; and begins again.
  void hide();
  void show();
  /// Between two turns: others see them from now on.
  void publishHidden() {
    show();
    stores.clear();
  }

private:
  static constexpr unsigned maxBytes = 32, maxStores = 4096;
  struct Store {
    const Warp *warp;
    char *host;
    unsigned bytes;
    char before[maxBytes], after[maxBytes];
  };
  std::vector<Store> stores;
};

/// The accesses of the kernel at hand that a schedule names; null: none.
struct TurnedAccesses {
  const Inst *held = nullptr, *late = nullptr;
};

class Turns {
public:
  Turns(const Schedule &schedule, TurnedAccesses turned)
      : schedule(schedule), turned(turned), random(schedule.turnSeed) {}

  /// Whether the warp leaves its turn before it executes `i`, an access that
  /// others may see or a fence; it executes `i` when it comes again.
  bool leavesBefore(Exec &x, Warp &w, const Inst &i, LaneMask mask);

  bool holdsBlock = false;    ///< the one that runs
  LateStores *late = nullptr; ///< its own
  bool left = false;          ///< a turn was given up by chance
  unsigned heldWarps = 0;

private:
  const Schedule &schedule;
  const TurnedAccesses turned;
  Random random;

  bool isHeldBefore(const Inst &i) const;
  void noteLate(Exec &x, const Warp &w, const Inst &i, LaneMask mask);
};

} // namespace evo::sim

#endif
