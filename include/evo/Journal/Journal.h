// The journal of searches: one SQLite file, to which each step is added in a
// transaction of its own. A process may be killed at any moment; what it had
// evaluated is not evaluated again, and the candidates in flight are.
//
// A step is a question to the proposer (with the proposals it gave) or the
// outcome of one candidate. Steps hold the ops themselves, as MLIR bytecode, so
// that a continued search stands before the same IR as the one that was killed;
// columns beside them say in plain words what a person looks for. Requests to
// models are entered before they are sent, with questions and answers as texts
// of their own; so a cap holds over all processes of a search. Accepted
// candidates stand there once more, as an archive for searches of other
// kernels.
#ifndef EVO_JOURNAL_JOURNAL_H
#define EVO_JOURNAL_JOURNAL_H

#include "evo/Interfaces/Backends.h"

namespace evo {
struct RunRequest;
namespace llm {
class Ledger;
}

/// The file is opened, or made, by `begin`. Several processes may share one.
/// `means` is what, beside the search's settings, decides what is tried (the
/// model, the strategy, the compiler's flags): searches that differ in it are
/// different ones. The entries of `ledger` (may be null) are kept, and those of
/// the search's earlier processes put back. `request`, where it is given, is
/// kept with the run, for Resume.h to find it by.
std::unique_ptr<Journal>
createJournal(std::string path, std::string means,
              std::shared_ptr<llm::Ledger> ledger = nullptr,
              std::shared_ptr<const RunRequest> request = nullptr);

/// Writes the journal at `path` as JSON, one line per run, step,
/// measurement and request.
llvm::Error exportJournal(llvm::StringRef path, llvm::raw_ostream &os);

/// Writes what models were asked and what came of it, one line per answer: the
/// prompt, the answer, the candidates built from its text with their verdicts,
/// and the best reward among them (Search/Reward.h): 0 where no candidate was
/// found in it, null where nothing was to be built from it (a judge's mark) or
/// was in the end (it was corrected on a second look). For training.
llvm::Error exportTrajectories(llvm::StringRef path, llvm::raw_ostream &os);

/// A candidate of an earlier search that was accepted and faster than its
/// baseline.
struct ArchivedProgram {
  std::string kernel, candidate, language, code, rationale;
  double speedup = 1;
  double similarity = 0; ///< of the kernels, 0 to 1
};

/// The best program of each of the `count` kernels in the journal at `path`
/// that resemble `kernel` most, the most similar first. Kernels resemble each
/// other by the operations and the arguments of their references; `kernel`
/// itself is left out. None where there is no such file.
llvm::Expected<std::vector<ArchivedProgram>>
findSimilar(llvm::StringRef path, KernelOp kernel, unsigned count);

} // namespace evo

#endif
