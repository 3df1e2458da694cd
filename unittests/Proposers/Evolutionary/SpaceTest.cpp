// What children inherit, what mutation leaves alone, and for which plans a
// space has which knobs.
#include "Proposers/Evolutionary/Space.h"
#include "evo/Driver/Registration.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>
#include <set>

using namespace evo;

namespace {
/// Six knobs a to f, each with the values 0 to 4, 0 the usual one.
class SixKnobs : public Space {
public:
  SixKnobs() {
    for (char name = 'a'; name <= 'f'; ++name)
      knobs.push_back({std::string(1, name), {"0", "1", "2", "3", "4"}});
  }
  bool isSensible(const Point &) const override { return true; }
  ProposalOp propose(mlir::OpBuilder &, KernelOp, llvm::StringRef,
                     const Point &, llvm::StringRef) const override {
    return {};
  }
  Point all(const std::string &value) const {
    Point point;
    for (const Knob &knob : knobs)
      point[knob.name] = value;
    return point;
  }
};

constexpr uint64_t seeds = 200;

std::vector<std::string> differences(const Point &from, const Point &to) {
  std::vector<std::string> names;
  for (const auto &[knob, value] : to)
    if (from.at(knob) != value)
      names.push_back(knob);
  return names;
}

TEST(Space, ChildHasKnobsOfBothParentsAndNoOthers) {
  SixKnobs space;
  Point mother = space.all("1"), father = space.all("3");
  unsigned mixed = 0;
  std::set<std::string> ofMother, ofFather;
  for (uint64_t seed = 0; seed < seeds; ++seed) {
    Random random(seed);
    Point child = space.cross(mother, father, random);
    ASSERT_EQ(child.size(), space.knobs.size());
    std::set<std::string> values;
    for (const auto &[knob, value] : child) {
      ASSERT_TRUE(value == "1" || value == "3") << knob << " is " << value;
      (value == "1" ? ofMother : ofFather).insert(knob);
      values.insert(value);
    }
    mixed += values.size() == 2;
  }
  // All alike has a chance of one in 32.
  EXPECT_GT(mixed, seeds * 9 / 10);
  EXPECT_EQ(ofMother.size(), space.knobs.size());
  EXPECT_EQ(ofFather.size(), space.knobs.size());
}

TEST(Space, ChildKeepsWhatItsParentsShareAndFillsWhatTheyLack) {
  SixKnobs space;
  Point mother = space.all("2"), father = space.all("4");
  mother["c"] = father["c"] = "3";
  mother.erase("e");
  father.erase("e");
  for (uint64_t seed = 0; seed < seeds; ++seed) {
    Random random(seed);
    Point child = space.cross(mother, father, random);
    EXPECT_EQ(child["c"], "3");
    EXPECT_EQ(child["e"], "0");
  }
}

TEST(Space, MutationTurnsAKnobOrTwoAndLeavesTheRest) {
  SixKnobs space;
  Point parent = space.all("2");
  unsigned changed[3] = {};
  std::set<std::string> turned, values;
  for (uint64_t seed = 0; seed < seeds; ++seed) {
    Random random(seed);
    Point child = space.mutate(parent, random);
    ASSERT_EQ(child.size(), parent.size());
    std::vector<std::string> names = differences(parent, child);
    ASSERT_LE(names.size(), 2u);
    ++changed[names.size()];
    for (const std::string &name : names) {
      turned.insert(name);
      values.insert(child[name]);
    }
  }
  EXPECT_GT(changed[1], seeds / 2);
  EXPECT_GT(changed[2], 0u);
  EXPECT_EQ(turned.size(), space.knobs.size());
  EXPECT_EQ(values, (std::set<std::string>{"0", "1", "3", "4"}));
}

TEST(Space, MutationPrefersNeighboursAndStaysAmongTheValues) {
  SixKnobs space;
  unsigned near = 0, far = 0;
  for (const char *start : {"0", "2", "4"})
    for (uint64_t seed = 0; seed < seeds; ++seed) {
      Random random(seed);
      Point parent = space.all(start), child = space.mutate(parent, random);
      for (const std::string &name : differences(parent, child)) {
        int distance = std::abs(std::stoi(child[name]) - std::stoi(start));
        ASSERT_LE(std::stoi(child[name]), 4);
        ++(distance == 1 ? near : far);
      }
    }
  EXPECT_GT(near, far);
  EXPECT_GT(far, 0u);
}

TEST(Space, OperatorsFollowFromTheSeed) {
  SixKnobs space;
  for (uint64_t seed = 0; seed < seeds; ++seed) {
    Random one(seed), other(seed);
    EXPECT_EQ(space.cross(space.all("1"), space.all("3"), one),
              space.cross(space.all("1"), space.all("3"), other));
    EXPECT_EQ(space.mutate(space.all("1"), one),
              space.mutate(space.all("1"), other));
  }
}

/// What its threads learn of each other by, in whatever spelling.
TEST(Space, PlansWhoseThreadsCommunicate) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry);
  auto doCommunicate = [&](const std::string &op) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(
        R"mlir(
evo.kernel @k args [#evo.arg<"x" inout i32 ["N"]>] {
  evo.reference {
    gpu.module @device {
      llvm.func ptx_kernelcc @f(%x: !llvm.ptr) {
        %w = llvm.mlir.constant(0 : i32) : i32
        )mlir" +
            op + R"mlir(
        llvm.return
      }
    }
    evo.launch @device::@f grid ["N", "1", "1"] block ["1", "1", "1"] args ["x"]
  }
}
)mlir",
        &context);
    EXPECT_TRUE(module) << op;
    if (!module)
      return false;
    auto kernel = *module->getOps<KernelOp>().begin();
    return communicates(kernel.getReference());
  };
  auto inlinePTX = [](const std::string &text) {
    return "llvm.inline_asm has_side_effects \"" + text +
           "\", \"l\" %x : (!llvm.ptr) -> ()";
  };
  for (const std::string &op :
       {std::string("nvvm.barrier0"),
        std::string("%s = llvm.call_intrinsic \"llvm.nvvm.shfl.sync.down.i32\""
                    "(%w, %w, %w, %w) : (i32, i32, i32, i32) -> i32"),
        inlinePTX("bar.sync 0;"),
        inlinePTX("{ .reg .b32 t; vote.sync.ballot."
                  "b32 t, 1, -1; }")})
    EXPECT_TRUE(doCommunicate(op)) << op;
  for (const std::string &op :
       {std::string(), std::string("%t = nvvm.read.ptx.sreg.tid.x : i32"),
        std::string("llvm.call_intrinsic \"llvm.nvvm.membar.gl\"() : () -> ()"),
        inlinePTX("{ .reg .b32 t; ld.global.b32 t, [$0]; }")})
    EXPECT_FALSE(doCommunicate(op)) << op;
}
} // namespace
