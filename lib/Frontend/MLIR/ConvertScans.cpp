// Scans of torch-mlir become linalg: a generic op whose loop along the scanned
// dimension carries what was combined so far, and has a result for each of its
// steps. Such an op means what its loops in their order compute.
#include "ReadMLIR.h"
#include "evo/Dialect/TMTensor/IR/TMTensor.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace evo;

/// A tensor of the extents of `like` with any contents.
static Value createEmptyLike(OpBuilder &b, Location loc, Value like) {
  auto type = cast<RankedTensorType>(like.getType());
  SmallVector<Value> extents;
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (type.isDynamicDim(i))
      extents.push_back(tensor::DimOp::create(b, loc, like, i));
  return tensor::EmptyOp::create(b, loc, type, extents);
}

static LogicalResult convert(tm_tensor::ScanOp scan) {
  OpBuilder b(scan);
  Location loc = scan.getLoc();
  Block &region = scan.getCombination().front();
  auto type = cast<RankedTensorType>(scan.getInput().getType());
  unsigned rank = type.getRank(), along = scan.getDimension();
  Value start = scan.getAccumulator();
  if (scan.getInclusive()) {
    // The first element is combined with nothing.
    Operation *combination =
        region.getTerminator()->getOperand(0).getDefiningOp();
    std::optional<TypedAttr> neutral =
        combination && combination->getBlock() == &region
            ? arith::getNeutralElement(combination)
            : std::nullopt;
    if (!neutral || region.getOperations().size() != 2)
      return scan.emitError("scans with a combination that has no neutral "
                            "element; sums, products, minima and maxima can "
                            "be converted");
    Value element = arith::ConstantOp::create(b, loc, *neutral);
    start = linalg::FillOp::create(
                b, loc, ValueRange{element},
                ValueRange{createEmptyLike(b, loc, scan.getAccumulator())})
                .getResult(0);
  }
  AffineMap whole = b.getMultiDimIdentityMap(rank);
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  iterators[along] = utils::IteratorType::reduction;
  Value outputs[] = {createEmptyLike(b, loc, scan.getOutput()), start};
  auto generic = linalg::GenericOp::create(
      b, loc, TypeRange{type, start.getType()}, ValueRange{scan.getInput()},
      outputs, {whole, whole, whole.dropResult(along)}, iterators,
      [&](OpBuilder &inner, Location, ValueRange args) {
        Value former = args[2];
        IRMapping map;
        map.map(region.getArgument(0), former);
        map.map(region.getArgument(1), args[0]);
        for (Operation &op : region.without_terminator())
          inner.clone(op, map);
        Value next = map.lookupOrDefault(region.getTerminator()->getOperand(0));
        linalg::YieldOp::create(
            inner, loc, ValueRange{scan.getInclusive() ? next : former, next});
      });
  scan->replaceAllUsesWith(generic.getResults());
  scan->erase();
  return success();
}

LogicalResult evo::convertScans(ModuleOp module) {
  SmallVector<tm_tensor::ScanOp> scans;
  module.walk([&](tm_tensor::ScanOp scan) { scans.push_back(scan); });
  for (tm_tensor::ScanOp scan : scans)
    if (failed(convert(scan)))
      return failure();
  return success();
}
