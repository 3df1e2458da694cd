// The words of findings. What a user reads: for each finding the smallest
// kernel that has it, and its whole text, place included. That right twins have
// none is tested where the detectors are. Each instruction stands in a line of
// its own: line 2 is the first of a body.
#include "Harness.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/InstIterator.h"

using namespace evo::sim;
using namespace evo::sim::test;

namespace {

/// Gives the n-th instruction of each function line n of k.cu.
void locate(llvm::Module &module) {
  module.addModuleFlag(llvm::Module::Warning, "Debug Info Version",
                       llvm::DEBUG_METADATA_VERSION);
  llvm::DIBuilder b(module);
  llvm::DIFile *file = b.createFile("k.cu", ".");
  llvm::DICompileUnit *unit = b.createCompileUnit(
      llvm::dwarf::DW_LANG_C_plus_plus, file, "", false, "", 0);
  for (llvm::Function &f : module) {
    if (f.isDeclaration())
      continue;
    llvm::DISubprogram *sub = b.createFunction(
        unit, f.getName(), f.getName(), file, 1,
        b.createSubroutineType(b.getOrCreateTypeArray({})), 1,
        llvm::DINode::FlagZero, llvm::DISubprogram::SPFlagDefinition);
    f.setSubprogram(sub);
    unsigned line = 0;
    for (llvm::Instruction &i : llvm::instructions(f))
      i.setDebugLoc(llvm::DILocation::get(module.getContext(), ++line, 3, sub));
  }
  b.finalize();
}

struct Kernel {
  Kernel(std::string body, std::string globals = "", uint64_t threads = 32,
         uint64_t blocks = 1)
      : body(std::move(body)), globals(std::move(globals)), threads(threads),
        blocks(blocks) {}
  std::string body, globals;
  uint64_t threads, blocks;
  Options options;
};

/// The findings of a kernel over "p", 64 ints holding 0, 1, 2, ...
std::string say(const Kernel &kernel) {
  Fixture f;
  llvm::SMDiagnostic d;
  f.module = llvm::parseAssemblyString(
      kernelIR("ptr %p", kernel.body, kernel.globals), d, f.context);
  if (!f.module)
    return "does not parse: " + d.getMessage().str() + " in line " +
           std::to_string(d.getLineNo());
  locate(*f.module);
  if (!f.decode(Prepare::AsIs))
    return f.error;
  std::vector<int> v(64);
  for (int i = 0; i < 64; ++i)
    v[i] = i;
  BufferId b = f.buffer("p", v);
  LaunchResult result =
      f.run("k", {kernel.blocks, 1, 1}, {kernel.threads, 1, 1}, {f.ptr(b)},
            kernel.options);
  return all(result) +
         (result.inactiveRead ? result.inactiveRead->str() + "\n" : "");
}

#define EXPECT_SAYS(TEXT, ...) EXPECT_EQ(say(__VA_ARGS__), TEXT "\n")
#define EXPECT_REFUSES(TEXT, ...) EXPECT_EQ(say(__VA_ARGS__), TEXT)

constexpr char shared[] =
    "@s = internal addrspace(3) global [64 x i32] undef\n";

TEST(Findings, Accesses) {
  EXPECT_SAYS("out-of-bounds: read of 4 bytes outside 'p' of 256 bytes, block "
              "(0, 0, 0), thread (31, 0, 0), 'p' at byte 256, at k.cu:4:3",
              {"%i = add i32 %t, 33\n%q = getelementptr i32, ptr %p, i32 %i\n"
               "%v = load i32, ptr %q\nret void\n"});
  EXPECT_SAYS("wild-pointer: write of 4 bytes through a pointer to no buffer, "
              "block (0, 0, 0), thread (0, 0, 0), at k.cu:2:3",
              {"store i32 1, ptr null\nret void\n"});
  EXPECT_SAYS("misaligned: read of 16 bytes that needs an alignment of 16, "
              "block (0, 0, 0), thread (0, 0, 0), 'p' at byte 4, at k.cu:3:3",
              {"%q = getelementptr i8, ptr %p, i64 4\n"
               "%v = load <4 x float>, ptr %q, align 16\nret void\n"});
  EXPECT_SAYS("read-only-write: write of 4 bytes to read-only '@c', block (0, "
              "0, 0), thread (0, 0, 0), '@c' at byte 0, at k.cu:4:3",
              {"%q = addrspacecast ptr addrspace(4) @c to ptr\n"
               "%v = load i32, ptr %q\nstore i32 1, ptr %q\nret void\n",
               "@c = internal addrspace(4) constant i32 5\n"});
  EXPECT_SAYS("uninitialized-read: read of 4 bytes of 's' before anything was "
              "written there, block (0, 0, 0), thread (0, 0, 0), 's' at byte "
              "0, at k.cu:2:3",
              {"%v = load i32, ptr addrspace(3) @s\nret void\n", shared});
  EXPECT_SAYS("out-of-bounds: block copy of 2147483648 bytes, block (0, 0, 0), "
              "thread (0, 0, 0), at k.cu:2:3",
              {"call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 2147483648, "
               "i1 false)\nret void\n",
               "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)\n"});
}

TEST(Findings, Heap) {
  const char *heap = "declare ptr @malloc(i64)\ndeclare void @free(ptr)\n";
  EXPECT_SAYS("use-after-free: read of 4 bytes of 'malloc 1', which has been "
              "freed at k.cu:4:3, block (0, 0, 0), thread (0, 0, 0), 'malloc "
              "1' at byte 0, at k.cu:5:3",
              {"%m = call ptr @malloc(i64 4)\nstore i32 1, ptr %m\n"
               "call void @free(ptr %m)\n%v = load i32, ptr %m\nret void\n",
               heap, 1});
  EXPECT_SAYS("invalid-free: free of an allocation that has been freed at "
              "k.cu:3:3, block (0, 0, 0), thread (0, 0, 0), 'malloc 1' at "
              "byte 0, at k.cu:4:3",
              {"%m = call ptr @malloc(i64 4)\ncall void @free(ptr %m)\n"
               "call void @free(ptr %m)\nret void\n",
               heap, 1});
  EXPECT_SAYS("invalid-free: free of a pointer into the middle of an "
              "allocation, block (0, 0, 0), thread (0, 0, 0), 'malloc 1' at "
              "byte 4, at k.cu:4:3",
              {"%m = call ptr @malloc(i64 8)\n"
               "%q = getelementptr i8, ptr %m, i64 4\n"
               "call void @free(ptr %q)\nret void\n",
               heap, 1});
  EXPECT_SAYS("invalid-free: free of a pointer that malloc did not return, "
              "block (0, 0, 0), thread (0, 0, 0), 'p' at byte 0, at k.cu:2:3",
              {"call void @free(ptr %p)\nret void\n", heap, 1});
}

TEST(Findings, Barriers) {
  const char *two = "br i1 %c, label %yes, label %no\nyes:\n"
                    "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)\n"
                    "ret void\nno:\n"
                    "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)\n"
                    "ret void\n";
  EXPECT_SAYS("barrier-divergence: warps 0 and 1 wait at different block "
              "barriers (the other at k.cu:6:3), block (0, 0, 0), thread (0, "
              "0, 0), at k.cu:4:3",
              {std::string("%c = icmp ult i32 %t, 32\n") + two, "", 64});
  EXPECT_SAYS("barrier-divergence: block barrier waits for lanes that never "
              "arrive: 8 of 32 lanes wait, others wait elsewhere (k.cu:6:3), "
              "block (0, 0, 0), thread (0, 0, 0), at k.cu:4:3",
              {std::string("%c = icmp ult i32 %t, 8\n") + two});
  const char *counted = "declare void "
                        "@llvm.nvvm.barrier.cta.sync.aligned.count(i32, i32)\n";
  auto number = [](const char *id, const char *threads) {
    return std::string("call void @llvm.nvvm.barrier.cta.sync.aligned.count("
                       "i32 ") +
           id + ", i32 " + threads + ")\nret void\n";
  };
  EXPECT_SAYS("barrier-divergence: lanes of one warp name different barriers, "
              "block (0, 0, 0), thread (0, 0, 0), at k.cu:2:3",
              {number("%t", "32"), counted});
  EXPECT_SAYS("barrier-divergence: there are barriers 0 to 15, not 16, block "
              "(0, 0, 0), thread (0, 0, 0), at k.cu:2:3",
              {number("16", "32"), counted});
  EXPECT_SAYS("barrier-divergence: a barrier waits for a multiple of 32 "
              "threads, not 33, block (0, 0, 0), thread (0, 0, 0), at k.cu:2:3",
              {number("1", "33"), counted});
  EXPECT_SAYS("barrier-divergence: barrier 1 waits for 96 threads, 64 arrived, "
              "block (0, 0, 0), thread (0, 0, 0), at k.cu:2:3",
              {number("1", "96"), counted, 64});
}

TEST(Findings, Warps) {
  const char *half = "%c = icmp ult i32 %t, 16\n"
                     "br i1 %c, label %yes, label %end\nyes:\n";
  auto sync = [&](const char *mask) {
    return std::string(half) + "call void @llvm.nvvm.bar.warp.sync(i32 " +
           mask +
           ")\nbr label %end\nend:\n"
           "call void @llvm.nvvm.bar.warp.sync(i32 -1)\nret void\n";
  };
  EXPECT_SAYS("barrier-divergence: warp-wide operation waits for lanes that "
              "never arrive: 16 of 32 lanes wait, others wait elsewhere "
              "(k.cu:6:3), block (0, 0, 0), thread (0, 0, 0), at k.cu:4:3",
              {sync("-1")});
  EXPECT_SAYS("barrier-divergence: lane 1 takes part in a warp-wide operation "
              "whose mask omits it, block (0, 0, 0), thread (1, 0, 0), at "
              "k.cu:4:3",
              {sync("1")});
  EXPECT_SAYS("inactive-lane-read: shuffle reads lane 16, which does not take "
              "part, block (0, 0, 0), thread (0, 0, 0), at k.cu:4:3",
              {std::string(half) +
               "%v = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 65535, i32 %t, "
               "i32 16, i32 31)\nbr label %end\nend:\nret void\n"});
}

TEST(Findings, Ends) {
  EXPECT_SAYS("trap: trap executed, block (0, 0, 0), thread (0, 0, 0), at "
              "k.cu:2:3",
              {"call void @llvm.trap()\nunreachable\n"});
  EXPECT_SAYS("trap: reached code marked unreachable, block (0, 0, 0), thread "
              "(0, 0, 0), at k.cu:2:3",
              {"unreachable\n"});
  EXPECT_SAYS("division-by-zero: integer division by zero, block (0, 0, 0), "
              "thread (0, 0, 0), at k.cu:2:3",
              {"%q = udiv i32 7, %t\nstore i32 %q, ptr %p\nret void\n"});
  Kernel wraps{"%i = sub nsw i32 %t, -2147483648\nstore i32 %i, ptr %p\n"
               "ret void\n",
               "", 1};
  wraps.options.detectSignedWraps = true;
  EXPECT_SAYS("signed-overflow: 0 - -2147483648 is no number of 32 bits, block "
              "(0, 0, 0), thread (0, 0, 0), at k.cu:2:3",
              wraps);
  Kernel endless{"br label %l\nl:\nbr label %l\n", "", 1};
  endless.options.limits.laneInstructions = 100000;
  EXPECT_SAYS("budget-exceeded: does not end within its budget of 100000 lane "
              "instructions, block (0, 0, 0), thread (0, 0, 0), at k.cu:3:3",
              endless);
  endless.options.limits = Limits();
  endless.options.limits.wallMilliseconds = 5;
  EXPECT_SAYS("budget-exceeded: does not end within its budget of time, block "
              "(0, 0, 0), thread (0, 0, 0), at k.cu:3:3",
              endless);
}

TEST(Findings, Waiting) {
  auto wait = [](const char *place) {
    return std::string("br label %wait\nwait:\n%v = load volatile i32, ") +
           place +
           "\n%ok = icmp eq i32 %v, 77\nbr i1 %ok, label %end, label %wait\n"
           "end:\nret void\n";
  };
  EXPECT_SAYS("budget-exceeded: waits in a loop for a value that no thread "
              "will write, block (0, 0, 0), thread (0, 0, 0), at k.cu:3:3",
              {wait("ptr %p"), "", 1});
  EXPECT_SAYS("waits-for-a-block: waits in a loop for another block, which may "
              "not run before this one ends; blocks are executed one by one, "
              "block (0, 0, 0), thread (0, 0, 0), at k.cu:3:3",
              {wait("ptr %p"), "", 1, 2});
}

TEST(Findings, Races) {
  auto racing = [](const std::string &body, uint64_t threads,
                   uint64_t blocks = 1) {
    Kernel kernel{body, std::string(shared) + "!0 = !{}\n", threads, blocks};
    kernel.options.detectRaces = true;
    return kernel;
  };
  const char *neighbour =
      "%q = getelementptr i32, ptr addrspace(3) @s, i32 %t\n"
      "%o = xor i32 %t, 1\n"
      "%r = getelementptr i32, ptr addrspace(3) @s, i32 %o\n"
      "store i32 1, ptr addrspace(3) %q\n"
      "%v = load i32, ptr addrspace(3) %r\nret void\n";
  EXPECT_SAYS("race: load of 4 bytes races with the store by thread (1, 0, 0) "
              "of the same warp at k.cu:5:3: lanes of a warp do not run in "
              "step; put __syncwarp() between the two, block (0, 0, 0), thread "
              "(0, 0, 0), 's' at byte 4, at k.cu:6:3",
              racing(neighbour, 32));
  const char *other = "%q = getelementptr i32, ptr %p, i32 %t\n"
                      "%o = xor i32 %t, 32\n"
                      "%r = getelementptr i32, ptr %p, i32 %o\n"
                      "store i32 1, ptr %q\n"
                      "%v = load i32, ptr %r\nret void\n";
  std::string said = say(racing(other, 64));
  EXPECT_NE(said.find("of the same block at k.cu:"), std::string::npos) << said;
  EXPECT_NE(said.find("put __syncthreads() between the two"), std::string::npos)
      << said;
  EXPECT_SAYS("race: store of 4 bytes races with the store by thread (0, 0, 0) "
              "of the same warp at k.cu:2:3: one instruction stores different "
              "values to one place, and any of them may last, block (0, 0, 0), "
              "thread (1, 0, 0), 'p' at byte 0, at k.cu:2:3",
              racing("store i32 %t, ptr %p\nret void\n", 2));
  EXPECT_SAYS(
      "race: store of 4 bytes races with the store by thread (0, 0, 0) of "
      "block (0, 0, 0) at k.cu:3:3: blocks of one launch are ordered by "
      "nothing but a fence and an atomic after it; use two launches or another "
      "place, block (1, 0, 0), thread (0, 0, 0), 'p' at byte 0, at k.cu:3:3",
      racing("%c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()\n"
             "store i32 %c, ptr %p\nret void\n",
             1, 2));
  EXPECT_SAYS(
      "race: load of 4 bytes races with the store by thread (0, 0, 0) of the "
      "same warp at k.cu:2:3: the load takes the read-only path, which need "
      "not see what its launch writes; load without __ldg or .nc, block (0, 0, "
      "0), thread (0, 0, 0), 'p' at byte 0, at k.cu:3:3",
      racing("store i32 1, ptr %p\n%v = load i32, ptr %p, !invariant.load !0\n"
             "ret void\n",
             1));
}

TEST(Findings, Copies) {
  const std::string globals =
      std::string(shared) +
      "declare void @llvm.nvvm.cp.async.ca.shared.global.4.s("
      "ptr addrspace(3), ptr addrspace(1), i32)\n"
      "declare void @llvm.nvvm.cp.async.wait.all()\n";
  auto copy = [&](const char *to, const char *from, const char *taken,
                  const char *between) {
    return Kernel{
        std::string("%g = addrspacecast ptr %p to ptr addrspace(1)\n"
                    "%h = addrspacecast ptr addrspace(3) @s to ptr\n"
                    "%l = addrspacecast ptr %h to ptr addrspace(1)\n"
                    "%n = addrspacecast ptr %p to ptr addrspace(3)\n"
                    "call void @llvm.nvvm.cp.async.ca.shared.global.4.s(ptr "
                    "addrspace(3) ") +
            to + ", ptr addrspace(1) " + from + ", i32 " + taken + ")\n" +
            between + "call void @llvm.nvvm.cp.async.wait.all()\nret void\n",
        globals, 1};
  };
  EXPECT_SAYS("out-of-bounds: asynchronous copy of 4 bytes that takes 5, block "
              "(0, 0, 0), thread (0, 0, 0), 'p' at byte 0, at k.cu:6:3",
              copy("@s", "%g", "5", ""));
  EXPECT_SAYS("wild-pointer: asynchronous copy from an address outside global "
              "memory, block (0, 0, 0), thread (0, 0, 0), 's' at byte 0, at "
              "k.cu:6:3",
              copy("@s", "%l", "4", ""));
  EXPECT_SAYS("wild-pointer: asynchronous copy to an address outside shared "
              "memory, block (0, 0, 0), thread (0, 0, 0), 'p' at byte 0, at "
              "k.cu:6:3",
              copy("%n", "%g", "4", ""));
  EXPECT_SAYS("race: the source of an asynchronous copy changes before the "
              "copy has been waited for, block (0, 0, 0), thread (0, 0, 0), "
              "'p' at byte 0, at k.cu:6:3",
              copy("@s", "%g", "4", "store i32 7, ptr %p\n"));
  EXPECT_SAYS("race: the destination of an asynchronous copy is written before "
              "the copy has been waited for, block (0, 0, 0), thread (0, 0, "
              "0), 's' at byte 0, at k.cu:6:3",
              copy("@s", "%g", "4", "store i32 7, ptr addrspace(3) @s\n"));
}

TEST(Findings, Matrices) {
  const char *rows = "declare i32 "
                     "@llvm.nvvm.ldmatrix.sync.aligned.m8n8.x1.b16.p0(ptr)\n";
  EXPECT_SAYS("wild-pointer: matrix row at an address outside shared memory, "
              "block (0, 0, 0), thread (0, 0, 0), 'p' at byte 0, at k.cu:2:3",
              {"%r = call i32 @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x1.b16.p0("
               "ptr %p)\nret void\n",
               rows});
  const char *tile =
      "declare {float, float, float, float, float, float, float, float} "
      "@llvm.nvvm.wmma.m16n16k16.load.c.row.stride.f32.p0(ptr, i32)\n";
  auto load = [](const std::string &before, const char *place,
                 const char *stride) {
    return before +
           "%r = call {float, float, float, float, float, float, float, float} "
           "@llvm.nvvm.wmma.m16n16k16.load.c.row.stride.f32.p0(ptr " +
           place + ", i32 " + stride + ")\nret void\n";
  };
  EXPECT_SAYS("barrier-divergence: lanes of one warp name different matrices, "
              "block (0, 0, 0), thread (0, 0, 0), at k.cu:2:3",
              {load("", "%p", "%t"), tile});
  EXPECT_SAYS(
      "misaligned: matrix of fragments that needs an alignment of 32, "
      "block (0, 0, 0), thread (0, 0, 0), 'p' at byte 4, at k.cu:3:3",
      {load("%q = getelementptr i8, ptr %p, i64 4\n", "%q", "16"), tile});
  EXPECT_SAYS("misaligned: a stride of 17 elements is no multiple of 16 bytes, "
              "block (0, 0, 0), thread (0, 0, 0), at k.cu:2:3",
              {load("", "%p", "17"), tile});
  EXPECT_SAYS("barrier-divergence: an operation on matrices needs all 32 lanes "
              "of its warp, and 16 take part, block (0, 0, 0), thread (0, 0, "
              "0), at k.cu:2:3",
              {load("", "%p", "16"), tile, 16});
}

/// What no launch is made of.
TEST(Findings, Launches) {
  Fixture f;
  ASSERT_TRUE(f.text(kernelIR("ptr %p, i32 %n", "ret void\n"))) << f.error;
  BufferId b = f.output("p", 4);
  std::vector<Argument> good = {f.ptr(b), Argument(1, 4)};
  auto says = [&](Dim3 grid, Dim3 block, std::vector<Argument> args,
                  const Options &options = {}, uint64_t dynamic = 0,
                  const char *kernel = "k") {
    return all(f.run(kernel, grid, block, args, options, dynamic));
  };
  EXPECT_EQ(says({0, 1, 1}, {1, 1, 1}, good),
            "launch-failure: grid (0, 1, 1) outside the limits (2147483647, "
            "65535, 65535)\n");
  EXPECT_EQ(says({1, 1, 1}, {1, 1, 65}, good),
            "launch-failure: block (1, 1, 65) outside the limits (1024, 1024, "
            "64)\n");
  EXPECT_EQ(says({1, 1, 1}, {64, 32, 1}, good),
            "launch-failure: block (64, 32, 1) has more than 1024 threads\n");
  EXPECT_EQ(says({1, 1, 1}, {1, 1, 1}, good, {}, 1 << 20),
            "launch-failure: 1048576 bytes of shared memory exceed the limit "
            "of 232448\n");
  EXPECT_EQ(says({1, 1, 1}, {1, 1, 1}, {f.ptr(b)}),
            "launch-failure: kernel 'k' takes 2 arguments, 1 given\n");
  EXPECT_EQ(says({1, 1, 1}, {1, 1, 1}, {f.ptr(b), Argument(1, 8)}),
            "launch-failure: argument 1 ('n') has 8 bytes, 4 expected\n");
  EXPECT_EQ(says({1, 1, 1}, {1, 1, 1}, good, {}, 0, "other"),
            "launch-failure: no kernel named 'other'\n");
  Options field;
  field.shadow = Shadow::ValueAndField;
  EXPECT_EQ(says({1, 1, 1}, {1, 1, 1}, good, field),
            "launch-failure: field values need both the mode and an arena\n");
  LaunchParams params;
  params.kernel = "k";
  params.args = good;
  params.blocks = {5};
  EXPECT_EQ(all(launch(*f.program, params, f.memory, {})),
            "launch-failure: block 5 is not in the grid\n");
}

/// What the host has no room for.
TEST(Findings, HostBudget) {
  auto says = [](const std::string &body, const std::string &globals,
                 uint64_t bytes, uint64_t threads = 32,
                 const std::string &params = "ptr %p") {
    Fixture f;
    if (!f.text(kernelIR(params, body, globals)))
      return f.error;
    Options options;
    options.limits.hostBytes = bytes;
    std::vector<Argument> args = {f.ptr(f.output("p", 4))};
    return all(f.run("k", {1, 1, 1}, {threads, 1, 1}, args, options));
  };
  EXPECT_EQ(says("store i32 1, ptr addrspace(3) @s\nret void\n",
                 "@s = internal addrspace(3) global [8192 x i32] undef\n",
                 8192),
            "budget-exceeded: shared memory does not fit the host budget, "
            "block (0, 0, 0), thread (0, 0, 0)\n");
  EXPECT_EQ(
      says("%a = alloca [64 x i32]\nstore i32 1, ptr %a\nret void\n", "", 8192),
      "budget-exceeded: local memory does not fit the host budget, block "
      "(0, 0, 0), thread (0, 0, 0)\n");
  Fixture large;
  ASSERT_TRUE(large.text(kernelIR("ptr byval([4096 x i8]) %p", "ret void\n")));
  Options little;
  little.limits.hostBytes = 1024;
  Argument bytes;
  bytes.bytes.resize(4096);
  EXPECT_EQ(all(large.run("k", {1, 1, 1}, {1, 1, 1}, {bytes}, little)),
            "budget-exceeded: parameters do not fit the host budget, block (0, "
            "0, 0), thread (0, 0, 0)\n");
  EXPECT_EQ(says("ret void\n", "", 64),
            "budget-exceeded: constants do not fit the host budget, block (0, "
            "0, 0), thread (0, 0, 0)\n");
  EXPECT_EQ(says("store i32 %t, ptr %p\nret void\n", "", 2048, 1024),
            "budget-exceeded: register files do not fit the host budget, block "
            "(0, 0, 0), thread (0, 0, 0)\n");
}

/// Buffers that are too large to be, or to be touched.
TEST(Findings, Buffers) {
  auto says = [](uint64_t bytes, bool sparse, uint64_t blocks) {
    Fixture f;
    EXPECT_TRUE(f.text(kernelIR("ptr %p", R"(
      %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
      %b = mul i32 %c, 32
      %n = add i32 %b, %t
      %q = getelementptr [256 x i8], ptr %p, i32 %n
      store i32 1, ptr %q
      ret void)")))
        << f.error;
    BufferSpec spec;
    spec.name = "large";
    spec.bytes = bytes;
    spec.sparse = sparse;
    spec.storage = uint64_t(1) << 20;
    BufferId b = f.memory.addBuffer(spec);
    return all(f.run("k", {blocks, 1, 1}, {32, 1, 1}, {f.ptr(b)}));
  };
  EXPECT_EQ(says(uint64_t(1) << 62, false, 1),
            "budget-exceeded: buffer 'large' could not be mapped, block (0, 0, "
            "0), thread (0, 0, 0)\n");
  EXPECT_EQ(says(uint64_t(1) << 40, true, 100), "");
  std::string said = says(uint64_t(1) << 40, true, 4000);
  EXPECT_NE(said.find("budget-exceeded: touches more of a sparse buffer than "
                      "can be kept, block ("),
            std::string::npos)
      << said;
}

TEST(Findings, Notes) {
  Fixture f;
  ASSERT_TRUE(f.text(kernelIR("ptr %p",
                              "%r = call i32 @vprintf(ptr %p, ptr %p)\n"
                              "ret void\n",
                              "declare i32 @vprintf(ptr, ptr)\n")))
      << f.error;
  ASSERT_EQ(f.program->notes().size(), 1u);
  EXPECT_EQ(f.program->notes()[0], "printf ignored in k");
}

/// What the engine does not know, named with its place.
TEST(Findings, Unsupported) {
  EXPECT_REFUSES("unsupported: call of 'r' that is not inlined (recursion?) at "
                 "k.cu:2:3",
                 {"call void @r(i32 %t)\nret void\n",
                  "define void @r(i32 %n) {\ncall void @r(i32 %n)\nret void\n"
                  "}\n"});
  // What it does is in its body, whatever it is called.
  EXPECT_REFUSES("unsupported: call of 'saturatef' that is not inlined "
                 "(recursion?) at k.cu:2:3",
                 {"%v = call float @saturatef(float 2.0)\nret void\n",
                  "define float @saturatef(float %x) {\n"
                  "%y = call float @saturatef(float %x)\nret float %y\n}\n"});
  EXPECT_REFUSES("unsupported: call of '__nv_sqrtf' that is not inlined "
                 "(recursion?) at k.cu:2:3",
                 {"%v = call float @__nv_sqrtf(float 2.0)\nret void\n",
                  "define float @__nv_sqrtf(float %x) {\n"
                  "%y = call float @__nv_sqrtf(float %x)\nret float %y\n}\n"});
  EXPECT_REFUSES("unsupported: indirect call at k.cu:3:3",
                 {"%f = load ptr, ptr %p\ncall void %f()\nret void\n"});
  EXPECT_REFUSES("unsupported: 'roundeven' on this type at k.cu:2:3",
                 {"%v = call i32 @__nv_roundeven(i32 %t)\nret void\n",
                  "declare i32 @__nv_roundeven(i32)\n"});
  // What is linked in takes a double, whatever the caller hands over.
  EXPECT_REFUSES("unsupported: call of '__nv_exp' with other types than "
                 "libdevice has, f64 f64 at k.cu:2:3",
                 {"%v = call float @__nv_exp(float 2.0)\nret void\n",
                  "declare float @__nv_exp(float)\n"});
  EXPECT_REFUSES("unsupported: call of '__nv_powf' with other types than "
                 "libdevice has, f32 f32 f32 at k.cu:2:3",
                 {"%v = call float @__nv_powf(float 2.0)\nret void\n",
                  "declare float @__nv_powf(float)\n"});
  EXPECT_REFUSES("unsupported: call of 'llvm.sincos' at k.cu:2:3",
                 {"%v = call {float, float} @llvm.sincos.f32(float 1.0)\n"
                  "ret void\n",
                  "declare {float, float} @llvm.sincos.f32(float)\n"});
  EXPECT_REFUSES("unsupported: funnel shift of 16 bits at k.cu:2:3",
                 {"%v = call i16 @llvm.fshl.i16(i16 1, i16 2, i16 3)\n"
                  "ret void\n",
                  "declare i16 @llvm.fshl.i16(i16, i16, i16)\n"});
  EXPECT_REFUSES("unsupported: bitcast between 8- and 1-bit elements at "
                 "k.cu:3:3",
                 {"%a = trunc i32 %t to i8\n%v = bitcast i8 %a to <8 x i1>\n"
                  "ret void\n"});
  EXPECT_REFUSES("unsupported: array value of 5000 elements at k.cu:2:3",
                 {"%v = load [5000 x i32], ptr %p\nret void\n"});
  EXPECT_REFUSES("unsupported: vector element type at k.cu:2:3",
                 {"%v = load <2 x fp128>, ptr %p\nret void\n"});
  EXPECT_REFUSES("unsupported: integer constant wider than 64 bits at k.cu:2:3",
                 {"store i256 7, ptr %p\nret void\n"});
  EXPECT_REFUSES("unsupported: floating-point constant type at k.cu:2:3",
                 {"store fp128 0xL00000000000000000000000000000001, ptr %p\n"
                  "ret void\n"});
  EXPECT_REFUSES("unsupported: getelementptr of vectors at k.cu:2:3",
                 {"%v = getelementptr i32, ptr %p, <2 x i32> <i32 1, i32 2>\n"
                  "ret void\n"});
  EXPECT_REFUSES("unsupported: load of 48-bit elements at k.cu:2:3",
                 {"%v = load i48, ptr %p\nret void\n"});
  EXPECT_REFUSES("unsupported: store of 48-bit elements at k.cu:2:3",
                 {"store i48 7, ptr %p\nret void\n"});
  EXPECT_REFUSES("unsupported: alloca of dynamic size at k.cu:2:3",
                 {"%v = alloca i32, i32 %t\nret void\n"});
  EXPECT_REFUSES(
      "unsupported: initializer of global 'g'",
      {"ret void\n", "@g = internal global i64 ptrtoint (ptr @g to i64)\n"});
  std::string said =
      say({"%a = add i32 %b, 1\n%b = add i32 %t, 1\nret void\n"});
  EXPECT_EQ(said.find("invalid module: Instruction does not dominate all uses"),
            0u)
      << said;
  Fixture f;
  EXPECT_FALSE(f.text("define ptx_kernel void @k({ i32, i32 } %a) {\n"
                      "ret void\n}\n"));
  EXPECT_EQ(f.error, "unsupported: aggregate parameter passed in registers at "
                     "function k");
}

} // namespace
