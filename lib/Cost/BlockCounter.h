// What one block of each launch of a plan does at a workload's size.
#ifndef EVO_LIB_COST_BLOCKCOUNTER_H
#define EVO_LIB_COST_BLOCKCOUNTER_H

#include "TimeModel.h"
#include "evo/Dialect/Evo/IR/Evo.h"
#include "evo/Simulator/Plan/ExecutablePlan.h"

namespace evo {

/// Of one launch: facts with the counters of its middle block, and what a warp
/// of it asks of L1 (CacheObserver.h).
struct LaunchCount {
  std::string kernel;
  uint64_t dynamicShared = 0; ///< bytes of a block
  LaunchFacts facts;          ///< without the ratios that follow from the rest
  uint64_t requested = 0, lines = 0, misses = 0, distinct = 0;
};

/// Counts blocks of a variant. A block that takes long at the full size is
/// counted at smaller ones: what a loop nest counts is linear in each dimension
/// alone, so long dimensions are cut to two sizes each, of the same remainder
/// as their own (alignment and tails stay), and the counts are extended from
/// those. Only what the launch needs is cut: a tile that a dimension ends in is
/// no longer linear in it.
class BlockCounter {
public:
  BlockCounter(VariantOp variant, const ExecutablePlan &plan,
               const target::TargetInfo &target, TargetAttrInterface device)
      : variant(variant), plan(plan), target(target), device(device) {}

  /// At these sizes, in the order of the launches. Fails, with the reason,
  /// where the kernel is at fault or nothing smaller stands for the sizes.
  llvm::Expected<std::vector<LaunchCount>> count(const Bindings &sizes);

private:
  using Counts = std::vector<LaunchCount>;
  /// Why a block was not counted; the kernel's own fault if it is not `isLong`.
  struct Obstacle {
    bool isLong = false;
    bool hasIndices = false; ///< integers that are likely to be places
    std::string reason;
  };
  struct Memory;

  VariantOp variant;
  const ExecutablePlan &plan;
  const target::TargetInfo &target;
  TargetAttrInterface device; ///< whose architecture requirements name

  llvm::Error reserve(const Bindings &sizes, Memory &memory) const;
  LaunchCount describe(const ExecutablePlan::Configuration &launch,
                       uint64_t bufferBytes) const;
  /// One launch, or all of them, within so many lane instructions.
  std::optional<Counts> run(const Bindings &sizes, std::optional<size_t> launch,
                            uint64_t maxInstructions, Obstacle &obstacle) const;
  std::optional<LaunchCount> describeOnly(const Bindings &sizes, size_t launch,
                                          Obstacle &obstacle) const;
  std::optional<LaunchCount> extend(Bindings sizes, size_t launch,
                                    llvm::ArrayRef<llvm::StringRef> dims,
                                    int64_t base, Obstacle &obstacle) const;
  llvm::SmallVector<llvm::SmallVector<llvm::StringRef>>
  chooseCuts(const Bindings &sizes, size_t launch,
             llvm::SmallVectorImpl<llvm::StringRef> &inner) const;
  std::optional<LaunchCount> countCut(const Bindings &sizes,
                                      size_t launch) const;
  bool isServed(const Bindings &sizes) const;
};

} // namespace evo

#endif
