// Bits, shadow values, errors, warp exchange. What instructions compute, in
// both interpreters, and how shadow values and error bounds travel with the
// values.
#include "Harness.h"
#include <cmath>

using namespace evo::exec;
using namespace evo::exec::test;

namespace {

Options shadow(Shadow s) {
  Options o;
  o.shadow = s;
  return o;
}

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

TEST(ShadowValues, CancellationShows) {
  const char *body = R"(
    %q = getelementptr float, ptr %p, i32 %t
    %x = load float, ptr %q
    %a = fadd float %x, 1.0e8
    %b = fsub float %a, 1.0e8
    store float %b, ptr %q
    ret void
  )";
  for (Shadow s : {Shadow::None, Shadow::ShadowValue, Shadow::ValueAndError}) {
    for (bool baseline : {false, true}) {
      Fixture f;
      ASSERT_TRUE(f.text(kernelIR("ptr %p", body))) << f.error;
      BufferId b = f.floats("p", std::vector<float>(32, 1.5f));
      Options o = shadow(s);
      o.forceBaseline = baseline;
      EXPECT_CLEAN(f.run("k", {1, 1, 1}, {32, 1, 1}, {f.ptr(b)}, o));
      auto v = f.read<float>(b);
      for (int i = 0; i < 32; ++i) {
        EXPECT_EQ(v[i], 0.0f);
        EXPECT_EQ(f.memory.hasShadowValue(b, 4 * i), s != Shadow::None);
        if (s == Shadow::None)
          continue;
        EXPECT_EQ(f.memory.shadowValue(b, 4 * i, v[i]), 1.5);
        double e = f.memory.error(b, 4 * i);
        if (s == Shadow::ValueAndError) {
          EXPECT_GE(e, 1.5); // the bound covers what happened
          EXPECT_LT(e, 8);   // 1e8 has an ulp of 8
        } else {
          EXPECT_EQ(e, 0);
        }
      }
    }
  }
}

TEST(ShadowValues, BenignSumStaysClose) {
  Fixture f;
  ASSERT_TRUE(f.text(kernelIR("ptr %p", R"(
    %q = getelementptr float, ptr %p, i32 %t
    %x = load float, ptr %q
    %a = fadd float %x, 1.0
    store float %a, ptr %q
    ret void
  )")))
      << f.error;
  BufferId b = f.floats("p", std::vector<float>(32, 1.5f));
  EXPECT_CLEAN(f.run("k", {1, 1, 1}, {32, 1, 1}, {f.ptr(b)},
                     shadow(Shadow::ValueAndError)));
  EXPECT_EQ(f.memory.shadowValue(b, 0, 0), 2.5);
  EXPECT_LT(f.memory.error(b, 0), 1e-6);
}

/// One tenth as a quotient, kept as a shadow value while the value takes
/// `route`.
double shadowValueAfter(const std::string &route,
                        Shadow s = Shadow::ShadowValue, unsigned threads = 32,
                        unsigned element = 3) {
  Fixture f;
  if (!f.text(
          kernelIR("ptr %p, ptr %p2", "%tenth = fdiv float 1.0, 10.0\n" + route,
                   "@s = internal addrspace(3) global [32 x float] undef\n"))) {
    ADD_FAILURE() << f.error;
    return 0;
  }
  BufferId b = f.floats("p", std::vector<float>(64, 0)),
           c = f.floats("p2", std::vector<float>(64, 0));
  auto r =
      f.run("k", {1, 1, 1}, {threads, 1, 1}, {f.ptr(b), f.ptr(c)}, shadow(s));
  EXPECT_CLEAN(r);
  return f.memory.shadowValue(b, 4 * element, -1);
}

TEST(ShadowValues, TravelThroughMemoryBitcastsAndShuffles) {
  const std::string q = "%q = getelementptr float, ptr %p, i32 %t\n"
                        "%q2 = getelementptr float, ptr %p2, i32 %t\n";
  EXPECT_EQ(shadowValueAfter(q + "store float %tenth, ptr %q\nret void\n"),
            0.1);
  EXPECT_EQ(shadowValueAfter(q + "%i = bitcast float %tenth to i32\n"
                                 "store i32 %i, ptr %q\nret void\n"),
            0.1);
  EXPECT_EQ(shadowValueAfter(
                q + "store float %tenth, ptr %q2\n%i = load i32, ptr %q2\n"
                    "%f = bitcast i32 %i to float\nstore float %f, ptr %q\n"
                    "ret void\n"),
            0.1);
  EXPECT_EQ(shadowValueAfter(
                q + "%s = getelementptr float, ptr addrspace(3) @s, i32 %t\n"
                    "store float %tenth, ptr addrspace(3) %s\n"
                    "%v = load float, ptr addrspace(3) %s\n"
                    "store float %v, ptr %q\nret void\n"),
            0.1);
  EXPECT_EQ(shadowValueAfter(q +
                             "%a = alloca float\nstore float %tenth, ptr %a\n"
                             "%v = load float, ptr %a\nstore float %v, ptr %q\n"
                             "ret void\n"),
            0.1);
  EXPECT_EQ(
      shadowValueAfter(q + "%v = call float @llvm.nvvm.shfl.sync.bfly.f32(i32 "
                           "-1, float %tenth, i32 1, i32 31)\n"
                           "store float %v, ptr %q\nret void\n"),
      0.1);
  EXPECT_EQ(shadowValueAfter(q +
                             "%i = bitcast float %tenth to i32\n"
                             "%v = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 "
                             "-1, i32 %i, i32 1, i32 31)\n"
                             "store i32 %v, ptr %q\nret void\n"),
            0.1);
  EXPECT_EQ(shadowValueAfter(q + "%c = icmp eq i32 %t, 3\n"
                                 "%v = select i1 %c, float %tenth, float 7.0\n"
                                 "store float %v, ptr %q\nret void\n"),
            0.1);
  EXPECT_EQ(shadowValueAfter(
                q + "%v = atomicrmw fadd ptr %q, float %tenth monotonic\n"
                    "ret void\n"),
            0.1);
  // Two floats as one 64-bit value, moved as an integer.
  EXPECT_EQ(shadowValueAfter(
                "%q = getelementptr i64, ptr %p, i32 %t\n"
                "%v0 = insertelement <2 x float> undef, float 1.0, i32 0\n"
                "%v = insertelement <2 x float> %v0, float %tenth, i32 1\n"
                "%i = bitcast <2 x float> %v to i64\n"
                "store i64 %i, ptr %q\nret void\n"),
            0.1);
  EXPECT_EQ(shadowValueAfter(
                "%q = getelementptr i64, ptr %p, i32 %t\n"
                "%i = bitcast float %tenth to i32\n%w = zext i32 %i to i64\n"
                "%h = shl i64 %w, 32\n%o = or i64 %h, 1\n"
                "store i64 %o, ptr %q\nret void\n"),
            0.1);
}

TEST(ShadowValues, AreDroppedByIntegerArithmetic) {
  const std::string q = "%q = getelementptr float, ptr %p, i32 %t\n"
                        "%i = bitcast float %tenth to i32\n";
  EXPECT_EQ(shadowValueAfter(
                q + "%j = add i32 %i, 0\nstore i32 %j, ptr %q\nret void\n"),
            -1);
  EXPECT_EQ(shadowValueAfter(q + "%j = xor i32 %i, -2147483648\n"
                                 "%f = bitcast i32 %j to float\n"
                                 "store float %f, ptr %q\nret void\n"),
            -double(0.1f));
  // A store of an integer erases the shadow value that lay there.
  EXPECT_EQ(
      shadowValueAfter(
          q + "store float %tenth, ptr %q\nstore i32 %t, ptr %q\nret void\n"),
      -1);
  EXPECT_EQ(
      shadowValueAfter(
          q + "store float %tenth, ptr %q\nstore i8 0, ptr %q\nret void\n"),
      -1);
  // A select between a carrier and plain integer arithmetic.
  EXPECT_EQ(shadowValueAfter(q + "%j = add i32 %i, 0\n%c = icmp eq i32 %t, 3\n"
                                 "%k = select i1 %c, i32 %j, i32 %i\n"
                                 "store i32 %k, ptr %q\nret void\n"),
            -1);
  EXPECT_EQ(shadowValueAfter(q + "%j = add i32 %i, 0\n%c = icmp eq i32 %t, 4\n"
                                 "%k = select i1 %c, i32 %j, i32 %i\n"
                                 "store i32 %k, ptr %q\nret void\n"),
            0.1);
}

TEST(ShadowValues, PackedHalves) {
  // Two halves in one word; the second element has the shadow value of 0.1.
  Fixture f;
  ASSERT_TRUE(f.text(kernelIR("ptr %p", R"(
    %tenth = fdiv half 0xH3C00, 0xH4900
    %v0 = insertelement <2 x half> undef, half 0xH3C00, i32 0
    %v = insertelement <2 x half> %v0, half %tenth, i32 1
    %i = bitcast <2 x half> %v to i32
    %s = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %i, i32 1, i32 31)
    %q = getelementptr i32, ptr %p, i32 %t
    store i32 %s, ptr %q
    %h = getelementptr half, ptr %q, i32 1
    %x = load half, ptr %h
    %y = fadd half %x, %x
    store half %y, ptr %h
    ret void
  )")))
      << f.error;
  BufferId b = f.output("p", 128, ElementKind::F16);
  EXPECT_CLEAN(f.run("k", {1, 1, 1}, {32, 1, 1}, {f.ptr(b)},
                     shadow(Shadow::ShadowValue)));
  EXPECT_EQ(f.memory.shadowValue(b, 2, -1), 0.2);
  EXPECT_EQ(f.memory.shadowValue(b, 0, 1.0), 1.0); // a constant needs none
}

TEST(ShadowValues, CompareAndSwapLoop) {
  Fixture f;
  ASSERT_TRUE(f.file("kernels.ll")) << f.error;
  std::vector<float> x(64);
  double want = 0;
  for (int i = 0; i < 64; ++i) {
    x[i] = 1.0f / (i + 1);
    want += x[i];
  }
  BufferId in = f.floats("x", x), sum = f.floats("sum", {0});
  EXPECT_CLEAN(f.run("atomicSumCas", {1, 1, 1}, {64, 1, 1},
                     {f.ptr(in), f.ptr(sum)}, shadow(Shadow::ValueAndError)));
  float bits = f.read<float>(sum)[0];
  double shadowValue = f.memory.shadowValue(sum, 0, -1);
  EXPECT_NEAR(shadowValue, want, 1e-14);
  EXPECT_NE(shadowValue, double(bits));
  EXPECT_LE(std::fabs(bits - shadowValue), f.memory.error(sum, 0));
  EXPECT_LT(f.memory.error(sum, 0), 1e-4);
}

TEST(ShadowValues, ChosenByTheBits) {
  // The bits see equal values and take the first; a shadow value alone would
  // differ.
  EXPECT_EQ(shadowValueAfter(R"(
    %big = fadd float %tenth, 1.0e8
    %d = fsub float %big, 1.0e8
    %m = call float @llvm.maxnum.f32(float %d, float 0.0625)
    %q = getelementptr float, ptr %p, i32 %t
    store float %m, ptr %q
    ret void
  )"),
            0.0625);
  Fixture f; // and the flip of the decision is counted
  ASSERT_TRUE(f.text(kernelIR("ptr %p", R"(
    %x = load float, ptr %p
    %a = fadd float %x, 1.0e8
    %b = fsub float %a, 1.0e8
    %c = fcmp oeq float %b, 0.0
    %r = zext i1 %c to i32
    %q = getelementptr i32, ptr %p, i32 1
    store i32 %r, ptr %q
    ret void
  )")))
      << f.error;
  BufferId b = f.floats("p", {1.0f, 0.0f});
  auto r =
      f.run("k", {1, 1, 1}, {5, 1, 1}, {f.ptr(b)}, shadow(Shadow::ShadowValue));
  EXPECT_CLEAN(r);
  EXPECT_EQ(f.read<int>(b)[1], 1);
  EXPECT_EQ(r.stats.shadowDecisionFlips, 5u);
}

TEST(ShadowValues, SoftmaxStaysWithinItsErrorBound) {
  Fixture f;
  ASSERT_TRUE(f.file("kernels.ll")) << f.error;
  const int n = 200;
  std::vector<float> x(n);
  for (int i = 0; i < n; ++i)
    x[i] = std::sin(i * 1.7f) * 20;
  BufferId in = f.floats("x", x), out = f.output("y", n * 4, ElementKind::F32);
  EXPECT_CLEAN(f.run("softmax", {1, 1, 1}, {128, 1, 1},
                     {f.ptr(in), f.ptr(out), Argument(n, 4)},
                     shadow(Shadow::ValueAndError)));
  auto y = f.read<float>(out);
  double sum = 0, top = *std::max_element(x.begin(), x.end());
  for (float v : x)
    sum += std::exp(v - top);
  int different = 0;
  for (int i = 0; i < n; ++i) {
    double g = f.memory.shadowValue(out, 4 * i, -1),
           e = f.memory.error(out, 4 * i);
    EXPECT_NEAR(g, std::exp(x[i] - top) / sum, 1e-13);
    EXPECT_LE(std::fabs(y[i] - g), e);
    EXPECT_LT(e, 1e-4 * g);
    different += y[i] != g;
  }
  EXPECT_GT(different, n / 2);
}

TEST(ShadowValues, ShadowsDoNotChangeBits) {
  std::vector<std::vector<float>> bits;
  for (Shadow s : {Shadow::None, Shadow::ShadowValue, Shadow::ValueAndError}) {
    Fixture f;
    ASSERT_TRUE(f.file("kernels.ll")) << f.error;
    const int n = 37;
    std::vector<float> a(n * n), b(n * n);
    for (int i = 0; i < n * n; ++i) {
      a[i] = std::sin(float(i));
      b[i] = std::cos(float(i) * 3);
    }
    BufferId ba = f.floats("a", a), bb = f.floats("b", b),
             bc = f.output("c", n * n * 4, ElementKind::F32);
    EXPECT_CLEAN(f.run("sgemm", {3, 3, 1}, {16, 16, 1},
                       {f.ptr(ba), f.ptr(bb), f.ptr(bc), Argument(n, 4)},
                       shadow(s)));
    bits.push_back(f.read<float>(bc));
    if (s == Shadow::ValueAndError)
      for (int i = 0; i < n * n; ++i)
        EXPECT_LE(std::fabs(bits[2][i] - f.memory.shadowValue(bc, 4 * i, 99)),
                  f.memory.error(bc, 4 * i));
  }
  EXPECT_EQ(bits[0], bits[1]);
  EXPECT_EQ(bits[0], bits[2]);
}

/// An f64 made of the first two of three inputs, and what its bits lack.
struct DoubleResult {
  double value, rest, error;
};
DoubleResult doubleOf(const std::string &body, double a, double b = 0,
                      bool baseline = false) {
  Fixture f;
  const std::string whole = R"(
    %x = load double, ptr %p
    %q = getelementptr double, ptr %p, i32 1
    %y = load double, ptr %q
  )" + body + R"(
    %o = getelementptr double, ptr %p, i32 2
    store double %r, ptr %o
    ret void
  )";
  if (!f.text(kernelIR("ptr %p", whole,
                       "declare double @llvm.fma.f64(double, double, double)\n"
                       "declare double @llvm.fabs.f64(double)\n"
                       "declare double @llvm.copysign.f64(double, double)\n"
                       "declare double @llvm.maxnum.f64(double, double)\n"
                       "declare double @__nv_exp(double)\n"
                       "declare double @__nv_sqrt(double)\n"))) {
    ADD_FAILURE() << f.error;
    return {};
  }
  BufferId p = f.buffer("p", std::vector<double>{a, b, 0});
  Options o = shadow(Shadow::ValueAndError);
  o.forceBaseline = baseline;
  EXPECT_CLEAN(f.run("k", {1, 1, 1}, {1, 1, 1}, {f.ptr(p)}, o));
  return {f.read<double>(p)[2], f.memory.shadowValue(p, 16, 0),
          f.memory.error(p, 16)};
}

TEST(ShadowValues, OfADoubleIsWhatItLacks) {
  for (bool baseline : {false, true}) {
    DoubleResult r = doubleOf(R"(
      %s = fadd double %x, %y
      %r = fsub double %s, %y
    )",
                              1.5, 0x1p60, baseline);
    EXPECT_EQ(r.value, 0);
    EXPECT_EQ(r.rest, 1.5);
    EXPECT_GE(r.error, 1.5);
    r = doubleOf("%r = fmul double %x, %y", 1 + 0x1p-30, 1 + 0x1p-40, baseline);
    EXPECT_EQ(r.value, 1 + 0x1p-30 + 0x1p-40);
    EXPECT_EQ(r.rest, 0x1p-70);
    r = doubleOf("%r = fdiv double %x, %y", 1, 3, baseline);
    EXPECT_EQ(r.value, 1.0 / 3);
    EXPECT_NEAR(r.rest, 0x1p-54 / 3, 0x1p-100);
    r = doubleOf("%r = call double @llvm.fma.f64(double %x, double %x, "
                 "double %y)",
                 1 + 0x1p-30, 0x1p-80, baseline);
    EXPECT_EQ(r.value, 1 + 0x1p-29);
    EXPECT_EQ(r.rest, 0x1p-60 + 0x1p-80);
    r = doubleOf("%r = call double @__nv_sqrt(double %x)", 2, 0, baseline);
    EXPECT_NEAR(r.rest, -9.667293313452913e-17, 1e-18);
    r = doubleOf("%r = call double @__nv_exp(double %x)", 1, 0, baseline);
    EXPECT_NEAR(r.rest, 1.4456468917292502e-16, 1e-18);
  }
}

TEST(ShadowValues, OfADoubleFollowTheBits) {
  // 2^-60 is lost in the sum and comes along from there.
  auto after = [](const std::string &body) {
    return doubleOf("%s = fadd double %x, %y\n" + body, -1, 0x1p-60).rest;
  };
  EXPECT_EQ(after("%r = fneg double %s"), -0x1p-60);
  EXPECT_EQ(after("%r = call double @llvm.fabs.f64(double %s)"), -0x1p-60);
  EXPECT_EQ(after("%r = call double @llvm.copysign.f64(double %s, double %y)"),
            -0x1p-60);
  EXPECT_EQ(after("%r = call double @llvm.maxnum.f64(double %s, double -2.0)"),
            0x1p-60);
  EXPECT_EQ(after("%i = bitcast double %s to i64\n"
                  "store i64 %i, ptr %q\n"
                  "%j = load i64, ptr %q\n"
                  "%r = bitcast i64 %j to double"),
            0x1p-60);
  EXPECT_EQ(after("store double 1.0, ptr %q\n"
                  "%old = atomicrmw fadd ptr %q, double %s monotonic\n"
                  "%r = load double, ptr %q"),
            0x1p-60);
  // To f32 and back: the shadow value of an f32 is the whole value.
  EXPECT_EQ(after("%n = fptrunc double %s to float\n"
                  "%d = fdiv float %n, -3.0\n"
                  "%r = fpext float %d to double"),
            1.0 / 3 - double(1.0f / 3));
  EXPECT_EQ(after("%l = fptosi double %y to i64\n"
                  "%m = add i64 %l, 9007199254740993\n"
                  "%r = sitofp i64 %m to double"),
            1);
  // Nothing is missing from an infinity.
  EXPECT_EQ(after("%r = fdiv double %s, 0.0"), 0);
}

TEST(ShadowValues, OfADoubleDecideWhereRoundingDoes) {
  Fixture f;
  ASSERT_TRUE(f.text(kernelIR("ptr %p", R"(
    %x = load double, ptr %p
    %s = fadd double %x, 0x4430000000000000
    %d = fsub double %s, 0x4430000000000000
    %c = fcmp oeq double %d, 0.0
    %e = fcmp ogt double %s, 1.0
    %r = select i1 %c, double 1.0, double 0.0
    store double %r, ptr %p
    ret void
  )")))
      << f.error;
  BufferId p = f.buffer("p", std::vector<double>{1.5});
  LaunchResult r =
      f.run("k", {1, 1, 1}, {3, 1, 1}, {f.ptr(p)}, shadow(Shadow::ShadowValue));
  EXPECT_CLEAN(r);
  EXPECT_EQ(f.read<double>(p)[0], 1);
  EXPECT_GE(r.stats.shadowDecisionFlips, 1u);
}

TEST(ShadowValues, ErrorsCoverWhatAContractAllows) {
  auto errorWith = [](double multiply, double accumulate, const char *body) {
    Fixture f;
    EXPECT_TRUE(f.text(kernelIR("ptr %p", body))) << f.error;
    BufferId p = f.floats("p", {3.0f});
    Options o = shadow(Shadow::ValueAndError);
    o.multiplyUnit = multiply;
    o.accumulateUnit = accumulate;
    EXPECT_CLEAN(f.run("k", {1, 1, 1}, {1, 1, 1}, {f.ptr(p)}, o));
    return f.memory.error(p, 0);
  };
  const char *product = "%x = load float, ptr %p\n"
                        "%r = fmul float %x, 5.0\n"
                        "store float %r, ptr %p\nret void\n";
  const char *sum = "%x = load float, ptr %p\n"
                    "%r = fadd float %x, 5.0\n"
                    "store float %r, ptr %p\nret void\n";
  const char *fma =
      "%x = load float, ptr %p\n"
      "%r = call float @llvm.fma.f32(float %x, float 5.0, float -14.0)\n"
      "store float %r, ptr %p\nret void\n";
  EXPECT_EQ(errorWith(0, 0, product), 15 * 0x1p-24);
  EXPECT_EQ(errorWith(0x1p-8, 0, product), 15 * (0x1p-24 + 3 * 0x1p-8));
  EXPECT_EQ(errorWith(0, 0x1p-8, product), 15 * 0x1p-24);
  EXPECT_EQ(errorWith(0x1p-8, 0, sum), 8 * 0x1p-24);
  EXPECT_EQ(errorWith(0, 0x1p-8, sum), 8 * (0x1p-24 + 0x1p-8));
  EXPECT_EQ(errorWith(0x1p-8, 0, fma), 0x1p-24 + 3 * 15 * 0x1p-8);
  // What is wider than the type allows nothing.
  EXPECT_EQ(errorWith(0x1p-53, 0x1p-53, product), 15 * 0x1p-24);
}

} // namespace
