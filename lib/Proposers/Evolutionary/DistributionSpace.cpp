// The space of cooperative loop distribution: for kernels whose threads run
// loops independently.
#include "Space.h"
#include "mlir/Analysis/CFGLoopInfo.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Dominance.h"

using namespace mlir;
using namespace evo;

unsigned evo::getLoopDepth(ReferenceOp reference) {
  unsigned depth = 0;
  reference.walk([&](LLVM::LLVMFuncOp function) {
    if (function.getBody().getBlocks().size() < 2)
      return;
    DominanceInfo dominance(function);
    CFGLoopInfo loops(dominance.getDomTree(&function.getBody()));
    for (Block &block : function.getBody())
      depth = std::max(depth, loops.getLoopDepth(&block));
  });
  return depth;
}

namespace {
class DistributionSpace : public Space {
public:
  DistributionSpace(ArrayRef<std::string> kernels, bool hasRows,
                    bool hasNests) {
    name = "distribute-loops";
    // Threads per group and groups per block: a group of several warps takes a
    // whole block.
    knobs.push_back({"group", {"256 1"}});
    if (hasRows)
      knobs.back().values = {"32 4", "256 1", "8 16", "128 1", "32 8",  "16 8",
                             "32 1", "64 1",  "8 32", "4 32",  "32 16", "8 4"};
    for (StringRef large : {"512 1", "1024 1", "32 1", "128 1"})
      if (!llvm::is_contained(knobs.back().values, large))
        knobs.back().values.push_back(large.str());
    // A row that one thread scans occupies many groups in segments.
    if (!hasRows)
      knobs.push_back({"segments", {"1", "1024", "256", "64"}});
    if (hasNests)
      knobs.push_back({"loops", {"innermost", "outermost"}});
    if (kernels.size() > 1) {
      knobs.push_back({"kernel", {"all"}});
      llvm::append_range(knobs.back().values, kernels);
    }
    knobs.push_back({"unroll", {"default", "4", "8", "2"}});
  }

  bool isSensible(const Point &point) const override {
    auto segments = point.find("segments");
    if (segments == point.end())
      return true;
    // About as many threads as are resident on a device; more are of no use.
    constexpr int64_t maxThreads = 1 << 18;
    int64_t count = 1, size = 1;
    StringRef(segments->second).getAsInteger(10, count);
    StringRef(point.at("group")).split(' ').first.getAsInteger(10, size);
    return count * size <= maxThreads;
  }

  ProposalOp propose(OpBuilder &b, KernelOp kernel, StringRef symbol,
                     const Point &point, StringRef parent) const override {
    std::string text;
    if (auto only = point.find("kernel");
        only != point.end() && only->second != "all")
      text += "only " + only->second + "\n";
    auto [size, rows] = StringRef(point.at("group")).split(' ');
    text += ("block " + rows + " 1 1\n").str();
    if (auto segments = point.find("segments");
        segments != point.end() && segments->second != "1")
      text += "reduce-then-scan " + segments->second + "\n";
    text += ("distribute-loops " + size).str();
    if (auto loops = point.find("loops");
        loops != point.end() && loops->second == "outermost")
      text += " outermost";
    text += "\n";
    if (point.at("unroll") != "default")
      text += "unroll " + point.at("unroll") + "\n";
    return createProposal(b, kernel, symbol, Genome::Options, text, {}, point,
                          parent);
  }
};
} // namespace

std::unique_ptr<Space> evo::createDistributionSpace(KernelOp kernel) {
  ReferenceOp reference = kernel.getReference();
  if (!reference || !reference.isLaunchPlan() || communicates(reference))
    return nullptr;
  std::vector<std::string> kernels;
  bool hasRows = false;
  for (auto launch : reference.getBody().getOps<LaunchOp>()) {
    std::string name = launch.getCallee().getLeafReference().str();
    if (!llvm::is_contained(kernels, name))
      kernels.push_back(std::move(name));
    for (auto [dim, expr] :
         llvm::enumerate(launch.getBlock().getAsRange<ExprAttr>())) {
      std::optional<int64_t> extent = expr.getValue().getAsConstant();
      if (!extent || (dim > 0 && *extent != 1))
        return nullptr;
      hasRows |= *extent != 1;
    }
  }
  unsigned depth = getLoopDepth(reference);
  if (depth == 0)
    return nullptr;
  return std::make_unique<DistributionSpace>(kernels, hasRows, depth > 1);
}
