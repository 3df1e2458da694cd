// Every detector and its clean twin. For each defect: the smallest kernel that
// has it, and the same kernel without it, which must pass.
#include "Harness.h"

using namespace evo::sim;
using namespace evo::sim::test;

namespace {

/// Runs a body over one buffer of 64 ints holding 0, 1, 2, ...
LaunchResult runBody(const std::string &body, const std::string &globals = "",
                     uint64_t threads = 32, Options options = {},
                     uint64_t dynamicShared = 0) {
  Fixture f;
  std::vector<int> v(64);
  for (int i = 0; i < 64; ++i)
    v[i] = i;
  if (!f.text(kernelIR("ptr %p", body, globals))) {
    ADD_FAILURE() << f.error;
    return {};
  }
  BufferId b = f.buffer("p", v);
  return f.run("k", {1, 1, 1}, {threads, 1, 1}, {f.ptr(b)}, options,
               dynamicShared);
}

std::string globalLoad(int offset) {
  return "%i = add i32 %t, " + std::to_string(offset) + R"(
    %q = getelementptr i32, ptr %p, i32 %i
    %v = load i32, ptr %q, align 4
    ret void
  )";
}

TEST(Detectors, GlobalBounds) {
  EXPECT_CLEAN(runBody(globalLoad(32)));
  EXPECT_CLEAN(runBody(globalLoad(0)));
  auto r = runBody(globalLoad(33));
  EXPECT_FINDING(r, OutOfBounds);
  EXPECT_EQ(r.findings[0].thread[0], 31u);
  EXPECT_EQ(r.findings[0].byteOffset, 256);
  EXPECT_EQ(r.findings[0].buffer, "p");
  r = runBody(globalLoad(-1));
  EXPECT_FINDING(r, OutOfBounds);
  EXPECT_EQ(r.findings[0].thread[0], 0u);
  EXPECT_EQ(r.findings[0].byteOffset, -4);
}

TEST(Detectors, SharedBounds) {
  const std::string g = "@s = internal addrspace(3) global [32 x i32] undef\n"
                        "@u = internal addrspace(3) global [32 x i32] undef\n";
  auto body = [](const char *add) {
    return std::string("%i = add i32 %t, ") + add + R"(
    %q = getelementptr i32, ptr addrspace(3) @s, i32 %i
    store i32 1, ptr addrspace(3) %q, align 4
    store i32 1, ptr addrspace(3) @u, align 4
    ret void
  )";
  };
  EXPECT_CLEAN(runBody(body("0"), g));
  auto r = runBody(body("1"), g);
  EXPECT_FINDING(r, OutOfBounds);
  EXPECT_EQ(r.findings[0].buffer, "s");
  EXPECT_EQ(r.findings[0].thread[0], 31u);
}

TEST(Detectors, LocalBoundsAndPrivacy) {
  auto body = [](int last) {
    return "%a = alloca [4 x i32], align 4\n"
           "%r = and i32 %t, 3\n"
           "%i = add i32 %r, " +
           std::to_string(last) + R"(
    %q = getelementptr i32, ptr %a, i32 %i
    store i32 %t, ptr %q, align 4
    %v = load i32, ptr %q, align 4
    %o = getelementptr i32, ptr %p, i32 %t
    store i32 %v, ptr %o, align 4
    ret void
  )";
  };
  EXPECT_CLEAN(runBody(body(0)));
  auto r = runBody(body(1));
  EXPECT_FINDING(r, OutOfBounds);
  EXPECT_EQ(r.findings[0].thread[0], 3u);
  // Every lane has its own copy: what it reads is what it wrote.
  Fixture f;
  ASSERT_TRUE(f.text(kernelIR("ptr %p", body(0)))) << f.error;
  BufferId b = f.output("p", 256);
  EXPECT_CLEAN(f.run("k", {1, 1, 1}, {64, 1, 1}, {f.ptr(b)}));
  auto v = f.read<int>(b);
  for (int i = 0; i < 64; ++i)
    EXPECT_EQ(v[i], i);
}

TEST(Detectors, NullPointer) {
  auto r = runBody("%v = load i32, ptr null, align 4\nret void\n");
  EXPECT_FINDING(r, NullOrWildPointer);
  r = runBody(
      "%q = inttoptr i64 123456 to ptr\nstore i32 0, ptr %q\nret void\n");
  EXPECT_FINDING(r, NullOrWildPointer);
}

TEST(Detectors, ReadOnly) {
  for (bool readOnly : {false, true}) {
    Fixture f;
    ASSERT_TRUE(f.text(kernelIR("ptr %p", "store i32 1, ptr %p\nret void\n")))
        << f.error;
    BufferSpec s;
    s.name = "p";
    s.bytes = 4;
    s.readOnly = readOnly;
    BufferId b = f.memory.addBuffer(s);
    auto r = f.run("k", {1, 1, 1}, {1, 1, 1}, {f.ptr(b)});
    if (readOnly)
      EXPECT_FINDING(r, ReadOnlyWrite);
    else
      EXPECT_CLEAN(r);
  }
  // Constant globals are read-only as well.
  auto r = runBody("%q = addrspacecast ptr addrspace(4) @c to ptr\n"
                   "%v = load i32, ptr %q\nstore i32 1, ptr %q\nret void\n",
                   "@c = internal addrspace(4) constant i32 5\n");
  EXPECT_FINDING(r, ReadOnlyWrite);
}

TEST(Detectors, Misaligned) {
  auto body = [](int shift) {
    return "%q = getelementptr i8, ptr %p, i64 " + std::to_string(shift) +
           "\n%v = load <4 x float>, ptr %q, align 16\nret void\n";
  };
  EXPECT_CLEAN(runBody(body(16)));
  EXPECT_FINDING(runBody(body(4)), Misaligned);
  // What promises less may be less aligned.
  EXPECT_CLEAN(runBody("%q = getelementptr i8, ptr %p, i64 4\n"
                       "%v = load <4 x float>, ptr %q, align 4\nret void\n"));
}

TEST(Detectors, UninitializedRead) {
  for (const char *space : {"shared", "local"}) {
    bool shared = space[0] == 's';
    std::string as = shared ? "ptr addrspace(3)" : "ptr";
    std::string globals =
        shared ? "@s = internal addrspace(3) global [64 x i32] undef\n" : "";
    std::string base =
        shared ? "%a = getelementptr i32, ptr addrspace(3) @s, i32 0\n"
               : "%a = alloca [64 x i32]\n";
    auto body = [&](bool write) {
      return base + "%q = getelementptr i32, " + as + " %a, i32 %t\n" +
             (write ? "store i32 7, " + as + " %q\n" : "") + "%v = load i32, " +
             as + " %q\nret void\n";
    };
    EXPECT_CLEAN(runBody(body(true), globals));
    auto r = runBody(body(false), globals);
    EXPECT_FINDING(r, UninitializedRead);
    Options off;
    off.checkUninitialized = false;
    EXPECT_CLEAN(runBody(body(false), globals, 32, off));
  }
  // Three of four bytes written are not enough.
  Fixture f;
  ASSERT_TRUE(f.text(kernelIR("ptr %p", "%v = load i32, ptr %p\nret void\n")))
      << f.error;
  BufferId b = f.output("p", 4);
  f.memory.markInitialized(b, 0, 3);
  auto r = f.run("k", {1, 1, 1}, {1, 1, 1}, {f.ptr(b)});
  EXPECT_FINDING(r, UninitializedRead);
  f.memory.markInitialized(b, 3, 1);
  EXPECT_CLEAN(f.run("k", {1, 1, 1}, {1, 1, 1}, {f.ptr(b)}));
}

TEST(Detectors, SharedMemoryIsFreshInEveryBlock) {
  Fixture f;
  ASSERT_TRUE(f.text(kernelIR("ptr %p", R"(
    %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
    %first = icmp eq i32 %c, 0
    br i1 %first, label %write, label %read
  write:
    store i32 1, ptr addrspace(3) @s
    ret void
  read:
    %v = load i32, ptr addrspace(3) @s
    ret void
  )",
                              "@s = internal addrspace(3) global i32 undef\n")))
      << f.error;
  BufferId b = f.output("p", 4);
  EXPECT_CLEAN(f.run("k", {1, 1, 1}, {1, 1, 1}, {f.ptr(b)}));
  EXPECT_FINDING(f.run("k", {2, 1, 1}, {1, 1, 1}, {f.ptr(b)}),
                 UninitializedRead);
}

/// Threads that do not pass the barrier exit, or go on to wait elsewhere.
std::string barrierWhere(const char *condition, bool exits) {
  return std::string("%c = icmp ult i32 %t, ") + condition + R"(
    br i1 %c, label %yes, label %no
  yes:
    call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
    br label %end
  no:
    )" + (exits ? "ret void" : "br label %end") +
         (exits ? R"(
  end:
    ret void
  )"
                : R"(
  end:
    call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
    ret void
  )");
}

TEST(Detectors, BarrierDivergence) {
  EXPECT_CLEAN(runBody(barrierWhere("64", false), "", 64));
  EXPECT_CLEAN(runBody(barrierWhere("48", false), "", 48));
  // Half a warp; a whole warp. Nobody waits for threads that have exited.
  EXPECT_FINDING(runBody(barrierWhere("16", false), "", 64), BarrierDivergence);
  EXPECT_FINDING(runBody(barrierWhere("32", false), "", 64), BarrierDivergence);
  EXPECT_CLEAN(runBody(barrierWhere("48", true), "", 64));
  EXPECT_CLEAN(runBody(barrierWhere("32", true), "", 96));
  // Two barriers on the two sides of a branch.
  auto sides = [](const char *n) {
    return std::string("%c = icmp ult i32 %t, ") + n + R"(
    br i1 %c, label %yes, label %no
  yes:
    call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
    ret void
  no:
    call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
    ret void
  )";
  };
  EXPECT_CLEAN(runBody(sides("64"), "", 64));
  EXPECT_CLEAN(runBody(sides("0"), "", 64));
  EXPECT_FINDING(runBody(sides("32"), "", 64), BarrierDivergence);
  EXPECT_FINDING(runBody(sides("8"), "", 64), BarrierDivergence);
}

TEST(Detectors, BarrierInALoop) {
  // Each round a thread adds its neighbour's value; wrong without barriers.
  auto body = [](const char *trips) {
    return std::string("%n = add i32 0, ") + trips + R"(
    %q = getelementptr i32, ptr addrspace(3) @s, i32 %t
    store i32 %t, ptr addrspace(3) %q
    %t1 = add i32 %t, 1
    %m = urem i32 %t1, 96
    %nq = getelementptr i32, ptr addrspace(3) @s, i32 %m
    br label %loop
  loop:
    %i = phi i32 [ 0, %entry ], [ %i2, %loop ]
    call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
    %a = load i32, ptr addrspace(3) %nq
    call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
    store i32 %a, ptr addrspace(3) %q
    %i2 = add i32 %i, 1
    %more = icmp slt i32 %i2, %n
    br i1 %more, label %loop, label %done
  done:
    %o = getelementptr i32, ptr %p, i32 %t
    %v = load i32, ptr addrspace(3) %q
    store i32 %v, ptr %o
    ret void
  )";
  };
  const char *g = "@s = internal addrspace(3) global [96 x i32] undef\n";
  Fixture f;
  ASSERT_TRUE(f.text(kernelIR("ptr %p", body("5"), g))) << f.error;
  BufferId b = f.output("p", 96 * 4);
  EXPECT_CLEAN(f.run("k", {1, 1, 1}, {96, 1, 1}, {f.ptr(b)}));
  auto v = f.read<int>(b);
  for (int i = 0; i < 96; ++i)
    EXPECT_EQ(v[i], (i + 5) % 96);
  // Trip counts that differ between threads, which then wait elsewhere.
  std::string differing = body("0\n%x = add i32 %n, %t");
  differing.replace(differing.find("%i2, %n"), 7, "%i2, %x");
  differing.replace(
      differing.find("ret void"), 8,
      "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)\nret void");
  EXPECT_FINDING(runBody(differing, g, 96), BarrierDivergence);
}

TEST(Detectors, WarpOperationsWaitForAllLanesNamed) {
  auto body = [](const char *mask, bool branch, bool exits = false) {
    return std::string(branch ? "%c = icmp ult i32 %t, 16\n"
                              : "%c = icmp ult i32 %t, 99\n") +
           R"(br i1 %c, label %yes, label %end
  yes:
    call void @llvm.nvvm.bar.warp.sync(i32 )" +
           mask + R"()
    br label %end
  end:
    )" + (exits ? "" : "call void @llvm.nvvm.bar.warp.sync(i32 -1)") +
           R"(
    ret void
  )";
  };
  EXPECT_CLEAN(runBody(body("-1", false)));
  EXPECT_CLEAN(runBody(body("65535", true)));
  EXPECT_FINDING(runBody(body("-1", true)), BarrierDivergence);
  // Lanes that have exited are named and not waited for.
  EXPECT_CLEAN(runBody(body("-1", true, /*exits=*/true)));
  // A lane that its own mask does not name.
  EXPECT_FINDING(runBody(body("1", true)), BarrierDivergence);
}

TEST(Detectors, ShuffleFromAnInactiveLane) {
  auto body = [](int delta) {
    return R"(%c = icmp ult i32 %t, 16
    br i1 %c, label %yes, label %end
  yes:
    %v = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 65535, i32 %t, i32 )" +
           std::to_string(delta) + R"(, i32 31)
    br label %end
  end:
    ret void
  )";
  };
  EXPECT_FALSE(runBody(body(8)).inactiveRead);
  // No defect where nobody uses the value.
  LaunchResult result = runBody(body(16));
  EXPECT_CLEAN(result);
  ASSERT_TRUE(result.inactiveRead);
  EXPECT_EQ(result.inactiveRead->kind, FindingKind::InactiveLaneRead);
}

TEST(Detectors, EndlessLoop) {
  auto body = [](const char *limit) {
    return std::string("br label %loop\nloop:\n") +
           "%i = phi i32 [ 0, %entry ], [ %j, %loop ]\n%j = add i32 %i, 1\n"
           "%c = icmp ne i32 %j, " +
           limit + "\nbr i1 %c, label %loop, label %end\nend:\nret void\n";
  };
  Options o;
  o.limits.laneInstructions = 2000000;
  EXPECT_CLEAN(runBody(body("1000"), "", 32, o));
  EXPECT_FINDING(runBody(body("0"), "", 32, o), BudgetExceeded);
  Options wall;
  wall.limits.wallMilliseconds = 20;
  EXPECT_CLEAN(runBody(body("1000"), "", 32, wall));
  EXPECT_FINDING(runBody("br label %l\nl:\nbr label %l\n", "", 64, wall),
                 BudgetExceeded);
}

TEST(Detectors, WarpsTakeTurns) {
  // Warp 0 waits for a flag that warp 1 sets.
  auto r = runBody(R"(
    %w = lshr i32 %t, 5
    %first = icmp eq i32 %w, 0
    br i1 %first, label %wait, label %set
  set:
    store volatile i32 77, ptr %p
    ret void
  wait:
    %v = load volatile i32, ptr %p
    %ok = icmp eq i32 %v, 77
    br i1 %ok, label %end, label %wait
  end:
    ret void
  )",
                   "", 64);
  EXPECT_CLEAN(r);
}

TEST(Detectors, TrapAndAssertion) {
  auto body = [](const char *n) {
    return std::string("%c = icmp eq i32 %t, ") + n + R"(
    br i1 %c, label %bad, label %end
  bad:
    call void @llvm.trap()
    unreachable
  end:
    ret void
  )";
  };
  EXPECT_CLEAN(runBody(body("99")));
  auto r = runBody(body("5"));
  EXPECT_FINDING(r, Trap);
  EXPECT_EQ(r.findings[0].thread[0], 5u);
}

TEST(Detectors, DivisionByZero) {
  EXPECT_CLEAN(runBody("%d = add i32 %t, 1\n%q = udiv i32 7, %d\nret void\n"));
  EXPECT_FINDING(runBody("%q = udiv i32 7, %t\nret void\n"), DivisionByZero);
}

TEST(Detectors, LaunchLimits) {
  Fixture f;
  ASSERT_TRUE(f.text(kernelIR("ptr %p, i32 %n", "ret void\n"))) << f.error;
  BufferId b = f.output("p", 4);
  std::vector<Argument> good = {f.ptr(b), Argument(1, 4)};
  EXPECT_CLEAN(f.run("k", {1, 1, 1}, {1024, 1, 1}, good));
  EXPECT_FINDING(f.run("k", {1, 1, 1}, {1025, 1, 1}, good), LaunchFailure);
  EXPECT_FINDING(f.run("k", {1, 1, 1}, {1, 1, 65}, good), LaunchFailure);
  EXPECT_FINDING(f.run("k", {1, 1, 1}, {64, 32, 1}, good), LaunchFailure);
  EXPECT_FINDING(f.run("k", {0, 1, 1}, {1, 1, 1}, good), LaunchFailure);
  EXPECT_FINDING(f.run("k", {1, 65536, 1}, {1, 1, 1}, good), LaunchFailure);
  EXPECT_FINDING(f.run("k", {1, 1, 1}, {1, 1, 1}, {f.ptr(b)}), LaunchFailure);
  EXPECT_FINDING(f.run("k", {1, 1, 1}, {1, 1, 1}, {f.ptr(b), Argument(1, 8)}),
                 LaunchFailure);
  EXPECT_FINDING(f.run("other", {1, 1, 1}, {1, 1, 1}, good), LaunchFailure);
  EXPECT_FINDING(f.run("k", {1, 1, 1}, {1, 1, 1}, good, {}, 1 << 20),
                 LaunchFailure);
}

TEST(Detectors, GoesOnWhenAsked) {
  Options o;
  o.stopAtFirstFinding = false;
  auto r = runBody("%v = load i32, ptr null\n"
                   "%q = getelementptr i32, ptr %p, i32 100\n"
                   "store i32 1, ptr %q\nret void\n",
                   "", 32, o);
  ASSERT_EQ(r.findings.size(), 2u) << all(r);
  EXPECT_EQ(r.findings[0].kind, FindingKind::NullOrWildPointer);
  EXPECT_EQ(r.findings[1].kind, FindingKind::OutOfBounds);
}

TEST(Detectors, UnsupportedIsNamed) {
  Fixture f;
  EXPECT_FALSE(
      f.text(kernelIR("", "call void asm \"bogus;\", \"\"()\nret void\n")));
  EXPECT_NE(f.error.find("unsupported: inline asm 'bogus'"), std::string::npos)
      << f.error;
  Fixture g;
  EXPECT_FALSE(g.text(kernelIR("", "call void @mystery()\nret void\n",
                               "declare void @mystery()\n")));
  EXPECT_NE(g.error.find("unsupported: call of 'mystery'"), std::string::npos)
      << g.error;
  Fixture h; // recursion cannot be inlined
  EXPECT_FALSE(h.text(kernelIR("", "call void @r(i32 %t)\nret void\n",
                               "define void @r(i32 %n) {\n"
                               "  call void @r(i32 %n)\n  ret void\n}\n"),
                      Prepare::DetectorsForm));
  EXPECT_NE(h.error.find("'r'"), std::string::npos) << h.error;
  Fixture i; // an ordinary call is inlined
  EXPECT_TRUE(i.text(kernelIR("", "call void @r(i32 %t)\nret void\n",
                              "define void @r(i32 %n) noinline optnone {\n"
                              "  ret void\n}\n"),
                     Prepare::DetectorsForm))
      << i.error;
}

/// What is promised of signed numbers is watched where that is asked for.
TEST(Detectors, SignedWraps) {
  auto run = [](const std::string &operation, bool watched) {
    Options options;
    options.detectSignedWraps = watched;
    return runBody("%i = " + operation + R"(
      store i32 %i, ptr %p, align 4
      ret void)",
                   "", /*threads=*/1, options);
  };
  const std::string within[] = {"add nsw i32 2147483646, %t",
                                "sub nsw i32 -2147483648, %t",
                                "mul nsw i32 %t, 2147483647"},
                    beyond[] = {"add nsw i32 %t, 2147483648",
                                "sub nsw i32 %t, -2147483648",
                                "mul nsw i32 -2147483648, -1"};
  for (const std::string &operation : within)
    EXPECT_CLEAN(run(operation, true));
  // Constants are operands of both signs; the first of these is -2^31 + 0.
  EXPECT_CLEAN(run(beyond[0], true));
  for (const char *operation : {beyond[1].c_str(), beyond[2].c_str()}) {
    EXPECT_FINDING(run(operation, true), SignedWrap);
    EXPECT_CLEAN(run(operation, false));
  }
  // What is made of data may wrap: nobody hashes without it.
  EXPECT_CLEAN(run("load i32, ptr %p, align 4\n"
                   "%j = or i32 %i, 65537\n"
                   "%h = mul nsw i32 %j, 65537",
                   true));
  // Numbers without a sign may wrap.
  EXPECT_CLEAN(run("mul i32 -2147483648, -1", true));
  EXPECT_CLEAN(run("mul nuw i32 65536, 65535", true));
}

/// An index that becomes one of 64 bits wraps without any promise, too.
TEST(Detectors, IndexWraps) {
  auto run = [](const std::string &operation, const char *extension,
                bool watched) {
    Options options;
    options.detectSignedWraps = true;
    options.detectIndexWraps = watched;
    return runBody("%s = add i32 %t, 65536\n%i = " + operation +
                       "\n%w = " + extension + R"( i32 %i to i64
      store i64 %w, ptr %p, align 8
      ret void)",
                   "", /*threads=*/1, options);
  };
  for (const char *product : {"mul i32 %s, 32768", "mul i32 %s, 65536"}) {
    EXPECT_FINDING(run(product, "sext", true), SignedWrap);
    EXPECT_CLEAN(run(product, "sext", false));
  }
  EXPECT_CLEAN(run("mul i32 %s, 32767", "sext", true));
  EXPECT_FINDING(run("add i32 %s, 2147483647", "sext", true), SignedWrap);
  EXPECT_CLEAN(run("mul i32 %s, 65535", "zext", true));
  EXPECT_FINDING(run("mul i32 %s, 65536", "zext", true), SignedWrap);
  EXPECT_FINDING(run("mul i32 %s, -1", "zext", true), SignedWrap);
  EXPECT_CLEAN(run("add i32 %s, -1", "zext", true));
}

/// Lanes that do not compute it break no promise, in a loop either.
TEST(Detectors, SignedWrapsOfOtherLanes) {
  const char *body = R"(
    br label %loop
  loop:
    %j = phi i32 [ 0, %entry ], [ %next, %latch ]
    %is = icmp ult i32 %t, LIMIT
    br i1 %is, label %then, label %latch
  then:
    %i = mul nsw i32 %t, 1000000000
    %q = getelementptr i32, ptr %p, i32 %t
    store i32 %i, ptr %q, align 4
    br label %latch
  latch:
    %next = add nsw i32 %j, 1
    %more = icmp slt i32 %next, 3
    br i1 %more, label %loop, label %end
  end:
    ret void)";
  for (int limit : {3, 4}) {
    std::string text = body;
    text.replace(text.find("LIMIT"), 5, std::to_string(limit));
    Fixture f;
    ASSERT_TRUE(f.text(kernelIR("ptr %p", text), Prepare::DetectorsForm))
        << f.error;
    BufferId b = f.buffer("p", std::vector<int>(64));
    Options options;
    options.detectSignedWraps = true;
    LaunchResult r = f.run("k", {1, 1, 1}, {32, 1, 1}, {f.ptr(b)}, options);
    if (limit == 3) {
      EXPECT_CLEAN(r);
      continue;
    }
    EXPECT_FINDING(r, SignedWrap);
    EXPECT_EQ(r.findings[0].thread[0], 3u);
  }
}

} // namespace
