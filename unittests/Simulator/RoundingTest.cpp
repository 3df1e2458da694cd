// Roundings that PTX names: towards zero, up and down, of arithmetic and of
// conversions, in all spellings. Expected results are those of exact arithmetic
// in a wider type, rounded by a search among neighbours.
#include "Harness.h"
#include <cmath>

using namespace evo::sim;
using namespace evo::sim::test;

namespace {

/// The bits in the output of thread 0; `text` makes %r, of `type`, of the
/// doubles %a, %b and %c, the floats %x, %y and %z that they are, and the i64
/// %i.
uint64_t compute(const std::string &text, const std::string &type,
                 std::vector<double> values, int64_t integer,
                 const std::string &declare) {
  values.resize(3);
  uint64_t out[2] = {};
  for (bool baseline : {false, true}) {
    Fixture f;
    if (!f.text(kernelIR("ptr %p, double %a, double %b, double %c, i64 %i",
                         "%x = fptrunc double %a to float\n"
                         "%y = fptrunc double %b to float\n"
                         "%z = fptrunc double %c to float\n" +
                             text + "store " + type + " %r, ptr %p\nret void\n",
                         declare))) {
      ADD_FAILURE() << f.error;
      return 0;
    }
    BufferId b = f.output("p", 8);
    Options options;
    options.forceBaseline = baseline;
    EXPECT_CLEAN(f.run("k", {1, 1, 1}, {1, 1, 1},
                       {f.ptr(b), Argument::f64(values[0]),
                        Argument::f64(values[1]), Argument::f64(values[2]),
                        Argument(static_cast<uint64_t>(integer), 8)},
                       options));
    out[baseline] = f.read<uint64_t>(b)[0];
  }
  EXPECT_EQ(out[0], out[1]) << text;
  return type == "float" || type == "i32" ? out[0] & 0xffffffff
         : type == "i16" || type == "half" || type == "bfloat" ? out[0] & 0xffff
                                                               : out[0];
}

enum Direction { Nearest, Zero, Down, Up };

/// `exact` as a float, in a direction.
float rounded(long double exact, Direction direction) {
  float r = static_cast<float>(exact);
  auto wants = [&](float v) { // v may stay as it is
    switch (direction) {
    case Zero:
      return std::fabs(static_cast<long double>(v)) <= std::fabs(exact);
    case Down:
      return static_cast<long double>(v) <= exact;
    case Up:
      return static_cast<long double>(v) >= exact;
    default:
      return true;
    }
  };
  const float candidates[] = {r, std::nextafterf(r, -INFINITY),
                              std::nextafterf(r, INFINITY)};
  float best = NAN;
  for (float v : candidates)
    if (wants(v) &&
        (std::isnan(best) || std::fabs(v - exact) < std::fabs(best - exact)))
      best = v;
  return best;
}

uint64_t bitsOf(float v) {
  uint32_t bits;
  std::memcpy(&bits, &v, 4);
  return bits;
}
uint64_t bitsOf(double v) {
  uint64_t bits;
  std::memcpy(&bits, &v, 8);
  return bits;
}

const struct {
  Direction direction;
  const char *library, *instruction;
} directions[] = {{Zero, "rz", "rz"}, {Down, "rd", "rm"}, {Up, "ru", "rp"}};

std::string binaryCall(const std::string &type, const std::string &name,
                       bool fused) {
  const std::string names = type == "float" ? "xyz" : "abc";
  std::string operands;
  for (int n = 0; n < (fused ? 3 : 2); ++n)
    operands += (n ? ", " : "") + type + " %" + names[n];
  return "%r = call " + type + " @" + name + "(" + operands + ")\n";
}

TEST(Rounding, Arithmetic) {
  // Few enough bits between the operands' first and last for a long double.
  const std::vector<double> samples[] = {
      {1.0, 3.0, 0.25},      {-1.0, 3.0, 1e-9},     {0.1f, 0.2f, -0.02f},
      {1e8f, 1e-8f, -1.0},   {1.5f, -1.1f, 1.65f},  {3e38f, 3e38f, -3e38f},
      {1e-38f, 3e-37f, 0.0}, {-1e-40f, 3e-39f, 0.0}};
  for (const auto &d : directions)
    for (const std::vector<double> &s : samples) {
      const long double x = float(s[0]), y = float(s[1]), z = float(s[2]);
      const struct {
        const char *op;
        long double exact;
        bool fused;
      } cases[] = {{"add", x + y, false},
                   {"sub", x - y, false},
                   {"mul", x * y, false},
                   {"div", x / y, false},
                   {"fma", x * y + z, true}};
      for (const auto &c : cases) {
        if (c.exact == 0) // whose sign is a rule of its own
          continue;
        const float want = rounded(c.exact, d.direction);
        const std::string function =
            std::string("__nv_") + (c.fused ? "fmaf_" : "f") +
            (c.fused ? "" : std::string(c.op) + "_") + d.library;
        const std::string intrinsic =
            std::string("llvm.nvvm.") + c.op + "." + d.instruction + ".f";
        for (const std::string &name : {function, intrinsic}) {
          if (name == "llvm.nvvm.sub." + std::string(d.instruction) + ".f")
            continue; // there is none
          const std::string parameters =
              c.fused ? "float, float, float" : "float, float";
          EXPECT_EQ(
              compute(binaryCall("float", name, c.fused), "float", s, 0,
                      "declare float @" + name + "(" + parameters + ")\n"),
              bitsOf(want))
              << name << " of " << s[0] << " " << s[1] << " " << s[2];
        }
        // The same in PTX.
        const std::string text =
            std::string("%r = call float asm \"") + c.op + "." + d.instruction +
            ".f32 $0, $1, $2" + (c.fused ? ", $3" : "") + ";\", \"=f,f,f" +
            (c.fused ? ",f" : "") + "\"(float %x, float %y" +
            (c.fused ? ", float %z" : "") + ")\n";
        EXPECT_EQ(compute(text, "float", s, 0, ""), bitsOf(want)) << text;
      }
    }
}

TEST(Rounding, OfDoublesWhereErrorsUnderflow) {
  // The exact product is a little more than nothing.
  const std::vector<double> tiny = {5e-324, 0.25, 0};
  const std::string declare =
      "declare double @__nv_dmul_ru(double, double)\n"
      "declare double @__nv_dmul_rd(double, double)\n"
      "declare double @__nv_dadd_rd(double, double)\n"
      "declare double @__nv_fma_ru(double, double, double)\n";
  auto of = [&](const char *name, const std::vector<double> &v, bool fused) {
    return compute(binaryCall("double", name, fused), "double", v, 0, declare);
  };
  EXPECT_EQ(of("__nv_dmul_ru", tiny, false), 1u);
  EXPECT_EQ(of("__nv_dmul_rd", tiny, false), 0u);
  // A sum that is exactly nothing is below zero downwards alone.
  EXPECT_EQ(of("__nv_dadd_rd", {1.0, -1.0}, false), bitsOf(-0.0));
  EXPECT_EQ(of("__nv_fma_ru", {1.0 / 3, 3.0, -1.0}, true),
            bitsOf(std::fma(1.0 / 3, 3.0, -1.0)));
  EXPECT_EQ(of("__nv_dmul_rd", {1e200, 1e200}, false), bitsOf(DBL_MAX));
}

TEST(Rounding, RootsAndReciprocals) {
  for (const auto &d : directions)
    for (double v : {2.0, 3.0, 0.1, 4.0, 1e-40}) {
      const float x = static_cast<float>(v);
      const std::string root = std::string("__nv_fsqrt_") + d.library,
                        inverse = std::string("__nv_frcp_") + d.library;
      const std::string declare = "declare float @" + root + "(float)\n" +
                                  "declare float @" + inverse + "(float)\n";
      EXPECT_EQ(compute("%r = call float @" + root + "(float %x)\n", "float",
                        {v}, 0, declare),
                bitsOf(rounded(sqrtl(x), d.direction)))
          << root << " " << v;
      EXPECT_EQ(compute("%r = call float @" + inverse + "(float %x)\n", "float",
                        {v}, 0, declare),
                bitsOf(rounded(1.0L / x, d.direction)))
          << inverse << " " << v;
    }
}

TEST(Rounding, Conversions) {
  for (const auto &d : directions) {
    for (double v : {0.1, -0.1, 1e39, -1e39, 1e-46, 16777217.0}) {
      const std::string name = std::string("__nv_double2float_") + d.library;
      EXPECT_EQ(compute("%r = call float @" + name + "(double %a)\n", "float",
                        {v}, 0, "declare float @" + name + "(double)\n"),
                bitsOf(rounded(v, d.direction)))
          << name << " " << v;
    }
    for (int64_t v : {INT64_C(16777217), INT64_C(-16777217), INT64_MAX,
                      INT64_MIN, INT64_C(1) << 40 | 1}) {
      const std::string name = std::string("__nv_ll2float_") + d.library;
      EXPECT_EQ(compute("%r = call float @" + name + "(i64 %i)\n", "float", {},
                        v, "declare float @" + name + "(i64)\n"),
                bitsOf(rounded(v, d.direction)))
          << name << " " << v;
    }
  }
  // To halves: 1 + 2^-11 lies between two, 70000 above all, 1e-9 below.
  const struct {
    double value;
    unsigned zero, down, up;
  } halves[] = {{1 + 0x1p-11, 0x3c00, 0x3c00, 0x3c01},
                {-1 - 0x1p-11, 0xbc00, 0xbc01, 0xbc00},
                {70000, 0x7bff, 0x7bff, 0x7c00},
                {-70000, 0xfbff, 0xfc00, 0xfbff},
                {1e-9, 0, 0, 1},
                {-1e-9, 0x8000, 0x8001, 0x8000}};
  for (const auto &h : halves)
    for (const auto &d : directions) {
      const std::string text = std::string("%r = call i16 asm \"cvt.") +
                               d.instruction +
                               ".f16.f32 $0, $1;\", \"=h,f\"(float %x)\n";
      EXPECT_EQ(compute(text, "i16", {h.value}, 0, ""),
                d.direction == Zero   ? h.zero
                : d.direction == Down ? h.down
                                      : h.up)
          << text << h.value;
    }
}

TEST(Rounding, WhatSaturates) {
  auto convert = [](const char *instruction, const char *type, int64_t value) {
    const std::string text =
        std::string("%n = trunc i64 %i to i32\n%r = call i32 asm \"") +
        instruction + " $0, $1;\", \"=r,r\"(i32 %n)\n";
    return compute(text, type, {}, value, "");
  };
  EXPECT_EQ(convert("cvt.sat.u32.s32", "i32", -5), 0u);
  EXPECT_EQ(convert("cvt.sat.s32.u32", "i32", -5), 0x7fffffffu);
  // Into a wider register goes the sign, or zeros.
  EXPECT_EQ(convert("cvt.sat.s8.s32", "i32", -1000), 0xffffff80u);
  EXPECT_EQ(convert("cvt.sat.u8.s32", "i32", 1000), 0xffu);
  EXPECT_EQ(convert("cvt.s8.s32", "i32", 0x180), 0xffffff80u);
}

/// Without the direction the result is another: the tests above can fail.
TEST(Rounding, DirectionsDiffer) {
  uint64_t seen[4];
  int n = 0;
  for (const char *mode : {"rn", "rz", "rd", "ru"}) {
    const std::string name = std::string("__nv_fdiv_") + mode;
    seen[n++] = compute(binaryCall("float", name, false), "float", {-1.0, 3.0},
                        0, "declare float @" + name + "(float, float)\n");
  }
  EXPECT_NE(seen[1], seen[2]);
  EXPECT_EQ(seen[1], seen[3]);
}

/// Of halves there is no such arithmetic.
TEST(Rounding, HalvesAreRefused) {
  Fixture f;
  EXPECT_FALSE(
      f.text(kernelIR("ptr %p",
                      "%r = call half @llvm.nvvm.add.rz.h(half 1.0, half 1.0)\n"
                      "store half %r, ptr %p\nret void\n",
                      "declare half @llvm.nvvm.add.rz.h(half, half)\n")));
}

} // namespace
