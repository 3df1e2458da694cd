// Options of the verbs: the table VerbOptions.td, parsed without global state.
#ifndef EVO_LIB_DRIVER_COMMANDLINE_H
#define EVO_LIB_DRIVER_COMMANDLINE_H

#include "evo/Dialect/Evo/IR/Evo.h"
#include "evo/Target/Arch.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace evo {

struct RunRequest;
struct SearchSession;
namespace llm {
class Ledger;
struct DryRun;
} // namespace llm

/// Exit codes shared by all verbs; docs/Contract.md is their specification.
enum ExitCode {
  Done = 0,
  Refused = 1,
  Undecided = 2,
  WrongInput = 3,
  Infrastructure = 4
};

/// What a verb was asked to do.
struct VerbOptions {
  std::vector<std::string> inputs;
  std::string output;
  std::string target = target::getDefaultArch();
  std::string proposer = "search";
  std::string strategy = "default";
  std::optional<Effort> effort; ///< nothing: what suits
  /// Of what `optimize` ships; nothing: it is judged as part of the search
  /// only.
  std::optional<Effort> confirm = Effort::Thorough;
  std::string requireGrade, reproducer;
  std::string level = "l0";
  std::string variant, referenceVariant;
  std::string kernel;
  std::string cudaPath;
  std::string standard = "c++17";
  std::string exchangeDirectory, recordDirectory, replayDirectory;
  bool replayByTask = false;
  std::string journal;
  std::string progress; ///< "lines", "line", "none"; empty: what suits
  std::string model, baseURL, keyVariable, keyFile, promptDirectory;
  /// Names, and variables of the environment that hold the values.
  std::vector<std::pair<std::string, std::string>> headers;
  std::vector<std::string> includes, defines;
  int64_t budget = 32;
  int64_t measureTop = 8;
  int64_t seed = -1; // negative: draw one, and say which
  double seconds = 0;
  double temperature = -1; // negative: the provider's default
  double exchangeTimeout = 0;
  bool messagesForm = false;
  std::string prices;
  int64_t maxTokens = 0, answerTokens = 0, attempts = 0;
  double maxMoney = 0, maxSeconds = 0, answerSeconds = 0, maxGPUSeconds = 0;
  double stopAt = 0, stopAtFloor = 0;
  int64_t patience = 0;
  int64_t jobs = 0;
  std::vector<int> devices; ///< that kernels are timed on; empty: 0, if there
  int64_t device = -1;      ///< of a worker that times kernels; -1: it does not
  bool dryRun = false, trajectories = false, explain = false;
  bool structured = false;
  std::string archive;
  bool keepSizes = false;
  bool json = false;
  bool showPipeline = false;
  bool listChecks = false;
  bool allowUnverified = false;
  bool noGPU = false;
  bool force = false;
  bool help = false;

  std::vector<std::string> command; ///< the words that all this was read from

  /// What a verb shares with its backends; not options.
  std::shared_ptr<llm::Ledger> ledger;
  std::shared_ptr<llm::DryRun> dryRunLog;
  std::shared_ptr<const RunRequest> runRequest;
  std::function<void(const std::shared_ptr<SearchSession> &)> onSession;
};

/// Who takes an option; VerbOptions.td says it of each.
enum VerbBit : unsigned {
  OptimizeVerb = 1u << 1, // the first bit is the library's own
  VerifyVerb = 1u << 2,
  AuditVerb = 1u << 3,
  LiftVerb = 1u << 4,
  LowerVerb = 1u << 5,
  AnswerVerb = 1u << 6,
  RewardVerb = 1u << 7,
  JournalVerb = 1u << 8,
  WorkerVerb = 1u << 9,
  ReportVerb = 1u << 10,
  ContractVerb = 1u << 11
};

/// Parses the words after a verb, whose name is for messages. An error names
/// the word that is wrong, and the option that was perhaps meant.
llvm::Expected<VerbOptions> parseVerbOptions(llvm::StringRef verbName,
                                             VerbBit verb,
                                             llvm::ArrayRef<std::string> words);

/// "; did you mean 'x'?" of the word among `known` that is nearest to `word`;
/// empty where none is near.
std::string suggest(llvm::StringRef word,
                    llvm::ArrayRef<llvm::StringRef> known);

/// Prints the options of a verb, a line each, by groups.
void printVerbOptions(llvm::raw_ostream &os, VerbBit verb);

} // namespace evo

#endif
