// Finds a CUDA toolkit by looking for files, never by running its programs: a
// search must be cheap and safe. Toolkit installations, distribution packages
// and the vendor's Python wheels differ only in `lib64` against `lib` and in
// the folder the tree hangs under, so one inspection serves all three.
#include "evo/Target/CUDA/Toolkit.h"
#include "evo/Support/JSON.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include <optional>

// The build may name a prefix that is looked at before the usual places.
#ifndef EVO_CUDA_PATH
#define EVO_CUDA_PATH ""
#endif

using namespace llvm;

namespace evo::cuda {

char MachineError::ID;

bool isOfMachine(const Error &error) {
  bool any = false, all = true;
  visitErrors(error, [&](const ErrorInfoBase &part) {
    any = true;
    all &= part.isA<MachineError>();
  });
  return any && all;
}

StringRef getName(ToolkitPart part) {
  switch (part) {
  case ToolkitPart::Headers:
    return "headers (include/cuda_runtime.h)";
  case ToolkitPart::Libdevice:
    return "libdevice.10.bc";
  case ToolkitPart::Ptxas:
    return "ptxas";
  case ToolkitPart::NvJitLink:
    return "libnvJitLink.so";
  case ToolkitPart::Nvrtc:
    return "libnvrtc.so";
  }
  return "unknown part";
}

static std::string join(StringRef root, StringRef relative) {
  SmallString<256> path(root);
  sys::path::append(path, relative);
  return std::string(path);
}

/// The first of `relatives` that exists below `root`, or empty.
static std::string findFirst(StringRef root, ArrayRef<StringRef> relatives) {
  for (StringRef relative : relatives) {
    std::string path = join(root, relative);
    if (sys::fs::exists(path))
      return path;
  }
  return {};
}

/// The library called `prefix` with the highest version suffix. A bare `.so` is
/// the last choice: in a toolkit it may be a stub or a linker script.
static std::string findLibrary(StringRef root, StringRef prefix) {
  std::string best;
  int bestMajor = -1;
  for (StringRef folder :
       {"lib64", "lib", "targets/x86_64-linux/lib", "extras/CUPTI/lib64"}) {
    std::error_code ec;
    for (sys::fs::directory_iterator it(join(root, folder), ec), end;
         !ec && it != end; it.increment(ec)) {
      StringRef name = sys::path::filename(it->path());
      if (!name.consume_front(prefix))
        continue;
      int major = 0;
      bool versioned = name.consume_front(".") &&
                       !name.take_while(isDigit).getAsInteger(10, major);
      if (!versioned)
        major = 0;
      if (major <= bestMajor)
        continue;
      // A dangling link is not a library.
      if (!sys::fs::exists(it->path()))
        continue;
      best = it->path();
      bestMajor = major;
    }
    if (bestMajor > 0)
      break;
  }
  return best;
}

static std::string readVersion(StringRef root) {
  if (auto buffer = MemoryBuffer::getFile(join(root, "version.json"))) {
    Expected<json::Value> value = evo::parseJSON((*buffer)->getBuffer());
    if (!value) {
      consumeError(value.takeError());
    } else if (auto *object = value->getAsObject()) {
      if (auto *cuda = object->getObject("cuda"))
        if (auto version = cuda->getString("version"))
          return version->str();
    }
  }
  auto header = MemoryBuffer::getFile(join(root, "include/cuda.h"));
  if (!header)
    return {};
  StringRef text = (*header)->getBuffer();
  // data format: cuda.h
  size_t at = text.find("#define CUDA_VERSION ");
  if (at == StringRef::npos)
    return {};
  unsigned number = 0; // major * 1000 + minor * 10
  StringRef digits = text.substr(at + strlen("#define CUDA_VERSION ")).ltrim();
  if (digits.take_while(isDigit).getAsInteger(10, number))
    return {};
  return (Twine(number / 1000) + "." + Twine(number % 1000 / 10)).str();
}

/// `folder` itself, or the wheels' tree of the newest toolkit below it.
static std::string findTree(StringRef folder) {
  std::error_code ec;
  int newest = -1;
  std::string tree = folder.str();
  for (sys::fs::directory_iterator it(join(folder, "nvidia"), ec), end;
       !ec && it != end; it.increment(ec)) {
    StringRef name = sys::path::filename(it->path());
    int major;
    if (!name.consume_front("cu") || name.getAsInteger(10, major) ||
        major <= newest)
      continue;
    newest = major;
    tree = it->path();
  }
  return tree;
}

Toolkit Toolkit::inspect(StringRef folder) {
  Toolkit kit;
  kit.root = findTree(folder);
  auto path = [&](ToolkitPart part) -> std::string & {
    return kit.paths[static_cast<size_t>(part)];
  };
  if (sys::fs::exists(join(kit.root, "include/cuda_runtime.h")))
    path(ToolkitPart::Headers) = join(kit.root, "include");
  path(ToolkitPart::Libdevice) =
      findFirst(kit.root, {"nvvm/libdevice/libdevice.10.bc"});
  path(ToolkitPart::Ptxas) = findFirst(kit.root, {"bin/ptxas"});
  path(ToolkitPart::NvJitLink) = findLibrary(kit.root, "libnvJitLink.so");
  path(ToolkitPart::Nvrtc) = findLibrary(kit.root, "libnvrtc.so");
  if (kit.has(ToolkitPart::Nvrtc))
    kit.nvrtcBuiltins = findLibrary(kit.root, "libnvrtc-builtins.so");
  kit.profiler = findLibrary(kit.root, "libcupti.so");
  kit.cccl = findFirst(kit.root, {"include/cccl"});
  kit.version = readVersion(kit.root);
  return kit;
}

std::vector<ToolkitPart> Toolkit::getMissing() const {
  std::vector<ToolkitPart> missing;
  for (size_t part = 0; part < numParts; ++part)
    if (paths[part].empty())
      missing.push_back(static_cast<ToolkitPart>(part));
  return missing;
}

Error Toolkit::require(ArrayRef<ToolkitPart> parts) const {
  std::string lacks;
  for (ToolkitPart part : parts)
    if (!has(part))
      lacks += (lacks.empty() ? "" : ", ") + getName(part).str();
  if (lacks.empty())
    return Error::success();
  return make_error<MachineError>("the CUDA toolkit at '" + root + "' lacks " +
                                  lacks +
                                  "; set EVO_CUDA_PATH to a complete one");
}

/// The site-packages folders of the active Python environment: only those that
/// the environment names, since a scan of the disk is no search.
static void addWheelFolders(std::vector<std::string> &folders) {
  if (auto path = sys::Process::GetEnv("PYTHONPATH")) {
    SmallVector<StringRef> parts;
    StringRef(*path).split(parts, sys::EnvPathSeparator, -1, false);
    for (StringRef part : parts)
      if (sys::fs::exists(join(part, "nvidia")))
        folders.push_back(part.str());
  }
  for (const char *name : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    auto prefix = sys::Process::GetEnv(name);
    if (!prefix)
      continue;
    std::error_code ec;
    for (sys::fs::directory_iterator it(join(*prefix, "lib"), ec), end;
         !ec && it != end; it.increment(ec)) {
      std::string site = join(it->path(), "site-packages");
      if (sys::path::filename(it->path()).starts_with("python") &&
          sys::fs::exists(join(site, "nvidia")))
        folders.push_back(site);
    }
  }
}

Expected<Toolkit> Toolkit::discover(const ToolkitSearch &search) {
  auto nothingAt = [](StringRef folder) {
    return make_error<MachineError>("no CUDA toolkit at '" + folder + "'");
  };
  // What a user names is used or refused, never replaced behind their back.
  std::string named = search.path;
  if (named.empty() && search.useEnvironment)
    named = sys::Process::GetEnv("EVO_CUDA_PATH").value_or("");
  if (!named.empty()) {
    Toolkit kit = inspect(named);
    if (kit.getMissing().size() == numParts)
      return nothingAt(named);
    return kit;
  }

  std::vector<std::string> folders;
  if (search.useEnvironment)
    for (const char *name : {"CUDA_HOME", "CUDA_PATH"})
      if (auto value = sys::Process::GetEnv(name))
        folders.push_back(*value);
  if (search.useDefaults) {
    if (StringRef configured = EVO_CUDA_PATH; !configured.empty())
      folders.push_back(configured.str());
    folders.push_back("/usr/local/cuda");
    addWheelFolders(folders);
  }

  std::optional<Toolkit> best;
  for (StringRef folder : folders) {
    Toolkit kit = inspect(folder);
    if (kit.getMissing().size() == numParts)
      continue;
    if (!best || kit.getMissing().size() < best->getMissing().size())
      best = std::move(kit);
  }
  if (best)
    return std::move(*best);
  if (folders.empty())
    return make_error<MachineError>("no CUDA toolkit: no place to look at");
  return make_error<MachineError>("no CUDA toolkit at '" +
                                  llvm::join(folders, "', '") +
                                  "'; set EVO_CUDA_PATH");
}

FoundToolkit FoundToolkit::find(const ToolkitSearch &search) {
  FoundToolkit found;
  if (Expected<Toolkit> toolkit = Toolkit::discover(search))
    found.toolkit = std::move(*toolkit);
  else
    found.problem = llvm::toString(toolkit.takeError());
  return found;
}

Expected<Toolkit> FoundToolkit::get() const {
  if (toolkit)
    return *toolkit;
  return make_error<MachineError>(problem);
}

} // namespace evo::cuda
