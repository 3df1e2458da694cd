// NVRTC on sources as kernels are written: headers included out of habit,
// template instances by name, and errors that point into the source.
#include "evo/Target/CUDA/Nvrtc.h"
#include "TestToolkit.h"
#include "evo/Target/CUDA/Assembler.h"

using namespace evo::cuda;
using namespace llvm;

namespace {
class NvrtcTest : public ::testing::Test {
protected:
  void SetUp() override {
    kit = findTestToolkit({ToolkitPart::Nvrtc});
    if (!kit)
      GTEST_SKIP() << "no toolkit with NVRTC";
  }
  std::optional<Toolkit> kit;
  NvrtcOptions options;
};

const char *source = R"cuda(
#include <cstdint>
#include <cmath>
#include <cuda_runtime.h>
#include <cuda_fp16.h>
template <int Threads>
__global__ void rowMax(const float *x, float *y, uint32_t n) {
  float best = -INFINITY;
  for (int64_t i = threadIdx.x; i < n; i += Threads)
    best = fmaxf(best, x[blockIdx.x * int64_t(n) + i]);
  for (int o = 16; o; o >>= 1)
    best = std::max(best, __shfl_xor_sync(0xffffffffu, best, o));
  if (threadIdx.x == 0)
    y[blockIdx.x] = best * SCALE;
}
)cuda";
} // namespace

TEST_F(NvrtcTest, TemplateInstances) {
  options.defines = {"SCALE=2.0f"};
  options.nameExpressions = {"rowMax<32>", "rowMax<64>"};
  auto result = compileCuda(source, "max.cu", *kit, options);
  ASSERT_TRUE(bool(result)) << toString(result.takeError());
  ASSERT_EQ(result->loweredNames.size(), 2u);
  for (auto &[expression, symbol] : result->loweredNames)
    EXPECT_NE(result->ptx.find(".entry " + symbol), std::string::npos)
        << expression;
  EXPECT_NE(result->loweredNames["rowMax<32>"],
            result->loweredNames["rowMax<64>"]);
  EXPECT_NE(result->ptx.find(".target sm_90"), std::string::npos);
}

TEST_F(NvrtcTest, ResultAssembles) {
  options.defines = {"SCALE=2.0f"};
  options.nameExpressions = {"rowMax<32>"};
  options.arch = "sm_90a";
  auto result = compileCuda(source, "max.cu", *kit, options);
  ASSERT_TRUE(bool(result)) << toString(result.takeError());
  if (!kit->has(ToolkitPart::NvJitLink) && !kit->has(ToolkitPart::Ptxas))
    GTEST_SKIP() << "no assembler";
  AssemblerOptions assembler;
  assembler.arch = "sm_90a";
  auto assembly = assemble(result->ptx, *kit, assembler);
  ASSERT_TRUE(bool(assembly)) << toString(assembly.takeError());
  EXPECT_TRUE(assembly->find(result->loweredNames["rowMax<32>"]));
}

TEST_F(NvrtcTest, ErrorsHaveTheSourcesLines) {
  auto result = compileCuda("__global__ void f(float *x) {\n  x[0] = y;\n}\n",
                            "bad.cu", *kit, options);
  ASSERT_FALSE(bool(result));
  std::string text = toString(result.takeError());
  EXPECT_NE(text.find("bad.cu(2)"), std::string::npos) << text;
  EXPECT_NE(text.find("\"y\""), std::string::npos) << text;
}

TEST_F(NvrtcTest, PreludeIsWhatMakesInfinityKnown) {
  const char *text = "__global__ void f(float *x) { x[0] = -INFINITY; }";
  EXPECT_TRUE(bool(compileCuda(text, "f.cu", *kit, options)));
  options.prelude = false;
  auto result = compileCuda(text, "f.cu", *kit, options);
  ASSERT_FALSE(bool(result));
  consumeError(result.takeError());
}

TEST_F(NvrtcTest, UnknownNameExpression) {
  options.nameExpressions = {"absent<3>"};
  auto result = compileCuda("__global__ void f() {}", "f.cu", *kit, options);
  ASSERT_FALSE(bool(result));
  EXPECT_NE(toString(result.takeError()).find("absent"), std::string::npos);
}

TEST(NvrtcMissing, IsNamed) {
  auto result = compileCuda("", "f.cu", Toolkit::inspect("/nonexistent"));
  ASSERT_FALSE(bool(result));
  EXPECT_NE(toString(result.takeError()).find("lacks libnvrtc.so"),
            std::string::npos);
}
