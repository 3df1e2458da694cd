// What was asked of models, and what it cost. Every request is entered before
// it is sent, at the max that it can cost, and corrected when its bill is
// known. So the sum of the entries is never below what was spent, a cap that it
// does not pass is not passed, and a run that was killed between the two finds
// the entry at its bound.
//
// The bounds are hard: a token is at least one byte of text, and no answer is
// longer than the request's own limit of tokens, which is demanded under a cap.
// A request that broke off may have been billed and stays at its bound.
#ifndef EVO_LLM_LEDGER_H
#define EVO_LLM_LEDGER_H

#include "evo/LLM/Clock.h"
#include "evo/LLM/ModelClient.h"
#include "evo/LLM/Prices.h"
#include <memory>
#include <mutex>

namespace evo::llm {

/// One request in the books.
struct Charge {
  enum class State {
    Open,    ///< sent, not answered: at its bound
    Settled, ///< answered: as billed
    Lost     ///< broke off, or was answered without a bill: at its bound
  };
  State state = State::Open;
  std::string stage;   ///< what the request was for ("propose", ...)
  std::string request; ///< ModelRequest::id
  std::string hash;    ///< requestHash
  std::string model;
  Usage usage;
  double money = 0; ///< in the table's currency; 0 where there is no price
  double seconds = 0;
  bool isAnswered = false; ///< there was a text
};

/// An answer of an earlier process.
struct KeptAnswer {
  std::string hash; ///< of the request
  ModelAnswer answer;
};

/// "open", "settled" or "lost".
llvm::StringRef stateName(Charge::State state);
std::optional<Charge::State> stateFromName(llvm::StringRef name);

/// 0: no cap.
struct BudgetCaps {
  uint64_t tokens = 0; ///< of input and output together
  double money = 0;
};

struct LedgerTotals {
  unsigned requests = 0;
  unsigned lost = 0;
  Usage usage;
  double money = 0, seconds = 0;
  uint64_t tokens() const { return usage.inputTokens + usage.outputTokens; }
};

/// Thread-safe.
class Ledger {
public:
  Ledger(PriceTable prices, BudgetCaps caps)
      : prices(std::move(prices)), caps(caps) {}

  /// Enters a request for `model` at its bound. The error is Exhausted where a
  /// cap might be passed, Configuration where a cap cannot be kept: a model
  /// without a price, a request without a limit of tokens. Where nothing is
  /// billed (`isBilled` false) the bound is nothing.
  llvm::Expected<unsigned> reserve(const ModelRequest &request,
                                   llvm::StringRef model, bool isBilled = true);
  llvm::Error settle(unsigned charge, const ModelRequest &request,
                     const ModelAnswer &answer);
  /// The request may have been billed, and nobody knows how much.
  llvm::Error lose(unsigned charge, double seconds);
  /// The request was refused or never arrived: nothing is billed.
  llvm::Error drop(unsigned charge, double seconds);

  /// A request is under way from `enter` to `leave`.
  void enter();
  void leave();
  /// Seconds of this process in which at least one was.
  double secondsAsking() const;

  LedgerTotals totals() const;
  /// All entries, in the order in which they were made.
  std::vector<Charge> entries() const;
  /// By stage, in the order of their first entries.
  std::vector<std::pair<std::string, LedgerTotals>> byStage() const;
  const PriceTable &priceTable() const { return prices; }
  const BudgetCaps &budget() const { return caps; }

  /// Entries of an earlier process of the same run; replaces those present.
  /// What was open when that process ended may have been billed. `unused` are
  /// answers that it had, but had made nothing of.
  void restore(std::vector<Charge> earlier,
               std::vector<KeptAnswer> unused = {});
  /// How many of the restored requests with this hash were answered.
  unsigned answeredBefore(llvm::StringRef hash) const;
  /// The first unused answer to a request with this hash, which is then used.
  std::optional<ModelAnswer> takeUnused(llvm::StringRef hash);
  /// Called with each new or changed entry and its number before the request
  /// goes on; an error ends it. Question and answer (both may be null) are
  /// those of a settled entry.
  using Sink =
      std::function<llvm::Error(unsigned number, const Charge &,
                                const ModelRequest *, const ModelAnswer *)>;
  void setSink(Sink sink);
  /// The same, but leaves a sink that is set where it is; whether it was set.
  bool claimSink(Sink sink);

private:
  PriceTable prices;
  BudgetCaps caps;
  mutable std::mutex mutex;
  std::vector<Charge> charges;
  size_t numRestored = 0;
  std::vector<KeptAnswer> unused;
  Sink sink;
  unsigned underWay = 0;
  Clock::Instant since;
  double asking = 0;

  LedgerTotals sum() const;
  llvm::Error write(unsigned number, const ModelRequest *request,
                    const ModelAnswer *answer);
};

/// Tokens of `request` that no tokenizer exceeds.
uint64_t inputBound(const ModelRequest &request);

/// Passes requests on, and enters them. `model` is the client's own; `isBilled`
/// is false for people and recordings.
class MeteredClient : public ModelClient {
public:
  MeteredClient(std::unique_ptr<ModelClient> inner,
                std::shared_ptr<Ledger> ledger, std::string model,
                bool isBilled)
      : inner(std::move(inner)), ledger(std::move(ledger)),
        model(std::move(model)), isBilled(isBilled) {}

  llvm::Expected<ModelAnswer> complete(const ModelRequest &request) override;
  std::string redact(llvm::StringRef text) const override {
    return inner->redact(text);
  }

private:
  std::unique_ptr<ModelClient> inner;
  std::shared_ptr<Ledger> ledger;
  std::string model;
  bool isBilled;
};

} // namespace evo::llm

#endif
