// Where conditions on sizes change.
#include "Verification/Checks/Conditions/Graphs.h"
#include "Verification/Checks/Conditions/LaunchValues.h"
#include "Verification/Checks/Conditions/Trials.h"

using namespace mlir;
using namespace evo;
using namespace evo::conditions;

using NodeKind = KernelConditions::Op;

/// What asks for a product may mean one pair of its factors: the flattest two
/// are tried, however it came out before.
LogicalResult ConditionTrials::tryProducts(const Asked &one) {
  constexpr int64_t longest = 1 << 16;
  const KernelConditions &graph = *one.graph;
  const std::vector<bool> ofSizes = findOfSizes(graph);
  const Bindings base = state.tried.getSmallWithInterior(state.kernel);
  const auto dims = state.kernel.getDimensionNames();
  for (const KernelConditions::Condition &condition : graph.conditions) {
    const std::optional<int64_t> product = getProduct(graph, condition.node);
    if (!product || !ofSizes[condition.node] || *product < 2 ||
        *product > longest)
      continue;
    Bindings other = base;
    other[dims.front()] = *product + 1;
    const uint64_t differs =
        evaluateAt(graph, one.launch, other)[condition.node];
    for (StringRef flat : dims)
      for (StringRef tall : dims) {
        if (flat == tall)
          continue;
        // Others may have to be as long.
        for (int64_t shortest : {int64_t(1), *product}) {
          Bindings sizes = base;
          for (auto &extent : sizes)
            extent.second = std::max(extent.second, shortest);
          sizes[flat] = 1;
          sizes[tall] = *product;
          if (!state.meetsRequirements(sizes) ||
              evaluateAt(graph, one.launch, sizes)[condition.node] == differs)
            continue;
          if (failed(tryAt(one, sizes)))
            return failure();
          break;
        }
      }
  }
  return success();
}

/// Where a condition on sizes changes along a dimension, or along a number that
/// a caller hands over, lie the last size of one way and the first of the
/// other: what is written for the one may not reach that far.
LogicalResult ConditionTrials::tryBoundaries(const Asked &one) {
  constexpr int64_t longest = 1 << 20;
  const KernelConditions &graph = *one.graph;
  const std::vector<bool> ofSizes = findOfSizes(graph);
  const Bindings base = state.tried.getSmallWithInterior(state.kernel);
  std::vector<std::string> names;
  for (StringRef dim : state.kernel.getDimensionNames())
    names.push_back(dim.str());
  // What callers hand over may decide, too.
  for (auto arg : state.kernel.getArgsAttr().getAsRange<ArgumentAttr>())
    if (StringRef name = arg.getName().getValue();
        !arg.isBuffer() && isa<IntegerType>(arg.getElementType()) &&
        base.count(name) && !llvm::is_contained(names, name))
      names.push_back(name.str());
  for (const std::string &dim : names) {
    Bindings sizes = base;
    auto at = [&](int64_t extent) {
      sizes[dim] = extent;
      return evaluateAt(graph, one.launch, sizes);
    };
    std::vector<uint64_t> before = at(1);
    for (int64_t extent = 2; extent <= longest; extent *= 2) {
      const std::vector<uint64_t> now = at(extent);
      std::set<int64_t> found;
      for (const KernelConditions::Condition &condition : graph.conditions) {
        if (!ofSizes[condition.node] ||
            before[condition.node] == now[condition.node])
          continue;
        int64_t low = extent / 2, high = extent;
        while (high - low > 1) {
          const int64_t middle = low + (high - low) / 2;
          (at(middle)[condition.node] == before[condition.node] ? low : high) =
              middle;
        }
        found.insert({low, high});
      }
      for (int64_t boundary : found) {
        sizes[dim] = boundary;
        if (failed(tryAt(one, sizes)))
          return failure();
      }
      before = now;
    }
  }
  return success();
}
