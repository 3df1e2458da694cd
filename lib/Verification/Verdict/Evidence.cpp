// From a verdict to evidence: what samples add up to, or a refutation, and what
// single checks have to say.
#include "Evidence.h"
#include "evo/Verification/Checks.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace evo;

/// What a device does though nothing promises it, or a contract does not say.
static std::string printAssumptions(const Tally &tally) {
  SmallVector<std::string> assumed;
  if (tally.inOrder)
    assumed.push_back("blocks start in the order of their numbers");
  if (tally.together)
    assumed.push_back("all blocks of a launch run at once");
  if (tally.readerWithoutFence)
    assumed.push_back("reader without fence");
  for (const auto &[dim, why] : tally.notAtExtent0)
    assumed.push_back(dim + " > 0, for it has " + why + " there");
  if (!tally.notAssembled.empty())
    assumed.push_back("registers and memory suffice for its launches, for it "
                      "was not assembled: " +
                      tally.notAssembled);
  return llvm::join(assumed, "; ");
}

static void writeSamples(const VerificationState &state,
                         evidence::Details &details) {
  const Tally &tally = state.tally;
  details.number(evidence::seed, state.options.seed);
  details.text(evidence::processors, tally.samples ? "cpu" : "");
  details.number(evidence::samples, tally.samples);
  details.number(evidence::shapes, tally.shapes);
  details.count(evidence::dropped, tally.dropped);
  details.count(evidence::illConditioned, tally.illConditioned);
  details.count(evidence::overBudget, tally.overBudget);
}

static void writeRefutation(const VerificationState &state,
                            evidence::Details &details) {
  const Refutation &refutation = *state.refutation;
  details.text(evidence::check, state.decidedBy);
  details.text(evidence::reason, reasonName(refutation.reason));
  details.text(evidence::message, refutation.message);
  details.text(evidence::at, refutation.at);
  details.text(evidence::values, refutation.values);
  details.text(evidence::location, refutation.location);
  details.text(evidence::otherLocation, refutation.otherLocation);
  details.text(evidence::argument, refutation.argument);
  if (refutation.index)
    details.number(evidence::index, *refutation.index);
  details.value(evidence::expected, refutation.expected);
  details.value(evidence::found, refutation.found);
  if (refutation.call)
    details.number(evidence::call, *refutation.call);
}

/// What all samples add up to; then each check has its say.
static void writeAcceptance(const VerificationState &state,
                            evidence::Details &details) {
  const Tally &tally = state.tally;
  details.number(evidence::worstRatio, tally.worstRatio);
  details.flag(evidence::bitIdentical, tally.bitIdentical);
  details.text(evidence::assumes, printAssumptions(tally));
  details.count(evidence::onlyPostOptimised, tally.onlyPostOptimised);
  details.count(evidence::racesNotWatched, tally.unwatched);
  for (const Check *check : getChecks())
    if (check->write)
      check->write(state, details);
}

EvidenceAttr evo::writeEvidence(const VerificationState &state) {
  MLIRContext *context = state.plan->getContext();
  evidence::Details details =
      state.refutation ? evidence::Details(context) : state.details;
  writeSamples(state, details);
  Grade grade;
  if (state.refutation) {
    writeRefutation(state, details);
    grade = state.refutation->undecided ? Grade::Unsupported : Grade::Refuted;
  } else {
    writeAcceptance(state, details);
    grade = *state.grade;
  }
  return EvidenceAttr::get(context, grade, StringAttr::get(context, state.hash),
                           details.getDictionary());
}
