// Questions about a verdict in the making.
#include "VerificationState.h"
#include "Verification/Sampling/Shapes.h"
#include "evo/Target/TargetInfo.h"

using namespace mlir;
using namespace evo;

uint64_t VerificationState::drawSeed() {
  if (!seeds)
    seeds = random.split();
  return seeds->next();
}

std::vector<int64_t> VerificationState::getConstants() const {
  std::vector<int64_t> constants = postOptimised->getConstants();
  llvm::append_range(constants, reference->getConstants());
  return constants;
}

int64_t VerificationState::estimateWork(const Bindings &sizes) const {
  double product = 1;
  KernelOp op = kernel;
  for (StringRef dim : op.getDimensionNames())
    product *= std::max<int64_t>(1, sizes.lookup(dim));
  double threads = std::max(double(reference->countThreads(sizes)),
                            double(postOptimised->countThreads(sizes)));
  return static_cast<int64_t>(std::min(1e18, std::max(product, 2 * threads)));
}

bool VerificationState::meetsRequirements(const Bindings &sizes) const {
  return evo::meetsRequirements(kernel, plan, sizes, options.target);
}

exec::Options VerificationState::engineOptions() const {
  exec::Options engine;
  engine.limits.laneInstructions = options.instructionBudget;
  if (const target::TargetInfo *card = target::findTarget(options.target))
    engine.limits.sharedBytes = card->sharedPerBlockOptIn;
  return engine;
}

std::vector<exec::OneWayBranch> VerificationState::getOpenBranches() const {
  return preOptimised->getOneWayBranches(coverage);
}

bool VerificationState::hasOpenBranchOnData() const {
  return llvm::any_of(getOpenBranches(), [](const exec::OneWayBranch &branch) {
    return branch.input == exec::BranchInput::Data;
  });
}
