// Which branches went one way, what they hang on, and what variables keep.
#include "evo/Simulator/Coverage.h"
#include "Harness.h"

using namespace evo::sim;
using namespace evo::sim::test;

namespace {

/// f(x, y, n, s): branches on data (through a shared variable, too), on a size
/// and on a literal.
constexpr const char *branches = R"(
@shared = internal addrspace(3) global i32 undef
define ptx_kernel void @f(ptr %x, ptr %y, i32 %n, float %s) {
entry:
  %v = load i32, ptr %x
  %data = icmp eq i32 %v, 7
  br i1 %data, label %seven, label %join
seven:
  br label %join
join:
  %chosen = phi i32 [ 1, %entry ], [ 2, %seven ]
  store i32 %chosen, ptr addrspace(3) @shared
  %again = load i32, ptr addrspace(3) @shared
  %indirect = icmp eq i32 %again, 2
  br i1 %indirect, label %two, label %sizes
two:
  br label %sizes
sizes:
  %size = icmp eq i32 %n, 5
  br i1 %size, label %five, label %float
five:
  br label %float
float:
  %zero = fcmp oeq float %s, 0.0
  br i1 %zero, label %none, label %literal
none:
  br label %literal
literal:
  %four = add i32 2, 2
  %never = icmp eq i32 %four, 5
  br i1 %never, label %dead, label %checked
dead:
  br label %checked
checked:
  %bad = icmp slt i32 %n, 0
  br i1 %bad, label %fails, label %done
fails:
  call void @llvm.trap()
  unreachable
done:
  store i32 %chosen, ptr %y
  ret void
}
declare void @llvm.trap()
)";

using Texts = std::vector<std::string>;

Texts describe(const Coverage &coverage, const Program &program) {
  Texts texts;
  for (const OneWayBranch &branch : coverage.oneWay(program))
    texts.push_back((branch.input == BranchInput::Data ? "data " : "launch ") +
                    branch.what);
  return texts;
}

struct CoverageTest : testing::Test {
  Fixture f;
  Coverage coverage;

  void run(int32_t v, uint64_t n, float s) {
    BufferId x = f.buffer("x", std::vector<int32_t>{v}, ElementKind::Int),
             y = f.output("y", 4, ElementKind::Int);
    Options options;
    options.coverage = &coverage;
    LaunchResult r =
        f.run("f", {1, 1, 1}, {1, 1, 1},
              {f.ptr(x), f.ptr(y), Argument(n, 4), Argument::f32(s)}, options);
    EXPECT_CLEAN(r);
  }
};

TEST_F(CoverageTest, ListsWhatWentOneWayAndWhatItHangsOn) {
  ASSERT_TRUE(f.text(branches)) << f.error;
  run(1, 4, 1);
  EXPECT_EQ(describe(coverage, *f.program),
            (Texts{"data never true", "data never true", "launch never true",
                   "data never true"}));
}

TEST_F(CoverageTest, AddsUpOverLaunches) {
  ASSERT_TRUE(f.text(branches)) << f.error;
  run(1, 4, 1);
  run(7, 4, 1);
  EXPECT_EQ(describe(coverage, *f.program),
            (Texts{"launch never true", "data never true"}));
  run(1, 5, 0);
  EXPECT_TRUE(coverage.oneWay(*f.program).empty());
}

TEST_F(CoverageTest, SaysNothingOfKernelsThatDidNotRun) {
  ASSERT_TRUE(f.text(branches)) << f.error;
  EXPECT_TRUE(coverage.oneWay(*f.program).empty());
}

TEST_F(CoverageTest, CountsPlacesOfASwitchNotCases) {
  ASSERT_TRUE(f.text(R"(
define ptx_kernel void @f(ptr %x, ptr %y, i32 %n, float %s) {
  %v = load i32, ptr %x
  switch i32 %v, label %other [ i32 1, label %small i32 2, label %small
                                i32 9, label %large ]
small:
  br label %other
large:
  br label %other
other:
  ret void
}
)")) << f.error;
  run(1, 0, 0);
  EXPECT_EQ(describe(coverage, *f.program),
            (Texts{"data 2 of 3 ways never taken"}));
  run(9, 0, 0);
  run(0, 0, 0);
  EXPECT_TRUE(coverage.oneWay(*f.program).empty());
}

/// g(y): adds one to @count, and puts it back where `reset` is not 0.
constexpr const char *counter = R"(
@count = internal addrspace(1) global i32 41
define ptx_kernel void @g(ptr %y, i32 %reset) {
  %c = load i32, ptr addrspace(1) @count
  store i32 %c, ptr %y
  %next = add i32 %c, 1
  store i32 %next, ptr addrspace(1) @count
  %r = icmp ne i32 %reset, 0
  br i1 %r, label %back, label %done
back:
  store i32 41, ptr addrspace(1) @count
  br label %done
done:
  ret void
}
)";

TEST(ModuleState, WhatACallLeftMayNotBeReadByTheNext) {
  Fixture f;
  ASSERT_TRUE(f.text(counter)) << f.error;
  EXPECT_TRUE(keepsState(*f.program));
  BufferId y = f.output("y", 4);
  auto call = [&](uint64_t reset) {
    return f.run("g", {1, 1, 1}, {1, 1, 1}, {f.ptr(y), Argument(reset, 4)});
  };
  EXPECT_CLEAN(call(1));
  retireModuleState(*f.program, f.memory);
  EXPECT_CLEAN(call(0));
  // Launches of one call may read what others of it wrote.
  EXPECT_CLEAN(call(0));
  EXPECT_EQ(f.read<int32_t>(y)[0], 42);
  retireModuleState(*f.program, f.memory);
  EXPECT_FINDING(call(0), KeptState);
}

TEST(ModuleState, ConstantsKeepNothing) {
  Fixture f;
  ASSERT_TRUE(f.text(R"(
@table = internal addrspace(4) constant i32 41
define ptx_kernel void @g(ptr %y) {
  %c = load i32, ptr addrspace(4) @table
  store i32 %c, ptr %y
  ret void
}
)")) << f.error;
  EXPECT_FALSE(keepsState(*f.program));
}

/// h(x, y, n): y[n - 1] = x[n - 1], in 64 bits.
constexpr const char *last = R"(
define ptx_kernel void @h(ptr %x, ptr %y, i64 %n) {
  %i = sub i64 %n, 1
  %p = getelementptr float, ptr %x, i64 %i
  %q = getelementptr float, ptr %y, i64 %i
  %v = load float, ptr %p
  store float %v, ptr %q
  ret void
}
)";

struct SparseTest : testing::Test {
  static constexpr uint64_t elements = uint64_t(1) << 36;
  Fixture f;
  BufferId x, y;

  BufferId sparse(const char *name, bool filled) {
    BufferSpec s;
    s.name = name;
    s.bytes = elements * 4;
    s.kind = ElementKind::F32;
    s.initialized = filled;
    s.sparse = true;
    if (filled)
      s.fill = [](uint64_t offset, char *bytes, uint64_t size) {
        for (uint64_t at = 0; at < size; at += 4) {
          float v = static_cast<float>((offset + at) / 4 % 1000);
          std::memcpy(bytes + at, &v, 4);
        }
      };
    return f.memory.addBuffer(s);
  }
  LaunchResult run(uint64_t n, Shadow shadow = Shadow::None) {
    Options options;
    options.shadow = shadow;
    return f.run("h", {1, 1, 1}, {1, 1, 1},
                 {f.ptr(x), f.ptr(y), Argument(n, 8)}, options);
  }
  void SetUp() override {
    ASSERT_TRUE(f.text(last)) << f.error;
    x = sparse("x", true);
    y = sparse("y", false);
  }
};

TEST_F(SparseTest, HoldsWhatIsTouchedOfAQuarterTerabyte) {
  EXPECT_CLEAN(run(elements, Shadow::ValueAndError));
  uint64_t at = (elements - 1) * 4;
  ASSERT_TRUE(f.memory.touched(y, at));
  float v;
  std::memcpy(&v, f.memory.touched(y, at), 4);
  EXPECT_EQ(v, static_cast<float>((elements - 1) % 1000));
  EXPECT_TRUE(f.memory.isInitialized(y, at));
  EXPECT_FALSE(f.memory.isInitialized(y, at - 4));
  EXPECT_EQ(f.memory.shadowValue(y, at, -1), v);
  EXPECT_FALSE(f.memory.touched(y, 0));
  EXPECT_FALSE(f.memory.isInitialized(y, 0));
}

TEST_F(SparseTest, HasItsOwnBounds) {
  LaunchResult r = run(elements + 1);
  EXPECT_FINDING(r, OutOfBounds);
  EXPECT_EQ(r.findings[0].buffer, "x");
  EXPECT_EQ(static_cast<uint64_t>(r.findings[0].byteOffset), elements * 4);
}

} // namespace
