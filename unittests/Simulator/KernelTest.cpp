// Whole CUDA kernels. Kernels as Clang emits them, against values computed
// here. Each runs in both interpreters, which must agree bit for bit.
#include "Harness.h"
#include <cmath>

using namespace evo::sim;
using namespace evo::sim::test;

namespace {

std::vector<float> numbers(size_t n, unsigned seed) {
  std::vector<float> v(n);
  for (float &f : v) {
    seed = seed * 1664525u + 1013904223u;
    f = (seed >> 8) / float(1 << 24) * 4 - 2;
  }
  return v;
}

Options baseline() {
  Options o;
  o.forceBaseline = true;
  return o;
}

TEST(Kernels, Softmax) {
  for (int n : {1, 31, 128, 300}) {
    Fixture f;
    ASSERT_TRUE(f.file("kernels.ll")) << f.error;
    const int rows = 3;
    std::vector<float> x = numbers(rows * n, n);
    BufferId in = f.floats("x", x),
             out = f.output("y", rows * n * 4, ElementKind::F32),
             again = f.output("z", rows * n * 4, ElementKind::F32);
    auto r = f.run("softmax", {3, 1, 1}, {128, 1, 1},
                   {f.ptr(in), f.ptr(out), Argument(n, 4)});
    EXPECT_CLEAN(r);
    auto y = f.read<float>(out);
    for (int i = 0; i < rows; ++i) {
      double sum = 0, top = -INFINITY;
      for (int j = 0; j < n; ++j)
        top = std::max<double>(top, x[i * n + j]);
      for (int j = 0; j < n; ++j)
        sum += std::exp(x[i * n + j] - top);
      for (int j = 0; j < n; ++j)
        EXPECT_NEAR(y[i * n + j], std::exp(x[i * n + j] - top) / sum, 2e-7);
    }
    EXPECT_CLEAN(f.run("softmax", {3, 1, 1}, {128, 1, 1},
                       {f.ptr(in), f.ptr(again), Argument(n, 4)}, baseline()));
    auto z = f.read<float>(again);
    EXPECT_EQ(0, std::memcmp(y.data(), z.data(), y.size() * 4));
  }
}

TEST(Kernels, SgemmWithTails) {
  for (int n : {1, 16, 37}) {
    Fixture f;
    ASSERT_TRUE(f.file("kernels.ll")) << f.error;
    std::vector<float> a = numbers(n * n, 1), b = numbers(n * n, 2);
    BufferId ba = f.floats("a", a), bb = f.floats("b", b),
             bc = f.output("c", n * n * 4, ElementKind::F32),
             bd = f.output("d", n * n * 4, ElementKind::F32);
    uint64_t tiles = (n + 15) / 16;
    EXPECT_CLEAN(f.run("sgemm", {tiles, tiles, 1}, {16, 16, 1},
                       {f.ptr(ba), f.ptr(bb), f.ptr(bc), Argument(n, 4)}));
    auto c = f.read<float>(bc);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        double s = 0;
        for (int k = 0; k < n; ++k)
          s += double(a[i * n + k]) * b[k * n + j];
        EXPECT_NEAR(c[i * n + j], s, 1e-5) << i << " " << j;
      }
    EXPECT_CLEAN(f.run("sgemm", {tiles, tiles, 1}, {16, 16, 1},
                       {f.ptr(ba), f.ptr(bb), f.ptr(bd), Argument(n, 4)},
                       baseline()));
    auto d = f.read<float>(bd);
    EXPECT_EQ(0, std::memcmp(c.data(), d.data(), c.size() * 4));
  }
}

TEST(Kernels, OptimizedModuleComputesTheSame) {
  const int n = 37;
  std::vector<float> a = numbers(n * n, 1), b = numbers(n * n, 2);
  std::vector<std::vector<float>> results;
  std::vector<uint64_t> cost;
  for (bool optimized : {false, true}) {
    Fixture f;
    ASSERT_TRUE(f.file("kernels.ll")) << f.error;
    if (optimized) {
      optimize(*f.module);
      ASSERT_TRUE(f.decode(Prepare::AsIs)) << f.error;
    }
    BufferId ba = f.floats("a", a), bb = f.floats("b", b),
             bc = f.output("c", n * n * 4, ElementKind::F32),
             by = f.output("y", n * n * 4, ElementKind::F32);
    auto r = f.run("sgemm", {3, 3, 1}, {16, 16, 1},
                   {f.ptr(ba), f.ptr(bb), f.ptr(bc), Argument(n, 4)});
    EXPECT_CLEAN(r);
    cost.push_back(r.stats.laneInstructions);
    EXPECT_CLEAN(f.run("softmax", {n, 1, 1}, {128, 1, 1},
                       {f.ptr(ba), f.ptr(by), Argument(n, 4)}));
    results.push_back(f.read<float>(bc));
    results.push_back(f.read<float>(by));
  }
  EXPECT_EQ(results[0], results[2]);
  EXPECT_EQ(results[1], results[3]);
  EXPECT_LT(cost[1], cost[0] / 2);
}

TEST(Kernels, SgemmReadsPastATooSmallInput) {
  Fixture f;
  ASSERT_TRUE(f.file("kernels.ll")) << f.error;
  const int n = 20;
  BufferId a = f.floats("a", numbers(n * n - 1, 1)),
           b = f.floats("b", numbers(n * n, 2)), c = f.output("c", n * n * 4);
  auto r = f.run("sgemm", {2, 2, 1}, {16, 16, 1},
                 {f.ptr(a), f.ptr(b), f.ptr(c), Argument(n, 4)});
  EXPECT_FINDING(r, OutOfBounds);
  EXPECT_EQ(r.findings[0].buffer, "a");
  EXPECT_EQ(r.findings[0].byteOffset, (n * n - 1) * 4);
  EXPECT_NE(r.findings[0].location.file.find("kernels.cu"), std::string::npos);
  EXPECT_EQ(r.findings[0].location.line, 52u);
}

TEST(Kernels, HistogramWithDynamicSharedMemory) {
  Fixture f;
  ASSERT_TRUE(f.file("kernels.ll")) << f.error;
  const int n = 1000;
  std::vector<int> x(n), want(16), zero(16);
  for (int i = 0; i < n; ++i) {
    x[i] = i * i;
    ++want[x[i] & 15];
  }
  BufferId in = f.buffer("x", x), h = f.buffer("h", zero);
  std::vector<Argument> args = {f.ptr(in), f.ptr(h), Argument(n, 4)};
  EXPECT_CLEAN(f.run("histogram", {8, 1, 1}, {128, 1, 1}, args, {}, 64));
  EXPECT_EQ(f.read<int>(h), want);
  // One element of shared memory too few.
  auto r = f.run("histogram", {8, 1, 1}, {128, 1, 1}, args, {}, 60);
  EXPECT_FINDING(r, OutOfBounds);
  EXPECT_EQ(r.findings[0].buffer, "local");
  EXPECT_EQ(r.findings[0].byteOffset, 60);
}

TEST(Kernels, LanesWithDifferentTripCountsMeetAgain) {
  Fixture f;
  ASSERT_TRUE(f.file("kernels.ll")) << f.error;
  std::vector<int> count(40), want;
  for (int i = 0; i < 40; ++i) {
    count[i] = i * 7 % 13;
    want.push_back(count[i] / 2 * 8 + count[i] % 2 * 5);
  }
  BufferId in = f.buffer("count", count), out = f.output("out", 160),
           together = f.output("together", 160);
  EXPECT_CLEAN(f.run("trips", {1, 1, 1}, {40, 1, 1},
                     {f.ptr(in), f.ptr(out), f.ptr(together)}));
  EXPECT_EQ(f.read<int>(out), want);
  auto mask = f.read<unsigned>(together);
  for (int i = 0; i < 40; ++i) // 40 threads: a full warp and eight lanes
    EXPECT_EQ(mask[i], i < 32 ? 0xffffffffu : 0xffu) << i;
}

TEST(Kernels, VectorAccessAndMisalignment) {
  Fixture f;
  ASSERT_TRUE(f.file("kernels.ll")) << f.error;
  std::vector<float> x = numbers(4 * 50, 3), y = numbers(4 * 50, 4);
  BufferId bx = f.floats("x", x), by = f.floats("y", y);
  auto args = [&](BufferId b) {
    return std::vector<Argument>{f.ptr(by), f.ptr(b), Argument::f32(0.5f),
                                 Argument(50, 4)};
  };
  EXPECT_CLEAN(f.run("saxpy4", {2, 1, 1}, {32, 1, 1}, args(bx)));
  auto out = f.read<float>(by);
  for (size_t i = 0; i < y.size(); ++i)
    EXPECT_EQ(out[i], y[i] + 0.5f * x[i]) << i;
  BufferSpec s;
  s.name = "shifted";
  s.bytes = 4 * 50 * 4;
  s.kind = ElementKind::F32;
  s.alignmentOffset = 8;
  BufferId shifted = f.memory.addBuffer(s);
  f.memory.write(shifted, 0, x.data(), s.bytes);
  auto r = f.run("saxpy4", {2, 1, 1}, {32, 1, 1}, args(shifted));
  EXPECT_FINDING(r, Misaligned);
  EXPECT_EQ(r.findings[0].buffer, "shifted");
  s.alignmentOffset = 16; // aligned again, only elsewhere
  BufferId moved = f.memory.addBuffer(s);
  f.memory.write(moved, 0, x.data(), s.bytes);
  EXPECT_CLEAN(f.run("saxpy4", {2, 1, 1}, {32, 1, 1}, args(moved)));
}

TEST(Kernels, ThreeDimensionsAndStructArguments) {
  Fixture f;
  ASSERT_TRUE(f.file("kernels.ll")) << f.error;
  struct {
    int scale;
    float add;
  } p = {3, 0.25f};
  const int n = 2 * 3 * 2 * 5 * 3 * 3; // 45 threads per block: a partial warp
  BufferId out = f.output("out", n * 4);
  EXPECT_CLEAN(f.run("index3", {2, 3, 2}, {5, 3, 3},
                     {f.ptr(out), Argument::byVal(&p, sizeof p)}));
  auto v = f.read<float>(out);
  for (int i = 0; i < n; ++i)
    EXPECT_EQ(v[i], i * 3 + 0.25f);
  auto r = f.run("index3", {2, 3, 2}, {5, 3, 3},
                 {f.ptr(out), Argument::byVal(&p, 4)});
  EXPECT_FINDING(r, LaunchFailure);
}

TEST(Kernels, WithoutAnyValueOfItsOwn) {
  Fixture f;
  ASSERT_TRUE(f.text("define ptx_kernel void @k(ptr %p) {\n"
                     "  store i32 7, ptr %p\n  ret void\n}\n"))
      << f.error;
  BufferId b = f.output("p", 4);
  EXPECT_CLEAN(f.run("k", {1, 1, 1}, {1, 1, 1}, {f.ptr(b)}));
  EXPECT_EQ(f.read<int>(b)[0], 7);
}

TEST(Kernels, OnlyTheBlocksAskedFor) {
  Fixture f;
  ASSERT_TRUE(f.file("kernels.ll")) << f.error;
  // A buffer of 64 GiB of which two corners are touched.
  const uint64_t blocks = 1ull << 24;
  BufferSpec s;
  s.name = "huge";
  s.bytes = blocks * 1024 * 4;
  s.kind = ElementKind::F32;
  BufferId out = f.memory.addBuffer(s);
  ASSERT_TRUE(f.memory.isMapped(out));
  struct {
    int scale;
    float add;
  } p = {0, 7};
  LaunchParams l;
  l.kernel = "index3";
  l.grid = {blocks, 1, 1};
  l.block = {1024, 1, 1};
  l.args = {f.ptr(out), Argument::byVal(&p, sizeof p)};
  l.blocks = {0, 1000};
  auto r = launch(*f.program, l, f.memory);
  EXPECT_CLEAN(r);
  EXPECT_EQ(r.stats.blocksRun, 2u);
  EXPECT_TRUE(f.memory.isInitialized(out, 1000 * 4096));
  EXPECT_FALSE(f.memory.isInitialized(out, 1001 * 4096));
  // The index of the last block overflows 32 bits and becomes negative.
  l.blocks = {blocks - 1};
  r = launch(*f.program, l, f.memory);
  EXPECT_FINDING(r, OutOfBounds);
  EXPECT_LT(r.findings[0].byteOffset, 0);
  EXPECT_EQ(r.findings[0].buffer, "huge");
}

TEST(Kernels, OrderOfBlocksAndWarpsDoesNotMatterHere) {
  Fixture f;
  ASSERT_TRUE(f.file("kernels.ll")) << f.error;
  std::vector<float> x = numbers(7 * 200, 9);
  BufferId in = f.floats("x", x);
  std::vector<std::vector<float>> results;
  for (uint64_t seed : {0, 1, 2}) {
    BufferId out = f.output("y", x.size() * 4, ElementKind::F32);
    LaunchParams l;
    l.kernel = "softmax";
    l.grid = {7, 1, 1};
    l.block = {128, 1, 1};
    l.args = {f.ptr(in), f.ptr(out), Argument(200, 4)};
    l.blockOrderSeed = seed;
    l.warpOrderSeed = seed;
    auto r = launch(*f.program, l, f.memory);
    EXPECT_CLEAN(r);
    EXPECT_EQ(r.stats.blocksRun, 7u);
    results.push_back(f.read<float>(out));
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

TEST(Kernels, CountersOfACoalescedKernel) {
  Fixture f;
  ASSERT_TRUE(f.file("kernels.ll")) << f.error;
  const int n = 32;
  BufferId a = f.floats("a", numbers(n * n, 1)),
           b = f.floats("b", numbers(n * n, 2)),
           c = f.output("c", n * n * 4, ElementKind::F32);
  Counters k;
  Options o;
  o.counters = &k;
  EXPECT_CLEAN(f.run("sgemm", {2, 2, 1}, {16, 16, 1},
                     {f.ptr(a), f.ptr(b), f.ptr(c), Argument(n, 4)}, o));
  EXPECT_EQ(k.blocks, 4u);
  EXPECT_EQ(k.warps, 32u);
  // Each thread loads 2 elements per step, 2 steps: 4 x 1024 lanes.
  EXPECT_EQ(k.global[0].bytes, 4u * 1024 * 4);
  EXPECT_EQ(k.global[0].requests, 4u * 32);
  // A warp covers two rows of 16 floats: 4 sectors.
  EXPECT_EQ(k.global[0].sectors, 4u * 32 * 4);
  EXPECT_EQ(k.global[0].launchSectors, 2u * n * n * 4 / 32);
  EXPECT_EQ(k.global[1].launchSectors, 1u * n * n * 4 / 32);
  // fmul and fadd for each of 32 steps in 1024 threads.
  EXPECT_EQ(k.flops, 2u * 32 * 1024);
  EXPECT_EQ(k.divergentBranches, 0u);
  EXPECT_EQ(k.warpInstructions[unsigned(OpClass::Barrier)], 4u * 32);
  EXPECT_GT(k.longestWarp, 0u);
}

TEST(Calls, WhatPrintfReturnsIsUnknown) {
  auto text = [](const std::string &use) {
    return kernelIR("ptr %p",
                    "%n = call i32 @vprintf(ptr %p, ptr null)\n" + use +
                        "ret void\n",
                    "declare i32 @vprintf(ptr, ptr)\n");
  };
  Fixture f, g;
  EXPECT_TRUE(f.text(text(""))) << f.error;
  EXPECT_FALSE(g.text(text("store i32 %n, ptr %p\n")));
  EXPECT_NE(g.error.find("call of 'vprintf'"), std::string::npos) << g.error;
}

} // namespace
