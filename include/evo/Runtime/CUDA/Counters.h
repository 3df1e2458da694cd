// What the hardware counts while a plan runs once: bytes moved, pipes in use,
// why warps wait. Counting replays a plan several times and slows it down, so
// nothing is timed meanwhile.
#ifndef EVO_RUNTIME_CUDA_COUNTERS_H
#define EVO_RUNTIME_CUDA_COUNTERS_H

#include "evo/Support/CounterMetrics.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace evo::cuda {

/// By name, in the order of the table. What a device does not count is absent.
using Counters = std::vector<std::pair<std::string, double>>;

/// What a profiler read: a row for each launch, a column for each metric.
struct LaunchCounts {
  /// Indices into the table.
  std::vector<unsigned> metrics;
  std::vector<std::vector<double>> launches;
};

/// One number for all launches of a plan. Counts that are not finite are left
/// out.
Counters combineCounts(const LaunchCounts &counts);

/// Reads a device's counters. An error says why they cannot be had, such as a
/// driver that reserves them for its administrator.
class CounterReader {
public:
  virtual ~CounterReader() = default;
  /// Counts each kernel of `launch`, which waits until they are done. It is
  /// called as often as the counters need passes, each time after `prepare`,
  /// whose kernels are not counted.
  virtual llvm::Expected<LaunchCounts>
  count(llvm::function_ref<llvm::Error()> prepare,
        llvm::function_ref<llvm::Error()> launch, unsigned numLaunches) = 0;
};

/// Through CUPTI, version 12.6 or later, opened at run time. `context` is the
/// device's current one, `ordinal` its number.
llvm::Expected<std::unique_ptr<CounterReader>>
createCuptiReader(const std::string &library, void *context, int ordinal);

} // namespace evo::cuda

#endif
