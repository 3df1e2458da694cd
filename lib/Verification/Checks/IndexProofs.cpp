// What holds of the indices of a candidate at L1 for all sizes. It is part of
// the evidence; no grade hangs on it.
#include "Verification/Checks/Registry.h"
#include "evo/Prove/IndexProof.h"

using namespace mlir;
using namespace evo;

static constexpr BudgetLine maxEffort{
    "proof-effort", "the solver's measure of work for one question", 0, 200'000,
    5'000'000};
static constexpr const BudgetLine *lines[] = {&maxEffort};

static LogicalResult run(VerificationState &state, Budget budget) {
  const IndexProof proof = proveIndices(state.plan, budget[maxEffort]);
  state.details.text(evidence::proved, proof.proved);
  state.details.text(evidence::notProved, proof.open);
  return success();
}

constexpr Check evo::checks::indexProofs = {
    "index-proofs",
    "refutes nothing: says which accesses are in bounds, and which threads "
    "touch no common element, at all sizes",
    "questions to an SMT solver, of candidates at L1 alone",
    Effort::Default,
    /*isEssential=*/true,
    lines,
    run};
