// One call of a proposer that asks a model: corrections of what failed last,
// then new candidates. All that was said and answered before stands in the IR.
#ifndef EVO_LIB_PROPOSERS_MODEL_GENERATION_H
#define EVO_LIB_PROPOSERS_MODEL_GENERATION_H

#include "Answers.h"
#include "Population.h"
#include "PromptContext.h"
#include "evo/Interfaces/SearchSession.h"
#include "evo/LLM/PromptLibrary.h"

namespace evo {

/// What all requests about `kernel` have in common, whatever else they say.
std::string taskOf(KernelOp kernel);

class Generation {
public:
  Generation(KernelOp kernel, unsigned count, llvm::StringRef proposer,
             llm::ModelClient &client, const llm::PromptLibrary &prompts,
             const Strategy &strategy, const ModelProposerOptions &options,
             const SearchSession &session)
      : kernel(kernel), remaining(count), proposer(proposer), client(client),
        prompts(prompts), strategy(strategy), options(options),
        session(session), store(options.facts, options.factDirectory) {}

  llvm::Error run(uint64_t seed);
  /// Whether the search has something to try.
  bool hasAdded() const { return added > 0; }

private:
  KernelOp kernel;
  unsigned remaining, added = 0;
  llvm::StringRef proposer;
  llm::ModelClient &client;
  const llm::PromptLibrary &prompts;
  const Strategy &strategy;
  const ModelProposerOptions &options;
  const SearchSession &session;
  /// Of the request under way.
  std::optional<double> temperature;
  std::string model;
  std::vector<std::string> freshNotes;
  FactStore store;
  std::optional<ProposalWriter> writer;

  unsigned perRequest() const {
    return std::max(1u, strategy.perRequest ? strategy.perRequest
                                            : options.perRequest);
  }
  llvm::Error takeNotes(int64_t newest);
  llvm::Error repair(Random &random);
  /// A request for new candidates, ready to be sent, and what it is about.
  struct Query {
    unsigned island;
    const StrategyOperator *operation;
    const Attempt *base; ///< what options alone are for; may be null
    unsigned wanted;
    PromptContext context;
    llm::ModelRequest request;
  };
  /// Sends so many requests for new candidates at once.
  llvm::Error proposeNew(unsigned total, Random &random);
  /// Request `number` of `total`, from 1. Nothing where none is needed.
  llvm::Expected<std::optional<Query>> prepare(const History &history,
                                               unsigned wanted, unsigned number,
                                               unsigned total, Random &random);
  std::vector<llvm::Expected<llm::ModelAnswer>>
  completeAll(llvm::ArrayRef<llm::ModelRequest> requests);
  /// Makes candidates of the answer to `query`.
  llvm::Error use(const Query &query, llvm::Expected<llm::ModelAnswer> given);
  /// Which operator comes next; null: the strategy has none for this state.
  const StrategyOperator *chooseOperator(const History &history,
                                         const Population &population,
                                         Random &random, bool mayMix) const;
  /// How many children could be made of members alone.
  unsigned mix(llvm::ArrayRef<const Attempt *> members,
               const StrategyOperator &operation, unsigned wanted,
               Random &random);
  /// Draws the model, and the temperature, of the next request.
  void chooseMeans(const History &history, Random &random);
  /// What was paid in all, by the price of the model that was asked, else of
  /// the one that says it answered.
  std::optional<double> priceOf(const llm::Usage &usage,
                                llvm::StringRef answering) const;
  /// `name` is that of the request.
  llvm::Error showElsewhere(PromptContext::Shown &shown,
                            const StrategyOperator &operation,
                            llvm::StringRef name);
  /// A request of the name `id` within the kernel.
  llvm::Expected<llm::ModelRequest>
  requestFor(std::vector<llm::Message> messages, llvm::StringRef id,
             llvm::StringRef stage) const;
  /// What can be made of `answer` to `request`, which is asked once more where
  /// that is nothing. Nothing, where the second answer cannot be used either.
  llvm::Expected<std::optional<llm::ParsedAnswer>>
  ask(llm::ModelRequest request, llvm::Expected<llm::ModelAnswer> answer,
      const PromptContext &context, unsigned wanted, llvm::StringRef parent,
      llvm::StringRef operation);
  /// What candidates come from: the request whose answer holds their text, and
  /// the tokens of all requests that led there.
  struct Source {
    std::string request;
    llm::Usage usage;
  };
  /// Has the model look over its answer `text` to `first`, as often as the
  /// strategy says; `answer` and `source` follow. Without a better one it
  /// stands.
  llvm::Error reflect(const llm::ModelRequest &first, std::string text,
                      const llm::AnswerLimits &limits,
                      llm::ParsedAnswer &answer, Source &source);
  /// Adds the candidates of an answer, each by `add`, and has them judged.
  llvm::Error take(const llm::ParsedAnswer &answer,
                   const PromptContext &context,
                   llvm::function_ref<bool(const llm::ParsedCandidate &)> add);
  llvm::Expected<std::vector<llm::Message>>
  messages(const PromptContext &context, llvm::StringRef name,
           const llvm::json::Value &values) const;
  /// A request that lacks its messages.
  llm::ModelRequest frame() const;
};

} // namespace evo

#endif
