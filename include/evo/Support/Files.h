// Files that are either whole or not there.
#ifndef EVO_SUPPORT_FILES_H
#define EVO_SUPPORT_FILES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace evo {

/// Makes a file beside `path` under a name that nothing has, and opens it.
std::error_code makeTemporaryBeside(llvm::StringRef path, int &descriptor,
                                    std::string &name);

/// Writes `contents` to a temporary file beside `path`, then renames it, so
/// that a kill or a full disk leaves the old file or none.
llvm::Error writeFileAtomically(llvm::StringRef path, llvm::StringRef contents);

/// A file to be written into a folder.
struct FileContents {
  std::string name, contents;
};

/// Writes all of `files` into `folder`, or none: they are renamed only once the
/// last of them is on the disk, so that files which belong together are never
/// of two runs. Those of `obsolete` that are not among them are removed.
llvm::Error writeFilesAtomically(llvm::StringRef folder,
                                 llvm::ArrayRef<FileContents> files,
                                 llvm::ArrayRef<llvm::StringRef> obsolete = {});

/// Makes a folder where there is none, and fails unless files can be made in
/// it.
llvm::Error prepareFolder(llvm::StringRef folder);

/// Reads a whole file; "-" is standard input. The error names the path.
llvm::Expected<std::string> readFile(llvm::StringRef path);

} // namespace evo

#endif
