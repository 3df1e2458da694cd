// Whole kernels in both engines. What compiled code leaves in memory is what
// the interpreter leaves there.
#include "BothEngines.h"
#include <cstring>

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

const char here[] = "../JIT/Inputs/kernels.ll";

/// Runs `kernel` of a file pre- and post-optimisation; more than half of it has
/// to be compiled, unless that is not asked.
void expectAgreement(const std::string &kernel,
                     llvm::function_ref<void(BothEngines &)> setUp,
                     bool isMostlyCompiled = true,
                     const char *file = "kernels.ll") {
  for (bool optimized : {false, true}) {
    BothEngines both;
    ASSERT_TRUE(both.file(file)) << both.error;
    if (optimized) {
      ASSERT_TRUE(both.optimize()) << both.error;
    }
    setUp(both);
    EXPECT_TRUE(both.agree(kernel))
        << kernel
        << (optimized ? " post-optimisation: " : " pre-optimisation: ")
        << both.obstacle << all(both.compiled) << all(both.interpreted);
    EXPECT_TRUE(both.interpreted.clean());
    // Compiled instructions count an eighth.
    if (isMostlyCompiled)
      EXPECT_LT(both.compiled.stats.laneInstructions,
                both.interpreted.stats.laneInstructions / 2)
          << kernel;
  }
}

TEST(JIT, TiledProduct) {
  for (int n : {64, 37})
    expectAgreement(
        "sgemm",
        [n](BothEngines &both) {
          both.add(numbers(n * n, 1));
          both.add(numbers(n * n, 2));
          both.addZeros(n * n * 4);
          both.scalars = {Argument(n, 4)};
          both.grid = {uint64_t(n + 15) / 16, uint64_t(n + 15) / 16, 1};
          both.block = {16, 16, 1};
        },
        n % 16 == 0);
}

TEST(JIT, SoftmaxWithShuffles) {
  for (int n : {128, 300})
    expectAgreement(
        "softmax",
        [n](BothEngines &both) {
          both.add(numbers(3 * n, n));
          both.addZeros(3 * n * 4);
          both.scalars = {Argument(n, 4)};
          both.grid = {3, 1, 1};
          both.block = {128, 1, 1};
        },
        false);
}

TEST(JIT, TreesOverSharedMemory) {
  for (int n : {300, 1024})
    expectAgreement(
        "layernorm",
        [n](BothEngines &both) {
          both.add(numbers(3 * n, n));
          both.addZeros(3 * n * 4);
          both.scalars = {Argument(n, 4)};
          both.grid = {3, 1, 1};
          both.block = {128, 1, 1};
        },
        n == 1024, here);
}

TEST(JIT, Transposition) {
  for (int n : {96, 75})
    expectAgreement(
        "transpose",
        [n](BothEngines &both) {
          both.add(numbers(64 * n, n));
          both.addZeros(64 * n * 4);
          both.scalars = {Argument(64, 4), Argument(n, 4)};
          both.grid = {uint64_t(n + 31) / 32, 2, 1};
          both.block = {32, 8, 1};
        },
        n == 96, here);
}

TEST(JIT, StencilWithHalo) {
  expectAgreement(
      "stencil",
      [](BothEngines &both) {
        both.add(numbers(50 * 70, 5));
        both.addZeros(50 * 70 * 4);
        both.scalars = {Argument(50, 4), Argument(70, 4)};
        both.grid = {5, 4, 1};
        both.block = {16, 16, 1};
      },
      false, here);
}

TEST(JIT, ScanWithBarriers) {
  expectAgreement(
      "scan",
      [](BothEngines &both) {
        both.add(numbers(1000, 5));
        both.addZeros(1000 * 4);
        both.scalars = {Argument(1000, 4)};
        both.grid = {4, 1, 1};
        both.block = {256, 1, 1};
      },
      true, here);
}

TEST(JIT, Halves) {
  std::vector<uint16_t> bits(4096);
  for (unsigned i = 0; i < bits.size(); ++i)
    bits[i] = static_cast<uint16_t>(i * 17 + 3);
  for (int n : {4096, 4090})
    expectAgreement(
        "halves",
        [&](BothEngines &both) {
          both.add(bits);
          both.addZeros(4096 * 2);
          both.scalars = {Argument::f32(0.3f), Argument(n, 4)};
          both.grid = {16, 1, 1};
          both.block = {256, 1, 1};
        },
        false, here);
}

TEST(JIT, PlainProduct) {
  for (Dim3 block : {Dim3{32, 4, 1}, Dim3{16, 16, 1}, Dim3{8, 8, 1}})
    expectAgreement(
        "product",
        [&](BothEngines &both) {
          both.add(numbers(32 * 40, 1));
          both.add(numbers(40 * 64, 2));
          both.addZeros(32 * 64 * 4);
          both.scalars = {Argument(32, 4), Argument(64, 4), Argument(40, 4)};
          both.grid = {64 / block.x, 32 / block.y, 1};
          both.block = block;
        },
        true, here);
}

TEST(JIT, AtomicsAndDynamicSharedMemory) {
  std::vector<int> values;
  for (int i = 0; i < 1000; ++i)
    values.push_back(i * 7919 % 1021);
  expectAgreement(
      "histogram",
      [&](BothEngines &both) {
        both.add(values);
        both.addZeros(16 * 4);
        both.scalars = {Argument(1000, 4)};
        both.grid = {4, 1, 1};
        both.block = {256, 1, 1};
        both.dynamicShared = 64;
      },
      false);
}

TEST(JIT, LanesThatPart) {
  std::vector<int> counts;
  for (int i = 0; i < 64; ++i)
    counts.push_back(i * 5 % 17);
  expectAgreement(
      "trips",
      [&](BothEngines &both) {
        both.add(counts);
        both.addZeros(64 * 4);
        both.addZeros(64 * 4);
        both.block = {64, 1, 1};
      },
      false);
}

TEST(JIT, VectorsOfFour) {
  expectAgreement("saxpy4", [](BothEngines &both) {
    both.add(numbers(4096, 1));
    both.add(numbers(4096, 2));
    both.scalars = {Argument::f32(1.5f), Argument(1000, 4)};
    both.grid = {8, 1, 1};
    both.block = {128, 1, 1};
  });
}

TEST(JIT, PlacesInThreeDimensions) {
  struct {
    int scale = 3;
    float add = 0.5f;
  } parameters;
  for (Dim3 block : {Dim3{8, 4, 2}, Dim3{5, 7, 3}, Dim3{32, 2, 2}})
    expectAgreement(
        "index3",
        [&](BothEngines &both) {
          both.grid = {2, 3, 2};
          both.block = block;
          both.addZeros(12 * block.x * block.y * block.z * 4);
          both.scalars = {Argument::byVal(&parameters, sizeof parameters)};
        },
        block.x != 5);
}

TEST(JIT, LoopsOfCompareAndSwap) {
  expectAgreement(
      "atomicSumCas",
      [](BothEngines &both) {
        both.add(numbers(64, 3));
        both.addZeros(4);
        both.block = {64, 1, 1};
      },
      false);
}

/// Warp 1 waits for what warp 0 writes.
const char waiting[] = R"(
  %late = icmp ugt i32 %t, 31
  br i1 %late, label %wait, label %write
write:
  %x = mul i32 %t, 3
  %p = getelementptr i32, ptr %o, i32 %t
  store i32 %x, ptr %p
  store volatile i32 1, ptr %f
  ret void
wait:
  %v = load volatile i32, ptr %f
  %c = icmp eq i32 %v, 1
  br i1 %c, label %go, label %wait
go:
  %back = sub i32 %t, 32
  %q = getelementptr i32, ptr %o, i32 %back
  %y = load i32, ptr %q
  %r = getelementptr i32, ptr %o, i32 %t
  store i32 %y, ptr %r
  ret void
)";

TEST(JIT, WarpsThatWaitForOthers) {
  BothEngines both;
  ASSERT_TRUE(both.text(kernelIR("ptr %o, ptr %f", waiting))) << both.error;
  both.addZeros(64 * 4);
  both.addZeros(4);
  both.block = {64, 1, 1};
  EXPECT_TRUE(both.agree("k")) << both.obstacle;
  EXPECT_TRUE(both.compiled.clean()) << all(both.compiled);
}

TEST(JIT, WarpsThatWaitForNobody) {
  BothEngines both;
  std::string text = waiting;
  text.replace(text.find("store volatile i32 1"), 20, "store volatile i32 2");
  ASSERT_TRUE(both.text(kernelIR("ptr %o, ptr %f", text))) << both.error;
  both.addZeros(64 * 4);
  both.addZeros(4);
  both.block = {64, 1, 1};
  EXPECT_TRUE(both.agree("k")) << both.obstacle;
  EXPECT_FINDING(both.compiled, BudgetExceeded);
  EXPECT_EQ(all(both.compiled), all(both.interpreted));
}

const char asynchronous[] = R"(
  %n = mul i32 %t, 4
  %to = getelementptr i32, ptr addrspace(3) @s, i32 %n
  %p1 = addrspacecast ptr %p to ptr addrspace(1)
  %from = getelementptr i32, ptr addrspace(1) %p1, i32 %n
  call void @llvm.nvvm.cp.async.cg.shared.global.16(ptr addrspace(3) %to, ptr addrspace(1) %from)
  call void @llvm.nvvm.cp.async.commit.group()
  call void @llvm.nvvm.cp.async.wait.group(i32 0)
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %far = xor i32 %n, 128
  %back = getelementptr i32, ptr addrspace(3) @s, i32 %far
  %v = load i32, ptr addrspace(3) %back
  %q = getelementptr i32, ptr %o, i32 %t
  store i32 %v, ptr %q
  ret void
)";

TEST(JIT, AsynchronousCopies) {
  BothEngines both;
  ASSERT_TRUE(both.text(
      kernelIR("ptr %p, ptr %o", asynchronous,
               "@s = internal addrspace(3) global [512 x i32] undef, align 16\n"
               "declare void @llvm.nvvm.cp.async.cg.shared.global.16("
               "ptr addrspace(3), ptr addrspace(1))\n"
               "declare void @llvm.nvvm.cp.async.commit.group()\n"
               "declare void @llvm.nvvm.cp.async.wait.group(i32 immarg)\n")))
      << both.error;
  both.add(numbers(512, 5));
  both.addZeros(64 * 4);
  both.block = {64, 1, 1};
  EXPECT_TRUE(both.agree("k")) << both.obstacle;
  EXPECT_TRUE(both.compiled.clean()) << all(both.compiled);
}

/// A loop from the thread's number on, shared memory, a barrier, the lane.
TEST(JIT, ALoneThread) {
  BothEngines both;
  ASSERT_TRUE(both.text(
      kernelIR("ptr %x, ptr %o, i32 %n",
               "  br label %start\n"
               "start:\n  br label %head\n"
               "head:\n"
               "  %i = phi i32 [ %t, %start ], [ %next, %head ]\n"
               "  %sum = phi float [ 0.0, %start ], [ %more, %head ]\n"
               "  %p = getelementptr float, ptr %x, i32 %i\n"
               "  %v = load float, ptr %p\n"
               "  %more = fadd float %sum, %v\n"
               "  %next = add i32 %i, 1\n"
               "  %left = icmp slt i32 %next, %n\n"
               "  br i1 %left, label %head, label %done\n"
               "done:\n"
               "  store float %more, ptr addrspace(3) @s\n"
               "  call void @llvm.nvvm.barrier0()\n"
               "  %w = load float, ptr addrspace(3) @s\n"
               "  %lane = call i32 @llvm.nvvm.read.ptx.sreg.laneid()\n"
               "  %f = sitofp i32 %lane to float\n"
               "  %r = fadd float %w, %f\n"
               "  store float %r, ptr %o\n  ret void\n",
               "@s = internal addrspace(3) global float undef, align 4\n"
               "declare void @llvm.nvvm.barrier0()\n"
               "declare i32 @llvm.nvvm.read.ptx.sreg.laneid()\n")))
      << both.error;
  both.add(numbers(1000, 3));
  both.addZeros(4);
  both.scalars = {Argument(1000, 4)};
  both.block = {1, 1, 1};
  EXPECT_TRUE(both.agree("k")) << both.obstacle << all(both.compiled);
  EXPECT_TRUE(both.compiled.clean()) << all(both.compiled);
  // It ends where its budget does, and reads nothing out of bounds.
  EXPECT_TRUE(both.agree("k", 500));
  EXPECT_FINDING(both.compiled, BudgetExceeded);
  both.scalars = {Argument(1001, 4)};
  EXPECT_TRUE(both.agree("k"));
  EXPECT_FINDING(both.compiled, OutOfBounds);
}

/// Each so manieth thread adds up a row, the others return at once.
static std::string oneThreadARow() {
  return kernelIR("ptr %x, ptr %o, i32 %n, i32 %every",
                  "  %ctaid = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()\n"
                  "  %rest = urem i32 %t, %every\n"
                  "  %mine = icmp eq i32 %rest, 0\n"
                  "  br i1 %mine, label %start, label %done\n"
                  "start:\n"
                  "  %number = udiv i32 %t, %every\n"
                  "  %first = mul i32 %number, %n\n"
                  "  br label %head\n"
                  "head:\n"
                  "  %i = phi i32 [ 0, %start ], [ %next, %head ]\n"
                  "  %sum = phi float [ 0.0, %start ], [ %more, %head ]\n"
                  "  %at = add i32 %first, %i\n"
                  "  %p = getelementptr float, ptr %x, i32 %at\n"
                  "  %v = load float, ptr %p\n"
                  "  %more = fadd float %sum, %v\n"
                  "  %next = add i32 %i, 1\n"
                  "  %left = icmp slt i32 %next, %n\n"
                  "  br i1 %left, label %head, label %end\n"
                  "end:\n"
                  "  %b = mul i32 %ctaid, 64\n"
                  "  %place = add i32 %b, %t\n"
                  "  %q = getelementptr float, ptr %o, i32 %place\n"
                  "  store float %more, ptr %q\n"
                  "  br label %done\n"
                  "done:\n  ret void\n");
}

/// The first thread of each warp, once the others have returned; or two of a
/// warp, which compiled code has no way for.
TEST(JIT, ThreadsThatOthersLeftAlone) {
  for (unsigned every : {32, 16}) {
    BothEngines both;
    ASSERT_TRUE(both.text(oneThreadARow())) << both.error;
    constexpr unsigned length = 1000, threads = 64;
    both.add(numbers(threads / every * length, 5));
    both.addZeros(2 * threads * 4);
    both.scalars = {Argument(length, 4), Argument(every, 4)};
    both.grid = {2, 1, 1};
    both.block = {threads, 1, 1};
    EXPECT_TRUE(both.agree("k")) << both.obstacle << all(both.compiled);
    EXPECT_TRUE(both.compiled.clean()) << all(both.compiled);
    // What the interpreter does for one thread counts for eight at least.
    const bool isAlone = both.compiled.stats.laneInstructions <
                         both.interpreted.stats.laneInstructions * 3;
    EXPECT_EQ(isAlone, every == 32);
    EXPECT_TRUE(both.agree("k", 5000));
    EXPECT_FINDING(both.compiled, BudgetExceeded);
    both.scalars = {Argument(length + 1, 4), Argument(every, 4)};
    EXPECT_TRUE(both.agree("k"));
    EXPECT_FINDING(both.compiled, OutOfBounds);
  }
}

TEST(JIT, WhatIsNotCompiled) {
  BothEngines both;
  ASSERT_TRUE(both.file("kernels.ll")) << both.error;
  both.block = {16, 1, 1};
  EXPECT_FALSE(both.agree("saxpy4"));
  EXPECT_EQ(both.obstacle, "'saxpy4': blocks have fewer than 32 threads");
  EXPECT_FALSE(both.agree("none"));
  EXPECT_EQ(both.obstacle, "no kernel named 'none'");
}

TEST(JIT, WhatIsTooLongIsNotCompiled) {
  std::string body = "%v0 = load i32, ptr %p\n";
  for (unsigned i = 0; i < 1600; ++i)
    body += "%v" + std::to_string(i + 1) + " = mul i32 %v" + std::to_string(i) +
            ", %t\n";
  BothEngines both;
  ASSERT_TRUE(both.text(
      kernelIR("ptr %p", body + "store i32 %v1600, ptr %p\nret void\n")))
      << both.error;
  auto native = evo::jit::compile(*both.program, "k", {32, 1, 1});
  ASSERT_FALSE(bool(native));
  const std::string why = llvm::toString(native.takeError());
  EXPECT_EQ(why.find("'k' is too long ("), 0u) << why;
  EXPECT_NE(why.find(" instructions) to be compiled"), std::string::npos)
      << why;
}

TEST(JIT, CodeForOtherBlocksIsRefused) {
  BothEngines both;
  ASSERT_TRUE(both.file("kernels.ll")) << both.error;
  auto native = evo::jit::compile(*both.program, "saxpy4", {64, 1, 1});
  ASSERT_TRUE(bool(native));
  both.block = {128, 1, 1};
  both.addZeros(64);
  both.addZeros(64);
  both.scalars = {Argument::f32(1), Argument(4, 4)};
  both.runIn("saxpy4", native->get(), ~0ull, both.compiled);
  EXPECT_FINDING(both.compiled, LaunchFailure);
}

/// Each access is checked where it is compiled.
TEST(JIT, AccessesOutOfBounds) {
  BothEngines both;
  ASSERT_TRUE(both.file("kernels.ll")) << both.error;
  both.add(numbers(4096, 1));
  both.add(numbers(4000, 2));
  both.scalars = {Argument::f32(1.5f), Argument(1024, 4)};
  both.grid = {8, 1, 1};
  both.block = {128, 1, 1};
  EXPECT_TRUE(both.agree("saxpy4"));
  EXPECT_FINDING(both.compiled, OutOfBounds);
  EXPECT_EQ(all(both.compiled), all(both.interpreted));
}

const char endless[] = R"(
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %n, %loop ]
  %n = add i32 %i, 2
  %c = icmp eq i32 %n, 1
  br i1 %c, label %end, label %loop
end:
  store i32 %t, ptr %o
  ret void
)";

TEST(JIT, LoopsThatDoNotEnd) {
  BothEngines both;
  ASSERT_TRUE(both.text(kernelIR("ptr %o", endless))) << both.error;
  both.addZeros(4);
  both.block = {64, 1, 1};
  EXPECT_TRUE(both.agree("k", 1'000'000));
  EXPECT_FINDING(both.compiled, BudgetExceeded);
}

const char divergentBarrier[] = R"(
  %odd = trunc i32 %t to i1
  br i1 %odd, label %then, label %else
then:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %end
else:
  br label %end
end:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  store i32 %t, ptr %o
  ret void
)";

TEST(JIT, BarriersThatNotAllReach) {
  BothEngines both;
  ASSERT_TRUE(both.text(kernelIR("ptr %o", divergentBarrier))) << both.error;
  both.addZeros(4);
  both.block = {64, 1, 1};
  EXPECT_TRUE(both.agree("k"));
  EXPECT_FINDING(both.compiled, BarrierDivergence);
  EXPECT_EQ(all(both.compiled), all(both.interpreted));
}

/// What all lanes had in common they no longer have once they went through a
/// loop different numbers of times.
const char lastRound[] = R"(
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %n, %loop ]
  %n = add i32 %i, 3
  %m = and i32 %t, 7
  %c = icmp ugt i32 %i, %m
  br i1 %c, label %end, label %loop
end:
  %p = getelementptr i32, ptr %o, i32 %t
  store i32 %n, ptr %p
  %h = lshr i32 %n, 1
  %q = getelementptr i32, ptr %o, i32 %h
  %v = load i32, ptr %q
  %w = add i32 %v, %i
  store i32 %w, ptr %p
  ret void
)";

TEST(JIT, LoopsThatLanesLeaveOneByOne) {
  BothEngines both;
  ASSERT_TRUE(both.text(kernelIR("ptr %o", lastRound))) << both.error;
  both.addZeros(64 * 4);
  both.block = {64, 1, 1};
  EXPECT_TRUE(both.agree("k"));
  EXPECT_TRUE(both.compiled.clean()) << all(both.compiled);
}

/// One address, and a number for each lane at it; `hidden` goes by way of
/// another variable's address.
std::string ownVariable(bool hidden) {
  return std::string("  %v = alloca [4 x i32]\n"
                     "  store i32 %t, ptr %v\n") +
         (hidden ? "  %a = ptrtoint ptr %v to i64\n"
                   "  %g = ptrtoint ptr %o to i64\n"
                   "  %d = sub i64 %a, %g\n"
                   "  %w = getelementptr i8, ptr %o, i64 %d\n"
                 : "  %w = getelementptr i32, ptr %v, i32 0\n") +
         "  %x = load i32, ptr %w\n"
         "  br label %next\n"
         "next:\n"
         "  %y = mul i32 %x, 3\n"
         "  %p = getelementptr i32, ptr %o, i32 %t\n"
         "  store i32 %y, ptr %p\n"
         "  ret void\n";
}

TEST(JIT, VariablesOfEachLane) {
  for (bool hidden : {false, true}) {
    BothEngines both;
    ASSERT_TRUE(both.text(kernelIR("ptr %o", ownVariable(hidden))))
        << both.error;
    both.addZeros(64 * 4);
    both.block = {64, 1, 1};
    EXPECT_TRUE(both.agree("k")) << hidden << both.obstacle;
    EXPECT_TRUE(both.compiled.clean()) << all(both.compiled);
  }
}

/// An index that wraps where it is widened, in some lanes only.
const char wraps[] = R"(
  %b = add i32 %t, %n
  %w = sext i32 %b to i64
  %h = ashr i64 %w, 60
  %p = getelementptr i64, ptr %o, i32 %t
  store i64 %h, ptr %p
  %z = zext i32 %b to i64
  %g = lshr i64 %z, 31
  %s = add i64 %g, %h
  %q = getelementptr i64, ptr %p, i32 64
  store i64 %s, ptr %q
  ret void
)";

TEST(JIT, IndicesThatWrap) {
  for (uint32_t n : {0x7ffffff0u, 0xfffffff0u, 0u}) {
    BothEngines both;
    ASSERT_TRUE(both.text(kernelIR("ptr %o, i32 %n", wraps))) << both.error;
    both.addZeros(128 * 8);
    both.scalars = {Argument(n, 4)};
    both.block = {64, 1, 1};
    EXPECT_TRUE(both.agree("k")) << n << all(both.compiled);
    EXPECT_TRUE(both.compiled.clean()) << all(both.compiled);
  }
}

/// A loop that carries floats, integers of both widths, and a number that
/// differs between lanes; another is made before and read behind it.
std::string carryingLoop(const std::string &middle) {
  return kernelIR("ptr %x, ptr %o, ptr %f, i32 %n",
                  "  %before = mul i32 %t, 7\n"
                  "  %place = getelementptr i64, ptr %o, i32 %before\n"
                  "  br label %loop\n"
                  "loop:\n"
                  "  %i = phi i32 [ 0, %entry ], [ %next, %latch ]\n"
                  "  %sum = phi float [ 1.0, %entry ], [ %more, %latch ]\n"
                  "  %d = phi double [ 0.5, %entry ], [ %e, %latch ]\n"
                  "  %w = phi i64 [ 3, %entry ], [ %wide, %latch ]\n"
                  "  %l = phi i32 [ %t, %entry ], [ %lane, %latch ]\n"
                  "  %m = and i32 %i, 63\n"
                  "  %a = getelementptr float, ptr %x, i32 %m\n"
                  "  %v = load float, ptr %a\n"
                  "  %half = fmul float %sum, 0.5\n"
                  "  %more = fadd float %half, %v\n" +
                      middle +
                      "  %r = fpext float %v to double\n"
                      "  %e = fsub double %r, %d\n"
                      "  %five = mul i64 %w, 5\n"
                      "  %wide = add i64 %five, 1\n"
                      "  %lane = add i32 %l, %m\n"
                      "  %next = add i32 %i, 1\n"
                      "  %left = icmp slt i32 %next, %n\n"
                      "  br i1 %left, label %loop, label %done\n"
                      "done:\n"
                      "  store float %more, ptr %place\n"
                      "  %p1 = getelementptr i64, ptr %place, i32 1\n"
                      "  store double %e, ptr %p1\n"
                      "  %p2 = getelementptr i64, ptr %place, i32 2\n"
                      "  store i64 %wide, ptr %p2\n"
                      "  %p3 = getelementptr i64, ptr %place, i32 3\n"
                      "  store i32 %lane, ptr %p3\n"
                      "  %p4 = getelementptr i64, ptr %place, i32 4\n"
                      "  store i32 %before, ptr %p4\n"
                      "  ret void\n");
}

/// What stands in its middle.
const char nothing[] = "  br label %latch\n"
                       "latch:\n",
           /// The interpreter's turn, with all that is carried.
    interpreted[] = "  %q = load volatile i32, ptr %f\n"
                    "  br label %latch\n"
                    "latch:\n",
           /// It is called for one instruction.
    called[] = "  %q = atomicrmw add ptr %f, i32 %l monotonic\n"
               "  br label %latch\n"
               "latch:\n",
           /// One lane goes another way, in some rounds.
    parting[] = "  %mine = icmp eq i32 %m, %t\n"
                "  br i1 %mine, label %then, label %latch\n"
                "then:\n"
                "  %b = getelementptr i32, ptr %f, i32 %t\n"
                "  store i32 %l, ptr %b\n"
                "  br label %latch\n"
                "latch:\n",
           /// All lanes go by turns one way or the other.
    turning[] = "  %odd = trunc i32 %i to i1\n"
                "  br i1 %odd, label %then, label %latch\n"
                "then:\n"
                "  %b = getelementptr i32, ptr %f, i32 %t\n"
                "  store i32 %l, ptr %b\n"
                "  br label %latch\n"
                "latch:\n",
           /// An inner loop.
    nested[] = "  br label %inner\n"
               "inner:\n"
               "  %j = phi i32 [ 0, %loop ], [ %k, %inner ]\n"
               "  %s = phi i32 [ %l, %loop ], [ %u, %inner ]\n"
               "  %u = add i32 %s, %j\n"
               "  %k = add i32 %j, 1\n"
               "  %on = icmp sle i32 %k, %m\n"
               "  br i1 %on, label %inner, label %latch\n"
               "latch:\n"
               "  %b = getelementptr i32, ptr %f, i32 %t\n"
               "  store i32 %u, ptr %b\n";

void setUpCarrying(BothEngines &both, int rounds, uint64_t threads) {
  both.add(numbers(64, 9));
  both.addZeros(threads * 7 * 8);
  both.addZeros(threads * 4);
  both.scalars = {Argument(rounds, 4)};
  both.block = {threads, 1, 1};
}

TEST(JIT, LoopsThatCarryRegisters) {
  for (const char *middle :
       {nothing, interpreted, called, parting, turning, nested})
    for (uint64_t threads : {64, 1}) {
      BothEngines both;
      ASSERT_TRUE(both.text(carryingLoop(middle))) << both.error;
      setUpCarrying(both, 200, threads);
      EXPECT_TRUE(both.agree("k"))
          << middle << threads << both.obstacle << all(both.compiled);
      EXPECT_TRUE(both.compiled.clean()) << all(both.compiled);
    }
}

/// The bits of a NaN are seen only in the end; and where the loop is left.
TEST(JIT, LoopsThatCarryNaN) {
  for (const char *middle : {nothing, interpreted}) {
    BothEngines both;
    ASSERT_TRUE(both.text(carryingLoop(middle))) << both.error;
    setUpCarrying(both, 200, 64);
    const uint32_t bits = 0xffc12345;
    std::memcpy(&both.buffers[0][5 * 4], &bits, 4);
    EXPECT_TRUE(both.agree("k")) << middle << all(both.compiled);
  }
}

/// Warps take turns within the loop.
TEST(JIT, LoopsThatAreLongerThanATurn) {
  for (const char *middle : {nothing, turning})
    for (uint64_t threads : {64, 1}) {
      BothEngines both;
      ASSERT_TRUE(both.text(carryingLoop(middle))) << both.error;
      setUpCarrying(both, 100'000, threads);
      EXPECT_TRUE(both.agree("k")) << middle << threads << all(both.compiled);
      EXPECT_TRUE(both.compiled.clean()) << all(both.compiled);
    }
  BothEngines both;
  ASSERT_TRUE(both.text(carryingLoop(nothing))) << both.error;
  setUpCarrying(both, 100'000, 64);
  EXPECT_TRUE(both.agree("k", 50'000));
  EXPECT_FINDING(both.compiled, BudgetExceeded);
}

/// It has more segments, and registers alive in them, than are carried.
TEST(JIT, LoopsThatAreTooLongToCarry) {
  std::string middle;
  for (unsigned i = 0; i < 40; ++i) {
    const std::string n = std::to_string(i);
    middle += "  %c" + n + " = icmp ugt i32 %m, " + n +
              "\n"
              "  br i1 %c" +
              n + ", label %yes" + n + ", label %no" + n + "\nyes" + n +
              ":\n"
              "  %b" +
              n +
              " = getelementptr i32, ptr %f, i32 %t\n  store i32 %l, ptr %b" +
              n + "\n  br label %no" + n + "\nno" + n + ":\n";
  }
  middle += "  br label %latch\nlatch:\n";
  for (uint64_t threads : {64, 1}) {
    BothEngines both;
    ASSERT_TRUE(both.text(carryingLoop(middle))) << both.error;
    setUpCarrying(both, 200, threads);
    EXPECT_TRUE(both.agree("k")) << threads << all(both.compiled);
    EXPECT_TRUE(both.compiled.clean()) << all(both.compiled);
  }
}

} // namespace
