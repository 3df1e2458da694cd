// The order in which diverged lanes run. A plain reverse post order may place a
// loop's exit before parts of its body; lanes that leave early would then run
// ahead instead of waiting for the rest. So loops are collapsed to single
// nodes, innermost last: within each loop its direct blocks and child loops are
// put in topological order, and a child loop expands in place. Irreducible
// cycles are not loops to LoopInfo; they run correctly in whatever order
// results, only with less reconvergence.
#include "Decoder.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"

using namespace llvm;

namespace evo::sim {
namespace {

class Orderer {
public:
  explicit Orderer(const Function &f)
      : tree(const_cast<Function &>(f)), loops(tree) {}

  void expand(const Loop *loop, const BasicBlock *entry,
              std::vector<const BasicBlock *> &out) {
    // Post order over the collapsed graph, by an explicit stack: kernels with
    // thousands of blocks must not overflow the host's.
    std::vector<const BasicBlock *> post;
    DenseSet<const BasicBlock *> seen;
    struct Frame {
      const BasicBlock *node;
      std::vector<const BasicBlock *> next;
    };
    std::vector<Frame> stack;
    auto push = [&](const BasicBlock *b) {
      if (seen.insert(b).second)
        stack.push_back({b, successors(loop, b)});
    };
    push(entry);
    while (!stack.empty()) {
      if (stack.back().next.empty()) {
        post.push_back(stack.back().node);
        stack.pop_back();
        continue;
      }
      const BasicBlock *n = stack.back().next.back();
      stack.back().next.pop_back();
      push(n);
    }
    for (auto it = post.rbegin(); it != post.rend(); ++it) {
      if (const Loop *child = childAt(loop, *it))
        expand(child, *it, out);
      else
        out.push_back(*it);
    }
  }

private:
  DominatorTree tree;
  LoopInfo loops;

  /// The loop directly inside `loop` that contains `b`, if any.
  const Loop *childAt(const Loop *loop, const BasicBlock *b) const {
    const Loop *l = loops.getLoopFor(b);
    if (l == loop)
      return nullptr;
    while (l && l->getParentLoop() != loop)
      l = l->getParentLoop();
    return l;
  }

  /// Representatives of the nodes that follow the node of `b`.
  std::vector<const BasicBlock *> successors(const Loop *loop,
                                             const BasicBlock *b) const {
    std::vector<const BasicBlock *> out;
    auto add = [&](const BasicBlock *s) {
      if (loop && (!loop->contains(s) || s == loop->getHeader()))
        return;
      if (const Loop *child = childAt(loop, s))
        s = child->getHeader();
      out.push_back(s);
    };
    if (const Loop *child = childAt(loop, b)) {
      SmallVector<BasicBlock *, 8> exits;
      child->getExitBlocks(exits);
      for (const BasicBlock *s : exits)
        add(s);
    } else {
      for (const BasicBlock *s : llvm::successors(b))
        add(s);
    }
    // The first successor is visited last, so that "then" precedes "else".
    return out;
  }
};

} // namespace

std::vector<const BasicBlock *> executionOrder(const Function &function) {
  std::vector<const BasicBlock *> out;
  Orderer(function).expand(nullptr, &function.getEntryBlock(), out);
  return out;
}

} // namespace evo::sim
