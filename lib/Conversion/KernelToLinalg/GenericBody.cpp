// Elements at places that loops alone tell become operands; others, which
// follow from data or lie beside the element at hand, are looked up.
#include "GenericBody.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace evo;

GenericBody::GenericBody(LoopTerms &terms, OpBuilder builder, Location loc,
                         Counters counters, unsigned numReduced)
    : terms(terms), outer(builder), b(builder), loc(loc),
      loops(std::move(counters)), numReduced(numReduced),
      positions(loops.size()), isBounded(loops.size(), false) {
  body = new Block;
  region.push_back(body);
  b.setInsertionPointToEnd(body);
}

// Operands.

/// How the element goes with the loops; none where it is to be looked up.
std::optional<AffineMap> GenericBody::mapOf(const Element &element,
                                            bool isGuarded) {
  MLIRContext *context = outer.getContext();
  SmallVector<AffineExpr> results;
  for (auto [index, dim] :
       llvm::zip_equal(element.indices, element.tensor.dims)) {
    SmallVector<int64_t> steps(loops.size());
    int64_t start = 0;
    for (const auto &[product, coefficient] : index.getTerms()) {
      auto it =
          product.empty() ? loops.begin() : llvm::find(loops, product.front());
      if (product.size() > 1 || coefficient < 0 ||
          (!product.empty() && it == loops.end()))
        return std::nullopt;
      (product.empty() ? start : steps[it - loops.begin()]) = coefficient;
    }
    AffineExpr result = getAffineConstantExpr(0, context);
    for (auto [dim, step] : llvm::enumerate(steps))
      result = result + getAffineDimExpr(dim, context) * step;
    result = result + start;
    std::optional<Factor> plain = index.getAsFactor();
    if (plain && !terms.places.hasExtent(*plain, dim))
      return std::nullopt;
    // Where it is not plain that there is an element, the guard may be for it.
    if (!plain && isGuarded && !isa<AffineConstantExpr>(result))
      return std::nullopt;
    results.push_back(result);
  }
  return AffineMap::get(loops.size(), 0, results, context);
}

void GenericBody::note(const AffineMap &map) {
  for (AffineExpr result : map.getResults())
    if (auto dim = dyn_cast<AffineDimExpr>(result))
      isBounded[dim.getPosition()] = true;
}

Value GenericBody::addOutput(const SizedTensor &tensor, ArrayRef<Sum> places) {
  std::optional<AffineMap> map =
      mapOf({tensor, std::vector<Sum>(places)}, false);
  if (!map)
    return {};
  outputs.push_back({tensor.value, *map});
  note(*map);
  return body->addArgument(getElementTypeOrSelf(tensor.value), loc);
}

Value GenericBody::read(const Element &element) {
  bool isGuarded = b.getInsertionBlock() != body;
  if (std::optional<AffineMap> map = mapOf(element, isGuarded)) {
    for (auto [i, input] : llvm::enumerate(inputs))
      if (input.tensor == element.tensor.value && input.map == *map)
        return body->getArgument(i);
    if (numReduced == 0)
      for (auto [i, output] : llvm::enumerate(outputs))
        if (output.tensor == element.tensor.value && output.map == *map)
          return body->getArgument(inputs.size() + i);
    inputs.push_back({element.tensor.value, *map});
    note(*map);
    return body->insertArgument(
        inputs.size() - 1, getElementTypeOrSelf(element.tensor.value), loc);
  }
  SmallVector<Value> indices;
  for (const Sum &index : element.indices) {
    indices.push_back(emitIndex(index));
    if (!indices.back())
      return {};
  }
  return tensor::ExtractOp::create(b, loc, element.tensor.value, indices);
}

/// Loops that no operand bounds, or that run a number of times that is known,
/// get one that has but a shape.
bool GenericBody::boundLoops() {
  std::vector<Sum> dims;
  SmallVector<AffineExpr> results;
  for (auto [i, counter] : llvm::enumerate(loops)) {
    std::optional<Sum> extent = terms.places[counter].extent;
    if (!extent)
      return false;
    if (isBounded[i] && !extent->getAsConstant())
      continue;
    dims.push_back(*extent);
    results.push_back(getAffineDimExpr(i, outer.getContext()));
  }
  if (dims.empty())
    return true;
  SizedTensor shape = terms.createEmpty(outer, dims, outer.getF32Type());
  if (!shape.value)
    return false;
  inputs.insert(inputs.begin(),
                {shape.value,
                 AffineMap::get(loops.size(), 0, results, outer.getContext())});
  body->insertArgument(0u, outer.getF32Type(), loc);
  return true;
}

// Values.

Value GenericBody::emitFactor(Factor factor) {
  const Places::Entry entry = terms.places[factor];
  if (entry.kind == Places::Kind::Counter) {
    auto it = llvm::find(loops, factor);
    if (it == loops.end())
      return {};
    // Outside of all branches: there alone it may stand.
    Value &index = positions[it - loops.begin()];
    OpBuilder begin(outer.getContext());
    begin.setInsertionPointToStart(body);
    if (!index)
      index = linalg::IndexOp::create(begin, loc, it - loops.begin());
    return index;
  }
  if (entry.kind != Places::Kind::Unknown)
    return terms.getSize(Sum::factor(factor));
  Value value = convert(entry.value);
  if (!value || isa<IndexType>(value.getType()))
    return value;
  return arith::IndexCastOp::create(b, loc, b.getIndexType(), value);
}

Value GenericBody::emitIndex(const Sum &sum) {
  if (Value size = terms.getSize(sum))
    return size;
  Value total;
  for (const auto &[product, coefficient] : sum.getTerms()) {
    Value value;
    if (product.empty() || coefficient != 1)
      value = arith::ConstantIndexOp::create(b, loc, coefficient);
    for (Factor factor : product) {
      Value next = emitFactor(factor);
      if (!next)
        return {};
      value = value ? b.createOrFold<arith::MulIOp>(loc, value, next) : next;
    }
    total = total ? b.createOrFold<arith::AddIOp>(loc, total, value) : value;
  }
  return total;
}

static bool isNumber(Type type) {
  return isa<IndexType>(type) || (isa<IntegerType>(type) && !type.isInteger(1));
}

Value GenericBody::get(Value value) {
  if (Value found = values.lookupOrNull(value))
    return found;
  Value result;
  if (isNumber(value.getType())) {
    Sum sum = terms.index(value);
    bool isPlain = true;
    terms.places.forEachFactor(sum, [&](Factor factor) {
      isPlain &= terms.places[factor].kind != Places::Kind::Unknown;
    });
    if (isPlain && !matchPattern(value, m_Constant())) {
      result = emitIndex(sum);
      if (result && result.getType() != value.getType())
        result = arith::IndexCastOp::create(b, loc, value.getType(), result);
      if (result)
        values.map(value, result);
      return result;
    }
  }
  result = convert(value);
  if (result)
    values.map(value, result);
  return result;
}

/// `get`, but for what is a sum of loops and sizes.
Value GenericBody::convert(Value value) {
  if (Value found = values.lookupOrNull(value))
    return found;
  if (auto it = terms.elements.find(value); it != terms.elements.end())
    return read(it->second);
  Operation *op = value.getDefiningOp();
  if (!op)
    return terms.getScalar(value);
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    unsigned number = cast<OpResult>(value).getResultNumber();
    return choose(
        branch.getCondition(),
        [&] { return get(branch.thenYield().getOperand(number)); },
        [&] { return get(branch.elseYield().getOperand(number)); },
        value.getType());
  }
  if (!isMemoryEffectFree(op) || op->getNumRegions() > 0 ||
      op->getNumResults() != 1 || isa<gpu::GPUDialect>(op->getDialect()))
    return {};
  IRMapping operands;
  for (Value operand : op->getOperands()) {
    Value own = get(operand);
    if (!own)
      return {};
    operands.map(operand, own);
  }
  return b.clone(*op, operands)->getResult(0);
}

/// Whether the ops of a branch may as well be done at any rate.
static bool isHarmless(Block &block) {
  return llvm::all_of(block.without_terminator(), [](Operation &op) {
    return isPure(&op) && op.getNumRegions() == 0 &&
           !isa<tensor::ExtractOp>(op);
  });
}

Value GenericBody::choose(Value condition, llvm::function_ref<Value()> taken,
                          llvm::function_ref<Value()> otherwise, Type type) {
  Value own = get(condition);
  if (!own)
    return {};
  auto branch = scf::IfOp::create(b, loc, type, own, /*withElse=*/true);
  auto fill = [&](Block &block, llvm::function_ref<Value()> make) {
    OpBuilder::InsertionGuard guard(b);
    IRMapping before = values;
    b.setInsertionPointToEnd(&block);
    Value result = make();
    values = before; // what is in a branch is only there
    if (result)
      scf::YieldOp::create(b, loc, result);
    return bool(result);
  };
  Block &yes = branch.getThenRegion().front(),
        &no = branch.getElseRegion().front();
  if (!fill(yes, taken) || !fill(no, otherwise))
    return {};
  if (!isHarmless(yes) || !isHarmless(no))
    return branch.getResult(0);
  Value lhs = yes.getTerminator()->getOperand(0),
        rhs = no.getTerminator()->getOperand(0);
  for (Block *block : {&yes, &no})
    for (Operation &op :
         llvm::make_early_inc_range(block->without_terminator()))
      op.moveBefore(branch);
  Value result = arith::SelectOp::create(b, loc, own, lhs, rhs);
  branch.erase();
  return result;
}

Value GenericBody::getGuarded(Value value, ArrayRef<Guard> guards,
                              Value otherwise) {
  if (guards.empty())
    return get(value);
  const Guard &guard = guards.front();
  auto inside = [&] {
    return getGuarded(value, guards.drop_front(), otherwise);
  };
  auto outside = [&] { return otherwise; };
  if (guard.isTaken)
    return choose(guard.condition, inside, outside, value.getType());
  return choose(guard.condition, outside, inside, value.getType());
}

Value GenericBody::getEither(Value condition, Value taken, Value other) {
  return choose(
      condition, [&] { return get(taken); }, [&] { return get(other); },
      taken.getType());
}

linalg::GenericOp GenericBody::finish(ValueRange results) {
  linalg::YieldOp::create(b, loc, results);
  if (!boundLoops())
    return {};
  SmallVector<Value> ins, outs;
  SmallVector<AffineMap> maps;
  for (const Operand &input : inputs) {
    ins.push_back(input.tensor);
    maps.push_back(input.map);
  }
  for (const Operand &output : outputs) {
    outs.push_back(output.tensor);
    maps.push_back(output.map);
  }
  SmallVector<utils::IteratorType> iterators(loops.size() - numReduced,
                                             utils::IteratorType::parallel);
  iterators.append(numReduced, utils::IteratorType::reduction);
  auto op = linalg::GenericOp::create(outer, loc, ValueRange(outs).getTypes(),
                                      ins, outs, maps, iterators);
  op.getRegion().takeBody(region);
  return op;
}

// Dependences.

namespace {
class CounterSearch {
public:
  CounterSearch(LoopTerms &terms, Counters &result)
      : terms(terms), result(result) {}
  bool visit(Value value) {
    if (!seen.insert(value).second)
      return true;
    if (isNumber(value.getType())) {
      Sum sum = terms.index(value);
      if (sum.getAsFactor() != terms.places.unknown(value).getAsFactor())
        return visit(sum);
    }
    if (auto it = terms.elements.find(value); it != terms.elements.end())
      return llvm::all_of(it->second.indices,
                          [&](const Sum &index) { return visit(index); });
    Operation *op = value.getDefiningOp();
    if (!op)
      return bool(terms.getScalar(value));
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      unsigned number = cast<OpResult>(value).getResultNumber();
      return visit(branch.getCondition()) &&
             visit(branch.thenYield().getOperand(number)) &&
             visit(branch.elseYield().getOperand(number));
    }
    return op->getNumRegions() == 0 &&
           llvm::all_of(op->getOperands(),
                        [&](Value operand) { return visit(operand); });
  }

private:
  bool visit(const Sum &sum) {
    bool isVisited = true;
    terms.places.forEachFactor(sum, [&](Factor factor) {
      const Places::Entry entry = terms.places[factor];
      if (entry.kind == Places::Kind::Counter)
        result.insert(factor);
      else if (entry.kind == Places::Kind::Unknown)
        isVisited &= visit(entry.value);
    });
    return isVisited;
  }
  LoopTerms &terms;
  Counters &result;
  llvm::DenseSet<Value> seen;
};
} // namespace

bool evo::collectCounters(LoopTerms &terms, Value value, Counters &result) {
  return CounterSearch(terms, result).visit(value);
}
