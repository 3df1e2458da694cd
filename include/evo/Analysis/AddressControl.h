// Where addresses steer a kernel. A device gives buffers other addresses than
// this engine does, and other ones each time. A kernel whose results hang on
// them, beyond their alignment, is another kernel there: it may look for the
// engine's addresses and be right only where it finds them.
#ifndef EVO_ANALYSIS_ADDRESSCONTROL_H
#define EVO_ANALYSIS_ADDRESSCONTROL_H

#include "evo/Analysis/CodeNote.h"

namespace llvm {
class Module;
}

namespace evo::sim {

/// Bytes, a power of two: the bits below it of a buffer's address tell its
/// alignment, and nothing else.
constexpr uint64_t maxAskedAlignment = 128;

/// The first few such uses in functions with a body. Allowed are the low bits
/// of an address (its alignment), comparisons and differences of addresses in
/// one object, comparisons with null, and whatever ends in an access.
std::vector<CodeNote> findAddressControl(const llvm::Module &module);

} // namespace evo::sim

#endif
