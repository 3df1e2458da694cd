// Which loops of a tensor-level reference lanes share, and what is left to one
// of them, or to one thread.
#include "Verification/OnDemand/LaneDistribution.h"
#include "../WideTarget.h"
#include "Registered.h"
#include "Verification/TensorReference.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Parser/Parser.h"
#include <set>

using namespace mlir;
using namespace evo;

namespace {
class LaneDistributionTest : public test::RegisteredTest {
protected:
  static void SetUpTestSuite() { registerPasses(); }
  TargetAttrInterface target = parseTarget(&context, "sm_90");

  /// How many threads the reference of x[M, N] and y is given, and how many
  /// barriers.
  std::pair<std::string, unsigned> lower(StringRef results,
                                         StringRef function) {
    const std::string text =
        "evo.kernel @k args [#evo.arg<\"x\" in f32 [\"M\", \"N\"]>, "
        "#evo.arg<\"y\" out f32 [" +
        results.str() + "]>] {\n evo.reference {\n" + function.str() + "}\n}";
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module) << text;
    if (!module)
      return {};
    FailureOr<OwningOpRef<ModuleOp>> lowered =
        lowerTensorReference(*module->getOps<KernelOp>().begin(), target);
    EXPECT_TRUE(succeeded(lowered));
    if (failed(lowered))
      return {};
    std::string threads;
    unsigned barriers = 0;
    (*lowered)->walk([&](LaunchOp launch) {
      threads = cast<ExprAttr>(launch.getBlock()[0]).getValue().str();
    });
    (*lowered)->walk([&](NVVM::BarrierOp) { ++barriers; });
    spaces.clear();
    (*lowered)->walk(
        [&](LLVM::GlobalOp slot) { spaces.insert(slot.getAddrSpace()); });
    return {threads, barriers};
  }
  /// Of the variables of the last one.
  std::set<unsigned> spaces;
};

TEST_F(LaneDistributionTest, ElementsAreShared) {
  auto [threads, barriers] = lower("\"M\", \"N\"", R"mlir(
    func.func @k(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
      %r = linalg.exp ins(%x : tensor<?x?xf32>) outs(%y : tensor<?x?xf32>)
          -> tensor<?x?xf32>
      return %r : tensor<?x?xf32>
    })mlir");
  EXPECT_EQ(threads, "32");
  EXPECT_EQ(barriers, 2u);
}

/// The lanes, and the memory that they share, are those of the target.
TEST_F(LaneDistributionTest, LanesAreThoseOfTheTarget) {
  const char *function = R"mlir(
    func.func @k(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
      %r = linalg.softmax dimension(1)
          ins(%x : tensor<?x?xf32>) outs(%y : tensor<?x?xf32>) -> tensor<?x?xf32>
      return %r : tensor<?x?xf32>
    })mlir";
  EXPECT_EQ(lower("\"M\", \"N\"", function).first, "32");
  EXPECT_EQ(spaces, std::set<unsigned>{3});
  target = test::makeWideTarget(context);
  EXPECT_EQ(lower("\"M\", \"N\"", function).first, "64");
  EXPECT_EQ(spaces, std::set<unsigned>{7});
}

/// Memory of the heap is allocated once, between two barriers more.
TEST_F(LaneDistributionTest, TemporariesAreOneForAll) {
  auto [threads, barriers] = lower("\"M\", \"N\"", R"mlir(
    func.func @k(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
      %r = linalg.softmax dimension(1)
          ins(%x : tensor<?x?xf32>) outs(%y : tensor<?x?xf32>) -> tensor<?x?xf32>
      return %r : tensor<?x?xf32>
    })mlir");
  EXPECT_EQ(threads, "32");
  EXPECT_GT(barriers, 8u);
}

/// A sum of everything is one chain.
TEST_F(LaneDistributionTest, OneSumIsOneThreads) {
  auto [threads, barriers] = lower("", R"mlir(
    func.func @k(%x: tensor<?x?xf32>, %y: tensor<f32>) -> tensor<f32> {
      %zero = arith.constant 0.0 : f32
      %init = linalg.fill ins(%zero : f32) outs(%y : tensor<f32>) -> tensor<f32>
      %r = linalg.reduce ins(%x : tensor<?x?xf32>) outs(%init : tensor<f32>)
          dimensions = [0, 1]
          (%in: f32, %out: f32) {
            %sum = arith.addf %in, %out : f32
            linalg.yield %sum : f32
          }
      return %r : tensor<f32>
    })mlir");
  EXPECT_EQ(threads, "1");
  EXPECT_EQ(barriers, 0u);
}

/// What cannot be shared stays as it is.
TEST_F(LaneDistributionTest, LoopsThatHandOnAreKept) {
  const char *text = R"mlir(
    func.func private @other(memref<?xf32>)
    func.func @hands(%x: memref<?xf32>, %n: index) -> f32 {
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %init = arith.constant 0.0 : f32
      %r = scf.parallel (%i) = (%zero) to (%n) step (%one) init (%init) -> f32 {
        %v = memref.load %x[%i] : memref<?xf32>
        scf.reduce(%v : f32) {
        ^bb0(%a: f32, %b: f32):
          %s = arith.addf %a, %b : f32
          scf.reduce.return %s : f32
        }
      }
      return %r : f32
    }
    func.func @calls(%x: memref<?xf32>, %n: index) {
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %value = arith.constant 1.0 : f32
      scf.parallel (%i) = (%zero) to (%n) step (%one) {
        memref.store %value, %x[%i] : memref<?xf32>
      }
      func.call @other(%x) : (memref<?xf32>) -> ()
      return
    }
    func.func @keeps(%x: memref<?xf32>, %n: index) {
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %value = arith.constant 1.0 : f32
      %own = memref.alloca() : memref<4xf32>
      scf.parallel (%i) = (%zero) to (%n) step (%one) {
        memref.store %value, %own[%zero] : memref<4xf32>
      }
      return
    }
    func.func @overwrites(%x: memref<?xf32>, %n: index) {
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %value = arith.constant 1.0 : f32
      scf.parallel (%i, %j) = (%zero, %zero) to (%n, %n) step (%one, %one) {
        memref.store %value, %x[%i] : memref<?xf32>
      }
      return
    }
    func.func @shares(%x: memref<?xf32>, %n: index) {
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %value = arith.constant 1.0 : f32
      memref.store %value, %x[%zero] : memref<?xf32>
      scf.parallel (%i) = (%zero) to (%n) step (%one) {
        memref.store %value, %x[%i] : memref<?xf32>
      }
      return
    })mlir";
  auto module = parseSourceString<ModuleOp>(text, &context);
  ASSERT_TRUE(module);
  for (StringRef name : {"hands", "calls", "keeps", "overwrites"})
    EXPECT_FALSE(
        distributeOverLanes(module->lookupSymbol<func::FuncOp>(name), target))
        << name.str();
  EXPECT_TRUE(distributeOverLanes(module->lookupSymbol<func::FuncOp>("shares"),
                                  target));
  // The store before the loop is lane 0's.
  unsigned guarded = 0;
  module->walk(
      [&](scf::IfOp only) { only.walk([&](memref::StoreOp) { ++guarded; }); });
  EXPECT_EQ(guarded, 1u);
}
} // namespace
