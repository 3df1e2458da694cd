// The worker: a warm process that runs one pipeline on one module at a time,
// each in a fork of itself. Requests and answers are JSON behind a length, on
// standard input and output.
#ifndef EVO_DRIVER_WORKER_H
#define EVO_DRIVER_WORKER_H

#include "evo/Interfaces/Backends.h"
#include "evo/Support/Isolation.h"
#include "mlir/IR/DialectRegistry.h"

namespace evo {

/// Serves requests until its input ends; answers an exit code.
int workerMain(const mlir::DialectRegistry &registry);

/// The same for one that has a GPU to itself, and times kernels on it.
int deviceWorkerMain(int device, llvm::StringRef cudaPath);

/// An evaluator that starts `command` as its workers at first use, and again
/// after one died. `jobs` of them evaluate at a time; 0: one per core.
std::unique_ptr<Evaluator>
createWorkerEvaluator(std::vector<std::string> command, IsolationLimits limits,
                      unsigned jobs = 0);

} // namespace evo

#endif
