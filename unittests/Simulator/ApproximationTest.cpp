// Instructions that bound their error. Each is off by no more than its
// documents allow, somewhere by nearly as much, the same each time, and exact
// where it has nothing to approximate; shadow values do not see it, and error
// bounds do.
#include "Harness.h"
#include <cmath>

using namespace evo::sim;
using namespace evo::sim::test;

namespace {

struct Values {
  std::vector<float> bits;
  std::vector<double> shadowValues, errors;
};

/// Of %x the value %y, element by element.
Values evaluateText(const std::string &text, const std::vector<float> &in) {
  Fixture f;
  Values out;
  if (!f.text(kernelIR("ptr %p",
                       "%a = getelementptr float, ptr %p, i32 %t\n"
                       "%x = load float, ptr %a\n" +
                           text + "store float %y, ptr %a\nret void\n",
                       "declare float @llvm.sqrt.f32(float)\n"))) {
    ADD_FAILURE() << f.error;
    return out;
  }
  BufferId b = f.floats("p", in);
  Options o;
  o.shadow = Shadow::ValueAndError;
  EXPECT_CLEAN(f.run("k", {1, 1, 1}, {in.size(), 1, 1}, {f.ptr(b)}, o));
  out.bits = f.read<float>(b);
  for (size_t i = 0; i < in.size(); ++i) {
    out.shadowValues.push_back(f.memory.shadowValue(b, 4 * i, -1));
    out.errors.push_back(f.memory.error(b, 4 * i));
  }
  return out;
}

std::vector<float> between(float low, float high) {
  std::vector<float> v;
  for (int i = 0; i < 512; ++i)
    v.push_back(low + (high - low) * (static_cast<float>(i) + 0.37f) / 512);
  return v;
}

Values evaluate(const std::string &instruction, const std::vector<float> &in) {
  return evaluateText("%y = call float asm \"" + instruction +
                          " $0, $1;\", \"=f,f\"(float %x)\n",
                      in);
}

struct Case {
  const char *instruction;
  float low, high;
  double (*function)(double);
  /// The documented bound, absolute or of the result.
  double absolute, relative;
};

TEST(Approximations, AreAsFarOffAsTheyMayBe) {
  const Case cases[] = {
      {"tanh.approx.f32", -3, 3, std::tanh, 0, 0x1p-11},
      {"sin.approx.f32", -6, 6, std::sin, std::exp2(-20.4), 0},
      {"cos.approx.f32", -6, 6, std::cos, std::exp2(-20.4), 0},
      {"sin.approx.ftz.f32", 10, 300, std::sin, std::exp2(-14.7), 0},
      {"lg2.approx.f32", 0.51f, 1.99f, std::log2, 0x1p-22, 0},
      {"lg2.approx.f32", 2.1f, 900, std::log2, 0, 0x1p-22},
      {"ex2.approx.f32", -20, 20, std::exp2, 0, std::exp2(-22.5)},
      {"rcp.approx.f32", 0.3f, 9, [](double x) { return 1 / x; }, 0, 0x1p-23},
      {"rsqrt.approx.f32", 0.3f, 9, [](double x) { return 1 / std::sqrt(x); },
       0, std::exp2(-22.9)},
      {"sqrt.approx.f32", 0.3f, 9, std::sqrt, 0, 0x1p-23},
  };
  for (const Case &c : cases) {
    const std::vector<float> in = between(c.low, c.high);
    const Values out = evaluate(c.instruction, in);
    ASSERT_EQ(out.bits.size(), in.size());
    EXPECT_EQ(out.bits, evaluate(c.instruction, in).bits);
    double worst = 0;
    int above = 0;
    for (size_t i = 0; i < in.size(); ++i) {
      const double exact = c.function(in[i]), off = out.bits[i] - exact;
      const double bound = c.absolute + c.relative * std::fabs(exact);
      EXPECT_EQ(out.shadowValues[i], exact) << c.instruction << " of " << in[i];
      EXPECT_LE(std::fabs(off), out.errors[i] * (1 + 1e-9));
      worst = std::max(worst, std::fabs(off) / bound);
      above += off > 0;
    }
    // Bounds that go by the last place are smaller within a binade.
    EXPECT_LE(worst, 1 + 1e-9) << c.instruction;
    EXPECT_GT(worst, 0.7) << c.instruction;
    EXPECT_GT(above, 150) << c.instruction;
    EXPECT_LT(above, 362) << c.instruction;
  }
}

TEST(Approximations, AreExactWhereThereIsNothingToRound) {
  EXPECT_EQ(evaluate("ex2.approx.f32", {0, 1, -3, 20}).bits,
            (std::vector<float>{1, 2, 0.125f, 1048576}));
  // Powers of two are not: of 254 an H200 has 150 in between.
  EXPECT_EQ(evaluate("lg2.approx.f32", {1}).bits, (std::vector<float>{0}));
  EXPECT_NE(evaluate("lg2.approx.f32", {8}).bits, (std::vector<float>{3}));
  EXPECT_EQ(evaluate("rcp.approx.f32", {1, -4, 0.5f}).bits,
            (std::vector<float>{1, -0.25f, 2}));
  EXPECT_EQ(evaluate("rsqrt.approx.f32", {1, 4, 0.0625f}).bits,
            (std::vector<float>{1, 0.5f, 4}));
  EXPECT_EQ(evaluate("sqrt.approx.f32", {0, 4, 0.0625f}).bits,
            (std::vector<float>{0, 2, 0.25f}));
  EXPECT_EQ(evaluate("sin.approx.f32", {0}).bits, (std::vector<float>{0}));
  EXPECT_EQ(evaluate("cos.approx.f32", {0}).bits, (std::vector<float>{1}));
  EXPECT_EQ(evaluate("tanh.approx.f32", {0}).bits, (std::vector<float>{0}));
}

TEST(Approximations, StayWithinTheRangeOfTheirFunctions) {
  for (const char *instruction :
       {"sin.approx.f32", "cos.approx.f32", "tanh.approx.f32"})
    for (float y : evaluate(instruction, between(-9, 9)).bits)
      EXPECT_LE(std::fabs(y), 1) << instruction;
  for (float y : evaluate("sin.approx.f32", between(1e-9f, 1e-6f)).bits)
    EXPECT_GE(y, 0);
}

TEST(Approximations, WhatTheCodeGeneratorMayApproximate) {
  const std::vector<float> in = between(0.3f, 9);
  for (auto [text, bound] :
       {std::pair("%y = fdiv $float 3.0, %x\n", 0x1p-22),
        std::pair("%y = call $float @llvm.sqrt.f32(float %x)\n", 0x1p-23)}) {
    std::string plain = text, loose = text;
    plain.erase(plain.find('$'), 1);
    loose.replace(loose.find('$'), 1, "afn ");
    const Values exact = evaluateText(plain, in), out = evaluateText(loose, in);
    double worst = 0;
    for (size_t i = 0; i < in.size(); ++i) {
      EXPECT_EQ(exact.shadowValues[i], out.shadowValues[i]);
      EXPECT_EQ(exact.bits[i], static_cast<float>(exact.shadowValues[i]));
      worst = std::max(worst, std::fabs(out.bits[i] / out.shadowValues[i] - 1));
    }
    EXPECT_LE(worst, bound) << text;
    EXPECT_GT(worst, 0.7 * bound) << text;
  }
}

TEST(Approximations, OfNothingFinite) {
  const Values out = evaluate("rcp.approx.f32", {INFINITY, -INFINITY, 0});
  EXPECT_EQ(out.bits, (std::vector<float>{0, -0.0f, INFINITY}));
  EXPECT_TRUE(std::isnan(evaluate("sqrt.approx.f32", {-1}).bits[0]));
  EXPECT_EQ(evaluate("lg2.approx.f32", {0}).bits[0], -INFINITY);
}

/// Where bits and exact value agree on zero, what is known of it is its error,
/// and of its square the square of that.
TEST(Errors, OfProductsOfWhatIsZero) {
  const std::string zero = "%u = fmul float %x, 0x3FB99999A0000000\n"
                           "%w = fmul float %x, 0x3FB99999A0000000\n"
                           "%z = fsub float %u, %w\n";
  auto of = [&](const char *last) {
    Values v = evaluateText(zero + last, {1.0f});
    EXPECT_EQ(v.bits[0], 0);
    EXPECT_EQ(v.shadowValues[0], 0);
    return v.errors[0];
  };
  const double difference = of("%y = fadd float %z, 0.0\n");
  EXPECT_GT(difference, 0);
  for (const char *square :
       {"%y = fmul float %z, %z\n",
        "%y = call float @llvm.fma.f32(float %z, float %z, float 0.0)\n"}) {
    EXPECT_GE(of(square), difference * difference) << square;
    EXPECT_LT(of(square), 1.01 * difference * difference + 1e-30) << square;
  }
}

} // namespace
