// What only a device has: ids, barriers, shuffles. What the gpu dialect has a
// word for is said with it; other scalar ops of the device (votes, fences, warp
// barriers, approximations) stay what they are, since lowering passes them on.
#include "Raise.h"
#include "evo/DeviceOps/Intrinsics.h"
#include "evo/Lowering/DeviceOperations.h"
#include "evo/Target/Warp.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace evo::raise;

/// An id or extent, which the gpu dialect gives as an index, in the width that
/// the code uses. All of them fit 31 bits.
template <typename Op>
static Value id(OpBuilder &b, Operation *op, gpu::Dimension dimension) {
  Location loc = plainLocation(op->getLoc());
  Value value = Op::create(b, loc, dimension);
  return arith::IndexCastOp::create(b, loc, op->getResult(0).getType(), value);
}

static Value translateId(OpBuilder &b, Operation *op) {
  using evo::device::Tells;
  const auto read = evo::device::findRegister(evo::findIntrinsic(op));
  if (!read)
    return {};
  const auto dimension = static_cast<gpu::Dimension>(read->axis);
  switch (read->tells) {
  case Tells::ThreadId:
    return id<gpu::ThreadIdOp>(b, op, dimension);
  case Tells::BlockId:
    return id<gpu::BlockIdOp>(b, op, dimension);
  case Tells::BlockDim:
    return id<gpu::BlockDimOp>(b, op, dimension);
  case Tells::GridDim:
    return id<gpu::GridDimOp>(b, op, dimension);
  default:
    llvm_unreachable("a register without axes");
  }
}

static std::optional<int64_t> constantOf(Value value) {
  APInt number;
  if (!matchPattern(value, m_ConstantInt(&number)))
    return std::nullopt;
  return number.getSExtValue();
}

/// What is read of which lane by a shuffle without a second result.
static std::optional<gpu::ShuffleMode>
shuffleModeOf(LLVM::CallIntrinsicOp call) {
  auto from = evo::device::findShuffle(evo::findIntrinsic(call));
  if (!from)
    return std::nullopt;
  switch (*from) {
  case evo::device::ShuffleFrom::Xor:
    return gpu::ShuffleMode::XOR;
  case evo::device::ShuffleFrom::Down:
    return gpu::ShuffleMode::DOWN;
  case evo::device::ShuffleFrom::Up:
    return gpu::ShuffleMode::UP;
  case evo::device::ShuffleFrom::Index:
    return gpu::ShuffleMode::IDX;
  }
  llvm_unreachable("a source without a mode");
}

/// gpu.shuffle speaks for a whole warp, so that others keep their intrinsic:
/// those of a part of the warp's lanes or of segments of a warp.
static Value translateShuffle(OpBuilder &b, LLVM::CallIntrinsicOp call,
                              ValueRange operands) {
  std::optional<gpu::ShuffleMode> mode = shuffleModeOf(call);
  const int64_t lastLane = evo::target::warpSize - 1;
  int64_t wholeWarp = mode == gpu::ShuffleMode::UP ? 0 : lastLane;
  if (!mode || operands.size() != 4 || constantOf(operands[0]) != -1 ||
      constantOf(operands[3]) != wholeWarp)
    return {};
  Location loc = plainLocation(call.getLoc());
  Value width = arith::ConstantIntOp::create(b, loc, evo::target::warpSize, 32);
  return gpu::ShuffleOp::create(b, loc, operands[1], operands[2], width, *mode)
      .getShuffleResult();
}

bool evo::raise::isNumeric(Type type) {
  if (auto group = dyn_cast<LLVM::LLVMStructType>(type))
    return !group.isOpaque() && llvm::all_of(group.getBody(), isNumeric);
  if (auto array = dyn_cast<LLVM::LLVMArrayType>(type))
    return isNumeric(array.getElementType());
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.getElementType().isIntOrFloat();
  return type.isIntOrFloat() || isa<LLVM::LLVMPointerType>(type);
}

LogicalResult evo::raise::translateDeviceOp(OpBuilder &b, Operation *op,
                                            ValueRange operands,
                                            Value &result) {
  Location loc = plainLocation(op->getLoc());
  if ((result = translateId(b, op)))
    return success();
  if (auto call = dyn_cast<LLVM::CallIntrinsicOp>(op))
    if ((result = translateShuffle(b, call, operands)))
      return success();
  if (evo::findIntrinsic(op) == evo::device::getBlockBarrier() &&
      constantOf(operands[0]) == 0) {
    gpu::BarrierOp::create(b, loc);
    return success();
  }
  // arith and math may have no word for it, and it is lowered as it is.
  if (!isa<LLVM::LLVMDialect, NVVM::NVVMDialect>(op->getDialect()))
    return refuse(op) << "'" << op->getName() << "'";
  IRMapping mapping;
  mapping.map(op->getOperands(), operands);
  Operation *copy = b.clone(*op, mapping);
  copy->setLoc(loc);
  if (copy->getNumResults() > 1)
    // unreachable: no such operation has several yet
    return refuse(op) << "'" << op->getName() << "' has several results";
  if (copy->getNumResults() == 1)
    result = copy->getResult(0);
  return success();
}
