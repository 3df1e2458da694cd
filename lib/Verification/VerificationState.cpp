// Questions about a verdict in the making.
#include "VerificationState.h"
#include "Verification/Sampling/IndexOverflow.h"
#include "Verification/Sampling/Shapes.h"
#include "evo/Shapes/AbstractShapes.h"
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

/// The largest product of those extents of an argument that stayed numbers when
/// shapes were abstracted: the elements of a window, for each of which there is
/// work at every point.
static double countFixed(KernelOp kernel) {
  double largest = 1;
  if (!getCallerSizes(kernel))
    return largest;
  for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>()) {
    double product = 1;
    for (StringRef text : arg.getDimStrings())
      if (int64_t extent; !text.getAsInteger(10, extent))
        product *= std::max<int64_t>(1, extent);
    largest = std::max(largest, product);
  }
  return largest;
}

int64_t VerificationState::estimateWork(const Bindings &sizes) const {
  double product = countFixed(kernel);
  KernelOp op = kernel;
  for (StringRef dim : op.getDimensionNames())
    product *= std::max<int64_t>(1, sizes.lookup(dim));
  double threads = std::max(double(reference->countThreads(sizes)),
                            double(postOptimised->countThreads(sizes)));
  // A table of pages may be large where little of it is read: its elements are
  // drawn and compared nevertheless, if they are not computed with.
  double elements = 0;
  for (auto arg : op.getArgsAttr().getAsRange<ArgumentAttr>())
    if (arg.isBuffer())
      elements += countElements(arg, sizes);
  return static_cast<int64_t>(
      std::min(1e18, std::max({product, 2 * threads, elements / 4})));
}

uint64_t VerificationState::estimateInstructions(const Bindings &sizes) const {
  double work = 0, instructions = 0;
  for (size_t i = 0; i < tried.size(); ++i)
    if (const auto own = static_cast<double>(estimateWork(tried[i].sizes));
        own > work) {
      work = own;
      instructions = static_cast<double>(tried[i].instructions);
    }
  const double wanted = static_cast<double>(estimateWork(sizes));
  return static_cast<uint64_t>(
      std::min(1e18, wanted * (work > 0 ? instructions / work : 1)));
}

bool VerificationState::meetsRequirements(const Bindings &sizes) const {
  return evo::meetsRequirements(kernel, plan, sizes, options.target);
}

std::optional<Refutation>
VerificationState::refuteLaunch(const Bindings &sizes) const {
  llvm::Expected<std::optional<std::string>> wanted =
      reference->findLaunchFailure(sizes);
  llvm::Expected<std::optional<std::string>> got =
      postOptimised->findLaunchFailure(sizes);
  bool isComparable = reference->launchesBlocks(sizes) && wanted && !*wanted &&
                      got && !reference->findNarrowArgument(sizes);
  if (isComparable && !*got)
    *got = postOptimised->findNarrowArgument(sizes);
  std::optional<Refutation> refutation;
  if (isComparable && *got) {
    refutation = Refutation(
        Reason::LaunchFailure,
        **got + "; add an evo.require that excludes such sizes, or launch "
                "otherwise");
    refutation->at = printBindings(sizes);
  }
  if (!wanted)
    llvm::consumeError(wanted.takeError());
  if (!got)
    llvm::consumeError(got.takeError());
  return refutation;
}

sim::Options VerificationState::engineOptions() const {
  sim::Options engine;
  engine.limits.laneInstructions = options.instructionBudget;
  if (const target::TargetInfo *card =
          target::findTarget(options.target.getArch()))
    engine.limits.sharedBytes = card->sharedPerBlockOptIn;
  static const sim::Schedule together;
  if (tally.together)
    engine.schedule = &together;
  return engine;
}

std::vector<sim::OneWayBranch> VerificationState::getOpenBranches() const {
  return preOptimised->getOneWayBranches(coverage);
}

bool VerificationState::hasOpenBranchOnData() const {
  return llvm::any_of(getOpenBranches(), [](const sim::OneWayBranch &branch) {
    return branch.input == sim::BranchInput::Data;
  });
}
