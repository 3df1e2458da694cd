// Sums over all of a workload's data, of few terms.
#include "WholeSums.h"
#include "FewTerms.h"
#include "LongScratch.h"
#include "PlanRun.h"
#include "Verification/DataSamples.h"
#include "Verification/SampledBlocks.h"
#include "Verification/Sampling/IndexOverflow.h"
#include "evo/Verification/Values.h"
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <thread>

using namespace mlir;
using namespace evo;

/// Elements from which on a buffer holds few terms.
static constexpr double longBuffer = 1 << 20;
/// Bytes of a result, or of scratch altogether, that is kept whole.
static constexpr uint64_t maxResult = uint64_t(64) << 20,
                          maxScratch = uint64_t(256) << 20;
/// Bytes of an input that has values everywhere.
static constexpr uint64_t maxShort = uint64_t(64) << 20;
/// Bytes of other results that are kept where a launch touches them.
static constexpr uint64_t maxTouched = uint64_t(64) << 20;
/// Units of roundoff by which results may differ: many times what the order of
/// a few thousand terms of one sign makes likely, and less than each of them.
static constexpr double allowedUnits = 1024;
static constexpr double maxShare = 1.0 / 16;

struct WholeSumsTrial::Run : PlanRun {
  /// Of the last launch, where a result is not kept whole; else all of them.
  std::vector<uint64_t> blocksOfLast;
  /// Those to run; empty: all.
  std::vector<size_t> launches;
  /// Of each long buffer.
  std::vector<std::pair<StringRef, std::vector<uint64_t>>> terms;
  /// Keeps the pages of long scratch.
  std::unique_ptr<Run> atTerms;

  using PlanRun::PlanRun;
  /// What a place holds; nothing where nobody wrote it.
  std::optional<uint64_t> bits(ArgumentAttr arg, uint64_t place) const {
    const unsigned size = getElementBytes(arg.getElementType());
    const char *bytes = memory.touched(id(arg), place * size);
    if (!bytes)
      return std::nullopt;
    uint64_t value = 0;
    std::memcpy(&value, bytes, size);
    return value == poisonOf(size, place) ? std::nullopt : std::optional(value);
  }
};

/// Of a buffer at `sizes`; nothing where that cannot be said, or is too much to
/// have addresses.
static std::optional<uint64_t> getElements(ArgumentAttr arg,
                                           const Bindings &sizes) {
  constexpr double max = 0x1p36;
  const double elements = countElements(arg, sizes);
  return elements >= 1 && elements <= max
             ? std::optional(static_cast<uint64_t>(elements))
             : std::nullopt;
}

/// Whether it holds few terms at a workload of these sizes.
static bool isLong(ArgumentAttr arg, const Bindings &workload) {
  return isReadBuffer(arg) && isa<FloatType>(arg.getElementType()) &&
         countElements(arg, workload) >= longBuffer;
}

/// Of the narrowest float that is handed over: sums may be of that type.
unsigned WholeSumsTrial::countBits() const {
  unsigned bits = 64;
  for (auto arg : KernelOp(kernel).getArgsAttr().getAsRange<ArgumentAttr>())
    if (auto type = dyn_cast<FloatType>(arg.getElementType()))
      bits = std::min(bits, type.getWidth());
  return bits;
}

/// What an input holds that is not long; null where that cannot be.
sim::PageContents WholeSumsTrial::getShort(ArgumentAttr arg, const Bindings &at,
                                           uint64_t elements, uint64_t ordinal,
                                           const Neutral &tried) const {
  const Type type = arg.getElementType();
  if (!tried.ofAll || !isa<FloatType>(type))
    return fillByPlace(arg, at, elements, getRowLength(arg, at),
                       Random(seed + ordinal).next());
  if (fitDomain(tried.number, arg.getDomain()) != tried.number)
    return {};
  return [type, number = tried.number](uint64_t, char *bytes, uint64_t size) {
    for (uint64_t i = 0; i < size; i += getElementBytes(type))
      encodeFloat(type, number, bytes + i);
  };
}

llvm::Expected<std::unique_ptr<WholeSumsTrial::Run>>
WholeSumsTrial::setUp(const ExecutablePlan &plan, bool isSparse) {
  auto run = std::make_unique<Run>(plan);
  run->values.sizes = sizes;
  takeUsualFloats(kernel, run->values);
  uint64_t ordinal = 0;
  for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>()) {
    StringRef name = arg.getName().getValue();
    ++ordinal;
    if (!arg.isBuffer())
      continue;
    const std::optional<uint64_t> elements = getElements(arg, sizes);
    if (!elements)
      return llvm::createStringError("'" + name + "' is too large");
    sim::BufferSpec spec = makeBufferSpec(arg, *elements);
    sim::PageContents contents;
    if (!arg.isRead()) {
      if (spec.bytes > maxResult) {
        spec.sparse = true;
        spec.storage = maxTouched;
        spec.fill = repeatPoison();
        const size_t last = plan.getNumLaunches() - 1;
        const uint64_t blocks = plan.countBlocks(sizes, last);
        run->blocksOfLast = {0};
        for (uint64_t block : {blocks / 2, blocks - 1})
          if (block > run->blocksOfLast.back())
            run->blocksOfLast.push_back(block);
      }
    } else if (isLong(arg, sizes)) {
      const FewTerms few(arg, *elements, getRowLength(arg, sizes),
                         neutral.number, countBits(), seed, ordinal);
      spec = isSparse ? few.makeSparseSpec() : few.makeSpec();
      run->terms.emplace_back(name, few.getPlaces());
    } else {
      if (spec.bytes > maxShort)
        return llvm::createStringError("'" + name + "' is too large");
      spec.readOnly = true;
      contents = getShort(arg, sizes, *elements, ordinal, neutral);
      if (!contents)
        // unreachable: samples would have had none either
        return llvm::createStringError("'" + name + "' has no values");
    }
    sim::BufferId id = run->memory.addBuffer(spec);
    if (!run->memory.isMapped(id))
      // unreachable: unless the machine has no room for it
      return llvm::createStringError("no memory for '" + name + "'");
    run->values.buffers[name] = id;
    if (contents)
      contents(0, run->memory.bytes(id), spec.bytes);
    else if (!arg.isRead())
      run->memory.poison(id, poison);
  }
  return run;
}

/// Whether a launch before the last one may write what is not kept whole: who
/// reads it later would read what is not there.
static std::optional<std::string> findEarlyWriter(KernelOp kernel,
                                                  const ExecutablePlan &plan,
                                                  const Bindings &sizes) {
  for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>()) {
    if (!arg.isBuffer() || !arg.isWritten() ||
        countElements(arg, sizes) * getElementBytes(arg.getElementType()) <=
            maxResult)
      continue;
    StringRef name = arg.getName().getValue();
    if (plan.getNumLaunches() == 1)
      return ("'" + name + "' is written by the launch that reads all").str();
    for (size_t launch = 0; launch + 1 < plan.getNumLaunches(); ++launch)
      if (plan.mayWrite(launch, name))
        return ("'" + name + "' may be written by an earlier launch").str();
  }
  return std::nullopt;
}

namespace {
/// Calls what lets memory go, every so often as long as it lives, and at last.
class Releaser {
public:
  explicit Releaser(std::function<void()> release)
      : release(std::move(release)), thread([this] { repeat(); }) {}
  ~Releaser() {
    {
      std::lock_guard<std::mutex> lock(mutex);
      isDone = true;
    }
    changed.notify_one();
    thread.join();
    release();
  }

private:
  void repeat() {
    constexpr std::chrono::milliseconds pause(50);
    std::unique_lock<std::mutex> lock(mutex);
    while (!changed.wait_for(lock, pause, [this] { return isDone; }))
      release();
  }

  std::function<void()> release;
  std::mutex mutex;
  std::condition_variable changed;
  bool isDone = false;
  std::thread thread;
};
} // namespace

sim::Options WholeSumsTrial::limitOptions() const {
  sim::Options own = options;
  own.limits.laneInstructions = limits.instructions;
  constexpr double milliseconds = 1000;
  own.limits.wallMilliseconds =
      std::max<int64_t>(1, static_cast<int64_t>(limits.seconds * milliseconds));
  return own;
}

/// False where that says nothing, with the reason noted, or of the candidate,
/// where it has a finding.
bool WholeSumsTrial::runLaunches(Run &run, StringRef whose) {
  const Releaser releaser(run.memory.getRelease());
  auto result = engine.run({.plan = run.plan,
                            .values = run.values,
                            .memory = run.memory,
                            .options = limitOptions(),
                            .blocksOfLast = run.blocksOfLast,
                            .launches = run.launches});
  if (!result) {
    skipped = (whose + ": " + llvm::toString(result.takeError())).str();
    return false;
  }
  if (result->clean())
    return true;
  const sim::Finding &first = result->findings.front();
  if (&run.plan == &candidate && !sim::isNoFault(first.kind))
    finding = first;
  else
    skipped = (whose + ": " + first.message).str();
  return false;
}

bool WholeSumsTrial::runWhole(Run &run, StringRef whose) {
  if (auto why = findEarlyWriter(kernel, run.plan, sizes)) {
    skipped = (whose + ": " + *why).str();
    return false;
  }
  if (auto why = runAtTerms(run)) {
    skipped = (whose + ": " + *why).str();
    return false;
  }
  if (llvm::Error error =
          run.plan.addPlainScratch(run.values, run.memory, maxScratch)) {
    skipped = (whose + ": " + llvm::toString(std::move(error))).str();
    return false;
  }
  return runLaunches(run, whose);
}

/// Launches that fill long scratch, where terms are alone.
std::optional<std::string> WholeSumsTrial::runAtTerms(Run &run) {
  auto scratch = run.plan.listScratch(sizes);
  if (!scratch)
    return llvm::toString(scratch.takeError());
  uint64_t bytes = 0;
  for (const auto &one : *scratch)
    bytes += one.spec.bytes;
  if (bytes <= maxScratch)
    return std::nullopt;
  auto made = setUp(run.plan, /*isSparse=*/true);
  if (!made)
    return llvm::toString(made.takeError());
  run.atTerms = std::move(*made);
  LongScratch filled(kernel, *run.atTerms, run.atTerms->terms, engine,
                     limitOptions());
  auto left = filled.run(*scratch);
  if (!left)
    return llvm::toString(left.takeError());
  run.launches = std::move(*left);
  for (const sim::BufferSpec &spec : filled.makeSpecs()) {
    sim::BufferId id = run.memory.addBuffer(spec);
    if (!run.memory.isMapped(id))
      // unreachable: unless the machine has no room for it
      return "no memory for '" + spec.name + "'";
    run.values.buffers[spec.name] = id;
  }
  return std::nullopt;
}

/// Some elements of an output; null with the reason noted.
std::unique_ptr<WholeSumsTrial::Run>
WholeSumsTrial::runReference(unsigned output, const Elements &places) {
  constexpr StringRef whose = "the reference";
  auto run = setUp(elements ? elements->plan : reference);
  if (!run) {
    skipped = (whose + ": " + llvm::toString(run.takeError())).str();
    return nullptr;
  }
  Run &r = **run;
  if (!elements)
    return runWhole(r, whose) ? std::move(*run) : nullptr;
  r.blocksOfLast.clear();
  if (llvm::Error error = elements->plan.addSparseScratch(r.values, r.memory))
    // unreachable: the contract's buffers have been added
    return llvm::consumeError(std::move(error)), nullptr;
  r.values.buffers[ElementReference::places] =
      r.memory.addBuffer(ElementReference::makePlaces(places));
  r.launches = {elements->getLaunch(output)};
  if (!runLaunches(r, whose))
    return nullptr;
  unsigned number = 0;
  for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>())
    if (arg.isWritten() && number++ == output)
      r.values.buffers[arg.getName().getValue()] =
          r.values.buffers.lookup(elements->results[output]);
  return std::move(*run);
}

/// Elements of an output to be compared: of those that were kept, as many as
/// are computed at once, the first and the last among them.
WholeSumsTrial::Elements WholeSumsTrial::choose(const Run &run,
                                                ArgumentAttr arg) const {
  const uint64_t all = run.elements(arg), max = ElementReference::threads;
  const unsigned size = getElementBytes(arg.getElementType());
  Elements chosen;
  if (!run.memory.spec(run.id(arg)).sparse) {
    const uint64_t count = std::min(all, max);
    for (uint64_t i = 0; i < count; ++i)
      chosen.push_back(count == 1 ? 0 : i * (all - 1) / (count - 1));
    return chosen;
  }
  const std::vector<uint64_t> pages = run.memory.listTouched(run.id(arg));
  const uint64_t count = std::min<uint64_t>(pages.size(), max);
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t place = pages[i * pages.size() / count] / size;
    // A page was touched for one of its elements at least.
    auto isTouched = [&] {
      return place < all && run.memory.touched(run.id(arg), place * size);
    };
    while (isTouched() && !run.bits(arg, place))
      ++place;
    if (isTouched())
      chosen.push_back(place);
  }
  return chosen;
}

void WholeSumsTrial::compare(const Run &wanted, const Run &got,
                             ArgumentAttr arg, const Elements &places) {
  const Type type = arg.getElementType();
  double share = 0;
  if (auto isFloat = dyn_cast<FloatType>(type))
    share = std::min(
        maxShare, allowedUnits *
                      AllowedError(isFloat, kernel.getAccuracyAttr()).roundoff);
  for (uint64_t place : places) {
    const std::optional<uint64_t> r = wanted.bits(arg, place),
                                  c = got.bits(arg, place);
    if (!r)
      continue;
    // What is nothing, or not a number, says nothing of its terms.
    if (isa<FloatType>(type)) {
      const double value =
          decodeFloat(type, reinterpret_cast<const char *>(&*r));
      if (value == 0 || !std::isfinite(value))
        continue;
    }
    ++compared;
    Comparison comparison = compareElement(
        arg, kernel.getAccuracyAttr(), place, /*scale=*/0, *r, c.value_or(0),
        c.has_value(), /*reference=*/nullptr, 0, share);
    if (comparison.withinBound)
      continue;
    argument = arg.getName().getValue().str();
    difference = std::move(comparison);
    return;
  }
}

/// Whether terms are so few that most of a result would be zeros, which anyone
/// may have left there.
bool WholeSumsTrial::hasManyResults(const Run &run) const {
  size_t count = 0;
  for (const auto &[name, places] : run.terms)
    count += places.size();
  return llvm::any_of(KernelOp(kernel).getArgsAttr().getAsRange<ArgumentAttr>(),
                      [&](ArgumentAttr arg) {
                        return arg.isBuffer() && arg.isWritten() &&
                               !run.memory.spec(run.id(arg)).sparse &&
                               run.elements(arg) > count;
                      });
}

void WholeSumsTrial::run() {
  auto got = setUp(candidate);
  if (!got) {
    skipped = llvm::toString(got.takeError());
    return;
  }
  if (hasManyResults(**got)) {
    skipped = "there are more results than terms";
    return;
  }
  const bool isClean = runWhole(**got, "the candidate");
  if (!isClean && !finding)
    return;
  unsigned output = 0;
  std::unique_ptr<Run> wanted;
  for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>()) {
    if (!arg.isWritten())
      continue;
    // A fault counts where the reference has none.
    const Elements places = isClean ? choose(**got, arg) : Elements{0};
    // One that is not by elements leaves all outputs at once.
    if (elements || !wanted)
      wanted = runReference(output++, places);
    if (!wanted) {
      finding.reset();
      return;
    }
    if (finding)
      return;
    compare(*wanted, **got, arg, places);
    if (difference)
      return;
  }
  if (!compared)
    skipped = "all results are zero or not finite there";
}

/// The first element of each result at small sizes, where long buffers hold
/// the number but for the first few elements; nothing where it cannot be had.
std::optional<std::vector<double>>
WholeSumsTrial::getFirstResults(const Bindings &small, const Neutral &tried) {
  constexpr uint64_t numTerms = 8, maxInstructions = 4'000'000,
                     maxSmall = 1 << 16; // elements
  sim::GlobalMemory memory;
  TrialValues values;
  values.sizes = small;
  takeUsualFloats(kernel, values);
  uint64_t ordinal = 0;
  for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>()) {
    ++ordinal;
    if (!arg.isBuffer())
      continue;
    const std::optional<uint64_t> elements = getElements(arg, small);
    const unsigned size = getElementBytes(arg.getElementType());
    if (!elements || *elements > maxSmall)
      return std::nullopt;
    const sim::BufferSpec spec = makeBufferSpec(arg, *elements);
    sim::BufferId id = memory.addBuffer(spec);
    values.buffers[spec.name] = id;
    if (!arg.isRead())
      continue;
    if (!isLong(arg, sizes)) {
      sim::PageContents contents =
          getShort(arg, small, *elements, ordinal, tried);
      if (!contents)
        return std::nullopt;
      contents(0, memory.bytes(id), spec.bytes);
      continue;
    }
    // They stay where they are when extents grow.
    if (getRowLength(arg, small) < numTerms)
      return std::nullopt;
    for (uint64_t i = 0; i < *elements; ++i)
      encodeFloat(arg.getElementType(),
                  i < numTerms ? FewTerms::getTerm(i, ordinal, tried.number)
                               : tried.number,
                  memory.bytes(id) + i * size);
  }
  sim::Options own = options;
  own.checkUninitialized = false;
  own.limits.laneInstructions = maxInstructions;
  auto result = reference.run(values, memory, own, /*orderSeed=*/0);
  if (!result)
    return llvm::consumeError(result.takeError()), std::nullopt;
  if (!result->clean())
    return std::nullopt;
  std::vector<double> first;
  for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>())
    if (arg.isWritten() && isa<FloatType>(arg.getElementType()))
      first.push_back(decodeFloat(
          arg.getElementType(),
          memory.bytes(values.buffers.lookup(arg.getName().getValue()))));
  return first;
}

/// Whether results are the same at twice an extent, or a power of two of them,
/// as means and their roots are: then nothing was added, and that exactly.
static bool areInProportion(ArrayRef<double> one, ArrayRef<double> other) {
  return llvm::all_of(llvm::zip_equal(one, other), [](auto pair) {
    const auto [a, b] = pair;
    int exponent;
    return a != 0 && std::isfinite(a) && std::isfinite(b) &&
           std::frexp(a, &exponent) == std::frexp(b, &exponent);
  });
}

bool WholeSumsTrial::isNeutral(
    const Neutral &tried, llvm::function_ref<bool(const Bindings &)> allowed) {
  constexpr int64_t longExtent = 64;
  Bindings small = sizes;
  SmallVector<StringRef> grown;
  for (StringRef dim : kernel.getDimensionNames())
    if (sizes.lookup(dim) >= longExtent)
      grown.push_back(dim);
  // Contracts ask for multiples of powers of two.
  if (llvm::none_of(std::array{8, 16, 32}, [&](int64_t extent) {
        for (StringRef dim : grown)
          small[dim] = extent;
        return allowed(small);
      }))
    return false;
  const auto first = getFirstResults(small, tried);
  return first && !first->empty() && llvm::all_of(grown, [&](StringRef dim) {
           Bindings larger = small;
           larger[dim] *= 2;
           if (!allowed(larger))
             return false;
           const auto next = getFirstResults(larger, tried);
           return next && areInProportion(*first, *next);
         });
}

bool WholeSumsTrial::findNeutral(
    llvm::function_ref<bool(const Bindings &)> allowed) {
  bool anyLong = false;
  for (const Neutral &tried : {Neutral{0}, Neutral{1}, Neutral{1, true}}) {
    bool fits = true;
    uint64_t ordinal = 0;
    for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>()) {
      ++ordinal;
      if (arg.isBuffer() && arg.isRead() && arg.isWritten())
        return false;
      const std::optional<uint64_t> elements =
          isLong(arg, sizes) ? getElements(arg, sizes) : std::nullopt;
      if (!elements)
        continue;
      anyLong = true;
      fits &= FewTerms(arg, *elements, getRowLength(arg, sizes), tried.number,
                       countBits(), seed, ordinal)
                  .isAllowed();
    }
    if (fits && anyLong && isNeutral(tried, allowed)) {
      neutral = tried;
      return true;
    }
  }
  return false;
}
