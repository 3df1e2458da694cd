// Shadow values and errors: how they travel with the values, through memory,
// casts, shuffles and packed halves, and what they leave alone.
#include "Harness.h"
#include <cmath>

using namespace evo::sim;
using namespace evo::sim::test;

namespace {

Options shadow(Shadow s) {
  Options o;
  o.shadow = s;
  return o;
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
