// A run of a journal: its ops where they can be read, its columns in any case.
#include "Kernel.h"
#include "Numbers.h"
#include "evo/Journal/History.h"
#include "evo/Report/Read.h"
#include "evo/Support/Sort.h"
#include "llvm/ADT/StringExtras.h"
#include <map>

using namespace mlir;
using namespace evo;
using namespace evo::report;

/// The value of `seed=7` among the settings of a run.
static StringRef findSeed(StringRef settings) {
  SmallVector<StringRef> words;
  settings.split(words, ' ');
  for (StringRef word : words)
    // data format: settings as a search spells them
    if (word.consume_front("seed="))
      return word;
  return "";
}

/// Outcomes by the columns. The order of the candidates becomes theirs, those
/// without one come last.
static void addOutcomes(Search &search, const RunHistory &history) {
  std::map<std::string, size_t> places;
  for (const EvaluationRecord &record : history.evaluations) {
    places.try_emplace(record.candidate, places.size());
    Candidate &candidate = search.get(record.candidate);
    if (record.elapsed)
      candidate.elapsed = record.elapsed;
    candidate.seconds = record.seconds;
    if (candidate.grade.empty())
      candidate.grade = record.grade.value_or("");
    if (!candidate.stage && record.failure) {
      candidate.stage = stageFromName(record.stage.value_or(""));
      candidate.failure = *record.failure;
    }
    if (!candidate.estimated)
      candidate.estimated = record.micros;
  }
  auto placeOf = [&](const Candidate &candidate) {
    auto found = places.find(candidate.name);
    return found == places.end() ? places.size() : found->second;
  };
  stableSortBy(search.candidates, placeOf);
}

static void addRequests(Search &search, const RunHistory &history) {
  std::map<std::pair<std::string, std::string>, Spending> sums;
  for (const RequestRecord &request : history.requests) {
    Spending &sum = sums[{request.stage, request.model}];
    sum.stage = request.stage;
    sum.model = request.model;
    ++sum.requests;
    sum.withoutBill += !request.isSettled;
    sum.inputTokens += request.inputTokens;
    sum.outputTokens += request.outputTokens;
    sum.cachedTokens += request.cachedTokens;
    sum.money += request.money;
    sum.seconds = sum.seconds.value_or(0) + request.seconds;
  }
  if (!sums.empty())
    search.spending.clear(); // here it is known by model, too
  for (auto &entry : sums)
    search.spending.push_back(std::move(entry.second));
}

/// The last run that fits what is known already.
static llvm::Expected<size_t> chooseRun(const Search &search, StringRef path,
                                        llvm::ArrayRef<RunRecord> runs) {
  auto fits = [&](const RunRecord &run, bool bySeed) {
    return search.kernel.empty() || (run.kernel == search.kernel &&
                                     (!bySeed || search.seed.empty() ||
                                      findSeed(run.settings) == search.seed));
  };
  for (bool bySeed : {true, false})
    for (size_t i = runs.size(); i-- > 0;)
      if (fits(runs[i], bySeed))
        return i;
  return llvm::createStringError("journal '" + path.str() +
                                 "' has no run of kernel '" + search.kernel +
                                 "'");
}

// no diagnostics: what the page says
static void sayWhatIsMissing(Search &search, RunHistory &history) {
  if (history.unreadable)
    search.missing.push_back(
        "this version of the tool cannot read the code in " +
        printCounted(history.unreadable, "step") +
        " of the journal, of which only the outcomes are shown");
  bool hasTimes =
      llvm::any_of(history.evaluations, [](const EvaluationRecord &record) {
        return record.elapsed.has_value();
      });
  if (!hasTimes && !history.evaluations.empty())
    search.missing.push_back("the journal was written by an older version of "
                             "the tool, which kept no times");
}

llvm::Error evo::report::addJournal(Search &search, StringRef path,
                                    MLIRContext *context) {
  llvm::Expected<RunHistory> history =
      readHistory(path, context, [&](llvm::ArrayRef<RunRecord> runs) {
        return chooseRun(search, path, runs);
      });
  if (!history)
    return history.takeError();
  KernelOp kernel = history->getKernel();
  bool hasOps = !search.candidates.empty();
  if (kernel && !hasOps)
    addKernel(search, kernel);
  search.isFromJournal = true;
  search.kernel = history->run.kernel;
  search.tool = history->run.tool;
  search.settings = history->run.settings;
  search.started = history->run.started;
  if (search.seed.empty())
    search.seed = findSeed(search.settings).str();
  addOutcomes(search, *history);
  addRequests(search, *history);
  if (kernel && search.winner.empty())
    addSources(search, kernel);
  sayWhatIsMissing(search, *history);
  return llvm::Error::success();
}
