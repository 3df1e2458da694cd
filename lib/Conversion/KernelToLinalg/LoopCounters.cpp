// Counters of loops and threads: how far each runs, told by its bounds or by
// where elements are stored.
#include "LoopNestRaiser.h"

using namespace mlir;
using namespace evo;

/// Gives each loop a counter from zero by ones.
bool LoopNestRaiser::countLoops() {
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
std::optional<Sum> LoopNestRaiser::positionOf(Value memref,
                                              ValueRange indices) {
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
bool LoopNestRaiser::spread(const Sum &position, ArrayRef<Sum> dims) {
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
bool LoopNestRaiser::spreadThreads() {
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
