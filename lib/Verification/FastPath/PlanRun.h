// A plan with memory of its own, and what trials at large sizes keep there.
#ifndef EVO_LIB_VERIFICATION_FASTPATH_PLANRUN_H
#define EVO_LIB_VERIFICATION_FASTPATH_PLANRUN_H

#include "evo/Simulator/Plan/ExecutablePlan.h"

namespace evo {

/// What nobody wrote. As floats NaN, or of no use.
inline constexpr uint64_t poison = 0x7ff5a5c3b4d2e1f7ull;

/// An element of which no byte was written.
inline uint64_t poisonOf(unsigned size, uint64_t index) {
  return poison >> 8 * (index * size % 8) &
         (size == 8 ? ~0ull : (1ull << 8 * size) - 1);
}

/// All of it counts as initialised.
inline sim::BufferSpec makeBufferSpec(ArgumentAttr arg, uint64_t elements) {
  sim::BufferSpec spec;
  spec.name = arg.getName().getValue().str();
  spec.bytes = elements * getElementBytes(arg.getElementType());
  spec.kind = getElementKind(arg.getElementType());
  spec.initialized = true;
  return spec;
}

/// What a buffer holds that nobody wrote.
inline sim::PageContents repeatPoison() {
  return [](uint64_t offset, char *bytes, uint64_t size) {
    for (uint64_t at = 0; at < size; ++at)
      bytes[at] = static_cast<char>(poison >> 8 * ((offset + at) % 8));
  };
}

struct PlanRun {
  const ExecutablePlan &plan;
  sim::GlobalMemory memory;
  TrialValues values;

  explicit PlanRun(const ExecutablePlan &plan) : plan(plan) {}
  sim::BufferId id(ArgumentAttr arg) const {
    return values.buffers.lookup(arg.getName().getValue());
  }
  uint64_t elements(ArgumentAttr arg) const {
    return memory.spec(id(arg)).bytes / getElementBytes(arg.getElementType());
  }
};

} // namespace evo

#endif
