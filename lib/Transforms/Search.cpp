// The generation loop. The kernel op is the population: what was tried, what it
// gave and what it cost stand in the IR, for the proposer to read.
#include "evo/Search/Backends.h"
#include "evo/Search/Interrupt.h"
#include "evo/Transforms/Passes.h"
#include "mlir/IR/IRMapping.h"

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
  /// Hashes of variants seen, with the name of the first that had it.
  llvm::StringMap<std::string> seen;

  std::string evaluationPipeline() const;
  LogicalResult evaluate(ProposalOp proposal, Evaluator &evaluator);
  void adopt(ProposalOp proposal, const Outcome &outcome);
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

/// A module that holds `kernel`'s contract and reference, and `proposal` alone:
/// all that an evaluation may see.
static OwningOpRef<ModuleOp> isolate(KernelOp kernel, ProposalOp proposal) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(kernel.getLoc());
  OpBuilder b = OpBuilder::atBlockEnd(module->getBody());
  auto copy = cast<KernelOp>(b.cloneWithoutRegions(*kernel));
  copy.removeBestAttr();
  copy->removeAttr("evo.specialized");
  b.createBlock(&copy.getBody());
  if (ReferenceOp reference = kernel.getReference())
    b.clone(*reference);
  b.clone(*proposal);
  return module;
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
  for (auto result : evaluated.getBody().getOps<ProposalOp>())
    if (result.getFailure())
      return fail(*result.getStage(), *result.getFailure());
  for (auto variant : llvm::make_early_inc_range(
           evaluated.getBody().getOps<VariantOp>())) {
    if (EvidenceAttr evidence = variant.getEvidenceAttr()) {
      auto [entry, isNew] = seen.try_emplace(evidence.getHash().getValue(),
                                             variant.getSymName().str());
      if (!isNew && !evidence.getHash().getValue().empty()) {
        ++numDuplicates;
        return fail("duplicate", "the same code as " + entry->second);
      }
    }
    variant->moveBefore(&getOperation().getBody().front(),
                        getOperation().getBody().front().end());
  }
  if (!outcome.failure.empty())
    fail(outcome.stage, outcome.failure);
}

LogicalResult SearchPass::evaluate(ProposalOp proposal, Evaluator &evaluator) {
  OwningOpRef<ModuleOp> module = isolate(getOperation(), proposal);
  FailureOr<Outcome> outcome =
      evaluator.evaluate(*module, evaluationPipeline());
  if (failed(outcome))
    return failure();
  adopt(proposal, *outcome);
  return success();
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
                       << (chosen ? "evaluator" : "proposer '" + proposer + "'");
    return signalPassFailure();
  }
  for (VariantOp variant : kernel.getBody().getOps<VariantOp>())
    if (EvidenceAttr evidence = variant.getEvidenceAttr())
      seen.try_emplace(evidence.getHash().getValue(),
                       variant.getSymName().str());
  unsigned spent = 0;
  llvm::DenseSet<Operation *> done;
  for (auto proposal : kernel.getBody().getOps<ProposalOp>())
    done.insert(proposal);
  while (spent < budget && !isInterrupted()) {
    unsigned count = std::min<unsigned>(generation, budget - spent);
    if (failed(chosen->propose(kernel, count, seed + spent)))
      return signalPassFailure();
    SmallVector<ProposalOp> fresh;
    for (auto proposal : kernel.getBody().getOps<ProposalOp>())
      if (done.insert(proposal).second && !proposal.getFailure())
        fresh.push_back(proposal);
    if (fresh.empty())
      break; // no more ideas
    for (ProposalOp proposal : fresh) {
      if (isInterrupted())
        break;
      if (failed(evaluate(proposal, *backends->evaluator)))
        return signalPassFailure();
      ++spent;
      ++numCandidates;
    }
  }
}
} // namespace evo
