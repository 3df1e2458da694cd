// The format of a journal, by number. What an older one lacks are columns that
// may be empty: it is read as it is, and gets them when it is written to. Any
// other is refused rather than guessed at.
#include "Schema.h"
#include <map>

using namespace llvm;
using namespace evo;

static constexpr int64_t journalFormat = 6, oldestFormat = 3;

namespace {
/// A column that no journal before `format` has.
struct Addition {
  int64_t format;
  StringLiteral table, column, type;
};
} // namespace

// `made` is when a step was over, as 2026-05-31T12:00:00.000Z; `reference` a
// snapshot of what the kernel computes; `source` to `seed` a RunRequest;
// `question` the candidates that the proposer was asked for and has not given
// yet; `ended` why the search ended, once its result was written. Format 6 has
// a digest before each snapshot.
static constexpr Addition additions[] = {
    {4, "step", "made", "TEXT"},   {4, "run", "reference", "BLOB"},
    {5, "run", "source", "TEXT"},  {5, "run", "means", "TEXT"},
    {5, "run", "bounds", "TEXT"},  {5, "run", "budget", "INTEGER"},
    {5, "run", "seed", "INTEGER"}, {5, "run", "question", "INTEGER"},
    {5, "run", "ended", "TEXT"},
};

// `key` is a digest of kernel and settings. Steps and charges of a run count
// from 0, so that two processes which both go on with one run cannot write the
// same one.
static constexpr StringLiteral tables[] = {
    R"(CREATE TABLE IF NOT EXISTS run (
         id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE,
         kernel TEXT NOT NULL, settings TEXT NOT NULL, tool TEXT NOT NULL,
         started TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP, reference BLOB,
         source TEXT, means TEXT, bounds TEXT, budget INTEGER, seed INTEGER,
         question INTEGER, ended TEXT))",
    // The request of what was evaluated is the one whose answer holds its text;
    // of a question, those whose answers could not be used, a line each.
    R"(CREATE TABLE IF NOT EXISTS step (
         run INTEGER NOT NULL REFERENCES run(id), number INTEGER NOT NULL,
         kind TEXT NOT NULL, useful INTEGER NOT NULL, candidate TEXT,
         request TEXT, stage TEXT, failure TEXT, grade TEXT, micros REAL,
         seconds REAL, ops BLOB NOT NULL, made TEXT,
         PRIMARY KEY (run, number)))",
    // `cost` is JSON: the times, and what the measurer says beside them.
    R"(CREATE TABLE IF NOT EXISTS measurement (
         id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES run(id),
         variant TEXT NOT NULL, machine TEXT NOT NULL, cost TEXT NOT NULL,
         made TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP))",
    // `question` is a list of roles and digests, as JSON; `answer` a digest.
    R"(CREATE TABLE IF NOT EXISTS charge (
         run INTEGER NOT NULL REFERENCES run(id), number INTEGER NOT NULL,
         state TEXT NOT NULL, stage TEXT NOT NULL, request TEXT NOT NULL,
         hash TEXT NOT NULL, model TEXT NOT NULL, input INTEGER NOT NULL,
         output INTEGER NOT NULL, cached INTEGER NOT NULL,
         written INTEGER NOT NULL, money REAL NOT NULL, seconds REAL NOT NULL,
         question TEXT, answer TEXT, PRIMARY KEY (run, number)))",
    R"(CREATE TABLE IF NOT EXISTS body (
         digest TEXT PRIMARY KEY, text TEXT NOT NULL))",
    // What a kernel is stands in `task`, what resembles it in `features`.
    R"(CREATE TABLE IF NOT EXISTS program (
         run INTEGER NOT NULL REFERENCES run(id), candidate TEXT NOT NULL,
         task TEXT NOT NULL, kernel TEXT NOT NULL, features TEXT NOT NULL,
         language TEXT NOT NULL, code TEXT NOT NULL, rationale TEXT NOT NULL,
         speedup REAL NOT NULL, PRIMARY KEY (run, candidate)))",
};

static bool isReadable(int64_t format) {
  return format >= oldestFormat && format <= journalFormat;
}

static Expected<int64_t> readNumber(Database &database, StringRef sql) {
  int64_t number = 0;
  if (Error error = database.query(sql, {}, [&](const Row &row) {
        number = row.integer(0);
        return Error::success();
      }))
    return std::move(error);
  return number;
}

static Error setFormat(Database &database) {
  return database.execute("PRAGMA user_version = " +
                          std::to_string(journalFormat));
}

/// Whether it is a database of which nobody has made anything yet.
static Expected<bool> isEmpty(Database &database, int64_t format) {
  Expected<int64_t> objects =
      readNumber(database, "SELECT count(*) FROM sqlite_master");
  if (!objects)
    return objects.takeError();
  return format == 0 && *objects == 0;
}

static Error isNoJournal(StringRef path) {
  return createStringError("'" + path + "' is no journal of format " +
                           Twine(journalFormat));
}

/// Makes the tables of a new file, all or none: a process that is killed here
/// leaves an empty file, and one that comes at the same time waits.
static Error makeTables(Database &database, StringRef path) {
  return database.atomically([&]() -> Error {
    Expected<int64_t> found = readNumber(database, "PRAGMA user_version");
    if (!found)
      return found.takeError();
    if (isReadable(*found)) // another process was faster
      return Error::success();
    Expected<bool> empty = isEmpty(database, *found);
    if (!empty)
      return empty.takeError();
    if (!*empty)
      return isNoJournal(path);
    for (StringLiteral table : tables)
      if (Error error = database.execute(table))
        return error;
    return setFormat(database);
  });
}

/// Adds what the journal lacks; another process may be faster.
static Error addColumns(Database &database) {
  return database.atomically([&]() -> Error {
    Expected<int64_t> found = readNumber(database, "PRAGMA user_version");
    if (!found)
      return found.takeError();
    for (const Addition &addition : additions)
      if (*found < addition.format)
        if (Error error = database.execute(("ALTER TABLE " + addition.table +
                                            " ADD COLUMN " + addition.column +
                                            " " + addition.type)
                                               .str()))
          return error;
    return setFormat(database);
  });
}

/// Gives a connection that only reads the columns that the file lacks, empty:
/// names of temporary views come before those of tables.
static Error showColumns(Database &database, int64_t format) {
  std::map<StringRef, std::string> missing;
  for (const Addition &addition : additions)
    if (format < addition.format)
      missing[addition.table] += (", NULL AS " + addition.column).str();
  for (const auto &[table, columns] : missing)
    if (Error error =
            database.execute(("CREATE TEMP VIEW " + table + " AS SELECT *" +
                              columns + " FROM main." + table)
                                 .str()))
      return error;
  return Error::success();
}

Expected<Database> evo::openJournal(StringRef path, Database::Mode mode) {
  Expected<Database> database = Database::open(path, mode);
  if (!database)
    return database.takeError();
  Expected<int64_t> found = readNumber(*database, "PRAGMA user_version");
  if (!found)
    return found.takeError();
  if (mode == Database::Mode::ReadOnly) {
    if (!isReadable(*found)) {
      // Whoever made it was killed before it had tables, or is about to.
      Expected<bool> empty = isEmpty(*database, *found);
      if (!empty)
        return empty.takeError();
      return *empty ? createStringError("journal '" + path +
                                        "' is empty: no search has begun in it")
                    : isNoJournal(path);
    }
    if (Error error = showColumns(*database, *found))
      return std::move(error);
    return database;
  }
  if (!isReadable(*found))
    if (Error error = makeTables(*database, path))
      return std::move(error);
  if (*found < journalFormat)
    if (Error error = addColumns(*database))
      return std::move(error);
  if (Error error = database->execute("PRAGMA synchronous = NORMAL"))
    return std::move(error);
  return database;
}
