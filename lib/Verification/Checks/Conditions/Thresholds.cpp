// Numbers of callers that are held against what threads compute.
#include "Verification/Checks/Conditions/Graphs.h"
#include "Verification/Checks/Conditions/LaunchValues.h"
#include "Verification/Checks/Conditions/Trials.h"

using namespace mlir;
using namespace evo;
using namespace evo::conditions;

using NodeKind = KernelConditions::Op;

/// A number that a caller hands over, held against what threads compute for
/// themselves (the chance of an element to be dropped): it is made what some
/// thread has, and its neighbours, for that one to be on the edge.
LogicalResult ConditionTrials::tryThresholds(const Asked &one) {
  constexpr unsigned points = 4, perPoint = 24;
  const KernelConditions &graph = *one.graph;
  const std::vector<bool> ofSizes = findOfSizes(graph);
  const Bindings base = state.tried.getSmallWithInterior(state.kernel);
  std::set<std::string> dims;
  for (StringRef dim : state.kernel.getDimensionNames())
    dims.insert(dim.str());
  for (const KernelConditions::Condition &condition : graph.conditions) {
    unsigned node = condition.node;
    while (graph.nodes[node].op == NodeKind::Not)
      node = graph.nodes[node].operands[0];
    const KernelConditions::Node &comparison = graph.nodes[node];
    if (comparison.op != NodeKind::Eq && comparison.op != NodeKind::ULt &&
        comparison.op != NodeKind::SLt)
      continue;
    for (unsigned side : {0, 1}) {
      const unsigned own = comparison.operands[1 - side];
      const std::optional<unsigned> argument =
          getArgument(graph, comparison.operands[side]);
      if (!argument || ofSizes[own] ||
          *argument >= one.launch.arguments.size() ||
          !one.launch.arguments[*argument])
        continue;
      const std::string name = one.launch.arguments[*argument]->str();
      ArgumentAttr scalar = state.kernel.lookupArgument(name);
      if (!scalar || scalar.isBuffer() || dims.count(name) ||
          !isa<IntegerType>(scalar.getElementType()))
        continue;
      for (unsigned point = 0, drawn = 0; point < points && drawn < perPoint;
           ++drawn) {
        const std::vector<uint64_t> values =
            evaluate(graph, drawLeaves(one, base, nullptr));
        if (!holdsOnPath(condition, values))
          continue;
        ++point;
        for (int64_t next : {0, 1, -1}) {
          Bindings sizes = base;
          sizes[name] = static_cast<int64_t>(values[own]) + next;
          if (failed(tryAt(one, sizes)))
            return failure();
        }
      }
    }
  }
  return success();
}
