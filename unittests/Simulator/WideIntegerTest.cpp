// Integers of up to 128 bits, as words: against the host's own.
#include "Harness.h"

using namespace evo::sim;
using namespace evo::sim::test;

namespace {
using Wide = __int128;
using UnsignedWide = unsigned __int128;

/// The low and high word that `text` makes as %r, an i128, of the i128s %x and
/// %y.
UnsignedWide compute(const std::string &text, UnsignedWide x, UnsignedWide y) {
  Fixture f;
  auto half = [](UnsignedWide v, int n) {
    return Argument(static_cast<uint64_t>(v >> 64 * n), 8);
  };
  if (!f.text(kernelIR("ptr %p, i64 %a, i64 %b, i64 %c, i64 %d",
                       "%a1 = zext i64 %a to i128\n%b1 = zext i64 %b to i128\n"
                       "%b2 = shl i128 %b1, 64\n%x = or i128 %a1, %b2\n"
                       "%c1 = zext i64 %c to i128\n%d1 = zext i64 %d to i128\n"
                       "%d2 = shl i128 %d1, 64\n%y = or i128 %c1, %d2\n" +
                           text + "store i128 %r, ptr %p, align 16\nret void\n",
                       "declare i128 @llvm.ctlz.i128(i128, i1)\n"))) {
    ADD_FAILURE() << text << f.error;
    return 0;
  }
  BufferSpec spec;
  spec.name = "p";
  spec.bytes = 16;
  BufferId b = f.memory.addBuffer(spec);
  EXPECT_CLEAN(
      f.run("k", {1, 1, 1}, {1, 1, 1},
            {f.ptr(b), half(x, 0), half(x, 1), half(y, 0), half(y, 1)}));
  UnsignedWide r;
  std::memcpy(&r, f.memory.bytes(b), 16);
  return r;
}

const UnsignedWide samples[] = {0,
                                1,
                                7,
                                ~UnsignedWide(0),
                                UnsignedWide(1) << 64,
                                (UnsignedWide(1) << 127) + 5,
                                (UnsignedWide(0x123456789abcdef0) << 64) |
                                    0xfedcba9876543210,
                                0xffffffffffffffff};

#define EXPECT_WIDE(TEXT, EXPRESSION)                                          \
  for (UnsignedWide x : samples)                                               \
    for (UnsignedWide y : samples) {                                           \
      const UnsignedWide got = compute(TEXT, x, y);                            \
      const UnsignedWide want = static_cast<UnsignedWide>(EXPRESSION);         \
      EXPECT_TRUE(got == want)                                                 \
          << TEXT << " of " << uint64_t(x >> 64) << ":" << uint64_t(x) << " "  \
          << uint64_t(y >> 64) << ":" << uint64_t(y) << " gives "              \
          << uint64_t(got >> 64) << ":" << uint64_t(got);                      \
    }

TEST(WideIntegers, Arithmetic) {
  EXPECT_WIDE("%r = add i128 %x, %y\n", x + y);
  EXPECT_WIDE("%r = sub i128 %x, %y\n", x - y);
  EXPECT_WIDE("%r = mul i128 %x, %y\n", x * y);
  EXPECT_WIDE("%r = xor i128 %x, %y\n", x ^ y);
}

TEST(WideIntegers, Shifts) {
  EXPECT_WIDE("%s = and i128 %y, 127\n%r = shl i128 %x, %s\n", x << (y & 127));
  EXPECT_WIDE("%s = and i128 %y, 127\n%r = lshr i128 %x, %s\n", x >> (y & 127));
  EXPECT_WIDE("%s = and i128 %y, 127\n%r = ashr i128 %x, %s\n",
              Wide(x) >> (y & 127));
}

TEST(WideIntegers, Divisions) {
  EXPECT_WIDE("%z = or i128 %y, 2\n%r = udiv i128 %x, %z\n", x / (y | 2));
  EXPECT_WIDE("%z = or i128 %y, 2\n%r = srem i128 %x, %z\n",
              Wide(x) % Wide(y | 2));
}

TEST(WideIntegers, Comparisons) {
  EXPECT_WIDE("%lt = icmp slt i128 %x, %y\n%r = select i1 %lt, i128 %x, i128 "
              "%y\n",
              Wide(x) < Wide(y) ? x : y);
  EXPECT_WIDE("%le = icmp ule i128 %x, %y\n%r = zext i1 %le to i128\n", x <= y);
  EXPECT_WIDE("%ne = icmp ne i128 %x, %y\n%r = zext i1 %ne to i128\n", x != y);
}

TEST(WideIntegers, OtherWidths) {
  EXPECT_WIDE("%v = trunc i128 %x to i96\n%u = trunc i128 %y to i96\n"
              "%s = add i96 %v, %u\n%r = sext i96 %s to i128\n",
              Wide((x + y) << 32) >> 32);
  EXPECT_WIDE("%v = trunc i128 %x to i64\n%r = sext i64 %v to i128\n",
              Wide(int64_t(x)));
  EXPECT_WIDE("%r = call i128 @llvm.ctlz.i128(i128 %x, i1 false)\n",
              x >> 64       ? __builtin_clzll(uint64_t(x >> 64))
              : uint64_t(x) ? 64 + __builtin_clzll(uint64_t(x))
                            : 128);
}

TEST(WideIntegers, Floats) {
  EXPECT_WIDE("%f = sitofp i128 %x to double\n%g = bitcast double %f to i64\n"
              "%r = zext i64 %g to i128\n",
              [](double v) {
                uint64_t bits;
                std::memcpy(&bits, &v, 8);
                return bits;
              }(double(Wide(x))));
  EXPECT_WIDE("%f = uitofp i128 %x to float\n%g = bitcast float %f to i32\n"
              "%r = zext i32 %g to i128\n",
              [](float v) {
                uint32_t bits;
                std::memcpy(&bits, &v, 4);
                return bits;
              }(float(x)));
  EXPECT_WIDE("%z = lshr i128 %x, 1\n%f = uitofp i128 %z to double\n"
              "%r = fptoui double %f to i128\n",
              UnsignedWide(double(x >> 1)));
}

TEST(WideIntegers, LoopsCarryThem) {
  // x three times over, through a phi.
  EXPECT_WIDE("br label %l\nl:\n%n = phi i32 [ 0, %entry ], [ %n1, %l ]\n"
              "%s = phi i128 [ %y, %entry ], [ %r, %l ]\n%r = add i128 %s, %x\n"
              "%n1 = add i32 %n, 1\n%more = icmp ult i32 %n1, 3\n"
              "br i1 %more, label %l, label %e\ne:\n",
              y + 3 * x);
}

} // namespace
