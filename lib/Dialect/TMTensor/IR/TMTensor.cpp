// What PyTorch's way to linalg leaves for prefix sums and products.
#include "evo/Dialect/TMTensor/IR/TMTensor.h"

#include "evo/Dialect/TMTensor/IR/TMTensorDialect.cpp.inc"

#define GET_OP_CLASSES
#include "evo/Dialect/TMTensor/IR/TMTensor.cpp.inc"

using namespace mlir;
using namespace evo::tm_tensor;

void TMTensorDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "evo/Dialect/TMTensor/IR/TMTensor.cpp.inc"
      >();
}

LogicalResult ScanOp::verify() {
  auto input = cast<RankedTensorType>(getInput().getType());
  auto last = cast<RankedTensorType>(getAccumulator().getType());
  Type element = input.getElementType();
  uint64_t dimension = getDimension();
  if (dimension >= static_cast<uint64_t>(input.getRank()))
    return emitOpError() << "scans along dimension "
                         << static_cast<int64_t>(dimension) << " of "
                         << input.getRank();
  SmallVector<int64_t> around(input.getShape());
  around.erase(around.begin() + dimension);
  if (getOutput().getType() != input || getScanned().getType() != input)
    return emitOpError() << "makes other types of " << input;
  if (last != RankedTensorType::get(around, element) ||
      getLast().getType() != last)
    return emitOpError() << "accumulates " << input << " in " << last;
  Block &block = getCombination().front();
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!element.isIntOrFloat() ||
      block.getArgumentTypes() != TypeRange({element, element}) || !yield ||
      yield->getOperandTypes() != TypeRange({element}))
    return emitOpError() << "needs a region that combines two scalars of "
                            "the input's type to one";
  return success();
}
