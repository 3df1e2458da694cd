// What a launch hands to its threads.
#include "Verification/Checks/Conditions/LaunchValues.h"

using namespace mlir;
using namespace evo;
using namespace evo::conditions;

using NodeKind = KernelConditions::Op;

uint64_t conditions::evaluateOr1(const IntExpr &expr, const Bindings &sizes) {
  llvm::Expected<int64_t> value = expr.evaluate(sizes);
  if (!value)
    return llvm::consumeError(value.takeError()), 1;
  return static_cast<uint64_t>(std::max<int64_t>(1, *value));
}

LaunchValues::LaunchValues(const LaunchFormulas &launch,
                           const Bindings &sizes) {
  auto evaluateAll = [&](const std::vector<IntExpr> &formulas,
                         std::array<uint64_t, 3> &extents) {
    for (size_t axis = 0; axis < std::min<size_t>(3, formulas.size()); ++axis)
      extents[axis] = evaluateOr1(formulas[axis], sizes);
  };
  evaluateAll(launch.grid, grid);
  evaluateAll(launch.block, block);
  for (const std::optional<IntExpr> &formula : launch.arguments) {
    int64_t value = 0;
    if (formula) {
      if (auto number = formula->evaluate(sizes))
        value = *number;
      else
        llvm::consumeError(number.takeError());
    }
    arguments.push_back(static_cast<uint64_t>(value));
  }
}

std::optional<uint64_t>
LaunchValues::valueOf(const KernelConditions::Node &node) const {
  switch (node.op) {
  case NodeKind::Argument:
    return node.value < arguments.size() ? arguments[node.value] : 0;
  case NodeKind::BlockDim:
    return block[node.value];
  case NodeKind::GridDim:
    return grid[node.value];
  default:
    return std::nullopt;
  }
}

std::vector<uint64_t> conditions::evaluateAt(const KernelConditions &graph,
                                             const LaunchFormulas &launch,
                                             const Bindings &sizes) {
  const LaunchValues launched(launch, sizes);
  std::vector<uint64_t> leaves(graph.nodes.size());
  for (auto [leaf, node] : llvm::zip(leaves, graph.nodes))
    leaf = launched.valueOf(node).value_or(0);
  return evaluate(graph, leaves);
}
