// Dispatch: a verb as the first word, else mlir-opt.
#include "Verbs.h"
#include "evo/Driver/Driver.h"
#include "evo/Driver/Registration.h"
#include "evo/Driver/Worker.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

using namespace evo;

namespace {
struct Verb {
  llvm::StringLiteral name;
  llvm::StringLiteral usage;
  llvm::StringLiteral help;
  int (*run)(const VerbOptions &);
};
} // namespace

// no diagnostics: help
static const Verb verbs[] = {
    {"optimize", "KERNEL -o DIR",
     "search for faster variants; leave the best, its code and a report",
     runOptimize},
    {"verify", "REFERENCE CANDIDATE",
     "judge on the CPU whether a candidate computes what the reference does",
     runVerify},
    {"audit", "KERNEL",
     "warn of a contract that would reward a cheat: results known without "
     "computing, inputs that do not matter",
     runAudit},
    {"lift", "KERNEL [-o FILE]", "show a kernel file as MLIR", runLift},
    {"lower", "KERNEL [-o FILE]",
     "generate PTX for the best (or only) variant that has valid evidence",
     runLower},
    {"answer", "DIR",
     "have a model answer the request files of an exchange folder", runAnswer},
    {"reward", "KERNEL",
     "judge candidates from standard input, JSON lines in and out", runReward},
    {"journal", "FILE", "print the steps of searches as JSON lines",
     runJournal},
};

static void printHelp(llvm::raw_ostream &os) {
  os << "evo-opt: faster GPU kernels that are checked to compute the same\n\n"
        "usage: evo-opt VERB ARGUMENTS [OPTIONS]\n"
        "       evo-opt [MLIR-OPT FLAGS] [FILE]   (see evo-opt "
        "--help)\n\nverbs:\n";
  for (const Verb &verb : verbs)
    os << "  " << verb.name << ' ' << verb.usage << "\n      " << verb.help
       << '\n';
  os << "\nexit codes: 0 done or accepted, 1 refused or refuted, 2 undecided,\n"
        "            3 wrong input, 4 infrastructure\n\n"
        "'evo-opt VERB --help' lists the options of a verb\n";
}

static void printVerbHelp(llvm::raw_ostream &os, const Verb &verb) {
  os << "usage: evo-opt " << verb.name << ' ' << verb.usage << " [OPTIONS]\n"
     << verb.help << "\n\n";
  for (const OptionSpec &spec : getOptionSpecs()) {
    llvm::SmallVector<llvm::StringRef> takers;
    spec.verbs.split(takers, ' ');
    if (!llvm::is_contained(takers, verb.name))
      continue;
    std::string left = (spec.name.size() == 1 ? "-" : "--") + spec.name.str();
    if (!spec.operand.empty())
      left += (spec.name.size() == 1 ? " " : "=") + spec.operand.str();
    os << "  " << left;
    os.indent(left.size() < 26 ? 26 - left.size() : 1) << spec.help << '\n';
  }
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

static int runHelp(llvm::ArrayRef<std::string> words) {
  if (words.empty())
    return printHelp(llvm::outs()), Done;
  const Verb *verb = findVerb(words.front());
  if (verb)
    return printVerbHelp(llvm::outs(), *verb), Done;
  reportError(/*json=*/false, "there is no verb '" + words.front() +
                                  "'; 'evo-opt help' lists them");
  return WrongInput;
}

/// Whether a first word is neither a flag nor a file that mlir-opt might read.
static bool isMistypedVerb(llvm::StringRef word) {
  return !word.empty() && llvm::all_of(word, llvm::isAlpha) &&
         !llvm::sys::fs::exists(word);
}

static int runVerb(const Verb &verb, llvm::ArrayRef<std::string> words) {
  llvm::Expected<VerbOptions> options = parseVerbOptions(verb.name, words);
  if (!options) {
    // What was parsed is lost, so the flag is looked for.
    bool json = llvm::is_contained(words, "--json");
    return reportError(json, llvm::toString(options.takeError())), WrongInput;
  }
  if (options->help) {
    printVerbHelp(llvm::outs(), verb);
    return Done;
  }
  return verb.run(*options);
}

int evo::runEvoWorker(int argc, char **argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  llvm::Expected<VerbOptions> options = parseVerbOptions("worker", words);
  if (!options) {
    llvm::errs() << "evo worker: " << llvm::toString(options.takeError())
                 << "\n";
    return WrongInput;
  }
  mlir::DialectRegistry registry;
  registerDialects(registry);
  attachBackends(registry, backendOptions(*options));
  registerPasses();
  return workerMain(registry);
}

int evo::runEvoOpt(int argc, char **argv) {
  if (argc > 1) {
    llvm::StringRef first = argv[1];
    std::vector<std::string> words(argv + 2, argv + argc);
    if (first == "worker")
      return runEvoWorker(argc - 1, argv + 1);
    const Verb *verb = findVerb(first);
    if (verb || first == "help" || isMistypedVerb(first)) {
      reserveStandardStreams();
      if (verb)
        return finish(runVerb(*verb, words));
      if (first == "help")
        return finish(runHelp(words));
      reportError(/*json=*/false, "'" + first.str() +
                                      "' is neither a verb nor a file; "
                                      "'evo-opt help' lists the verbs");
      return WrongInput;
    }
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
