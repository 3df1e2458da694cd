// evo-opt optimize: the whole way, from a kernel file to a folder with the best
// variant, its code, how to launch it, and the report.
#include "Report.h"
#include "Verbs.h"
#include "evo/Emit/Artifacts.h"
#include "evo/Emit/DescribeLaunch.h"
#include "evo/Propose/Strategy.h"
#include "evo/Search/Backends.h"
#include "evo/Search/Interrupt.h"
#include "evo/Support/Files.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include <csignal>

using namespace mlir;
using namespace evo;

static void onInterrupt(int) { requestInterrupt(); }

/// Says what happens while it happens.
static std::function<void(const SearchEvent &)>
makeReporter(const VerbOptions &options) {
  if (options.json)
    return [](const SearchEvent &event) {
      llvm::json::Object object{
          {"event", "candidate"},           {"name", event.candidate},
          {"stage", event.stage},           {"result", event.result},
          {"seconds", event.seconds},       {"spent", int64_t(event.spent)},
          {"budget", int64_t(event.budget)}};
      llvm::json::Object stages;
      for (const auto &[stage, seconds] : event.timings)
        stages[stage] = seconds;
      object["stages"] = std::move(stages);
      if (event.bestMicros > 0)
        object["best_micros"] = event.bestMicros;
      llvm::outs() << llvm::json::Value(std::move(object)) << '\n';
      llvm::outs().flush();
    };
  bool terminal = llvm::sys::Process::StandardErrIsDisplayed();
  return [terminal](const SearchEvent &event) {
    std::string best =
        event.bestMicros > 0
            ? llvm::formatv(", best {0:f1} us", event.bestMicros).str()
            : "";
    std::string line = llvm::formatv("[{0}/{1}] {2}: {3} ({4:f2} s{5})",
                                     event.spent, event.budget, event.candidate,
                                     StringRef(event.result).split('\n').first,
                                     event.seconds, best)
                           .str();
    if (terminal)
      llvm::errs() << "\r\033[K" << StringRef(line).take_front(110);
    else
      llvm::errs() << line << '\n';
  };
}

static llvm::Error writeOutputs(ModuleOp module, KernelOp kernel,
                                const VerbOptions &options, uint64_t seed) {
  if (std::error_code error = llvm::sys::fs::create_directories(options.output))
    return llvm::createStringError("cannot make '" + options.output +
                                   "': " + error.message());
  auto write = [&](StringRef name, StringRef contents) {
    llvm::SmallString<128> path(options.output);
    llvm::sys::path::append(path, name);
    return writeFileAtomically(path, contents);
  };
  llvm::Error errors = llvm::Error::success();
  auto attempt = [&](StringRef name, StringRef contents) {
    errors = llvm::joinErrors(std::move(errors), write(name, contents));
  };
  std::string text;
  llvm::raw_string_ostream os(text);
  module.print(os);
  attempt("best.mlir", text);
  attempt("report.json",
          llvm::formatv("{0:2}\n", makeReport(kernel, seed)).str());
  SmallVector<VariantOp> shipped = findShippedVariants(kernel);
  if (shipped.empty())
    return errors;
  llvm::Expected<std::vector<Artifact>> files = emitArtifacts(kernel, shipped);
  if (!files)
    return llvm::joinErrors(std::move(errors), files.takeError());
  for (const Artifact &file : *files)
    attempt(file.fileName, file.contents);
  return errors;
}

int evo::runOptimize(const VerbOptions &options) {
  if (options.inputs.size() != 1)
    return reportError(options, "'optimize' takes one kernel file"), WrongInput;
  if (options.budget < 1)
    return reportError(options, "'--budget' needs at least one candidate"),
           WrongInput;
  uint64_t seed = chooseSeed(options);
  std::string pipeline =
      llvm::formatv("builtin.module(evo.kernel(evo-raise{{seed={2}},"
                    "evo-search{{proposer={0} budget={1} seed={2} "
                    "target={3}},{4}evo-select{{target={3}}))",
                    options.proposer, options.budget, seed, options.target,
                    options.noGPU ? ""
                                  : "evo-measure{if-available=1 top=" +
                                        std::to_string(options.measureTop) +
                                        " target=" + options.target + "},")
          .str();
  if (options.showPipeline) {
    llvm::outs() << pipeline << '\n';
    return Done;
  }
  if (options.output.empty())
    return reportError(options, "'optimize' needs '-o DIR'"), WrongInput;
  KernelFile file(options.inputs[0], options);
  KernelOp kernel = file.getKernel("the file", /*needsContract=*/true);
  if (!kernel)
    return file.getExitCode();
  addBaseline(kernel);
  BackendInterface *backends =
      BackendInterface::get(&file.getContext(), kernel.getLoc());
  if (!backends)
    return Infrastructure;
  if (!backends->getProposer(options.proposer))
    return reportError(options,
                       "there is no proposer '" + options.proposer + "'"),
           WrongInput;
  if (llvm::Expected<Strategy> strategy = Strategy::load(options.strategy);
      !strategy)
    return reportError(options, llvm::toString(strategy.takeError())),
           WrongInput;
  backends->onEvent = makeReporter(options);
  ::signal(SIGINT, onInterrupt);
  ::signal(SIGTERM, onInterrupt);
  bool ok = succeeded(runPipeline(file.getModule(), pipeline));
  if (!options.json && llvm::sys::Process::StandardErrIsDisplayed())
    llvm::errs() << "\r\033[K";
  // Even a search that failed half-way leaves what it has.
  if (llvm::Error error = writeOutputs(file.getModule(), kernel, options, seed))
    return reportError(options, llvm::toString(std::move(error))),
           Infrastructure;
  if (options.json)
    llvm::outs() << llvm::json::Value(llvm::json::Object{
                        {"event", "done"},
                        {"ok", ok},
                        {"best", kernel.getBest() ? kernel.getBest()->str()
                                                  : std::string()},
                        {"output", options.output}})
                 << '\n';
  else {
    printTable(llvm::outs(), kernel);
    llvm::outs() << (isInterrupted() ? "interrupted; " : "") << "seed " << seed
                 << "; written to " << options.output
                 << ": best.mlir, best.ptx, best.cubin, launch.json, "
                    "launcher.cpp, report.json\n";
  }
  if (!ok)
    return Infrastructure;
  return kernel.getBest() ? Done : Undecided;
}
