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
  EXPECT_EQ(problemOf("(255 + N) * sizeof(float)", 3), "1032");
  EXPECT_EQ(problemOf("sizeof( unsigned long long ) + N", 3), "11");
  EXPECT_EQ(problemOf("(0 - N) / 2", 3), "-2");
  EXPECT_EQ(problemOf("(0 - N) % 2", 3), "1");
}

TEST(IntExpr, Retile) {
  auto retile = [](llvm::StringRef text) {
    return llvm::cantFail(IntExpr::parse(text)).retile(256, 128).str();
  };
  for (const char *text :
       {"ceildiv(N, 256)", "(N + 255) / 256", "(255 + N) / 256",
        "(N + 256 - 1) / 256", "(256 + N - 1) / 256", "(N + (256 - 1)) / 256",
        "(N - 1) / 256 + 1", "1 + (N - 1) / 256"})
    EXPECT_EQ(retile(text), "ceildiv(N, 128)") << text;
  EXPECT_EQ(retile("M * ceildiv(ceildiv(N, 256), 4)"),
            "M * ceildiv(ceildiv(N, 128), 4)");
  // What looks like it and is something else.
  for (const char *text :
       {"min(N, 256)", "max(max(M, N), 256)", "N / 256", "(N + 127) / 256",
        "(N + 255) / 128", "(N - 1) / 256", "(N - 2) / 256 + 1",
        "(N + 256) / 256", "ceildiv(N, 128)", "ceildiv(256, N)", "N % 256"})
    EXPECT_EQ(retile(text), text);
}

TEST(IntExpr, SizesOfTypes) {
  EXPECT_NE(problemOf("sizeof(N)").find("arithmetic types, not 'N'"),
            std::string::npos);
  EXPECT_NE(problemOf("sizeof(float").find("expected ')' after a type"),
            std::string::npos);
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

TEST(IntExpr, MadeOfParts) {
  using Kind = IntExpr::Kind;
  const IntExpr n = IntExpr::name("N"), four = IntExpr::constant(4);
  const IntExpr blocks = IntExpr::binary(Kind::CeilDiv, n, four);
  EXPECT_EQ(IntExpr::binary(Kind::Mul, blocks, four).str(),
            "ceildiv(N, 4) * 4");
  EXPECT_EQ(n.getAsName(), "N");
  const Requirement even(IntExpr::binary(Kind::Mod, n, four),
                         Requirement::Comparison::EQ, IntExpr::constant(0));
  EXPECT_EQ(even.str(), "N % 4 == 0");
  EXPECT_EQ(even.getDivisor(), std::pair(std::string("N"), int64_t(4)));
}
} // namespace
