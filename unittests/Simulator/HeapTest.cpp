// malloc and free in a kernel. Allocations are buffers of their own: bounds,
// marks, shadow values and counters hold for them, and what is wrong with
// freeing is found.
#include "Harness.h"

using namespace evo::sim;
using namespace evo::sim::test;

namespace {

const char *const heapFunctions = "declare ptr @malloc(i64)\n"
                                  "declare void @free(ptr)\n";

/// Runs a body whose %p points to 256 bytes.
struct HeapRun : Fixture {
  BufferId b = 0;
  LaunchResult body(const std::string &text, uint64_t threads = 1,
                    const Options &options = {},
                    const std::string &globals = "") {
    if (!this->text(kernelIR("ptr %p", text, heapFunctions + globals))) {
      ADD_FAILURE() << error;
      return {};
    }
    b = buffer("p", std::vector<int>(64));
    return run("k", {1, 1, 1}, {threads, 1, 1}, {ptr(b)}, options);
  }
};

TEST(Heap, EveryLaneHasItsOwnAllocation) {
  HeapRun f;
  auto r = f.body(R"(
    %m = call ptr @malloc(i64 8)
    store i32 %t, ptr %m
    %h = getelementptr i32, ptr %m, i32 1
    %t2 = mul i32 %t, 3
    store i32 %t2, ptr %h
    call void @llvm.nvvm.bar.warp.sync(i32 -1)
    %a = load i32, ptr %m
    %c = load i32, ptr %h
    %s = add i32 %a, %c
    %o = getelementptr i32, ptr %p, i32 %t
    store i32 %s, ptr %o
    call void @free(ptr %m)
    ret void
  )",
                  64);
  EXPECT_CLEAN(r);
  auto v = f.read<int>(f.b);
  for (int i = 0; i < 64; ++i)
    EXPECT_EQ(v[i], 4 * i);
  EXPECT_EQ(f.memory.heapUse().allocations, 64u);
  EXPECT_EQ(f.memory.heapUse().liveAllocations, 0u);
  EXPECT_EQ(f.memory.heapUse().liveBytes, 0u);
  // The warps ran one after the other.
  EXPECT_EQ(f.memory.heapUse().peakBytes, 32u * 16);
}

TEST(Heap, Bounds) {
  auto body = [](int offset) {
    return "%m = call ptr @malloc(i64 16)\n%q = getelementptr i8, ptr %m, "
           "i64 " +
           std::to_string(offset) +
           "\nstore i32 1, ptr %q, align 4\nret void\n";
  };
  EXPECT_CLEAN(HeapRun().body(body(0)));
  EXPECT_CLEAN(HeapRun().body(body(12)));
  for (int offset : {16, -4, 1 << 20}) {
    auto r = HeapRun().body(body(offset));
    EXPECT_FINDING(r, OutOfBounds);
    EXPECT_EQ(r.findings[0].buffer, "malloc 1");
    EXPECT_EQ(r.findings[0].byteOffset, offset);
  }
  EXPECT_FINDING(HeapRun().body(body(2)), Misaligned);
}

TEST(Heap, IsUninitialisedAndPoisoned) {
  auto body = [](bool write) {
    return std::string("%m = call ptr @malloc(i64 4)\n") +
           (write ? "store i32 9, ptr %m\n" : "") +
           "%v = load i32, ptr %m\nstore i32 %v, ptr %p\nret void\n";
  };
  EXPECT_CLEAN(HeapRun().body(body(true)));
  auto r = HeapRun().body(body(false));
  EXPECT_FINDING(r, UninitializedRead);
  EXPECT_EQ(r.findings[0].buffer, "malloc 1");
  Options off;
  off.checkUninitialized = false;
  HeapRun f;
  EXPECT_CLEAN(f.body(body(false), 1, off));
  EXPECT_EQ(f.read<uint32_t>(f.b)[0], 0xcacacacau);
  // Memory that comes back from a free is as fresh.
  EXPECT_FINDING(HeapRun().body("%a = call ptr @malloc(i64 4)\n"
                                "store i32 1, ptr %a\n"
                                "call void @free(ptr %a)\n"
                                "%b = call ptr @malloc(i64 4)\n"
                                "%v = load i32, ptr %b\nret void\n"),
                 UninitializedRead);
}

TEST(Heap, Null) {
  auto isNull = [](const std::string &bytes, const Options &options) {
    HeapRun f;
    EXPECT_CLEAN(f.body("%m = call ptr @malloc(i64 " + bytes +
                            ")\n%c = icmp eq ptr %m, null\n"
                            "%z = zext i1 %c to i32\n"
                            "store i32 %z, ptr %p\n"
                            "call void @free(ptr %m)\nret void\n",
                        1, options));
    return f.read<int>(f.b)[0] == 1;
  };
  Options small;
  small.limits.heapBytes = 1024;
  EXPECT_TRUE(isNull("0", {}));
  EXPECT_FALSE(isNull("1", {}));
  EXPECT_FALSE(isNull("1024", small));
  EXPECT_TRUE(isNull("1025", small));
  EXPECT_TRUE(isNull("-1", {}));
  EXPECT_TRUE(isNull("1073741825", {}));
  Options large;
  large.limits.heapBytes = ~0ull;
  EXPECT_TRUE(isNull("-1", large));
  // Using it is a defect.
  EXPECT_FINDING(HeapRun().body("%m = call ptr @malloc(i64 0)\n"
                                "store i32 1, ptr %m\nret void\n"),
                 NullOrWildPointer);
}

TEST(Heap, TheLimitIsOnWhatIsLive) {
  auto body = [](bool freed) {
    return std::string("br label %loop\nloop:\n") +
           "%i = phi i32 [ 0, %entry ], [ %j, %loop ]\n"
           "%m = call ptr @malloc(i64 512)\nstore i32 1, ptr %m\n" +
           (freed ? "call void @free(ptr %m)\n" : "") +
           "%j = add i32 %i, 1\n%c = icmp ult i32 %j, 3\n"
           "br i1 %c, label %loop, label %end\nend:\nret void\n";
  };
  Options o;
  o.limits.heapBytes = 1024;
  EXPECT_CLEAN(HeapRun().body(body(true), 1, o));
  EXPECT_FINDING(HeapRun().body(body(false), 1, o), NullOrWildPointer);
  o.limits.heapBytes = 1536;
  EXPECT_CLEAN(HeapRun().body(body(false), 1, o));
}

TEST(Heap, UseAfterFree) {
  auto body = [](const char *first, const char *second) {
    return std::string("%m = call ptr @malloc(i64 4)\nstore i32 1, ptr %m\n") +
           first + second + "ret void\n";
  };
  const char *load = "%v = load i32, ptr %m\n",
             *store = "store i32 2, ptr %m\n",
             *release = "call void @free(ptr %m)\n";
  for (const char *use : {load, store}) {
    EXPECT_CLEAN(HeapRun().body(body(use, release)));
    auto r = HeapRun().body(body(release, use));
    EXPECT_FINDING(r, UseAfterFree);
    EXPECT_EQ(r.findings[0].buffer, "malloc 1");
  }
  EXPECT_FINDING(HeapRun().body(body(
                     release, "%o = atomicrmw add ptr %m, i32 1 monotonic\n")),
                 UseAfterFree);
  // Going on, the read gives poison.
  Options o;
  o.stopAtFirstFinding = false;
  HeapRun f;
  auto r = f.body(body(release, "%v = load i32, ptr %m\n"
                                "store i32 %v, ptr %p\n"),
                  1, o);
  EXPECT_FINDING(r, UseAfterFree);
  EXPECT_EQ(f.read<uint32_t>(f.b)[0], 0xcacacacau);
}

TEST(Heap, InvalidFree) {
  const std::string get = "%m = call ptr @malloc(i64 8)\n";
  EXPECT_CLEAN(HeapRun().body(get + "call void @free(ptr %m)\nret void\n"));
  EXPECT_CLEAN(HeapRun().body("call void @free(ptr null)\nret void\n"));
  auto r = HeapRun().body(get + "call void @free(ptr %m)\n"
                                "call void @free(ptr %m)\nret void\n");
  EXPECT_FINDING(r, InvalidFree);
  EXPECT_NE(r.findings[0].message.find("has been freed"), std::string::npos);
  EXPECT_EQ(r.findings[0].buffer, "malloc 1");
  r = HeapRun().body(get + "%q = getelementptr i8, ptr %m, i64 4\n"
                           "call void @free(ptr %q)\nret void\n");
  EXPECT_FINDING(r, InvalidFree);
  EXPECT_NE(r.findings[0].message.find("middle"), std::string::npos);
  r = HeapRun().body("call void @free(ptr %p)\nret void\n");
  EXPECT_FINDING(r, InvalidFree);
  EXPECT_EQ(r.findings[0].buffer, "p");
  EXPECT_NE(r.findings[0].message.find("malloc did not return"),
            std::string::npos);
  EXPECT_FINDING(HeapRun().body("%a = alloca i32\n"
                                "call void @free(ptr %a)\nret void\n"),
                 InvalidFree);
}

TEST(Heap, SaysWhereItWasFreed) {
  Fixture f;
  ASSERT_TRUE(f.text(std::string(heapFunctions) + R"(
define ptx_kernel void @k() !dbg !4 {
  %m = call ptr @malloc(i64 4), !dbg !6
  call void @free(ptr %m), !dbg !7
  store i32 1, ptr %m, !dbg !8
  ret void
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "k.cu", directory: "")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DISubroutineType(types: !5)
!4 = distinct !DISubprogram(name: "k", file: !1, line: 1, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!5 = !{}
!6 = !DILocation(line: 2, column: 1, scope: !4)
!7 = !DILocation(line: 3, column: 5, scope: !4)
!8 = !DILocation(line: 4, column: 1, scope: !4)
)")) << f.error;
  auto r = f.run("k", {1, 1, 1}, {1, 1, 1}, {});
  EXPECT_FINDING(r, UseAfterFree);
  EXPECT_NE(r.findings[0].message.find("freed at k.cu:3:5"), std::string::npos)
      << all(r);
  EXPECT_EQ(r.findings[0].location.line, 4u);
}

TEST(Heap, OutlivesALaunch) {
  // The first launch leaves a pointer in a global, the second one uses it.
  const char *globals = "@g = internal addrspace(1) global ptr null\n";
  const char *body = R"(
    %old = load ptr, ptr addrspace(1) @g
    %c = icmp eq ptr %old, null
    br i1 %c, label %make, label %use
  make:
    %m = call ptr @malloc(i64 4)
    store i32 42, ptr %m
    store ptr %m, ptr addrspace(1) @g
    ret void
  use:
    %v = load i32, ptr %old
    store i32 %v, ptr %p
    call void @free(ptr %old)
    ret void
  )";
  HeapRun f;
  EXPECT_CLEAN(f.body(body, 1, {}, globals));
  EXPECT_EQ(f.memory.heapUse().liveBytes, 16u);
  // Shadow values are asked for only now.
  Options shadowValue;
  shadowValue.shadow = Shadow::ValueAndError;
  EXPECT_CLEAN(f.run("k", {1, 1, 1}, {1, 1, 1}, {f.ptr(f.b)}, shadowValue));
  EXPECT_EQ(f.read<int>(f.b)[0], 42);
  EXPECT_EQ(f.memory.heapUse().liveBytes, 0u);
  EXPECT_FINDING(f.run("k", {1, 1, 1}, {1, 1, 1}, {f.ptr(f.b)}), UseAfterFree);
  // After a reset the pointer points nowhere, and the heap is empty.
  HeapRun g;
  EXPECT_CLEAN(g.body(body, 1, {}, globals));
  g.memory.resetHeap();
  EXPECT_EQ(g.memory.heapUse().liveAllocations, 0u);
  EXPECT_FINDING(g.run("k", {1, 1, 1}, {1, 1, 1}, {g.ptr(g.b)}),
                 NullOrWildPointer);
}

TEST(Heap, ShadowValuesAndErrorsTravelThroughIt) {
  // (1 + 2^-30) - 1 is 0 in f32; the shadow value knows better, also for a
  // value that was in the heap meanwhile. f16 values lie at odd multiples of
  // two bytes.
  auto run = [](Shadow shadow, const std::string &place) {
    Fixture f;
    EXPECT_TRUE(f.text(kernelIR("ptr %p", place + R"(
    %s = fadd float 1.0, 0x3E10000000000000
    store float %s, ptr %m
    %h = fadd half 1.0, 0xH0400
    %hq = getelementptr i8, ptr %m, i64 6
    store half %h, ptr %hq
    %v = load float, ptr %m
    %d = fsub float %v, 1.0
    store float %d, ptr %p
    %hv = load half, ptr %hq
    %hd = fsub half %hv, 1.0
    %e = fpext half %hd to float
    %o = getelementptr float, ptr %p, i32 1
    store float %e, ptr %o
    ret void
  )",
                                heapFunctions)))
        << f.error;
    BufferId b = f.output("p", 8, ElementKind::F32);
    Options o;
    o.shadow = shadow;
    EXPECT_CLEAN(f.run("k", {1, 1, 1}, {1, 1, 1}, {f.ptr(b)}, o));
    EXPECT_EQ(f.read<float>(b)[0], 0.0f);
    if (shadow == Shadow::ValueAndError) {
      EXPECT_GT(f.memory.error(b, 0), 0x1p-31);
    }
    return std::make_pair(f.memory.shadowValue(b, 0, 7),
                          f.memory.shadowValue(b, 4, 7));
  };
  const std::string heap = "%m = call ptr @malloc(i64 8)\n";
  for (Shadow s : {Shadow::ShadowValue, Shadow::ValueAndError}) {
    auto g = run(s, heap);
    EXPECT_EQ(g.first, 0x1p-30);
    EXPECT_EQ(g.second, 0x1p-14);
  }
  EXPECT_EQ(run(Shadow::None, heap).first, 7);
}

TEST(Heap, CountsAsGlobalMemory) {
  HeapRun f;
  Options o;
  Counters c;
  o.counters = &c;
  // One allocation of lane 0, written by all lanes: 128 bytes, 4 sectors.
  EXPECT_CLEAN(f.body(R"(
    %first = icmp eq i32 %t, 0
    br i1 %first, label %get, label %all
  get:
    %n = call ptr @malloc(i64 128)
    store ptr %n, ptr addrspace(3) @s
    br label %all
  all:
    call void @llvm.nvvm.bar.warp.sync(i32 -1)
    %m = load ptr, ptr addrspace(3) @s
    %q = getelementptr i32, ptr %m, i32 %t
    store i32 %t, ptr %q
    ret void
  )",
                      32, o, "@s = internal addrspace(3) global ptr undef\n"));
  EXPECT_EQ(c.global[1].requests, 1u);
  EXPECT_EQ(c.global[1].sectors, 4u);
  EXPECT_EQ(c.global[1].bytes, 128u);
  EXPECT_EQ(c.global[1].launchSectors, 4u);
  EXPECT_EQ(c.warpInstructions[unsigned(OpClass::GlobalStore)], 1u);
  EXPECT_EQ(c.warpInstructions[unsigned(OpClass::Atomic)], 1u);
}

TEST(Heap, IsGlobalMemory) {
  auto is = [](const char *space, const char *pointer) {
    HeapRun f;
    EXPECT_CLEAN(f.body(std::string("%m = call ptr @malloc(i64 4)\n"
                                    "%a = alloca i32\n"
                                    "%c = call i1 @llvm.nvvm.isspacep.") +
                            space + "(ptr " + pointer +
                            ")\n%z = zext i1 %c to i32\n"
                            "store i32 %z, ptr %p\nret void\n",
                        1, {},
                        std::string("declare i1 @llvm.nvvm.isspacep.") + space +
                            "(ptr)\n"));
    return f.read<int>(f.b)[0] == 1;
  };
  EXPECT_TRUE(is("global", "%m"));
  EXPECT_TRUE(is("global", "%p"));
  EXPECT_FALSE(is("global", "%a"));
  EXPECT_FALSE(is("global", "null"));
  EXPECT_FALSE(is("shared", "%m"));
  EXPECT_FALSE(is("local", "%m"));
  EXPECT_TRUE(is("local", "%a"));
}

TEST(Heap, ManyAllocationsOfOneThread) {
  // A list of 5000 nodes, then its sum.
  HeapRun f;
  EXPECT_CLEAN(f.body(R"(
    br label %loop
  loop:
    %i = phi i32 [ 0, %entry ], [ %j, %loop ]
    %head = phi ptr [ null, %entry ], [ %m, %loop ]
    %m = call ptr @malloc(i64 16)
    store ptr %head, ptr %m
    %q = getelementptr i8, ptr %m, i64 8
    store i32 %i, ptr %q
    %j = add i32 %i, 1
    %c = icmp ult i32 %j, 5000
    br i1 %c, label %loop, label %sum
  sum:
    %n = phi ptr [ %m, %loop ], [ %next, %sum ]
    %s = phi i32 [ 0, %loop ], [ %s2, %sum ]
    %nq = getelementptr i8, ptr %n, i64 8
    %v = load i32, ptr %nq
    %s2 = add i32 %s, %v
    %next = load ptr, ptr %n
    call void @free(ptr %n)
    %more = icmp ne ptr %next, null
    br i1 %more, label %sum, label %end
  end:
    store i32 %s2, ptr %p
    ret void
  )"));
  EXPECT_EQ(f.read<int>(f.b)[0], 4999 * 5000 / 2);
  EXPECT_EQ(f.memory.heapUse().peakBytes, 80000u);
  EXPECT_EQ(f.memory.heapUse().liveAllocations, 0u);
}

TEST(Heap, PlacesAreUsedAgainWhenAllAreSpent) {
  // More allocations than regions exist; freed at once, so they all succeed.
  HeapRun f;
  EXPECT_CLEAN(f.body(R"(
    br label %loop
  loop:
    %i = phi i32 [ 0, %entry ], [ %j, %loop ]
    %m = call ptr @malloc(i64 4)
    store i32 %i, ptr %m
    call void @free(ptr %m)
    %j = add i32 %i, 1
    %c = icmp ult i32 %j, 1100000
    br i1 %c, label %loop, label %end
  end:
    store i32 %j, ptr %p
    ret void
  )"));
  EXPECT_EQ(f.read<int>(f.b)[0], 1100000);
}

TEST(Heap, NarrowSizesAndOwnFunctions) {
  // A 32-bit size is unsigned; a function that only has the name is inlined.
  Fixture f;
  ASSERT_TRUE(f.text(kernelIR("ptr %p", R"(
    %m = call ptr @malloc(i32 8)
    %q = getelementptr i32, ptr %m, i32 1
    store i32 5, ptr %q
    ret void
  )",
                              "declare ptr @malloc(i32)\n")))
      << f.error;
  BufferId b = f.output("p", 4);
  EXPECT_CLEAN(f.run("k", {1, 1, 1}, {1, 1, 1}, {f.ptr(b)}));
  Fixture g;
  ASSERT_TRUE(g.text(kernelIR("ptr %p", "call void @free(ptr %p)\nret void\n",
                              "define void @free(ptr %q) {\n"
                              "  store i32 3, ptr %q\n  ret void\n}\n"),
                     Prepare::DetectorsForm))
      << g.error;
  BufferId c = g.output("p", 4);
  EXPECT_CLEAN(g.run("k", {1, 1, 1}, {1, 1, 1}, {g.ptr(c)}));
  EXPECT_EQ(g.read<int>(c)[0], 3);
}

} // namespace
