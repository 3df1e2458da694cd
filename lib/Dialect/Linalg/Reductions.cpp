// By what a reduction combines, and along what its results lie.
#include "evo/Dialect/Linalg/Reductions.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace evo;
using linalg::LinalgOp;

SmallVector<Operation *> evo::getCombiners(LinalgOp op) {
  SmallVector<Operation *> result;
  SmallVector<BlockArgument> outputs(op.getRegionOutputArgs());
  for (unsigned i = 0; i < outputs.size(); ++i) {
    SmallVector<Operation *> combiners;
    // Used but once: no result depends on the running value of another.
    Type type = outputs[i].getType();
    if (!type.isIntOrFloat() || type.getIntOrFloatBitWidth() > 64 ||
        !outputs[i].hasOneUse() || !matchReduction(outputs, i, combiners) ||
        combiners.size() != 1 || combiners[0]->getNumOperands() != 2 ||
        !arith::getNeutralElement(combiners[0]))
      return {};
    result.push_back(combiners[0]);
  }
  return result;
}

static bool isAtomic(Operation *combiner) {
  Type type = combiner->getResult(0).getType();
  if (isa<arith::AddFOp>(combiner))
    return type.isF32() || type.isF64();
  return isa<arith::AddIOp, arith::AndIOp, arith::OrIOp, arith::XOrIOp,
             arith::MaxSIOp, arith::MinSIOp, arith::MaxUIOp, arith::MinUIOp>(
             combiner) &&
         (type.isInteger(32) || type.isInteger(64));
}

bool evo::canCombineAtomically(LinalgOp op) {
  SmallVector<Operation *> combiners = getCombiners(op);
  return !combiners.empty() && llvm::all_of(combiners, isAtomic);
}

bool evo::hasResultsOnTheWay(LinalgOp op) {
  SmallVector<unsigned> reduced;
  op.getReductionDims(reduced);
  return llvm::any_of(op.getDpsInitsMutable(), [&](OpOperand &output) {
    AffineMap map = op.getMatchingIndexingMap(&output);
    return llvm::any_of(reduced,
                        [&](unsigned dim) { return map.isFunctionOfDim(dim); });
  });
}
