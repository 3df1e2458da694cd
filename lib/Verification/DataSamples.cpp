// Shapes and data that several checks begin with.
#include "DataSamples.h"
#include "SampleRunner.h"
#include "Verification/Sampling/IndexOverflow.h"
#include "Verification/Sampling/Shapes.h"
#include "evo/Interfaces/Fitness.h"
#include <cmath>

using namespace mlir;
using namespace evo;

bool evo::areLaunched(const VerificationState &state, const Bindings &sizes) {
  return state.reference->isLaunchable(sizes) &&
         state.postOptimised->isLaunchable(sizes) &&
         state.reference->launchesBlocks(sizes);
}

bool evo::isAffordable(const VerificationState &state, const Bindings &sizes,
                       uint64_t work, uint64_t instructions) {
  return state.estimateWork(sizes) <= static_cast<int64_t>(work) &&
         state.estimateInstructions(sizes) <= instructions &&
         state.meetsRequirements(sizes) &&
         state.reference->launchesBlocks(sizes);
}

std::optional<Bindings> evo::shortenLongest(const VerificationState &state,
                                            const Bindings &sizes, int64_t part,
                                            int64_t shortest) {
  constexpr int64_t maxBelow = 256;
  StringRef longest;
  for (StringRef dim : KernelOp(state.kernel).getDimensionNames())
    if (longest.empty() || sizes.lookup(dim) > sizes.lookup(longest))
      longest = dim;
  if (longest.empty() || sizes.lookup(longest) < shortest)
    return std::nullopt;
  const int64_t extent = sizes.lookup(longest) / part;
  Bindings smaller = sizes;
  for (int64_t below = 0; below < std::min(maxBelow, extent); ++below) {
    smaller[longest] = extent - below;
    if (state.meetsRequirements(smaller))
      return areLaunched(state, smaller) ? std::optional(smaller)
                                         : std::nullopt;
  }
  return std::nullopt;
}

int64_t evo::getWorkloadExtent(KernelOp kernel, StringRef dim) {
  int64_t max = 0;
  if (ArrayAttr workloads = kernel.getWorkloadsAttr())
    for (auto workload : workloads.getAsRange<WorkloadAttr>())
      max = std::max(max, getWorkloadSizes(kernel, workload).lookup(dim));
  return max;
}

ArgumentAttr evo::findLargestInput(KernelOp kernel, const Bindings &sizes) {
  ArgumentAttr largest;
  for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>())
    if (isReadBuffer(arg) &&
        (!largest || countElements(arg, sizes) > countElements(largest, sizes)))
      largest = arg;
  return largest;
}

uint64_t evo::getRowLength(ArgumentAttr buffer, const Bindings &sizes) {
  if (buffer.getExtents().empty())
    return 1;
  return std::max<int64_t>(
      1, llvm::cantFail(buffer.getExtents().back().evaluate(sizes)));
}

bool evo::isOrdered(ArgumentAttr arg) {
  DomainAttr domain = arg.getDomain();
  return domain && (domain.getKind() == DomainKind::Monotone ||
                    domain.getKind() == DomainKind::Permutation);
}

void evo::takeDefaults(KernelOp kernel, Bindings &sizes) {
  for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>())
    if (!arg.isBuffer())
      if (std::optional<int64_t> value = getDefaultInteger(arg))
        sizes[arg.getName().getValue()] = *value;
}

void evo::takeDefaults(KernelOp kernel, TrialInputs &inputs) {
  for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>())
    if (auto value = dyn_cast_or_null<FloatAttr>(arg.getDefaultValue()))
      inputs.floats[arg.getName().getValue()] = value.getValueAsDouble();
}

Bindings evo::withUsualScalars(const VerificationState &state,
                               const Bindings &sizes) {
  Bindings usual = sizes;
  takeDefaults(state.kernel, usual);
  return state.meetsRequirements(usual) && areLaunched(state, usual) ? usual
                                                                     : sizes;
}

Bindings evo::withLargestScalars(const VerificationState &state,
                                 Bindings sizes) {
  forEachScalar(state.kernel, sizes,
                [&](StringRef name, int64_t, int64_t upper) {
                  Bindings largest = sizes;
                  largest[name] = upper - 1;
                  if (state.meetsRequirements(largest))
                    sizes = std::move(largest);
                  return true;
                });
  return sizes;
}

std::optional<TrialInputs> evo::drawNormal(const VerificationState &state,
                                           const Bindings &sizes, bool generic,
                                           Random &random) {
  llvm::Expected<TrialInputs> inputs = drawInputs(
      state.kernel, sizes, Distribution::Normal, {}, random.split(), generic);
  if (!inputs)
    return llvm::consumeError(inputs.takeError()), std::nullopt;
  return std::move(*inputs);
}

/// Normal data with the largest buffer below zero but for some -0.0, and others
/// above it; none where it has no floats.
static std::optional<TrialInputs> drawBelowZero(const VerificationState &state,
                                                const Bindings &sizes,
                                                Random &random) {
  constexpr uint64_t every = 16; // element is -0.0
  std::optional<TrialInputs> inputs =
      drawNormal(state, sizes, /*generic=*/true, random);
  const ArgumentAttr largest = findLargestInput(state.kernel, sizes);
  bool any = false;
  for (TrialInputs::Buffer &buffer :
       inputs ? MutableArrayRef(inputs->buffers)
              : MutableArrayRef<TrialInputs::Buffer>()) {
    const Type type = buffer.arg.getElementType();
    if (!isReadBuffer(buffer.arg) || !isa<FloatType>(type))
      continue;
    const FloatDomain domain(type, buffer.arg.getDomain());
    const unsigned size = getElementBytes(type);
    for (uint64_t i = 0; i < buffer.elements; ++i) {
      char *bytes = buffer.contents.data() + i * size;
      const double magnitude = std::fabs(decodeFloat(type, bytes));
      const double value = buffer.arg != largest      ? magnitude
                           : random.below(every) == 0 ? -0.0
                                                      : -magnitude;
      if (domain.fit(value) == value)
        domain.encode(value, bytes);
    }
    any |= buffer.arg == largest;
  }
  return any ? std::move(inputs) : std::nullopt;
}

LogicalResult evo::tryNormal(VerificationState &state, const Bindings &sizes,
                             bool generic, Random &random, bool watchesRaces) {
  std::optional<TrialInputs> inputs = drawNormal(state, sizes, generic, random);
  if (!inputs)
    return success();
  SampleKind kind;
  kind.runPreOptimised = kind.detectRaces = watchesRaces;
  kind.values = getDistributionName(Distribution::Normal);
  return success(
      succeeded(SampleRunner(state).tryBeyond(*inputs, kind, random)));
}

LogicalResult evo::tryBelowZero(VerificationState &state, const Bindings &sizes,
                                Random &random) {
  std::optional<TrialInputs> inputs = drawBelowZero(state, sizes, random);
  if (!inputs)
    return success();
  SampleKind kind;
  kind.values = "below zero";
  return success(
      succeeded(SampleRunner(state).tryBeyond(*inputs, kind, random)));
}

void evo::refuteRace(VerificationState &state, const sim::LaunchResult &result,
                     const Bindings &sizes) {
  if (result.clean() || result.findings.front().kind != sim::FindingKind::Race)
    return;
  state.refutation = describeFinding(result.findings.front());
  state.refutation->at = printBindings(sizes);
  state.refutation->values = getDistributionName(Distribution::Normal).str();
}
