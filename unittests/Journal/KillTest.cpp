// A search that is killed at any moment, and begun again, ends with the same
// kernel and the same journal as one that was not. The search is the real one;
// proposer and evaluator are cheap, so that it can be killed often: at every
// kind of point that the code passes, and by the clock.
#include "../Proposers/Model/TestSupport.h"
#include "evo/Interfaces/SearchSession.h"
#include "evo/Journal/Journal.h"
#include "evo/LLM/Ledger.h"
#include "evo/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include <csignal>
#include <random>
#include <regex>
#include <set>
#include <sys/wait.h>
#include <unistd.h>

using namespace evo;
using namespace evo::test;
using llm::test::TempFolder;

namespace {

/// Points left to live; negative: for ever. Of a process made for one search.
int pointsLeft = -1;

/// A moment at which a process may be killed.
void point() {
  if (pointsLeft >= 0 && pointsLeft-- == 0)
    raise(SIGKILL);
}

/// Two candidates a question, the second of every other one unusable; what is
/// proposed depends on what was found. Each question is charged for.
class FakeProposer : public Proposer {
public:
  explicit FakeProposer(std::shared_ptr<llm::Ledger> ledger)
      : ledger(std::move(ledger)) {}
  llvm::StringRef getName() const override { return "fake"; }
  mlir::LogicalResult propose(KernelOp kernel, unsigned count, uint64_t seed,
                              const SearchSession &) override {
    unsigned serial = 0, accepted = 0;
    for (auto proposal : kernel.getBody().getOps<ProposalOp>()) {
      ++serial;
      accepted += !proposal.getFailure();
    }
    llm::ModelRequest request =
        llm::test::ask("question " + std::to_string(serial));
    request.id = "k/m" + std::to_string(serial);
    llvm::Expected<unsigned> charge = ledger->reserve(request, "m");
    if (!charge)
      return kernel.emitError() << llvm::toString(charge.takeError());
    point();
    llm::ModelAnswer answer;
    answer.text = "an answer";
    answer.usage = {10, 5, 0, 0};
    if (llvm::Error error = ledger->settle(*charge, request, answer))
      return kernel.emitError() << llvm::toString(std::move(error));
    point();
    mlir::OpBuilder b = mlir::OpBuilder::atBlockEnd(&kernel.getBody().front());
    for (unsigned i = 0; i < std::min(count, 2u); ++i, ++serial) {
      ProposalOp added = ProposalOp::create(
          b, kernel.getLoc(), b.getStringAttr("m" + std::to_string(serial)),
          GenomeAttr::get(b.getContext(), Genome::CUDA),
          b.getStringAttr("seed " + std::to_string(seed) + " after " +
                          std::to_string(accepted)),
          mlir::DictionaryAttr(), mlir::StringAttr(), mlir::StringAttr(),
          b.getStringAttr("fake"), StageAttr(), mlir::StringAttr());
      added->setAttr("evo.request", b.getStringAttr(request.id));
      if (serial % 4 == 3) {
        added.setStage(Stage::Answer);
        added.setFailure("nothing in it");
      }
      point();
    }
    return mlir::success();
  }

private:
  std::shared_ptr<llm::Ledger> ledger;
};

/// The verdict follows from the name.
class FakeEvaluator : public Evaluator {
public:
  mlir::FailureOr<Outcome> evaluate(mlir::ModuleOp module,
                                    llvm::StringRef) override {
    point();
    Outcome outcome;
    outcome.module = module.clone();
    ProposalOp proposal;
    (*outcome.module).walk([&](ProposalOp op) { proposal = op; });
    std::string name = proposal.getSymName().str();
    unsigned number = std::stoul(name.substr(1));
    if (number % 5 == 4) {
      proposal.setStage(Stage::Materialize);
      proposal.setFailure("does not build");
      return outcome;
    }
    std::string clauses =
        number % 3 == 2
            ? "evidence #evo.evidence<refuted hash = \"" + name +
                  "\" details = {reason = \"race\"}>"
            : "evidence #evo.evidence<numeric hash = \"" + name +
                  "\" details = {samples = 1 : i64}> estimate "
                  "#evo.cost<estimated us = [" +
                  std::to_string(100 - number) + ".0] machine = \"h200\">";
    auto parsed = mlir::parseSourceString<mlir::ModuleOp>(
        "evo.kernel @other { evo.variant @\"" + name + ".v\" " + clauses +
            " {} }",
        module.getContext());
    KernelOp other = *parsed->getOps<KernelOp>().begin();
    KernelOp kernel = *(*outcome.module).getOps<KernelOp>().begin();
    auto variant = *other.getBody().getOps<VariantOp>().begin();
    variant.setProposal(name);
    variant->moveBefore(&kernel.getBody().front(),
                        kernel.getBody().front().end());
    point();
    return outcome;
  }
};

/// The journal, with points before and after what it writes.
class WatchedJournal : public Journal {
public:
  explicit WatchedJournal(std::unique_ptr<Journal> inner)
      : inner(std::move(inner)) {}
  mlir::FailureOr<Progress> begin(KernelOp kernel,
                                  llvm::StringRef settings) override {
    point();
    auto progress = inner->begin(kernel, settings);
    point();
    return progress;
  }
  mlir::LogicalResult asking(KernelOp kernel, unsigned count) override {
    point();
    auto result = inner->asking(kernel, count);
    point();
    return result;
  }
  mlir::LogicalResult asked(KernelOp kernel, llvm::ArrayRef<ProposalOp> added,
                            bool useful) override {
    point();
    auto result = inner->asked(kernel, added, useful);
    point();
    return result;
  }
  mlir::LogicalResult evaluated(KernelOp kernel, ProposalOp proposal,
                                double seconds) override {
    point();
    auto result = inner->evaluated(kernel, proposal, 0.5);
    point();
    return result;
  }
  mlir::LogicalResult measured(KernelOp kernel, VariantOp variant,
                               CostAttr cost) override {
    return inner->measured(kernel, variant, cost);
  }

private:
  std::unique_ptr<Journal> inner;
};

std::shared_ptr<llm::Ledger> makeLedger() {
  auto prices = llm::PriceTable::parse(
      R"({"date": "d", "currency": "EUR", "per": 1, "models":
          {"m": {"input": 1, "output": 1}}})");
  return std::make_shared<llm::Ledger>(llvm::cantFail(std::move(prices)),
                                       llm::BudgetCaps());
}

constexpr unsigned budget = 11;

/// Runs the search to its end in this process; writes the kernel and what was
/// charged to `result`. Whether all went well.
bool search(const std::string &journal, const std::string &result) {
  Kernel kernel;
  auto ledger = makeLedger();
  auto *dialect = kernel.context.getLoadedDialect<EvoDialect>();
  auto backends = std::make_unique<BackendInterface>(dialect);
  backends->proposers.push_back(std::make_unique<FakeProposer>(ledger));
  backends->evaluator = std::make_unique<FakeEvaluator>();
  backends->openSession = [&](KernelOp) {
    auto session = std::make_shared<SearchSession>();
    session->journal =
        std::make_unique<WatchedJournal>(createJournal(journal, "", ledger));
    session->onEvent = [](const SearchEvent &) { point(); };
    return session;
  };
  dialect->addInterface(std::move(backends));
  std::string pipeline = "builtin.module(evo.kernel(evo-search{proposer=fake "
                         "generation=4 seed=1 budget=" +
                         std::to_string(budget) + "}))";
  auto parsed = mlir::parsePassPipeline(pipeline);
  if (failed(parsed))
    return false;
  mlir::PassManager passes(&kernel.context, "builtin.module");
  static_cast<mlir::OpPassManager &>(passes) = std::move(*parsed);
  if (failed(passes.run(*kernel.module)))
    return false;
  std::error_code code;
  llvm::raw_fd_ostream os(result, code);
  kernel.op().print(os);
  os << "\nspent " << ledger->totals().money << '\n';
  return !code;
}

class Killed : public ::testing::Test {
protected:
  static void SetUpTestSuite() { registerEvoPasses(); }

  /// Starts a search in a process of its own that dies at a point.
  pid_t start(const std::string &name, int dieAt) {
    pid_t child = fork();
    if (child == 0) {
      pointsLeft = dieAt;
      _exit(search(folder.file(name), folder.file(name + ".result")) ? 0 : 1);
    }
    return child;
  }
  /// Whether it was killed; a failure otherwise.
  bool wasKilled(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
      return true;
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    return false;
  }
  std::string journalOf(const std::string &name) {
    std::string text, kept;
    llvm::raw_string_ostream os(text);
    EXPECT_FALSE(bool(exportJournal(folder.file(name), os)));
    // Requests may have been sent twice; when a run began and a step was over
    // is its own affair.
    std::regex made("\"made\":\"[^\"]*\"");
    for (llvm::StringRef rest = text; !rest.empty();) {
      auto [line, after] = rest.split('\n');
      rest = after;
      if (line.contains("\"event\":\"asked\"") ||
          line.contains("\"event\":\"evaluated\""))
        kept += std::regex_replace(line.str(), made, "") + "\n";
    }
    return kept;
  }
  std::string kernelOf(const std::string &name) {
    auto text = llm::test::readFile(folder.file(name + ".result"));
    return llvm::StringRef(text).split("\nspent ").first.str();
  }
  double spentOf(const std::string &name) {
    auto text = llm::test::readFile(folder.file(name + ".result"));
    double spent = -1;
    llvm::StringRef(text).split("\nspent ").second.trim().getAsDouble(spent);
    return spent;
  }
  /// The unbroken search, and how many points it passes.
  void runWhole() {
    ASSERT_FALSE(wasKilled(start("whole", -1)));
    kernel = kernelOf("whole");
    journal = journalOf("whole");
    ASSERT_EQ(llvm::StringRef(journal).count("\"event\":\"evaluated\""),
              budget);
    // With a point less than there are it is killed at the last one.
    unsigned low = 0, high = 4096;
    while (low + 1 < high) {
      unsigned middle = (low + high) / 2;
      std::string name = "probe" + std::to_string(middle);
      (wasKilled(start(name, middle)) ? low : high) = middle;
    }
    points = low + 1;
  }
  void expectSame(const std::string &name, unsigned kills) {
    EXPECT_EQ(kernelOf(name), kernel) << name;
    EXPECT_EQ(journalOf(name), journal) << name;
    // What was asked and not yet answered, or not yet kept, was paid again, at
    // its bound at most.
    double bound = llm::inputBound(llm::test::ask("question 99")) + 100;
    EXPECT_GE(spentOf(name), spentOf("whole")) << name;
    EXPECT_LE(spentOf(name), spentOf("whole") + kills * bound) << name;
  }

  TempFolder folder;
  std::string kernel, journal;
  unsigned points = 0;
};

TEST_F(Killed, AtFiftyRandomPoints) {
  runWhole();
  ASSERT_GT(points, 50u);
  std::mt19937 random(1);
  std::set<unsigned> drawn;
  while (drawn.size() < 50)
    drawn.insert(random() % points);
  for (unsigned at : drawn) {
    std::string name = "at" + std::to_string(at);
    ASSERT_TRUE(wasKilled(start(name, at)));
    ASSERT_FALSE(wasKilled(start(name, -1)));
    expectSame(name, 1);
  }
}

TEST_F(Killed, OverAndOverAgain) {
  runWhole();
  std::mt19937 random(2);
  unsigned kills = 0;
  // Each process lives for some points; in the end one gets through.
  while (wasKilled(start("often", 3 + random() % 12)) && kills < 200)
    ++kills;
  EXPECT_GT(kills, 5u);
  ASSERT_FALSE(wasKilled(start("often", -1)));
  expectSame("often", kills);
}

TEST_F(Killed, ByTheClock) {
  runWhole();
  auto begin = std::chrono::steady_clock::now();
  ASSERT_FALSE(wasKilled(start("timed", -1)));
  auto whole = std::chrono::duration_cast<std::chrono::microseconds>(
                   std::chrono::steady_clock::now() - begin)
                   .count();
  std::mt19937 random(3);
  for (unsigned i = 0; i < 20; ++i) {
    std::string name = "clock" + std::to_string(i);
    pid_t child = start(name, -1);
    usleep(random() % whole);
    kill(child, SIGKILL);
    (void)wasKilled(child); // it may have been quicker
    ASSERT_FALSE(wasKilled(start(name, -1)));
    expectSame(name, 1);
  }
}

} // namespace
