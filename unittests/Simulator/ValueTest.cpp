// Bits, and exchange within warps. What instructions compute, in both
// interpreters.
#include "Harness.h"
#include <cmath>

using namespace evo::sim;
using namespace evo::sim::test;

namespace {

/// Runs a body that leaves an i32 in %r for each thread; both interpreters.
std::vector<int> results(const std::string &body, unsigned threads = 32,
                         const std::string &globals = "") {
  std::vector<int> out;
  for (bool baseline : {false, true}) {
    Fixture f;
    if (!f.text(kernelIR("ptr %p", body + R"(
      %o_ = getelementptr i32, ptr %p, i32 %t
      store i32 %r, ptr %o_
      ret void
    )",
                         globals))) {
      ADD_FAILURE() << f.error;
      return {};
    }
    BufferId b = f.output("p", threads * 4);
    Options o;
    o.forceBaseline = baseline;
    auto r = f.run("k", {1, 1, 1}, {threads, 1, 1}, {f.ptr(b)}, o);
    EXPECT_CLEAN(r);
    auto v = f.read<int>(b);
    if (baseline)
      EXPECT_EQ(v, out) << body;
    out = v;
  }
  return out;
}

TEST(Values, NarrowIntegers) {
  auto v = results("%a = trunc i32 %t to i8\n%b = sub i8 %a, 5\n"
                   "%c = sdiv i8 %b, 2\n%d = ashr i8 %c, 1\n"
                   "%e = icmp slt i8 %d, -1\n%f = sext i8 %d to i32\n"
                   "%g = select i1 %e, i32 1000, i32 0\n%r = add i32 %f, %g\n");
  for (int t = 0; t < 32; ++t) {
    int d = ((t - 5) / 2) >> 1;
    EXPECT_EQ(v[t], d + (d < -1 ? 1000 : 0)) << t;
  }
  v = results("%a = trunc i32 %t to i16\n%b = mul i16 %a, 4097\n"
              "%c = call i16 @llvm.ctlz.i16(i16 %b, i1 false)\n"
              "%d = call i16 @llvm.bswap.i16(i16 %b)\n"
              "%e = zext i16 %c to i32\n%f = zext i16 %d to i32\n"
              "%g = shl i32 %f, 8\n%r = add i32 %e, %g\n",
              32,
              "declare i16 @llvm.ctlz.i16(i16, i1)\n"
              "declare i16 @llvm.bswap.i16(i16)\n");
  for (int t = 0; t < 32; ++t) {
    unsigned b = t * 4097 & 0xffff;
    unsigned lz = b ? __builtin_clz(b) - 16 : 16;
    EXPECT_EQ(v[t], int(lz + (__builtin_bswap16(b) << 8))) << t;
  }
}

TEST(Values, WideIntegers) {
  auto v = results(
      "%a = sext i32 %t to i64\n%b = mul i64 %a, -4294967299\n"
      "%c = ashr i64 %b, 30\n%d = call i64 @llvm.smax.i64(i64 %c, i64 -50)\n"
      "%e = icmp ugt i64 %d, 10\n%f = zext i1 %e to i32\n"
      "%g = trunc i64 %d to i32\n%h = shl i32 %g, 1\n%r = or i32 %h, %f\n",
      32, "declare i64 @llvm.smax.i64(i64, i64)\n");
  for (int t = 0; t < 32; ++t) {
    int64_t d = std::max<int64_t>((t * -4294967299ll) >> 30, -50);
    EXPECT_EQ(v[t], int(unsigned(d) << 1 | (uint64_t(d) > 10))) << t;
  }
}

TEST(Values, VectorsReduceBySign) {
  const char *ops[] = {"smin", "smax", "umin", "umax"};
  const int expected[] = {-5, 3, 1, 0xfffb}; // of -5, 1 and 3
  for (auto [op, value] : llvm::zip_equal(ops, expected)) {
    std::string name = std::string("i16 @llvm.vector.reduce.") + op + ".v3i16";
    auto v = results("%a = trunc i32 %t to i16\n%m = sub i16 %a, 5\n"
                     "%v = insertelement <3 x i16> <i16 0, i16 1, i16 3>, "
                     "i16 %m, i32 0\n"
                     "%x = call " +
                         name + "(<3 x i16> %v)\n%r = " +
                         (op[0] == 's' ? "sext" : "zext") + " i16 %x to i32\n",
                     32, "declare " + name + "(<3 x i16>)\n");
    ASSERT_FALSE(v.empty());
    EXPECT_EQ(v[0], value) << op;
  }
}

/// What libdevice and the device's instructions call by one name may differ.
TEST(Values, RoundAndPermute) {
  const std::string declare = "declare float @llvm.nvvm.round.f(float)\n"
                              "declare float @llvm.nvvm.round.ftz.f(float)\n"
                              "declare double @llvm.nvvm.round.d(double)\n"
                              "declare float @llvm.round.f32(float)\n"
                              "declare float @llvm.rint.f32(float)\n"
                              "declare float @__nv_roundf(float)\n"
                              "declare double @__nv_round(double)\n"
                              "declare i32 @llvm.nvvm.prmt(i32, i32, i32)\n"
                              "declare i32 @__nv_byte_perm(i32, i32, i32)\n";
  const struct {
    const char *function, *type;
    bool toEven;
  } rounds[] = {{"llvm.nvvm.round.f", "float", true},
                {"llvm.nvvm.round.ftz.f", "float", true},
                {"llvm.nvvm.round.d", "double", true},
                {"llvm.rint.f32", "float", true},
                {"llvm.round.f32", "float", false},
                {"__nv_roundf", "float", false},
                {"__nv_round", "double", false}};
  for (const auto &round : rounds) {
    const std::string type = round.type;
    auto v =
        results("%x = uitofp i32 %t to " + type + "\n%h = fmul " + type +
                    " %x, 0.5\n%f = call " + type + " @" + round.function +
                    "(" + type + " %h)\n%r = fptosi " + type + " %f to i32\n",
                32, declare);
    for (int t = 0; t < 32; ++t)
      EXPECT_EQ(v[t], int(round.toEven ? std::nearbyint(0.5 * t)
                                       : std::round(0.5 * t)))
          << round.function << t;
  }
  const int bytes = 0x80017f02;
  auto permuted = [&](const char *function, const char *selector) {
    return unsigned(results(std::string("%r = call i32 @") + function +
                                "(i32 " + std::to_string(bytes) +
                                ", i32 5, i32 " + selector + ")\n",
                            32, declare)[0]);
  };
  // Bit 3 of a digit asks prmt for the sign of the byte alone.
  EXPECT_EQ(permuted("llvm.nvvm.prmt", "48059"), 0xffffffffu); // 0xbbbb
  EXPECT_EQ(permuted("__nv_byte_perm", "48059"), 0x80808080u); // 0xbbbb
  EXPECT_EQ(permuted("__nv_byte_perm", "37697"), 0x7f80057fu); // 0x9341
}

TEST(Values, SwitchAndPhiSwap) {
  // A loop whose phis exchange values, left by a switch on the lane.
  auto v = results(R"(
    br label %loop
  loop:
    %a = phi i32 [ 1, %entry ], [ %b, %loop ]
    %b = phi i32 [ 2, %entry ], [ %a, %loop ]
    %i = phi i32 [ 0, %entry ], [ %j, %loop ]
    %j = add i32 %i, 1
    %c = icmp ult i32 %i, %t
    br i1 %c, label %loop, label %out
  out:
    %m = urem i32 %t, 4
    switch i32 %m, label %other [ i32 0, label %zero i32 1, label %one ]
  zero:
    br label %end
  one:
    br label %end
  other:
    br label %end
  end:
    %k = phi i32 [ 100, %zero ], [ 200, %one ], [ 300, %other ]
    %r = add i32 %k, %a
  )");
  for (int t = 0; t < 32; ++t)
    EXPECT_EQ(v[t], (t % 4 == 0 ? 100 : t % 4 == 1 ? 200 : 300) + 1 + t % 2);
}

TEST(Values, VotesMatchesReductions) {
  auto v =
      results("%o = and i32 %t, 5\n%c = icmp eq i32 %o, 1\n"
              "%r = call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 %c)\n");
  unsigned ballot = 0;
  for (int t = 0; t < 32; ++t)
    ballot |= unsigned((t & 5) == 1) << t;
  for (int t = 0; t < 32; ++t)
    EXPECT_EQ(unsigned(v[t]), ballot);
  // Two halves vote for themselves, inside divergent code.
  v = results(R"(
    %h = icmp ult i32 %t, 16
    br i1 %h, label %low, label %high
  low:
    %c1 = icmp ult i32 %t, 16
    %a = call i1 @llvm.nvvm.vote.all.sync(i32 65535, i1 %c1)
    br label %end
  high:
    %c2 = icmp eq i32 %t, 20
    %b = call i1 @llvm.nvvm.vote.any.sync(i32 -65536, i1 %c2)
    %u = call i1 @llvm.nvvm.vote.uni.sync(i32 -65536, i1 %c2)
    %nu = xor i1 %u, true
    %both = and i1 %b, %nu
    br label %end
  end:
    %x = phi i1 [ %a, %low ], [ %both, %high ]
    %r = zext i1 %x to i32
  )");
  for (int t = 0; t < 32; ++t)
    EXPECT_EQ(v[t], 1) << t;
  v = results("%m = urem i32 %t, 3\n"
              "%r = call i32 @llvm.nvvm.match.any.sync.i32(i32 -1, i32 %m)\n");
  for (int t = 0; t < 32; ++t) {
    unsigned same = 0;
    for (int l = 0; l < 32; ++l)
      same |= unsigned(l % 3 == t % 3) << l;
    EXPECT_EQ(unsigned(v[t]), same);
  }
  v = results(
      "%m = udiv i32 %t, 32\n"
      "%x = call {i32, i1} @llvm.nvvm.match.all.sync.i32p(i32 -1, i32 %m)\n"
      "%y = extractvalue {i32, i1} %x, 1\n%r = zext i1 %y to i32\n",
      64);
  EXPECT_EQ(v[40], 1);
  v = results("%r = call i32 @llvm.nvvm.redux.sync.add(i32 %t, i32 -1)\n");
  EXPECT_EQ(v[7], 31 * 16);
}

TEST(Values, ShuffleModes) {
  auto v = results("%r = call i32 @llvm.nvvm.shfl.sync.down.i32(i32 -1, i32 "
                   "%t, i32 3, i32 31)\n");
  for (int t = 0; t < 32; ++t)
    EXPECT_EQ(v[t], t + 3 < 32 ? t + 3 : t);
  // Segments of eight lanes: clamp 31, segment mask 24.
  v = results(
      "%x = call {i32, i1} @llvm.nvvm.shfl.sync.up.i32p(i32 -1, i32 %t, i32 2, "
      "i32 6144)\n"
      "%a = extractvalue {i32, i1} %x, 0\n%b = extractvalue {i32, i1} %x, 1\n"
      "%c = zext i1 %b to i32\n%d = mul i32 %c, 1000\n%r = add i32 %a, %d\n");
  for (int t = 0; t < 32; ++t)
    EXPECT_EQ(v[t], t % 8 >= 2 ? 1000 + t - 2 : t);
  v = results("%r = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %t, i32 "
              "5, i32 6175)\n");
  for (int t = 0; t < 32; ++t)
    EXPECT_EQ(v[t], t / 8 * 8 + 5);
}

TEST(Values, BarrierReductions) {
  auto v = results(R"(
    %c = icmp ult i32 %t, 40
    %n = call i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32 0, i1 %c)
    %a = call i1 @llvm.nvvm.barrier.cta.red.and.aligned.all(i32 0, i1 %c)
    %o = call i1 @llvm.nvvm.barrier.cta.red.or.aligned.all(i32 0, i1 %c)
    %a1 = zext i1 %a to i32
    %o1 = zext i1 %o to i32
    %a2 = mul i32 %a1, 1000
    %o2 = mul i32 %o1, 2000
    %s = add i32 %n, %a2
    %r = add i32 %s, %o2
  )",
                   70);
  for (int x : v)
    EXPECT_EQ(x, 2040);
}

TEST(Values, HalfArithmeticRoundsEveryOperation) {
  // 2048 + 1 is a tie in f16 and rounds to even; fma rounds once.
  auto v = results(R"(
    %a = uitofp i32 %t to half
    %b = fadd half %a, 0xH6800
    %c = call half @llvm.fma.f16(half 0xH3C01, half 0xH3C01, half 0xHBC00)
    %bi = bitcast half %b to i16
    %ci = bitcast half %c to i16
    %b4 = zext i16 %bi to i32
    %c4 = zext i16 %ci to i32
    %c5 = shl i32 %c4, 16
    %r = or i32 %b4, %c5
  )");
  for (int t = 0; t < 32; ++t) {
    float sum = 2048 + t; // representable: even numbers; ties go to even
    int r = int(std::nearbyint(sum / 2)) * 2;
    _Float16 want = _Float16(float(r));
    uint16_t bits;
    std::memcpy(&bits, &want, 2);
    EXPECT_EQ(v[t] & 0xffff, bits) << t;
    // (1 + 2^-10)^2 - 1 = 2^-9 + 2^-20 -> 2^-9 (1 + 2^-11) ties down to even.
    EXPECT_EQ(unsigned(v[t]) >> 16, 0x1800u);
  }
}

TEST(Values, SpecialFloats) {
  // The device's NaN; -0 below +0; fma in one rounding.
  auto v = results("%a = fsub float 0x7FF0000000000000, 0x7FF0000000000000\n"
                   "%r = bitcast float %a to i32\n");
  EXPECT_EQ(unsigned(v[3]), 0x7fffffffu);
  v = results(
      "%a = call float @llvm.maxnum.f32(float 0x7FF8000000000000, float 2.0)\n"
      "%r = fptosi float %a to i32\n");
  EXPECT_EQ(v[0], 2);
  v = results("%a = call float @llvm.minimum.f32(float 0.0, float -0.0)\n"
              "%r = bitcast float %a to i32\n");
  EXPECT_EQ(unsigned(v[0]), 0x80000000u);
  v = results(
      "%x = uitofp i32 %t to float\n%y = fmul float %x, 0x3FF0000020000000\n"
      "%a = call float @llvm.fma.f32(float %y, float %y, float -1.0)\n"
      "%r = bitcast float %a to i32\n");
  for (int t = 0; t < 32; ++t) {
    float y = float(t) * 1.00000011920928955078125f,
          want = std::fma(y, y, -1.0f);
    unsigned bits;
    std::memcpy(&bits, &want, 4);
    EXPECT_EQ(unsigned(v[t]), bits);
  }
  // Conversions saturate; NaN becomes zero.
  v = results("%a = fptosi float 3.0e9 to i32\n%b = fptosi float "
              "0x7FF8000000000000 to i32\n"
              "%r = add i32 %a, %b\n");
  EXPECT_EQ(v[0], 2147483647);
}

} // namespace
