// The books of a search, in words and as JSON.
#include "Spending.h"
#include "Diagnostics.h"
#include "Driver/Optimize/Wording.h"
#include "evo/Interfaces/Backends.h"
#include "evo/Interfaces/Interrupt.h"
#include "evo/Support/Counted.h"
#include "evo/Support/Fixed.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"
#include <map>

using namespace evo;
using llvm::formatv;
using llvm::StringRef;
using llvm::json::Object;

llvm::Expected<std::shared_ptr<llm::Ledger>>
evo::makeLedger(const VerbOptions &options) {
  llvm::Expected<llm::PriceTable> prices =
      options.prices.empty() ? llm::PriceTable::builtin()
                             : llm::PriceTable::load(options.prices);
  if (!prices)
    return prices.takeError();
  llm::BudgetCaps caps;
  caps.tokens = options.maxTokens;
  caps.money = options.maxMoney;
  return std::make_shared<llm::Ledger>(std::move(*prices), caps);
}

llvm::Error evo::checkPrices(const VerbOptions &options,
                             const llm::Ledger &ledger) {
  const llm::PriceTable &prices = ledger.priceTable();
  llvm::SmallVector<StringRef> models;
  StringRef(options.model).split(models, ',', -1, /*KeepEmpty=*/false);
  for (StringRef model : models) {
    if (prices.find(model))
      continue;
    std::string missing = "there is no price for '" + model.str() +
                          "' in the table of " + prices.date();
    if (options.maxMoney > 0)
      return llvm::createStringError(missing +
                                     ", so '--max-money' cannot be kept: give "
                                     "one with '--prices'");
    reportWarning(options, missing + ": what it costs is told in tokens alone, "
                                     "unless '--prices' has one");
  }
  return llvm::Error::success();
}

/// Seconds of the search that were neither evaluation, nor a model's, nor a
/// GPU's.
static double overhead(const SearchSummary &summary,
                       const llm::Ledger &ledger) {
  return std::max(0.0, summary.seconds - summary.evaluating -
                           summary.measuring - ledger.secondsAsking());
}

void evo::printSpending(llvm::raw_ostream &os, const SearchSummary &summary,
                        const llm::Ledger &ledger) {
  if (summary.candidates > 0 && summary.seconds > 0)
    os << formatv("{0} in {1} s, {2} per minute, {3} at a time; "
                  "{4} of the time for the search itself\n",
                  counted(summary.candidates, "candidate"),
                  printFixed(summary.seconds, 1),
                  printFixed(60 * summary.candidates / summary.seconds, 1),
                  summary.width,
                  showShare(overhead(summary, ledger) / summary.seconds, 1));
  if (summary.measured > 0 && summary.seconds > 0)
    os << formatv(
        "stages of the CPU {0} s, of the GPU {1} s ({2}): it was busy "
        "for {3} of the time\n",
        printFixed(summary.evaluating, 1), printFixed(summary.measuring, 1),
        counted(summary.measured, "measurement"),
        showShare(summary.measuring / summary.seconds, 0));
  if (summary.stopped && !isInterrupted()) // which is said elsewhere
    os << formatv("stopped after {0} of {1}: {2}\n", summary.spent,
                  counted(summary.budget, "candidate"), summary.stopped.text);
  llm::LedgerTotals totals = ledger.totals();
  if (totals.requests == 0)
    return;
  os << formatv("{0} to models: {1} tokens in ({2} from a cache), {3} out",
                counted(totals.requests, "request"), totals.usage.inputTokens,
                totals.usage.cachedTokens, totals.usage.outputTokens);
  if (totals.money > 0)
    os << formatv(", {0} {1} by the prices of {2}", printFixed(totals.money, 4),
                  ledger.priceTable().currency(), ledger.priceTable().date());
  if (totals.lost)
    os << formatv("; {0} of them without a bill, at the maximum they can cost",
                  totals.lost);
  os << '\n';
}

static Object describe(const llm::LedgerTotals &totals) {
  return Object{{"requests", totals.requests},
                {"without_bill", totals.lost},
                {"input_tokens", int64_t(totals.usage.inputTokens)},
                {"cached_tokens", int64_t(totals.usage.cachedTokens)},
                {"cache_write_tokens", int64_t(totals.usage.cacheWriteTokens)},
                {"output_tokens", int64_t(totals.usage.outputTokens)},
                {"money", totals.money}};
}

/// What is charged for `request` belongs to a candidate, or to all of an
/// answer, of this name: the request without what followed from it.
static StringRef ownerOf(StringRef request) {
  StringRef name = request.rsplit('/').second;
  for (StringRef follower : {".reflect", ".judge-"})
    name = name.take_front(name.find(follower));
  return name;
}

static Object describeCandidates(KernelOp kernel, const llm::Ledger &ledger) {
  llvm::StringMap<llvm::SmallVector<ProposalOp>> answers;
  for (auto proposal : kernel.getBody().getOps<ProposalOp>())
    if (auto request = proposal->getAttrOfType<mlir::StringAttr>(requestAttr))
      answers[ownerOf(request.getValue())].push_back(proposal);
  struct Share {
    double input = 0, output = 0, money = 0;
  };
  std::map<std::string, Share> shares;
  for (const llm::Charge &charge : ledger.entries()) {
    StringRef owner = ownerOf(charge.request);
    llvm::SmallVector<ProposalOp> owners;
    if (charge.stage != llm::judgeStage)
      owners = answers.lookup(owner);
    else if (auto judged = kernel.lookupSymbol<ProposalOp>(owner))
      owners = {judged};
    for (ProposalOp proposal : owners) {
      Share &share = shares[proposal.getSymName().str()];
      share.input += 1.0 * charge.usage.inputTokens / owners.size();
      share.output += 1.0 * charge.usage.outputTokens / owners.size();
      share.money += charge.money / owners.size();
    }
  }
  Object result;
  for (const auto &[name, share] : shares)
    result[name] = Object{{"input_tokens", share.input},
                          {"output_tokens", share.output},
                          {"money", share.money}};
  return result;
}

void evo::reportSpending(Object &report, KernelOp kernel,
                         const SearchSummary &summary,
                         const llm::Ledger &ledger) {
  if (summary.stopped)
    report["stopped"] = summary.stopped.text;
  llm::LedgerTotals totals = ledger.totals();
  if (totals.requests == 0)
    return;
  Object spending = describe(totals), stages;
  for (const auto &[stage, sum] : ledger.byStage())
    stages[stage] = describe(sum);
  spending["by_stage"] = std::move(stages);
  spending["by_candidate"] = describeCandidates(kernel, ledger);
  spending["currency"] = ledger.priceTable().currency();
  spending["prices_of"] = ledger.priceTable().date();
  report["spending"] = std::move(spending);
}

Object evo::reportTimings(const SearchSummary &summary,
                          const llm::Ledger &ledger) {
  Object timings{{"seconds", summary.seconds},
                 {"evaluating", summary.evaluating},
                 {"proposing", summary.proposing},
                 {"asking", ledger.secondsAsking()},
                 {"overhead", overhead(summary, ledger)},
                 {"measuring", summary.measuring},
                 {"measurements", summary.measured},
                 {"candidates", summary.candidates},
                 {"at_a_time", summary.width}};
  Object waits;
  for (const auto &[stage, sum] : ledger.byStage())
    waits[stage] = sum.seconds;
  timings["models_by_stage"] = std::move(waits);
  return timings;
}
