// Blocks run one after another in samples, so one that only counts who has
// begun finds that all have ended. Here each access by which blocks may learn
// of each other is turned round against the others: blocks are held before it
// until nobody else can go on, all of them or one, and stores reach others
// late. Results may not change but for rounding.
#include "Verification/Checks/Registry.h"
#include "Verification/SampleRunner.h"
#include "evo/Simulator/Schedule.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace evo;
using Who = exec::Schedule::Who;

static constexpr BudgetLine maxRuns{
    "runs", "runs of one shape in which the order of blocks is turned round",
    24, 96, 1024};
static constexpr BudgetLine maxInstructions{
    "run-instructions", "lane instructions of all these runs together",
    6'000'000, 48'000'000, 1'000'000'000};
static constexpr const BudgetLine *lines[] = {&maxRuns, &maxInstructions};

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

namespace {
class Interleaver {
public:
  Interleaver(VerificationState &state, Budget budget, Random &random)
      : state(state), random(random), runsLeft(budget[maxRuns]),
        instructionsLeft(budget[maxInstructions]) {}

  /// The data of the runs that follow; of the first alone it is said what could
  /// not be run.
  void take(const TrialInputs &data, TrialRun &results, StringRef name) {
    isFirst = !inputs;
    inputs = &data;
    wanted = &results;
    values = name;
  }

  /// Holds blocks before one access in several ways; a store is late as well.
  void turn(const exec::SharedAccess &access);
  /// Blocks take turns by chance.
  void takeTurns(unsigned runs);

private:
  VerificationState &state;
  const TrialInputs *inputs = nullptr;
  TrialRun *wanted = nullptr;
  StringRef values;
  bool isFirst = true;
  Random &random;
  uint64_t runsLeft, instructionsLeft;

  std::optional<uint64_t> run(const exec::Schedule &schedule,
                              const std::string &how);
  void leaveOut(const std::string &place, const std::string &why);
};
} // namespace

void Interleaver::leaveOut(const std::string &place, const std::string &why) {
  if (!isFirst)
    return;
  std::string &all = state.tally.notTurned;
  const std::string text = place + " (" + why + ")";
  if (all.find(text) == std::string::npos)
    all += (all.empty() ? "" : "; ") + text;
}

/// Answers how often blocks were held; nothing where that is not known.
std::optional<uint64_t> Interleaver::run(const exec::Schedule &schedule,
                                         const std::string &how) {
  if (!runsLeft || !instructionsLeft)
    return std::nullopt;
  --runsLeft;
  exec::Options engine = state.engineOptions();
  engine.schedule = &schedule;
  engine.limits.laneInstructions =
      std::min(instructionsLeft, engine.limits.laneInstructions);
  const Accidents accidents = Accidents::draw(random);
  engine.poison = accidents.poison;
  llvm::Expected<TrialRun> got =
      runTrial(*state.postOptimised, *inputs, engine,
               state.tally.inOrder ? 0 : accidents.order);
  if (!got)
    return llvm::consumeError(got.takeError()), std::nullopt;
  const exec::LaunchStats &stats = got->result.stats;
  instructionsLeft -= std::min(instructionsLeft, stats.laneInstructions);
  if (!got->result.clean()) {
    Refutation found = describeFinding(got->result.findings.front());
    if (found.undecided ||
        got->result.findings.front().kind == exec::FindingKind::BudgetExceeded)
      return std::nullopt;
    state.refutation = std::move(found);
    state.refutation->message += ", " + how;
  } else {
    ++state.tally.interleavings;
    SampleRunner runner(state);
    runner.compare(*inputs, *wanted, *got);
    if (state.refutation) {
      state.refutation->reason = "depends-on-order";
      state.refutation->message += ", " + how;
    }
  }
  if (state.refutation)
    SampleRunner(state).locateRefutation(*inputs, values);
  return stats.held;
}

void Interleaver::turn(const exec::SharedAccess &access) {
  const std::string place = access.location.str();
  struct Way {
    Who who;
    bool newestFirst, late;
    const char *name; ///< of those that are held
  };
  static constexpr Way ways[] = {
      {Who::All, true, false, "all blocks"},
      {Who::Last, false, false, "last block"},
      {Who::First, false, false, "first block"},
      {Who::All, false, false, "in turn"},
      {Who::All, false, true, ""},
  };
  for (const Way &way : ways) {
    if (way.late && !access.isStore)
      continue;
    exec::Schedule schedule;
    schedule.kernel = access.kernel;
    schedule.held = access.at;
    schedule.who = way.who;
    schedule.newestFirst = way.newestFirst;
    schedule.late = way.late;
    std::optional<uint64_t> held = run(
        schedule, way.late ? "where others see late what is stored at " + place
                           : std::string(way.name) + " held before " + place +
                                 " until the others wait or end");
    if (!held) {
      leaveOut(place, runsLeft && instructionsLeft ? "stuck" : "over budget");
      return;
    }
    // One block alone, or none, gets there.
    if (state.isDecided() || *held == 0)
      return;
  }
}

void Interleaver::takeTurns(unsigned runs) {
  for (unsigned n = 0; n < runs && !state.isDecided(); ++n) {
    exec::Schedule schedule;
    schedule.turnSeed = random.next() | 1;
    (void)run(schedule, "randomly interleaved");
  }
}

static LogicalResult run(VerificationState &state, Budget budget) {
  if (state.tried.isEmpty())
    return success();
  std::vector<exec::SharedAccess> accesses =
      state.postOptimised->getSharedAccesses();
  // Who asks nothing learns nothing.
  llvm::erase_if(accesses, [&](const exec::SharedAccess &access) {
    return llvm::none_of(accesses, [&](const exec::SharedAccess &other) {
      return other.kernel == access.kernel && other.answers;
    });
  });
  const Bindings sizes = chooseShape(state);
  if (accesses.empty() || countBlocks(state, sizes) < 2)
    return success();
  // A stream of its own, which changes what no other check draws.
  Random random(state.options.seed ^ 0x696e7465726c);
  Interleaver interleaver(state, budget, random);
  // Who comes last, or first, may have what counts by chance.
  for (Distribution distribution :
       {Distribution::Normal, Distribution::Sorted, Distribution::Reversed}) {
    llvm::Expected<TrialInputs> inputs =
        drawInputs(state.kernel, sizes, distribution, {}, random.split());
    if (!inputs)
      return llvm::consumeError(inputs.takeError()), success();
    SampleKind kind;
    kind.values = getDistributionName(distribution);
    kind.mayFail = true;
    const unsigned samples = state.tally.samples, dropped = state.tally.dropped;
    auto wanted = SampleRunner(state).runReference(*inputs, kind);
    state.tally.samples = samples;
    state.tally.dropped = dropped;
    if (failed(wanted))
      return failure();
    if (!*wanted)
      continue;
    interleaver.take(*inputs, **wanted, kind.values);
    for (const exec::SharedAccess &access : accesses)
      if (!state.isDecided())
        interleaver.turn(access);
    interleaver.takeTurns(4);
    if (state.isDecided())
      break;
  }
  return success();
}

constexpr Check evo::checks::interleavings = {
    "interleavings",
    "results that hang on the order of blocks: one that counts who has begun, "
    "reads a total that is unfinished, or relies on a store without a fence",
    "up to five runs of one cheap shape, on three kinds of data, for each "
    "atomic or volatile access "
    "by which blocks may learn of each other",
    Effort::Quick,
    /*isEssential=*/false,
    lines,
    run};
