// The tables of a run, read back without a search. What cannot be read back as
// ops is still there in the plain columns.
#include "evo/Journal/History.h"
#include "Schema.h"
#include "Snapshot.h"
#include "evo/Interfaces/Fitness.h"
#include "evo/LLM/Ledger.h"
#include "evo/Support/JSON.h"

using namespace mlir;
using namespace evo;

KernelOp RunHistory::getKernel() {
  if (!module || module->getOps<KernelOp>().empty())
    return nullptr;
  return *module->getOps<KernelOp>().begin();
}

static llvm::Expected<std::vector<RunRecord>> readRuns(Database &database) {
  std::vector<RunRecord> runs;
  if (llvm::Error error = database.query(
          "SELECT id, kernel, settings, tool, started FROM run ORDER BY id", {},
          [&](const Row &row) {
            runs.push_back({row.integer(0), row.text(1).str(),
                            row.text(2).str(), row.text(3).str(),
                            row.text(4).str()});
            return llvm::Error::success();
          }))
    return std::move(error);
  return runs;
}

/// Puts ops back, or counts them as lost.
static void restoreOps(RunHistory &history, MLIRContext *context,
                       StringRef bytes, bool isWhole) {
  ScopedDiagnosticHandler quiet(context,
                                [](Diagnostic &) { return success(); });
  if (!history.module)
    history.module = restoreFrame(context, bytes);
  KernelOp kernel = history.getKernel();
  if (isWhole && (!kernel || failed(restoreSnapshot(kernel, bytes))))
    ++history.unreadable;
}

static std::optional<std::string> textOf(const Row &row, int column) {
  if (row.isNull(column))
    return std::nullopt;
  return row.text(column).str();
}

static llvm::Error readSteps(Database &database, RunHistory &history,
                             MLIRContext *context) {
  // Days of the Julian calendar, of which a second is a small part, but not one
  // that a double loses: 40 microseconds are left.
  return database.query(
      "SELECT kind, candidate, stage, failure, grade, micros, seconds, "
      "(julianday(step.made) - julianday(run.started)) * 86400, ops "
      "FROM step JOIN run ON run.id = step.run WHERE run = ? ORDER BY number",
      {history.run.id}, [&](const Row &row) {
        restoreOps(history, context, row.text(8), /*isWhole=*/true);
        if (row.text(0) != evaluatedStep)
          return llvm::Error::success();
        EvaluationRecord record;
        record.candidate = row.text(1).str();
        record.stage = textOf(row, 2);
        record.failure = textOf(row, 3);
        record.grade = textOf(row, 4);
        if (!row.isNull(5))
          record.micros = row.real(5);
        record.seconds = row.real(6);
        // The start is rounded down to seconds, and clocks may be set back.
        if (!row.isNull(7))
          record.elapsed = std::max(0.0, row.real(7));
        history.evaluations.push_back(std::move(record));
        return llvm::Error::success();
      });
}

/// What describeCost made of a cost; null where it is something else.
static CostAttr parseCost(MLIRContext *context, StringRef text) {
  llvm::Expected<llvm::json::Value> value = evo::parseJSON(text);
  if (!value) {
    llvm::consumeError(value.takeError());
    return nullptr;
  }
  const llvm::json::Object *object = value->getAsObject();
  const llvm::json::Array *times =
      object ? object->getArray("micros") : nullptr;
  if (!times)
    return nullptr;
  std::vector<double> micros;
  for (const llvm::json::Value &time : *times)
    micros.push_back(time.getAsNumber().value_or(notServed));
  Builder b(context);
  return CostAttr::get(
      context, CostSource::Measured, b.getDenseF64ArrayAttr(micros),
      b.getStringAttr(object->getString("machine").value_or("")),
      DictionaryAttr());
}

static llvm::Error readMeasurements(Database &database, RunHistory &history,
                                    MLIRContext *context) {
  KernelOp kernel = history.getKernel();
  if (!kernel)
    return llvm::Error::success();
  return database.query(
      "SELECT variant, cost FROM measurement WHERE run = ? ORDER BY id",
      {history.run.id}, [&](const Row &row) {
        auto variant = kernel.lookupSymbol<VariantOp>(row.text(0));
        if (CostAttr cost = parseCost(context, row.text(1)); variant && cost)
          variant.setMeasuredAttr(cost);
        return llvm::Error::success();
      });
}

static llvm::Error readRequests(Database &database, RunHistory &history) {
  return database.query(
      "SELECT state, stage, request, model, input, output, cached, money, "
      "seconds FROM charge WHERE run = ? ORDER BY number",
      {history.run.id}, [&](const Row &row) {
        history.requests.push_back(
            {llm::stateFromName(row.text(0)) == llm::Charge::State::Settled,
             row.text(1).str(), row.text(2).str(), row.text(3).str(),
             row.integer(4), row.integer(5), row.integer(6), row.real(7),
             row.real(8)});
        return llvm::Error::success();
      });
}

llvm::Expected<RunHistory> evo::readHistory(
    StringRef path, MLIRContext *context,
    llvm::function_ref<llvm::Expected<size_t>(llvm::ArrayRef<RunRecord>)>
        choose) {
  llvm::Expected<Database> database =
      openJournal(path, Database::Mode::ReadOnly);
  if (!database)
    return database.takeError();
  // All that follows sees the file as of one moment.
  if (llvm::Error error = database->execute("BEGIN"))
    return std::move(error);
  llvm::Expected<std::vector<RunRecord>> runs = readRuns(*database);
  if (!runs)
    return runs.takeError();
  if (runs->empty())
    return llvm::createStringError("journal '" + path.str() +
                                   "': no run was begun in it");
  llvm::Expected<size_t> chosen = choose(*runs);
  if (!chosen)
    return chosen.takeError();
  RunHistory history;
  history.run = (*runs)[*chosen];
  if (llvm::Error error = database->query(
          "SELECT reference FROM run WHERE id = ? AND reference IS NOT NULL",
          {history.run.id}, [&](const Row &row) {
            restoreOps(history, context, row.text(0), !row.text(0).empty());
            return llvm::Error::success();
          }))
    return std::move(error);
  if (llvm::Error error = readSteps(*database, history, context))
    return std::move(error);
  if (llvm::Error error = readMeasurements(*database, history, context))
    return std::move(error);
  if (llvm::Error error = readRequests(*database, history))
    return std::move(error);
  return history;
}
