// Text on its way into a prompt: bounded, valid, and the same on every machine.
#ifndef EVO_LIB_PROPOSERS_MODEL_TEXT_H
#define EVO_LIB_PROPOSERS_MODEL_TEXT_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace evo {

/// The first `maxBytes` bytes of `text`, by whole lines where that is possible,
/// with a line that says how much is missing; all of it where it fits.
std::string bounded(llvm::StringRef text, size_t maxBytes);

/// The first line of `text`, cut to `maxBytes` with "..." at its end.
std::string firstLine(llvm::StringRef text, size_t maxBytes);

/// Absolute paths cut down to their last part: a diagnostic in a toolkit's
/// header reads the same wherever the toolkit lies.
std::string withoutFolders(llvm::StringRef text);

/// `text` with the names of C++ functions as a person writes them, without
/// parameters and return types.
std::string demangled(llvm::StringRef text);

} // namespace evo

#endif
