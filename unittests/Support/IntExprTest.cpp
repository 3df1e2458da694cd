// Formulas of sizes: what has no value, and what cannot be read, with the
// place.
#include "evo/Support/IntExpr.h"
#include <gtest/gtest.h>

using namespace evo;

namespace {
std::string problemOf(llvm::StringRef text, int64_t n = 1) {
  llvm::Expected<IntExpr> formula = IntExpr::parse(text);
  if (!formula)
    return llvm::toString(formula.takeError());
  Bindings sizes;
  sizes["N"] = n;
  llvm::Expected<int64_t> value = formula->evaluate(sizes);
  return value ? std::to_string(*value) : llvm::toString(value.takeError());
}

TEST(IntExpr, Values) {
  EXPECT_EQ(problemOf("ceildiv(N, 4) * 3 - 1", 9), "8");
  EXPECT_EQ(problemOf("(0 - N) / 2", 3), "-2");
  EXPECT_EQ(problemOf("(0 - N) % 2", 3), "1");
}

TEST(IntExpr, NoValues) {
  auto has = [](const std::string &said, const char *words) {
    EXPECT_NE(said.find(words), std::string::npos) << said;
  };
  has(problemOf("7 / (N - 1)"), "division by zero");
  has(problemOf("7 % (N - 1)"), "division by zero");
  has(problemOf("ceildiv(7, N - 1)"), "division by zero");
  for (const char *text : {"N * N", "N + N", "0 - N - N - N", "0 - N - 2 - N"})
    has(problemOf(text, INT64_MAX), "overflow of 64-bit arithmetic");
  has(problemOf("M"), "'M' has no value");
  has(problemOf("9223372036854775808"), "is not a decimal 64-bit integer");
}
} // namespace
