// The last line of a search: which times it compares, and what it says of them.
#include "evo/Driver/Headline.h"
#include "evo/Driver/Registration.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace evo;

namespace {
/// The headline of a kernel whose variants have these costs (attributes as in
/// the text of a variant); `best` is named as the best, if it is not empty.
std::string headline(const std::string &best, const std::string &baseline,
                     const std::string &fast) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry);
  auto variant = [](const std::string &name, const std::string &costs) {
    return "evo.proposal @" + name + R"( "options" "" by "test"
    )" + "evo.variant @" +
           name + ".v of @" + name +
           " evidence <algebraic hash = \"00\" details = {}> " + costs + R"( {
      evo.launch @device::@f grid ["N", "1", "1"] block ["1", "1", "1"] args ["y"]
      gpu.module @device {
        llvm.func @f(%y: !llvm.ptr) { llvm.return } } }
    )";
  };
  auto module = mlir::parseSourceString<mlir::ModuleOp>(
      R"(evo.kernel @k args [#evo.arg<"y" out f32 ["N"]>]
           workloads [#evo.workload<{N = 1024}>] )" +
          (best.empty() ? "" : "best @" + best) + " {\n" +
          variant("baseline", baseline) + variant("fast", fast) + "}",
      &context);
  EXPECT_TRUE(module);
  return module ? makeHeadline(*module->getOps<KernelOp>().begin()) : "";
}

std::string estimate(const std::string &micros,
                     const std::string &machine = "h200") {
  return "estimate <estimated us = [" + micros + "] machine = \"" + machine +
         "\">";
}

std::string measure(const std::string &micros) {
  return " measured <measured us = [" + micros + "] machine = \"NVIDIA H200\">";
}

TEST(Headline, ComparesTheBestWithTheKernelAsItWasGiven) {
  EXPECT_EQ(headline("fast.v", estimate("4324.0"), estimate("149.1")),
            "29x, estimated for an H200, verified algebraic");
  EXPECT_EQ(
      headline("fast.v", estimate("99.6", "b200"), estimate("10.0", "b200")),
      "10x, estimated for a B200, verified algebraic");
  EXPECT_EQ(headline("fast.v", estimate("3.4"), estimate("2.0")),
            "1.7x, estimated for an H200, verified algebraic");
}

TEST(Headline, TakesMeasuredTimesWhereBothHaveThem) {
  EXPECT_EQ(headline("fast.v", estimate("40.0") + measure("60.0"),
                     estimate("10.0") + measure("20.0")),
            "3.0x, measured on an NVIDIA H200, verified algebraic");
  EXPECT_EQ(
      headline("fast.v", estimate("40.0"), estimate("10.0") + measure("20.0")),
      "4.0x, estimated for an H200, verified algebraic");
}

TEST(Headline, PromisesNothingWithoutAFasterVariant) {
  EXPECT_EQ(
      headline("baseline.v", estimate("2.0"), estimate("3.0")),
      "nothing faster than the kernel as it was given, verified algebraic");
  EXPECT_EQ(headline("", estimate("2.0"), estimate("1.0")), "");
  EXPECT_EQ(headline("fast.v", "", ""), "");
  EXPECT_EQ(headline("fast.v", estimate("2.0"), estimate("-1.0")), "");
}
} // namespace
