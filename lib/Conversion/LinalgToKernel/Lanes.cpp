// Neighbouring elements that a thread loads, computes and stores at once.
#include "KernelEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace evo;
using linalg::LinalgOp;

/// The widest access of PTX, in bytes.
static constexpr int64_t widestAccess = 16;

static bool isReadByBody(LinalgOp op, OpOperand &operand) {
  BlockArgument arg = op.getMatchingBlockArgument(&operand);
  return arg && !arg.use_empty() && isa<MemRefType>(operand.get().getType());
}

bool KernelEmitter::liesAlong(LinalgOp op, OpOperand &operand, unsigned dim) {
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  AffineMap map = op.getMatchingIndexingMap(&operand);
  if (!type || !type.getLayout().isIdentity() || map.getNumResults() == 0 ||
      map.getResults().back() != getAffineDimExpr(dim, map.getContext()))
    return false;
  if (!type.getElementType().isIntOrFloat() ||
      type.getElementTypeBitWidth() % 8 != 0)
    return false;
  return llvm::none_of(map.getResults().drop_back(), [&](AffineExpr result) {
    return result.isFunctionOfDim(dim);
  });
}

bool KernelEmitter::isComputedAnywhere(LinalgOp op) {
  return llvm::all_of(
      op.getBlock()->without_terminator(), [](Operation &inner) {
        auto text = dyn_cast<LLVM::InlineAsmOp>(inner);
        return inner.getNumRegions() == 0 &&
               (isa<linalg::IndexOp>(inner) ||
                (text && !text.getHasSideEffects()) ||
                (isMemoryEffectFree(&inner) && isSpeculatable(&inner)));
      });
}

bool KernelEmitter::isComputedInRow(LinalgOp op) {
  return llvm::all_of(
      op.getBlock()->without_terminator(), [](Operation &inner) {
        return inner.getNumRegions() == 0 &&
               (isa<linalg::IndexOp, memref::LoadOp>(inner) ||
                (isMemoryEffectFree(&inner) && isSpeculatable(&inner)));
      });
}

int64_t KernelEmitter::countLanes(LinalgOp op, unsigned dim) {
  int64_t widest = 1;
  for (OpOperand &operand : op->getOpOperands())
    if (liesAlong(op, operand, dim) &&
        (op.isDpsInit(&operand) || isReadByBody(op, operand)))
      widest = std::max<int64_t>(
          widest,
          cast<MemRefType>(operand.get().getType()).getElementTypeBitWidth() /
              8);
  return std::max<int64_t>(1, options.access / widest);
}

Value KernelEmitter::endOfVectors(Value extent, int64_t width) {
  if (width == 1)
    return extent;
  Value isWhole = b.createOrFold<arith::CmpIOp>(
      loc, arith::CmpIPredicate::eq, rem(extent, constant(width)), constant(0));
  return b.createOrFold<arith::SelectOp>(loc, isWhole, extent, constant(0));
}

SmallVector<OpOperand *> KernelEmitter::operandsToLoad(LinalgOp op) {
  SmallVector<OpOperand *> result;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isReadByBody(op, operand) || known.count(operand.get()))
      continue;
    bool isInit = op.isDpsInit(&operand);
    if (isInit &&
        (op.getNumReductionLoops() > 0 ||
         fills.find(op)
             ->second[operand.getOperandNumber() - op.getNumDpsInputs()]))
      continue;
    result.push_back(&operand);
  }
  return result;
}

/// Whether caches need not keep what is read of it: each of its elements
/// belongs to one point. Where a kernel writes as many, caches do better to
/// keep these (they need not reach memory before it ends).
bool KernelEmitter::isStreamed(LinalgOp op, OpOperand &operand) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  bool writesElements = llvm::any_of(plan.ops, [&](LinalgOp other) {
    return other.getNumReductionLoops() == 0 &&
           other.getNumLoops() > plan.rowDims.value_or(0);
  });
  return options.stream && !writesElements &&
         isa<BlockArgument>(getRootBuffer(operand.get())) &&
         llvm::all_of(llvm::seq(map.getNumDims()),
                      [&](unsigned dim) { return map.isFunctionOfDim(dim); });
}

KernelEmitter::Values KernelEmitter::loadLanes(LinalgOp op, OpOperand &operand,
                                               const Lanes &lanes) {
  if (!op.getMatchingIndexingMap(&operand).isFunctionOfDim(lanes.dim))
    return Values(lanes.width, read(op, operand, lanes.ivs));
  auto load = [&]() -> Values {
    if (lanes.width == 1)
      return {read(op, operand, lanes.ivs)};
    Values values;
    if (liesAlong(op, operand, lanes.dim)) {
      auto type = cast<MemRefType>(operand.get().getType());
      auto vector = VectorType::get({lanes.width}, type.getElementType());
      Value loaded = vector::LoadOp::create(
          b, loc, vector, operand.get(), indicesOf(op, operand, lanes.ivs),
          isStreamed(op, operand), alignmentOf(type, lanes.width));
      for (int64_t lane = 0; lane < lanes.width; ++lane)
        values.push_back(vector::ExtractOp::create(b, loc, loaded, lane));
      return values;
    }
    for (int64_t lane = 0; lane < lanes.width; ++lane)
      values.push_back(read(op, operand, pointOf(lanes, lane)));
    return values;
  };
  if (!lanes.inside)
    return load();
  Type element = cast<MemRefType>(operand.get().getType()).getElementType();
  SmallVector<Type> types(lanes.width, element);
  auto guarded = scf::IfOp::create(b, loc, types, lanes.inside,
                                   /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(guarded.thenBlock());
  scf::YieldOp::create(b, loc, load());
  b.setInsertionPointToStart(guarded.elseBlock());
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
  scf::YieldOp::create(b, loc, Values(lanes.width, zero));
  return Values(guarded.getResults());
}

KernelEmitter::Loaded KernelEmitter::load(LinalgOp op, const Lanes &lanes) {
  Loaded loaded;
  for (OpOperand *operand : operandsToLoad(op))
    loaded.push_back({operand, loadLanes(op, *operand, lanes)});
  return loaded;
}

void KernelEmitter::storeLanes(LinalgOp op, OpOperand &output,
                               const Lanes &lanes, ValueRange values) {
  OpBuilder::InsertionGuard guard(b);
  if (lanes.inside) {
    auto guarded =
        scf::IfOp::create(b, loc, lanes.inside, /*withElseRegion=*/false);
    b.setInsertionPointToStart(guarded.thenBlock());
  }
  auto type = cast<MemRefType>(output.get().getType());
  if (lanes.width > 1 && liesAlong(op, output, lanes.dim)) {
    auto vector = VectorType::get({lanes.width}, type.getElementType());
    Value whole = vector::FromElementsOp::create(b, loc, vector, values);
    vector::StoreOp::create(
        b, loc, whole, output.get(), indicesOf(op, output, lanes.ivs),
        /*nontemporal=*/false, alignmentOf(type, lanes.width));
    return;
  }
  for (auto [lane, value] : llvm::enumerate(values))
    memref::StoreOp::create(b, loc, value, output.get(),
                            indicesOf(op, output, pointOf(lanes, lane)));
}

/// What base pointers promise where nothing else is declared, and where the
/// place along the vector is a multiple of its width.
llvm::MaybeAlign KernelEmitter::alignmentOf(MemRefType type, int64_t width) {
  int64_t bytes = width * type.getElementTypeBitWidth() / 8;
  return llvm::Align(llvm::bit_floor<uint64_t>(std::min(bytes, widestAccess)));
}

KernelEmitter::Values KernelEmitter::pointOf(const Lanes &lanes, int64_t lane) {
  Values point = lanes.ivs;
  if (lane > 0)
    point[lanes.dim] = add(point[lanes.dim], constant(lane));
  return point;
}

KernelEmitter::Values KernelEmitter::computeLane(LinalgOp op,
                                                 const Lanes &lanes,
                                                 const Loaded &loaded,
                                                 int64_t lane, Values results) {
  for (const auto &[operand, values] : loaded)
    staged[operand] = values[lane];
  Values point = pointOf(lanes, lane);
  if (results.empty())
    results = initialValues(op, point);
  results = compute(op, point, results);
  for (const auto &entry : loaded)
    staged.erase(entry.first);
  return results;
}
