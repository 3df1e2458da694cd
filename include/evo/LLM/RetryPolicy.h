// How long to wait before asking again. Exponential back-off with jitter, apart
// from any network code so that it can be tested by numbers. A server's own
// wish (Retry-After) wins over the formula, but a wish that is longer than we
// are ready to wait ends the attempts instead of being cut short: asking early
// again would only be refused again.
#ifndef EVO_LLM_RETRYPOLICY_H
#define EVO_LLM_RETRYPOLICY_H

#include "evo/Support/Random.h"
#include <chrono>
#include <optional>

namespace evo::llm {

struct RetryPolicy {
  /// How often a request is sent in all; at least 1.
  unsigned maxAttempts = 5;
  std::chrono::milliseconds firstWait{1000};
  std::chrono::milliseconds longestWait{30000};
  /// The longest Retry-After that is honoured.
  std::chrono::milliseconds longestRetryAfter{120000};

  /// The wait after attempt number `attempt` (from 1) failed: uniform in
  /// [w/2, w) with w = min(longestWait, firstWait * 2^(attempt-1)); or what the
  /// server asked for plus up to a tenth, so that many clients do not return at
  /// the same instant. Nothing: do not try again.
  std::optional<std::chrono::milliseconds>
  waitAfter(unsigned attempt,
            std::optional<std::chrono::milliseconds> retryAfter,
            Random &random) const;
};

} // namespace evo::llm

#endif
