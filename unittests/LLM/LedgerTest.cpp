// Books that are never too low. A cap holds whatever happens to a request:
// answered, refused, broken off, killed between the two.
#include "evo/LLM/Ledger.h"
#include "TestSupport.h"
#include <atomic>
#include <thread>

using namespace evo::llm;
using namespace evo::llm::test;
using Kind = ModelError::Kind;

namespace {

constexpr const char *table = R"({"date": "2026-01-02", "currency": "EUR",
  "per": 1000, "models": {
    "cheap": {"input": 1, "output": 2},
    "cheap-pro": {"input": 50, "output": 60},
    "cached": {"input": 10, "cachedInput": 1, "cacheWrite": 12, "output": 20}}})";

PriceTable prices() { return llvm::cantFail(PriceTable::parse(table)); }

/// Answers as it is told, and knows how often it was asked.
class Told : public ModelClient {
public:
  llvm::Expected<ModelAnswer> complete(const ModelRequest &request) override {
    ++asked;
    if (onAsked)
      onAsked(request);
    if (failure)
      return modelError(*failure, "as told");
    ModelAnswer answer;
    answer.text = "fine";
    answer.usage = usage;
    return answer;
  }
  std::optional<Kind> failure;
  Usage usage{10, 5, 0, 0};
  std::function<void(const ModelRequest &)> onAsked;
  std::atomic<unsigned> asked{0};
};

struct Metered {
  explicit Metered(BudgetCaps caps, std::string model = "cheap",
                   bool billed = true)
      : ledger(std::make_shared<Ledger>(prices(), caps)) {
    auto inner = std::make_unique<Told>();
    told = inner.get();
    client = std::make_unique<MeteredClient>(std::move(inner), ledger, model,
                                             billed);
  }
  std::shared_ptr<Ledger> ledger;
  Told *told;
  std::unique_ptr<MeteredClient> client;
};

TEST(Prices, AreFoundByNameAndVersionOnly) {
  PriceTable all = prices();
  EXPECT_EQ(all.date(), "2026-01-02");
  for (const char *name : {"cheap", "cheap-20260101", "some/cheap",
                           "cheap-latest", "cheap@2026-01-01"})
    EXPECT_TRUE(all.find(name).has_value()) << name;
  for (const char *name :
       {"cheap-mini", "cheaper", "dirt-cheap", "", "cheap-2"})
    EXPECT_FALSE(all.find(name).has_value()) << name;
  EXPECT_DOUBLE_EQ(all.find("cheap-pro")->input, 0.05);
  Price price = *all.find("cached");
  EXPECT_DOUBLE_EQ(price.of({100, 10, 60, 30}),
                   10 * 0.01 + 60 * 0.001 + 30 * 0.012 + 10 * 0.02);
  EXPECT_DOUBLE_EQ(price.bound(100, 10), 100 * 0.012 + 10 * 0.02);
}

TEST(Prices, TheBuildHasATableWithADate) {
  EVO_TAKE(builtin, PriceTable::builtin());
  EXPECT_EQ(builtin.date().size(), 10u);
  EXPECT_FALSE(builtin.find("no-such-model"));
}

TEST(Prices, WhatIsWrongIsNamed) {
  const std::pair<const char *, const char *> cases[] = {
      {"{", "the price table is no JSON: "},
      {R"({"date": "d", "currency": "c", "per": 1, "models": {"m": 3}})",
       "the price table has no prices for 'm'"},
      {"{}", "needs 'date', 'currency', 'per' and 'models'"},
      {R"({"date": "d", "currency": "c", "per": 1, "models": {"m": {"input": 1}}})",
       "needs 'input' and 'output' for 'm'"},
      {R"({"date": "d", "currency": "c", "per": 1,
          "models": {"m": {"input": -1, "output": 1}}})",
       "the price table has no price 'input' for 'm'"},
      {R"({"date": "d", "currency": "c", "per": 1,
          "models": {"m": {"inptu": 1, "output": 1}}})",
       "no price 'inptu' for 'm'"},
  };
  for (const auto &[text, expected] : cases)
    EXPECT_CONTAINS(failed(PriceTable::parse(text)).text, expected);
  EXPECT_EQ(failed(PriceTable::load("/no/such/file")).kind, Kind::Files);
}

TEST(Ledger, EntersWhatWasBilled) {
  Metered metered({});
  ModelRequest request = ask("hello");
  request.stage = "judge";
  EVO_TAKE(one, metered.client->complete(request));
  EVO_TAKE(two, metered.client->complete(ask("there")));
  EXPECT_EQ(one.text + two.text, "finefine");
  LedgerTotals totals = metered.ledger->totals();
  EXPECT_EQ(totals.requests, 2u);
  EXPECT_EQ(totals.usage.inputTokens, 20u);
  EXPECT_EQ(totals.usage.outputTokens, 10u);
  EXPECT_DOUBLE_EQ(totals.money, 20 * 0.001 + 10 * 0.002);
  auto stages = metered.ledger->byStage();
  ASSERT_EQ(stages.size(), 2u);
  EXPECT_EQ(stages[0].first, "judge");
  EXPECT_EQ(stages[1].first, "propose");
}

TEST(Ledger, ACapIsNeverPassedWhateverIsBilled) {
  // Answers of the largest cost that they may have, and of the smallest.
  for (uint64_t output : {0, 1, 50, 100}) {
    BudgetCaps caps;
    caps.tokens = 2000;
    Metered metered(caps);
    ModelRequest request = ask("x");
    metered.told->usage = {inputBound(request), output, 0, 0};
    uint64_t billed = 0;
    for (int i = 0; i < 100; ++i) {
      auto answer = metered.client->complete(request);
      if (!answer) {
        Failed failure = failed(answer.takeError());
        EXPECT_EQ(failure.kind, Kind::Exhausted);
        EXPECT_CONTAINS(failure.text, "beyond the 2000 allowed");
        break;
      }
      billed += answer->usage.inputTokens + answer->usage.outputTokens;
    }
    EXPECT_LE(billed, caps.tokens);
    // Not one request less than is safe: another one would not fit.
    EXPECT_GT(billed + inputBound(request) + request.maxTokens, caps.tokens);
  }
}

TEST(Ledger, ACapOfMoneyCountsCacheWritesAtTheirPrice) {
  BudgetCaps caps;
  caps.money = 9;
  Metered metered(caps, "cached");
  ModelRequest request = ask("x");
  uint64_t input = inputBound(request);
  metered.told->usage = {input, request.maxTokens, 0, input};
  double paid = 0;
  while (true) {
    auto answer = metered.client->complete(request);
    if (!answer) {
      Failed failure = failed(answer.takeError());
      EXPECT_EQ(failure.kind, Kind::Exhausted);
      EXPECT_CONTAINS(failure.text, "EUR, beyond the 9.0000 allowed");
      break;
    }
    paid += prices().find("cached")->of(answer->usage);
  }
  EXPECT_GT(paid, 0);
  EXPECT_LE(paid, caps.money);
}

TEST(Ledger, WhatBrokeOffStaysAtItsBound) {
  for (Kind kind :
       {Kind::Unreachable, Kind::TimedOut, Kind::BadAnswer, Kind::TooLarge,
        Kind::Cancelled, Kind::Unconnected, Kind::Overloaded, Kind::Rejected}) {
    bool isFree = kind == Kind::Unconnected || kind == Kind::Overloaded ||
                  kind == Kind::Rejected;
    Metered metered({});
    metered.told->failure = kind;
    EXPECT_EQ(failed(metered.client->complete(ask("x"))).kind, kind);
    LedgerTotals totals = metered.ledger->totals();
    EXPECT_EQ(totals.requests, 1u);
    EXPECT_EQ(totals.lost, isFree ? 0u : 1u);
    EXPECT_EQ(totals.tokens(), isFree ? 0 : inputBound(ask("x")) + 100);
  }
}

TEST(Ledger, ARepetitionIsEnteredToo) {
  BudgetCaps caps;
  caps.tokens = 2 * (inputBound(ask("x")) + 100);
  Metered metered(caps);
  unsigned allowed = 0;
  metered.told->onAsked = [&](const ModelRequest &request) {
    while (request.mayRepeat())
      ++allowed;
  };
  EVO_TAKE(answer, metered.client->complete(ask("x")));
  EXPECT_EQ(allowed, 1u);
  // The first attempt at its bound, the second as billed.
  EXPECT_EQ(metered.ledger->totals().tokens(), inputBound(ask("x")) + 100 + 15);
  EXPECT_EQ(metered.ledger->totals().lost, 1u);
}

TEST(Ledger, AnAnswerWithoutABillStaysAtItsBound) {
  Metered metered({});
  metered.told->usage = {};
  EVO_TAKE(answer, metered.client->complete(ask("x")));
  EXPECT_EQ(metered.ledger->totals().lost, 1u);
  EXPECT_EQ(metered.ledger->totals().tokens(), inputBound(ask("x")) + 100);
  // People and recordings send none.
  BudgetCaps caps;
  caps.tokens = 1;
  Metered people(caps, "", false);
  people.told->usage = {};
  EVO_TAKE(free, people.client->complete(ask("x")));
  EXPECT_EQ(people.ledger->totals().tokens(), 0u);
  EXPECT_EQ(people.ledger->totals().lost, 0u);
}

TEST(Ledger, ACapThatCannotBeKeptIsRefused) {
  BudgetCaps caps;
  caps.money = 1;
  Metered unknown(caps, "no-such-model");
  Failed failure = failed(unknown.client->complete(ask("x")));
  EXPECT_EQ(failure.kind, Kind::Configuration);
  EXPECT_CONTAINS(failure.text,
                  "2026-01-02 has no price for 'no-such-model'"
                  ", so a cap of money cannot be kept; give one with --prices");
  Metered unlimited(caps);
  ModelRequest request = ask("x");
  request.maxTokens = 0;
  failure = failed(unlimited.client->complete(request));
  EXPECT_EQ(failure.kind, Kind::Configuration);
  EXPECT_EQ(failure.text, "a cap needs a limit of tokens for each answer");
  EXPECT_EQ(unknown.told->asked + unlimited.told->asked, 0u);
}

TEST(Ledger, ConcurrentRequestsDoNotPassACap) {
  BudgetCaps caps;
  caps.tokens = 5000;
  Metered metered(caps);
  metered.told->usage = {inputBound(ask("x")), 100, 0, 0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int j = 0; j < 10; ++j)
        if (auto answer = metered.client->complete(ask("x")); !answer)
          llvm::consumeError(answer.takeError());
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_LE(metered.ledger->totals().tokens(), caps.tokens);
  EXPECT_LE(metered.told->asked * (inputBound(ask("x")) + 100), caps.tokens);
}

TEST(Ledger, TheSinkKnowsOfARequestBeforeItIsSent) {
  Metered metered({});
  std::vector<std::string> seen;
  metered.ledger->setSink([&](unsigned number, const Charge &charge,
                              const ModelRequest *request,
                              const ModelAnswer *answer) {
    seen.push_back(std::to_string(number) + stateName(charge.state).str() +
                   (request ? request->messages.back().text : "") +
                   (answer ? answer->text : ""));
    return llvm::Error::success();
  });
  metered.told->onAsked = [&](const ModelRequest &) { seen.push_back("sent"); };
  EVO_TAKE(answer, metered.client->complete(ask("x")));
  EXPECT_EQ(seen, (std::vector<std::string>{"0open", "sent", "0settledxfine"}));
  metered.ledger->setSink(
      [](unsigned, const Charge &, const ModelRequest *, const ModelAnswer *) {
        return llvm::createStringError("disk full");
      });
  unsigned before = metered.told->asked;
  EXPECT_CONTAINS(failed(metered.client->complete(ask("x"))).text, "disk full");
  EXPECT_EQ(metered.told->asked, before); // nothing is sent without an entry
  // What was sent and cannot be entered is an error too.
  metered.ledger->setSink([](unsigned, const Charge &charge,
                             const ModelRequest *, const ModelAnswer *) {
    return charge.state == Charge::State::Open
               ? llvm::Error::success()
               : llvm::createStringError("disk full");
  });
  EXPECT_EQ(failed(metered.client->complete(ask("x"))).text,
            "the ledger cannot be kept: disk full");
}

TEST(Ledger, EntriesOfAnEarlierProcessCount) {
  BudgetCaps caps;
  caps.tokens = 1000;
  Metered metered(caps);
  Charge open; // the process was killed while it waited
  open.usage = {700, 200, 0, 0};
  metered.ledger->restore({open});
  EXPECT_EQ(failed(metered.client->complete(ask("x"))).kind, Kind::Exhausted);
}

TEST(Ledger, WhatWasOpenWhenAProcessEndedIsLost) {
  Metered metered(BudgetCaps{});
  Charge billed, unbilled;
  billed.usage = {700, 200, 0, 0};
  metered.ledger->restore({billed, unbilled});
  EXPECT_EQ(metered.ledger->totals().lost, 1u);
  EXPECT_EQ(metered.ledger->totals().tokens(), 900u);
  EXPECT_EQ(metered.ledger->entries()[0].state, Charge::State::Lost);
  // Nobody sends a bill for what a person did not answer.
  EXPECT_EQ(metered.ledger->entries()[1].state, Charge::State::Settled);
}

TEST(Ledger, AnAnswerThatWasPaidForIsNotAskedForAgain) {
  Metered metered(BudgetCaps{});
  std::string hash = requestHash(ask("x"));
  Charge paid, other;
  paid.state = other.state = Charge::State::Settled;
  paid.isAnswered = true;
  paid.hash = other.hash = hash;
  ModelAnswer kept;
  kept.text = "kept";
  metered.ledger->restore({paid, other}, {{hash, kept}});
  EXPECT_EQ(metered.ledger->answeredBefore(hash), 1u);
  EXPECT_EQ(metered.ledger->answeredBefore("another"), 0u);
  EVO_TAKE(different, metered.client->complete(ask("y")));
  EXPECT_EQ(different.text, "fine");
  EVO_TAKE(first, metered.client->complete(ask("x")));
  EXPECT_EQ(first.text, "kept");
  EXPECT_EQ(metered.told->asked, 1u);
  EXPECT_EQ(metered.ledger->totals().requests, 3u);
  EVO_TAKE(second, metered.client->complete(ask("x")));
  EXPECT_EQ(second.text, "fine");
  EXPECT_EQ(metered.told->asked, 2u);
  // What this process asks is not of an earlier one.
  EXPECT_EQ(metered.ledger->answeredBefore(hash), 1u);
}

} // namespace
