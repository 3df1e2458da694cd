// Conditions evaluated at points by chance.
#include "Verification/Checks/Conditions/Graphs.h"
#include "Verification/Checks/Conditions/LaunchValues.h"
#include "Verification/Checks/Conditions/Trials.h"

using namespace mlir;
using namespace evo;
using namespace evo::conditions;

using NodeKind = KernelConditions::Op;

/// A number below `end`, its ends more often than others.
static uint64_t drawBelow(uint64_t end, Random &random) {
  switch (random.below(6)) {
  case 0:
    return 0;
  case 1:
    return end - 1;
  case 2:
    return random.below(std::min<uint64_t>(end, 40));
  default:
    return random.below(end);
  }
}

/// What the graph's leaves may be at these sizes, by chance.
std::vector<uint64_t> ConditionTrials::drawLeaves(const Asked &one,
                                                  const Bindings &sizes,
                                                  const ConditionModel *model) {
  const KernelConditions &graph = *one.graph;
  const LaunchValues launched(one.launch, sizes);
  const std::array<uint64_t, 3> &grid = launched.grid, &block = launched.block;
  uint64_t longest = 2;
  for (const auto &entry : sizes)
    longest = std::max<uint64_t>(longest, std::max<int64_t>(2, entry.second));
  auto draw = [&](const KernelConditions::Node &node) -> uint64_t {
    if (std::optional<uint64_t> value = launched.valueOf(node))
      return *value;
    switch (node.op) {
    case NodeKind::ThreadId:
      return drawBelow(block[node.value], random);
    case NodeKind::BlockId:
      return drawBelow(grid[node.value], random);
    case NodeKind::Loaded: {
      if (model)
        for (const auto &[argument, value] : model->loaded)
          if (argument == node.value && random.below(2))
            return value;
      if (node.isFloat)
        return llvm::bit_cast<uint32_t>(
            static_cast<float>(random.below(2000)) / 500 - 2);
      int64_t low = -8, high = 8;
      if (node.value < one.ranges.size() && one.ranges[node.value]) {
        low = 0;
        high = static_cast<int64_t>(
            evaluateOr1(one.ranges[node.value]->second, sizes));
      }
      // As samples mostly are: a way that only the last place of a table takes
      // is solved for.
      return static_cast<uint64_t>(
          low + static_cast<int64_t>(
                    random.below(static_cast<uint64_t>(high - low))));
    }
    default:
      return drawBelow(longest, random);
    }
  };
  std::vector<uint64_t> leaves(graph.nodes.size());
  for (size_t i = 0; i < leaves.size(); ++i)
    if (graph.nodes[i].op != NodeKind::Constant &&
        graph.nodes[i].op <= NodeKind::Unknown)
      leaves[i] = draw(graph.nodes[i]);
  return leaves;
}

/// Notes what conditions come out at these sizes, at points by chance.
void ConditionTrials::see(Asked &one, const Bindings &sizes, uint64_t points,
                          const ConditionModel *model, Ways *fresh) {
  const KernelConditions &graph = *one.graph;
  Ways ways;
  for (uint64_t point = 0; point < points; ++point) {
    const std::vector<uint64_t> values =
        evaluate(graph, drawLeaves(one, sizes, model));
    for (size_t i = 0; i < one.seen.size(); ++i) {
      const KernelConditions::Condition &condition = graph.conditions[i];
      if (!holdsOnPath(condition, values))
        continue;
      ways.insert({i, values[condition.node] != 0});
    }
  }
  for (const auto &[i, way] : ways) {
    constexpr unsigned hardly = 2;
    if (!fresh)
      ++one.seen[i][way];
    else if (one.seen[i][way] < hardly &&
             (way || !graph.conditions[i].onlyTrue))
      fresh->insert({i, way});
  }
}
