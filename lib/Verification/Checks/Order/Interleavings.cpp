// Blocks run one after another in samples, so one that only counts who has
// begun finds that all have ended. Here each access by which blocks may learn
// of each other is turned round against the others: blocks are held before it
// until nobody else can go on, all of them or one, and stores reach others
// late. Results may not change but for rounding.
#include "Verification/Checks/Registry.h"
#include "Verification/SampleRunner.h"
#include "Verification/Sampling/LongShapes.h"
#include "evo/Simulator/Schedule.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace evo;
using Who = sim::Schedule::Who;

static constexpr BudgetLine maxRuns{
    "runs", "runs of one shape in which the order of blocks is turned round",
    32, 128, 1024};
static constexpr BudgetLine maxInstructions{
    "run-instructions", "lane instructions of all these runs together",
    6'000'000, 24'000'000, 1'000'000'000};
static constexpr BudgetLine maxLong{
    "long-instructions",
    "lane instructions, as estimated, of both at a shape of many blocks", 0,
    24'000'000, 200'000'000};
static constexpr BudgetLine maxBlocks{
    "long-blocks",
    "blocks of that shape: each that goes on wakes all that wait", 300};
static constexpr BudgetLine maxElements{
    "long-elements", "elements of each buffer there", 1'048'576};
static constexpr BudgetLine maxTurns{
    "random-turns",
    "runs on each kind of data in which blocks take turns by chance", 4};
static constexpr const BudgetLine *lines[] = {
    &maxRuns, &maxInstructions, &maxLong, &maxBlocks, &maxElements, &maxTurns};

/// As many blocks as show most: a first, a last, and some between.
static constexpr uint64_t enoughBlocks = 4;

static uint64_t countBlocks(const VerificationState &state,
                            const Bindings &sizes) {
  uint64_t max = 0;
  for (size_t launch = 0; launch < state.postOptimised->getNumLaunches();
       ++launch)
    max = std::max(max, state.postOptimised->countBlocks(sizes, launch));
  return max;
}

/// The cheapest shape with enough blocks, or the one with the most; made as
/// small as it can be with enough of them.
static Bindings chooseShape(VerificationState &state) {
  Bindings best;
  uint64_t max = 0;
  for (const TriedShapes::Shape &shape : state.tried.sort()) {
    const uint64_t blocks =
        std::min(enoughBlocks, countBlocks(state, shape.sizes));
    if (best.empty() || blocks > max) {
      best = shape.sizes;
      max = blocks;
    }
  }
  for (StringRef dim : state.kernel.getDimensionNames())
    for (;;) {
      Bindings smaller = best;
      // An odd extent stays odd, an even one even.
      const int64_t extent = smaller[dim];
      smaller[dim] = extent / 4 * 2 + extent % 2;
      if (smaller[dim] >= extent || smaller[dim] == 0 ||
          countBlocks(state, smaller) < enoughBlocks ||
          !state.meetsRequirements(smaller))
        break;
      best = smaller;
    }
  return best;
}

/// The same with as many blocks whose loops, if they have any, go round more
/// than once.
static Bindings lengthenOthers(VerificationState &state,
                               const Bindings &sizes) {
  constexpr int64_t extent = 67;
  const uint64_t blocks = countBlocks(state, sizes);
  Bindings result = sizes;
  for (StringRef dim : state.kernel.getDimensionNames()) {
    Bindings longer = result;
    longer[dim] = extent;
    if (result.lookup(dim) < extent && state.meetsRequirements(longer) &&
        countBlocks(state, longer) == blocks)
      result = std::move(longer);
  }
  return result;
}

namespace {
class Interleaver {
public:
  Interleaver(VerificationState &state, uint64_t runs, uint64_t instructions,
              Random &random)
      : state(state), random(random), runsLeft(runs),
        instructionsLeft(instructions), watchedLeft(instructions / 16) {}

  /// Draws the data of the runs that follow, and runs the reference; of the
  /// first alone it is said what could not be run. False where there are none,
  /// or the reference says nothing.
  FailureOr<bool> take(const Bindings &sizes, Distribution distribution);
  /// Holds blocks before one access in several ways; a store is late as well.
  void turn(const sim::SharedAccess &access);
  /// Blocks take turns by chance.
  void takeTurns(uint64_t runs);
  /// The first block tells nothing until all others wait for it, if they do; or
  /// none does, until all have begun. Whether all of it could be run.
  bool holdTelling();

private:
  VerificationState &state;
  std::optional<TrialInputs> inputs;
  std::unique_ptr<TrialRun> wanted;
  StringRef values;
  bool isFirst = true;
  Random &random;
  uint64_t runsLeft, instructionsLeft;
  /// Of those in which races are watched, which takes ten times as long where
  /// blocks ask each other again and again; and what the last run took.
  uint64_t watchedLeft, lastRun = 0;

  std::optional<uint64_t> run(const sim::Schedule &schedule,
                              const std::string &how);
  void leaveOut(const std::string &place, const std::string &why);
};
} // namespace

FailureOr<bool> Interleaver::take(const Bindings &sizes,
                                  Distribution distribution) {
  llvm::Expected<TrialInputs> drawn =
      drawInputs(state.kernel, sizes, distribution, {}, random.split());
  if (!drawn)
    return llvm::consumeError(drawn.takeError()), false;
  SampleKind kind;
  kind.values = getDistributionName(distribution);
  kind.mayFail = true;
  auto results = SampleRunner(state).runReference(*drawn, kind);
  if (failed(results))
    return failure();
  if (!*results)
    return false;
  isFirst = !inputs;
  inputs = std::move(*drawn);
  wanted = std::move(*results);
  values = kind.values;
  return true;
}

void Interleaver::leaveOut(const std::string &place, const std::string &why) {
  if (!isFirst)
    return;
  std::string &all = state.tally.notTurned;
  const std::string text = place + " (" + why + ")";
  if (all.find(text) == std::string::npos)
    all += (all.empty() ? "" : "; ") + text;
}

/// Answers how often blocks were held; nothing where that is not known.
std::optional<uint64_t> Interleaver::run(const sim::Schedule &schedule,
                                         const std::string &how) {
  if (!runsLeft || !instructionsLeft)
    return std::nullopt;
  --runsLeft;
  sim::Options engine = state.engineOptions();
  engine.schedule = &schedule;
  // Which way is taken may hang on who was how far.
  engine.detectRaces = lastRun != 0 && lastRun <= watchedLeft;
  engine.limits.laneInstructions =
      std::min(instructionsLeft, engine.limits.laneInstructions);
  const Accidents accidents = Accidents::draw(random);
  engine.poison = accidents.poison;
  llvm::Expected<TrialRun> got =
      runTrial(*state.postOptimised, *inputs, engine,
               state.tally.inOrder ? 0 : accidents.order);
  if (!got)
    return llvm::consumeError(got.takeError()), std::nullopt;
  const sim::LaunchStats &stats = got->result.stats;
  lastRun = stats.laneInstructions;
  instructionsLeft -= std::min(instructionsLeft, lastRun);
  if (engine.detectRaces)
    watchedLeft -= std::min(watchedLeft, lastRun);
  if (!got->result.clean()) {
    const sim::Finding &finding = got->result.findings.front();
    if (sim::isNoFault(finding.kind))
      return std::nullopt;
    state.refutation = describeFinding(finding);
    state.refutation->message += ", " + how;
  } else {
    state.details.count(evidence::interleavings, 1);
    SampleRunner runner(state);
    runner.compare(*inputs, *wanted, *got);
    if (state.refutation) {
      state.refutation->reason = Reason::DependsOnOrder;
      state.refutation->message += ", " + how;
    }
  }
  if (state.refutation)
    SampleRunner(state).locateRefutation(*inputs, values);
  return stats.held;
}

void Interleaver::turn(const sim::SharedAccess &access) {
  const std::string place = access.location.str();
  struct Way {
    bool late;
    Who who;
    bool newestFirst;
    const char *name; ///< of those that are held
  };
  static constexpr Way ways[] = {
      {false, Who::All, true, "all blocks"},
      {false, Who::Last, false, "last block"},
      {false, Who::First, false, "first block"},
      {false, Who::All, false, "in turn"},
      {true, Who::All, false, ""},
      // What the others tell each other meanwhile is all there is.
      {true, Who::First, false, ""},
  };
  for (const Way &way : ways) {
    if (way.late && !access.isStore)
      continue;
    sim::Schedule schedule;
    schedule.kernel = access.kernel;
    (way.late ? schedule.late : schedule.held) = access.at;
    schedule.who = way.who;
    schedule.newestFirst = way.newestFirst;
    schedule.holdsTelling = way.late && way.who == Who::First;
    std::optional<uint64_t> held = run(
        schedule,
        way.late
            ? "where others see late what is stored at " + place +
                  (way.who == Who::First ? ", and the first block is held" : "")
            : std::string(way.name) + " held before " + place +
                  " until the others wait or end");
    if (!held) {
      leaveOut(place, runsLeft && instructionsLeft ? "stuck" : "over budget");
      return;
    }
    // No block gets there, in whatever order.
    if (state.isDecided() || (&way == std::begin(ways) && *held == 0))
      return;
  }
}

void Interleaver::takeTurns(uint64_t runs) {
  for (uint64_t n = 0; n < runs && !state.isDecided(); ++n) {
    sim::Schedule schedule;
    schedule.turnSeed = random.next() | 1;
    (void)run(schedule, "randomly interleaved");
  }
}

bool Interleaver::holdTelling() {
  sim::Schedule schedule;
  schedule.holdsTelling = true;
  bool isWhole = true;
  for (Who who : {Who::First, Who::All}) {
    schedule.who = who;
    schedule.newestFirst = who == Who::All;
    if (!run(schedule,
             std::string(who == Who::All ? "all blocks" : "first block") +
                 " held before what tells others, until these wait or end")) {
      leaveOut("many blocks", instructionsLeft ? "stuck" : "over budget");
      isWhole = false;
    }
    if (state.isDecided())
      break;
  }
  return isWhole;
}

/// Whether blocks may wait for what others tell: of `accesses`, some of each
/// kernel learn.
static bool mayWait(ArrayRef<sim::SharedAccess> accesses) {
  return llvm::any_of(accesses, [](const sim::SharedAccess &access) {
    return !access.answers;
  });
}

/// A shape of as many blocks as the budget allows: what the first of them has
/// not told is what all others wait for, with what they look back at and with
/// what was there before.
static std::optional<Bindings> chooseLong(VerificationState &state,
                                          Budget budget, uint64_t maxOfBlocks) {
  constexpr int64_t shortest = 1 << 11;
  const Bindings base = state.tried.getSmallWithInterior(state.kernel);
  LongShapes shapes(state.kernel, state.plan, state.options.target, base,
                    static_cast<double>(budget[maxElements]));
  std::optional<Bindings> best;
  uint64_t max = countBlocks(state, base);
  for (StringRef dim : state.kernel.getDimensionNames())
    for (int64_t extent = 1 << 20; extent >= shortest; extent /= 2) {
      std::optional<Bindings> sizes = shapes.atOrBelow(dim, extent + 3);
      if (!sizes || state.estimateInstructions(*sizes) > budget[maxLong])
        continue;
      const uint64_t blocks = countBlocks(state, *sizes);
      if (blocks > maxOfBlocks)
        continue;
      if (blocks > max) {
        max = blocks;
        best = std::move(sizes);
      }
      break;
    }
  return best;
}

static LogicalResult run(VerificationState &state, Budget budget) {
  if (state.tried.isEmpty())
    return success();
  std::vector<sim::SharedAccess> accesses =
      state.postOptimised->getSharedAccesses();
  // Who asks nothing learns nothing.
  llvm::erase_if(accesses, [&](const sim::SharedAccess &access) {
    return llvm::none_of(accesses, [&](const sim::SharedAccess &other) {
      return other.kernel == access.kernel && other.answers;
    });
  });
  const Bindings sizes = chooseShape(state);
  if (accesses.empty() || countBlocks(state, sizes) < 2)
    return success();
  // A stream of its own, which changes what no other check draws.
  Random random(state.options.seed ^ 0x696e7465726c);
  Interleaver interleaver(state, budget[maxRuns], budget[maxInstructions],
                          random);
  // Who comes last, or first, may have what counts by chance.
  for (Distribution distribution :
       {Distribution::Normal, Distribution::Sorted, Distribution::Reversed}) {
    FailureOr<bool> taken = interleaver.take(
        distribution == Distribution::Sorted ? lengthenOthers(state, sizes)
                                             : sizes,
        distribution);
    if (failed(taken))
      return failure();
    if (!*taken)
      continue;
    for (const sim::SharedAccess &access : accesses)
      if (!state.isDecided())
        interleaver.turn(access);
    interleaver.takeTurns(budget[maxTurns]);
    if (state.isDecided())
      return success();
  }
  if (!mayWait(accesses))
    return success();
  // Who waits takes instructions that nobody has estimated, and as the square
  // of so many blocks: fewer of them may be what can be run to its end.
  constexpr uint64_t ofFewer = 4;
  std::string last;
  for (uint64_t max : {budget[maxBlocks] / ofFewer, budget[maxBlocks]}) {
    std::optional<Bindings> manyBlocks = chooseLong(state, budget, max);
    if (!manyBlocks || printBindings(*manyBlocks) == last)
      continue;
    last = printBindings(*manyBlocks);
    Interleaver ofMany(state, /*runs=*/2, 4 * budget[maxLong], random);
    FailureOr<bool> taken = ofMany.take(*manyBlocks, Distribution::Normal);
    if (failed(taken))
      return failure();
    if (*taken && !ofMany.holdTelling())
      return success();
    if (state.isDecided())
      return success();
  }
  return success();
}

static void write(const VerificationState &state, evidence::Details &details) {
  details.text(evidence::notTurned, state.tally.notTurned);
}

constexpr Check evo::checks::interleavings = {
    "interleavings",
    "results that hang on the order of blocks: one that counts who has begun, "
    "reads a total that is unfinished, or relies on a store without a fence",
    "up to six runs of one cheap shape, on three kinds of data, for each "
    "atomic or volatile access by which blocks may learn of each other, and "
    "two runs each of a quarter of as many blocks as the budget allows and of "
    "so many",
    Effort::Quick,
    /*isEssential=*/false,
    lines,
    run,
    write};
