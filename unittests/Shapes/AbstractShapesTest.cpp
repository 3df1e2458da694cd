// The check behind shape abstraction: with the sizes put back, the function is
// the one that it was. What is not is seen.
#include "evo/Shapes/AbstractShapes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace evo;
using namespace mlir;

namespace {
class AbstractShapes : public ::testing::Test {
protected:
  AbstractShapes() {
    context.loadDialect<func::FuncDialect, linalg::LinalgDialect,
                        tensor::TensorDialect, arith::ArithDialect>();
  }

  /// A mean along rows of `columns` elements, of which the code says `count`.
  func::FuncOp parse(int64_t columns, StringRef count) {
    std::string type = "tensor<96x" + std::to_string(columns) + "xf32>";
    modules.push_back(
        parseSourceString<ModuleOp>("func.func @f(%x: " + type +
                                        R"mlir(, %y: tensor<96xf32>)
            -> tensor<96xf32> {
          %zero = arith.constant 0.0 : f32
          %n = arith.constant )mlir" + count.str() +
                                        R"mlir( : f32
          %init = linalg.fill ins(%zero : f32) outs(%y : tensor<96xf32>)
              -> tensor<96xf32>
          %sum = linalg.generic {
              indexing_maps = [affine_map<(i, j) -> (i, j)>,
                               affine_map<(i, j) -> (i)>],
              iterator_types = ["parallel", "reduction"]}
              ins(%x : )mlir" + type + R"mlir() outs(%init : tensor<96xf32>) {
          ^bb0(%in: f32, %out: f32):
            %s = arith.addf %in, %out : f32
            linalg.yield %s : f32
          } -> tensor<96xf32>
          %mean = linalg.generic {
              indexing_maps = [affine_map<(i) -> (i)>],
              iterator_types = ["parallel"]} outs(%sum : tensor<96xf32>) {
          ^bb0(%out: f32):
            %q = arith.divf %out, %n : f32
            linalg.yield %q : f32
          } -> tensor<96xf32>
          return %mean : tensor<96xf32>
        })mlir",
                                    &context));
    return *modules.back()->getOps<func::FuncOp>().begin();
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  std::vector<OwningOpRef<ModuleOp>> modules;
};

TEST_F(AbstractShapes, SizesPutBackGiveTheFunctionThatItWas) {
  func::FuncOp original = parse(4096, "4096.0"), opened = parse(4096, "4096.0");
  std::string why;
  FailureOr<ShapeNames> names = abstractShapes(opened, {1}, {}, why);
  ASSERT_TRUE(succeeded(names)) << why;
  using Names = std::vector<std::vector<std::string>>;
  EXPECT_EQ(names->extents, (Names{{"M", "N"}, {"M"}}));
  EXPECT_FALSE(areSameFunctions(original, opened));
  ASSERT_TRUE(succeeded(bindShapes(opened, original.getArgumentTypes())));
  EXPECT_TRUE(areSameFunctions(original, opened));
}

TEST_F(AbstractShapes, OtherSizesGiveAnotherFunction) {
  func::FuncOp opened = parse(4096, "4096.0"), other = parse(512, "512.0");
  std::string why;
  ASSERT_TRUE(succeeded(abstractShapes(opened, {1}, {}, why))) << why;
  // The divisor follows the extent, ...
  ASSERT_TRUE(succeeded(bindShapes(opened, other.getArgumentTypes())));
  EXPECT_TRUE(areSameFunctions(other, opened));
  EXPECT_FALSE(areSameFunctions(parse(512, "4096.0"), opened));
}

TEST_F(AbstractShapes, ANumberOfItsOwnStays) {
  // ... where it is the extent's.
  func::FuncOp opened = parse(4096, "4095.5"), other = parse(512, "4095.5");
  std::string why;
  ASSERT_TRUE(succeeded(abstractShapes(opened, {1}, {}, why))) << why;
  ASSERT_TRUE(succeeded(bindShapes(opened, other.getArgumentTypes())));
  EXPECT_TRUE(areSameFunctions(other, opened));
}

TEST_F(AbstractShapes, AChangeOfTheCodeIsSeen) {
  func::FuncOp original = parse(4096, "4096.0"), opened = parse(4096, "4096.0");
  std::string why;
  ASSERT_TRUE(succeeded(abstractShapes(opened, {1}, {}, why))) << why;
  opened.walk([](arith::AddFOp add) {
    OpBuilder b(add);
    add.replaceAllUsesWith(
        arith::MulFOp::create(b, add.getLoc(), add.getLhs(), add.getRhs())
            .getResult());
    add.erase();
  });
  ASSERT_TRUE(succeeded(bindShapes(opened, original.getArgumentTypes())));
  EXPECT_FALSE(areSameFunctions(original, opened));
}

TEST_F(AbstractShapes, AnotherContractsNamesAreTaken) {
  func::FuncOp opened = parse(4096, "4096.0");
  std::string why;
  SmallVector<SmallVector<StringRef>> like = {{"96", "K"}, {"96"}};
  FailureOr<ShapeNames> names = abstractShapes(opened, {1}, like, why);
  ASSERT_TRUE(succeeded(names)) << why;
  EXPECT_EQ(names->extents.front().front(), "96");
  ASSERT_EQ(names->sizes.size(), 1u);
  EXPECT_EQ(names->sizes.front().second, 4096);
  ASSERT_FALSE(names->fixed.empty());
  EXPECT_EQ(names->fixed.front(), std::string("argument 0, axis 0, is 96: ") +
                                      "the contract has it as a number");
}
} // namespace
