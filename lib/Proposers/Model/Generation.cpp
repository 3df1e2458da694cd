// A generation: what is drawn, what is shown, what is made of the answers.
#include "Generation.h"
#include "Bandit.h"
#include "Judges.h"
#include "KnobCrossover.h"
#include "PlanCrossover.h"
#include "Text.h"
#include "evo/Frontend/ContractHeader.h"
#include "evo/Interfaces/Backends.h"
#include "evo/Support/Digest.h"
#include "evo/Support/Fixed.h"
#include <set>

using namespace mlir;
using namespace evo;
using llm::ModelError;
using SpeakerRole = llm::Role; // evo::Role is that of an argument

// Operators.

/// The operators that may be used now.
static SmallVector<const StrategyOperator *>
eligible(const Strategy &strategy, const History &history,
         const Population &population, bool mayMix) {
  SmallVector<const StrategyOperator *> choices;
  for (const StrategyOperator &operation : strategy.operators)
    if (operation.own.contains(population.own) &&
        operation.tried.contains(history.attempts.size()) &&
        operation.members.contains(population.members.size()) &&
        operation.newest.contains(history.acceptedInNewest()) &&
        (!operation.asksNobody() || mayMix) &&
        (!operation.mixesKnobs || findSchedules(population.members).first) &&
        (!operation.mixesPlans || !findPlanCuts(population.members).empty()))
      choices.push_back(&operation);
  return choices;
}

static const StrategyOperator *
drawByWeight(ArrayRef<const StrategyOperator *> choices, Random &random) {
  uint64_t total = 0;
  for (const StrategyOperator *choice : choices)
    total += choice->weight;
  uint64_t draw = random.below(total);
  for (const StrategyOperator *choice : choices) {
    if (draw < choice->weight)
      return choice;
    draw -= choice->weight;
  }
  llvm_unreachable("the weights do not add up");
}

static StringRef textAttr(const Attempt &attempt, StringRef name) {
  ProposalOp proposal = attempt.proposal;
  auto text =
      proposal ? proposal->getAttrOfType<StringAttr>(name) : StringAttr();
  return text ? text.getValue() : "";
}

const StrategyOperator *Generation::chooseOperator(const History &history,
                                                   const Population &population,
                                                   Random &random,
                                                   bool mayMix) const {
  auto choices = eligible(strategy, history, population, mayMix);
  if (choices.empty())
    return nullptr;
  if (strategy.choose == Strategy::Choose::Weight)
    return drawByWeight(choices, random);
  size_t index = chooseArm(
      choices.size(), history,
      [&](const Attempt &attempt) {
        StringRef name = textAttr(attempt, operatorAttr);
        auto found = llvm::find_if(
            choices, [&](auto *choice) { return choice->name == name; });
        return found == choices.end() ? -1 : int(found - choices.begin());
      },
      {strategy.choose, strategy.exploration}, random);
  return choices[index];
}

void Generation::chooseMeans(const History &history, Random &random) {
  temperature = options.temperature;
  if (!temperature && !strategy.temperatures.empty())
    temperature =
        strategy.temperatures[random.below(strategy.temperatures.size())];
  model.clear();
  const std::vector<std::string> &models = options.models;
  if (models.size() < 2)
    return;
  size_t index =
      strategy.choose == Strategy::Choose::Weight
          ? random.below(models.size())
          : chooseArm(
                models.size(), history,
                [&](const Attempt &attempt) {
                  auto found = llvm::find(models, textAttr(attempt, modelAttr));
                  return found == models.end() ? -1
                                               : int(found - models.begin());
                },
                {strategy.choose, strategy.exploration}, random);
  model = models[index];
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

// Generation.

std::string evo::taskOf(KernelOp kernel) {
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
  // Later requests begin with the same task, and go on otherwise.
  llvm::Expected<std::string> head = prompts.render(name, context.task());
  if (!head)
    return head.takeError();
  size_t stable =
      std::mismatch(head->begin(),
                    head->begin() + std::min(head->size(), text->size()),
                    text->begin())
          .first -
      head->begin();
  size_t whole = system->size();
  return std::vector<llm::Message>{
      {SpeakerRole::System, std::move(*system), whole},
      {SpeakerRole::User, std::move(*text), stable}};
}

std::optional<double> Generation::priceOf(const llm::Usage &usage,
                                          StringRef answering) const {
  if (!options.prices || usage.inputTokens + usage.outputTokens == 0)
    return std::nullopt;
  std::optional<llm::Price> price = options.prices->find(model);
  if (!price)
    price = options.prices->find(answering);
  if (!price)
    return std::nullopt;
  return price->of(usage);
}

/// Who is asked, for whoever watches.
static std::string nameOf(StringRef model, ArrayRef<std::string> models) {
  if (model.empty() && !models.empty())
    model = models.front();
  return model.empty() ? "an answer" : "model '" + model.str() + "'";
}

llm::ModelRequest Generation::frame() const {
  llm::ModelRequest request;
  request.model = model;
  request.temperature = temperature;
  request.maxTokens = options.maxTokens;
  request.task = taskOf(kernel);
  request.deadline = session.deadline;
  if (session.onWait)
    request.onAttempt =
        [&session = session,
         asked = nameOf(model, options.models)](const llm::AttemptNews &news) {
          SearchWait wait;
          wait.what = news.file.empty() ? asked : "'" + news.file + "'";
          wait.attempt = news.attempt;
          wait.attempts = news.attempts;
          wait.retry = news.retry;
          wait.failure = news.failure;
          session.onWait(wait);
        };
  return request;
}

llvm::Expected<llm::ModelRequest>
Generation::requestFor(std::vector<llm::Message> messages, StringRef id,
                       StringRef stage) const {
  KernelOp kernel = this->kernel; // ops are handles, without const
  llm::ModelRequest request = frame();
  request.messages = std::move(messages);
  request.id = (kernel.getSymName() + "/" + id).str();
  request.stage = stage.str();
  if (strategy.structured || options.structured) {
    llvm::Expected<llvm::json::Value> schema = prompts.schema("answer");
    if (!schema)
      return schema.takeError();
    request.schema = std::move(*schema);
  }
  return request;
}

llvm::Expected<std::optional<llm::ParsedAnswer>>
Generation::ask(llm::ModelRequest request,
                llvm::Expected<llm::ModelAnswer> answer,
                const PromptContext &context, unsigned wanted, StringRef parent,
                StringRef operation) {
  llm::AnswerLimits limits;
  limits.maxCandidates = wanted;
  limits.languages = context.languages();
  for (bool isRepair : {false, true}) {
    if (isRepair) {
      request.id = (kernel.getSymName() + "/" + writer->nextSymbol()).str();
      request.stage = "repair";
      // What was wrong has been looked at, so that it may be another one now.
      answer = client.complete(request);
    }
    std::string text, problems;
    FaultKind fault = FaultKind::Candidate;
    writer->setRequest(request.id, model, 0);
    if (answer) {
      text = client.redact(answer->text);
      llvm::Expected<llm::ParsedAnswer> parsed = llm::parseAnswer(text, limits);
      if (parsed) {
        if (answer->reworded)
          parsed->problems.push_back(
              "the answer was recorded for another wording of the request");
        Source source{request.id, answer->usage};
        if (operation != "repair")
          if (llvm::Error error =
                  reflect(request, std::move(text), limits, *parsed, source))
            return std::move(error);
        size_t shares = parsed->candidates.size();
        std::optional<double> price = priceOf(source.usage, answer->model);
        if (price)
          price = *price / shares;
        // Where no model was asked for by name, the answer says which it was.
        writer->setRequest(
            source.request,
            model.empty() ? client.redact(answer->model) : model,
            (source.usage.inputTokens + source.usage.outputTokens) / shares,
            price);
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
                     fault = FaultKind::Server;
                     // The server's doing: of no place in the kernel, and not
                     // an answer of a model that is no good.
                     emitWarning(UnknownLoc::get(kernel.getContext()))
                         << "proposer '" << proposer
                         << "': no answer can be read from the server: "
                         << problems;
                     return llvm::Error::success();
                   })) {
      return std::move(fatal);
    }
    writer->addUnusable(text, problems, parent, operation, fault);
    // A model that was not heard cannot correct what it said, and each request
    // may cost its maximum: the next question is asked soon enough.
    if (isRepair || fault == FaultKind::Server)
      break;
    llvm::Expected<std::string> complaint =
        prompts.render("repair", PromptContext::repairAnswer(problems));
    if (!complaint)
      return complaint.takeError();
    if (text.empty()) {
      // There is no answer to show, and two turns of one side are refused by
      // some servers.
      request.messages.back().text += "\n" + *complaint;
      continue;
    }
    request.messages.push_back(
        {SpeakerRole::Assistant, bounded(text, 64 << 10)});
    request.messages.push_back({SpeakerRole::User, std::move(*complaint)});
  }
  return std::nullopt;
}

llvm::Error Generation::reflect(const llm::ModelRequest &first,
                                std::string text,
                                const llm::AnswerLimits &limits,
                                llm::ParsedAnswer &answer, Source &source) {
  llm::ModelRequest request = frame();
  request.stage = "reflect";
  request.messages = first.messages;
  for (unsigned look = 0; look < strategy.reflections; ++look) {
    llvm::Expected<std::string> instruction =
        prompts.render("reflect", llvm::json::Object());
    if (!instruction)
      return instruction.takeError();
    request.messages.push_back(
        {SpeakerRole::Assistant, bounded(text, 64 << 10)});
    request.messages.push_back({SpeakerRole::User, std::move(*instruction)});
    request.id = first.id + ".reflect";
    if (look > 0)
      request.id += "-" + std::to_string(look + 1);
    llvm::Expected<llm::ModelAnswer> second = client.complete(request);
    if (!second)
      return unlessOptional(second.takeError());
    source.usage += second->usage;
    text = client.redact(second->text);
    llvm::Expected<llm::ParsedAnswer> parsed = llm::parseAnswer(text, limits);
    if (!parsed) {
      llvm::consumeError(parsed.takeError());
      return llvm::Error::success(); // the first answer stands
    }
    answer = std::move(*parsed);
    source.request = request.id;
  }
  return llvm::Error::success();
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

llvm::Error
Generation::take(const llm::ParsedAnswer &answer, const PromptContext &context,
                 llvm::function_ref<bool(const llm::ParsedCandidate &)> add) {
  SmallVector<ProposalOp> tried;
  for (const llm::ParsedCandidate &candidate : answer.candidates) {
    if (add(candidate))
      tried.push_back(writer->newest());
    --remaining;
  }
  writer->note(answer.problems);
  if (!strategy.judges.empty()) {
    llm::ModelRequest request = frame();
    request.temperature = options.temperature;
    if (llvm::Error error =
            judgeProposals(tried, strategy, context, prompts, request, client,
                           options.facts == FactSource::Replay))
      return error;
  }
  for (ProposalOp proposal : tried)
    added += !proposal.getFailure();
  return llvm::Error::success();
}

/// The lines of an answer that begin as notes do.
static std::vector<std::string> readNotes(StringRef answer, unsigned max) {
  std::vector<std::string> notes;
  SmallVector<StringRef> lines;
  answer.split(lines, '\n');
  for (StringRef line : lines) {
    line = line.trim();
    if (notes.size() < max &&
        // data format: Markdown
        (line.consume_front("- ") || line.consume_front("* ")))
      notes.push_back(llvm::json::fixUTF8(firstLine(line.trim(), 240)));
  }
  return notes;
}

llvm::Error Generation::takeNotes(int64_t newest) {
  if (!strategy.notesEvery)
    return llvm::Error::success();
  llvm::Expected<History> history = History::read(kernel, store);
  if (!history)
    return history.takeError();
  int64_t since = history->notesGeneration();
  if (newest + 1 - since < strategy.notesEvery)
    return llvm::Error::success();
  PromptContext context(kernel, *history, strategy.prompt, options);
  llvm::Expected<std::string> text =
      prompts.render("distill", context.distill(since - 1, strategy.notes));
  if (!text)
    return text.takeError();
  llm::ModelRequest request = frame();
  request.stage = "notes";
  request.id =
      (kernel.getSymName() + "/notes-" + llvm::Twine(newest + 1)).str();
  request.messages = {{SpeakerRole::User, std::move(*text)}};
  llvm::Expected<llm::ModelAnswer> answer = client.complete(request);
  if (answer) {
    freshNotes = readNotes(client.redact(answer->text), strategy.notes);
    writer->setNotes(freshNotes);
    return llvm::Error::success();
  }
  // Without new notes the old ones stand.
  return unlessOptional(answer.takeError());
}

llvm::Error Generation::showElsewhere(PromptContext::Shown &shown,
                                      const StrategyOperator &operation,
                                      StringRef name) {
  unsigned rewrites = strategy.prompt.rewrites;
  unsigned count = std::max(operation.elsewhere, rewrites);
  if (count == 0)
    return llvm::Error::success();
  std::string id = (kernel.getSymName() + "/" + name).str();
  auto found = store.elsewhere(kernel, id, count, options);
  if (!found)
    return found.takeError();
  for (auto [index, program] : llvm::enumerate(*found)) {
    if (index < rewrites && !program.rationale.empty())
      shown.rewrites.push_back(firstLine(program.rationale, 240) + " (" +
                               program.kernel + ", " +
                               printFixed(program.speedup, 1) + "x)");
    if (index < operation.elsewhere)
      shown.elsewhere.push_back(std::move(program));
  }
  return llvm::Error::success();
}

llvm::Error Generation::repair(Random &random) {
  if (!strategy.repairs)
    return llvm::Error::success();
  llvm::Expected<History> history = History::read(kernel, store);
  if (!history)
    return history.takeError();
  std::vector<const Attempt *> failed =
      history->toRepair(kernel, strategy.repairs);
  failed.resize(
      std::min<size_t>(failed.size(), std::min(remaining, perRequest())));
  if (failed.empty())
    return llvm::Error::success();
  chooseMeans(*history, random);
  PromptContext context(kernel, *history, strategy.prompt, options);
  auto conversation =
      messages(context, "repair", context.repairCandidates(failed));
  if (!conversation)
    return conversation.takeError();
  auto request =
      requestFor(std::move(*conversation), writer->nextSymbol(), "repair");
  if (!request)
    return request.takeError();
  auto answer = ask(*request, client.complete(*request), context, failed.size(),
                    failed.front()->name(), "repair");
  if (!answer)
    // A recorded search that asked for no correction goes on without it; one
    // that differs in more has no record of the next request either.
    return llvm::handleErrors(
        answer.takeError(),
        [&](std::unique_ptr<ModelError> error) -> llvm::Error {
          if (error->getKind() != ModelError::Kind::MissingRecord)
            return llvm::Error(std::move(error));
          emitRemark(UnknownLoc::get(kernel.getContext()))
              << "proposer '" << proposer
              << "': " << client.redact(error->message())
              << "; going on without the correction";
          return llvm::Error::success();
        });
  if (!*answer)
    return llvm::Error::success();
  size_t index = 0, total = (*answer)->candidates.size();
  return take(**answer, context, [&](const llm::ParsedCandidate &candidate) {
    const Attempt *source = corrected(failed, candidate, index++, total);
    // Options alone are for the program that they were sent back for.
    return writer->add(candidate, source->name(), source, "repair",
                       context.schedule());
  });
}

unsigned Generation::mix(ArrayRef<const Attempt *> members,
                         const StrategyOperator &operation, unsigned wanted,
                         Random &random) {
  auto makeOne = [&] {
    if (operation.mixesPlans)
      return crossPlans(kernel, findPlanCuts(members), operation.name, *writer,
                        random);
    auto [one, other] = findSchedules(members);
    return crossKnobs(kernel, *one, *other, operation.name, *writer, random);
  };
  unsigned made = 0;
  while (made < wanted && makeOne())
    ++made;
  added += made;
  remaining -= made;
  return made;
}

llvm::Expected<std::optional<Generation::Query>>
Generation::prepare(const History &history, unsigned wanted, unsigned number,
                    unsigned total, Random &random) {
  const PopulationRule &rule = strategy.population;
  unsigned island = rule.islands > 1 ? random.below(rule.islands) : 0;
  Population population = populationOf(history, rule, island);
  const std::vector<const Attempt *> &members = population.members;
  if (rule.islands > 1)
    writer->setIsland(island);
  const StrategyOperator *operation =
      chooseOperator(history, population, random, /*mayMix=*/true);
  if (operation && operation->asksNobody()) {
    if (mix(members, *operation, wanted, random) > 0)
      return std::nullopt;
    operation = chooseOperator(history, population, random, /*mayMix=*/false);
  }
  if (!operation)
    return std::nullopt; // the strategy has come to its end
  PromptContext::Shown shown;
  shown.parents = chooseParents(members, *operation, random);
  const Attempt *best = history.best();
  if (rule.islands > 1)
    best = members.empty() ? nullptr : members.front();
  // What options alone are for, and where the candidate comes from.
  const Attempt *base = shown.parents.empty() ? best : shown.parents.front();
  shown.isReferencePlan = isReferencePlan(kernel, base);
  shown.number = number;
  shown.total = total;
  if (strategy.prompt.best)
    shown.best = best;
  if (strategy.prompt.insights == PromptSections::Insights::Rationales)
    shown.recalled =
        drawRationales(history, strategy.prompt.rationales, random);
  chooseMeans(history, random);
  std::string id = writer->nextSymbol();
  if (number > 1)
    id = "r" + std::to_string(number) + "-" + id;
  if (llvm::Error error = showElsewhere(shown, *operation, id))
    return std::move(error);
  PromptContext context(kernel, history, strategy.prompt, options);
  llvm::Expected<std::string> instruction =
      prompts.render("operator-" + operation->name, llvm::json::Object());
  if (!instruction)
    return instruction.takeError();
  auto conversation = messages(context, "propose",
                               context.propose(*instruction, wanted, shown));
  if (!conversation)
    return conversation.takeError();
  auto request = requestFor(std::move(*conversation), id, "propose");
  if (!request)
    return request.takeError();
  return Query{island, operation,          base,
               wanted, std::move(context), std::move(*request)};
}

std::vector<llvm::Expected<llm::ModelAnswer>>
Generation::completeAll(ArrayRef<llm::ModelRequest> requests) {
  // The ledger of a replay is to be the same each time.
  if (options.facts != FactSource::Replay)
    return llm::completeAll(client, requests);
  std::vector<llvm::Expected<llm::ModelAnswer>> answers;
  for (const llm::ModelRequest &request : requests)
    answers.push_back(client.complete(request));
  return answers;
}

llvm::Error Generation::use(const Query &query,
                            llvm::Expected<llm::ModelAnswer> given) {
  model = query.request.model;
  temperature = query.request.temperature;
  if (strategy.population.islands > 1)
    writer->setIsland(query.island);
  const Attempt *base = query.base;
  std::string parent =
      base ? VariantOp(base->variant).getSymName().str() : std::string();
  StringRef operation = query.operation->name;
  auto answer = ask(query.request, std::move(given), query.context,
                    query.wanted, parent, operation);
  if (!answer)
    return answer.takeError();
  if (!*answer)
    return llvm::Error::success();
  return take(**answer, query.context,
              [&](const llm::ParsedCandidate &candidate) {
                return writer->add(candidate, parent, base, operation,
                                   query.context.schedule());
              });
}

llvm::Error Generation::proposeNew(unsigned total, Random &random) {
  llvm::Expected<History> history = History::read(kernel, store);
  if (!history)
    return history.takeError();
  history->freshNotes = freshNotes;
  std::vector<Query> queries;
  std::vector<llm::ModelRequest> requests;
  for (unsigned number = 1, left = remaining; number <= total && left > 0;
       ++number) {
    unsigned wanted = std::min(left, perRequest());
    left -= wanted;
    auto query = prepare(*history, wanted, number, total, random);
    if (!query)
      return query.takeError();
    if (!*query)
      continue;
    requests.push_back((*query)->request);
    queries.push_back(std::move(**query));
  }
  auto answers = completeAll(requests);
  // What was paid for is used, whatever became of the others.
  llvm::Error failure = llvm::Error::success();
  for (auto [query, answer] : llvm::zip_equal(queries, answers)) {
    llvm::Error error = use(query, std::move(answer));
    if (error && failure)
      llvm::consumeError(std::move(error));
    else if (error)
      failure = std::move(error);
  }
  return failure;
}

/// Generations of which a candidate was accepted.
static size_t roundsThatGave(KernelOp kernel) {
  std::set<int64_t> rounds;
  for (auto proposal : kernel.getBody().getOps<ProposalOp>()) {
    VariantOp variant = proposal.lookupVariant();
    EvidenceAttr evidence =
        variant ? variant.getEvidenceAttr() : EvidenceAttr();
    auto number = proposal->getAttrOfType<IntegerAttr>(generationAttr);
    if (number && evidence && evidence.isAccepted())
      rounds.insert(number.getInt());
  }
  return rounds.size();
}

llvm::Error Generation::run(uint64_t seed) {
  int64_t newest = -1;
  for (auto proposal : kernel.getBody().getOps<ProposalOp>())
    if (auto number = proposal->getAttrOfType<IntegerAttr>(generationAttr))
      newest = std::max(newest, number.getInt());
  if (strategy.depth && roundsThatGave(kernel) >= strategy.depth)
    return llvm::Error::success(); // the strategy has come to its end
  writer.emplace(kernel, proposer, newest + 1);
  temperature = options.temperature;
  Random random(seed);
  if (newest >= 0) {
    if (llvm::Error error = takeNotes(newest))
      return error;
    if (llvm::Error error = repair(random))
      return error;
  }
  // What was asked for now has to be evaluated before a later request can tell
  // of it, so a generation ends with the strategy's number of requests even
  // where more candidates were wanted. Never more than the count needs,
  // whatever they yield: never spin.
  unsigned requests = std::min<unsigned>(
      llvm::divideCeil(remaining, perRequest()), strategy.requests);
  return requests > 0 ? proposeNew(requests, random) : llvm::Error::success();
}
