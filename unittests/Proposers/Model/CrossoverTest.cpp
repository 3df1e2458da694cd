// Children of two launch plans, made without a model.
#include "Led.h"

using namespace evo;
using namespace evo::test;

namespace {

/// A plan of two launches through a scratch buffer, as the body of a variant.
/// Its device code and buffer are told apart by `mark`.
std::string twoLaunches(const std::string &mark, const std::string &dims,
                        const std::string &scratch) {
  return "evo.scratch \"" + scratch + "\" : f32 [" + dims +
         "]\n"
         "evo.launch @device::@first grid [\"M\", \"1\", \"1\"] block "
         "[\"32\", \"1\", \"1\"] args [\"x\", \"" +
         scratch +
         "\", \"M\", \"N\"]\n"
         "evo.launch @device::@second grid [\"M\", \"1\", \"1\"] block "
         "[\"64\", \"1\", \"1\"] args [\"" +
         scratch +
         "\", \"y\", \"M\", \"N\"]\n"
         "gpu.module @device {\n"
         "llvm.func @first(%a: !llvm.ptr, %b: !llvm.ptr, %m: i32, %n: i32) "
         "attributes {mark = \"" +
         mark +
         "\"} { llvm.return }\n"
         "llvm.func @second(%a: !llvm.ptr, %b: !llvm.ptr, %m: i32, %n: i32) "
         "attributes {mark = \"" +
         mark + "\"} { llvm.return }\n}\n";
}

class PlanCrossover : public ::testing::Test {
protected:
  void SetUp() override {
    std::string path = folder.file("plans.json");
    evo::llm::test::writeFile(path,
                              R"({"name": "p", "perRequest": 1, "repairs": 0,
      "operators": [{"name": "plan-crossover", "mixesPlans": true},
                    {"name": "init", "tried": [0, 1]}]})");
    led.emplace(path);
  }
  VariantOp accept(const std::string &micros, const std::string &body) {
    led->ask(led->asked);
    kernel().accept(led->last(), micros, "", "", body);
    return kernel().op().lookupSymbol<VariantOp>(led->last() + ".v");
  }
  Kernel &kernel() { return led->session->kernel; }

  evo::llm::test::TempFolder folder;
  std::optional<Led> led;
};

TEST_F(PlanCrossover, TakesTheFirstLaunchesOfOneAndTheLastOfTheOther) {
  mlir::Builder b(&kernel().context);
  accept("10.0", twoLaunches("a", "\"M\"", "partial"))
      .setOptionsAttr(b.getDictionaryAttr(
          b.getNamedAttr("maxnreg", b.getI64IntegerAttr(64))));
  accept("20.0", twoLaunches("b", "\"M\"", "rows"));
  std::set<std::string> orders;
  for (std::string name : {"m2", "m3"}) {
    ASSERT_TRUE(led->session->propose(1, 5)) << kernel().diagnostics;
    EXPECT_EQ(led->session->script->requests.size(), 2u); // nobody was asked
    ProposalOp child = kernel().proposal(name);
    ASSERT_TRUE(child) << name;
    EXPECT_EQ(child.getGenome(), Genome::MLIR);
    EXPECT_EQ(child->getAttrOfType<mlir::StringAttr>("evo.operator"),
              "plan-crossover");
    EXPECT_TRUE(child.getOptionsAttr().get("maxnreg"));
    // It is a plan that parses, with one buffer and both device modules.
    std::string text = child.getText().str();
    auto parsed = mlir::parseSourceString<mlir::ModuleOp>(
        "evo.kernel @other args [#evo.arg<\"x\" in f32 [\"M\", \"N\"]>, "
        "#evo.arg<\"y\" out f32 [\"M\"]>] { evo.variant @v {\n" +
            text + "} }",
        &kernel().context);
    ASSERT_TRUE(parsed) << text << kernel().diagnostics;
    EXPECT_TRUE(mlir::succeeded(mlir::verify(*parsed))) << kernel().diagnostics;
    EXPECT_EQ(llvm::StringRef(text).count("evo.scratch"), 1u);
    EXPECT_EQ(llvm::StringRef(text).count("evo.launch"), 2u);
    EXPECT_EQ(llvm::StringRef(text).count("gpu.module"), 2u);
    EXPECT_CONTAINS(text, "mark = \"a\"");
    EXPECT_CONTAINS(text, "mark = \"b\"");
    size_t first = text.find("::@first"), second = text.find("::@second");
    EXPECT_LT(first, second);
    orders.insert(child.getRationale()->str());
    kernel().fail(name, Stage::VerifyPass, "no");
  }
  EXPECT_EQ(orders, (std::set<std::string>{
                        "the first 1 launches of m0, then those of m1 from "
                        "number 1 on",
                        "the first 1 launches of m1, then those of m0 from "
                        "number 1 on"}));
  // There is no third child.
  ASSERT_TRUE(led->session->propose(1, 6));
  EXPECT_EQ(kernel().proposals().size(), 4u);
}

TEST_F(PlanCrossover, NeedsTheSameHandedOn) {
  accept("10.0", twoLaunches("a", "\"M\"", "partial"));
  accept("20.0", twoLaunches("b", "\"M\", \"N\"", "partial"));
  ASSERT_TRUE(led->session->propose(1, 5)) << kernel().diagnostics;
  EXPECT_EQ(kernel().proposals().size(), 2u);
}

TEST_F(PlanCrossover, LeavesSpecialisedParentsAlone) {
  accept("10.0", twoLaunches("a", "\"M\"", "partial"));
  accept("20.0", twoLaunches("b", "\"M\"", "partial"))
      .setRequirementsAttr(
          RequirementAttr::getArray(&kernel().context, {"N == 1024"}));
  ASSERT_TRUE(led->session->propose(1, 5)) << kernel().diagnostics;
  EXPECT_EQ(kernel().proposals().size(), 2u);
}

} // namespace
