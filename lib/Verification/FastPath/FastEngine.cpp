// Compiling of kernels as their launches come.
#include "FastEngine.h"

using namespace mlir;
using namespace evo;

/// Threads of a launch that the interpreter runs where it is not compiled: one
/// that resets a counter.
static constexpr uint64_t maxInterpreted = 1024;

const FastEngine::Entry &
FastEngine::compile(const ExecutablePlan::Configuration &configuration,
                    jit::CodeFor runs) {
  const sim::Dim3 &block = configuration.block;
  auto [entry, isNew] =
      kernels.try_emplace(Key(&configuration.program, configuration.kernel,
                              block.x, block.y, block.z, runs));
  if (isNew) {
    auto kernel = jit::compile(configuration.program, configuration.kernel,
                               configuration.block, runs);
    if (kernel)
      entry->second.kernel = std::move(*kernel);
    else
      entry->second.obstacle = llvm::toString(kernel.takeError());
  }
  return entry->second;
}

static uint64_t count(const sim::Dim3 &extents) {
  return extents.x * extents.y * extents.z;
}

static uint64_t
countThreads(const ExecutablePlan::Configuration &configuration) {
  return count(configuration.grid) * count(configuration.block);
}

llvm::Expected<sim::LaunchResult> FastEngine::run(const FastRequest &request) {
  // Where less than a warp is interpreted an instruction takes nearly as long
  // as one of a warp.
  constexpr uint64_t shareOfOne = 8;
  const ExecutablePlan &plan = request.plan;
  sim::Options options = request.options;
  options.shadow = sim::Shadow::None;
  options.checkUninitialized = false;
  std::optional<std::string> obstacle;
  size_t launchesLeft = request.launches.empty() ? plan.getNumLaunches()
                                                 : request.launches.size();
  auto configure = [&](const ExecutablePlan::Configuration &configuration,
                       sim::LaunchParams &params, sim::Options &own) {
    const Entry &entry = compile(configuration, request.runs);
    own.native = entry.kernel.get();
    const bool isLast = --launchesLeft == 0;
    const ArrayRef<uint64_t> blocks = isLast && !request.blocksOfLast.empty()
                                          ? request.blocksOfLast
                                          : request.blocks;
    params.blocks.assign(blocks.begin(), blocks.end());
    const uint64_t threads = count(configuration.block);
    if (!entry.kernel && threads < sim::warpSize)
      own.limits.laneInstructions /=
          std::min<uint64_t>(shareOfOne, sim::warpSize / threads);
    if (entry.kernel || request.mayInterpret ||
        countThreads(configuration) <= maxInterpreted)
      return;
    // One block alone ends soon, and its result is not used.
    obstacle = entry.obstacle;
    own.limits.laneInstructions = 0;
  };
  auto result = request.launches.empty()
                    ? plan.runWithHook(request.values, request.memory, options,
                                       /*orderSeed=*/0, configure)
                    : plan.runSome(request.launches, request.values,
                                   request.memory, options, configure);
  if (obstacle) {
    if (!result)
      llvm::consumeError(result.takeError());
    return llvm::createStringError(*obstacle);
  }
  return result;
}
