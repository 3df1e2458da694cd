// Proposers that ask a language model. One implementation on top of
// llm::ModelClient serves a live provider, an exchange of files and the replay
// of a recording; they differ in their client only.
//
// Replay finds an answer by the hash of its request, so a request must be a
// function of the kernel, the seed, and the answers before it. Therefore:
//  - nothing of the clock, of paths and of hashes bound to the tool's version
//    is in a prompt, folders in diagnostics are cut off, numbers are printed
//    with fixed precision, and verification counts (which depend on the time
//    that was left) are not mentioned;
//  - what depends on the machine, which is costs and resources, is written to
//    the record folder beside the answers, under the hash of the variant's own
//    text, and replay takes it from there and from nowhere else. The first
//    facts recorded of a variant stand;
//  - diagnostics and verdicts are taken as they are. They are the same again
//    for the same tool, seed and reference; a verification that ended by its
//    time limit need not be.
// A prompt that differs all the same shows as a missing record, never as a
// wrong answer.
#ifndef EVO_PROPOSERS_MODEL_MODELPROPOSER_H
#define EVO_PROPOSERS_MODEL_MODELPROPOSER_H

#include "evo/Interfaces/Backends.h"
#include "evo/LLM/Clock.h"
#include "evo/LLM/DryRun.h"
#include "evo/LLM/HttpModelClient.h"
#include "evo/LLM/Ledger.h"
#include "evo/Target/Arch.h"
#include <functional>

namespace evo {

/// A knob of a schedule: its allowed values, the default first, and what they
/// do.
struct PromptKnob {
  std::string name;
  std::vector<std::string> values;
  std::string meaning = {};
};

/// A schedule that the prompt offers. Values of its knobs alone are a proposal,
/// whose text is then its name.
struct PromptSchedule {
  std::string name, text;
  std::vector<PromptKnob> knobs;
  /// Conditions on the values of knobs.
  std::vector<std::string> constraints = {};
};

/// A program that made another kernel faster, out of an archive.
struct ElsewhereProgram {
  std::string kernel, candidate, language, code, rationale;
  double speedup = 1;
};

/// Where costs and resources in prompts come from.
enum class FactSource {
  IR,     ///< the variants' attributes
  Record, ///< the same, and kept in `factDirectory`
  Replay  ///< `factDirectory` alone
};

struct ModelProposerOptions {
  /// Null: the default one.
  TargetAttrInterface target;
  /// Absent: the provider's default.
  std::optional<double> temperature;
  /// 0: the provider's default.
  unsigned maxTokens = 0;
  /// Candidates asked for in one request, where the strategy does not say.
  unsigned perRequest = 4;
  /// Name or file of the strategy (Strategy.h).
  std::string strategy = "default";
  /// Ask for answers by the JSON schema, whatever the strategy says.
  bool structured = false;
  /// Templates that replace the built-in ones; empty: none.
  std::string promptDirectory;
  FactSource facts = FactSource::IR;
  std::string factDirectory;
  /// The schedules that fit a kernel; null, or none: the genome is not offered.
  std::function<std::vector<PromptSchedule>(KernelOp)> schedules;
  /// The best programs of the `count` kernels most similar to this one; null:
  /// there is no archive. What it gives is recorded like costs.
  std::function<llvm::Expected<std::vector<ElsewhereProgram>>(KernelOp,
                                                              unsigned count)>
      archive;
  /// Models of which one is chosen for each request; fewer than two: the
  /// client's own.
  std::vector<std::string> models;
  /// What tokens cost, for a strategy that weighs costs; null: not known.
  std::shared_ptr<const llm::PriceTable> prices;
  // Bounds of what a prompt repeats of earlier candidates.
  unsigned maxFailures = 6;
  unsigned maxFailuresWithCode = 2;
  size_t maxDiagnosticBytes = 1500;
  size_t maxFailedCodeBytes = 6000;
  /// Of a reference or best program, and of a candidate to repair.
  size_t maxCodeBytes = 64 << 10;
};

using ModelClientFactory =
    std::function<llvm::Expected<std::unique_ptr<llm::ModelClient>>()>;

/// A proposer `name` that asks the client of `factory`, which is called on
/// first use. Each call of `propose` is one generation:
///  1. Candidates of the newest generation that failed (did not build, were
///     refuted or undecided) are sent back with their diagnostics, as often in
///     a row as the strategy says; the corrections' `parent` is the failed
///     proposal.
///  2. New candidates are asked for until `count` is reached; their `parent` is
///     the first of the parents they were shown, else the best variant. The
///     operator (prompts/operator-*) and the parents are drawn by `seed`, as
///     the strategy says.
/// An answer that cannot be used becomes a proposal that failed at stage
/// "answer", and is complained about once. Options that code generation does
/// not know, and claims of evidence or cost in a candidate's text, are removed;
/// its rationale says so. Proposals carry `evo.generation` and `evo.operator`.
/// Where the budget is used up, or the search's time (which bounds each request
/// and each wait), it adds nothing, and says so in a remark.
/// Anything else that is wrong with the means (no key, no folder, no provider,
/// no record) is an error of the kernel, unless this call has added proposals
/// already: then a warning, and the next call meets the error.
std::unique_ptr<Proposer> createModelProposer(std::string name,
                                              ModelClientFactory factory,
                                              ModelProposerOptions options);

/// How the model is reached.
struct ModelMeans {
  std::string exchangeDirectory, recordDirectory, replayDirectory;
  /// Take answers that were recorded for another wording of the same task.
  bool replayByTask = false;
  llm::WireForm form = llm::WireForm::ChatCompletions;
  std::string model, baseURL;
  /// Environment variable of the key; empty: EVO_API_KEY, else OPENAI_API_KEY
  /// or, in the messages form, ANTHROPIC_API_KEY, else none, which only a
  /// server on this machine may do without.
  std::string keyVariable;
  /// File with the key, in place of a variable.
  std::string keyFile;
  /// Headers besides, and the variables that hold their values. With any of
  /// them a key may be left out.
  std::vector<std::pair<std::string, std::string>> headers;
  /// How often a request is sent in all, where sending it again may help.
  unsigned attempts = 5;
  /// How long one answer may take; in each tenth of it something must come once
  /// it has begun. 0: the client's defaults.
  double answerSeconds = 0;
  /// Where requests are entered, and what bounds them; null: nowhere.
  std::shared_ptr<llm::Ledger> ledger;
  /// If set, nobody is asked, and the requests are kept here.
  std::shared_ptr<llm::DryRun> dryRun;
  /// Counts the waits between attempts.
  std::shared_ptr<llm::Clock> clock = llm::Clock::real();
  /// Seconds to wait for one answer file.
  double exchangeTimeout = 24 * 3600;
};

/// Asks a model to explain `best` and to say what to doubt about it; the text
/// is Markdown. `means` as for the proposer `name`.
llvm::Expected<std::string> explainVariant(KernelOp kernel, VariantOp best,
                                           llvm::StringRef name,
                                           const ModelMeans &means,
                                           ModelProposerOptions options);

/// The client behind the proposer `name` (llm, exchange or replay). Folders and
/// keys are looked at now.
llvm::Expected<std::unique_ptr<llm::ModelClient>>
createModelClient(llvm::StringRef name, const ModelMeans &means);

/// The proposers `llm`, `exchange` and `replay`. The first two record where a
/// record directory is given. Folders, keys and URLs are looked at on use.
std::vector<std::unique_ptr<Proposer>>
createModelProposers(const ModelMeans &means, ModelProposerOptions options);

} // namespace evo

#endif
