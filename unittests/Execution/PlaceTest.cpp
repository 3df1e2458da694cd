//===- PlaceTest.cpp - Where accesses may go --------------------*- C++ -*-===//
//
// What an instruction asks of the place that it accesses, besides bounds.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

using namespace evo::exec;
using namespace evo::exec::test;

namespace {

/// One thread over "p", 64 ints.
LaunchResult run(const std::string &body, const std::string &globals = "") {
  Fixture f;
  if (!f.text(kernelIR("ptr %p", body + "ret void\n", globals))) {
    ADD_FAILURE() << f.error;
    return {};
  }
  BufferId b = f.buffer("p", std::vector<int>(64));
  return f.run("k", {1, 1, 1}, {1, 1, 1}, {f.ptr(b)});
}

/// A pair of halves is one access, though each half is an atomic of its own.
TEST(Places, PairsOfHalvesAreAlignedAsOne) {
  for (const char *add :
       {"%o = atomicrmw fadd ptr %q, <2 x half> <half 1.0, half 1.0> "
        "monotonic\n",
        "call void asm sideeffect \"red.global.add.noftz.f16x2 [$0], $1;\", "
        "\"l,r\"(ptr %q, i32 1006648320)\n",
        "%o = call i32 asm sideeffect \"atom.add.noftz.bf16x2 $0, [$1], $2;\", "
        "\"=r,l,r\"(ptr %q, i32 0)\n"}) {
    for (int place : {0, 2, 4, 6}) {
      LaunchResult r = run("%q = getelementptr i8, ptr %p, i32 " +
                           std::to_string(place) + "\n" + add);
      if (place % 4)
        EXPECT_FINDING(r, Misaligned);
      else
        EXPECT_CLEAN(r);
    }
  }
  // A half by itself may lie there.
  EXPECT_CLEAN(run("%q = getelementptr i8, ptr %p, i32 2\n"
                   "%o = atomicrmw fadd ptr %q, half 1.0 monotonic\n"));
}

} // namespace
