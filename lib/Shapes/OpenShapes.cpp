// Opens the shapes of values, all at once: axes of one class agree wherever
// they meet, so no casts are needed.
#include "OpenShapes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace evo;

void evo::separateUses(func::FuncOp function) {
  // From users to what they use, so that a fill's copies have their own.
  SmallVector<Operation *> shared;
  function.walk([&](Operation *op) {
    if (isa<tensor::EmptyOp>(op) ||
        (isa<linalg::FillOp>(op) && op->getNumResults() == 1 &&
         op->getOperand(1).getDefiningOp<tensor::EmptyOp>()))
      shared.push_back(op);
  });
  for (Operation *op : llvm::reverse(shared))
    while (!op->use_empty() && !op->hasOneUse()) {
      OpBuilder b(op);
      op->use_begin()->set(b.clone(*op)->getResult(0));
    }
}

void evo::fillConstants(func::FuncOp function) {
  function.walk([](arith::ConstantOp constant) {
    auto splat = dyn_cast<SplatElementsAttr>(constant.getValue());
    auto type = dyn_cast<RankedTensorType>(constant.getType());
    if (!splat || !type)
      return;
    OpBuilder b(constant);
    Value number =
        arith::ConstantOp::create(b, constant.getLoc(), type.getElementType(),
                                  splat.getSplatValue<TypedAttr>());
    Value empty = tensor::EmptyOp::create(b, constant.getLoc(), type.getShape(),
                                          type.getElementType());
    auto fill = linalg::FillOp::create(b, constant.getLoc(), number, empty);
    constant.replaceAllUsesWith(fill.getResult(0));
    constant.erase();
  });
}

/// The sizes that `op` spells; none where it has none.
static SmallVector<OpFoldResult>
getSpelled(Operation *op, const ShapeRules &rules, SizeValues &sizes) {
  SmallVector<OpFoldResult> result;
  auto add = [&](Value tensor, const llvm::SmallBitVector &dropped) {
    unsigned next = 0;
    for (unsigned i = 0; i < dropped.size(); ++i)
      if (dropped[i])
        result.push_back(sizes.getBuilder().getIndexAttr(1));
      else
        result.push_back(sizes.get(rules.getExtent(tensor, next++)));
  };
  auto addAll = [&](Value tensor) {
    add(tensor, llvm::SmallBitVector(
                    cast<RankedTensorType>(tensor.getType()).getRank()));
  };
  if (isa<tensor::EmptyOp, tensor::ExpandShapeOp>(op))
    addAll(op->getResult(0));
  else if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    add(slice.getResult(), slice.getDroppedDims());
  else if (auto slice = dyn_cast<tensor::InsertSliceOp>(op))
    add(slice.getSource(), slice.getDroppedDims());
  return result;
}

/// Builds `op` with other sizes; its operands and results have their new types.
static void respell(Operation *op, ArrayRef<OpFoldResult> sizes) {
  OpBuilder b(op);
  Location loc = op->getLoc();
  Value made;
  if (auto empty = dyn_cast<tensor::EmptyOp>(op)) {
    made = tensor::EmptyOp::create(b, loc, sizes,
                                   empty.getType().getElementType());
  } else if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    made =
        tensor::ExpandShapeOp::create(b, loc, expand.getType(), expand.getSrc(),
                                      expand.getReassociationIndices(), sizes);
  } else if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    made = tensor::ExtractSliceOp::create(
        b, loc, slice.getType(), slice.getSource(), slice.getMixedOffsets(),
        sizes, slice.getMixedStrides());
  } else {
    auto insert = cast<tensor::InsertSliceOp>(op);
    made = tensor::InsertSliceOp::create(
        b, loc, insert.getSource(), insert.getDest(), insert.getMixedOffsets(),
        sizes, insert.getMixedStrides());
  }
  op->getResult(0).replaceAllUsesWith(made);
  op->erase();
}

void evo::openShapes(func::FuncOp function, const ShapeRules &rules,
                     SizeValues &sizes) {
  SmallVector<std::pair<Operation *, SmallVector<OpFoldResult>>> spelled;
  SmallVector<std::pair<Value, Type>> types;
  auto note = [&](Value value) {
    if (rules.hasAxes(value) && rules.getType(value) != value.getType())
      types.emplace_back(value, rules.getType(value));
  };
  for (BlockArgument argument : function.getArguments())
    note(argument);
  function.walk([&](Operation *op) {
    for (Region &region : op->getRegions())
      if (op != function.getOperation())
        for (Block &block : region)
          llvm::for_each(block.getArguments(), note);
    llvm::for_each(op->getResults(), note);
    SmallVector<OpFoldResult> its = getSpelled(op, rules, sizes);
    if (!its.empty())
      spelled.emplace_back(op, its);
  });
  for (auto [value, type] : types)
    value.setType(type);
  for (auto &[op, its] : spelled)
    respell(op, its);
  Operation *end = function.getBody().front().getTerminator();
  function.setFunctionType(FunctionType::get(
      function.getContext(), function.getBody().getArgumentTypes(),
      end->getOperandTypes()));
}
