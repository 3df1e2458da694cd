// Calls that follow each other in one process, of each form of the candidate,
// with other data in the same buffers. A program that has no variables which
// outlive a call cannot tell them apart.
#include "Verification/Checks/Registry.h"
#include "Verification/SampleRunner.h"
#include "Verification/Sampling/Shapes.h"
#include "evo/Interfaces/Faults.h"

using namespace mlir;
using namespace evo;

static constexpr BudgetLine maxShapes{
    "shapes", "cheap shapes at which a call follows one on data of each kind",
    4};
static constexpr const BudgetLine *lines[] = {&maxShapes};

/// Data of the calls; none where they cannot be drawn. The first come again at
/// the end: what remembers them need not compute.
static std::vector<TrialInputs> drawCalls(VerificationState &state,
                                          Random &random) {
  const Bindings sizes = state.tried.getCheapest();
  std::vector<TrialInputs> inputs;
  for (Distribution distribution :
       {Distribution::Normal, Distribution::Uniform}) {
    llvm::Expected<TrialInputs> drawn =
        drawInputs(state.kernel, sizes, distribution, {}, random.split());
    if (!drawn) {
      llvm::consumeError(drawn.takeError());
      return {};
    }
    inputs.push_back(std::move(*drawn));
  }
  inputs.push_back(inputs.front());
  return inputs;
}

/// The first call sets up memory, later ones go on with it. False where it
/// cannot be run.
static bool call(const ExecutablePlan &plan, const TrialInputs &inputs,
                 std::unique_ptr<TrialRun> &run, const sim::Options &engine,
                 uint64_t order) {
  if (run) {
    llvm::Error error = callAgain(plan, inputs, *run, engine, order);
    const bool ran = !error;
    llvm::consumeError(std::move(error));
    return ran;
  }
  llvm::Expected<TrialRun> first = runTrial(plan, inputs, engine, order);
  if (!first) {
    llvm::consumeError(first.takeError());
    return false;
  }
  run = std::make_unique<TrialRun>(std::move(*first));
  return true;
}

/// A call on usual data after one on `first`, of what ships: whether that set
/// back all that it keeps.
static void callAfter(VerificationState &state, const TrialInputs &first,
                      const TrialInputs &usual, StringRef values,
                      Random &random) {
  std::unique_ptr<TrialRun> run;
  sim::Options engine = state.engineOptions();
  for (const TrialInputs *inputs : {&first, &usual}) {
    engine.poison = random.next();
    if (!call(*state.postOptimised, *inputs, run, engine,
              state.tally.inOrder ? 0 : random.next() | 1))
      return;
    // Other checks look at single calls, and know which are over budget.
    if (inputs == &first && !run->result.clean())
      return;
  }
  state.details.count(evidence::repeatedCalls, 1);
  if (run->result.clean() ||
      run->result.findings.front().kind != sim::FindingKind::KeptState)
    return;
  state.refutation = describeFinding(run->result.findings.front());
  state.refutation->call = 2;
  SampleRunner(state).locateRefutation(usual, values);
}

/// After data of each kind at the cheapest shape, and at some others: one that
/// takes another way out may leave what it keeps as it is.
static void tryOtherCalls(VerificationState &state, Budget budget,
                          Random &random) {
  const Distribution kinds[] = {
      Distribution::Zeros,    Distribution::Constant, Distribution::OneHot,
      Distribution::Sorted,   Distribution::Reversed, Distribution::Large,
      Distribution::Tiny,     Distribution::Wide,     Distribution::Negative,
      Distribution::Positive, Distribution::Special};
  SmallVector<Bindings> shapes = {state.tried.getCheapest()};
  for (const TriedShapes::Shape &shape : state.tried.sortCheap())
    if (shapes.size() < budget[maxShapes] &&
        !llvm::is_contained(shapes, shape.sizes))
      shapes.push_back(shape.sizes);
  for (auto [number, sizes] : llvm::enumerate(shapes)) {
    llvm::Expected<TrialInputs> usual = drawInputs(
        state.kernel, sizes, Distribution::Normal, {}, random.split());
    if (!usual) {
      llvm::consumeError(usual.takeError());
      return;
    }
    callAfter(state, *usual, *usual, getDistributionName(Distribution::Normal),
              random);
    for (Distribution kind : kinds) {
      if (state.isDecided())
        return;
      // All buffers have the same kind at every other shape.
      const bool isOfAll = number % 2 == 0 && kind != Distribution::Special;
      llvm::Expected<TrialInputs> first =
          drawInputs(state.kernel, sizes, kind, {}, random.split(), isOfAll);
      if (first)
        callAfter(state, *first, *usual, getDistributionName(kind), random);
      else
        llvm::consumeError(first.takeError());
    }
  }
}

static LogicalResult run(VerificationState &state, Budget budget) {
  Random random(state.drawSeed());
  if (state.tried.isEmpty() ||
      (!state.preOptimised->keepsState() && !state.reference->keepsState()))
    return success();
  const std::vector<TrialInputs> inputs = drawCalls(state, random);
  SampleRunner runner(state);
  SampleKind kind;
  kind.values = "repeated calls";
  std::unique_ptr<TrialRun> runs[3];
  const ExecutablePlan *forms[3] = {&*state.reference, &*state.preOptimised,
                                    &*state.postOptimised};
  for (unsigned number = 0; number < inputs.size(); ++number) {
    auto wanted = runner.runReference(inputs[number], kind);
    if (failed(wanted))
      return failure();
    if (!*wanted)
      return success();
    for (unsigned form = 0; form < 3; ++form) {
      sim::Options engine = state.engineOptions();
      engine.poison = random.next();
      uint64_t order = state.tally.inOrder || !form ? 0 : random.next() | 1;
      std::unique_ptr<TrialRun> &run = runs[form];
      if (!call(*forms[form], inputs[number], run, engine, order))
        return success();
      if (!run->result.clean() && !form)
        return referenceFault(state.kernel.emitError())
               << " when it is called again at "
               << printBindings(inputs[number].sizes) << ": "
               << run->result.findings.front().str();
      if (!run->result.clean())
        state.refutation = describeFinding(run->result.findings.front());
      else if (form)
        runner.compare(inputs[number], **wanted, *run);
      if (state.refutation) {
        state.refutation->call = number + 1;
        runner.locateRefutation(inputs[number], kind.values);
        return success();
      }
    }
    state.details.count(evidence::repeatedCalls, 1);
  }
  if (state.postOptimised->keepsState())
    tryOtherCalls(state, budget, random);
  return success();
}

constexpr Check evo::checks::repeatedCalls = {
    "repeated-calls",
    "results remembered from an earlier call, calls that are counted: whatever "
    "a variable of the module keeps",
    "three calls of each form at the cheapest shape, and two of the optimised "
    "one for each kind of data at some shapes, where a kernel has such "
    "variables",
    Effort::Quick,
    /*isEssential=*/false,
    lines,
    run};
