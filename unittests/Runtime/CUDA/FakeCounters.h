// A profiler of the fake device: each launch reads one byte.
#ifndef EVO_UNITTESTS_RUNTIME_CUDA_FAKECOUNTERS_H
#define EVO_UNITTESTS_RUNTIME_CUDA_FAKECOUNTERS_H

#include "FakeDriver.h"
#include "evo/Runtime/CUDA/Counters.h"
#include "llvm/ADT/STLExtras.h"

namespace evo::cuda {

class FakeCounters : public CounterReader {
public:
  explicit FakeCounters(FakeDevice &device, unsigned passes = 3)
      : device(device), passes(passes) {}

  llvm::Expected<LaunchCounts> count(llvm::function_ref<llvm::Error()> prepare,
                                     llvm::function_ref<llvm::Error()> launch,
                                     unsigned numLaunches) override {
    unsigned counted = 0;
    for (unsigned pass = 0; pass < passes; ++pass) {
      if (llvm::Error error = prepare())
        return std::move(error);
      unsigned before = device.launches;
      if (llvm::Error error = launch())
        return std::move(error);
      counted = device.launches - before;
    }
    if (counted != numLaunches)
      return llvm::createStringError("%u launches of %u", counted, numLaunches);
    LaunchCounts counts;
    for (auto [index, metric] : llvm::enumerate(getCounterMetrics()))
      if (metric.name == "dram_read_bytes")
        counts.metrics = {static_cast<unsigned>(index)};
    counts.launches.assign(numLaunches, {1.0});
    return counts;
  }

private:
  FakeDevice &device;
  unsigned passes;
};

} // namespace evo::cuda

#endif
