// What an evaluating worker is asked, and what it answers.
#ifndef EVO_LIB_DRIVER_WORKERPROTOCOL_H
#define EVO_LIB_DRIVER_WORKERPROTOCOL_H

#include "evo/Support/Isolation.h"
#include "evo/Support/Messages.h"
#include "llvm/Support/JSON.h"

namespace evo {

struct WorkerRequest {
  std::string module;   // MLIR text
  std::string pipeline; // textual pipeline on it
  /// Genomes of the proposals in it: what to be warm for if more come.
  std::vector<std::string> genomes;
  IsolationLimits limits;
  llvm::json::Value toJSON() const;
  static llvm::Expected<WorkerRequest> fromJSON(const llvm::json::Value &value);
};

struct WorkerAnswer {
  std::string module; // MLIR text after the pipeline; empty if it failed
  std::string stage;  // the last that was entered
  std::string failure;
  /// What kind of failure; nothing: it went well.
  std::optional<FaultKind> fault;
  /// Seconds of one processor by pass, and by the whole "process", which
  /// besides reads and prints the module.
  std::vector<std::pair<std::string, double>> timings;
  llvm::json::Value toJSON() const;
  static llvm::Expected<WorkerAnswer> fromJSON(const llvm::json::Value &value);
};

} // namespace evo

#endif
