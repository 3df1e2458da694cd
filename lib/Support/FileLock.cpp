// flock, on a file that is still the one of its name once it is locked: whoever
// held it before removes it.
#include "evo/Support/FileLock.h"
#include "llvm/Support/Errno.h"
#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

using namespace llvm;
using namespace evo;

FileLock::FileLock(FileLock &&other) noexcept
    : path(std::move(other.path)),
      descriptor(std::exchange(other.descriptor, -1)) {}

FileLock &FileLock::operator=(FileLock &&other) noexcept {
  if (this != &other) {
    release();
    path = std::move(other.path);
    descriptor = std::exchange(other.descriptor, -1);
  }
  return *this;
}

void FileLock::release() {
  if (descriptor < 0)
    return;
  ::unlink(path.c_str()); // still locked, so it is nobody else's
  ::close(descriptor);
  descriptor = -1;
}

/// Whether `descriptor` is open on what `path` names now.
static bool isNamed(int descriptor, const std::string &path) {
  struct stat opened, named;
  return ::fstat(descriptor, &opened) == 0 &&
         ::stat(path.c_str(), &named) == 0 && opened.st_ino == named.st_ino &&
         opened.st_dev == named.st_dev;
}

Expected<std::optional<FileLock>> FileLock::take(std::string path) {
  while (true) {
    int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor < 0)
      return createStringError("cannot write '" + path +
                               "': " + sys::StrError());
    if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      ::close(descriptor);
      return std::nullopt;
    }
    if (isNamed(descriptor, path))
      return FileLock(std::move(path), descriptor);
    ::close(descriptor);
  }
}
