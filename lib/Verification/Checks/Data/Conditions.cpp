// Conditions of the code that come out in a way that no sample so far can have
// had: sizes and data for it are solved for, and run. What samples can have had
// is found by evaluating the conditions at their sizes, with threads, blocks,
// counters and data by chance.
#include "Verification/Checks/Registry.h"
#include "Verification/SampleRunner.h"
#include "Verification/Sampling/ShapeSampler.h"
#include "evo/Prove/ConditionSolver.h"

using namespace mlir;
using namespace evo;

using NodeKind = KernelConditions::Op;

static constexpr BudgetLine maxGoals{
    "conditions", "ways of conditions that are solved for", 8, 48, 512};
static constexpr BudgetLine maxSamples{"samples", "that come of them", 4, 20,
                                       200};
static constexpr BudgetLine maxEffort{
    "solver-effort", "the solver's measure of work, for all of them together",
    3'000'000, 12'000'000, 100'000'000};
static constexpr BudgetLine maxWork{"work", "estimated work of a shape",
                                    160'000, 600'000, 1'600'000};
static constexpr BudgetLine maxInstructions{
    "instructions",
    "lane instructions of one run of both at a shape, as "
    "estimated",
    4'000'000, 12'000'000, 60'000'000};
static constexpr BudgetLine maxPoints{
    "points",
    "threads, blocks, counters and data by chance that conditions are "
    "evaluated with at the sizes of a sample of earlier checks",
    192};
static constexpr BudgetLine maxLaterPoints{
    "later-points", "the same at the sizes of a sample that comes of them", 64};
static constexpr BudgetLine maxSweptPoints{
    "swept-points", "the same at sizes that are only looked through", 8};
static constexpr BudgetLine maxSwept{"swept-sizes",
                                     "such sizes for each kernel", 8192};
static constexpr const BudgetLine *lines[] = {
    &maxGoals,  &maxSamples,     &maxEffort,      &maxWork, &maxInstructions,
    &maxPoints, &maxLaterPoints, &maxSweptPoints, &maxSwept};

namespace {
/// One launch with the graph of its kernel, of the candidate or the reference:
/// what that does in a case of its own the candidate may leave out.
struct Asked {
  const KernelConditions *graph;
  LaunchFormulas launch;
  LoadedRanges ranges;
  /// By condition: at how many sizes it can have been false, and true.
  std::vector<std::array<unsigned, 2>> seen;
};

class ConditionTrials {
public:
  ConditionTrials(VerificationState &state, Budget budget)
      : state(state), budget(budget),
        random(state.options.seed ^ 0x636f6e6473) {}

  void prepare();
  LogicalResult solveAll();

private:
  VerificationState &state;
  Budget budget;
  Random random;
  std::vector<Asked> asked;
  uint64_t samples = 0;
  std::set<std::string> boundaries; ///< sizes that were tried there

  /// With `isLowered` the loops of a plan are nobody's code.
  void prepare(const ExecutablePlan &plan, bool isLowered);

  /// A way of a condition.
  using Way = std::pair<size_t, bool>;
  using Ways = std::set<Way>;

  std::vector<uint64_t> drawLeaves(const Asked &one, const Bindings &sizes,
                                   const ConditionModel *model);
  /// Notes the ways that conditions go at these sizes; with `fresh` those that
  /// hardly a sample can have had are written there instead.
  void see(Asked &one, const Bindings &sizes, uint64_t points,
           const ConditionModel *model = nullptr, Ways *fresh = nullptr);
  LogicalResult sweep(Asked &one);
  LogicalResult tryBoundaries(const Asked &one);
  LogicalResult tryProducts(const Asked &one);
  LogicalResult tryThresholds(const Asked &one);
  /// Sizes that were not tried so before, where the budget lasts.
  LogicalResult tryAt(const Asked &one, const Bindings &sizes);
  void shorten(Bindings &sizes);
  LogicalResult tryModel(const Asked &one, const ConditionModel &model);
};
} // namespace

/// What the formula says, or one.
static uint64_t evaluateOr1(const IntExpr &expr, const Bindings &sizes) {
  llvm::Expected<int64_t> value = expr.evaluate(sizes);
  if (!value)
    return llvm::consumeError(value.takeError()), 1;
  return static_cast<uint64_t>(std::max<int64_t>(1, *value));
}

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

namespace {
/// What a launch hands to its threads at given sizes.
struct LaunchValues {
  std::array<uint64_t, 3> grid = {1, 1, 1}, block = {1, 1, 1};
  std::vector<uint64_t> arguments;

  LaunchValues(const LaunchFormulas &launch, const Bindings &sizes) {
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
  /// Of a leaf that is the same for all threads.
  std::optional<uint64_t> valueOf(const KernelConditions::Node &node) const {
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
};
} // namespace

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

static bool holdsOnPath(const KernelConditions::Condition &condition,
                        const std::vector<uint64_t> &values) {
  return llvm::all_of(condition.path, [&](const KernelConditions::Fact &fact) {
    return bool(values[fact.first]) == fact.second;
  });
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

/// An argument, or a product of some: what a loop over elements ends at.
static bool isExtent(const KernelConditions &graph, unsigned node) {
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

/// Ends of loops: where a place of a thread's own meets an extent.
static bool isEndOfLoop(const KernelConditions &graph, unsigned node) {
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

void ConditionTrials::prepare() {
  prepare(*state.preOptimised, /*isLowered=*/false);
  prepare(*state.reference, !state.kernel.getReference().isLaunchPlan());
}

void ConditionTrials::prepare(const ExecutablePlan &plan, bool isLowered) {
  for (size_t launch = 0; launch < plan.getNumLaunches(); ++launch) {
    LaunchFormulas formulas = plan.getFormulas(launch);
    auto graph = llvm::find_if(plan.getConditions(), [&](const auto &graph) {
      return graph.kernel == formulas.kernel;
    });
    if (graph == plan.getConditions().end() || graph->isEmpty())
      continue;
    Asked one{&*graph, std::move(formulas), {}, {}};
    for (const std::string &name : one.launch.names) {
      ArgumentAttr arg = state.kernel.lookupArgument(name);
      DomainAttr domain = arg ? arg.getDomain() : DomainAttr();
      if (domain && domain.getLower() && isa<ExprAttr>(domain.getLower()) &&
          isa<ExprAttr>(domain.getUpper()))
        one.ranges.emplace_back(
            std::pair(domain.getLowerExpr(), domain.getUpperExpr()));
      else
        one.ranges.emplace_back();
    }
    one.seen.resize(graph->conditions.size());
    // Loops that a tensor-level reference was lowered to end at any size.
    if (isLowered)
      for (auto [condition, seen] : llvm::zip(graph->conditions, one.seen))
        if (isEndOfLoop(*graph, condition.node))
          seen = {1, 1};
    for (size_t i = 0; i < state.tried.size(); ++i)
      see(one, state.tried[i].sizes, budget[maxPoints]);
    asked.push_back(std::move(one));
  }
}

/// A solver gives any sizes. The longest dimension is likely what a condition
/// asks for, and the others may be short where all of them are too much.
void ConditionTrials::shorten(Bindings &sizes) {
  StringRef longest;
  for (StringRef dim : state.kernel.getDimensionNames())
    if (longest.empty() || sizes.lookup(dim) > sizes.lookup(longest))
      longest = dim;
  for (int64_t extent : {8, 2, 1})
    for (StringRef dim : state.kernel.getDimensionNames()) {
      if (static_cast<uint64_t>(state.estimateWork(sizes)) <= budget[maxWork])
        return;
      Bindings shorter = sizes;
      shorter[dim] = extent;
      if (dim != longest && sizes.lookup(dim) > extent &&
          state.meetsRequirements(shorter))
        sizes = std::move(shorter);
    }
}

/// Puts what loads have to give into half of the elements, and runs that.
LogicalResult ConditionTrials::tryModel(const Asked &one,
                                        const ConditionModel &model) {
  // Adds scalars.
  std::optional<Bindings> sizes =
      ShapeSampler(state.kernel, state.plan, {}, state.options.target,
                   random.split())
          .drawAt(model.sizes, 1, 1);
  if (!sizes)
    return success();
  for (const auto &given : model.sizes)
    (*sizes)[given.first()] = given.second;
  if (!state.meetsRequirements(*sizes))
    return success();
  shorten(*sizes);
  if (!state.reference->launchesBlocks(*sizes) ||
      static_cast<uint64_t>(state.estimateWork(*sizes)) > budget[maxWork] ||
      state.estimateInstructions(*sizes) > budget[maxInstructions])
    return success();
  llvm::Expected<TrialInputs> inputs =
      drawInputs(state.kernel, *sizes, Distribution::Normal, {}, random.split(),
                 /*generic=*/true);
  if (!inputs)
    return llvm::consumeError(inputs.takeError()), success();
  ++samples;
  for (const auto &[argument, value] : model.loaded) {
    if (argument >= one.launch.names.size())
      continue;
    for (TrialInputs::Buffer &buffer : inputs->buffers) {
      DomainAttr domain = buffer.arg.getDomain();
      if (!buffer.arg.isRead() ||
          buffer.arg.getName().getValue() != one.launch.names[argument] ||
          (domain && isa<IntegerType>(buffer.arg.getElementType()) &&
           domain.getKind() != DomainKind::Range))
        continue;
      const unsigned bytes = getElementBytes(buffer.arg.getElementType());
      for (uint64_t i = 0; i < buffer.elements; ++i)
        // The first one is read whatever the sizes are.
        if (i == 0 || random.below(2))
          std::memcpy(buffer.contents.data() + i * bytes, &value, bytes);
    }
  }
  SampleKind kind;
  kind.values = getDistributionName(Distribution::Normal);
  kind.runPreOptimised = true;
  return success(
      succeeded(SampleRunner(state).tryBeyond(*inputs, kind, random)));
}

/// Sizes that relations between extents are found at: each dimension by itself,
/// any two of them equal, and as factors of a number of the code. Solvers find
/// products and remainders of two unknowns the hardest.
static std::vector<Bindings> listRelated(KernelOp kernel, const Bindings &base,
                                         const KernelConditions &graph,
                                         uint64_t max) {
  constexpr int64_t longest = 640, smallestProduct = 4,
                    largestProduct = 1 << 20;
  std::vector<Bindings> result;
  auto add = [&](std::initializer_list<std::pair<StringRef, int64_t>> extents) {
    Bindings sizes = base;
    for (const auto &[dim, extent] : extents)
      sizes[dim] = extent;
    if (result.size() < max)
      result.push_back(std::move(sizes));
  };
  const auto dims = kernel.getDimensionNames();
  std::set<int64_t> products;
  for (const KernelConditions::Node &node : graph.nodes)
    if (node.op == NodeKind::Constant &&
        node.value >= uint64_t(smallestProduct) &&
        node.value <= uint64_t(largestProduct))
      for (int64_t next : {-1, 0, 1})
        products.insert(static_cast<int64_t>(node.value) + next);
  for (size_t a = 0; a < dims.size(); ++a)
    for (size_t b = a + 1; b < dims.size(); ++b)
      for (int64_t product : products)
        // A flat pair costs as little to run as a square one, and one of
        // medium shape is what conditions on tiles let through.
        for (int64_t factor = 1; factor * factor <= product; ++factor)
          if (product % factor == 0) {
            add({{dims[a], factor}, {dims[b], product / factor}});
            add({{dims[a], product / factor}, {dims[b], factor}});
          }
  for (int64_t extent = 1; extent <= longest; ++extent)
    for (size_t a = 0; a < dims.size(); ++a) {
      add({{dims[a], extent}});
      for (size_t b = a + 1; b < dims.size(); ++b)
        add({{dims[a], extent}, {dims[b], extent}});
    }
  return result;
}

/// Finds by evaluation at many sizes which of them have ways that hardly a
/// sample had, and runs for each way the cheapest, the cheapest in which two
/// dimensions are the longest, and one by chance: at one of them what is wrong
/// may do no harm, as where a pattern is longer than all that it is looked for
/// in.
LogicalResult ConditionTrials::sweep(Asked &one) {
  struct Found {
    int64_t work;
    Bindings cheapest, other;
    std::optional<Bindings> square;
    int64_t workOfSquare = INT64_MAX;
    unsigned count = 1;
  };
  auto isSquare = [&](const Bindings &sizes) {
    int64_t longest = 0;
    unsigned count = 0;
    for (StringRef dim : state.kernel.getDimensionNames()) {
      const int64_t extent = sizes.lookup(dim);
      count = extent > longest ? 1 : count + (extent == longest);
      longest = std::max(longest, extent);
    }
    return count > 1;
  };
  std::map<Way, Found> found;
  std::set<std::string> done;
  for (size_t i = 0; i < state.tried.size(); ++i)
    done.insert(printBindings(state.tried[i].sizes));
  const Bindings base = state.tried.getSmallWithInterior(state.kernel);
  for (const Bindings &sizes :
       listRelated(state.kernel, base, *one.graph, budget[maxSwept])) {
    const int64_t work = state.estimateWork(sizes);
    if (work > static_cast<int64_t>(budget[maxWork]) ||
        !state.meetsRequirements(sizes) || done.count(printBindings(sizes)))
      continue;
    Ways fresh;
    see(one, sizes, budget[maxSweptPoints], nullptr, &fresh);
    for (const Way &way : fresh) {
      auto [entry, isNew] = found.try_emplace(way, Found{work, sizes, sizes});
      Found &known = entry->second;
      if (work < known.workOfSquare && isSquare(sizes)) {
        known.square = sizes;
        known.workOfSquare = work;
      }
      if (isNew)
        continue;
      if (random.below(++known.count) == 0)
        known.other = sizes;
      if (work < known.work) {
        known.work = work;
        known.cheapest = sizes;
      }
    }
  }
  enum class Which { Cheapest, Square, Other };
  for (Which which : {Which::Cheapest, Which::Square, Which::Other})
    for (const auto &[way, known] : found) {
      ConditionModel model;
      model.sizes = which == Which::Cheapest ? known.cheapest
                    : which == Which::Square
                        ? known.square.value_or(known.cheapest)
                        : known.other;
      if (samples >= budget[maxSamples] || state.isDecided())
        return success();
      const unsigned seen = one.seen[way.first][way.second];
      if ((which == Which::Cheapest && seen) ||
          (which == Which::Other && seen > 1) ||
          !done.insert(printBindings(model.sizes)).second)
        continue;
      if (failed(tryModel(one, model)))
        return failure();
      see(one, model.sizes, budget[maxLaterPoints]);
    }
  return success();
}

/// For each node whether sizes alone decide it.
static std::vector<bool> findOfSizes(const KernelConditions &graph) {
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

/// Each node at these sizes, of what sizes alone decide.
static std::vector<uint64_t> evaluateAt(const KernelConditions &graph,
                                        const LaunchFormulas &launch,
                                        const Bindings &sizes) {
  const LaunchValues launched(launch, sizes);
  std::vector<uint64_t> leaves(graph.nodes.size());
  for (auto [leaf, node] : llvm::zip(leaves, graph.nodes))
    leaf = launched.valueOf(node).value_or(0);
  return evaluate(graph, leaves);
}

/// The number that a condition on sizes holds an extent of several against for
/// equality, if it is one.
static std::optional<int64_t> getProduct(const KernelConditions &graph,
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

/// Whether callers may hand over what `sizes` have of their numbers.
static bool areInRange(KernelOp kernel, const Bindings &sizes) {
  return llvm::all_of(
      kernel.getArgsAttr().getAsRange<ArgumentAttr>(), [&](ArgumentAttr arg) {
        auto value = sizes.find(arg.getName().getValue());
        if (arg.isBuffer() || value == sizes.end() ||
            !isa<IntegerType>(arg.getElementType()))
          return true;
        auto range = getIntegerRange(arg, sizes);
        if (!range)
          return llvm::consumeError(range.takeError()), false;
        return value->second >= range->first && value->second < range->second;
      });
}

LogicalResult ConditionTrials::tryAt(const Asked &one, const Bindings &sizes) {
  if (!areInRange(state.kernel, sizes))
    return success();
  if (samples >= budget[maxSamples] || state.isDecided() ||
      !state.meetsRequirements(sizes) ||
      !boundaries.insert(printBindings(sizes)).second)
    return success();
  ConditionModel model;
  model.sizes = sizes;
  return tryModel(one, model);
}

/// What asks for a product may mean one pair of its factors: the flattest two
/// are tried, however it came out before.
LogicalResult ConditionTrials::tryProducts(const Asked &one) {
  constexpr int64_t longest = 1 << 16;
  const KernelConditions &graph = *one.graph;
  const std::vector<bool> ofSizes = findOfSizes(graph);
  const Bindings base = state.tried.getSmallWithInterior(state.kernel);
  const auto dims = state.kernel.getDimensionNames();
  for (const KernelConditions::Condition &condition : graph.conditions) {
    const std::optional<int64_t> product = getProduct(graph, condition.node);
    if (!product || !ofSizes[condition.node] || *product < 2 ||
        *product > longest)
      continue;
    Bindings other = base;
    other[dims.front()] = *product + 1;
    const uint64_t differs =
        evaluateAt(graph, one.launch, other)[condition.node];
    for (StringRef flat : dims)
      for (StringRef tall : dims) {
        if (flat == tall)
          continue;
        // Others may have to be as long.
        for (int64_t shortest : {int64_t(1), *product}) {
          Bindings sizes = base;
          for (auto &extent : sizes)
            extent.second = std::max(extent.second, shortest);
          sizes[flat] = 1;
          sizes[tall] = *product;
          if (!state.meetsRequirements(sizes) ||
              evaluateAt(graph, one.launch, sizes)[condition.node] == differs)
            continue;
          if (failed(tryAt(one, sizes)))
            return failure();
          break;
        }
      }
  }
  return success();
}

/// Where a condition on sizes changes along a dimension, or along a number that
/// a caller hands over, lie the last size of one way and the first of the
/// other: what is written for the one may not reach that far.
LogicalResult ConditionTrials::tryBoundaries(const Asked &one) {
  constexpr int64_t longest = 1 << 20;
  const KernelConditions &graph = *one.graph;
  const std::vector<bool> ofSizes = findOfSizes(graph);
  const Bindings base = state.tried.getSmallWithInterior(state.kernel);
  std::vector<std::string> names;
  for (StringRef dim : state.kernel.getDimensionNames())
    names.push_back(dim.str());
  // What callers hand over may decide, too.
  for (auto arg : state.kernel.getArgsAttr().getAsRange<ArgumentAttr>())
    if (StringRef name = arg.getName().getValue();
        !arg.isBuffer() && isa<IntegerType>(arg.getElementType()) &&
        base.count(name) && !llvm::is_contained(names, name))
      names.push_back(name.str());
  for (const std::string &dim : names) {
    Bindings sizes = base;
    auto at = [&](int64_t extent) {
      sizes[dim] = extent;
      return evaluateAt(graph, one.launch, sizes);
    };
    std::vector<uint64_t> before = at(1);
    for (int64_t extent = 2; extent <= longest; extent *= 2) {
      const std::vector<uint64_t> now = at(extent);
      std::set<int64_t> found;
      for (const KernelConditions::Condition &condition : graph.conditions) {
        if (!ofSizes[condition.node] ||
            before[condition.node] == now[condition.node])
          continue;
        int64_t low = extent / 2, high = extent;
        while (high - low > 1) {
          const int64_t middle = low + (high - low) / 2;
          (at(middle)[condition.node] == before[condition.node] ? low : high) =
              middle;
        }
        found.insert({low, high});
      }
      for (int64_t boundary : found) {
        sizes[dim] = boundary;
        if (failed(tryAt(one, sizes)))
          return failure();
      }
      before = now;
    }
  }
  return success();
}

/// The argument that a node is, but for its width.
static std::optional<unsigned> getArgument(const KernelConditions &graph,
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

LogicalResult ConditionTrials::solveAll() {
  std::vector<std::string> names;
  std::vector<Requirement> requirements;
  for (StringRef dim : state.kernel.getDimensionNames())
    names.push_back(dim.str());
  for (ArrayAttr attrs :
       {state.kernel.getRequirementsAttr(), state.plan.getRequirementsAttr()})
    if (attrs)
      for (auto attr : attrs.getAsRange<RequirementAttr>())
        requirements.push_back(attr.getValue());
  for (const Asked &one : asked)
    if (failed(tryBoundaries(one)) || failed(tryProducts(one)) ||
        failed(tryThresholds(one)))
      return failure();
  for (Asked &one : asked) {
    const bool isOpen = llvm::any_of(
        one.seen, [](const auto &ways) { return !ways[0] || !ways[1]; });
    if (isOpen && failed(sweep(one)))
      return failure();
  }
  std::optional<ConditionSolver> solver;
  uint64_t goals = 0;
  for (Asked &one : asked)
    for (size_t i = 0; i < one.seen.size(); ++i)
      for (bool wanted : {true, false}) {
        const KernelConditions::Condition &condition = one.graph->conditions[i];
        if (one.seen[i][wanted] || (condition.onlyTrue && !wanted))
          continue;
        if (goals++ >= budget[maxGoals] || samples >= budget[maxSamples] ||
            state.isDecided())
          return success();
        // It costs more than most questions.
        if (!solver)
          solver.emplace(names, requirements, budget[maxEffort]);
        SmallVector<KernelConditions::Fact> facts(condition.path.begin(),
                                                  condition.path.end());
        facts.emplace_back(condition.node, wanted);
        std::optional<ConditionModel> model =
            solver->solve(*one.graph, one.launch, one.ranges, facts);
        if (solver->hasEnded())
          return success();
        if (!model)
          continue;
        if (failed(tryModel(one, *model)))
          return failure();
        see(one, model->sizes, budget[maxLaterPoints], &*model);
      }
  return success();
}

static LogicalResult run(VerificationState &state, Budget budget) {
  if (state.tried.isEmpty())
    return success();
  ConditionTrials trials(state, budget);
  trials.prepare();
  return trials.solveAll();
}

constexpr Check evo::checks::conditions = {
    "conditions",
    "other results where a condition on sizes, blocks, integers or bits of "
    "floats comes out as it did in no sample",
    "one sample for each way of a condition that is solved for; small ones",
    Effort::Quick,
    /*isEssential=*/false,
    lines,
    run};
