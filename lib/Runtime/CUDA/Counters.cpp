// One number out of those of several launches.
#include "evo/Runtime/CUDA/Counters.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace llvm;

namespace evo::cuda {

Counters combineCounts(const LaunchCounts &counts) {
  ArrayRef<CounterMetric> table = getCounterMetrics();
  // What each launch weighs; alike where no time was counted.
  std::vector<double> times(counts.launches.size(), 1);
  for (auto [column, metric] : enumerate(counts.metrics))
    if (table[metric].name == nanosecondsCounter)
      for (auto [time, row] : zip_equal(times, counts.launches))
        time = row[column];
  Counters combined;
  for (auto [column, index] : enumerate(counts.metrics)) {
    const CounterMetric &metric = table[index];
    double sum = 0, weights = 0;
    for (auto [time, row] : zip_equal(times, counts.launches)) {
      double weight = metric.combination == CounterMetric::Sum ? 1 : time;
      sum += weight * row[column];
      weights += weight;
    }
    double value =
        metric.combination == CounterMetric::Sum ? sum : sum / weights;
    if (std::isfinite(value))
      combined.emplace_back(metric.name.str(), value);
  }
  return combined;
}

} // namespace evo::cuda
