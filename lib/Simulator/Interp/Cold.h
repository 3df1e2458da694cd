// Shared by the slow paths. What the files behind Exec.h's declarations need of
// each other. They are built once for the baseline instruction set, and the
// shadow mode is a run-time test in them; the hot loop never includes this.
#ifndef EVO_LIB_SIMULATOR_INTERP_COLD_H
#define EVO_LIB_SIMULATOR_INTERP_COLD_H

#include "Exec.h"
#include "Simulator/IR/Numeric.h"
#include "evo/Simulator/Field.h"
#include "evo/Simulator/Terms.h"

namespace evo::sim {

/// Adds a finding unless it repeats one or there are enough; null then.
Finding *addFinding(Exec &x, const Warp &w, uint32_t lane, const Inst &i,
                    FindingKind kind, const std::string &message);

static inline uint64_t encodeShadowValue(double v) {
  return bitsTo<uint64_t>(v) ^ shadowKey;
}

/// The float value of a lane's bits; `kind` is a ShadowValueKind of a float.
static inline double floatValue(unsigned kind, const void *lanes, unsigned i) {
  switch (kind) {
  case SV_H:
    return halfToFloat(static_cast<const uint32_t *>(lanes)[i]);
  case SV_B:
    return bfloatToFloat(static_cast<const uint32_t *>(lanes)[i]);
  case SV_S:
    return static_cast<const float *>(lanes)[i];
  default:
    return static_cast<const double *>(lanes)[i];
  }
}

/// The shadow value of a float that has none: its value, and nothing is missing
/// from a double (InterpDouble.h).
static inline double ownShadowValue(unsigned kind, const void *lanes,
                                    unsigned i) {
  return kind == SV_D ? 0 : floatValue(kind, lanes, i);
}

/// A shadow value at a 16-bit position of an operand, as encoded bits, and its
/// error or field value.
struct Tagged {
  uint64_t shadowValue = 0;
  double error = 0;
};
/// The tag of bits that no float operation made.
static inline Tagged untagged(const Exec &x) {
  Tagged t;
  if (x.shadow == 3)
    t.error = opaqueBits;
  return t;
}
/// Whether the error of a tag, in the field's mode, is the handle of a value.
static inline bool isFieldValue(double error) {
  return bitsTo<uint64_t>(error) > Field::insideHandle;
}
Tagged readTagged(Exec &x, Warp &w, int32_t u, unsigned kind, unsigned pos,
                  unsigned lane);
void writeTagged(Exec &x, Warp &w, int32_t u, unsigned kind, unsigned pos,
                 unsigned lane, Tagged t);
Tagged memoryTagged(Exec &x, const Region &r, uint64_t offset);
/// The field value that a float atomic leaves in memory. `first`: the old value
/// is kept by a minimum or maximum.
double fieldAtomic(Exec &x, const Inst &i, AtomicOp op, FloatType type,
                   const Tagged &oldTag, double oldBits, double oldShadowValue,
                   const Tagged &newTag, double newBits, double newShadowValue,
                   bool first);
/// The handle of the terms that an atomic addition leaves in memory.
double termsAtomic(Exec &x, FloatType type, const Tagged &oldTag,
                   double oldValue, const Tagged &newTag, double newValue);
/// Bits loaded as a float of a type must have been stored as one.
void fieldFloatLoad(Exec &x, Warp &w, const Inst &i, int32_t slot,
                    unsigned type, LaneMask mask);
/// Notes that integer arithmetic works on the bits of these floats.
void fieldIntegerUse(Exec &x, const Inst &i, const Tagged *tags, unsigned n);
/// Writes the granules a store of `bytes` covers, tagged per 16 bits.
void storeTagged(Exec &x, const Region &r, uint64_t offset, unsigned bytes,
                 const Tagged *t);

} // namespace evo::sim

#endif
