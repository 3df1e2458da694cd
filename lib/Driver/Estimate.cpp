// Estimates say what they assume: nobody knows how long an answer will be, nor
// how many candidates will have to be corrected.
#include "Estimate.h"
#include "evo/Support/Counted.h"
#include "evo/Support/Fixed.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace evo;
using llvm::formatv;
using llvm::StringRef;

// What the estimate takes for granted.
static constexpr double bytesPerToken = 3.5;
static constexpr unsigned tokensPerCandidate = 2000, tokensOfProse = 400;

namespace {
/// The requests of one kind.
struct Asking {
  StringRef name;
  uint64_t requests;
  /// Of all of them together: what is said in words, and as code, both ways.
  /// What a request begins with, the task, comes to the input besides.
  uint64_t shownCandidates, answeredCandidates, answeredProse;
  /// Only where something fails.
  bool isBound = false;

  double input(double taskTokens) const {
    return requests * taskTokens + 1.0 * shownCandidates * tokensPerCandidate;
  }
  double output() const {
    return 1.0 * answeredCandidates * tokensPerCandidate +
           1.0 * answeredProse * tokensOfProse;
  }
};
} // namespace

/// All that a search by `strategy` asks for, by what Generation does.
static std::vector<Asking> stagesOf(const Strategy &strategy,
                                    const VerbOptions &options,
                                    unsigned perRequest) {
  uint64_t candidates = options.budget;
  uint64_t requests = llvm::divideCeil(candidates, perRequest);
  uint64_t generations = llvm::divideCeil(requests, strategy.requests);
  std::vector<Asking> stages = {{"propose", requests, 0, candidates, 0}};
  if (strategy.reflections)
    stages.push_back({"reflect", strategy.reflections * requests,
                      strategy.reflections * candidates,
                      strategy.reflections * candidates, 0});
  if (uint64_t judges = strategy.judges.size())
    stages.push_back({"judge", judges * candidates, judges * candidates, 0,
                      judges * candidates});
  if (strategy.notesEvery && generations > 1)
    if (uint64_t notes = (generations - 1) / strategy.notesEvery)
      stages.push_back({"notes", notes, 0, 0, notes});
  // Each answer may be of no use once, and its candidates fail as often as
  // corrections are asked for.
  uint64_t repairs = requests * (1 + strategy.repairs);
  uint64_t again = candidates * (1 + strategy.repairs);
  stages.push_back({"repair", repairs, again, again, 0, /*isBound=*/true});
  if (options.explain)
    stages.push_back({"explain", 1, 1, 0, 1});
  return stages;
}

static void printPrices(
    llvm::raw_ostream &os, const llm::PriceTable &prices, StringRef models,
    llvm::function_ref<double(const llm::Price &, bool withBounds)> total) {
  llvm::SmallVector<StringRef> names;
  models.split(names, ',', -1, /*KeepEmpty=*/false);
  for (StringRef name : names) {
    std::optional<llm::Price> price = prices.find(name);
    if (price)
      os << formatv("about {0} {1}, with all repairs {2} {1}, by the prices of "
                    "{3} for '{4}', without the provider's cache\n",
                    printFixed(total(*price, false), 2), prices.currency(),
                    printFixed(total(*price, true), 2), prices.date(), name);
    else
      os << "the price table of " << prices.date() << " does not know '" << name
         << "'\n";
  }
  if (names.size() > 1)
    os << "which of them is asked is chosen for each request\n";
}

static void printEstimate(llvm::raw_ostream &os, uint64_t bytes,
                          const llm::Ledger &ledger, const Strategy &strategy,
                          const VerbOptions &options) {
  unsigned perRequest = strategy.perRequest ? strategy.perRequest : 4;
  double task = bytes / bytesPerToken;
  os << formatv("=== estimate\n{0}, {1} in a request\n",
                counted(options.budget, "candidate"), perRequest);
  double input[2] = {0, 0}, output[2] = {0, 0}; // without and with bounds
  for (const Asking &stage : stagesOf(strategy, options, perRequest)) {
    os << formatv("{0}: {1}{2} request{3}\n", stage.name,
                  stage.isBound ? "up to " : "", stage.requests,
                  stage.requests == 1 ? "" : "s");
    for (bool withBounds : {false, true})
      if (withBounds || !stage.isBound) {
        input[withBounds] += stage.input(task);
        output[withBounds] += stage.output();
      }
  }
  os << formatv("about {0:f0} tokens in and {1:f0} out, with all repairs "
                "{2:f0} and {3:f0}: if each request begins with as much as the "
                "first ({4} bytes), a token has {5} bytes, a candidate {6} "
                "tokens and an answer in words {7}\n",
                input[0], output[0], input[1], output[1], bytes, bytesPerToken,
                tokensPerCandidate, tokensOfProse);
  printPrices(os, ledger.priceTable(), options.model,
              [&](const llm::Price &price, bool withBounds) {
                return input[withBounds] * price.input +
                       output[withBounds] * price.output;
              });
  const llm::BudgetCaps &caps = ledger.budget();
  if (caps.money > 0)
    os << formatv("never more than {0} {1} (--max-money)\n",
                  printFixed(caps.money, 4), ledger.priceTable().currency());
  if (caps.tokens > 0)
    os << formatv("never more than {0} tokens (--max-tokens)\n", caps.tokens);
}

void evo::printDryRun(llvm::raw_ostream &os, const llm::DryRun &run,
                      const llm::Ledger &ledger, const Strategy &strategy,
                      const VerbOptions &options) {
  if (run.requests.empty()) {
    os << "no model would be asked\n";
    return;
  }
  uint64_t bytes = 0;
  for (auto [index, request] : llvm::enumerate(run.requests)) {
    os << "=== request " << index + 1 << ": " << request.id << '\n';
    for (const llm::Message &message : request.messages) {
      os << "--- " << llm::roleName(message.role) << '\n'
         << message.text << '\n';
      if (index == 0)
        bytes += message.text.size();
    }
  }
  printEstimate(os, bytes, ledger, strategy, options);
}
