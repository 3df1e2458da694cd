// Whether atomics ran.
#ifndef EVO_LIB_VERIFICATION_ATOMICSSEEN_H
#define EVO_LIB_VERIFICATION_ATOMICSSEEN_H

#include "evo/Simulator/Launch.h"

namespace evo {

/// What atomics leave to chance is the programmer's: the order of a float sum,
/// the place that a counter hands out.
class AtomicsSeen : public sim::AccessObserver {
public:
  bool any = false;
  void access(const Event &event) override {
    any |= event.access == Access::Atomic;
  }
  void order(Order, uint32_t, sim::LaneMask) override {}
};

} // namespace evo

#endif
