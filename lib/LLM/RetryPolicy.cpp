// How long to wait before asking again. Half of each wait is fixed and half is
// random ("equal jitter"): a lone client keeps a sensible pace, a crowd spreads
// out.
#include "evo/LLM/RetryPolicy.h"
#include <algorithm>

namespace evo::llm {

using std::chrono::milliseconds;

std::optional<milliseconds>
RetryPolicy::waitAfter(unsigned attempt, std::optional<milliseconds> retryAfter,
                       Random &random) const {
  if (attempt >= maxAttempts)
    return std::nullopt;
  if (retryAfter && *retryAfter > longestRetryAfter)
    return std::nullopt;
  if (retryAfter && retryAfter->count() > 0) {
    double wait = retryAfter->count() * (1.0 + 0.1 * random.uniform());
    return milliseconds(static_cast<int64_t>(wait));
  }
  double wait = firstWait.count();
  for (unsigned i = 1; i < attempt && wait < longestWait.count(); ++i)
    wait *= 2;
  wait = std::min<double>(wait, longestWait.count());
  return milliseconds(
      static_cast<int64_t>(wait * (0.5 + 0.5 * random.uniform())));
}

} // namespace evo::llm
