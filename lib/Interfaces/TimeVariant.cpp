// One variant, timed: who watches a search hears of the wait for a device.
#include "evo/Interfaces/TimeVariant.h"
#include "evo/Interfaces/Interrupt.h"

using namespace mlir;
using namespace evo;

FailureOr<double> evo::timeVariant(Measurer &measurer, VariantOp variant,
                                   TargetAttrInterface target,
                                   SearchSession *session) {
  if (session && session->onWait) {
    SearchWait wait;
    // no diagnostic: what a GPU is waited for
    wait.what = "the time of " + variant.getSymName().str();
    session->onWait(wait);
  }
  auto start = std::chrono::steady_clock::now();
  FailureOr<CostAttr> cost = measurer.measure(variant, target);
  double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  if (session)
    session->summary.measuring += seconds;
  if (failed(cost)) {
    if (!isInterrupted()) // else it is no fault of the variant
      variant->setAttr(notMeasuredAttr, UnitAttr::get(variant.getContext()));
    return seconds;
  }
  variant.setMeasuredAttr(*cost);
  if (!session)
    return seconds;
  ++session->summary.measured;
  auto kernel = cast<KernelOp>(variant->getParentOp());
  if (session->journal &&
      failed(session->journal->measured(kernel, variant, *cost)))
    return failure();
  return seconds;
}
