// Checks plans and makes them from launch descriptions. What a launch can take
// (CUDA C++ Programming Guide, compute capabilities) is checked here since the
// driver's own answer to most mistakes is "invalid value".
#include "evo/Runtime/CUDA/DevicePlan.h"
#include "evo/Target/TargetInfo.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace evo::cuda {

using target::TargetInfo;

const PlanBuffer *DevicePlan::findBuffer(StringRef bufferName) const {
  auto it = find_if(buffers, [&](const PlanBuffer &buffer) {
    return buffer.name == bufferName;
  });
  return it == buffers.end() ? nullptr : &*it;
}

static bool isBeyond(const std::array<unsigned, 3> &extents,
                     const unsigned (&limits)[3]) {
  return extents[0] > limits[0] || extents[1] > limits[1] ||
         extents[2] > limits[2];
}

Error DevicePlan::validate() const {
  auto fail = [&](const std::string &what) {
    // no diagnostic: what stands before each
    return createStringError("plan '%s': %s", name.c_str(), what.c_str());
  };
  if (image.empty())
    return fail("no code");
  if (launches.empty())
    return fail("no launch");
  StringMap<bool> seen;
  for (const PlanBuffer &buffer : buffers)
    if (!seen.try_emplace(buffer.name, true).second)
      return fail("two buffers are called '" + buffer.name + "'");
  for (const PlanLaunch &launch : launches) {
    uint64_t threads =
        uint64_t(launch.block[0]) * launch.block[1] * launch.block[2];
    if (threads == 0 || isBeyond(launch.block, TargetInfo::maxBlock) ||
        threads > TargetInfo::maxThreadsPerBlock)
      return fail("kernel '" + launch.kernel + "' has a block of " +
                  std::to_string(launch.block[0]) + " x " +
                  std::to_string(launch.block[1]) + " x " +
                  std::to_string(launch.block[2]) + " threads");
    if (isBeyond(launch.grid, TargetInfo::maxGrid))
      return fail("kernel '" + launch.kernel + "' has too large a grid");
    for (const PlanArgument &argument : launch.arguments) {
      if (argument.buffer >= static_cast<int>(buffers.size()))
        return fail("kernel '" + launch.kernel + "' takes buffer " +
                    std::to_string(argument.buffer) + " of " +
                    std::to_string(buffers.size()));
      if (argument.buffer < 0 && argument.bytes.empty())
        return fail("kernel '" + launch.kernel + "' takes an empty scalar");
    }
  }
  return Error::success();
}

namespace {
Expected<uint64_t> countBytes(StringRef name, StringRef type,
                              ArrayRef<Formula> sizes, const Bindings &dims) {
  int64_t bytes = getElementBits(type) / 8;
  for (const Formula &size : sizes) {
    Expected<int64_t> extent = size->evaluate(dims);
    if (!extent)
      return extent.takeError();
    if (*extent < 0 || MulOverflow(bytes, *extent, bytes))
      return createStringError("'%s' has an extent '%s' of %lld",
                               name.str().c_str(), size.getText().c_str(),
                               static_cast<long long>(*extent));
  }
  return bytes;
}

Expected<PlanArgument> makeInteger(const KernelOperand &operand,
                                   const Bindings &dims) {
  Expected<int64_t> value = operand.formula->evaluate(dims);
  if (!value)
    return value.takeError();
  unsigned bits = getElementBits(operand.type);
  bool fits = operand.type[0] == 'i' ? isIntN(bits, *value)
                                     : *value >= 0 && isUIntN(bits, *value);
  if (!fits)
    return createStringError("'%s' is %lld, which does not fit %s",
                             operand.formula.getText().c_str(),
                             static_cast<long long>(*value),
                             operand.type.c_str());
  PlanArgument argument = PlanArgument::ofScalar(*value);
  argument.bytes.resize(bits / 8); // little endian
  return argument;
}
} // namespace

Expected<DevicePlan> instantiate(const LaunchDescription &description,
                                 unsigned variantIndex, const Bindings &dims,
                                 const StringMap<std::string> &scalars,
                                 std::string image) {
  if (variantIndex >= description.variants.size())
    return createStringError("launch description '%s' has no variant %u",
                             description.name.c_str(), variantIndex);
  const LaunchVariant &variant = description.variants[variantIndex];
  DevicePlan plan;
  plan.name = description.name + "/" + variant.name;
  plan.image = std::move(image);
  StringMap<unsigned> indices;
  auto addBuffer = [&](const std::string &name, const std::string &type,
                       ArrayRef<Formula> sizes, BufferRole role) -> Error {
    Expected<uint64_t> bytes = countBytes(name, type, sizes, dims);
    if (!bytes)
      return bytes.takeError();
    indices[name] = plan.buffers.size();
    plan.buffers.push_back({name, *bytes, role, type});
    return Error::success();
  };
  for (const LaunchArgument &argument : description.arguments) {
    if (argument.role == ArgumentRole::Scalar) {
      auto it = scalars.find(argument.name);
      if (it == scalars.end())
        return createStringError("no value for scalar '%s'",
                                 argument.name.c_str());
      if (it->second.size() != getElementBits(argument.type) / 8)
        return createStringError("scalar '%s' has %zu bytes, not the %u of %s",
                                 argument.name.c_str(), it->second.size(),
                                 getElementBits(argument.type) / 8,
                                 argument.type.c_str());
      continue;
    }
    BufferRole role = argument.role == ArgumentRole::In    ? BufferRole::In
                      : argument.role == ArgumentRole::Out ? BufferRole::Out
                                                           : BufferRole::InOut;
    if (Error error =
            addBuffer(argument.name, argument.type, argument.dims, role))
      return std::move(error);
  }
  for (const ScratchBuffer &buffer : variant.scratch)
    if (Error error = addBuffer(buffer.name, buffer.type, buffer.dims,
                                BufferRole::Scratch))
      return std::move(error);

  for (const KernelLaunch &source : variant.launches) {
    Expected<LaunchGeometry> geometry = description.evaluate(source, dims);
    if (!geometry)
      return geometry.takeError();
    PlanLaunch launch;
    launch.kernel = source.symbol;
    for (unsigned axis = 0; axis < 3; ++axis) {
      if (geometry->grid[axis] > TargetInfo::maxGrid[0] ||
          geometry->block[axis] > TargetInfo::maxThreadsPerBlock)
        return createStringError("kernel '%s' has too large an extent",
                                 source.symbol.c_str());
      launch.grid[axis] = geometry->grid[axis];
      launch.block[axis] = geometry->block[axis];
    }
    if (geometry->sharedBytes > INT32_MAX)
      return createStringError("kernel '%s' wants too much shared memory",
                               source.symbol.c_str());
    launch.dynamicShared = geometry->sharedBytes;
    for (const KernelOperand &operand : source.operands) {
      if (operand.kind == KernelOperand::Formula) {
        Expected<PlanArgument> argument = makeInteger(operand, dims);
        if (!argument)
          return argument.takeError();
        launch.arguments.push_back(std::move(*argument));
        continue;
      }
      auto it = indices.find(operand.name);
      if (it != indices.end())
        launch.arguments.push_back(PlanArgument::ofBuffer(it->second));
      else
        launch.arguments.push_back({-1, scalars.lookup(operand.name)});
    }
    plan.launches.push_back(std::move(launch));
  }
  if (Error error = plan.validate())
    return std::move(error);
  return plan;
}

} // namespace evo::cuda
