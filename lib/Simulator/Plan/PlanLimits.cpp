// Launches that a device, or a launcher, refuses.
#include "LaunchExtents.h"
#include "evo/Simulator/LaunchLimits.h"
#include "evo/Simulator/Plan/ExecutablePlan.h"
#include "evo/Target/TargetInfo.h"

using namespace mlir;
using namespace evo;

static std::string print(sim::Dim3 extents) {
  return "(" + std::to_string(extents.x) + ", " + std::to_string(extents.y) +
         ", " + std::to_string(extents.z) + ")";
}

/// Why a device refuses such blocks of the kernel, or it does not assemble.
std::optional<std::string> ExecutablePlan::findBadBlock(const Launch &launch,
                                                        sim::Dim3 block,
                                                        uint64_t staticShared) {
  auto volume = [](sim::Dim3 extents) {
    return double(extents.x) * double(extents.y) * double(extents.z);
  };
  constexpr uint64_t maxStaticShared =
      target::TargetInfo::sharedPerBlockDefault;
  if (launch.requiredBlock && print(*launch.requiredBlock) != print(block))
    return "'" + launch.kernel + "' requires blocks of " +
           print(*launch.requiredBlock) + ", launched with " + print(block);
  if (launch.largestBlock && volume(block) > volume(*launch.largestBlock))
    return "'" + launch.kernel + "' allows blocks of up to " +
           print(*launch.largestBlock) + ", launched with " + print(block);
  if (staticShared > maxStaticShared)
    return "'" + launch.kernel +
           "' declares more than 48 KiB of static shared memory";
  return std::nullopt;
}

void ExecutablePlan::forEachInteger(
    llvm::function_ref<bool(const IntExpr &, unsigned bytes)> f) const {
  for (const Launch &launch : launches) {
    std::vector<sim::KernelParameter> parameters =
        programs[launch.program]->parameters(launch.kernel);
    if (parameters.size() != launch.args.size())
      continue; // which the launch itself says
    for (auto [argument, parameter] : llvm::zip_equal(launch.args, parameters))
      if (argument.expr && !parameter.isPointer && parameter.bytes != 0 &&
          !f(*argument.expr, parameter.bytes))
        return;
  }
}

std::optional<std::string>
ExecutablePlan::findNarrowArgument(const Bindings &sizes) const {
  std::optional<std::string> found;
  forEachInteger([&](const IntExpr &expr, unsigned bytes) {
    if (bytes > 4)
      return true;
    llvm::Expected<int64_t> value = expr.evaluate(sizes);
    if (!value) {
      llvm::consumeError(value.takeError());
      return true;
    }
    const unsigned bits = 8 * bytes;
    if (*value < -(int64_t(1) << (bits - 1)) || *value >= int64_t(1) << bits)
      found = "argument '" + expr.str() + "' is " + std::to_string(*value) +
              ", which a parameter of " + std::to_string(bits) +
              " bits does not hold";
    return !found;
  });
  return found;
}

bool ExecutablePlan::takesWide(llvm::StringRef dim) const {
  bool isWide = false, isNarrow = false;
  forEachInteger([&](const IntExpr &expr, unsigned bytes) {
    if (expr.getAsName() == dim)
      (bytes < 8 ? isNarrow : isWide) = true;
    return !isNarrow;
  });
  return isWide && !isNarrow;
}

llvm::Expected<std::optional<std::string>>
ExecutablePlan::findLaunchFailure(const Bindings &sizes) const {
  sim::Limits limits;
  limits.sharedBytes = maxSharedBytes;
  for (const Launch &launch : launches) {
    llvm::Expected<sim::Dim3> grid = evaluateExtents(launch.grid, sizes);
    if (!grid)
      return grid.takeError();
    llvm::Expected<sim::Dim3> block = evaluateExtents(launch.block, sizes);
    if (!block)
      return block.takeError();
    int64_t dynamic = 0;
    if (launch.shared) {
      llvm::Expected<int64_t> shared = launch.shared->evaluate(sizes);
      if (!shared)
        return shared.takeError();
      dynamic = *shared;
    }
    uint64_t fixed = programs[launch.program]->staticSharedBytes(launch.kernel);
    std::optional<std::string> why = findBadBlock(launch, *block, fixed);
    if (!why && dynamic < 0)
      why = "dynamic shared memory is negative";
    if (!why)
      why = sim::findBadLaunch(*grid, *block, fixed + dynamic, limits);
    if (why)
      return "launch of '" + launch.kernel + "': " + *why;
  }
  return std::nullopt;
}

bool ExecutablePlan::isLaunchable(const Bindings &sizes) const {
  llvm::Expected<std::optional<std::string>> failure = findLaunchFailure(sizes);
  if (!failure)
    return llvm::consumeError(failure.takeError()), false;
  return !*failure;
}
