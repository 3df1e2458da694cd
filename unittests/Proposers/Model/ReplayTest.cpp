// The same search finds the same requests: on another machine, with other times
// and no assembler, as long as its record is there.
#include "TestSupport.h"
#include "evo/LLM/Recording.h"
#include "evo/Proposers/Model/Strategy.h"
#include <cstdlib>
#include <set>

using namespace evo;
using namespace evo::test;
using llm::test::TempFolder;

namespace {

/// Two generations; the times are those of the machine at hand.
bool search(Kernel &kernel, Proposer &proposer, const std::string &first,
            const std::string &second, uint64_t seed) {
  if (failed(proposer.propose(kernel.op(), 2, seed, {})))
    return false;
  kernel.accept("m0", first);
  kernel.accept("m1", second);
  return succeeded(proposer.propose(kernel.op(), 1, seed + 1, {}));
}

std::string printed(Kernel &kernel) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (ProposalOp proposal : kernel.proposals()) {
    // Only who proposed it may differ.
    proposal.setProposer("anyone");
    proposal.print(os);
    os << '\n';
  }
  return text;
}

std::shared_ptr<Script> twoGenerations() {
  auto script = std::make_shared<Script>();
  script->say(candidate("one") + candidate("two"));
  script->say(candidate("three"));
  return script;
}

TEST(Prompts, AreAFunctionOfKernelAndSeed) {
  auto first = twoGenerations(), second = twoGenerations();
  for (auto &script : {first, second}) {
    Kernel kernel;
    ASSERT_TRUE(search(kernel, *scripted(script), "10.0", "20.0", 3));
  }
  ASSERT_EQ(first->requests.size(), 2u);
  for (size_t i = 0; i < 2; ++i)
    EXPECT_EQ(llm::canonicalForm(first->requests[i]),
              llm::canonicalForm(second->requests[i]));
  // The stable part comes first.
  EXPECT_EQ(first->system(0).substr(0, 500), first->system(1).substr(0, 500));
}

TEST(Prompts, SeedChoosesTheOperator) {
  std::set<std::string> seen;
  for (uint64_t seed = 0; seed < 16; ++seed) {
    auto script = twoGenerations();
    Kernel kernel;
    ASSERT_TRUE(search(kernel, *scripted(script), "10.0", "20.0", seed));
    seen.insert(kernel.proposal("m2")
                    ->getAttrOfType<mlir::StringAttr>("evo.operator")
                    .str());
  }
  EXPECT_GE(seen.size(), 3u);
  EXPECT_FALSE(seen.count("init"));
}

/// A live model, by script, of which all is recorded in a folder.
static std::unique_ptr<Proposer> recorder(std::shared_ptr<Script> script,
                                          const std::string &folder,
                                          ModelProposerOptions options = {}) {
  options.facts = FactSource::Record;
  options.factDirectory = folder;
  return createModelProposer(
      "llm",
      [=]() -> llvm::Expected<std::unique_ptr<llm::ModelClient>> {
        return std::make_unique<llm::RecordingClient>(
            std::make_unique<ScriptedClient>(script), folder);
      },
      options);
}

/// What answers from such a folder.
static std::unique_ptr<Proposer> replayer(const std::string &folder,
                                          bool byTask = false,
                                          ModelProposerOptions options = {}) {
  ModelMeans means;
  means.replayByTask = byTask;
  means.replayDirectory = folder;
  for (auto &proposer : createModelProposers(means, options))
    if (proposer->getName() == "replay")
      return std::move(proposer);
  return nullptr;
}

class Recorded : public ::testing::Test {
protected:
  void SetUp() override {
    auto script = twoGenerations();
    auto proposer = recorder(script, folder.str());
    Kernel kernel;
    ASSERT_TRUE(search(kernel, *proposer, "10.0", "20.0", 3));
    EXPECT_CONTAINS(script->asked(1), "10.00 us");
    original = printed(kernel);
  }

  std::unique_ptr<Proposer> replayer(bool byTask = false) {
    return ::replayer(folder.str(), byTask);
  }

  TempFolder folder;
  std::string original;
};

/// Requests that were sent at once, and answered in any order.
TEST(Recording, OfRequestsAtOnceReplaysTheSame) {
  TempFolder folder, prompts;
  ModelProposerOptions options;
  options.perRequest = 1;
  options.strategy = prompts.file("four.json");
  llm::test::writeFile(options.strategy, R"({"name": "four", "requests": 4,
    "operators": [{"name": "propose"}, {"name": "different"}]})");
  auto script = std::make_shared<Script>();
  for (unsigned i = 0; i < 4; ++i)
    script->byName[i ? "row_sum/r" + std::to_string(i + 1) + "-m0"
                     : "row_sum/m0"] = candidate("c" + std::to_string(i));
  std::string path = folder.str();
  auto live = recorder(script, path, options);
  Kernel kernel;
  ASSERT_TRUE(succeeded(live->propose(kernel.op(), 4, 7, {})));
  std::string original = printed(kernel);
  EXPECT_CONTAINS(original, "/* c3 */");
  auto proposer = replayer(path, /*byTask=*/false, options);
  ASSERT_TRUE(proposer);
  Kernel again;
  ASSERT_TRUE(succeeded(proposer->propose(again.op(), 4, 7, {})))
      << again.diagnostics;
  EXPECT_EQ(printed(again), original);
}

TEST_F(Recorded, ReplaysOnAMachineWithOtherTimes) {
  Kernel kernel;
  auto proposer = replayer();
  // Here the other one would be the best.
  ASSERT_TRUE(search(kernel, *proposer, "70.0", "60.0", 3))
      << kernel.diagnostics;
  EXPECT_EQ(kernel.proposals()[0].getProposer(), "replay");
  EXPECT_EQ(printed(kernel), original);
}

TEST_F(Recorded, NeedsTheRecordedFacts) {
  unsigned removed = 0;
  for (const std::string &name : folder.list())
    if (llvm::StringRef(name).starts_with("facts-")) {
      llvm::sys::fs::remove(folder.file(name));
      ++removed;
    }
  EXPECT_EQ(removed, 2u);
  Kernel kernel;
  auto proposer = replayer();
  EXPECT_FALSE(search(kernel, *proposer, "10.0", "20.0", 3));
  EXPECT_CONTAINS(kernel.diagnostics, "no record of request");
}

TEST_F(Recorded, ByTaskOutlivesOtherWords) {
  for (const std::string &name : folder.list())
    if (llvm::StringRef(name).starts_with("facts-"))
      llvm::sys::fs::remove(folder.file(name));
  Kernel kernel;
  auto proposer = replayer(/*byTask=*/true);
  ASSERT_TRUE(search(kernel, *proposer, "10.0", "20.0", 3))
      << kernel.diagnostics;
  auto notes =
      kernel.proposal("m2")->getAttrOfType<mlir::StringAttr>("evo.notes");
  ASSERT_TRUE(notes);
  EXPECT_CONTAINS(notes.str(), "recorded for another wording");
  EXPECT_FALSE(kernel.proposal("m0")->hasAttr("evo.notes"));
  // Another task's answers are never taken.
  Kernel other(/*tensorLevel=*/true);
  EXPECT_FALSE(search(other, *replayer(true), "10.0", "20.0", 3));
  EXPECT_CONTAINS(other.diagnostics, "nor does a record of the same task");
}

TEST_F(Recorded, DamagedFactsAreNamed) {
  for (const std::string &name : folder.list())
    if (llvm::StringRef(name).starts_with("facts-"))
      llm::test::writeFile(folder.file(name), "{\"format\": 1}");
  Kernel kernel;
  auto proposer = replayer();
  EXPECT_FALSE(search(kernel, *proposer, "10.0", "20.0", 3));
  EXPECT_CONTAINS(kernel.diagnostics, "is not a record of facts");
}

TEST_F(Recorded, AnotherSearchFindsNoRecord) {
  Kernel kernel(/*tensorLevel=*/true);
  auto proposer = replayer();
  EXPECT_FALSE(search(kernel, *proposer, "10.0", "20.0", 3));
  EXPECT_CONTAINS(kernel.diagnostics, "proposer 'replay': no record");
}

TEST(Registration, HasThreeNamesThatNeedTheirMeans) {
  ::unsetenv("EVO_API_KEY");
  ::unsetenv("OPENAI_API_KEY");
  ModelMeans none, noModel, noKey, noFolder;
  noModel.baseURL = noKey.baseURL = "https://models.example/v1";
  noKey.model = "m";
  noFolder.replayDirectory = "no-such-folder";
  struct {
    const char *name, *complaint;
    const ModelMeans &means;
  } cases[] = {
      {"llm", "--base-url", none},
      {"llm", "needs the name of a model (--model)", noModel},
      {"llm", "EVO_API_KEY", noKey},
      {"exchange", "--exchange-dir", none},
      {"replay", "--replay-dir", none},
      {"replay", "there is no folder", noFolder},
  };
  for (auto &entry : cases) {
    Kernel kernel;
    auto proposers = createModelProposers(entry.means, {});
    ASSERT_EQ(proposers.size(), 3u);
    for (auto &proposer : proposers) {
      if (proposer->getName() != entry.name)
        continue;
      EXPECT_TRUE(failed(proposer->propose(kernel.op(), 1, 0, {})));
      EXPECT_CONTAINS(kernel.diagnostics, entry.complaint);
    }
  }
}

TEST(Registration, ExchangeAnswersAndRecords) {
  TempFolder folder;
  ModelMeans means;
  means.exchangeDirectory = folder.file("exchange");
  means.recordDirectory = folder.file("record");
  means.exchangeTimeout = 0.2;
  auto proposers = createModelProposers(means, {});
  Kernel first;
  // Nobody answers: the request stays, and the run says so.
  EXPECT_TRUE(failed(proposers[1]->propose(first.op(), 1, 0, {})));
  std::error_code code;
  llvm::sys::fs::directory_iterator entry(means.exchangeDirectory, code);
  ASSERT_FALSE(code);
  std::string request = entry->path(); // or the same for programs, beside it
  if (llvm::StringRef(request).ends_with(".request.json"))
    request.replace(request.size() - 4, 4, "md");
  llvm::StringRef stem = request;
  ASSERT_TRUE(stem.consume_back(".request.md")) << request;
  llm::test::writeFile(stem.str() + ".answer.md", candidate("by-hand"));
  means.exchangeTimeout = 600;
  proposers = createModelProposers(means, {});
  Kernel second;
  ASSERT_TRUE(succeeded(proposers[1]->propose(second.op(), 1, 0, {})))
      << second.diagnostics;
  EXPECT_EQ(second.proposal("m0").getProposer(), "exchange");
  // What came by exchange replays as well.
  means.replayDirectory = means.recordDirectory;
  proposers = createModelProposers(means, {});
  Kernel third;
  ASSERT_TRUE(succeeded(proposers[2]->propose(third.op(), 1, 0, {})))
      << third.diagnostics;
  EXPECT_EQ(printed(third), printed(second));
}

// Every strategy.

/// Eight generations of one candidate each, with outcomes that follow from its
/// number.
void lead(Kernel &kernel, Proposer &proposer) {
  for (unsigned i = 0; i < 8; ++i) {
    ASSERT_TRUE(succeeded(proposer.propose(kernel.op(), 1, i, {})))
        << kernel.diagnostics;
    for (ProposalOp proposal : kernel.proposals()) {
      std::string name = proposal.getSymName().str();
      if (proposal.getFailure() || kernel.op().lookupSymbol(name + ".v"))
        continue;
      unsigned number = std::stoul(name.substr(1));
      if (number % 3 == 1)
        kernel.refute(name, "a race");
      else
        kernel.accept(name, std::to_string(90 - number) + ".0");
    }
  }
}

TEST(Replay, EveryStrategyReplaysWordForWord) {
  for (const std::string &name : Strategy::builtinNames()) {
    SCOPED_TRACE(name);
    TempFolder folder;
    ModelProposerOptions options;
    options.strategy = name;
    options.factDirectory = folder.str();
    options.facts = FactSource::Record;
    options.archive = [](KernelOp, unsigned) {
      return std::vector<ElsewhereProgram>{
          {"other", "m1", "cuda", "the_other_kernel();", "one pass", 2}};
    };
    auto script = std::make_shared<Script>();
    for (unsigned i = 0; i < 40; ++i)
      script->say(candidate("c" + std::to_string(i)));
    std::string path = folder.str();
    Kernel live, again;
    lead(live, *createModelProposer(
                   "llm",
                   [&]() -> llvm::Expected<std::unique_ptr<llm::ModelClient>> {
                     return std::make_unique<llm::RecordingClient>(
                         std::make_unique<ScriptedClient>(script), path);
                   },
                   options));
    EXPECT_GE(script->requests.size(), 8u);
    options.facts = FactSource::Replay;
    options.archive = nullptr; // another machine has none
    lead(again, *createModelProposer(
                    "replay",
                    [&]() -> llvm::Expected<std::unique_ptr<llm::ModelClient>> {
                      return std::make_unique<llm::ReplayClient>(path);
                    },
                    options));
    EXPECT_EQ(printed(live), printed(again));
    EXPECT_EQ(live.diagnostics, "");
  }
}

} // namespace
