// Proofs for all sizes, each beside a twin in which it would be false: a guard
// that lets one too many pass or is missing, a product that overflows, threads
// that meet. A twin must not be proved.
#include "evo/Prove/IndexProof.h"
#include "evo/Dialect/Evo/IR/Evo.h"
#include "evo/Driver/Registration.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace evo;

namespace {
constexpr uint64_t effort = 2'000'000;

struct Launch {
  std::string requirements,
      grid = "\"ceildiv(N, 128)\", \"1\", \"1\"", args = "\"x\", \"y\", \"N\"",
      types = "%x: memref<?xf32>, %y: memref<?xf32>, "
              "%n: index",
      contract = "#evo.arg<\"x\" in f32 [\"N\"]>, #evo.arg<\"y\" "
                 "inout f32 [\"N\"]>",
      functions;
};

class IndexProofTest : public testing::Test {
protected:
  MLIRContext context;
  IndexProofTest() {
    DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    if (!canProve())
      skip = true;
  }
  bool skip = false;

  /// A kernel of blocks of 128 with that body, in which %i is the number of the
  /// thread in the grid.
  IndexProof prove(const std::string &body, const Launch &launch = {}) {
    std::string text =
        "evo.kernel @k args [" + launch.contract + "] " + launch.requirements +
        R"mlir( {
  evo.variant @v origin <"test"> {
    gpu.module @device {
)mlir" + launch.functions +
        R"mlir(
      gpu.func @f()mlir" +
        launch.types + R"mlir() kernel {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c2 = arith.constant 2 : index
        %b = gpu.block_id x
        %d = gpu.block_dim x
        %t = gpu.thread_id x
        %p = arith.muli %b, %d : index
        %i = arith.addi %p, %t : index
)mlir" + body +
        R"mlir(
        gpu.return
      }
    }
    evo.launch @device::@f grid [)mlir" +
        launch.grid + R"mlir(] block ["128", "1", "1"] args [)mlir" +
        launch.args + "]\n  }\n}";
    auto module = parseSourceString<ModuleOp>(text, &context);
    if (!module)
      return {"", "does not parse"};
    KernelOp kernel = *module->getOps<KernelOp>().begin();
    return proveIndices(kernel.lookupSymbol<VariantOp>("v"), effort);
  }
  void expectProved(const std::string &body, const Launch &launch = {}) {
    if (skip)
      return;
    IndexProof proof = prove(body, launch);
    EXPECT_NE(proof.proved, "") << proof.open << body;
  }
  void expectOpen(const std::string &body, const std::string &why,
                  const Launch &launch = {}) {
    if (skip)
      return;
    IndexProof proof = prove(body, launch);
    EXPECT_EQ(proof.proved, "") << body;
    EXPECT_NE(proof.open.find(why), std::string::npos) << proof.open << body;
  }
};

/// y[at] = x[at] where `guard` holds.
std::string copy(const std::string &guard, const std::string &at = "%i") {
  return "%g = " + guard + "\nscf.if %g {\n%v = memref.load %x[" + at +
         "] : memref<?xf32>\nmemref.store %v, %y[" + at +
         "] : memref<?xf32>\n}";
}

TEST_F(IndexProofTest, Guards) {
  expectProved(copy("arith.cmpi slt, %i, %n : index"));
  expectOpen(copy("arith.cmpi sle, %i, %n : index"), "in bounds");
  expectOpen(copy("arith.constant true"), "in bounds");
  Launch required;
  required.requirements = "requires [\"N % 128 == 0\"]";
  expectProved(copy("arith.constant true"), required);
  Launch other;
  other.requirements = "requires [\"N % 127 == 0\"]";
  expectOpen(copy("arith.constant true"), "in bounds", other);
  // One block too many of those that requirements allow.
  required.grid = "\"N / 128 + 1\", \"1\", \"1\"";
  expectOpen(copy("arith.constant true"), "in bounds", required);
}

TEST_F(IndexProofTest, SizesThatNoSampleHas) {
  // min(i, 2^30) < n lets all pass where n is larger.
  std::string clamp = "%big = arith.constant 1073741824 : index\n"
                      "%j = arith.minsi %i, %big : index\n";
  expectOpen(clamp + copy("arith.cmpi sle, %j, %n : index"), "in bounds");
  expectProved(clamp + copy("arith.cmpi slt, %i, %n : index", "%j"), [] {
    Launch small;
    small.requirements = "requires [\"N <= 1073741824\"]";
    return small;
  }());
}

Launch matrix(const std::string &size) {
  Launch launch;
  launch.contract =
      "#evo.arg<\"x\" in f32 [\"M\", \"N\"]>, #evo.arg<\"y\" inout "
      "f32 [\"M\", \"N\"]>";
  launch.types =
      "%x: memref<?x?xf32>, %y: memref<?x?xf32>, %m: " + size + ", %n: " + size;
  launch.args = "\"x\", \"y\", \"M\", \"N\"";
  launch.grid = "\"ceildiv(M, 128)\", \"1\", \"1\"";
  return launch;
}

TEST_F(IndexProofTest, Loops) {
  std::string loop = R"mlir(
    %g = arith.cmpi slt, %i, %m : index
    scf.if %g {
      scf.for %j = %c0 to %n step %c1 {
        %v = memref.load %x[%i, %j] : memref<?x?xf32>
        memref.store %v, %y[%i, %j] : memref<?x?xf32>
      }
    })mlir";
  expectProved(loop, matrix("index"));
  std::string late = loop;
  late.replace(late.find("[%i, %j]"), 8, "[%i, %i]");
  expectOpen(late, "in bounds", matrix("index"));
  std::string stepped = R"mlir(
    %g = arith.cmpi slt, %i, %m : index
    scf.if %g {
      scf.for %j = %c0 to %n step %c2 {
        %k = arith.addi %j, %c1 : index
        %v = memref.load %x[%i, %k] : memref<?x?xf32>
        memref.store %v, %y[%i, %k] : memref<?x?xf32>
      }
    })mlir";
  expectOpen(stepped, "in bounds", matrix("index"));
  Launch even = matrix("index");
  even.requirements = "requires [\"N % 2 == 0\"]";
  expectProved(stepped, even);
}

/// Row and column in one flat array, in arithmetic of that type.
std::string flat(const std::string &type) {
  std::string cast = type == "index"
                         ? "%w = arith.addi %s, %c0 : index"
                         : "%w = arith.index_cast %s : " + type + " to index";
  std::string from =
      type == "index"
          ? "%r = arith.addi %i, %c0 : index\n%e = arith.addi %n, %c0 : index"
          : "%r = arith.index_cast %i : index to " + type +
                "\n%e = arith.index_cast %n : index to " + type;
  return from + "\n%g = arith.cmpi slt, %i, %m : index\nscf.if %g {\n" +
         "%s = arith.muli %r, %e : " + type + "\n" + cast +
         "\n%v = memref.load %x[%w] : memref<?xf32>\n}";
}

TEST_F(IndexProofTest, ProductsThatOverflow) {
  Launch launch = matrix("index");
  launch.types = "%x: memref<?xf32>, %y: memref<?xf32>, %m: index, %n: index";
  expectOpen(flat("i32"), "in bounds", launch);
  launch.requirements = "requires [\"M <= 1000\", \"N <= 1000\"]";
  expectProved(flat("i32"), launch);
}

TEST_F(IndexProofTest, ThreadsThatMeet) {
  std::string guard = "arith.cmpi slt, %i, %n : index";
  // Two threads per element.
  expectOpen("%h = arith.divsi %i, %c2 : index\n" + copy(guard, "%h"), "meet");
  // Each block the same elements.
  expectOpen("%s = arith.minsi %n, %d : index\n" +
                 copy("arith.cmpi slt, %t, %s : index", "%t"),
             "meet");
  Launch single;
  single.grid = "\"1\", \"1\", \"1\"";
  expectProved("%s = arith.minsi %n, %d : index\n" +
                   copy("arith.cmpi slt, %t, %s : index", "%t"),
               single);
  // What a neighbour writes.
  expectOpen(R"mlir(
    %k = arith.addi %i, %c1 : index
    %g = arith.cmpi slt, %k, %n : index
    scf.if %g {
      %v = memref.load %y[%k] : memref<?xf32>
      memref.store %v, %y[%i] : memref<?xf32>
    })mlir",
             "meet");
  // Only atomics may.
  std::string sum = R"mlir(
    %g = arith.cmpi slt, %i, %n : index
    scf.if %g {
      %v = memref.load %x[%i] : memref<?xf32>
      %o = memref.atomic_rmw addf %v, %y[%c0] : (f32, memref<?xf32>) -> f32
    })mlir";
  expectProved(sum);
  expectOpen(sum + R"mlir(
    %z = memref.load %y[%c0] : memref<?xf32>
    memref.store %z, %y[%c0] : memref<?xf32>)mlir",
             "meet");
  // One buffer by two names.
  Launch twice;
  twice.args = "\"y\", \"y\", \"N\"";
  expectOpen(copy(guard), "'y' is passed twice", twice);
}

TEST_F(IndexProofTest, WhatIsNotUnderstood) {
  // Loaded indices may be anything.
  Launch gather;
  gather.contract = "#evo.arg<\"x\" in i32 [\"N\"]>, #evo.arg<\"y\" inout f32 "
                    "[\"N\"]>";
  gather.types = "%x: memref<?xi32>, %y: memref<?xf32>, %n: index";
  expectOpen(R"mlir(
    %g = arith.cmpi slt, %i, %n : index
    scf.if %g {
      %k = memref.load %x[%i] : memref<?xi32>
      %a = arith.index_cast %k : i32 to index
      %v = memref.load %y[%a] : memref<?xf32>
    })mlir",
             "in bounds", gather);
  // What a loop carries is any number.
  expectOpen(R"mlir(
    %r = scf.for %j = %c0 to %n step %c1 iter_args(%a = %c0) -> (index) {
      %u = arith.addi %a, %c2 : index
      %v = memref.load %x[%a] : memref<?xf32>
      scf.yield %u : index
    })mlir",
             "in bounds");
  expectOpen("%v = memref.subview %y[0] [1] [1] : memref<?xf32> to "
             "memref<1xf32, strided<[1]>>",
             "not understood, by 'memref.subview'");
  // Memory that is not simply loaded or stored.
  Launch strided;
  strided.types = "%x: memref<?xf32, strided<[2]>>, %y: memref<?xf32>, %n: "
                  "index";
  expectOpen("%v = memref.load %x[%c0] : memref<?xf32, strided<[2]>>",
             "memory that is laid out in another way is accessed by "
             "'memref.load'",
             strided);
  Launch square = matrix("index");
  for (const char *op : {"%v = vector.load %x[%c0, %c0] : memref<?x?xf32>, "
                         "vector<2x2xf32>",
                         "%z = arith.constant dense<0.0> : vector<2x2xf32>\n"
                         "vector.store %z, %y[%c0, %c0] : memref<?x?xf32>, "
                         "vector<2x2xf32>"})
    expectOpen(op, "a vector of several dimensions is moved by 'vector.",
               square);
  expectOpen("%v = memref.alloca(%n) : memref<?xf32>",
             "memory of no fixed size is made by 'memref.alloca'");
  Launch calls;
  calls.functions = "func.func private @helper() { func.return }";
  expectOpen("func.call @helper() : () -> ()",
             "memory may be accessed by 'func.call'", calls);
  // Assembly may have an address as a number, whatever its constraints say.
  auto assembly = [](const std::string &text) {
    return "%word = arith.index_cast %i : index to i64\n"
           "%read = llvm.inline_asm \"" +
           text + "\", \"=r,l\" %word : (i64) -> i32\n" +
           copy("arith.cmpi slt, %i, %n : index");
  };
  expectProved(assembly("cvt.u32.u64 $0, $1;"));
  expectProved(assembly("{ .reg .b32 t; cvt.u32.u64 t, $1; popc.b32 $0, t; }"));
  for (const char *text :
       {"ld.global.b32 $0, [$1];", "atom.global.add.u32 $0, [$1], 1;",
        "cvt.u32.u64 $0, $1; st.global.b32 [$1], $0;", "nonsense.b32 $0, $1;"})
    expectOpen(assembly(text), "not understood, by 'llvm.inline_asm'");
  expectOpen("cf.br ^next\n^next:", "several blocks make up 'gpu.func'");
  // A loop that may not end, and launches that no formula tells.
  expectOpen("scf.for %j = %c0 to %n step %c0 {\n}",
             "a step that is not known to be positive, or a bound that may "
             "overflow, is in 'scf.for'");
  Launch unknown;
  unknown.grid = "\"ceildiv(N, N - 1)\", \"1\", \"1\"";
  expectOpen(copy("arith.cmpi slt, %i, %n : index"),
             "an extent of the launch is not understood", unknown);
  // Rows of a type that are not those of the buffer.
  Launch other = matrix("index");
  other.types = "%x: memref<?x64xf32>, %y: memref<?x64xf32>, %m: index, %n: "
                "index";
  std::string first = R"mlir(
    %g = arith.cmpi slt, %i, %m : index
    scf.if %g {
      %v = memref.load %x[%i, %c0] : memref<?x64xf32>
    })mlir";
  expectOpen(first, "in bounds", other);
  other.requirements = "requires [\"N == 64\"]";
  expectProved(first, other);
}

} // namespace
