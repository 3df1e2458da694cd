// The verdict: reference and candidate on the same samples, findings first,
// values second. A candidate can only make its own evidence worse; what is
// wrong with contract or reference is a diagnostic instead.
#include "evo/Verification/Verifier.h"
#include "Compare.h"
#include "FieldTrial.h"
#include "Shapes.h"
#include "TensorReference.h"
#include "Trial.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include <chrono>

using namespace mlir;
using namespace evo;

namespace {

struct EffortLevel {
  unsigned shapes, distributions;
  int64_t workLimit;
  /// Lane instructions that the field's samples may take together.
  uint64_t fieldInstructions;
};

/// What the samples of one candidate added up to.
struct Tally {
  unsigned samples = 0, shapes = 0, dropped = 0, skipped = 0;
  bool bitIdentical = true;
  bool inOrder = false; // blocks wait for blocks of smaller numbers
  double worstRatio = 0;
};

/// A counterexample, or why there is no verdict.
struct Refutation {
  std::string reason;  // "out-of-bounds", "different result", ...
  std::string message; // one line for people and proposers
  NamedAttrList details;
  bool undecided = false; // the engine, not the candidate, could not go on
};

class PlanVerifier {
public:
  PlanVerifier(KernelOp kernel, Operation *plan, const VerifyOptions &options,
               DeviceBuilder &builder)
      : kernel(kernel), plan(plan), options(options), builder(builder),
        b(kernel.getContext()), start(std::chrono::steady_clock::now()) {}

  FailureOr<EvidenceAttr> run();

private:
  KernelOp kernel;
  Operation *plan;
  const VerifyOptions &options;
  DeviceBuilder &builder;
  Builder b;
  std::chrono::steady_clock::time_point start;
  llvm::LLVMContext llvmContext;
  std::string hash;
  std::optional<ExecutablePlan> reference, written, shipped;
  Tally tally;
  std::vector<double> floatConstants;
  unsigned distributionsDrawn = 0;
  std::optional<Refutation> refutation;
  std::optional<FieldTrial> field;
  /// Shapes that were tried, with the lane instructions of one run of both.
  std::vector<std::pair<uint64_t, Bindings>> tried;

  LogicalResult prepareReference();
  /// Fills `refutation` (and answers a grade) where the candidate cannot run.
  std::optional<Grade> prepareCandidate();
  LogicalResult tryShape(const Bindings &sizes, unsigned distributions,
                         Random random);
  LogicalResult trySample(const TrialInputs &inputs, Distribution distribution,
                          bool runWritten, Random &random);
  void compare(const TrialInputs &inputs, const TrialRun &wanted,
               const TrialRun &got);
  void refuteFinding(const exec::Finding &finding);
  EvidenceAttr evidence(Grade grade);
  Grade judgeInField(EffortLevel level, Random random);
  EffortLevel effortLevel() const;
  int64_t estimateWork(const Bindings &sizes);
  llvm::Expected<TrialRun> runBounded(const ExecutablePlan &form,
                                      const TrialInputs &inputs,
                                      exec::Options engine, Random &random);
  bool timeIsUp() const {
    return options.secondsBudget > 0 &&
           std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         start)
                   .count() > options.secondsBudget;
  }
};

} // namespace

EffortLevel PlanVerifier::effortLevel() const {
  switch (options.effort) {
  case Effort::Quick:
    return {4, 1, 40'000, 1'000'000};
  case Effort::Default:
    return {9, 2, 150'000, 4'000'000};
  case Effort::Thorough:
    return {32, 4, 400'000, 32'000'000};
  }
  return {9, 2, 150'000, 4'000'000};
}

/// What a shape costs, roughly: the product of all dimensions, which bounds the
/// work of most kernels, or the threads launched, which bounds it from below.
int64_t PlanVerifier::estimateWork(const Bindings &sizes) {
  double product = 1;
  for (StringRef dim : kernel.getDimensionNames())
    product *= std::max<int64_t>(1, sizes.lookup(dim));
  double threads = std::max(double(reference->countThreads(sizes)),
                            double(shipped->countThreads(sizes)));
  return static_cast<int64_t>(std::min(1e18, std::max(product, 2 * threads)));
}

/// Whether the budget ended among many blocks, none of which had much of it.
static bool isDearRatherThanEndless(const exec::LaunchResult &result,
                                    uint64_t budget) {
  return result.stats.lastBlockInstructions < budget / 16;
}

/// Runs the candidate within its budget. Where it has ended on an earlier
/// sample, or ends block by block, it gets a second, larger one: a kernel that
/// is dear at one shape is not endless.
llvm::Expected<TrialRun> PlanVerifier::runBounded(const ExecutablePlan &form,
                                                  const TrialInputs &inputs,
                                                  exec::Options engine,
                                                  Random &random) {
  engine.poison = random.next();
  uint64_t order = random.next() | 1;
  llvm::Expected<TrialRun> run = runTrial(form, inputs, engine, order);
  if (run && !run->result.clean() &&
      run->result.findings.front().kind == exec::FindingKind::WaitsForBlock) {
    // Devices start blocks in the order of their numbers, though nothing says
    // they must: programs that rely on it are run so, and the evidence says so.
    tally.inOrder = true;
    return runTrial(form, inputs, engine, 0);
  }
  if (!run || run->result.clean() ||
      run->result.findings.front().kind != exec::FindingKind::BudgetExceeded)
    return run;
  if (tally.samples < 2 &&
      !isDearRatherThanEndless(run->result, engine.limits.laneInstructions))
    return run;
  engine.limits.laneInstructions *= 20;
  return runTrial(form, inputs, engine, order);
}

EvidenceAttr PlanVerifier::evidence(Grade grade) {
  NamedAttrList details;
  auto number = [&](StringRef key, int64_t value) {
    details.append(key, b.getI64IntegerAttr(value));
  };
  number("seed", static_cast<int64_t>(options.seed));
  number("samples", tally.samples);
  number("shapes", tally.shapes);
  if (tally.dropped)
    number("dropped", tally.dropped);
  if (refutation) {
    details.append("reason", b.getStringAttr(refutation->reason));
    details.append("message", b.getStringAttr(refutation->message));
    for (NamedAttribute detail : refutation->details)
      details.append(detail);
  } else {
    details.append("worst_ratio", b.getF64FloatAttr(tally.worstRatio));
    details.append("bit_identical", b.getBoolAttr(tally.bitIdentical));
    if (tally.inOrder)
      details.append("assumes", b.getStringAttr("blocks start in the order of "
                                                "their numbers"));
    number("field_samples", field->counted);
    if (field->forfeited)
      number("field_forfeited", field->forfeited);
    if (!field->snapped.empty())
      details.append("snapped",
                     b.getStringAttr(llvm::join(field->snapped, "; ")));
    if (grade == Grade::Numeric)
      details.append("not_algebraic", b.getStringAttr(field->notAlgebraic));
    if (grade == Grade::Algebraic)
      details.append("not_exact", b.getStringAttr(field->notExact));
  }
  return EvidenceAttr::get(kernel.getContext(), grade, b.getStringAttr(hash),
                           details.getDictionary(kernel.getContext()));
}

LogicalResult PlanVerifier::prepareReference() {
  ReferenceOp op = kernel.getReference();
  if (!kernel.hasContract())
    return kernel.emitError("has no contract, so nothing can be checked");
  if (!op)
    return kernel.emitError("has no evo.reference to be checked against");
  OwningOpRef<ModuleOp> lowered;
  if (!op.isLaunchPlan()) {
    FailureOr<OwningOpRef<ModuleOp>> result = lowerTensorReference(kernel);
    if (failed(result))
      return failure();
    lowered = std::move(*result);
    op = (*lowered->getOps<KernelOp>().begin()).getReference();
  }
  CodegenOptions codegen;
  codegen.target = options.target;
  FailureOr<std::vector<DeviceModule>> modules = builder.build(
      op, codegen, llvmContext, DeviceBuilder::Forms::Unoptimized);
  if (failed(modules))
    return failure();
  llvm::Expected<ExecutablePlan> executable =
      ExecutablePlan::create(op, *modules, ExecutablePlan::Form::AsWritten);
  if (!executable)
    return op.emitError() << "the reference cannot be executed: "
                          << llvm::toString(executable.takeError());
  reference = std::move(*executable);
  return success();
}

std::optional<Grade> PlanVerifier::prepareCandidate() {
  // Diagnostics of a candidate are data, so they are caught.
  std::string caught;
  ScopedDiagnosticHandler handler(kernel.getContext(), [&](Diagnostic &diag) {
    if (!caught.empty())
      caught += "; ";
    caught += diag.str();
    return success();
  });
  auto refuse = [&](StringRef reason, std::string message, Grade grade) {
    refutation = Refutation{reason.str(), std::move(message), {}};
    return grade;
  };
  FailureOr<CodegenOptions> codegen =
      CodegenOptions::parse(plan->getAttrOfType<DictionaryAttr>("options"),
                            options.target, plan->getLoc());
  if (failed(codegen))
    return refuse("does-not-build", caught, Grade::Refuted);
  FailureOr<std::vector<DeviceModule>> modules =
      builder.build(plan, *codegen, llvmContext);
  if (failed(modules))
    return refuse("does-not-build", caught, Grade::Refuted);
  hash = hashPlan(plan, *modules, *codegen);
  for (auto [form, slot] :
       {std::pair(ExecutablePlan::Form::AsWritten, &written),
        std::pair(ExecutablePlan::Form::AsShipped, &shipped)}) {
    llvm::Expected<ExecutablePlan> executable =
        ExecutablePlan::create(plan, *modules, form);
    if (!executable)
      return refuse("unsupported", llvm::toString(executable.takeError()),
                    Grade::Unsupported);
    *slot = std::move(*executable);
  }
  return std::nullopt;
}

void PlanVerifier::refuteFinding(const exec::Finding &finding) {
  refutation =
      Refutation{exec::findingKindName(finding.kind), finding.str(), {}};
  refutation->undecided = finding.kind == exec::FindingKind::Unsupported ||
                          finding.kind == exec::FindingKind::WaitsForBlock;
  if (finding.location.line)
    refutation->details.append("location",
                               b.getStringAttr(finding.location.str()));
  if (finding.otherLocation.line)
    refutation->details.append("other_location",
                               b.getStringAttr(finding.otherLocation.str()));
}

void PlanVerifier::compare(const TrialInputs &inputs, const TrialRun &wanted,
                           const TrialRun &got) {
  for (const TrialInputs::Buffer &buffer : inputs.buffers) {
    if (!buffer.arg.isWritten())
      continue;
    StringRef name = buffer.arg.getName().getValue();
    Comparison comparison =
        compareOutput(buffer.arg, kernel.getAccuracyAttr(), buffer.elements,
                      *wanted.memory, wanted.values.buffers.lookup(name),
                      *got.memory, got.values.buffers.lookup(name));
    tally.bitIdentical &= comparison.equal;
    tally.worstRatio = std::max(tally.worstRatio, comparison.worstRatio);
    if (comparison.withinBound)
      continue;
    refutation =
        Refutation{"different-result",
                   name.str() + "[" + std::to_string(comparison.index) +
                       "]: expected " + comparison.expected + ", found " +
                       comparison.found + " (" + comparison.message + ")",
                   {}};
    refutation->details.append("argument", b.getStringAttr(name));
    refutation->details.append("index", b.getI64IntegerAttr(comparison.index));
    return;
  }
}

LogicalResult PlanVerifier::trySample(const TrialInputs &inputs,
                                      Distribution distribution,
                                      bool runWritten, Random &random) {
  exec::Options engine;
  engine.limits.laneInstructions = options.instructionBudget;
  engine.shadow = exec::Shadow::GhostAndError;
  // Races need watching once for each shape only: normal data comes first.
  engine.detectRaces = runWritten;
  llvm::Expected<TrialRun> wanted = runTrial(*reference, inputs, engine, 0);
  if (!wanted)
    return kernel.emitError()
           << "the reference cannot be run at " << printBindings(inputs.sizes)
           << ": " << llvm::toString(wanted.takeError());
  if (!wanted->result.clean()) {
    refuteFinding(wanted->result.findings.front());
    if (refutation->undecided) {
      refutation->message = "the reference " + refutation->message;
      return success();
    }
    refutation.reset();
  }
  if (!wanted->result.clean())
    return kernel.emitError() << "the reference is itself faulty at "
                              << printBindings(inputs.sizes) << ": "
                              << wanted->result.findings.front().str();
  if (distribution != Distribution::Special)
    for (const TrialInputs::Buffer &buffer : inputs.buffers)
      if (buffer.arg.isWritten() &&
          !isFiniteOutput(
              buffer.arg, buffer.elements, *wanted->memory,
              wanted->values.buffers.lookup(buffer.arg.getName().getValue()))) {
        ++tally.dropped;
        return success();
      }
  ++tally.samples;

  engine.shadow = exec::Shadow::None;
  uint64_t instructions = wanted->result.stats.laneInstructions;
  auto runCandidate = [&](const ExecutablePlan &form) {
    llvm::Expected<TrialRun> got = runBounded(form, inputs, engine, random);
    if (!got) {
      refutation =
          Refutation{"cannot-run", llvm::toString(got.takeError()), {}};
      return;
    }
    if (!got->result.clean())
      return refuteFinding(got->result.findings.front());
    if (&form == &*shipped)
      instructions += got->result.stats.laneInstructions;
    compare(inputs, *wanted, *got);
  };
  if (runWritten)
    runCandidate(*written);
  engine.detectRaces = false;
  if (!refutation)
    runCandidate(*shipped);
  if (runWritten)
    tried.emplace_back(instructions, inputs.sizes);
  if (refutation) {
    refutation->details.append("at",
                               b.getStringAttr(printBindings(inputs.sizes)));
    refutation->details.append(
        "values", b.getStringAttr(getDistributionName(distribution)));
  }
  return success();
}

LogicalResult PlanVerifier::tryShape(const Bindings &sizes,
                                     unsigned distributions, Random random) {
  llvm::Expected<bool> empty = reference->isEmpty(sizes);
  if (!empty || *empty) {
    if (!empty)
      llvm::consumeError(empty.takeError());
    ++tally.skipped;
    return success();
  }
  ++tally.shapes;
  bool any = llvm::any_of(
      kernel.getArgsAttr().getAsRange<ArgumentAttr>(), [](ArgumentAttr arg) {
        return arg.getDomain() && arg.getDomain().getKind() == DomainKind::Any;
      });
  for (unsigned trial = 0; trial < distributions && !refutation; ++trial) {
    // Normal data first, for it has the fewest coincidences.
    auto distribution = Distribution::Normal;
    if (trial > 0)
      // In turn, so that a few samples already see most of them.
      distribution = static_cast<Distribution>(
          1 + (options.seed + distributionsDrawn++) %
                  (any ? numDistributions - 1 : numDistributions - 2));
    llvm::Expected<TrialInputs> inputs =
        drawInputs(kernel, sizes, distribution, floatConstants, random.split());
    if (!inputs) {
      llvm::consumeError(inputs.takeError());
      ++tally.dropped;
      continue;
    }
    if (failed(trySample(*inputs, distribution, trial == 0, random)))
      return failure();
    if (timeIsUp())
      break;
  }
  return success();
}

FailureOr<EvidenceAttr> PlanVerifier::run() {
  if (failed(prepareReference()))
    return failure();
  if (std::optional<Grade> grade = prepareCandidate())
    return evidence(*grade);
  EffortLevel level = effortLevel();
  Random random(options.seed);
  std::vector<int64_t> constants = shipped->getConstants();
  floatConstants = shipped->getFloatConstants();
  llvm::append_range(floatConstants, reference->getFloatConstants());
  llvm::append_range(constants, reference->getConstants());
  std::vector<Bindings> shapes = sampleShapes(
      kernel, plan, constants, options.target, level.shapes, level.workLimit,
      [&](const Bindings &sizes) { return estimateWork(sizes); },
      random.split());
  for (const Bindings &sizes : shapes) {
    if (failed(tryShape(sizes, level.distributions, random.split())))
      return failure();
    if (refutation)
      return evidence(refutation->undecided ? Grade::Unsupported
                                            : Grade::Refuted);
    if (timeIsUp()) {
      refutation = Refutation{
          "out-of-time", "the time budget ended before the judgement", {}};
      return evidence(Grade::Unsupported);
    }
  }
  if (tally.samples == 0) {
    refutation = Refutation{"no-samples",
                            "no sizes and values were found that satisfy the "
                            "requirements and run clean",
                            {}};
    return evidence(Grade::Unsupported);
  }
  return evidence(judgeInField(level, random.split()));
}

/// The grade of a candidate that is within the bound on every sample.
Grade PlanVerifier::judgeInField(EffortLevel level, Random random) {
  field.emplace(kernel, *reference, *shipped, level.fieldInstructions,
                tally.inOrder);
  exec::Options engine;
  engine.limits.laneInstructions = options.instructionBudget;
  llvm::stable_sort(tried, llvm::less_first());
  for (auto &[instructions, sizes] : tried) {
    if (timeIsUp()) {
      field->notAlgebraic = "the time budget ended";
      break;
    }
    if (!field->wantsMore(instructions))
      break;
    if (std::optional<exec::Finding> finding =
            field->tryShape(sizes, engine, random.split())) {
      refuteFinding(*finding);
      refutation->details.append("at", b.getStringAttr(printBindings(sizes)));
      return Grade::Refuted;
    }
  }
  field->finish();
  if (!field->isAlgebraic())
    return Grade::Numeric;
  if (!tally.bitIdentical && field->notExact.empty())
    field->notExact = "results differ in their last bits";
  return field->isSameExpression() ? Grade::Exact : Grade::Algebraic;
}

FailureOr<EvidenceAttr> evo::verifyPlan(KernelOp kernel, Operation *plan,
                                        const VerifyOptions &options,
                                        DeviceBuilder &builder) {
  return PlanVerifier(kernel, plan, options, builder).run();
}

FailureOr<std::string> evo::expectedEvidenceHash(Operation *plan,
                                                 StringRef target,
                                                 DeviceBuilder &builder) {
  FailureOr<CodegenOptions> codegen = CodegenOptions::parse(
      plan->getAttrOfType<DictionaryAttr>("options"), target, plan->getLoc());
  if (failed(codegen))
    return failure();
  llvm::LLVMContext context;
  FailureOr<std::vector<DeviceModule>> modules =
      builder.build(plan, *codegen, context, DeviceBuilder::Forms::Optimized);
  if (failed(modules))
    return failure();
  return hashPlan(plan, *modules, *codegen);
}

bool evo::hasValidEvidence(VariantOp variant, StringRef target,
                           DeviceBuilder &builder, std::string &why) {
  EvidenceAttr evidence = variant.getEvidenceAttr();
  if (!evidence) {
    why = "it has no evidence";
    return false;
  }
  if (!evidence.isAccepted()) {
    why = ("its evidence says " + stringifyGrade(evidence.getGrade())).str();
    return false;
  }
  FailureOr<std::string> hash = expectedEvidenceHash(variant, target, builder);
  if (failed(hash) || *hash != evidence.getHash().getValue()) {
    why = "its evidence is bound to other code, contract, target or tool "
          "version";
    return false;
  }
  return true;
}
