// Runs of one block, and how counts are extended to larger sizes.
#include "BlockCounter.h"
#include "CacheObserver.h"
#include "FillIndices.h"
#include "evo/Interfaces/Fitness.h"
#include "evo/Support/Sort.h"
#include "llvm/ADT/STLExtras.h"
#include <deque>

using namespace mlir;
using namespace evo;

/// What a buffer may take. A larger one exists where it is touched, and no
/// block touches more of it.
static constexpr uint64_t maxDenseBytes = uint64_t(512) << 20;
/// Lane instructions of all launches together: of a run that is given up for
/// smaller sizes, and of one that nothing stands for.
static constexpr uint64_t maxCheap = 30'000'000, maxEver = 2'000'000'000;
/// A dimension is cut to one and two of these and its remainder.
static constexpr int64_t bases[] = {1024, 256, 64, 16}, shortestBase = 16;
/// Each doubles the runs.
static constexpr size_t maxCutDims = 4;

/// Memory of one workload, of which only what is touched exists.
struct BlockCounter::Memory {
  sim::GlobalMemory memory;
  TrialValues values;
  uint64_t bytes = 0;
  bool hasIndices = false;
};

static void fillWhole(const sim::PageContents &fill, sim::GlobalMemory &memory,
                      sim::BufferId id) {
  const uint64_t bytes = memory.spec(id).bytes;
  std::vector<char> chunk(1 << 15);
  for (uint64_t offset = 0; offset < bytes; offset += chunk.size()) {
    const uint64_t size = std::min<uint64_t>(chunk.size(), bytes - offset);
    fill(offset, chunk.data(), size);
    memory.write(id, offset, chunk.data(), size);
  }
}

llvm::Error BlockCounter::reserve(const Bindings &sizes, Memory &full) const {
  auto kernel = cast<KernelOp>(variant->getParentOp());
  full.values.sizes = sizes;
  for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>()) {
    StringRef name = arg.getName().getValue();
    if (!arg.isBuffer()) {
      if (isa<FloatType>(arg.getElementType())) {
        auto value = dyn_cast_or_null<FloatAttr>(arg.getDefaultValue());
        full.values.floats[name] = value ? value.getValueAsDouble() : 1.0;
      }
      continue;
    }
    sim::BufferSpec spec;
    spec.name = name.str();
    spec.bytes = getElementBytes(arg.getElementType());
    for (const IntExpr &dim : arg.getExtents()) {
      llvm::Expected<int64_t> extent = dim.evaluate(full.values.sizes);
      if (!extent)
        return extent.takeError();
      spec.bytes *= std::max<int64_t>(0, *extent);
    }
    spec.kind = getElementKind(arg.getElementType());
    spec.initialized = true;
    // Small ones are there as a whole, which is faster.
    spec.sparse = spec.bytes > maxDenseBytes;
    spec.storage = maxDenseBytes;
    llvm::Expected<sim::PageContents> fill =
        fillIndices(arg, spec.bytes / getElementBytes(arg.getElementType()),
                    full.values.sizes);
    if (!fill)
      return fill.takeError();
    spec.fill = *fill;
    full.hasIndices |= static_cast<bool>(*fill);
    sim::BufferId id = full.memory.addBuffer(spec);
    if (!full.memory.isMapped(id))
      // unreachable: unless the machine has no room for it
      return llvm::createStringError("no room for '" + spec.name + "'");
    full.values.buffers[name] = id;
    full.bytes += spec.bytes;
    if (!spec.sparse && *fill)
      fillWhole(*fill, full.memory, id);
  }
  return plan.addSparseScratch(full.values, full.memory);
}

/// What the assembler says of `kernel`.
static void addResources(LaunchFacts &fact, VariantOp variant,
                         StringRef kernel) {
  fact.registers = 40; // not assembled yet: a usual number
  ArrayAttr resources = variant.getResourcesAttr();
  if (!resources)
    return;
  for (auto entry : resources.getAsRange<ResourcesAttr>())
    if (entry.getKernel().getValue() == kernel) {
      fact.registers = std::max<int64_t>(16, entry.getRegisters());
      fact.spillStores = std::max<int64_t>(0, entry.getSpillStores());
      fact.spillLoads = std::max<int64_t>(0, entry.getSpillLoads());
      return;
    }
}

LaunchCount BlockCounter::describe(const ExecutablePlan::Configuration &launch,
                                   uint64_t bufferBytes) const {
  LaunchCount count;
  count.kernel = launch.kernel;
  count.dynamicShared = launch.dynamicSharedBytes;
  LaunchFacts &fact = count.facts;
  fact.blocks = double(launch.grid.x) * launch.grid.y * launch.grid.z;
  fact.threads = launch.block.x * launch.block.y * launch.block.z;
  addResources(fact, variant, launch.kernel);
  fact.sharedBytes = launch.staticSharedBytes + launch.dynamicSharedBytes;
  fact.bufferBytes = bufferBytes;
  return count;
}

std::optional<BlockCounter::Counts>
BlockCounter::run(const Bindings &sizes, std::optional<size_t> launch,
                  uint64_t maxInstructions, Obstacle &obstacle) const {
  Memory full;
  if (llvm::Error error = reserve(sizes, full)) {
    obstacle = {false, false, llvm::toString(std::move(error))};
    return std::nullopt;
  }
  std::deque<LaunchCount> counts; // their counters stay where they are
  std::vector<std::unique_ptr<CacheObserver>> caches;
  auto hook = [&](const ExecutablePlan::Configuration &configuration,
                  sim::LaunchParams &params, sim::Options &options) {
    counts.push_back(describe(configuration, full.bytes));
    LaunchFacts &fact = counts.back().facts;
    params.blocks = {static_cast<uint64_t>(fact.blocks / 2)};
    caches.push_back(std::make_unique<CacheObserver>(
        std::min(1u, (fact.threads - 1) / target::warpSize),
        cacheShareOfWarp(fact, target)));
    options.counters = &fact.counters;
    options.observer = caches.back().get();
  };
  sim::Options options;
  options.checkUninitialized = false;
  options.limits.laneInstructions = maxInstructions;
  llvm::Expected<sim::LaunchResult> result =
      launch ? plan.runAlone(*launch, full.values, full.memory, options, hook)
             : plan.runWithHook(full.values, full.memory, options, 0, hook);
  if (!result) {
    obstacle = {false, false, llvm::toString(result.takeError())};
    return std::nullopt;
  }
  if (!result->clean()) {
    const sim::Finding &finding = result->findings.front();
    obstacle = {finding.kind == sim::FindingKind::BudgetExceeded ||
                    finding.kind == sim::FindingKind::Unsupported,
                full.hasIndices,
                "cannot be counted at the workload's size: " + finding.str()};
    return std::nullopt;
  }
  for (auto [count, cache] : llvm::zip_equal(counts, caches)) {
    count.requested = cache->requested;
    count.lines = cache->lines;
    count.misses = cache->misses;
    count.distinct = cache->distinct();
  }
  return Counts(std::make_move_iterator(counts.begin()),
                std::make_move_iterator(counts.end()));
}

/// All but the counters: no block is run to its end.
std::optional<LaunchCount>
BlockCounter::describeOnly(const Bindings &sizes, size_t launch,
                           Obstacle &obstacle) const {
  Memory full;
  if (llvm::Error error = reserve(sizes, full)) {
    // unreachable: it was reserved before
    obstacle = {false, false, llvm::toString(std::move(error))};
    return std::nullopt;
  }
  LaunchCount count;
  sim::Options options;
  options.checkUninitialized = false;
  options.limits.laneInstructions = 0;
  llvm::Expected<sim::LaunchResult> result =
      plan.runAlone(launch, full.values, full.memory, options,
                    [&](const ExecutablePlan::Configuration &configuration,
                        sim::LaunchParams &params, sim::Options &) {
                      count = describe(configuration, full.bytes);
                      params.blocks = {0};
                    });
  std::optional<std::string> reason;
  if (!result)
    reason = llvm::toString(result.takeError());
  else if (!result->clean() &&
           result->findings.front().kind != sim::FindingKind::BudgetExceeded)
    reason = "cannot be counted at the workload's size: " +
             result->findings.front().str();
  if (!reason)
    return count;
  obstacle = {false, false, std::move(*reason)};
  return std::nullopt;
}

/// Calls `visit` with each number that grows with what a block does.
template <typename Visit>
static void visitCounts(LaunchCount &to, const LaunchCount &from, Visit visit) {
  sim::Counters &a = to.facts.counters;
  const sim::Counters &b = from.facts.counters;
  for (unsigned i = 0; i < sim::Counters::numClasses; ++i) {
    visit(a.warpInstructions[i], b.warpInstructions[i]);
    visit(a.laneInstructions[i], b.laneInstructions[i]);
  }
  visit(a.flops, b.flops);
  for (unsigned i : {0, 1}) {
    visit(a.global[i].requests, b.global[i].requests);
    visit(a.global[i].sectors, b.global[i].sectors);
    visit(a.global[i].bytes, b.global[i].bytes);
    visit(a.global[i].blockSectors, b.global[i].blockSectors);
    visit(a.global[i].launchSectors, b.global[i].launchSectors);
    visit(a.shared[i].requests, b.shared[i].requests);
    visit(a.shared[i].wavefronts, b.shared[i].wavefronts);
    visit(a.shared[i].bytes, b.shared[i].bytes);
    visit(a.atomics.loops[i], b.atomics.loops[i]);
  }
  visit(a.atomics.requests, b.atomics.requests);
  visit(a.atomics.turns, b.atomics.turns);
  visit(a.atomics.crowding, b.atomics.crowding);
  visit(a.branches, b.branches);
  visit(a.divergentBranches, b.divergentBranches);
  visit(a.longestWarp, b.longestWarp);
  visit(to.requested, from.requested);
  visit(to.lines, from.lines);
  visit(to.misses, from.misses);
  visit(to.distinct, from.distinct);
}

std::optional<LaunchCount> BlockCounter::extend(Bindings sizes, size_t launch,
                                                ArrayRef<StringRef> dims,
                                                int64_t base,
                                                Obstacle &obstacle) const {
  if (dims.empty()) {
    std::optional<Counts> counts = run(sizes, launch, maxCheap, obstacle);
    return counts ? std::optional(std::move(counts->front())) : std::nullopt;
  }
  const StringRef dim = dims.front();
  const int64_t extent = sizes.lookup(dim), rest = extent % base;
  // The larger one first: it says soonest that this takes too long.
  sizes[dim] = 2 * base + rest;
  std::optional<LaunchCount> count =
      extend(sizes, launch, dims.drop_front(), base, obstacle);
  if (!count)
    return std::nullopt;
  sizes[dim] = base + rest;
  std::optional<LaunchCount> smaller =
      extend(sizes, launch, dims.drop_front(), base, obstacle);
  if (!smaller)
    return std::nullopt;
  const double steps = double(extent - 2 * base - rest) / double(base);
  visitCounts(*count, *smaller, [&](auto &a, auto b) {
    using T = std::remove_reference_t<decltype(a)>;
    const double grown = double(a) + steps * (double(a) - double(b));
    a = static_cast<T>(std::clamp(grown, 0.0, 0x1p62));
  });
  return count;
}

/// The sizes with each of `dims` at the larger one of those that it is cut to.
static Bindings cut(Bindings sizes, ArrayRef<StringRef> dims, int64_t base) {
  for (StringRef dim : dims)
    sizes[dim] = 2 * base + sizes.lookup(dim) % base;
  return sizes;
}

/// Choices of dimensions to cut. Where a grid grows with a dimension, a block
/// does a part of it, a tile perhaps, of which less would be left: such
/// dimensions come last, and then the fewest and the longest. All others are
/// in `inner`.
SmallVector<SmallVector<StringRef>>
BlockCounter::chooseCuts(const Bindings &sizes, size_t launch,
                         SmallVectorImpl<StringRef> &inner) const {
  Obstacle ignored;
  std::optional<LaunchCount> whole = describeOnly(sizes, launch, ignored);
  auto kernel = cast<KernelOp>(variant->getParentOp());
  SmallVector<std::pair<StringRef, bool>>
      dims; // whether the grid grows with it
  for (StringRef dim : kernel.getDimensionNames()) {
    if (sizes.lookup(dim) < 3 * shortestBase)
      continue;
    std::optional<LaunchCount> less =
        describeOnly(cut(sizes, dim, shortestBase), launch, ignored);
    dims.push_back(
        {dim, !whole || !less || less->facts.blocks != whole->facts.blocks});
  }
  stableSortBy(dims, [&](const auto &dim) {
    return std::pair(dim.second, -sizes.lookup(dim.first));
  });
  if (dims.size() > maxCutDims)
    dims.truncate(maxCutDims);
  for (auto [dim, isOfGrid] : dims)
    if (!isOfGrid)
      inner.push_back(dim);
  SmallVector<SmallVector<std::pair<StringRef, bool>>> choices;
  for (unsigned chosen = 1; chosen < 1u << dims.size(); ++chosen) {
    choices.emplace_back();
    for (auto [i, dim] : llvm::enumerate(dims))
      if (chosen >> i & 1)
        choices.back().push_back(dim);
  }
  stableSortBy(choices, [](const auto &choice) {
    return std::pair(
        llvm::count_if(choice, [](const auto &dim) { return dim.second; }),
        choice.size());
  });
  SmallVector<SmallVector<StringRef>> cuts;
  for (const auto &choice : choices)
    cuts.emplace_back(llvm::make_first_range(choice));
  return cuts;
}

static uint64_t countLanes(const sim::Counters &counters) {
  uint64_t count = 0;
  for (uint64_t ofClass : counters.laneInstructions)
    count += ofClass;
  return count;
}

/// The longest base that is quick enough says most: less of what is counted is
/// what a block does once.
std::optional<LaunchCount> BlockCounter::countCut(const Bindings &sizes,
                                                  size_t launch) const {
  SmallVector<StringRef> inner;
  SmallVector<SmallVector<StringRef>> cuts = chooseCuts(sizes, launch, inner);
  // How long others take follows from how long the shortest does.
  const Bindings shortest = cut(sizes, inner, shortestBase);
  Obstacle obstacle;
  double lanes = 0;
  if (!inner.empty() && isServed(shortest))
    if (auto counts = run(shortest, launch, maxCheap, obstacle))
      lanes = double(countLanes(counts->front().facts.counters));
  auto isLong = [&](const Bindings &small) {
    double expected = lanes;
    for (StringRef dim : inner)
      expected *= double(small.lookup(dim)) / double(shortest.lookup(dim));
    return expected > 2.0 * maxCheap;
  };
  for (ArrayRef<StringRef> dims : cuts) {
    SmallVector<int64_t> usable;
    for (int64_t base : bases) {
      Bindings small = cut(sizes, dims, base);
      if (llvm::all_of(
              dims,
              [&](StringRef dim) { return sizes.lookup(dim) >= 3 * base; }) &&
          isServed(small) && !isLong(small))
        usable.push_back(base);
    }
    // It may take long whatever the base is, as where a block does not go along
    // these.
    if (usable.empty() ||
        !run(cut(sizes, dims, usable.back()), launch, maxCheap, obstacle))
      continue;
    for (int64_t base : usable) {
      std::optional<LaunchCount> count =
          extend(sizes, launch, dims, base, obstacle);
      std::optional<LaunchCount> whole =
          count ? describeOnly(sizes, launch, obstacle) : std::nullopt;
      if (!whole)
        continue;
      const sim::Counters counters = count->facts.counters;
      count->facts = whole->facts;
      count->facts.counters = counters;
      count->dynamicShared = whole->dynamicShared;
      return count;
    }
  }
  return std::nullopt;
}

bool BlockCounter::isServed(const Bindings &sizes) const {
  if (!servesSizes(variant, sizes, device))
    return false;
  ArrayAttr needs =
      cast<KernelOp>(variant->getParentOp()).getRequirementsAttr();
  return !needs ||
         llvm::all_of(needs.getAsRange<RequirementAttr>(), [&](auto need) {
           llvm::Expected<bool> holds =
               need.getValue().holds(sizes, device.getArch());
           if (!holds)
             return llvm::consumeError(holds.takeError()), false;
           return *holds;
         });
}

llvm::Expected<std::vector<LaunchCount>>
BlockCounter::count(const Bindings &sizes) {
  Obstacle obstacle;
  if (auto counts = run(sizes, std::nullopt, maxCheap, obstacle))
    return std::move(*counts);
  if (!obstacle.isLong)
    return llvm::createStringError(obstacle.reason);
  // How many indices lead where is another matter at other sizes.
  Counts result;
  for (size_t launch = 0;
       !obstacle.hasIndices && launch < plan.getNumLaunches(); ++launch) {
    Obstacle ofLaunch;
    std::optional<LaunchCount> count;
    if (auto counts = run(sizes, launch, maxCheap, ofLaunch))
      count = std::move(counts->front());
    else if (ofLaunch.isLong)
      count = countCut(sizes, launch);
    if (!count)
      break;
    result.push_back(std::move(*count));
  }
  if (result.size() == plan.getNumLaunches() && !result.empty())
    return result;
  if (auto counts = run(sizes, std::nullopt, maxEver, obstacle))
    return std::move(*counts);
  return llvm::createStringError(obstacle.reason);
}
