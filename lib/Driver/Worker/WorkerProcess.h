// One worker, seen from the process that started it.
#ifndef EVO_LIB_DRIVER_WORKERPROCESS_H
#define EVO_LIB_DRIVER_WORKERPROCESS_H

#include "WorkerProtocol.h"
#include <sys/types.h>

namespace evo {

class WorkerProcess {
public:
  explicit WorkerProcess(const std::vector<std::string> &command)
      : command(command) {}
  ~WorkerProcess() { stop(); }
  WorkerProcess(const WorkerProcess &) = delete;

  /// Sends a request to the worker, which is started where there is none.
  llvm::Error send(const WorkerRequest &request);
  /// Waits for the answer.
  llvm::Expected<WorkerAnswer> receive();
  /// Becomes readable when an answer, or the worker's death, is there.
  int descriptor() const { return fromWorker; }
  void stop();

private:
  const std::vector<std::string> &command;
  pid_t child = -1;
  int toWorker = -1, fromWorker = -1;

  llvm::Error start();
};

} // namespace evo

#endif
