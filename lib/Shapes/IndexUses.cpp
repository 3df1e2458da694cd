// Follows indices from where they are used back to the arguments that they
// come from, as long as they are only moved.
#include "IndexUses.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace evo;
using linalg::LinalgOp;

/// Calls `found` with each argument of the function whose elements `value` is,
/// or holds.
static void findSources(Value value, llvm::DenseSet<Value> &seen,
                        llvm::function_ref<void(BlockArgument)> found) {
  if (!seen.insert(value).second)
    return;
  auto go = [&](Value next) { findSources(next, seen, found); };
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (auto linalgOp = dyn_cast<LinalgOp>(parent)) {
      OpOperand *operand = linalgOp.getMatchingOpOperand(argument);
      if (linalgOp.isDpsInput(operand))
        go(operand->get());
    } else if (isa<func::FuncOp>(parent)) {
      found(argument);
    }
    return;
  }
  Operation *op = value.getDefiningOp();
  if (auto linalgOp = dyn_cast<LinalgOp>(op))
    return go(linalgOp.getBlock()->getTerminator()->getOperand(
        cast<OpResult>(value).getResultNumber()));
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    go(select.getTrueValue());
    return go(select.getFalseValue());
  }
  if (isa<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp, arith::ExtFOp,
          arith::TruncFOp, tensor::CastOp, tensor::CollapseShapeOp,
          tensor::ExpandShapeOp, tensor::ExtractSliceOp>(op))
    go(op->getOperand(0));
}

std::vector<std::optional<Extent>> evo::findIndexed(func::FuncOp function,
                                                    const ShapeRules &rules) {
  std::vector<std::optional<Extent>> uses(function.getNumArguments());
  auto note = [&](Value value, const Extent &use) {
    llvm::DenseSet<Value> seen;
    findSources(value, seen, [&](BlockArgument argument) {
      // An index of several axes fits into the smallest, which is not known.
      if (!uses[argument.getArgNumber()])
        uses[argument.getArgNumber()] = use;
    });
  };
  function.walk([&](Operation *op) {
    auto extract = dyn_cast<tensor::ExtractOp>(op);
    if (extract && rules.hasAxes(extract.getTensor()))
      for (auto [axis, index] : llvm::enumerate(extract.getIndices()))
        note(index, rules.getExtent(extract.getTensor(), axis));
  });
  return uses;
}
