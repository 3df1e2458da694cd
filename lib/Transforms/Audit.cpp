// Warnings about a contract that would reward a cheat.
#include "evo/Interfaces/Backends.h"
#include "evo/Transforms/Passes.h"

using namespace mlir;

namespace evo {
#define GEN_PASS_DEF_AUDIT
#include "evo/Transforms/Passes.h.inc"

namespace {
struct AuditPass : impl::AuditBase<AuditPass> {
  using AuditBase::AuditBase;
  TargetAttrInterface device; ///< that the option `target` names

  LogicalResult initialize(MLIRContext *context) override {
    device = parseTarget(context, target);
    return success(bool(device));
  }

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    Verifier *verifier = BackendInterface::getVerifier(kernel);
    if (!verifier)
      return signalPassFailure();
    FailureOr<AuditReport> report = verifier->audit(kernel, device, seed);
    if (failed(report))
      return signalPassFailure();
    if (report->undecided) {
      kernel.emitWarning() << "the contract cannot be audited: "
                           << *report->undecided;
      return;
    }
    SmallVector<StringRef> texts(report->lines.begin(), report->lines.end());
    kernel->setAttr(auditAttr, Builder(&getContext()).getStrArrayAttr(texts));
    for (StringRef text : texts)
      kernel.emitWarning() << text;
  }
};
} // namespace
} // namespace evo
