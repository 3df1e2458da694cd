// A value into a lane of any float type. Rounded once, NaN canonical as on the
// device. Inline without linkage, since it is compiled for each instruction
// set.
#ifndef EVO_LIB_SIMULATOR_INTERP_STOREFLOAT_H
#define EVO_LIB_SIMULATOR_INTERP_STOREFLOAT_H

#include "Simulator/IR/Bytecode.h"
#include "Simulator/IR/Numeric.h"

namespace evo::sim {

static inline __attribute__((always_inline)) void
storeFloat(unsigned type, void *lanes, unsigned i, double v) {
  switch (type) {
  case FT_H:
    static_cast<uint32_t *>(lanes)[i] = v == v ? doubleToHalf(v) : 0x7fff;
    break;
  case FT_B:
    static_cast<uint32_t *>(lanes)[i] = v == v ? doubleToBfloat(v) : 0x7fff;
    break;
  case FT_S:
    static_cast<float *>(lanes)[i] = canonical(static_cast<float>(v));
    break;
  default:
    static_cast<double *>(lanes)[i] = canonical(v);
  }
}

} // namespace evo::sim

#endif
