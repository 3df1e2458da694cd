// A lock that ends with the process that holds it.
#ifndef EVO_SUPPORT_FILELOCK_H
#define EVO_SUPPORT_FILELOCK_H

#include "llvm/Support/Error.h"
#include <optional>
#include <string>

namespace evo {

/// A locked file. It is made where there is none and removed at the end; one
/// that a killed process has left keeps nobody out. Where the file system has
/// no locks, nothing does.
class FileLock {
public:
  FileLock(FileLock &&other) noexcept;
  FileLock &operator=(FileLock &&other) noexcept;
  ~FileLock() { release(); }

  /// Nothing where somebody else, or this process, holds it; an error where the
  /// file cannot be made.
  static llvm::Expected<std::optional<FileLock>> take(std::string path);

  int getDescriptor() const { return descriptor; }

private:
  FileLock(std::string path, int descriptor)
      : path(std::move(path)), descriptor(descriptor) {}
  void release();

  std::string path;
  int descriptor; ///< negative: it was handed on
};

} // namespace evo

#endif
