// The format of a journal, by number: a file of another one is refused rather
// than guessed at.
#include "Schema.h"

using namespace llvm;
using namespace evo;

static constexpr int64_t journalFormat = 1;

// `key` is a digest of kernel and settings. Steps of a run count from 0, so
// that two processes which both go on with one run cannot write the same step.
static constexpr StringLiteral tables[] = {
    "CREATE TABLE IF NOT EXISTS run ("
    "id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, kernel TEXT NOT NULL, "
    "settings TEXT NOT NULL, tool TEXT NOT NULL, started TEXT NOT NULL "
    "DEFAULT CURRENT_TIMESTAMP)",
    "CREATE TABLE IF NOT EXISTS step ("
    "run INTEGER NOT NULL REFERENCES run(id), number INTEGER NOT NULL, "
    "kind TEXT NOT NULL, useful INTEGER NOT NULL, candidate TEXT, "
    "stage TEXT, failure TEXT, grade TEXT, micros REAL, seconds REAL, "
    "ops BLOB NOT NULL, PRIMARY KEY (run, number))",
};

Expected<Database> evo::openJournal(StringRef path, Database::Mode mode) {
  Expected<Database> database = Database::open(path, mode);
  if (!database)
    return database.takeError();
  int64_t found = 0;
  if (Error error =
          database->query("PRAGMA user_version", {}, [&](const Row &row) {
            found = row.integer(0);
            return Error::success();
          }))
    return std::move(error);
  if (found == journalFormat)
    return database;
  bool isEmpty = true;
  if (Error error = database->query("SELECT name FROM sqlite_master", {},
                                    [&](const Row &) {
                                      isEmpty = false;
                                      return Error::success();
                                    }))
    return std::move(error);
  if (found != 0 || !isEmpty || mode == Database::Mode::ReadOnly)
    return createStringError("'" + path.str() + "' is no journal of format " +
                             std::to_string(journalFormat));
  // Two processes may come here at once: making a table twice does no harm.
  for (StringLiteral table : tables)
    if (Error error = database->execute(table))
      return std::move(error);
  if (Error error = database->execute("PRAGMA user_version = " +
                                      std::to_string(journalFormat)))
    return std::move(error);
  return database;
}
