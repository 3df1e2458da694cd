// Sums whose terms the lanes of a warp share: each adds up its own, and then
// they add up what they have.
#include "ElementBuilder.h"
#include "evo/Target/Warp.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace evo;

/// What shuffles move, in one part or two.
static bool isMoved(Type type) {
  return type.isF32() || type.isF64() || type.isInteger(32) ||
         type.isInteger(64);
}

/// How lanes share the sums of an operation, if they all stand at it and each
/// of its results is made of terms by one operation.
std::optional<ElementBuilder::SharedSums>
ElementBuilder::planShared(linalg::LinalgOp op) {
  if (!lane || scopes.isDivergent())
    return std::nullopt;
  SharedSums shared;
  auto results = op.getRegionOutputArgs();
  for (auto [number, result] : llvm::enumerate(results)) {
    SmallVector<Operation *> combiners;
    if (!isMoved(result.getType()) ||
        !matchReduction(results, static_cast<unsigned>(number), combiners) ||
        combiners.size() != 1)
      return std::nullopt;
    std::optional<TypedAttr> neutral =
        arith::getNeutralElement(combiners.front());
    if (!neutral)
      return std::nullopt;
    shared.combiners.push_back(combiners.front());
    shared.neutral.push_back(*neutral);
  }
  hasSharedSums = true;
  return shared;
}

/// For each of some nested loops whether it is the one that lanes share: the
/// longest, and of equally long ones the innermost, whose data lie together.
Scopes::Values ElementBuilder::chooseShared(ValueRange extents) {
  Location loc = b.getUnknownLoc();
  Value longest = extents.back();
  Value chosen = constant(static_cast<int64_t>(extents.size()) - 1);
  for (size_t i = extents.size() - 1; i-- > 0;) {
    Value isLonger = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ugt,
                                           extents[i], longest);
    longest = arith::SelectOp::create(b, loc, isLonger, extents[i], longest);
    chosen = arith::SelectOp::create(b, loc, isLonger,
                                     constant(static_cast<int64_t>(i)), chosen);
  }
  Values isChosen;
  for (size_t i = 0; i < extents.size(); ++i)
    isChosen.push_back(
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, chosen,
                              constant(static_cast<int64_t>(i))));
  return isChosen;
}

Value ElementBuilder::combine(Operation *combiner, Value lhs, Value rhs) {
  IRMapping map;
  map.map(combiner->getOperand(0), lhs);
  map.map(combiner->getOperand(1), rhs);
  return b.clone(*combiner, map)->getResult(0);
}

/// What the lane at a distance of a power of two has.
static Value shuffle(OpBuilder &b, Location loc, Value own, int64_t distance) {
  const Type type = own.getType();
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(b, loc, value, 32);
  };
  if (type.getIntOrFloatBitWidth() == 32)
    return NVVM::ShflOp::create(b, loc, type, number(-1), own, number(distance),
                                number(target::warpSize - 1),
                                NVVM::ShflKind::bfly, UnitAttr());
  const Type halves = VectorType::get({2}, b.getI32Type());
  Value parts = LLVM::BitcastOp::create(b, loc, halves, own);
  for (int64_t part : {0, 1}) {
    Value at = number(part);
    Value half = LLVM::ExtractElementOp::create(b, loc, parts, at);
    parts = LLVM::InsertElementOp::create(b, loc, parts,
                                          shuffle(b, loc, half, distance), at);
  }
  return LLVM::BitcastOp::create(b, loc, type, parts);
}

/// What all lanes have together, in each of them.
Value ElementBuilder::combineLanes(Operation *combiner, Value own) {
  Location loc = combiner->getLoc();
  for (int64_t distance = target::warpSize / 2; distance; distance /= 2)
    own = combine(combiner, own, shuffle(b, loc, own, distance));
  return own;
}
