// Launch plans as named rewrites of the reference.
#ifndef EVO_TRANSFORMS_KERNEL_OPTIONSMATERIALIZER_H
#define EVO_TRANSFORMS_KERNEL_OPTIONSMATERIALIZER_H

#include "evo/Interfaces/Backends.h"

namespace evo {

/// The genome `options`: a copy of the reference's launch plan with named
/// rewrites applied (see Rewrites.h).
std::unique_ptr<Materializer> createOptionsMaterializer();

} // namespace evo

#endif
