// Atomic writing: temporary files that get their names once they are whole.
#include "evo/Support/Files.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>
#include <vector>

using namespace llvm;
using namespace evo;

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

// LLVM's makers of temporary files take a model, of which they replace each
// `%`: no path may stand in it.
std::error_code evo::makeTemporaryBeside(StringRef path, int &descriptor,
                                         std::string &name) {
  for (unsigned attempt = 0; attempt < 100; ++attempt) {
    name = (path + "." + utohexstr(sys::Process::GetRandomNumber()) + ".tmp")
               .str();
    descriptor =
        ::open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0 || (errno != EEXIST && errno != EINTR))
      break;
  }
  return descriptor >= 0 ? std::error_code() : errnoAsErrorCode();
}

namespace {
/// A file under a temporary name, which it loses unless it is kept.
class StagedFile {
public:
  StagedFile(StagedFile &&other) : name(std::move(other.name)) {
    other.name.clear();
  }
  StagedFile &operator=(StagedFile &&) = delete;
  ~StagedFile() {
    if (name.empty())
      return;
    (void)sys::fs::remove(name);
    sys::DontRemoveFileOnSignal(name);
  }

  /// Writes one beside `path`.
  static Expected<StagedFile> write(StringRef path, StringRef contents) {
    std::string name;
    int descriptor = -1;
    if (std::error_code code = makeTemporaryBeside(path, descriptor, name))
      return cannotWrite(path, code.message());
    sys::RemoveFileOnSignal(name);
    StagedFile file(std::move(name));
    raw_fd_ostream os(descriptor, /*shouldClose=*/true);
    os << contents;
    os.flush();
    if (!os.has_error() && fsync(descriptor) != 0)
      return cannotWrite(path, errnoAsErrorCode().message());
    os.close();
    std::error_code code = os.error();
    os.clear_error();
    if (code)
      return cannotWrite(path, code.message());
    return file;
  }

  /// Gives it its name.
  Error keep(StringRef path) {
    if (std::error_code code = sys::fs::rename(name, path))
      return cannotWrite(path, code.message());
    sys::DontRemoveFileOnSignal(name);
    name.clear();
    return Error::success();
  }

private:
  explicit StagedFile(std::string name) : name(std::move(name)) {}
  std::string name;
};
} // namespace

Error evo::writeFileAtomically(StringRef path, StringRef contents) {
  sys::fs::file_status status;
  if (!sys::fs::status(path, status) && sys::fs::exists(status) &&
      !sys::fs::is_regular_file(status))
    return writeThrough(path, contents);
  Expected<StagedFile> file = StagedFile::write(path, contents);
  return file ? file->keep(path) : file.takeError();
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
  std::vector<StagedFile> staged;
  for (const FileContents &file : files) {
    Expected<StagedFile> one =
        StagedFile::write(pathIn(folder, file.name), file.contents);
    if (!one)
      return one.takeError();
    staged.push_back(std::move(*one));
  }
  FolderLock lock(folder);
  Error errors = Error::success();
  for (auto [file, one] : zip_equal(files, staged))
    errors = joinErrors(std::move(errors), one.keep(pathIn(folder, file.name)));
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
  if (std::error_code code = sys::fs::create_directories(
          folder, /*IgnoreExisting=*/true, sys::fs::perms::all_all))
    return fail(code);
  std::string probe;
  int descriptor = -1;
  if (std::error_code code =
          makeTemporaryBeside(pathIn(folder, "probe"), descriptor, probe))
    return fail(code);
  sys::RemoveFileOnSignal(probe);
  ::close(descriptor);
  (void)sys::fs::remove(probe);
  sys::DontRemoveFileOnSignal(probe);
  return Error::success();
}

Expected<std::string> evo::readFile(StringRef path) {
  auto buffer = MemoryBuffer::getFileOrSTDIN(path, /*IsText=*/false,
                                             /*RequiresNullTerminator=*/false);
  if (!buffer)
    return createStringError("cannot read '" + path +
                             "': " + buffer.getError().message());
  return (*buffer)->getBuffer().str();
}
