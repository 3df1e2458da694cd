// Where variables lie, and who reaches them. Variables of a module and
// parameters are aligned as they are declared and no better, and an instruction
// that names one memory reaches no other.
#include "Harness.h"

using namespace evo::sim;
using namespace evo::sim::test;

namespace {

/// One thread over "p", 64 ints.
LaunchResult run(const std::string &body, const std::string &globals = "") {
  Fixture f;
  if (!f.text(kernelIR("ptr %p", body + "ret void\n", globals))) {
    ADD_FAILURE() << f.error;
    return {};
  }
  BufferId b = f.buffer("p", std::vector<int>(64));
  return f.run("k", {1, 1, 1}, {1, 1, 1}, {f.ptr(b)});
}

TEST(Places, VariablesOfAModuleAreAlignedAsDeclared) {
  const std::string load = "%v = load <4 x float>, ptr addrspace(1) @table, "
                           "align 16\nstore <4 x float> %v, ptr %p, align 4\n";
  auto table = [](const char *align) {
    return std::string("@table = addrspace(1) global [8 x float] "
                       "zeroinitializer") +
           align + "\n";
  };
  EXPECT_FINDING(run(load, table(", align 4")), Misaligned);
  EXPECT_FINDING(run(load, table(", align 8")), Misaligned);
  EXPECT_FINDING(run(load, table("")), Misaligned);
  EXPECT_CLEAN(run(load, table(", align 16")));
  EXPECT_CLEAN(run(load, table(", align 32")));
  const std::string constant =
      "%v = load i64, ptr addrspace(4) @c, align 8\nstore i64 %v, ptr %p\n";
  EXPECT_FINDING(
      run(constant, "@c = addrspace(4) constant [2 x i32] [i32 1, i32 2]\n"),
      Misaligned);
  EXPECT_CLEAN(run(constant, "@c = addrspace(4) constant [2 x i32] "
                             "[i32 1, i32 2], align 8\n"));
  // Their addresses in each other are what they are.
  EXPECT_CLEAN(run("%a = load ptr, ptr addrspace(1) @q\n"
                   "%v = load i32, ptr %a\nstore i32 %v, ptr %p\n",
                   "@x = addrspace(1) global [3 x i32] zeroinitializer, "
                   "align 4\n@q = addrspace(1) global ptr addrspacecast (ptr "
                   "addrspace(1) getelementptr (i32, ptr addrspace(1) @x, i32 "
                   "2) to ptr)\n"));
}

TEST(Places, ParametersAreAlignedAsDeclared) {
  for (unsigned align : {4, 16}) {
    Fixture f;
    ASSERT_TRUE(f.text(kernelIR(
        "ptr byval([4 x float]) align " + std::to_string(align) + " %a, ptr %p",
        "%v = load <4 x float>, ptr %a, align 16\n"
        "store <4 x float> %v, ptr %p, align 4\nret void\n")))
        << f.error;
    BufferId b = f.output("p", 16);
    const float data[] = {1, 2, 3, 4};
    LaunchResult r =
        f.run("k", {1, 1, 1}, {1, 1, 1}, {Argument::byVal(data, 16), f.ptr(b)});
    if (align == 4) {
      EXPECT_FINDING(r, Misaligned);
      continue;
    }
    EXPECT_CLEAN(r);
    EXPECT_EQ(f.read<float>(b), std::vector<float>({1, 2, 3, 4}));
  }
}

/// A pair of halves is one access, though each half is an atomic of its own.
TEST(Places, PairsOfHalvesAreAlignedAsOne) {
  for (const char *add :
       {"%o = atomicrmw fadd ptr %q, <2 x half> <half 1.0, half 1.0> "
        "monotonic\n",
        "call void asm sideeffect \"red.global.add.noftz.f16x2 [$0], $1;\", "
        "\"l,r\"(ptr %q, i32 1006648320)\n",
        "%o = call i32 asm sideeffect \"atom.add.noftz.bf16x2 $0, [$1], $2;\", "
        "\"=r,l,r\"(ptr %q, i32 0)\n"}) {
    for (int place : {0, 2, 4, 6}) {
      LaunchResult r = run("%q = getelementptr i8, ptr %p, i32 " +
                           std::to_string(place) + "\n" + add);
      if (place % 4)
        EXPECT_FINDING(r, Misaligned);
      else
        EXPECT_CLEAN(r);
    }
  }
  // A half by itself may lie there.
  EXPECT_CLEAN(run("%q = getelementptr i8, ptr %p, i32 2\n"
                   "%o = atomicrmw fadd ptr %q, half 1.0 monotonic\n"));
}

const std::string variables =
    "@g = addrspace(1) global i32 7\n"
    "@c = addrspace(4) constant i32 7\n"
    "@s = internal addrspace(3) global i32 undef\n"
    "declare i32 @llvm.nvvm.ldg.global.i.i32.p0(ptr, i32)\n"
    "declare i1 @llvm.nvvm.isspacep.global(ptr)\n"
    "declare i1 @llvm.nvvm.isspacep.const(ptr)\n"
    "declare void @llvm.memcpy.p1.p0.i64(ptr addrspace(1), ptr, i64, i1)\n"
    "declare void @llvm.memcpy.p0.p1.i64(ptr, ptr addrspace(1), i64, i1)\n"
    "declare ptr @malloc(i64)\n";

/// Makes %q, a generic address of an int that holds something.
std::string addressOf(const std::string &what) {
  if (what == "buffer")
    return "%q = getelementptr i32, ptr %p, i32 1\n";
  if (what == "heap")
    return "%q = call ptr @malloc(i64 4)\nstore i32 1, ptr %q\n";
  if (what == "local")
    return "%q = alloca i32\nstore i32 1, ptr %q\n";
  const std::string cast = what == "global"     ? "1) @g"
                           : what == "constant" ? "4) @c"
                                                : "3) @s";
  return "%q = addrspacecast ptr addrspace(" + cast + " to ptr\n" +
         (what == "shared" ? "store i32 1, ptr %q\n" : "");
}

/// What names a memory, in each way in which one can.
TEST(Places, InstructionsReachTheMemoryTheyName) {
  const struct {
    const char *named, *text;
  } accesses[] = {
      {"global", "%n = addrspacecast ptr %q to ptr addrspace(1)\n"
                 "%v = load i32, ptr addrspace(1) %n\n"},
      {"global", "%n = addrspacecast ptr %q to ptr addrspace(1)\n"
                 "%v = load i32, ptr addrspace(1) %n, !invariant.load !{}\n"},
      {"global", "%v = call i32 @llvm.nvvm.ldg.global.i.i32.p0(ptr %q, i32 "
                 "4)\n"},
      {"global", "%v = call i32 asm \"ld.global.nc.b32 $0, [$1];\", "
                 "\"=r,l\"(ptr %q)\n"},
      {"global", "%v = call i32 asm \"ld.global.b32 $0, [$1];\", "
                 "\"=r,l\"(ptr %q)\n"},
      {"global", "%n = addrspacecast ptr %q to ptr addrspace(1)\n"
                 "call void @llvm.memcpy.p0.p1.i64(ptr %p, ptr addrspace(1) "
                 "%n, i64 4, i1 false)\n"},
      {"shared", "%n = addrspacecast ptr %q to ptr addrspace(3)\n"
                 "%v = load i32, ptr addrspace(3) %n\n"},
      {"constant", "%n = addrspacecast ptr %q to ptr addrspace(4)\n"
                   "%v = load i32, ptr addrspace(4) %n\n"},
      {"local", "%n = addrspacecast ptr %q to ptr addrspace(5)\n"
                "%v = load i32, ptr addrspace(5) %n\n"},
      {"any", "%v = load i32, ptr %q\n"},
      {"any", "%v = call i32 asm \"ld.b32 $0, [$1];\", \"=r,l\"(ptr %q)\n"},
  };
  for (const auto &access : accesses)
    for (const std::string what :
         {"buffer", "heap", "global", "constant", "shared", "local"}) {
      const std::string named = access.named;
      const bool isGlobal =
          what == "buffer" || what == "heap" || what == "global";
      LaunchResult r = run(addressOf(what) + access.text, variables);
      if (named == "any" || named == (isGlobal ? "global" : what)) {
        EXPECT_CLEAN(r) << access.text << what;
        continue;
      }
      EXPECT_FINDING(r, NullOrWildPointer);
      EXPECT_EQ(r.findings[0].message, "an instruction for " + named +
                                           " memory is given an address "
                                           "elsewhere");
    }
}

TEST(Places, WritesReachTheMemoryTheyName) {
  const std::string named = "%n = addrspacecast ptr %q to ptr addrspace(1)\n";
  for (const std::string &write :
       {named + "store i32 5, ptr addrspace(1) %n\n",
        named + "%o = atomicrmw add ptr addrspace(1) %n, i32 1 monotonic\n",
        named + "%o = cmpxchg ptr addrspace(1) %n, i32 0, i32 1 monotonic "
                "monotonic\n",
        named + "call void @llvm.memcpy.p1.p0.i64(ptr addrspace(1) %n, ptr %p, "
                "i64 4, i1 false)\n",
        std::string("call void asm sideeffect \"st.global.b32 [$0], $1;\", "
                    "\"l,r\"(ptr %q, i32 5)\n"),
        std::string("call void asm sideeffect \"red.global.add.u32 [$0], "
                    "$1;\", \"l,r\"(ptr %q, i32 5)\n")})
    for (const char *what : {"buffer", "shared", "local"}) {
      LaunchResult r = run(addressOf(what) + write, variables);
      if (std::string(what) == "buffer")
        EXPECT_CLEAN(r) << write;
      else
        EXPECT_FINDING(r, NullOrWildPointer);
    }
}

/// Programs may ask first.
TEST(Places, ConstantMemoryIsNotGlobal) {
  for (const std::string what : {"buffer", "constant"})
    for (const std::string space : {"global", "const"}) {
      const bool isThere = (what == "constant") == (space == "const");
      LaunchResult r = run(
          addressOf(what) + "%is = call i1 @llvm.nvvm.isspacep." + space +
              "(ptr %q)\n" + "%z = zext i1 %is to i32\n%v = udiv i32 1, %z\n",
          variables);
      if (isThere)
        EXPECT_CLEAN(r) << what << space;
      else
        EXPECT_FINDING(r, DivisionByZero);
    }
}

} // namespace
