// Values that are exact or undefined. Where a function has nothing to round,
// and what holds no value at all.
#include "Harness.h"
#include <cmath>

using namespace evo::sim;
using namespace evo::sim::test;

namespace {

/// The bits that a body computes into %r, of thread 0.
template <class T>
T resultOf(const std::string &body, const std::string &type,
           uint64_t poison = 0, const std::string &globals = "") {
  Fixture f;
  if (!f.text(kernelIR("ptr %p, i32 %n",
                       body + "store " + type + " %r, ptr %p\nret void\n",
                       globals))) {
    ADD_FAILURE() << f.error;
    return T();
  }
  BufferId b = f.output("p", 16);
  Options o;
  o.poison = poison;
  EXPECT_CLEAN(
      f.run("k", {1, 1, 1}, {1, 1, 1}, {f.ptr(b), Argument(uint32_t(4))}, o));
  return f.read<T>(b)[0];
}

TEST(Values, FunctionsOfMultiplesOfPiAreExactWhereTheyAre) {
  const std::string globals = "declare float @__nv_sinpif(float)\n"
                              "declare float @__nv_cospif(float)\n"
                              "declare double @__nv_sinpi(double)\n"
                              "declare double @__nv_cospi(double)\n"
                              "declare void @__nv_sincospif(float, ptr, ptr)\n"
                              "declare void @__nv_sincospi(double, ptr, ptr)\n";
  struct {
    double x, sine, cosine;
  } table[] = {{0, 0, 1},
               {0.5, 1, 0},
               {1, 0, -1},
               {1.5, -1, 0},
               {2, 0, 1},
               {-0.5, -1, 0},
               {-1, -0.0, -1},
               {2.5, 1, 0},
               {-2, -0.0, 1},
               {1048577, 0, -1},
               {4096.5, 1, 0},
               {-7.5, 1, 0},
               {0x1p60, 0, 1},
               {-0.0, -0.0, 1},
               {1e-30, M_PI * 1e-30, 1},
               {0.25, M_SQRT1_2, M_SQRT1_2},
               {-0.75, -M_SQRT1_2, -M_SQRT1_2},
               {1.25, -M_SQRT1_2, -M_SQRT1_2}};
  for (const auto &row : table) {
    const float xf = static_cast<float>(row.x);
    char f32[32], f64[32];
    const double wide = xf;
    uint64_t bits;
    std::memcpy(&bits, &wide, 8);
    std::snprintf(f32, sizeof f32, "float 0x%016llX", (unsigned long long)bits);
    std::memcpy(&bits, &row.x, 8);
    std::snprintf(f64, sizeof f64, "double 0x%016llX",
                  (unsigned long long)bits);
    auto single = [&](const std::string &f) {
      return resultOf<float>("%r = call float @__nv_" + f + "(" + f32 + ")\n",
                             "float", 0, globals);
    };
    auto twice = [&](const std::string &f) {
      return resultOf<double>("%r = call double @__nv_" + f + "(" + f64 + ")\n",
                              "double", 0, globals);
    };
    auto both = [&](const std::string &name, const std::string &x,
                    const std::string &type, const char *which) {
      return "%a = alloca " + type + "\n%c = alloca " + type +
             "\ncall void @__nv_" + name + "(" + x +
             ", ptr %a, ptr %c)\n%r = " + "load " + type + ", ptr %" + which +
             "\n";
    };
    EXPECT_EQ(single("sinpif"), float(row.sine)) << row.x;
    EXPECT_EQ(single("cospif"), float(row.cosine)) << row.x;
    EXPECT_EQ(std::signbit(single("sinpif")), std::signbit(row.sine)) << row.x;
    EXPECT_FALSE(row.cosine == 0 && std::signbit(single("cospif"))) << row.x;
    EXPECT_DOUBLE_EQ(twice("sinpi"), row.sine) << row.x;
    EXPECT_DOUBLE_EQ(twice("cospi"), row.cosine) << row.x;
    EXPECT_EQ(resultOf<float>(both("sincospif", f32, "float", "a"), "float", 0,
                              globals),
              float(row.sine))
        << row.x;
    EXPECT_DOUBLE_EQ(resultOf<double>(both("sincospi", f64, "double", "c"),
                                      "double", 0, globals),
                     row.cosine)
        << row.x;
    if (row.sine == 0)
      EXPECT_EQ(twice("sinpi"), 0) << row.x;
    if (row.cosine == 0)
      EXPECT_EQ(twice("cospi"), 0) << row.x;
  }
  EXPECT_TRUE(std::isnan(resultOf<float>(
      "%r = call float @__nv_sinpif(float 0x7FF0000000000000)\n", "float", 0,
      globals)));
  EXPECT_TRUE(std::isnan(resultOf<float>(
      "%r = call float @__nv_cospif(float 0x7FF0000000000000)\n", "float", 0,
      globals)));
}

TEST(Values, ElementsThatAVectorLacksAreUndefined) {
  // What is undefined differs from run to run; what is defined does not.
  const std::string vector = "%v0 = insertelement <4 x i32> <i32 10, i32 11, "
                             "i32 12, i32 13>, i32 14, i32 0\n";
  auto differs = [&](const std::string &body) {
    return resultOf<uint32_t>(vector + body, "i32", 0x123456789abcdef0) !=
           resultOf<uint32_t>(vector + body, "i32", ~0ull);
  };
  const std::string three = "%i = sub i32 %n, 1\n";
  EXPECT_TRUE(differs("%r = extractelement <4 x i32> %v0, i32 %n\n"));
  EXPECT_FALSE(differs(three + "%r = extractelement <4 x i32> %v0, i32 %i\n"));
  EXPECT_TRUE(differs("%r = extractelement <4 x i32> %v0, i32 4\n"));
  auto inserted = [](const std::string &index, const std::string &read) {
    return "%w = insertelement <4 x i32> %v0, i32 99, i32 " + index +
           "\n%r = extractelement <4 x i32> %w, i32 " + read + "\n";
  };
  EXPECT_TRUE(differs(inserted("%n", "1")));
  EXPECT_TRUE(differs(inserted("4", "1")));
  EXPECT_FALSE(differs(three + inserted("%i", "1")));
  EXPECT_FALSE(differs(three + inserted("%i", "3")));
  auto shuffled = [](const std::string &read) {
    return "%w = shufflevector <4 x i32> %v0, <4 x i32> poison, <2 x i32> "
           "<i32 poison, i32 2>\n%r = extractelement <2 x i32> %w, i32 " +
           read + "\n";
  };
  EXPECT_TRUE(differs(shuffled("0")));
  EXPECT_FALSE(differs(shuffled("1")));
  EXPECT_EQ(resultOf<uint32_t>(vector + three + inserted("%i", "%i"), "i32"),
            99u);
  EXPECT_EQ(resultOf<uint32_t>(vector + "%r = extractelement <4 x i32> %v0, "
                                        "i32 0\n",
                               "i32"),
            14u);
}

} // namespace
