// Which variants no other one dominates in time and energy, and which a device
// has refused.
#include "evo/Interfaces/ParetoFront.h"
#include "TestSupport.h"
#include "evo/Interfaces/Fitness.h"
#include "evo/Interfaces/SearchTime.h"

using namespace evo;
using namespace evo::test;

namespace {

struct ParetoFrontTest : testing::Test {
  void accept(const std::string &name, const std::string &micros,
              const std::string &microjoules) {
    kernel.accept(name, micros, "",
                  microjoules.empty()
                      ? ""
                      : "energy_microjoules = " + microjoules + " : f64");
  }
  std::string getFront() {
    std::string names;
    for (const Tradeoff &entry : findParetoFront(kernel.op()))
      names += (names.empty() ? "" : " ") +
               VariantOp(entry.variant).getSymName().str();
    return names;
  }
  Kernel kernel;
};

TEST_F(ParetoFrontTest, WhatTakesLonger) {
  accept("fast", "10.0", "500.0");
  accept("frugal", "30.0", "100.0");
  accept("neither", "20.0", "600.0");
  accept("between", "20.0", "300.0");
  accept("as-fast", "10.0", "700.0");
  accept("slower", "40.0", "100.0");
  accept("unknown", "1.0", "");
  kernel.addVariant(
      "special.v",
      "requires [\"M >= 2\"] evidence #evo.evidence<numeric hash "
      "= \"def\" details = {}> estimate #evo.cost<estimated us = [1.0] machine "
      "= \"h200\" details = {energy_microjoules = 1.0 : f64}>");
  kernel.refute("wrong", "it is");
  EXPECT_EQ(getFront(), "fast.v between.v frugal.v");
  EXPECT_FALSE(findParetoFront(kernel.op()).front().isTimeMeasured);
}

/// A device that has no time for one refuses it, unless it has none for the
/// kernel as it is.
TEST_F(ParetoFrontTest, WhatADeviceRefused) {
  mlir::OpBuilder b =
      mlir::OpBuilder::atBlockEnd(&kernel.op().getBody().front());
  ProposalOp::create(b, kernel.op().getLoc(), b.getStringAttr("baseline"),
                     GenomeAttr::get(b.getContext(), Genome::CUDA),
                     b.getStringAttr(""), mlir::DictionaryAttr(),
                     mlir::StringAttr(), mlir::StringAttr(),
                     b.getStringAttr("test"), StageAttr(), mlir::StringAttr());
  accept("baseline", "100.0", "900.0");
  accept("a", "10.0", "500.0");
  accept("b", "20.0", "600.0");
  EXPECT_EQ(findFastest(kernel.op(), /*measured=*/false).getSymName(), "a.v");
  EXPECT_EQ(getFront(), "a.v");
  auto variant = [&](llvm::StringRef name) {
    return kernel.op().lookupSymbol<VariantOp>(name);
  };
  variant("a.v")->setAttr(notMeasuredAttr, b.getUnitAttr());
  EXPECT_EQ(findFastest(kernel.op(), /*measured=*/false).getSymName(), "b.v");
  EXPECT_EQ(expectedTime(variant("a.v")), std::nullopt);
  EXPECT_EQ(getFront(), "b.v");
  variant("baseline.v")->setAttr(notMeasuredAttr, b.getUnitAttr());
  EXPECT_EQ(findFastest(kernel.op(), /*measured=*/false).getSymName(), "a.v");
}

} // namespace
