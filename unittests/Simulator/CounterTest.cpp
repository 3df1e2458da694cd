// Exact numbers of small accesses. What a profiler would count, worked out by
// hand: sectors of coalesced and strided accesses, wavefronts of bank
// conflicts, and the events an observer hears.
#include "Harness.h"

using namespace evo::sim;
using namespace evo::sim::test;

namespace {

/// Counts of a body over a buffer of 64 KiB and a shared array of 32 KiB.
Counters count(const std::string &body, uint64_t threads = 32,
               uint64_t blocks = 1, uint64_t alignmentOffset = 0) {
  Fixture f;
  Counters c;
  if (!f.text(kernelIR("ptr %p", body,
                       "@s = internal addrspace(3) global [8192 x i32] undef, "
                       "align 16\n"))) {
    ADD_FAILURE() << f.error;
    return c;
  }
  BufferSpec s;
  s.name = "p";
  s.bytes = 65536;
  s.initialized = true;
  s.alignmentOffset = alignmentOffset;
  BufferId b = f.memory.addBuffer(s);
  Options o;
  o.counters = &c;
  o.checkUninitialized = false;
  EXPECT_CLEAN(f.run("k", {blocks, 1, 1}, {threads, 1, 1}, {f.ptr(b)}, o));
  return c;
}

/// A load or store of `type` at element scale * thread of p or of @s.
std::string access(bool shared, bool store, const std::string &type,
                   unsigned scale) {
  const std::string ptr = shared ? "ptr addrspace(3)" : "ptr",
                    base = shared ? "@s" : "%p";
  return "%i = mul i32 %t, " + std::to_string(scale) + "\n%q = getelementptr " +
         type + ", " + ptr + " " + base + ", i32 %i\n" +
         (store ? "store " + type + " zeroinitializer, " + ptr + " %q\n"
                : "%v = load " + type + ", " + ptr + " %q\n") +
         "ret void\n";
}

TEST(Counting, GlobalSectors) {
  struct Case {
    const char *type;
    unsigned scale;
    uint64_t offset, sectors, bytes;
  } cases[] = {
      {"i32", 1, 0, 4, 128},   // coalesced
      {"i32", 1, 16, 5, 128},  // the same, 16 bytes off
      {"i32", 0, 0, 1, 128},   // one word for all
      {"i32", 2, 0, 8, 128},   // half of every sector unused
      {"i32", 8, 0, 32, 128},  // a sector for each lane
      {"i32", 32, 0, 32, 128}, // no worse
      {"i8", 1, 0, 1, 32},     // bytes
      {"i64", 1, 0, 8, 256},   // wider
      {"<4 x i32>", 1, 0, 16, 512},
  };
  for (const Case &k : cases)
    for (bool store : {false, true}) {
      SCOPED_TRACE(std::string(k.type) + " scale " + std::to_string(k.scale) +
                   (store ? " store" : " load"));
      Counters c =
          count(access(false, store, k.type, k.scale), 32, 1, k.offset);
      EXPECT_EQ(c.global[store].requests, 1u);
      EXPECT_EQ(c.global[store].sectors, k.sectors);
      EXPECT_EQ(c.global[store].bytes, k.bytes);
      EXPECT_EQ(c.global[store].blockSectors, k.sectors);
      EXPECT_EQ(c.global[store].launchSectors, k.sectors);
      EXPECT_EQ(c.global[!store].requests, 0u);
      EXPECT_EQ(c.shared[0].requests + c.shared[1].requests, 0u);
    }
}

TEST(Counting, SectorsDistinctPerBlockAndLaunch) {
  // Two blocks of two warps all read the same 128 bytes, twice.
  Counters c = count("%i = and i32 %t, 31\n"
                     "%q = getelementptr i32, ptr %p, i32 %i\n"
                     "%v = load volatile i32, ptr %q\n"
                     "%w = load volatile i32, ptr %q\nret void\n",
                     64, 2);
  EXPECT_EQ(c.global[0].requests, 8u);
  EXPECT_EQ(c.global[0].sectors, 32u);
  EXPECT_EQ(c.global[0].blockSectors, 8u);
  EXPECT_EQ(c.global[0].launchSectors, 4u);
  EXPECT_EQ(c.blocks, 2u);
  EXPECT_EQ(c.warps, 4u);
}

TEST(Counting, OnlyActiveLanesCount) {
  Counters c = count(R"(
    %c = icmp ult i32 %t, 8
    br i1 %c, label %yes, label %end
  yes:
    %q = getelementptr i32, ptr %p, i32 %t
    store i32 1, ptr %q
    br label %end
  end:
    ret void
  )");
  EXPECT_EQ(c.global[1].sectors, 1u);
  EXPECT_EQ(c.global[1].bytes, 32u);
  const unsigned stores = unsigned(OpClass::GlobalStore);
  EXPECT_EQ(c.warpInstructions[stores], 1u);
  EXPECT_EQ(c.laneInstructions[stores], 8u);
  EXPECT_EQ(c.branches, 1u);
  EXPECT_EQ(c.divergentBranches, 1u);
}

TEST(Counting, SharedWavefronts) {
  struct Case {
    const char *type;
    unsigned scale;
    uint64_t wavefronts, bytes;
  } cases[] = {
      {"i32", 1, 1, 128}, // a bank for each lane
      {"i32", 0, 1, 128}, // broadcast
      {"i32", 2, 2, 128}, // two lanes a bank
      {"i32", 3, 1, 128}, // odd strides never collide
      {"i32", 16, 16, 128},     {"i32", 32, 32, 128}, // all in one bank
      {"i32", 33, 1, 128},                            // padded
      {"i8", 1, 1, 32},                               // four lanes share a word
      {"i64", 1, 2, 256},                             // two half warps
      {"i64", 16, 32, 256}, // each half: 16 lanes in one pair of banks
      {"<4 x i32>", 1, 4, 512},
  };
  for (const Case &k : cases)
    for (bool store : {false, true}) {
      SCOPED_TRACE(std::string(k.type) + " scale " + std::to_string(k.scale) +
                   (store ? " store" : " load"));
      Counters c = count(access(true, store, k.type, k.scale));
      EXPECT_EQ(c.shared[store].requests, 1u);
      EXPECT_EQ(c.shared[store].wavefronts, k.wavefronts);
      EXPECT_EQ(c.shared[store].bytes, k.bytes);
      EXPECT_EQ(c.shared[!store].requests, 0u);
      EXPECT_EQ(c.global[0].requests + c.global[1].requests, 0u);
    }
}

/// An atomic on element scale * (thread >> shift) of p or of @s.
Counters countAtomic(bool shared, unsigned scale, unsigned shift,
                     const std::string &what = "add") {
  const std::string ptr = shared ? "ptr addrspace(3)" : "ptr";
  return count("%h = lshr i32 %t, " + std::to_string(shift) +
               "\n%i = mul i32 %h, " + std::to_string(scale) +
               "\n%q = getelementptr i32, " + ptr + (shared ? " @s" : " %p") +
               ", i32 %i\n%o = atomicrmw " + what + " " + ptr + " %q, " +
               (what == "fadd"  ? "float 1.0"
                : what == "add" ? "i32 1"
                                : "i32 %t") +
               " monotonic\nret void\n");
}

TEST(Counting, AtomicsOfAWarpAreOneRequest) {
  struct Case {
    unsigned scale, shift;
    uint64_t sectors, turns, counting, inTurn;
  } cases[] = {
      {1, 0, 4, 4, 1, 1},      // neighbours
      {1, 1, 2, 4, 1, 2},      // pairs at one word
      {1, 5, 1, 32, 1, 32},    // all at one
      {8, 0, 32, 32, 8, 8},    // a sector each; eight lanes a bank
      {32, 0, 32, 32, 32, 32}, // all in one bank
      {33, 3, 4, 32, 1, 8},    // eight at each of four
  };
  for (const Case &k : cases) {
    SCOPED_TRACE(std::to_string(k.scale) + " " + std::to_string(k.shift));
    Counters global = countAtomic(false, k.scale, k.shift);
    EXPECT_EQ(global.atomics.requests, 1u);
    EXPECT_EQ(global.atomics.turns, k.turns);
    // Of the 128 pieces of 64 KiB.
    EXPECT_DOUBLE_EQ(global.atomics.crowding, k.turns / 128.0);
    EXPECT_EQ(global.global[1].requests, 1u);
    EXPECT_EQ(global.global[1].sectors, k.sectors);
    EXPECT_EQ(global.global[1].bytes, 128u);
    Counters shared = countAtomic(true, k.scale, k.shift);
    EXPECT_EQ(shared.atomics.requests, 0u);
    EXPECT_EQ(shared.shared[1].requests, 1u);
    EXPECT_EQ(shared.shared[1].wavefronts, k.counting);
    EXPECT_EQ(shared.atomics.loops[0] + shared.atomics.loops[1], 0u);
    Counters max = countAtomic(true, k.scale, k.shift, "max");
    EXPECT_EQ(max.shared[1].wavefronts, k.inTurn);
    EXPECT_EQ(max.atomics.loops[0], 0u);
    Counters sum = countAtomic(true, k.scale, k.shift, "fadd");
    EXPECT_EQ(sum.atomics.loops[0], uint64_t(1) << k.shift);
    EXPECT_EQ(shared.warpInstructions[unsigned(OpClass::Atomic)], 1u);
  }
}

TEST(Counting, FlopsByLane) {
  Counters c = count("%f = uitofp i32 %t to float\n"
                     "%a = fadd float %f, 1.0\n"
                     "%b = call float @llvm.fma.f32(float %a, float %f, float "
                     "%a)\nstore float %b, ptr %p\nret void\n",
                     16);
  EXPECT_EQ(c.flops, 16u * 3);
  EXPECT_EQ(c.warpInstructions[unsigned(OpClass::Fp32)], 2u);
  EXPECT_EQ(c.laneInstructions[unsigned(OpClass::Fp32)], 32u);
  EXPECT_EQ(c.warpInstructions[unsigned(OpClass::Convert)], 1u);
}

/// Writes down what it hears.
struct Recorder : AccessObserver {
  struct Seen {
    Access access;
    LaneMask mask;
    uint32_t warp, bytes, location;
    uint64_t first, last; ///< addresses of the mask's ends
  };
  std::vector<Seen> seen;
  std::string text; ///< L, S, A for accesses; b, w, f, {, } for order
  std::vector<LaneMask> orderMasks;
  void access(const Event &e) override {
    ASSERT_NE(e.mask, 0u);
    seen.push_back({e.access, e.mask, e.warp, e.bytes, e.location,
                    e.addresses[firstLane(e.mask)],
                    e.addresses[lastLane(e.mask)]});
    text += "LSA"[int(e.access)];
  }
  void order(Order order, uint32_t warp, LaneMask mask) override {
    text += "bwf{}"[int(order)];
    orderMasks.push_back(mask);
  }
};

TEST(Observer, HearsAccessesAndOrder) {
  Fixture f;
  ASSERT_TRUE(f.text(kernelIR("ptr %p", R"(
    %q = getelementptr i32, ptr %p, i32 %t
    %v = load i32, ptr %q
    %s = getelementptr i32, ptr addrspace(3) @s, i32 %t
    store i32 %v, ptr addrspace(3) %s
    call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
    %o = atomicrmw add ptr %p, i32 1 monotonic
    fence seq_cst
    call void @llvm.nvvm.bar.warp.sync(i32 -1)
    ret void
  )",
                              "@s = internal addrspace(3) global [64 x i32] "
                              "undef\n")))
      << f.error;
  BufferId b = f.buffer("p", std::vector<int>(64));
  Recorder r;
  Options o;
  o.observer = &r;
  EXPECT_CLEAN(f.run("k", {1, 1, 1}, {40, 1, 1}, {f.ptr(b)}, o));
  // Both warps up to the barrier, then both to the end.
  EXPECT_EQ(r.text, "{LSLSbAfwAfw}");
  ASSERT_EQ(r.seen.size(), 6u);
  const uint64_t p = f.memory.address(b);
  using Access = AccessObserver::Access;
  EXPECT_EQ(r.seen[0].access, Access::Load);
  EXPECT_EQ(r.seen[0].mask, ~0u);
  EXPECT_EQ(r.seen[0].warp, 0u);
  EXPECT_EQ(r.seen[0].bytes, 4u);
  EXPECT_EQ(r.seen[0].first, p);
  EXPECT_EQ(r.seen[0].last, p + 31 * 4);
  EXPECT_EQ(r.seen[1].access, Access::Store);
  EXPECT_EQ(r.seen[1].last - r.seen[1].first, 31u * 4);
  EXPECT_NE(r.seen[1].first >> 60, p >> 60);
  EXPECT_EQ(r.seen[2].mask, 0xffu);
  EXPECT_EQ(r.seen[2].warp, 1u);
  EXPECT_EQ(r.seen[2].first, p + 32 * 4);
  EXPECT_EQ(r.seen[4].access, Access::Atomic);
  EXPECT_EQ(r.seen[4].first, p);
  EXPECT_EQ(r.seen[4].last, p);
}

TEST(Observer, LanesThatStayAwayAreNotInTheMask) {
  Fixture f;
  ASSERT_TRUE(f.text(kernelIR("ptr %p", R"(
    %b = and i32 %t, 1
    %c = icmp eq i32 %b, 0
    br i1 %c, label %even, label %end
  even:
    %q = getelementptr i64, ptr %p, i32 %t
    store i64 0, ptr %q
    br label %end
  end:
    ret void
  )")))
      << f.error;
  BufferId b = f.buffer("p", std::vector<int>(64));
  Recorder r;
  Options o;
  o.observer = &r;
  EXPECT_CLEAN(f.run("k", {2, 1, 1}, {32, 1, 1}, {f.ptr(b)}, o));
  EXPECT_EQ(r.text, "{S}{S}");
  ASSERT_EQ(r.seen.size(), 2u);
  EXPECT_EQ(r.seen[1].mask, 0x55555555u);
  EXPECT_EQ(r.seen[1].bytes, 8u);
}

TEST(Counting, CopiesOfStructuresAreAccesses) {
  Fixture f;
  // Each thread copies 16 bytes from p to @s and, 24 bytes apart, back again.
  ASSERT_TRUE(f.text(kernelIR("ptr %p", R"(
    %i = mul i32 %t, 16
    %from = getelementptr i8, ptr %p, i32 %i
    %to = getelementptr i8, ptr addrspace(3) @s, i32 %i
    call void @llvm.memcpy.p3.p0.i64(ptr addrspace(3) %to, ptr %from, i64 16, i1 false)
    %j = mul i32 %t, 32
    %back = getelementptr i8, ptr %p, i32 %j
    call void @llvm.memcpy.p0.p3.i64(ptr %back, ptr addrspace(3) %to, i64 24, i1 false)
    ret void
  )",
                              "@s = internal addrspace(3) global [1024 x i8] "
                              "undef, align 16\n"
                              "declare void @llvm.memcpy.p3.p0.i64(ptr "
                              "addrspace(3), ptr, i64, i1)\n"
                              "declare void @llvm.memcpy.p0.p3.i64(ptr, ptr "
                              "addrspace(3), i64, i1)\n")))
      << f.error;
  BufferId b = f.buffer("p", std::vector<int>(1024));
  Counters c;
  Recorder r;
  Options o;
  o.counters = &c;
  o.observer = &r;
  o.checkUninitialized = false;
  EXPECT_CLEAN(f.run("k", {1, 1, 1}, {32, 1, 1}, {f.ptr(b)}, o));
  EXPECT_EQ(c.global[0].requests, 1u);
  EXPECT_EQ(c.global[0].sectors, 16u);
  EXPECT_EQ(c.global[0].bytes, 512u);
  EXPECT_EQ(c.shared[1].wavefronts, 4u);
  // 24 bytes are an access of 16 and one of 8.
  EXPECT_EQ(c.global[1].requests, 2u);
  EXPECT_EQ(c.global[1].bytes, 32u * 24);
  EXPECT_EQ(c.global[1].blockSectors, 32u);
  // A warp's copy is one event a side.
  EXPECT_EQ(r.text, "{LSLS}");
}

TEST(Observer, BlockCopiesReadAndWrite) {
  Fixture f;
  ASSERT_TRUE(f.text(kernelIR("ptr %p", R"(
    %q = getelementptr i8, ptr %p, i64 64
    call void @llvm.memcpy.p0.p0.i64(ptr %q, ptr %p, i64 24, i1 false)
    call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 12, i1 false)
    call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 0, i1 false)
    ret void
  )",
                              "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, "
                              "i64, i1)\n"
                              "declare void @llvm.memset.p0.i64(ptr, i8, i64, "
                              "i1)\n")))
      << f.error;
  BufferId b = f.buffer("p", std::vector<int>(64));
  Recorder r;
  Options o;
  o.observer = &r;
  EXPECT_CLEAN(f.run("k", {1, 1, 1}, {1, 1, 1}, {f.ptr(b)}, o));
  EXPECT_EQ(r.text, "{LSS}");
  ASSERT_EQ(r.seen.size(), 3u);
  const uint64_t p = f.memory.address(b);
  EXPECT_EQ(r.seen[0].first, p);
  EXPECT_EQ(r.seen[0].bytes, 24u);
  EXPECT_EQ(r.seen[1].first, p + 64);
  EXPECT_EQ(r.seen[1].bytes, 24u);
  EXPECT_EQ(r.seen[2].first, p);
  EXPECT_EQ(r.seen[2].bytes, 12u);
}

} // namespace
