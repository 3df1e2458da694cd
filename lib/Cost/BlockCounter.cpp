// Runs of one block, and how counts are extended to larger sizes.
#include "BlockCounter.h"
#include "CacheObserver.h"
#include "FillIndices.h"
#include "evo/Interfaces/Fitness.h"
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
static constexpr int64_t bases[] = {1024, 256, 64, 16};
/// Each doubles the runs.
static constexpr size_t maxCutDims = 4;

/// Memory of one workload, of which only what is touched exists.
struct BlockCounter::Memory {
  exec::GlobalMemory memory;
  TrialValues values;
  uint64_t bytes = 0;
  bool hasIndices = false;
};

static void fillWhole(const exec::PageContents &fill,
                      exec::GlobalMemory &memory, exec::BufferId id) {
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
    exec::BufferSpec spec;
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
    llvm::Expected<exec::PageContents> fill =
        fillIndices(arg, spec.bytes / getElementBytes(arg.getElementType()),
                    full.values.sizes);
    if (!fill)
      return fill.takeError();
    spec.fill = *fill;
    full.hasIndices |= static_cast<bool>(*fill);
    exec::BufferId id = full.memory.addBuffer(spec);
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
BlockCounter::run(const Bindings &sizes, uint64_t maxInstructions,
                  Obstacle &obstacle) const {
  Memory full;
  if (llvm::Error error = reserve(sizes, full)) {
    obstacle = {false, false, llvm::toString(std::move(error))};
    return std::nullopt;
  }
  std::deque<LaunchCount> counts; // their counters stay where they are
  std::vector<std::unique_ptr<CacheObserver>> caches;
  auto hook = [&](const ExecutablePlan::Configuration &configuration,
                  exec::LaunchParams &params, exec::Options &options) {
    counts.push_back(describe(configuration, full.bytes));
    LaunchFacts &fact = counts.back().facts;
    params.blocks = {static_cast<uint64_t>(fact.blocks / 2)};
    caches.push_back(std::make_unique<CacheObserver>(
        std::min(1u, (fact.threads - 1) / target::warpSize),
        cacheShareOfWarp(fact, target)));
    options.counters = &fact.counters;
    options.observer = caches.back().get();
  };
  exec::Options options;
  options.checkUninitialized = false;
  options.limits.laneInstructions = maxInstructions;
  llvm::Expected<exec::LaunchResult> result =
      plan.runWithHook(full.values, full.memory, options, 0, hook);
  if (!result) {
    obstacle = {false, false, llvm::toString(result.takeError())};
    return std::nullopt;
  }
  if (!result->clean()) {
    const exec::Finding &finding = result->findings.front();
    obstacle = {finding.kind == exec::FindingKind::BudgetExceeded ||
                    finding.kind == exec::FindingKind::Unsupported,
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
std::optional<BlockCounter::Counts>
BlockCounter::describeOnly(const Bindings &sizes, Obstacle &obstacle) const {
  Memory full;
  if (llvm::Error error = reserve(sizes, full)) {
    // unreachable: it was reserved before
    obstacle = {false, false, llvm::toString(std::move(error))};
    return std::nullopt;
  }
  Counts counts;
  exec::Options options;
  options.checkUninitialized = false;
  options.limits.laneInstructions = 0;
  for (size_t launch = 0; launch < plan.getNumLaunches(); ++launch) {
    llvm::Expected<exec::LaunchResult> result =
        plan.runAlone(launch, full.values, full.memory, options,
                      [&](const ExecutablePlan::Configuration &configuration,
                          exec::LaunchParams &params, exec::Options &) {
                        counts.push_back(describe(configuration, full.bytes));
                        params.blocks = {0};
                      });
    std::string reason;
    if (!result)
      reason = llvm::toString(result.takeError());
    else if (!result->clean() &&
             result->findings.front().kind != exec::FindingKind::BudgetExceeded)
      reason = "cannot be counted at the workload's size: " +
               result->findings.front().str();
    if (reason.empty())
      continue;
    obstacle = {false, false, reason};
    return std::nullopt;
  }
  return counts;
}

/// Calls `visit` with each number that grows with what a block does.
template <typename Visit>
static void visitCounts(LaunchCount &to, const LaunchCount &from, Visit visit) {
  exec::Counters &a = to.facts.counters;
  const exec::Counters &b = from.facts.counters;
  for (unsigned i = 0; i < exec::Counters::numClasses; ++i) {
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

std::optional<BlockCounter::Counts>
BlockCounter::extend(Bindings sizes, ArrayRef<StringRef> dims, int64_t base,
                     Obstacle &obstacle) const {
  if (dims.empty())
    return run(sizes, maxCheap, obstacle);
  const StringRef dim = dims.front();
  const int64_t extent = sizes.lookup(dim), rest = extent % base;
  // The larger one first: it says soonest that this takes too long.
  sizes[dim] = 2 * base + rest;
  std::optional<Counts> counts =
      extend(sizes, dims.drop_front(), base, obstacle);
  if (!counts)
    return std::nullopt;
  sizes[dim] = base + rest;
  std::optional<Counts> smaller =
      extend(sizes, dims.drop_front(), base, obstacle);
  if (!smaller)
    return std::nullopt;
  if (smaller->size() != counts->size()) {
    obstacle = {true, false,
                "launches depend on sizes"}; // unreachable: plans do not
    return std::nullopt;
  }
  const double steps = double(extent - 2 * base - rest) / double(base);
  for (auto [large, small] : llvm::zip_equal(*counts, *smaller))
    visitCounts(large, small, [&](auto &a, auto b) {
      using T = std::remove_reference_t<decltype(a)>;
      const double grown = double(a) + steps * (double(a) - double(b));
      a = static_cast<T>(std::clamp(grown, 0.0, 0x1p62));
    });
  return counts;
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
  if (auto counts = run(sizes, maxCheap, obstacle))
    return std::move(*counts);
  if (!obstacle.isLong)
    return llvm::createStringError(obstacle.reason);
  auto kernel = cast<KernelOp>(variant->getParentOp());
  // How many indices lead where is another matter at other sizes.
  for (int64_t base :
       obstacle.hasIndices ? ArrayRef<int64_t>() : ArrayRef(bases)) {
    SmallVector<StringRef> dims;
    for (StringRef dim : kernel.getDimensionNames())
      if (sizes.lookup(dim) >= 3 * base)
        dims.push_back(dim);
    llvm::stable_sort(dims, [&](StringRef a, StringRef b) {
      return sizes.lookup(a) > sizes.lookup(b);
    });
    if (dims.size() > maxCutDims)
      dims.truncate(maxCutDims);
    Bindings small = sizes;
    for (StringRef dim : dims)
      small[dim] = 2 * base + sizes.lookup(dim) % base;
    if (dims.empty() || !isServed(small))
      continue;
    Obstacle ofSmaller;
    std::optional<Counts> counts = extend(sizes, dims, base, ofSmaller);
    if (!counts)
      continue;
    std::optional<Counts> full = describeOnly(sizes, obstacle);
    if (!full)
      return llvm::createStringError(obstacle.reason);
    for (auto [whole, counted] : llvm::zip_equal(*full, *counts)) {
      exec::Counters counters = counted.facts.counters;
      counted.facts = whole.facts;
      counted.facts.counters = counters;
      counted.dynamicShared = whole.dynamicShared;
    }
    return std::move(*counts);
  }
  if (auto counts = run(sizes, maxEver, obstacle))
    return std::move(*counts);
  return llvm::createStringError(obstacle.reason);
}
