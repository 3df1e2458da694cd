// Elements of a reference by themselves are those of the whole, bit by bit, for
// each kind of operation; and where they are others, that is seen.
#include "Verification/OnDemand/ElementReference.h"
#include "Registered.h"
#include "Verification/OnDemand/WriterModel.h"
#include "Verification/Reference.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace evo;

namespace {
class ElementReferenceTest : public test::RegisteredTest {
protected:
  static void SetUpTestSuite() { registerPasses(); }

  KernelOp parse(StringRef args, StringRef function) {
    std::string text = "evo.kernel @k args [" + args.str() +
                       "] {\n evo.reference {\n" + function.str() + "}\n}";
    modules.push_back(parseSourceString<ModuleOp>(text, &context));
    EXPECT_TRUE(modules.back()) << text;
    return *modules.back()->getOps<KernelOp>().begin();
  }

  /// What `compare` says of elements of `one` and the whole of `other`.
  std::optional<std::string> compare(KernelOp one, KernelOp other,
                                     const Bindings &sizes) {
    std::optional<std::string> cannotRun;
    FailureOr<ExecutablePlan> whole =
        prepareReference(other, parseTarget(other.getContext(), "sm_90"),
                         builder, llvmContext, cannotRun);
    if (failed(whole))
      return "the whole cannot be run: " + cannotRun.value_or("an error");
    llvm::Expected<ElementReference> elements = ElementReference::create(
        one, parseTarget(one.getContext(), "sm_90"), builder, llvmContext);
    if (!elements)
      return llvm::toString(elements.takeError());
    return elements->findMismatch(other, *whole, sizes, /*max=*/1000,
                                  /*seed=*/1);
  }
  /// Elements by themselves are those of the whole; which outputs have sums
  /// that the lanes of a warp share, "1" or "0" for each.
  void expectEqual(StringRef args, StringRef function, const Bindings &sizes,
                   StringRef shared) {
    KernelOp kernel = parse(args, function);
    std::optional<std::string> mismatch = compare(kernel, kernel, sizes);
    EXPECT_FALSE(mismatch) << *mismatch;
    std::string obstacle, found;
    FailureOr<LoweredElements> lowered =
        lowerElementReference(kernel, obstacle);
    ASSERT_TRUE(succeeded(lowered)) << obstacle;
    for (std::optional<unsigned> launch : lowered->byWarp)
      found += launch ? '1' : '0';
    EXPECT_EQ(found, shared);
  }

  llvm::LLVMContext llvmContext;
  DeviceBuilder builder;
  std::vector<OwningOpRef<ModuleOp>> modules;
};

const char *matrices = R"(#evo.arg<"a" in f32 ["M", "K"]>,
  #evo.arg<"b" in f32 ["K", "N"]>, #evo.arg<"c" out f32 ["M", "N"]>)";
const char *rows = R"(#evo.arg<"x" in f32 ["M", "N"]>,
  #evo.arg<"y" out f32 ["M", "N"]>)";

TEST_F(ElementReferenceTest, Product) {
  expectEqual(matrices, R"mlir(
    func.func @k(%A: tensor<?x?xf32>, %B: tensor<?x?xf32>, %C: tensor<?x?xf32>)
        -> tensor<?x?xf32> {
      %zero = arith.constant 0.0 : f32
      %init = linalg.fill ins(%zero : f32) outs(%C : tensor<?x?xf32>) -> tensor<?x?xf32>
      %r = linalg.matmul ins(%A, %B : tensor<?x?xf32>, tensor<?x?xf32>)
          outs(%init : tensor<?x?xf32>) -> tensor<?x?xf32>
      return %r : tensor<?x?xf32>
    })mlir",
              {{"M", 7}, {"N", 5}, {"K", 33}}, "1");
}

TEST_F(ElementReferenceTest, SumsOfRowsAreShared) {
  expectEqual(rows, R"mlir(
    func.func @k(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
      %r = linalg.softmax dimension(1)
          ins(%x : tensor<?x?xf32>) outs(%y : tensor<?x?xf32>) -> tensor<?x?xf32>
      return %r : tensor<?x?xf32>
    })mlir",
              {{"M", 5}, {"N", 67}}, "1");
}

/// Sums of doubles and of integers, a product, and a maximum within a sum, over
/// several dimensions, fewer elements than lanes among them.
TEST_F(ElementReferenceTest, LanesShareSums) {
  const std::pair<const char *, const char *> cases[] = {
      {"f64", "arith.addf"}, {"f32", "arith.mulf"}, {"f32", "arith.maximumf"},
      {"i32", "arith.addi"}, {"i64", "arith.xori"}, {"f64", "arith.minnumf"},
  };
  for (auto [type, op] : cases)
    for (const Bindings &sizes : {Bindings{{"M", 3}, {"N", 5}, {"K", 70}},
                                  Bindings{{"M", 2}, {"N", 90}, {"K", 3}},
                                  Bindings{{"M", 2}, {"N", 1}, {"K", 1}}}) {
      std::string text = R"mlir(
    func.func @k(%x: tensor<?x?x?xTYPE>, %y: tensor<?xTYPE>) -> tensor<?xTYPE> {
      %r = linalg.generic {
          indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i)>],
          iterator_types = ["parallel", "reduction", "reduction"]}
          ins(%x : tensor<?x?x?xTYPE>) outs(%y : tensor<?xTYPE>) {
      ^bb0(%v: TYPE, %s: TYPE):
        %n = OP %s, %v : TYPE
        linalg.yield %n : TYPE
      } -> tensor<?xTYPE>
      return %r : tensor<?xTYPE>
    })mlir";
      auto replace = [&](StringRef what, StringRef with) {
        for (size_t at; (at = text.find(what.str())) != std::string::npos;)
          text.replace(at, what.size(), with.str());
      };
      replace("TYPE", type);
      replace("OP", op);
      expectEqual("#evo.arg<\"x\" in " + std::string(type) +
                      " [\"M\", \"N\", \"K\"]>, #evo.arg<\"y\" inout " + type +
                      " [\"M\"]>",
                  text, sizes, "1");
    }
}

/// What is not made of terms by one operation is computed in order:
/// differences, and sums that are rounded on the way.
TEST_F(ElementReferenceTest, OtherLoopsAreNotShared) {
  for (StringRef step :
       {"%n = arith.subf %v, %s : f32", "%m = arith.addf %s, %v : f32\n"
                                        "%n = math.floor %m : f32"}) {
    std::string text = R"mlir(
    func.func @k(%x: tensor<?x?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
      %r = linalg.generic {
          indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
          iterator_types = ["parallel", "reduction"]}
          ins(%x : tensor<?x?xf32>) outs(%y : tensor<?xf32>) {
      ^bb0(%v: f32, %s: f32):
        STEP
        linalg.yield %n : f32
      } -> tensor<?xf32>
      return %r : tensor<?xf32>
    })mlir";
    text.replace(text.find("STEP"), 4, step.str());
    expectEqual(R"(#evo.arg<"x" in f32 ["M", "N"]>,
                   #evo.arg<"y" inout f32 ["M"]>)",
                text, {{"M", 5}, {"N", 67}}, "0");
  }
}

/// Two outputs of one operation: the maximum and where it is.
TEST_F(ElementReferenceTest, SeveralResults) {
  expectEqual(R"(#evo.arg<"x" in f32 ["M", "N"]>, #evo.arg<"m" out f32 ["M"]>,
                 #evo.arg<"at" out i64 ["M"]>)",
              R"mlir(
    func.func @k(%x: tensor<?x?xf32>, %m: tensor<?xf32>, %at: tensor<?xi64>)
        -> (tensor<?xf32>, tensor<?xi64>) {
      %least = arith.constant 0xFF800000 : f32
      %first = arith.constant 0 : i64
      %0 = linalg.fill ins(%least : f32) outs(%m : tensor<?xf32>) -> tensor<?xf32>
      %1 = linalg.fill ins(%first : i64) outs(%at : tensor<?xi64>) -> tensor<?xi64>
      %r:2 = linalg.generic {
          indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>,
                           affine_map<(i, j) -> (i)>],
          iterator_types = ["parallel", "reduction"]}
          ins(%x : tensor<?x?xf32>) outs(%0, %1 : tensor<?xf32>, tensor<?xi64>) {
      ^bb0(%v: f32, %best: f32, %place: i64):
        %j = linalg.index 1 : index
        %here = arith.index_cast %j : index to i64
        %more = arith.cmpf ogt, %v, %best : f32
        %b = arith.select %more, %v, %best : f32
        %p = arith.select %more, %here, %place : i64
        linalg.yield %b, %p : f32, i64
      } -> (tensor<?xf32>, tensor<?xi64>)
      return %r#0, %r#1 : tensor<?xf32>, tensor<?xi64>
    })mlir",
              {{"M", 9}, {"N", 21}}, "00");
}

/// Sums of all elements so far, and of those before.
TEST_F(ElementReferenceTest, Scan) {
  expectEqual(
      R"(#evo.arg<"x" in f32 ["M", "N"]>, #evo.arg<"y" out f32 ["M", "N"]>,
                 #evo.arg<"last" out f32 ["M"]>)",
      R"mlir(
    func.func @k(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %last: tensor<?xf32>)
        -> (tensor<?x?xf32>, tensor<?xf32>) {
      %zero = arith.constant 0.0 : f32
      %0 = linalg.fill ins(%zero : f32) outs(%last : tensor<?xf32>) -> tensor<?xf32>
      %r:2 = linalg.generic {
          indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>,
                           affine_map<(i, j) -> (i)>],
          iterator_types = ["parallel", "reduction"]}
          ins(%x : tensor<?x?xf32>) outs(%y, %0 : tensor<?x?xf32>, tensor<?xf32>) {
      ^bb0(%v: f32, %old: f32, %before: f32):
        %with = arith.addf %before, %v : f32
        linalg.yield %with, %with : f32, f32
      } -> (tensor<?x?xf32>, tensor<?xf32>)
      return %r#0, %r#1 : tensor<?x?xf32>, tensor<?xf32>
    })mlir",
      {{"M", 4}, {"N", 23}}, "00");
}

/// A convolution of a padded image; its twin pads one column less to the left.
const char *convolution = R"mlir(
  func.func @k(%x: tensor<?x?x?x?xf32>, %w: tensor<?x?x3x3xf32>,
               %y: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
    %zero = arith.constant 0.0 : f32
    %p = tensor.pad %x low[0, 0, 1, LEFT] high[0, 0, 1, RIGHT] {
    ^bb0(%a: index, %b: index, %c: index, %d: index):
      tensor.yield %zero : f32
    } : tensor<?x?x?x?xf32> to tensor<?x?x?x?xf32>
    %i = linalg.fill ins(%zero : f32) outs(%y : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
    %r = linalg.conv_2d_nchw_fchw ins(%p, %w : tensor<?x?x?x?xf32>, tensor<?x?x3x3xf32>)
        outs(%i : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
    return %r : tensor<?x?x?x?xf32>
  })mlir";
const char *images = R"(#evo.arg<"x" in f32 ["B", "C", "H", "W"]>,
  #evo.arg<"w" in f32 ["F", "C", "3", "3"]>,
  #evo.arg<"y" out f32 ["B", "F", "H", "W"]>)";

std::string pad(StringRef left, StringRef right) {
  std::string text = convolution;
  text.replace(text.find("LEFT"), 4, left.str());
  text.replace(text.find("RIGHT"), 5, right.str());
  return text;
}

TEST_F(ElementReferenceTest, PaddedConvolution) {
  Bindings sizes = {{"B", 2}, {"C", 3}, {"H", 6}, {"W", 5}, {"F", 4}};
  expectEqual(images, pad("1", "1"), sizes, "1");
}

TEST_F(ElementReferenceTest, AWrongOffsetIsSeen) {
  Bindings sizes = {{"B", 2}, {"C", 3}, {"H", 6}, {"W", 5}, {"F", 4}};
  std::optional<std::string> mismatch = compare(
      parse(images, pad("0", "2")), parse(images, pad("1", "1")), sizes);
  ASSERT_TRUE(mismatch);
  EXPECT_NE(mismatch->find("is another by itself than in the whole"),
            std::string::npos)
      << *mismatch;
}

/// Slices, reshapes, concatenation and elementwise operations on tensors.
TEST_F(ElementReferenceTest, MovedElements) {
  expectEqual(
      R"(#evo.arg<"x" in f32 ["M", "6"]>, #evo.arg<"y" out f32 ["M", "10"]>)",
      R"mlir(
    func.func @k(%x: tensor<?x6xf32>, %y: tensor<?x10xf32>) -> tensor<?x10xf32> {
      %c0 = arith.constant 0 : index
      %m = tensor.dim %x, %c0 : tensor<?x6xf32>
      %e = tensor.expand_shape %x [[0], [1, 2]] output_shape [%m, 2, 3]
          : tensor<?x6xf32> into tensor<?x2x3xf32>
      %init = tensor.empty(%m) : tensor<?x3x2xf32>
      %t = linalg.transpose ins(%e : tensor<?x2x3xf32>) outs(%init : tensor<?x3x2xf32>)
          permutation = [0, 2, 1]
      %f = tensor.collapse_shape %t [[0], [1, 2]] : tensor<?x3x2xf32> into tensor<?x6xf32>
      %s = tensor.extract_slice %x[0, 1] [%m, 2] [1, 3] : tensor<?x6xf32> to tensor<?x2xf32>
      %d = arith.addf %s, %s : tensor<?x2xf32>
      %c = tensor.concat dim(1) %d, %f, %d
          : (tensor<?x2xf32>, tensor<?x6xf32>, tensor<?x2xf32>) -> tensor<?x10xf32>
      %weights = arith.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 0.5]>
          : tensor<10xf32>
      %r = linalg.generic {
          indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
                           affine_map<(i, j) -> (i, j)>],
          iterator_types = ["parallel", "parallel"]}
          ins(%c, %weights : tensor<?x10xf32>, tensor<10xf32>) outs(%y : tensor<?x10xf32>) {
      ^bb0(%v: f32, %w: f32, %old: f32):
        %p = arith.mulf %v, %w : f32
        linalg.yield %p : f32
      } -> tensor<?x10xf32>
      return %r : tensor<?x10xf32>
    })mlir",
      {{"M", 11}}, "0");
}

/// Rows that an index names, as of an embedding.
TEST_F(ElementReferenceTest, Gather) {
  expectEqual(R"(#evo.arg<"table" in f32 ["V", "D"]>,
                 #evo.arg<"ids" in i32 ["T"] domain = <range, "0" to "V">>,
                 #evo.arg<"y" out f32 ["T", "D"]>)",
              R"mlir(
    func.func @k(%table: tensor<?x?xf32>, %ids: tensor<?xi32>, %y: tensor<?x?xf32>)
        -> tensor<?x?xf32> {
      %r = linalg.generic {
          indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
          iterator_types = ["parallel", "parallel"]}
          ins(%ids : tensor<?xi32>) outs(%y : tensor<?x?xf32>) {
      ^bb0(%id: i32, %old: f32):
        %j = linalg.index 1 : index
        %at = arith.index_cast %id : i32 to index
        %v = tensor.extract %table[%at, %j] : tensor<?x?xf32>
        linalg.yield %v : f32
      } -> tensor<?x?xf32>
      return %r : tensor<?x?xf32>
    })mlir",
              {{"V", 13}, {"D", 4}, {"T", 19}}, "0");
}

TEST_F(ElementReferenceTest, ALoopOverTensorsHasNoForm) {
  KernelOp kernel = parse(rows, R"mlir(
    func.func @k(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %m = tensor.dim %x, %c0 : tensor<?x?xf32>
      %r = scf.for %i = %c0 to %m step %c1 iter_args(%t = %y) -> (tensor<?x?xf32>) {
        %v = tensor.extract %x[%i, %c0] : tensor<?x?xf32>
        %n = tensor.insert %v into %t[%i, %c0] : tensor<?x?xf32>
        scf.yield %n : tensor<?x?xf32>
      }
      return %r : tensor<?x?xf32>
    })mlir");
  std::string obstacle;
  EXPECT_TRUE(failed(lowerElementReference(kernel, obstacle)));
  EXPECT_EQ(obstacle, "'scf.for' is not evaluated element by element");
}

/// Units that were run, for a model that asks.
struct Written {
  std::map<uint64_t, WriterModel::Elements> units;
  unsigned asked = 0;
  const WriterModel::Elements *operator()(uint64_t unit) {
    ++asked;
    auto known = units.find(unit);
    return known == units.end() ? nullptr : &known->second;
  }
};

/// Tiles of 2 x 4 elements in rows of 12, three tiles in a row.
TEST(WriterModelTest, Tiles) {
  WriterModel model(/*parts=*/1, {3, 2, 1}, {0, 1, 2, 3, 12, 13, 14, 15});
  Written written{{{1, {4, 5, 6, 7, 16, 17, 18, 19}},
                   {3, {24, 25, 26, 27, 36, 37, 38, 39}}}};
  ASSERT_TRUE(model.learnSteps(written));
  EXPECT_EQ(written.asked, 2u);
  EXPECT_EQ(model.predict(24 + 12 + 9, 4), (SmallVector<uint64_t>{5}));
  EXPECT_EQ(model.predict(12 + 6, 4), (SmallVector<uint64_t>{1}));
  EXPECT_TRUE(model.explains(4, {28, 29, 40}));
  EXPECT_FALSE(model.explains(4, {28, 29, 48}));
  EXPECT_EQ(model.findMissing(4, {28, 29, 40}, 60), 30u);
  EXPECT_EQ(model.findMissing(4, {28, 29, 30, 31, 40}, 60), 41u);
  EXPECT_EQ(model.findMissing(4, {28, 29, 30, 31, 40}, 41), std::nullopt);
}

/// Rows of 8 elements of which blocks write 6: the others have no writer.
TEST(WriterModelTest, WhatNoBlockWrites) {
  WriterModel model(/*parts=*/1, {5, 1, 1}, {0, 1, 2, 3, 4, 5});
  ASSERT_TRUE(model.learnSteps(Written{{{1, {8, 9, 10, 11, 12, 13}}}}));
  EXPECT_EQ(model.predict(8 * 4 + 5, 4), (SmallVector<uint64_t>{4}));
  EXPECT_TRUE(model.predict(8 * 4 + 6, 4).empty());
  EXPECT_TRUE(model.predict(8 * 5, 4).empty());
}

/// Warps are units of their own, four in each block.
TEST(WriterModelTest, Warps) {
  WriterModel model(/*parts=*/4, {10, 1, 1}, {0, 1});
  ASSERT_TRUE(model.learnSteps(Written{{{1, {2, 3}}, {4, {8, 9}}}}));
  EXPECT_EQ(model.predict(8 * 7 + 5, 4), (SmallVector<uint64_t>{30}));
}

/// The inside of planes of 7 x 9 elements, of which a unit writes one, row by
/// row: the number of a unit has three digits.
TEST(WriterModelTest, Digits) {
  constexpr uint64_t planes = 6, rows = 5, columns = 7;
  auto place = [](uint64_t unit) {
    return unit / (rows * columns) * 63 + (unit / columns % rows + 1) * 9 +
           unit % columns + 1;
  };
  WriterModel::Elements last;
  unsigned asked = 0;
  auto ask = [&](uint64_t unit) {
    ++asked;
    last.clear();
    if (unit < planes * rows * columns)
      last.push_back(place(unit));
    return &last;
  };
  // Threads beyond the last element write nothing.
  WriterModel model(/*parts=*/32, {7, 1, 1}, {place(0)});
  ASSERT_TRUE(model.learnDigits(ask));
  EXPECT_LT(asked, 40u);
  for (uint64_t unit = 0; unit < planes * rows * columns; ++unit) {
    EXPECT_EQ(model.predict(place(unit), 4), (SmallVector<uint64_t>{unit}));
    EXPECT_TRUE(model.explains(unit, {place(unit)}));
  }
  EXPECT_TRUE(model.predict(0, 4).empty());      // at the edge
  EXPECT_TRUE(model.predict(9 + 8, 4).empty());  // of a row
  EXPECT_TRUE(model.predict(63 + 9, 4).empty()); // of another plane
  EXPECT_FALSE(model.explains(8, {place(9)}));
}

/// The first unit writes the end of 22 elements, and less than the others; the
/// last one less, too, so that it may be named where it does not write.
TEST(WriterModelTest, Backwards) {
  auto write = [](uint64_t unit) {
    WriterModel::Elements elements;
    for (int64_t at = 18 - 8 * int64_t(unit); at < 26 - 8 * int64_t(unit); ++at)
      if (at >= 0 && at < 22)
        elements.push_back(at);
    return elements;
  };
  WriterModel model(/*parts=*/1, {4, 1, 1}, write(0));
  Written written{{{1, write(1)}, {2, write(2)}, {3, write(3)}}};
  ASSERT_TRUE(model.learnDigits(written));
  for (uint64_t unit = 0; unit < 4; ++unit) {
    EXPECT_TRUE(model.explains(unit, write(unit)));
    for (uint64_t element : write(unit))
      EXPECT_TRUE(is_contained(model.predict(element, 2), unit)) << element;
  }
  EXPECT_EQ(model.predict(12, 4), (SmallVector<uint64_t>{1}));
  EXPECT_FALSE(model.explains(1, write(2)));
  EXPECT_TRUE(model.predict(26, 4).empty());
}

/// Each unit writes three elements, two of them also the next unit's.
TEST(WriterModelTest, Overlap) {
  WriterModel model(/*parts=*/1, {9, 1, 1}, {0, 1, 2});
  ASSERT_TRUE(model.learnSteps(Written{{{1, {1, 2, 3}}}}));
  EXPECT_EQ(model.predict(5, 4), (SmallVector<uint64_t>{5, 4, 3}));
  EXPECT_EQ(model.predict(0, 4), (SmallVector<uint64_t>{0}));
  EXPECT_EQ(model.predict(10, 4), (SmallVector<uint64_t>{8}));
}

/// Where a unit cannot say, nothing is learned.
TEST(WriterModelTest, NobodyToAsk) {
  WriterModel model(/*parts=*/1, {5, 1, 1}, {0});
  EXPECT_FALSE(model.learnSteps(Written{}));
  EXPECT_FALSE(model.learnDigits(Written{{{1, {1}}}}));
}
} // namespace
