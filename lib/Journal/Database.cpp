// SQLite, opened so that a killed process leaves a whole file: write-ahead log,
// and waiting for others instead of failing at once.
#include "Database.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <sqlite3.h>

using namespace llvm;
using namespace evo;

bool Row::isNull(int column) const {
  return sqlite3_column_type(statement, column) == SQLITE_NULL;
}
int64_t Row::integer(int column) const {
  return sqlite3_column_int64(statement, column);
}
double Row::real(int column) const {
  return sqlite3_column_double(statement, column);
}
StringRef Row::text(int column) const {
  // The size is that of the last conversion, so the blob comes first.
  const void *bytes = sqlite3_column_blob(statement, column);
  int size = sqlite3_column_bytes(statement, column);
  return StringRef(static_cast<const char *>(bytes), bytes ? size : 0);
}

void Database::Close::operator()(sqlite3 *connection) const {
  // Who looks at it meanwhile keeps SQLite from moving the log's last steps
  // into the file, which alone would lack them.
  if (connection && sqlite3_db_readonly(connection, "main") == 0) {
    constexpr int patienceMilliseconds = 2000;
    sqlite3_busy_timeout(connection, patienceMilliseconds);
    (void)sqlite3_wal_checkpoint_v2(connection, nullptr, SQLITE_CHECKPOINT_FULL,
                                    nullptr, nullptr);
  }
  // Statements may outlive it for a moment.
  sqlite3_close_v2(connection);
}

void Database::Finalize::operator()(sqlite3_stmt *statement) const {
  sqlite3_finalize(statement);
}

Error Database::fail(StringRef what) const {
  if (connection && sqlite3_errcode(connection.get()) == SQLITE_NOTADB)
    return createStringError("'" + path + "' is no journal");
  const char *why =
      connection ? sqlite3_errmsg(connection.get()) : "out of memory";
  return createStringError("journal '" + path + "': cannot " + what.str() +
                           ": " + why);
}

/// Whether nobody is at the database and this process may put nothing beside
/// it, where SQLite would keep what readers of a write-ahead log share.
static bool isLeftAlone(StringRef path) {
  SmallString<128> folder(path);
  sys::path::remove_filename(folder);
  return !sys::fs::exists(path + "-wal") &&
         sys::fs::access(folder.empty() ? "." : StringRef(folder),
                         sys::fs::AccessMode::Write);
}

/// The name of a file that does not change.
static std::string immutableURI(StringRef path) {
  std::string uri = "file:";
  for (char c : path)
    if (isAlnum(c) || StringRef("/._-").contains(c))
      uri += c;
    else
      uri += "%" + utohexstr(static_cast<unsigned char>(c), false, 2);
  return uri + "?immutable=1";
}

Expected<Database> Database::open(StringRef path, Mode mode) {
  constexpr int patienceMilliseconds = 20000;
  Database result;
  result.path = path.str();
  sqlite3 *connection = nullptr;
  int flags = mode == Mode::ReadOnly
                  ? SQLITE_OPEN_READONLY
                  : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  std::string name = result.path;
  if (mode == Mode::ReadOnly && isLeftAlone(path)) {
    name = immutableURI(path);
    flags |= SQLITE_OPEN_URI;
  }
  int code = sqlite3_open_v2(name.c_str(), &connection, flags, nullptr);
  result.connection.reset(connection);
  if (code != SQLITE_OK)
    return result.fail("open it");
  sqlite3_busy_timeout(connection, patienceMilliseconds);
  // The first statement that reads finds out whether this is a database. What
  // is committed to a write-ahead log outlives a kill at any moment without
  // waiting for the disk; only a machine that loses its power may lose the last
  // steps, and never more than those. A new file is nothing to wait for either:
  // whoever has made its tables says "synchronous = NORMAL".
  if (mode == Mode::Create)
    for (const char *pragma :
         {"PRAGMA synchronous = OFF", "PRAGMA journal_mode = WAL"})
      if (Error error = result.query(
              pragma, {}, [](const Row &) { return Error::success(); }))
        return std::move(error);
  return std::move(result);
}

Error Database::execute(StringRef sql, ArrayRef<Parameter> parameters) {
  return query(sql, parameters, [](const Row &) { return Error::success(); });
}

static int bind(sqlite3_stmt *statement, int index, const Parameter &value) {
  if (auto *number = std::get_if<int64_t>(&value))
    return sqlite3_bind_int64(statement, index, *number);
  if (auto *number = std::get_if<double>(&value))
    return sqlite3_bind_double(statement, index, *number);
  if (auto *text = std::get_if<StringRef>(&value))
    return sqlite3_bind_text64(statement, index, text->data(), text->size(),
                               SQLITE_STATIC, SQLITE_UTF8);
  if (auto *blob = std::get_if<Blob>(&value))
    return sqlite3_bind_blob64(statement, index, blob->bytes.data(),
                               blob->bytes.size(), SQLITE_STATIC);
  return sqlite3_bind_null(statement, index);
}

Database::Statement Database::take(StringRef sql) {
  if (auto found = prepared.find(sql); found != prepared.end()) {
    Statement statement = std::move(found->second);
    prepared.erase(found);
    return statement;
  }
  sqlite3_stmt *statement = nullptr;
  if (sqlite3_prepare_v3(
          connection.get(), sql.data(), static_cast<int>(sql.size()),
          SQLITE_PREPARE_PERSISTENT, &statement, nullptr) != SQLITE_OK)
    return nullptr;
  return Statement(statement);
}

Error Database::query(StringRef sql, ArrayRef<Parameter> parameters,
                      function_ref<Error(const Row &)> visit) {
  Statement statement = take(sql);
  if (!statement)
    return fail("read it");
  for (size_t i = 0; i < parameters.size(); ++i)
    if (bind(statement.get(), static_cast<int>(i + 1), parameters[i]) !=
        SQLITE_OK)
      // unreachable: unless memory ends, or a value has a gigabyte
      return fail("pass it a value");
  for (;;) {
    int code = sqlite3_step(statement.get());
    if (code == SQLITE_DONE)
      break;
    if (code != SQLITE_ROW)
      return fail("write to it");
    if (Error error = visit(Row(statement.get())))
      return error;
  }
  // What it was given belongs to the caller.
  sqlite3_reset(statement.get());
  sqlite3_clear_bindings(statement.get());
  prepared[sql] = std::move(statement);
  return Error::success();
}

Error Database::atomically(function_ref<Error()> body) {
  if (Error error = execute("BEGIN IMMEDIATE"))
    return error;
  Error error = body();
  if (!error)
    error = execute("COMMIT");
  if (error)
    consumeError(execute("ROLLBACK"));
  return error;
}
