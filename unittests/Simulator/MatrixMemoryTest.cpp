// ldmatrix and stmatrix. Shared memory holds its own indices, so that what a
// lane gets says where it came from.
#include "Harness.h"
#include "Matrices.h"

using namespace evo::sim;
using namespace evo::sim::test;

namespace {

/// Fills @s with its own 16-bit indices, then runs the body and stores the
/// i32 registers %r0 ... of each lane.
LaunchResult matrixMemory(const std::string &body, unsigned count,
                          std::vector<uint32_t> &out, bool fill = true) {
  Fixture f;
  std::string text;
  if (fill)
    for (unsigned n = 0; n < 16; ++n)
      text += "%i" + number(n) + " = add i32 %t, " + number(32 * n) + "\n%h" +
              number(n) + " = trunc i32 %i" + number(n) + " to i16\n%f" +
              number(n) + " = getelementptr i16, ptr addrspace(3) @s, i32 %i" +
              number(n) + "\nstore i16 %h" + number(n) +
              ", ptr addrspace(3) %f" + number(n) + "\n";
  text += "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)\n"
          // The row of 8 that this lane names: 3 t + 5 mod 32 tells them apart.
          "%row0 = mul i32 %t, 3\n%row1 = add i32 %row0, 5\n"
          "%row = and i32 %row1, 31\n%first = mul i32 %row, 8\n"
          "%at = getelementptr i16, ptr addrspace(3) @s, i32 %first\n"
          "%small = ptrtoint ptr addrspace(3) %at to i32\n" +
          body;
  for (unsigned i = 0; i < count; ++i)
    text += "%o" + number(i) + " = getelementptr [" + number(count) +
            " x i32], ptr %p, i32 %t, i32 " + number(i) + "\nstore i32 %r" +
            number(i) + ", ptr %o" + number(i) + "\n";
  if (!f.text(kernelIR(
          "ptr %p", text + "ret void\n",
          "@s = internal addrspace(3) global [512 x i16] undef, align 16\n"))) {
    ADD_FAILURE() << f.error;
    return {};
  }
  BufferId b = f.output("p", 32 * 4 * std::max(1u, count));
  Options o;
  o.detectRaces = true;
  auto r = f.run("k", {1, 1, 1}, {32, 1, 1}, {f.ptr(b)}, o);
  out = f.read<uint32_t>(b);
  return r;
}

std::string ldmatrix(unsigned count, bool transposed,
                     const std::string &at = "%small") {
  std::string result, constraints, names;
  for (unsigned i = 0; i < count; ++i) {
    result += i ? ", i32" : "i32";
    constraints += "=r,";
    names += (i ? ", $" : "$") + number(i);
  }
  std::string out = "%all = call " + (count > 1 ? "{" + result + "}" : result) +
                    " asm sideeffect \"ldmatrix.sync.aligned.m8n8.x" +
                    number(count) + (transposed ? ".trans" : "") +
                    ".shared.b16 {" + names + "}, [$" + number(count) +
                    "];\", \"" + constraints + "r\"(i32 " + at + ")\n";
  for (unsigned i = 0; i < count; ++i)
    out += "%r" + number(i) + " = " +
           (count > 1 ? "extractvalue {" + result + "} %all, " + number(i)
                      : std::string("add i32 %all, 0")) +
           "\n";
  return out;
}

TEST(Matrices, LdmatrixDistributesRows) {
  for (unsigned count : {1, 2, 4})
    for (bool transposed : {false, true}) {
      std::vector<uint32_t> got;
      EXPECT_CLEAN(matrixMemory(ldmatrix(count, transposed), count, got));
      for (unsigned lane = 0; lane < 32; ++lane)
        for (unsigned n = 0; n < count; ++n)
          for (unsigned h : {0, 1}) {
            // Thread i holds elements 2 (i % 4) and the next of row i / 4 of
            // the matrix, or of its transpose.
            const unsigned i = lane / 4, j = lane % 4 * 2 + h;
            const unsigned row = transposed ? j : i,
                           column = transposed ? i : j;
            const unsigned giving = n * 8 + row;
            EXPECT_EQ(got[lane * count + n] >> 16 * h & 0xffff,
                      (3 * giving + 5) % 32 * 8 + column)
                << count << transposed << lane;
          }
    }
}

TEST(Matrices, LdmatrixIsChecked) {
  std::vector<uint32_t> got;
  // 16 bytes too far for the last row; only lanes 0 to 7 name rows of x1.
  const std::string far = "%far = add i32 %small, 528\n";
  EXPECT_FINDING(matrixMemory(far + ldmatrix(4, false, "%far"), 4, got),
                 OutOfBounds);
  EXPECT_FINDING(
      matrixMemory("%odd = add i32 %small, 8\n" + ldmatrix(4, false, "%odd"), 4,
                   got),
      Misaligned);
  const std::string only = "%is = icmp ult i32 %t, 8\n%good = select i1 %is, "
                           "i32 %small, i32 77\n";
  EXPECT_CLEAN(matrixMemory(only + ldmatrix(1, false, "%good"), 1, got));
  EXPECT_FINDING(matrixMemory(only + ldmatrix(2, false, "%good"), 2, got),
                 NullOrWildPointer);
  EXPECT_FINDING(matrixMemory(ldmatrix(1, false), 1, got, false),
                 UninitializedRead);
  // A generic address is none of shared memory, unless it points there.
  std::string generic = ldmatrix(1, false, "%wide");
  generic.replace(generic.find(".shared"), 7, "");
  generic.replace(generic.find("(i32 %wide"), 5, "(i64");
  generic.replace(generic.find("r\"(i64"), 1, "l");
  EXPECT_FINDING(
      matrixMemory("%wide = ptrtoint ptr %p to i64\n" + generic, 1, got),
      NullOrWildPointer);
  EXPECT_CLEAN(matrixMemory("%there = addrspacecast ptr addrspace(3) %at to "
                            "ptr\n%wide = ptrtoint ptr %there to i64\n" +
                                generic,
                            1, got));
  // What other lanes stored is read without __syncwarp between.
  const std::string turn = "%next = add i32 %t, 1\n%lane = and i32 %next, 31\n"
                           "%start = mul i32 %lane, 16\n"
                           "%zero = ptrtoint ptr addrspace(3) @s to i32\n"
                           "%other = add i32 %zero, %start\n"
                           "%mine0 = mul i32 %t, 8\n%mine = getelementptr i16, "
                           "ptr addrspace(3) @s, i32 %mine0\n"
                           "store i16 9, ptr addrspace(3) %mine\n";
  EXPECT_FINDING(matrixMemory(turn + ldmatrix(4, false, "%other"), 4, got),
                 Race);
  EXPECT_CLEAN(matrixMemory(turn +
                                "call void @llvm.nvvm.bar.warp.sync(i32 -1)\n" +
                                ldmatrix(4, false, "%other"),
                            4, got));
}

TEST(Matrices, StmatrixIsTheInverse) {
  for (bool transposed : {false, true}) {
    const std::string name = transposed ? ".trans" : "";
    std::vector<uint32_t> got;
    // Stores each lane's number and reads it back the same way.
    const std::string store =
        "%hi = add i32 %t, 100\n%up = shl i32 %hi, 16\n%v = or i32 %up, %t\n"
        "call void asm sideeffect \"stmatrix.sync.aligned.m8n8.x2" +
        name +
        ".shared.b16 [$0], {$1, $2};\", \"r,r,r\"(i32 %small, i32 %v, "
        "i32 %t)\n"
        "call void @llvm.nvvm.bar.warp.sync(i32 -1)\n";
    EXPECT_CLEAN(matrixMemory(store + ldmatrix(2, transposed), 2, got));
    for (unsigned lane = 0; lane < 32; ++lane) {
      EXPECT_EQ(got[lane * 2], lane | (lane + 100) << 16);
      EXPECT_EQ(got[lane * 2 + 1], lane);
    }
    // Read the other way it is something else.
    EXPECT_CLEAN(matrixMemory(store + ldmatrix(2, !transposed), 2, got));
    EXPECT_NE(got[2], 1u | 101u << 16);
  }
}

} // namespace
