// At which sizes a few blocks are run on sparse buffers: those of workloads,
// and those where 32 bits do not count the elements.
#include "PlanVerifier.h"
#include "SampledBlocks.h"
#include "Verification/Sampling/IndexOverflow.h"
#include "Verification/Sampling/Shapes.h"
#include "evo/Interfaces/Fitness.h"

using namespace mlir;
using namespace evo;

/// Takes over what a trial found; whether the verdict is clear.
bool PlanVerifier::takeSampledBlocks(const SampledBlocksTrial &trial,
                                     const Bindings &sizes) {
  if (trial.finding)
    refuteFinding(*trial.finding);
  else if (trial.difference)
    refutation = describeDifference(trial.argument, *trial.difference);
  if (!refutation)
    return false;
  refutation->details.append(evidence::at.of(b, printBindings(sizes)));
  refutation->details.append(evidence::values.of(b, "full size"));
  return true;
}

/// A few blocks at the size of each workload; where one block alone is over
/// budget (a long sum), one dimension after another is cut short, which leaves
/// the addresses that others make.
void PlanVerifier::trySampledBlocks(EffortLevel level, uint64_t seed) {
  constexpr size_t maxWorkloads = 2;
  constexpr int64_t shortExtent = 64;
  ArrayAttr workloads = kernel.getWorkloadsAttr();
  if (!workloads)
    return;
  uint64_t instructionsLeft = level.sampledBlockInstructions;
  for (Attribute attr : workloads.getValue().take_front(maxWorkloads)) {
    auto workload = cast<WorkloadAttr>(attr);
    Bindings full = getWorkloadSizes(kernel, workload);
    std::vector<Bindings> variants = {full};
    for (StringRef dim : kernel.getDimensionNames())
      if (full.lookup(dim) > shortExtent) {
        variants.push_back(full);
        variants.back()[dim] = shortExtent;
      }
    for (const Bindings &sizes : variants) {
      if (!reference->launchesBlocks(sizes) ||
          !meetsRequirements(kernel, plan, sizes, options.target))
        continue;
      SampledBlocksTrial trial(kernel, *reference, *written, *shipped, sizes,
                               seed, level.sampledBlockInstructions,
                               instructionsLeft);
      trial.run(coverage, literals.blocks);
      if (takeSampledBlocks(trial, sizes))
        return;
      bool isLast = trial.compared || !trial.overBudget;
      if (trial.blocks || isLast || &sizes == &variants.back())
        tally.sampledBlocks.push_back(trial.summary);
      if (isLast) {
        if (uncompared.empty() && !wasTriedWhole(sizes))
          uncompared = trial.uncompared;
        break;
      }
    }
  }
}

bool PlanVerifier::wasTriedWhole(const Bindings &sizes) {
  return llvm::any_of(tried, [&](const auto &shape) {
    return llvm::all_of(kernel.getDimensionNames(), [&](StringRef dim) {
      return shape.second.lookup(dim) == sizes.lookup(dim);
    });
  });
}

void PlanVerifier::tryOneBlock(const Bindings &sizes, uint64_t block,
                               uint64_t seed, uint64_t &instructionsLeft) {
  SampledBlocksTrial trial(kernel, *reference, *written, *shipped, sizes, seed,
                           instructionsLeft, instructionsLeft);
  trial.runBlock(block, coverage);
  takeSampledBlocks(trial, sizes);
}

/// A few blocks where buffers have more elements than 32 bits count. What the
/// reference, in 64 bits, does there the candidate has to do too, or to declare
/// that it is not for such sizes.
void PlanVerifier::tryIndexOverflow(EffortLevel level, uint64_t seed) {
  constexpr unsigned maxShapes = 6;
  if (tried.empty())
    return;
  // A small shape that has an interior, if there is one.
  auto smallness = [&](const std::pair<uint64_t, Bindings> &shape) {
    return std::pair(!hasInterior(kernel, shape.second), shape.first);
  };
  const Bindings base = llvm::min_element(tried, [&](auto &l, auto &r) {
                          return smallness(l) < smallness(r);
                        })->second;
  uint64_t instructionsLeft = level.sampledBlockInstructions;
  SizesBeyond32Bits::Ask ask;
  ask.isLaunched = [&](const Bindings &sizes) {
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
  ask.countThreads = [&](const Bindings &sizes) {
    return reference->countThreads(sizes);
  };
  unsigned shapesLeft = maxShapes;
  auto visit = [&](const Bindings &sizes) {
    if (instructionsLeft == 0 || shapesLeft == 0 || refutation)
      return IndexOverflowShape::Enough;
    SampledBlocksTrial trial(kernel, *reference, *written, *shipped, sizes,
                             seed, level.sampledBlockInstructions,
                             instructionsLeft);
    size_t launches = trial.countLaunchesThatReachTheEnd();
    if (launches == 0)
      return IndexOverflowShape::TooMuch;
    trial.runAtTheEnd(launches, coverage, literals.blocks);
    if (takeSampledBlocks(trial, sizes)) {
      refutation->message +=
          "; compute addresses in 64 bits, or add an evo.require that excludes "
          "sizes at which 32 bits do not count the elements";
      return IndexOverflowShape::Enough;
    }
    tally.indexOverflowShapes += trial.blocks != 0;
    shapesLeft -= trial.blocks != 0;
    return IndexOverflowShape::Tried;
  };
  SizesBeyond32Bits shapes(kernel, plan, options.target, ask, base);
  shapes.visitDimensions(visit);
  instructionsLeft =
      std::max(instructionsLeft, level.sampledBlockInstructions / 2);
  shapesLeft = maxShapes;
  shapes.visitBuffers(visit);
}
