// Running code where its death is only a verdict: a forked child with limits on
// time, memory and files, an environment of TMPDIR alone, no way to the
// network, and none into another process.
#ifndef EVO_SUPPORT_ISOLATION_H
#define EVO_SUPPORT_ISOLATION_H

#include "evo/Support/FaultKind.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include <string>

namespace evo {

struct IsolationLimits {
  double wallSeconds = 120;
  uint64_t memoryBytes = uint64_t(6) << 30; // of its own that it may write
  uint64_t fileBytes = uint64_t(64) << 20;  // of any one file written
};

struct IsolatedResult {
  enum class End { Exited, Signalled, TimedOut };
  End end = End::Exited;
  int code = 0; // exit status or signal number
  /// Of one processor, by the child and those of its own children that it
  /// waited for.
  double cpuSeconds = 0;
  std::string output; // all that the child wrote to the descriptor
  /// The end of what it wrote to standard error: an assertion's words, those of
  /// an exception that nobody caught.
  std::string lastWords;
  /// What the child ended of; nothing where it exited with 0.
  std::optional<FaultKind> fault() const;
  /// "killed by signal 6 (Aborted): Assertion ...", "ran out of time", ...;
  /// empty where the child exited with 0.
  std::string describe() const;
};

/// Forks; the child applies `limits`, closes what it does not need, and calls
/// `body` with a descriptor to write its answer to; it exits with what `body`
/// returns. Must be called while the process has one thread. An error only
/// where no child could be made. What the environment of this process held when
/// it was started, the child's memory still holds: no key belongs there. The
/// child's TMPDIR is a new folder in that of this process, removed after it,
/// and (Linux 5.13) the only place where it can make or change a file.
llvm::Expected<IsolatedResult>
runIsolated(llvm::function_ref<int(int descriptor)> body,
            const IsolationLimits &limits);

/// Removes the folders for temporary files of children whose parents were
/// killed.
void removeAbandonedScratch();

/// Seconds of one processor that this process, or a child it waited for, has
/// used.
double getCPUSeconds();

/// Writes all of `data` to `descriptor`; false on error. No signal comes of a
/// pipe that nobody reads.
bool writeAll(int descriptor, llvm::StringRef data);

} // namespace evo

#endif
