// What is tried: usual sizes and values, those at literals of the code, and
// calls that follow each other.
#include "PlanVerifier.h"
#include "Verification/Sampling/IndexOverflow.h"
#include "Verification/Sampling/Shapes.h"
#include "evo/Interfaces/Faults.h"
#include "evo/Support/Sort.h"

using namespace mlir;
using namespace evo;

/// A block that goes through all rows of its share may take long where rows
/// are many, whatever the reference takes: that is no reason to refuse it.
static constexpr uint64_t secondTripInstructions = 60'000'000;

unsigned PlanVerifier::countDistributions() {
  bool any = llvm::any_of(
      kernel.getArgsAttr().getAsRange<ArgumentAttr>(), [](ArgumentAttr arg) {
        return arg.getDomain() && arg.getDomain().getKind() == DomainKind::Any;
      });
  return numDistributions - (any ? 1 : 2);
}

LogicalResult PlanVerifier::tryShape(const Bindings &sizes, ShapeTrials trials,
                                     Random random) {
  if (!reference->launchesBlocks(sizes)) {
    ++tally.skipped;
    return success();
  }
  tally.shapes += trials.first == 0;
  const unsigned turns = countDistributions();
  for (unsigned trial = trials.first; trial < trials.end && !refutation;
       ++trial) {
    // Normal data first, for it has the fewest coincidences.
    auto distribution = trials.all.value_or(Distribution::Normal);
    if (trial == 1 && trials.second)
      distribution = *trials.second;
    else if (trial > 0 && !trials.all)
      // In turn, so that a few samples already see most of them.
      distribution = static_cast<Distribution>(
          1 + (options.seed + distributionsDrawn++) % turns);
    SampleKind kind;
    kind.values = getDistributionName(distribution);
    kind.special = distribution == Distribution::Special;
    kind.maxInstructions = trials.maxInstructions;
    // Races need watching once for each shape only. Later data run the code as
    // written too while they may still open a branch.
    kind.detectRaces = trial == 0;
    kind.runWritten = trial == 0 || hasOpenBranchOnData();
    unsigned overBudget = tally.overBudget;
    // Literals of the code may be too large for the reference (the lowest
    // number, as a maximum begins): the sample is then drawn without them.
    for (ArrayRef<double> among :
         {ArrayRef<double>(literals.floats), ArrayRef<double>()}) {
      if (trials.all && !among.empty())
        continue;
      unsigned dropped = tally.dropped;
      llvm::Expected<TrialInputs> inputs =
          drawInputs(kernel, sizes, distribution, among, random.split(),
                     /*generic=*/trials.all.has_value());
      if (!inputs) {
        whyDropped = "at " + printBindings(sizes) + " " +
                     llvm::toString(inputs.takeError());
        ++tally.dropped;
      } else if (failed(trySample(*inputs, kind, random))) {
        return failure();
      }
      if (tally.dropped == dropped || among.empty())
        break;
    }
    if (timeIsUp() || tally.overBudget > overBudget)
      break;
  }
  return success();
}

size_t PlanVerifier::sortByCost() {
  constexpr uint64_t maxInstructions = 60'000;
  stableSortBy(tried, [](const auto &t) { return t.first; });
  auto end = llvm::find_if(
      tried, [](const auto &t) { return t.first > maxInstructions; });
  return std::max<size_t>(1, end - tried.begin());
}

/// On one shape that is cheap, what no other had.
LogicalResult PlanVerifier::tryOtherDistributions(Random random) {
  if (tried.empty())
    return success();
  const Bindings sizes = getCheapShape();
  const unsigned turns = countDistributions();
  if (distributionsDrawn < turns &&
      failed(
          tryShape(sizes, {1 + turns - distributionsDrawn, 1}, random.split())))
    return failure();
  return success();
}

/// For each dimension the shape in which it is longest.
static std::vector<const Bindings *> findLongest(KernelOp kernel,
                                                 ArrayRef<Bindings> shapes) {
  std::vector<const Bindings *> longest;
  for (StringRef dim : kernel.getDimensionNames())
    longest.push_back(
        llvm::max_element(shapes, [&](const Bindings &a, const Bindings &b) {
          return a.lookup(dim) < b.lookup(dim);
        }));
  return longest;
}

/// Counts of integers that are all the same, and more of them than a byte
/// holds, or than 16 bits do where that is not over budget.
LogicalResult PlanVerifier::tryCounts(EffortLevel level, Random random) {
  constexpr uint64_t maxInstructions = 4'000'000;
  bool readsIntegers = llvm::any_of(
      kernel.getArgsAttr().getAsRange<ArgumentAttr>(), [](ArgumentAttr arg) {
        return arg.isBuffer() && arg.isRead() &&
               isa<IntegerType>(arg.getElementType());
      });
  if (!readsIntegers)
    return success();
  auto work = [&](const Bindings &sizes) { return estimateWork(sizes); };
  for (int64_t extent : {300, 65600}) {
    Literals one;
    one.sizes = one.ofAnySize = {extent};
    for (const Bindings &sizes :
         sampleLiteralShapes(kernel, plan, one, options.target,
                             kernel.getDimensionNames().size(), 0,
                             4 * level.workLimit, work, {}, random.split())
             .shapes) {
      llvm::Expected<TrialInputs> inputs =
          drawInputs(kernel, sizes, Distribution::Constant, literals.floats,
                     random.split());
      if (!inputs) {
        llvm::consumeError(inputs.takeError());
        continue;
      }
      if (!reference->launchesBlocks(sizes))
        continue;
      SampleKind kind;
      kind.values = getDistributionName(Distribution::Constant);
      kind.maxInstructions = maxInstructions;
      if (failed(trySample(*inputs, kind, random)))
        return failure();
      if (refutation || timeIsUp())
        return success();
    }
  }
  return success();
}

/// Data at the literals of the code, on cheap shapes. A few elements are as
/// good as many, but rows should be long and many enough to hold several
/// literals.
LogicalResult PlanVerifier::tryLiterals(EffortLevel level, Random random) {
  if (literals.isEmpty() || tried.empty())
    return success();
  constexpr size_t maxShapes = 3;
  const size_t affordable = sortByCost();
  // Those that have an interior first, as stencils need it.
  std::vector<Bindings> chosen;
  for (bool inside : {true, false})
    for (size_t i = affordable; i > 0 && chosen.size() < maxShapes; --i)
      if (hasInterior(kernel, tried[i - 1].second) == inside)
        chosen.push_back(tried[i - 1].second);
  unsigned buffers = 0;
  for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>())
    buffers += arg.isBuffer() && arg.isRead();
  LiteralUse use;
  for (unsigned n = 0; n < level.literalSamples && !refutation && !timeIsUp();
       ++n) {
    LiteralSampler sampler(literals, n, buffers, use);
    llvm::Expected<TrialInputs> inputs =
        drawLiteralInputs(kernel, chosen[n / numLiteralLayouts % chosen.size()],
                          sampler, random.split());
    if (!inputs ||
        !meetsRequirements(kernel, plan, inputs->sizes, options.target)) {
      if (!inputs)
        llvm::consumeError(inputs.takeError());
      continue;
    }
    // Scalars are others than those of the shape.
    if (!reference->launchesBlocks(inputs->sizes))
      continue;
    SampleKind kind;
    kind.values = sampler.getName();
    kind.runWritten = true;
    kind.mayFail = sampler.isBeyondSilence();
    unsigned before = tally.samples;
    if (failed(trySample(*inputs, kind, random)))
      return failure();
    tally.literalSamples += tally.samples - before;
  }
  tally.valuesLeftOut = use.countLeftOut();
  return success();
}

/// Calls that follow each other in one process, of each form of the candidate,
/// with other data in the same buffers. A program that has no variables which
/// outlive a call cannot tell them apart.
LogicalResult PlanVerifier::tryRepeatedCalls(Random random) {
  if (tried.empty() || (!written->keepsState() && !reference->keepsState()))
    return success();
  constexpr unsigned calls = 3;
  const Bindings sizes = llvm::min_element(tried, llvm::less_first())->second;
  std::vector<TrialInputs> inputs;
  for (Distribution distribution :
       {Distribution::Normal, Distribution::Uniform})
    if (auto drawn =
            drawInputs(kernel, sizes, distribution, {}, random.split()))
      inputs.push_back(std::move(*drawn));
    else
      return llvm::consumeError(drawn.takeError()), success();
  // The first data again: what remembers them need not compute.
  inputs.push_back(inputs.front());
  SampleKind kind;
  kind.values = "repeated calls";
  std::unique_ptr<TrialRun> runs[3];
  const ExecutablePlan *forms[3] = {&*reference, &*written, &*shipped};
  for (unsigned call = 0; call < calls; ++call) {
    auto wanted = runReference(inputs[call], kind);
    if (failed(wanted))
      return failure();
    if (!*wanted)
      return success();
    for (unsigned form = 0; form < 3; ++form) {
      exec::Options engine = engineOptions();
      engine.poison = random.next();
      uint64_t order = tally.inOrder || !form ? 0 : random.next() | 1;
      std::unique_ptr<TrialRun> &run = runs[form];
      if (!run) {
        llvm::Expected<TrialRun> first =
            runTrial(*forms[form], inputs[call], engine, order);
        if (!first)
          return llvm::consumeError(first.takeError()), success();
        run = std::make_unique<TrialRun>(std::move(*first));
      } else if (llvm::Error error = callAgain(*forms[form], inputs[call], *run,
                                               engine, order)) {
        return llvm::consumeError(std::move(error)), success();
      }
      if (!run->result.clean() && !form)
        return referenceFault(kernel.emitError())
               << " when it is called again at " << printBindings(sizes) << ": "
               << run->result.findings.front().str();
      if (!run->result.clean())
        refuteFinding(run->result.findings.front());
      else if (form)
        compare(inputs[call], **wanted, *run);
      if (refutation) {
        refutation->details.append(evidence::call.of(b, call + 1));
        locateRefutation(inputs[call], kind);
        return success();
      }
    }
    ++tally.repeatedCalls;
  }
  return success();
}

/// Launches at sizes that are too large to be run. Where a device takes those
/// of the reference it has to take the candidate's, or the candidate to say
/// that it is not for such sizes.
void PlanVerifier::checkLaunchLimits(Random random) {
  for (const Bindings &sizes :
       sampleLimitShapes(kernel, plan, options.target, random)) {
    llvm::Expected<std::optional<std::string>> wanted =
        reference->findLaunchFailure(sizes);
    llvm::Expected<std::optional<std::string>> got =
        shipped->findLaunchFailure(sizes);
    bool isComparable =
        reference->launchesBlocks(sizes) && wanted && !*wanted && got;
    if (isComparable && *got) {
      refutation = Refutation{
          "launch-failure",
          **got + "; add an evo.require that excludes such sizes, or launch "
                  "otherwise",
          {}};
      refutation->details.append(evidence::at.of(b, printBindings(sizes)));
    }
    if (!wanted)
      llvm::consumeError(wanted.takeError());
    if (!got)
      llvm::consumeError(got.takeError());
    if (refutation)
      return;
  }
}

/// Whether some result has elements.
static bool hasResults(KernelOp kernel, const Bindings &sizes) {
  return llvm::any_of(kernel.getArgsAttr().getAsRange<ArgumentAttr>(),
                      [&](ArgumentAttr arg) {
                        return arg.isBuffer() && arg.isWritten() &&
                               countElements(arg, sizes) > 0;
                      });
}

/// No round of a loop: what is done before a first round, or after the last,
/// shows there. Where no result has elements there is nothing to be done, and
/// where the reference itself is at fault, the contract does not mean such
/// sizes.
LogicalResult PlanVerifier::tryEmptyExtents(Random random) {
  for (const Bindings &sizes :
       sampleEmptyShapes(kernel, plan, options.target, random.split())) {
    if (!hasResults(kernel, sizes) || !reference->launchesBlocks(sizes))
      continue;
    if (!shipped->launchesBlocks(sizes)) {
      for (StringRef dim : kernel.getDimensionNames())
        if (sizes.lookup(dim) == 0)
          tally.launchesNothingAt.push_back(dim.str());
      continue;
    }
    llvm::Expected<TrialInputs> inputs = drawInputs(
        kernel, sizes, Distribution::Normal, literals.floats, random.split());
    if (!inputs) {
      llvm::consumeError(inputs.takeError());
      continue;
    }
    SampleKind kind;
    kind.values = "normal";
    kind.runWritten = kind.mayFail = true;
    unsigned dropped = tally.dropped;
    if (failed(trySample(*inputs, kind, random)))
      return failure();
    // Nobody asked for it.
    tally.dropped = dropped;
    if (refutation)
      break;
  }
  return success();
}

LogicalResult PlanVerifier::lookCloser(const TrialInputs &inputs,
                                       Random &random) {
  constexpr unsigned more = 4;
  SampleKind kind;
  kind.values = "of the field"; // no diagnostic: a name of data
  kind.runWritten = kind.mayFail = true;
  if (failed(trySample(inputs, kind, random)))
    return failure();
  if (refutation || timeIsUp())
    return success();
  return tryShape(inputs.sizes, {more, 0, 0, Distribution::Normal},
                  random.split());
}

/// The block that a literal names as the last one of the grid, with little to
/// do for it. Where blocks of both cannot be compared by themselves (launches
/// that follow each other), all of them are run, if that is not over budget.
LogicalResult PlanVerifier::tryLastBlocks(EffortLevel level, Random random) {
  if (tried.empty())
    return success();
  constexpr size_t maxBlocks = 4;
  const bool isAlone =
      reference->getNumLaunches() == 1 && written->getNumLaunches() == 1;
  uint64_t instructionsLeft = level.sampledBlockInstructions;
  for (int64_t block :
       ArrayRef(literals.blocks)
           .take_front(std::min(maxBlocks, literals.blocks.size())))
    for (const Bindings &sizes : sampleShapesOfGrids(
             kernel, plan, block, options.target, isAlone ? 3 : 1,
             llvm::min_element(tried, llvm::less_first())->second,
             [&](const Bindings &s) { return shipped->countBlocks(s); },
             random.split())) {
      if (isAlone)
        tryOneBlock(sizes, static_cast<uint64_t>(block), random.next(),
                    instructionsLeft);
      else if (estimateWork(sizes) <= 16 * level.workLimit &&
               failed(tryShape(sizes, {1, 0, secondTripInstructions},
                               random.split())))
        return failure();
      if (refutation || timeIsUp())
        return success();
    }
  return success();
}

LogicalResult PlanVerifier::tryShapes(ArrayRef<Bindings> shapes,
                                      ShapeTrials trials, Random &random) {
  overBudgetBefore = tally.overBudget;
  for (const Bindings &sizes : shapes) {
    if (failed(tryShape(sizes, trials, random.split())))
      return failure();
    if (isOver())
      break;
  }
  return success();
}

/// The usual shapes, and on those in which a dimension is longest numbers
/// beyond the range of exp: a maximum of not quite all of a row shows in them.
LogicalResult PlanVerifier::tryUsualShapes(EffortLevel level,
                                           ArrayRef<Bindings> shapes,
                                           Random &random) {
  overBudgetBefore = tally.overBudget;
  const std::vector<const Bindings *> longest = findLongest(kernel, shapes);
  for (const Bindings &sizes : shapes) {
    ShapeTrials trials = {level.distributions};
    if (llvm::is_contained(longest, &sizes))
      trials.second = Distribution::Large;
    if (failed(tryShape(sizes, trials, random.split())))
      return failure();
    if (isOver())
      break;
  }
  // Where an element stands out is chance, so more of them where that is cheap.
  constexpr uint64_t cheapInstructions = 300'000;
  for (size_t i = 0, end = tried.size(); i < end; ++i) {
    const uint64_t instructions = tried[i].first;
    const Bindings sizes = tried[i].second;
    bool isLongest = llvm::any_of(
        longest, [&](const Bindings *shape) { return *shape == sizes; });
    if (isLongest && instructions <= cheapInstructions && !refutation &&
        !timeIsUp() && level.distributions > 1 &&
        failed(tryShape(sizes, {4, 1, 0, Distribution::Large}, random.split())))
      return failure();
  }
  return success();
}

LogicalResult PlanVerifier::trySamples(EffortLevel level, Random &random) {
  std::vector<int64_t> constants = shipped->getConstants();
  llvm::append_range(constants, reference->getConstants());
  // The candidate's own literals first; the optimiser has computed some.
  for (const ExecutablePlan *form : {&*written, &*shipped, &*reference})
    literals.append(form->getLiterals());
  auto work = [&](const Bindings &sizes) { return estimateWork(sizes); };
  std::vector<Bindings> shapes =
      sampleShapes(kernel, plan, constants, options.target, level.shapes - 1,
                   level.workLimit, work, random.split());
  if (std::optional<Bindings> heldOut =
          sampleHeldOutShape(kernel, plan, constants, options.target,
                             level.workLimit, work, shapes, options.seed, hash))
    shapes.push_back(std::move(*heldOut));
  if (failed(tryUsualShapes(level, shapes, random)))
    return failure();
  Random own = random.split();
  if (!refutation && !timeIsUp() && level.distributions > 1 &&
      failed(tryShapes(sampleSecondTripShapes(
                           kernel, plan, constants, shipped->getNumLaunches(),
                           options.target, 16 * level.workLimit, work,
                           [&](const Bindings &sizes) {
                             return shipped->countThreads(sizes);
                           },
                           shapes, own.split()),
                       {1, 0, secondTripInstructions}, random)))
    return failure();
  if (!refutation && !timeIsUp() && level.distributions > 1 &&
      failed(tryOtherDistributions(own.split())))
    return failure();
  if (!refutation && !timeIsUp())
    checkLaunchLimits(own.split());
  if (!refutation && !timeIsUp() && level.distributions > 1 &&
      failed(tryCounts(level, own.split())))
    return failure();
  if (!refutation && !timeIsUp()) {
    LiteralShapes chosen =
        sampleLiteralShapes(kernel, plan, literals, options.target,
                            level.literalShapes, (level.literalShapes + 1) / 2,
                            4 * level.workLimit, work, shapes, own.split());
    tally.sizesLeftOut = chosen.leftOut;
    if (failed(
            tryShapes(chosen.shapes, {1, 0, 0, Distribution::Normal}, random)))
      return failure();
  }
  if (!refutation && !timeIsUp() && failed(tryLiterals(level, own.split())))
    return failure();
  if (!refutation && !timeIsUp() && failed(tryRepeatedCalls(own.split())))
    return failure();
  if (!refutation && !timeIsUp() && failed(tryEmptyExtents(own.split())))
    return failure();
  if (!refutation && !timeIsUp() && failed(tryLastBlocks(level, own.split())))
    return failure();
  if (!refutation && !timeIsUp())
    trySampledBlocks(level, own.next());
  if (!refutation && !timeIsUp() && level.distributions > 1)
    tryIndexOverflow(level, own.next());
  if (!refutation && !timeIsUp())
    tryTwoOrders(own.split());
  if (!refutation && !timeIsUp() && level.fullGridWork)
    tryFullGrids(level, own.next());
  return success();
}
