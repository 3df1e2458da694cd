// Which run of its journal a search goes on with, and what is said about it.
#ifndef EVO_LIB_DRIVER_RESUME_H
#define EVO_LIB_DRIVER_RESUME_H

#include "Driver/CommandLine.h"
#include "evo/Dialect/Evo/IR/Evo.h"
#include "evo/Journal/Resume.h"

namespace evo {

/// What the journal keeps of a search of `kernel`, as it was read, under
/// `options`; without a seed.
RunRequest describeRequest(KernelOp kernel, const VerbOptions &options);

/// Gives `request` its seed: the one that is named, else that of the unfinished
/// run that the search goes on with, else a drawn one. Says on standard error,
/// or with --json on standard output, which run that is, or why it is a new
/// one. Without a journal there is nothing to say. The error is of the journal;
/// `underWay` is set where another process is at that run.
llvm::Error chooseSeed(RunRequest &request, const VerbOptions &options,
                       std::string &underWay);

} // namespace evo

#endif
