// The numbers that a profiler may give about a variant beside its time: how a
// cost, a prompt and a report name them.
#ifndef EVO_SUPPORT_COUNTERMETRICS_H
#define EVO_SUPPORT_COUNTERMETRICS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace evo {

/// One number that is counted.
struct CounterMetric {
  /// As the details of a measured cost have it.
  llvm::StringRef name;
  /// As the profiler calls it; empty for what is not the profiler's.
  llvm::StringRef metric;
  /// For people, with the unit.
  llvm::StringRef title;
  enum Combination {
    Sum,   ///< over the launches of a plan
    ByTime ///< their mean, weighted by what each launch takes
  };
  Combination combination = Sum;
};

/// What counting took, by which others are weighted.
inline constexpr llvm::StringLiteral nanosecondsCounter = "counted_ns";

/// All that is asked for. Their names are told apart by `name`.
llvm::ArrayRef<CounterMetric> getCounterMetrics();
/// Null for what is no counter.
const CounterMetric *lookupCounterMetric(llvm::StringRef name);

} // namespace evo

#endif
