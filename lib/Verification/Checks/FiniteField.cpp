// The grade of a candidate that is within the bound on every sample: both run
// on elements of finite fields instead of numbers.
#include "Verification/Checks/Registry.h"
#include "Verification/Sampling/Shapes.h"
#include "Verification/ShapeRunner.h"

using namespace mlir;
using namespace evo;

static constexpr BudgetLine maxInstructions{
    "field-instructions",
    "lane instructions of all samples of the field together", 1'000'000,
    4'000'000, 32'000'000};
static constexpr BudgetLine maxCloser{
    "closer-samples",
    "samples of normal data at the sizes where the candidate is another "
    "function",
    4};
static constexpr const BudgetLine *lines[] = {&maxInstructions, &maxCloser};

/// Where the candidate is another function, these data or others of these sizes
/// may well show it.
static LogicalResult lookCloser(VerificationState &state,
                                const TrialInputs &inputs, Budget budget,
                                Random &random) {
  SampleKind kind;
  kind.values = "of the field"; // no diagnostic: a name of data
  kind.runPreOptimised = kind.mayFail = true;
  if (failed(SampleRunner(state).trySample(inputs, kind, random)))
    return failure();
  if (state.isDecided())
    return success();
  return ShapeRunner(state).tryShape(
      inputs.sizes,
      {static_cast<unsigned>(budget[maxCloser]), 0, 0, Distribution::Normal},
      random.split());
}

/// What but the field's own word keeps a grade from being algebraic; empty
/// where nothing does.
static std::string findLimit(VerificationState &state) {
  for (const sim::OneWayBranch &branch : state.getOpenBranches())
    if (branch.input == sim::BranchInput::Data)
      return "the candidate: a branch on data, " + branch.str() +
             ", went one way on all samples";
  if (!state.tally.notTurned.empty())
    return "orders untried: " + state.tally.notTurned;
  if (!state.tally.notCompared.empty())
    return "not compared at the workload " + state.tally.notCompared;
  if (!state.tally.notCovered.empty())
    return "not all elements seem to be read or written: " +
           state.tally.notCovered;
  if (state.tally.unwatchedInside && !state.tally.watchedInside)
    return "races were watched at trivial sizes alone: what is larger is over "
           "budget";
  return "";
}

static Grade chooseGrade(VerificationState &state) {
  FieldTrial &field = *state.field;
  field.finish();
  if (field.notAlgebraic.empty())
    field.notAlgebraic = findLimit(state);
  if (!field.isAlgebraic())
    return Grade::Numeric;
  if (!state.tally.bitIdentical && field.notExact.empty())
    // unreachable: but on paths that no data of the field take
    field.notExact = "results differ in their last bits";
  return field.isSameExpression() ? Grade::Exact : Grade::Algebraic;
}

static LogicalResult run(VerificationState &state, Budget budget) {
  Random random = state.random.split();
  FieldTrial &field =
      state.field.emplace(state.kernel, *state.reference, *state.postOptimised,
                          budget[maxInstructions], state.tally.inOrder);
  sim::Options engine;
  engine.limits.laneInstructions = state.options.instructionBudget;
  for (const TriedShapes::Shape &shape : state.tried.sort()) {
    if (state.timeIsUp()) {
      field.notAlgebraic = "the time budget ended";
      break;
    }
    if (!field.wantsMore(shape.instructions))
      break;
    if (std::optional<sim::Finding> finding =
            field.tryShape(shape.sizes, engine, random.split())) {
      state.refutation = describeFinding(*finding);
      state.refutation->at = printBindings(shape.sizes);
      return success();
    }
  }
  if (field.differsAt &&
      failed(lookCloser(state, *field.differsAt, budget, random)))
    return failure();
  if (!state.refutation)
    state.grade = chooseGrade(state);
  return success();
}

static void write(const VerificationState &state, evidence::Details &details) {
  const FieldTrial &field = *state.field;
  details.number(evidence::fieldSamples, field.counted);
  details.count(evidence::fieldForfeited, field.forfeited);
  for (const std::string &literal : field.snapped)
    details.text(evidence::snapped, literal);
  if (state.grade == Grade::Numeric)
    details.text(evidence::notAlgebraic, field.notAlgebraic);
  if (state.grade == Grade::Algebraic)
    details.text(evidence::notExact, field.notExact);
}

constexpr Check evo::checks::finiteField = {
    "finite-field",
    "another function of real numbers than the reference's, though within the "
    "bound: the grade is then no better than numeric",
    "each run takes several times that of a sample; cheap shapes first",
    Effort::Quick,
    /*isEssential=*/true,
    lines,
    run,
    write};
