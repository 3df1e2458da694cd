// The proposer llm as the driver makes it, in both forms, against the server
// that misbehaves: what concerns one answer is data of the search, what
// concerns the means is an error of it, and neither hangs nor leaks the key.
#include "../../LLM/TestServer.h"
#include "TestSupport.h"
#include <cstdlib>

using namespace evo;
using namespace evo::test;
using llm::WireForm;

namespace {

constexpr const char *key = "sk-very-secret-key-0123456789";

class Faults : public ::testing::TestWithParam<WireForm> {
protected:
  static void SetUpTestSuite() { server = new llm::test::TestServer(); }
  static void TearDownTestSuite() {
    delete server;
    server = nullptr;
  }
  void SetUp() override {
    ASSERT_TRUE(server->isRunning());
    server->forget();
    setenv("EVO_TEST_KEY", key, 1);
  }

  /// Asks for one candidate at `url`; whether the search can go on.
  bool propose(const std::string &url, unsigned attempts = 2) {
    ModelMeans means;
    means.form = GetParam();
    means.baseURL = url;
    means.model = "m";
    means.keyVariable = "EVO_TEST_KEY";
    means.attempts = attempts;
    means.clock = std::make_shared<llm::test::FakeClock>();
    means.ledger = ledger = std::make_shared<llm::Ledger>(
        llvm::cantFail(llm::PriceTable::builtin()), llm::BudgetCaps());
    ModelProposerOptions options;
    options.maxTokens = 1000;
    bool ok = false;
    for (auto &proposer : createModelProposers(means, options))
      if (proposer->getName() == "llm")
        ok = succeeded(proposer->propose(kernel.op(), 1, 1, {}));
    EXPECT_LACKS(kernel.diagnostics, key);
    EXPECT_TRUE(succeeded(mlir::verify(*kernel.module)));
    return ok;
  }

  Kernel kernel;
  std::shared_ptr<llm::Ledger> ledger;
  static llm::test::TestServer *server;
};
llm::test::TestServer *Faults::server = nullptr;

TEST_P(Faults, OfOneAnswerAreData) {
  const struct {
    const char *mode, *expected;
    unsigned requests; // two where the model was heard: it may correct itself
  } cases[] = {{"malformed", "not complete, valid JSON", 1},
               {"deep", "the answer is nested deeper than 512", 1},
               {"html", "content type is 'text/html'", 1},
               {"empty", "the answer is empty", 1},
               {"error-in-200", "upstream is down", 1},
               {"endless", "exceeds", 1},
               {"header-flood", "headers exceed", 1},
               {"good", "", 2}};
  for (const auto &[mode, expected, requests] : cases) {
    SCOPED_TRACE(mode);
    for (ProposalOp old : kernel.proposals())
      old.erase();
    EXPECT_TRUE(propose(server->url(mode))) << kernel.diagnostics;
    EXPECT_EQ(server->count(mode), requests);
    auto all = kernel.proposals();
    ASSERT_EQ(all.size(), requests);
    EXPECT_EQ(all[0].getStage(), Stage::Answer);
    EXPECT_CONTAINS(all[0].getFailure()->str(), expected);
    // What was answered badly was paid for.
    EXPECT_GT(ledger->totals().tokens(), 0u);
  }
}

TEST_P(Faults, OfTheMeansAreErrors) {
  const struct {
    const char *mode, *expected;
    unsigned requests;
  } cases[] = {{"broken", "gave up after 2 attempts", 2},
               {"busy-long", "longer than allowed", 1},
               {"quota", "no money", 1},
               {"unauthorized", "status 401", 1},
               {"redirect", "redirects", 1},
               {"reset-forever", "the connection was lost", 2},
               {"truncated", "the connection was lost", 2}};
  for (const auto &[mode, expected, requests] : cases) {
    SCOPED_TRACE(mode);
    kernel.diagnostics.clear();
    EXPECT_FALSE(propose(server->url(mode)));
    EXPECT_CONTAINS(kernel.diagnostics, expected);
    EXPECT_EQ(server->count(mode), requests);
    EXPECT_TRUE(kernel.proposals().empty());
  }
}

TEST_P(Faults, OfTheNetworkAreErrors) {
  EXPECT_FALSE(propose(server->untrustedUrl("good")));
  EXPECT_CONTAINS(kernel.diagnostics, "certificate");
  kernel.diagnostics.clear();
  EXPECT_FALSE(propose("http://127.0.0.1:1/v1"));
  EXPECT_CONTAINS(kernel.diagnostics, "could not connect");
  EXPECT_EQ(server->count("good"), 0u);
}

TEST_P(Faults, ThatPassAreNotSeen) {
  for (const char *mode : {"busy", "overloaded"}) {
    EXPECT_TRUE(propose(server->url(mode))) << kernel.diagnostics;
    EXPECT_GE(server->count(mode), 2u);
  }
  EXPECT_TRUE(propose(server->url("reset"), 3)) << kernel.diagnostics;
}

TEST(Clients, AWaitOfAnyLengthIsAWait) {
  llm::test::TempFolder folder;
  ModelMeans means;
  means.exchangeDirectory = folder.str();
  means.exchangeTimeout = 1e12;
  llm::ModelRequest request = llm::test::ask("q");
  llm::test::writeFile(folder.file(llm::requestHash(request) + "-0.answer.md"),
                       "fine");
  auto client = createModelClient("exchange", means);
  ASSERT_TRUE(bool(client));
  EVO_TAKE(answer, (*client)->complete(request));
  EXPECT_EQ(answer.text, "fine");
}

INSTANTIATE_TEST_SUITE_P(Forms, Faults,
                         ::testing::Values(WireForm::ChatCompletions,
                                           WireForm::Messages),
                         [](const auto &info) {
                           return info.param == WireForm::Messages
                                      ? std::string("Messages")
                                      : std::string("Chat");
                         });

} // namespace
