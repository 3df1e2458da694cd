// Dispatch: a verb as the first word, else mlir-opt.
#include "Crash.h"
#include "Driver/Machine/Machine.h"
#include "Verbs.h"
#include "evo/Driver/Driver.h"
#include "evo/Driver/Registration.h"
#include "evo/Driver/Worker.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <fcntl.h>
#include <optional>
#include <unistd.h>

using namespace evo;

namespace {
struct Verb {
  llvm::StringLiteral name;
  VerbBit bit;
  llvm::StringLiteral usage;
  llvm::StringLiteral help;
  int (*run)(const VerbOptions &);
};
} // namespace

// no diagnostics: help
static const Verb verbs[] = {
    {"optimize", OptimizeVerb, "KERNEL -o DIR",
     "search for faster variants; leave the best, its code and a report",
     runOptimize},
    {"verify", VerifyVerb, "REFERENCE CANDIDATE",
     "judge on the CPU whether a candidate computes what the reference does",
     runVerify},
    {"audit", AuditVerb, "KERNEL",
     "warn of a contract that would reward a cheat: results known without "
     "computing, inputs that do not matter",
     runAudit},
    {"contract", ContractVerb, "KERNEL.cu [-o FILE]",
     "draft the header lines that a kernel file lacks, with what is guessed in "
     "them, and audit them; a FILE.cu gets the kernel file behind them",
     runContract},
    {"lift", LiftVerb, "KERNEL [-o FILE]", "show a kernel file as MLIR",
     runLift},
    {"lower", LowerVerb, "KERNEL [-o FILE]",
     "generate PTX for the best (or only) variant that has valid evidence",
     runLower},
    {"answer", AnswerVerb, "DIR",
     "have a model answer the request files of an exchange folder", runAnswer},
    {"reward", RewardVerb, "KERNEL",
     "judge candidates from standard input, JSON lines in and out", runReward},
    {"report", ReportVerb, "FOLDER|JOURNAL [JOURNAL] [-o FILE]",
     "show a search as one HTML file: of what optimize left, of its journal "
     "(while it runs, too), or of both",
     runReport},
    {"journal", JournalVerb, "FILE",
     "print the steps of searches as JSON lines", runJournal},
};

static void printHelp(llvm::raw_ostream &os) {
  os << "evo-opt: faster GPU kernels that are checked to compute the same\n\n"
        "usage: evo-opt VERB ARGUMENTS [OPTIONS]\n"
        "       evo-opt [MLIR-OPT FLAGS] [FILE]   (see evo-opt "
        "--help-hidden)\n"
        "       evo-opt --version\n\nverbs:\n";
  for (const Verb &verb : verbs)
    os << "  " << verb.name << ' ' << verb.usage << "\n      " << verb.help
       << '\n';
  os << "\nexit codes: 0 done or accepted, 1 refused or refuted, 2 undecided,\n"
        "            3 wrong input, 4 infrastructure\n\n"
        "'evo-opt VERB --help' lists the options of a verb\n";
}

static void printVerbHelp(llvm::raw_ostream &os, const Verb &verb) {
  os << "usage: evo-opt " << verb.name << ' ' << verb.usage << " [OPTIONS]\n"
     << verb.help << '\n';
  printVerbOptions(os, verb.bit);
}

static void printVersion(llvm::raw_ostream &os) {
  os << "evo-opt " EVO_VERSION " (LLVM " LLVM_VERSION_STRING ")\n";
}

/// Keeps the numbers of the standard streams from files of ours where the
/// caller has closed them: a verdict would be written into a journal.
static void reserveStandardStreams() {
  for (int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(stream, F_GETFD) == -1 && errno == EBADF)
      // What is written to standard output has to fail, diagnostics need not.
      (void)::open("/dev/null", stream == STDERR_FILENO ? O_WRONLY : O_RDONLY);
}

/// What could not be printed is an answer that nobody has.
static int finish(int code) {
  llvm::outs().flush();
  std::error_code error = llvm::outs().error();
  llvm::outs().clear_error(); // or LLVM ends the process over it
  if (error) {
    reportError(/*json=*/false,
                "cannot write standard output: " + error.message());
    code = Infrastructure;
  }
  llvm::errs().clear_error();
  return code;
}

static const Verb *findVerb(llvm::StringRef name) {
  auto *found =
      llvm::find_if(verbs, [&](const Verb &verb) { return verb.name == name; });
  return found == std::end(verbs) ? nullptr : found;
}

/// The verb that was perhaps meant, as words to append; empty where none is
/// near.
static std::string suggestVerb(llvm::StringRef name) {
  llvm::SmallVector<llvm::StringRef> names;
  for (const Verb &verb : verbs)
    names.push_back(verb.name);
  return suggest(name, names);
}

static int runHelp(llvm::ArrayRef<std::string> words) {
  if (words.empty())
    return printHelp(llvm::outs()), Done;
  const Verb *verb = findVerb(words.front());
  if (verb)
    return printVerbHelp(llvm::outs(), *verb), Done;
  reportError(/*json=*/false, "there is no verb '" + words.front() +
                                  "'; 'evo-opt help' lists them" +
                                  suggestVerb(words.front()));
  return WrongInput;
}

/// Whether a first word is neither a flag nor a file that mlir-opt might read.
static bool isMistypedVerb(llvm::StringRef word) {
  auto isOfVerb = [](char c) {
    return llvm::isAlnum(c) || c == '-' || c == '_';
  };
  return !word.empty() && word.front() != '-' && llvm::all_of(word, isOfVerb) &&
         !llvm::sys::fs::exists(word);
}

/// The verb that stands after a flag, or behind dashes, where mlir-opt would
/// look for none; null: there is none.
static const Verb *findLateVerb(llvm::StringRef first,
                                llvm::ArrayRef<std::string> rest) {
  if (!first.starts_with("-"))
    return nullptr;
  if (const Verb *verb = findVerb(first.ltrim('-')))
    return verb;
  for (const std::string &word : rest)
    if (const Verb *verb = findVerb(word))
      return llvm::sys::fs::exists(word) ? nullptr : verb;
  return nullptr;
}

static int runVerb(const Verb &verb, llvm::ArrayRef<std::string> words) {
  llvm::Expected<VerbOptions> options =
      parseVerbOptions(verb.name, verb.bit, words);
  if (!options) {
    // What was parsed is lost, so the flag is looked for.
    bool json = llvm::is_contained(words, "--json") ||
                llvm::is_contained(words, "-json");
    return reportError(json, llvm::toString(options.takeError())), WrongInput;
  }
  if (options->help) {
    printVerbHelp(llvm::outs(), verb);
    return Done;
  }
  explainCrashes(verb.name, options->json);
  // What they would leave out else, nobody would know of.
  if (verb.bit == OptimizeVerb || verb.bit == VerifyVerb ||
      verb.bit == LowerVerb || verb.bit == RewardVerb)
    warnOfMissing(*options, /*times=*/verb.bit == OptimizeVerb);
  return verb.run(*options);
}

int evo::runEvoWorker(int argc, char **argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  llvm::Expected<VerbOptions> options =
      parseVerbOptions("worker", WorkerVerb, words);
  if (!options) {
    llvm::errs() << "evo worker: " << llvm::toString(options.takeError())
                 << "\n";
    return WrongInput;
  }
  if (options->device >= 0)
    return deviceWorkerMain(static_cast<int>(options->device),
                            options->cudaPath);
  mlir::DialectRegistry registry;
  registerDialects(registry);
  attachBackends(registry, backendOptions(*options));
  registerPasses();
  return workerMain(registry);
}

/// Whether a first word is a kernel that mlir-opt cannot read: a verb is
/// missing.
static bool isKernelWithoutVerb(llvm::StringRef word) {
  return !word.starts_with("-") &&
         (word.ends_with(".cu") || word.ends_with(".ll"));
}

/// What the first word asks of this tool; nothing where it is for mlir-opt.
static std::optional<int> runFirstWord(llvm::StringRef first,
                                       llvm::ArrayRef<std::string> rest) {
  if (const Verb *verb = findVerb(first))
    return runVerb(*verb, rest);
  if (first == "help" || first == "-h" || first == "--help")
    return runHelp(rest);
  if (first == "--version")
    return printVersion(llvm::outs()), Done;
  if (isKernelWithoutVerb(first)) {
    reportError(/*json=*/false, "what to do with '" + first.str() +
                                    "' is not said: a verb comes first");
    printHelp(llvm::errs());
    return WrongInput;
  }
  if (const Verb *verb = findLateVerb(first, rest)) {
    reportError(/*json=*/false, "a verb comes first, without dashes: did you "
                                "mean 'evo-opt " +
                                    verb->name.str() + "'?");
    return WrongInput;
  }
  if (!isMistypedVerb(first))
    return std::nullopt;
  reportError(/*json=*/false, "'" + first.str() +
                                  "' is neither a verb nor a file; "
                                  "'evo-opt help' lists the verbs" +
                                  suggestVerb(first));
  return WrongInput;
}

int evo::runEvoOpt(int argc, char **argv) {
  if (argc > 1) {
    llvm::StringRef first = argv[1];
    if (first == "worker")
      return runEvoWorker(argc - 1, argv + 1);
    reserveStandardStreams();
    std::vector<std::string> rest(argv + 2, argv + argc);
    if (std::optional<int> code = runFirstWord(first, rest))
      return finish(*code);
  } else if (::isatty(STDIN_FILENO)) {
    // Who types just the name wants to know more; mlir-opt would wait in
    // silence.
    printHelp(llvm::errs());
    return WrongInput;
  }
  mlir::DialectRegistry registry;
  registerDialects(registry);
  attachBackends(registry, BackendOptions());
  registerPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv,
      "evo-opt: an mlir-opt with evo's passes ('evo-opt help' "
      "lists its verbs)\n",
      registry));
}
