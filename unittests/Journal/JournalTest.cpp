// A search that is cut off after any step stands, when it begins again, before
// the same kernel; and no step is there twice.
#include "evo/Journal/Journal.h"
#include "../Proposers/Model/TestSupport.h"
#include "evo/LLM/Ledger.h"
#include "evo/Support/Files.h"

using namespace evo;
using namespace evo::test;
using llm::test::TempFolder;

namespace {

std::string print(Kernel &kernel) {
  std::string text;
  llvm::raw_string_ostream os(text);
  kernel.op().print(os);
  return text;
}

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

/// The steps of one small search: a question that gives two candidates, their
/// outcomes, a question whose answer cannot be used, another one.
struct Search {
  Kernel &kernel;
  Journal &journal;

  bool step(unsigned number) {
    switch (number) {
    case 0: {
      ProposalOp added[] = {propose(kernel, "m0"), propose(kernel, "m1")};
      return succeeded(journal.asked(kernel.op(), added, true));
    }
    case 1:
      kernel.accept("m0", "10.0");
      return evaluated("m0");
    case 2:
      kernel.fail("m1", Stage::Materialize, "no such thing");
      return evaluated("m1");
    case 3: {
      ProposalOp added[] = {propose(kernel, "m2")};
      kernel.fail("m2", Stage::Answer, "nothing in it");
      return succeeded(journal.asked(kernel.op(), added, false));
    }
    case 4: {
      ProposalOp added[] = {propose(kernel, "m3")};
      return succeeded(journal.asked(kernel.op(), added, true));
    }
    case 5:
      kernel.refute("m3", "a race");
      return evaluated("m3");
    }
    return false;
  }
  static constexpr unsigned steps = 6;

private:
  bool evaluated(const std::string &name) {
    return succeeded(
        journal.evaluated(kernel.op(), kernel.proposal(name), 0.5));
  }
};

TEST(Journal, GoesOnAfterEachStep) {
  Kernel unbroken;
  TempFolder folder;
  auto whole = createJournal(folder.file("whole"), "");
  ASSERT_TRUE(succeeded(whole->begin(unbroken.op(), "seed=1")));
  Search reference{unbroken, *whole};
  for (unsigned i = 0; i < Search::steps; ++i)
    ASSERT_TRUE(reference.step(i)) << unbroken.diagnostics;
  const unsigned evaluated[] = {0, 0, 1, 2, 2, 2, 3};
  const unsigned dry[] = {0, 0, 0, 0, 1, 0, 0};
  for (unsigned cut = 0; cut <= Search::steps; ++cut) {
    std::string path = folder.file("cut" + std::to_string(cut));
    {
      Kernel first;
      auto journal = createJournal(path, "");
      ASSERT_TRUE(succeeded(journal->begin(first.op(), "seed=1")));
      Search search{first, *journal};
      for (unsigned i = 0; i < cut; ++i)
        ASSERT_TRUE(search.step(i));
    }
    Kernel second;
    auto journal = createJournal(path, "");
    auto progress = journal->begin(second.op(), "seed=1");
    ASSERT_TRUE(succeeded(progress)) << second.diagnostics;
    EXPECT_EQ(progress->evaluated, evaluated[cut]);
    EXPECT_EQ(progress->dry, dry[cut]);
    Search search{second, *journal};
    for (unsigned i = cut; i < Search::steps; ++i)
      ASSERT_TRUE(search.step(i)) << second.diagnostics;
    EXPECT_TRUE(succeeded(mlir::verify(*second.module)));
    EXPECT_EQ(print(second), print(unbroken)) << "cut after " << cut;
  }
}

TEST(Journal, AQuestionWithoutAnEndIsTheSameOne) {
  TempFolder folder;
  std::string path = folder.file("journal");
  auto open = [&](Kernel &kernel) {
    auto progress = createJournal(path, "")->begin(kernel.op(), "seed=1");
    EXPECT_TRUE(succeeded(progress)) << kernel.diagnostics;
    return progress->question;
  };
  Kernel first, second, third;
  EXPECT_EQ(open(first), 0u);
  {
    auto journal = createJournal(path, "");
    ASSERT_TRUE(succeeded(journal->begin(first.op(), "seed=1")));
    ASSERT_TRUE(succeeded(journal->asking(first.op(), 3)));
  }
  EXPECT_EQ(open(second), 3u);
  {
    auto journal = createJournal(path, "");
    ASSERT_TRUE(succeeded(journal->begin(second.op(), "seed=1")));
    ProposalOp added[] = {propose(second, "m0")};
    ASSERT_TRUE(succeeded(journal->asked(second.op(), added, true)));
  }
  EXPECT_EQ(open(third), 0u);
}

TEST(Journal, OtherSettingsMeansOrKernelsAreOtherSearches) {
  TempFolder folder;
  std::string path = folder.file("journal");
  Kernel first;
  auto journal = createJournal(path, "model=a");
  ASSERT_TRUE(succeeded(journal->begin(first.op(), "seed=1")));
  Search search{first, *journal};
  for (unsigned i = 0; i < 3; ++i)
    ASSERT_TRUE(search.step(i));
  auto evaluatedOf = [&](const char *means, const char *settings,
                         bool tensorLevel) {
    Kernel kernel(tensorLevel);
    auto progress = createJournal(path, means)->begin(kernel.op(), settings);
    EXPECT_TRUE(succeeded(progress)) << kernel.diagnostics;
    return succeeded(progress) ? progress->evaluated : ~0u;
  };
  journal.reset(); // a search is one process's at a time
  EXPECT_EQ(evaluatedOf("model=a", "seed=1", false), 2u);
  EXPECT_EQ(evaluatedOf("model=a", "seed=2", false), 0u);
  EXPECT_EQ(evaluatedOf("model=b", "seed=1", false), 0u);
  EXPECT_EQ(evaluatedOf("model=a", "seed=1", true), 0u);
}

TEST(Journal, TwoProcessesCannotWriteTheSameStep) {
  TempFolder folder;
  std::string path = folder.file("journal");
  Kernel one, two;
  auto first = createJournal(path, ""), second = createJournal(path, "");
  ASSERT_TRUE(succeeded(first->begin(one.op(), "seed=1")));
  EXPECT_FALSE(succeeded(second->begin(two.op(), "seed=1")));
  EXPECT_CONTAINS(two.diagnostics, "is under way in another process");
  EXPECT_TRUE((Search{one, *first}.step(0)));
}

TEST(Journal, ALedgerIsKeptByOneSearchAtATime) {
  TempFolder folder;
  std::string path = folder.file("journal");
  auto prices = llm::PriceTable::parse(
      R"({"date": "d", "currency": "EUR", "per": 1, "models": {}})");
  auto ledger = std::make_shared<llm::Ledger>(llvm::cantFail(std::move(prices)),
                                              llm::BudgetCaps());
  Kernel one, two;
  auto first = createJournal(path, "", ledger);
  ASSERT_TRUE(succeeded(first->begin(one.op(), "seed=1")));
  ASSERT_TRUE(succeeded(first->begin(one.op(), "seed=2"))); // it has it already
  {
    auto second = createJournal(path, "", ledger);
    EXPECT_TRUE(failed(second->begin(two.op(), "seed=1")));
    EXPECT_CONTAINS(two.diagnostics,
                    "the journal of another search keeps this ledger");
  }
  first.reset(); // and gives it back, unlike the second, which had none
  auto third = createJournal(path, "", ledger);
  EXPECT_TRUE(succeeded(third->begin(two.op(), "seed=1"))) << two.diagnostics;
}

TEST(Journal, MeasurementsStandThereWithTheirMachineEachTime) {
  TempFolder folder;
  std::string path = folder.file("journal");
  Kernel kernel;
  kernel.accept("m0", "10.0");
  auto variant = kernel.op().lookupSymbol<VariantOp>("m0.v");
  mlir::Builder b(kernel.op().getContext());
  auto cost = [&](double micros, const char *machine) {
    const double times[] = {micros, -1};
    return CostAttr::get(
        b.getContext(), CostSource::Measured, b.getDenseF64ArrayAttr(times),
        b.getStringAttr(machine),
        b.getDictionaryAttr(
            {b.getNamedAttr("driver", b.getI64IntegerAttr(13000))}));
  };
  auto journal = createJournal(path, "");
  // Before a search has begun there is nothing to keep it with.
  EXPECT_TRUE(
      succeeded(journal->measured(kernel.op(), variant, cost(1, "none"))));
  ASSERT_TRUE(succeeded(journal->begin(kernel.op(), "seed=1")));
  for (const char *machine : {"NVIDIA H200", "NVIDIA H200", "another"})
    ASSERT_TRUE(
        succeeded(journal->measured(kernel.op(), variant, cost(12.5, machine))))
        << kernel.diagnostics;
  std::string text;
  llvm::raw_string_ostream os(text);
  ASSERT_FALSE(bool(exportJournal(path, os)));
  EXPECT_EQ(llvm::StringRef(text).count("\"event\":\"measurement\""), 3u);
  EXPECT_EQ(llvm::StringRef(text).count("\"machine\":\"NVIDIA H200\","
                                        "\"micros\":[12.5,null],"
                                        "\"source\":\"measured\""),
            2u);
  EXPECT_CONTAINS(text, "{\"cost\":{\"details\":{\"driver\":13000},"
                        "\"machine\":\"another\"");
  EXPECT_CONTAINS(text, "\"variant\":\"m0.v\"");
}

TEST(Journal, WhatIsNoJournalIsNamedAndLeftAlone) {
  TempFolder folder;
  std::string path = folder.file("notes.txt");
  const std::string notes = "these are my notes, and no database at all\n";
  llm::test::writeFile(path, notes);
  Kernel kernel;
  EXPECT_TRUE(failed(createJournal(path, "")->begin(kernel.op(), "")));
  EXPECT_CONTAINS(kernel.diagnostics, "notes.txt");
  EXPECT_EQ(llvm::cantFail(readFile(path)), notes);
  Kernel other;
  EXPECT_TRUE(failed(createJournal(folder.file("no/such/folder/j"), "")
                         ->begin(other.op(), "")));
  EXPECT_CONTAINS(other.diagnostics, "cannot open it");
}

TEST(Journal, ExportSaysWhatBecameOfEachCandidate) {
  TempFolder folder;
  std::string path = folder.file("journal");
  Kernel kernel;
  auto journal = createJournal(path, "model=a");
  ASSERT_TRUE(succeeded(journal->begin(kernel.op(), "seed=1")));
  Search search{kernel, *journal};
  for (unsigned i = 0; i < Search::steps; ++i)
    ASSERT_TRUE(search.step(i));
  std::string text;
  llvm::raw_string_ostream os(text);
  ASSERT_FALSE(bool(exportJournal(path, os)));
  EXPECT_CONTAINS(text, "\"settings\":\"seed=1 model=a\"");
  EXPECT_CONTAINS(text, "\"candidate\":\"m0\",\"event\":\"evaluated\","
                        "\"failure\":null,\"grade\":\"numeric\",\"made\":\"20");
  EXPECT_CONTAINS(text, "\"micros\":10,\"run\":1");
  EXPECT_CONTAINS(text, "\"failure\":\"no such thing\"");
  EXPECT_CONTAINS(text, "\"grade\":\"refuted\"");
  EXPECT_EQ(llvm::StringRef(text).count('\n'), 1 + Search::steps);
}

} // namespace
