// The candidate alone, at many sizes, to see which elements it reads and
// writes. That takes a fraction of a sample: no reference, no shadows. So it is
// done around multiples of each number that threads may be dealt out by, and at
// long extents, beyond whatever a kernel has room for. What is passed by there,
// and was not at usual sizes, has the whole sample run at that size, with data
// that stand out at just those elements; only such a sample refutes.
#include "Verification/Checks/Registry.h"
#include "Verification/Checks/Sizes/LongTrials.h"
#include "Verification/Coverage/Touched.h"
#include "Verification/SampleRunner.h"
#include "Verification/Sampling/IndexOverflow.h"
#include "Verification/Sampling/LongShapes.h"
#include "Verification/Sampling/Shapes.h"
#include "evo/Interfaces/Fitness.h"
#include "evo/Target/Warp.h"

using namespace mlir;
using namespace evo;

static constexpr BudgetLine maxInstructions{
    "warp-instructions",
    "of all runs together, each instruction of a warp once", 300'000, 6'000'000,
    24'000'000};
static constexpr BudgetLine maxRemainders{
    "remainders", "shapes around multiples of numbers of the code", 16, 96,
    1024};
static constexpr BudgetLine maxConfirmed{
    "samples", "whole samples where something seems to be missing", 2, 4, 16};
static constexpr BudgetLine maxLearned{
    "learned-shapes",
    "tried shapes that say what is passed by at usual sizes, too", 3};
static constexpr BudgetLine maxShort{"short-extents",
                                     "extents of each dimension, from 1 on", 9};
static constexpr BudgetLine maxThreads{"threads", "threads of a long shape",
                                       1 << 24};
static constexpr BudgetLine maxElements{
    "elements", "elements of a result, of which all dimensions are long",
    1 << 23};
static constexpr BudgetLine maxOfBoth{
    "instructions",
    "lane instructions of both there, compiled ones counted by an eighth",
    1'000'000'000};
static constexpr const BudgetLine *lines[] = {
    &maxInstructions, &maxRemainders, &maxConfirmed, &maxLearned,
    &maxShort,        &maxThreads,    &maxElements,  &maxOfBoth};

namespace {
class CoverageTrials {
public:
  CoverageTrials(VerificationState &state, Budget budget)
      : state(state), budget(budget), random(state.options.seed ^ 0x636f766572),
        shapes(state.kernel, state.plan, state.options.target,
               state.tried.getSmallWithInterior(state.kernel)),
        tiles(state.kernel, state.plan, state.options.target,
              state.tried.getSmallWithInterior(state.kernel), 1 << 24,
              severalTiles),
        maxOfOne(budget[maxInstructions]), left(maxOfOne),
        samplesLeft(budget[maxConfirmed]),
        hasFloats(llvm::any_of(
            state.kernel.getArgsAttr().getAsRange<ArgumentAttr>(),
            [](ArgumentAttr arg) {
              return arg.isBuffer() && isa<FloatType>(arg.getElementType());
            })) {}

  void learn();
  LogicalResult tryShort(StringRef dim);
  LogicalResult tryLong(StringRef dim);
  LogicalResult tryRemainders(uint64_t max);
  LogicalResult tryRemainder(LongShapes &of, StringRef dim, int64_t extent,
                             uint64_t max);
  LogicalResult tryGrids();
  LogicalResult tryTogether();
  std::string describe() const;

private:
  VerificationState &state;
  Budget budget;
  Random random;
  LongShapes shapes;
  /// With several tiles along the other dimensions, and a part of one.
  static constexpr int64_t severalTiles = 150;
  LongShapes tiles;
  uint64_t maxOfOne, left; ///< warp instructions
  uint64_t samplesLeft;
  bool hasFloats;
  /// Passed by at usual sizes, too, or with reason.
  std::set<Gap::Key> ofNoInterest;
  bool ignoresFindings = false;
  std::map<std::string, int64_t> longest; ///< by dimension
  std::set<std::string> doneRemainders;
  unsigned remainders = 0;

  std::optional<TouchedRun>
  runAt(const Bindings &sizes, uint64_t max,
        ExecutablePlan::CodePart part = ExecutablePlan::CodePart::All);
  /// What is worth a whole sample, if anything.
  bool isSuspicious(TouchedRun &run) const;
  Bindings narrow(StringRef dim, int64_t clean, const Bindings &sizes);
  FailureOr<bool> trySample(const Bindings &sizes, ArrayRef<Gap> gaps);
  LogicalResult confirm(const Bindings &sizes, const TouchedRun *beyond,
                        const Bindings &sizesBeyond);
  bool isDone() const {
    return state.isDecided() || left == 0 || samplesLeft == 0;
  }
};
} // namespace

/// Null where it cannot be run, or not within `max` warp instructions.
std::optional<TouchedRun> CoverageTrials::runAt(const Bindings &sizes,
                                                uint64_t max,
                                                ExecutablePlan::CodePart part) {
  llvm::Expected<TrialInputs> inputs =
      makeBlankInputs(state.kernel, sizes, Random(state.options.seed));
  if (!inputs)
    return llvm::consumeError(inputs.takeError()), std::nullopt;
  sim::Options engine = state.engineOptions();
  engine.limits.laneInstructions =
      std::min(engine.limits.laneInstructions, target::warpSize * max);
  llvm::Expected<TouchedRun> run =
      runTouched(*state.postOptimised, *inputs, engine, part);
  if (!run)
    return llvm::consumeError(run.takeError()), std::nullopt;
  left -= std::min(left, run->warpInstructions + 1);
  if (run->finding && run->finding->kind == sim::FindingKind::BudgetExceeded)
    return std::nullopt;
  return std::move(*run);
}

bool CoverageTrials::isSuspicious(TouchedRun &run) const {
  llvm::erase_if(run.gaps, [&](const Gap &gap) {
    return ofNoInterest.count(gap.getKey());
  });
  return run.finding ? !ignoresFindings : !run.gaps.empty();
}

/// What is passed by at usual sizes: a sample has compared what comes of it.
void CoverageTrials::learn() {
  ArrayRef<TriedShapes::Shape> cheap = state.tried.sortCheap();
  for (const TriedShapes::Shape &shape : cheap.take_back(budget[maxLearned]))
    if (std::optional<TouchedRun> run = runAt(shape.sizes, maxOfOne)) {
      ignoresFindings |= run->finding.has_value();
      for (const Gap &gap : run->gaps)
        ofNoInterest.insert(gap.getKey());
    }
}

/// The smallest extent that is suspicious, if they all are from there on: of
/// those that are multiples of as much as the first one, up to 256, as what is
/// for vectors is for multiples alone.
Bindings CoverageTrials::narrow(StringRef dim, int64_t clean,
                                const Bindings &sizes) {
  Bindings found = sizes;
  constexpr int64_t widest = 256;
  const int64_t first = sizes.lookup(dim),
                step = std::min(widest, first & -first);
  // What seems to be wrong is worth more than the budget of what does not.
  const uint64_t allowed = left;
  while (found.lookup(dim) - clean > step) {
    const int64_t middle =
        (clean + (found.lookup(dim) - clean) / 2) / step * step;
    if (middle <= clean)
      break;
    std::optional<Bindings> shape = shapes.atOrBelow(dim, middle);
    if (!shape || shape->lookup(dim) <= clean)
      break;
    std::optional<TouchedRun> run = runAt(*shape, maxOfOne);
    if (!run)
      break;
    if (isSuspicious(*run))
      found = *shape;
    else
      clean = middle;
  }
  left = allowed;
  return found;
}

/// Makes a value of an element stand out, within its domain.
static void standOut(TrialInputs::Buffer &buffer, const Bindings &sizes,
                     uint64_t element) {
  Type type = buffer.arg.getElementType();
  char *bytes = buffer.contents.data() + element * getElementBytes(type);
  if (isa<FloatType>(type)) {
    constexpr double far = 1000;
    encodeWithin(type, fitDomain(far, buffer.arg.getDomain()),
                 buffer.arg.getDomain(), bytes);
    return;
  }
  DomainAttr domain = buffer.arg.getDomain();
  // Of orders and permutations no single one can be changed.
  if (domain && domain.getKind() != DomainKind::Range)
    return;
  llvm::Expected<std::pair<int64_t, int64_t>> range =
      getIntegerRange(buffer.arg, sizes);
  if (!range)
    return llvm::consumeError(range.takeError());
  const int64_t old = decodeInteger(type, bytes);
  const int64_t value = old - range->first > range->second - 1 - old
                            ? range->first
                            : range->second - 1;
  std::memcpy(bytes, &value, getElementBytes(type));
}

/// Whether what was passed by is known by its place in a buffer that samples
/// fill.
static bool isOfInputs(const Gap &gap) {
  return gap.kind == Gap::Kind::NeverRead ||
         gap.kind == Gap::Kind::NeverWritten;
}

/// A whole sample, with the reference. Says whether it could be run.
FailureOr<bool> CoverageTrials::trySample(const Bindings &sizes,
                                          ArrayRef<Gap> gaps) {
  // Among many that are added nothing stands out of what rounding may do.
  // Integers are not rounded, and differ by whatever is left out.
  constexpr int64_t many = 1 << 16;
  const Distribution others =
      !gaps.empty() && hasFloats && state.estimateWork(sizes) > many
          ? Distribution::Zeros
          : Distribution::Normal;
  llvm::Expected<TrialInputs> inputs =
      drawInputs(state.kernel, sizes, others, {}, random.split(), true);
  if (!inputs)
    return llvm::consumeError(inputs.takeError()), false;
  samplesLeft -= std::min<uint64_t>(samplesLeft, 1);
  const bool isOfScratch = !llvm::all_of(gaps, isOfInputs);
  for (TrialInputs::Buffer &buffer : inputs->buffers) {
    if (!buffer.arg.isRead() || buffer.elements == 0)
      continue;
    for (const Gap &gap : gaps)
      if (gap.kind == Gap::Kind::NeverRead &&
          gap.buffer == buffer.arg.getName().getValue())
        for (uint64_t byte : gap.bytes)
          standOut(buffer, sizes,
                   byte / getElementBytes(buffer.arg.getElementType()));
    // What scratch was made of nobody knows; most often its end is lost.
    if (isOfScratch)
      standOut(buffer, sizes, buffer.elements - 1);
  }
  SampleKind kind;
  kind.values = getDistributionName(others);
  return SampleRunner(state).tryBeyond(*inputs, kind, random);
}

/// A whole sample at `sizes`. Where nobody knows what data would stand out,
/// one more at `beyond`, of which more is passed by.
LogicalResult CoverageTrials::confirm(const Bindings &sizes,
                                      const TouchedRun *beyond,
                                      const Bindings &sizesBeyond) {
  std::optional<TouchedRun> run = runAt(sizes, maxOfOne);
  if (!run || !isSuspicious(*run))
    return success();
  FailureOr<bool> ran = trySample(sizes, run->gaps);
  if (succeeded(ran) && !state.refutation && beyond &&
      !llvm::all_of(run->gaps, isOfInputs))
    ran = trySample(sizesBeyond, beyond->gaps);
  if (failed(ran))
    return failure();
  if (state.refutation)
    return success();
  std::string &notCovered = state.tally.notCovered;
  if (!*ran && notCovered.empty() && !run->finding)
    notCovered = run->gaps.front().buffer + " at " + printBindings(sizes);
  // So there is a reason, or nobody can tell.
  for (const Gap &gap : run->gaps)
    ofNoInterest.insert(gap.getKey());
  ignoresFindings |= run->finding.has_value();
  return success();
}

/// The shortest extents, of which a chance draw has few. What is wrong at one
/// of them says nothing of others.
LogicalResult CoverageTrials::tryShort(StringRef dim) {
  const auto max = static_cast<int64_t>(budget[maxShort]);
  for (int64_t extent = 1; extent <= max && !isDone(); ++extent) {
    std::optional<Bindings> sizes = shapes.at(dim, extent);
    std::optional<TouchedRun> run =
        sizes ? runAt(*sizes, maxOfOne / 64) : std::nullopt;
    if (!run || !isSuspicious(*run))
      continue;
    const bool ignoredBefore = ignoresFindings;
    if (failed(confirm(*sizes, nullptr, *sizes)))
      return failure();
    ignoresFindings = ignoredBefore;
  }
  return success();
}

/// Extents that grow; what follows on those of the workloads, which room may be
/// made for; and of all that are not too long the odd one and a multiple of a
/// power of two.
static std::vector<int64_t> listLongExtents(KernelOp kernel, StringRef dim) {
  constexpr int64_t shortest = 3 << 11, longest = 3 << 21, factor = 4,
                    maxTwice = 1 << 19, granule = 256;
  std::vector<int64_t> beyond, extents;
  if (ArrayAttr workloads = kernel.getWorkloadsAttr())
    for (auto workload : workloads.getAsRange<WorkloadAttr>())
      if (const int64_t used = getWorkloadSizes(kernel, workload).lookup(dim);
          used >= shortest && used <= 2 * longest)
        beyond.push_back((used + used / 8) / granule * granule);
  for (int64_t extent = shortest; extent <= longest; extent *= factor)
    if (llvm::none_of(beyond, [&](int64_t other) {
          return extent <= other && other < factor * extent;
        }))
      extents.push_back(extent);
  extents.insert(extents.end(), beyond.begin(), beyond.end());
  const std::vector<int64_t> multiples = extents;
  for (int64_t &extent : extents)
    --extent;
  llvm::copy_if(multiples, std::back_inserter(extents),
                [&](int64_t extent) { return extent <= maxTwice; });
  llvm::sort(extents);
  return extents;
}

/// Longer and longer, while that can be paid for.
LogicalResult CoverageTrials::tryLong(StringRef dim) {
  const uint64_t share = left / 2;
  uint64_t spent = 0, last = 0;
  int64_t clean = 0, lastExtent = 1;
  bool isLast = false;
  for (int64_t extent : listLongExtents(state.kernel, dim)) {
    if (isDone() || isLast || spent >= share)
      break;
    // Where the next one is over budget, as long a one as is not.
    if (isLast = spent + last * (extent / lastExtent) > share; isLast) {
      extent = static_cast<int64_t>(0.8 * static_cast<double>(lastExtent) *
                                    static_cast<double>(share - spent) /
                                    static_cast<double>(last));
      if (extent < lastExtent + lastExtent / 4)
        break;
      extent |= 1;
    }
    std::optional<Bindings> sizes = shapes.atOrBelow(dim, extent);
    // A requirement may end what is long.
    for (int64_t less = extent / 2;
         !sizes && less > std::max<int64_t>(clean, 1); less /= 2)
      sizes = shapes.atOrBelow(dim, less);
    if (!sizes || sizes->lookup(dim) <= clean)
      continue;
    if (state.postOptimised->countThreads(*sizes) > budget[maxThreads])
      break;
    const uint64_t before = left;
    std::optional<TouchedRun> run = runAt(*sizes, share - spent);
    // Far more than what is shorter lets expect: a loop that does not end?
    constexpr uint64_t surprising = 8;
    if (!run && last > 0 &&
        (share - spent) / surprising > last * (extent / lastExtent))
      if (failed(trySample(*sizes, {})))
        return failure();
    if (!run)
      break;
    last = before - left;
    lastExtent = extent;
    spent += last;
    if (isSuspicious(*run)) {
      if (failed(confirm(narrow(dim, clean, *sizes), &*run, *sizes)))
        return failure();
      if (state.refutation || run->finding)
        break;
    }
    clean = longest[dim.str()] = sizes->lookup(dim);
  }
  return success();
}

/// Numbers that threads may be dealt out by, each once, large ones first.
static std::vector<int64_t> getGranularities(VerificationState &state) {
  constexpr int64_t smallest = 8, largest = 4096;
  std::vector<int64_t> numbers = state.getConstants();
  llvm::erase_if(numbers,
                 [&](int64_t n) { return n < smallest || n > largest; });
  llvm::sort(numbers, std::greater<>());
  numbers.erase(llvm::unique(numbers), numbers.end());
  return numbers;
}

LogicalResult CoverageTrials::tryRemainder(LongShapes &of, StringRef dim,
                                           int64_t extent, uint64_t max) {
  std::optional<Bindings> sizes = of.at(dim, extent);
  if (!sizes || !doneRemainders.insert(printBindings(*sizes)).second)
    return success();
  std::optional<TouchedRun> run = runAt(*sizes, max);
  remainders += run.has_value();
  if (run && isSuspicious(*run))
    return confirm(*sizes, nullptr, *sizes);
  return success();
}

/// Around twice each such number, those next to it first: there is a part that
/// is full, and one that is nearly so or has next to nothing. Next to it also
/// with several tiles along other dimensions, whose order may have to do with
/// each other.
LogicalResult CoverageTrials::tryRemainders(uint64_t max) {
  const std::vector<int64_t> granularities = getGranularities(state);
  const uint64_t share = left / 2, ofTiles = left - left / 6;
  constexpr int64_t farthest = 9;
  const SmallVector<StringRef> dims =
      llvm::to_vector(state.kernel.getDimensionNames());
  for (int64_t distance = 1; distance <= farthest; ++distance)
    for (int64_t sign : {-1, 1})
      for (int64_t granularity : granularities)
        for (StringRef dim : dims)
          for (LongShapes *of : {&shapes, &tiles}) {
            if (of == &tiles &&
                (distance > 1 || dims.size() == 1 || left < ofTiles))
              continue;
            if (isDone() || left < share || remainders >= max)
              return success();
            if (failed(tryRemainder(*of, dim, 2 * granularity + sign * distance,
                                    share / 8)))
              return failure();
          }
  return success();
}

/// As many blocks as their number is multiplied with: an order of blocks that
/// leaves none out may do so there.
LogicalResult CoverageTrials::tryGrids() {
  constexpr int64_t smallest = 3, largest = 1 << 17;
  auto countBlocks = [&](const Bindings &sizes) {
    return state.postOptimised->countBlocks(sizes);
  };
  for (int64_t factor : state.literals.blockFactors) {
    if (factor < smallest || factor > largest || llvm::isPowerOf2_64(factor))
      continue;
    for (const Bindings &sizes : sampleShapesOfGrids(
             state.kernel, state.plan, factor - 1, state.options.target, 1,
             state.tried.getCheapest(), countBlocks, random.split())) {
      if (isDone())
        return success();
      std::optional<TouchedRun> run = runAt(sizes, left / 2);
      if (run && isSuspicious(*run) && failed(confirm(sizes, nullptr, sizes)))
        return failure();
    }
  }
  return success();
}

/// All dimensions of a result a little beyond half of what they are at the
/// workload: an order of blocks that only many of them have, both ways, may
/// leave some out. Of the code what decides where it stores runs; where that
/// seems to leave out something, all of both, by the fast path.
LogicalResult CoverageTrials::tryTogether() {
  constexpr int64_t more = 5, longExtent = 256;
  ArrayAttr workloads = state.kernel.getWorkloadsAttr();
  if (!workloads || workloads.empty() ||
      state.postOptimised->getNumLaunches() != 1 ||
      !state.postOptimised->hasStoreSlices())
    return success();
  const Bindings full =
      getWorkloadSizes(state.kernel, cast<WorkloadAttr>(workloads[0]));
  for (auto arg : state.kernel.getArgsAttr().getAsRange<ArgumentAttr>()) {
    if (!arg.isBuffer() || !arg.isWritten())
      continue;
    Bindings sizes = state.tried.getCheapest();
    unsigned count = 0;
    for (const IntExpr &extent : arg.getExtents())
      extent.forEachName([&](StringRef dim) {
        Bindings longer = sizes;
        longer[dim] = full.lookup(dim) / 2 + more;
        if (full.lookup(dim) < 2 * longExtent ||
            !state.meetsRequirements(longer))
          return;
        sizes = std::move(longer);
        ++count;
      });
    if (count < 2 || isDone() ||
        countElements(arg, sizes) > static_cast<double>(budget[maxElements]) ||
        state.postOptimised->countThreads(sizes) > budget[maxThreads])
      continue;
    std::optional<TouchedRun> run =
        runAt(sizes, left / 2, ExecutablePlan::CodePart::Stores);
    if (!run || run->finding || !isSuspicious(*run))
      continue;
    constexpr double share = 0.25;
    LongTrials trials(
        state, state.options.seed,
        static_cast<uint64_t>(static_cast<double>(budget[maxOfBoth]) / share),
        share);
    if (trials.affords(sizes))
      trials.tryAt(sizes, LongData::ByPlace);
    if (state.refutation)
      return success();
  }
  return success();
}

std::string CoverageTrials::describe() const {
  std::string text;
  for (const auto &[dim, extent] : longest)
    text += (text.empty() ? "" : ", ") + dim + " to " + std::to_string(extent);
  if (remainders)
    text += (text.empty() ? "" : "; ") + std::to_string(remainders) +
            " sizes around multiples";
  return text;
}

static LogicalResult run(VerificationState &state, Budget budget) {
  if (state.tried.isEmpty() || state.tally.inOrder)
    return success();
  CoverageTrials trials(state, budget);
  trials.learn();
  for (StringRef dim : state.kernel.getDimensionNames())
    if (failed(trials.tryShort(dim)))
      return failure();
  if (failed(trials.tryGrids()) || failed(trials.tryTogether()) ||
      failed(trials.tryRemainders(budget[maxRemainders])))
    return failure();
  for (StringRef dim : state.kernel.getDimensionNames())
    if (failed(trials.tryLong(dim)))
      return failure();
  state.details.text(evidence::covered, trials.describe());
  return success();
}

static void write(const VerificationState &state, evidence::Details &details) {
  details.text(evidence::notCovered, state.tally.notCovered);
}

constexpr Check evo::checks::coverage = {
    "coverage",
    "elements that nobody writes or reads: tails with too few threads, rows "
    "longer than what a kernel has room for, capped loops and grids, of one "
    "launch of several, too",
    "the candidate alone, without a reference, at long extents and around "
    "multiples of the code's numbers",
    Effort::Quick,
    /*isEssential=*/false,
    lines,
    run,
    write};
