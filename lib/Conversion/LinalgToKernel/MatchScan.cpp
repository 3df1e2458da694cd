// Scans among linalg ops. Their loop along the scanned dimension is a reduction
// of which every step is a result.
#include "KernelPlan.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace evo;
using linalg::LinalgOp;

std::optional<Scan> evo::matchScan(LinalgOp op) {
  SmallVector<unsigned> reduced;
  op.getReductionDims(reduced);
  if (reduced.size() != 1 || !hasResultsOnTheWay(op))
    return std::nullopt;
  Scan scan;
  scan.dim = reduced.front();
  // Just one output is carried; all the others tell each step.
  SmallVector<BlockArgument> outputs(op.getRegionOutputArgs());
  std::optional<unsigned> carried;
  for (auto [i, output] : llvm::enumerate(op.getDpsInitsMutable())) {
    AffineMap map = op.getMatchingIndexingMap(&output);
    if (!map.isProjectedPermutation())
      return std::nullopt;
    bool isEachStep = map.getNumResults() == op.getNumLoops();
    bool isLast = map.getNumResults() + 1 == op.getNumLoops() &&
                  !map.isFunctionOfDim(scan.dim);
    if (isEachStep ? !outputs[i].use_empty() : !isLast || carried)
      return std::nullopt;
    if (isLast)
      carried = i;
  }
  if (!carried)
    return std::nullopt;
  scan.carried = *carried;
  Operation *yield = op.getBlock()->getTerminator();
  Value former = outputs[scan.carried], next = yield->getOperand(scan.carried);
  scan.combiner = next.getDefiningOp();
  if (!scan.combiner || scan.combiner->getBlock() != op.getBlock() ||
      scan.combiner->getNumOperands() != 2 || !next.getType().isIntOrFloat() ||
      next.getType().getIntOrFloatBitWidth() > 64 ||
      !arith::getNeutralElement(scan.combiner) ||
      llvm::count(scan.combiner->getOperands(), former) != 1)
    return std::nullopt;
  scan.input = scan.combiner->getOperand(0) == former ? 1 : 0;
  // What is combined leads nowhere but to the results.
  for (Value value : {former, next})
    for (Operation *user : value.getUsers())
      if (user != yield && (value == next || user != scan.combiner))
        return std::nullopt;
  for (Value value : yield->getOperands()) {
    if (value != former && value != next)
      return std::nullopt;
    scan.isInclusive.push_back(value == next);
  }
  return scan;
}
