// Conditions of the code that come out in a way that no sample so far can have
// had: sizes and data for it are solved for, and run. What samples can have had
// is found by evaluating the conditions at their sizes, with threads, blocks,
// counters and data by chance.
#include "Verification/Checks/Conditions/Graphs.h"
#include "Verification/Checks/Conditions/LaunchValues.h"
#include "Verification/Checks/Conditions/Trials.h"
#include "Verification/Checks/Registry.h"
#include "Verification/SampleRunner.h"
#include "Verification/Sampling/ShapeSampler.h"
#include "evo/Prove/ConditionSolver.h"

using namespace mlir;
using namespace evo;
using namespace evo::conditions;

static constexpr const BudgetLine *lines[] = {
    &maxGoals,  &maxSamples,     &maxEffort,      &maxWork, &maxInstructions,
    &maxPoints, &maxLaterPoints, &maxSweptPoints, &maxSwept};

void ConditionTrials::prepare() {
  prepare(*state.preOptimised, /*isLowered=*/false);
  prepare(*state.reference, !state.kernel.getReference().isLaunchPlan());
}

void ConditionTrials::prepare(const ExecutablePlan &plan, bool isLowered) {
  for (size_t launch = 0; launch < plan.getNumLaunches(); ++launch) {
    LaunchFormulas formulas = plan.getFormulas(launch);
    auto graph = llvm::find_if(plan.getConditions(), [&](const auto &graph) {
      return graph.kernel == formulas.kernel;
    });
    if (graph == plan.getConditions().end() || graph->isEmpty())
      continue;
    Asked one{&*graph, std::move(formulas), {}, {}};
    for (const std::string &name : one.launch.names) {
      ArgumentAttr arg = state.kernel.lookupArgument(name);
      DomainAttr domain = arg ? arg.getDomain() : DomainAttr();
      if (domain && domain.getLower() && isa<ExprAttr>(domain.getLower()) &&
          isa<ExprAttr>(domain.getUpper()))
        one.ranges.emplace_back(
            std::pair(domain.getLowerExpr(), domain.getUpperExpr()));
      else
        one.ranges.emplace_back();
    }
    one.seen.resize(graph->conditions.size());
    // Loops that a tensor-level reference was lowered to end at any size.
    if (isLowered)
      for (auto [condition, seen] : llvm::zip(graph->conditions, one.seen))
        if (isEndOfLoop(*graph, condition.node))
          seen = {1, 1};
    for (size_t i = 0; i < state.tried.size(); ++i)
      see(one, state.tried[i].sizes, budget[maxPoints]);
    asked.push_back(std::move(one));
  }
}

/// A solver gives any sizes. The longest dimension is likely what a condition
/// asks for, and the others may be short where all of them are too much.
void ConditionTrials::shorten(Bindings &sizes) {
  StringRef longest;
  for (StringRef dim : state.kernel.getDimensionNames())
    if (longest.empty() || sizes.lookup(dim) > sizes.lookup(longest))
      longest = dim;
  for (int64_t extent : {8, 2, 1})
    for (StringRef dim : state.kernel.getDimensionNames()) {
      if (static_cast<uint64_t>(state.estimateWork(sizes)) <= budget[maxWork])
        return;
      Bindings shorter = sizes;
      shorter[dim] = extent;
      if (dim != longest && sizes.lookup(dim) > extent &&
          state.meetsRequirements(shorter))
        sizes = std::move(shorter);
    }
}

/// Puts what loads have to give into half of the elements, and runs that.
LogicalResult ConditionTrials::tryModel(const Asked &one,
                                        const ConditionModel &model) {
  // Adds scalars.
  std::optional<Bindings> sizes =
      ShapeSampler(state.kernel, state.plan, {}, state.options.target,
                   random.split())
          .drawAt(model.sizes, 1, 1);
  if (!sizes)
    return success();
  for (const auto &given : model.sizes)
    (*sizes)[given.first()] = given.second;
  if (!state.meetsRequirements(*sizes))
    return success();
  shorten(*sizes);
  if (!state.reference->launchesBlocks(*sizes) ||
      static_cast<uint64_t>(state.estimateWork(*sizes)) > budget[maxWork] ||
      state.estimateInstructions(*sizes) > budget[maxInstructions])
    return success();
  llvm::Expected<TrialInputs> inputs =
      drawInputs(state.kernel, *sizes, Distribution::Normal, {}, random.split(),
                 /*generic=*/true);
  if (!inputs)
    return llvm::consumeError(inputs.takeError()), success();
  ++samples;
  for (const auto &[argument, value] : model.loaded) {
    if (argument >= one.launch.names.size())
      continue;
    for (TrialInputs::Buffer &buffer : inputs->buffers) {
      DomainAttr domain = buffer.arg.getDomain();
      if (!buffer.arg.isRead() ||
          buffer.arg.getName().getValue() != one.launch.names[argument] ||
          (domain && isa<IntegerType>(buffer.arg.getElementType()) &&
           domain.getKind() != DomainKind::Range))
        continue;
      const unsigned bytes = getElementBytes(buffer.arg.getElementType());
      for (uint64_t i = 0; i < buffer.elements; ++i)
        // The first one is read whatever the sizes are.
        if (i == 0 || random.below(2))
          std::memcpy(buffer.contents.data() + i * bytes, &value, bytes);
    }
  }
  SampleKind kind;
  kind.values = getDistributionName(Distribution::Normal);
  kind.runPreOptimised = true;
  return success(
      succeeded(SampleRunner(state).tryBeyond(*inputs, kind, random)));
}

/// Whether callers may hand over what `sizes` have of their numbers.
static bool areInRange(KernelOp kernel, const Bindings &sizes) {
  return llvm::all_of(
      kernel.getArgsAttr().getAsRange<ArgumentAttr>(), [&](ArgumentAttr arg) {
        auto value = sizes.find(arg.getName().getValue());
        if (arg.isBuffer() || value == sizes.end() ||
            !isa<IntegerType>(arg.getElementType()))
          return true;
        auto range = getIntegerRange(arg, sizes);
        if (!range)
          return llvm::consumeError(range.takeError()), false;
        return value->second >= range->first && value->second < range->second;
      });
}

LogicalResult ConditionTrials::tryAt(const Asked &one, const Bindings &sizes) {
  if (!areInRange(state.kernel, sizes))
    return success();
  if (samples >= budget[maxSamples] || state.isDecided() ||
      !state.meetsRequirements(sizes) ||
      !boundaries.insert(printBindings(sizes)).second)
    return success();
  ConditionModel model;
  model.sizes = sizes;
  return tryModel(one, model);
}

LogicalResult ConditionTrials::solveAll() {
  std::vector<std::string> names;
  std::vector<Requirement> requirements;
  for (StringRef dim : state.kernel.getDimensionNames())
    names.push_back(dim.str());
  for (ArrayAttr attrs :
       {state.kernel.getRequirementsAttr(), state.plan.getRequirementsAttr()})
    if (attrs)
      for (auto attr : attrs.getAsRange<RequirementAttr>())
        requirements.push_back(attr.getValue());
  for (const Asked &one : asked)
    if (failed(tryBoundaries(one)) || failed(tryProducts(one)) ||
        failed(tryThresholds(one)))
      return failure();
  for (Asked &one : asked) {
    const bool isOpen = llvm::any_of(
        one.seen, [](const auto &ways) { return !ways[0] || !ways[1]; });
    if (isOpen && failed(sweep(one)))
      return failure();
  }
  std::optional<ConditionSolver> solver;
  uint64_t goals = 0;
  for (Asked &one : asked)
    for (size_t i = 0; i < one.seen.size(); ++i)
      for (bool wanted : {true, false}) {
        const KernelConditions::Condition &condition = one.graph->conditions[i];
        if (one.seen[i][wanted] || (condition.onlyTrue && !wanted))
          continue;
        if (goals++ >= budget[maxGoals] || samples >= budget[maxSamples] ||
            state.isDecided())
          return success();
        // It costs more than most questions.
        if (!solver)
          solver.emplace(names, requirements, budget[maxEffort]);
        SmallVector<KernelConditions::Fact> facts(condition.path.begin(),
                                                  condition.path.end());
        facts.emplace_back(condition.node, wanted);
        std::optional<ConditionModel> model =
            solver->solve(*one.graph, one.launch, one.ranges, facts);
        if (solver->hasEnded())
          return success();
        if (!model)
          continue;
        if (failed(tryModel(one, *model)))
          return failure();
        see(one, model->sizes, budget[maxLaterPoints], &*model);
      }
  return success();
}

static LogicalResult run(VerificationState &state, Budget budget) {
  if (state.tried.isEmpty())
    return success();
  ConditionTrials trials(state, budget);
  trials.prepare();
  return trials.solveAll();
}

constexpr Check evo::checks::conditions = {
    "conditions",
    "other results where a condition on sizes, blocks, integers or bits of "
    "floats comes out as it did in no sample",
    "one sample for each way of a condition that is solved for; small ones",
    Effort::Quick,
    /*isEssential=*/false,
    lines,
    run};
