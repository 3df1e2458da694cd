// What differs at a large size, and whether rounding may be the reason.
#include "FullGrid.h"
#include "PlanRun.h"
#include "Verification/Accuracy/AnyOrder.h"
#include "Verification/AtomicsSeen.h"
#include "Verification/DataSamples.h"
#include "Verification/SampledBlocks.h"
#include "evo/Support/Random.h"
#include "evo/Verification/Values.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace evo;

/// Bytes of buffers and scratch of one plan, and of what it allocates.
static constexpr uint64_t maxBytes = uint64_t(448) << 20;
/// Lane instructions of a plan at a size where both engines run it whole.
static constexpr uint64_t maxOfSmall = 200'000'000;
/// Lane instructions, as budgets count them, for which it pays to compile well.
static constexpr uint64_t worthCompiling = 64'000'000;
/// Elements whose bounds are asked for.
static constexpr size_t maxSuspects = 4;
/// Units of roundoff of a tensor's typical size by which results may differ
/// where the reference's own bound of an element cannot be had; more of them
/// where more terms may have been added up for an element.
static constexpr double coarseUnits = 1024;
/// And by how much of that size at most: it may not be all of the value.
static constexpr double coarsest = 1.0 / 16;
/// Fewer elements may all be small by chance, and say nothing of a size.
static constexpr uint64_t fewElements = 64;

struct FullGridTrial::Run : PlanRun {
  sim::LaunchResult result;

  using PlanRun::PlanRun;
  const char *bytes(ArgumentAttr arg) const { return memory.bytes(id(arg)); }
  uint64_t bits(ArgumentAttr arg, uint64_t index) const {
    const unsigned size = getElementBytes(arg.getElementType());
    return bitsAt(bytes(arg) + index * size, size);
  }
  static uint64_t bitsAt(const char *bytes, unsigned size) {
    uint64_t value = 0;
    std::memcpy(&value, bytes, size);
    return value;
  }
};

static uint64_t loadWord(const char *bytes) {
  uint64_t word;
  std::memcpy(&word, bytes, sizeof(word));
  return word;
}

/// How many whole words of both, from element `first` on, are alike. `written`
/// grows by those of their elements that are not poison.
static uint64_t skipAlike(const char *one, const char *other, unsigned size,
                          uint64_t first, uint64_t elements,
                          uint64_t &written) {
  const uint64_t perWord = sizeof(uint64_t) / size;
  uint64_t words = 0;
  for (uint64_t at = first; at + perWord <= elements; at += perWord, ++words) {
    const uint64_t word = loadWord(one + at * size);
    if (word != loadWord(other + at * size))
      break;
    const uint64_t differs = word ^ poison;
    uint64_t own = 0;
    for (uint64_t i = 0; i < perWord; ++i)
      own += (differs >> 8 * size * i &
              llvm::maskTrailingOnes<uint64_t>(8 * size)) != 0;
    written += own;
  }
  return words;
}

static SmallVector<ArgumentAttr> getOutputs(KernelOp kernel) {
  return llvm::to_vector(llvm::make_filter_range(
      kernel.getArgsAttr().getAsRange<ArgumentAttr>(),
      [](ArgumentAttr arg) { return arg.isBuffer() && arg.isWritten(); }));
}

/// The largest number that all results hold which are integers.
static int64_t getLargestResult(KernelOp kernel) {
  int64_t largest = INT64_MAX;
  for (ArgumentAttr arg : getOutputs(kernel))
    if (auto type = dyn_cast<IntegerType>(arg.getElementType()))
      largest =
          std::min(largest, llvm::maxIntN(std::max(32u, type.getWidth())));
  return largest;
}

/// What a buffer holds before the plan runs.
bool FullGridTrial::fill(Run &run, ArgumentAttr arg, const Run *like) {
  sim::BufferId id = run.id(arg);
  if (!arg.isRead()) {
    run.memory.poison(id, poison);
    return true;
  }
  const uint64_t bytes = run.memory.spec(id).bytes;
  if (like && !arg.isWritten()) {
    std::memcpy(run.memory.bytes(id), like->bytes(arg), bytes);
    return true;
  }
  uint64_t rowLength = 1, ordinal = 0;
  for (const IntExpr &dim : arg.getExtents())
    rowLength = llvm::cantFail(dim.evaluate(sizes));
  for (auto other : kernel.getArgsAttr().getAsRange<ArgumentAttr>()) {
    ++ordinal;
    if (other == arg)
      break;
  }
  sim::PageContents contents;
  if (data == LongData::Alike || data == LongData::AlikeWithDips ||
      data == LongData::AlikeAsPeak) {
    const ArgumentAttr largest = findLargestInput(kernel, sizes);
    int64_t maxSum = getLargestResult(kernel);
    // What is alone is the same number as those of the largest buffer.
    if (run.elements(arg) == 1)
      maxSum = maxSum / (1 + static_cast<int64_t>(run.elements(largest))) * 2;
    contents = fillAlike(arg, sizes, run.elements(arg), rowLength, maxSum,
                         arg != largest, data == LongData::AlikeWithDips,
                         data == LongData::AlikeAsPeak);
  }
  if (data == LongData::Extremes)
    contents = fillExtreme(arg, sizes);
  if (data == LongData::Paths)
    contents = fillPath(arg, sizes);
  if (!contents)
    contents = fillByPlace(arg, sizes, run.elements(arg), rowLength,
                           Random(seed + ordinal).next());
  if (!contents)
    return false;
  // What an earlier run left beside the bytes, shadow values and errors, goes,
  // too.
  if (arg.isWritten())
    run.memory.poison(id, poison);
  contents(0, run.memory.bytes(id), bytes);
  return true;
}

llvm::Expected<std::unique_ptr<FullGridTrial::Run>>
FullGridTrial::setUp(const ExecutablePlan &plan, const Run *like) {
  auto run = std::make_unique<Run>(plan);
  run->values.sizes = sizes;
  takeUsualFloats(kernel, run->values);
  uint64_t bytesLeft = maxBytes;
  // Shadow values and errors take four times as much again.
  options.limits.heapBytes = std::min(options.limits.heapBytes, maxBytes);
  for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>()) {
    StringRef name = arg.getName().getValue();
    if (!arg.isBuffer())
      continue;
    sim::BufferSpec spec;
    spec.name = name.str();
    spec.bytes = getElementBytes(arg.getElementType());
    for (const IntExpr &dim : arg.getExtents()) {
      llvm::Expected<int64_t> extent = dim.evaluate(sizes);
      if (!extent)
        return extent.takeError();
      if (*extent < 0 || (*extent && spec.bytes > bytesLeft / *extent))
        return llvm::createStringError("'" + name + "' is too large");
      spec.bytes *= *extent;
    }
    bytesLeft -= spec.bytes;
    spec.kind = getElementKind(arg.getElementType());
    spec.readOnly = !arg.isWritten();
    spec.initialized = true;
    sim::BufferId id = run->memory.addBuffer(spec);
    if (!run->memory.isMapped(id))
      // unreachable: unless the machine has no room for it
      return llvm::createStringError("no memory for '" + name + "'");
    run->values.buffers[name] = id;
    if (!fill(*run, arg, like))
      // unreachable: samples would have had none either
      return llvm::createStringError("'" + name + "' has no values");
  }
  if (llvm::Error error =
          plan.addPlainScratch(run->values, run->memory, bytesLeft))
    return std::move(error);
  // What no launch writes there may be anything.
  for (const auto &buffer : run->values.buffers)
    if (!kernel.lookupArgument(buffer.first()))
      run->memory.poison(buffer.second, poison);
  return run;
}

llvm::Expected<sim::LaunchResult>
FullGridTrial::runFast(Run &run, ArrayRef<uint64_t> blocks) {
  sim::Options own = options;
  own.limits.laneInstructions = instructionsLeft;
  auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
  own.limits.wallMilliseconds = std::max<int64_t>(1, left.count());
  auto result = engine.run({.plan = run.plan,
                            .values = run.values,
                            .memory = run.memory,
                            .options = own,
                            .blocks = blocks,
                            .mayInterpret = limits.mayInterpret,
                            .runs = limits.instructions < worthCompiling
                                        ? jit::CodeFor::ShortRuns
                                        : jit::CodeFor::LongRuns});
  if (result) {
    instructionsLeft -=
        std::min(instructionsLeft, result->stats.laneInstructions);
  }
  return result;
}

llvm::Expected<std::unique_ptr<FullGridTrial::Run>>
FullGridTrial::runWhole(const ExecutablePlan &plan, const Run *like) {
  auto run = setUp(plan, like);
  if (!run)
    return run.takeError();
  auto result = runFast(**run);
  if (!result)
    return result.takeError();
  (*run)->result = std::move(*result);
  return run;
}

bool FullGridTrial::doEnginesAgree() {
  for (const ExecutablePlan *plan : {&reference, &candidate}) {
    auto fast = runWhole(*plan, nullptr);
    if (!fast) {
      skipped = llvm::toString(fast.takeError());
      return false;
    }
    auto faithful = setUp(*plan, nullptr);
    if (!faithful) {
      skipped = llvm::toString(faithful.takeError());
      return false;
    }
    sim::Options own = options;
    own.checkUninitialized = false;
    own.limits.laneInstructions = maxOfSmall;
    auto result = plan->run((*faithful)->values, (*faithful)->memory, own, 0);
    if (!result) {
      skipped = llvm::toString(result.takeError());
      return false;
    }
    // All buffers, those of scratch as well.
    bool same = result->clean() == (*fast)->result.clean();
    for (const auto &buffer : (*faithful)->values.buffers) {
      sim::BufferId id = buffer.second;
      same &=
          std::memcmp((*faithful)->memory.bytes(id), (*fast)->memory.bytes(id),
                      (*faithful)->memory.spec(id).bytes) == 0;
    }
    if (!same) {
      // unreachable: but for an error in one of the engines
      skipped = "the two engines leave different bits";
      return false;
    }
  }
  return true;
}

/// False where it does not run clean, or adds to what other blocks wrote.
bool FullGridTrial::runFaithfully(Run &run, uint64_t block, sim::Shadow shadow,
                                  uint64_t limit) {
  sim::Options own = options;
  AtomicsSeen atomics;
  own.observer = &atomics;
  own.shadow = shadow;
  own.terms = terms;
  own.checkUninitialized = false;
  own.limits.laneInstructions = limit;
  allowArithmetic(kernel.getAccuracyAttr(), own);
  run.memory.enableShadow(shadow);
  auto result = run.plan.runWithHook(
      run.values, run.memory, own, /*orderSeed=*/0,
      [&](const ExecutablePlan::Configuration &, sim::LaunchParams &params,
          sim::Options &) { params.blocks = {block}; });
  if (!result)
    return llvm::consumeError(result.takeError()), false;
  // One lane alone takes half as long as all of them.
  constexpr uint64_t ofWarp = 16;
  if (shadow != sim::Shadow::None)
    spentOnBounds += std::max(result->stats.laneInstructions,
                              ofWarp * result->stats.warpInstructions);
  return result->clean() && !atomics.any;
}

/// Halves the blocks until one is left that writes the element.
std::optional<uint64_t> FullGridTrial::findWriter(Run &run,
                                                  const Suspect &suspect) {
  constexpr uint64_t maxBlocks = uint64_t(1) << 22;
  uint64_t low = 0, high = run.plan.countBlocks(sizes);
  if (run.plan.getNumLaunches() != 1 || high == 0 || high > maxBlocks)
    return std::nullopt;
  const unsigned size = getElementBytes(suspect.arg.getElementType());
  const uint64_t unwritten = poisonOf(size, suspect.index);
  std::vector<uint64_t> blocks;
  while (high - low > 1) {
    const uint64_t middle = low + (high - low) / 2;
    for (ArgumentAttr arg : getOutputs(kernel))
      if (arg.isRead() && !fill(run, arg, nullptr))
        return std::nullopt;
    std::memcpy(run.memory.bytes(run.id(suspect.arg)) + suspect.index * size,
                &unwritten, size);
    blocks.clear();
    for (uint64_t block = low; block < middle; ++block)
      blocks.push_back(block);
    auto result = runFast(run, blocks);
    if (!result)
      return llvm::consumeError(result.takeError()), std::nullopt;
    if (!result->clean())
      return std::nullopt;
    (run.bits(suspect.arg, suspect.index) == unwritten ? low : high) = middle;
  }
  return low;
}

FullGridTrial::Repeat FullGridTrial::repeatElement(Run &run,
                                                   const Suspect &suspect,
                                                   sim::Shadow shadow) {
  unsigned output = 0;
  for (ArgumentAttr arg : getOutputs(kernel)) {
    if (arg == suspect.arg)
      break;
    ++output;
  }
  TrialValues values = run.values;
  values.buffers[elements->results[output]] = run.id(suspect.arg);
  values.buffers[ElementReference::places] =
      run.memory.addBuffer(ElementReference::makePlaces({suspect.index}));
  const unsigned launch = elements->getLaunch(output);
  sim::Options own = options;
  own.shadow = shadow;
  own.terms = terms;
  own.checkUninitialized = false;
  own.limits.laneInstructions = limits.ofBlock * elements->countAsOne(launch);
  allowArithmetic(kernel.getAccuracyAttr(), own);
  run.memory.enableShadow(shadow);
  auto result =
      elements->plan.runAlone(launch, values, run.memory, own,
                              [](const ExecutablePlan::Configuration &,
                                 sim::LaunchParams &, sim::Options &) {});
  if (!result)
    return llvm::consumeError(result.takeError()), Repeat::Unknown;
  return result->clean() ? Repeat::Same : Repeat::Unknown;
}

FullGridTrial::Repeat FullGridTrial::repeat(Run &run, const Suspect &suspect,
                                            uint64_t bits, sim::Shadow shadow) {
  if (&run.plan == &reference && elements && !suspect.arg.isRead())
    return repeatElement(run, suspect, shadow);
  std::optional<uint64_t> block = findWriter(run, suspect);
  if (!block)
    return Repeat::Unknown;
  for (ArgumentAttr arg : getOutputs(kernel))
    if (!fill(run, arg, nullptr))
      return Repeat::Unknown;
  if (!runFaithfully(run, *block, shadow, limits.ofBlock))
    return Repeat::Unknown;
  return run.bits(suspect.arg, suspect.index) == bits ? Repeat::Same
                                                      : Repeat::Other;
}

/// The first, the middle and the last block by the faithful engine, where
/// blocks can be run alone.
bool FullGridTrial::agreesOnBlocks(const ExecutablePlan &plan, const Run &run) {
  if (plan.getNumLaunches() != 1 || limits.ofSelfCheck == 0)
    return true;
  SmallVector<ArgumentAttr> outputs = getOutputs(kernel);
  if (llvm::any_of(outputs, [](ArgumentAttr arg) { return arg.isRead(); }))
    return true;
  auto alone = setUp(plan, &run);
  if (!alone)
    return llvm::consumeError(alone.takeError()), true;
  const uint64_t all = plan.countBlocks(sizes);
  for (uint64_t block : {uint64_t(0), all / 2, all - 1})
    if (block < all &&
        !runFaithfully(**alone, block, sim::Shadow::None, limits.ofSelfCheck))
      return true; // nothing is known of what it wrote
  for (ArgumentAttr arg : outputs) {
    const unsigned size = getElementBytes(arg.getElementType());
    const char *own = (*alone)->bytes(arg), *all = run.bytes(arg);
    const uint64_t perWord = sizeof(uint64_t) / size, end = run.elements(arg);
    for (uint64_t i = 0; i < end; ++i) {
      // Most of it other blocks would have written.
      while (i % perWord == 0 && i + perWord <= end &&
             loadWord(own + i * size) == poison)
        i += perWord;
      if (i < end && std::memcmp(own + i * size, all + i * size, size) != 0 &&
          Run::bitsAt(own + i * size, size) != poisonOf(size, i))
        return false;
    }
  }
  return true;
}

static double getUnit(ArgumentAttr arg, AccuracyAttr accuracy) {
  return AllowedError(cast<FloatType>(arg.getElementType()), accuracy).roundoff;
}

void FullGridTrial::compareBits(const Run &wanted, const Run &got,
                                ArgumentAttr arg) {
  const Type type = arg.getElementType();
  const unsigned size = getElementBytes(type);
  const bool isFloat = isa<FloatType>(type);
  const char *wantedBytes = wanted.bytes(arg), *gotBytes = got.bytes(arg);
  const uint64_t elements = wanted.elements(arg);
  const bool isSame = std::memcmp(wantedBytes, gotBytes, elements * size) == 0;
  const double scale =
      isSame ? 0
             : getRootMeanSquare(type, wantedBytes, elements, [&](uint64_t i) {
                 return Run::bitsAt(wantedBytes + i * size, size) !=
                        poisonOf(size, i);
               });
  scales[arg.getName().getValue()] = scale;
  // Half of what any bound allows, and so more than nothing.
  const double allowed =
      isFloat ? 2 * getUnit(arg, kernel.getAccuracyAttr()) : 0;
  const uint64_t perWord = sizeof(uint64_t) / size;
  for (uint64_t i = 0; i < elements; ++i) {
    if (i % perWord == 0) {
      uint64_t written = 0;
      const uint64_t alike = perWord * skipAlike(wantedBytes, gotBytes, size, i,
                                                 elements, written);
      compared += arg.isRead() ? alike : written;
      i += alike;
      if (i == elements)
        break;
    }
    const uint64_t r = Run::bitsAt(wantedBytes + i * size, size),
                   c = Run::bitsAt(gotBytes + i * size, size);
    if (!arg.isRead() && r == poisonOf(size, i))
      continue;
    ++compared;
    if (r == c)
      continue;
    double distance = HUGE_VAL;
    if (isFloat && (arg.isRead() || c != poisonOf(size, i))) {
      const double x = decodeFloat(type, wantedBytes + i * size),
                   y = decodeFloat(type, gotBytes + i * size);
      if (std::isnan(x) && std::isnan(y))
        continue;
      const double around = std::max(std::fabs(x), scale);
      if (std::isfinite(x) && std::isfinite(y))
        distance = around > 0 ? std::fabs(x - y) / around : 0;
    }
    if (!(distance > allowed))
      continue;
    auto place = llvm::find_if(
        suspects, [&](const Suspect &s) { return s.distance < distance; });
    suspects.insert(place, {arg, i, distance, r, c});
    if (suspects.size() > maxSuspects)
      suspects.pop_back();
  }
}

/// How many terms there may be for an element of `arg`: all dimensions may be
/// loops, and each element of a row may hang on a sum over the row.
double FullGridTrial::countTerms(const Run &run, ArgumentAttr arg) {
  if (!reference.mayAddUpFloats() && !candidate.mayAddUpFloats())
    return 1;
  double terms = 1, longest = 1;
  for (StringRef dim : kernel.getDimensionNames()) {
    terms *= static_cast<double>(sizes.lookup(dim));
    longest = std::max(longest, static_cast<double>(sizes.lookup(dim)));
  }
  return std::max(terms / static_cast<double>(run.elements(arg)), 4 * longest);
}

/// By how much of a tensor's typical size an element may differ whose own bound
/// is not known.
double FullGridTrial::getCoarseShare(const Run &run, ArgumentAttr arg) {
  return std::max(coarseUnits, countTerms(run, arg)) *
         getUnit(arg, kernel.getAccuracyAttr());
}

/// Runs the block of a suspect once more for the terms of its sums, and widens
/// the element's error to that of any order of them; false where it is not
/// known.
bool FullGridTrial::takeAnyOrder(Run &wanted, const Suspect &suspect,
                                 sim::SumModel model) {
  model.isInPlace = suspect.arg.isRead();
  const sim::BufferId id = wanted.id(suspect.arg);
  const uint64_t at =
      suspect.index * getElementBytes(suspect.arg.getElementType());
  const double error = wanted.memory.error(id, at);
  sim::TermsArena arena;
  terms = &arena;
  const Repeat known =
      repeat(wanted, suspect, suspect.wanted, sim::Shadow::ValueAndTerms);
  terms = nullptr;
  const uint64_t handle = wanted.memory.fieldHandle(id, at);
  wanted.memory.setError(id, at, error);
  if (known != Repeat::Same || arena.isFull() || !arena.holds(handle))
    return false;
  const double widened = arena.at(handle).errorInAnyOrder(/*value=*/0, model);
  if (std::isfinite(widened))
    wanted.memory.setError(id, at, std::max(error, widened));
  return true;
}

/// Decides about an element that differs by more than a rounding.
void FullGridTrial::judge(Run &wanted, Run &got, const Suspect &suspect) {
  const ArgumentAttr arg = suspect.arg;
  const bool isFloat = isa<FloatType>(arg.getElementType());
  Comparison comparison;
  const unsigned size = getElementBytes(arg.getElementType());
  const bool isWritten =
      arg.isRead() || suspect.found != poisonOf(size, suspect.index);
  Repeat known = Repeat::Unknown;
  if (isFloat && isWritten)
    known = repeat(wanted, suspect, suspect.wanted, sim::Shadow::ValueAndError);
  if (known == Repeat::Other) {
    // unreachable: but for an error in one of the engines
    skipped = "the two engines leave different bits";
    return;
  }
  double share = 0;
  if (isFloat && known != Repeat::Same) {
    // An element that took too much by itself may hang on all of the input.
    share = elements ? coarsest : getCoarseShare(wanted, arg);
    if (isWritten && share > coarsest && wanted.elements(arg) < fewElements) {
      skipped = "how far rounding may move '" + arg.getName().getValue().str() +
                "' is not known";
      return;
    }
  }
  const double allowed =
      share > 0 ? std::max(std::min(share, coarsest), limits.minShare) : 0;
  auto compare = [&] {
    return compareElement(arg, kernel.getAccuracyAttr(), suspect.index,
                          scales.lookup(arg.getName().getValue()),
                          known == Repeat::Same
                              ? wanted.bits(arg, suspect.index)
                              : suspect.wanted,
                          suspect.found, isWritten,
                          known == Repeat::Same ? &wanted.memory : nullptr,
                          wanted.id(arg), allowed);
  };
  comparison = compare();
  if (comparison.withinBound)
    return;
  // Values are functions of their places, and as good as independent: the worst
  // order of millions of terms would allow for half of them to be left out.
  if (known == Repeat::Same &&
      takeAnyOrder(wanted, suspect,
                   modelSums(kernel, got.plan, /*isIndependent=*/true))) {
    comparison = compare();
    if (comparison.withinBound)
      return;
  }
  if (isWritten &&
      repeat(got, suspect, suspect.found, sim::Shadow::None) == Repeat::Other) {
    // unreachable: but for an error in one of the engines
    skipped = "the two engines leave different bits";
    return;
  }
  argument = arg.getName().getValue().str();
  difference = std::move(comparison);
}

void FullGridTrial::run() {
  auto wanted = runWhole(reference, nullptr);
  auto fail = [&](StringRef whose, llvm::Twine why) {
    skipped = (whose + ": " + why).str();
  };
  if (!wanted)
    return fail("the reference", llvm::toString(wanted.takeError()));
  if (!(*wanted)->result.clean())
    return fail("the reference", (*wanted)->result.findings.front().message);
  auto got = runWhole(candidate, wanted->get());
  if (!got)
    return fail("the candidate", llvm::toString(got.takeError()));
  if (!(*got)->result.clean()) {
    const sim::Finding &first = (*got)->result.findings.front();
    if (sim::isNoFault(first.kind))
      return fail("the candidate", first.message);
    finding = first;
    return;
  }
  if (!agreesOnBlocks(reference, **wanted) ||
      !agreesOnBlocks(candidate, **got)) {
    // unreachable: but for an error in one of the engines
    skipped = "the two engines leave different bits";
    return;
  }
  for (ArgumentAttr arg : getOutputs(kernel))
    compareBits(**wanted, **got, arg);
  // The one that differs most is judged first.
  for (const Suspect &suspect : suspects) {
    if (spentOnBounds > limits.ofBlock)
      break;
    judge(**wanted, **got, suspect);
    if (difference || !skipped.empty())
      return;
  }
}

bool FullGridTrial::seemsOther() {
  auto wanted = runWhole(reference, nullptr);
  if (!wanted)
    return llvm::consumeError(wanted.takeError()), false;
  if (!(*wanted)->result.clean())
    return false;
  auto got = runWhole(candidate, wanted->get());
  if (!got)
    return llvm::consumeError(got.takeError()), false;
  if (!(*got)->result.clean())
    return !sim::isNoFault((*got)->result.findings.front().kind);
  for (ArgumentAttr arg : getOutputs(kernel))
    compareBits(**wanted, **got, arg);
  return llvm::any_of(suspects, [&](const Suspect &suspect) {
    return !isa<FloatType>(suspect.arg.getElementType()) ||
           suspect.distance >
               std::min(coarsest, getCoarseShare(**wanted, suspect.arg));
  });
}
