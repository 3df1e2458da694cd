// The one process-wide flag: signals are process-wide, so is what they say.
#include "evo/Interfaces/Interrupt.h"
#include <atomic>

static std::atomic<bool> interrupted = false;
// Else it could not be set in a signal handler.
static_assert(std::atomic<bool>::is_always_lock_free);

bool evo::isInterrupted() { return interrupted; }
void evo::requestInterrupt() { interrupted = true; }
