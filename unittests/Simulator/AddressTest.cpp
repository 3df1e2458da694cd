// What an address of a kernel can name. Buffers have ranges of addresses of
// their own, far from each other; none is an address of this process. Variables
// that nothing was assigned to hold another thing each run.
#include "Harness.h"
#include "evo/Support/Random.h"
#include <cmath>
#include <set>

using namespace evo::sim;
using namespace evo::sim::test;

namespace {

/// A read of four bytes at an offset from %p, beside %q.
struct ReadRun : Fixture {
  BufferId p = 0, q = 0;
  LaunchResult at(const std::string &address) {
    if (!text(kernelIR("ptr %p, ptr %q", address + R"(
      %v = load i32, ptr %a
      store i32 %v, ptr %q
      ret void
    )"))) {
      ADD_FAILURE() << error;
      return {};
    }
    p = buffer("p", std::vector<uint32_t>(16, 7));
    q = buffer("q", std::vector<uint32_t>(16, 8));
    return run("k", {1, 1, 1}, {1, 1, 1}, {ptr(p), ptr(q)});
  }
  LaunchResult offset(int64_t bytes) {
    return at("%a = getelementptr i8, ptr %p, i64 " + std::to_string(bytes));
  }
};

TEST(Addresses, NothingLiesBesideABuffer) {
  EXPECT_CLEAN(ReadRun().offset(60));
  for (int64_t bytes : {-4l, 64l, 62l, 4096l, 1l << 20, 1l << 32, 1l << 39})
    EXPECT_FINDING(ReadRun().offset(bytes), OutOfBounds);
}

TEST(Addresses, NoBufferIsNearAnother) {
  GlobalMemory memory;
  std::vector<uint64_t> addresses;
  for (int i = 0; i < 5; ++i) {
    BufferSpec spec;
    spec.bytes = 64;
    addresses.push_back(memory.address(memory.addBuffer(spec)));
  }
  for (size_t i = 1; i < addresses.size(); ++i)
    EXPECT_GE(addresses[i] - addresses[i - 1], 1ull << 39);
}

TEST(Addresses, NoneIsAnAddressOfTheProcess) {
  static uint32_t own = 42;
  auto number = [](const void *pointer) {
    return std::to_string(reinterpret_cast<uintptr_t>(pointer));
  };
  auto isFound = [](const LaunchResult &r) {
    return !r.findings.empty() &&
           (r.findings[0].kind == FindingKind::NullOrWildPointer ||
            r.findings[0].kind == FindingKind::OutOfBounds);
  };
  EXPECT_TRUE(
      isFound(ReadRun().at("%a = inttoptr i64 " + number(&own) + " to ptr")));
  // Where the buffer's own bytes are in this process.
  ReadRun run;
  EXPECT_CLEAN(run.offset(0));
  const char *host = run.memory.bytes(run.p);
  EXPECT_NE(run.memory.address(run.p), reinterpret_cast<uintptr_t>(host));
  EXPECT_TRUE(
      isFound(ReadRun().at("%a = inttoptr i64 " + number(host) + " to ptr")));
}

/// A variable that one path assigns to and the other does not.
TEST(Undefined, IsAnotherThingEachRun) {
  std::set<uint32_t> seen;
  bool nan = false, larger = false, smaller = false;
  for (uint64_t poison = 0; poison < 16; ++poison) {
    Fixture f;
    ASSERT_TRUE(f.text(kernelIR("ptr %o, i32 %n", R"(
      %c = icmp sgt i32 %n, 0
      br i1 %c, label %then, label %end
    then:
      br label %end
    end:
      %f = phi float [ 1.0, %then ], [ undef, %entry ]
      %i = phi i32 [ 1, %then ], [ poison, %entry ]
      store float %f, ptr %o
      %p = getelementptr i8, ptr %o, i64 4
      store i32 %i, ptr %p
      ret void
    )")))
        << f.error;
    Options options;
    options.poison = evo::spreadBits(poison);
    for (uint64_t n : {0ull, 1ull}) {
      BufferId out = f.output("o", 8);
      EXPECT_CLEAN(f.run("k", {1, 1, 1}, {1, 1, 1},
                         {f.ptr(out), Argument(n, 4)}, options));
      float value = f.read<float>(out)[0];
      uint32_t integer = f.read<uint32_t>(out)[1];
      if (n) {
        EXPECT_EQ(value, 1.0f);
        EXPECT_EQ(integer, 1u);
        continue;
      }
      nan |= std::isnan(value);
      larger |= value > 1e38f;
      smaller |= value < -1e38f;
      seen.insert(integer);
    }
  }
  EXPECT_TRUE(nan && larger && smaller);
  EXPECT_GT(seen.size(), 8u);
}

} // namespace
