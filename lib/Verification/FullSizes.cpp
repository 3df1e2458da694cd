// At which sizes a few blocks are run on sparse buffers: those of workloads,
// and those where 32 bits do not count the elements.
#include "FullSize.h"
#include "HugeShapes.h"
#include "PlanVerifier.h"
#include "Shapes.h"
#include "evo/Search/Fitness.h"

using namespace mlir;
using namespace evo;

/// Takes over what a trial found; whether the verdict is clear.
bool PlanVerifier::takeFullSize(const FullSizeTrial &trial,
                                const Bindings &sizes) {
  if (trial.finding)
    refuteFinding(*trial.finding);
  else if (trial.difference)
    refutation = describeDifference(trial.argument, *trial.difference);
  if (!refutation)
    return false;
  refutation->details.append("at", b.getStringAttr(printBindings(sizes)));
  refutation->details.append("values", b.getStringAttr("full size"));
  return true;
}

/// A few blocks at the size of each workload; where one block alone is too dear
/// (a long sum), one dimension after another is cut short, which leaves the
/// addresses that others make.
void PlanVerifier::tryFullSizes(EffortLevel level, uint64_t seed) {
  constexpr size_t mostWorkloads = 2;
  constexpr int64_t shortExtent = 64;
  ArrayAttr workloads = kernel.getWorkloadsAttr();
  if (!workloads)
    return;
  uint64_t instructionsLeft = level.fullSizeInstructions;
  for (Attribute attr : workloads.getValue().take_front(mostWorkloads)) {
    auto workload = cast<WorkloadAttr>(attr);
    Bindings full = getWorkloadSizes(kernel, workload);
    std::vector<Bindings> variants = {full};
    for (StringRef dim : kernel.getDimensionNames())
      if (full.lookup(dim) > shortExtent) {
        variants.push_back(full);
        variants.back()[dim] = shortExtent;
      }
    for (const Bindings &sizes : variants) {
      llvm::Expected<bool> empty = reference->isEmpty(sizes);
      bool skip = !empty || *empty;
      if (!empty)
        llvm::consumeError(empty.takeError());
      if (skip || !meetsRequirements(kernel, plan, sizes, options.target))
        continue;
      FullSizeTrial trial(kernel, *reference, *written, *shipped, sizes, seed,
                          level.fullSizeInstructions, instructionsLeft);
      trial.run(coverage, literals.blocks);
      if (takeFullSize(trial, sizes))
        return;
      if (trial.blocks || &sizes == &variants.back())
        tally.fullSize.push_back(trial.summary);
      if (trial.compared || !trial.tooDear)
        break;
    }
  }
}

/// The last block where buffers have more elements than 32 bits count. What the
/// reference, in 64 bits, does there the candidate has to do too, or to declare
/// that it is not for such sizes.
void PlanVerifier::tryHugeSizes(EffortLevel level, uint64_t seed) {
  constexpr size_t mostShapes = 4;
  if (tried.empty() || reference->getNumLaunches() != 1)
    return;
  // A small shape that has an interior, if there is one.
  auto smallness = [&](const std::pair<uint64_t, Bindings> &shape) {
    bool hasInterior =
        llvm::all_of(kernel.getDimensionNames(), [&](StringRef dim) {
          return shape.second.lookup(dim) >= 3;
        });
    return std::pair(!hasInterior, shape.first);
  };
  const Bindings base = llvm::min_element(tried, [&](auto &l, auto &r) {
                          return smallness(l) < smallness(r);
                        })->second;
  auto isLaunched = [&](const Bindings &sizes) {
    bool launched = true;
    for (const ExecutablePlan *plan : {&*reference, &*shipped}) {
      llvm::Expected<std::optional<std::string>> failure =
          plan->findLaunchFailure(sizes);
      launched &= failure && !*failure;
      if (!failure)
        llvm::consumeError(failure.takeError());
    }
    return launched;
  };
  uint64_t instructionsLeft = level.fullSizeInstructions / 2;
  unsigned shapes = 0;
  std::vector<Bindings> found =
      sampleHugeShapes(kernel, plan, base, options.target, isLaunched);
  for (const Bindings &sizes :
       ArrayRef(found).take_front(std::min(found.size(), mostShapes))) {
    FullSizeTrial trial(kernel, *reference, *written, *shipped, sizes, seed,
                        level.fullSizeInstructions / 2, instructionsLeft);
    trial.runAtTheEnd(coverage, literals.blocks);
    if (takeFullSize(trial, sizes)) {
      refutation->message +=
          "; compute addresses in 64 bits, or add an evo.require that excludes "
          "sizes at which 32 bits do not count the elements";
      return;
    }
    shapes += trial.blocks != 0;
  }
  tally.hugeShapes = shapes;
}
