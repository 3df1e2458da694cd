// The list of checks, and which of the shapes that were tried is tried again.
#include "evo/Verification/Checks.h"
#include "Verification/TriedShapes.h"
#include "Verification/Verdict/Details.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "gtest/gtest.h"

using namespace evo;

namespace {

TEST(Checks, EachHasANameOfItsOwnAndSaysWhatItIsFor) {
  llvm::StringSet<> names;
  for (const Check *check : getChecks()) {
    EXPECT_TRUE(names.insert(check->name).second) << check->name.str();
    EXPECT_TRUE(llvm::all_of(check->name, [](char c) {
      return llvm::isLower(c) || c == '-';
    })) << check->name.str();
    EXPECT_FALSE(check->catches.empty());
    EXPECT_FALSE(check->cost.empty());
    EXPECT_NE(check->run, nullptr);
  }
  EXPECT_TRUE(names.contains("usual-shapes"));
  EXPECT_FALSE(names.contains("luck"));
}

/// All others rest on what the first one builds, and the grade on samples.
TEST(Checks, TheOrderIsThatOfTheirNeeds) {
  auto place = [](llvm::StringRef name) {
    return llvm::find_if(getChecks(),
                         [&](const Check *c) { return c->name == name; }) -
           getChecks().begin();
  };
  EXPECT_EQ(place("build"), 0);
  EXPECT_EQ(place("usual-shapes"), 1);
  EXPECT_LT(place("full-grid"), place("enough-samples"));
  EXPECT_LT(place("enough-samples"), place("finite-field"));
  for (const char *name : {"build", "usual-shapes", "finite-field"})
    EXPECT_TRUE(getChecks()[place(name)]->isEssential) << name;
  EXPECT_FALSE(getChecks()[place("full-grid")]->isEssential);
}

TEST(Checks, MoreEffortNeverSpendsLess) {
  for (const Check *check : getChecks()) {
    llvm::StringSet<> names;
    for (const BudgetLine *line : check->budgets) {
      EXPECT_TRUE(names.insert(line->name).second) << line->name.str();
      EXPECT_LE(line->quick, line->byDefault) << line->name.str();
      EXPECT_LE(line->byDefault, line->thorough) << line->name.str();
      EXPECT_GT(line->thorough, 0u) << line->name.str();
    }
  }
}

TEST(Checks, ABudgetIsThatOfItsEffort) {
  constexpr BudgetLine line{"samples", "samples", 1, 2, 8};
  EXPECT_EQ(Budget(Effort::Quick)[line], 1u);
  EXPECT_EQ(Budget(Effort::Default)[line], 2u);
  EXPECT_EQ(Budget(Effort::Thorough)[line], 8u);
  constexpr BudgetLine same{"calls", "calls", 3};
  EXPECT_EQ(Budget(Effort::Quick)[same], 3u);
  EXPECT_EQ(Budget(Effort::Thorough)[same], 3u);
}

/// What a check adds comes together, and what is nothing has no key.
TEST(Checks, DetailsAddUp) {
  mlir::MLIRContext context;
  evidence::Details details(&context);
  details.count(evidence::twoOrders, 0);
  details.text(evidence::covered, "");
  for (uint64_t calls : {2, 0, 3})
    details.count(evidence::repeatedCalls, calls);
  for (const char *data : {"subnormal floats", "", "multiples of one half"})
    details.text(evidence::wholeRange, data);
  details.number(evidence::index, 0);
  mlir::Builder b(&context);
  EXPECT_EQ(
      details.getDictionary(),
      b.getDictionaryAttr({evidence::repeatedCalls.of(b, 5),
                           evidence::wholeRange.of(
                               b, "subnormal floats; multiples of one half"),
                           evidence::index.of(b, 0)}));
}

Bindings sizes(int64_t n) {
  Bindings result;
  result["N"] = n;
  return result;
}

TEST(TriedShapes, TheLargestCheapOneElseTheCheapest) {
  TriedShapes shapes;
  EXPECT_TRUE(shapes.isEmpty());
  shapes.add(70'000, sizes(70), /*watched=*/true);
  shapes.add(1'000'000, sizes(1000), /*watched=*/true);
  EXPECT_EQ(shapes.takeCheap().lookup("N"), 70);
  shapes.add(60'000, sizes(60), /*watched=*/true);
  shapes.add(10, sizes(1), /*watched=*/true);
  EXPECT_EQ(shapes.takeCheap().lookup("N"), 60);
  EXPECT_EQ(shapes.getCheapest().lookup("N"), 1);
}

TEST(TriedShapes, EqualCostsKeepTheirOrder) {
  TriedShapes shapes;
  for (int64_t n : {5, 3, 4})
    shapes.add(10, sizes(n), /*watched=*/true);
  EXPECT_EQ(shapes.getCheapest().lookup("N"), 5);
  EXPECT_EQ(shapes.sort().back().sizes.lookup("N"), 4);
}

} // namespace
