// Operators and models, chosen by what they brought and what it cost.
#include "Led.h"
#include "evo/Proposers/Model/Strategy.h"
#include <map>
#include <set>

using namespace evo;
using namespace evo::test;

namespace {

std::string namesOf(llvm::ArrayRef<std::string> names) {
  std::string text;
  for (const std::string &name : names)
    text += R"({"name": ")" + name + R"("},)";
  text.pop_back();
  return text;
}

TEST(Bandit, UcbPrefersWhatBringsMuchForLittle) {
  evo::llm::test::TempFolder folder;
  std::string path = folder.file("bandit.json");
  evo::llm::test::writeFile(
      path, R"({"name": "b", "perRequest": 1, "repairs": 0, "choose": "ucb",
      "exploration": 0.05, "operators": [)" +
                namesOf({"mutate", "init", "different"}) + "]}");
  Led led(path);
  Script &script = *led.session->script;
  // "mutate" brings progress; "init" is accepted at ten times the price.
  std::map<std::string, unsigned> pulls;
  double best = 100;
  for (unsigned i = 0; i < 30; ++i) {
    std::string name = "c" + std::to_string(led.asked);
    script.say(candidate(name));
    // What an answer costs is known only when it is there.
    script.answers.back().tokens = 100;
    ASSERT_TRUE(led.session->propose(1, i)) << led.session->kernel.diagnostics;
    ++led.asked;
    std::string operation = led.operation();
    ++pulls[operation];
    ProposalOp proposal = led.session->kernel.proposal(led.last());
    if (operation == "init")
      proposal->setAttr(
          "evo.tokens",
          mlir::Builder(&led.session->kernel.context).getI64IntegerAttr(1000));
    if (operation == "mutate")
      led.session->kernel.accept(led.last(), std::to_string(best -= 1));
    else if (operation == "init")
      led.session->kernel.accept(led.last(), "150.0");
    else
      led.session->kernel.refute(led.last(), "a race");
  }
  EXPECT_EQ(pulls.size(), 3u); // each was tried
  EXPECT_GT(pulls["mutate"], 20u);
}

TEST(Bandit, ThompsonPrefersWhatBringsMuchAndTriesTheRest) {
  evo::llm::test::TempFolder folder;
  std::string path = folder.file("bandit.json");
  evo::llm::test::writeFile(
      path, R"({"name": "b", "perRequest": 1, "repairs": 0,
      "choose": "thompson", "operators": [)" +
                namesOf({"mutate", "init", "different"}) + "]}");
  Led led(path);
  std::map<std::string, unsigned> pulls;
  double best = 100;
  for (unsigned i = 0; i < 40; ++i) {
    led.ask(1000 + i);
    std::string operation = led.operation();
    ++pulls[operation];
    if (operation == "mutate")
      led.session->kernel.accept(led.last(), std::to_string(best -= 1));
    else
      led.session->kernel.refute(led.last(), "a race");
  }
  EXPECT_EQ(pulls.size(), 3u);
  EXPECT_GT(pulls["mutate"], 25u);
}

TEST(Bandit, OneOfSeveralModelsIsDrawnForEachQuery) {
  ModelProposerOptions options;
  options.strategy = "evoengineer-free";
  options.models = {"big", "small"};
  Led led("evoengineer-free");
  led.session = std::make_unique<Session>(options);
  std::set<std::string> models;
  for (unsigned i = 0; i < 12; ++i) {
    led.accept(90 - i, i);
    const llm::ModelRequest &request = led.session->script->requests.back();
    models.insert(request.model);
    EXPECT_EQ(led.session->kernel.proposal(led.last())
                  ->getAttrOfType<mlir::StringAttr>("evo.model"),
              request.model);
  }
  EXPECT_EQ(models, (std::set<std::string>{"big", "small"}));
  // One model is the client's own, and no content of the request.
  options.models = {"big"};
  Session single(options);
  single.script->say(candidate("c"));
  ASSERT_TRUE(single.propose(1));
  EXPECT_EQ(single.script->requests[0].model, "");
}

/// Pulls of each model in thirty requests of a hundred tokens; `settle` says
/// what becomes of a candidate.
std::map<std::string, unsigned>
pullsOf(ModelProposerOptions options,
        llvm::function_ref<void(Kernel &, const std::string &name,
                                llvm::StringRef model)>
            settle) {
  evo::llm::test::TempFolder folder;
  options.strategy = folder.file("bandit.json");
  evo::llm::test::writeFile(options.strategy,
                            R"({"name": "b", "perRequest": 1, "repairs": 0,
      "choose": "ucb", "exploration": 0.05,
      "operators": [{"name": "mutate"}]})");
  Led led("default");
  led.session = std::make_unique<Session>(options);
  led.addBaseline("50.0");
  std::map<std::string, unsigned> pulls;
  for (unsigned i = 0; i < 30; ++i) {
    led.session->script->say(candidate("c" + std::to_string(i)));
    led.session->script->answers.back().tokens = 100;
    EXPECT_TRUE(led.session->propose(1, i)) << led.session->kernel.diagnostics;
    ++led.asked;
    auto model = led.session->kernel.proposal(led.last())
                     ->getAttrOfType<mlir::StringAttr>("evo.model");
    ++pulls[model.str()];
    settle(led.session->kernel, led.last(), model);
  }
  return pulls;
}

TEST(Bandit, PrefersTheModelThatBringsMore) {
  ModelProposerOptions options;
  options.models = {"bad", "good"};
  auto pulls = pullsOf(
      options, [](Kernel &kernel, const std::string &name, llvm::StringRef of) {
        if (of == "good")
          kernel.accept(name, "60.0");
        else
          kernel.refute(name, "a race");
      });
  EXPECT_GT(pulls["bad"], 0u);
  EXPECT_GT(pulls["good"], 22u);
}

TEST(Bandit, PrefersTheCheaperOfTwoModelsThatBringTheSameForAsManyTokens) {
  auto table = [](const std::string &models) {
    return std::make_shared<llm::PriceTable>(
        llvm::cantFail(llm::PriceTable::parse(
            R"({"date": "2026-01-02", "currency": "EUR", "per": 1000,
                "models": {)" +
            models + "}}")));
  };
  std::string costly = R"("costly": {"input": 10, "output": 10})",
              cheap = R"("cheap": {"input": 1, "output": 1})";
  auto same = [](Kernel &kernel, const std::string &name, llvm::StringRef) {
    kernel.accept(name, "60.0");
  };
  ModelProposerOptions options;
  options.models = {"costly", "cheap"};
  options.prices = table(costly + ", " + cheap);
  auto pulls = pullsOf(options, [&](Kernel &kernel, const std::string &name,
                                    llvm::StringRef model) {
    auto money =
        kernel.proposal(name)->getAttrOfType<mlir::FloatAttr>("evo.money");
    ASSERT_TRUE(money);
    EXPECT_DOUBLE_EQ(money.getValueAsDouble(), model == "costly" ? 1.0 : 0.1);
    same(kernel, name, model);
  });
  EXPECT_GT(pulls["costly"], 0u);
  EXPECT_GT(pulls["cheap"], 25u);
  // Where a price is unknown, tokens are what can be compared.
  for (auto prices : {std::shared_ptr<llm::PriceTable>(), table(cheap)}) {
    options.prices = prices;
    pulls = pullsOf(options, same);
    EXPECT_NEAR(pulls["costly"], pulls["cheap"], 4);
  }
}

TEST(Bandit, CorrectionsDrawModelAndTemperatureToo) {
  evo::llm::test::TempFolder folder;
  ModelProposerOptions options;
  options.strategy = folder.file("drawn.json");
  evo::llm::test::writeFile(options.strategy,
                            R"({"name": "d", "perRequest": 1, "repairs": 1,
      "temperatures": [0.2, 0.9], "operators": [{"name": "propose"}]})");
  options.models = {"big", "small"};
  Led led("default");
  led.session = std::make_unique<Session>(options);
  std::set<std::string> models;
  std::set<double> temperatures;
  for (unsigned i = 0; i < 24; ++i) {
    led.refute(i);
    if (led.operation() != "repair")
      continue;
    const llm::ModelRequest &request = led.session->script->requests.back();
    models.insert(request.model);
    ASSERT_TRUE(request.temperature.has_value());
    temperatures.insert(*request.temperature);
    EXPECT_EQ(led.session->kernel.proposal(led.last())
                  ->getAttrOfType<mlir::StringAttr>("evo.model"),
              request.model);
  }
  EXPECT_EQ(models, (std::set<std::string>{"big", "small"}));
  EXPECT_EQ(temperatures, (std::set<double>{0.2, 0.9}));
}

} // namespace
