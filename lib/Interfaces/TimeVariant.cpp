// One variant, timed: who watches a search hears of the wait for a device.
#include "evo/Interfaces/TimeVariant.h"
#include "evo/Interfaces/Fitness.h"
#include "evo/Interfaces/Interrupt.h"
#include "llvm/ADT/StringExtras.h"

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

/// Leaves the time that it was found to take, or that there is none.
static LogicalResult adopt(VariantOp variant, FailureOr<CostAttr> cost,
                           SearchSession *session) {
  if (succeeded(cost)) {
    variant.setMeasuredAttr(*cost);
    if (session)
      ++session->summary.measured;
    return keep(variant, session);
  }
  if (isInterrupted()) // then it is no fault of the variant
    return success();
  variant->setAttr(notMeasuredAttr, UnitAttr::get(variant.getContext()));
  variant.removeMeasuredAttr();
  return keep(variant, session);
}

FailureOr<double> evo::timeVariant(Measurer &measurer, VariantOp variant,
                                   TargetAttrInterface target,
                                   SearchSession *session) {
  return timeVariants(measurer, variant, target, session);
}

FailureOr<double> evo::timeVariants(Measurer &measurer,
                                    ArrayRef<VariantOp> variants,
                                    TargetAttrInterface target,
                                    SearchSession *session) {
  assert(variants.size() <= std::max(measurer.width(), 1u));
  std::vector<FailureOr<CostAttr>> costs;
  std::string names = llvm::join(
      llvm::map_range(variants,
                      [](VariantOp variant) { return variant.getSymName(); }),
      ", ");
  double seconds =
      // no diagnostic: what a GPU is waited for
      takeTime(session, "the time of " + names,
               [&] { costs = measurer.measureAll(variants, target); });
  for (auto [variant, cost] : llvm::zip_equal(variants, costs))
    if (failed(adopt(variant, cost, session)))
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
