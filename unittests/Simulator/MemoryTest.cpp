// Block copies, local arrays, bf16. Memory operations beyond plain loads and
// stores, and the type whose bits only memory and arithmetic see.
#include "Harness.h"
#include <algorithm>
#include <cmath>
#include <cstring>

using namespace evo::sim;
using namespace evo::sim::test;

namespace {

const char *const copyFunctions =
    "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)\n"
    "declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)\n"
    "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)\n";

struct CopyRun : Fixture {
  BufferId from = 0, to = 0;
  /// %p holds 0, 1, ... 63 as bytes; 64 bytes of %o are not written.
  LaunchResult body(const std::string &body, uint64_t threads = 1,
                    const Options &options = {}) {
    if (!text(kernelIR("ptr %p, ptr %o", body, copyFunctions))) {
      ADD_FAILURE() << error;
      return {};
    }
    std::vector<uint8_t> v(64);
    for (int i = 0; i < 64; ++i)
      v[i] = i;
    from = buffer("p", v);
    to = output("o", 64);
    return run("k", {1, 1, 1}, {threads, 1, 1}, {ptr(from), ptr(to)}, options);
  }
};

TEST(BlockCopy, CopiesBytesPerLane) {
  // Each of 4 lanes copies 5 bytes to where 16 bytes are its own.
  CopyRun f;
  EXPECT_CLEAN(f.body(R"(
    %i = mul i32 %t, 16
    %d = getelementptr i8, ptr %o, i32 %i
    %s = getelementptr i8, ptr %p, i32 %t
    call void @llvm.memcpy.p0.p0.i64(ptr %d, ptr %s, i64 5, i1 false)
    ret void
  )",
                      4));
  auto v = f.read<uint8_t>(f.to);
  for (int lane = 0; lane < 4; ++lane) {
    for (int b = 0; b < 5; ++b)
      EXPECT_EQ(v[16 * lane + b], lane + b);
    EXPECT_TRUE(f.memory.isInitialized(f.to, 16 * lane + 4));
    EXPECT_FALSE(f.memory.isInitialized(f.to, 16 * lane + 5));
  }
}

TEST(BlockCopy, MoveOverlaps) {
  CopyRun f;
  EXPECT_CLEAN(f.body(R"(
    %d = getelementptr i8, ptr %p, i32 1
    call void @llvm.memmove.p0.p0.i64(ptr %d, ptr %p, i64 10, i1 false)
    ret void
  )"));
  auto v = f.read<uint8_t>(f.from);
  for (int i = 0; i < 11; ++i)
    EXPECT_EQ(v[i], i ? i - 1 : 0);
  EXPECT_EQ(v[11], 11);
}

TEST(BlockCopy, SetFillsAndMarks) {
  CopyRun f;
  EXPECT_CLEAN(f.body(R"(
    call void @llvm.memset.p0.i64(ptr %o, i8 -85, i64 7, i1 false)
    %v = load i32, ptr %o
    ret void
  )"));
  auto v = f.read<uint8_t>(f.to);
  for (int i = 0; i < 7; ++i)
    EXPECT_EQ(v[i], 0xab);
  EXPECT_TRUE(f.memory.isInitialized(f.to, 6));
  EXPECT_FALSE(f.memory.isInitialized(f.to, 7));
}

TEST(BlockCopy, Bounds) {
  auto copy = [](int length, bool swap) {
    return std::string("call void @llvm.memcpy.p0.p0.i64(ptr ") +
           (swap ? "%p, ptr %o" : "%o, ptr %p") + ", i64 " +
           std::to_string(length) + ", i1 false)\nret void\n";
  };
  EXPECT_CLEAN(CopyRun().body(copy(64, false)));
  EXPECT_CLEAN(CopyRun().body(copy(0, false)));
  EXPECT_FINDING(CopyRun().body(copy(65, false)), OutOfBounds);
  EXPECT_FINDING(CopyRun().body(copy(-1, false)), OutOfBounds);
  auto set = [](int length) {
    return "call void @llvm.memset.p0.i64(ptr %o, i8 0, i64 " +
           std::to_string(length) + ", i1 false)\nret void\n";
  };
  EXPECT_CLEAN(CopyRun().body(set(64)));
  auto r = CopyRun().body(set(65));
  EXPECT_FINDING(r, OutOfBounds);
  EXPECT_EQ(r.findings[0].buffer, "o");
}

TEST(BlockCopy, UninitialisedTravelsAndIsFoundWhenRead) {
  // o is not written but for its first four bytes; copying it is no defect,
  // reading the copy of what is missing is.
  auto body = [](int at) {
    return "store i32 7, ptr %o\n"
           "call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %o, i64 8, i1 false)\n"
           "%q = getelementptr i8, ptr %p, i64 " +
           std::to_string(at) + "\n%v = load i32, ptr %q\nret void\n";
  };
  EXPECT_CLEAN(CopyRun().body(body(0)));
  EXPECT_CLEAN(CopyRun().body(body(8)));
  for (int at : {4, 2}) {
    auto r = CopyRun().body(body(at).replace(body(at).rfind("load i32, ptr %q"),
                                             16, "load i32, ptr %q, align 1"));
    EXPECT_FINDING(r, UninitializedRead);
    EXPECT_EQ(r.findings[0].buffer, "p");
    EXPECT_EQ(r.findings[0].byteOffset, at);
  }
}

TEST(BlockCopy, ShadowValuesTravel) {
  for (bool copied : {true, false}) {
    Fixture f;
    ASSERT_TRUE(f.text(kernelIR(
        "ptr %p",
        std::string("%a = alloca float\n%s = fadd float 1.0, "
                    "0x3E10000000000000\nstore float %s, ptr %a\n") +
            (copied ? "call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %a, i64 4, "
                      "i1 false)\n"
                    : "call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 4, i1 "
                      "false)\n") +
            "ret void\n",
        copyFunctions)))
        << f.error;
    BufferId b = f.output("p", 4, ElementKind::F32);
    f.memory.enableShadow(Shadow::ShadowValue);
    f.memory.setShadowValue(b, 0, 5);
    Options o;
    o.shadow = Shadow::ShadowValue;
    EXPECT_CLEAN(f.run("k", {1, 1, 1}, {1, 1, 1}, {f.ptr(b)}, o));
    EXPECT_EQ(f.memory.hasShadowValue(b, 0), copied);
    EXPECT_EQ(f.memory.shadowValue(b, 0, 0), copied ? 1 + 0x1p-30 : 0);
  }
}

TEST(BlockCopy, EndsWithinItsBudget) {
  // Copies count by their bytes, so a loop of large ones meets the budget.
  auto body = [](int rounds) {
    return "br label %l\nl:\n%i = phi i32 [ 0, %entry ], [ %j, %l ]\n"
           "call void @llvm.memset.p0.i64(ptr %o, i8 0, i64 64, i1 false)\n"
           "%j = add i32 %i, 1\n%c = icmp ult i32 %j, " +
           std::to_string(rounds) +
           "\nbr i1 %c, label %l, label %e\ne:\nret void\n";
  };
  Options o;
  o.limits.laneInstructions = 1000;
  EXPECT_CLEAN(CopyRun().body(body(10), 1, o));
  EXPECT_FINDING(CopyRun().body(body(100), 1, o), BudgetExceeded);
}

TEST(Locals, ConstantCountGivesAnArray) {
  auto body = [](const char *count, int index) {
    return std::string("%a = alloca i32, i64 ") + count + R"(
    %q = getelementptr i32, ptr %a, i64 )" +
           std::to_string(index) + R"(
    store i32 %t, ptr %q
    %v = load i32, ptr %q
    %d = getelementptr i32, ptr %o, i32 %t
    store i32 %v, ptr %d
    ret void
  )";
  };
  CopyRun f;
  EXPECT_CLEAN(f.body(body("6", 5), 16));
  auto v = f.read<int>(f.to);
  for (int i = 0; i < 16; ++i)
    EXPECT_EQ(v[i], i);
  EXPECT_FINDING(CopyRun().body(body("6", 6)), OutOfBounds);
  EXPECT_FINDING(CopyRun().body(body("0", 0)), OutOfBounds);
  for (const char *count : {"%n", "4611686018427387905"}) {
    Fixture g;
    EXPECT_FALSE(
        g.text(kernelIR("i64 %n", std::string("%a = alloca i32, i64 ") + count +
                                      "\nstore i32 1, ptr %a\nret void\n")));
    EXPECT_NE(g.error.find("unsupported: alloca of"), std::string::npos)
        << g.error;
  }
}

TEST(Detectors, WildPointerHasACleanTwin) {
  // The same integer as a pointer, once out of nowhere and once p's own.
  auto body = [](const char *base) {
    return std::string("%n = ptrtoint ptr ") + base +
           R"( to i64
    %m = add i64 %n, 123456
    %l = sub i64 %m, 123400
    %q = inttoptr i64 %l to ptr
    %v = load i32, ptr %q
    ret void
  )";
  };
  EXPECT_CLEAN(CopyRun().body(body("%p")));
  auto r = CopyRun().body(body("null"));
  EXPECT_FINDING(r, NullOrWildPointer);
  EXPECT_EQ(r.findings[0].address, 56u);
  EXPECT_EQ(r.findings[0].buffer, "");
}

uint16_t roundToBfloat(double v) {
  // To nearest even from the double, one rounding; finite values only.
  float f = static_cast<float>(v);
  uint32_t bits;
  std::memcpy(&bits, &f, 4);
  double low, high;
  uint32_t down = bits & 0xffff0000u, up = down + 0x10000;
  float fl, fh;
  std::memcpy(&fl, &down, 4);
  std::memcpy(&fh, &up, 4);
  low = std::fabs(v - fl);
  high = std::fabs(fh - v);
  bool takeUp = high < low || (high == low && (down >> 16 & 1));
  return (takeUp ? up : down) >> 16;
}
double bfloat(uint16_t bits) {
  uint32_t wide = uint32_t(bits) << 16;
  float f;
  std::memcpy(&f, &wide, 4);
  return f;
}

TEST(Values, BfloatArithmeticRoundsEveryOperation) {
  const std::string fma = "declare bfloat @llvm.fma.bf16(bfloat, bfloat, "
                          "bfloat)\n";
  Fixture f;
  ASSERT_TRUE(f.text(kernelIR("ptr %a, ptr %b, ptr %o", R"(
    %pa = getelementptr bfloat, ptr %a, i32 %t
    %pb = getelementptr bfloat, ptr %b, i32 %t
    %x = load bfloat, ptr %pa
    %y = load bfloat, ptr %pb
    %sum = fadd bfloat %x, %y
    %dif = fsub bfloat %x, %y
    %mul = fmul bfloat %x, %y
    %div = fdiv bfloat %x, %y
    %fma = call bfloat @llvm.fma.bf16(bfloat %x, bfloat %y, bfloat %x)
    %wide = fpext bfloat %x to float
    %third = fdiv float %wide, 3.0
    %cvt = fptrunc float %third to bfloat
    %i = mul i32 %t, 6
    %o0 = getelementptr bfloat, ptr %o, i32 %i
    store bfloat %sum, ptr %o0
    %o1 = getelementptr bfloat, ptr %o0, i32 1
    store bfloat %dif, ptr %o1
    %o2 = getelementptr bfloat, ptr %o0, i32 2
    store bfloat %mul, ptr %o2
    %o3 = getelementptr bfloat, ptr %o0, i32 3
    store bfloat %div, ptr %o3
    %o4 = getelementptr bfloat, ptr %o0, i32 4
    store bfloat %fma, ptr %o4
    %o5 = getelementptr bfloat, ptr %o0, i32 5
    store bfloat %cvt, ptr %o5
    ret void
  )",
                              fma)))
      << f.error;
  std::vector<uint16_t> a(64), b(64);
  uint32_t state = 12345;
  for (int i = 0; i < 64; ++i) {
    auto next = [&] { // normal numbers around one, both signs
      state = state * 1664525u + 1013904223u;
      return uint16_t((state >> 16 & 0x83ff) | 0x3e00);
    };
    a[i] = next();
    b[i] = next();
  }
  BufferId ba = f.buffer("a", a, ElementKind::BF16),
           bb = f.buffer("b", b, ElementKind::BF16),
           bo = f.output("o", 64 * 6 * 2, ElementKind::BF16);
  std::vector<uint16_t> first;
  for (bool baseline : {false, true}) {
    Options o;
    o.forceBaseline = baseline;
    o.shadow = Shadow::ShadowValue;
    EXPECT_CLEAN(f.run("k", {1, 1, 1}, {64, 1, 1},
                       {f.ptr(ba), f.ptr(bb), f.ptr(bo)}, o));
    auto v = f.read<uint16_t>(bo);
    unsigned rounded = 0;
    for (int i = 0; i < 64; ++i) {
      const double x = bfloat(a[i]), y = bfloat(b[i]);
      const double want[] = {x + y, x - y, x * y, x / y, x * y + x};
      for (int j = 0; j < 5; ++j) {
        if (want[j] != 0) {
          EXPECT_EQ(v[6 * i + j], roundToBfloat(want[j]))
              << x << " " << y << " operation " << j;
        }
        rounded += bfloat(v[6 * i + j]) != want[j];
        EXPECT_EQ(f.memory.shadowValue(bo, (6 * i + j) * 2, -1), want[j]);
      }
      EXPECT_EQ(v[6 * i + 5], roundToBfloat(float(x) / 3.0f));
    }
    // Rounding did happen, or this would show nothing.
    EXPECT_GT(rounded, 64u);
    if (baseline) {
      EXPECT_EQ(v, first);
    }
    first = v;
  }
}

/// Pages that one memory has read are there for the next, which does not fill
/// them again; a buffer of another size has its own.
TEST(Memory, PagesThatAreOnlyReadAreShared) {
  unsigned filled = 0;
  BufferSpec spec;
  spec.name = "x";
  spec.bytes = uint64_t(1) << 40;
  spec.kind = ElementKind::F32;
  spec.readOnly = spec.initialized = spec.sparse = true;
  spec.storage = 1 << 12;
  spec.fill = [&](uint64_t offset, char *bytes, uint64_t size) {
    ++filled;
    std::memset(bytes, static_cast<int>(offset >> 30), size);
  };
  spec.pages = makeReadOnlyPages(spec);
  ASSERT_TRUE(spec.pages);
  const uint64_t there = uint64_t(5) << 30;
  for (unsigned memories = 0; memories < 2; ++memories) {
    GlobalMemory memory;
    memory.enableShadow(Shadow::ValueAndError);
    BufferId x = memory.addBuffer(spec);
    ASSERT_TRUE(memory.isMapped(x));
    ASSERT_TRUE(memory.touch(x, there, 4));
    EXPECT_EQ(*memory.touched(x, there), 5);
    EXPECT_EQ(memory.shadowValue(x, there, 7.0), 7.0);
    EXPECT_EQ(memory.error(x, there), 0);
    EXPECT_EQ(filled, 1u);
  }
  EXPECT_FALSE(isHalfFull(*spec.pages));
  // As many as there is storage for, whoever asks.
  unsigned touched = 1;
  for (unsigned memories = 0; memories < 20; ++memories) {
    GlobalMemory memory;
    BufferId x = memory.addBuffer(spec);
    touched += memory.touch(x, uint64_t(memories) << 20, 4);
  }
  EXPECT_EQ(touched, 16u);
  EXPECT_TRUE(isHalfFull(*spec.pages));
}

/// 64 GiB of sevens, three words of which are their own numbers.
BufferSpec repeatedSpec(std::vector<uint64_t> words) {
  BufferSpec spec;
  spec.name = "long";
  spec.bytes = (uint64_t(1) << 36) - 8;
  spec.readOnly = spec.initialized = true;
  spec.repeated.assign(1024 * BufferSpec::repeatUnit, 7);
  for (uint64_t word : words)
    spec.apart.push_back(word / 512 * BufferSpec::repeatUnit);
  spec.fill = [words](uint64_t offset, char *bytes, uint64_t size) {
    for (uint64_t at = 0; at < size; at += 8) {
      const uint64_t word = (offset + at) / 8;
      uint64_t value = 0x0707070707070707;
      if (std::find(words.begin(), words.end(), word) != words.end())
        value = word;
      std::memcpy(bytes + at, &value, 8);
    }
  };
  return spec;
}

TEST(RepeatedBytes, HoldsAFewOthersAnywhere) {
  const std::vector<uint64_t> words = {1, 5'000'000'123,
                                       (uint64_t(1) << 33) - 2};
  Fixture f;
  ASSERT_TRUE(f.text(kernelIR("ptr %p, ptr %w, ptr %o", R"(
    %wi = getelementptr i64, ptr %w, i32 %t
    %word = load i64, ptr %wi
    %pi = getelementptr i64, ptr %p, i64 %word
    %v = load i64, ptr %pi
    %oi = getelementptr i64, ptr %o, i32 %t
    store i64 %v, ptr %oi
    ret void
  )")))
      << f.error;
  const BufferId p = f.memory.addBuffer(repeatedSpec(words));
  ASSERT_TRUE(f.memory.isMapped(p));
  std::vector<uint64_t> places = words;
  for (uint64_t word : words)
    places.push_back(word ? word - 1 : word + 1);
  places.push_back(1024 * 512); // the first word again
  const BufferId w = f.buffer("w", places), o = f.output("o", 8 * 8);
  EXPECT_CLEAN(
      f.run("k", {1, 1, 1}, {7, 1, 1}, {f.ptr(p), f.ptr(w), f.ptr(o)}));
  auto v = f.read<uint64_t>(o);
  for (int i = 0; i < 7; ++i)
    EXPECT_EQ(v[i], i < 3 ? words[i] : 0x0707070707070707) << i;
}

TEST(RepeatedBytes, EndWhereTheBufferDoes) {
  Fixture f;
  ASSERT_TRUE(f.text(kernelIR("ptr %p, ptr %o", R"(
    %pi = getelementptr i64, ptr %p, i64 8589934591
    %v = load i64, ptr %pi
    store i64 %v, ptr %o
    ret void
  )")))
      << f.error;
  const BufferId p = f.memory.addBuffer(repeatedSpec({}));
  const BufferId o = f.output("o", 8);
  EXPECT_FINDING(f.run("k", {1, 1, 1}, {1, 1, 1}, {f.ptr(p), f.ptr(o)}),
                 OutOfBounds);
}

TEST(RepeatedBytes, AreNotWritten) {
  Fixture f;
  ASSERT_TRUE(f.text(kernelIR("ptr %p", "store i64 1, ptr %p\nret void\n")))
      << f.error;
  const BufferId p = f.memory.addBuffer(repeatedSpec({0}));
  EXPECT_FALSE(f.run("k", {1, 1, 1}, {1, 1, 1}, {f.ptr(p)}).clean());
}

} // namespace
