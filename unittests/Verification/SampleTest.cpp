// What is sampled for one candidate alone, and how two runs of it are compared.
#include "Registered.h"
#include "Verification/Compare.h"
#include "Verification/Sampling/Shapes.h"
#include "evo/Verification/Values.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/bit.h"
#include <cmath>
#include <cstring>
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

/// Values of an argument of f32, as their bits.
static std::vector<uint32_t> draw(ArgumentAttr arg, uint64_t rows,
                                  uint64_t columns, Distribution distribution,
                                  uint64_t seed) {
  Random random(seed);
  std::vector<char> bytes = llvm::cantFail(
      sampleValues(arg, rows * columns, columns, {}, distribution, random));
  std::vector<uint32_t> values(rows * columns);
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

TEST_F(SampleTest, HalvesLeaveRowsForQuantisers) {
  for (uint64_t seed = 0; seed < 8; ++seed) {
    std::vector<uint32_t> values =
        draw(output, 6, 512, Distribution::Halves, seed);
    for (uint64_t row : {0, 2, 4}) {
      float max = 0;
      unsigned ties = 0;
      for (uint64_t column = 0; column < 512; ++column) {
        const auto value = llvm::bit_cast<float>(values[row * 512 + column]);
        max = std::max(max, std::fabs(value));
        ties += std::fabs(value) - std::floor(std::fabs(value)) == 0.5f;
      }
      EXPECT_EQ(max, 127) << seed;
      EXPECT_GT(ties, 100u) << seed;
    }
  }
}

TEST_F(SampleTest, NaNIsOfSeveralKinds) {
  auto any = cast<ArgumentAttr>(parseAttribute(
      "#evo.arg<\"x\" in f32 [\"N\"] domain = <any>>", &context));
  std::set<uint32_t> kinds;
  for (uint32_t bits : draw(any, 1, 1024, Distribution::Special, 1))
    if (std::isnan(llvm::bit_cast<float>(bits)))
      kinds.insert(bits & 0x7fffffff);
  EXPECT_TRUE(kinds.count(0x7f800001));
  EXPECT_TRUE(kinds.count(0x7fffffff));
  EXPECT_TRUE(kinds.count(0x7fc00000));
}

TEST_F(SampleTest, OneThreadOfABlockHasTheLargest) {
  std::set<uint64_t> strides;
  for (uint64_t seed = 0; seed < 8; ++seed) {
    std::vector<uint32_t> values =
        draw(output, 2, 4096, Distribution::BlockStrided, seed);
    for (uint64_t row : {0, 1}) {
      std::vector<uint64_t> places;
      for (uint64_t column = 0; column < 4096; ++column)
        if (llvm::bit_cast<float>(values[row * 4096 + column]) >= 8)
          places.push_back(column);
      ASSERT_GE(places.size(), 4u);
      for (size_t i = 2; i < places.size(); ++i)
        EXPECT_EQ(places[i] - places[i - 1], places[1] - places[0]);
      strides.insert(places[1] - places[0]);
    }
  }
  EXPECT_GT(strides.size(), 1u);
}

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
  sim::GlobalMemory memory;
  sim::BufferId id;
  explicit Written(ArrayRef<float> values) {
    sim::BufferSpec spec;
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
