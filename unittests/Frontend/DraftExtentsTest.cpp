// Extents of drafts: what host code says of them, and what it leaves open.
#include "evo/Frontend/CUDA.h"
#include <gtest/gtest.h>

using namespace evo;

namespace {
std::vector<std::string> namesIn(const DraftExtents &extents) {
  std::vector<std::string> names;
  extents.forEachName(
      [&](llvm::StringRef name) { names.push_back(name.str()); });
  return names;
}

TEST(DraftExtents, ArePartsThatAreParsed) {
  const DraftExtents extents(std::string("(ceildiv(N, 4), M * 2)"));
  EXPECT_EQ(extents.str(), "(ceildiv(N, 4), M * 2)");
  ASSERT_EQ(extents.getParts().size(), 2u);
  EXPECT_EQ(extents.getParts()[0], "ceildiv(N, 4)");
  EXPECT_EQ(extents.getValues()[1]->str(), "M * 2");
  EXPECT_TRUE(extents.isKnown());
  EXPECT_EQ(namesIn(extents), (std::vector<std::string>{"N", "M"}));
}

TEST(DraftExtents, MayBeUnknown) {
  const DraftExtents extents(std::string("N, ?"));
  EXPECT_FALSE(extents.isKnown());
  EXPECT_TRUE(extents.getValues()[0]);
  EXPECT_FALSE(extents.getValues()[1]);
  EXPECT_EQ(namesIn(extents), std::vector<std::string>{"N"});
  // Of what is no buffer there are none.
  EXPECT_TRUE(namesIn(DraftExtents()).empty());
}
} // namespace
