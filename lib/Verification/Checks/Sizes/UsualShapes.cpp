// Sizes that the contract allows, on data of one distribution after another:
// what wrong kernels usually fail at.
#include "Verification/Budgets.h"
#include "Verification/Checks/Registry.h"
#include "Verification/Sampling/ShapeSampler.h"
#include "Verification/Sampling/Shapes.h"
#include "Verification/ShapeRunner.h"

using namespace mlir;
using namespace evo;

static constexpr BudgetLine maxShapes{
    "shapes",
    "shapes, besides one of which each last tile has one element; one of them "
    "is the candidate's own",
    4, 9, 32};
static constexpr BudgetLine maxDistributions{
    "distributions", "distributions of data on each of them", 1, 2, 4};
static constexpr BudgetLine maxWork{
    "work",
    "estimated work of a shape: the product of all dimensions, or "
    "twice the threads",
    40'000, 150'000, 400'000};
static constexpr BudgetLine moreLarge{
    "more-large-samples",
    "further samples of large data where a dimension is longest", 0, 3, 3};
static constexpr BudgetLine cheapInstructions{
    "large-sample-instructions",
    "lane instructions of one run of both at a shape that has those", 300'000};
static constexpr BudgetLine maxInstructions{
    "instructions",
    "lane instructions of one run of both at a shape, by what those took that "
    "were tried; it is made smaller else",
    4'000'000, 8'000'000, 40'000'000};
static constexpr const BudgetLine *lines[] = {&maxShapes,
                                              &maxDistributions,
                                              &maxWork,
                                              &moreLarge,
                                              &cheapInstructions,
                                              &maxInstructions,
                                              &budgets::preOptimisation};

/// For each dimension the shape in which it is longest.
static std::vector<const Bindings *> findLongest(KernelOp kernel,
                                                 ArrayRef<Bindings> shapes) {
  std::vector<const Bindings *> longest;
  for (StringRef dim : kernel.getDimensionNames())
    longest.push_back(
        llvm::max_element(shapes, [&](const Bindings &a, const Bindings &b) {
          return a.lookup(dim) < b.lookup(dim);
        }));
  return longest;
}

/// All dimensions one beyond a multiple of a power of two, so that the last
/// tile has a single element whichever way one looks; the largest that half of
/// the work affords.
static std::optional<Bindings> chooseLoneEnds(VerificationState &state,
                                              int64_t workLimit) {
  const auto dims = state.kernel.getDimensionNames();
  if (dims.size() < 2)
    return std::nullopt;
  for (int64_t extent : {65, 33, 17, 9}) {
    Bindings sizes;
    for (StringRef dim : dims)
      sizes[dim] = extent;
    std::optional<Bindings> shape =
        ShapeSampler(state.kernel, state.plan, {}, state.options.target,
                     Random(state.options.seed))
            .drawAt(sizes, 1, 1);
    if (shape && state.estimateWork(*shape) <= workLimit / 2)
      return shape;
  }
  return std::nullopt;
}

static std::vector<Bindings> chooseShapes(VerificationState &state,
                                          Budget budget) {
  std::vector<int64_t> constants = state.getConstants();
  const auto workLimit = static_cast<int64_t>(budget[maxWork]);
  auto work = [&](const Bindings &sizes) { return state.estimateWork(sizes); };
  std::vector<Bindings> shapes =
      sampleShapes(state.kernel, state.plan, constants, state.options.target,
                   static_cast<unsigned>(budget[maxShapes]) - 1, workLimit,
                   work, state.random.split());
  if (std::optional<Bindings> heldOut = sampleHeldOutShape(
          state.kernel, state.plan, constants, state.options.target, workLimit,
          work, shapes, state.options.seed, state.hash))
    shapes.push_back(std::move(*heldOut));
  return shapes;
}

/// In the shapes in which a dimension is longest the second sample has numbers
/// beyond the range of exp: a maximum over not quite all of its elements shows
/// in them.
static LogicalResult run(VerificationState &state, Budget budget) {
  state.usualShapes = chooseShapes(state, budget);
  ArrayRef<Bindings> shapes = state.usualShapes;
  const std::vector<const Bindings *> longest =
      findLongest(state.kernel, shapes);
  ShapeRunner runner(state);
  auto chooseTrials = [&](const Bindings &sizes) {
    ShapeTrials trials = {static_cast<unsigned>(budget[maxDistributions])};
    if (llvm::is_contained(longest, &sizes))
      trials.second = Distribution::Large;
    return trials;
  };
  if (failed(runner.tryShapes(shapes, chooseTrials, state.random,
                              budget[maxInstructions])))
    return failure();
  // Of a stream of its own, which changes what nothing else draws.
  if (std::optional<Bindings> lone =
          state.isDecided()
              ? std::nullopt
              : chooseLoneEnds(state, static_cast<int64_t>(budget[maxWork])))
    if (failed(runner.tryShape(*lone, {1},
                               Random(state.options.seed ^ 0x6c6f6e65))))
      return failure();
  // Where an element stands out is chance, so more of them where that is cheap.
  const auto more = static_cast<unsigned>(budget[moreLarge]);
  for (size_t i = 0, end = state.tried.size(); i < end; ++i) {
    const uint64_t instructions = state.tried[i].instructions;
    const Bindings sizes = state.tried[i].sizes;
    bool isLongest = llvm::any_of(
        longest, [&](const Bindings *shape) { return *shape == sizes; });
    if (isLongest && instructions <= budget[cheapInstructions] &&
        !state.isDecided() && more &&
        failed(runner.tryShape(sizes, {1 + more, 1, 0, Distribution::Large},
                               state.random.split())))
      return failure();
  }
  return success();
}

constexpr Check evo::checks::usualShapes = {
    "usual-shapes",
    "wrong results, and in every run accesses out of bounds, races, "
    "misalignment, unwritten values that are read, divergent barriers, traps, "
    "endless loops",
    "grows with shapes, distributions and work; both forms of the candidate "
    "are interpreted",
    Effort::Quick,
    /*isEssential=*/true,
    lines,
    run};
