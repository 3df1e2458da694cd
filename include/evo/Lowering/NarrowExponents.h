// Exponents of powers, as the device's library takes them.
#ifndef EVO_LOWERING_NARROWEXPONENTS_H
#define EVO_LOWERING_NARROWEXPONENTS_H

namespace mlir {
class Operation;
}

namespace evo {

/// Gives math.fpowi in `root` exponents of 32 bits where they are constants of
/// more. Upstream's conversion calls libdevice's function of an i32 with an
/// exponent of any type.
void narrowExponents(mlir::Operation *root);

} // namespace evo

#endif
