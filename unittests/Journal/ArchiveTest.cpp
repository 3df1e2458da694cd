// Kernels that resemble each other find each other's programs, and what was
// asked and answered can be read back as a lesson.
#include "../Proposers/Model/TestSupport.h"
#include "evo/Journal/Journal.h"
#include "evo/LLM/Ledger.h"

using namespace evo;
using namespace evo::test;
using llm::test::TempFolder;

namespace {

ProposalOp propose(Kernel &kernel, const std::string &name,
                   const std::string &request = "") {
  mlir::OpBuilder b =
      mlir::OpBuilder::atBlockEnd(&kernel.op().getBody().front());
  ProposalOp proposal = ProposalOp::create(
      b, kernel.op().getLoc(), b.getStringAttr(name),
      GenomeAttr::get(b.getContext(), Genome::CUDA),
      b.getStringAttr("text of " + name), mlir::DictionaryAttr(),
      mlir::StringAttr(), b.getStringAttr("because of " + name),
      b.getStringAttr("test"), StageAttr(), mlir::StringAttr());
  if (!request.empty())
    proposal->setAttr("evo.request", b.getStringAttr(request));
  return proposal;
}

/// The kernel `name`, whose reference does `body` to a number.
void load(Kernel &kernel, const std::string &name, const std::string &body) {
  kernel.module = mlir::parseSourceString<mlir::ModuleOp>(
      "evo.kernel @" + name +
          R"( args [#evo.arg<"x" in f32 ["N"]>, #evo.arg<"y" out f32 ["N"]>]
             workloads [#evo.workload<{N = 1024}>] { evo.reference {
      evo.launch @device::@f grid ["N", "1", "1"] block ["1", "1", "1"] args ["x", "y"]
      gpu.module @device { llvm.func @f(%x: !llvm.ptr, %y: !llvm.ptr) {
        %v = llvm.load %x : !llvm.ptr -> f32
        )" +
          body + R"(
        llvm.store %r, %y : f32, !llvm.ptr
        llvm.return } } } })",
      &kernel.context);
  ASSERT_TRUE(kernel.module) << kernel.diagnostics;
}

/// A search that found m0 (at `micros`; the baseline takes 100) in the journal.
void record(Kernel &kernel, const std::string &path, const std::string &micros,
            const std::string &more = "") {
  auto journal = createJournal(path, "");
  ASSERT_TRUE(succeeded(journal->begin(kernel.op(), "seed=1")));
  for (const char *name : {"baseline", "m0"})
    propose(kernel, name);
  kernel.accept("baseline", "100.0");
  kernel.accept("m0", micros, more);
  for (const char *name : {"baseline", "m0"})
    ASSERT_TRUE(
        succeeded(journal->evaluated(kernel.op(), kernel.proposal(name), 0.5)));
}

constexpr const char *exponential = "%e = llvm.intr.exp(%v) : (f32) -> f32\n"
                                    "%r = llvm.fadd %e, %v : f32";
constexpr const char *sum = "%a = llvm.fadd %v, %v : f32\n"
                            "%b = llvm.fadd %a, %v : f32\n"
                            "%r = llvm.fadd %b, %a : f32";

/// What a device says of a program takes the place of its estimate: no speedup,
/// another one, or none because it left other results.
TEST(Archive, WhatIsMeasuredCounts) {
  TempFolder folder;
  std::string path = folder.file("journal");
  Kernel kernel, own;
  load(kernel, "exponential", exponential);
  load(own, "mine",
       std::string("%q = llvm.intr.exp(%v) : (f32) -> f32\n") +
           "%r = llvm.fsub %q, %v : f32");
  auto journal = createJournal(path, "");
  ASSERT_TRUE(succeeded(journal->begin(kernel.op(), "seed=1")));
  for (const char *name : {"baseline", "m0"})
    propose(kernel, name);
  kernel.accept("baseline", "100.0");
  kernel.accept("m0", "20.0");
  for (const char *name : {"baseline", "m0"})
    ASSERT_TRUE(
        succeeded(journal->evaluated(kernel.op(), kernel.proposal(name), 0.5)));
  auto getSpeedups = [&] {
    std::vector<double> speedups;
    auto found = findSimilar(path, own.op(), 5);
    EXPECT_TRUE(bool(found));
    for (const ArchivedProgram &program : *found)
      speedups.push_back(program.speedup);
    return speedups;
  };
  EXPECT_EQ(getSpeedups(), std::vector<double>{5});
  mlir::Builder b(&kernel.context);
  auto measure = [&](const char *name, std::optional<double> micros) {
    VariantOp variant = kernel.proposal(name).lookupVariant();
    CostAttr cost;
    if (micros)
      cost = CostAttr::get(&kernel.context, CostSource::Measured,
                           b.getDenseF64ArrayAttr({*micros}),
                           b.getStringAttr("card"), mlir::DictionaryAttr());
    if (cost)
      variant.setMeasuredAttr(cost);
    else
      variant->setAttr("evo.not_measured", b.getUnitAttr());
    ASSERT_TRUE(succeeded(journal->measured(kernel.op(), variant, cost)));
  };
  measure("baseline", 80);
  measure("m0", 40);
  EXPECT_EQ(getSpeedups(), std::vector<double>{2});
  measure("m0", 90);
  EXPECT_EQ(getSpeedups(), std::vector<double>{});
  measure("m0", 10);
  EXPECT_EQ(getSpeedups(), std::vector<double>{8});
  measure("m0", std::nullopt);
  EXPECT_EQ(getSpeedups(), std::vector<double>{});
}

TEST(Archive, TheMostSimilarKernelComesFirst) {
  TempFolder folder;
  std::string path = folder.file("journal");
  Kernel exp, sums, slow;
  load(exp, "exponential", exponential);
  load(sums, "sums", sum);
  load(slow, "slow", "%r = llvm.intr.sqrt(%v) : (f32) -> f32");
  record(exp, path, "20.0");
  record(sums, path, "10.0");
  record(slow, path, "100.0"); // no faster than it was
  Kernel own;
  load(own, "mine",
       std::string("%q = llvm.intr.exp(%v) : (f32) -> f32\n") +
           "%r = llvm.fsub %q, %v : f32");
  EVO_TAKE(found, findSimilar(path, own.op(), 5));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].kernel, "exponential");
  EXPECT_EQ(found[0].candidate, "m0");
  EXPECT_EQ(found[0].language, "cuda");
  EXPECT_EQ(found[0].code, "text of m0");
  EXPECT_EQ(found[0].rationale, "because of m0");
  EXPECT_DOUBLE_EQ(found[0].speedup, 5);
  EXPECT_GT(found[0].similarity, found[1].similarity);
  EXPECT_LT(found[0].similarity, 1);
  EXPECT_EQ(found[1].kernel, "sums");
  EVO_TAKE(one, findSimilar(path, own.op(), 1));
  EXPECT_EQ(one.size(), 1u);
  // A kernel is not told of itself.
  Kernel again;
  load(again, "exponential", exponential);
  EVO_TAKE(others, findSimilar(path, again.op(), 5));
  ASSERT_EQ(others.size(), 1u);
  EXPECT_EQ(others[0].kernel, "sums");
}

TEST(Archive, AMissingFileIsEmptyAndAStrangeOneAnError) {
  TempFolder folder;
  Kernel kernel;
  EVO_TAKE(none, findSimilar(folder.file("nowhere"), kernel.op(), 3));
  EXPECT_TRUE(none.empty());
  llm::test::writeFile(folder.file("notes"), "these are notes, no database");
  auto strange = findSimilar(folder.file("notes"), kernel.op(), 3);
  ASSERT_FALSE(bool(strange));
  llvm::consumeError(strange.takeError());
}

TEST(Trajectories, HoldPromptAnswerAndReward) {
  TempFolder folder;
  std::string path = folder.file("journal");
  auto prices = llm::PriceTable::builtin();
  auto ledger = std::make_shared<llm::Ledger>(llvm::cantFail(std::move(prices)),
                                              llm::BudgetCaps());
  Kernel kernel;
  auto journal = createJournal(path, "", ledger);
  ASSERT_TRUE(succeeded(journal->begin(kernel.op(), "seed=1")));
  llm::ModelRequest request = llm::test::ask("how fast?");
  request.id = "row_sum/m0";
  request.stage = "propose";
  EVO_TAKE(charge, ledger->reserve(request, "m"));
  llm::ModelAnswer answer;
  answer.text = "like this";
  answer.usage = {7, 5, 0, 0};
  ASSERT_FALSE(bool(ledger->settle(charge, request, answer)));
  // Another one is never answered.
  request.id = "row_sum/m2";
  EVO_TAKE(open, ledger->reserve(request, "m"));
  EXPECT_NE(open, charge);
  propose(kernel, "baseline");
  propose(kernel, "m0", "row_sum/m0");
  propose(kernel, "m1", "row_sum/m0");
  kernel.accept("baseline", "30.0");
  kernel.accept("m0", "10.0");
  kernel.refute("m1", "a race");
  for (const char *name : {"baseline", "m0", "m1"})
    ASSERT_TRUE(
        succeeded(journal->evaluated(kernel.op(), kernel.proposal(name), 0.5)));
  std::string text;
  llvm::raw_string_ostream os(text);
  ASSERT_FALSE(bool(exportTrajectories(path, os)));
  EXPECT_EQ(llvm::StringRef(text).count('\n'), 1u);
  EVO_TAKE(line, llvm::json::parse(text));
  const llvm::json::Object &object = *line.getAsObject();
  EXPECT_EQ(object.getString("answer"), "like this");
  EXPECT_EQ(object.getInteger("output_tokens"), 5);
  const llvm::json::Array &prompt = *object.getArray("prompt");
  ASSERT_EQ(prompt.size(), 2u);
  EXPECT_EQ(prompt[0].getAsObject()->getString("text"), "be brief");
  EXPECT_EQ(prompt[1].getAsObject()->getString("role"), "user");
  EXPECT_EQ(object.getNumber("reward"), 3.0);
  const llvm::json::Array &candidates = *object.getArray("candidates");
  ASSERT_EQ(candidates.size(), 2u);
  EXPECT_EQ(candidates[0].getAsObject()->getNumber("reward"), 3.0);
  EXPECT_EQ(candidates[1].getAsObject()->getNumber("reward"), 0.0);
  EXPECT_EQ(candidates[1].getAsObject()->getString("grade"), "refuted");
  EXPECT_EQ(candidates[0].getAsObject()->getString("rests_on"), "estimated");
  // Measured times count where there are both.
  mlir::Builder b(&kernel.context);
  auto measure = [&](const char *name, double micros) {
    VariantOp variant = kernel.proposal(name).lookupVariant();
    variant.setMeasuredAttr(CostAttr::get(
        &kernel.context, CostSource::Measured, b.getDenseF64ArrayAttr({micros}),
        b.getStringAttr("card"), mlir::DictionaryAttr()));
    ASSERT_TRUE(succeeded(
        journal->measured(kernel.op(), variant, variant.getMeasuredAttr())));
  };
  auto getReward = [&](llvm::StringRef basis) {
    text.clear();
    EXPECT_FALSE(bool(exportTrajectories(path, os)));
    EXPECT_CONTAINS(text, ("\"rests_on\":\"" + basis + "\"").str());
    return llvm::cantFail(llvm::json::parse(text))
        .getAsObject()
        ->getNumber("reward");
  };
  measure("m0", 5);
  EXPECT_EQ(getReward("estimated"), 3.0);
  measure("baseline", 40);
  EXPECT_EQ(getReward("measured"), 8.0);
  measure("m0", 20);
  EXPECT_EQ(getReward("measured"), 2.0);
}

TEST(Charges, AnswersOfWhichNothingWasMadeAreKept) {
  TempFolder folder;
  std::string path = folder.file("journal");
  auto makeLedger = [] {
    return std::make_shared<llm::Ledger>(
        llvm::cantFail(llm::PriceTable::builtin()), llm::BudgetCaps());
  };
  auto answerTo = [](llm::Ledger &ledger, const std::string &id) {
    llm::ModelRequest request = llm::test::ask("about " + id);
    request.id = id;
    llm::ModelAnswer answer;
    answer.text = "answer to " + id;
    answer.usage = {7, 5, 3, 0};
    unsigned charge = llvm::cantFail(ledger.reserve(request, "m"));
    ASSERT_FALSE(bool(ledger.settle(charge, request, answer)));
  };
  auto hashOf = [](const std::string &id) {
    return llm::requestHash(llm::test::ask("about " + id));
  };
  std::string about; // the candidate, asked before the step was kept
  {
    Kernel kernel;
    auto first = makeLedger();
    auto journal = createJournal(path, "", first);
    ASSERT_TRUE(succeeded(journal->begin(kernel.op(), "seed=1")));
    answerTo(*first, "judged");
    answerTo(*first, "used");
    mlir::OpBuilder b =
        mlir::OpBuilder::atBlockEnd(&kernel.op().getBody().front());
    auto proposal = ProposalOp::create(
        b, kernel.op().getLoc(), b.getStringAttr("m0"),
        GenomeAttr::get(b.getContext(), Genome::CUDA), b.getStringAttr("text"),
        mlir::DictionaryAttr(), mlir::StringAttr(), mlir::StringAttr(),
        b.getStringAttr("test"), StageAttr(), mlir::StringAttr());
    proposal->setAttr("evo.request", b.getStringAttr("used"));
    ASSERT_TRUE(succeeded(journal->asked(kernel.op(), {proposal}, true)));
    about = (kernel.op().getSymName() + "/m0.judge-memory").str();
    answerTo(*first, about);
    answerTo(*first, "paid"); // then it was killed
  }
  auto second = makeLedger();
  auto journal = createJournal(path, "", second);
  Kernel same;
  ASSERT_TRUE(succeeded(journal->begin(same.op(), "seed=1")));
  EXPECT_EQ(second->answeredBefore(hashOf("used")), 1u);
  EXPECT_FALSE(second->takeUnused(hashOf("judged")));
  EXPECT_FALSE(second->takeUnused(hashOf("used")));
  EXPECT_FALSE(second->takeUnused(hashOf(about)));
  auto paid = second->takeUnused(hashOf("paid"));
  ASSERT_TRUE(paid);
  EXPECT_EQ(paid->text, "answer to paid");
  EXPECT_EQ(paid->usage.inputTokens, 7u);
  EXPECT_FALSE(second->takeUnused(hashOf("paid")));
}

TEST(Charges, OfEarlierProcessesCountAndOpenOnesStayAtTheirBound) {
  TempFolder folder;
  std::string path = folder.file("journal");
  auto makeLedger = [] {
    auto prices = llm::PriceTable::builtin();
    return std::make_shared<llm::Ledger>(llvm::cantFail(std::move(prices)),
                                         llm::BudgetCaps());
  };
  llm::ModelRequest request = llm::test::ask("how fast?");
  auto first = makeLedger();
  {
    Kernel kernel;
    auto journal = createJournal(path, "", first);
    ASSERT_TRUE(succeeded(journal->begin(kernel.op(), "seed=1")));
    EVO_TAKE(charge, first->reserve(request, "m"));
    llm::ModelAnswer answer;
    answer.usage = {7, 5, 3, 0};
    ASSERT_FALSE(bool(first->settle(charge, request, answer)));
    ASSERT_TRUE(bool(first->reserve(request, "m"))); // then it was killed
  }
  auto second = makeLedger();
  Kernel kernel;
  auto journal = createJournal(path, "", second);
  ASSERT_TRUE(succeeded(journal->begin(kernel.op(), "seed=1")));
  EXPECT_EQ(second->totals().requests, 2u);
  EXPECT_EQ(second->totals().tokens(),
            12 + llm::inputBound(request) + request.maxTokens);
  EXPECT_EQ(second->totals().usage.cachedTokens, 3u);
  // Another search in the same file has spent nothing.
  auto other = makeLedger();
  Kernel same;
  auto theirs = createJournal(path, "", other);
  ASSERT_TRUE(succeeded(theirs->begin(same.op(), "seed=2")));
  EXPECT_EQ(other->totals().requests, 0u);
}

} // namespace
