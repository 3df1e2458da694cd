// A request to stop, so that a search ends with what it has found so far.
#ifndef EVO_INTERFACES_INTERRUPT_H
#define EVO_INTERFACES_INTERRUPT_H

namespace evo {

/// Whether a stop was asked for.
bool isInterrupted();
/// Asks for a stop; safe in a signal handler.
void requestInterrupt();

} // namespace evo

#endif
