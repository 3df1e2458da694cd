// One worker, seen from the process that started it.
#ifndef EVO_SUPPORT_WORKERPROCESS_H
#define EVO_SUPPORT_WORKERPROCESS_H

#include "evo/Support/Messages.h"
#include <functional>
#include <string>
#include <sys/types.h>
#include <variant>
#include <vector>

namespace evo {

/// A command, or what a fork of this process does with the descriptors to read
/// from and to write to; the latter only while it has one thread.
using WorkerStart =
    std::variant<std::vector<std::string>, std::function<int(int, int)>>;

class WorkerProcess {
public:
  explicit WorkerProcess(WorkerStart how) : how(std::move(how)) {}
  ~WorkerProcess() { stop(); }
  WorkerProcess(const WorkerProcess &) = delete;

  /// Sends a request to the worker, which is started where there is none.
  llvm::Error send(const llvm::json::Value &request);
  /// Waits for the answer.
  llvm::Expected<llvm::json::Value> receive();
  /// Becomes readable when an answer, or the worker's death, is there.
  int descriptor() const { return fromWorker; }
  bool isRunning() const { return child > 0; }
  /// Asks it to end, and waits for that.
  void stop() { end(/*atOnce=*/false); }
  /// Ends it whatever it is at.
  void kill() { end(/*atOnce=*/true); }

private:
  WorkerStart how;
  pid_t child = -1;
  int toWorker = -1, fromWorker = -1;

  llvm::Error start();
  void end(bool atOnce);
};

} // namespace evo

#endif
