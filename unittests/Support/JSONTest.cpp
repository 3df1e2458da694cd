// Nesting is counted outside of strings, and a text beyond the bound is refused
// before anything recurses into it.
#include "evo/Support/JSON.h"
#include <gtest/gtest.h>

using namespace evo;

namespace {

std::string nested(unsigned depth) {
  return std::string(depth, '[') + std::string(depth, ']');
}

TEST(JSON, NestingIsBounded) {
  EXPECT_TRUE(bool(parseJSON(nested(maxJSONNesting))));
  for (const std::string &text :
       {nested(maxJSONNesting + 1), std::string(300000, '['),
        std::string(300000, '{')}) {
    auto value = parseJSON(text);
    ASSERT_FALSE(bool(value));
    EXPECT_EQ(llvm::toString(value.takeError()), "nested deeper than 512");
  }
}

TEST(JSON, BracketsInStringsAreText) {
  std::string text =
      "[\"" + std::string(1000, '[') + "\\\"" + std::string(1000, '{') + "\"]";
  EXPECT_FALSE(isNestedTooDeep(text));
  EXPECT_TRUE(bool(parseJSON(text)));
  // Side by side is not within each other.
  EXPECT_FALSE(isNestedTooDeep("[" + std::string(1000, ' ') + "[],{},[]]"));
  std::string row = "[";
  for (int i = 0; i < 1000; ++i)
    row += "[],";
  EXPECT_TRUE(bool(parseJSON(row + "{}]")));
}

} // namespace
