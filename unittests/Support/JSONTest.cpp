// What a text becomes, and what is said of one that is none. Nesting is counted
// outside of strings, and a text beyond the bound is refused before anything
// recurses into it.
#include "evo/Support/JSON.h"
#include <gtest/gtest.h>

using namespace evo;

namespace {

std::string nested(unsigned depth) {
  return std::string(depth, '[') + std::string(depth, ']');
}

std::string problemOf(llvm::StringRef text) {
  auto value = parseJSON(text);
  return value ? "none" : llvm::toString(value.takeError());
}

TEST(JSON, Values) {
  auto value = parseJSON(R"( {"a": [1, -2, 0.5, true, null, "\u00e9\n", {}, []],
                              "big": 18446744073709551615, "a b": {"c": 1e3},
                              "twice": 1, "twice": [2]} )");
  ASSERT_TRUE(bool(value)) << llvm::toString(value.takeError());
  using llvm::json::Array, llvm::json::Object;
  llvm::json::Value wanted = Object{
      {"a", Array{1, -2, 0.5, true, nullptr, "\xc3\xa9\n", Object{}, Array{}}},
      {"big", UINT64_MAX},
      {"a b", Object{{"c", 1000.0}}},
      {"twice", Array{2}}};
  EXPECT_EQ(*value, wanted);
  for (llvm::StringRef text : {"null", "3", "\"x\"", "[]", "\xef\xbb\xbf{}"})
    EXPECT_EQ(problemOf(text), "none") << text.str();
}

TEST(JSON, ReadsWhatLLVMWrites) {
  using llvm::json::Array, llvm::json::Object;
  llvm::json::Value value = Object{
      {"text", "a\t\"b\"\\\x01 \xe2\x82\xac"},
      {"numbers", Array{INT64_MIN, INT64_MAX, UINT64_MAX, 0.1, 1e-300, -1.5}}};
  std::string text;
  llvm::raw_string_ostream(text) << value;
  auto read = parseJSON(text);
  ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
  EXPECT_EQ(*read, value);
}

TEST(JSON, MistakesHaveAPlace) {
  EXPECT_EQ(
      problemOf("{\n  \"a\": 1,\n}"),
      "parse error at line 3, column 1: syntax error while parsing object "
      "key - unexpected '}'; expected string literal");
  EXPECT_EQ(problemOf(""),
            "parse error at line 1, column 1: syntax error while parsing value "
            "- unexpected end of input; expected '[', '{', or a literal");
  // What was read of a string is not repeated.
  EXPECT_EQ(problemOf("[\"" + std::string(100000, 'x')),
            "parse error at line 1, column 100003: syntax error while parsing "
            "value - invalid string: missing closing quote");
  for (llvm::StringRef text : {"[1] 2", "[\"\xff\"]", "\"\\ud800\"", "1e999",
                               "[1,]", "NaN", "'a'", "{a: 1}", "// x\n1"}) {
    std::string problem = problemOf(text);
    EXPECT_NE(problem, "none") << text.str();
    EXPECT_LE(problem.size(), 200u);
    EXPECT_TRUE(llvm::json::isUTF8(problem));
  }
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
