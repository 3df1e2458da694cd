// Atomic writing on top of LLVM's temporary files.
#include "evo/Support/Files.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <unistd.h>

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

Error evo::writeFileAtomically(StringRef path, StringRef contents) {
  sys::fs::file_status status;
  if (!sys::fs::status(path, status) && sys::fs::exists(status) &&
      !sys::fs::is_regular_file(status))
    return writeThrough(path, contents);
  Expected<sys::fs::TempFile> file = sys::fs::TempFile::create(
      path + ".%%%%%%.tmp", sys::fs::all_read | sys::fs::owner_write);
  if (!file)
    return createStringError("cannot write '" + path +
                             "': " + toString(file.takeError()));
  raw_fd_ostream os(file->FD, /*shouldClose=*/false);
  os << contents;
  os.flush();
  if (os.has_error() || fsync(file->FD) != 0) {
    std::error_code code = os.error();
    os.clear_error();
    consumeError(file->discard());
    return createStringError("cannot write '" + path + "': " + code.message());
  }
  if (Error error = file->keep(path)) {
    consumeError(file->discard());
    return createStringError("cannot write '" + path +
                             "': " + toString(std::move(error)));
  }
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
