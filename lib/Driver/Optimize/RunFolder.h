// The folder that a search leaves its results in: one run at a time is at it,
// it says whose results it holds, and nothing in it goes before there is
// better.
#ifndef EVO_LIB_DRIVER_RUNFOLDER_H
#define EVO_LIB_DRIVER_RUNFOLDER_H

#include "Driver/CommandLine.h"
#include "evo/Support/FileLock.h"
#include "evo/Support/Files.h"

namespace evo {

class RunFolder {
public:
  enum class Problem {
    InUse,      ///< another run is at it
    OfAnother,  ///< it holds results of another kernel
    CannotWrite ///< the disk, or the rights
  };

  /// Makes the folder where there is none, keeps others out of it until this
  /// ends, and reserves room for the results. Where it cannot, or the results
  /// of another kernel stand there and `force` is not given, it fails, and
  /// `problem` says in which way.
  static llvm::Expected<RunFolder>
  enter(const std::string &path, KernelOp kernel, bool force, Problem &problem);

  /// The folder that results go to: this one; where they have no winner and an
  /// earlier run has left one here, which is then left alone, one in it.
  std::string chooseFor(bool hasWinner) const;

  /// Gives back what was reserved, for files to be written now.
  void release();

private:
  std::string path;
  std::optional<FileLock> lock; ///< on the file that is the reserved room
};

/// run.json: the tool, the kernel and the command that the results are of.
std::string describeRun(KernelOp kernel, const VerbOptions &options,
                        uint64_t seed);

} // namespace evo

#endif
