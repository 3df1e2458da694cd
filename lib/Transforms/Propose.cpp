// Asks a proposer for the next candidates.
#include "evo/Interfaces/SearchSession.h"
#include "evo/Transforms/Passes.h"

using namespace mlir;

namespace evo {
#define GEN_PASS_DEF_PROPOSE
#include "evo/Transforms/Passes.h.inc"

namespace {
struct ProposePass : impl::ProposeBase<ProposePass> {
  using ProposeBase::ProposeBase;

  void runOnOperation() override {
    const BackendInterface *backends =
        BackendInterface::get(&getContext(), getOperation().getLoc());
    if (!backends)
      return signalPassFailure();
    Proposer *chosen = backends->getProposer(proposer);
    if (!chosen) {
      getOperation().emitError()
          << "this build has no proposer '" << proposer << "'";
      return signalPassFailure();
    }
    if (failed(chosen->propose(getOperation(), count, seed, SearchSession())))
      signalPassFailure();
  }
};
} // namespace
} // namespace evo
