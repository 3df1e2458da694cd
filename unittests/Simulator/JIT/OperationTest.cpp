// Each operation in both engines. On numbers that mean something to some type:
// borders of integers, zeros of both signs, subnormal numbers, infinities, NaN.
#include "BothEngines.h"
#include "llvm/ADT/bit.h"

using namespace evo::sim;
using namespace evo::sim::test;

namespace {

std::vector<uint64_t> patterns() {
  std::vector<uint64_t> v = {0,
                             1,
                             2,
                             31,
                             32,
                             63,
                             64,
                             0x7fff,
                             0x8000,
                             0x7fffffff,
                             0x80000000,
                             0xffffffff,
                             0x7f800000,
                             0xff800000,
                             0x7fc00001,
                             0xff812345,
                             0x00000001'00000001,
                             0x3f800000,
                             0xbf800000'00800000,
                             0x7fffffff'ffffffff,
                             0x80000000'00000000,
                             0xffffffff'ffffffff,
                             0x7ff00000'00000000,
                             0xfff80000'00000001,
                             0x7c007c00'fc01fc00,
                             0x000103ff'04008001};
  uint64_t seed = 1;
  while (v.size() < 128) {
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    v.push_back(seed ^ seed >> 29);
  }
  return v;
}

/// Applies lines that make %r of %a, %b and %c, of `type`, to all pairs of
/// patterns. What threads share is tried besides, and what the only thread of a
/// block computes, by operands of the block.
void expectOperation(const std::string &type, const std::string &lines,
                     const std::string &result, const std::string &declare) {
  enum class Form { Lanes, Shared, Lone };
  for (Form form : {Form::Lanes, Form::Shared, Form::Lone}) {
    const bool shared = form != Form::Lanes;
    const std::string index = shared ? "%blk" : "%t";
    std::string body = "  %blk = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()\n"
                       "  %i = add i32 " +
                       index + ", 0\n";
    const char *names[] = {"a", "b", "c"};
    for (int n = 0; n < 3; ++n) {
      const std::string name = names[n], at = "%at." + name;
      body += "  %j." + name + " = mul i32 %i, " + std::to_string(2 * n + 1) +
              "\n  %k." + name + " = add i32 %j." + name + ", " +
              (shared ? "7" : "%blk") + "\n  %l." + name + " = and i32 %k." +
              name + ", 127\n  " + at +
              " = getelementptr i64, ptr %x, i32 %l." + name + "\n  %" + name +
              " = load " + type + ", ptr " + at + "\n";
    }
    body += lines +
            "  %first = mul i32 %blk, 64\n"
            "  %own = add i32 %first, %t\n"
            "  %p = getelementptr i64, ptr %o, i32 %own\n"
            "  store " +
            result + " %r, ptr %p\n  ret void\n";
    BothEngines both;
    ASSERT_TRUE(both.text(kernelIR("ptr %x, ptr %o", body, declare)))
        << both.error << "\n"
        << body;
    both.add(patterns());
    both.grid = {96, 1, 1};
    both.block = {form == Form::Lone ? 1u : 64u, 1, 1};
    both.addZeros(96 * 64 * 8);
    EXPECT_TRUE(both.agree("k")) << lines << both.obstacle << all(both.compiled)
                                 << all(both.interpreted);
  }
}

TEST(JITOperations, Integers) {
  for (const char *type : {"i32", "i64"}) {
    const std::string t = type;
    for (const char *op : {"add", "sub", "mul", "and", "or", "xor"})
      expectOperation(t, "  %r = " + std::string(op) + " " + t + " %a, %b\n", t,
                      "");
    for (const char *op : {"shl", "lshr", "ashr"}) {
      expectOperation(t, "  %r = " + std::string(op) + " " + t + " %a, %b\n", t,
                      "");
      expectOperation(t, "  %r = " + std::string(op) + " " + t + " %a, 5\n", t,
                      "");
    }
    for (const char *op : {"udiv", "sdiv", "urem", "srem"}) {
      expectOperation(
          t, "  %d = or " + t + " %b, 1\n  %r = " + op + " " + t + " %a, %d\n",
          t, "");
      expectOperation(t, "  %r = " + std::string(op) + " " + t + " %a, 7\n", t,
                      "");
    }
    for (const char *op : {"umin", "umax", "smin", "smax", "uadd.sat"})
      expectOperation(t,
                      "  %r = call " + t + " @llvm." + op + "." + t + "(" + t +
                          " %a, " + t + " %b)\n",
                      t,
                      "declare " + t + " @llvm." + op + "." + t + "(" + t +
                          ", " + t + ")\n");
    for (const char *op : {"ctpop", "bswap", "bitreverse"})
      expectOperation(
          t, "  %r = call " + t + " @llvm." + op + "." + t + "(" + t + " %a)\n",
          t, "declare " + t + " @llvm." + op + "." + t + "(" + t + ")\n");
    for (const char *op :
         {"eq", "ne", "ugt", "uge", "ult", "ule", "sgt", "sge", "slt", "sle"})
      expectOperation(t,
                      "  %d = icmp " + std::string(op) + " " + t +
                          " %a, %b\n  %r = select i1 %d, " + t + " %c, " + t +
                          " %b\n",
                      t, "");
  }
  expectOperation("i32",
                  "  %s = sext i32 %a to i64\n"
                  "  %z = zext i32 %b to i64\n"
                  "  %r = add i64 %s, %z\n",
                  "i64", "");
  expectOperation("i64",
                  "  %s = trunc i64 %a to i8\n"
                  "  %r = sext i8 %s to i32\n",
                  "i32", "");
  expectOperation("i32", "  %r = call i32 @llvm.nvvm.mulhi.i(i32 %a, i32 %b)\n",
                  "i32", "declare i32 @llvm.nvvm.mulhi.i(i32, i32)\n");
}

TEST(JITOperations, DivisionByZero) {
  BothEngines both;
  ASSERT_TRUE(both.text(kernelIR("ptr %o, i32 %n",
                                 "  %d = and i32 %t, 15\n"
                                 "  %r = udiv i32 %n, %d\n"
                                 "  store i32 %r, ptr %o\n  ret void\n")));
  both.addZeros(4);
  both.scalars = {Argument(5, 4)};
  both.block = {64, 1, 1};
  EXPECT_TRUE(both.agree("k"));
  EXPECT_FINDING(both.compiled, DivisionByZero);
}

TEST(JITOperations, Floats) {
  for (const char *type : {"float", "double", "half", "bfloat"}) {
    const std::string t = type;
    const std::string suffix = t == "float"    ? "f32"
                               : t == "double" ? "f64"
                               : t == "half"   ? "f16"
                                               : "bf16";
    const bool isPlain = t == "float" || t == "double";
    for (const char *op : {"fadd", "fsub", "fmul", "fdiv"})
      expectOperation(t, "  %r = " + std::string(op) + " " + t + " %a, %b\n", t,
                      "");
    auto call = [&](const std::string &name, int operands) {
      std::string types, values;
      for (int n = 0; n < operands; ++n) {
        types += (n ? ", " : "") + t;
        values += (n ? ", " : "") + t + " %" + std::string(1, char('a' + n));
      }
      const std::string callee = "@llvm." + name + "." + suffix;
      expectOperation(
          t, "  %r = call " + t + " " + callee + "(" + values + ")\n", t,
          (name == "fma" && t != "double" && t != "bfloat")
              ? ""
              : "declare " + t + " " + callee + "(" + types + ")\n");
    };
    call("fma", 3);
    call("fabs", 1);
    call("minnum", 2);
    call("maximum", 2);
    if (isPlain)
      for (const char *name : {"sqrt", "floor", "ceil", "trunc", "rint"})
        call(name, 1);
    expectOperation(t, "  %r = fneg " + t + " %a\n", t, "");
    for (const char *op : {"oeq", "olt", "oge", "une", "uno", "ult", "ord"})
      expectOperation(t,
                      "  %d = fcmp " + std::string(op) + " " + t +
                          " %a, %b\n  %r = select i1 %d, " + t + " %c, " + t +
                          " %b\n",
                      t, "");
    // The bits of what was computed.
    const std::string bits = t == "float"    ? "i32"
                             : t == "double" ? "i64"
                                             : "i16";
    expectOperation(t,
                    "  %s = fadd " + t + " %a, %b\n  %r = bitcast " + t +
                        " %s to " + bits + "\n",
                    bits, "");
  }
}

TEST(JITOperations, Conversions) {
  const struct {
    const char *from, *op, *to;
  } cases[] = {{"half", "fpext", "float"},    {"bfloat", "fpext", "float"},
               {"half", "fpext", "double"},   {"float", "fpext", "double"},
               {"float", "fptrunc", "half"},  {"float", "fptrunc", "bfloat"},
               {"double", "fptrunc", "half"}, {"double", "fptrunc", "float"},
               {"float", "fptosi", "i32"},    {"float", "fptoui", "i32"},
               {"float", "fptosi", "i64"},    {"double", "fptoui", "i64"},
               {"float", "fptoui", "i64"},    {"double", "fptosi", "i32"},
               {"float", "fptosi", "i8"},     {"half", "fptosi", "i32"},
               {"i32", "sitofp", "float"},    {"i32", "uitofp", "float"},
               {"i32", "uitofp", "double"},   {"i64", "sitofp", "float"},
               {"i32", "sitofp", "half"}};
  for (const auto &c : cases)
    expectOperation(c.from,
                    std::string("  %r = ") + c.op + " " + c.from + " %a to " +
                        c.to + "\n",
                    c.to, "");
}

/// LLVM's intrinsics make another number of NaN than its instructions do here.
TEST(JITOperations, SaturatingConversions) {
  for (const char *from : {"float", "double"})
    for (const char *to : {"i32", "i64"}) {
      const std::string name = std::string("@llvm.fptosi.sat.") + to +
                               (from[0] == 'f' ? ".f32" : ".f64");
      expectOperation(
          from,
          std::string("  %r = call ") + to + " " + name + "(" + from + " %a)\n",
          to, std::string("declare ") + to + " " + name + "(" + from + ")\n");
    }
}

/// Compiled where that decides how it is rounded.
TEST(JITOperations, Exponentials) {
  BothEngines both;
  ASSERT_TRUE(both.text(kernelIR(
      "ptr %x, ptr %o", "  %blk = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()\n"
                        "  %h = mul i32 %blk, 256\n  %i = add i32 %h, %t\n"
                        "  %p = getelementptr float, ptr %x, i32 %i\n"
                        "  %v = load float, ptr %p\n"
                        "  %e = call float @__nv_expf(float %v)\n"
                        "  %q = getelementptr float, ptr %o, i32 %i\n"
                        "  store float %e, ptr %q\n  ret void\n")))
      << both.error;
  // All floats of some size, and what is near 0, 1, too large and too small.
  std::vector<uint32_t> bits;
  for (uint64_t n = 0; n < 1 << 20; ++n)
    bits.push_back(static_cast<uint32_t>(n * 4097));
  for (float around : {0.0f, 1.0f, 88.7228394f, -87.33654f, -103.972084f,
                       -104.0f, 0.6931472f, -1e9f})
    for (int step = -512; step < 512; ++step)
      bits.push_back(llvm::bit_cast<uint32_t>(around) + step);
  both.add(bits);
  both.addZeros(bits.size() * 4);
  both.grid = {bits.size() / 256, 1, 1};
  both.block = {256, 1, 1};
  EXPECT_TRUE(both.agree("k")) << both.obstacle;
  EXPECT_LT(both.compiled.stats.laneInstructions,
            both.interpreted.stats.laneInstructions);
}

TEST(JITOperations, FunctionsOfTheLibrary) {
  for (const char *name : {"rsqrt", "frcp_rn", "tanh", "saturate"})
    expectOperation("float",
                    "  %r = call float @__nv_" + std::string(name) +
                        (name[0] == 'f' ? "" : "f") + "(float %a)\n",
                    "float",
                    "declare float @__nv_" + std::string(name) +
                        (name[0] == 'f' ? "" : "f") + "(float)\n");
  expectOperation("float", "  %r = call float @__nv_expf(float %a)\n", "float",
                  "");
  expectOperation("float",
                  "  %r = call float @llvm.nvvm.ex2.approx.f(float %a)\n",
                  "float", "");
  expectOperation(
      "float", "  %r = call float @llvm.nvvm.ex2.approx.ftz.f(float %a)\n",
      "float", "declare float @llvm.nvvm.ex2.approx.ftz.f(float)\n");
}

TEST(JITOperations, BetweenLanes) {
  expectOperation("i32",
                  "  %r = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 "
                  "%a, i32 4, i32 31)\n",
                  "i32", "");
  expectOperation("i32",
                  "  %q = icmp sgt i32 %a, %b\n"
                  "  %r = call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 "
                  "%q)\n",
                  "i32", "");
  expectOperation("i32",
                  "  %r = call i32 @llvm.nvvm.redux.sync.add(i32 %a, i32 -1)\n",
                  "i32", "");
}

} // namespace
