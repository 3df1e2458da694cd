// Runs are compared by what their commands said, and not by their keys: those
// depend on the seed, and on what passes have made of the kernel by then.
#include "evo/Journal/Resume.h"
#include "Schema.h"
#include "evo/Support/Counted.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace evo;

namespace {
/// A row of the table of runs, with what its steps add up to.
struct KnownRun {
  EarlierRun run;
  std::string kernel, tool;
  std::string source, settings, bounds; ///< empty: an older tool's
  bool isFinished = false;
  int64_t budget = 0;

  std::string name() const { return "run " + std::to_string(run.id); }
};
} // namespace

static Expected<SmallVector<KnownRun>> readRuns(Database &database) {
  SmallVector<KnownRun> runs;
  Error error = database.query(
      "SELECT id, kernel, tool, source, means, bounds, budget, seed, "
      "ended IS NOT NULL, "
      "(SELECT count(*) FROM step WHERE run = run.id AND kind = ?), "
      "(SELECT total(money) FROM charge WHERE run = run.id) "
      "FROM run ORDER BY id DESC",
      {evaluatedStep}, [&](const Row &row) {
        KnownRun known;
        known.run.id = row.integer(0);
        known.kernel = row.text(1).str();
        known.tool = row.text(2).str();
        known.source = row.text(3).str();
        known.settings = row.text(4).str();
        known.bounds = row.text(5).str();
        known.budget = row.integer(6);
        known.run.seed = row.integer(7);
        known.isFinished = row.integer(8);
        known.run.candidates = row.integer(9);
        known.run.money = row.real(10);
        runs.push_back(std::move(known));
        return Error::success();
      });
  if (error)
    return std::move(error);
  return runs;
}

/// "model=a, here model=b" of the words that differ.
static std::string compareWords(StringRef theirs, StringRef ours) {
  auto read = [](StringRef text) {
    StringMap<std::string> words;
    SmallVector<StringRef> split;
    text.split(split, ' ', -1, /*KeepEmpty=*/false);
    for (StringRef word : split) {
      std::string &all = words[word.split('=').first];
      all += (all.empty() ? "" : " ") + word.str();
    }
    return words;
  };
  StringMap<std::string> one = read(theirs), other = read(ours);
  SmallVector<std::string> differences;
  SmallVector<StringRef> names(one.keys());
  for (StringRef name : other.keys())
    if (!one.contains(name))
      names.push_back(name);
  llvm::sort(names);
  auto show = [](const StringMap<std::string> &words, StringRef name) {
    auto found = words.find(name);
    return found == words.end() ? "no " + name.str() : found->second;
  };
  for (StringRef name : names)
    if (std::string left = show(one, name), right = show(other, name);
        left != right)
      differences.push_back(left + ", here " + right);
  return join(differences, "; ");
}

/// Whether another process may go on with it under `request`, and has to.
static bool isUnfinished(const KnownRun &known, const RunRequest &request) {
  if (!known.isFinished)
    return true;
  // It has come to the end that it was given, and this is a later one.
  return known.bounds != request.bounds &&
         known.run.candidates < request.budget;
}

/// Why `known` is not gone on with, if so, and how much of `request` it shares:
/// the more, the more there is to say about it.
static std::pair<unsigned, std::optional<std::string>>
whyNot(const KnownRun &known, const RunRequest &request, bool anySeed) {
  if (known.kernel != request.kernel)
    return {0, known.name() + " is of another kernel, '" + known.kernel + "'"};
  if (known.source.empty())
    return {1, known.name() +
                   " is an older tool's, which has not recorded what it was "
                   "of: name its '--seed' to go on with it"};
  StringRef tool = "evo-opt " EVO_VERSION;
  if (known.tool != tool)
    return {1, known.name() + " is of another version, " + known.tool};
  if (known.source != request.source)
    return {2, known.name() + " is of another text of kernel '" + known.kernel +
                   "'"};
  if (known.settings != request.settings)
    return {3, known.name() + " has other settings: " +
                   compareWords(known.settings, request.settings)};
  if (!anySeed && known.run.seed != request.seed)
    return {4, known.name() + " has another seed, " +
                   std::to_string(known.run.seed)};
  if (anySeed && !isUnfinished(known, request))
    return {5, formatv("{0} is finished, after {1} of {2} ('--seed "
                       "{3}' shows its result again)",
                       known.name(), known.run.candidates,
                       counted(known.budget, "candidate"), known.run.seed)
                   .str()};
  return {6, std::nullopt};
}

Expected<RunChoice> evo::chooseRun(StringRef path, const RunRequest &request,
                                   bool anySeed) {
  RunChoice choice;
  // Also another process may just be about to make its tables.
  uint64_t bytes = 0;
  if (sys::fs::file_size(path, bytes) || bytes == 0)
    return choice;
  Expected<Database> database = openJournal(path, Database::Mode::Create);
  if (!database)
    return database.takeError();
  auto runs = readRuns(*database);
  if (!runs)
    return runs.takeError();
  unsigned nearest = 0;
  for (const KnownRun &known : *runs) {
    auto [likeness, why] = whyNot(known, request, anySeed);
    if (!why) {
      choice.resumed = known.run;
      choice.whyNew.clear();
      // Let go at once: this only looks.
      auto lock = lockRun(path, known.run.id, choice.underWay);
      if (!lock)
        return lock.takeError();
      return choice;
    }
    if (choice.whyNew.empty() || likeness > nearest) {
      nearest = likeness;
      choice.whyNew = std::move(*why);
    }
  }
  return choice;
}

Expected<std::optional<evo::FileLock>> evo::lockRun(StringRef path, int64_t run,
                                                    std::string &underWay) {
  std::string name = std::to_string(run);
  auto lock = FileLock::take((path + "-run" + name).str());
  if (lock && !*lock)
    underWay = ("journal '" + path + "': run " + name +
                ", which is this search, is under way in another process: wait "
                "for it, or give each a journal or a seed of its own")
                   .str();
  return lock;
}

Error evo::finishRun(StringRef path, const RunRequest &request, StringRef why) {
  Expected<Database> database = openJournal(path, Database::Mode::Create);
  if (!database)
    return database.takeError();
  return database->execute(
      "UPDATE run SET ended = ?, bounds = ? WHERE kernel = ? AND source = ? "
      "AND means = ? AND seed = ?",
      {why, StringRef(request.bounds), StringRef(request.kernel),
       StringRef(request.source), StringRef(request.settings),
       int64_t(request.seed)});
}
