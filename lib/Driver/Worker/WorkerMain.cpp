// The worker's side: warm up, then fork for every request.
#include "Driver/CUDASetup.h"
#include "WorkerProtocol.h"
#include "evo/Driver/Worker.h"
#include "evo/Interfaces/Faults.h"
#include "evo/Interfaces/Structure.h"
#include "evo/Runtime/CUDA/TimingService.h"
#include "evo/Support/FileLock.h"
#include "evo/Support/JSON.h"
#include "mlir/IR/AsmState.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include <cmath>
#include <csignal>
#include <sys/prctl.h>
#include <thread>
#include <unistd.h>

using namespace mlir;
using namespace evo;

namespace {

/// Announces each pass on the descriptor before it runs, so that a death can be
/// laid at its door, and measures it.
class StageReporter : public PassInstrumentation {
public:
  StageReporter(int descriptor, WorkerAnswer &answer)
      : descriptor(descriptor), answer(answer) {}

  void runBeforePass(Pass *pass, Operation *) override {
    if (pass->getArgument().empty())
      return; // adaptors
    answer.stage = pass->getArgument().str();
    writeAll(descriptor, "stage " + answer.stage + "\n");
    start = getCPUSeconds();
  }
  void runAfterPass(Pass *pass, Operation *) override { finish(pass); }
  void runAfterPassFailed(Pass *pass, Operation *) override { finish(pass); }

private:
  int descriptor;
  WorkerAnswer &answer;
  double start = 0;

  void finish(Pass *pass) {
    if (!pass->getArgument().empty())
      answer.timings.emplace_back(pass->getArgument().str(),
                                  getCPUSeconds() - start);
  }
};

} // namespace

/// LLVM ends the process on a fatal error; its words are worth keeping.
static void onFatalError(void *descriptor, const char *reason, bool) {
  // no diagnostic: the protocol's word and what the parent passes on
  std::string line = "fatal LLVM ERROR: " + std::string(reason);
  llvm::replace(line, '\n', ' ');
  writeAll(*static_cast<int *>(descriptor), line + "\n");
}

/// So is that it was memory which LLVM did not get.
static void onBadAlloc(void *descriptor, const char *, bool) {
  writeAll(*static_cast<int *>(descriptor), "memory\n");
  abort();
}

/// Who asks about a candidate has the reference, and would only read it again.
static void dropWhatWasGiven(ModuleOp module) {
  for (auto kernel : module.getOps<KernelOp>())
    if (kernel->removeAttr(candidateOnlyAttr))
      for (Operation &op : llvm::make_early_inc_range(kernel.getBody().front()))
        if (isa<ReferenceOp, RaisedOp>(op))
          op.erase();
}

/// Runs the request in this process (a fork) and writes the answer.
static int runRequest(const WorkerRequest &request, MLIRContext &context,
                      int descriptor) {
  llvm::install_fatal_error_handler(onFatalError, &descriptor);
  llvm::install_bad_alloc_error_handler(onBadAlloc, &descriptor);
  llvm::install_out_of_memory_new_handler(); // which calls that one
  WorkerAnswer answer;
  std::string diagnostics;
  FaultKind fault = FaultKind::Candidate; // the first that is none of it
  context.getDiagEngine().registerHandler([&](Diagnostic &diag) {
    if (diag.getSeverity() != DiagnosticSeverity::Error)
      return success();
    diagnostics += (diagnostics.empty() ? "" : "\n") + diag.str();
    if (fault == FaultKind::Candidate)
      fault = faultOf(diag);
    return success();
  });
  writeAll(descriptor, "stage parse\n");
  answer.stage = "parse";
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(request.module, &context);
  bool ok = bool(module);
  if (ok) {
    PassManager passes(&context, ModuleOp::getOperationName());
    passes.addInstrumentation(
        std::make_unique<StageReporter>(descriptor, answer));
    std::string error;
    llvm::raw_string_ostream os(error);
    FailureOr<OpPassManager> parsed = parsePassPipeline(request.pipeline, os);
    if (succeeded(parsed)) {
      static_cast<OpPassManager &>(passes) = std::move(*parsed);
      ok = succeeded(passes.run(*module));
    } else {
      diagnostics = error;
      ok = false;
    }
  }
  if (ok || module) {
    dropWhatWasGiven(*module);
    llvm::raw_string_ostream os(answer.module);
    module->print(os, OpPrintingFlags().enableDebugInfo());
  }
  if (!ok) {
    answer.fault = fault;
    answer.failure =
        // unreachable: what fails says why
        diagnostics.empty() ? "failed without a diagnostic" : diagnostics;
  }
  writeAll(descriptor, "answer\n");
  return sendMessage(descriptor, answer.toJSON()) ? 0 : 1;
}

static llvm::Expected<WorkerAnswer> parseAnswer(StringRef text) {
  llvm::Expected<llvm::json::Value> value = evo::parseJSON(text);
  if (!value)
    return value.takeError();
  return WorkerAnswer::fromJSON(*value);
}

/// What a child's end says to people.
static std::string describeDeath(const IsolatedResult &result, bool outOfMemory,
                                 const IsolationLimits &limits) {
  if (!result.fault())
    return "the evaluation ended without an answer";
  std::string text = result.describe();
  if (outOfMemory)
    return llvm::formatv("ran out of memory, which is limited to {0:f1} GiB of "
                         "addresses: {1}",
                         std::ldexp(limits.memoryBytes, -30), text);
  if (result.fault() == FaultKind::OutOfMemory)
    text += ", as the system does where memory is short, or at a limit of the "
            "processor's time";
  return text;
}

/// Reads the answer out of what the child wrote; a dead child gets one made.
static WorkerAnswer readAnswer(const IsolatedResult &result,
                               const IsolationLimits &limits) {
  WorkerAnswer answer;
  StringRef rest = result.output;
  std::optional<std::string> fatal; // what LLVM ended the process over
  bool outOfMemory = false;
  while (true) {
    auto [line, after] = rest.split('\n');
    // data format: lines of the worker protocol
    if (line.consume_front("stage "))
      answer.stage = line.str();
    // data format: lines of the worker protocol
    else if (line.consume_front("fatal "))
      fatal = line.str();
    else if (line == "memory")
      outOfMemory = true;
    else
      break;
    rest = after;
  }
  std::optional<FaultKind> end = result.fault();
  if (rest.consume_front("answer\n") && rest.size() > 17 && !end) {
    llvm::Expected<WorkerAnswer> read = parseAnswer(rest.drop_front(17));
    if (read)
      return std::move(*read);
    llvm::consumeError(read.takeError());
  }
  answer.fault =
      outOfMemory ? FaultKind::OutOfMemory : end.value_or(FaultKind::Crashed);
  answer.failure = describeDeath(result, outOfMemory, limits);
  if (fatal)
    answer.failure = *fatal + "; " + answer.failure;
  return answer;
}

/// Warms up for the genomes of a request, the more so for those that come
/// again: one candidate alone would pay more for that than it saves.
static void warmUp(MLIRContext &context, const WorkerRequest &request,
                   llvm::StringMap<unsigned> &served) {
  auto *dialect = context.getLoadedDialect<EvoDialect>();
  auto *backends = dialect->getRegisteredInterface<BackendInterface>();
  for (const std::string &name : request.genomes) {
    std::optional<Genome> genome = symbolizeGenome(name);
    const unsigned count = ++served[name];
    if (!backends || !genome || count > 2)
      continue;
    if (Materializer *materializer = backends->getMaterializer(*genome))
      materializer->warmUp(/*isRepeated=*/count == 2);
  }
}

static pid_t whoStartedIt;

/// The signal also comes when only the thread ended that started the worker.
static void onDeathOfParent(int) {
  if (getppid() != whoStartedIt)
    _exit(0);
}

/// Ends this process with the one that started it, and with this one whatever
/// it is at: nobody waits for that any more.
static void endWithParent() {
  whoStartedIt = getppid();
  ::signal(SIGUSR1, onDeathOfParent);
  prctl(PR_SET_PDEATHSIG, SIGUSR1);
}

/// Waits until no other run of ours times on that device. Where nothing can be
/// written, as where it is another user's who does, nobody is waited for.
static std::shared_ptr<void> lockDevice(StringRef pciBusId) {
  llvm::SmallString<128> path;
  llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, path);
  std::string name = "evo-gpu-" + pciBusId.str() + ".lock";
  llvm::replace(name, ':', '-');
  llvm::sys::path::append(path, name);
  while (true) {
    auto lock = FileLock::take(path.str().str());
    if (!lock) {
      llvm::consumeError(lock.takeError());
      return nullptr;
    }
    if (*lock)
      return std::make_shared<FileLock>(std::move(**lock));
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

int evo::deviceWorkerMain(int device, StringRef cudaPath) {
  endWithParent();
  ::signal(SIGINT, SIG_IGN);
  ::signal(SIGPIPE, SIG_IGN);
  auto openCounters =
      [&](cuda::DriverHandle context,
          int ordinal) -> llvm::Expected<std::unique_ptr<cuda::CounterReader>> {
    cuda::FoundToolkit found = findToolkit(cudaPath.str());
    if (!found.toolkit || found.toolkit->getProfiler().empty())
      // unreachable: without a device, which the tests have not
      return llvm::createStringError("no libcupti.so was found");
    return cuda::createCuptiReader(found.toolkit->getProfiler(), context,
                                   ordinal);
  };
  return cuda::serveTiming([device] { return cuda::Session::open(device); },
                           STDIN_FILENO, STDOUT_FILENO, openCounters,
                           lockDevice);
}

int evo::workerMain(const DialectRegistry &registry) {
  endWithParent();
  ::signal(SIGINT, SIG_IGN); // the parent decides when to stop
  ::signal(SIGPIPE, SIG_IGN);
  removeAbandonedScratch();
  // One thread: a fork copies only the thread that calls it.
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  llvm::StringMap<unsigned> served; // requests by genome
  while (true) {
    llvm::Expected<llvm::json::Value> message = receiveMessage(STDIN_FILENO);
    if (!message) {
      llvm::consumeError(message.takeError());
      return 0;
    }
    llvm::Expected<WorkerRequest> request = WorkerRequest::fromJSON(*message);
    if (!request) {
      llvm::errs() << "evo worker: " << llvm::toString(request.takeError())
                   << "\n";
      return 4;
    }
    warmUp(context, *request, served);
    llvm::Expected<IsolatedResult> result = runIsolated(
        [&](int descriptor) {
          return runRequest(*request, context, descriptor);
        },
        request->limits);
    if (!result) {
      llvm::errs() << "evo worker: " << llvm::toString(result.takeError())
                   << "\n";
      return 4;
    }
    WorkerAnswer answer = readAnswer(*result, request->limits);
    answer.timings.emplace_back("process", result->cpuSeconds);
    if (!sendMessage(STDOUT_FILENO, answer.toJSON()))
      return 0;
  }
}
