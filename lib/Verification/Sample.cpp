// One sample: reference and candidate on the same data, findings first, values
// second.
#include "LastStore.h"
#include "PlanVerifier.h"
#include "Verification/Sampling/Shapes.h"
#include "evo/Interfaces/Faults.h"
#include "evo/Target/TargetInfo.h"

using namespace mlir;
using namespace evo;

/// What a shape costs, roughly: the product of all dimensions, which bounds the
/// work of most kernels, or the threads launched, which bounds it from below.
int64_t PlanVerifier::estimateWork(const Bindings &sizes) {
  double product = 1;
  for (StringRef dim : kernel.getDimensionNames())
    product *= std::max<int64_t>(1, sizes.lookup(dim));
  double threads = std::max(double(reference->countThreads(sizes)),
                            double(shipped->countThreads(sizes)));
  return static_cast<int64_t>(std::min(1e18, std::max(product, 2 * threads)));
}

static bool isOutOfBudget(const TrialRun &run) {
  return !run.result.clean() &&
         run.result.findings.front().kind == exec::FindingKind::BudgetExceeded;
}

/// Whether the budget ended among many blocks, none of which had much of it.
static bool isOverBudgetRatherThanEndless(const exec::LaunchResult &result,
                                          uint64_t budget) {
  return result.stats.lastBlockInstructions < budget / 16;
}

/// Runs the candidate within its budget. Where it has ended on an earlier
/// sample, or ends block by block, it gets a second, larger one: a kernel that
/// is dear at one shape is not endless.
llvm::Expected<TrialRun> PlanVerifier::runBounded(const ExecutablePlan &form,
                                                  const TrialInputs &inputs,
                                                  exec::Options engine,
                                                  Accidents accidents) {
  engine.poison = accidents.poison;
  uint64_t order = accidents.order;
  llvm::Expected<TrialRun> run = runTrial(form, inputs, engine, order);
  if (run && !run->result.clean() &&
      run->result.findings.front().kind == exec::FindingKind::WaitsForBlock) {
    // Devices start blocks in the order of their numbers, though nothing says
    // they must: programs that rely on it are run so, and the evidence says so.
    tally.inOrder = true;
    return runTrial(form, inputs, engine, 0);
  }
  // A budget below the usual one is no question of whether it ends.
  if (!run || !isOutOfBudget(*run) ||
      engine.limits.laneInstructions < options.instructionBudget)
    return run;
  if (tally.samples < 2 && !isOverBudgetRatherThanEndless(
                               run->result, engine.limits.laneInstructions))
    return run;
  engine.limits.laneInstructions *= 20;
  return runTrial(form, inputs, engine, order);
}

Refutation PlanVerifier::describeDifference(StringRef argument,
                                            const Comparison &comparison) {
  Refutation result{"different-result",
                    argument.str() + "[" + std::to_string(comparison.index) +
                        "]: expected " + comparison.expected + ", found " +
                        comparison.found + " (" + comparison.message + ")",
                    {}};
  result.details.append(evidence::argument.of(b, argument));
  result.details.append(evidence::index.of(b, comparison.index));
  if (comparison.expectedValue) {
    result.details.append(evidence::expected.of(b, comparison.expectedValue));
    result.details.append(evidence::found.of(b, comparison.foundValue));
    result.isOfElement = true;
  }
  return result;
}

bool PlanVerifier::compare(const TrialInputs &inputs, const TrialRun &wanted,
                           const TrialRun &got) {
  bool isIllConditioned = false;
  for (const TrialInputs::Buffer &buffer : inputs.buffers) {
    if (!buffer.arg.isWritten())
      continue;
    StringRef name = buffer.arg.getName().getValue();
    Comparison comparison =
        compareOutput(buffer.arg, kernel.getAccuracyAttr(), buffer.elements,
                      *wanted.memory, wanted.values.buffers.lookup(name),
                      *got.memory, got.values.buffers.lookup(name));
    tally.bitIdentical &= comparison.equal;
    tally.worstRatio = std::max(tally.worstRatio, comparison.worstRatio);
    isIllConditioned |= comparison.illConditioned;
    if (comparison.withinBound)
      continue;
    refutation = describeDifference(name, comparison);
    break;
  }
  return isIllConditioned;
}

exec::Options PlanVerifier::engineOptions() const {
  exec::Options engine;
  engine.limits.laneInstructions = options.instructionBudget;
  if (const target::TargetInfo *card = target::findTarget(options.target))
    engine.limits.sharedBytes = card->sharedPerBlockOptIn;
  return engine;
}

FailureOr<std::unique_ptr<TrialRun>>
PlanVerifier::runReference(const TrialInputs &inputs, SampleKind kind) {
  exec::Options engine = engineOptions();
  engine.shadow = exec::Shadow::ValueAndError;
  allowArithmetic(kernel.getAccuracyAttr(), engine);
  engine.detectRaces = kind.detectRaces;
  llvm::Expected<TrialRun> wanted = runTrial(*reference, inputs, engine, 0);
  auto drop = [&] {
    ++tally.dropped;
    return std::unique_ptr<TrialRun>();
  };
  if (!wanted) {
    std::string why = llvm::toString(wanted.takeError());
    if (kind.mayFail)
      return drop();
    refutation = Refutation{"cannot-run",
                            "the reference cannot be run at " +
                                printBindings(inputs.sizes) + ": " + why,
                            {},
                            /*undecided=*/true};
    return std::unique_ptr<TrialRun>();
  }
  if (!wanted->result.clean()) {
    if (kind.mayFail)
      return drop();
    // A naive reference may be over budget at a size that is not large: that
    // size is left out. One that ended nowhere yet may well be endless.
    if (isOutOfBudget(*wanted) &&
        (tally.samples ||
         isOverBudgetRatherThanEndless(wanted->result,
                                       engine.limits.laneInstructions))) {
      ++tally.overBudget;
      costliest = printBindings(inputs.sizes);
      return drop();
    }
    refuteFinding(wanted->result.findings.front());
    if (refutation->undecided) {
      refutation->message = "the reference " + refutation->message;
      return std::unique_ptr<TrialRun>();
    }
    refutation.reset();
    return referenceFault(kernel.emitError())
           << " at " << printBindings(inputs.sizes) << ": "
           << wanted->result.findings.front().str();
  }
  if (!kind.special)
    for (const TrialInputs::Buffer &buffer : inputs.buffers)
      if (buffer.arg.isWritten() &&
          !isFiniteOutput(
              buffer.arg, buffer.elements, *wanted->memory,
              wanted->values.buffers.lookup(buffer.arg.getName().getValue()))) {
        whyDropped = "at " + printBindings(inputs.sizes) + " '" +
                     buffer.arg.getName().getValue().str() +
                     "' of the reference is not finite";
        return drop();
      }
  ++tally.samples;
  return std::make_unique<TrialRun>(std::move(*wanted));
}

void PlanVerifier::locateRefutation(const TrialInputs &inputs,
                                    SampleKind kind) {
  if (!refutation)
    return;
  refutation->details.append(evidence::at.of(b, printBindings(inputs.sizes)));
  refutation->details.append(evidence::values.of(b, kind.values));
}

std::optional<TrialRun> PlanVerifier::runCandidate(const ExecutablePlan &form,
                                                   const TrialInputs &inputs,
                                                   const exec::Options &engine,
                                                   Accidents accidents) {
  llvm::Expected<TrialRun> got = runBounded(form, inputs, engine, accidents);
  if (got)
    return std::move(*got);
  // What this machine lacks is no fault of the candidate.
  refutation = Refutation{"cannot-run",
                          llvm::toString(got.takeError()),
                          {},
                          /*undecided=*/true};
  return std::nullopt;
}

/// Whether `share` of a budget covers one more sample and the budget all.
static bool isWithin(double budget, double share, double spent, double more) {
  return more <= budget * share && spent + more <= budget;
}

/// A register-blocked kernel takes ten times as long before it is unrolled. The
/// first sample is run so whatever it takes, others as far as the budget goes;
/// what they will take is foretold by what the others took.
bool PlanVerifier::isAffordablePreOptimisation(
    uint64_t shippedInstructions) const {
  if (!tally.shippedInstructions)
    return true;
  double ratio =
      double(tally.writtenInstructions) / double(tally.shippedInstructions);
  return isWithin(double(effortLevel().writtenInstructions), 1.0 / 3,
                  double(tally.writtenInstructions),
                  ratio * double(shippedInstructions));
}

std::optional<bool> PlanVerifier::seemsToRace(const TrialInputs &inputs,
                                              uint64_t shippedInstructions,
                                              Accidents accidents) {
  if (!isWithin(double(effortLevel().writtenInstructions) / 4, 1.0 / 4,
                double(tally.watchedInstructions), double(shippedInstructions)))
    return std::nullopt;
  tally.watchedInstructions += shippedInstructions;
  exec::Options engine = engineOptions();
  engine.detectRaces = true;
  std::optional<TrialRun> run =
      runCandidate(*shipped, inputs, engine, accidents);
  return run && !run->result.clean() &&
         run->result.findings.front().kind == exec::FindingKind::Race;
}

/// The candidate as written, with detectors.
void PlanVerifier::runWritten(const TrialInputs &inputs, const TrialRun &wanted,
                              SampleKind kind, Accidents accidents) {
  exec::Options engine = engineOptions();
  engine.detectRaces = kind.detectRaces;
  engine.coverage = &coverage;
  std::optional<TrialRun> got =
      runCandidate(*written, inputs, engine, accidents);
  if (!got)
    return;
  tally.writtenInstructions += got->result.stats.laneInstructions;
  if (!got->result.clean())
    return refuteFinding(got->result.findings.front());
  compare(inputs, wanted, *got);
}

/// The candidate as written comes first in what is said, for it names places
/// best, though the other form is run before it, which tells how dear it is.
/// Where it is over budget, races are looked for in the code as shipped. They
/// are a suspicion only, since an optimiser may load what is not used, and the
/// code as written decides.
LogicalResult PlanVerifier::trySample(const TrialInputs &inputs,
                                      SampleKind kind, Random &random) {
  auto wanted = runReference(inputs, kind);
  if (failed(wanted))
    return failure();
  if (!*wanted)
    return success();
  Accidents ofWritten, ofShipped;
  if (kind.runWritten)
    ofWritten = Accidents::draw(random);
  ofShipped = Accidents::draw(random);
  exec::Options engine = engineOptions();
  if (kind.maxInstructions)
    engine.limits.laneInstructions = kind.maxInstructions;
  std::optional<TrialRun> got =
      runCandidate(*shipped, inputs, engine, ofShipped);
  if (!got)
    return locateRefutation(inputs, kind), success();
  if (kind.maxInstructions && isOutOfBudget(*got)) {
    ++tally.dropped;
    return success();
  }
  bool affordable =
      isAffordablePreOptimisation(got->result.stats.laneInstructions);
  if (kind.runWritten && kind.detectRaces) {
    bool watched = affordable;
    if (!affordable)
      if (std::optional<bool> races = seemsToRace(
              inputs, got->result.stats.laneInstructions, ofShipped)) {
        affordable = *races;
        watched = true;
      }
    tally.unwatched += !watched;
    if (hasInterior(kernel, inputs.sizes))
      (watched ? tally.watchedInside : tally.unwatchedInside) = true;
  }
  if (kind.runWritten && affordable)
    runWritten(inputs, **wanted, kind, ofWritten);
  else if (kind.runWritten)
    ++tally.onlyShipped;
  if (!refutation) {
    uint64_t instructions = got->result.stats.laneInstructions;
    if (kind.runWritten && affordable)
      tally.shippedInstructions += instructions;
    if (!got->result.clean())
      refuteFinding(got->result.findings.front());
    else
      tally.illConditioned += compare(inputs, **wanted, *got);
    instructions += (*wanted)->result.stats.laneInstructions;
    if (kind.detectRaces && !refutation)
      tried.emplace_back(instructions, inputs.sizes);
  }
  if (refutation && refutation->isOfElement)
    nameLastStore(inputs, affordable ? *written : *shipped,
                  affordable ? ofWritten : ofShipped);
  locateRefutation(inputs, kind);
  return success();
}

/// Where the element that differs got its value.
void PlanVerifier::nameLastStore(const TrialInputs &inputs,
                                 const ExecutablePlan &form,
                                 Accidents accidents) {
  exec::Options engine = engineOptions();
  engine.poison = accidents.poison;
  auto argument =
      cast<StringAttr>(refutation->details.get(evidence::argument.name));
  auto index = cast<IntegerAttr>(refutation->details.get(evidence::index.name));
  exec::SourceLoc place =
      findLastStore(form, inputs, argument, index.getInt(), engine,
                    tally.inOrder ? 0 : accidents.order);
  if (place.line)
    refutation->details.append(evidence::location.of(b, place.str()));
}

bool PlanVerifier::hasOpenBranchOnData() const {
  return llvm::any_of(written->getOneWayBranches(coverage),
                      [](const exec::OneWayBranch &branch) {
                        return branch.input == exec::BranchInput::Data;
                      });
}
