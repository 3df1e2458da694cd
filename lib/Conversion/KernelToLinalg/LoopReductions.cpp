// A loop that carries values as a reduction: what it adds to each, and what it
// starts from.
#include "LoopNestRaiser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace evo;

/// Follows what is carried from the end of a loop to where it is combined.
bool LoopNestRaiser::trace(Value yielded, BlockArgument carried,
                           Contribution &result) {
  Operation *op = yielded.getDefiningOp();
  if (!op)
    return false;
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    unsigned number = cast<OpResult>(yielded).getResultNumber();
    result.counters.push_back(counters.lookup(loop));
    return loop.getInitArgs()[number] == carried &&
           trace(loop.getYieldedValues()[number], loop.getRegionIterArg(number),
                 result);
  }
  Value condition, yes, no;
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    unsigned number = cast<OpResult>(yielded).getResultNumber();
    condition = branch.getCondition();
    yes = branch.thenYield().getOperand(number);
    no = branch.elseYield().getOperand(number);
  } else if (auto select = dyn_cast<arith::SelectOp>(op)) {
    condition = select.getCondition();
    yes = select.getTrueValue();
    no = select.getFalseValue();
  }
  if (condition) {
    if ((yes == carried) == (no == carried))
      return false;
    result.guards.push_back({condition, no == carried});
    return trace(no == carried ? yes : no, carried, result);
  }
  if (op->getNumOperands() != 2 || op->getNumResults() != 1 ||
      (op->getOperand(0) == carried) == (op->getOperand(1) == carried) ||
      !arith::getNeutralElement(op))
    return false;
  result.value = op->getOperand(op->getOperand(0) == carried ? 1 : 0);
  result.combiner = op;
  result.carried = carried;
  return true;
}

/// Whether the loop begins with its second element, since it starts from the
/// first: then it may as well do both.
bool LoopNestRaiser::takesFirst(scf::ForOp loop,
                                ArrayRef<Contribution> contributions) {
  Factor counter = counters.lookup(loop);
  auto isFirst = [&](const Contribution &each, Value start) {
    auto it = terms.elements.find(each.value),
         first = terms.elements.find(start);
    if (it == terms.elements.end() || first == terms.elements.end() ||
        it->second.tensor.value != first->second.tensor.value ||
        !each.guards.empty())
      return false;
    for (auto [index, other] :
         llvm::zip_equal(it->second.indices, first->second.indices))
      if (!(index.substitute(counter, Sum::constant(-1)) == other))
        return false;
    return true;
  };
  bool hasStores =
      loop.walk([](memref::StoreOp) { return WalkResult::interrupt(); })
          .wasInterrupted();
  return !hasStores && terms.index(loop.getLowerBound()) == Sum::constant(1) &&
         llvm::all_of(llvm::zip_equal(contributions, loop.getInitArgs()),
                      [&](auto pair) {
                        return isFirst(std::get<0>(pair), std::get<1>(pair));
                      });
}

bool LoopNestRaiser::visitLoop(scf::ForOp loop) {
  if (SmallVector<memref::StoreOp> stores = findSteps(loop); !stores.empty())
    return visitScan(loop, stores);
  if (!visit(*loop.getBody()))
    return false;
  // The outermost loop that carries a value stands for those in it.
  for (Value start : loop.getInitArgs())
    if (auto argument = dyn_cast<BlockArgument>(start))
      if (isa<scf::ForOp>(argument.getOwner()->getParentOp()))
        return true;
  SmallVector<Contribution> contributions(loop.getNumResults());
  for (auto [number, contribution] : llvm::enumerate(contributions)) {
    contribution.counters.push_back(counters.lookup(loop));
    if (!trace(loop.getYieldedValues()[number], loop.getRegionIterArg(number),
               contribution))
      return false;
  }
  SmallVector<Value> starts(loop.getInitArgs());
  if (loop.getNumResults() > 0 && takesFirst(loop, contributions)) {
    Factor counter = counters.lookup(loop);
    terms.places.setExtent(
        counter, terms.places.size(terms.index(loop.getUpperBound())));
    terms.setIndex(loop.getInductionVar(), Sum::factor(counter));
    if (!visit(*loop.getBody()))
      return false;
    starts.assign(starts.size(), Value());
  }
  return reduce(loop, contributions, starts);
}

/// What changes nothing. A maximum starts from the lowest value there is,
/// since that is how kernels start.
static TypedAttr getNeutral(Operation *combiner) {
  auto type = dyn_cast<FloatType>(combiner->getResult(0).getType());
  bool isMax = isa<arith::MaxNumFOp, arith::MaximumFOp>(combiner),
       isMin = isa<arith::MinNumFOp, arith::MinimumFOp>(combiner);
  if (type && (isMax || isMin))
    return FloatAttr::get(
        type, APFloat::getInf(type.getFloatSemantics(), /*Negative=*/isMax));
  return *arith::getNeutralElement(combiner);
}

Value LoopNestRaiser::combine(GenericBody &body, const Contribution &each,
                              Value former) {
  OpBuilder &inner = body.builder();
  Value nothing;
  if (!each.guards.empty())
    nothing = arith::ConstantOp::create(inner, each.combiner->getLoc(),
                                        getNeutral(each.combiner));
  Value value = body.getGuarded(each.value, each.guards, nothing);
  if (!value)
    return {};
  IRMapping operands;
  operands.map(each.value, value);
  operands.map(Value(each.carried), former);
  return inner.clone(*each.combiner, operands)->getResult(0);
}

/// The buffer that `result`, of which there is one at each of `places`, is
/// stored to as it is; null where there is none.
SizedTensor LoopNestRaiser::findOutput(Value result, ArrayRef<Sum> places) {
  for (Operation *user : result.getUsers()) {
    auto store = dyn_cast<memref::StoreOp>(user);
    if (!store || otherwise.contains(store))
      continue;
    SizedTensor tensor = buffers[launch.getBuffer(store.getMemRef())];
    std::vector<Sum> indices = Places::delinearize(
        *positionOf(store.getMemRef(), store.getIndices()), tensor.dims);
    if (ArrayRef<Sum>(indices) == places)
      return tensor;
  }
  return {};
}

/// What a reduction over the `kept` counters starts from, everywhere.
SizedTensor LoopNestRaiser::createStart(Value reduced, Value start,
                                        Operation *combiner,
                                        const Counters &kept) {
  Location loc = combiner->getLoc();
  std::vector<Sum> dims, places;
  for (Factor counter : kept) {
    std::optional<Sum> extent = terms.places[counter].extent;
    if (!extent)
      return {};
    dims.push_back(*extent);
    places.push_back(Sum::factor(counter));
  }
  SizedTensor tensor = findOutput(reduced, places);
  if (!tensor.value || tensor.dims != dims)
    tensor = terms.createEmpty(b, dims, combiner->getResult(0).getType());
  TypedAttr number = start ? TypedAttr() : getNeutral(combiner);
  if (!tensor.value)
    return {};
  if (number || matchPattern(start, m_Constant(&number))) {
    Value constant = arith::ConstantOp::create(b, loc, number);
    tensor.value =
        linalg::FillOp::create(b, loc, constant, tensor.value).getResult(0);
    return tensor;
  }
  GenericBody body(terms, b, loc, kept, 0);
  Value result = body.addOutput(tensor, places) ? body.get(start) : Value();
  linalg::GenericOp op = result ? body.finish(result) : linalg::GenericOp();
  tensor.value = op ? op.getResult(0) : Value();
  return tensor;
}

/// One op for results that are kept for the same points.
bool LoopNestRaiser::reduce(scf::ForOp loop,
                            ArrayRef<Contribution> contributions,
                            ArrayRef<Value> starts) {
  SmallVector<Counters> kept;
  for (auto [contribution, start] : llvm::zip_equal(contributions, starts)) {
    Counters found;
    bool isKnown = collectCounters(terms, contribution.value, found) &&
                   (!start || collectCounters(terms, start, found));
    for (const Guard &guard : contribution.guards)
      isKnown &= collectCounters(terms, guard.condition, found);
    if (!isKnown)
      return false;
    for (Factor counter : contribution.counters)
      found.remove(counter);
    Counters sorted;
    for (Factor counter : order)
      if (found.contains(counter))
        sorted.insert(counter);
    sorted.insert_range(found);
    kept.push_back(sorted);
  }
  llvm::SmallDenseSet<unsigned> done;
  for (unsigned first = 0; first < contributions.size(); ++first) {
    SmallVector<unsigned> numbers;
    for (unsigned each = first; each < contributions.size(); ++each)
      if (contributions[each].counters == contributions[first].counters &&
          kept[each].getArrayRef() == kept[first].getArrayRef() &&
          done.insert(each).second)
        numbers.push_back(each);
    if (!numbers.empty() &&
        !reduceTogether(loop, numbers, contributions, starts, kept[first]))
      return false;
  }
  return true;
}

bool LoopNestRaiser::reduceTogether(scf::ForOp loop, ArrayRef<unsigned> numbers,
                                    ArrayRef<Contribution> contributions,
                                    ArrayRef<Value> starts,
                                    const Counters &kept) {
  ArrayRef<Factor> reduced = contributions[numbers.front()].counters;
  Counters loops = kept;
  loops.insert_range(reduced);
  std::vector<Sum> places;
  for (Factor counter : kept)
    places.push_back(Sum::factor(counter));
  SmallVector<SizedTensor> outputs;
  for (unsigned number : numbers)
    outputs.push_back(createStart(loop.getResult(number), starts[number],
                                  contributions[number].combiner, kept));
  GenericBody body(terms, b, loop.getLoc(), loops, reduced.size());
  SmallVector<Value> carried, results;
  for (const SizedTensor &output : outputs) {
    carried.push_back(output.value ? body.addOutput(output, places) : Value());
    if (!carried.back())
      return false;
  }
  for (auto [number, argument] : llvm::zip_equal(numbers, carried)) {
    results.push_back(combine(body, contributions[number], argument));
    if (!results.back())
      return false;
  }
  linalg::GenericOp op = body.finish(results);
  if (!op)
    return false;
  for (auto [i, number] : llvm::enumerate(numbers))
    terms.elements[loop.getResult(number)] = {
        {op.getResult(i), outputs[i].dims}, places};
  return true;
}
