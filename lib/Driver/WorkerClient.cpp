// The searching process's side of a worker.
#include "WorkerProtocol.h"
#include "evo/Driver/Worker.h"
#include "evo/Search/Interrupt.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/Errno.h"
#include <csignal>
#include <fcntl.h>
#include <mutex>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;
using namespace evo;

extern char **environ;

namespace {
class WorkerEvaluator : public Evaluator {
public:
  WorkerEvaluator(std::vector<std::string> command, IsolationLimits limits)
      : command(std::move(command)), limits(limits) {}
  ~WorkerEvaluator() override { stop(); }

  FailureOr<Outcome> evaluate(ModuleOp module, StringRef pipeline) override;

private:
  std::vector<std::string> command;
  IsolationLimits limits;
  pid_t child = -1;
  int toWorker = -1, fromWorker = -1;
  /// One question at a time: a host may run passes on several kernels at once.
  std::mutex asking;

  llvm::Error start();
  void stop();
  llvm::Expected<WorkerAnswer> exchange(const WorkerRequest &request);
};
} // namespace

llvm::Error WorkerEvaluator::start() {
  int in[2], out[2];
  if (pipe2(in, O_CLOEXEC) != 0)
    return llvm::createStringError("cannot make a pipe: " +
                                   llvm::sys::StrError());
  if (pipe2(out, O_CLOEXEC) != 0) {
    close(in[0]);
    close(in[1]);
    return llvm::createStringError("cannot make a pipe: " +
                                   llvm::sys::StrError());
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[0], 0);
  posix_spawn_file_actions_adddup2(&actions, out[1], 1);
  std::vector<char *> argv;
  argv.reserve(command.size() + 1);
  for (std::string &arg : command)
    argv.push_back(arg.data());
  argv.push_back(nullptr);
  int error =
      posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(in[0]);
  close(out[1]);
  toWorker = in[1];
  fromWorker = out[0];
  if (error == 0)
    return llvm::Error::success();
  child = -1;
  stop();
  return llvm::createStringError("cannot start the worker '" + command[0] +
                                 "': " + llvm::sys::StrError(error));
}

void WorkerEvaluator::stop() {
  for (int *descriptor : {&toWorker, &fromWorker})
    if (*descriptor >= 0) {
      close(*descriptor);
      *descriptor = -1;
    }
  if (child > 0) {
    kill(child, SIGTERM);
    while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  child = -1;
}

/// Waits for the worker to answer, or to die; false once the run is
/// interrupted. A signal may come just before poll sleeps, hence the steps.
static bool waitUnlessInterrupted(int descriptor) {
  pollfd poller{descriptor, POLLIN, 0};
  while (!isInterrupted()) {
    int ready = poll(&poller, 1, 100);
    if (ready > 0 || (ready < 0 && errno != EINTR))
      return true;
  }
  return false;
}

llvm::Expected<WorkerAnswer>
WorkerEvaluator::exchange(const WorkerRequest &request) {
  if (child < 0)
    if (llvm::Error error = start())
      return std::move(error);
  if (!sendMessage(toWorker, request.toJSON()))
    return llvm::createStringError("the worker does not listen");
  if (!waitUnlessInterrupted(fromWorker))
    return llvm::createStringError("interrupted");
  llvm::Expected<llvm::json::Value> message = receiveMessage(fromWorker);
  if (!message)
    return message.takeError();
  return WorkerAnswer::fromJSON(*message);
}

FailureOr<Outcome> WorkerEvaluator::evaluate(ModuleOp module,
                                             StringRef pipeline) {
  WorkerRequest request;
  request.pipeline = pipeline.str();
  request.limits = limits;
  module.walk([&](ProposalOp proposal) {
    request.genomes.push_back(proposal.getGenome().str());
  });
  llvm::raw_string_ostream os(request.module);
  module.print(os, OpPrintingFlags().enableDebugInfo());
  Outcome outcome;
  std::lock_guard<std::mutex> lock(asking);
  llvm::Expected<WorkerAnswer> answer = exchange(request);
  // Once more with a new worker: this one may have been killed from outside.
  std::string first;
  if (!answer && !isInterrupted()) {
    first = llvm::toString(answer.takeError());
    stop();
    answer = exchange(request);
  }
  if (!answer) {
    stop();
    std::string why = llvm::toString(answer.takeError());
    // The candidate in flight is given up with its worker.
    outcome.interrupted = isInterrupted();
    if (outcome.interrupted)
      return outcome;
    return module.emitError()
               << "the worker failed twice: " << first << "; " << why,
           failure();
  }
  outcome.stage = answer->stage;
  outcome.failure = answer->failure;
  outcome.timings = std::move(answer->timings);
  if (!answer->module.empty()) {
    ScopedDiagnosticHandler quiet(module.getContext(), [&](Diagnostic &diag) {
      outcome.failure = "the result cannot be read back: " + diag.str();
      return success();
    });
    outcome.module =
        parseSourceString<ModuleOp>(answer->module, module.getContext());
  }
  return outcome;
}

std::unique_ptr<Evaluator>
evo::createWorkerEvaluator(std::vector<std::string> command,
                           IsolationLimits limits) {
  return std::make_unique<WorkerEvaluator>(std::move(command), limits);
}
