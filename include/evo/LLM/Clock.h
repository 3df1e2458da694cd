// The time that waiting takes. All deadlines, waits and retries of this library
// are counted on a clock that is handed in. In a test that clock is a number
// which a wait advances: nothing sleeps, and a busy machine cannot make a
// deadline pass between two lines.
#ifndef EVO_LLM_CLOCK_H
#define EVO_LLM_CLOCK_H

#include <chrono>
#include <memory>

namespace evo::llm {

class Clock {
public:
  using Instant = std::chrono::steady_clock::time_point;

  virtual ~Clock();
  virtual Instant now() const = 0;
  virtual void sleep(std::chrono::milliseconds duration) = 0;

  /// The machine's monotonic clock.
  static std::shared_ptr<Clock> real();
};

} // namespace evo::llm

#endif
