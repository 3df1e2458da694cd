// How models are reached, and asked, by the driver's options.
#ifndef EVO_LIB_DRIVER_MODELSETUP_H
#define EVO_LIB_DRIVER_MODELSETUP_H

#include "evo/Driver/Registration.h"
#include "evo/Proposers/Model/ModelProposer.h"

namespace evo {

ModelMeans modelMeans(const BackendOptions &options);
ModelProposerOptions proposerOptions(const BackendOptions &options,
                                     mlir::MLIRContext *context);

/// What else than the search's own settings decides what is tried, for the
/// journal: two searches are one only where this is the same.
std::string describeMeans(const BackendOptions &options);

} // namespace evo

#endif
