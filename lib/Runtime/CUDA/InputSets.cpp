// See InputSets.h. Inputs and outputs are shared by the plans: that halves the
// memory, and makes a plan that writes an input visible to the others' checks.
#include "InputSets.h"
#include "evo/Runtime/CUDA/OutputCheck.h"
#include "evo/Support/Random.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace llvm;

namespace evo::cuda {

static constexpr unsigned char poison = 0xff; // NaN in every float type
static constexpr uint64_t sinkBytes = 4 << 20;

static bool isArgument(const PlanBuffer &buffer) {
  return buffer.role != BufferRole::Scratch;
}

Expected<InputSets> InputSets::create(DriverApi &api, DriverHandle stream,
                                      const DevicePlan &baseline,
                                      const MeasurePolicy &policy,
                                      uint64_t l2Bytes) {
  InputSets result;
  result.api = &api;
  result.baselineName = baseline.name;
  result.l2Bytes = l2Bytes;
  result.seed = policy.seed;
  Expected<DeviceHelpers> helpers = DeviceHelpers::load(api);
  if (!helpers)
    return helpers.takeError();
  result.helpers = std::move(*helpers);
  uint64_t fixedBytes = 2 * l2Bytes + sinkBytes, outputBytes = 0;
  for (const PlanBuffer &buffer : baseline.buffers) {
    if (!isArgument(buffer)) {
      // A candidate may have as much.
      fixedBytes += 2 * buffer.bytes;
      continue;
    }
    if (buffer.isOutput()) {
      result.outputs.push_back(result.shared.size());
      outputBytes += buffer.bytes;
    }
    if (buffer.role == BufferRole::In && buffer.bytes)
      result.inputs.push_back(result.shared.size());
    result.shared.push_back(buffer);
    result.setBytes += buffer.bytes;
  }

  size_t free = 0, total = 0;
  if (Error error = api.check(api.memGetInfo(&free, &total), "cuMemGetInfo"))
    return std::move(error);
  uint64_t usable = policy.memoryShare * free;
  uint64_t perSet = std::max<uint64_t>(result.setBytes, 1);
  uint64_t wanted = std::clamp<uint64_t>(2 * l2Bytes / perSet + 1,
                                         policy.minSets, policy.maxSets);
  uint64_t rest = usable > fixedBytes ? usable - fixedBytes : 0;
  uint64_t min = policy.minSets * perSet + outputBytes;
  if (rest < min)
    return createStringError(
        "%u sets of %llu bytes, and the results of one, do "
        "not fit into %llu bytes of device memory",
        policy.minSets, static_cast<unsigned long long>(perSet),
        static_cast<unsigned long long>(usable));
  uint64_t count = std::min(wanted, (rest - outputBytes) / perSet);
  uint64_t kept = (rest - count * perSet) / std::max<uint64_t>(outputBytes, 1);
  result.checked =
      std::min<uint64_t>({std::max(policy.checkedSets, 1u), count, kept});
  if (Error error = result.allocate(count))
    return std::move(error);
  if (Error error = result.fill(stream, policy.timeoutSeconds))
    return std::move(error);
  return result;
}

Error InputSets::allocate(unsigned count) {
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
  for (auto [number, set] : enumerate(sets)) {
    set.memory.resize(shared.size());
    set.expected.resize(shared.size());
    set.rootMeanSquares.resize(shared.size());
    for (auto [index, buffer] : enumerate(shared)) {
      if (Error error = get(set.memory[index], buffer.bytes))
        return error;
      if (buffer.isOutput() && number < checked)
        if (Error error = get(set.expected[index], buffer.bytes))
          return error;
    }
  }
  return Error::success();
}

Expected<Placement> InputSets::place(const DevicePlan &plan) const {
  auto fail = [&](const PlanBuffer &buffer, const char *what) {
    return createStringError("plans '%s' and '%s' differ in buffer '%s': %s",
                             plan.name.c_str(), baselineName.c_str(),
                             buffer.name.c_str(), what);
  };
  for (const PlanBuffer &buffer : shared)
    if (!plan.findBuffer(buffer.name))
      return fail(buffer, "only one has it");
  Placement placement;
  placement.addresses.resize(sets.size());
  for (const PlanBuffer &buffer : plan.buffers) {
    if (!isArgument(buffer)) {
      Expected<DeviceMemory> memory =
          DeviceMemory::allocate(*api, buffer.bytes);
      if (!memory)
        return memory.takeError();
      for (auto &list : placement.addresses)
        list.push_back(memory->get());
      placement.scratch.push_back(std::move(*memory));
      continue;
    }
    auto match = find_if(shared, [&](const PlanBuffer &candidate) {
      return candidate.name == buffer.name;
    });
    if (match == shared.end())
      return fail(buffer, "only one has it");
    if (match->bytes != buffer.bytes)
      return fail(buffer, "its size");
    if (match->role != buffer.role)
      return fail(buffer, "its role");
    for (auto [set, list] : zip(sets, placement.addresses))
      list.push_back(set.memory[match - shared.begin()].get());
  }
  return placement;
}

Error InputSets::fillBuffer(DriverHandle stream, unsigned set,
                            unsigned index) const {
  InputValues values = shared[index].values;
  values.elements = shared[index].bytes / values.format.bytes;
  // Neither sets nor arguments hold the same values.
  uint64_t key = mixBits(mixBits(seed + 1) + (uint64_t(set) << 32) + index + 1);
  return helpers.fill(stream, sets[set].memory[index].get(), values, key);
}

Error InputSets::fill(DriverHandle stream, double timeoutSeconds) {
  for (auto [number, set] : enumerate(sets)) {
    for (unsigned index : inputs)
      if (Error error = fillBuffer(stream, number, index))
        return error;
    Expected<std::vector<uint64_t>> prints =
        fingerprint(stream, set.memory, inputs, timeoutSeconds);
    if (!prints)
      return prints.takeError();
    set.fingerprints = std::move(*prints);
  }
  return Error::success();
}

Error InputSets::prepare(DriverHandle stream, const Placement &placement,
                         unsigned number) const {
  const Set &set = sets[number];
  for (unsigned index : outputs) {
    if (shared[index].role == BufferRole::InOut) {
      if (Error error = fillBuffer(stream, number, index))
        return error;
      continue;
    }
    const DeviceMemory &to = set.memory[index];
    if (to.size())
      if (Error error = api->check(
              api->memsetD8Async(to.get(), poison, to.size(), stream),
              "cuMemsetD8Async"))
        return error;
  }
  for (const DeviceMemory &memory : placement.scratch)
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

Expected<std::vector<uint64_t>>
InputSets::fingerprint(DriverHandle stream, ArrayRef<DeviceMemory> memory,
                       ArrayRef<unsigned> indices,
                       double timeoutSeconds) const {
  std::vector<DeviceHelpers::Range> ranges;
  for (unsigned index : indices)
    ranges.push_back({memory[index].get(), memory[index].size()});
  return helpers.fingerprint(stream, ranges, timeoutSeconds);
}

Expected<uint64_t> InputSets::fingerprintOutputs(DriverHandle stream,
                                                 unsigned set,
                                                 double timeoutSeconds) const {
  Expected<std::vector<uint64_t>> prints =
      fingerprint(stream, sets[set].memory, outputs, timeoutSeconds);
  if (!prints)
    return prints.takeError();
  uint64_t result = 0;
  for (uint64_t print : *prints)
    result = mixBits(result + print + 1);
  return result;
}

Expected<std::vector<std::string>>
InputSets::findWrittenInputs(DriverHandle stream, unsigned set,
                             double timeoutSeconds) const {
  Expected<std::vector<uint64_t>> prints =
      fingerprint(stream, sets[set].memory, inputs, timeoutSeconds);
  if (!prints)
    return prints.takeError();
  std::vector<std::string> names;
  for (auto [index, print, given] :
       zip_equal(inputs, *prints, sets[set].fingerprints))
    if (print != given)
      names.push_back(shared[index].name);
  return names;
}

Error InputSets::keepExpected(DriverHandle stream, unsigned number,
                              double timeoutSeconds) {
  Set &set = sets[number];
  for (unsigned index : outputs) {
    const DeviceMemory &to = set.expected[index];
    if (to.size() == 0)
      continue;
    if (Error error =
            api->check(api->memcpyDtoDAsync(to.get(), set.memory[index].get(),
                                            to.size(), stream),
                       "cuMemcpyDtoDAsync"))
      return error;
    if (shared[index].values.format.exponentBits == 0)
      continue;
    Expected<double> rms =
        helpers.rootMeanSquare(stream, {to.get(), to.size()},
                               shared[index].values.format, timeoutSeconds);
    if (!rms)
      return rms.takeError();
    set.rootMeanSquares[index] = *rms;
  }
  Expected<std::vector<uint64_t>> prints =
      fingerprint(stream, set.expected, outputs, timeoutSeconds);
  if (!prints)
    return prints.takeError();
  set.expectedPrints = std::move(*prints);
  return Error::success();
}

Expected<bool> InputSets::isExpectedIntact(DriverHandle stream,
                                           double timeoutSeconds) const {
  for (const Set &set : ArrayRef(sets).take_front(checked)) {
    Expected<std::vector<uint64_t>> prints =
        fingerprint(stream, set.expected, outputs, timeoutSeconds);
    if (!prints)
      return prints.takeError();
    if (*prints != set.expectedPrints)
      return false;
  }
  return true;
}

double InputSets::scaleOf(unsigned output, const Set &own) const {
  double squares = 0;
  for (const Set &set : ArrayRef(sets).take_front(checked))
    squares += set.rootMeanSquares[output] * set.rootMeanSquares[output];
  // While the baseline runs, later sets have none yet.
  return std::max(own.rootMeanSquares[output],
                  std::sqrt(squares / std::max(checked, 1u)));
}

Expected<std::string> InputSets::judge(DriverHandle stream, unsigned number,
                                       double timeoutSeconds) const {
  const Set &set = sets[number];
  std::vector<DeviceHelpers::Comparison> comparisons;
  for (unsigned index : outputs)
    comparisons.push_back({set.expected[index].get(), set.memory[index].get(),
                           shared[index].bytes, shared[index].values.format,
                           shared[index].tolerance, scaleOf(index, set)});
  Expected<uint64_t> suspects =
      helpers.countSuspects(stream, comparisons, timeoutSeconds);
  if (!suspects)
    return suspects.takeError();
  if (*suspects == 0)
    return std::string();
  for (unsigned index : outputs) {
    const PlanBuffer &buffer = shared[index];
    Expected<std::string> expected =
        read(stream, set.expected[index].get(), buffer.bytes, timeoutSeconds);
    if (!expected)
      return expected.takeError();
    Expected<std::string> found =
        read(stream, set.memory[index].get(), buffer.bytes, timeoutSeconds);
    if (!found)
      return found.takeError();
    if (Error error =
            checkOutput(buffer, *expected, *found, scaleOf(index, set)))
      return toString(std::move(error));
  }
  return std::string();
}

} // namespace evo::cuda
