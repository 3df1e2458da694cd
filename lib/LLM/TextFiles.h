// Whole text files, atomically. Requests, answers and records are read by
// others while we write them, so each appears at once and complete: a temporary
// file in the same folder, then a rename.
#ifndef EVO_LIB_LLM_TEXTFILES_H
#define EVO_LIB_LLM_TEXTFILES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace evo::llm {

/// Creates the folder and its parents. Errors are ModelError of kind Files,
/// here and below.
llvm::Error makeFolder(llvm::StringRef folder);

/// Writes `text` to `path`, replacing what was there.
llvm::Error writeFileAtomically(llvm::StringRef path, llvm::StringRef text);

/// Writes `text` to `path` unless something is there already, also when two
/// processes try at once. Yields whether it was written.
llvm::Expected<bool> writeNewFileAtomically(llvm::StringRef path,
                                            llvm::StringRef text);

/// Reads a file of at most `maxBytes`; a larger one is a TooLarge error.
llvm::Expected<std::string> readTextFile(llvm::StringRef path,
                                         uint64_t maxBytes);

} // namespace evo::llm

#endif
