// Results that are not rounded to the nearest number. What PTX names .rz, .rm
// and .rp: the host's own arithmetic in another rounding mode, and conversions
// by the neighbours of the nearest number.
#ifndef EVO_LIB_SIMULATOR_INTERP_ROUNDED_H
#define EVO_LIB_SIMULATOR_INTERP_ROUNDED_H

#include "Simulator/IR/Bytecode.h"

namespace evo::sim {

/// The lanes in `mask` of d = a op b, or a op b op c, rounded as `inst.sub`
/// says; `inst.op` is FADD, FSUB, FMUL, FDIV or FMA of f32 or f64.
void roundedArithmetic(const Inst &inst, void *d, const void *a, const void *b,
                       const void *c, LaneMask mask);

/// The square root of an f32 or f64 (`type`).
double roundedRoot(unsigned type, Rounding rounding, double x);

/// Stores `v`, which has at most 64 significant bits, as a float of `type`.
void storeRounded(unsigned type, Rounding rounding, void *lanes, unsigned lane,
                  long double v);

} // namespace evo::sim

#endif
