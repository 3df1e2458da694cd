// What belongs to the client behind a proposer.
#ifndef EVO_LIB_PROPOSERS_MODEL_CLIENTS_H
#define EVO_LIB_PROPOSERS_MODEL_CLIENTS_H

#include "evo/Proposers/Model/ModelProposer.h"

namespace evo {

/// Where the prompts of the proposer `name` take costs from, and the folder
/// that they are kept in.
std::pair<FactSource, std::string> factsOf(llvm::StringRef name,
                                           const ModelMeans &means);

} // namespace evo

#endif
