// A loop that stores what it carries at each step, as a scan.
#include "LoopNestRaiser.h"

using namespace mlir;
using namespace evo;

SmallVector<memref::StoreOp> LoopNestRaiser::findSteps(scf::ForOp loop) {
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
bool LoopNestRaiser::visitScan(scf::ForOp loop,
                               ArrayRef<memref::StoreOp> stores) {
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
