// One sample: reference and candidate on the same data, findings first, values
// second.
#include "SampleRunner.h"
#include "Accuracy/AnyOrder.h"
#include "Budgets.h"
#include "DataSamples.h"
#include "LastStore.h"
#include "Verdict/Counterexample.h"
#include "Verification/Sampling/Shapes.h"
#include "evo/Interfaces/Faults.h"

using namespace mlir;
using namespace evo;

static bool isOutOfBudget(const TrialRun &run) {
  return !run.result.clean() &&
         run.result.findings.front().kind == sim::FindingKind::BudgetExceeded;
}

static bool waitsForBlock(const TrialRun &run) {
  return !run.result.clean() &&
         run.result.findings.front().kind == sim::FindingKind::WaitsForBlock;
}

/// Whether the budget ended among many blocks, none of which had much of it.
static bool isOverBudgetRatherThanEndless(const sim::LaunchResult &result,
                                          uint64_t budget) {
  return result.stats.lastBlockInstructions < budget / 16;
}

/// Runs the candidate within its budget. Where it has ended on an earlier
/// sample, or ends block by block, it gets a second, larger one: a kernel that
/// is over budget at one shape is not endless.
llvm::Expected<TrialRun> SampleRunner::runBounded(const ExecutablePlan &form,
                                                  const TrialInputs &inputs,
                                                  sim::Options engine,
                                                  Accidents accidents) {
  engine.poison = accidents.poison;
  uint64_t order = accidents.order;
  llvm::Expected<TrialRun> run = runTrial(form, inputs, engine, order);
  if (run && !engine.schedule && waitsForBlock(*run)) {
    // Devices start blocks in the order of their numbers, though nothing says
    // they must: programs that rely on it are run so, and the evidence says so.
    llvm::Expected<TrialRun> inOrder = runTrial(form, inputs, engine, 0);
    const bool waits = inOrder && waitsForBlock(*inOrder);
    if (waits && !state.tally.inOrder) {
      // Nor does that order help: all blocks at once may.
      state.tally.together = true;
      engine.schedule = state.engineOptions().schedule;
      return runTrial(form, inputs, engine, order);
    }
    state.tally.inOrder = true;
    return inOrder;
  }
  // A budget below the usual one is no question of whether it ends.
  if (!run || !isOutOfBudget(*run) ||
      engine.limits.laneInstructions < state.options.instructionBudget)
    return run;
  const uint64_t limit = engine.limits.laneInstructions;
  const bool isEndless = !isOverBudgetRatherThanEndless(run->result, limit);
  // Nor does one block take a hundred times what all of a shape are expected
  // to: a loop that waits for what never comes.
  constexpr uint64_t farMore = 64;
  if (isEndless &&
      (state.tally.samples < 2 ||
       (!state.tried.isEmpty() &&
        state.estimateInstructions(inputs.sizes) < limit / farMore)))
    return run;
  engine.limits.laneInstructions *= 20;
  return runTrial(form, inputs, engine, order);
}

bool SampleRunner::isSlow(const Bindings &sizes, const sim::Options &engine) {
  constexpr int64_t part = 8, shortest = 64;
  std::optional<Bindings> smaller =
      shortenLongest(state, sizes, part, shortest);
  if (!smaller)
    return false;
  Random random(state.options.seed);
  std::optional<TrialInputs> inputs =
      drawNormal(state, *smaller, /*generic=*/true, random);
  if (!inputs)
    return false;
  llvm::Expected<TrialRun> run =
      runTrial(*state.postOptimised, *inputs, engine, /*orderSeed=*/0);
  if (!run)
    return llvm::consumeError(run.takeError()), false;
  return run->result.clean() && 2 * part * run->result.stats.laneInstructions >=
                                    engine.limits.laneInstructions;
}

Comparison SampleRunner::compareBuffer(const TrialInputs &inputs,
                                       const TrialInputs::Buffer &buffer,
                                       TrialRun &wanted, const TrialRun &got,
                                       const SampleKind &kind) {
  StringRef name = buffer.arg.getName().getValue();
  // What is added to the same numbers again and again is rounded the same way.
  const bool byElement =
      kind.byElement || (buffer.arg.isRead() && !inputs.isIndependent);
  auto compareOnce = [&] {
    return compareOutput(buffer.arg, state.kernel.getAccuracyAttr(),
                         buffer.elements, *wanted.memory,
                         wanted.values.buffers.lookup(name), *got.memory,
                         got.values.buffers.lookup(name),
                         /*excuse=*/!kind.special, byElement ? 1 : 0.5);
  };
  Comparison comparison = compareOnce();
  if (wanted.triedAnyOrder ||
      !mayDependOnOrder(state.kernel, comparison, inputs.isIndependent))
    return comparison;
  wanted.triedAnyOrder = true;
  sim::Options engine = state.engineOptions();
  allowArithmetic(state.kernel.getAccuracyAttr(), engine);
  const sim::SumModel model =
      modelSums(state.kernel, *state.postOptimised, inputs.isIndependent);
  return takeAnyOrder(*state.reference, inputs, model, engine, wanted)
             ? compareOnce()
             : comparison;
}

bool SampleRunner::isOnlyLessAccurate(const TrialInputs &inputs,
                                      const TrialInputs::Buffer &buffer,
                                      TrialRun &wanted, const TrialRun &got,
                                      bool special) {
  auto type = dyn_cast<FloatType>(buffer.arg.getElementType());
  // Of a hundred terms arithmetic of 16 bits may make anything.
  if (!type || type.getWidth() < 32 || state.kernel.getAccuracyAttr())
    return false;
  sim::Options engine = state.engineOptions();
  engine.multiplyUnit = engine.accumulateUnit = getUnitRoundoff(type);
  // What the reference computes in that type or a narrower one gains nothing,
  // by the rule that its errors had before.
  const StringRef name = buffer.arg.getName().getValue();
  const sim::SumModel model =
      modelSums(state.kernel, *state.postOptimised, inputs.isIndependent);
  return takeAnyOrder(*state.reference, inputs, model, engine, wanted) &&
         compareOutput(buffer.arg, nullptr, buffer.elements, *wanted.memory,
                       wanted.values.buffers.lookup(name), *got.memory,
                       got.values.buffers.lookup(name), /*excuse=*/!special)
             .withinBound;
}

bool SampleRunner::compare(const TrialInputs &inputs, TrialRun &wanted,
                           const TrialRun &got, const SampleKind &kind) {
  bool isIllConditioned = false;
  for (const TrialInputs::Buffer &buffer : inputs.buffers) {
    if (!buffer.arg.isWritten())
      continue;
    StringRef name = buffer.arg.getName().getValue();
    const Comparison comparison =
        compareBuffer(inputs, buffer, wanted, got, kind);
    state.tally.bitIdentical &= comparison.equal;
    state.tally.worstRatio =
        std::max(state.tally.worstRatio, comparison.worstRatio);
    isIllConditioned |= comparison.illConditioned;
    if (comparison.withinBound)
      continue;
    if (comparison.byBound &&
        !compareOutput(buffer.arg, state.kernel.getAccuracyAttr(),
                       buffer.elements, *wanted.memory,
                       wanted.values.buffers.lookup(name), *wanted.memory,
                       wanted.values.buffers.lookup(name), !kind.special)
             .withinBound) {
      referenceMissed = true;
      state.tally.whyDropped = "at " + printBindings(inputs.sizes) + " '" +
                               name.str() +
                               // unreachable: unless a bound is wrong
                               "' of the reference misses its own bound";
      continue;
    }
    state.refutation = describeDifference(name, comparison);
    if (comparison.byBound &&
        isOnlyLessAccurate(inputs, buffer, wanted, got, kind.special))
      sayLessAccurate(*state.refutation, buffer.arg);
    break;
  }
  return isIllConditioned;
}

/// The first result of the reference that overflows nearly everywhere, or is
/// not known there where that is asked for.
static std::optional<std::string>
findOverflow(const TrialInputs &inputs, const TrialRun &run, bool mostlyKnown) {
  for (const TrialInputs::Buffer &buffer : inputs.buffers) {
    if (!buffer.arg.isWritten())
      continue;
    StringRef name = buffer.arg.getName().getValue();
    ValueCount count = countValues(buffer.arg, buffer.elements, *run.memory,
                                   run.values.buffers.lookup(name));
    if (2 * count.values < count.written ||
        (mostlyKnown && 2 * count.known < count.written))
      return name.str();
  }
  return std::nullopt;
}

/// What such a shuffle answers is made of the poison; another poison, of
/// another kind, makes other results of it.
static llvm::Expected<bool> dependsOnPoison(const ExecutablePlan &form,
                                            const TrialInputs &inputs,
                                            const TrialRun &run,
                                            sim::Options engine,
                                            uint64_t poison, uint64_t order) {
  engine.poison = poison ^ (poison & 1 ? 3 : 1);
  llvm::Expected<TrialRun> other = runTrial(form, inputs, engine, order);
  if (!other)
    return other.takeError();
  if (!other->result.clean())
    return true;
  return llvm::any_of(inputs.buffers, [&](const TrialInputs::Buffer &buffer) {
    StringRef name = buffer.arg.getName().getValue();
    return buffer.arg.isWritten() &&
           findDifferentElement(buffer.arg, buffer.elements, *run.memory,
                                run.values.buffers.lookup(name), *other->memory,
                                other->values.buffers.lookup(name));
  });
}

/// Whether all results of a buffer that are not exact are far from the largest
/// number of their type.
static bool isFarFromLimit(const TrialInputs::Buffer &buffer,
                           const sim::GlobalMemory &memory, sim::BufferId id) {
  auto type = dyn_cast<FloatType>(buffer.arg.getElementType());
  if (!type)
    return true;
  const double limit =
      0x1p-20 *
      llvm::APFloat::getLargest(type.getFloatSemantics()).convertToDouble();
  const unsigned size = getElementBytes(type);
  for (uint64_t at = 0; at < buffer.elements * size; at += size)
    if (memory.isInitialized(id, at) && memory.error(id, at) != 0 &&
        std::fabs(decodeFloat(type, memory.bytes(id) + at)) > limit)
      return false;
  return true;
}

/// Whether all results of the reference are values, and most known well, or all
/// of them as exactly, or as far from the largest number, as `kind` says.
static bool isStrictlyClean(const TrialInputs &inputs, const TrialRun &run,
                            const SampleKind &kind) {
  return llvm::all_of(inputs.buffers, [&](const TrialInputs::Buffer &buffer) {
    if (!buffer.arg.isWritten())
      return true;
    const sim::BufferId id =
        run.values.buffers.lookup(buffer.arg.getName().getValue());
    const ValueCount count =
        countValues(buffer.arg, buffer.elements, *run.memory, id);
    return count.values == count.written &&
           (kind.onlySelects ? count.exact == count.written
                             : 2 * count.known >= count.written) &&
           (!kind.isAtLimit || isFarFromLimit(buffer, *run.memory, id));
  });
}

/// A number that a caller hands over, larger than usual: of steps, perhaps.
static bool hasLargeScalar(const TrialInputs &inputs, KernelOp kernel) {
  constexpr int64_t usual = 1 << 16;
  return llvm::any_of(
      kernel.getArgsAttr().getAsRange<ArgumentAttr>(), [&](ArgumentAttr arg) {
        return !arg.isBuffer() && isa<IntegerType>(arg.getElementType()) &&
               inputs.sizes.lookup(arg.getName().getValue()) > usual;
      });
}

FailureOr<std::unique_ptr<TrialRun>>
SampleRunner::runReference(const TrialInputs &inputs, SampleKind kind) {
  Tally &tally = state.tally;
  sim::Options engine = state.engineOptions();
  engine.shadow = sim::Shadow::ValueAndError;
  allowArithmetic(state.kernel.getAccuracyAttr(), engine);
  engine.detectRaces = kind.detectRaces;
  engine.detectSignedWraps = engine.noteOverflows = kind.strict;
  if (kind.maxOfReference)
    engine.limits.warpInstructions = kind.maxOfReference;
  llvm::Expected<TrialRun> wanted =
      runTrial(*state.reference, inputs, engine, 0);
  auto drop = [] { return std::unique_ptr<TrialRun>(); };
  if (!wanted) {
    std::string why = llvm::toString(wanted.takeError());
    if (kind.mayFail || tally.samples)
      return drop();
    state.refutation = Refutation{Reason::CannotRun,
                                  "the reference cannot be run at " +
                                      printBindings(inputs.sizes) + ": " + why,
                                  /*undecided=*/true};
    return std::unique_ptr<TrialRun>();
  }
  if (!wanted->result.clean()) {
    overBudget = isOutOfBudget(*wanted);
    if (kind.mayFail || (overBudget && kind.maxOfReference))
      return drop();
    // A naive reference may be over budget at a size that is not large: that
    // size is left out. One that ended nowhere yet may well be endless.
    if (isOutOfBudget(*wanted) &&
        (tally.samples || hasLargeScalar(inputs, state.kernel) ||
         isOverBudgetRatherThanEndless(wanted->result,
                                       engine.limits.laneInstructions))) {
      ++tally.overBudget;
      tally.costliest = printBindings(inputs.sizes);
      return drop();
    }
    const sim::Finding &finding = wanted->result.findings.front();
    Refutation found = describeFinding(finding);
    if (found.undecided) {
      found.message = "the reference " + found.message;
      state.refutation = std::move(found);
      return std::unique_ptr<TrialRun>();
    }
    return referenceFault(state.kernel.emitError())
           << " at " << printBindings(inputs.sizes) << ": " << finding.str();
  }
  if (wanted->result.inactiveRead) {
    // Shadows follow a program that is right: bits alone, twice.
    sim::Options bits = state.engineOptions();
    bits.poison = 1; // NaN
    llvm::Expected<TrialRun> run = runTrial(*state.reference, inputs, bits, 0);
    llvm::Expected<bool> depends =
        run ? dependsOnPoison(*state.reference, inputs, *run, bits, bits.poison,
                              0)
            : run.takeError();
    if (!depends || *depends) {
      llvm::consumeError(depends.takeError());
      if (kind.mayFail)
        return drop();
      return referenceFault(state.kernel.emitError())
             << " at " << printBindings(inputs.sizes) << ": "
             << wanted->result.inactiveRead->str();
    }
  }
  if (!kind.special)
    if (std::optional<std::string> name =
            findOverflow(inputs, *wanted, kind.mostlyKnown)) {
      tally.whyDropped = "at " + printBindings(inputs.sizes) + " '" + *name +
                         "' of the reference overflows";
      return drop();
    }
  if (kind.strict && (wanted->result.stats.overflows ||
                      !isStrictlyClean(inputs, *wanted, kind)))
    return drop();
  return std::make_unique<TrialRun>(std::move(*wanted));
}

void SampleRunner::locateRefutation(const TrialInputs &inputs,
                                    StringRef values) {
  if (!state.refutation)
    return;
  state.refutation->at = printBindings(inputs.sizes);
  state.refutation->values = values.str();
}

std::optional<TrialRun> SampleRunner::runCandidate(const ExecutablePlan &form,
                                                   const TrialInputs &inputs,
                                                   const sim::Options &engine,
                                                   Accidents accidents) {
  llvm::Expected<TrialRun> got = runBounded(form, inputs, engine, accidents);
  if (got)
    return std::move(*got);
  // What this machine lacks is no fault of the candidate.
  state.refutation =
      Refutation{Reason::CannotRun, llvm::toString(got.takeError()),
                 /*undecided=*/true};
  return std::nullopt;
}

bool SampleRunner::usesInactiveLanes(const ExecutablePlan &form,
                                     const TrialInputs &inputs,
                                     const TrialRun &run, Accidents accidents) {
  if (!run.result.inactiveRead || !run.result.clean())
    return false;
  llvm::Expected<bool> depends = dependsOnPoison(
      form, inputs, run, state.engineOptions(), accidents.poison,
      state.tally.inOrder ? 0 : accidents.order);
  if (!depends)
    return llvm::consumeError(depends.takeError()), false;
  if (*depends)
    state.refutation = describeFinding(*run.result.inactiveRead);
  return *depends;
}

/// Whether `share` of a budget covers one more sample and the budget all.
static bool isWithin(double budget, double share, double spent, double more) {
  return more <= budget * share && spent + more <= budget;
}

/// A register-blocked kernel takes ten times as long before it is unrolled. The
/// first sample is run so whatever it takes, others as far as the budget goes;
/// what they will take is foretold by what the others took.
bool SampleRunner::isPreOptimisedAffordable(
    uint64_t postOptimisedInstructions) const {
  const Tally &tally = state.tally;
  if (!tally.postOptimisedInstructions)
    return true;
  double ratio = double(tally.preOptimisedInstructions) /
                 double(tally.postOptimisedInstructions);
  return isWithin(double(budgets::preOptimisation.at(state.options.effort)),
                  1.0 / 3, double(tally.preOptimisedInstructions),
                  ratio * double(postOptimisedInstructions));
}

std::optional<bool> SampleRunner::seemsToRace(const TrialInputs &inputs,
                                              uint64_t instructions,
                                              Accidents accidents) {
  if (!isWithin(double(budgets::preOptimisation.at(state.options.effort)) / 4,
                1.0 / 4, double(state.tally.watchedInstructions),
                double(instructions)))
    return std::nullopt;
  state.tally.watchedInstructions += instructions;
  sim::Options engine = state.engineOptions();
  engine.detectRaces = true;
  std::optional<TrialRun> run =
      runCandidate(*state.postOptimised, inputs, engine, accidents);
  return run && !run->result.clean() &&
         run->result.findings.front().kind == sim::FindingKind::Race;
}

void SampleRunner::noteWatched(const Bindings &sizes, bool watched) {
  state.tally.unwatched += !watched;
  if (hasInterior(state.kernel, sizes))
    (watched ? state.tally.watchedInside : state.tally.unwatchedInside) = true;
}

/// The candidate before optimisation, with detectors. False where it takes too
/// much, though what is shipped ended: what takes more than several times as
/// long has no end.
bool SampleRunner::runPreOptimised(const TrialInputs &inputs, TrialRun &wanted,
                                   SampleKind kind, Accidents accidents,
                                   uint64_t postOptimisedInstructions) {
  constexpr uint64_t times = 64;
  sim::Options engine = state.engineOptions();
  engine.detectRaces = kind.detectRaces;
  engine.coverage = &state.coverage;
  std::optional<TrialRun> got =
      runCandidate(*state.preOptimised, inputs, engine, accidents);
  if (!got)
    return true;
  state.tally.preOptimisedInstructions += got->result.stats.laneInstructions;
  state.tally.readerWithoutFence |= got->result.readerWithoutFence;
  if (isOutOfBudget(*got) &&
      postOptimisedInstructions > engine.limits.laneInstructions / times)
    return false;
  if (!got->result.clean())
    state.refutation = describeFinding(got->result.findings.front());
  else if (!usesInactiveLanes(*state.preOptimised, inputs, *got, accidents))
    compare(inputs, wanted, *got, kind);
  return true;
}

FailureOr<bool> SampleRunner::tryBeyond(const TrialInputs &inputs,
                                        SampleKind kind, Random &random) {
  kind.mayFail = true;
  const unsigned samples = state.tally.samples, dropped = state.tally.dropped;
  if (failed(trySample(inputs, kind, random)))
    return failure();
  state.tally.dropped = dropped; // nobody asked for it
  return state.tally.samples > samples;
}

/// The code before optimisation comes first in what is said, for it names
/// places best, though the other form is run before it, which tells how long it
/// takes. Where it is over budget, races are looked for in optimised code. They
/// are a suspicion only, since an optimiser may load what is not used, and the
/// code before optimisation decides.
LogicalResult SampleRunner::trySample(const TrialInputs &inputs,
                                      SampleKind kind, Random &random) {
  referenceMissed = overBudget = false;
  auto wanted = runReference(inputs, kind);
  if (failed(wanted))
    return failure();
  if (!*wanted) {
    state.tally.dropped += !state.refutation;
    return success();
  }
  ++state.tally.samples;
  Accidents ofPreOptimised, ofPostOptimised;
  if (kind.runPreOptimised)
    ofPreOptimised = Accidents::draw(random);
  ofPostOptimised = Accidents::draw(random);
  sim::Options engine = state.engineOptions();
  if (kind.maxInstructions)
    engine.limits.laneInstructions = kind.maxInstructions;
  std::optional<TrialRun> got =
      runCandidate(*state.postOptimised, inputs, engine, ofPostOptimised);
  if (!got)
    return locateRefutation(inputs, kind.values), success();
  if (isOutOfBudget(*got) && (kind.maxInstructions ||
                              (kind.mayFail && isSlow(inputs.sizes, engine)))) {
    ++state.tally.dropped;
    return success();
  }
  const uint64_t instructions = got->result.stats.laneInstructions;
  bool affordable = isPreOptimisedAffordable(instructions);
  bool watched = affordable;
  if (kind.runPreOptimised && kind.detectRaces && !affordable)
    if (std::optional<bool> races =
            seemsToRace(inputs, instructions, ofPostOptimised)) {
      affordable = *races;
      watched = true;
    }
  const bool runsBoth = kind.runPreOptimised && affordable;
  const bool ended = !runsBoth || runPreOptimised(inputs, **wanted, kind,
                                                  ofPreOptimised, instructions);
  watched &= ended;
  state.tally.onlyPostOptimised += kind.runPreOptimised && !(runsBoth && ended);
  if (kind.runPreOptimised && kind.detectRaces)
    noteWatched(inputs.sizes, watched);
  if (!state.refutation) {
    if (runsBoth)
      state.tally.postOptimisedInstructions += instructions;
    if (!got->result.clean())
      state.refutation = describeFinding(got->result.findings.front());
    else if (!usesInactiveLanes(*state.postOptimised, inputs, *got,
                                ofPostOptimised))
      state.tally.illConditioned += compare(inputs, **wanted, *got, kind);
    if (referenceMissed && !state.refutation) {
      --state.tally.samples;
      ++state.tally.dropped;
    } else if (kind.detectRaces && !kind.again && !state.refutation)
      state.tried.add(instructions + (*wanted)->result.stats.laneInstructions,
                      inputs.sizes, watched);
  }
  if (state.refutation && state.refutation->isOfElement())
    nameLastStore(inputs,
                  affordable ? *state.preOptimised : *state.postOptimised,
                  affordable ? ofPreOptimised : ofPostOptimised);
  locateRefutation(inputs, kind.values);
  if (state.refutation && state.options.keepsCounterexample)
    state.counterexample =
        describeCounterexample(state.kernel.getContext(), inputs, wanted->get(),
                               got->result.clean() ? &*got : nullptr);
  return success();
}

/// Where the element that differs got its value.
void SampleRunner::nameLastStore(const TrialInputs &inputs,
                                 const ExecutablePlan &form,
                                 Accidents accidents) {
  sim::Options engine = state.engineOptions();
  engine.poison = accidents.poison;
  sim::SourceLoc place = findLastStore(
      form, inputs, state.refutation->argument, *state.refutation->index,
      engine, state.tally.inOrder ? 0 : accidents.order);
  if (place.line)
    state.refutation->location = place.str();
}
