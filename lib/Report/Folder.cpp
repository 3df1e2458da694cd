// The files of a folder. best.mlir has the most; report.json says the same
// where that is not there, and what only the driver knew.
#include "Kernel.h"
#include "evo/Report/Read.h"
#include "evo/Support/Files.h"
#include "evo/Support/JSON.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace evo;
using namespace evo::report;
using llvm::json::Array;
using llvm::json::Object;

static std::string pathIn(StringRef folder, StringRef name) {
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, name);
  return path.str().str();
}

/// The text of a file; nothing where there is none.
static llvm::Expected<std::optional<std::string>> readIfThere(StringRef folder,
                                                              StringRef name) {
  std::string path = pathIn(folder, name);
  if (!llvm::sys::fs::exists(path))
    return std::nullopt;
  llvm::Expected<std::string> text = readFile(path);
  if (!text)
    return text.takeError();
  return std::move(*text);
}

/// The object in a file; nothing where there is no file.
static llvm::Expected<std::optional<Object>> readObject(StringRef folder,
                                                        StringRef name) {
  auto text = readIfThere(folder, name);
  if (!text)
    return text.takeError();
  if (!*text)
    return std::nullopt;
  llvm::Expected<llvm::json::Value> value = evo::parseJSON(**text);
  if (!value)
    return llvm::createStringError("'" + pathIn(folder, name) +
                                   "': " + llvm::toString(value.takeError()));
  Object *object = value->getAsObject();
  if (!object)
    return llvm::createStringError("'" + pathIn(folder, name) +
                                   "' is no JSON object");
  return std::move(*object);
}

static std::string textOf(const Object &object, StringRef key) {
  const llvm::json::Value *value = object.get(key);
  if (!value || value->kind() == llvm::json::Value::Null)
    return "";
  if (auto text = value->getAsString())
    return text->str();
  return llvm::formatv("{0}", *value).str();
}

static int64_t integerOf(const Object &object, StringRef key) {
  return object.getInteger(key).value_or(0);
}

static std::vector<Entry> entriesOf(const Object &object) {
  std::vector<Entry> entries;
  for (const auto &entry : object)
    entries.push_back({entry.first.str(), textOf(object, entry.first)});
  llvm::sort(entries,
             [](const Entry &a, const Entry &b) { return a.name < b.name; });
  return entries;
}

/// The weighted time is not in the file: with one workload it is that time.
static std::optional<double> onlyTime(const Object &variant, StringRef key) {
  const Object *cost = variant.getObject(key);
  const Array *micros = cost ? cost->getArray("micros") : nullptr;
  if (!micros || micros->size() != 1)
    return std::nullopt;
  return (*micros)[0].getAsNumber();
}

/// What it was made of, or itself.
static StringRef candidateOf(const Object &variant) {
  return variant.getString("proposal")
      .value_or(variant.getString("name").value_or(""));
}

static void addVariant(Search &search, const Object &variant) {
  Candidate &candidate = search.get(candidateOf(variant));
  if (candidate.rationale.empty() && candidate.proposer.empty())
    candidate.proposer = textOf(variant, "origin");
  if (const Object *evidence = variant.getObject("evidence")) {
    candidate.grade = textOf(*evidence, "grade");
    if (const Object *details = evidence->getObject("details"))
      candidate.evidence = entriesOf(*details);
    candidate.evidence.push_back({"hash", textOf(*evidence, "hash")});
  }
  if (const Object *sum = variant.getObject("resources"))
    candidate.resources =
        Resources{integerOf(*sum, "registers"), integerOf(*sum, "spill_bytes"),
                  integerOf(*sum, "shared_bytes")};
  if (const Array *requirements = variant.getArray("requires"))
    for (const llvm::json::Value &text : *requirements)
      candidate.requirements.push_back(text.getAsString().value_or("").str());
  candidate.estimated = onlyTime(variant, "estimate");
  candidate.measured = onlyTime(variant, "measured");
  if (const Object *cost = variant.getObject("measured"))
    if (const Object *details = cost->getObject("details"))
      if (const Object *counters = details->getObject("counters"))
        candidate.counters = entriesOf(*counters);
  for (StringRef key : {"estimate", "measured"})
    if (const Object *cost = variant.getObject(key))
      search.machine = textOf(*cost, "machine");
}

static void addFailed(Search &search, const Object &failed) {
  Candidate &candidate = search.get(failed.getString("name").value_or(""));
  candidate.proposer = textOf(failed, "proposer");
  candidate.stage = stageFromName(textOf(failed, "stage"));
  candidate.failure = textOf(failed, "failure");
  candidate.fault = textOf(failed, "fault");
}

/// Calls `add` with each object of the list `key`.
static void forEach(const Object &report, StringRef key,
                    llvm::function_ref<void(const Object &)> add) {
  if (const Array *list = report.getArray(key))
    for (const llvm::json::Value &value : *list)
      if (const Object *object = value.getAsObject())
        add(*object);
}

static void addSpending(Search &search, const Object &spending) {
  search.currency = textOf(spending, "currency");
  search.pricesOf = textOf(spending, "prices_of");
  const Object *stages = spending.getObject("by_stage");
  if (!stages)
    return;
  for (const Entry &stage : entriesOf(*stages)) {
    const Object *sum = stages->getObject(stage.name);
    if (!sum)
      continue;
    Spending entry;
    entry.stage = stage.name;
    entry.requests = integerOf(*sum, "requests");
    entry.withoutBill = integerOf(*sum, "without_bill");
    entry.inputTokens = integerOf(*sum, "input_tokens");
    entry.outputTokens = integerOf(*sum, "output_tokens");
    entry.cachedTokens = integerOf(*sum, "cached_tokens");
    entry.money = sum->getNumber("money").value_or(0);
    search.spending.push_back(std::move(entry));
  }
}

/// `hasOps`: best.mlir told all that it can.
static void addReport(Search &search, const Object &report, bool hasOps) {
  search.kernel = textOf(report, "kernel");
  search.tool = textOf(report, "tool");
  search.seed = textOf(report, "seed");
  if (auto stopped = report.getString("stopped"))
    search.stopped = stopped->str();
  if (auto floor = report.getNumber("floor_micros"))
    search.floor = floor;
  if (const Object *spending = report.getObject("spending"))
    addSpending(search, *spending);
  if (hasOps)
    return;
  const StringRef best = report.getString("best").value_or("");
  search.best = best.str();
  forEach(report, "variants", [&](const Object &variant) {
    addVariant(search, variant);
    if (variant.getString("name") == best)
      search.best = candidateOf(variant).str();
  });
  forEach(report, "failed",
          [&](const Object &failed) { addFailed(search, failed); });
  // The fastest stands first there; what else is known of the order is names.
  if (const Candidate *baseline = search.baseline())
    std::rotate(search.candidates.begin(),
                search.candidates.begin() + (baseline - &search.candidates[0]),
                search.candidates.begin() + (baseline - &search.candidates[0]) +
                    1);
}

static void addTimings(Search &search, const Object &timings) {
  for (StringRef key :
       {"seconds", "evaluating", "proposing", "asking", "overhead"})
    if (auto seconds = timings.getNumber(key))
      search.times.push_back({key.str(), std::to_string(*seconds)});
  const Object *waits = timings.getObject("models_by_stage");
  for (Spending &entry : search.spending)
    if (waits)
      if (auto seconds = waits->getNumber(entry.stage))
        entry.seconds = seconds;
}

/// The search in a file of MLIR; an error says what is wrong with it.
static llvm::Error addModule(Search &search, StringRef text, StringRef path,
                             MLIRContext *context) {
  std::string why;
  ScopedDiagnosticHandler collect(context, [&](Diagnostic &diagnostic) {
    if (why.empty())
      llvm::raw_string_ostream(why)
          << diagnostic.getLocation() << ": " << diagnostic;
    return success();
  });
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(text, ParserConfig(context), path);
  if (!module)
    return llvm::createStringError("cannot read '" + path.str() + "': " + why);
  auto kernels = module->getOps<KernelOp>();
  if (kernels.empty())
    return llvm::createStringError("'" + path.str() + "' holds no evo.kernel");
  addKernel(search, *kernels.begin());
  addSources(search, *kernels.begin());
  return llvm::Error::success();
}

// no diagnostics: what the page says
static void sayWhatIsMissing(Search &search, StringRef file) {
  search.missing.push_back(
      "the folder has no " + file.str() +
      (file == "best.mlir"     ? ": code, lineage and rationales are not shown"
       : file == "report.json" ? ": seed, tool and spending are not shown"
                               : ": where the time went is not shown"));
}

llvm::Error evo::report::addFolder(Search &search, StringRef folder,
                                   MLIRContext *context) {
  auto text = readIfThere(folder, "best.mlir");
  if (!text)
    return text.takeError();
  auto report = readObject(folder, "report.json");
  if (!report)
    return report.takeError();
  auto timings = readObject(folder, "timings.json");
  if (!timings)
    return timings.takeError();
  if (!*text && !*report)
    return llvm::createStringError("'" + folder.str() +
                                   "' holds no search: neither best.mlir nor "
                                   "report.json is there");
  search.isFromFolder = true;
  if (!*text)
    sayWhatIsMissing(search, "best.mlir");
  else if (llvm::Error error =
               addModule(search, **text, pathIn(folder, "best.mlir"), context))
    return error;
  if (*report)
    addReport(search, **report, text->has_value());
  else
    sayWhatIsMissing(search, "report.json");
  if (*timings)
    addTimings(search, **timings);
  else
    sayWhatIsMissing(search, "timings.json");
  return llvm::Error::success();
}
