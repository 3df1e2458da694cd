// Atomic writing on top of LLVM's temporary files.
#include "evo/Support/Files.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>
#include <vector>

using namespace llvm;

/// A device or a pipe is written to, not replaced.
static Error writeThrough(StringRef path, StringRef contents) {
  std::error_code code;
  raw_fd_ostream os(path, code, sys::fs::CD_OpenExisting, sys::fs::FA_Write,
                    sys::fs::OF_None);
  if (!code) {
    os << contents;
    os.close();
    code = os.error();
    os.clear_error();
  }
  if (code)
    return createStringError("cannot write '" + path + "': " + code.message());
  return Error::success();
}

static Error cannotWrite(StringRef path, const std::string &why) {
  return createStringError("cannot write '" + path + "': " + why);
}

/// Writes a temporary file beside `path`.
static Expected<sys::fs::TempFile> stage(StringRef path, StringRef contents) {
  Expected<sys::fs::TempFile> file = sys::fs::TempFile::create(
      path + ".%%%%%%.tmp", sys::fs::all_read | sys::fs::owner_write);
  if (!file)
    return cannotWrite(path, toString(file.takeError()));
  raw_fd_ostream os(file->FD, /*shouldClose=*/false);
  os << contents;
  os.flush();
  std::error_code code = os.error();
  os.clear_error();
  if (!code && fsync(file->FD) != 0)
    code = errnoAsErrorCode();
  if (code) {
    consumeError(file->discard());
    return cannotWrite(path, code.message());
  }
  return file;
}

/// Gives a staged file its name.
static Error keep(sys::fs::TempFile &file, StringRef path) {
  Error error = file.keep(path);
  if (!error)
    return error;
  consumeError(file.discard());
  return cannotWrite(path, toString(std::move(error)));
}

Error evo::writeFileAtomically(StringRef path, StringRef contents) {
  sys::fs::file_status status;
  if (!sys::fs::status(path, status) && sys::fs::exists(status) &&
      !sys::fs::is_regular_file(status))
    return writeThrough(path, contents);
  Expected<sys::fs::TempFile> file = stage(path, contents);
  return file ? keep(*file, path) : file.takeError();
}

static std::string pathIn(StringRef folder, StringRef name) {
  SmallString<128> path(folder);
  sys::path::append(path, name);
  return path.str().str();
}

namespace {
/// Keeps other processes from renaming into the folder at the same time; where
/// the file system has no locks, nothing does.
class FolderLock {
public:
  explicit FolderLock(StringRef folder)
      : descriptor(
            ::open(folder.str().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (descriptor >= 0)
      (void)::flock(descriptor, LOCK_EX);
  }
  ~FolderLock() {
    if (descriptor >= 0)
      ::close(descriptor);
  }
  FolderLock(const FolderLock &) = delete;
  FolderLock &operator=(const FolderLock &) = delete;

private:
  int descriptor;
};
} // namespace

Error evo::writeFilesAtomically(StringRef folder, ArrayRef<FileContents> files,
                                ArrayRef<StringRef> obsolete) {
  std::vector<sys::fs::TempFile> staged;
  for (const FileContents &file : files) {
    Expected<sys::fs::TempFile> one =
        stage(pathIn(folder, file.name), file.contents);
    if (!one) {
      for (sys::fs::TempFile &other : staged)
        consumeError(other.discard());
      return one.takeError();
    }
    staged.push_back(std::move(*one));
  }
  FolderLock lock(folder);
  Error errors = Error::success();
  for (auto [file, one] : zip_equal(files, staged))
    errors =
        joinErrors(std::move(errors), keep(one, pathIn(folder, file.name)));
  for (StringRef name : obsolete)
    if (none_of(files,
                [&](const FileContents &file) { return file.name == name; }))
      (void)sys::fs::remove(pathIn(folder, name));
  return errors;
}

Error evo::prepareFolder(StringRef folder) {
  auto fail = [&](std::error_code code) {
    return createStringError("cannot write into '" + folder +
                             "': " + code.message());
  };
  if (std::error_code code = sys::fs::create_directories(folder))
    return fail(code);
  Expected<sys::fs::TempFile> probe =
      sys::fs::TempFile::create(pathIn(folder, "%%%%%%.tmp"));
  if (!probe)
    return fail(errorToErrorCode(probe.takeError()));
  return probe->discard();
}

Expected<std::string> evo::readFile(StringRef path) {
  auto buffer = MemoryBuffer::getFileOrSTDIN(path, /*IsText=*/false,
                                             /*RequiresNullTerminator=*/false);
  if (!buffer)
    return createStringError("cannot read '" + path +
                             "': " + buffer.getError().message());
  return (*buffer)->getBuffer().str();
}
