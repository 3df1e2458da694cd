// Launches of the helper kernels, whose PTX is part of this library.
#include "DeviceHelpers.h"
#include "evoDeviceHelpers.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace llvm;

namespace evo::cuda {

static constexpr unsigned threadsPerBlock = 256, maxBlocks = 2048;
/// Words of results; of one call no more are used.
static constexpr unsigned maxResults = 64;

// The device's sum of squares is added up in another order than the host's: of
// n terms, both are within n 2^-53 of the truth, n < 2^40, and the root halves
// that. What is near the bound by more than this share is left to the host.
static constexpr double certainShare = 1 - 0x1p-12;

Expected<DeviceHelpers> DeviceHelpers::load(DriverApi &api) {
  DeviceHelpers helpers;
  helpers.api = &api;
  DriverHandle module = nullptr;
  if (Error error = api.check(
          api.moduleLoadDataEx(&module, embedded::evoDeviceHelpers[0].data, 0,
                               nullptr, nullptr),
          "cuModuleLoadDataEx"))
    return std::move(error);
  helpers.module = DriverObject(api, module, &DriverApi::moduleUnload);
  for (auto [name, slot] :
       {std::pair("evo_fill", &helpers.fillKernel),
        std::pair("evo_fingerprint", &helpers.fingerprintKernel),
        std::pair("evo_squares", &helpers.squaresKernel),
        std::pair("evo_compare", &helpers.compareKernel)})
    if (Error error = api.check(api.moduleGetFunction(slot, module, name),
                                "cuModuleGetFunction"))
      return std::move(error);
  Expected<DeviceMemory> memory =
      DeviceMemory::allocate(api, maxResults * sizeof(uint64_t));
  if (!memory)
    return memory.takeError();
  helpers.results = std::move(*memory);
  return helpers;
}

Error DeviceHelpers::launch(DriverHandle stream, DriverHandle function,
                            uint64_t elements,
                            ArrayRef<void *> arguments) const {
  uint64_t blocks = std::clamp<uint64_t>(
      (elements + threadsPerBlock - 1) / threadsPerBlock, 1, maxBlocks);
  return api->check(
      api->launchKernel(function, blocks, 1, 1, threadsPerBlock, 1, 1, 0,
                        stream, const_cast<void **>(arguments.data()), nullptr),
      "cuLaunchKernel");
}

/// Sums begin with 0.
Error DeviceHelpers::clear(DriverHandle stream) const {
  return api->check(
      api->memsetD8Async(results.get(), 0, results.size(), stream),
      "cuMemsetD8Async");
}

Error DeviceHelpers::read(DriverHandle stream, MutableArrayRef<uint64_t> words,
                          double timeoutSeconds) const {
  // A copy to pageable memory waits for the stream, beyond any timeout.
  if (Error error = waitForStream(*api, stream, timeoutSeconds))
    return error;
  if (Error error = api->check(
          api->memcpyDtoHAsync(words.data(), results.get(),
                               words.size() * sizeof(uint64_t), stream),
          "cuMemcpyDtoHAsync"))
    return error;
  return waitForStream(*api, stream, timeoutSeconds);
}

Error DeviceHelpers::fill(DriverHandle stream, DeviceAddress to,
                          const InputValues &values, uint64_t key) const {
  if (values.elements == 0)
    return Error::success();
  void *arguments[] = {&to, const_cast<InputValues *>(&values), &key};
  return launch(stream, fillKernel, values.elements, arguments);
}

Expected<std::vector<uint64_t>>
DeviceHelpers::fingerprint(DriverHandle stream, ArrayRef<Range> ranges,
                           double timeoutSeconds) const {
  std::vector<uint64_t> prints;
  while (prints.size() < ranges.size()) {
    ArrayRef<Range> part =
        ranges.drop_front(prints.size()).take_front(maxResults);
    if (Error error = clear(stream))
      return std::move(error);
    DeviceAddress result = results.get();
    for (Range range : part) {
      void *arguments[] = {&range.address, &range.bytes, &result};
      if (Error error =
              launch(stream, fingerprintKernel, range.bytes / 8 + 1, arguments))
        return std::move(error);
      result += sizeof(uint64_t);
    }
    size_t done = prints.size();
    prints.resize(done + part.size());
    if (Error error = read(stream, MutableArrayRef(prints).drop_front(done),
                           timeoutSeconds))
      return std::move(error);
  }
  return prints;
}

Expected<double> DeviceHelpers::rootMeanSquare(DriverHandle stream, Range range,
                                               const ElementFormat &format,
                                               double timeoutSeconds) const {
  if (Error error = clear(stream))
    return std::move(error);
  uint64_t elements = range.bytes / format.bytes;
  DeviceAddress sum = results.get(), count = sum + sizeof(uint64_t);
  void *arguments[] = {&range.address, &elements,
                       const_cast<ElementFormat *>(&format), &sum, &count};
  if (Error error = launch(stream, squaresKernel, elements, arguments))
    return std::move(error);
  uint64_t words[2] = {};
  if (Error error = read(stream, words, timeoutSeconds))
    return std::move(error);
  double total;
  memcpy(&total, &words[0], sizeof(total));
  return words[1] ? std::sqrt(total / static_cast<double>(words[1])) : 0;
}

Expected<uint64_t>
DeviceHelpers::countSuspects(DriverHandle stream,
                             ArrayRef<Comparison> comparisons,
                             double timeoutSeconds) const {
  if (Error error = clear(stream))
    return std::move(error);
  DeviceAddress count = results.get();
  for (Comparison each : comparisons) {
    uint64_t elements = each.bytes / each.format.bytes;
    each.bound.relative *= certainShare;
    each.bound.absolute *= certainShare;
    void *arguments[] = {&each.expected, &each.found, &elements, &each.format,
                         &each.bound,    &each.rms,   &count};
    if (Error error = launch(stream, compareKernel, elements, arguments))
      return std::move(error);
  }
  uint64_t suspects = 0;
  if (Error error = read(stream, suspects, timeoutSeconds))
    return std::move(error);
  return suspects;
}

} // namespace evo::cuda
