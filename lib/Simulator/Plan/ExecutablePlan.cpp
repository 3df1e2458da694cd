// What is asked of launch plans.
#include "evo/Simulator/Plan/ExecutablePlan.h"
#include "evo/Simulator/Locations.h"

using namespace mlir;
using namespace evo;

unsigned evo::getElementBytes(Type type) {
  return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
}

sim::ElementKind evo::getElementKind(Type type) {
  if (type.isF16())
    return sim::ElementKind::F16;
  if (type.isBF16())
    return sim::ElementKind::BF16;
  if (type.isF32())
    return sim::ElementKind::F32;
  if (type.isF64())
    return sim::ElementKind::F64;
  return isa<IntegerType>(type) ? sim::ElementKind::Int
                                : sim::ElementKind::Bytes;
}

LaunchFormulas ExecutablePlan::getFormulas(size_t index) const {
  const Launch &launch = launches[index];
  LaunchFormulas result;
  result.kernel = launch.kernel;
  result.grid.assign(launch.grid.begin(), launch.grid.end());
  result.block.assign(launch.block.begin(), launch.block.end());
  for (const Launch::Argument &argument : launch.args) {
    result.names.push_back(argument.name);
    result.arguments.push_back(argument.expr);
  }
  return result;
}

bool ExecutablePlan::launchesBlocks(const Bindings &sizes) const {
  for (const Launch &launch : launches)
    for (const IntExpr &extent : launch.grid) {
      llvm::Expected<int64_t> value = extent.evaluate(sizes);
      if (!value)
        return llvm::consumeError(value.takeError()), false;
      if (*value == 0)
        return false;
    }
  return true;
}

bool ExecutablePlan::mayWrite(size_t index, StringRef buffer) const {
  const Launch &launch = launches[index];
  const std::vector<sim::KernelParameter> parameters =
      programs[launch.program]->parameters(launch.kernel);
  for (auto [position, argument] : llvm::enumerate(launch.args))
    if (argument.name == buffer &&
        (position >= parameters.size() || !parameters[position].isReadOnly))
      return true;
  return false;
}

bool ExecutablePlan::isHanded(size_t index, StringRef buffer) const {
  return llvm::any_of(launches[index].args, [&](const Launch::Argument &one) {
    return one.name == buffer;
  });
}

std::optional<size_t> ExecutablePlan::findOnlyWriter(
    llvm::function_ref<bool(StringRef)> isWritten) const {
  if (launches.size() == 1)
    return 0;
  std::optional<size_t> only;
  if (keepsState())
    return only;
  for (auto [index, launch] : llvm::enumerate(launches)) {
    auto writes = [&](const Launch::Argument &arg) {
      return isWritten(arg.name) ||
             llvm::any_of(scratches,
                          [&](const Scratch &s) { return s.name == arg.name; });
    };
    if (llvm::none_of(launch.args, writes))
      continue;
    if (only)
      return std::nullopt;
    only = index;
  }
  return only;
}

uint64_t ExecutablePlan::countThreads(const Bindings &sizes) const {
  double total = 0;
  for (const Launch &launch : launches) {
    double threads = 1;
    for (const std::vector<IntExpr> *extents : {&launch.grid, &launch.block})
      for (const IntExpr &extent : *extents) {
        llvm::Expected<int64_t> value = extent.evaluate(sizes);
        if (!value) {
          llvm::consumeError(value.takeError());
          return UINT64_MAX;
        }
        threads *= std::max<int64_t>(1, *value);
      }
    total += threads;
  }
  return total < 1e18 ? static_cast<uint64_t>(total) : UINT64_MAX;
}

uint64_t ExecutablePlan::countBlocksAlong(const Bindings &sizes, size_t launch,
                                          unsigned axis) const {
  const std::vector<IntExpr> &grid = launches[launch].grid;
  if (axis >= grid.size())
    return 1;
  llvm::Expected<int64_t> value = grid[axis].evaluate(sizes);
  if (!value)
    return llvm::consumeError(value.takeError()), 0;
  return std::clamp<int64_t>(*value, 0, INT32_MAX);
}

uint64_t ExecutablePlan::countBlocks(const Bindings &sizes,
                                     size_t launch) const {
  uint64_t blocks = launch < launches.size();
  if (blocks)
    for (unsigned axis = 0; axis < launches[launch].grid.size(); ++axis)
      blocks *= countBlocksAlong(sizes, launch, axis);
  return blocks;
}

bool ExecutablePlan::multipliesMatrices() const {
  return llvm::any_of(programs, [](const std::shared_ptr<sim::Program> &p) {
    return p->multipliesMatrices();
  });
}

bool ExecutablePlan::endsDivisionEarly() const {
  return llvm::any_of(programs, [](const std::shared_ptr<sim::Program> &p) {
    return p->endsDivisionEarly();
  });
}

bool ExecutablePlan::keepsState() const {
  return llvm::any_of(programs, [](const std::shared_ptr<sim::Program> &p) {
    return sim::keepsState(*p);
  });
}

void ExecutablePlan::retireState(sim::GlobalMemory &memory) const {
  for (const std::shared_ptr<sim::Program> &program : programs)
    sim::retireModuleState(*program, memory);
}

std::vector<sim::SharedAccess> ExecutablePlan::getSharedAccesses() const {
  std::vector<sim::SharedAccess> accesses;
  for (const std::shared_ptr<sim::Program> &program : programs)
    llvm::append_range(accesses, sim::findSharedAccesses(*program));
  return accesses;
}

sim::SourceLoc ExecutablePlan::getLocation(StringRef kernel,
                                           uint32_t number) const {
  for (const std::shared_ptr<sim::Program> &program : programs)
    if (std::optional<sim::SourceLoc> place =
            sim::locationIn(*program, kernel, number))
      return *place;
  return {};
}

std::vector<sim::WaitingLoop>
ExecutablePlan::getFewRounds(const sim::Coverage &coverage) const {
  std::vector<sim::WaitingLoop> result;
  for (const std::shared_ptr<sim::Program> &program : programs)
    llvm::append_range(result, coverage.fewRounds(*program));
  return result;
}

std::vector<sim::OneWayBranch>
ExecutablePlan::getOneWayBranches(const sim::Coverage &coverage) const {
  std::vector<sim::OneWayBranch> result;
  for (const std::shared_ptr<sim::Program> &program : programs)
    llvm::append_range(result, coverage.oneWay(*program));
  return result;
}
