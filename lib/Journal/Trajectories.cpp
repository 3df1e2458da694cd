// Prompt, answer, reward: what a model learns from.
#include "Schema.h"
#include "evo/Dialect/Evo/IR/Grades.h"
#include "evo/Interfaces/Reward.h"
#include "evo/Journal/Journal.h"
#include "evo/Support/JSON.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace evo;
using json::Array;
using json::fixUTF8;
using json::Object;

namespace {
/// One answered request.
struct Line {
  int64_t run;
  std::string request, stage, model, question, answer;
  int64_t input, output;
};

class Exporter {
public:
  Exporter(Database &database, raw_ostream &os) : database(database), os(os) {}
  Error run();

private:
  Database &database;
  raw_ostream &os;

  Error write(const Line &line);
  Expected<std::string> body(StringRef digest);
  /// Whether the answer to a request could not be used.
  Expected<bool> wasInVain(int64_t run, StringRef request);
  Expected<Array> prompt(StringRef question);
  /// The newest measured time of each candidate of a run that has one.
  Expected<StringMap<double>> measuredTimes(int64_t run);
};
} // namespace

Expected<std::string> Exporter::body(StringRef digest) {
  std::string text;
  if (Error error = database.query("SELECT text FROM body WHERE digest = ?",
                                   {digest}, [&](const Row &row) {
                                     text = fixUTF8(row.text(0));
                                     return Error::success();
                                   }))
    return std::move(error);
  return text;
}

Expected<bool> Exporter::wasInVain(int64_t run, StringRef request) {
  bool found = false;
  std::string line = ("\n" + request + "\n").str();
  if (Error error = database.query(
          "SELECT 1 FROM step WHERE run = ? AND kind = 'asked' AND "
          "instr(char(10) || request, ?)",
          {run, StringRef(line)}, [&](const Row &) {
            found = true;
            return Error::success();
          }))
    return std::move(error);
  return found;
}

Expected<Array> Exporter::prompt(StringRef question) {
  constexpr StringLiteral damaged =
      "a question in the journal is no list of roles and digests";
  Expected<json::Value> list = evo::parseJSON(question);
  if (!list)
    return list.takeError();
  Array messages;
  const Array *entries = list->getAsArray();
  if (!entries)
    return createStringError(damaged);
  for (const json::Value &entry : *entries) {
    const Array *pair = entry.getAsArray();
    if (!pair || pair->size() != 2)
      return createStringError(damaged);
    std::optional<StringRef> role = (*pair)[0].getAsString();
    std::optional<StringRef> digest = (*pair)[1].getAsString();
    if (!role || !digest)
      return createStringError(damaged);
    Expected<std::string> text = body(*digest);
    if (!text)
      return text.takeError();
    messages.push_back(
        Object{{"role", role->str()}, {"text", std::move(*text)}});
  }
  return messages;
}

Expected<StringMap<double>> Exporter::measuredTimes(int64_t run) {
  StringMap<double> times;
  if (Error error = database.query(
          "SELECT cost FROM measurement WHERE run = ? ORDER BY id", {run},
          [&](const Row &row) -> Error {
            Expected<json::Value> cost = evo::parseJSON(row.text(0));
            if (!cost)
              return cost.takeError();
            const Object *object = cost->getAsObject();
            std::optional<StringRef> candidate;
            std::optional<double> micros;
            if (object) {
              candidate = object->getString("candidate");
              micros = object->getNumber("weighted_micros");
            }
            if (candidate && micros)
              times[*candidate] = *micros;
            return Error::success();
          }))
    return std::move(error);
  return times;
}

Error Exporter::write(const Line &line) {
  Expected<Array> messages = prompt(line.question);
  if (!messages)
    return messages.takeError();
  Expected<std::string> answer = body(line.answer);
  if (!answer)
    return answer.takeError();
  std::optional<double> baseline;
  if (Error error = database.query("SELECT micros FROM step WHERE run = ? AND "
                                   "candidate = ? AND "
                                   "micros IS NOT NULL",
                                   {line.run, StringRef(baselineName)},
                                   [&](const Row &row) {
                                     baseline = row.real(0);
                                     return Error::success();
                                   }))
    return error;
  Expected<StringMap<double>> measured = measuredTimes(line.run);
  if (!measured)
    return measured.takeError();
  auto timeOf = [&](StringRef candidate) -> std::optional<double> {
    auto it = measured->find(candidate);
    if (it == measured->end())
      return std::nullopt;
    return it->second;
  };
  Array candidates;
  double best = 0;
  if (Error error = database.query(
          "SELECT candidate, stage, failure, grade, micros FROM step "
          "WHERE run = ? AND request = ? AND kind = 'evaluated' ORDER BY "
          "number",
          {line.run, StringRef(line.request)}, [&](const Row &row) {
            Object object{{"candidate", fixUTF8(row.text(0))}};
            const std::pair<StringLiteral, int> texts[] = {
                {"stage", 1}, {"failure", 2}, {"grade", 3}};
            for (const auto &[name, column] : texts)
              if (!row.isNull(column))
                object[name] = fixUTF8(row.text(column));
            std::optional<double> micros;
            if (!row.isNull(4))
              object["micros"] = *(micros = row.real(4));
            bool isAccepted =
                row.isNull(1) && !row.isNull(3) && isAcceptedGrade(row.text(3));
            // Two times of one kind alone can be compared.
            const std::optional<double> own = timeOf(row.text(0)),
                                        before = timeOf(baselineName);
            const bool isMeasured = own && before;
            double reward = isMeasured ? rewardOf(isAccepted, before, own)
                                       : rewardOf(isAccepted, baseline, micros);
            best = std::max(best, reward);
            object["reward"] = reward;
            if (own)
              object["measured_micros"] = *own;
            if (isAccepted)
              object["rests_on"] = isMeasured ? "measured" : "estimated";
            candidates.push_back(std::move(object));
            return Error::success();
          }))
    return error;
  json::Value reward = best;
  if (candidates.empty()) {
    Expected<bool> inVain = wasInVain(line.run, line.request);
    if (!inVain)
      return inVain.takeError();
    if (!*inVain)
      reward = nullptr;
  }
  os << json::Value(Object{{"run", line.run},
                           {"request", fixUTF8(line.request)},
                           {"stage", fixUTF8(line.stage)},
                           {"model", fixUTF8(line.model)},
                           {"prompt", std::move(*messages)},
                           {"answer", std::move(*answer)},
                           {"input_tokens", line.input},
                           {"output_tokens", line.output},
                           {"candidates", std::move(candidates)},
                           {"reward", std::move(reward)}})
     << '\n';
  return Error::success();
}

Error Exporter::run() {
  std::vector<Line> lines; // one statement at a time
  if (Error error = database.query(
          "SELECT run, request, stage, model, question, answer, input, output "
          "FROM charge WHERE question IS NOT NULL ORDER BY run, number",
          {}, [&](const Row &row) {
            lines.push_back({row.integer(0), row.text(1).str(),
                             row.text(2).str(), row.text(3).str(),
                             row.text(4).str(), row.text(5).str(),
                             row.integer(6), row.integer(7)});
            return Error::success();
          }))
    return error;
  for (const Line &line : lines)
    if (Error error = write(line))
      return error;
  return Error::success();
}

Error evo::exportTrajectories(StringRef path, raw_ostream &os) {
  Expected<Database> database = openJournal(path, Database::Mode::ReadOnly);
  if (!database)
    return database.takeError();
  return Exporter(*database, os).run();
}
