// What all verbs need: options for the backends, pipelines, output.
#include "Verbs.h"
#include "evo/Driver/Registration.h"
#include "evo/Schedule/Schedule.h"
#include "evo/Support/Files.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include <random>

using namespace mlir;
using namespace evo;

BackendOptions evo::backendOptions(const VerbOptions &options) {
  BackendOptions backends;
  backends.cudaPath = options.cudaPath;
  backends.cudaStandard = options.standard;
  backends.target = options.target;
  backends.includes = options.includes;
  backends.defines = options.defines;
  backends.exchangeDirectory = options.exchangeDirectory;
  backends.recordDirectory = options.recordDirectory;
  backends.replayDirectory = options.replayDirectory;
  backends.replayByTask = options.replayByTask;
  backends.model = options.model;
  backends.baseURL = options.baseURL;
  backends.keyVariable = options.keyVariable;
  backends.keyFile = options.keyFile;
  backends.headers = options.headers;
  backends.temperature = options.temperature;
  backends.exchangeTimeout = options.exchangeTimeout;
  backends.promptDirectory = options.promptDirectory;
  backends.strategy = options.strategy;
  backends.structured = options.structured;
  backends.journal = options.journal;
  backends.runRequest = options.runRequest;
  backends.archive =
      options.archive.empty() ? options.journal : options.archive;
  backends.messagesForm = options.messagesForm;
  backends.attempts = options.attempts;
  backends.answerSeconds = options.answerSeconds;
  backends.answerTokens = options.answerTokens;
  backends.verificationSeconds = options.seconds;
  backends.jobs = options.jobs;
  if (!options.devices.empty())
    backends.devices = options.devices;
  backends.ledger = options.ledger;
  backends.dryRun = options.dryRunLog;
  backends.onSession = options.onSession;
  return backends;
}

std::optional<std::string> evo::whyNoDevices(const VerbOptions &options,
                                             const BackendInterface &backends) {
  if (options.devices.empty())
    return std::nullopt;
  std::string why;
  Measurer *timer = backends.getMeasurer("gpu");
  if (timer && timer->isAvailable(why))
    return std::nullopt;
  return "'--devices': " + why;
}

bool evo::addBaseline(KernelOp kernel) {
  ReferenceOp reference = kernel.getReference();
  if (!kernel.hasContract() || !reference || kernel.lookupSymbol(baselineName))
    return false;
  // Tensors have no kernel of their own: the plain mapping, a kernel per op and
  // a thread per element, is what others are compared with.
  bool isPlan = reference.isLaunchPlan();
  OpBuilder b = OpBuilder::atBlockEnd(&kernel.getBody().front());
  DictionaryAttr options;
  if (!isPlan) {
    FailureOr<Schedule> general = Schedule::parse(
        kernel.getContext(), getBuiltinSchedule("general"), "general.mlir");
    if (failed(general))
      return false;
    options =
        b.getDictionaryAttr(b.getNamedAttr("knobs", general->getPlainKnobs()));
  }
  ProposalOp::create(b, kernel.getLoc(), b.getStringAttr(baselineName),
                     GenomeAttr::get(b.getContext(), isPlan ? Genome::Options
                                                            : Genome::Schedule),
                     b.getStringAttr(isPlan ? "" : "general"), options,
                     StringAttr(), StringAttr(), b.getStringAttr("reference"),
                     StageAttr(), StringAttr());
  return true;
}

LogicalResult evo::runPipeline(ModuleOp module, StringRef pipeline) {
  PassManager passes(module.getContext(), ModuleOp::getOperationName());
  std::string why;
  llvm::raw_string_ostream os(why);
  FailureOr<OpPassManager> parsed = parsePassPipeline(pipeline, os);
  if (failed(parsed))
    return emitError(UnknownLoc::get(module.getContext()))
           << StringRef(why).trim();
  static_cast<OpPassManager &>(passes) = std::move(*parsed);
  return passes.run(module);
}

uint64_t evo::chooseSeed(const VerbOptions &options) {
  if (options.seed >= 0)
    return options.seed;
  return std::random_device()() & 0x7fffffff;
}

int evo::writeOutput(StringRef text, const VerbOptions &options) {
  if (!options.output.empty() && options.output != "-") {
    if (llvm::Error error = writeFileAtomically(options.output, text))
      return reportError(options, llvm::toString(std::move(error))),
             Infrastructure;
    return Done;
  }
  llvm::outs() << text;
  llvm::outs().flush();
  if (!llvm::outs().has_error())
    return Done;
  std::string why = llvm::outs().error().message();
  llvm::outs().clear_error(); // or LLVM ends the process over it
  return reportError(options, "cannot write standard output: " + why),
         Infrastructure;
}
