// From floats to integers. What does not fit, and NaN, by width, type and who
// says so: the PTX ISA of its instructions, LLVM of its intrinsics, and of
// conversions to less than 32 bits nobody.
#include "Harness.h"
#include <cmath>

using namespace evo::sim;
using namespace evo::sim::test;

namespace {

/// What thread 0 finds of `text`, which makes %r, an i64, of the float %x or
/// the double %d, the same number.
int64_t convert(const std::string &text, double number,
                const std::string &declare = "") {
  int64_t out[2] = {};
  for (bool baseline : {false, true}) {
    Fixture f;
    if (!f.text(kernelIR("ptr %p, double %d",
                         "%x = fptrunc double %d to float\n" + text +
                             "store i64 %r, ptr %p\nret void\n",
                         declare))) {
      ADD_FAILURE() << f.error;
      return 0;
    }
    BufferId b = f.output("p", 8);
    Options options;
    options.forceBaseline = baseline;
    EXPECT_CLEAN(f.run("k", {1, 1, 1}, {1, 1, 1},
                       {f.ptr(b), Argument::f64(number)}, options));
    out[baseline] = f.read<int64_t>(b)[0];
  }
  EXPECT_EQ(out[0], out[1]) << text;
  return out[0];
}

std::string call(const std::string &type, const std::string &name,
                 const std::string &operand) {
  return "%c = call " + type + " @" + name + "(" + operand + ")\n" +
         (type == "i64" ? "%r = add i64 %c, 0\n"
                        : "%r = sext " + type + " %c to i64\n");
}

constexpr int64_t lowest64 = INT64_MIN, lowest32 = INT32_MIN;

/// cvt makes 0 of NaN only if neither side has 64 bits.
TEST(Conversions, NotANumber) {
  const struct {
    const char *type, *name, *operand;
    int64_t result;
  } cases[] = {
      {"i32", "llvm.nvvm.f2i.rz", "float %x", 0},
      {"i32", "llvm.nvvm.f2ui.rn", "float %x", 0},
      {"i64", "llvm.nvvm.f2ll.rz", "float %x", lowest64},
      {"i64", "llvm.nvvm.f2ull.rz", "float %x", lowest64},
      {"i32", "llvm.nvvm.d2i.rz", "double %d", lowest32},
      {"i64", "llvm.nvvm.d2ll.rz", "double %d", lowest64},
      {"i32", "__nv_float2int_rz", "float %x", 0},
      {"i64", "__nv_float2ll_rz", "float %x", lowest64},
      {"i32", "__nv_double2int_rz", "double %d", lowest32},
      // Of these LLVM says 0, and its code generator sees to it.
      {"i32", "llvm.fptosi.sat.i32.f64", "double %d", 0},
      {"i64", "llvm.fptosi.sat.i64.f32", "float %x", 0},
      {"i64", "llvm.fptoui.sat.i64.f64", "double %d", 0},
      {"i8", "llvm.fptosi.sat.i8.f32", "float %x", 0},
  };
  for (const auto &c : cases)
    EXPECT_EQ(convert(call(c.type, c.name, c.operand), NAN,
                      std::string("declare ") + c.type + " @" + c.name + "(" +
                          (c.operand[0] == 'f' ? "float" : "double") + ")\n"),
              c.result)
        << c.name;
  EXPECT_EQ(convert("%r = fptosi float %x to i64\n", NAN), lowest64);
  EXPECT_EQ(convert("%r = fptoui double %d to i64\n", NAN), lowest64);
  EXPECT_EQ(
      convert("%c = fptosi float %x to i32\n%r = sext i32 %c to i64\n", NAN),
      0);
  const std::string wide = "\", \"=l,", narrow = "\", \"=r,";
  EXPECT_EQ(convert("%r = call i64 asm \"cvt.rzi.s64.f32 $0, $1;" + wide +
                        "f\"(float %x)\n",
                    NAN),
            lowest64);
  EXPECT_EQ(convert("%c = call i32 asm \"cvt.rni.s32.f64 $0, $1;" + narrow +
                        "d\"(double %d)\n%r = sext i32 %c to i64\n",
                    NAN),
            lowest32);
  EXPECT_EQ(convert("%c = call i32 asm \"cvt.rni.s32.f32 $0, $1;" + narrow +
                        "f\"(float %x)\n%r = sext i32 %c to i64\n",
                    NAN),
            0);
}

/// Runs `%n = CONVERSION` of %x in either form.
LaunchResult narrow(const std::string &conversion, double number,
                    Prepare form = Prepare::DetectorsForm, uint64_t poison = 0,
                    std::vector<int> *result = nullptr) {
  Fixture f;
  const std::string type = conversion.substr(conversion.rfind(' ') + 1);
  EXPECT_TRUE(f.text(
      kernelIR("ptr %p, double %d", "%x = fptrunc double %d to float\n%n = " +
                                        conversion + "\n%r = sext " + type +
                                        " %n to i64\n"
                                        "store i64 %r, ptr %p\nret void\n"),
      form))
      << f.error;
  BufferId b = f.output("p", 8);
  Options options;
  options.poison = poison;
  LaunchResult r = f.run("k", {1, 1, 1}, {1, 1, 1},
                         {f.ptr(b), Argument::f64(number)}, options);
  if (result)
    *result = f.read<int>(b);
  return r;
}

TEST(Conversions, NarrowNumbersHaveToFit) {
  const struct {
    const char *conversion;
    double min, below, max, above;
  } cases[] = {
      {"fptosi float %x to i8", -128.875, -129, 127.875, 128},
      {"fptoui float %x to i8", -0.875, -1, 255.875, 256},
      {"fptosi double %d to i16", -32768.875, -32769, 32767.875, 32768},
      {"fptoui double %d to i16", -0.875, -1, 65535.875, 65536},
  };
  for (const auto &c : cases) {
    EXPECT_CLEAN(narrow(c.conversion, c.min));
    EXPECT_CLEAN(narrow(c.conversion, c.max));
    for (double number : {c.below, c.above, double(NAN), double(INFINITY)})
      EXPECT_FINDING(narrow(c.conversion, number), ConversionRange);
  }
  // Programs count on the device's saturation of longer ones.
  EXPECT_CLEAN(narrow("fptosi float %x to i32", 3e9));
  LaunchResult r = narrow("fptosi float %x to i8", 300);
  ASSERT_EQ(r.findings.size(), 1u);
  EXPECT_EQ(r.findings[0].message,
            "conversion of 300 to a signed number of 8 bits, which does not "
            "hold it");
  r = narrow("fptoui float %x to i16", -2);
  ASSERT_EQ(r.findings.size(), 1u);
  EXPECT_EQ(r.findings[0].message,
            "conversion of -2 to an unsigned number of 16 bits, which does "
            "not hold it");
}

/// What an optimiser left may convert what nobody uses; but nothing may hang on
/// it.
TEST(Conversions, NarrowNumbersOfOptimisedCode) {
  std::vector<int> one, other;
  EXPECT_CLEAN(
      narrow("fptosi float %x to i8", 300, Prepare::AsIs, 0x5a5a, &one));
  EXPECT_CLEAN(
      narrow("fptosi float %x to i8", 300, Prepare::AsIs, 0x4343, &other));
  EXPECT_NE(one, other);
  EXPECT_CLEAN(
      narrow("fptosi float %x to i8", -100.5, Prepare::AsIs, 0x5a5a, &one));
  EXPECT_EQ(one[0], -100);
}

/// A loop without rounds converts nothing.
TEST(Conversions, NarrowNumbersOfLoops) {
  for (int rounds : {0, 1}) {
    Fixture f;
    ASSERT_TRUE(f.text(kernelIR("ptr %p, float %x, i32 %n", R"(
      br label %loop
    loop:
      %i = phi i32 [ 0, %entry ], [ %j, %body ]
      %more = icmp slt i32 %i, %n
      br i1 %more, label %body, label %end
    body:
      %c = fptosi float %x to i8
      store i8 %c, ptr %p
      %j = add i32 %i, 1
      br label %loop
    end:
      ret void
    )"),
                       Prepare::DetectorsForm))
        << f.error;
    BufferId b = f.output("p", 4);
    LaunchResult r = f.run("k", {1, 1, 1}, {1, 1, 1},
                           {f.ptr(b), Argument::f32(300), Argument(rounds, 4)});
    if (rounds)
      EXPECT_FINDING(r, ConversionRange);
    else
      EXPECT_CLEAN(r);
  }
}

} // namespace
