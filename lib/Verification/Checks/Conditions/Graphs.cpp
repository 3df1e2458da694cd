// Questions about the graph of a kernel's conditions.
#include "Verification/Checks/Conditions/Graphs.h"

using namespace evo;
using namespace evo::conditions;

using NodeKind = KernelConditions::Op;

bool conditions::isExtent(const KernelConditions &graph, unsigned node) {
  const KernelConditions::Node &value = graph.nodes[node];
  switch (value.op) {
  case NodeKind::Argument:
    return true;
  case NodeKind::Mul:
    return llvm::all_of(value.operands, [&](unsigned operand) {
      return graph.nodes[operand].op == NodeKind::Constant ||
             isExtent(graph, operand);
    });
  case NodeKind::ZExt:
  case NodeKind::SExt:
  case NodeKind::Trunc:
    return llvm::all_of(value.operands, [&](unsigned operand) {
      return isExtent(graph, operand);
    });
  default:
    return false;
  }
}

bool conditions::isEndOfLoop(const KernelConditions &graph, unsigned node) {
  const KernelConditions::Node &comparison = graph.nodes[node];
  if (comparison.op == NodeKind::Not)
    return isEndOfLoop(graph, comparison.operands[0]);
  if (comparison.op != NodeKind::Eq && comparison.op != NodeKind::ULt &&
      comparison.op != NodeKind::SLt)
    return false;
  auto isPlace = [&](unsigned operand) {
    const NodeKind kind = graph.nodes[operand].op;
    return kind == NodeKind::Unknown || kind == NodeKind::ThreadId ||
           (kind == NodeKind::Add &&
            llvm::any_of(graph.nodes[operand].operands, [&](unsigned part) {
              return graph.nodes[part].op == NodeKind::Unknown;
            }));
  };
  const unsigned a = comparison.operands[0], b = comparison.operands[1];
  return (isPlace(a) && isExtent(graph, b)) ||
         (isPlace(b) && isExtent(graph, a));
}

std::vector<bool> conditions::findOfSizes(const KernelConditions &graph) {
  std::vector<bool> result;
  for (const KernelConditions::Node &node : graph.nodes)
    result.push_back(
        node.op == NodeKind::Constant || node.op == NodeKind::Argument ||
        node.op == NodeKind::BlockDim || node.op == NodeKind::GridDim ||
        (node.op > NodeKind::Unknown &&
         llvm::all_of(node.operands,
                      [&](unsigned operand) { return result[operand]; })));
  return result;
}

std::optional<int64_t> conditions::getProduct(const KernelConditions &graph,
                                              unsigned node) {
  const KernelConditions::Node &comparison = graph.nodes[node];
  if (comparison.op == NodeKind::Not)
    return getProduct(graph, comparison.operands[0]);
  if (comparison.op != NodeKind::Eq)
    return std::nullopt;
  for (unsigned side : {0, 1}) {
    const KernelConditions::Node &number =
        graph.nodes[comparison.operands[1 - side]];
    const unsigned extent = comparison.operands[side];
    if (number.op == NodeKind::Constant &&
        graph.nodes[extent].op != NodeKind::Argument && isExtent(graph, extent))
      return static_cast<int64_t>(number.value);
  }
  return std::nullopt;
}

std::optional<unsigned> conditions::getArgument(const KernelConditions &graph,
                                                unsigned node) {
  const KernelConditions::Node &value = graph.nodes[node];
  switch (value.op) {
  case NodeKind::Argument:
    return static_cast<unsigned>(value.value);
  case NodeKind::ZExt:
  case NodeKind::SExt:
  case NodeKind::Trunc:
    return getArgument(graph, value.operands[0]);
  default:
    return std::nullopt;
  }
}

bool conditions::holdsOnPath(const KernelConditions::Condition &condition,
                             llvm::ArrayRef<uint64_t> values) {
  return llvm::all_of(condition.path, [&](const KernelConditions::Fact &fact) {
    return bool(values[fact.first]) == fact.second;
  });
}
