// Questions about the graph of a kernel's conditions.
#ifndef EVO_LIB_VERIFICATION_CHECKS_CONDITIONS_GRAPHS_H
#define EVO_LIB_VERIFICATION_CHECKS_CONDITIONS_GRAPHS_H

#include "evo/Analysis/Conditions.h"

namespace evo::conditions {

/// An argument, or a product of some: what a loop over elements ends at.
bool isExtent(const KernelConditions &graph, unsigned node);

/// Ends of loops: where a place of a thread's own meets an extent.
bool isEndOfLoop(const KernelConditions &graph, unsigned node);

/// For each node whether sizes alone decide it.
std::vector<bool> findOfSizes(const KernelConditions &graph);

/// The argument that a node is, but for its width.
std::optional<unsigned> getArgument(const KernelConditions &graph,
                                    unsigned node);

/// The number that a condition on sizes holds an extent of several against for
/// equality, if it is one.
std::optional<int64_t> getProduct(const KernelConditions &graph, unsigned node);

/// Whether all that leads to a condition came out so, by the values of nodes.
bool holdsOnPath(const KernelConditions::Condition &condition,
                 llvm::ArrayRef<uint64_t> values);

} // namespace evo::conditions

#endif
