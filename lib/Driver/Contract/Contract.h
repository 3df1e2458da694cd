// Drafted contracts of kernel files.
#ifndef EVO_LIB_DRIVER_CONTRACT_CONTRACT_H
#define EVO_LIB_DRIVER_CONTRACT_CONTRACT_H

#include "Driver/CommandLine.h"

namespace evo {

/// What an error about a file without a contract adds: the lines that were
/// drafted for it, or what they lack; nothing for files that are not CUDA.
std::string describeDraft(llvm::StringRef path, const VerbOptions &options);

} // namespace evo

#endif
