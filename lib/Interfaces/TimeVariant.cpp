// One variant, timed: who watches a search hears of the wait for a device.
#include "evo/Interfaces/TimeVariant.h"
#include "evo/Interfaces/Fitness.h"
#include "evo/Interfaces/Interrupt.h"

using namespace mlir;
using namespace evo;

/// Does `work`, of which watchers hear as `what`; answers the seconds it took.
static double takeTime(SearchSession *session, std::string what,
                       llvm::function_ref<void()> work) {
  if (session && session->onWait) {
    SearchWait wait;
    wait.what = std::move(what);
    session->onWait(wait);
  }
  auto start = std::chrono::steady_clock::now();
  work();
  double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  if (session)
    session->summary.measuring += seconds;
  return seconds;
}

static LogicalResult keep(VariantOp variant, SearchSession *session) {
  if (!session || !session->journal)
    return success();
  return session->journal->measured(cast<KernelOp>(variant->getParentOp()),
                                    variant, variant.getMeasuredAttr());
}

FailureOr<double> evo::timeVariant(Measurer &measurer, VariantOp variant,
                                   TargetAttrInterface target,
                                   SearchSession *session) {
  FailureOr<CostAttr> cost = failure();
  double seconds =
      // no diagnostic: what a GPU is waited for
      takeTime(session, "the time of " + variant.getSymName().str(),
               [&] { cost = measurer.measure(variant, target); });
  if (failed(cost)) {
    if (!isInterrupted()) { // else it is no fault of the variant
      variant->setAttr(notMeasuredAttr, UnitAttr::get(variant.getContext()));
      variant.removeMeasuredAttr();
      if (failed(keep(variant, session)))
        return failure();
    }
    return seconds;
  }
  variant.setMeasuredAttr(*cost);
  if (session)
    ++session->summary.measured;
  if (failed(keep(variant, session)))
    return failure();
  return seconds;
}

FailureOr<double> evo::countVariant(Measurer &measurer, VariantOp variant,
                                    TargetAttrInterface target,
                                    SearchSession *session) {
  CostAttr before = variant.getMeasuredAttr();
  if (!before ||
      (before.getDetails() && before.getDetails().contains(countersDetail)))
    return 0.0;
  double seconds =
      // no diagnostic: what a GPU is waited for
      takeTime(session, "the counters of " + variant.getSymName().str(),
               [&] { measurer.count(variant, target); });
  if (variant.getMeasuredAttr() != before && failed(keep(variant, session)))
    return failure();
  return seconds;
}
