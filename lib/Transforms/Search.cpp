// The generation loop. The kernel op is the population: what was tried, what it
// gave and what it cost stand in the IR, for the proposer to read.
#include "evo/Search/Backends.h"
#include "evo/Search/Fitness.h"
#include "evo/Search/Interrupt.h"
#include "evo/Search/Structure.h"
#include "evo/Transforms/Passes.h"
#include <chrono>

using namespace mlir;

namespace evo {
#define GEN_PASS_DEF_SEARCH
#include "evo/Transforms/Passes.h.inc"

namespace {
class SearchPass : public impl::SearchBase<SearchPass> {
public:
  using SearchBase::SearchBase;
  void runOnOperation() override;

private:
  /// Hashes of device code seen, with the name of the first variant that had
  /// it.
  llvm::StringMap<std::string> seen;
  /// The same of structures (Structure.h), with the names of proposals.
  llvm::StringMap<std::string> codes, shapes;

  std::string evaluationPipeline() const;
  std::string settings() const;
  LogicalResult evaluate(ProposalOp proposal, BackendInterface &backends);
  void announce(ProposalOp proposal, const BackendInterface &backends,
                const Outcome &outcome, double seconds);
  unsigned spent = 0;
  void adopt(ProposalOp proposal, const Outcome &outcome);
  void noteStructure(ProposalOp proposal, ProposalOp result);
  const std::string *remember(ProposalOp proposal);
};
} // namespace

std::string SearchPass::evaluationPipeline() const {
  if (!pipeline.empty())
    return pipeline;
  std::string to = "{target=" + target + "}";
  return "builtin.module(evo.kernel(evo-materialize,evo-verify{target=" +
         target + " seed=" + std::to_string(seed) + "},evo-lower" + to +
         ",evo-estimate" + to + "))";
}

/// All that decides what this search tries, but its length.
std::string SearchPass::settings() const {
  return "proposer=" + proposer + " seed=" + std::to_string(seed) +
         " generation=" + std::to_string(generation) +
         " pipeline=" + evaluationPipeline();
}

/// A module that holds `kernel`'s contract and reference, and `proposal` alone:
/// all that an evaluation may see.
static OwningOpRef<ModuleOp>
isolate(KernelOp kernel, ProposalOp proposal,
        const llvm::StringMap<std::string> &codes) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(kernel.getLoc());
  OpBuilder b = OpBuilder::atBlockEnd(module->getBody());
  auto copy = cast<KernelOp>(b.cloneWithoutRegions(*kernel));
  copy.removeBestAttr();
  copy->removeAttr("evo.specialized");
  NamedAttrList known;
  for (const auto &entry : codes)
    known.append(entry.getKey(), b.getStringAttr(entry.second));
  if (!known.empty())
    copy->setAttr(knownAttr, known.getDictionary(b.getContext()));
  b.createBlock(&copy.getBody());
  for (Operation &op : kernel.getBody().front())
    if (isa<ReferenceOp, RaisedOp>(op))
      b.clone(op);
  b.clone(*proposal);
  return module;
}

/// What was judged and how code is made of it; empty where nothing was judged.
static std::string deviceKey(VariantOp variant) {
  EvidenceAttr evidence = variant.getEvidenceAttr();
  if (!evidence || evidence.getHash().getValue().empty())
    return "";
  return (evidence.getHash().getValue() + " " +
          describeCodegen(variant.getOptionsAttr()))
      .str();
}

/// Remembers the hashes of what was evaluated as `result`, and says so where an
/// earlier proposal differs in constants only.
void SearchPass::noteStructure(ProposalOp proposal, ProposalOp result) {
  for (StringRef name : {codeAttr, shapeAttr})
    if (auto hash = result->getAttrOfType<StringAttr>(name))
      proposal->setAttr(name, hash);
  if (result.getFailure() == std::nullopt ||
      result.getStage() != duplicateStage)
    if (const std::string *earlier = remember(proposal))
      proposal->setAttr(likeAttr, StringAttr::get(&getContext(), *earlier));
}

/// The first proposal of the same shape, if there was one before.
const std::string *SearchPass::remember(ProposalOp proposal) {
  auto code = proposal->getAttrOfType<StringAttr>(codeAttr);
  auto shape = proposal->getAttrOfType<StringAttr>(shapeAttr);
  if (!code || !shape)
    return nullptr;
  std::string name = proposal.getSymName().str();
  codes.try_emplace(code.getValue(), name);
  auto [entry, isNew] = shapes.try_emplace(shape.getValue(), name);
  return isNew ? nullptr : &entry->second;
}

/// Moves what the evaluation made of `proposal` into the kernel.
void SearchPass::adopt(ProposalOp proposal, const Outcome &outcome) {
  auto fail = [&](StringRef stage, StringRef why) {
    proposal.setStage(stage);
    proposal.setFailure(why.empty() ? StringRef("no diagnostic") : why);
  };
  if (!outcome.module)
    return fail(outcome.stage, outcome.failure);
  auto kernels = (*outcome.module).getOps<KernelOp>();
  if (kernels.empty())
    return fail(outcome.stage, "the evaluation lost the kernel");
  KernelOp evaluated = *kernels.begin();
  for (auto result : evaluated.getBody().getOps<ProposalOp>()) {
    noteStructure(proposal, result);
    if (!result.getFailure())
      continue;
    numDuplicates += result.getStage() == duplicateStage;
    return fail(*result.getStage(), *result.getFailure());
  }
  for (auto variant :
       llvm::make_early_inc_range(evaluated.getBody().getOps<VariantOp>())) {
    std::string key = deviceKey(variant);
    if (!key.empty()) {
      auto [entry, isNew] = seen.try_emplace(key, variant.getSymName().str());
      if (!isNew) {
        ++numDuplicates;
        return fail(duplicateStage, "the same code as " + entry->second);
      }
    }
    variant->moveBefore(&getOperation().getBody().front(),
                        getOperation().getBody().front().end());
  }
  if (!outcome.failure.empty())
    fail(outcome.stage, outcome.failure);
}

void SearchPass::announce(ProposalOp proposal, const BackendInterface &backends,
                          const Outcome &outcome, double seconds) {
  if (!backends.onEvent)
    return;
  SearchEvent event;
  event.candidate = proposal.getSymName().str();
  event.stage = outcome.stage;
  event.seconds = seconds;
  event.timings = outcome.timings;
  event.spent = spent;
  event.budget = budget;
  KernelOp kernel = getOperation();
  auto variant =
      kernel.lookupSymbol<VariantOp>((proposal.getSymName() + ".v").str());
  if (proposal.getFailure()) {
    event.stage = proposal.getStage()->str();
    event.result = event.stage + ": " + proposal.getFailure()->str();
  } else if (variant && variant.getEvidence()) {
    EvidenceAttr evidence = variant.getEvidenceAttr();
    event.result = stringifyGrade(evidence.getGrade()).str();
    if (!evidence.getDetail("message").empty())
      event.result += ": " + evidence.getDetail("message").str();
  }
  for (auto other : kernel.getBody().getOps<VariantOp>())
    if (std::optional<double> time = weightedTime(other, /*measured=*/false))
      if (event.bestMicros == 0 || *time < event.bestMicros)
        event.bestMicros = *time;
  backends.onEvent(event);
}

LogicalResult SearchPass::evaluate(ProposalOp proposal,
                                   BackendInterface &backends) {
  OwningOpRef<ModuleOp> module = isolate(getOperation(), proposal, codes);
  auto start = std::chrono::steady_clock::now();
  FailureOr<Outcome> outcome =
      backends.evaluator->evaluate(*module, evaluationPipeline());
  if (failed(outcome))
    return failure();
  if (outcome->interrupted)
    return success(); // the proposal stays as it was, untried
  adopt(proposal, *outcome);
  ++spent;
  ++numCandidates;
  double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  announce(proposal, backends, *outcome, seconds);
  if (!backends.journal)
    return success();
  return backends.journal->evaluated(getOperation(), proposal, seconds);
}

void SearchPass::runOnOperation() {
  KernelOp kernel = getOperation();
  BackendInterface *backends =
      BackendInterface::get(&getContext(), kernel.getLoc());
  if (!backends)
    return signalPassFailure();
  Proposer *chosen = backends->getProposer(proposer);
  if (!chosen || !backends->evaluator) {
    kernel.emitError() << "this build has no "
                       << (chosen ? "evaluator"
                                  : "proposer '" + proposer + "'");
    return signalPassFailure();
  }
  // A proposer whose answers could not be used may do better when told so; one
  // that adds nothing at all has no more ideas.
  unsigned dry = 0;
  constexpr unsigned mostDry = 3;
  Journal *journal = backends->journal.get();
  if (journal) {
    FailureOr<Journal::Progress> earlier = journal->begin(kernel, settings());
    if (failed(earlier))
      return signalPassFailure();
    spent = earlier->evaluated;
    dry = earlier->dry;
  }
  for (VariantOp variant : kernel.getBody().getOps<VariantOp>())
    if (std::string key = deviceKey(variant); !key.empty())
      seen.try_emplace(key, variant.getSymName().str());
  for (ProposalOp proposal : kernel.getBody().getOps<ProposalOp>())
    remember(proposal);
  llvm::DenseSet<Operation *> known;
  auto takeNew = [&] {
    SmallVector<ProposalOp> added;
    for (auto proposal : kernel.getBody().getOps<ProposalOp>())
      if (known.insert(proposal).second)
        added.push_back(proposal);
    return added;
  };
  auto isUntried = [&](ProposalOp proposal) {
    return !proposal.getFailure() &&
           !kernel.lookupSymbol((proposal.getSymName() + ".v").str());
  };
  // What stands in the IR untried comes first: a baseline, a user's own idea.
  SmallVector<ProposalOp> fresh = llvm::filter_to_vector(takeNew(), isUntried);
  while (spent < budget && !isInterrupted() && dry < mostDry) {
    if (fresh.empty()) {
      unsigned count = std::min<unsigned>(generation, budget - spent);
      if (failed(chosen->propose(kernel, count, seed + spent + dry)))
        return signalPassFailure();
      SmallVector<ProposalOp> added = takeNew();
      if (added.empty())
        break;
      fresh = llvm::filter_to_vector(added, isUntried);
      if (journal && failed(journal->asked(kernel, added, !fresh.empty())))
        return signalPassFailure();
      dry = fresh.empty() ? dry + 1 : 0;
    }
    for (ProposalOp proposal : fresh) {
      if (isInterrupted() || spent == budget)
        break;
      if (failed(evaluate(proposal, *backends)))
        return signalPassFailure();
    }
    fresh.clear();
  }
}
} // namespace evo
