// What a prompt says: contract, reference, the best, failures, the GPU.
#include "PromptContext.h"
#include "Text.h"
#include "evo/DeviceOps/DeviceOps.h"
#include "evo/Frontend/ContractHeader.h"
#include "evo/Proposers/Model/Floor.h"
#include "evo/Support/Fixed.h"
#include "evo/Target/TargetInfo.h"

using namespace mlir;
using namespace evo;
using llm::GenomeLanguage;
using llvm::json::Array;
using llvm::json::fixUTF8;
using llvm::json::Object;
using JSON = llvm::json::Value;

/// The languages that can be made into variants of `kernel` here.
static std::vector<GenomeLanguage>
offeredLanguages(KernelOp kernel, bool hasSchedule, bool hasBest) {
  auto *dialect = kernel.getContext()->getLoadedDialect<EvoDialect>();
  auto *backends =
      dialect ? dialect->getRegisteredInterface<BackendInterface>() : nullptr;
  auto has = [&](Genome genome) {
    return backends && backends->getMaterializer(genome);
  };
  ReferenceOp reference = kernel.getReference();
  bool isPlan = reference && reference.isLaunchPlan();
  std::vector<GenomeLanguage> result;
  if (hasSchedule && (!backends || has(Genome::Schedule)))
    result.push_back(GenomeLanguage::Schedule);
  if (!backends || has(Genome::CUDA))
    result.push_back(GenomeLanguage::CUDA);
  // Where there is CUDA source, raw IR is the worse language.
  if (has(Genome::MLIR) && !(isPlan && reference.getSource()))
    result.push_back(GenomeLanguage::MLIR);
  // Options alone are for a program that exists, or set a schedule's knobs.
  if (hasBest || (!result.empty() && result[0] == GenomeLanguage::Schedule) ||
      (isPlan && has(Genome::Options)))
    result.push_back(GenomeLanguage::Options);
  return result;
}

/// The schedule of the best variant where it has one of those that fit, else
/// the first of them.
static std::optional<PromptSchedule>
chooseSchedule(KernelOp kernel, const History &history,
               const ModelProposerOptions &options) {
  if (!options.schedules)
    return std::nullopt;
  std::vector<PromptSchedule> fitting = options.schedules(kernel);
  if (fitting.empty())
    return std::nullopt;
  ProposalOp best = history.best() ? history.best()->proposal : ProposalOp();
  for (PromptSchedule &schedule : fitting)
    if (best && best.getGenome() == Genome::Schedule &&
        best.getText().trim() == schedule.name)
      return std::move(schedule);
  return std::move(fitting.front());
}

/// The value of a knob in the best variant, else its default.
static std::string currentValue(const History &history,
                                const PromptSchedule &schedule,
                                const PromptKnob &knob) {
  ProposalOp best = history.best() ? history.best()->proposal : ProposalOp();
  DictionaryAttr options = best && best.getText().trim() == schedule.name
                               ? best.getOptionsAttr()
                               : DictionaryAttr();
  auto knobs = options ? options.getAs<DictionaryAttr>("knobs") : nullptr;
  Attribute value = knobs ? knobs.get(knob.name) : Attribute();
  if (auto text = dyn_cast_or_null<StringAttr>(value))
    return text.str();
  if (auto number = dyn_cast_or_null<IntegerAttr>(value))
    return std::to_string(number.getInt());
  return knob.values.empty() ? "" : knob.values.front();
}

PromptContext::PromptContext(KernelOp kernel, const History &history,
                             const PromptSections &sections,
                             const ModelProposerOptions &options)
    : kernel(kernel), history(history), sections(sections), options(options),
      target(options.target
                 ? options.target
                 : parseTarget(kernel.getContext(), target::getDefaultArch())),
      offer(chooseSchedule(kernel, history, options)) {
  offered =
      offeredLanguages(kernel, offer.has_value(), history.best() != nullptr);
}

static std::string bytes(uint64_t count) {
  return count % 1024 == 0 ? std::to_string(count / 1024) + " KiB"
                           : std::to_string(count) + " bytes";
}

static Object targetFacts(TargetAttrInterface target) {
  const target::TargetInfo *info = target.getInfo();
  if (!info)
    return Object{{"name", target.getName()}};
  Array facts;
  auto add = [&](StringRef fact, const std::string &value) {
    facts.push_back(Object{{"fact", fact}, {"value", value}});
  };
  add("multiprocessors", std::to_string(info->numSMs));
  add("shared memory per block", bytes(info->sharedPerBlockDefault) +
                                     ", dynamic up to " +
                                     bytes(info->sharedPerBlockOptIn));
  add("shared memory per multiprocessor", bytes(info->sharedPerSM));
  add("registers per multiprocessor",
      // common word: recorded answers are found by the text of the question
      std::to_string(info->registersPerSM) + ", at most " +
          std::to_string(info->maxRegistersPerThread) + " a thread");
  add("threads, warps, blocks per multiprocessor",
      std::to_string(info->maxThreadsPerSM) + ", " +
          std::to_string(info->maxWarpsPerSM) + ", " +
          std::to_string(info->maxBlocksPerSM));
  add("L2 cache", bytes(info->l2Bytes));
  add("memory bandwidth", printFixed(info->dramBandwidth / 1e12, 2) + " TB/s");
  add("f32 peak", printFixed(info->getPeakF32() / 1e12, 1) + " TFLOP/s");
  if (info->fp64Lanes)
    add("f64 peak", printFixed(info->getPeakF64() / 1e12, 1) + " TFLOP/s");
  return Object{{"name", info->card.str()},
                {"arch", target.getName()},
                {"facts", std::move(facts)}};
}

JSON PromptContext::system() const {
  Object languages;
  for (GenomeLanguage language : offered)
    languages[llm::languageName(language).str()] = true;
  // Options go with any candidate.
  languages["options"] = true;
  Array usable;
  for (StringRef phrase : device::promptPhrases())
    usable.push_back(phrase);
  return Object{
      {"languages", std::move(languages)},
      {"usable", std::move(usable)},
      {"usablePTX", device::promptInstructions(/*areSupported=*/true)},
      {"unknownPTX", device::promptInstructions(/*areSupported=*/false)},
      {"hasOptions", true},
      {"options",
       Array{Object{{"name", "opt"},
                    {"values", "0 to 3"},
                    {"meaning", "optimisation level of the code generator, "
                                "usually 3"}},
             Object{{"name", "maxnreg"},
                    {"values",
                     "16 to " + std::to_string(
                                    target::TargetInfo::maxRegistersPerThread)},
                    {"meaning", "registers a thread may use"}},
             Object{{"name", "codegen"},
                    {"values", "llvm or nvrtc"},
                    {"meaning", "who compiles; nvrtc for CUDA only"}}}},
      {"target", targetFacts(target)}};
}

/// The variant that speed-ups are stated against: one that a driver made of the
/// reference itself.
static const Attempt *findBaseline(const History &history) {
  for (const Attempt &attempt : history.attempts)
    if (attempt.outcome == AttemptOutcome::Accepted &&
        attempt.name() == baselineName)
      return &attempt;
  return nullptr;
}

Array PromptContext::costs(const Attempt &attempt) const {
  Array rows;
  KernelOp kernel = this->kernel;
  ArrayAttr workloads = kernel.getWorkloadsAttr();
  const std::vector<double> &micros =
      history.measured ? attempt.facts.measured : attempt.facts.estimated;
  if (!workloads || micros.size() != workloads.size())
    return rows;
  const Attempt *baseline = findBaseline(history);
  for (auto [index, time] : llvm::enumerate(micros)) {
    auto workload = cast<WorkloadAttr>(workloads[index]);
    std::string name;
    for (NamedAttribute size : workload.getSizes())
      name += (name.empty() ? "" : ", ") + size.getName().str() + " = " +
              std::to_string(cast<IntegerAttr>(size.getValue()).getInt());
    std::string speedup = "unknown", share = "unknown";
    if (time < 0) {
      rows.push_back(Object{{"workload", name},
                            {"time", "not served"},
                            {"speedup", "-"},
                            {"floor", "-"}});
      continue;
    }
    if (baseline && time > 0) {
      const std::vector<double> &before = history.measured
                                              ? baseline->facts.measured
                                              : baseline->facts.estimated;
      if (before.size() == micros.size())
        speedup = printFixed(before[index] / time, 2) + "x";
    }
    double bytes = floorMicros(kernel, workload, target).value_or(0);
    double arithmetic = history.minArithmetic(index);
    if (double min = std::max(bytes, arithmetic); time > 0 && min > 0)
      share = printFixed(100 * min / time, 1) + " % of " + printFixed(min, 2) +
              " us (" + (bytes >= arithmetic ? "bytes" : "arithmetic") + ")";
    rows.push_back(Object{
        {"workload", name},
        {"time", printFixed(time, 2) +
                     (history.measured ? " us (measured)" : " us (estimated)")},
        {"speedup", speedup},
        {"floor", share}});
  }
  return rows;
}

Object PromptContext::program(const Attempt &attempt) const {
  ProgramText text = programOf(kernel, attempt);
  Object result{{"title", fixUTF8(attempt.name())},
                {"language", text.language},
                {"code", fixUTF8(bounded(text.code, options.maxCodeBytes))}};
  if (std::string rationale = attempt.rationale();
      !rationale.empty() && sections.rationale)
    result["rationale"] = fixUTF8(bounded(rationale, 1000));
  if (attempt.outcome == AttemptOutcome::Accepted && sections.evidence) {
    std::string evidence = attempt.verdict();
    if (attempt.isSpecialized()) {
      // no diagnostic: of a prompt
      evidence += ", for these sizes only:";
      VariantOp variant = attempt.variant;
      for (auto need :
           variant.getRequirementsAttr().getAsRange<RequirementAttr>())
        evidence += " " + need.getText().str() + ";";
    }
    result["evidence"] = fixUTF8(evidence);
  }
  Array rows, profile, settings;
  if (sections.costs)
    rows = costs(attempt);
  if (sections.profile)
    for (const auto &[metric, value] : attempt.facts.profile)
      profile.push_back(
          Object{{"metric", fixUTF8(metric)}, {"value", fixUTF8(value)}});
  for (const auto &[key, value] : text.settings)
    settings.push_back(
        Object{{"key", fixUTF8(key)}, {"value", fixUTF8(value)}});
  result["hasCosts"] = !rows.empty();
  result["hasProfile"] = !profile.empty();
  result["hasSetOptions"] = !settings.empty();
  result["costs"] = std::move(rows);
  result["profile"] = std::move(profile);
  result["setOptions"] = std::move(settings);
  return result;
}

Object PromptContext::failure(const Attempt &attempt, bool withCode,
                              size_t maxCode) const {
  ProgramText text = programOf(kernel, attempt);
  std::string title = attempt.name();
  if (std::string rationale = attempt.rationale(); !rationale.empty())
    title += " (" + firstLine(rationale, 160) + ")";
  Object result{{"title", fixUTF8(title)},
                {"language", text.language},
                {"verdict", fixUTF8(attempt.verdict())}};
  if (std::string diagnostics = attempt.diagnostics(); !diagnostics.empty())
    result["diagnostics"] =
        fixUTF8(bounded(diagnostics, options.maxDiagnosticBytes));
  if (withCode && !text.code.empty())
    result["code"] = fixUTF8(bounded(text.code, maxCode));
  return result;
}

Array PromptContext::failures() const {
  Array result;
  unsigned withCode = 0;
  for (const Attempt &attempt : llvm::reverse(history.attempts)) {
    if (attempt.outcome == AttemptOutcome::Pending ||
        attempt.outcome == AttemptOutcome::Accepted)
      continue;
    if (result.size() == std::min(options.maxFailures, sections.failures))
      break;
    bool isAnswer = attempt.outcome == AttemptOutcome::Failed &&
                    ProposalOp(attempt.proposal).getStage() == Stage::Answer;
    // What failed without a model (a knob of the search) has no text of its
    // own.
    bool shown = !isAnswer && attempt.generation() >= 0 &&
                 withCode < options.maxFailuresWithCode;
    withCode += shown;
    result.push_back(failure(attempt, shown, options.maxFailedCodeBytes));
  }
  return result;
}

/// What became of an attempt, in the words that the strategy lets out: without
/// times where it tells none.
std::string PromptContext::describeOutcome(const Attempt &attempt) const {
  if (!sections.costs)
    return attempt.verdict();
  std::string text = attempt.describeOutcome();
  const Attempt *baseline = findBaseline(history);
  if (baseline && baseline != &attempt && baseline->time && attempt.time &&
      attempt.outcome == AttemptOutcome::Accepted && *attempt.time > 0)
    text += ", " + printFixed(*baseline->time / *attempt.time, 2) +
            "x against the baseline";
  return text;
}

Array PromptContext::insights(ArrayRef<const Attempt *> recalled) const {
  Array result;
  auto add = [&](const std::string &line) { result.push_back(fixUTF8(line)); };
  for (const Attempt *attempt : recalled)
    add(attempt->name() + " (" + describeOutcome(*attempt) +
        "): " + bounded(attempt->rationale(), 1000));
  if (sections.insights == PromptSections::Insights::Notes)
    for (const std::string &line : history.notes())
      add(line);
  bool isSummary = sections.insights == PromptSections::Insights::Summary;
  if (!isSummary && sections.insights != PromptSections::Insights::Notes)
    return result;
  if (isSummary)
    for (const Attempt *attempt :
         llvm::ArrayRef(history.ranked).take_front(6)) {
      if (attempt == history.best())
        continue;
      std::string line =
          attempt->name() + " was accepted: " + describeOutcome(*attempt);
      if (std::string rationale = attempt->rationale(); !rationale.empty())
        line += ": " + firstLine(rationale, 200);
      add(line);
    }
  unsigned pending = 0;
  for (const Attempt &attempt : llvm::reverse(history.attempts))
    if (attempt.outcome == AttemptOutcome::Pending && ++pending <= 12)
      add(attempt.name() + " is being tried already, give something else: " +
          firstLine(attempt.rationale(), 200));
  return result;
}

Object PromptContext::task() const {
  KernelOp kernel = this->kernel; // ops are handles, without const
  ProgramText reference = referenceProgram(kernel);
  Object context{
      {"task", Object{{"title", fixUTF8(kernel.getSymName())}}},
      {"contract",
       fixUTF8(StringRef(printContractHeader(kernel, nullptr)).rtrim())}};
  if (!reference.code.empty())
    context["reference"] = Object{
        {"language", reference.language},
        {"code", fixUTF8(bounded(reference.code, options.maxCodeBytes))}};
  return context;
}

JSON PromptContext::propose(StringRef instruction, unsigned candidates,
                            const Shown &shown) const {
  Object context = task();
  context["operator"] = fixUTF8(instruction.trim());
  context["candidates"] = std::to_string(candidates);
  if (shown.best)
    context["best"] = program(*shown.best);
  Array others, knobs, failed = failures(), learnt = insights(shown.recalled);
  for (const Attempt *parent : shown.parents)
    others.push_back(program(*parent));
  if (offer) {
    for (const PromptKnob &knob : offer->knobs)
      knobs.push_back(
          Object{{"knob", fixUTF8(knob.name)},
                 {"values", fixUTF8(llvm::join(knob.values, ", "))},
                 {"current", fixUTF8(currentValue(history, *offer, knob))},
                 {"meaning", fixUTF8(knob.meaning)}});
    context["scheduleName"] = fixUTF8(offer->name);
    if (!offer->constraints.empty())
      context["constraints"] = fixUTF8(llvm::join(offer->constraints, ", "));
    if (sections.schedule)
      context["schedule"] =
          Object{{"language", "schedule"},
                 {"code", fixUTF8(bounded(StringRef(offer->text).trim(),
                                          options.maxCodeBytes))}};
  }
  if (std::string text = history.repetitions();
      !text.empty() && sections.failures > 0)
    context["repetitions"] = fixUTF8(StringRef(text).rtrim());
  Array elsewhere, rewrites;
  for (const ElsewhereProgram &program : shown.elsewhere) {
    Object entry{
        {"title", fixUTF8(program.kernel + ", " +
                          printFixed(program.speedup, 2) + "x its baseline")},
        {"language", fixUTF8(program.language)},
        {"code", fixUTF8(bounded(program.code, options.maxCodeBytes))}};
    if (!program.rationale.empty())
      entry["rationale"] = fixUTF8(bounded(program.rationale, 1000));
    elsewhere.push_back(std::move(entry));
  }
  for (const std::string &line : shown.rewrites)
    rewrites.push_back(fixUTF8(line));
  if (shown.total > 1)
    context["atOnce"] = Object{{"number", std::to_string(shown.number)},
                               {"total", std::to_string(shown.total)}};
  context["hasLaunch"] = shown.isReferencePlan &&
                         llvm::is_contained(offered, GenomeLanguage::Options);
  context["hasElsewhere"] = !elsewhere.empty();
  context["hasRewrites"] = !rewrites.empty();
  context["elsewhere"] = std::move(elsewhere);
  context["rewrites"] = std::move(rewrites);
  context["hasParents"] = !others.empty();
  context["hasKnobs"] = !knobs.empty();
  context["hasFailures"] = !failed.empty();
  context["hasInsights"] = !learnt.empty();
  context["parents"] = std::move(others);
  context["knobs"] = std::move(knobs);
  context["failures"] = std::move(failed);
  context["insights"] = std::move(learnt);
  return context;
}

JSON PromptContext::repairCandidates(ArrayRef<const Attempt *> failed) const {
  Array list;
  for (const Attempt *attempt : failed)
    list.push_back(failure(*attempt, /*withCode=*/true, options.maxCodeBytes));
  return Object{
      {"hasFailures", !list.empty()},
      {"failures", std::move(list)},
      {"contract",
       fixUTF8(StringRef(printContractHeader(kernel, nullptr)).rtrim())}};
}

JSON PromptContext::repairAnswer(StringRef problems) {
  return Object{{"answerProblems", fixUTF8(problems.trim())}};
}

Array PromptContext::attempts(int64_t since, const Attempt *without) const {
  Array result;
  for (const Attempt &attempt : history.attempts) {
    if (attempt.generation() <= since || &attempt == without ||
        attempt.outcome == AttemptOutcome::Pending)
      continue;
    std::string line = attempt.name();
    if (std::string rationale = attempt.rationale(); !rationale.empty())
      line += ", " + firstLine(rationale, 200);
    line += ": " + firstLine(describeOutcome(attempt), 160);
    if (std::string diagnostics = attempt.diagnostics(); !diagnostics.empty())
      line += ", " + firstLine(diagnostics, 160);
    result.push_back(fixUTF8(line));
  }
  return result;
}

JSON PromptContext::distill(int64_t since, unsigned lines) const {
  Object context = task();
  Array old, tried = attempts(since, nullptr);
  for (const std::string &line : history.notes())
    old.push_back(fixUTF8(line));
  context["hasInsights"] = !old.empty();
  context["insights"] = std::move(old);
  context["hasAttempts"] = !tried.empty();
  context["attempts"] = std::move(tried);
  context["lines"] = std::to_string(lines);
  return context;
}

JSON PromptContext::judge(ProposalOp proposal, StringRef aspect) const {
  Object context = task();
  context["aspect"] = fixUTF8(aspect.trim());
  context["candidate"] = Object{
      {"language", stringifyGenome(proposal.getGenome())},
      {"code",
       fixUTF8(bounded(proposal.getText().trim(), options.maxCodeBytes))}};
  return context;
}

JSON PromptContext::explain(const Attempt &best) const {
  Object context = task();
  Array tried = attempts(-1, &best);
  context["best"] = program(best);
  context["hasAttempts"] = !tried.empty();
  context["attempts"] = std::move(tried);
  return context;
}
