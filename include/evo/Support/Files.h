// Files that are either whole or not there.
#ifndef EVO_SUPPORT_FILES_H
#define EVO_SUPPORT_FILES_H

#include "llvm/Support/Error.h"
#include <string>

namespace evo {

/// Writes `contents` to a temporary file beside `path`, then renames it, so
/// that a kill or a full disk leaves the old file or none.
llvm::Error writeFileAtomically(llvm::StringRef path, llvm::StringRef contents);

/// Reads a whole file; "-" is standard input. The error names the path.
llvm::Expected<std::string> readFile(llvm::StringRef path);

} // namespace evo

#endif
