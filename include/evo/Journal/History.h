// A run of a journal, as its process left it or has got to: for whoever shows
// it. The file is only read, in one transaction, so that another process may go
// on writing; nothing waits for it.
#ifndef EVO_JOURNAL_HISTORY_H
#define EVO_JOURNAL_HISTORY_H

#include "evo/Dialect/Evo/IR/Evo.h"
#include "mlir/IR/BuiltinOps.h"

namespace evo {

struct RunRecord {
  int64_t id = 0;
  std::string kernel, settings, tool;
  std::string started; ///< UTC, "2026-05-31 12:00:00"
};

/// The outcome of one candidate.
struct EvaluationRecord {
  std::string candidate;
  std::optional<std::string> stage, failure, grade;
  std::optional<double> micros; ///< estimated
  double seconds = 0;           ///< that its evaluation took
  /// Seconds from the start of the run to its outcome; nothing in journals of
  /// older tools.
  std::optional<double> elapsed;
};

/// One request to a model.
struct RequestRecord {
  bool isSettled = false; ///< its bill is known
  std::string stage, request, model;
  int64_t inputTokens = 0, outputTokens = 0, cachedTokens = 0;
  double money = 0, seconds = 0;
};

struct RunHistory {
  RunRecord run;
  std::vector<EvaluationRecord> evaluations;
  std::vector<RequestRecord> requests;
  /// Holds the kernel with its proposals and variants, their measured times
  /// among them, and its reference where the journal has that; null where
  /// nothing of it could be read.
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// Steps whose ops could not be read: another version of the tool wrote them.
  unsigned unreadable = 0;

  KernelOp getKernel();
};

/// Reads the run that `choose` picks among all of the journal at `path`, which
/// are in the order in which they were begun (at least one); the error where it
/// picks none is `choose`'s own, others name the file.
llvm::Expected<RunHistory> readHistory(
    llvm::StringRef path, mlir::MLIRContext *context,
    llvm::function_ref<llvm::Expected<size_t>(llvm::ArrayRef<RunRecord>)>
        choose);

} // namespace evo

#endif
