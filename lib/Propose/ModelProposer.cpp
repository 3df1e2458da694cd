// One generation: corrections of what failed last, then new candidates. All
// that was said and answered before stands in the IR; the proposer itself
// remembers nothing but its client.
#include "evo/Propose/ModelProposer.h"
#include "Answers.h"
#include "Population.h"
#include "PromptContext.h"
#include "Text.h"
#include "evo/Frontend/ContractHeader.h"
#include "evo/LLM/PromptLibrary.h"
#include "evo/Search/Interrupt.h"
#include "evo/Support/Random.h"
#include <mutex>

using namespace mlir;
using namespace evo;
using llm::ModelError;
using SpeakerRole = llm::Role; // evo::Role is that of an argument

namespace {

class Generation {
public:
  Generation(KernelOp kernel, unsigned count, StringRef proposer,
             llm::ModelClient &client, const llm::PromptLibrary &prompts,
             const Strategy &strategy, const ModelProposerOptions &options)
      : kernel(kernel), remaining(count), proposer(proposer), client(client),
        prompts(prompts), strategy(strategy), options(options),
        store(options.facts, options.factDirectory) {}

  llvm::Error run(uint64_t seed);
  /// Whether the search has something to try.
  bool hasAdded() const { return added > 0; }

private:
  KernelOp kernel;
  unsigned remaining, added = 0;
  StringRef proposer;
  llm::ModelClient &client;
  const llm::PromptLibrary &prompts;
  const Strategy &strategy;
  const ModelProposerOptions &options;
  /// Of the request under way.
  std::optional<double> temperature;
  FactStore store;
  std::optional<ProposalWriter> writer;

  unsigned perRequest() const {
    return std::max(1u, strategy.perRequest ? strategy.perRequest
                                            : options.perRequest);
  }
  llvm::Error repair();
  llvm::Error proposeNew(unsigned wanted, Random &random);
  /// Nothing, where the second answer could not be used either.
  llvm::Expected<std::optional<llm::ParsedAnswer>>
  ask(std::vector<llm::Message> messages, const PromptContext &context,
      unsigned wanted, StringRef parent, StringRef operation);
  llvm::Expected<std::vector<llm::Message>>
  messages(const PromptContext &context, StringRef name,
           const llvm::json::Value &values) const;
};

class ModelProposer : public Proposer {
public:
  ModelProposer(std::string name, ModelClientFactory factory,
                ModelProposerOptions options)
      : name(std::move(name)), factory(std::move(factory)),
        options(std::move(options)) {}

  StringRef getName() const override { return name; }
  LogicalResult propose(KernelOp kernel, unsigned count,
                        uint64_t seed) override;

private:
  std::string name;
  ModelClientFactory factory;
  ModelProposerOptions options;
  std::mutex mutex; // a context may run passes on several kernels at once
  std::unique_ptr<llm::ModelClient> client;
  std::optional<llm::PromptLibrary> prompts;
  std::optional<Strategy> strategy;

  llvm::Error prepare();
};

} // namespace

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

/// Draws by weight among the operators that may be used now; null where the
/// strategy has none for this state.
static const StrategyOperator *drawOperator(const Strategy &strategy,
                                            size_t tried,
                                            const Population &population,
                                            Random &random) {
  SmallVector<const StrategyOperator *> choices;
  uint64_t total = 0;
  for (const StrategyOperator &operation : strategy.operators)
    if (operation.own.contains(population.own) &&
        operation.tried.contains(tried) &&
        operation.members.contains(population.members.size())) {
      choices.push_back(&operation);
      total += operation.weight;
    }
  if (choices.empty())
    return nullptr;
  uint64_t draw = random.below(total);
  for (const StrategyOperator *choice : choices) {
    if (draw < choice->weight)
      return choice;
    draw -= choice->weight;
  }
  llvm_unreachable("the weights do not add up");
}

/// Some of the candidates that came with a rationale, drawn without repetition.
static std::vector<const Attempt *>
drawRationales(const History &history, unsigned count, Random &random) {
  std::vector<const Attempt *> left, drawn;
  for (const Attempt &attempt : history.attempts)
    if (attempt.generation() >= 0 && !attempt.rationale().empty())
      left.push_back(&attempt);
  while (drawn.size() < count && !left.empty()) {
    size_t index = random.below(left.size());
    drawn.push_back(left[index]);
    left.erase(left.begin() + index);
  }
  return drawn;
}

//===----------------------------------------------------------------------===//
// Generation
//===----------------------------------------------------------------------===//

/// What all requests about `kernel` have in common, whatever else they say.
static std::string taskOf(KernelOp kernel) {
  ProgramText reference = referenceProgram(kernel);
  return digest(printContractHeader(kernel, nullptr) + "\n" +
                reference.language + "\n" + reference.code);
}

llvm::Expected<std::vector<llm::Message>>
Generation::messages(const PromptContext &context, StringRef name,
                     const llvm::json::Value &values) const {
  llvm::Expected<std::string> system =
      prompts.render("system", context.system());
  if (!system)
    return system.takeError();
  llvm::Expected<std::string> text = prompts.render(name, values);
  if (!text)
    return text.takeError();
  return std::vector<llm::Message>{{SpeakerRole::System, std::move(*system)},
                                   {SpeakerRole::User, std::move(*text)}};
}

llvm::Expected<std::optional<llm::ParsedAnswer>>
Generation::ask(std::vector<llm::Message> messages,
                const PromptContext &context, unsigned wanted, StringRef parent,
                StringRef operation) {
  llm::AnswerLimits limits;
  limits.maxCandidates = wanted;
  limits.languages = context.languages();
  for (bool isRepair : {false, true}) {
    llm::ModelRequest request;
    request.messages = messages;
    request.temperature = temperature;
    request.maxTokens = options.maxTokens;
    request.id = (kernel.getSymName() + "/" + writer->nextSymbol()).str();
    request.task = taskOf(kernel);
    llvm::Expected<llm::ModelAnswer> answer = client.complete(request);
    std::string text, problems;
    if (answer) {
      text = client.redact(answer->text);
      llvm::Expected<llm::ParsedAnswer> parsed = llm::parseAnswer(text, limits);
      if (parsed) {
        if (answer->reworded)
          parsed->problems.push_back(
              "the answer was recorded for another wording of the request");
        return std::optional(std::move(*parsed));
      }
      problems = llvm::toString(parsed.takeError());
      if (answer->cutOff())
        problems += "\nthe answer was cut off at the limit of tokens";
    } else if (llvm::Error fatal = llvm::handleErrors(
                   answer.takeError(),
                   [&](const ModelError &error) -> llvm::Error {
                     if (!error.concernsAnswerOnly())
                       return llm::modelError(error.getKind(), error.message());
                     problems = client.redact(error.message());
                     return llvm::Error::success();
                   })) {
      return std::move(fatal);
    }
    writer->addUnusable(text, problems, parent, operation);
    if (isRepair)
      break;
    llvm::Expected<std::string> complaint =
        prompts.render("repair", PromptContext::repairAnswer(problems));
    if (!complaint)
      return complaint.takeError();
    if (text.empty()) {
      // There is no answer to show, and two turns of one side are refused by
      // some servers.
      messages.back().text += "\n" + *complaint;
      continue;
    }
    messages.push_back({SpeakerRole::Assistant, bounded(text, 64 << 10)});
    messages.push_back({SpeakerRole::User, std::move(*complaint)});
  }
  return std::nullopt;
}

/// Which of `failed` the candidate number `index` of `total` corrects: by its
/// name, else by its place.
static const Attempt *corrected(ArrayRef<const Attempt *> failed,
                                const llm::ParsedCandidate &candidate,
                                size_t index, size_t total) {
  for (const Attempt *attempt : failed)
    if (candidate.name == attempt->name() ||
        StringRef(attempt->rationale()).starts_with(candidate.name + ":") ||
        attempt->rationale() == candidate.name)
      return attempt;
  return total == failed.size() ? failed[index] : failed.front();
}

llvm::Error Generation::repair() {
  llvm::Expected<History> history = History::read(kernel, store);
  if (!history)
    return history.takeError();
  std::vector<const Attempt *> failed =
      history->toRepair(kernel, strategy.repairs);
  failed.resize(
      std::min<size_t>(failed.size(), std::min(remaining, perRequest())));
  if (failed.empty())
    return llvm::Error::success();
  PromptContext context(kernel, *history, strategy.prompt, options);
  auto conversation =
      messages(context, "repair", context.repairCandidates(failed));
  if (!conversation)
    return conversation.takeError();
  auto answer = ask(std::move(*conversation), context, failed.size(),
                    failed.front()->name(), "repair");
  if (!answer)
    return answer.takeError();
  if (!*answer)
    return llvm::Error::success();
  size_t index = 0, total = (*answer)->candidates.size();
  for (const llm::ParsedCandidate &candidate : (*answer)->candidates) {
    const Attempt *source = corrected(failed, candidate, index++, total);
    // Options alone are for the program that they were sent back for.
    added += writer->add(candidate, source->name(), source, "repair",
                         context.schedule());
    --remaining;
  }
  writer->note((*answer)->problems);
  return llvm::Error::success();
}

llvm::Error Generation::proposeNew(unsigned wanted, Random &random) {
  llvm::Expected<History> history = History::read(kernel, store);
  if (!history)
    return history.takeError();
  const PopulationRule &rule = strategy.population;
  unsigned island = rule.islands > 1 ? random.below(rule.islands) : 0;
  Population population = populationOf(*history, rule, island);
  const std::vector<const Attempt *> &members = population.members;
  const StrategyOperator *operation =
      drawOperator(strategy, history->attempts.size(), population, random);
  if (!operation)
    return llvm::Error::success(); // the strategy has come to its end
  PromptContext::Shown shown;
  shown.parents = chooseParents(members, *operation, random);
  const Attempt *best = history->best();
  if (rule.islands > 1)
    best = members.empty() ? nullptr : members.front();
  if (strategy.prompt.best)
    shown.best = best;
  if (strategy.prompt.insights == PromptSections::Insights::Rationales)
    shown.recalled =
        drawRationales(*history, strategy.prompt.rationales, random);
  temperature = options.temperature;
  if (!temperature && !strategy.temperatures.empty())
    temperature =
        strategy.temperatures[random.below(strategy.temperatures.size())];
  if (rule.islands > 1)
    writer->setIsland(island);
  PromptContext context(kernel, *history, strategy.prompt, options);
  llvm::Expected<std::string> instruction =
      prompts.render("operator-" + operation->name, llvm::json::Object());
  if (!instruction)
    return instruction.takeError();
  auto conversation = messages(context, "propose",
                               context.propose(*instruction, wanted, shown));
  if (!conversation)
    return conversation.takeError();
  // What options alone are for, and where the candidate comes from.
  const Attempt *base = shown.parents.empty() ? best : shown.parents.front();
  std::string parent =
      base ? VariantOp(base->variant).getSymName().str() : std::string();
  auto answer =
      ask(std::move(*conversation), context, wanted, parent, operation->name);
  if (!answer)
    return answer.takeError();
  if (!*answer)
    return llvm::Error::success();
  for (const llm::ParsedCandidate &candidate : (*answer)->candidates) {
    added += writer->add(candidate, parent, base, operation->name,
                         context.schedule());
    --remaining;
  }
  writer->note((*answer)->problems);
  return llvm::Error::success();
}

llvm::Error Generation::run(uint64_t seed) {
  int64_t newest = -1;
  for (auto proposal : kernel.getBody().getOps<ProposalOp>())
    if (auto number = proposal->getAttrOfType<IntegerAttr>(generationAttr))
      newest = std::max(newest, number.getInt());
  writer.emplace(kernel, proposer, newest + 1);
  temperature = options.temperature;
  if (newest >= 0)
    if (llvm::Error error = repair())
      return error;
  Random random(seed);
  // What was asked for now has to be evaluated before a later request can tell
  // of it, so a generation ends with the strategy's number of requests even
  // where more candidates were wanted. Never more than the count needs,
  // whatever they yield: never spin.
  for (unsigned requests = std::min<unsigned>(
           llvm::divideCeil(remaining, perRequest()), strategy.requests);
       requests > 0 && remaining > 0; --requests)
    if (llvm::Error error =
            proposeNew(std::min(remaining, perRequest()), random))
      return error;
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// ModelProposer
//===----------------------------------------------------------------------===//

llvm::Error ModelProposer::prepare() {
  if (!prompts) {
    llvm::Expected<llm::PromptLibrary> library =
        options.promptDirectory.empty()
            ? llm::PromptLibrary::builtin()
            : llm::PromptLibrary::withFolder(options.promptDirectory);
    if (!library)
      return library.takeError();
    prompts = std::move(*library);
  }
  if (!strategy) {
    llvm::Expected<Strategy> loaded = Strategy::load(options.strategy);
    if (!loaded)
      return loaded.takeError();
    strategy = std::move(*loaded);
  }
  if (!client) {
    llvm::Expected<std::unique_ptr<llm::ModelClient>> made = factory();
    if (!made)
      return made.takeError();
    client = std::move(*made);
  }
  return llvm::Error::success();
}

LogicalResult ModelProposer::propose(KernelOp kernel, unsigned count,
                                     uint64_t seed) {
  std::lock_guard<std::mutex> lock(mutex);
  if (count == 0)
    return success();
  if (llvm::Error error = prepare())
    return kernel.emitError()
           << "proposer '" << name << "': " << llvm::toString(std::move(error));
  Generation generation(kernel, count, name, *client, *prompts, *strategy,
                        options);
  llvm::Error error = generation.run(seed);
  if (!error)
    return success();
  bool cancelled = false;
  error = llvm::handleErrors(
      std::move(error), [&](std::unique_ptr<ModelError> model) -> llvm::Error {
        cancelled = model->getKind() == ModelError::Kind::Cancelled;
        return llvm::Error(std::move(model));
      });
  std::string text = client->redact(llvm::toString(std::move(error)));
  if (cancelled && isInterrupted())
    return success(); // the search ends with what it has
  if (generation.hasAdded()) {
    kernel.emitWarning() << "proposer '" << name << "': " << text
                         << "; going on with the candidates so far";
    return success();
  }
  return kernel.emitError() << "proposer '" << name << "': " << text;
}

std::unique_ptr<Proposer>
evo::createModelProposer(std::string name, ModelClientFactory factory,
                         ModelProposerOptions options) {
  return std::make_unique<ModelProposer>(std::move(name), std::move(factory),
                                         std::move(options));
}
