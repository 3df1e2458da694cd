// Extents that are equal for all sizes are equal objects, as far as a normal
// form goes; what is printed is what was meant.
#include "evo/Shapes/Extent.h"
#include "gtest/gtest.h"

using namespace evo;

static Extent n() { return Extent::name("N"); }

TEST(Extent, PolynomialsHaveANormalForm) {
  Extent m = Extent::name("M");
  EXPECT_EQ((n() + m) * (n() - m), n() * n() - m * m);
  EXPECT_EQ(n() + Extent(2) - Extent(3) + Extent(1), n());
  EXPECT_NE(n() * m, n() + m);
  EXPECT_EQ((n() - n()).getAsConstant(), 0);
}

TEST(Extent, QuotientsSplitOffWhatDividesEvenly) {
  EXPECT_EQ((n() * Extent(6)).floorDiv(3), n() * Extent(2));
  EXPECT_EQ((n() * Extent(2) + Extent(1)).floorDiv(2), n());
  EXPECT_EQ((n() + Extent(4)).floorDiv(2), n().floorDiv(2) + Extent(2));
  EXPECT_EQ((n() - Extent(1)).floorDiv(2),
            (n() + Extent(1)).floorDiv(2) - Extent(1));
  EXPECT_NE((n() + Extent(1)).floorDiv(2), n().floorDiv(2));
}

TEST(Extent, ItsTextEvaluatesToTheSame) {
  Extent extent =
      (n() * Extent(3) - Extent(7)).floorDiv(4) * Extent::name("M") -
      Extent(2) * n() + Extent(5);
  llvm::Expected<IntExpr> text = IntExpr::parse(extent.str());
  ASSERT_TRUE(bool(text)) << llvm::toString(text.takeError());
  for (int64_t size : {0, 1, 2, 5, 100})
    for (int64_t other : {0, 3}) {
      Bindings sizes;
      sizes["N"] = size;
      sizes["M"] = other;
      llvm::Expected<int64_t> value = text->evaluate(sizes);
      ASSERT_TRUE(bool(value));
      EXPECT_EQ(*value, extent.evaluate(sizes)) << extent.str();
    }
  EXPECT_EQ(Extent().str(), "0");
  EXPECT_EQ(extent.evaluate({}), std::nullopt);
}
