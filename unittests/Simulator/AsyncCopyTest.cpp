// Copies that end when they are waited for. The smallest kernels that use
// cp.async rightly, each beside those that leave out one thing. 64 threads copy
// 16 bytes each.
#include "Harness.h"

using namespace evo::sim;
using namespace evo::sim::test;

namespace {

const char *const sharedGlobals =
    "@s = internal addrspace(3) global [512 x i32] undef, align 16\n"
    "declare void @llvm.nvvm.cp.async.cg.shared.global.16("
    "ptr addrspace(3), ptr addrspace(1))\n"
    "declare void @llvm.nvvm.cp.async.ca.shared.global.4.s("
    "ptr addrspace(3), ptr addrspace(1), i32)\n"
    "declare void @llvm.nvvm.cp.async.commit.group()\n"
    "declare void @llvm.nvvm.cp.async.wait.group(i32 immarg)\n"
    "declare void @llvm.nvvm.cp.async.wait.all()\n"
    "declare ptr @malloc(i64)\ndeclare void @free(ptr)\n"
    "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)\n";

/// %to and %from are this thread's 16 bytes, %back those of the other warp;
/// %to2 and %from2 lie 256 words further. The body ends in a value %v.
LaunchResult run(const std::string &body, std::vector<uint32_t> *out = nullptr,
                 uint64_t threads = 64) {
  Fixture f;
  const std::string prefix = R"(
    %n = mul i32 %t, 4
    %to = getelementptr i32, ptr addrspace(3) @s, i32 %n
    %n2 = add i32 %n, 256
    %to2 = getelementptr i32, ptr addrspace(3) @s, i32 %n2
    %small = ptrtoint ptr addrspace(3) %to to i32
    %p1 = addrspacecast ptr %p to ptr addrspace(1)
    %from = getelementptr i32, ptr addrspace(1) %p1, i32 %n
    %from2 = getelementptr i32, ptr addrspace(1) %p1, i32 %n2
    %far = xor i32 %n, 128
    %back = getelementptr i32, ptr addrspace(3) @s, i32 %far
    %far2 = xor i32 %n2, 128
    %back2 = getelementptr i32, ptr addrspace(3) @s, i32 %far2
  )";
  const std::string end = "%o = getelementptr i32, ptr %q, i32 %t\n"
                          "store i32 %v, ptr %o\nret void\n";
  if (!f.text(kernelIR("ptr %p, ptr %q", prefix + body + end, sharedGlobals))) {
    ADD_FAILURE() << f.error;
    return {};
  }
  std::vector<uint32_t> data(512);
  for (unsigned i = 0; i < data.size(); ++i)
    data[i] = 1000 + i;
  BufferId p = f.buffer("p", data), q = f.output("q", threads * 4);
  Options o;
  o.detectRaces = true;
  auto r = f.run("k", {1, 1, 1}, {threads, 1, 1}, {f.ptr(p), f.ptr(q)}, o);
  if (out)
    *out = f.read<uint32_t>(q);
  return r;
}

const std::string copyOne =
    "call void @llvm.nvvm.cp.async.cg.shared.global.16(ptr addrspace(3) %to, "
    "ptr addrspace(1) %from)\n";
const std::string copyOther =
    "call void @llvm.nvvm.cp.async.cg.shared.global.16(ptr addrspace(3) %to2, "
    "ptr addrspace(1) %from2)\n";
const std::string commitGroup =
    "call void @llvm.nvvm.cp.async.commit.group()\n";
const std::string blockBarrier =
    "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)\n";
const std::string waitForAll = "call void @llvm.nvvm.cp.async.wait.all()\n";

std::string wait(unsigned left) {
  return "call void @llvm.nvvm.cp.async.wait.group(i32 " +
         std::to_string(left) + ")\n";
}
std::string load(const std::string &from, const std::string &name = "v") {
  return "%" + name + " = load i32, ptr addrspace(3) %" + from + "\n";
}

TEST(AsyncCopies, ArriveAtTheWait) {
  std::vector<uint32_t> got;
  EXPECT_CLEAN(run(copyOne + commitGroup + wait(0) + load("to"), &got));
  EXPECT_EQ(got[5], 1020u);
  EXPECT_CLEAN(run(copyOne + waitForAll + load("to"), &got));
  EXPECT_EQ(got[6], 1024u);
  EXPECT_CLEAN(
      run(copyOne + commitGroup + wait(0) + blockBarrier + load("back"), &got));
  EXPECT_EQ(got[1], 1000u + (4 ^ 128));
}

TEST(AsyncCopies, AMissingWaitIsAReadOfNothing) {
  EXPECT_FINDING(run(copyOne + commitGroup + load("to")), UninitializedRead);
  // Not committed: the wait for groups does not cover it.
  EXPECT_FINDING(run(copyOne + wait(0) + load("to")), UninitializedRead);
  // A barrier waits for no copy.
  EXPECT_FINDING(run(copyOne + commitGroup + blockBarrier + load("to")),
                 UninitializedRead);
  // What was there before is gone as soon as the copy starts.
  EXPECT_FINDING(run("store i32 7, ptr addrspace(3) %to\n" + copyOne +
                     commitGroup + load("to")),
                 UninitializedRead);
}

TEST(AsyncCopies, GroupsAreCounted) {
  std::vector<uint32_t> got;
  const std::string two = copyOne + commitGroup + copyOther + commitGroup;
  EXPECT_CLEAN(run(two + wait(1) + load("to"), &got));
  EXPECT_EQ(got[3], 1012u);
  EXPECT_FINDING(run(two + wait(1) + load("to2")), UninitializedRead);
  EXPECT_FINDING(run(two + wait(2) + load("to")), UninitializedRead);
  EXPECT_CLEAN(run(two + wait(0) + load("to2"), &got));
  EXPECT_EQ(got[3], 1268u);
  // An empty group counts as one.
  EXPECT_CLEAN(run(copyOne + commitGroup + commitGroup + wait(1) + load("to")));
  // One group of two copies.
  EXPECT_CLEAN(run(copyOne + copyOther + commitGroup + wait(0) + load("to2")));
  EXPECT_FINDING(run(copyOne + copyOther + commitGroup + wait(1) + load("to")),
                 UninitializedRead);
  // Threads count for themselves: the second warp's lanes have an older group.
  const std::string more = "%second = icmp uge i32 %t, 40\n"
                           "br i1 %second, label %then, label %join\nthen:\n" +
                           commitGroup + "br label %join\njoin:\n";
  EXPECT_FINDING(run(copyOne + commitGroup + more + wait(1) + load("to")),
                 UninitializedRead);
}

TEST(AsyncCopies, OthersNeedABarrierAfterTheWait) {
  // The other warp may not have waited yet, or not started its copy.
  for (const std::string &early :
       {copyOne + commitGroup + wait(0),
        copyOne + commitGroup + blockBarrier + wait(0)}) {
    auto r = run(early + load("back"));
    ASSERT_EQ(r.findings.size(), 1u) << all(r);
    EXPECT_TRUE(r.findings[0].kind == FindingKind::UninitializedRead ||
                r.findings[0].kind == FindingKind::Race)
        << all(r);
  }
}

TEST(AsyncCopies, TheNextOneNeedsABarrierAfterTheReads) {
  const std::string round = copyOne + commitGroup + wait(0) + blockBarrier;
  const std::string again =
      "call void @llvm.nvvm.cp.async.cg.shared.global.16(ptr addrspace(3) %to, "
      "ptr addrspace(1) %from2)\n" +
      commitGroup + wait(0);
  EXPECT_FINDING(run(round + load("back") + again), Race);
  EXPECT_CLEAN(run(round + load("back") + blockBarrier + again));
}

TEST(AsyncCopies, NothingMayTouchWhatIsInFlight) {
  EXPECT_FINDING(run(copyOne + commitGroup +
                     "store i32 1, ptr addrspace(3) %to\n" + wait(0) +
                     load("to")),
                 Race);
  EXPECT_FINDING(run(copyOne + commitGroup +
                     "store i32 1, ptr addrspace(1) %from\n" + wait(0) +
                     load("to")),
                 Race);
  EXPECT_CLEAN(run(copyOne + commitGroup + wait(0) +
                   "store i32 1, ptr addrspace(1) %from\n" + load("to")));
  // Two copies to one place.
  EXPECT_FINDING(run(copyOne + copyOne + commitGroup + wait(0) + load("to")),
                 Race);
}

TEST(AsyncCopies, TheSourceLivesUntilTheWait) {
  // From an allocation of the thread's own.
  const std::string allocate = "%m = call ptr @malloc(i64 16)\n"
                               "call void @llvm.memset.p0.i64(ptr %m, i8 1, "
                               "i64 16, i1 false)\n"
                               "%m1 = addrspacecast ptr %m to ptr addrspace(1)"
                               "\ncall void @llvm.nvvm.cp.async.cg.shared."
                               "global.16(ptr addrspace(3) %to, ptr "
                               "addrspace(1) %m1)\n" +
                               commitGroup,
                    release = "call void @free(ptr %m)\n";
  EXPECT_CLEAN(run(allocate + wait(0) + release + load("to")));
  EXPECT_FINDING(run(allocate + release + wait(0) + load("to")), UseAfterFree);
}

std::string inPTX(const std::string &text, const std::string &constraints,
                  const std::string &values) {
  return "call void asm sideeffect \"" + text + "\", \"" + constraints + "\"(" +
         values + ")\n";
}

TEST(AsyncCopies, InPTX) {
  std::vector<uint32_t> got;
  const std::string third = "%at = getelementptr i32, ptr addrspace(3) %to, "
                            "i32 2\n" +
                            load("at");
  auto sized = [&](const std::string &size) {
    return run(
        inPTX("cp.async.ca.shared.global.L2::128B [$0], [$1], 16, $2;\\0A"
              "cp.async.commit_group; cp.async.wait_group 0;",
              "r,l,r", "i32 %small, ptr addrspace(1) %from, i32 " + size) +
            third,
        &got);
  };
  EXPECT_CLEAN(sized("16"));
  EXPECT_EQ(got[2], 1010u);
  // What is not taken is zero.
  EXPECT_CLEAN(sized("8"));
  EXPECT_EQ(got[2], 0u);
  EXPECT_CLEAN(sized("0"));
  EXPECT_FINDING(sized("17"), OutOfBounds);
  auto ignoring = [&](const std::string &predicate) {
    return run("%x = icmp slt i32 %t, " + predicate + "\n" +
                   inPTX("cp.async.cg.shared.global [$0], [$1+0], $3, $2; "
                         "cp.async.wait_all;",
                         "r,l,b,n",
                         "i32 %small, ptr addrspace(1) %from, i1 %x, i32 16") +
                   third,
               &got);
  };
  EXPECT_CLEAN(ignoring("3"));
  EXPECT_EQ(got[2], 0u);
  EXPECT_EQ(got[3], 1014u);
  // Guarded, as hand-written code does it: the others keep what they had.
  EXPECT_FINDING(
      run("%g = icmp slt i32 %t, 3\n" +
          inPTX("@$2 cp.async.ca.shared.global [$0], [$1], 16;", "r,l,b",
                "i32 %small, ptr addrspace(1) %from, i1 %g") +
          waitForAll + load("to")),
      UninitializedRead);
}

TEST(AsyncCopies, AddressesAreChecked) {
  auto copy = [](const std::string &bytes, const std::string &to,
                 const std::string &from) {
    return run("%a = add i32 %small, " + to +
               "\n%b = getelementptr i8, ptr addrspace(1) %from, i32 " + from +
               "\n" +
               inPTX("cp.async.ca.shared.global [$0], [$1], " + bytes +
                         "; cp.async.wait_all;",
                     "r,l", "i32 %a, ptr addrspace(1) %b") +
               "%v = add i32 %t, 0\n");
  };
  EXPECT_CLEAN(copy("16", "0", "1024"));
  EXPECT_CLEAN(copy("8", "8", "1032"));
  EXPECT_FINDING(copy("16", "8", "0"), Misaligned);
  EXPECT_FINDING(copy("16", "0", "8"), Misaligned);
  EXPECT_FINDING(copy("16", "1040", "0"), OutOfBounds);
  EXPECT_FINDING(copy("16", "0", "1040"), OutOfBounds);
  EXPECT_FINDING(copy("4", "0", "-4"), OutOfBounds);
  // The number of no variable.
  EXPECT_FINDING(run(inPTX("cp.async.ca.shared.global [$0], [$1], 4;", "r,l",
                           "i32 64, ptr addrspace(1) %from") +
                     "%v = add i32 %t, 0\n"),
                 NullOrWildPointer);
}

TEST(AsyncCopies, ShadowValuesTravelAlong) {
  Fixture f;
  ASSERT_TRUE(f.text(
      kernelIR("ptr %p, ptr %q",
               "%to = getelementptr float, ptr addrspace(3) @s, i32 %t\n"
               "%p1 = addrspacecast ptr %p to ptr addrspace(1)\n"
               "%from = getelementptr float, ptr addrspace(1) %p1, i32 %t\n"
               "call void @llvm.nvvm.cp.async.ca.shared.global.4.s("
               "ptr addrspace(3) %to, ptr addrspace(1) %from, i32 4)\n" +
                   waitForAll +
                   "%v = load float, ptr addrspace(3) %to\n"
                   "%o = getelementptr float, ptr %q, i32 %t\n"
                   "store float %v, ptr %o\nret void\n",
               sharedGlobals)))
      << f.error;
  BufferId p = f.floats("p", std::vector<float>(32, 2)),
           q = f.output("q", 128, ElementKind::F32);
  f.memory.enableShadow(Shadow::ValueAndError);
  f.memory.setShadowValue(p, 12, 2.5);
  f.memory.setError(p, 12, 0.75);
  Options o;
  o.shadow = Shadow::ValueAndError;
  EXPECT_CLEAN(f.run("k", {1, 1, 1}, {32, 1, 1}, {f.ptr(p), f.ptr(q)}, o));
  EXPECT_EQ(f.memory.shadowValue(q, 12, -1), 2.5);
  EXPECT_EQ(f.memory.error(q, 12), 0.75);
  EXPECT_EQ(f.memory.shadowValue(q, 8, -1), 2.0);
}

} // namespace
