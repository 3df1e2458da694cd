// Running of launch plans: scratch, and what launches are handed.
#include "EncodeScalar.h"
#include "LaunchExtents.h"
#include "evo/Simulator/Plan/ExecutablePlan.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace evo;

/// A launch refused before the device would see it.
static sim::LaunchResult launchFailure(std::string message) {
  sim::LaunchResult result;
  sim::Finding finding;
  finding.kind = sim::FindingKind::LaunchFailure;
  finding.message = std::move(message);
  result.findings.push_back(std::move(finding));
  return result;
}

llvm::Expected<sim::BufferSpec>
ExecutablePlan::Scratch::getSpec(const Bindings &sizes) const {
  uint64_t elements = 1;
  for (const IntExpr &dim : dims) {
    llvm::Expected<int64_t> extent = dim.evaluate(sizes);
    if (!extent)
      return extent.takeError();
    if (*extent < 0 || (*extent && elements > (uint64_t(1) << 38) / *extent))
      return llvm::createStringError("scratch '" + name +
                                     "' has a size that cannot be allocated");
    elements *= *extent;
  }
  sim::BufferSpec spec;
  spec.name = name;
  spec.bytes = elements * getElementBytes(elementType);
  spec.kind = getElementKind(elementType);
  return spec;
}

llvm::Expected<std::vector<ExecutablePlan::ScratchBuffer>>
ExecutablePlan::listScratch(const Bindings &sizes) const {
  std::vector<ScratchBuffer> all;
  for (const Scratch &scratch : scratches) {
    llvm::Expected<sim::BufferSpec> spec = scratch.getSpec(sizes);
    if (!spec)
      return spec.takeError();
    all.push_back({std::move(*spec), getElementBytes(scratch.elementType)});
  }
  return all;
}

llvm::Error ExecutablePlan::addSparseScratch(TrialValues &values,
                                             sim::GlobalMemory &memory) const {
  auto all = listScratch(values.sizes);
  if (!all)
    return all.takeError();
  for (auto &[spec, elementBytes] : *all) {
    spec.sparse = true;
    values.buffers[spec.name] = memory.addBuffer(spec);
  }
  return llvm::Error::success();
}

llvm::Error ExecutablePlan::addPlainScratch(TrialValues &values,
                                            sim::GlobalMemory &memory,
                                            uint64_t maxBytes) const {
  auto all = listScratch(values.sizes);
  if (!all)
    return all.takeError();
  for (auto &[spec, elementBytes] : *all) {
    if (values.buffers.contains(spec.name))
      continue;
    if (spec.bytes > maxBytes)
      return llvm::createStringError("scratch '" + spec.name +
                                     "' is too large");
    maxBytes -= spec.bytes;
    spec.initialized = true;
    sim::BufferId id = memory.addBuffer(spec);
    if (!memory.isMapped(id))
      // unreachable: unless the machine has no room for it
      return llvm::createStringError("no memory for scratch '" + spec.name +
                                     "'");
    values.buffers[spec.name] = id;
  }
  return llvm::Error::success();
}

llvm::Expected<sim::LaunchResult>
ExecutablePlan::run(TrialValues &values, sim::GlobalMemory &memory,
                    sim::Options options, uint64_t orderSeed) const {
  return runWithHook(
      values, memory, options, orderSeed,
      [](const Configuration &, sim::LaunchParams &, sim::Options &) {});
}

llvm::Expected<sim::LaunchResult>
ExecutablePlan::runWithHook(TrialValues &values, sim::GlobalMemory &memory,
                            sim::Options options, uint64_t orderSeed,
                            LaunchHook hook) const {
  const auto all = llvm::to_vector(llvm::seq<size_t>(0, launches.size()));
  return runLaunches(programs, all, values, memory, options, orderSeed, hook);
}

llvm::Expected<sim::LaunchResult>
ExecutablePlan::runSome(llvm::ArrayRef<size_t> chosen, TrialValues &values,
                        sim::GlobalMemory &memory, sim::Options options,
                        LaunchHook hook, CodePart part) const {
  return runLaunches(getPrograms(part), chosen, values, memory, options,
                     /*orderSeed=*/0, hook);
}

llvm::ArrayRef<std::shared_ptr<sim::Program>>
ExecutablePlan::getPrograms(CodePart part) const {
  switch (part) {
  case CodePart::All:
    return programs;
  case CodePart::Stores:
    assert(hasStoreSlices());
    return storeSlices;
  case CodePart::LastRounds:
    return lastRounds.empty() ? programs : lastRounds;
  }
  llvm_unreachable("unknown part of code");
}

/// What a launch hands to its kernel; fails where the kernel takes another
/// kind.
llvm::Expected<std::vector<sim::Argument>> ExecutablePlan::bindArguments(
    const Launch &launch, ArrayRef<sim::KernelParameter> parameters,
    const TrialValues &values, const sim::GlobalMemory &memory) {
  if (parameters.size() != launch.args.size())
    // unreachable: an evo.launch is checked against its callee
    return llvm::createStringError("the kernel takes more arguments, or fewer");
  std::vector<sim::Argument> result;
  for (auto [argument, parameter] : llvm::zip(launch.args, parameters)) {
    if (argument.expr) {
      llvm::Expected<int64_t> value = argument.expr->evaluate(values.sizes);
      if (!value)
        return value.takeError();
      // A literal 0 is the null pointer.
      bool isNull = parameter.isPointer && argument.expr->str() == "0";
      if ((parameter.isPointer && !isNull) || parameter.isFloat)
        return llvm::createStringError(
            "argument '" + argument.expr->str() + "' of '" + launch.kernel +
            "' is an integer, parameter '" + parameter.name + "' is not");
      result.emplace_back(static_cast<uint64_t>(*value));
      continue;
    }
    auto buffer = values.buffers.find(argument.name);
    bool isBuffer = buffer != values.buffers.end();
    if (isBuffer != (parameter.isPointer && !parameter.byVal))
      return llvm::createStringError("argument '" + argument.name + "' of '" +
                                     launch.kernel + "' is " +
                                     (isBuffer ? "a buffer" : "a scalar") +
                                     ", the kernel's parameter is not");
    if (isBuffer) {
      result.emplace_back(memory.address(buffer->second), 8);
      continue;
    }
    std::optional<sim::Argument> scalar = encodeScalar(
        values.floats.lookup(argument.name), argument.type, parameter);
    if (!scalar)
      return llvm::createStringError(
          "argument '" + argument.name + "' of '" + launch.kernel +
          "' is a float, parameter '" + parameter.name + "' is not");
    result.push_back(std::move(*scalar));
  }
  return result;
}

/// Takes over what one launch had; the first that was not clean is the last.
static void addResult(sim::LaunchResult &total, sim::LaunchResult result) {
  total.stats.laneInstructions += result.stats.laneInstructions;
  total.stats.warpInstructions += result.stats.warpInstructions;
  total.stats.blocksRun += result.stats.blocksRun;
  total.stats.lastBlockInstructions = result.stats.lastBlockInstructions;
  total.stats.held += result.stats.held;
  total.stats.shadowDecisionFlips += result.stats.shadowDecisionFlips;
  total.stats.overflows |= result.stats.overflows;
  total.readerWithoutFence |= result.readerWithoutFence;
  if (!total.inactiveRead)
    total.inactiveRead = std::move(result.inactiveRead);
  llvm::append_range(total.findings, result.findings);
}

llvm::Expected<sim::LaunchParams>
ExecutablePlan::configure(const Launch &launch, const sim::Program &program,
                          const TrialValues &values,
                          const sim::GlobalMemory &memory) {
  sim::LaunchParams params;
  params.kernel = launch.kernel;
  llvm::Expected<sim::Dim3> grid = evaluateExtents(launch.grid, values.sizes);
  if (!grid)
    return grid.takeError();
  llvm::Expected<sim::Dim3> block = evaluateExtents(launch.block, values.sizes);
  if (!block)
    return block.takeError();
  params.grid = *grid;
  params.block = *block;
  if (std::optional<std::string> why = findBadBlock(
          launch, params.block, program.staticSharedBytes(launch.kernel)))
    return llvm::createStringError(*why);
  if (launch.shared) {
    llvm::Expected<int64_t> shared = launch.shared->evaluate(values.sizes);
    if (!shared)
      return shared.takeError();
    if (*shared < 0)
      return llvm::createStringError("dynamic shared memory is negative");
    params.dynamicSharedBytes = *shared;
  }
  llvm::Expected<std::vector<sim::Argument>> arguments =
      bindArguments(launch, program.parameters(launch.kernel), values, memory);
  if (!arguments)
    return arguments.takeError();
  params.args = std::move(*arguments);
  return params;
}

llvm::Expected<sim::LaunchResult> ExecutablePlan::runLaunches(
    llvm::ArrayRef<std::shared_ptr<sim::Program>> programs,
    llvm::ArrayRef<size_t> chosen, TrialValues &values,
    sim::GlobalMemory &memory, sim::Options options, uint64_t orderSeed,
    LaunchHook hook) const {
  for (const Scratch &scratch : scratches) {
    auto known = values.buffers.find(scratch.name);
    if (known == values.buffers.end()) {
      llvm::Expected<sim::BufferSpec> spec = scratch.getSpec(values.sizes);
      if (!spec)
        return launchFailure(llvm::toString(spec.takeError()));
      sim::BufferId id = memory.addBuffer(*spec);
      if (!memory.isMapped(id))
        return launchFailure("scratch '" + scratch.name +
                             "' has a size that cannot be allocated");
      known = values.buffers.try_emplace(scratch.name, id).first;
    }
    memory.poison(known->second, options.poison);
  }
  sim::LaunchResult total;
  for (size_t index : chosen) {
    const Launch &launch = launches[index];
    const sim::Program &program = *programs[launch.program];
    llvm::Expected<sim::LaunchParams> params =
        configure(launch, program, values, memory);
    if (!params)
      return launchFailure(llvm::toString(params.takeError()));
    params->blockOrderSeed = params->warpOrderSeed = orderSeed;
    sim::Options own = options;
    own.limits.sharedBytes = std::min(own.limits.sharedBytes, maxSharedBytes);
    hook({launch.kernel, program, params->grid, params->block,
          program.staticSharedBytes(launch.kernel), params->dynamicSharedBytes,
          program.hasBarriers(launch.kernel),
          program.exchangesLanes(launch.kernel)},
         *params, own);
    addResult(total, sim::launch(program, *params, memory, own));
    if (!total.clean())
      return total;
  }
  return total;
}
