// Functions of libdevice that are no plain elementary function: with results in
// memory, with loops, of exponents and signs, of integers, and inverses.
#include "Harness.h"
#include <climits>
#include <cmath>

using namespace evo::sim;
using namespace evo::sim::test;

namespace {

struct Results {
  double value = NAN; ///< %r, a double
  int32_t number = 0; ///< %n, an i32
  std::string error;
};

/// Runs `text`, which makes %r and %n of the doubles %a and %b and the i32s %i,
/// %j and %k. %s is a place for eight doubles.
Results evaluate(const std::string &text, const std::string &declare,
                 double a = 0, double b = 0, int32_t i = 0, int32_t j = 0,
                 int32_t k = 0) {
  Results out;
  Fixture f;
  auto number = [](int32_t v) { return Argument(static_cast<uint32_t>(v), 4); };
  if (!f.text(kernelIR("ptr %p, ptr %q, double %a, double %b, i32 %i, i32 %j, "
                       "i32 %k",
                       "%s = alloca [8 x double], align 8\n" + text +
                           "store double %r, ptr %p\nstore i32 %n, ptr %q\n"
                           "ret void\n",
                       declare))) {
    out.error = f.error;
    return out;
  }
  BufferId p = f.output("p", 8, ElementKind::F64), q = f.output("q", 4);
  Options options;
  options.shadow = Shadow::ShadowValue;
  EXPECT_CLEAN(f.run("k", {1, 1, 1}, {1, 1, 1},
                     {f.ptr(p), f.ptr(q), Argument::f64(a), Argument::f64(b),
                      number(i), number(j), number(k)},
                     options));
  out.value = f.read<double>(p)[0];
  out.number = f.read<int32_t>(q)[0];
  return out;
}

const std::string noNumber = "%n = add i32 0, 0\n";
const std::string noValue = "%r = fadd double 0.0, 0.0\n";

Results of1(const std::string &name, double a) {
  Results r =
      evaluate("%r = call double @__nv_" + name + "(double %a)\n" + noNumber,
               "declare double @__nv_" + name + "(double)\n", a);
  EXPECT_EQ(r.error, "") << name;
  return r;
}

TEST(Library, ExponentsAndFractions) {
  const std::string text = "%r = call double @__nv_frexp(double %a, ptr %s)\n"
                           "%n = load i32, ptr %s\n",
                    declare = "declare double @__nv_frexp(double, ptr)\n";
  for (double a : {1.0, -0.75, 6.0, 5e-324, 1e300, 0.0, -0.0}) {
    int exponent;
    const double fraction = std::frexp(a, &exponent);
    const Results r = evaluate(text, declare, a);
    EXPECT_EQ(r.value, fraction) << a;
    EXPECT_EQ(r.number, exponent) << a;
  }
  EXPECT_EQ(evaluate(text, declare, -INFINITY).value, -INFINITY);
  const std::string ilogb = noValue + "%n = call i32 @__nv_ilogb(double %a)\n";
  for (auto [a, n] :
       std::initializer_list<std::pair<double, int>>{{1.0, 0},
                                                     {0.3, -2},
                                                     {5e-324, -1074},
                                                     {0.0, INT_MIN},
                                                     {INFINITY, INT_MAX},
                                                     {NAN, INT_MIN}})
    EXPECT_EQ(evaluate(ilogb, "declare i32 @__nv_ilogb(double)\n", a).number, n)
        << a;
}

TEST(Library, WholeAndRest) {
  for (double a : {2.75, -2.75, -3.0, 1e300, HUGE_VAL}) {
    double whole;
    const double rest = std::modf(a, &whole);
    const Results r =
        evaluate("%r0 = call double @__nv_modf(double %a, ptr "
                 "%s)\n%w = load double, ptr %s\n"
                 "%same = fcmp oeq double %w, %b\n"
                 "%n = zext i1 %same to i32\n"
                 "%r = fadd double %r0, 0.0\n",
                 "declare double @__nv_modf(double, ptr)\n", a, whole);
    EXPECT_EQ(r.value, rest) << a;
    EXPECT_EQ(r.number, 1) << a;
  }
}

TEST(Library, QuotientsBesideRemainders) {
  const std::string text =
      "%r = call double @__nv_remquo(double %a, double %b, ptr %s)\n"
      "%n = load i32, ptr %s\n";
  const std::pair<double, double> samples[] = {
      {10, 3}, {-10, 3}, {10.5, -3}, {1e300, 7}, {2.5, 1}, {7, 1.7e308}};
  for (auto [a, b] : samples) {
    int quotient;
    const double rest = std::remquo(a, b, &quotient);
    const Results r = evaluate(
        text, "declare double @__nv_remquo(double, double, ptr)\n", a, b);
    EXPECT_EQ(r.value, rest) << a << " " << b;
    EXPECT_EQ(std::abs(r.number), std::abs(quotient) & 7) << a << " " << b;
    EXPECT_TRUE(r.number == 0 || (r.number < 0) == (a < 0) != (b < 0))
        << a << " " << b;
  }
}

TEST(Library, Neighbours) {
  const std::string text =
      "%r = call double @__nv_nextafter(double %a, double %b)\n" + noNumber;
  const std::pair<double, double> samples[] = {
      {1, 2}, {1, 0}, {-1, 0}, {0, -1}, {0, 1}, {3, 3}, {1e308, INFINITY}};
  for (auto [a, b] : samples)
    EXPECT_EQ(
        evaluate(text, "declare double @__nv_nextafter(double, double)\n", a, b)
            .value,
        std::nextafter(a, b))
        << a << " " << b;
}

TEST(Library, Lengths) {
  EXPECT_DOUBLE_EQ(
      evaluate("%r = call double @__nv_norm3d(double %a, double %b, "
               "double 12.0)\n" +
                   noNumber,
               "declare double @__nv_norm3d(double, double, double)\n", 3, 4)
          .value,
      13);
  const std::string norm =
      "store double %a, ptr %s\n%s1 = getelementptr double, ptr %s, i32 1\n"
      "store double %b, ptr %s1\n"
      "%r = call double @__nv_NAME(i32 %i, ptr %s)\n" +
      noNumber;
  auto length = [&](const char *name, int count) {
    std::string text = norm;
    text.replace(text.find("NAME"), 4, name);
    return evaluate(text,
                    std::string("declare double @__nv_") + name +
                        "(i32, ptr)\n",
                    3e200, 4e200, count)
        .value;
  };
  EXPECT_DOUBLE_EQ(length("norm", 2), 5e200); // its square is no double
  EXPECT_DOUBLE_EQ(length("norm", 1), 3e200);
  EXPECT_DOUBLE_EQ(length("rnorm", 2), 2e-201);
}

TEST(Library, InversesAndSeries) {
  EXPECT_DOUBLE_EQ(of1("erfinv", std::erf(0.7)).value, 0.7);
  EXPECT_DOUBLE_EQ(of1("erfcinv", std::erfc(5.0)).value, 5.0);
  EXPECT_EQ(of1("erfinv", 1.0).value, INFINITY);
  EXPECT_TRUE(std::isnan(of1("erfinv", 1.5).value));
  EXPECT_NEAR(of1("normcdfinv", 0.975).value, 1.959963984540054, 1e-15);
  EXPECT_NEAR(of1("erfcx", 100.0).value, 0.005641613782989433, 1e-17);
  EXPECT_NEAR(of1("cyl_bessel_i0", 1.0).value, 1.2660658777520084, 1e-15);
  EXPECT_DOUBLE_EQ(of1("j1", 2.0).value, ::j1(2.0));
  EXPECT_DOUBLE_EQ(of1("y0", 2.0).value, ::y0(2.0));
  EXPECT_DOUBLE_EQ(
      evaluate("%r = call double @__nv_jn(i32 %i, double %a)\n" + noNumber,
               "declare double @__nv_jn(i32, double)\n", 2.5, 0, 3)
          .value,
      ::jn(3, 2.5));
}

TEST(Library, Integers) {
  auto of = [](const std::string &name, int32_t i, int32_t j, int32_t k,
               unsigned count) {
    std::string operands, types;
    for (unsigned n = 0; n < count; ++n) {
      operands += std::string(n ? ", i32 %" : "i32 %") + "ijk"[n];
      types += n ? ", i32" : "i32";
    }
    Results r =
        evaluate(noValue + "%n = call i32 @" + name + "(" + operands + ")\n",
                 "declare i32 @" + name + "(" + types + ")\n", 0, 0, i, j, k);
    EXPECT_EQ(r.error, "") << name;
    return r.number;
  };
  EXPECT_EQ(of("__nv_sad", -5, 7, 100, 3), 112);
  EXPECT_EQ(of("__nv_usad", -5, 7, 100, 3), 100 - 12);
  EXPECT_EQ(of("__nv_hadd", INT_MAX, INT_MAX - 1, 0, 2), INT_MAX - 1);
  EXPECT_EQ(of("__nv_hadd", -3, 0, 0, 2), -2);
  EXPECT_EQ(of("__nv_rhadd", -3, 0, 0, 2), -1);
  EXPECT_EQ(of("__nv_uhadd", -1, -3, 0, 2), -2);
  EXPECT_EQ(of("__nv_urhadd", -1, 0, 0, 2), INT_MIN);
  // The third bit from bit 2 on, upwards and down; the base's own; none.
  EXPECT_EQ(of("llvm.nvvm.fns", 0xf6, 2, 3, 3), 5);
  EXPECT_EQ(of("llvm.nvvm.fns", 0xf6, 6, -3, 3), 4);
  EXPECT_EQ(of("llvm.nvvm.fns", 0xf6, 1, 0, 3), 1);
  EXPECT_EQ(of("llvm.nvvm.fns", 0xf6, 0, 0, 3), -1);
  EXPECT_EQ(of("llvm.nvvm.fns", 0xf6, 6, 3, 3), -1);
}

TEST(Library, SignsAndWords) {
  const std::string words =
      "%h = call i32 @__nv_double2hiint(double %a)\n"
      "%l = call i32 @__nv_double2loint(double %a)\n"
      "%m = sub i32 0, %l\n%n0 = sub i32 0, %m\n"
      "%r = call double @__nv_hiloint2double(i32 %h, i32 %n0)\n"
      "%n = call i32 @__nv_signbitd(double %a)\n";
  const Results r = evaluate(words,
                             "declare i32 @__nv_double2hiint(double)\n"
                             "declare i32 @__nv_double2loint(double)\n"
                             "declare double @__nv_hiloint2double(i32, i32)\n"
                             "declare i32 @__nv_signbitd(double)\n",
                             -1.0 / 3);
  EXPECT_EQ(r.error, "");
  EXPECT_EQ(r.value, -1.0 / 3);
  EXPECT_EQ(r.number, 1);
}

/// A number that only the device knows may be read where nothing is made of it.
TEST(Library, ClocksDecideNothing) {
  const std::string declare =
      "declare i64 @llvm.nvvm.read.ptx.sreg.clock64()\n";
  const std::string read = "%c = call i64 "
                           "@llvm.nvvm.read.ptx.sreg.clock64()\n"
                           "%d = sub i64 %c, 5\n";
  EXPECT_EQ(evaluate(read + noValue + noNumber, declare).error, "");
  const Results used =
      evaluate(read + noValue + "%n = trunc i64 %d to i32\n", declare);
  EXPECT_NE(used.error.find("clock64"), std::string::npos) << used.error;
  const Results decides =
      evaluate(read + noValue +
                   "%e = icmp slt i64 %d, 0\nbr i1 %e, label %x, label %y\n"
                   "x:\nbr label %y\ny:\n" +
                   noNumber,
               declare);
  EXPECT_NE(decides.error.find("clock64"), std::string::npos);
}

TEST(Library, UnknownFunctionsAreRefused) {
  const Results r =
      evaluate("%r = call double @__nv_erfinvx(double %a)\n" + noNumber,
               "declare double @__nv_erfinvx(double)\n");
  EXPECT_NE(r.error.find("__nv_erfinvx"), std::string::npos) << r.error;
}

} // namespace
