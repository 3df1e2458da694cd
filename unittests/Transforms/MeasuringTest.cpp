// A search that measures: when, in which order, and what it goes by then.
#include "evo/Interfaces/SearchSession.h"
#include "evo/Interfaces/SearchTime.h"
#include "evo/Transforms/Passes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "gtest/gtest.h"
#include <map>

using namespace evo;

namespace {
/// What the model says of a candidate, and what it takes.
struct Times {
  double estimated, measured;
};
const std::map<std::string, Times> times = {{"baseline", {100, 200}},
                                            {"c1", {90, 400}},
                                            {"c2", {50, 50}},
                                            {"c3", {80, 100}},
                                            {"c4", {10, -1}}};

/// Adds one candidate after the other, and notes what is known of the ones
/// before.
class FakeProposer : public Proposer {
public:
  explicit FakeProposer(std::vector<std::string> &log) : log(log) {}
  llvm::StringRef getName() const override { return "fake"; }
  mlir::LogicalResult propose(KernelOp kernel, unsigned count, uint64_t,
                              const SearchSession &) override {
    std::string line = "asked:";
    for (auto variant : kernel.getBody().getOps<VariantOp>())
      if (variant.getMeasured())
        line += " " + variant.getSymName().str();
    log.push_back(line);
    mlir::OpBuilder b = mlir::OpBuilder::atBlockEnd(&kernel.getBody().front());
    unsigned serial = llvm::range_size(kernel.getBody().getOps<ProposalOp>());
    for (unsigned i = 0; i < count; ++i) {
      std::string name = "c" + std::to_string(serial + i);
      ProposalOp::create(b, kernel.getLoc(), b.getStringAttr(name),
                         GenomeAttr::get(b.getContext(), Genome::Options),
                         b.getStringAttr(name), mlir::DictionaryAttr(),
                         mlir::StringAttr(), mlir::StringAttr(),
                         b.getStringAttr("fake"), StageAttr(),
                         mlir::StringAttr());
    }
    return mlir::success();
  }

private:
  std::vector<std::string> &log;
};

/// Accepts every candidate.
class FakeEvaluator : public Evaluator {
public:
  mlir::FailureOr<Outcome> evaluate(mlir::ModuleOp module,
                                    llvm::StringRef) override {
    Outcome outcome;
    outcome.module = module.clone();
    KernelOp kernel = *(*outcome.module).getOps<KernelOp>().begin();
    ProposalOp proposal = *kernel.getBody().getOps<ProposalOp>().begin();
    std::string name = proposal.getSymName().str();
    std::string text = "evo.kernel @k { evo.proposal @" + name +
                       " \"options\" \"\" by \"fake\" evo.variant @" + name +
                       ".v of @" + name + " evidence <numeric hash = \"" +
                       name +
                       "\" details = {}> estimate <estimated us "
                       "= [" +
                       std::to_string(times.at(name).estimated) +
                       "] machine = \"model\" details = {}> {} }";
    auto made =
        mlir::parseSourceString<mlir::ModuleOp>(text, module.getContext());
    VariantOp variant = *(*(*made).getOps<KernelOp>().begin())
                             .getBody()
                             .getOps<VariantOp>()
                             .begin();
    variant->moveBefore(&kernel.getBody().front(),
                        kernel.getBody().front().end());
    return outcome;
  }
};

class FakeMeasurer : public Measurer {
public:
  explicit FakeMeasurer(std::vector<std::string> &log) : log(log) {}
  llvm::StringRef getName() const override { return "fake"; }
  bool isAvailable(std::string &why) override {
    why = "none is here";
    return isThere;
  }
  mlir::FailureOr<CostAttr> measure(VariantOp variant,
                                    TargetAttrInterface) override {
    std::string name = variant.getProposal()->str();
    log.push_back(name);
    if (times.at(name).measured < 0)
      return mlir::failure();
    mlir::Builder b(variant.getContext());
    return CostAttr::get(variant.getContext(), CostSource::Measured,
                         b.getDenseF64ArrayAttr({times.at(name).measured}),
                         b.getStringAttr("fake"), mlir::DictionaryAttr());
  }
  bool isThere = true;

private:
  std::vector<std::string> &log;
};

class Measuring : public ::testing::Test {
protected:
  Measuring() {
    context.loadDialect<EvoDialect>();
    auto *dialect = context.getLoadedDialect<EvoDialect>();
    auto backends = std::make_unique<BackendInterface>(dialect);
    backends->proposers.push_back(std::make_unique<FakeProposer>(log));
    backends->evaluator = std::make_unique<FakeEvaluator>();
    auto owned = std::make_unique<FakeMeasurer>(log);
    measurer = owned.get();
    backends->measurers.push_back(std::move(owned));
    backends->openSession = [this](KernelOp) {
      session->onEvent = [this](const SearchEvent &event) {
        best.push_back(event.bestMicros);
      };
      return session;
    };
    dialect->addInterface(std::move(backends));
    options.proposer = options.measurer = "fake";
    options.budget = 5;
    options.generation = 2;
  }
  void search() {
    module = mlir::parseSourceString<mlir::ModuleOp>(
        R"(evo.kernel @k args [#evo.arg<"y" out f32 ["N"]>]
               workloads [#evo.workload<{N = 4}>] {
             evo.proposal @baseline "options" "" by "me" })",
        &context);
    ASSERT_TRUE(module);
    mlir::PassManager passes(&context, mlir::ModuleOp::getOperationName());
    passes.addNestedPass<KernelOp>(createSearch(options));
    ASSERT_TRUE(succeeded(passes.run(*module)));
  }
  VariantOp variant(llvm::StringRef name) {
    return module->lookupSymbol<KernelOp>("k").lookupSymbol<VariantOp>(name);
  }

  mlir::MLIRContext context;
  std::vector<std::string> log;
  std::vector<double> best;
  FakeMeasurer *measurer;
  SearchOptions options;
  std::shared_ptr<SearchSession> session = std::make_shared<SearchSession>();
  mlir::OwningOpRef<mlir::ModuleOp> module;
};
} // namespace

TEST_F(Measuring, AGenerationBeforeTheNextIsProposed) {
  search();
  // Each as it comes; nothing twice.
  EXPECT_EQ(log, (std::vector<std::string>{
                     "baseline", "asked: baseline.v", "c1", "c2",
                     "asked: baseline.v c1.v c2.v", "c3", "c4"}));
  EXPECT_EQ(session->summary.measured, 4u);
  EXPECT_TRUE(variant("c3.v").getMeasured());
  EXPECT_FALSE(variant("c4.v").getMeasured());
  EXPECT_TRUE(variant("c4.v")->hasAttr("evo.not_measured"));
}

TEST_F(Measuring, BestEstimatesFirstWhereTimeIsBounded) {
  options.measureSeconds = 1000;
  search();
  EXPECT_EQ(log, (std::vector<std::string>{
                     "baseline", "asked: baseline.v", "c2", "c1",
                     "asked: baseline.v c1.v c2.v", "c4", "c3"}));
}

TEST_F(Measuring, EstimatesAreCorrected) {
  search();
  // Measured over estimated: 1, 1.25, 2 and 4.4.
  EXPECT_EQ(estimateCorrection(module->lookupSymbol<KernelOp>("k")), 1.25);
  EXPECT_EQ(expectedTime(variant("c1.v")), 400);
  // The device had none for it.
  EXPECT_EQ(expectedTime(variant("c4.v")), std::nullopt);
  // After the baseline that was 2, so 90 became 180; after c3 1.25.
  EXPECT_EQ(best, (std::vector<double>{100, 180, 100, 50, 12.5}));
}

TEST_F(Measuring, MeasuredTimesEndTheSearch) {
  options.stopAt = 60;
  search();
  EXPECT_EQ(log.back(), "c2"); // 50 us were measured
  EXPECT_EQ(session->summary.stopped.reason, StopReason::Reached);
  EXPECT_EQ(session->summary.stopped.text,
            "50.00 us, of 60.00 us wanted, are reached");
}

TEST_F(Measuring, WithoutADeviceAllIsAsBefore) {
  measurer->isThere = false;
  search();
  EXPECT_EQ(log, (std::vector<std::string>{"asked:", "asked:"}));
  EXPECT_EQ(best, (std::vector<double>{100, 90, 50, 50, 10}));
  log.clear();
  measurer->isThere = true;
  options.measurer = "";
  search();
  EXPECT_EQ(log, (std::vector<std::string>{"asked:", "asked:"}));
}
