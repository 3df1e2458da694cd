// What orders accesses and what does not. Each rule of the race detector as the
// smallest kernel that obeys it and the smallest that does not. CUDA kernels
// are in test/Verify/races*.test.
#include "Harness.h"

using namespace evo::sim;
using namespace evo::sim::test;

namespace {

const char *const sharedGlobals =
    "@s = internal addrspace(3) global [256 x i32] undef\n"
    "@b = internal addrspace(3) global [256 x i8] undef\n"
    "declare void @llvm.nvvm.membar.gl()\n"
    "declare void @llvm.nvvm.membar.cta()\n"
    "declare i32 @llvm.nvvm.atomic.add.gen.i.cta.i32.p0(ptr, i32)\n"
    "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)\n";

/// Runs a body over one zeroed buffer of 1024 ints. %s is this thread's word of
/// shared memory, %n that of its neighbour, %b the block.
LaunchResult run(const std::string &body, uint64_t threads = 64,
                 uint64_t blocks = 1, bool detect = true,
                 uint64_t blockOrder = 0) {
  Fixture f;
  const std::string prefix = R"(
    %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
    %s = getelementptr i32, ptr addrspace(3) @s, i32 %t
    %flip = xor i32 %t, 1
    %n = getelementptr i32, ptr addrspace(3) @s, i32 %flip
    %far = xor i32 %t, 32
    %o = getelementptr i32, ptr addrspace(3) @s, i32 %far
    %first = icmp eq i32 %t, 0
  )";
  if (!f.text(kernelIR("ptr %p", prefix + body, sharedGlobals))) {
    ADD_FAILURE() << f.error;
    return {};
  }
  BufferId b = f.buffer("p", std::vector<int>(1024));
  LaunchParams p;
  p.kernel = "k";
  p.grid = {blocks, 1, 1};
  p.block = {threads, 1, 1};
  p.args = {f.ptr(b)};
  p.blockOrderSeed = blockOrder;
  Options o;
  o.detectRaces = detect;
  o.checkUninitialized = false; // which a reader that runs first would meet
  return launch(*f.program, p, f.memory, o);
}

const std::string blockBarrier =
    "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)\n";
const std::string warpSync = "call void @llvm.nvvm.bar.warp.sync(i32 -1)\n";
const std::string storeThread = "store i32 %t, ptr addrspace(3) %s\n";
const std::string returnVoid = "ret void\n";

std::string loadOf(const std::string &pointer, const std::string &name) {
  return "%" + name + " = load i32, ptr addrspace(3) %" + pointer + "\n";
}

TEST(Races, OnlyWhereAsked) {
  EXPECT_CLEAN(run(storeThread + loadOf("n", "v") + returnVoid, 64, 1, false));
  EXPECT_FINDING(run(storeThread + loadOf("n", "v") + returnVoid), Race);
}

TEST(Races, ABarrierOrdersTheBlock) {
  EXPECT_CLEAN(run(storeThread + blockBarrier + loadOf("o", "v") + returnVoid));
  EXPECT_FINDING(run(storeThread + warpSync + loadOf("o", "v") + returnVoid),
                 Race);
  EXPECT_FINDING(
      run(storeThread + loadOf("o", "v") + blockBarrier + returnVoid), Race);
  // A write after reads.
  EXPECT_CLEAN(run(storeThread + blockBarrier + loadOf("o", "v") +
                   blockBarrier + storeThread + returnVoid));
  EXPECT_FINDING(run(storeThread + blockBarrier + loadOf("o", "v") +
                     storeThread + returnVoid),
                 Race);
}

TEST(Races, AWarpIsOrderedByItsSynchronisationOnly) {
  EXPECT_CLEAN(run(storeThread + warpSync + loadOf("n", "v") + returnVoid));
  EXPECT_FINDING(run(storeThread + loadOf("n", "v") + returnVoid), Race);
  EXPECT_FINDING(run(storeThread +
                     "%x = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 "
                     "%t, i32 0, i32 31)\n" +
                     loadOf("n", "v") + returnVoid),
                 Race);
  EXPECT_FINDING(run(storeThread +
                     "%x = call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 "
                     "%first)\n" +
                     loadOf("n", "v") + returnVoid),
                 Race);
}

TEST(Races, LanesThatSynchroniseInParts) {
  auto body = [](const char *mask) {
    return "%h = lshr i32 %t, 1\n%pair = and i32 %h, 15\n%p2 = shl i32 %pair, "
           "1\n%mask = shl i32 " +
           std::string(mask) +
           ", %p2\n"
           "store i32 %t, ptr addrspace(3) %s\n"
           "call void @llvm.nvvm.bar.warp.sync(i32 %mask)\n"
           "%v = load i32, ptr addrspace(3) %n\nret void\n";
  };
  EXPECT_CLEAN(run(body("3")));
  // Each lane with itself alone.
  EXPECT_FINDING(run("%l = and i32 %t, 31\n%mask = shl i32 1, %l\n" +
                     storeThread +
                     "call void @llvm.nvvm.bar.warp.sync(i32 %mask)\n" +
                     loadOf("n", "v") + returnVoid),
                 Race);
}

TEST(Races, SameInstruction) {
  EXPECT_FINDING(run("store i32 %t, ptr addrspace(3) @s\n" + returnVoid, 32),
                 Race);
  // The same value by all: whichever lasts, it is that one.
  EXPECT_CLEAN(run("store i32 7, ptr addrspace(3) @s\n" + returnVoid, 64));
  EXPECT_CLEAN(run("store i32 7, ptr %p\n" + returnVoid, 64, 3));
  // But a load is not ordered after any of them.
  EXPECT_FINDING(run("store i32 7, ptr addrspace(3) @s\n"
                     "%v = load i32, ptr addrspace(3) @s\n" +
                         returnVoid,
                     64),
                 Race);
}

TEST(Races, StoresOfTheSameBytesAreAllRemembered) {
  const std::string zeros = "store i32 0, ptr addrspace(3) @s\n";
  auto one = [](const std::string &lane, const std::string &then) {
    return "%one = icmp eq i32 %t, " + lane +
           "\nbr i1 %one, label %do, label %go\ndo:\n" + then +
           "br label %go\ngo:\n";
  };
  const std::string other = "store i32 1, ptr addrspace(3) @s\n",
                    read = "%v = load i32, ptr addrspace(3) @s\n";
  for (const char *lane : {"0", "15", "30", "31"}) {
    EXPECT_FINDING(
        run(zeros + one(lane, other) + blockBarrier + returnVoid, 32), Race);
    EXPECT_FINDING(run(zeros + one(lane, read) + returnVoid, 32), Race);
    EXPECT_CLEAN(run(
        zeros + warpSync + one(lane, other) + blockBarrier + returnVoid, 32));
    EXPECT_CLEAN(run(zeros + blockBarrier + one(lane, read) + returnVoid, 64));
    // Of both warps, of which only one is ordered.
    EXPECT_FINDING(run(zeros + warpSync + one(lane, other) + returnVoid, 64),
                   Race);
    EXPECT_FINDING(run(zeros + warpSync + one(lane, read) + returnVoid, 64),
                   Race);
    // Read before others store, all the same bytes.
    EXPECT_FINDING(run(one(lane, read) + zeros + returnVoid, 32), Race);
    EXPECT_CLEAN(run(one(lane, read) + warpSync + zeros + returnVoid, 32));
  }
  // Every block stores, and reads its own: others' may come in between.
  EXPECT_FINDING(run("store i32 7, ptr %p\n" + blockBarrier +
                         "%v = load i32, ptr %p\n" + returnVoid,
                     64, 2),
                 Race);
  // One that reads first, and others that only store.
  EXPECT_FINDING(run("%zero = icmp eq i32 %b, 0\n"
                     "br i1 %zero, label %init, label %go\ninit:\n"
                     "%v = load i32, ptr %p\nbr label %go\ngo:\n" +
                         blockBarrier + "store i32 7, ptr %p\n" + returnVoid,
                     1, 2),
                 Race);
  // Words and bytes of them.
  EXPECT_FINDING(
      run(zeros + one("31", "store i8 1, ptr addrspace(3) @s\n") + returnVoid,
          32),
      Race);
}

TEST(Races, BytesOfAWordAreApart) {
  auto body = [](int shift) {
    return "%i = lshr i32 %t, " + std::to_string(shift) +
           "\n%q = getelementptr i8, ptr addrspace(3) @b, i32 %i\n"
           "%v = trunc i32 %t to i8\n"
           "store i8 %v, ptr addrspace(3) %q\nret void\n";
  };
  EXPECT_CLEAN(run(body(0)));
  EXPECT_FINDING(run(body(1)), Race);
  // A byte within a word written before: what was known of the word holds.
  EXPECT_FINDING(run(storeThread +
                     "%i = mul i32 %t, 4\n%j = add i32 %i, 5\n"
                     "%k = and i32 %j, 255\n"
                     "%q = getelementptr i8, ptr addrspace(3) @s, i32 %k\n"
                     "%v = load i8, ptr addrspace(3) %q\n" +
                     returnVoid),
                 Race);
}

TEST(Races, BlocksOfOneLaunch) {
  const std::string own = "%q = getelementptr i32, ptr %p, i32 %b\n";
  EXPECT_CLEAN(run(own + "store i32 %b, ptr %q\n" + returnVoid, 1, 4));
  EXPECT_FINDING(run("store i32 %b, ptr %p\n" + returnVoid, 1, 4), Race);
  EXPECT_FINDING(
      run(own + "store i32 %b, ptr %q\n%v = load i32, ptr %p\n" + returnVoid, 1,
          4),
      Race);
  auto r = run("store i32 %b, ptr %p\n" + returnVoid, 1, 4);
  EXPECT_NE(r.findings[0].message.find("of block (0, 0, 0)"), std::string::npos)
      << all(r);
  EXPECT_EQ(r.findings[0].block[0], 1u);
  EXPECT_EQ(r.findings[0].buffer, "p");
}

TEST(Races, LaunchesAreOrdered) {
  Fixture f;
  ASSERT_TRUE(f.text(kernelIR("ptr %p", "store i32 %t, ptr %p\nret void\n")))
      << f.error;
  BufferId b = f.buffer("p", std::vector<int>(4));
  Options o;
  o.detectRaces = true;
  for (int n : {0, 1})
    EXPECT_CLEAN(f.run("k", {1, 1, 1}, {1, 1, 1}, {f.ptr(b)}, o)) << n;
}

TEST(Races, AtomicsAreAClassOfTheirOwn) {
  const std::string add = "%a = atomicrmw add ptr %p, i32 1 monotonic\n";
  EXPECT_CLEAN(run(add + returnVoid, 64, 3));
  // With a plain access they are not.
  EXPECT_FINDING(run(add + "%v = load i32, ptr %p\n" + returnVoid, 64, 1),
                 Race);
  EXPECT_FINDING(
      run("store i32 0, ptr %p\n" + blockBarrier + add + returnVoid, 1, 2),
      Race);
  EXPECT_FINDING(
      run(add + blockBarrier + "store i32 0, ptr %p\n" + returnVoid, 1, 2),
      Race);
  EXPECT_CLEAN(
      run(add + blockBarrier + "%v = load i32, ptr %p\n" + returnVoid, 64, 1));
  // An earlier plain write is not forgotten for the atomics that follow it.
  EXPECT_FINDING(run("%zero = icmp eq i32 %b, 0\n"
                     "br i1 %zero, label %init, label %go\ninit:\n"
                     "store i32 0, ptr %p\nbr label %go\ngo:\n" +
                         blockBarrier + add + returnVoid,
                     1, 2),
                 Race);
}

TEST(Races, ScopeOfAtomics) {
  const std::string add = "%a = call i32 @llvm.nvvm.atomic.add.gen.i.cta.i32.p0"
                          "(ptr %p, i32 1)\n";
  EXPECT_CLEAN(run(add + returnVoid, 64, 1));
  EXPECT_FINDING(run(add + returnVoid, 1, 2), Race);
  // Of all that has a scope.
  for (const char *text :
       {"%x = cmpxchg ptr %p, i32 0, i32 1 $monotonic monotonic\n",
        "%x = atomicrmw xor ptr %p, i32 %b $monotonic\n",
        "store atomic i32 %b, ptr %p $monotonic, align 4\n",
        "%x = atomicrmw or ptr %p, i32 1 monotonic\n"
        "%y = load atomic i32, ptr %p $monotonic, align 4\n"}) {
    const auto scoped = [&](const std::string &scope) {
      std::string all = text;
      return all.replace(all.find('$'), 1, scope);
    };
    EXPECT_CLEAN(run(scoped("") + returnVoid, 1, 2));
    for (const char *scope : {"block", "cluster"}) {
      const std::string words = "syncscope(\"" + std::string(scope) + "\") ";
      EXPECT_CLEAN(run(scoped(words) + returnVoid, 1, 1));
      EXPECT_FINDING(run(scoped(words) + returnVoid, 1, 2), Race);
    }
  }
}

TEST(Races, TheReadOnlyPathSeesNoWrites) {
  auto body = [](const std::string &before, const std::string &load,
                 const std::string &after) {
    return "%w = getelementptr i32, ptr %p, i32 %t\n" + before + load + after +
           returnVoid;
  };
  const std::string store = "store i32 %t, ptr %w\n" + blockBarrier,
                    plain = "%v = load i32, ptr %w\n",
                    path = "%v = load i32, ptr %w, !invariant.load !{}\n";
  const std::string text = "%v = call i32 asm \"ld.global.nc.u32 $0, [$1];\", "
                           "\"=r,l\"(ptr %w)\n";
  EXPECT_CLEAN(run(body(store, plain, "")));
  for (const std::string &load : {path, text}) {
    EXPECT_CLEAN(run(body("", load, "")));
    EXPECT_CLEAN(run(body("", load, store)));
    EXPECT_FINDING(run(body(store, load, "")), Race);
    // Nor what atomics and volatile stores write; of those that only read it
    // sees as much as they do.
    for (const char *strong : {"%x = atomicrmw add ptr %w, i32 1 monotonic\n",
                               "store volatile i32 1, ptr %w\n",
                               "store atomic i32 1, ptr %w release, align 4\n"})
      EXPECT_FINDING(run(body(strong + blockBarrier, load, "")), Race);
    EXPECT_CLEAN(run(body("%x = load volatile i32, ptr %w\n", load, "")));
  }
}

TEST(Races, NamedSpaces) {
  auto body = [](const std::string &text, const std::string &constraints,
                 const std::string &pointer) {
    return "%g = addrspacecast ptr addrspace(3) %s to ptr\n" + storeThread +
           "%v = call i32 asm sideeffect \"" + text + "\", \"" + constraints +
           "\"(ptr %" + pointer + ")\n" + returnVoid;
  };
  for (const char *text : {"ld.u32 $0, [$1];", "atom.add.u32 $0, [$1], 1;"}) {
    EXPECT_CLEAN(run(body(text, "=r,l", "g"), 1));
    EXPECT_CLEAN(run(body(text, "=r,l", "p"), 1));
  }
  for (const char *text :
       {"ld.global.u32 $0, [$1];", "ld.volatile.global.u32 $0, [$1];",
        "atom.global.add.u32 $0, [$1], 1;",
        "st.global.u32 [$1], 1; mov.u32 $0, 0;"}) {
    EXPECT_CLEAN(run(body(text, "=r,l", "p"), 1));
    EXPECT_FINDING(run(body(text, "=r,l", "g"), 1), NullOrWildPointer);
  }
}

/// Every block writes its word, then counts; the last one reads all.
std::string lastBlock(const std::string &before, const std::string &after) {
  return "%w = getelementptr i32, ptr %p, i32 %b\n" + before +
         "store i32 %b, ptr %w\n" + after + R"(
    %count = getelementptr i32, ptr %p, i32 100
    %old = atomicrmw add ptr %count, i32 1 monotonic
    %last = icmp eq i32 %old, 3
    br i1 %last, label %sum, label %end
  sum:
    %v0 = load i32, ptr %p
    %p3 = getelementptr i32, ptr %p, i32 3
    %v3 = load i32, ptr %p3
    br label %end
  end:
    ret void
  )";
}

TEST(Races, FenceAndAtomicPublish) {
  const std::string fence = "call void @llvm.nvvm.membar.gl()\n";
  for (uint64_t order : {0, 1, 2, 3}) {
    EXPECT_CLEAN(run(lastBlock("", fence), 1, 4, true, order));
    EXPECT_FINDING(run(lastBlock("", ""), 1, 4, true, order), Race);
    EXPECT_FINDING(run(lastBlock(fence, ""), 1, 4, true, order), Race);
    EXPECT_FINDING(run(lastBlock("", "call void @llvm.nvvm.membar.cta()\n"), 1,
                       4, true, order),
                   Race);
  }
}

TEST(Races, FencesPublishWhatBarriersOfAPartTold) {
  // Two warps of three store, meet, and the first thread publishes.
  auto text = [](const std::string &meet, const std::string &fence) {
    return "%part = icmp slt i32 %t, 64\n"
           "br i1 %part, label %give, label %end\ngive:\n"
           "%w0 = mul i32 %b, 64\n%w1 = add i32 %w0, %t\n"
           "%w = getelementptr i32, ptr %p, i32 %w1\n"
           "store i32 %t, ptr %w\n" +
           meet + "br i1 %first, label %tell, label %end\ntell:\n" + fence + R"(
      %count = getelementptr i32, ptr %p, i32 1000
      %old = atomicrmw add ptr %count, i32 1 monotonic
      %last = icmp eq i32 %old, 3
      br i1 %last, label %sum, label %end
    sum:
      %p3 = getelementptr i32, ptr %p, i32 5
      %v3 = load i32, ptr %p3
      %p9 = getelementptr i32, ptr %p, i32 40
      %v9 = load i32, ptr %p9
      br label %end
    end:
      ret void
    )";
  };
  auto bar = [](const std::string &text) {
    return "call void asm sideeffect \"" + text + ";\", \"\"()\n";
  };
  const std::string fence = "call void @llvm.nvvm.membar.gl()\n";
  for (uint64_t order : {0, 1, 2}) {
    auto last = [&](const std::string &meet, const std::string &fence) {
      return run(text(meet, fence), 96, 4, true, order);
    };
    EXPECT_CLEAN(last(bar("bar.sync 1, 64"), fence));
    EXPECT_FINDING(last(bar("bar.sync 1, 64"), ""), Race);
    // Each warp by itself.
    EXPECT_FINDING(last("%bar = lshr i32 %t, 5\ncall void asm sideeffect "
                        "\"bar.sync $0, 32;\", \"r\"(i32 %bar)\n",
                        fence),
                   Race);
  }
}

/// Who comes to a barrier before others have left it is counted among them.
TEST(Races, ABarrierHasOneUseAtATime) {
  // Two groups of two warps each: at a barrier of their own, and all at one.
  auto groups = [](const std::string &first) {
    return run("%group = lshr i32 %t, 6\n%own = add i32 %group, " + first +
                   "\ncall void asm sideeffect \"bar.sync $0, 64;\", "
                   "\"r\"(i32 %own)\n" +
                   blockBarrier + returnVoid,
               128);
  };
  EXPECT_CLEAN(groups("1"));
  const LaunchResult mixed = groups("0");
  EXPECT_FINDING(mixed, BarrierDivergence);
  EXPECT_NE(
      all(mixed).find("comes to barrier 0, and nothing makes it come after "
                      "other warps have left that"),
      std::string::npos)
      << all(mixed);

  // Both groups use one barrier, one after the other; what is between.
  auto turns = [](const std::string &between) {
    return run("%second = icmp sge i32 %t, 64\n"
               "br i1 %second, label %wait, label %meet\n"
               "meet:\ncall void asm sideeffect \"bar.sync 1, 64;\", \"\"()\n" +
                   between + "br label %end\nwait:\n" + between +
                   "call void asm sideeffect \"bar.sync 1, 64;\", \"\"()\n"
                   "br label %end\nend:\n" +
                   returnVoid,
               128);
  };
  EXPECT_FINDING(turns(""), BarrierDivergence);
  EXPECT_CLEAN(
      turns("call void asm sideeffect \"bar.sync 2, 128;\", \"\"()\n"));

  // One group fills and the other empties, each with a barrier of its own, or
  // with one for both.
  auto pipeline = [](const std::string &back) {
    const std::string wait = "call void asm sideeffect \"bar.sync ",
                      pass = "call void asm sideeffect \"bar.arrive ",
                      end = ", 128;\", \"\"()\n";
    return run("%second = icmp sge i32 %t, 64\n"
               "br i1 %second, label %empty, label %fill\nfill:\n" +
                   pass + "1" + end + wait + back + end + pass + "1" + end +
                   "br label %end\nempty:\n" + wait + "1" + end + pass + back +
                   end + wait + "1" + end + "br label %end\nend:\n" +
                   returnVoid,
               128);
  };
  EXPECT_CLEAN(pipeline("2"));
  EXPECT_FINDING(pipeline("1"), BarrierDivergence);
}

/// Thread 32 passes a value on to thread 0 through a flag.
std::string handOver(const std::string &fence, const std::string &store,
                     const std::string &load) {
  return R"(
    %writer = icmp eq i32 %t, 32
    %data = getelementptr i32, ptr %p, i32 1
    br i1 %writer, label %give, label %other
  give:
    store i32 5, ptr %data
    )" + fence +
         "\n" + store + R"(
    br label %end
  other:
    br i1 %first, label %wait, label %end
  wait:
    )" + load +
         R"(
    %ready = icmp eq i32 %f, 1
    br i1 %ready, label %take, label %wait
  take:
    %v = load i32, ptr %data
    br label %end
  end:
    ret void
  )";
}

TEST(Races, FlagsBetweenWarps) {
  const std::string fence = "call void @llvm.nvvm.membar.cta()";
  const std::string set = "store volatile i32 1, ptr %p",
                    get = "%f = load volatile i32, ptr %p";
  EXPECT_CLEAN(run(handOver(fence, set, get)));
  EXPECT_FINDING(run(handOver("", set, get)), Race);
  EXPECT_CLEAN(run(handOver("", "store atomic i32 1, ptr %p release, align 4",
                            "%f = load atomic i32, ptr %p acquire, align 4")));
  EXPECT_FINDING(
      run(handOver("", "store atomic i32 1, ptr %p monotonic, align 4",
                   "%f = load atomic i32, ptr %p acquire, align 4")),
      Race);
}

TEST(Races, VolatileIsNoSynchronisationOfAWarp) {
  const std::string store = "store volatile i32 %t, ptr addrspace(3) %s\n";
  auto load = [](const char *p) {
    return std::string("%v = load volatile i32, ptr addrspace(3) %") + p + "\n";
  };
  EXPECT_FINDING(run(store + load("n") + returnVoid), Race);
  EXPECT_CLEAN(run(store + warpSync + load("n") + returnVoid));
  EXPECT_FINDING(run(store + warpSync + load("o") + returnVoid), Race);
}

TEST(Races, BlockCopies) {
  const std::string own =
      "%i = mul i32 %t, 8\n%q = getelementptr i8, ptr %p, i32 %i\n"
      "%own = trunc i32 %t to i8\n";
  auto set = [&](const char *value, const char *bytes) {
    return run(own + "call void @llvm.memset.p0.i64(ptr %q, i8 " + value +
               ", i64 " + bytes + ", i1 false)\n" + returnVoid);
  };
  EXPECT_CLEAN(set("%own", "8"));
  EXPECT_FINDING(set("%own", "9"), Race);
  EXPECT_CLEAN(set("0", "9")); // the same bytes from both
}

TEST(Races, BothPlacesAreNamed) {
  auto r = run(storeThread + loadOf("n", "v") + returnVoid);
  ASSERT_FALSE(r.clean());
  EXPECT_EQ(r.findings[0].str(),
            "race: load of 4 bytes races with the store by thread (1, 0, 0) of "
            "the same warp: lanes of a warp do not run in step; put "
            "__syncwarp() between the two, or "
            "__syncthreads() where other warps take part, block (0, 0, 0), "
            "thread (0, 0, 0), "
            "'s' at byte 4");
}

// Shared memory of one block is not that of the next.
TEST(Races, SharedMemoryIsTheBlocksOwn) {
  EXPECT_CLEAN(run(storeThread + returnVoid, 64, 4));
  EXPECT_CLEAN(
      run(storeThread + blockBarrier + loadOf("o", "v") + returnVoid, 64, 4));
}

} // namespace
