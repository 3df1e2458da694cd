// Which sizes a candidate is tried on.
#ifndef EVO_LIB_VERIFICATION_SAMPLING_SHAPES_H
#define EVO_LIB_VERIFICATION_SAMPLING_SHAPES_H

#include "evo/Analysis/Literals.h"
#include "evo/Dialect/Evo/IR/Evo.h"
#include "evo/Support/IntExpr.h"
#include "evo/Support/Random.h"

namespace evo {

/// Up to `count` different bindings of the contract's dimensions and integer
/// scalars, cheapest first. All satisfy the requirements of the contract and of
/// the plan; boundaries of `constants` (tile sizes and the like) are preferred.
/// What `work` says of a shape stays below `workLimit` where the requirements
/// leave a choice. Empty where no sizes can be found.
std::vector<Bindings>
sampleShapes(KernelOp kernel, LaunchPlanOpInterface plan,
             llvm::ArrayRef<int64_t> constants, TargetAttrInterface target,
             unsigned count, int64_t workLimit,
             llvm::function_ref<int64_t(const Bindings &)> work, Random random);

/// One shape beside `others` that no other candidate of a search need have had,
/// drawn from the seed and what is judged: all candidates share the seed, and
/// what refuted one of them is told to whoever proposes the next. None where no
/// further sizes can be found.
std::optional<Bindings> sampleHeldOutShape(
    KernelOp kernel, LaunchPlanOpInterface plan,
    llvm::ArrayRef<int64_t> constants, TargetAttrInterface target,
    int64_t workLimit, llvm::function_ref<int64_t(const Bindings &)> work,
    llvm::ArrayRef<Bindings> others, uint64_t seed, llvm::StringRef hash);

struct LiteralShapes {
  std::vector<Bindings> shapes;
  unsigned leftOut = 0; ///< literals of sizes that no shape has
};

/// Up to `count` shapes with a dimension at a literal of sizes, or just
/// above it, and all others small; cheap ones, where there are any, and none at
/// four times `workLimit`. What a kernel does at one size alone shows at that
/// size. Extents of `tried` shapes with an interior are left out. First come
/// all literals, then their successors. Then up to `combined` shapes with
/// several dimensions at literals.
LiteralShapes
sampleLiteralShapes(KernelOp kernel, LaunchPlanOpInterface plan,
                    const Literals &literals, TargetAttrInterface target,
                    unsigned count, unsigned combined, int64_t workLimit,
                    llvm::function_ref<int64_t(const Bindings &)> work,
                    llvm::ArrayRef<Bindings> tried, Random random);

/// Shapes at which a loop runs a second time whose stride is that of a whole
/// grid that does not grow with the sizes, or, of plans with several launches,
/// that deals out results of blocks among the threads of one. Cheap ones only.
std::vector<Bindings>
sampleSecondTripShapes(KernelOp kernel, LaunchPlanOpInterface plan,
                       llvm::ArrayRef<int64_t> constants, unsigned launches,
                       TargetAttrInterface target, int64_t workLimit,
                       llvm::function_ref<int64_t(const Bindings &)> work,
                       llvm::function_ref<uint64_t(const Bindings &)> threads,
                       llvm::ArrayRef<Bindings> tried, Random random);

/// Shapes to be looked at and not run: each dimension by itself where limits of
/// grids and of shared memory lie, all others small.
std::vector<Bindings> sampleLimitShapes(KernelOp kernel,
                                        LaunchPlanOpInterface plan,
                                        TargetAttrInterface target,
                                        Random random);

/// `base` with one dimension an eighth longer, or as much more as requirements
/// ask for; none where they forbid it.
std::optional<Bindings> growDimension(KernelOp kernel,
                                      LaunchPlanOpInterface plan,
                                      TargetAttrInterface target,
                                      const Bindings &base,
                                      llvm::StringRef dim);

/// Calls `act` for each integer scalar that is bound and declares a range, half
/// open. False where `act` was for one, or a range is empty.
bool forEachScalar(
    KernelOp kernel, const Bindings &sizes,
    llvm::function_ref<bool(llvm::StringRef name, int64_t lower, int64_t upper)>
        act);

/// Brings integer scalars, of which the range hangs on dimensions, back into
/// it, where these are others than before.
void fitScalars(KernelOp kernel, Bindings &sizes);

/// Whether the requirements of contract and plan hold, and integer scalars are
/// in their ranges.
bool meetsRequirements(KernelOp kernel, LaunchPlanOpInterface plan,
                       const Bindings &sizes, TargetAttrInterface target);

/// "M = 3, N = 5", names sorted.
std::string printBindings(const Bindings &bindings);

/// Whether a stencil has something to do there: no extent is below 3.
bool hasInterior(KernelOp kernel, const Bindings &sizes);

/// For each dimension a shape in which it is 0.
std::vector<Bindings> sampleEmptyShapes(KernelOp kernel,
                                        LaunchPlanOpInterface plan,
                                        TargetAttrInterface target,
                                        Random random);

/// For each dimension the shape where block `block` is the last one of the
/// first launch and begins there, all others being `min`, or 1 where
/// requirements ask for that, or what they ask for and `tried` therefore has.
std::vector<Bindings> sampleShapesOfGrids(
    KernelOp kernel, LaunchPlanOpInterface plan, int64_t block,
    TargetAttrInterface target, int64_t min, const Bindings &tried,
    llvm::function_ref<uint64_t(const Bindings &)> countBlocks, Random random);

} // namespace evo

#endif
