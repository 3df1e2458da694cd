// A kernel is read as if all of its threads did each loop together: a store
// becomes an op over all elements of its buffer, a loop that carries a value a
// reduction, and what comes later reads what they made. Scalars in between are
// computed where they are used.
#include "evo/Conversion/KernelToLinalg/LoopNests.h"
#include "GenericBody.h"
#include "evo/Conversion/KernelToLinalg/Guesses.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace evo;

namespace {
/// What a loop, with those in it, adds to a value that it carries.
struct Contribution {
  Value value;
  Operation *combiner = nullptr;
  BlockArgument carried; ///< that the combiner has for its other operand
  SmallVector<Guard> guards;
  SmallVector<Factor> counters; ///< of the loops, outermost first
};

class LoopNests {
public:
  LoopNests(OpBuilder builder, KernelOp kernel, VariantOp structured)
      : b(builder), kernel(kernel), structured(structured),
        function(createTensorFunction(b, kernel)), terms(kernel, function) {
    b.setInsertionPointToEnd(&function.getBody().front());
  }
  func::FuncOp create();

private:
  OpBuilder b;
  KernelOp kernel;
  VariantOp structured;
  func::FuncOp function;
  LoopTerms terms;
  llvm::StringMap<SizedTensor> buffers; // as they are now
  StructuredLaunch launch;
  DenseMap<Operation *, Factor> counters; // of loops
  Counters order;                         // in which results have dimensions
  /// Stores of one branch that the other one has too: the value there.
  DenseMap<Operation *, Value> otherwise;
  /// Stores of each step of a scan, which are done with its loop.
  llvm::SmallPtrSet<Operation *, 4> steps;

  bool addBuffers();
  bool countLoops();
  bool visitLaunch();
  bool visit(Block &block);
  bool visitBranch(scf::IfOp branch);
  bool visitLoop(scf::ForOp loop);
  bool visitStore(memref::StoreOp store);
  bool visitScan(scf::ForOp loop, ArrayRef<memref::StoreOp> stores);

  std::optional<Sum> positionOf(Value memref, ValueRange indices);
  bool spreadThreads();
  bool spread(const Sum &position, ArrayRef<Sum> dims);

  bool trace(Value yielded, BlockArgument carried, Contribution &result);
  bool takesFirst(scf::ForOp loop, ArrayRef<Contribution> contributions);
  bool reduce(scf::ForOp loop, ArrayRef<Contribution> contributions,
              ArrayRef<Value> starts);
  bool reduceTogether(scf::ForOp loop, ArrayRef<unsigned> numbers,
                      ArrayRef<Contribution> contributions,
                      ArrayRef<Value> starts, const Counters &kept);
  SizedTensor createStart(Value result, Value start, Operation *combiner,
                          const Counters &kept);
  SizedTensor findOutput(Value result, ArrayRef<Sum> places);
};
} // namespace

//===-- Buffers and counters ----------------------------------------------===//

bool LoopNests::addBuffers() {
  for (auto [argument, value] :
       llvm::zip(kernel.getArgsAttr().getAsRange<ArgumentAttr>(),
                 function.getArguments())) {
    if (!argument.isBuffer())
      continue;
    auto dims = terms.convertDims(argument.getExtents());
    if (!dims)
      return false;
    buffers[argument.getName()] = {value, *dims};
  }
  for (auto scratch : structured.getBody().getOps<ScratchOp>()) {
    SmallVector<IntExpr> extents;
    for (auto dim : scratch.getDims().getAsRange<ExprAttr>())
      extents.push_back(dim.getValue());
    auto dims = terms.convertDims(extents);
    if (!dims)
      return false;
    SizedTensor tensor = terms.createEmpty(b, *dims, scratch.getElementType());
    if (!tensor.value)
      return false;
    buffers[scratch.getName()] = tensor;
  }
  return true;
}

/// Gives each loop a counter from zero by ones.
bool LoopNests::countLoops() {
  WalkResult result =
      launch.device.walk<WalkOrder::PreOrder>([&](scf::ForOp loop) {
        Sum first = terms.index(loop.getLowerBound()),
            end = terms.index(loop.getUpperBound()),
            step = terms.index(loop.getStep());
        Places &places = terms.places;
        if (!places.isSize(end))
          return WalkResult::interrupt();
        // Threads that take turns do all of it together.
        if (!places.isSize(first))
          first = Sum(), step = Sum::constant(1);
        std::optional<int64_t> stride = step.getAsConstant();
        if (!stride || *stride < 1)
          return WalkResult::interrupt();
        std::optional<Sum> extent =
            places.quotient(end - first + Sum::constant(*stride - 1), step);
        if (!extent)
          return WalkResult::interrupt();
        Factor counter = places.counter(places.size(*extent));
        counters[loop] = counter;
        terms.setIndex(loop.getInductionVar(),
                       first + Sum::factor(counter) * step);
        return WalkResult::advance();
      });
  return !result.wasInterrupted();
}

/// Where in its buffer an access is; none where that is none of the plan.
std::optional<Sum> LoopNests::positionOf(Value memref, ValueRange indices) {
  auto it = buffers.find(launch.getBuffer(memref));
  if (it == buffers.end())
    return std::nullopt;
  std::vector<Sum> sums;
  for (Value index : indices)
    sums.push_back(terms.index(index));
  const std::vector<Sum> &dims = it->second.dims;
  if (sums.size() == dims.size())
    return Places::linearize(sums, dims);
  return sums.size() == 1 ? std::optional(sums.front()) : std::nullopt;
}

/// The outermost dimension along whose stride `step` is a number of steps.
static std::optional<unsigned> findDim(const Sum &step, ArrayRef<Sum> dims) {
  for (unsigned dim = 0; dim < dims.size(); ++dim) {
    Sum stride = Sum::constant(1);
    for (const Sum &inner : dims.drop_front(dim + 1))
      stride = stride * inner;
    auto [times, rest] = step.split(stride);
    if (rest.getTerms().empty() && times.getAsConstant())
      return dim;
  }
  return std::nullopt;
}

/// Finds a counter of threads that runs through several dimensions at once, and
/// takes it for one in each; whether there was one. Others are told how far
/// they run.
bool LoopNests::spread(const Sum &position, ArrayRef<Sum> dims) {
  Places &places = terms.places;
  // The dimension that each counter steps along.
  SmallVector<std::tuple<Factor, unsigned, Sum>> steps;
  for (const auto &[product, coefficient] : position.getTerms())
    for (Factor factor : product) {
      if (!places.isCounter(factor))
        continue;
      Sum::Product rest = product;
      rest.erase(llvm::find(rest, factor));
      Sum step = Sum::product(rest, coefficient);
      if (std::optional<unsigned> dim = findDim(step, dims))
        steps.emplace_back(factor, *dim, step);
    }
  for (const auto &[counter, last, step] : steps) {
    if (llvm::is_contained(llvm::make_second_range(counters), counter) ||
        places.hasExtent(counter, dims[last]))
      continue;
    unsigned first = 0;
    for (const auto &[other, dim, size] : steps)
      if (dim < last)
        first = std::max(first, dim + 1);
    // So many elements are skipped at a time.
    Sum stride = Sum::constant(1);
    for (const Sum &inner : dims.drop_front(last + 1))
      stride = stride * inner;
    Sum times = step.split(stride).first;
    auto [extent, rest] = dims[last].split(times);
    if (!rest.getTerms().empty())
      continue;
    if (first == last) {
      if (!places[counter].extent || places.isSize(extent))
        places.setExtent(counter, extent);
      continue;
    }
    Sum whole;
    for (unsigned dim = first; dim <= last; ++dim) {
      Sum size = dim == last ? extent : dims[dim];
      whole = whole * size + Sum::factor(places.counter(size));
    }
    terms.replaceCounter(counter, whole);
    return true;
  }
  return false;
}

/// Where elements are stored tells how threads are counted.
bool LoopNests::spreadThreads() {
  SmallVector<memref::StoreOp> stores;
  launch.device.walk([&](memref::StoreOp store) { stores.push_back(store); });
  bool isSpread = true;
  while (isSpread) {
    isSpread = false;
    order.clear();
    for (memref::StoreOp store : stores) {
      auto position = positionOf(store.getMemRef(), store.getIndices());
      if (!position)
        return false;
      const std::vector<Sum> &dims =
          buffers[launch.getBuffer(store.getMemRef())].dims;
      if (spread(*position, dims)) {
        isSpread = true;
        break;
      }
      for (const Sum &index : Places::delinearize(*position, dims))
        terms.places.forEachFactor(
            index, [&](Factor factor) { order.insert(factor); });
    }
  }
  return !stores.empty();
}

//===-- Code --------------------------------------------------------------===//

bool LoopNests::visit(Block &block) {
  for (Operation &op : block) {
    bool isVisited = true;
    if (auto load = dyn_cast<memref::LoadOp>(op)) {
      auto position = positionOf(load.getMemRef(), load.getIndices());
      if (!position)
        return false;
      const SizedTensor &tensor = buffers[launch.getBuffer(load.getMemRef())];
      terms.elements[load.getResult()] = {
          tensor, Places::delinearize(*position, tensor.dims)};
    } else if (auto store = dyn_cast<memref::StoreOp>(op)) {
      isVisited = visitStore(store);
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      isVisited = visitLoop(loop);
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      isVisited = visitBranch(branch);
    } else if (!op.hasTrait<OpTrait::IsTerminator>()) {
      isVisited = op.getNumRegions() == 0 && isMemoryEffectFree(&op);
    }
    if (!isVisited)
      return false;
  }
  return true;
}

bool LoopNests::visitBranch(scf::IfOp branch) {
  Block *other = branch.elseBlock();
  if (other)
    for (auto store : branch.thenBlock()->getOps<memref::StoreOp>())
      for (auto twin : other->getOps<memref::StoreOp>())
        if (store.getMemRef() == twin.getMemRef() &&
            positionOf(store.getMemRef(), store.getIndices()) ==
                positionOf(twin.getMemRef(), twin.getIndices())) {
          // It is done with the last of the two.
          otherwise[store] = Value();
          otherwise[twin] = store.getValueToStore();
        }
  return visit(*branch.thenBlock()) && (!other || visit(*other));
}

bool LoopNests::visitStore(memref::StoreOp store) {
  if (steps.contains(store))
    return true;
  auto merged = otherwise.find(store);
  if (merged != otherwise.end() && !merged->second)
    return true;
  SizedTensor &tensor = buffers[launch.getBuffer(store.getMemRef())];
  auto position = positionOf(store.getMemRef(), store.getIndices());
  std::vector<Sum> indices = Places::delinearize(*position, tensor.dims);
  Counters loops;
  for (auto [index, dim] : llvm::zip_equal(indices, tensor.dims)) {
    if (index == Sum() && dim == Sum::constant(1))
      index = Sum::factor(terms.places.counter(dim));
    // All of the buffer, each element once.
    std::optional<Factor> counter = index.getAsFactor();
    if (!counter || !terms.places.hasExtent(*counter, dim) ||
        !loops.insert(*counter))
      return false;
  }
  Value value = store.getValueToStore();
  if (auto it = terms.elements.find(value);
      it != terms.elements.end() && it->second.indices == indices &&
      isa_and_nonnull<scf::ForOp>(value.getDefiningOp()) &&
      merged == otherwise.end()) {
    tensor.value = it->second.tensor.value; // reduced to where it belongs
    return true;
  }
  GenericBody body(terms, b, store.getLoc(), loops, 0);
  if (!body.addOutput(tensor, indices))
    return false;
  Value result =
      merged == otherwise.end()
          ? body.get(value)
          : body.getEither(store->getParentOfType<scf::IfOp>().getCondition(),
                           merged->second, value);
  linalg::GenericOp op = result ? body.finish(result) : linalg::GenericOp();
  if (!op)
    return false;
  tensor.value = op.getResult(0);
  if (merged == otherwise.end() && value.getDefiningOp() &&
      !matchPattern(value, m_Constant()))
    terms.elements.try_emplace(value, Element{tensor, indices});
  return true;
}

//===-- Reductions --------------------------------------------------------===//

/// Follows what is carried from the end of a loop to where it is combined.
bool LoopNests::trace(Value yielded, BlockArgument carried,
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
bool LoopNests::takesFirst(scf::ForOp loop,
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

static SmallVector<memref::StoreOp> findSteps(scf::ForOp loop);

bool LoopNests::visitLoop(scf::ForOp loop) {
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

/// What changes nothing. A maximum starts from the least there is, since that
/// is how kernels start.
static TypedAttr getNeutral(Operation *combiner) {
  auto type = dyn_cast<FloatType>(combiner->getResult(0).getType());
  bool isMax = isa<arith::MaxNumFOp, arith::MaximumFOp>(combiner),
       isMin = isa<arith::MinNumFOp, arith::MinimumFOp>(combiner);
  if (type && (isMax || isMin))
    return FloatAttr::get(
        type, APFloat::getInf(type.getFloatSemantics(), /*Negative=*/isMax));
  return *arith::getNeutralElement(combiner);
}

/// `former` with what the loop adds to it, in `body`; null where that cannot be
/// written there.
static Value combine(GenericBody &body, const Contribution &each,
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
SizedTensor LoopNests::findOutput(Value result, ArrayRef<Sum> places) {
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
SizedTensor LoopNests::createStart(Value reduced, Value start,
                                   Operation *combiner, const Counters &kept) {
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
bool LoopNests::reduce(scf::ForOp loop, ArrayRef<Contribution> contributions,
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

bool LoopNests::reduceTogether(scf::ForOp loop, ArrayRef<unsigned> numbers,
                               ArrayRef<Contribution> contributions,
                               ArrayRef<Value> starts, const Counters &kept) {
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

//===-- Scans -------------------------------------------------------------===//

/// Stores of what a loop carries, before or after each step.
static SmallVector<memref::StoreOp> findSteps(scf::ForOp loop) {
  SmallVector<memref::StoreOp> stores;
  if (loop.getNumResults() != 1)
    return stores;
  for (auto store : loop.getBody()->getOps<memref::StoreOp>())
    if (store.getValueToStore() == loop.getYieldedValues()[0] ||
        store.getValueToStore() == loop.getRegionIterArg(0))
      stores.push_back(store);
  return stores;
}

/// A loop that stores what it carries at each step is one op whose results lie
/// along it, and what is carried at last.
bool LoopNests::visitScan(scf::ForOp loop, ArrayRef<memref::StoreOp> stores) {
  steps.insert(stores.begin(), stores.end());
  if (!visit(*loop.getBody()))
    return false;
  const Factor counter = counters.lookup(loop);
  Value former = loop.getRegionIterArg(0), start = loop.getInitArgs()[0];
  Contribution step;
  step.counters.push_back(counter);
  if (!trace(loop.getYieldedValues()[0], loop.getRegionIterArg(0), step) ||
      step.counters.size() != 1)
    return false;
  // Of all points each has one of each result.
  Counters loops;
  SmallVector<std::vector<Sum>> places;
  for (memref::StoreOp store : stores) {
    const SizedTensor &tensor = buffers[launch.getBuffer(store.getMemRef())];
    places.push_back(Places::delinearize(
        *positionOf(store.getMemRef(), store.getIndices()), tensor.dims));
    Counters own;
    for (auto [index, dim] : llvm::zip_equal(places.back(), tensor.dims)) {
      if (index == Sum() && dim == Sum::constant(1))
        index = Sum::factor(terms.places.counter(dim));
      std::optional<Factor> along = index.getAsFactor();
      if (!along || !terms.places.hasExtent(*along, dim) || !own.insert(*along))
        return false;
    }
    if (!own.contains(counter) ||
        (!loops.empty() && loops.size() != own.size()))
      return false;
    loops.insert_range(own);
    if (loops.size() != own.size())
      return false;
  }
  Counters read;
  bool isKnown = collectCounters(terms, step.value, read) &&
                 collectCounters(terms, start, read);
  for (const Guard &guard : step.guards)
    isKnown &= collectCounters(terms, guard.condition, read);
  if (!isKnown ||
      !llvm::all_of(read, [&](Factor each) { return loops.contains(each); }))
    return false;
  loops.remove(counter);
  Counters kept = loops;
  loops.insert(counter);
  std::vector<Sum> keptPlaces;
  for (Factor each : kept)
    keptPlaces.push_back(Sum::factor(each));
  SizedTensor last = createStart(loop.getResult(0), start, step.combiner, kept);
  if (!last.value)
    return false;
  GenericBody body(terms, b, loop.getLoc(), loops, 1);
  SmallVector<StringRef> names;
  for (memref::StoreOp store : stores)
    names.push_back(launch.getBuffer(store.getMemRef()));
  for (auto [name, place] : llvm::zip_equal(names, places))
    if (!body.addOutput(buffers[name], place))
      return false;
  Value carried = body.addOutput(last, keptPlaces);
  if (!carried)
    return false;
  Value next = combine(body, step, carried);
  if (!next)
    return false;
  SmallVector<Value> results;
  for (memref::StoreOp store : stores)
    results.push_back(store.getValueToStore() == former ? carried : next);
  results.push_back(next);
  linalg::GenericOp op = body.finish(results);
  if (!op)
    return false;
  for (auto [i, name] : llvm::enumerate(names))
    buffers[name].value = op.getResult(i);
  terms.elements[loop.getResult(0)] = {{op.getResult(stores.size()), last.dims},
                                       keptPlaces};
  return true;
}

//===-- The whole ---------------------------------------------------------===//

bool LoopNests::visitLaunch() {
  counters.clear();
  otherwise.clear();
  terms.enter(launch);
  return countLoops() && spreadThreads() &&
         visit(launch.device.getBody().front());
}

func::FuncOp LoopNests::create() {
  bool isRaised = addBuffers();
  SmallVector<StructuredLaunch> launches = getLaunches(structured);
  isRaised &= !launches.empty();
  for (const StructuredLaunch &each : launches) {
    launch = each;
    isRaised = isRaised && each.device.getBody().hasOneBlock() && visitLaunch();
  }
  if (isRaised) {
    SmallVector<Value> results;
    for (auto argument : kernel.getArgsAttr().getAsRange<ArgumentAttr>())
      if (argument.isWritten())
        results.push_back(buffers[argument.getName()].value);
    func::ReturnOp::create(b, kernel.getLoc(), results);
    for (Operation &op :
         llvm::make_early_inc_range(llvm::reverse(function.getBody().front())))
      if (isOpTriviallyDead(&op))
        op.erase();
    if (succeeded(verify(function)))
      return function;
  }
  function.erase();
  return {};
}

func::FuncOp evo::createLoopNests(OpBuilder builder, KernelOp kernel,
                                  VariantOp structured) {
  return LoopNests(builder, kernel, structured).create();
}
