// Inputs of a workload: within the domains, different from set to set.
#include "Measure/WorkloadInputs.h"
#include "evo/Runtime/CUDA/OutputCheck.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"
#include <cstring>
#include <set>

using namespace mlir;
using namespace evo;

namespace {
const char *text = R"mlir(
evo.kernel @gather
    args [#evo.arg<"table" in f32 ["V", "D"]>,
          #evo.arg<"rows" in i32 ["N"] domain = <range, "0" to "V">>,
          #evo.arg<"order" in i32 ["N"] domain = <permutation>>,
          #evo.arg<"weights" in f32 ["N", "D"] domain = <probability>>,
          #evo.arg<"tenths" in f16 ["N"] domain = <range, "0.1" to "0.3">>,
          #evo.arg<"alpha" scalar f32 default = 2.5 : f32>,
          #evo.arg<"beta" scalar f64>,
          #evo.arg<"count" scalar i32>,
          #evo.arg<"step" scalar i64 default = 3 : i64>,
          #evo.arg<"y" out f32 ["N", "D"]>]
    workloads [#evo.workload<{V = 100, D = 64, N = 512, count = 7}>] {
}
)mlir";

class WorkloadInputs : public testing::Test {
protected:
  WorkloadInputs() {
    context.loadDialect<EvoDialect>();
    module = parseSourceString<ModuleOp>(text, &context);
    kernel = *module->getOps<KernelOp>().begin();
    sizes = getWorkloadSizes(kernel,
                             cast<WorkloadAttr>(kernel.getWorkloadsAttr()[0]));
  }
  template <typename T>
  std::vector<T> draw(StringRef name, uint64_t elements, uint64_t seed = 1) {
    cuda::InputValues given =
        llvm::cantFail(describeValues(kernel.lookupArgument(name), sizes));
    std::vector<T> values(elements);
    cuda::generateValues(
        given, seed,
        {reinterpret_cast<char *>(values.data()), elements * sizeof(T)});
    return values;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  KernelOp kernel;
  Bindings sizes;
};

TEST_F(WorkloadInputs, Sizes) {
  EXPECT_EQ(sizes.lookup("V"), 100);
  EXPECT_EQ(sizes.lookup("count"), 7); // named by the workload
  EXPECT_EQ(sizes.lookup("step"), 3);  // its default
  EXPECT_FALSE(sizes.contains("alpha"));
}

TEST_F(WorkloadInputs, Scalars) {
  auto scalars = drawScalars(kernel, sizes, 1);
  ASSERT_TRUE(bool(scalars));
  ASSERT_EQ(scalars->size(), 2u);
  float alpha;
  ASSERT_EQ(scalars->lookup("alpha").size(), 4u);
  std::memcpy(&alpha, scalars->lookup("alpha").data(), 4);
  EXPECT_EQ(alpha, 2.5f);
  EXPECT_EQ(scalars->lookup("beta").size(), 8u);
}

TEST_F(WorkloadInputs, Domains) {
  for (int row : draw<int>("rows", 512)) {
    EXPECT_GE(row, 0);
    EXPECT_LT(row, 100);
  }
  std::vector<int> order = draw<int>("order", 512);
  EXPECT_EQ(std::set<int>(order.begin(), order.end()).size(), 512u);
  std::vector<float> weights = draw<float>("weights", 512 * 64);
  for (unsigned row = 0; row < 512; ++row) {
    double sum = 0;
    for (unsigned i = 0; i < 64; ++i)
      sum += weights[row * 64 + i];
    ASSERT_NEAR(sum, 1, 1e-4) << row;
  }
}

TEST_F(WorkloadInputs, StreamsDifferAndDoNotRepeat) {
  std::vector<float> first = draw<float>("table", 6400);
  EXPECT_EQ(first, draw<float>("table", 6400));
  EXPECT_NE(first, draw<float>("table", 6400, 2));
  EXPECT_NE(draw<int>("rows", 512), draw<int>("order", 512));
  // Equal rows, wherever they are, would hide that one is taken for another.
  constexpr uint64_t rows = 9 << 14, width = 64;
  std::vector<float> large = draw<float>("table", rows * width);
  std::set<std::pair<float, float>> heads;
  for (uint64_t row = 0; row < rows; ++row)
    heads.emplace(large[row * width], large[row * width + 1]);
  EXPECT_GT(heads.size(), rows * 99 / 100);
}

TEST_F(WorkloadInputs, RangesEndOnNumbersOfTheType) {
  auto describe = [&](StringRef name) {
    return llvm::cantFail(describeValues(kernel.lookupArgument(name), sizes));
  };
  cuda::InputValues tenths = describe("tenths");
  EXPECT_EQ(tenths.kind, cuda::ValueKind::Range);
  EXPECT_EQ(tenths.lower, 0.0999755859375 + 0x1p-14); // f16 has 0.09998
  EXPECT_LE(tenths.upper, 0.3);
  EXPECT_GT(tenths.upper, 0.2998);
  EXPECT_EQ(tenths.format.bytes, 2u);
  EXPECT_EQ(tenths.format.largest, 0x7bffu);
  cuda::InputValues rows = describe("rows");
  EXPECT_EQ(rows.first, 0);
  EXPECT_EQ(rows.span, 100u);
  EXPECT_EQ(rows.format.exponentBits, 0u);
  EXPECT_EQ(describe("weights").rowLength, 64u);
}
} // namespace
