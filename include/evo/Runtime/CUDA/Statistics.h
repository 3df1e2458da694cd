// Medians with confidence intervals, for run times. Times are skewed and have
// outliers, so the median is taken and its interval is bootstrapped: no
// distribution is assumed. The resampling is seeded, hence repeatable.
#ifndef EVO_RUNTIME_CUDA_STATISTICS_H
#define EVO_RUNTIME_CUDA_STATISTICS_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>

namespace evo::cuda {

struct Interval {
  double median = 0, low = 0, high = 0;
  /// Half width over median.
  double getRelativeError() const {
    return median > 0 ? (high - low) / 2 / median : 1;
  }
};

/// The lower median for an even count; 0 for none.
double median(llvm::ArrayRef<double> samples);

/// Percentile bootstrap at 95 %: Efron and Tibshirani, "An Introduction to the
/// Bootstrap", chapter 13. All zero for no samples.
Interval bootstrapMedian(llvm::ArrayRef<double> samples, uint64_t seed = 1,
                         unsigned resamples = 1000);

/// Median(numerator) / median(denominator) with an interval; samples are pairs
/// taken one after the other, and are resampled as pairs. Sizes must agree.
Interval bootstrapRatio(llvm::ArrayRef<double> numerator,
                        llvm::ArrayRef<double> denominator, uint64_t seed = 1,
                        unsigned resamples = 1000);

} // namespace evo::cuda

#endif
