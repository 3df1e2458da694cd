// The way back from open shapes: types follow forward from those of arguments,
// op by op, and arithmetic on sizes folds. It knows nothing of classes and
// names, so that it can tell whether they were right.
#include "evo/Shapes/AbstractShapes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace evo;

/// `op` is gone afterwards.
static WalkResult replace(Operation *op, Value by) {
  op->getResult(0).replaceAllUsesWith(by);
  op->erase();
  return WalkResult::skip();
}

/// Replaces `op` by what it folds to, where all its operands are numbers.
static bool foldNumbers(Operation *op) {
  if (!isa<arith::ArithDialect>(op->getDialect()) ||
      isa<arith::ConstantOp>(op) || op->getNumOperands() == 0 ||
      !llvm::all_of(op->getOperands(), [](Value operand) {
        return operand.getDefiningOp<arith::ConstantOp>();
      }))
    return false;
  OpBuilder b(op);
  SmallVector<Value> results;
  if (failed(b.tryFold(op, results)) || results.size() != 1)
    return false;
  (void)replace(op, results[0]);
  return true;
}

static SmallVector<OpFoldResult> toNumbers(ArrayRef<OpFoldResult> mixed) {
  SmallVector<OpFoldResult> result;
  for (OpFoldResult size : mixed)
    if (std::optional<int64_t> number = getConstantIntValue(size))
      result.push_back(
          IntegerAttr::get(IndexType::get(size.getContext()), *number));
    else
      result.push_back(size);
  return result;
}

static SmallVector<int64_t> toShape(ArrayRef<OpFoldResult> mixed) {
  SmallVector<int64_t> result;
  for (OpFoldResult size : mixed)
    result.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
  return result;
}

/// Gives `op` the types that follow from its operands.
static WalkResult bind(Operation *op) {
  OpBuilder b(op);
  Location loc = op->getLoc();
  auto setType = [](Value value, Type type) {
    value.setType(type);
    return WalkResult::advance();
  };
  if (foldNumbers(op))
    return WalkResult::skip();
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    auto type = dyn_cast<RankedTensorType>(dim.getSource().getType());
    std::optional<int64_t> index = dim.getConstantIndex();
    if (!type || !index || type.isDynamicDim(*index))
      return WalkResult::advance();
    return replace(
        op, arith::ConstantIndexOp::create(b, loc, type.getDimSize(*index)));
  }
  if (auto empty = dyn_cast<tensor::EmptyOp>(op))
    return replace(
        op, tensor::EmptyOp::create(b, loc, toNumbers(empty.getMixedSizes()),
                                    empty.getType().getElementType()));
  if (auto pad = dyn_cast<tensor::PadOp>(op)) {
    SmallVector<int64_t> low = toShape(pad.getMixedLowPad()),
                         high = toShape(pad.getMixedHighPad()), shape;
    for (auto [extent, before, after] :
         llvm::zip_equal(pad.getSourceType().getShape(), low, high))
      shape.push_back(ShapedType::isDynamic(extent) ||
                              ShapedType::isDynamic(before) ||
                              ShapedType::isDynamic(after)
                          ? ShapedType::kDynamic
                          : extent + before + after);
    return setType(pad.getResult(), pad.getResultType().clone(shape));
  }
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op)) {
    SmallVector<int64_t> shape;
    for (const ReassociationIndices &group :
         collapse.getReassociationIndices()) {
      int64_t product = 1;
      for (int64_t axis : group) {
        int64_t extent = collapse.getSrcType().getDimSize(axis);
        product =
            ShapedType::isDynamic(extent) || ShapedType::isDynamic(product)
                ? ShapedType::kDynamic
                : product * extent;
      }
      shape.push_back(product);
    }
    return setType(collapse.getResult(), collapse.getResultType().clone(shape));
  }
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    SmallVector<OpFoldResult> sizes = toNumbers(getMixedValues(
        expand.getStaticOutputShape(), expand.getOutputShape(), b));
    return replace(op, tensor::ExpandShapeOp::create(
                           b, loc, expand.getType().clone(toShape(sizes)),
                           expand.getSrc(), expand.getReassociationIndices(),
                           sizes));
  }
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    SmallVector<OpFoldResult> sizes = toNumbers(slice.getMixedSizes());
    SmallVector<int64_t> shape;
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    for (auto [i, extent] : llvm::enumerate(toShape(sizes)))
      if (!dropped[i])
        shape.push_back(extent);
    return replace(op,
                   tensor::ExtractSliceOp::create(
                       b, loc, slice.getType().clone(shape), slice.getSource(),
                       toNumbers(slice.getMixedOffsets()), sizes,
                       toNumbers(slice.getMixedStrides())));
  }
  if (auto slice = dyn_cast<tensor::InsertSliceOp>(op))
    return replace(op, tensor::InsertSliceOp::create(
                           b, loc, slice.getSource(), slice.getDest(),
                           toNumbers(slice.getMixedOffsets()),
                           toNumbers(slice.getMixedSizes()),
                           toNumbers(slice.getMixedStrides())));
  if (auto concat = dyn_cast<tensor::ConcatOp>(op)) {
    auto type = tensor::ConcatOp::inferResultType(
        concat.getDim(), concat.getInputs().getTypes());
    return setType(concat.getResult(), type);
  }
  if (auto dps = dyn_cast<DestinationStyleOpInterface>(op)) {
    for (auto [result, init] : llvm::zip(op->getResults(), dps.getDpsInits()))
      result.setType(init.getType());
    return WalkResult::advance();
  }
  if (isa<bufferization::MaterializeInDestinationOp>(op)) {
    if (op->getNumResults() == 1)
      op->getResult(0).setType(op->getOperand(1).getType());
    return WalkResult::advance();
  }
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    for (auto [init, argument, result] : llvm::zip_equal(
             loop.getInitArgs(), loop.getRegionIterArgs(), loop.getResults())) {
      argument.setType(init.getType());
      result.setType(init.getType());
    }
  }
  return WalkResult::advance();
}

LogicalResult evo::bindShapes(func::FuncOp function, TypeRange arguments) {
  for (auto [argument, type] :
       llvm::zip_equal(function.getArguments(), arguments))
    argument.setType(type);
  // Before its regions, since a loop's arguments are in them.
  function.walk<WalkOrder::PreOrder>([](Operation *op) {
    return isa<func::FuncOp>(op) ? WalkResult::advance() : bind(op);
  });
  // A branch's results follow from what it yields, which is inside.
  function.walk([](scf::IfOp branch) {
    for (auto [result, yielded] :
         llvm::zip(branch.getResults(),
                   branch.thenBlock()->getTerminator()->getOperands()))
      result.setType(yielded.getType());
  });
  function.setFunctionType(FunctionType::get(
      function.getContext(), arguments,
      function.getBody().front().getTerminator()->getOperandTypes()));
  return mlir::verify(function);
}

/// Constants stand before their user, one for each use, so that where they
/// stood and in which order does not count.
static void placeConstants(func::FuncOp function) {
  SmallVector<Operation *> constants;
  function.walk([&](Operation *op) {
    if (op->hasTrait<OpTrait::ConstantLike>())
      constants.push_back(op);
  });
  for (Operation *constant : constants) {
    for (OpOperand &use :
         llvm::make_early_inc_range(constant->getResult(0).getUses())) {
      OpBuilder b(use.getOwner());
      use.set(b.clone(*constant)->getResult(0));
    }
    constant->erase();
  }
}

static OwningOpRef<ModuleOp> normalize(func::FuncOp function) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(function.getLoc());
  OpBuilder b = OpBuilder::atBlockEnd(module->getBody());
  auto copy = cast<func::FuncOp>(b.clone(*function));
  copy.setSymName("f");
  PassManager passes(function.getContext(), ModuleOp::getOperationName());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  passes.addPass(createCanonicalizerPass());
  if (failed(passes.run(*module)))
    return {};
  placeConstants(*module->getOps<func::FuncOp>().begin());
  return module;
}

bool evo::areSameFunctions(func::FuncOp a, func::FuncOp b) {
  OwningOpRef<ModuleOp> left = normalize(a), right = normalize(b);
  return left && right &&
         OperationEquivalence::isEquivalentTo(
             *left, *right, OperationEquivalence::IgnoreLocations);
}
