// The generation loop. The kernel op is the population: what was tried, what it
// gave and what it cost stand in the IR, for the proposer to read.
#include "Tried.h"
#include "evo/Interfaces/Faults.h"
#include "evo/Interfaces/Fitness.h"
#include "evo/Interfaces/Interrupt.h"
#include "evo/Interfaces/SearchSession.h"
#include "evo/Interfaces/SearchTime.h"
#include "evo/Interfaces/Structure.h"
#include "evo/Interfaces/TimeVariant.h"
#include "evo/Support/Counted.h"
#include "evo/Support/Fixed.h"
#include "evo/Support/OwnDiagnostics.h"
#include "evo/Support/Sort.h"
#include "evo/Transforms/Passes.h"
#include "llvm/Support/FormatVariadic.h"
#include <chrono>

using namespace mlir;

namespace evo {
#define GEN_PASS_DEF_SEARCH
#include "evo/Transforms/Passes.h.inc"

namespace {
double now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// No wait is longer: years, which a clock can still count.
constexpr double maxSeconds = 1e8;

class SearchPass : public impl::SearchBase<SearchPass> {
public:
  using SearchBase::SearchBase;
  void runOnOperation() override;

private:
  Tried tried;
  unsigned spent = 0;
  unsigned question = 0; ///< of an earlier process, of which there is no end
  double start = 0, earlierSeconds = 0;
  bool noDevice = false; ///< to measure on

  std::string evaluationPipeline() const;
  std::string settings() const;
  LogicalResult search(const BackendInterface &backends,
                       SearchSession &session);
  /// Asks for a generation; fewer than that, or none, where the proposer has no
  /// more ideas.
  FailureOr<SmallVector<ProposalOp>> ask(const BackendInterface &backends,
                                         SearchSession &session, unsigned &dry);
  LogicalResult evaluate(ArrayRef<ProposalOp> fresh,
                         const BackendInterface &backends,
                         SearchSession &session);
  /// The measurer, where there is one and a device for it; else null.
  Measurer *findTimer(const BackendInterface &backends);
  /// Times variants, as many at a time as there are devices, unless measuring
  /// is to end.
  LogicalResult time(ArrayRef<VariantOp> variants, Measurer &timer,
                     SearchSession &session);
  /// Times what was accepted and is not measured yet, best estimate first.
  LogicalResult measure(const BackendInterface &backends,
                        SearchSession &session);
  void adopt(ProposalOp proposal, const Outcome &outcome);
  void announce(ProposalOp proposal, const SearchSession &session,
                const Outcome &outcome);
  /// Why the search should end here, if it should.
  SearchStop findReasonToStop(const BackendInterface &backends);
  llvm::DenseSet<Operation *> known;
  SmallVector<ProposalOp> takeNew();
};
} // namespace

std::string SearchPass::evaluationPipeline() const {
  if (!pipeline.empty())
    return pipeline;
  std::string to = "{target=" + target + "}";
  return "builtin.module(evo.kernel(evo-materialize,evo-verify{target=" +
         target + " effort=" + stringifyEffort(effort).str() +
         " seed=" + std::to_string(seed) + "},evo-lower" + to +
         ",evo-estimate" + to + "))";
}

/// All that decides what this search tries, but its length.
std::string SearchPass::settings() const {
  return "proposer=" + proposer + " seed=" + std::to_string(seed) +
         " generation=" + std::to_string(generation) +
         " pipeline=" + evaluationPipeline();
}

/// The time of the fastest variant.
static std::optional<double> bestTime(KernelOp kernel) {
  std::optional<double> best;
  for (auto variant : kernel.getBody().getOps<VariantOp>())
    if (std::optional<double> time = expectedTime(variant))
      best = std::min(best.value_or(*time), *time);
  return best;
}

/// Candidates tried since one was the fastest so far.
static unsigned triedSinceProgress(KernelOp kernel) {
  unsigned since = 0;
  std::optional<double> best;
  for (auto proposal : kernel.getBody().getOps<ProposalOp>()) {
    VariantOp variant = proposal.lookupVariant();
    if (!variant && !proposal.getFailure())
      continue; // not tried yet
    ++since;
    std::optional<double> time;
    if (variant)
      time = expectedTime(variant);
    if (time && (!best || *time < *best)) {
      best = time;
      since = 0;
    }
  }
  return since;
}

SearchStop SearchPass::findReasonToStop(const BackendInterface &backends) {
  if (isInterrupted())
    return {StopReason::Interrupted, "interrupted"};
  KernelOp kernel = getOperation();
  if (seconds > 0 && now() - start + earlierSeconds >= seconds)
    return {StopReason::Time,
            llvm::formatv("the cap on time: {0} s are over", seconds.getValue())
                .str()};
  if (patience > 0 && triedSinceProgress(kernel) >= patience)
    return {StopReason::Patience,
            llvm::formatv("no progress for {0}", counted(patience, "candidate"))
                .str()};
  std::optional<double> best = bestTime(kernel);
  if (best && stopAt > 0 && *best <= stopAt)
    return {StopReason::Reached, printFixed(*best, 2) + " us, of " +
                                     printFixed(stopAt, 2) +
                                     " us wanted, are reached"};
  if (best && stopAtFloor > 0 && backends.floorMicros)
    if (auto floor =
            backends.floorMicros(kernel, parseTarget(&getContext(), target));
        floor && *floor / *best >= stopAtFloor)
      return {StopReason::Floor,
              printFixed(100 * *floor / *best, 1) + " % of the floor, of " +
                  printFixed(100 * stopAtFloor, 1) + " % wanted, are reached"};
  return {};
}

/// Moves what the evaluation made of `proposal` into the kernel.
void SearchPass::adopt(ProposalOp proposal, const Outcome &outcome) {
  auto fail = [&](Stage stage, StringRef why,
                  FaultKind kind = FaultKind::Candidate) {
    setFailure(proposal, stage, why.empty() ? StringRef("no diagnostic") : why,
               kind);
  };
  if (!outcome.module)
    return fail(outcome.stage, outcome.failure,
                outcome.fault.value_or(FaultKind::Crashed));
  auto kernels = (*outcome.module).getOps<KernelOp>();
  if (kernels.empty())
    // unreachable: no stage erases a kernel
    return fail(outcome.stage, "the evaluation lost the kernel");
  KernelOp evaluated = *kernels.begin();
  for (auto result : evaluated.getBody().getOps<ProposalOp>()) {
    std::string same = tried.note(proposal, result);
    if (std::optional<FaultKind> kind = faultOf(result))
      return fail(*result.getStage(), *result.getFailure(), *kind);
    // Of the same generation, so that its evaluation did not know of it.
    if (!same.empty())
      return fail(Stage::Duplicate, "the same code as " + same);
  }
  for (auto variant :
       llvm::make_early_inc_range(evaluated.getBody().getOps<VariantOp>())) {
    if (std::string same = tried.note(variant); !same.empty())
      return fail(Stage::Duplicate, "the same code as " + same);
    variant->moveBefore(&getOperation().getBody().front(),
                        getOperation().getBody().front().end());
  }
  if (outcome.fault)
    fail(outcome.stage, outcome.failure, *outcome.fault);
}

void SearchPass::announce(ProposalOp proposal, const SearchSession &session,
                          const Outcome &outcome) {
  if (!session.onEvent)
    return;
  SearchEvent event;
  event.candidate = proposal.getSymName().str();
  event.stage = outcome.stage;
  event.seconds = outcome.seconds;
  event.timings = outcome.timings;
  event.spent = spent;
  event.budget = budget;
  KernelOp kernel = getOperation();
  VariantOp variant = proposal.lookupVariant();
  if (proposal.getFailure()) {
    event.stage = *proposal.getStage();
    event.failure = proposal.getFailure()->str();
  } else if (variant && variant.getEvidence()) {
    EvidenceAttr evidence = variant.getEvidenceAttr();
    event.grade = evidence.getGrade();
    event.message = evidence.getDetail(evidence::message).str();
  }
  event.bestMicros = bestTime(kernel).value_or(0);
  session.onEvent(event);
}

/// Why no candidate can be judged, to go by the kernel as it is, if none can.
/// That holds where the reference is wrong itself or cannot be run, where the
/// machine cannot even make its code, and where its judgement died, which is
/// the death of each that is compared with it.
static std::optional<std::string>
whyNothingCanBeJudged(KernelOp kernel, ProposalOp baseline,
                      const Outcome &outcome) {
  if (!outcome.module) {
    ReferenceOp reference = kernel.getReference();
    bool isReference = reference && reference.isLaunchPlan();
    if (isReference || outcome.stage == Stage::VerifyPass)
      return ("the kernel as it is cannot be judged, which died in " +
              stringifyStage(outcome.stage) + ": " + outcome.failure)
          .str();
    return std::nullopt;
  }
  if (outcome.fault == FaultKind::Reference ||
      outcome.fault == FaultKind::Machine)
    return outcome.failure;
  VariantOp variant = baseline.lookupVariant();
  EvidenceAttr evidence = variant ? variant.getEvidenceAttr() : EvidenceAttr();
  if (evidence && evidence.getReason() == Reason::ReferenceUnsupported)
    return evidence.getDetail(evidence::message).str();
  return std::nullopt;
}

/// Whether a measurer may be given it.
static bool isUnmeasured(VariantOp variant, TargetAttrInterface target) {
  EvidenceAttr evidence = variant.getEvidenceAttr();
  return evidence && evidence.isAccepted() && !variant.getMeasured() &&
         !variant->hasAttr(notMeasuredAttr) &&
         servesAnyWorkload(variant, target);
}

/// Those, the baseline first: without it the others say little.
static SmallVector<VariantOp> findUnmeasured(KernelOp kernel,
                                             TargetAttrInterface target) {
  SmallVector<VariantOp> variants;
  for (auto variant : kernel.getBody().getOps<VariantOp>())
    if (isUnmeasured(variant, target))
      variants.push_back(variant);
  VariantOp baseline = kernel.lookupBaseline();
  stableSortBy(variants, [&](VariantOp variant) {
    return variant == baseline ? -1.0
                               : expectedTime(variant).value_or(HUGE_VAL);
  });
  return variants;
}

Measurer *SearchPass::findTimer(const BackendInterface &backends) {
  Measurer *timer = measurer.empty() ? nullptr : backends.getMeasurer(measurer);
  std::string why;
  if (timer && !noDevice)
    noDevice = !timer->isAvailable(why);
  return noDevice ? nullptr : timer;
}

LogicalResult SearchPass::time(ArrayRef<VariantOp> variants, Measurer &timer,
                               SearchSession &session) {
  const TargetAttrInterface device = parseTarget(&getContext(), target);
  VariantOp baseline = getOperation().lookupBaseline();
  while (!variants.empty()) {
    if (isInterrupted() ||
        (measureSeconds > 0 && session.summary.measuring >= measureSeconds))
      return success();
    // The others go by what the baseline gave.
    const size_t count = variants.front() == baseline ? 1 : timer.width();
    ArrayRef<VariantOp> some = variants.take_front(count);
    if (failed(timeVariants(timer, some, device, &session)))
      return failure();
    variants = variants.drop_front(some.size());
  }
  return success();
}

LogicalResult SearchPass::evaluate(ArrayRef<ProposalOp> fresh,
                                   const BackendInterface &backends,
                                   SearchSession &session) {
  fresh = fresh.take_front(budget - spent);
  SmallVector<OwningOpRef<ModuleOp>> owned;
  SmallVector<ModuleOp> modules;
  for (ProposalOp proposal : fresh) {
    owned.push_back(tried.isolate(getOperation(), proposal));
    modules.push_back(*owned.back());
  }
  if (session.onWait && !fresh.empty()) {
    SearchWait wait;
    ProposalOp first = fresh.front(), last = fresh.back();
    wait.what = "the verdict on " + first.getSymName().str();
    if (first != last)
      wait.what += " to " + last.getSymName().str();
    session.onWait(wait);
  }
  // Without a verdict on the kernel as it is there would be nothing at all.
  bool isBaseline =
      !fresh.empty() && ProposalOp(fresh.front()).getSymName() == baselineName;
  Measurer *timer = findTimer(backends);
  TargetAttrInterface device = parseTarget(&getContext(), target);
  Evaluator::Deadline deadline = isBaseline ? std::nullopt : session.deadline;
  SmallVector<VariantOp> waiting; // for devices; what is left `measure` times
  return backends.evaluator->evaluateAll(
      modules, evaluationPipeline(),
      [&](size_t index, Outcome &outcome) -> FailureOr<bool> {
        ProposalOp proposal = fresh[index];
        adopt(proposal, outcome);
        ++spent;
        ++session.summary.candidates;
        session.summary.spent = spent;
        // What is said to be done is not done again after a kill; what the
        // machine could not do is, once it can.
        bool isDone = outcome.fault != FaultKind::Machine &&
                      faultOf(proposal) != FaultKind::Machine;
        if (session.journal && isDone &&
            failed(session.journal->evaluated(getOperation(), proposal,
                                              outcome.seconds)))
          return failure();
        announce(proposal, session, outcome);
        // The device is at one while workers are at the others. Where its time
        // is bounded the best estimates of a generation come first instead.
        VariantOp variant = proposal.lookupVariant();
        if (timer && measureSeconds == 0 && variant &&
            isUnmeasured(variant, device))
          waiting.push_back(variant);
        if (!waiting.empty() &&
            (waiting.size() >= timer->width() ||
             waiting.front() == getOperation().lookupBaseline())) {
          if (failed(time(waiting, *timer, session)))
            return failure();
          waiting.clear();
        }
        session.summary.stopped = findReasonToStop(backends);
        if (proposal.getSymName() == baselineName)
          if (auto why =
                  whyNothingCanBeJudged(getOperation(), proposal, outcome))
            session.summary.stopped = {StopReason::Unjudged, *why};
        return !session.summary.stopped;
      },
      &session.summary.evaluating, deadline);
}

LogicalResult SearchPass::measure(const BackendInterface &backends,
                                  SearchSession &session) {
  Measurer *timer = findTimer(backends);
  if (!timer)
    return success();
  TargetAttrInterface device = parseTarget(&getContext(), target);
  if (failed(time(findUnmeasured(getOperation(), device), *timer, session)))
    return failure();
  VariantOp fastest = findFastest(getOperation(), /*measured=*/true);
  if (!fastest || isInterrupted() ||
      (measureSeconds > 0 && session.summary.measuring >= measureSeconds) ||
      !backends.getProposer(proposer)->readsCounters())
    return success();
  return success(succeeded(countVariant(*timer, fastest, device, &session)));
}

SmallVector<ProposalOp> SearchPass::takeNew() {
  SmallVector<ProposalOp> added;
  for (auto proposal : getOperation().getBody().getOps<ProposalOp>())
    if (known.insert(proposal).second)
      added.push_back(proposal);
  return added;
}

static bool isUntried(ProposalOp proposal) {
  return !proposal.getFailure() && !proposal.lookupVariant();
}

FailureOr<SmallVector<ProposalOp>>
SearchPass::ask(const BackendInterface &backends, SearchSession &session,
                unsigned &dry) {
  KernelOp kernel = getOperation();
  // The same question as before it was killed, whatever the budget was then.
  unsigned count =
      question ? question : std::min<unsigned>(generation, budget - spent);
  question = 0;
  if (session.journal && failed(session.journal->asking(kernel, count)))
    return failure();
  if (session.onWait) {
    SearchWait wait;
    wait.what = "proposer '" + proposer + "'";
    session.onWait(wait);
  }
  double asked = now();
  std::string remark; // the last one; of who adds nothing, it says why
  {
    OwnDiagnosticHandler listener(&getContext(), [&](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == DiagnosticSeverity::Remark)
        remark = diagnostic.str();
      return mlir::failure();
    });
    if (failed(backends.getProposer(proposer)->propose(
            kernel, count, seed + spent + dry, session)))
      return failure();
  }
  session.summary.proposing += now() - asked;
  SmallVector<ProposalOp> added = takeNew();
  SmallVector<ProposalOp> fresh = llvm::filter_to_vector(added, isUntried);
  if (added.empty()) {
    session.summary.stopped = findReasonToStop(backends);
    if (!session.summary.stopped)
      session.summary.stopped = {
          StopReason::Exhausted,
          remark.empty() ? "the proposer has no more ideas" : remark};
    return fresh;
  }
  if (session.journal &&
      failed(session.journal->asked(kernel, added, !fresh.empty())))
    return failure();
  dry = fresh.empty() ? dry + 1 : 0;
  // A proposer whose answers could not be used may do better when told so.
  constexpr unsigned maxDry = 3;
  if (dry >= maxDry) {
    std::string text =
        llvm::formatv("{0} consecutive questions gave nothing to try", maxDry);
    if (std::optional<StringRef> why = added.back().getFailure())
      text += ", the last for: " + why->split('\n').first.str();
    session.summary.stopped = {StopReason::Dry, std::move(text)};
  }
  return fresh;
}

LogicalResult SearchPass::search(const BackendInterface &backends,
                                 SearchSession &session) {
  KernelOp kernel = getOperation();
  unsigned dry = 0;
  if (session.journal) {
    FailureOr<Journal::Progress> earlier =
        session.journal->begin(kernel, settings());
    if (failed(earlier))
      return failure();
    spent = earlier->evaluated;
    dry = earlier->dry;
    question = earlier->question;
    session.summary.spent = spent;
    earlierSeconds = earlier->seconds;
  }
  if (seconds > 0)
    session.deadline =
        std::chrono::steady_clock::now() +
        std::chrono::ceil<std::chrono::steady_clock::duration>(
            std::chrono::duration<double>(
                std::min<double>(seconds, maxSeconds) - earlierSeconds));
  tried.read(kernel);
  session.summary.stopped = findReasonToStop(backends);
  // What stands in the IR untried comes first: a baseline, a user's own idea.
  SmallVector<ProposalOp> fresh = llvm::filter_to_vector(takeNew(), isUntried);
  while (spent < budget && !session.summary.stopped) {
    if (fresh.empty()) {
      FailureOr<SmallVector<ProposalOp>> added = ask(backends, session, dry);
      if (failed(added))
        return failure();
      fresh = std::move(*added);
    }
    if (failed(evaluate(fresh, backends, session)) ||
        failed(measure(backends, session)))
      return failure();
    fresh.clear();
    if (!session.summary.stopped)
      session.summary.stopped = findReasonToStop(backends);
  }
  return success();
}

void SearchPass::runOnOperation() {
  KernelOp kernel = getOperation();
  const BackendInterface *backends =
      BackendInterface::get(&getContext(), kernel.getLoc());
  if (!backends)
    return signalPassFailure();
  if (!backends->getProposer(proposer) || !backends->evaluator) {
    kernel.emitError() << "this build has no "
                       << (backends->evaluator ? "proposer '" + proposer + "'"
                                               : "evaluator");
    return signalPassFailure();
  }
  SearchSession &session = getAnalysis<SessionAnalysis>().get();
  session.summary = {};
  session.summary.width = backends->evaluator->width();
  session.summary.budget = budget;
  // One pass may see several kernels, and nothing of one is of another.
  tried = Tried();
  noDevice = false;
  known.clear();
  spent = question = 0;
  earlierSeconds = 0;
  start = now();
  // Why it fails is said, and kept for the last lines.
  std::string failure;
  OwnDiagnosticHandler handler(&getContext(), [&](Diagnostic &diagnostic) {
    if (failure.empty() &&
        diagnostic.getSeverity() == DiagnosticSeverity::Error)
      failure = diagnostic.str();
    return mlir::failure();
  });
  LogicalResult result = search(*backends, session);
  if (failed(result))
    session.summary.stopped = {StopReason::Failed, failure};
  session.deadline.reset();
  session.summary.seconds = now() - start;
  if (failed(result))
    signalPassFailure();
}
} // namespace evo
