// Texts are kept by their digests: the rules that every prompt begins with
// stand in the file once.
#include "Charges.h"
#include "evo/Support/Digest.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace llvm;
using namespace evo;
using evo::llm::Charge;

static evo::llm::ModelAnswer keptAnswer(const Charge &charge, StringRef text) {
  evo::llm::ModelAnswer answer;
  answer.text = text.str();
  answer.model = charge.model;
  answer.origin = "journal";
  answer.finishReason = evo::llm::FinishReason::Stop;
  answer.usage = charge.usage;
  answer.seconds = charge.seconds;
  return answer;
}

Error evo::restoreCharges(Database &database, int64_t run,
                          const StringSet<> &used, evo::llm::Ledger &ledger) {
  std::vector<Charge> charges;
  std::vector<evo::llm::KeptAnswer> unused;
  if (Error error = database.query(
          "SELECT state, stage, request, hash, model, input, output, cached, "
          "written, money, seconds, text FROM charge LEFT JOIN body "
          "ON charge.answer = body.digest WHERE run = ? ORDER BY number",
          {run}, [&](const Row &row) -> Error {
            std::optional<Charge::State> state =
                evo::llm::stateFromName(row.text(0));
            if (!state)
              // unreachable: in a journal that this tool wrote
              return createStringError("the journal has a request of unknown "
                                       "state");
            Charge charge;
            charge.state = *state;
            charge.stage = row.text(1).str();
            charge.request = row.text(2).str();
            charge.hash = row.text(3).str();
            charge.model = row.text(4).str();
            charge.usage.inputTokens = row.integer(5);
            charge.usage.outputTokens = row.integer(6);
            charge.usage.cachedTokens = row.integer(7);
            charge.usage.cacheWriteTokens = row.integer(8);
            charge.money = row.real(9);
            charge.seconds = row.real(10);
            charge.isAnswered = !row.isNull(11);
            // Requests of one generation are used together, in one step. What
            // is asked about a candidate bears its name: "k/m3.judge-memory".
            StringRef name = charge.request;
            StringRef about = name.take_front(name.find('.', name.rfind('/')));
            if (used.contains(name) || used.contains(about))
              unused.clear();
            else if (charge.isAnswered)
              unused.push_back({charge.hash, keptAnswer(charge, row.text(11))});
            charges.push_back(std::move(charge));
            return Error::success();
          }))
    return error;
  ledger.restore(std::move(charges), std::move(unused));
  return Error::success();
}

static Expected<std::string> keep(Database &database, StringRef text) {
  std::string valid = json::fixUTF8(text);
  std::string name = digest(valid);
  if (Error error = database.execute("INSERT INTO body (digest, text) VALUES "
                                     "(?, ?) ON CONFLICT DO NOTHING",
                                     {StringRef(name), StringRef(valid)}))
    return std::move(error);
  return name;
}

/// Question and answer as the columns have them.
static Expected<std::pair<std::string, std::string>>
keepTexts(Database &database, const evo::llm::ModelRequest &question,
          const evo::llm::ModelAnswer &answer) {
  json::Array list;
  for (const evo::llm::Message &message : question.messages) {
    Expected<std::string> digest = keep(database, message.text);
    if (!digest)
      return digest.takeError();
    list.push_back(json::Array{evo::llm::roleName(message.role), *digest});
  }
  Expected<std::string> digest = keep(database, answer.text);
  if (!digest)
    return digest.takeError();
  return std::pair(formatv("{0}", json::Value(std::move(list))).str(),
                   std::move(*digest));
}

Error evo::writeCharge(Database &database, int64_t run, unsigned number,
                       const Charge &charge,
                       const evo::llm::ModelRequest *question,
                       const evo::llm::ModelAnswer *answer) {
  const evo::llm::Usage &usage = charge.usage;
  StringRef state = evo::llm::stateName(charge.state);
  bool isNew = charge.state == Charge::State::Open;
  Parameter input = int64_t(usage.inputTokens),
            output = int64_t(usage.outputTokens),
            cached = int64_t(usage.cachedTokens),
            written = int64_t(usage.cacheWriteTokens);
  // A second process at the same run fails here, before it asks anybody.
  if (isNew)
    return database.execute(
        "INSERT INTO charge (run, number, state, stage, request, hash, model, "
        "input, output, cached, written, money, seconds) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        {run, int64_t(number), state, StringRef(charge.stage),
         StringRef(charge.request), StringRef(charge.hash),
         StringRef(charge.model), input, output, cached, written, charge.money,
         charge.seconds});
  return database.atomically([&]() -> Error {
    Parameter asked = nullptr, answered = nullptr;
    std::pair<std::string, std::string> texts;
    if (question && answer) {
      auto kept = keepTexts(database, *question, *answer);
      if (!kept)
        return kept.takeError();
      texts = std::move(*kept);
      asked = StringRef(texts.first);
      answered = StringRef(texts.second);
    }
    return database.execute(
        "UPDATE charge SET state = ?, model = ?, input = ?, output = ?, "
        "cached = ?, written = ?, money = ?, seconds = ?, "
        "question = coalesce(?, question), answer = coalesce(?, answer) "
        "WHERE run = ? AND number = ?",
        {state, StringRef(charge.model), input, output, cached, written,
         charge.money, charge.seconds, asked, answered, run, int64_t(number)});
  });
}
