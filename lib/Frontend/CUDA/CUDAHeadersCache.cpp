// Parsed headers as files, for processes that come later. Clang itself checks
// that a file is of its version and options and that no header has changed
// since; what it refuses costs time and nothing else.
#include "ClangJob.h"
#include "evo/Frontend/CUDAHeaders.h"
#include "evo/Support/Digest.h"
#include "evo/Support/Files.h"
#include "evoHeaders.h"
#include "clang/Basic/Version.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/CachePruning.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <unistd.h>

using namespace llvm;
using namespace evo;

/// One file for each compiler and set of options.
static std::string cachePath(const CUDAOptions &options) {
  std::string fields;
  auto add = [&](StringRef text) {
    fields += text;
    fields += '\0';
  };
  add(clang::getClangFullRepositoryVersion());
  for (StringRef text :
       {StringRef(cudaPrelude), StringRef(options.toolkit),
        StringRef(options.architecture), StringRef(options.standard),
        StringRef(options.confined ? "confined" : "")})
    add(text);
  for (const embedded::File &header :
       ArrayRef(embedded::evoHeaders, embedded::evoHeadersCount))
    add(StringRef(header.data, header.size));
  for (const auto *list : {&options.includeDirectories, &options.defines}) {
    add(std::to_string(list->size()));
    for (const std::string &text : *list)
      add(text);
  }
  SmallString<128> path(options.cacheDirectory);
  // The first word is that of what LLVM may remove again.
  sys::path::append(path, "llvmcache-cuda-" + digest(fields, 32) + ".pch");
  return path.str().str();
}

/// The file's bytes, if nobody but this user can have written them.
static std::unique_ptr<MemoryBuffer> readOwnFile(StringRef path) {
  Expected<sys::fs::file_t> file = sys::fs::openNativeFileForRead(path);
  if (!file)
    return consumeError(file.takeError()), nullptr;
  scope_exit close([&] { (void)sys::fs::closeFile(*file); });
  sys::fs::file_status status;
  const auto ofOthers = sys::fs::group_write | sys::fs::others_write;
  if (sys::fs::status(*file, status) || status.getUser() != geteuid() ||
      (status.permissions() & ofOthers) != sys::fs::no_perms)
    return nullptr;
  auto bytes = MemoryBuffer::getOpenFile(*file, path, status.getSize(),
                                         /*RequiresNullTerminator=*/false);
  return bytes ? std::move(*bytes) : nullptr;
}

/// The file with what they ask for: identifiers, a zero, files.
static std::string askedPath(const CUDAOptions &options) {
  return cachePath(options) + ".asked";
}

/// Puts them there, and removes what was of no use for a week, or is too much.
void CUDAHeaders::writeCache() const {
  constexpr uint64_t maxBytes = uint64_t(256) << 20;
  if (sys::fs::create_directories(options.cacheDirectory))
    return;
  consumeError(
      writeFileAtomically(askedPath(options), identifiers + '\0' + files));
  consumeError(writeFileAtomically(cachePath(options), bytes));
  CachePruningPolicy policy;
  policy.MaxSizeBytes = maxBytes;
  pruneCache(options.cacheDirectory, policy);
}

/// What lies in the cache; null where nothing does.
std::unique_ptr<CUDAHeaders>
CUDAHeaders::readCache(const CUDAOptions &options) {
  std::unique_ptr<MemoryBuffer> bytes = readOwnFile(cachePath(options));
  std::unique_ptr<MemoryBuffer> asked = readOwnFile(askedPath(options));
  if (!bytes || bytes->getBufferSize() == 0 || !asked)
    return nullptr;
  auto headers = std::make_unique<CUDAHeaders>();
  headers->options = options;
  headers->bytes = bytes->getBuffer().str();
  const auto [identifiers, files] = asked->getBuffer().split('\0');
  headers->identifiers = identifiers.str();
  headers->files = files.str();
  return headers;
}

std::unique_ptr<CUDAHeaders>
CUDAHeaders::parseJust(const CUDAOptions &options) {
  if (options.cacheDirectory.empty())
    return parseAnew(options);
  if (auto headers = readCache(options))
    return headers;
  auto headers = parseAnew(options);
  // A folder that cannot be written to is no reason not to go on.
  if (headers)
    headers->writeCache();
  return headers;
}

std::unique_ptr<CUDAHeaders> CUDAHeaders::findJust(const CUDAOptions &options) {
  const std::string path = cachePath(options), missed = path + ".missed";
  if (sys::fs::exists(path) || sys::fs::exists(missed))
    return parseJust(options);
  if (!sys::fs::create_directories(options.cacheDirectory))
    consumeError(writeFileAtomically(missed, ""));
  return nullptr;
}

std::unique_ptr<CUDAHeaders> CUDAHeaders::parse(const CUDAOptions &options) {
  auto common = parseJust(withoutParticulars(options));
  return !common || common->serve(options) ? std::move(common)
                                           : parseJust(options);
}

std::unique_ptr<CUDAHeaders> CUDAHeaders::find(const CUDAOptions &options) {
  if (options.cacheDirectory.empty())
    return nullptr;
  auto common = findJust(withoutParticulars(options));
  return !common || common->serve(options) ? std::move(common)
                                           : findJust(options);
}

void CUDAHeaders::forget() const {
  if (options.cacheDirectory.empty())
    return;
  // Who is confined cannot remove those that are of no use to it.
  CUDAOptions either = options;
  for (bool isConfined : {false, true}) {
    either.confined = isConfined;
    (void)sys::fs::remove(cachePath(either));
  }
}
