// The winner of a search as a file that people read and that the tool takes
// again.
#ifndef EVO_LIB_DRIVER_WINNER_WINNER_H
#define EVO_LIB_DRIVER_WINNER_WINNER_H

#include "Driver/CommandLine.h"
#include "evo/Emit/Artifacts.h"

namespace evo {

/// The name of the file where the winner is no CUDA C++.
inline constexpr llvm::StringLiteral winnerFile = "best.kernel.mlir";

/// Adds the contract and where it comes from to best.cu among `files`; where
/// there is none, adds the winner as an evo.kernel whose reference it is, of
/// structured code as far as it has such a form.
void addWinner(KernelOp kernel, const VerbOptions &options, uint64_t seed,
               std::vector<Artifact> &files);

} // namespace evo

#endif
