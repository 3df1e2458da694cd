// See InputSets.h. Inputs and outputs are shared by the plans: that halves the
// memory, and makes a plan that writes an input visible to the others' checks.
#include "InputSets.h"
#include "evo/Support/Digest.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace evo::cuda {

static constexpr unsigned char poison = 0xff; // NaN in every float type
static constexpr uint64_t sinkBytes = 4 << 20;

static Error checkSameBuffers(ArrayRef<MeasuredPlan> plans) {
  const DevicePlan &first = *plans.front().plan;
  for (const MeasuredPlan &other : plans.drop_front()) {
    auto fail = [&](const PlanBuffer &buffer, const char *what) {
      return createStringError("plans '%s' and '%s' differ in buffer '%s': %s",
                               first.name.c_str(), other.plan->name.c_str(),
                               buffer.name.c_str(), what);
    };
    auto isArgument = [](const PlanBuffer &buffer) {
      return buffer.role != BufferRole::Scratch;
    };
    for (const PlanBuffer &buffer : first.buffers) {
      if (!isArgument(buffer))
        continue;
      const PlanBuffer *match = other.plan->findBuffer(buffer.name);
      if (!match)
        return fail(buffer, "only one has it");
      if (match->bytes != buffer.bytes)
        return fail(buffer, "its size");
      if (match->role != buffer.role)
        return fail(buffer, "its role");
    }
    for (const PlanBuffer &buffer : other.plan->buffers)
      if (isArgument(buffer) && !first.findBuffer(buffer.name))
        return fail(buffer, "only one has it");
  }
  return Error::success();
}

Expected<InputSets> InputSets::create(DriverApi &api, DriverHandle stream,
                                      ArrayRef<MeasuredPlan> plans,
                                      const InputSource &inputs,
                                      const MeasurePolicy &policy,
                                      uint64_t l2Bytes) {
  if (Error error = checkSameBuffers(plans))
    return std::move(error);
  InputSets result;
  result.api = &api;
  result.l2Bytes = l2Bytes;
  uint64_t fixedBytes = 2 * l2Bytes + sinkBytes, pristineBytes = 0;
  for (auto [index, buffer] : enumerate(plans.front().plan->buffers)) {
    if (buffer.role == BufferRole::Scratch)
      continue;
    result.shared.push_back(buffer);
    result.sharedIndex.push_back(index);
    result.setBytes += buffer.bytes;
    if (buffer.role == BufferRole::InOut)
      pristineBytes += buffer.bytes;
  }
  for (const MeasuredPlan &plan : plans)
    for (const PlanBuffer &buffer : plan.plan->buffers)
      if (buffer.role == BufferRole::Scratch)
        fixedBytes += buffer.bytes;

  size_t free = 0, total = 0;
  if (Error error = api.check(api.memGetInfo(&free, &total), "cuMemGetInfo"))
    return std::move(error);
  uint64_t usable = policy.memoryShare * free;
  uint64_t perSet = std::max<uint64_t>(result.setBytes + pristineBytes, 1);
  uint64_t wanted = std::clamp<uint64_t>(
      2 * l2Bytes / std::max<uint64_t>(result.setBytes, 1) + 1, policy.minSets,
      policy.maxSets);
  uint64_t fitting = usable > fixedBytes ? (usable - fixedBytes) / perSet : 0;
  if (fitting < policy.minSets)
    return createStringError(
        "%u sets of %llu bytes do not fit into %llu bytes of device memory",
        policy.minSets, static_cast<unsigned long long>(perSet),
        static_cast<unsigned long long>(usable));
  if (Error error = result.allocate(plans, std::min(wanted, fitting)))
    return std::move(error);
  if (Error error = result.fill(stream, inputs, policy.timeoutSeconds))
    return std::move(error);
  return result;
}

Error InputSets::allocate(ArrayRef<MeasuredPlan> plans, unsigned count) {
  auto get = [&](DeviceMemory &slot, uint64_t bytes) -> Error {
    Expected<DeviceMemory> memory = DeviceMemory::allocate(*api, bytes);
    if (!memory)
      return memory.takeError();
    slot = std::move(*memory);
    return Error::success();
  };
  if (Error error = get(flushArea, 2 * l2Bytes))
    return error;
  if (Error error = get(sink, sinkBytes))
    return error;
  sets.resize(count);
  for (Set &set : sets) {
    set.memory.resize(shared.size());
    set.pristine.resize(shared.size());
    set.fingerprints.resize(shared.size());
    for (auto [index, buffer] : enumerate(shared)) {
      if (Error error = get(set.memory[index], buffer.bytes))
        return error;
      if (buffer.role == BufferRole::InOut)
        if (Error error = get(set.pristine[index], buffer.bytes))
          return error;
    }
  }
  for (const MeasuredPlan &plan : plans) {
    scratch.emplace_back();
    addresses.emplace_back(count);
    for (const PlanBuffer &buffer : plan.plan->buffers) {
      if (buffer.role == BufferRole::Scratch) {
        DeviceMemory memory;
        if (Error error = get(memory, buffer.bytes))
          return error;
        for (auto &list : addresses.back())
          list.push_back(memory.get());
        scratch.back().push_back(std::move(memory));
        continue;
      }
      size_t index = find_if(shared,
                             [&](const PlanBuffer &candidate) {
                               return candidate.name == buffer.name;
                             }) -
                     shared.begin();
      for (auto [set, list] : zip(sets, addresses.back()))
        list.push_back(set.memory[index].get());
    }
  }
  return Error::success();
}

Error InputSets::fill(DriverHandle stream, const InputSource &inputs,
                      double timeoutSeconds) {
  for (auto [number, set] : enumerate(sets)) {
    for (auto [index, buffer] : enumerate(shared)) {
      if (!buffer.isInput() || buffer.bytes == 0)
        continue;
      std::string bytes(buffer.bytes, '\0');
      if (Error error = inputs(number, buffer,
                               MutableArrayRef(bytes.data(), bytes.size())))
        return error;
      set.fingerprints[index] = fingerprint(bytes);
      const DeviceMemory &to = buffer.role == BufferRole::InOut
                                   ? set.pristine[index]
                                   : set.memory[index];
      if (Error error = api->check(api->memcpyHtoDAsync(to.get(), bytes.data(),
                                                        bytes.size(), stream),
                                   "cuMemcpyHtoDAsync"))
        return error;
      if (Error error = waitForStream(*api, stream, timeoutSeconds))
        return error;
    }
  }
  return Error::success();
}

Error InputSets::prepare(DriverHandle stream, unsigned plan,
                         unsigned number) const {
  const Set &set = sets[number];
  for (auto [index, buffer] : enumerate(shared)) {
    if (!buffer.isOutput() || buffer.bytes == 0)
      continue;
    DeviceAddress to = set.memory[index].get();
    int code = buffer.role == BufferRole::InOut
                   ? api->memcpyDtoDAsync(to, set.pristine[index].get(),
                                          buffer.bytes, stream)
                   : api->memsetD8Async(to, poison, buffer.bytes, stream);
    // no diagnostic: the name of a call
    if (Error error = api->check(code, "preparing an output"))
      return error;
  }
  for (const DeviceMemory &memory : scratch[plan])
    if (memory.size())
      if (Error error = api->check(
              api->memsetD8Async(memory.get(), poison, memory.size(), stream),
              "cuMemsetD8Async"))
        return error;
  return Error::success();
}

Error InputSets::touchInputs(DriverHandle stream, unsigned number) const {
  // What exceeds L2 is not warm, whatever is done.
  if (setBytes > l2Bytes)
    return Error::success();
  for (auto [index, buffer] : enumerate(shared)) {
    if (!buffer.isInput())
      continue;
    for (uint64_t at = 0; at < buffer.bytes; at += sinkBytes)
      if (Error error =
              api->check(api->memcpyDtoDAsync(
                             sink.get(), sets[number].memory[index].get() + at,
                             std::min(sinkBytes, buffer.bytes - at), stream),
                         "cuMemcpyDtoDAsync"))
        return error;
  }
  return Error::success();
}

Error InputSets::flush(DriverHandle stream) {
  if (api->ctxResetPersistingL2Cache)
    if (Error error = api->check(api->ctxResetPersistingL2Cache(),
                                 "cuCtxResetPersistingL2Cache"))
      return error;
  if (flushArea.size() == 0)
    return Error::success();
  return api->check(api->memsetD8Async(flushArea.get(), ++flushValue,
                                       flushArea.size(), stream),
                    "cuMemsetD8Async");
}

Expected<std::string> InputSets::read(DriverHandle stream, DeviceAddress from,
                                      uint64_t bytes,
                                      double timeoutSeconds) const {
  std::string data(bytes, '\0');
  if (bytes == 0)
    return data;
  if (Error error =
          api->check(api->memcpyDtoHAsync(data.data(), from, bytes, stream),
                     "cuMemcpyDtoHAsync"))
    return std::move(error);
  if (Error error = waitForStream(*api, stream, timeoutSeconds))
    return std::move(error);
  return data;
}

Expected<std::vector<BufferData>>
InputSets::readOutputs(DriverHandle stream, unsigned set,
                       double timeoutSeconds) const {
  std::vector<BufferData> outputs;
  for (auto [index, buffer] : enumerate(shared)) {
    if (!buffer.isOutput())
      continue;
    Expected<std::string> bytes = read(stream, sets[set].memory[index].get(),
                                       buffer.bytes, timeoutSeconds);
    if (!bytes)
      return bytes.takeError();
    outputs.push_back({sharedIndex[index], std::move(*bytes)});
  }
  return outputs;
}

Expected<std::vector<std::string>>
InputSets::findWrittenInputs(DriverHandle stream, unsigned set,
                             double timeoutSeconds) const {
  std::vector<std::string> names;
  for (auto [index, buffer] : enumerate(shared)) {
    if (buffer.role != BufferRole::In || buffer.bytes == 0)
      continue;
    Expected<std::string> bytes = read(stream, sets[set].memory[index].get(),
                                       buffer.bytes, timeoutSeconds);
    if (!bytes)
      return bytes.takeError();
    if (fingerprint(*bytes) != sets[set].fingerprints[index])
      names.push_back(buffer.name);
  }
  return names;
}

} // namespace evo::cuda
