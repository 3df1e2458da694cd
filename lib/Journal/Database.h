// SQLite's statements, with errors as llvm::Error. The only place that knows
// its header.
#ifndef EVO_LIB_JOURNAL_DATABASE_H
#define EVO_LIB_JOURNAL_DATABASE_H

#include "llvm/ADT/FunctionExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <optional>
#include <variant>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace evo {

/// Bytes that are no text.
struct Blob {
  llvm::StringRef bytes;
};
using Parameter =
    std::variant<std::nullptr_t, int64_t, double, llvm::StringRef, Blob>;

/// One row of a result; columns count from 0. Valid until the next row.
class Row {
public:
  explicit Row(sqlite3_stmt *statement) : statement(statement) {}
  bool isNull(int column) const;
  int64_t integer(int column) const;
  double real(int column) const;
  llvm::StringRef text(int column) const; ///< or the bytes of a blob

private:
  sqlite3_stmt *statement;
};

/// For one thread at a time. A statement is prepared once.
class Database {
public:
  enum class Mode { ReadOnly, Create };
  /// Fails where the file cannot be opened or is no database.
  static llvm::Expected<Database> open(llvm::StringRef path, Mode mode);

  llvm::Error execute(llvm::StringRef sql,
                      llvm::ArrayRef<Parameter> parameters = {});
  llvm::Error query(llvm::StringRef sql, llvm::ArrayRef<Parameter> parameters,
                    llvm::function_ref<llvm::Error(const Row &)> visit);
  /// All that `body` writes, or nothing where it fails or the process is
  /// killed.
  llvm::Error atomically(llvm::function_ref<llvm::Error()> body);

private:
  struct Close {
    void operator()(sqlite3 *connection) const;
  };
  struct Finalize {
    void operator()(sqlite3_stmt *statement) const;
  };
  using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;
  std::unique_ptr<sqlite3, Close> connection;
  llvm::StringMap<Statement> prepared; ///< those that nobody is at
  std::string path;

  llvm::Error fail(llvm::StringRef what) const;
  /// The statement of this text; null where SQLite does not understand it.
  Statement take(llvm::StringRef sql);
};

} // namespace evo

#endif
