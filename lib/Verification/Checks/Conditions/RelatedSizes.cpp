// Sizes that are related to each other, and what comes out there as at hardly a
// sample.
#include "Verification/Checks/Conditions/Graphs.h"
#include "Verification/Checks/Conditions/LaunchValues.h"
#include "Verification/Checks/Conditions/Trials.h"
#include "Verification/Sampling/Shapes.h"

using namespace mlir;
using namespace evo;
using namespace evo::conditions;

using NodeKind = KernelConditions::Op;

/// Sizes that relations between extents are found at: each dimension by itself,
/// any two of them equal, and as factors of a number of the code. Solvers find
/// products and remainders of two unknowns the hardest.
static std::vector<Bindings> listRelated(KernelOp kernel, const Bindings &base,
                                         const KernelConditions &graph,
                                         uint64_t max) {
  constexpr int64_t longest = 640, smallestProduct = 4,
                    largestProduct = 1 << 20;
  std::vector<Bindings> result;
  auto add = [&](std::initializer_list<std::pair<StringRef, int64_t>> extents) {
    Bindings sizes = base;
    for (const auto &[dim, extent] : extents)
      sizes[dim] = extent;
    if (result.size() < max)
      result.push_back(std::move(sizes));
  };
  const auto dims = kernel.getDimensionNames();
  std::set<int64_t> products;
  for (const KernelConditions::Node &node : graph.nodes)
    if (node.op == NodeKind::Constant &&
        node.value >= uint64_t(smallestProduct) &&
        node.value <= uint64_t(largestProduct))
      for (int64_t next : {-1, 0, 1})
        products.insert(static_cast<int64_t>(node.value) + next);
  for (size_t a = 0; a < dims.size(); ++a)
    for (size_t b = a + 1; b < dims.size(); ++b)
      for (int64_t product : products)
        // A flat pair costs as little to run as a square one, and one of
        // medium shape is what conditions on tiles let through.
        for (int64_t factor = 1; factor * factor <= product; ++factor)
          if (product % factor == 0) {
            add({{dims[a], factor}, {dims[b], product / factor}});
            add({{dims[a], product / factor}, {dims[b], factor}});
          }
  for (int64_t extent = 1; extent <= longest; ++extent)
    for (size_t a = 0; a < dims.size(); ++a) {
      add({{dims[a], extent}});
      for (size_t b = a + 1; b < dims.size(); ++b)
        add({{dims[a], extent}, {dims[b], extent}});
    }
  return result;
}

/// Finds by evaluation at many sizes which of them have ways that hardly a
/// sample had, and runs for each way the cheapest, the cheapest in which two
/// dimensions are the longest, and one by chance: at one of them what is wrong
/// may do no harm, as where a pattern is longer than all that it is looked for
/// in.
LogicalResult ConditionTrials::sweep(Asked &one) {
  struct Found {
    int64_t work;
    Bindings cheapest, other;
    std::optional<Bindings> square;
    int64_t workOfSquare = INT64_MAX;
    unsigned count = 1;
  };
  auto isSquare = [&](const Bindings &sizes) {
    int64_t longest = 0;
    unsigned count = 0;
    for (StringRef dim : state.kernel.getDimensionNames()) {
      const int64_t extent = sizes.lookup(dim);
      count = extent > longest ? 1 : count + (extent == longest);
      longest = std::max(longest, extent);
    }
    return count > 1;
  };
  std::map<Way, Found> found;
  std::set<std::string> done;
  for (size_t i = 0; i < state.tried.size(); ++i)
    done.insert(printBindings(state.tried[i].sizes));
  const Bindings base = state.tried.getSmallWithInterior(state.kernel);
  for (const Bindings &sizes :
       listRelated(state.kernel, base, *one.graph, budget[maxSwept])) {
    const int64_t work = state.estimateWork(sizes);
    if (work > static_cast<int64_t>(budget[maxWork]) ||
        !state.meetsRequirements(sizes) || done.count(printBindings(sizes)))
      continue;
    Ways fresh;
    see(one, sizes, budget[maxSweptPoints], nullptr, &fresh);
    for (const Way &way : fresh) {
      auto [entry, isNew] =
          found.try_emplace(way, Found{work, sizes, sizes, std::nullopt});
      Found &known = entry->second;
      if (work < known.workOfSquare && isSquare(sizes)) {
        known.square = sizes;
        known.workOfSquare = work;
      }
      if (isNew)
        continue;
      if (random.below(++known.count) == 0)
        known.other = sizes;
      if (work < known.work) {
        known.work = work;
        known.cheapest = sizes;
      }
    }
  }
  enum class Which { Cheapest, Square, Other };
  for (Which which : {Which::Cheapest, Which::Square, Which::Other})
    for (const auto &[way, known] : found) {
      ConditionModel model;
      model.sizes = which == Which::Cheapest ? known.cheapest
                    : which == Which::Square
                        ? known.square.value_or(known.cheapest)
                        : known.other;
      if (samples >= budget[maxSamples] || state.isDecided())
        return success();
      const unsigned seen = one.seen[way.first][way.second];
      if ((which == Which::Cheapest && seen) ||
          (which == Which::Other && seen > 1) ||
          !done.insert(printBindings(model.sizes)).second)
        continue;
      if (failed(tryModel(one, model)))
        return failure();
      see(one, model.sizes, budget[maxLaterPoints]);
    }
  return success();
}
