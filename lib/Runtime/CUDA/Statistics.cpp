// Bootstrap intervals: the same wherever the same samples are read.
#include "evo/Runtime/CUDA/Statistics.h"
#include "evo/Support/Random.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <algorithm>
#include <cassert>
#include <vector>

using namespace llvm;

namespace evo::cuda {

namespace {
/// Uniform in [0, bound), up to a bias of bound / 2^32, without a division:
/// most of the time of a bootstrap is spent here.
size_t pick(Random &random, size_t bound) {
  return (random.next() >> 32) * bound >> 32;
}

double medianInPlace(std::vector<double> &values) {
  auto middle = values.begin() + (values.size() - 1) / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

Interval toInterval(double middle, std::vector<double> &estimates) {
  std::sort(estimates.begin(), estimates.end());
  size_t last = estimates.size() - 1;
  return {middle, estimates[last * 25 / 1000],
          estimates[last - last * 25 / 1000]};
}
} // namespace

double median(ArrayRef<double> samples) {
  if (samples.empty())
    return 0;
  std::vector<double> values(samples.begin(), samples.end());
  return medianInPlace(values);
}

Interval bootstrapMedian(ArrayRef<double> samples, uint64_t seed,
                         unsigned resamples) {
  if (samples.empty())
    return {};
  Random random(seed);
  std::vector<double> values(samples.size()), estimates(resamples);
  for (double &estimate : estimates) {
    for (double &value : values)
      value = samples[pick(random, samples.size())];
    estimate = medianInPlace(values);
  }
  return toInterval(median(samples), estimates);
}

Interval bootstrapRatio(ArrayRef<double> numerator,
                        ArrayRef<double> denominator, uint64_t seed,
                        unsigned resamples) {
  assert(numerator.size() == denominator.size() && "unpaired samples");
  double below = median(denominator);
  if (numerator.empty() || below <= 0)
    return {};
  Random random(seed);
  std::vector<double> above(numerator.size()), under(numerator.size()),
      estimates(resamples);
  for (double &estimate : estimates) {
    for (size_t i = 0; i < above.size(); ++i) {
      size_t chosen = pick(random, above.size());
      above[i] = numerator[chosen];
      under[i] = denominator[chosen];
    }
    double bottom = medianInPlace(under);
    estimate = bottom > 0 ? medianInPlace(above) / bottom : 0;
  }
  return toInterval(median(numerator) / below, estimates);
}

} // namespace evo::cuda
