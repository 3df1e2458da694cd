// Kernels of scatters: every element finds the result that it belongs to, and
// is combined with that in memory by an atomic operation, where otherwise every
// result would look through all elements. What says where they belong is read
// for all of a thread's elements before the first of them is combined.
// Neighbours along the results go in one operation where the extent is a whole
// number of these, else one by one.
#include "KernelEmitter.h"
#include "evo/DeviceOps/InlinePTX.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace evo;
using linalg::LinalgOp;

std::optional<KernelEmitter::Scattering> KernelEmitter::getScattering() {
  LinalgOp op = plan.ops.front();
  std::optional<Scatter> scatter = getScatter(op, options);
  if (!scatter || plan.rowDims)
    return std::nullopt;
  Scattering result{*scatter, {}, 1, false};
  op.getReductionDims(result.dims);
  SmallVector<unsigned> parallel;
  op.getParallelDims(parallel);
  llvm::copy_if(parallel, std::back_inserter(result.dims),
                [&](unsigned dim) { return !scatter->isOwn(dim); });
  // Neighbours should access neighbours, results before what is read.
  auto liesAlongAll = [&](unsigned dim) {
    return llvm::all_of(op.getDpsInitsMutable(), [&](OpOperand &output) {
      return liesAlong(op, output, dim);
    });
  };
  auto rank = [&](unsigned dim) {
    if (liesAlongAll(dim))
      return 2;
    return llvm::any_of(
               op.getDpsInputOperands(),
               [&](OpOperand *input) { return liesAlong(op, *input, dim); })
               ? 1
               : 0;
  };
  unsigned inner = result.dims.back();
  for (unsigned dim : result.dims)
    if (rank(dim) > rank(inner))
      inner = dim;
  llvm::erase(result.dims, inner);
  result.dims.push_back(inner);
  if (!liesAlongAll(inner)) {
    result.width = countLanes(op, inner);
    return result;
  }
  // PTX adds vectors of f32, which have to have one place.
  constexpr int64_t word = 4;
  bool areWords = llvm::all_of(scatter->combiners, [](Operation *combiner) {
    return isa<arith::AddFOp>(combiner) &&
           combiner->getResult(0).getType().isF32();
  });
  bool hasOnePlace = llvm::none_of(
      scatter->conditions, [&](const Scatter::Condition &condition) {
        return dependsOn(op, condition.value, inner);
      });
  if (areWords && hasOnePlace && options.scatter > word) {
    result.width = options.scatter / word;
    result.isJoined = true;
  }
  return result;
}

KernelEmitter::Values
KernelEmitter::scatterCounts(const Scattering &scattering) {
  Values counts;
  for (unsigned dim : scattering.dims)
    counts.push_back(extents[plan.ops.front()][dim]);
  counts.back() = ceilDiv(counts.back(), scattering.width);
  counts.front() = ceilDiv(counts.front(), options.columns);
  return counts;
}

/// A value of the op's region at a point, computed where it is asked for;
/// `known` has what was computed already, and is told.
Value KernelEmitter::evaluate(LinalgOp op, Value value, ArrayRef<Value> ivs,
                              IRMapping &known) {
  if (Value found = known.lookupOrNull(value))
    return found;
  if (!op->isAncestor(value.getParentBlock()->getParentOp()))
    return value;
  if (auto arg = dyn_cast<BlockArgument>(value)) {
    Value element = read(op, op->getOpOperand(arg.getArgNumber()), ivs);
    known.map(value, element);
    return element;
  }
  Operation *inner = value.getDefiningOp();
  if (auto index = dyn_cast<linalg::IndexOp>(inner))
    return ivs[index.getDim()];
  llvm::SetVector<Value> parts;
  getUsedValuesDefinedAbove(inner->getRegions(), parts);
  parts.insert_range(inner->getOperands());
  IRMapping operands;
  for (Value part : parts)
    operands.map(part, evaluate(op, part, ivs, known));
  Operation *copy = b.clone(*inner, operands);
  copy->walk([&](linalg::IndexOp index) {
    index.replaceAllUsesWith(ivs[index.getDim()]);
    index.erase();
  });
  known.map(inner->getResults(), copy->getResults());
  return known.lookup(value);
}

/// Reads of these elements what does not hang on where they belong.
KernelEmitter::Scattered
KernelEmitter::loadScattered(const Scattering &scattering, Lanes lanes,
                             Value inside) {
  LinalgOp op = plan.ops.front();
  for (unsigned dim : scattering.scatter.own)
    lanes.ivs[dim] = constant(0); // that no map here uses
  Scattered element{lanes, inside, {}};
  for (OpOperand *input : op.getDpsInputOperands()) {
    BlockArgument arg = op.getMatchingBlockArgument(input);
    AffineMap map = op.getMatchingIndexingMap(input);
    if (arg && !arg.use_empty() &&
        llvm::none_of(scattering.scatter.own,
                      [&](unsigned dim) { return map.isFunctionOfDim(dim); }))
      element.loaded.push_back({input, loadLanes(op, *input, lanes)});
  }
  return element;
}

static LLVM::AtomicBinOp getAtomic(Operation *combiner) {
  return llvm::TypeSwitch<Operation *, LLVM::AtomicBinOp>(combiner)
      .Case<arith::AddFOp>([](auto) { return LLVM::AtomicBinOp::fadd; })
      .Case<arith::AddIOp>([](auto) { return LLVM::AtomicBinOp::add; })
      .Case<arith::AndIOp>([](auto) { return LLVM::AtomicBinOp::_and; })
      .Case<arith::OrIOp>([](auto) { return LLVM::AtomicBinOp::_or; })
      .Case<arith::XOrIOp>([](auto) { return LLVM::AtomicBinOp::_xor; })
      .Case<arith::MaxSIOp>([](auto) { return LLVM::AtomicBinOp::max; })
      .Case<arith::MinSIOp>([](auto) { return LLVM::AtomicBinOp::min; })
      .Case<arith::MaxUIOp>([](auto) { return LLVM::AtomicBinOp::umax; })
      .Case<arith::MinUIOp>([](auto) { return LLVM::AtomicBinOp::umin; });
}

/// Of several values the first one belongs at `indices`, the others after it.
/// No order is asked for: what follows is another launch.
void KernelEmitter::combineAtomically(Operation *combiner, Value buffer,
                                      ArrayRef<Value> indices,
                                      ArrayRef<Value> values) {
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  auto toInteger = [&](Value index) -> Value {
    return arith::IndexCastOp::create(b, loc, b.getI64Type(), index);
  };
  Value place = constant(0);
  for (auto [dim, index] : llvm::enumerate(indices))
    place = add(
        mul(place, b.createOrFold<memref::DimOp>(loc, buffer, constant(dim))),
        index);
  Value base = memref::ExtractAlignedPointerAsIndexOp::create(b, loc, buffer);
  Value address = LLVM::GEPOp::create(
      b, loc, pointer, values.front().getType(),
      LLVM::IntToPtrOp::create(b, loc, pointer, toInteger(base)),
      ArrayRef<LLVM::GEPArg>{toInteger(place)});
  if (values.size() == 1) {
    LLVM::AtomicRMWOp::create(b, loc, getAtomic(combiner), address,
                              values.front(), LLVM::AtomicOrdering::monotonic);
    return;
  }
  std::string constraints = "l";
  Values operands{address};
  for (Value value : values) {
    constraints += ",f";
    operands.push_back(value);
  }
  LLVM::InlineAsmOp::create(b, loc, TypeRange(), operands,
                            device::spellVectorAdd(values.size()),
                            constraints + ",~{memory}",
                            /*has_side_effects=*/true,
                            /*is_align_stack=*/false, LLVM::TailCallKind::None,
                            LLVM::AsmDialectAttr(), ArrayAttr());
}

/// Combines `count` lanes, which have one place, with what they belong to, if
/// there is such a result.
void KernelEmitter::scatterLanes(const Scattering &scattering,
                                 const Scattered &element, int64_t first,
                                 int64_t count) {
  const Scatter &scatter = scattering.scatter;
  LinalgOp op = plan.ops.front();
  OpBuilder::InsertionGuard guard(b);
  auto knownOf = [&](int64_t lane) {
    IRMapping known;
    for (const auto &[operand, values] : element.loaded)
      known.map(op.getMatchingBlockArgument(operand), values[lane]);
    return known;
  };
  auto enter = [&](Value condition) {
    auto branch =
        scf::IfOp::create(b, loc, condition, /*withElseRegion=*/false);
    b.setInsertionPointToStart(branch.thenBlock());
  };
  IRMapping known = knownOf(first);
  Values point = pointOf(element.lanes, first);
  Value isThere;
  for (auto [dim, place] : llvm::zip_equal(scatter.own, scatter.places)) {
    Value value = evaluate(op, place, point, known);
    if (!isa<IndexType>(value.getType()))
      value = arith::IndexCastOp::create(b, loc, b.getIndexType(), value);
    Value fits = less(value, extents[op][dim]);
    isThere =
        isThere ? b.createOrFold<arith::AndIOp>(loc, isThere, fits) : fits;
    point[dim] = value;
  }
  enter(isThere);
  for (const Scatter::Condition &condition : scatter.conditions) {
    Value holds = evaluate(op, condition.value, point, known);
    if (!condition.holds)
      holds = arith::XOrIOp::create(b, loc, holds,
                                    arith::ConstantIntOp::create(b, loc, 1, 1));
    enter(holds);
  }
  SmallVector<Values> values(op.getNumDpsInits());
  for (int64_t lane = first; lane < first + count; ++lane) {
    Values own = point;
    IRMapping ofLane = known;
    if (lane > first) {
      ofLane = knownOf(lane);
      own[element.lanes.dim] =
          add(own[element.lanes.dim], constant(lane - first));
    }
    for (auto [all, value] : llvm::zip_equal(values, scatter.values))
      all.push_back(evaluate(op, value, own, ofLane));
  }
  for (auto [i, output] : llvm::enumerate(op.getDpsInitsMutable()))
    combineAtomically(scatter.combiners[i], output.get(),
                      indicesOf(op, output, point), values[i]);
}

void KernelEmitter::scatterAll(const Scattering &scattering,
                               ArrayRef<Scattered> elements) {
  for (const Scattered &element : elements) {
    OpBuilder::InsertionGuard guard(b);
    if (element.inside) {
      auto branch =
          scf::IfOp::create(b, loc, element.inside, /*withElseRegion=*/false);
      b.setInsertionPointToStart(branch.thenBlock());
    }
    int64_t width = element.lanes.width;
    int64_t count = scattering.isJoined ? width : 1;
    for (int64_t lane = 0; lane < width; lane += count)
      scatterLanes(scattering, element, lane, count);
  }
}

void KernelEmitter::emitScatter(const Scattering &scattering) {
  LinalgOp op = plan.ops.front();
  unsigned outer = scattering.dims.front(), inner = scattering.dims.back();
  int64_t width = scattering.width;
  Values counts = scatterCounts(scattering);
  OpBuilder::InsertionGuard guard(b);
  Value id = enterPoints(counts);
  Values base(op.getNumLoops());
  for (auto [dim, place] :
       llvm::zip_equal(scattering.dims, delinearize(id, counts)))
    base[dim] = place;
  // Of the outermost dimension a thread has several places, far apart.
  Value end = extents[op][outer];
  if (outer == inner)
    end = ceilDiv(end, width);
  auto placeAlong = [&](Value column) {
    return add(base[outer], mul(counts.front(), column));
  };
  {
    OpBuilder::InsertionGuard inWhole(b);
    Value extent = extents[op][inner];
    if (width > 1) {
      Value isWhole = b.createOrFold<arith::CmpIOp>(
          loc, arith::CmpIPredicate::eq, endOfVectors(extent, width), extent);
      auto either = scf::IfOp::create(b, loc, isWhole, /*withElseRegion=*/true);
      b.setInsertionPointToStart(either.elseBlock());
      // Neighbours have neighbours, though there are fewer threads than these.
      auto loop = scf::ForOp::create(
          b, loc, constant(0), constant(options.columns * width), constant(1));
      b.setInsertionPointToStart(loop.getBody());
      Value number = loop.getInductionVar();
      Lanes lanes{base, inner, 1, Value()};
      lanes.ivs[outer] = placeAlong(div(number, constant(width)));
      Value inside = less(lanes.ivs[outer], end);
      Value apart = outer == inner ? end : counts.back();
      lanes.ivs[inner] =
          add(lanes.ivs[inner], mul(rem(number, constant(width)), apart));
      inside = b.createOrFold<arith::AndIOp>(loc, inside,
                                             less(lanes.ivs[inner], extent));
      auto branch = scf::IfOp::create(b, loc, inside, /*withElseRegion=*/false);
      b.setInsertionPointToStart(branch.thenBlock());
      scatterAll(scattering, loadScattered(scattering, lanes, Value()));
      b.setInsertionPointToStart(either.thenBlock());
    }
    Value last = b.createOrFold<arith::SubIOp>(loc, end, constant(1));
    SmallVector<Scattered> elements;
    for (int64_t column = 0; column < options.columns; ++column) {
      Lanes lanes{base, inner, width, Value()};
      Value place = placeAlong(constant(column)), inside;
      if (column > 0) {
        // What is not there is read at the end, and dropped.
        inside = less(place, end);
        place = b.createOrFold<arith::MinUIOp>(loc, place, last);
      }
      lanes.ivs[outer] = place;
      lanes.ivs[inner] = mul(lanes.ivs[inner], constant(width));
      elements.push_back(loadScattered(scattering, lanes, inside));
    }
    scatterAll(scattering, elements);
  }
}
