// Products of matrices by warps. Fragments are packed and unpacked here by
// formulas written down from the PTX ISA, one for each shape and operand, not
// by the engine's own pattern. Small integers make every sum exact, so results
// must be equal.
#include "Harness.h"
#include "Matrices.h"
#include "evo/Simulator/Field.h"
#include "llvm/ADT/STLExtras.h"
#include <array>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <random>
#include <sstream>

using namespace evo::sim;
using namespace evo::sim::test;

namespace {

/// Row and column of the i-th element that a lane holds.
using Place = std::pair<unsigned, unsigned>;
using Layout = Place (*)(unsigned group, unsigned inGroup, unsigned i);

struct Shape {
  const char *name; ///< as in PTX: "m16n8k16.row.col.f32.f16.f16.f32"
  unsigned m, n, k;
  char type; ///< of A and B: h half, b bfloat, t tf32, s or u 8 bits
  char sum;  ///< f float, h half, i integer
  unsigned elementsA, elementsB;
  Layout a, b;
};

// "row = groupID for a0 and a1, groupID + 8 for a2 and a3", and so on.
Place a16x8h(unsigned g, unsigned t, unsigned i) {
  return {i < 2 ? g : g + 8, t * 2 + (i & 1)};
}
Place b8x8h(unsigned g, unsigned t, unsigned i) { return {t * 2 + i, g}; }
Place a16x16h(unsigned g, unsigned t, unsigned i) {
  return {i < 2 || (i >= 4 && i < 6) ? g : g + 8,
          i < 4 ? t * 2 + (i & 1) : t * 2 + (i & 1) + 8};
}
Place b16x8h(unsigned g, unsigned t, unsigned i) {
  return {i < 2 ? t * 2 + (i & 1) : t * 2 + (i & 1) + 8, g};
}
Place a16x4t(unsigned g, unsigned t, unsigned i) {
  return {i == 0 ? g : g + 8, t};
}
Place b4x8t(unsigned g, unsigned t, unsigned) { return {t, g}; }
Place a16x8t(unsigned g, unsigned t, unsigned i) {
  return {i == 0 || i == 2 ? g : g + 8, i < 2 ? t : t + 4};
}
Place b8x8t(unsigned g, unsigned t, unsigned i) {
  return {i == 0 ? t : t + 4, g};
}
Place a8x16s(unsigned g, unsigned t, unsigned i) { return {g, t * 4 + i}; }
Place b16x8s(unsigned g, unsigned t, unsigned i) { return {t * 4 + i, g}; }
Place a16x16s(unsigned g, unsigned t, unsigned i) {
  return {i < 4 ? g : g + 8, t * 4 + (i & 3)};
}
Place a16x32s(unsigned g, unsigned t, unsigned i) {
  return {i < 4 || (i >= 8 && i < 12) ? g : g + 8,
          i < 8 ? t * 4 + (i & 3) : t * 4 + (i & 3) + 16};
}
Place b32x8s(unsigned g, unsigned t, unsigned i) {
  return {i < 4 ? t * 4 + (i & 3) : t * 4 + (i & 3) + 16, g};
}
/// Of C and D.
Place accumulator(const Shape &s, unsigned g, unsigned t, unsigned i) {
  if (s.m == 8)
    return {g, t * 2 + i};
  return {i < 2 ? g : g + 8, t * 2 + (i & 1)};
}

const Shape shapes[] = {
    {"m16n8k8.row.col.f32.f16.f16.f32", 16, 8, 8, 'h', 'f', 4, 2, a16x8h,
     b8x8h},
    {"m16n8k8.row.col.f16.f16.f16.f16", 16, 8, 8, 'h', 'h', 4, 2, a16x8h,
     b8x8h},
    {"m16n8k8.row.col.f32.bf16.bf16.f32", 16, 8, 8, 'b', 'f', 4, 2, a16x8h,
     b8x8h},
    {"m16n8k16.row.col.f32.f16.f16.f32", 16, 8, 16, 'h', 'f', 8, 4, a16x16h,
     b16x8h},
    {"m16n8k16.row.col.f16.f16.f16.f16", 16, 8, 16, 'h', 'h', 8, 4, a16x16h,
     b16x8h},
    {"m16n8k16.row.col.f32.bf16.bf16.f32", 16, 8, 16, 'b', 'f', 8, 4, a16x16h,
     b16x8h},
    {"m16n8k4.row.col.f32.tf32.tf32.f32", 16, 8, 4, 't', 'f', 2, 1, a16x4t,
     b4x8t},
    {"m16n8k8.row.col.f32.tf32.tf32.f32", 16, 8, 8, 't', 'f', 4, 2, a16x8t,
     b8x8t},
    {"m8n8k16.row.col.s32.s8.s8.s32", 8, 8, 16, 's', 'i', 4, 4, a8x16s, b16x8s},
    {"m16n8k16.row.col.s32.s8.s8.s32", 16, 8, 16, 's', 'i', 8, 4, a16x16s,
     b16x8s},
    {"m16n8k32.row.col.s32.s8.s8.s32", 16, 8, 32, 's', 'i', 16, 8, a16x32s,
     b32x8s},
    {"m16n8k32.row.col.s32.u8.u8.s32", 16, 8, 32, 'u', 'i', 16, 8, a16x32s,
     b32x8s},
};

/// Elements into the registers of 32 lanes, [lane][register].
std::vector<uint32_t> pack(const std::vector<double> &matrix, unsigned columns,
                           char type, unsigned count, Layout layout) {
  const unsigned per = 32 / bitsOf(type), registers = count / per;
  std::vector<uint32_t> out(32 * registers);
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned i = 0; i < count; ++i) {
      auto [row, column] = layout(lane >> 2, lane % 4, i);
      out[lane * registers + i / per] |=
          encode(type, matrix[row * columns + column])
          << i % per * bitsOf(type);
    }
  return out;
}

/// Loads registers %<name>0, %<name>1, ... of this thread from %<name>.
std::string loads(const std::string &name, unsigned count,
                  const std::string &type) {
  std::string out;
  for (unsigned i = 0; i < count; ++i) {
    const std::string at = "%p" + name + number(i);
    out += at + "b = getelementptr [" + number(count) + " x i32], ptr %" +
           name + ", i32 %t, i32 " + number(i) + "\n%" + name + number(i) +
           " = load " + type + ", ptr " + at + "b\n";
  }
  return out;
}

std::string braces(unsigned first, unsigned count) {
  std::string out = "{";
  for (unsigned i = 0; i < count; ++i)
    out += (i ? ", $" : "$") + number(first + i);
  return out + "}";
}

/// One mma of this shape in inline PTX.
std::string productIR(const Shape &s) {
  const unsigned na = s.elementsA * bitsOf(s.type) / 32,
                 nb = s.elementsB * bitsOf(s.type) / 32,
                 nc = s.m * s.n / 32 / (s.sum == 'h' ? 2 : 1);
  const std::string type = s.sum == 'f' ? "float" : "i32",
                    letter = s.sum == 'f' ? "f" : "r";
  std::string out =
      loads("a", na, "i32") + loads("b", nb, "i32") + loads("c", nc, type);
  std::string result, constraints, values;
  for (unsigned i = 0; i < nc; ++i) {
    result += (i ? ", " : "{") + type;
    constraints += (i ? ",=" : "=") + letter;
  }
  auto pass = [&](const char *name, unsigned count, const std::string &type,
                  const std::string &code) {
    for (unsigned i = 0; i < count; ++i) {
      values += (values.empty() ? "" : ", ") + type + " %" + name + number(i);
      constraints += "," + code;
    }
  };
  pass("a", na, "i32", "r");
  pass("b", nb, "i32", "r");
  pass("c", nc, type, letter);
  out += "%r = call " + result + "} asm sideeffect \"mma.sync.aligned." +
         s.name + " " + braces(0, nc) + ", " + braces(nc, na) + ", " +
         braces(nc + na, nb) + ", " + braces(nc + na + nb, nc) + ";\", \"" +
         constraints + "\"(" + values + ")\n";
  for (unsigned i = 0; i < nc; ++i)
    out += "%v" + number(i) + " = extractvalue " + result + "} %r, " +
           number(i) + "\n%q" + number(i) + " = getelementptr [" + number(nc) +
           " x i32], ptr %d, i32 %t, i32 " + number(i) + "\nstore " + type +
           " %v" + number(i) + ", ptr %q" + number(i) + "\n";
  return kernelIR("ptr %a, ptr %b, ptr %c, ptr %d", out + "ret void\n");
}

TEST(Matrices, ProductsOfAllShapesByTheTablesOfTheISA) {
  std::mt19937 random(7);
  for (const Shape &s : shapes) {
    SCOPED_TRACE(s.name);
    Fixture f;
    ASSERT_TRUE(f.text(productIR(s))) << f.error;
    const int low = s.type == 'u' ? 0 : -8, high = s.type == 'u' ? 200 : 8;
    std::vector<double> a = draw(random, s.m * s.k, low, high),
                        b = draw(random, s.k * s.n, low, high),
                        c = draw(random, s.m * s.n, -100, 100);
    const unsigned perSum = s.sum == 'h' ? 2 : 1, held = s.m * s.n / 32;
    std::vector<uint32_t> sums(32 * held / perSum);
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned i = 0; i < held; ++i) {
        auto [row, column] = accumulator(s, lane >> 2, lane % 4, i);
        sums[lane * (held / perSum) + i / perSum] |=
            encode(s.sum, c[row * s.n + column]) << i % perSum * 16;
      }
    BufferId out = f.output("d", sums.size() * 4);
    auto r =
        f.run("k", {1, 1, 1}, {32, 1, 1},
              {f.ptr(f.buffer("a", pack(a, s.k, s.type, s.elementsA, s.a))),
               f.ptr(f.buffer("b", pack(b, s.n, s.type, s.elementsB, s.b))),
               f.ptr(f.buffer("c", sums)), f.ptr(out)});
    ASSERT_TRUE(r.clean()) << all(r);
    std::vector<uint32_t> got = f.read<uint32_t>(out);
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned i = 0; i < held; ++i) {
        auto [row, column] = accumulator(s, lane >> 2, lane % 4, i);
        double want = c[row * s.n + column];
        for (unsigned k = 0; k < s.k; ++k)
          want += a[row * s.k + k] * b[k * s.n + column];
        const uint32_t bits =
            got[lane * (held / perSum) + i / perSum] >> i % perSum * 16;
        ASSERT_EQ(decode(s.sum, bits), want) << row << ", " << column;
      }
  }
}

TEST(Matrices, IntegersWrapOrSaturate) {
  // 32 * 127 * 127 on top of the largest integer.
  for (bool saturate : {false, true}) {
    Shape s = shapes[10];
    const std::string name =
        saturate ? "m16n8k32.row.col.satfinite.s32.s8.s8.s32" : s.name;
    s.name = name.c_str();
    Fixture f;
    ASSERT_TRUE(f.text(productIR(s))) << f.error;
    BufferId out = f.output("d", 32 * 16);
    EXPECT_CLEAN(
        f.run("k", {1, 1, 1}, {32, 1, 1},
              {f.ptr(f.buffer("a", std::vector<uint32_t>(32 * 4, 0x7f7f7f7f))),
               f.ptr(f.buffer("b", std::vector<uint32_t>(32 * 2, 0x7f7f7f7f))),
               f.ptr(f.buffer("c", std::vector<uint32_t>(32 * 4, 0x7fffffff))),
               f.ptr(out)}));
    EXPECT_EQ(f.read<uint32_t>(out)[5],
              saturate ? 0x7fffffffu : 0x7fffffffu + 32 * 127 * 127);
  }
}

/// One element of A and one of B at k = 0, and a sum; the result at (0, 0).
struct One {
  double result, shadowValue, error;
};
One productOf(const Shape &s, std::vector<double> as, std::vector<double> bs,
              double c) {
  Fixture f;
  EXPECT_TRUE(f.text(productIR(s))) << f.error;
  std::vector<double> a(s.m * s.k), b(s.k * s.n);
  for (size_t k = 0; k < as.size(); ++k) {
    a[k] = as[k];
    b[k * s.n] = bs[k];
  }
  std::vector<float> sums(32 * 4, static_cast<float>(c));
  BufferId out = f.output("d", 32 * 16, ElementKind::F32);
  Options o;
  o.shadow = Shadow::ValueAndError;
  auto r = f.run(
      "k", {1, 1, 1}, {32, 1, 1},
      {f.ptr(f.buffer("a", pack(a, s.k, s.type, s.elementsA, s.a),
                      s.type == 't' ? ElementKind::F32 : ElementKind::F16)),
       f.ptr(f.buffer("b", pack(b, s.n, s.type, s.elementsB, s.b),
                      s.type == 't' ? ElementKind::F32 : ElementKind::F16)),
       f.ptr(f.floats("c", sums)), f.ptr(out)},
      o);
  EXPECT_CLEAN(r);
  return {f.read<float>(out)[0], f.memory.shadowValue(out, 0, -1),
          f.memory.error(out, 0)};
}

/// Adds 32 to four integers from memory, in a loop whose last sum is left out.
std::string sumsInALoop(const std::string &rounds) {
  const std::string four = "{i32, i32, i32, i32}";
  std::string head, phis, call, ends;
  for (unsigned i = 0; i < 4; ++i) {
    const std::string n = std::to_string(i);
    head += "%p" + n + " = getelementptr i32, ptr %q, i32 " + n + "\n%c" + n +
            " = load i32, ptr %p" + n + "\n";
    phis +=
        "%s" + n + " = phi i32 [%c" + n + ", %entry], [%d" + n + ", %loop]\n";
    call += ", i32 %s" + n;
    ends += "%d" + n + " = extractvalue " + four + " %r, " + n + "\n";
  }
  std::string text =
      "%w = mul i32 %t, 4\n%q = getelementptr i32, ptr %p, i32 %w\n" + head +
      "br label %loop\nloop:\n%i = phi i32 [0, %entry], [%j, %loop]\n" + phis +
      "%r = call " + four +
      " asm sideeffect \"mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 "
      "{$0, $1, $2, $3}, {$4, $4, $4, $4}, {$4, $4}, {$5, $6, $7, $8};\", "
      "\"=r,=r,=r,=r,r,r,r,r,r\"(i32 16843009" +
      call + ")\n" + ends + "%j = add i32 %i, 1\n%more = icmp slt i32 %j, " +
      rounds + "\nbr i1 %more, label %loop, label %end\nend:\n";
  for (const char *n : {"0", "1", "2", "3"})
    text += std::string("store i32 %s") + n + ", ptr %p" + n + "\n";
  return text + "ret void\n";
}

TEST(Matrices, IntegersThatMayBeFloatsGoRoundALoop) {
  for (Shadow shadow : {Shadow::None, Shadow::ShadowValue,
                        Shadow::ValueAndError, Shadow::ValueAndField}) {
    Fixture f;
    ASSERT_TRUE(f.text(kernelIR("ptr %p", sumsInALoop("4")))) << f.error;
    BufferId p = f.buffer("p", std::vector<int>(128, 5), ElementKind::F32);
    f.memory.enableShadow(shadow);
    Field field(3);
    Options o;
    o.shadow = shadow;
    o.field = shadow == Shadow::ValueAndField ? &field : nullptr;
    if (shadow != Shadow::None)
      f.memory.setShadowValue(p, 8, 0.5);
    EXPECT_CLEAN(f.run("k", {1, 1, 1}, {32, 1, 1}, {f.ptr(p)}, o));
    EXPECT_EQ(f.read<int>(p), std::vector<int>(128, 5 + 3 * 32));
    // What was a float's shadow value is not a sum's.
    if (shadow != Shadow::None)
      EXPECT_EQ(f.memory.shadowValue(p, 8, -1), -1);
  }
}

TEST(Matrices, SumsAreCutOffAndTheBoundKnowsIt) {
  const Shape &half = shapes[3], &tf32 = shapes[7];
  // 2^-24 is below the last place of 1 and is cut off at the end.
  One r = productOf(half, {0x1p-12}, {0x1p-12}, 1);
  EXPECT_EQ(r.result, 1);
  EXPECT_EQ(r.shadowValue, 1 + 0x1p-24);
  EXPECT_GE(r.error, 0x1p-24);
  EXPECT_LT(r.error, 0x1p-17);
  // -2^-24 leaves less than 1, and the cut goes toward zero: no rounding up.
  EXPECT_EQ(productOf(half, {0x1p-12}, {-0x1p-12}, 1).result, 1 - 0x1p-24);
  // Two bits are kept below the last place while adding: four quarters count.
  EXPECT_EQ(productOf(half, {0x1p-12, 0x1p-12, 0x1p-13, 0x1p-13},
                      {0x1p-12, 0x1p-13, 0x1p-12, 0x1p-12}, 1)
                .result,
            1 + 0x1p-23);
  // tf32 ignores the lowest 13 bits of its operands.
  r = productOf(tf32, {1 + 0x1p-12}, {1}, 0);
  EXPECT_EQ(r.result, 1);
  EXPECT_EQ(r.shadowValue, 1 + 0x1p-12);
  EXPECT_GE(r.error, 0x1p-12);
  r = productOf(tf32, {1 + 0x1p-10}, {1}, 0);
  EXPECT_EQ(r.result, 1 + 0x1p-10);
  EXPECT_LT(r.error, 0x1p-18);
}

TEST(Matrices, TheBoundHoldsForRandomSums) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (const Shape *s : {&shapes[3], &shapes[7]})
    for (int n = 0; n < 20; ++n) {
      std::vector<double> a(s->k), b(s->k);
      for (unsigned k = 0; k < s->k; ++k) {
        a[k] = s->type == 'h' ? double(_Float16(normal(random)))
                              : double(float(normal(random)));
        b[k] = s->type == 'h' ? double(_Float16(normal(random)))
                              : double(float(normal(random)));
      }
      One r = productOf(*s, a, b, float(normal(random)));
      EXPECT_LE(std::fabs(r.result - r.shadowValue), r.error);
      EXPECT_GT(r.error, 0);
    }
}

// Inputs/products.cu says how to make the file. Which order and rounding a
// device has is its own business, so this is no test of every machine.
TEST(Matrices, BitsAreThoseOfADevice) {
  const char *name = std::getenv("EVO_DEVICE_PRODUCTS");
  if (!name)
    GTEST_SKIP() << "EVO_DEVICE_PRODUCTS names no file of products.cu";
  std::ifstream file(name);
  std::string line;
  std::map<std::string, std::array<unsigned, 2>> different; // of how many
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string shape;
    words >> shape;
    auto it = llvm::find_if(shapes, [&](auto &s) { return shape == s.name; });
    ASSERT_NE(it, std::end(shapes)) << shape;
    const unsigned na = 32 * it->elementsA * bitsOf(it->type) / 32,
                   nb = 32 * it->elementsB * bitsOf(it->type) / 32,
                   nc = it->m * it->n / (it->sum == 'h' ? 2 : 1);
    std::vector<uint32_t> registers(na + nb + 2 * nc);
    for (uint32_t &w : registers)
      words >> std::hex >> w;
    ASSERT_TRUE(words) << shape;
    auto part = [&](unsigned from, unsigned count) {
      return std::vector<uint32_t>(registers.begin() + from,
                                   registers.begin() + from + count);
    };
    Fixture f;
    ASSERT_TRUE(f.text(productIR(*it))) << f.error;
    BufferId out = f.output("d", nc * 4);
    EXPECT_CLEAN(f.run("k", {1, 1, 1}, {32, 1, 1},
                       {f.ptr(f.buffer("a", part(0, na))),
                        f.ptr(f.buffer("b", part(na, nb))),
                        f.ptr(f.buffer("c", part(na + nb, nc))), f.ptr(out)}));
    std::vector<uint32_t> got = f.read<uint32_t>(out);
    for (unsigned i = 0; i < nc; ++i) {
      different[shape][0] += got[i] != registers[na + nb + nc + i];
      ++different[shape][1];
    }
  }
  EXPECT_FALSE(different.empty()) << name;
  for (auto &[shape, count] : different)
    EXPECT_EQ(count[0], 0u) << shape << ": of " << count[1] << " registers";
}

TEST(Matrices, InfinityAndNaN) {
  const Shape &s = shapes[7];
  EXPECT_EQ(productOf(s, {INFINITY}, {2}, 1).result, INFINITY);
  EXPECT_TRUE(std::isnan(productOf(s, {INFINITY}, {0}, 1).result));
  EXPECT_TRUE(std::isnan(productOf(s, {1}, {NAN}, 1).result));
}

TEST(Matrices, AllLanesMustTakePart) {
  // Half a warp; and a branch around the product.
  Fixture f;
  ASSERT_TRUE(f.text(productIR(shapes[3]))) << f.error;
  auto run = [](Fixture &f, uint64_t threads) {
    return f.run("k", {1, 1, 1}, {threads, 1, 1},
                 {f.ptr(f.output("a", 512)), f.ptr(f.output("b", 256)),
                  f.ptr(f.output("c", 512)), f.ptr(f.output("d", 512))},
                 [] {
                   Options o;
                   o.checkUninitialized = false;
                   return o;
                 }());
  };
  EXPECT_FINDING(run(f, 16), BarrierDivergence);
  EXPECT_CLEAN(run(f, 32));
  std::string text = productIR(shapes[3]);
  const size_t call = text.find("%r = call"), end = text.find("%v0 =");
  text.replace(
      call, end - call,
      "%in = icmp slt i32 %t, 20\nbr i1 %in, label %then, label %join\n"
      "then:\n" +
          text.substr(call, end - call) +
          "br label %join\njoin:\n"
          "%v = phi {float, float, float, float} [%r, %then], "
          "[zeroinitializer, %entry]\n");
  for (size_t at; (at = text.find("float} %r,")) != std::string::npos;)
    text.replace(at, 10, "float} %v,");
  Fixture g;
  ASSERT_TRUE(g.text(text)) << g.error;
  EXPECT_FINDING(run(g, 32), BarrierDivergence);
}

TEST(Matrices, WhatIsNotKnownIsNamed) {
  for (std::string text :
       {"mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {$0}, {$1}, "
        "{$1}, "
        "{$0}, $1, 0x0;",
        "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {$0}, {$1}, {$1}, "
        "{$0};",
        "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {$0, $0}, [$1];",
        "mbarrier.init.shared.b64 [$1], 1;",
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0}, $1, $1, 1;",
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
        "[$1], [$1], 16, [$1];",
        "cp.async.mbarrier.arrive.shared.b64 [$1];"}) {
    Fixture f;
    EXPECT_FALSE(
        f.text(kernelIR("ptr %p", "%r = call i32 asm sideeffect \"" + text +
                                      "\", \"=r,r\"(i32 %t)\n"
                                      "ret void\n")));
    EXPECT_NE(f.error.find("unsupported: inline asm '" + text.substr(0, 10)),
              std::string::npos)
        << f.error;
  }
  Fixture f;
  EXPECT_FALSE(f.text(kernelIR(
      "ptr %p",
      "%r = call {double, double} "
      "@llvm.nvvm.mma.m8n8k4.row.col.f64(double 1.0, double 1.0, "
      "double 1.0, double 1.0)\nret void\n",
      "declare {double, double} @llvm.nvvm.mma.m8n8k4.row.col.f64(double, "
      "double, double, double)\n")));
  EXPECT_NE(f.error.find("llvm.nvvm.mma.m8n8k4.row.col.f64"), std::string::npos)
      << f.error;
}

} // namespace
