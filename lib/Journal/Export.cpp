// A journal as JSON lines, for people and other programs.
#include "Schema.h"
#include "evo/Journal/Journal.h"
#include "evo/Support/JSON.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace evo;
using json::fixUTF8;
using json::Object;

static json::Value textOrNull(const Row &row, int column) {
  if (row.isNull(column))
    return nullptr;
  return fixUTF8(row.text(column));
}

static json::Value integerOrNull(const Row &row, int column) {
  if (row.isNull(column))
    return nullptr;
  return row.integer(column);
}

/// Each measurement: what report.json holds of it, and when it was made.
static Error exportMeasurements(Database &database, raw_ostream &os) {
  return database.query(
      "SELECT run, variant, cost, made FROM measurement ORDER BY id", {},
      [&](const Row &row) -> Error {
        Expected<json::Value> cost = evo::parseJSON(row.text(2));
        if (!cost)
          return cost.takeError();
        os << json::Value(Object{{"event", "measurement"},
                                 {"run", row.integer(0)},
                                 {"variant", fixUTF8(row.text(1))},
                                 {"cost", std::move(*cost)},
                                 {"made", fixUTF8(row.text(3))}})
           << '\n';
        return Error::success();
      });
}

Error evo::exportJournal(StringRef path, raw_ostream &os) {
  Expected<Database> database = openJournal(path, Database::Mode::ReadOnly);
  if (!database)
    return database.takeError();
  if (Error error = database->query(
          "SELECT id, kernel, settings, tool, started, seed, budget, ended "
          "FROM run ORDER BY id",
          {}, [&](const Row &row) {
            os << json::Value(Object{{"event", "run"},
                                     {"run", row.integer(0)},
                                     {"kernel", fixUTF8(row.text(1))},
                                     {"settings", fixUTF8(row.text(2))},
                                     {"tool", fixUTF8(row.text(3))},
                                     {"started", fixUTF8(row.text(4))},
                                     {"seed", integerOrNull(row, 5)},
                                     {"budget", integerOrNull(row, 6)},
                                     {"ended", textOrNull(row, 7)}})
               << '\n';
            return Error::success();
          }))
    return error;
  if (Error error = database->query(
          "SELECT run, number, kind, candidate, stage, failure, grade, micros, "
          "seconds, made FROM step ORDER BY run, number",
          {}, [&](const Row &row) {
            Object line{{"event", fixUTF8(row.text(2))},
                        {"run", row.integer(0)},
                        {"step", row.integer(1)},
                        {"made", textOrNull(row, 9)}};
            if (row.text(2) == evaluatedStep) {
              line["candidate"] = textOrNull(row, 3);
              line["stage"] = textOrNull(row, 4);
              line["failure"] = textOrNull(row, 5);
              line["grade"] = textOrNull(row, 6);
              line["micros"] = row.isNull(7) ? json::Value(nullptr)
                                             : json::Value(row.real(7));
              line["seconds"] = row.real(8);
            }
            os << json::Value(std::move(line)) << '\n';
            return Error::success();
          }))
    return error;
  if (Error error = exportMeasurements(*database, os))
    return error;
  return database->query(
      "SELECT run, number, state, stage, request, hash, model, input, output, "
      "cached, written, money, seconds FROM charge ORDER BY run, number",
      {}, [&](const Row &row) {
        os << json::Value(Object{{"event", "request"},
                                 {"run", row.integer(0)},
                                 {"number", row.integer(1)},
                                 {"state", fixUTF8(row.text(2))},
                                 {"stage", fixUTF8(row.text(3))},
                                 {"request", fixUTF8(row.text(4))},
                                 {"hash", fixUTF8(row.text(5))},
                                 {"model", fixUTF8(row.text(6))},
                                 {"input_tokens", row.integer(7)},
                                 {"output_tokens", row.integer(8)},
                                 {"cached_tokens", row.integer(9)},
                                 {"cache_write_tokens", row.integer(10)},
                                 {"money", row.real(11)},
                                 {"seconds", row.real(12)}})
           << '\n';
        return Error::success();
      });
}
