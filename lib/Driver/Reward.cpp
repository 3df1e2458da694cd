// evo-opt reward: candidates in, one per line; verdicts out, one per line, in
// their order. For whoever trains or tests a model: the workers stay warm, and
// what has arrived together is evaluated side by side.
#include "evo/Interfaces/Reward.h"
#include "Report.h"
#include "Verbs.h"
#include "evo/Interfaces/Backends.h"
#include "evo/Interfaces/Faults.h"
#include "evo/Interfaces/Fitness.h"
#include "evo/Interfaces/Interrupt.h"
#include "evo/LLM/AnswerParser.h"
#include "evo/Support/JSON.h"
#include "evo/Support/OwnDiagnostics.h"
#include <csignal>
#include <poll.h>
#include <unistd.h>

using namespace mlir;
using namespace evo;
using llvm::json::Object;

namespace {
/// One line of input.
struct Candidate {
  llvm::json::Value id = nullptr;
  Genome genome = Genome::CUDA;
  std::string code;
  std::map<std::string, std::string> options;
  std::string problem; ///< why it is none
};

/// What a reward rests on.
struct Times {
  std::optional<double> micros, baseline;
  bool isMeasured = false;
  std::string problem; ///< why the device gives none
};

class Judge {
public:
  /// `timer` is null where times are estimated.
  Judge(KernelOp kernel, const BackendInterface &backends, std::string pipeline,
        Measurer *timer, TargetAttrInterface target)
      : kernel(kernel), backends(backends), pipeline(std::move(pipeline)),
        timer(timer), target(target) {}

  /// The reference's own plan, for the ratio of times.
  LogicalResult judgeBaseline();
  LogicalResult judge(ArrayRef<Candidate> candidates);
  /// What no candidate can be blamed for: a reference that is wrong itself, or
  /// what this machine lacks. Nothing: neither.
  struct Fault {
    FaultKind kind;
    std::string text;
  };
  const std::optional<Fault> &getFault() const { return fault; }

private:
  KernelOp kernel;
  const BackendInterface &backends;
  std::string pipeline;
  Measurer *timer;
  TargetAttrInterface target;
  std::optional<double> baseline;
  std::optional<Fault> fault;

  OwningOpRef<ModuleOp> isolate(const Candidate &candidate) const;
  void noteFault(const Outcome &outcome, bool mayBeOfReference);
  Times time(VariantOp accepted);
  void print(const Candidate &candidate, const Outcome &outcome);
};
} // namespace

/// Reads `{"code": ..., "language"?, "options"?, "id"?}`, or `{"answer": ...}`
/// with a model's whole answer, of which the first candidate counts.
static Candidate readCandidate(StringRef line, Genome usualGenome) {
  Candidate candidate;
  candidate.genome = usualGenome;
  llvm::Expected<llvm::json::Value> value = evo::parseJSON(line);
  if (!value) {
    candidate.problem = "no JSON: " + llvm::toString(value.takeError());
    return candidate;
  }
  const Object *object = value->getAsObject();
  if (!object) {
    candidate.problem = "no JSON object";
    return candidate;
  }
  if (const llvm::json::Value *id = object->get("id"))
    candidate.id = *id;
  if (auto answer = object->getString("answer")) {
    llvm::Expected<llm::ParsedAnswer> parsed = llm::parseAnswer(*answer);
    if (!parsed) {
      candidate.problem = llvm::toString(parsed.takeError());
      return candidate;
    }
    llm::ParsedCandidate &first = parsed->candidates.front();
    candidate.genome = *symbolizeGenome(llm::languageName(first.language));
    candidate.code = std::move(first.code);
    candidate.options = std::move(first.options);
    return candidate;
  }
  auto language = object->getString("language");
  std::optional<Genome> genome =
      language ? symbolizeGenome(*language) : usualGenome;
  candidate.genome = genome.value_or(usualGenome);
  auto code = object->getString("code");
  if (!code)
    candidate.problem = "needs 'code' or 'answer'";
  else if (!genome)
    candidate.problem = "'" + language->str() + "' is no language";
  else
    candidate.code = code->str();
  if (const Object *options = object->getObject("options"))
    for (const auto &entry : *options) {
      std::string text;
      if (auto word = entry.second.getAsString())
        text = word->str();
      else if (auto number = entry.second.getAsInteger())
        text = std::to_string(*number);
      candidate.options[entry.first.str()] = text;
    }
  return candidate;
}

OwningOpRef<ModuleOp> Judge::isolate(const Candidate &candidate) const {
  KernelOp kernel = this->kernel;
  OwningOpRef<ModuleOp> module = ModuleOp::create(kernel.getLoc());
  OpBuilder b = OpBuilder::atBlockEnd(module->getBody());
  auto copy = cast<KernelOp>(b.cloneWithoutRegions(*kernel));
  b.createBlock(&copy.getBody());
  for (Operation &op : kernel.getBody().front())
    if (isa<ReferenceOp, RaisedOp>(op))
      b.clone(op);
  NamedAttrList options;
  NamedAttrList knobs;
  for (const auto &[name, text] : candidate.options) {
    // What code generation does not know are a schedule's knobs, or nothing.
    bool known = name == "opt" || name == "maxnreg" || name == "codegen";
    if (!known && candidate.genome != Genome::Schedule)
      continue;
    int64_t number;
    bool isText = StringRef(text).getAsInteger(10, number);
    if (!known || isText)
      (known ? options : knobs).set(name, b.getStringAttr(text));
    else
      options.set(name, b.getI64IntegerAttr(number));
  }
  if (!knobs.empty())
    options.set("knobs", knobs.getDictionary(b.getContext()));
  ProposalOp::create(b, kernel.getLoc(), b.getStringAttr("candidate"),
                     GenomeAttr::get(b.getContext(), candidate.genome),
                     b.getStringAttr(llvm::json::fixUTF8(candidate.code)),
                     options.empty() ? DictionaryAttr()
                                     : options.getDictionary(b.getContext()),
                     StringAttr(), StringAttr(), b.getStringAttr("user"),
                     StageAttr(), StringAttr());
  return module;
}

/// The first op of a kind in what an evaluation gave; null where there is none.
template <typename Op> static Op findFirst(const Outcome &outcome) {
  Op result;
  if (outcome.module)
    const_cast<Outcome &>(outcome).module->walk([&](Op op) {
      if (!result)
        result = op;
    });
  return result;
}

void Judge::print(const Candidate &candidate, const Outcome &outcome) {
  Object line{{"id", candidate.id}, {"accepted", false}, {"reward", 0.0}};
  auto fail = [&](StringRef stage, StringRef why) {
    line["stage"] = stage;
    line["failure"] = llvm::json::fixUTF8(why);
  };
  Times times = {std::nullopt, baseline};
  auto proposal = findFirst<ProposalOp>(outcome);
  auto variant = findFirst<VariantOp>(outcome);
  EvidenceAttr evidence = variant ? variant.getEvidenceAttr() : EvidenceAttr();
  if (!candidate.problem.empty())
    fail("input", candidate.problem);
  else if (proposal && proposal.getFailure())
    fail(stringifyStage(*proposal.getStage()), *proposal.getFailure());
  else if (outcome.fault || !evidence)
    fail(stringifyStage(outcome.stage), outcome.failure);
  if (evidence) {
    line["grade"] = stringifyGrade(evidence.getGrade());
    for (evidence::Text key :
         {evidence::reason, evidence::message, evidence::location})
      if (StringRef text = evidence.getDetail(key); !text.empty())
        line[key.name] = llvm::json::fixUTF8(text);
    bool isAccepted = evidence.isAccepted() && !outcome.fault;
    if (isAccepted)
      times = time(variant);
    if (fault)
      return; // a reward of zero would be a lie
    if (!isAccepted)
      times.micros = weightedTime(variant, /*measured=*/false);
    if (!times.problem.empty()) {
      // What the device finds wrong, or cannot run, is worth nothing.
      isAccepted = false;
      fail("measure", times.problem);
    }
    line["accepted"] = isAccepted;
    line["reward"] = rewardOf(isAccepted, times.baseline, times.micros);
    if (isAccepted)
      line["rests_on"] = times.isMeasured ? "measured" : "estimated";
    if (times.micros)
      line["micros"] = *times.micros;
  }
  if (times.baseline)
    line["baseline_micros"] = *times.baseline;
  line["seconds"] = outcome.seconds;
  llvm::outs() << llvm::json::Value(std::move(line)) << '\n';
  llvm::outs().flush();
}

Times Judge::time(VariantOp accepted) {
  Times times = {weightedTime(accepted, /*measured=*/false), baseline};
  if (!timer)
    return times;
  std::string problem;
  OwnDiagnosticHandler listener(
      accepted.getContext(), [&](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
          problem = diagnostic.str();
        return success();
      });
  FailureOr<CostAttr> cost = timer->measure(accepted, target);
  if (failed(cost)) {
    // A candidate is to blame only where the device is still there.
    std::string why;
    if (!isInterrupted() && timer->isAvailable(why))
      times.problem = problem;
    else
      fault = Fault{FaultKind::Machine, problem};
    return times;
  }
  accepted.setMeasuredAttr(*cost);
  times.isMeasured = true;
  times.micros = weightedTime(accepted, /*measured=*/true);
  if (auto micros = cost->getDetails().getAs<DenseF64ArrayAttr>("baseline_us"))
    times.baseline = weightedMean(kernel, micros.asArrayRef());
  return times;
}

void Judge::noteFault(const Outcome &outcome, bool mayBeOfReference) {
  auto proposal = findFirst<ProposalOp>(outcome);
  // A proposal that failed has said so in its own attributes.
  std::optional<FaultKind> kind = outcome.fault;
  StringRef failure = outcome.failure;
  if (proposal && proposal.getFailure()) {
    kind = faultOf(proposal);
    failure = *proposal.getFailure();
  }
  if (outcome.module && (kind == FaultKind::Machine ||
                         (mayBeOfReference && kind == FaultKind::Reference)))
    fault = Fault{*kind, failure.str()};
}

LogicalResult Judge::judgeBaseline() {
  ReferenceOp reference = kernel.getReference();
  if (!reference || !reference.isLaunchPlan())
    return success();
  Candidate own;
  own.genome = Genome::Options;
  OwningOpRef<ModuleOp> module = isolate(own);
  FailureOr<Outcome> outcome = backends.evaluator->evaluate(*module, pipeline);
  if (failed(outcome))
    return failure();
  noteFault(*outcome, /*mayBeOfReference=*/true);
  if (auto variant = findFirst<VariantOp>(*outcome))
    baseline = weightedTime(variant, /*measured=*/false);
  return success();
}

LogicalResult Judge::judge(ArrayRef<Candidate> candidates) {
  SmallVector<OwningOpRef<ModuleOp>> owned;
  SmallVector<ModuleOp> modules;
  SmallVector<size_t> numbers; // of those that can be tried
  for (auto [index, candidate] : llvm::enumerate(candidates))
    if (candidate.problem.empty()) {
      owned.push_back(isolate(candidate));
      modules.push_back(*owned.back());
      numbers.push_back(index);
    }
  size_t printed = 0;
  auto printUntil = [&](size_t end) {
    for (; printed < end; ++printed)
      print(candidates[printed], Outcome());
  };
  if (failed(backends.evaluator->evaluateAll(
          modules, pipeline,
          [&](size_t index, Outcome &outcome) {
            noteFault(outcome, /*mayBeOfReference=*/false);
            if (fault) // a reward of zero would be a lie
              return FailureOr<bool>(false);
            printUntil(numbers[index]);
            print(candidates[printed++], outcome);
            return FailureOr<bool>(!fault);
          },
          /*busy=*/nullptr, /*deadline=*/std::nullopt)))
    return failure();
  if (!isInterrupted() && !fault)
    printUntil(candidates.size());
  return success();
}

/// Waits for input; false where the run is interrupted. A signal may come just
/// before poll sleeps, hence the steps.
static bool waitForInput() {
  pollfd input = {STDIN_FILENO, POLLIN, 0};
  while (!isInterrupted()) {
    int ready = poll(&input, 1, 100);
    if (ready > 0 || (ready < 0 && errno != EINTR))
      return true;
  }
  return false;
}

/// The lines that have arrived, at least one; none at the end of the input. The
/// last one may lack its end.
static std::vector<std::string> readLines(std::string &rest) {
  std::vector<std::string> lines;
  char buffer[65536];
  while (lines.empty() && waitForInput()) {
    ssize_t count = read(STDIN_FILENO, buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0) {
      if (!StringRef(rest).trim().empty())
        lines.push_back(std::move(rest));
      rest.clear();
      return lines;
    }
    rest.append(buffer, count);
    for (size_t end; (end = rest.find('\n')) != std::string::npos;) {
      if (!StringRef(rest).take_front(end).trim().empty())
        lines.push_back(rest.substr(0, end));
      rest.erase(0, end + 1);
    }
  }
  return lines;
}

static void onInterrupt(int) { requestInterrupt(); }

int evo::runReward(const VerbOptions &options) {
  if (options.inputs.size() != 1)
    return reportError(options, "'reward' takes one kernel file"), WrongInput;
  std::string to = "{target=" + options.target + "}";
  std::string pipeline = "builtin.module(evo.kernel(" +
                         verdictPasses(options, chooseSeed(options)) +
                         ",evo-lower" + to + ",evo-estimate" + to + "))";
  if (options.showPipeline) {
    llvm::outs() << pipeline << '\n';
    return Done;
  }
  KernelFile file(options.inputs[0], options);
  KernelOp kernel = file.getKernel("the file", /*needsContract=*/true);
  if (!kernel)
    return file.getExitCode();
  const BackendInterface *backends =
      BackendInterface::get(&file.getContext(), kernel.getLoc());
  if (!backends)
    return Infrastructure;
  if (auto why = whyNoDevices(options, *backends))
    return reportError(options, *why), Infrastructure;
  ::signal(SIGINT, onInterrupt);
  ::signal(SIGTERM, onInterrupt);
  Measurer *timer = options.noGPU ? nullptr : backends->getMeasurer("gpu");
  if (std::string why; timer && !timer->isAvailable(why))
    timer = nullptr;
  Judge judge(kernel, *backends, pipeline, timer,
              parseTarget(kernel.getContext(), options.target));
  if (failed(judge.judgeBaseline()))
    return Infrastructure;
  auto answerFault = [&] {
    reportError(options, judge.getFault()->text);
    return judge.getFault()->kind == FaultKind::Machine ? Infrastructure
                                                        : WrongInput;
  };
  if (judge.getFault())
    return answerFault();
  ReferenceOp reference = kernel.getReference();
  Genome usual = reference && reference.isLaunchPlan() && reference.getSource()
                     ? Genome::CUDA
                     : Genome::MLIR;
  std::string rest;
  while (true) {
    std::vector<Candidate> candidates;
    for (const std::string &line : readLines(rest))
      candidates.push_back(readCandidate(line, usual));
    if (candidates.empty())
      return Done;
    if (failed(judge.judge(candidates)))
      return Infrastructure;
    if (judge.getFault())
      return answerFault();
  }
}
