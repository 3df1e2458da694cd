// Each strategy leads a scripted search, and asks what its source says: how
// many parents, in which order, with or without times, evidence and failures.
#include "evo/Proposers/Model/Strategy.h"
#include "Led.h"
#include <map>
#include <set>

using namespace evo;
using namespace evo::test;

namespace {

TEST(Strategy, AllBuiltInOnesLoadAndStateTheirSource) {
  std::vector<std::string> names = Strategy::builtinNames();
  EXPECT_GE(names.size(), 12u);
  for (const std::string &name : names) {
    llvm::Expected<Strategy> strategy = Strategy::load(name);
    ASSERT_TRUE(bool(strategy))
        << name << ": " << llvm::toString(strategy.takeError());
    EXPECT_EQ(strategy->name, name);
    EXPECT_FALSE(strategy->summary.empty()) << name;
    EXPECT_TRUE(name == "default" || !strategy->from.empty()) << name;
  }
}

TEST(Strategy, AllBuiltInOnesHaveAnOperatorInEveryState) {
  for (const std::string &name : Strategy::builtinNames()) {
    Led led(name);
    led.addBaseline("100.0");
    for (unsigned i = 0; i < 12; ++i) {
      std::string text = i % 3 == 0 ? led.refute(i) : led.accept(90.0 - i, i);
      EXPECT_LACKS(text, "{{");
    }
  }
}

TEST(Strategy, FreeShowsTheBestCodeAndNothingElse) {
  Led led("evoengineer-free");
  led.addBaseline("100.0");
  led.refute(1);
  led.accept(50, 2);
  std::string text = led.ask(3);
  EXPECT_CONTAINS(text, "/* c1 */");
  EXPECT_LACKS(text, "| 50");
  EXPECT_LACKS(text, "Checked:");
  EXPECT_LACKS(text, "Idea:");
  EXPECT_LACKS(text, "a race");
  EXPECT_EQ(parentsIn(text), 0u);
}

TEST(Strategy, FreeKeepsTheBestOnly) {
  Led led("evoengineer-free");
  led.addBaseline("100.0");
  led.accept(50, 1);
  led.accept(70, 2);
  std::string text = led.ask(3);
  EXPECT_CONTAINS(text, "/* c0 */");
  EXPECT_LACKS(text, "/* c1 */");
}

TEST(Strategy, InsightAddsTimeAndAtMostThreeRationales) {
  Led led("evoengineer-insight");
  led.addBaseline("100.0");
  for (unsigned i = 0; i < 6; ++i)
    led.accept(90 - i, i);
  std::string text = led.ask(7);
  EXPECT_CONTAINS(text, "85.00 us (estimated)");
  EXPECT_CONTAINS(text, "Checked: numeric");
  size_t at = text.find("# What was learnt on the way");
  ASSERT_NE(at, std::string::npos);
  EXPECT_EQ(llvm::StringRef(text).drop_front(at).count("Because of c"), 3u);
  // Each with what became of it.
  EXPECT_EQ(
      llvm::StringRef(text).drop_front(at).count("x against the baseline): c"),
      3u);
  EXPECT_EQ(parentsIn(text), 0u);
}

TEST(Strategy, RationalesComeWithFailures) {
  Led led("evoengineer-insight");
  led.addBaseline("100.0");
  led.refute(1);
  std::string text = led.ask(2);
  EXPECT_CONTAINS(text, "- m0 (refuted: race): c0: Because of c0.");
}

TEST(Strategy, FullStartsWithoutParentsThenCrossesTwoAndMutatesOne) {
  Led led("evoengineer-full");
  led.addBaseline("100.0");
  EXPECT_EQ(parentsIn(led.accept(50, 1)), 0u);
  EXPECT_EQ(led.operation(), "init");
  std::map<std::string, size_t> parents;
  for (unsigned i = 0; i < 16; ++i) {
    std::string text = led.accept(60 + i, 10 + i);
    parents[led.operation()] = parentsIn(text);
    // Nothing is crossed with the baseline, nor while there is one to cross.
    if (led.operation() == "crossover") {
      EXPECT_GT(i, 0u);
      EXPECT_LACKS(text, "## baseline");
    }
  }
  EXPECT_EQ(parents["crossover"], 2u);
  EXPECT_EQ(parents["modify"], 1u);
}

TEST(Strategy, DefaultDrawsAllItsOperatorsAndSaysWhatEachAsksFor) {
  Led led("default");
  led.addBaseline("100.0");
  const std::map<std::string, const char *> asks = {
      {"init", "from scratch, from the contract"},
      {"different", "of a totally different form"},
      {"mutate", "Keep its form, find what holds it back"},
      {"parameters", "Change parameters only"},
      {"crossover", "Combine the parents"},
      {"common-idea", "the idea that the parents share"}};
  std::map<std::string, unsigned> drawn;
  for (unsigned i = 0; i < 60; ++i) {
    std::string text = led.accept(i % 4 == 3 ? 200 : 99 - i, i);
    std::string operation = led.operation();
    ASSERT_TRUE(asks.count(operation)) << operation;
    // Two parents where two are crossed, and only there.
    bool crosses = operation == "crossover" || operation == "common-idea";
    EXPECT_EQ(parentsIn(text), crosses ? 2u : 0u) << operation;
    // Nothing is varied before there is something of its own to vary.
    if (drawn.empty())
      EXPECT_EQ(operation, "init");
    if (++drawn[operation] == 1)
      EXPECT_CONTAINS(text, asks.at(operation));
  }
  EXPECT_EQ(drawn.size(), asks.size());
  EXPECT_GT(drawn["mutate"], drawn["parameters"]);
}

TEST(Strategy, EohUsesFiveOperatorsOnceFiveWereAccepted) {
  Led led("eoh");
  led.addBaseline("100.0");
  for (unsigned i = 0; i < 5; ++i) {
    // Two of them slower than the baseline: they count as accepted.
    EXPECT_EQ(parentsIn(led.accept(80 + 10 * i, i)), 0u);
    EXPECT_EQ(led.operation(), "init");
  }
  std::map<std::string, size_t> parents;
  for (unsigned i = 0; i < 24; ++i) {
    std::string text = led.refute(50 + i);
    EXPECT_LACKS(text, "# The best so far");
    parents[led.operation()] = parentsIn(text);
  }
  EXPECT_EQ(
      parents,
      (std::map<std::string, size_t>{
          {"different", 2}, {"common-idea", 2}, {"modify", 1}, {"retune", 1}}));
}

TEST(Strategy, FunSearchShowsTheWorseFirstAndNoTimes) {
  Led led("funsearch");
  led.addBaseline("100.0");
  unsigned pairs = 0;
  for (unsigned i = 0; i < 24; ++i) {
    std::string text = led.accept(99 - i, i);
    EXPECT_LACKS(text, "us (estimated)");
    EXPECT_LE(parentsIn(text), 2u);
    if (parentsIn(text) != 2)
      continue;
    ++pairs;
    // Later candidates are faster, so the order of time is that of names.
    size_t at = text.find("# Parents");
    std::vector<int> order;
    for (llvm::StringRef rest = llvm::StringRef(text).drop_front(at);;) {
      size_t head = rest.find("\n## ");
      if (head == llvm::StringRef::npos)
        break;
      rest = rest.drop_front(head + 4);
      int number = -1; // the baseline
      if (rest.consume_front("m"))
        rest.consumeInteger(10, number);
      order.push_back(number);
    }
    EXPECT_TRUE(llvm::is_sorted(order)) << text;
  }
  EXPECT_GT(pairs, 4u);
}

TEST(Strategy, OnePlusOneMutatesTheFasterOfParentAndChild) {
  Led led("one-plus-one");
  led.addBaseline("100.0");
  EXPECT_EQ(parentsIn(led.accept(120, 1)), 1u);
  EXPECT_EQ(led.operation(), "modify");
  std::string text = led.accept(60, 2);
  EXPECT_LACKS(text, "/* c0 */"); // slower than its parent
  text = led.ask(3);
  EXPECT_CONTAINS(text, "/* c1 */");
  EXPECT_EQ(parentsIn(text), 1u);
}

TEST(Strategy, CudaEngineerTranslatesWithErrorsThenShowsFiveSlowestFirst) {
  Led led("ai-cuda-engineer");
  led.addBaseline("100.0");
  led.refute(1);
  EXPECT_EQ(led.operation(), "translate");
  // The failure comes back for repair first.
  std::string text = led.ask(2);
  EXPECT_CONTAINS(text, "a race");
  EXPECT_EQ(led.operation(), "repair");
  led.session->kernel.accept(led.last(), "90.0");
  unsigned seen = 0;
  for (unsigned i = 0; i < 12; ++i) {
    text = led.accept(80 - i, 10 + i);
    if (led.operation() != "optimise" || i < 6)
      continue;
    ++seen;
    EXPECT_EQ(parentsIn(text), 5u);
    size_t slow = text.find("us (estimated)"),
           fast = text.rfind("us (estimated)");
    ASSERT_NE(slow, fast);
    auto timeBefore = [&](size_t at) {
      return std::stod(text.substr(text.rfind('|', at) + 1));
    };
    EXPECT_GT(timeBefore(slow), timeBefore(fast));
  }
  EXPECT_GT(seen, 0u);
}

TEST(Strategy, CudaEngineerTranslatesAgainWithASummaryOfTheErrors) {
  Led led("ai-cuda-engineer");
  led.addBaseline("100.0");
  EXPECT_LACKS(led.refute(1), "What failed before");
  // Three corrections in a row, then another translation.
  for (unsigned i = 0; i < 3; ++i) {
    led.refute(2 + i);
    EXPECT_EQ(led.operation(), "repair");
  }
  std::string text = led.refute(5);
  EXPECT_EQ(led.operation(), "translate");
  size_t at = text.find("# What failed before");
  ASSERT_NE(at, std::string::npos);
  llvm::StringRef told = llvm::StringRef(text).drop_front(at);
  told = told.take_front(told.find("\n# "));
  // All four with their errors, the newest with their code, none in full
  // length.
  EXPECT_EQ(told.count("refuted: race"), 4u) << told.str();
  EXPECT_EQ(told.count("a race"), 4u) << told.str();
  EXPECT_CONTAINS(told.str(), "/* c3 */");
  EXPECT_LACKS(told.str(), "/* c0 */");
}

TEST(Strategy, RobustKbenchDrawsATemperatureForEachQuery) {
  Led led("robust-kbench");
  led.addBaseline("100.0");
  std::set<double> temperatures;
  for (unsigned i = 0; i < 16; ++i) {
    led.accept(90 - i, i);
    const auto &request = led.session->script->requests.back();
    ASSERT_TRUE(request.temperature.has_value());
    temperatures.insert(*request.temperature);
  }
  EXPECT_EQ(temperatures, (std::set<double>{0.4, 0.7, 1.0}));
  // What the user asks for wins.
  ModelProposerOptions options;
  options.strategy = "robust-kbench";
  options.temperature = 0.1;
  Session session(options);
  session.script->say(candidate("c"));
  ASSERT_TRUE(session.propose(1));
  EXPECT_EQ(session.script->requests[0].temperature, 0.1);
}

TEST(Strategy, RobustKbenchHasThreeJudgesWhoseMeanFilters) {
  Led led("robust-kbench");
  led.addBaseline("100.0");
  Script &script = *led.session->script;
  script.aside = [](const llm::ModelRequest &request) {
    if (request.stage == "reflect")
      return std::string("Nothing to correct.");
    bool isBad = request.messages[0].text.find("/* c1 */") != std::string::npos;
    if (llvm::StringRef(request.id).ends_with(".judge-memory"))
      return std::string(isBad ? "Row 3 is read past its end.\n**Score:** 1"
                               : "score: 9.5/10");
    if (llvm::StringRef(request.id).ends_with(".judge-compile"))
      return std::string(isBad ? "score: 6" : "I cannot say.");
    return std::string(isBad ? "score: 4" : "score: 3");
  };
  led.ask(1);
  ASSERT_EQ(script.asides.size(), 4u);
  EXPECT_EQ(script.asides.front().stage, "reflect");
  std::set<std::string> ids, aspects;
  for (const llm::ModelRequest &request :
       llvm::ArrayRef(script.asides).drop_front()) {
    ids.insert(request.id);
    EXPECT_CONTAINS(request.messages[0].text, "/* c0 */");
    EXPECT_CONTAINS(request.messages[0].text, "// evo.kernel row_sum");
  }
  EXPECT_EQ(ids, (std::set<std::string>{"row_sum/m0.judge-compile",
                                        "row_sum/m0.judge-memory",
                                        "row_sum/m0.judge-numerics"}));
  // 9.5 and 3, while the third abstained.
  ProposalOp first = led.session->kernel.proposal("m0");
  EXPECT_FALSE(first.getFailure());
  EXPECT_EQ(first->getAttrOfType<mlir::StringAttr>("evo.marks"),
            "memory=9.5 numerics=3.0");
  led.session->kernel.accept("m0", "50.0");
  led.ask(2);
  ProposalOp second = led.session->kernel.proposal("m1");
  EXPECT_EQ(second.getStage(), Stage::Judged);
  EXPECT_CONTAINS(second.getFailure()->str(),
                  "mean mark 3.7 of 10, 5.0 wanted");
  EXPECT_CONTAINS(second.getFailure()->str(), "past its end");
  // It is told of, and not sent back for repair.
  std::string text = led.ask(3);
  EXPECT_NE(led.operation(), "repair");
  EXPECT_CONTAINS(text, "failed at judged");
}

TEST(Strategy, ComposeShowsKernelsOfOtherTasks) {
  ModelProposerOptions options;
  options.strategy = "ai-cuda-engineer";
  unsigned asked = 0;
  options.archive = [&](KernelOp, unsigned count) {
    ++asked;
    EXPECT_EQ(count, 2u);
    return std::vector<ElsewhereProgram>{
        {"layernorm", "m7", "cuda", "the_other_kernel();", "one pass", 2.5},
        {"rmsnorm", "m3", "cuda", "the_third_kernel();", "", 1.5}};
  };
  Led led("ai-cuda-engineer");
  led.session = std::make_unique<Session>(options);
  led.accept(50, 1);
  EXPECT_EQ(led.operation(), "translate");
  EXPECT_EQ(asked, 0u);
  unsigned composed = 0;
  for (unsigned i = 0; i < 12; ++i) {
    std::string text = led.accept(49 - i, 10 + i);
    bool isComposed = led.operation() == "compose";
    composed += isComposed;
    EXPECT_EQ(text.find("the_other_kernel();") != std::string::npos,
              isComposed);
    if (isComposed) {
      EXPECT_CONTAINS(text, "## layernorm, 2.50x its baseline");
      EXPECT_CONTAINS(text, "the_third_kernel();");
      EXPECT_EQ(parentsIn(text), 2u);
    }
  }
  EXPECT_GT(composed, 0u);
  EXPECT_EQ(asked, composed);
}

TEST(Strategy, DamagedRecordsOfOtherTasksAreNamed) {
  llm::test::TempFolder folder;
  ModelProposerOptions options;
  options.strategy = "ai-cuda-engineer";
  options.facts = FactSource::Record;
  options.factDirectory = folder.str();
  options.archive = [&](KernelOp, unsigned) {
    return std::vector<ElsewhereProgram>{
        {"layernorm", "m7", "cuda", "the_other_kernel();", "one pass", 2.5}};
  };
  // The first search leaves records, the second one reads what became of them.
  for (bool damaged : {false, true}) {
    for (const std::string &name : folder.list())
      if (damaged && llvm::StringRef(name).starts_with("elsewhere-"))
        llm::test::writeFile(folder.file(name), "{\"format\": 1}");
    Led led("ai-cuda-engineer");
    led.session = std::make_unique<Session>(options);
    bool ok = true;
    for (unsigned i = 0; i < 13 && ok; ++i) {
      led.session->script->say(candidate("c" + std::to_string(i)));
      ok = led.session->propose(1, 10 + i);
      if (ok)
        led.session->kernel.accept("m" + std::to_string(i),
                                   std::to_string(50.0 - i));
    }
    EXPECT_EQ(ok, !damaged) << led.session->kernel.diagnostics;
    if (damaged)
      EXPECT_CONTAINS(led.session->kernel.diagnostics,
                      "' is not a record of programs");
  }
}

TEST(Strategy, NotesAreWrittenDownAndShown) {
  Led led("cost-aware");
  led.addBaseline("100.0");
  Script &script = *led.session->script;
  script.aside = [&](const llm::ModelRequest &) {
    return "Here they are:\n- rows in registers help " +
           std::to_string(script.asides.size()) + "\n- barriers cost\nDone.";
  };
  for (unsigned i = 0; i < 7; ++i) {
    std::string text = led.accept(90 - i, i);
    // Before generations 3 and 6.
    EXPECT_EQ(script.asides.size(), i / 3);
    if (i >= 3) {
      EXPECT_CONTAINS(text,
                      "- rows in registers help " + std::to_string(i / 3));
      EXPECT_CONTAINS(text, "- barriers cost");
      EXPECT_LACKS(text, "Here they are");
    }
  }
  std::string asked = script.asides[1].messages[0].text;
  EXPECT_CONTAINS(asked, "- rows in registers help 1");
  EXPECT_CONTAINS(asked, "m4, c4: Because of c4.: numeric, 86.00 us");
  EXPECT_LACKS(asked, "m0, c0");
}

TEST(Strategy, KnobsOfTwoSchedulesAreCrossedWithoutAModel) {
  evo::llm::test::TempFolder folder;
  std::string path = folder.file("knobs.json");
  evo::llm::test::writeFile(path,
                            R"({"name": "k", "perRequest": 1, "repairs": 0,
      "operators": [{"name": "knob-crossover", "members": [2],
                     "mixesKnobs": true},
                    {"name": "init", "members": [0, 1]}]})");
  ModelProposerOptions options;
  options.strategy = path;
  options.schedules = [](KernelOp) {
    return std::vector<PromptSchedule>{
        {"rows", "the text", {{"a", {"1", "2"}}, {"b", {"1", "2"}}}}};
  };
  Session s(options, /*tensorLevel=*/true);
  s.script->say("## one\nOne.\n```options\na = 1\nb = 1\n```\n");
  s.script->say("## two\nTwo.\n```options\na = 2\nb = 2\n```\n");
  ASSERT_TRUE(s.propose(1, 1));
  s.kernel.accept("m0", "10.0");
  ASSERT_TRUE(s.propose(1, 2));
  s.kernel.accept("m1", "20.0");
  for (unsigned i = 0; i < 2; ++i) {
    ASSERT_TRUE(s.propose(1, 3 + i));
    ASSERT_EQ(s.script->requests.size(), 2u);
    ProposalOp child = s.kernel.proposal("m" + std::to_string(2 + i));
    ASSERT_TRUE(child);
    EXPECT_EQ(child.getText(), "rows");
    auto knobs = child.getOptionsAttr().getAs<mlir::DictionaryAttr>("knobs");
    EXPECT_NE(knobs.get("a"), knobs.get("b")); // one from each
    EXPECT_EQ(child->getAttrOfType<mlir::StringAttr>("evo.operator"),
              "knob-crossover");
    s.kernel.fail(child.getSymName().str(), Stage::Materialize, "no");
  }
  // There are two children; then there is nothing left to cross.
  ASSERT_TRUE(s.propose(1, 9));
  EXPECT_EQ(s.kernel.proposals().size(), 4u);
}

TEST(Strategy, AStructuredOneAsksByTheSchema) {
  evo::llm::test::TempFolder folder;
  std::string path = folder.file("structured.json");
  evo::llm::test::writeFile(
      path, R"({"name": "s", "structured": true, "perRequest": 1,
                "operators": [{"name": "init"}]})");
  ModelProposerOptions options;
  options.strategy = path;
  Session s(options);
  s.script->say(R"({"candidates": [{"language": "cuda", "name": "by-schema",
    "rationale": "r", "code": "// evo.launch rows<<<M, 32>>>(x, y, M, N)\n__global__ void rows() {}"}]})");
  ASSERT_TRUE(s.propose(1));
  ASSERT_TRUE(s.script->requests[0].schema.has_value());
  EXPECT_EQ(s.script->requests[0].schema->getAsObject()->getString("type"),
            "object");
  EXPECT_CONTAINS(s.kernel.proposal("m0").getRationale()->str(), "by-schema");
  Session plain;
  plain.script->say(candidate("c"));
  ASSERT_TRUE(plain.propose(1));
  EXPECT_FALSE(plain.script->requests[0].schema.has_value());
}

TEST(Strategy, FsrAsksAgainWithErrorsUntilOneIsValidThenSeedsWithTheFastest) {
  Led led("fsr");
  led.addBaseline("100.0");
  EXPECT_LACKS(led.refute(1), "What failed before");
  EXPECT_EQ(led.operation(), "init");
  std::string text = led.refute(2);
  EXPECT_EQ(led.operation(), "retry");
  EXPECT_CONTAINS(text, "a race");
  EXPECT_CONTAINS(text, "/* c0 */");
  led.accept(50, 3);
  led.accept(40, 4);
  text = led.refute(5);
  EXPECT_EQ(led.operation(), "modify");
  EXPECT_EQ(parentsIn(text), 1u);
  EXPECT_CONTAINS(text, "/* c3 */");
  // A round that gave nothing, after some that did: the same again.
  text = led.refute(6);
  EXPECT_EQ(led.operation(), "retry");
  EXPECT_EQ(parentsIn(text), 0u);
  EXPECT_CONTAINS(text, "What failed before");
  EXPECT_CONTAINS(text, "/* c4 */");
  text = led.accept(45, 7);
  EXPECT_EQ(led.operation(), "retry");
  EXPECT_CONTAINS(text, "/* c5 */");
  // One that is valid, though not the fastest, ends that.
  text = led.ask(8);
  EXPECT_EQ(led.operation(), "modify");
  EXPECT_CONTAINS(text, "/* c3 */");
}

TEST(Strategy, FsrEndsAtItsDepthWithoutTheRoundsThatGaveNothing) {
  Led led("fsr");
  led.addBaseline("100.0");
  for (unsigned i = 0; i < 3; ++i)
    led.refute(i);
  for (unsigned i = 0; i < 10; ++i)
    led.accept(90 - i, 10 + i);
  EXPECT_TRUE(led.session->propose(4, 50));
  EXPECT_EQ(led.session->script->requests.size(), 13u);
  EXPECT_EQ(led.session->kernel.proposals().size(), 14u);
}

TEST(Strategy, AnAnswerIsLookedOverBeforeAnythingIsBuilt) {
  Led led("robust-kbench");
  led.addBaseline("100.0");
  Script &script = *led.session->script;
  script.aside = [](const llm::ModelRequest &request) {
    if (request.stage != "reflect")
      return std::string("score: 8");
    // The whole conversation so far, then what is wanted.
    EXPECT_EQ(request.messages.size(), 4u);
    EXPECT_EQ(request.messages[2].role, llm::Role::Assistant);
    EXPECT_CONTAINS(request.messages[2].text, "/* c0 */");
    EXPECT_CONTAINS(request.messages[3].text, "look over your candidates");
    EXPECT_EQ(request.id, "row_sum/m0.reflect");
    return candidate("better");
  };
  led.ask(1);
  ProposalOp proposal = led.session->kernel.proposal("m0");
  EXPECT_CONTAINS(proposal.getText().str(), "/* better */");
  // It is the corrected one that the judges see.
  EXPECT_CONTAINS(script.asides.back().messages[0].text, "/* better */");
  // The answer that holds its text is the one that is credited.
  EXPECT_EQ(proposal->getAttrOfType<mlir::StringAttr>("evo.request"),
            "row_sum/m0.reflect");
}

TEST(Strategy, WithoutAUsableSecondLookTheFirstAnswerStands) {
  Led led("robust-kbench");
  led.addBaseline("100.0");
  led.session->script->aside = [](const llm::ModelRequest &request) {
    return std::string(request.stage == "reflect" ? "It is fine as it is."
                                                  : "score: 8");
  };
  led.ask(1);
  EXPECT_CONTAINS(led.session->kernel.proposal("m0").getText().str(),
                  "/* c0 */");
  EXPECT_EQ(led.session->kernel.proposal("m0")->getAttrOfType<mlir::StringAttr>(
                "evo.request"),
            "row_sum/m0");
}

TEST(Strategy, AStrategyThatHasEndedAsksNothing) {
  evo::llm::test::TempFolder folder;
  std::string path = folder.file("once.json");
  evo::llm::test::writeFile(path, R"({"name": "once", "repairs": 0,
    "operators": [{"name": "init", "tried": [0, 0]}]})");
  Led led(path);
  led.ask(1);
  EXPECT_TRUE(led.session->propose(1, 2));
  EXPECT_EQ(led.session->script->requests.size(), 1u);
}

TEST(Strategy, WhatIsWrongIsNamed) {
  const std::pair<const char *, const char *> cases[] = {
      {"[]", "'the strategy' is an object"},
      {"{", "the strategy is no JSON: "},
      {R"({"name": 3})", "'name' is a string"},
      {R"({"name": "x", "operators": 3})", "'operators' is a list"},
      {R"({"name": "x", "judges": [3]})", "'judges[0]' is a string"},
      {R"({"operators": [{"name": "init"}]})", "'name' is missing"},
      {R"({"name": "x"})", "'operators' is missing"},
      {R"({"name": "x", "operators": [{}]})", "'operators[0].name' is missing"},
      {R"({"name": "x", "operatorz": []})", "'operatorz' is no key"},
      {R"({"name": "x", "operators": [{"name": "a", "own": [2, 1]}]})",
       "'operators[0].own' has its bounds in the wrong order"},
      {R"({"name": "x", "operators": [{"name": "a", "newest": 1}]})",
       "'operators[0].newest' is [min] or [min, max]"},
      {R"({"name": "x", "operators": [{"name": "a", "weight": 0}]})",
       "'operators[0].weight' is an integer of 1 or more"},
      {R"({"name": "x", "operators": [{"name": "a", "parents":
       [{"by": "luck"}]}]})",
       "'operators[0].parents[0].by' is one of best, rank"},
      {R"({"name": "x", "population": {"keep": "grid"},
       "operators": [{"name": "a"}]})",
       "'population.axes' is missing"},
      {R"({"name": "x", "prompt": {"costs": 1}, "operators": [{"name": "a"}]})",
       "'prompt.costs' is true or false"},
      {R"({"name": "x", "temperatures": [-1], "operators": [{"name": "a"}]})",
       "'temperatures[0]' is a positive number"},
  };
  for (const auto &[text, complaint] : cases) {
    llvm::Expected<Strategy> strategy = Strategy::parse(text);
    ASSERT_FALSE(bool(strategy)) << text;
    EXPECT_CONTAINS(llvm::toString(strategy.takeError()), complaint);
  }
  llvm::Expected<Strategy> unknown = Strategy::load("no-such");
  ASSERT_FALSE(bool(unknown));
  std::string text = llvm::toString(unknown.takeError());
  EXPECT_CONTAINS(text, "there is no strategy 'no-such'");
  EXPECT_CONTAINS(text, "evoengineer-full");
  EXPECT_CONTAINS(text, ", or the path of a file");
  llvm::Expected<Strategy> missing = Strategy::load("no/such.json");
  ASSERT_FALSE(bool(missing));
  llvm::consumeError(missing.takeError());
}

} // namespace
