// Whether code keeps floats from one step to the next, so that results may be
// sums of many terms.
#ifndef EVO_ANALYSIS_KEPTFLOATS_H
#define EVO_ANALYSIS_KEPTFLOATS_H

namespace llvm {
class Module;
}

namespace evo::sim {

/// Whether loops carry floats in registers, memory that it stores floats to
/// is loaded from, or threads hand them on. Arguments are taken for buffers of
/// their own. It errs on the side of saying so.
bool keepsFloats(const llvm::Module &module);

} // namespace evo::sim

#endif
