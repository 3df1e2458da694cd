// What is sampled for one candidate alone, and how two runs of it are compared.
#include "Registered.h"
#include "Verification/Compare.h"
#include "Verification/Sampling/Shapes.h"
#include "mlir/Parser/Parser.h"
#include <set>

using namespace mlir;
using namespace evo;

namespace {
class SampleTest : public test::RegisteredTest {
protected:
  SampleTest() {
    module = parseSourceString<ModuleOp>(R"mlir(
      evo.kernel @copy args [#evo.arg<"x" in f32 ["M", "N"]>,
                             #evo.arg<"y" out f32 ["M", "N"]>]
                       requires ["N % 4 == 0"] {
        evo.reference {}
      })mlir",
                                         &context);
    EXPECT_TRUE(module);
    kernel = *module->getOps<KernelOp>().begin();
    output = cast<ArgumentAttr>(kernel.getArgsAttr()[1]);
  }
  Bindings heldOut(uint64_t seed, StringRef hash,
                   ArrayRef<Bindings> others = {}) {
    auto work = [](const Bindings &sizes) {
      return sizes.lookup("M") * sizes.lookup("N");
    };
    return *sampleHeldOutShape(kernel, kernel.getReference(), {16},
                               parseTarget(&context, "sm_90"), 100'000, work,
                               others, seed, hash);
  }

  OwningOpRef<ModuleOp> module;
  KernelOp kernel;
  ArgumentAttr output;
};

TEST_F(SampleTest, EachCandidateHasAShapeOfItsOwn) {
  std::set<std::string> shapes;
  for (char name = 'a'; name <= 'z'; ++name) {
    Bindings sizes = heldOut(1, std::string(1, name));
    EXPECT_EQ(sizes.lookup("N") % 4, 0);
    EXPECT_LE(sizes.lookup("M") * sizes.lookup("N"), 100'000);
    shapes.insert(printBindings(sizes));
  }
  EXPECT_GT(shapes.size(), 15u);
}

TEST_F(SampleTest, TheSeedRepeatsTheShapeOfACandidate) {
  EXPECT_EQ(printBindings(heldOut(7, "a")), printBindings(heldOut(7, "a")));
  std::set<std::string> shapes;
  for (uint64_t seed = 0; seed < 20; ++seed)
    shapes.insert(printBindings(heldOut(seed, "a")));
  EXPECT_GT(shapes.size(), 10u);
  // What is tried anyway is not drawn again.
  Bindings taken = heldOut(7, "a");
  EXPECT_NE(printBindings(heldOut(7, "a", taken)), printBindings(taken));
}

/// A buffer of four floats, of which the first three are written.
struct Written {
  exec::GlobalMemory memory;
  exec::BufferId id;
  explicit Written(ArrayRef<float> values) {
    exec::BufferSpec spec;
    spec.bytes = 16;
    id = memory.addBuffer(spec);
    memory.poison(id, 0x5a5a5a5a5a5a5a5a);
    memory.write(id, 0, values.data(), values.size() * sizeof(float));
  }
};

TEST_F(SampleTest, RunsAreComparedBitByBit) {
  Written run({1, 0.0f, 3}), same({1, 0.0f, 3}), zero({1, -0.0f, 3}),
      more({1, 0.0f, 3, 4});
  same.memory.poison(same.id, 0x1111111111111111);
  const float again[] = {1, 0.0f, 3};
  same.memory.write(same.id, 0, again, sizeof(again));
  auto differ = [&](const Written &other) {
    return findDifferentElement(output, 4, run.memory, run.id, other.memory,
                                other.id);
  };
  // What nobody wrote holds another poison in each run.
  EXPECT_EQ(differ(same), std::nullopt);
  EXPECT_EQ(differ(zero), 1u);
  EXPECT_EQ(differ(more), 3u);
}
} // namespace
