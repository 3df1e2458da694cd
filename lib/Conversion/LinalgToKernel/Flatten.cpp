// Element-wise ops on whole dense buffers as ops on vectors: an element then is
// where its number says, and no thread divides to find its place.
#include "KernelPlan.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace evo;
using linalg::LinalgOp;

/// Whether all elements of all operands are gone through in their order.
static bool goesStraight(LinalgOp op) {
  if (op.getNumLoops() < 2 || op.getNumReductionLoops() > 0 ||
      op.hasIndexSemantics() || op->getNumResults() > 0)
    return false;
  return llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    if (map.getNumResults() == 0)
      return true; // a number for all of them
    return type && type.getLayout().isIdentity() && map.isIdentity();
  });
}

LinalgOp evo::flatten(LinalgOp op) {
  if (!goesStraight(op))
    return {};
  OpBuilder b(op);
  ReassociationIndices all;
  for (int64_t i = 0; i < op.getNumLoops(); ++i)
    all.push_back(i);
  AffineMap each = b.getMultiDimIdentityMap(1),
            none = AffineMap::get(1, 0, b.getContext());
  SmallVector<AffineMap> maps;
  llvm::DenseMap<Value, Value> flat;
  auto flattened = [&](OpOperand &operand) -> Value {
    bool isWhole = op.getMatchingIndexingMap(&operand).getNumResults() > 0;
    maps.push_back(isWhole ? each : none);
    if (!isWhole)
      return operand.get();
    Value &view = flat[operand.get()];
    if (!view)
      view = memref::CollapseShapeOp::create(
          b, op.getLoc(), operand.get(), ArrayRef<ReassociationIndices>(all));
    return view;
  };
  SmallVector<Value> inputs, outputs;
  for (OpOperand *input : op.getDpsInputOperands())
    inputs.push_back(flattened(*input));
  for (OpOperand &output : op.getDpsInitsMutable())
    outputs.push_back(flattened(output));
  return linalg::GenericOp::create(
      b, op.getLoc(), TypeRange(), inputs, outputs, maps,
      ArrayRef<utils::IteratorType>(utils::IteratorType::parallel),
      [&](OpBuilder &inner, Location loc, ValueRange args) {
        IRMapping map;
        map.map(op.getBlock()->getArguments(), args);
        for (Operation &nested : op.getBlock()->without_terminator())
          inner.clone(nested, map);
        SmallVector<Value> results;
        for (Value value : op.getBlock()->getTerminator()->getOperands())
          results.push_back(map.lookupOrDefault(value));
        linalg::YieldOp::create(inner, loc, results);
      });
}
