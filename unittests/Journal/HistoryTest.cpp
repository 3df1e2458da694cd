// A run as others see it: while another connection writes, with its times and
// its kernel, and in the order of its steps.
#include "evo/Journal/History.h"
#include "../Proposers/Model/TestSupport.h"
#include "evo/Interfaces/Fitness.h"
#include "evo/Journal/Journal.h"

using namespace evo;
using namespace evo::test;
using llm::test::TempFolder;

namespace {

ProposalOp propose(Kernel &kernel, const std::string &name) {
  mlir::OpBuilder b =
      mlir::OpBuilder::atBlockEnd(&kernel.op().getBody().front());
  return ProposalOp::create(b, kernel.op().getLoc(), b.getStringAttr(name),
                            GenomeAttr::get(b.getContext(), Genome::CUDA),
                            b.getStringAttr("text of " + name),
                            mlir::DictionaryAttr(), mlir::StringAttr(),
                            mlir::StringAttr(), b.getStringAttr("test"),
                            StageAttr(), mlir::StringAttr());
}

llvm::Expected<size_t> chooseLast(llvm::ArrayRef<RunRecord> runs) {
  return runs.size() - 1;
}

TEST(History, ShowsARunThatGoesOn) {
  TempFolder folder;
  std::string path = folder.file("journal");
  Kernel kernel, reader;
  auto journal = createJournal(path, "");
  ASSERT_TRUE(succeeded(journal->begin(kernel.op(), "seed=1")));
  propose(kernel, "m0");
  propose(kernel, "m1");
  kernel.accept("m0", "10.0");
  ASSERT_TRUE(
      succeeded(journal->evaluated(kernel.op(), kernel.proposal("m0"), 0.5)));
  auto first = readHistory(path, &reader.context, chooseLast);
  ASSERT_TRUE(bool(first)) << llvm::toString(first.takeError());
  ASSERT_EQ(first->evaluations.size(), 1u);
  EXPECT_EQ(first->evaluations[0].candidate, "m0");
  EXPECT_EQ(first->evaluations[0].micros, 10.0);
  ASSERT_TRUE(first->evaluations[0].elapsed.has_value());
  EXPECT_LT(*first->evaluations[0].elapsed, 60);
  kernel.fail("m1", Stage::Materialize, "no such thing");
  ASSERT_TRUE(
      succeeded(journal->evaluated(kernel.op(), kernel.proposal("m1"), 0.5)));
  auto second = readHistory(path, &reader.context, chooseLast);
  ASSERT_TRUE(bool(second)) << llvm::toString(second.takeError());
  ASSERT_EQ(second->evaluations.size(), 2u);
  EXPECT_EQ(second->evaluations[1].failure, "no such thing");
  EXPECT_LE(*second->evaluations[0].elapsed, *second->evaluations[1].elapsed);
  EXPECT_EQ(second->unreadable, 0u);
  KernelOp shown = second->getKernel();
  ASSERT_TRUE(shown);
  EXPECT_TRUE(shown.getReference());
  EXPECT_TRUE(shown.lookupSymbol<ProposalOp>("m1"));
  EXPECT_EQ(shown.getArgsAttr(), reader.op().getArgsAttr());
}

TEST(History, HasWhatWasMeasured) {
  TempFolder folder;
  std::string path = folder.file("journal");
  Kernel kernel, reader;
  auto journal = createJournal(path, "");
  ASSERT_TRUE(succeeded(journal->begin(kernel.op(), "seed=1")));
  propose(kernel, "m0");
  kernel.accept("m0", "10.0");
  ASSERT_TRUE(
      succeeded(journal->evaluated(kernel.op(), kernel.proposal("m0"), 0.5)));
  mlir::Builder b(&kernel.context);
  auto variant = kernel.proposal("m0").lookupVariant();
  ASSERT_TRUE(succeeded(journal->measured(
      kernel.op(), variant,
      CostAttr::get(&kernel.context, CostSource::Measured,
                    b.getDenseF64ArrayAttr({12.5}), b.getStringAttr("card"),
                    mlir::DictionaryAttr()))));
  auto history = readHistory(path, &reader.context, chooseLast);
  ASSERT_TRUE(bool(history)) << llvm::toString(history.takeError());
  auto shown = history->getKernel().lookupSymbol<VariantOp>("m0.v");
  ASSERT_TRUE(shown && shown.getMeasuredAttr());
  EXPECT_EQ(weightedTime(shown, /*measured=*/true), 12.5);
  EXPECT_EQ(shown.getMeasuredAttr().getMachine().getValue(), "card");
}

TEST(History, RefusesWhatHasNoRun) {
  TempFolder folder;
  Kernel reader;
  std::string path = folder.file("journal");
  auto missing = readHistory(path, &reader.context, chooseLast);
  ASSERT_FALSE(bool(missing));
  EXPECT_CONTAINS(llvm::toString(missing.takeError()), "cannot open it");
  Kernel kernel;
  ASSERT_TRUE(succeeded(createJournal(path, "")->begin(kernel.op(), "seed=1")));
  auto refused =
      readHistory(path, &reader.context,
                  [](llvm::ArrayRef<RunRecord>) -> llvm::Expected<size_t> {
                    return llvm::createStringError("none of these");
                  });
  ASSERT_FALSE(bool(refused));
  EXPECT_EQ(llvm::toString(refused.takeError()), "none of these");
}

} // namespace
