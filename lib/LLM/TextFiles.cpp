// Whole text files, atomically. A new file that must not replace another is put
// in place by a hard link, since a rename replaces silently and a check before
// it would race.
#include "TextFiles.h"
#include "evo/LLM/ModelClient.h"
#include "evo/Support/Files.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

namespace evo::llm {

namespace fs = llvm::sys::fs;
using Kind = ModelError::Kind;

static llvm::Error filesError(const llvm::Twine &what, llvm::StringRef path,
                              std::error_code code) {
  return modelError(Kind::Files,
                    "cannot " + what + " '" + path + "': " + code.message());
}

llvm::Error makeFolder(llvm::StringRef folder) {
  if (std::error_code code = fs::create_directories(folder))
    return filesError("create the folder", folder, code);
  return llvm::Error::success();
}

/// Writes a temporary neighbour of `path`.
static llvm::Expected<std::string> writeTemporary(llvm::StringRef path,
                                                  llvm::StringRef text) {
  std::string temporary;
  int descriptor = -1;
  if (std::error_code code = makeTemporaryBeside(path, descriptor, temporary))
    return filesError("write", path, code);
  llvm::raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
  stream << text;
  stream.close();
  if (stream.has_error()) {
    std::error_code code = stream.error();
    stream.clear_error();
    (void)fs::remove(temporary);
    return filesError("write", path, code);
  }
  return temporary;
}

llvm::Error writeFileAtomically(llvm::StringRef path, llvm::StringRef text) {
  auto temporary = writeTemporary(path, text);
  if (!temporary)
    return temporary.takeError();
  if (std::error_code code = fs::rename(*temporary, path)) {
    (void)fs::remove(*temporary);
    return filesError("write", path, code);
  }
  return llvm::Error::success();
}

llvm::Expected<bool> writeNewFileAtomically(llvm::StringRef path,
                                            llvm::StringRef text) {
  if (fs::exists(path))
    return false;
  auto temporary = writeTemporary(path, text);
  if (!temporary)
    return temporary.takeError();
  std::error_code code = fs::create_hard_link(*temporary, path);
  if (!code || code == std::errc::file_exists) {
    (void)fs::remove(*temporary);
    return !code;
  }
  // A file system without hard links: the rename is still atomic.
  code = fs::rename(*temporary, path);
  if (!code)
    return true;
  (void)fs::remove(*temporary);
  return filesError("write", path, code);
}

llvm::Expected<std::string> readTextFile(llvm::StringRef path,
                                         uint64_t maxBytes) {
  uint64_t size = 0;
  if (std::error_code code = fs::file_size(path, size))
    return filesError("read", path, code);
  if (size > maxBytes)
    return modelError(Kind::TooLarge, "'" + path + "' has " +
                                          llvm::Twine(size) +
                                          " bytes, more than the " +
                                          llvm::Twine(maxBytes) + " allowed");
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false,
                                            /*IsVolatile=*/true);
  if (!buffer)
    return filesError("read", path, buffer.getError());
  return (*buffer)->getBuffer().str();
}

} // namespace evo::llm
