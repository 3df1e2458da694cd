// evo-opt optimize: the whole way, from a kernel file to a folder with the best
// variant, its code, how to launch it, and the report.
#include "Causes.h"
#include "Driver/Optimize/Progress.h"
#include "Driver/Optimize/Resume.h"
#include "Driver/Optimize/RunFolder.h"
#include "Driver/Optimize/Wording.h"
#include "Estimate.h"
#include "ModelSetup.h"
#include "Report.h"
#include "Spending.h"
#include "Verbs.h"
#include "Winner/Winner.h"
#include "evo/Dialect/Evo/IR/Shipped.h"
#include "evo/Driver/Headline.h"
#include "evo/Emit/Artifacts.h"
#include "evo/Emit/DescribeLaunch.h"
#include "evo/Interfaces/Backends.h"
#include "evo/Interfaces/Faults.h"
#include "evo/Interfaces/Interrupt.h"
#include "evo/Interfaces/SearchSession.h"
#include "evo/Proposers/Model/Strategy.h"
#include "evo/Support/Counted.h"
#include "evo/Support/Files.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include <csignal>
#include <unistd.h>

using namespace mlir;
using namespace evo;

static void onInterrupt(int) { requestInterrupt(); }

/// What a run leaves where there is a winner, or an explanation of it.
static constexpr StringRef filesOfWinners[] = {
    "best.ptx",    "best.cubin",   "best.cu",       winnerFile,
    "launch.json", "launcher.cpp", "explanation.md"};

/// Writes what was found, whole; answers the names of the files.
static llvm::Expected<std::vector<std::string>>
writeOutputs(StringRef folder, ModuleOp module, KernelOp kernel,
             ArrayRef<Tradeoff> front, const VerbOptions &options,
             uint64_t seed, const SearchSummary &summary) {
  auto print = [](llvm::json::Object object) {
    return llvm::formatv("{0:2}\n", llvm::json::Value(std::move(object))).str();
  };
  std::string text;
  llvm::raw_string_ostream(text) << module;
  llvm::json::Object report = makeReport(kernel, front, seed, options.target);
  reportSpending(report, kernel, summary, *options.ledger);
  std::vector<FileContents> files = {
      {"best.mlir", std::move(text)},
      {"report.json", print(std::move(report))},
      {"timings.json", print(reportTimings(summary, *options.ledger))},
      {"run.json", describeRun(kernel, options, seed)}};
  SmallVector<VariantOp> shipped = findShippedVariants(kernel);
  if (!shipped.empty()) {
    llvm::Expected<std::vector<Artifact>> artifacts =
        emitArtifacts(kernel, shipped);
    if (!artifacts)
      return artifacts.takeError();
    addWinner(kernel, options, seed, *artifacts);
    for (Artifact &artifact : *artifacts)
      files.push_back({artifact.fileName, std::move(artifact.contents)});
  }
  if (llvm::Error error = writeFilesAtomically(folder, files, filesOfWinners))
    return std::move(error);
  std::vector<std::string> names;
  for (const FileContents &file : files)
    names.push_back(file.name);
  return names;
}

/// What is spent on the verdict of a candidate. Nearly all of our own are
/// right, and what ships is judged once more; a model tries whatever passes.
static Effort chooseEffort(const VerbOptions &options) {
  return options.effort.value_or(
      options.proposer == "search" ? Effort::Quick : Effort::Default);
}

/// The last pass, on other samples than the search had.
static std::string confirmPass(const VerbOptions &options, uint64_t seed) {
  if (!options.confirm)
    return "";
  return llvm::formatv(",evo-confirm{{target={0} effort={1} seed={2}}",
                       options.target, stringifyEffort(*options.confirm),
                       seed + 1)
      .str();
}

/// The whole search as a pipeline.
static std::string makePipeline(const VerbOptions &options, uint64_t seed) {
  std::string bounds, measured;
  auto add = [](std::string &text, StringRef name, double value) {
    if (value > 0)
      llvm::raw_string_ostream(text)
          << ' ' << name << '=' << llvm::format("%.10g", value);
  };
  add(bounds, "seconds", options.maxSeconds);
  add(bounds, "stop-at", options.stopAt);
  add(bounds, "stop-at-floor", options.stopAtFloor);
  add(measured, "seconds", options.maxGPUSeconds);
  if (!options.noGPU) {
    bounds += " measurer=gpu";
    add(bounds, "measure-seconds", options.maxGPUSeconds);
  }
  if (options.patience > 0)
    bounds += " patience=" + std::to_string(options.patience);
  return llvm::formatv("builtin.module(evo.kernel(evo-raise{{seed={2}},"
                       "evo-search{{proposer={0} budget={1} seed={2} "
                       "target={3} effort={6}{5}},{4}evo-select{{target={3}}"
                       "{7}))",
                       options.proposer, options.budget, seed, options.target,
                       options.noGPU
                           ? ""
                           : "evo-measure{if-available=1 top=" +
                                 std::to_string(options.measureTop) + measured +
                                 " target=" + options.target + "},",
                       bounds, stringifyEffort(chooseEffort(options)),
                       confirmPass(options, seed))
      .str();
}

/// The end of that, where the search failed before it.
static std::string selectPipeline(const VerbOptions &options) {
  return "builtin.module(evo.kernel(evo-select{target=" + options.target +
         "}))";
}

/// What is wrong with the command line; empty: nothing.
static std::string findMistake(const VerbOptions &options) {
  if (options.inputs.size() != 1)
    return "'optimize' takes one kernel file";
  if (options.budget < 1)
    return "'--budget' needs one candidate or more";
  if (options.stopAtFloor > 1)
    return "'--stop-at-floor' is a share, 0 to 1";
  if (options.dryRun && options.proposer == "search")
    return "'--dry-run' is for proposers that ask a model";
  if (options.explain && options.proposer == "search")
    return "'--explain' is for proposers that ask a model";
  if (options.noGPU && !options.devices.empty())
    return "'--devices' is of no use with '--no-gpu'";
  if (!options.showPipeline && !options.dryRun && options.output.empty())
    return "'optimize' needs '-o DIR'";
  return "";
}

/// The options with what follows from others, and the ledger.
static llvm::Expected<VerbOptions> complete(VerbOptions options) {
  llvm::Expected<std::shared_ptr<llm::Ledger>> ledger = makeLedger(options);
  if (!ledger)
    return ledger.takeError();
  options.ledger = std::move(*ledger);
  bool isCapped = options.maxTokens > 0 || options.maxMoney > 0;
  if (isCapped && options.answerTokens == 0)
    options.answerTokens = 16384;
  if (options.dryRun) {
    options.dryRunLog = std::make_shared<llm::DryRun>();
    // Nobody is to go on with a search that asks nobody.
    if (options.archive.empty())
      options.archive = options.journal;
    options.journal.clear();
  }
  return options;
}

/// Writes explanation.md where that is asked for and there is a winner.
static llvm::Error explain(KernelOp kernel, const VerbOptions &options) {
  auto best = options.explain && kernel.getBest()
                  ? kernel.lookupSymbol<VariantOp>(*kernel.getBest())
                  : VariantOp();
  if (!best)
    return llvm::Error::success();
  BackendOptions backends = backendOptions(options);
  llvm::Expected<std::string> text =
      explainVariant(kernel, best, options.proposer, modelMeans(backends),
                     proposerOptions(backends, kernel.getContext()));
  if (!text)
    return text.takeError();
  llvm::SmallString<128> path(options.output);
  llvm::sys::path::append(path, "explanation.md");
  return writeFileAtomically(path, StringRef(*text).trim().str() + "\n");
}

/// The exit code where the kernel as it was given fails by what no candidate
/// can be blamed for, which is reported; Done where it does not, or was not
/// tried.
static ExitCode answerBaseline(KernelOp kernel, const VerbOptions &options) {
  auto baseline = kernel.lookupSymbol<ProposalOp>(baselineName);
  std::optional<FaultKind> fault;
  if (baseline)
    fault = faultOf(baseline);
  if (fault != FaultKind::Reference && fault != FaultKind::Machine)
    return Done;
  reportError(options, *baseline.getFailure());
  return fault == FaultKind::Machine ? Infrastructure : WrongInput;
}

/// Whether there are sizes to rank variants at. A kernel whose sizes are all
/// literals has one workload, whether or not that is said.
static bool hasWorkload(KernelOp kernel) {
  if (ArrayAttr workloads = kernel.getWorkloadsAttr();
      workloads && !workloads.empty())
    return true;
  bool takesSizes =
      !kernel.getDimensionNames().empty() ||
      llvm::any_of(kernel.getArgsAttr().getAsRange<ArgumentAttr>(),
                   [](ArgumentAttr argument) { return !argument.isBuffer(); });
  if (takesSizes)
    return false;
  MLIRContext *context = kernel.getContext();
  Attribute only =
      WorkloadAttr::get(context, DictionaryAttr::get(context), /*weight=*/1);
  kernel.setWorkloadsAttr(ArrayAttr::get(context, only));
  return true;
}

/// What a user is to add, with the names that the sizes have.
static std::string describeMissingWorkload(KernelOp kernel) {
  std::string example;
  for (StringRef name : kernel.getDimensionNames())
    example += (example.empty() ? "" : ", ") + name.str() + " = 1024";
  return "the kernel has no workload, so that no time can be estimated and "
         "nothing could win: add the sizes that it is used at, as in "
         "'// evo.workload " +
         example + "'";
}

/// What is wrong with how a model is to be asked, before anything is run.
static llvm::Error checkMeans(const VerbOptions &options) {
  if (options.proposer == "search")
    return llvm::Error::success();
  if (llvm::Error error = createModelClient(options.proposer,
                                            modelMeans(backendOptions(options)))
                              .takeError())
    return error;
  if (options.proposer != "llm")
    return llvm::Error::success();
  return checkPrices(options, *options.ledger);
}

/// Notes in the journal that nobody need go on with the run.
static llvm::Error keepEnd(const RunRequest &request, bool ok,
                           const SearchSummary &summary,
                           const VerbOptions &options) {
  if (options.journal.empty() || !ok || isInterrupted())
    return llvm::Error::success();
  return finishRun(options.journal, request,
                   summary.stopped ? summary.stopped.text
                                   : "the budget was used");
}

static void printDone(KernelOp kernel, ArrayRef<Tradeoff> front, bool ok,
                      const SearchSummary &summary, const VerbOptions &options,
                      uint64_t seed, StringRef folder,
                      ArrayRef<std::string> files) {
  if (options.json) {
    llvm::outs() << llvm::json::Value(llvm::json::Object{
                        {"event", "done"},
                        {"ok", ok},
                        {"best", kernel.getBest() ? kernel.getBest()->str()
                                                  : std::string()},
                        {"headline", makeHeadline(kernel)},
                        {"output", folder},
                        {"stopped", summary.stopped.text},
                        {"causes", describeCauses(collectCauses(kernel))}})
                 << '\n';
    return;
  }
  // What most people look for stands first and last.
  std::string headline = makeHeadline(kernel);
  llvm::outs() << (headline.empty() ? "no variant was accepted" : headline)
               << '\n';
  printTable(llvm::outs(), kernel, front, options.target,
             columnsOf(STDOUT_FILENO));
  if (VariantOp baseline = kernel.lookupBaseline();
      baseline && kernel.getBest() == baseline.getSymName())
    printAdviceBesideBaseline(llvm::outs(), kernel, summary);
  printSpending(llvm::outs(), summary, *options.ledger);
  for (StringRef readable : {StringRef("best.cu"), StringRef(winnerFile)})
    if (llvm::is_contained(files, readable))
      llvm::outs() << "the winner to read is " << folder << "/" << readable
                   << "; 'evo-opt report " << folder
                   << " -o PAGE.html' shows the search\n";
  if (isInterrupted())
    llvm::outs() << "interrupted after " << summary.spent << " of "
                 << counted(summary.budget, "candidate") << "; ";
  llvm::outs() << "seed " << seed << "; written to " << folder << ": "
               << llvm::join(files, ", ") << '\n';
  if (folder != options.output)
    llvm::outs() << "what an earlier run has left in " << options.output
                 << " stays there\n";
  if (llvm::is_contained(files, "best.ptx") &&
      !llvm::is_contained(files, "best.cubin"))
    llvm::outs() << "no assembler was found (nvJitLink or ptxas): PTX only\n";
  if (!headline.empty())
    llvm::outs() << headline << '\n';
  if (!kernel.getBest())
    printCauses(llvm::outs(), kernel, summary);
}

int evo::runOptimize(const VerbOptions &given) {
  if (std::string mistake = findMistake(given); !mistake.empty())
    return reportError(given, mistake), WrongInput;
  if (given.showPipeline) {
    llvm::outs() << makePipeline(given, chooseSeed(given)) << '\n';
    return Done;
  }
  llvm::Expected<VerbOptions> completed = complete(given);
  if (!completed)
    return reportError(given, llvm::toString(completed.takeError())),
           WrongInput;
  // That of the only kernel; it keeps the journal until the end.
  auto session = std::make_shared<SearchSession>();
  Progress *watcher = nullptr;
  completed->onSession = [&](const std::shared_ptr<SearchSession> &opened) {
    session = opened;
    if (watcher)
      watcher->watch(*session);
  };
  auto request = std::make_shared<RunRequest>();
  completed->runRequest = request;
  const VerbOptions &options = *completed;
  KernelFile file(options.inputs[0], options);
  KernelOp kernel = file.getKernel("the file", /*needsContract=*/true);
  if (!kernel)
    return file.getExitCode();
  if (!hasWorkload(kernel))
    return reportError(options, describeMissingWorkload(kernel)), WrongInput;
  const BackendInterface *backends =
      BackendInterface::get(&file.getContext(), kernel.getLoc());
  if (!backends)
    return Infrastructure;
  if (!backends->getProposer(options.proposer))
    return reportError(options,
                       "there is no proposer '" + options.proposer + "'" +
                           suggest(options.proposer,
                                   {"search", "replay", "exchange", "llm"})),
           WrongInput;
  if (auto why = whyNoDevices(options, *backends))
    return reportError(options, *why), Infrastructure;
  llvm::Expected<Strategy> strategy = Strategy::load(options.strategy);
  if (!strategy) {
    std::vector<std::string> names = Strategy::builtinNames();
    return reportError(options, llvm::toString(strategy.takeError()) +
                                    suggest(options.strategy,
                                            SmallVector<StringRef>(
                                                names.begin(), names.end()))),
           WrongInput;
  }
  if (llvm::Error error = checkMeans(options)) {
    std::string why = llvm::toString(std::move(error));
    return reportError(options, "proposer '" + options.proposer + "': " + why),
           WrongInput;
  }
  // A search whose result cannot be kept is not begun.
  RunFolder folder;
  if (!options.dryRun) {
    RunFolder::Problem problem;
    llvm::Expected<RunFolder> entered =
        RunFolder::enter(options.output, kernel, options.force, problem);
    if (!entered)
      return reportError(options, llvm::toString(entered.takeError())),
             problem == RunFolder::Problem::OfAnother ? WrongInput
                                                      : Infrastructure;
    folder = std::move(*entered);
  }
  *request = describeRequest(kernel, options);
  std::string underWay;
  if (llvm::Error error = chooseSeed(*request, options, underWay))
    return reportError(options, llvm::toString(std::move(error))), WrongInput;
  if (!underWay.empty())
    return reportError(options, underWay), Infrastructure;
  const uint64_t seed = request->seed;
  Progress progress(file.getContext(), options);
  watcher = &progress;
  progress.waitFor("the audit of the contract");
  // A contract that rewards a cheat should be known before one is found. What
  // is wrong with the reference, the search itself says.
  {
    ScopedDiagnosticHandler warningsOnly(
        &file.getContext(), [](Diagnostic &diagnostic) {
          return success(diagnostic.getSeverity() == DiagnosticSeverity::Error);
        });
    (void)runPipeline(file.getModule(), auditPipeline(options, seed));
    kernel->removeAttr(auditAttr);
  }
  addBaseline(kernel);
  progress.waitFor("a structured form of the kernel");
  ::signal(SIGINT, onInterrupt);
  ::signal(SIGTERM, onInterrupt);
  ::signal(SIGPIPE, SIG_IGN); // the result is the folder, not what is printed
  bool ok =
      succeeded(runPipeline(file.getModule(), makePipeline(options, seed)));
  progress.end();
  if (options.dryRun) {
    printDryRun(llvm::outs(), *options.dryRunLog, *options.ledger, *strategy,
                options);
    return ok ? Done : Infrastructure;
  }
  if (ExitCode code = answerBaseline(kernel, options))
    return code;
  // Even a search that failed half-way leaves what it has: what was accepted
  // until then is as good as it would be at the end.
  if (!ok && !kernel.getBest() &&
      failed(runPipeline(file.getModule(), selectPipeline(options))))
    reportError(options, "nothing could be selected of what was accepted");
  std::string place = folder.chooseFor(kernel.getBest().has_value());
  folder.release();
  if (llvm::Error error = prepareFolder(place))
    return reportError(options, llvm::toString(std::move(error))),
           Infrastructure;
  const SmallVector<Tradeoff> front = findParetoFront(kernel);
  llvm::Expected<std::vector<std::string>> files = writeOutputs(
      place, file.getModule(), kernel, front, options, seed, session->summary);
  if (!files)
    return reportError(options, llvm::toString(files.takeError())),
           Infrastructure;
  if (llvm::Error error = explain(kernel, options)) {
    reportError(options, "no explanation: " + llvm::toString(std::move(error)));
    ok = false;
  }
  if (llvm::Error error = keepEnd(*request, ok, session->summary, options)) {
    reportError(options, llvm::toString(std::move(error)));
    ok = false;
  }
  printDone(kernel, front, ok, session->summary, options, seed, place, *files);
  if (!ok)
    return Infrastructure;
  return kernel.getBest() ? Done : Undecided;
}
