// Fragments loaded, multiplied and stored. Which lane holds what is the
// device's own affair here; what counts is memory before and after.
#include "Harness.h"
#include "Matrices.h"

using namespace evo::sim;
using namespace evo::sim::test;

namespace {

/// wmma.load, mma and store through the intrinsics.
struct Wmma {
  unsigned m, n, k;
  char type, sum;
};
std::string wmmaIR(const Wmma &w, const std::string &layoutA,
                   const std::string &layoutB, const std::string &layoutC) {
  const std::string shape =
      "m" + number(w.m) + "n" + number(w.n) + "k" + number(w.k);
  const char *names[] = {"f16", "bf16", "tf32", "s8", "u8"};
  const std::string type = names[std::string("hbtsu").find(w.type)],
                    sum = w.sum == 'f'   ? "f32"
                          : w.sum == 'h' ? "f16"
                                         : "s32";
  auto registers = [&](unsigned rows, unsigned columns) {
    return w.type == 'h' ? 8 : rows * columns / 32 * bitsOf(w.type) / 32;
  };
  const unsigned na = registers(w.m, w.k), nb = registers(w.k, w.n),
                 nc = w.sum == 'h' ? 4 : 8;
  const std::string element = w.type == 'h' ? "<2 x half>" : "i32",
                    part = w.sum == 'f'   ? "float"
                           : w.sum == 'h' ? "<2 x half>"
                                          : "i32";
  auto list = [](const std::string &type, unsigned count,
                 const std::string &name) {
    std::string out;
    for (unsigned i = 0; i < count; ++i)
      out += (i ? ", " : "") + type +
             (name.empty() ? "" : " %" + name + number(i));
    return out;
  };
  std::string body, declarations;
  auto load = [&](const std::string &name, const std::string &layout,
                  const std::string &elementName, const std::string &type,
                  unsigned count) {
    const std::string f = "@llvm.nvvm.wmma." + shape + ".load." + name + "." +
                          layout + ".stride." + elementName + ".p0",
                      result =
                          count == 1 ? type : "{" + list(type, count, "") + "}";
    declarations += "declare " + result + " " + f + "(ptr, i32)\n";
    body += "%" + name + (count == 1 ? "0" : "") + " = call " + result + " " +
            f + "(ptr %p" + name + ", i32 %s" + name + ")\n";
    for (unsigned i = 0; count > 1 && i < count; ++i)
      body += "%" + name + number(i) + " = extractvalue " + result + " %" +
              name + ", " + number(i) + "\n";
  };
  load("a", layoutA, type, element, na);
  load("b", layoutB, type, element, nb);
  load("c", layoutC, sum, part, nc);
  const std::string f = "@llvm.nvvm.wmma." + shape + ".mma." + layoutA + "." +
                        layoutB + "." +
                        (w.type == 'h' ? sum + "." + sum : type),
                    result = "{" + list(part, nc, "") + "}",
                    store = "@llvm.nvvm.wmma." + shape + ".store.d." + layoutC +
                            ".stride." + sum + ".p0";
  declarations += "declare " + result + " " + f + "(" + list(element, na, "") +
                  ", " + list(element, nb, "") + ", " + list(part, nc, "") +
                  ")\ndeclare void " + store + "(ptr, " + list(part, nc, "") +
                  ", i32)\n";
  body += "%r = call " + result + " " + f + "(" + list(element, na, "a") +
          ", " + list(element, nb, "b") + ", " + list(part, nc, "c") + ")\n";
  for (unsigned i = 0; i < nc; ++i)
    body += "%d" + number(i) + " = extractvalue " + result + " %r, " +
            number(i) + "\n";
  body += "call void " + store + "(ptr %pd, " + list(part, nc, "d") +
          ", i32 %sc)\nret void\n";
  return kernelIR("ptr %pa, ptr %pb, ptr %pc, ptr %pd, i32 %sa, i32 %sb, "
                  "i32 %sc",
                  body, declarations);
}

/// Bytes of a matrix with rows (or columns) `stride` elements apart.
std::vector<uint8_t> inMemory(const std::vector<double> &matrix, unsigned rows,
                              unsigned columns, bool rowMajor, unsigned stride,
                              char type) {
  const unsigned bytes = type == 'h' || type == 'b'   ? 2
                         : type == 's' || type == 'u' ? 1
                                                      : 4;
  std::vector<uint8_t> out((rowMajor ? rows : columns) * stride * bytes);
  for (unsigned r = 0; r < rows; ++r)
    for (unsigned c = 0; c < columns; ++c) {
      const uint32_t bits = encode(type, matrix[r * columns + c]);
      std::memcpy(&out[(rowMajor ? r * stride + c : c * stride + r) * bytes],
                  &bits, bytes);
    }
  return out;
}

TEST(Matrices, WmmaOfAllShapesAndLayouts) {
  std::mt19937 random(11);
  std::vector<Wmma> all;
  for (auto [m, n] : {std::pair(16u, 16u), {32u, 8u}, {8u, 32u}})
    for (auto [type, sum] :
         {std::pair('h', 'f'), {'h', 'h'}, {'b', 'f'}, {'s', 'i'}, {'u', 'i'}})
      all.push_back({m, n, 16, type, sum});
  all.push_back({16, 16, 8, 't', 'f'});
  for (const Wmma &w : all)
    for (unsigned layouts = 0; layouts < 8; ++layouts) {
      const bool rowA = layouts & 1, rowB = layouts & 2, rowC = layouts & 4;
      SCOPED_TRACE(number(w.m) + "x" + number(w.n) + w.type + w.sum +
                   number(layouts));
      Fixture f;
      auto name = [](bool row) { return row ? "row" : "col"; };
      ASSERT_TRUE(f.text(wmmaIR(w, name(rowA), name(rowB), name(rowC))))
          << f.error;
      const int low = w.type == 'u' ? 0 : -8;
      std::vector<double> a = draw(random, w.m * w.k, low, 8),
                          b = draw(random, w.k * w.n, low, 8),
                          c = draw(random, w.m * w.n, -50, 50);
      const unsigned sa = 48, sb = 64, sc = 40;
      BufferId out = f.output("d", (rowC ? w.m : w.n) * sc * 4);
      auto r =
          f.run("k", {1, 1, 1}, {32, 1, 1},
                {f.ptr(f.buffer("a", inMemory(a, w.m, w.k, rowA, sa, w.type))),
                 f.ptr(f.buffer("b", inMemory(b, w.k, w.n, rowB, sb, w.type))),
                 f.ptr(f.buffer("c", inMemory(c, w.m, w.n, rowC, sc, w.sum))),
                 f.ptr(out), Argument(sa), Argument(sb), Argument(sc)});
      ASSERT_TRUE(r.clean()) << test::all(r);
      for (unsigned row = 0; row < w.m; ++row)
        for (unsigned column = 0; column < w.n; ++column) {
          double want = c[row * w.n + column];
          for (unsigned k = 0; k < w.k; ++k)
            want += a[row * w.k + k] * b[k * w.n + column];
          const unsigned at = rowC ? row * sc + column : column * sc + row,
                         bytes = w.sum == 'h' ? 2 : 4;
          uint32_t bits = 0;
          std::memcpy(&bits, f.memory.bytes(out) + at * bytes, bytes);
          ASSERT_EQ(decode(w.sum, bits), want) << row << ", " << column;
        }
    }
}

TEST(Matrices, WmmaIntegersThatMayBeFloatsMeet) {
  // Sums of a fragment in one way, of an ordinary load in the other.
  std::string eight = "{",
              body = "%in = icmp slt i32 %n, 1\n"
                     "br i1 %in, label %a, label %b\na:\n"
                     "%r = call ",
              other, phis;
  for (unsigned i = 0; i < 8; ++i) {
    eight += i ? ", i32" : "i32";
    const std::string n = number(i);
    other += "%f" + n + " = getelementptr i32, ptr %p, i32 " + n + "\n%y" + n +
             " = load i32, ptr %f" + n + "\n";
  }
  eight += "}";
  const std::string load =
      "@llvm.nvvm.wmma.m16n16k16.load.c.row.stride.s32.p0(ptr";
  body += eight + " " + load + " %p, i32 16)\n";
  for (unsigned i = 0; i < 8; ++i) {
    const std::string n = number(i);
    body += "%x" + n + " = extractvalue " + eight + " %r, " + n + "\n";
    phis += "%v" + n + " = phi i32 [%x" + n + ", %a], [%y" + n + ", %b]\n";
  }
  body += "br label %end\nb:\n" + other + "br label %end\nend:\n" + phis;
  for (unsigned i = 0; i < 8; ++i)
    body += "%o" + number(i) + " = getelementptr i32, ptr %q, i32 " +
            number(i * 32) + "\n%e" + number(i) +
            " = getelementptr i32, ptr %o" + number(i) + ", i32 %t\n" +
            "store i32 %v" + number(i) + ", ptr %e" + number(i) + "\n";
  Fixture f;
  ASSERT_TRUE(f.text(kernelIR("ptr %p, ptr %q, i32 %n", body + "ret void\n",
                              "declare " + eight + " " + load + ", i32)\n")))
      << f.error;
  BufferId p = f.buffer("p", std::vector<int>(256, 7), ElementKind::F32),
           q = f.output("q", 1024, ElementKind::F32);
  Options o;
  o.shadow = Shadow::ValueAndError;
  for (uint32_t n : {0, 1}) {
    EXPECT_CLEAN(f.run("k", {1, 1, 1}, {32, 1, 1},
                       {f.ptr(p), f.ptr(q), Argument(n)}, o));
    EXPECT_EQ(f.read<int>(q), std::vector<int>(256, 7));
  }
}

TEST(Matrices, WmmaAccessesAreChecked) {
  auto run = [](uint64_t offset, unsigned stride, uint64_t missing) {
    Fixture f;
    EXPECT_TRUE(f.text(wmmaIR({16, 16, 16, 'h', 'f'}, "row", "row", "row")))
        << f.error;
    BufferSpec s;
    s.name = "a";
    s.bytes = 16 * 48 * 2 - missing;
    s.alignmentOffset = offset;
    BufferId a = f.memory.addBuffer(s);
    f.memory.markInitialized(a, 0, s.bytes);
    return f.run("k", {1, 1, 1}, {32, 1, 1},
                 {f.ptr(a), f.ptr(f.buffer("b", std::vector<uint16_t>(256))),
                  f.ptr(f.floats("c", std::vector<float>(256))),
                  f.ptr(f.output("d", 1024)), Argument(stride), Argument(16),
                  Argument(16)});
  };
  EXPECT_CLEAN(run(0, 48, 64));
  EXPECT_FINDING(run(0, 48, 66), OutOfBounds); // 16 elements past row 15
  EXPECT_FINDING(run(16, 48, 0), Misaligned);  // fragments have 32 bytes
  EXPECT_CLEAN(run(32, 48, 64));
  EXPECT_FINDING(run(0, 20, 0), Misaligned); // 40 bytes are no multiple of 16
}

} // namespace
