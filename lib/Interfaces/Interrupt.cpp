// The one process-wide flag: signals are process-wide, so is what they say.
#include "evo/Interfaces/Interrupt.h"
#include <csignal>

static volatile std::sig_atomic_t interrupted = 0;

bool evo::isInterrupted() { return interrupted != 0; }
void evo::requestInterrupt() { interrupted = 1; }
