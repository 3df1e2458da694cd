// Accepted candidates, for searches of other kernels.
#ifndef EVO_LIB_JOURNAL_ARCHIVE_H
#define EVO_LIB_JOURNAL_ARCHIVE_H

#include "Database.h"
#include "evo/Dialect/Evo/IR/Evo.h"

namespace evo {

/// The digest of contract and reference: what makes two kernels the same task.
std::string taskDigest(KernelOp kernel);

/// What an archive knows a kernel by. It does not change during a search.
struct ArchiveKey {
  std::string task, features;
  static ArchiveKey of(KernelOp kernel);
};

/// Puts `proposal` into the archive, if it became a variant for all sizes that
/// was accepted and is faster than the baseline, as far as that is known now;
/// else takes it out again. `key` is the kernel's, made where it is needed
/// first.
llvm::Error archiveProgram(Database &database, int64_t run, KernelOp kernel,
                           ProposalOp proposal, std::optional<ArchiveKey> &key);

} // namespace evo

#endif
