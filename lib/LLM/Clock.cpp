// The machine's own clock. Stateless, so that each client may have one of its
// own.
#include "evo/LLM/Clock.h"
#include <thread>

namespace evo::llm {

Clock::~Clock() = default;

namespace {
class RealClock : public Clock {
public:
  Instant now() const override { return std::chrono::steady_clock::now(); }
  void sleep(std::chrono::milliseconds duration) override {
    std::this_thread::sleep_for(duration);
  }
};
} // namespace

std::shared_ptr<Clock> Clock::real() { return std::make_shared<RealClock>(); }

} // namespace evo::llm
