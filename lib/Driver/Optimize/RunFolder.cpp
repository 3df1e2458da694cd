// The lock is on a file in the folder, which holds the reserved room as well.
// It is removed at the end, and one that a killed run left is taken over.
#include "Driver/Optimize/RunFolder.h"
#include "evo/Support/Digest.h"
#include "evo/Support/JSON.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

using namespace mlir;
using namespace evo;

static std::string pathIn(StringRef folder, StringRef name) {
  SmallString<128> path(folder);
  llvm::sys::path::append(path, name);
  return path.str().str();
}

/// What tells one kernel's results from another's: its name and its arguments.
/// A kernel that is edited between two runs is still the same.
static std::string identify(KernelOp kernel) {
  std::string text = kernel.getSymName().str() + "\n";
  llvm::raw_string_ostream(text) << kernel.getArgsAttr();
  return digest(text, 16);
}

std::string evo::describeRun(KernelOp kernel, const VerbOptions &options,
                             uint64_t seed) {
  llvm::json::Object object{{"tool", "evo-opt " EVO_VERSION},
                            {"kernel", kernel.getSymName()},
                            {"contract", identify(kernel)},
                            {"seed", int64_t(seed)},
                            {"command", llvm::json::Array(options.command)}};
  return llvm::formatv("{0:2}\n", llvm::json::Value(std::move(object))).str();
}

/// Of which other kernel the folder holds results; empty: of none.
static std::string findOther(StringRef folder, KernelOp kernel) {
  auto read = [&](StringRef name) -> std::optional<llvm::json::Object> {
    llvm::Expected<std::string> text = readFile(pathIn(folder, name));
    if (!text)
      return llvm::consumeError(text.takeError()), std::nullopt;
    llvm::Expected<llvm::json::Value> value = parseJSON(*text);
    if (!value)
      return llvm::consumeError(value.takeError()), std::nullopt;
    if (auto *object = value->getAsObject())
      return std::move(*object);
    return std::nullopt;
  };
  std::optional<llvm::json::Object> run = read("run.json");
  if (!run)
    run = read("report.json"); // of a version that recorded no run
  if (!run)
    return "";
  std::string name = run->getString("kernel").value_or("").str();
  auto contract = run->getString("contract");
  bool isSame = contract ? *contract == identify(kernel)
                         : name.empty() || name == kernel.getSymName();
  if (isSame)
    return "";
  return name == kernel.getSymName() ? "'" + name + "' with other arguments"
                                     : "'" + name + "'";
}

void RunFolder::release() {
  if (lock)
    (void)!::ftruncate(lock->getDescriptor(), 0);
}

llvm::Expected<RunFolder> RunFolder::enter(const std::string &path,
                                           KernelOp kernel, bool force,
                                           Problem &problem) {
  problem = Problem::CannotWrite;
  if (llvm::Error error = prepareFolder(path))
    return std::move(error);
  llvm::Expected<std::optional<FileLock>> lock =
      FileLock::take(pathIn(path, ".evo-run"));
  if (!lock)
    return lock.takeError();
  if (!*lock) {
    problem = Problem::InUse;
    return llvm::createStringError("another run is at '" + path +
                                   "': wait for it, or name another folder");
  }
  RunFolder folder;
  folder.path = path;
  folder.lock = std::move(*lock);
  if (std::string other = force ? "" : findOther(path, kernel);
      !other.empty()) {
    problem = Problem::OfAnother;
    return llvm::createStringError(
        "'" + path + "' holds the results of kernel " + other +
        ": name another folder, or replace them with --force");
  }
  constexpr off_t reserved = off_t(8) << 20; // more than most results have
  int error = ::posix_fallocate(folder.lock->getDescriptor(), 0, reserved);
  if (error == ENOSPC || error == EDQUOT)
    return llvm::createStringError("there is no room for results in '" + path +
                                   "': " + llvm::sys::StrError(error));
  return folder;
}

std::string RunFolder::chooseFor(bool hasWinner) const {
  bool hasEarlier = llvm::sys::fs::exists(pathIn(path, "launch.json"));
  return hasWinner || !hasEarlier ? path : pathIn(path, "no-winner");
}
