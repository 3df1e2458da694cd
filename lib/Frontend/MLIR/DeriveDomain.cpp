// The values that an argument may hold, as far as the function on tensors tells
// them: a number that picks an element lies within the tensor it picks from,
// and what a logarithm is taken of is positive.
#include "ReadMLIR.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace evo;

namespace {
/// Follows a value through what hands it on unchanged.
class DomainFinder {
public:
  std::optional<ValueDomain> find(Value from) {
    pending.push_back(from);
    while (!pending.empty() && !found) {
      Value value = pending.pop_back_val();
      if (seen.insert(value).second)
        for (OpOperand &use : value.getUses())
          visit(use);
    }
    return found;
  }

private:
  void visit(OpOperand &use);
  void enter(linalg::LinalgOp op, OpOperand &use);

  SmallVector<Value> pending;
  llvm::DenseSet<Value> seen;
  std::optional<ValueDomain> found;
};
} // namespace

/// From an operand of a linalg op to what its region calls it.
void DomainFinder::enter(linalg::LinalgOp op, OpOperand &use) {
  if (op.isDpsInput(&use))
    pending.push_back(op.getMatchingBlockArgument(&use));
}

void DomainFinder::visit(OpOperand &use) {
  Operation *user = use.getOwner();
  if (auto op = dyn_cast<linalg::LinalgOp>(user))
    return enter(op, use);
  if (auto yield = dyn_cast<linalg::YieldOp>(user)) {
    auto op = dyn_cast<linalg::LinalgOp>(yield->getParentOp());
    if (op && op.hasPureTensorSemantics())
      pending.push_back(op->getResult(use.getOperandNumber()));
    return;
  }
  if (auto extract = dyn_cast<tensor::ExtractOp>(user)) {
    if (use.getOperandNumber() > 0)
      found = ValueDomain{extract.getTensor(), use.getOperandNumber() - 1};
    else
      pending.push_back(extract.getResult());
    return;
  }
  if (isa<math::LogOp, math::Log2Op, math::Log10Op>(user)) {
    found = ValueDomain{};
    return;
  }
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp,
          tensor::ExtractSliceOp, arith::IndexCastOp, arith::IndexCastUIOp,
          arith::ExtSIOp, arith::ExtUIOp, arith::ExtFOp, arith::TruncFOp>(user))
    pending.push_back(user->getResult(0));
  else if (isa<arith::SelectOp>(user) && use.getOperandNumber() > 0)
    pending.push_back(user->getResult(0));
}

std::optional<ValueDomain> evo::findDomain(Value argument) {
  return DomainFinder().find(argument);
}
