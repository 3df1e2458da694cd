// A launch description for a caller whose sizes are known.
#ifndef EVO_EMIT_BINDSIZES_H
#define EVO_EMIT_BINDSIZES_H

#include "evo/Runtime/LaunchDescription.h"

namespace evo {

/// The description with `sizes` in the place of the dimensions that they name:
/// its launcher takes buffers and scalars alone, and formulas are numbers.
/// Variants for other sizes are left out. Errors: a formula has no value there.
llvm::Error bindSizes(LaunchDescription &description, const Bindings &sizes);

} // namespace evo

#endif
