// The check is made on the real path, and on each access: a name proves
// nothing.
#include "ConfinedFiles.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace evo;

static std::error_code nothingThere() {
  return make_error_code(errc::no_such_file_or_directory);
}

ConfinedFiles::ConfinedFiles(ArrayRef<std::string> allowed)
    : ProxyFileSystem(vfs::getRealFileSystem()) {
  for (const std::string &folder : allowed) {
    SmallString<256> real;
    // "/" would allow everything; nobody means that by a folder of headers.
    if (!getUnderlyingFS().getRealPath(folder, real) &&
        sys::path::relative_path(real) != "")
      folders.push_back(real.str().str());
  }
}

bool ConfinedFiles::allows(const Twine &path) {
  SmallString<256> real;
  if (getUnderlyingFS().getRealPath(path, real))
    return false;
  return any_of(folders, [&](StringRef folder) {
    StringRef rest = real;
    return rest.consume_front(folder) &&
           (rest.empty() || sys::path::is_separator(rest.front()));
  });
}

ErrorOr<vfs::Status> ConfinedFiles::status(const Twine &path) {
  return allows(path) ? ProxyFileSystem::status(path) : nothingThere();
}

ErrorOr<std::unique_ptr<vfs::File>>
ConfinedFiles::openFileForRead(const Twine &path) {
  if (!allows(path))
    return nothingThere();
  return ProxyFileSystem::openFileForRead(path);
}

vfs::directory_iterator ConfinedFiles::dir_begin(const Twine &path,
                                                 std::error_code &error) {
  if (allows(path))
    return ProxyFileSystem::dir_begin(path, error);
  error = nothingThere();
  return {};
}

bool ConfinedFiles::exists(const Twine &path) {
  return allows(path) && ProxyFileSystem::exists(path);
}

std::error_code ConfinedFiles::getRealPath(const Twine &path,
                                           SmallVectorImpl<char> &output) {
  return allows(path) ? ProxyFileSystem::getRealPath(path, output)
                      : nothingThere();
}
