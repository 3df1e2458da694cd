// What was asked of models, and what it cost. One lock around a list. Entries
// are never removed: a number once given out means the same entry in the
// journal.
#include "evo/LLM/Ledger.h"
#include "evo/Support/Fixed.h"
#include "llvm/Support/FormatVariadic.h"

namespace evo::llm {

using Kind = ModelError::Kind;
using State = Charge::State;

llvm::StringRef stateName(State state) {
  switch (state) {
  case State::Open:
    return "open";
  case State::Settled:
    return "settled";
  case State::Lost:
    return "lost";
  }
  llvm_unreachable("unknown state of a charge");
}

std::optional<State> stateFromName(llvm::StringRef name) {
  for (State state : {State::Open, State::Settled, State::Lost})
    if (stateName(state) == name)
      return state;
  return std::nullopt;
}

uint64_t inputBound(const ModelRequest &request) {
  // Tokens that a server puts around a turn and in front of them all.
  uint64_t bound = 64;
  for (const Message &message : request.messages)
    bound += message.text.size() + 64;
  // A tool's definition is wrapped in words of the provider's own.
  if (request.schema)
    bound += llvm::formatv("{0}", *request.schema).str().size() + 1024;
  return bound;
}

static void add(LedgerTotals &totals, const Charge &charge) {
  ++totals.requests;
  totals.lost += charge.state == State::Lost;
  totals.usage.inputTokens += charge.usage.inputTokens;
  totals.usage.outputTokens += charge.usage.outputTokens;
  totals.usage.cachedTokens += charge.usage.cachedTokens;
  totals.usage.cacheWriteTokens += charge.usage.cacheWriteTokens;
  totals.money += charge.money;
  totals.seconds += charge.seconds;
}

LedgerTotals Ledger::sum() const {
  LedgerTotals totals;
  for (const Charge &charge : charges)
    add(totals, charge);
  return totals;
}

LedgerTotals Ledger::totals() const {
  std::lock_guard<std::mutex> lock(mutex);
  return sum();
}

std::vector<Charge> Ledger::entries() const {
  std::lock_guard<std::mutex> lock(mutex);
  return charges;
}

std::vector<std::pair<std::string, LedgerTotals>> Ledger::byStage() const {
  std::lock_guard<std::mutex> lock(mutex);
  std::vector<std::pair<std::string, LedgerTotals>> stages;
  for (const Charge &charge : charges) {
    auto found = llvm::find_if(
        stages, [&](const auto &entry) { return entry.first == charge.stage; });
    if (found == stages.end())
      found = stages.insert(stages.end(), {charge.stage, {}});
    add(found->second, charge);
  }
  return stages;
}

void Ledger::restore(std::vector<Charge> earlier,
                     std::vector<KeptAnswer> unusedAnswers) {
  std::lock_guard<std::mutex> lock(mutex);
  charges = std::move(earlier);
  // Nobody will say any more what became of a request. Where nothing is billed,
  // it has only not been answered.
  for (Charge &charge : charges)
    if (charge.state == State::Open)
      charge.state = charge.usage.inputTokens ? State::Lost : State::Settled;
  numRestored = charges.size();
  unused = std::move(unusedAnswers);
}

unsigned Ledger::answeredBefore(llvm::StringRef hash) const {
  std::lock_guard<std::mutex> lock(mutex);
  return llvm::count_if(llvm::ArrayRef(charges).take_front(numRestored),
                        [&](const Charge &charge) {
                          return charge.isAnswered && charge.hash == hash;
                        });
}

std::optional<ModelAnswer> Ledger::takeUnused(llvm::StringRef hash) {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = llvm::find_if(
      unused, [&](const KeptAnswer &kept) { return kept.hash == hash; });
  if (found == unused.end())
    return std::nullopt;
  ModelAnswer answer = std::move(found->answer);
  unused.erase(found);
  return answer;
}

void Ledger::enter() {
  std::lock_guard<std::mutex> lock(mutex);
  if (underWay++ == 0)
    since = Clock::real()->now();
}

void Ledger::leave() {
  std::lock_guard<std::mutex> lock(mutex);
  if (--underWay == 0)
    asking +=
        std::chrono::duration<double>(Clock::real()->now() - since).count();
}

double Ledger::secondsAsking() const {
  std::lock_guard<std::mutex> lock(mutex);
  return asking;
}

void Ledger::setSink(Sink newSink) {
  std::lock_guard<std::mutex> lock(mutex);
  sink = std::move(newSink);
}

bool Ledger::claimSink(Sink newSink) {
  std::lock_guard<std::mutex> lock(mutex);
  if (sink)
    return false;
  sink = std::move(newSink);
  return true;
}

/// Call with the mutex held.
llvm::Error Ledger::write(unsigned number, const ModelRequest *request,
                          const ModelAnswer *answer) {
  if (!sink)
    return llvm::Error::success();
  return sink(number, charges[number], request, answer);
}

llvm::Expected<unsigned> Ledger::reserve(const ModelRequest &request,
                                         llvm::StringRef defaultModel,
                                         bool isBilled) {
  std::lock_guard<std::mutex> lock(mutex);
  Charge charge;
  charge.stage = request.stage.empty() ? "propose" : request.stage;
  charge.request = request.id;
  charge.hash = requestHash(request);
  charge.model = request.model.empty() ? defaultModel.str() : request.model;
  bool isCapped = caps.tokens > 0 || caps.money > 0;
  if (isBilled) {
    if (isCapped && request.maxTokens == 0)
      return modelError(Kind::Configuration,
                        "a cap needs a limit of tokens for each answer");
    charge.usage.inputTokens = inputBound(request);
    charge.usage.outputTokens = request.maxTokens;
    std::optional<Price> price = prices.find(charge.model);
    if (price)
      charge.money =
          price->bound(charge.usage.inputTokens, charge.usage.outputTokens);
    else if (caps.money > 0)
      return modelError(
          Kind::Configuration,
          "the price table of " + prices.date() + " has no price for '" +
              charge.model +
              "', so a cap of money cannot be kept; give one with "
              "--prices");
  }
  LedgerTotals spent = sum();
  add(spent, charge);
  if (isBilled && caps.tokens > 0 && spent.tokens() > caps.tokens)
    return modelError(
        Kind::Exhausted,
        llvm::formatv("the cap on tokens (--max-tokens): the next request "
                      "might take them from {0} to {1}, beyond the {2} allowed",
                      spent.tokens() - charge.usage.inputTokens -
                          charge.usage.outputTokens,
                      spent.tokens(), caps.tokens));
  if (isBilled && caps.money > 0 && spent.money > caps.money)
    return modelError(
        Kind::Exhausted,
        llvm::formatv("the cap on money (--max-money): the next request might "
                      "take it from {0} to {1} {2}, beyond the {3} allowed",
                      printFixed(spent.money - charge.money, 4),
                      printFixed(spent.money, 4), prices.currency(),
                      printFixed(caps.money, 4)));
  unsigned number = charges.size();
  charges.push_back(std::move(charge));
  if (llvm::Error error = write(number, nullptr, nullptr))
    return std::move(error);
  return number;
}

llvm::Error Ledger::settle(unsigned number, const ModelRequest &request,
                           const ModelAnswer &answer) {
  std::lock_guard<std::mutex> lock(mutex);
  Charge &charge = charges[number];
  // A server that states no usage has still sent its bill to somebody.
  bool isKnown = answer.usage.inputTokens || answer.usage.outputTokens ||
                 charge.usage.inputTokens == 0;
  charge.state = isKnown ? State::Settled : State::Lost;
  charge.seconds = answer.seconds;
  if (isKnown) {
    // The price is that of the model that was asked for: an alias may answer
    // under a name that is in no table.
    std::optional<Price> price = prices.find(charge.model);
    if (!price && !answer.model.empty())
      price = prices.find(answer.model);
    if (!answer.model.empty() && charge.model.empty())
      charge.model = answer.model;
    charge.usage = answer.usage;
    charge.money = price ? price->of(answer.usage) : 0;
  }
  return write(number, &request, &answer);
}

llvm::Error Ledger::lose(unsigned number, double seconds) {
  std::lock_guard<std::mutex> lock(mutex);
  charges[number].state = State::Lost;
  charges[number].seconds = seconds;
  return write(number, nullptr, nullptr);
}

llvm::Error Ledger::drop(unsigned number, double seconds) {
  std::lock_guard<std::mutex> lock(mutex);
  Charge &charge = charges[number];
  charge.state = State::Settled;
  charge.usage = {};
  charge.money = 0;
  charge.seconds = seconds;
  return write(number, nullptr, nullptr);
}

// MeteredClient.

/// Whether a provider may send a bill for a request that ended so.
static bool mayBeBilled(Kind kind) {
  switch (kind) {
  case Kind::Configuration:
  case Kind::Unconnected:
  case Kind::Overloaded:
  case Kind::Rejected:
  case Kind::MissingRecord:
  case Kind::Exhausted:
    return false;
  default:
    return true;
  }
}

llvm::Expected<ModelAnswer>
MeteredClient::complete(const ModelRequest &request) {
  // It is paid for, and entered, already.
  if (std::optional<ModelAnswer> kept =
          ledger->takeUnused(requestHash(request)))
    return std::move(*kept);
  llvm::Expected<unsigned> reserved = ledger->reserve(request, model, isBilled);
  if (!reserved)
    return reserved.takeError();
  unsigned charge = *reserved;
  ModelRequest sent = request;
  llvm::Error trouble = llvm::Error::success();
  auto note = [&](llvm::Error error) {
    trouble = llvm::joinErrors(std::move(trouble), std::move(error));
  };
  sent.mayRepeat = [&] {
    llvm::Expected<unsigned> again = ledger->reserve(request, model, isBilled);
    if (!again) {
      // The attempt's own failure is what the caller hears.
      llvm::consumeError(again.takeError());
      return false;
    }
    note(ledger->lose(charge, 0));
    charge = *again;
    return true;
  };
  Clock::Instant start = Clock::real()->now();
  ledger->enter();
  llvm::Expected<ModelAnswer> answer = inner->complete(sent);
  ledger->leave();
  double seconds =
      std::chrono::duration<double>(Clock::real()->now() - start).count();
  llvm::Error failure = llvm::Error::success();
  if (answer) {
    // What is kept of the question is without the secrets that it quotes.
    for (Message &message : sent.messages)
      message.text = inner->redact(message.text);
    note(ledger->settle(charge, sent, *answer));
  } else {
    bool billed = isBilled;
    failure = llvm::handleErrors(
        answer.takeError(),
        [&](std::unique_ptr<ModelError> error) -> llvm::Error {
          billed = isBilled && mayBeBilled(error->getKind());
          return llvm::Error(std::move(error));
        });
    note(billed ? ledger->lose(charge, seconds)
                : ledger->drop(charge, seconds));
  }
  // An entry that could not be kept is worse than an answer that is lost.
  if (trouble) {
    llvm::consumeError(std::move(failure));
    std::string text = llvm::toString(std::move(trouble));
    return modelError(Kind::Files, "the ledger cannot be kept: " + text);
  }
  llvm::cantFail(std::move(trouble));
  if (failure)
    return std::move(failure);
  llvm::cantFail(std::move(failure));
  return answer;
}

} // namespace evo::llm
