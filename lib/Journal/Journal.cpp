// Steps of a search into the database, and back.
#include "evo/Journal/Journal.h"
#include "Archive.h"
#include "Charges.h"
#include "Schema.h"
#include "Snapshot.h"
#include "evo/Interfaces/AsJSON.h"
#include "evo/Interfaces/Fitness.h"
#include "evo/Journal/Resume.h"
#include "evo/Support/Digest.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace evo;

namespace {
class SQLiteJournal : public Journal {
public:
  SQLiteJournal(std::string path, std::string means,
                std::shared_ptr<llm::Ledger> ledger,
                std::shared_ptr<const RunRequest> request)
      : path(std::move(path)), means(std::move(means)),
        ledger(std::move(ledger)), request(std::move(request)) {}
  ~SQLiteJournal() override { leaveLedger(); }

  FailureOr<Progress> begin(KernelOp kernel, StringRef settings) override;
  LogicalResult asking(KernelOp kernel, unsigned count) override;
  LogicalResult asked(KernelOp kernel, ArrayRef<ProposalOp> added,
                      bool gaveSomethingToTry) override;
  LogicalResult evaluated(KernelOp kernel, ProposalOp proposal,
                          double seconds) override;
  LogicalResult measured(KernelOp kernel, VariantOp variant,
                         CostAttr cost) override;

private:
  std::string path, means;
  std::shared_ptr<llm::Ledger> ledger;
  std::shared_ptr<const RunRequest> request; ///< may be null
  std::optional<Database> database;
  std::optional<FileLock> lock; ///< on the run
  int64_t run = 0, nextStep = 0;
  std::optional<ArchiveKey> archiveKey;

  llvm::Error openRun(KernelOp kernel, StringRef settings);
  llvm::Error lockRun();
  llvm::Error keepRequest();
  llvm::Expected<Progress> restore(KernelOp kernel);
  llvm::Error joinLedger(KernelOp kernel);
  void leaveLedger();
  bool keepsLedger = false;
};
} // namespace

/// What was tried does not make a kernel another one.
static std::string textOf(KernelOp kernel) {
  std::string text;
  llvm::raw_string_ostream os(text);
  kernel.print(os, OpPrintingFlags().useLocalScope());
  return text;
}

llvm::Error SQLiteJournal::openRun(KernelOp kernel, StringRef ofSearch) {
  llvm::Expected<Database> opened = openJournal(path, Database::Mode::Create);
  if (!opened)
    return opened.takeError();
  database = std::move(*opened);
  archiveKey.reset();
  // A verdict is bound to the tool's version, and so is a run.
  StringRef tool = "evo-opt " EVO_VERSION;
  std::string settings = ofSearch.str() + (means.empty() ? "" : " ") + means;
  std::string text = (tool + "\n" + settings + "\n" + textOf(kernel)).str();
  std::string key = digest(text, 32);
  std::string reference;
  if (ReferenceOp op = kernel.getReference())
    reference = takeSnapshot(kernel, op.getOperation());
  if (llvm::Error error = database->execute(
          "INSERT INTO run (key, kernel, settings, tool, reference) "
          "VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
          {StringRef(key), kernel.getSymName(), StringRef(settings), tool,
           Blob{reference}}))
    return error;
  if (llvm::Error error =
          database->query("SELECT id FROM run WHERE key = ?", {StringRef(key)},
                          [&](const Row &row) {
                            run = row.integer(0);
                            return llvm::Error::success();
                          }))
    return error;
  if (llvm::Error error = lockRun())
    return error;
  return keepRequest();
}

/// The run is this command's from now on, and has no end until it has one.
llvm::Error SQLiteJournal::keepRequest() {
  if (!request)
    return llvm::Error::success();
  return database->execute(
      "UPDATE run SET source = ?, means = ?, bounds = ?, budget = ?, seed = ?, "
      "ended = NULL WHERE id = ?",
      {StringRef(request->source), StringRef(request->settings),
       StringRef(request->bounds), request->budget, int64_t(request->seed),
       run});
}

/// Two processes that go on with one run would try, and pay for, the same.
llvm::Error SQLiteJournal::lockRun() {
  lock.reset(); // of an earlier search of this session
  std::string underWay;
  llvm::Expected<std::optional<FileLock>> taken =
      evo::lockRun(path, run, underWay);
  if (!taken)
    return taken.takeError();
  if (!*taken)
    return llvm::createStringError(underWay);
  lock = std::move(*taken);
  return llvm::Error::success();
}

llvm::Expected<Journal::Progress> SQLiteJournal::restore(KernelOp kernel) {
  Progress progress;
  nextStep = 0;
  llvm::Error error = database->query(
      "SELECT kind, useful, ops, seconds FROM step WHERE run = ? "
      "ORDER BY number",
      {run}, [&](const Row &row) -> llvm::Error {
        ++nextStep;
        if (row.text(0) == evaluatedStep)
          ++progress.evaluated;
        if (row.text(0) == evaluatedStep)
          progress.seconds += row.real(3);
        else
          progress.dry = row.integer(1) ? 0 : progress.dry + 1;
        if (succeeded(restoreSnapshot(kernel, row.text(2))))
          return llvm::Error::success();
        return llvm::createStringError("journal '" + path + "': step " +
                                       std::to_string(nextStep - 1) +
                                       " is damaged");
      });
  if (error)
    return std::move(error);
  if (llvm::Error unread = database->query(
          "SELECT question FROM run WHERE id = ? AND question IS NOT NULL",
          {run}, [&](const Row &row) {
            progress.question = row.integer(0);
            return llvm::Error::success();
          }))
    return std::move(unread);
  return progress;
}

/// What befalls a file of ours has no place in the user's kernel.
static InFlightDiagnostic emitFailure(KernelOp kernel) {
  return emitError(UnknownLoc::get(kernel.getContext()));
}

FailureOr<Journal::Progress> SQLiteJournal::begin(KernelOp kernel,
                                                  StringRef settings) {
  if (llvm::Error error = openRun(kernel, settings))
    return emitFailure(kernel) << llvm::toString(std::move(error)), failure();
  llvm::Expected<Progress> progress = restore(kernel);
  if (!progress)
    return emitFailure(kernel) << llvm::toString(progress.takeError()),
           failure();
  if (llvm::Error error = joinLedger(kernel))
    return emitFailure(kernel) << llvm::toString(std::move(error)), failure();
  return *progress;
}

/// The requests of which candidates of `kernel`, good or bad, have come, and
/// the candidates, under the names that requests about them begin with.
static llvm::StringSet<> usedRequests(KernelOp kernel) {
  llvm::StringSet<> used;
  for (auto proposal : kernel.getBody().getOps<ProposalOp>()) {
    used.insert((kernel.getSymName() + "/" + proposal.getSymName()).str());
    if (auto name = proposal->getAttrOfType<StringAttr>(requestAttr))
      used.insert(name.getValue());
  }
  return used;
}

/// From now on what is asked of models is kept.
llvm::Error SQLiteJournal::joinLedger(KernelOp kernel) {
  if (!ledger)
    return llvm::Error::success();
  leaveLedger();
  // The entries of a ledger are those of one search.
  keepsLedger =
      ledger->claimSink([this](unsigned number, const llm::Charge &charge,
                               const llm::ModelRequest *question,
                               const llm::ModelAnswer *answer) {
        return writeCharge(*database, run, number, charge, question, answer);
      });
  if (!keepsLedger)
    return llvm::createStringError(
        "the journal of another search keeps this ledger");
  return restoreCharges(*database, run, usedRequests(kernel), *ledger);
}

void SQLiteJournal::leaveLedger() {
  if (keepsLedger)
    ledger->setSink(nullptr);
  keepsLedger = false;
}

/// The requests whose answers could not be used, a line each: nobody evaluates
/// what came of them.
static std::string requestsInVain(ArrayRef<ProposalOp> added) {
  std::string lines;
  for (ProposalOp proposal : added) {
    auto request = proposal->getAttrOfType<StringAttr>(requestAttr);
    if (request && proposal.getStage() == Stage::Answer)
      lines += (request.getValue() + "\n").str();
  }
  return lines;
}

LogicalResult SQLiteJournal::asking(KernelOp kernel, unsigned count) {
  if (llvm::Error error = database->execute(
          "UPDATE run SET question = ? WHERE id = ?", {int64_t(count), run}))
    return emitFailure(kernel) << llvm::toString(std::move(error));
  return success();
}

LogicalResult SQLiteJournal::asked(KernelOp kernel, ArrayRef<ProposalOp> added,
                                   bool gaveSomethingToTry) {
  SmallVector<Operation *> ops;
  for (ProposalOp proposal : added)
    ops.push_back(proposal);
  std::string bytes = takeSnapshot(kernel, ops);
  std::string inVain = requestsInVain(added);
  llvm::Error error = database->atomically([&]() -> llvm::Error {
    if (llvm::Error unwritten = database->execute(
            "INSERT INTO step (run, number, kind, useful, request, ops, made) "
            "VALUES (?, ?, ?, ?, ?, ?, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))",
            {run, nextStep, askedStep, int64_t(gaveSomethingToTry),
             StringRef(inVain), Blob{bytes}}))
      return unwritten;
    return database->execute("UPDATE run SET question = NULL WHERE id = ?",
                             {run});
  });
  if (error)
    return emitFailure(kernel) << llvm::toString(std::move(error));
  ++nextStep;
  return success();
}

LogicalResult SQLiteJournal::evaluated(KernelOp kernel, ProposalOp proposal,
                                       double seconds) {
  VariantOp variant = proposal.lookupVariant();
  SmallVector<Operation *> ops = {proposal};
  Parameter stage = nullptr, failed = nullptr, grade = nullptr,
            micros = nullptr, request = nullptr;
  if (auto name = proposal->getAttrOfType<StringAttr>(requestAttr))
    request = name.getValue();
  if (proposal.getFailure()) {
    stage = stringifyStage(*proposal.getStage());
    failed = *proposal.getFailure();
  }
  if (variant) {
    ops.push_back(variant);
    if (EvidenceAttr evidence = variant.getEvidenceAttr())
      grade = stringifyGrade(evidence.getGrade());
    if (std::optional<double> time = weightedTime(variant, /*measured=*/false))
      micros = *time;
  }
  std::string bytes = takeSnapshot(kernel, ops);
  llvm::Error error = database->atomically([&]() -> llvm::Error {
    if (llvm::Error unwritten = database->execute(
            "INSERT INTO step (run, number, kind, useful, candidate, request, "
            "stage, failure, grade, micros, seconds, ops, made) "
            "VALUES (?, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?, "
            "strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))",
            {run, nextStep, evaluatedStep, proposal.getSymName(), request,
             stage, failed, grade, micros, seconds, Blob{bytes}}))
      return unwritten;
    return archiveProgram(*database, run, kernel, proposal, archiveKey);
  });
  if (error)
    return emitFailure(kernel) << llvm::toString(std::move(error));
  ++nextStep;
  return success();
}

LogicalResult SQLiteJournal::measured(KernelOp kernel, VariantOp variant,
                                      CostAttr cost) {
  if (!database)
    return success();
  ProposalOp proposal = variant.lookupProposal();
  llvm::Error error = database->atomically([&]() -> llvm::Error {
    if (cost) {
      llvm::json::Object described = describeCost(cost);
      // What a reward needs, which knows no workloads.
      if (std::optional<double> time = weightedTime(variant, /*measured=*/true))
        described["weighted_micros"] = *time;
      if (proposal)
        described["candidate"] = proposal.getSymName();
      std::string text =
          llvm::formatv("{0}", llvm::json::Value(std::move(described))).str();
      if (llvm::Error unwritten = database->execute(
              "INSERT INTO measurement (run, variant, machine, cost) "
              "VALUES (?, ?, ?, ?)",
              {run, variant.getSymName(), cost.getMachine().getValue(),
               StringRef(text)}))
        return unwritten;
    }
    return proposal
               ? archiveProgram(*database, run, kernel, proposal, archiveKey)
               : llvm::Error::success();
  });
  if (error)
    return emitFailure(kernel) << llvm::toString(std::move(error));
  return success();
}

std::unique_ptr<Journal>
evo::createJournal(std::string path, std::string means,
                   std::shared_ptr<llm::Ledger> ledger,
                   std::shared_ptr<const RunRequest> request) {
  return std::make_unique<SQLiteJournal>(std::move(path), std::move(means),
                                         std::move(ledger), std::move(request));
}
