// Before the samples and after them: the forms of reference and candidate, and
// what becomes evidence. A candidate can only make its own evidence worse; what
// is wrong with contract or reference is a diagnostic instead.
#include "evo/Verification/Verifier.h"
#include "PlanVerifier.h"
#include "Reference.h"
#include "Verification/Sampling/Shapes.h"
#include "evo/Analysis/MinTarget.h"
#include "evo/Interfaces/Faults.h"
#include "evo/Prove/IndexProof.h"
#include "evo/Support/OwnDiagnostics.h"
#include "evo/Support/Sort.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace evo;

EffortLevel PlanVerifier::effortLevel() const {
  switch (options.effort) {
  case Effort::Quick:
    return {4, 1, 40'000, 1'000'000, 4, 2, 2'000'000, 12'000'000, 0, 0};
  case Effort::Default:
    return {9, 2, 150'000, 4'000'000, 8, 6, 16'000'000, 48'000'000, 200'000, 0};
  case Effort::Thorough:
    return {32, 4,           400'000,       32'000'000, 48,
            24, 200'000'000, 4'000'000'000, 5'000'000,  1'100'000'000};
  }
  return {9, 2, 150'000, 4'000'000, 8, 6, 16'000'000, 48'000'000, 200'000, 0};
}

/// "f.cu:12:7 never true; ...": each place once, the first few.
static std::string printBranches(ArrayRef<exec::OneWayBranch> branches,
                                 exec::BranchInput input) {
  constexpr size_t most = 6;
  SmallVector<std::string> texts;
  for (const exec::OneWayBranch &branch : branches)
    if (branch.input == input && !llvm::is_contained(texts, branch.str()))
      texts.push_back(branch.str());
  size_t more = texts.size() > most ? texts.size() - most : 0;
  texts.truncate(std::min(most, texts.size()));
  std::string text = llvm::join(texts, "; ");
  return more ? text + "; and " + std::to_string(more) + " more" : text;
}

EvidenceAttr PlanVerifier::evidence(Grade grade) {
  NamedAttrList details;
  auto number = [&](evidence::Integer key, int64_t value) {
    details.append(key.of(b, value));
  };
  auto listBranches = [&](evidence::Text key, exec::BranchInput input,
                          ArrayRef<exec::OneWayBranch> branches) {
    std::string text = printBranches(branches, input);
    if (!text.empty())
      details.append(key.of(b, text));
  };
  number(evidence::seed, static_cast<int64_t>(options.seed));
  number(evidence::samples, tally.samples);
  number(evidence::shapes, tally.shapes);
  if (tally.dropped)
    number(evidence::dropped, tally.dropped);
  if (tally.illConditioned)
    number(evidence::illConditioned, tally.illConditioned);
  if (tally.overBudget)
    number(evidence::overBudget, tally.overBudget);
  if (refutation) {
    details.append(evidence::reason.of(b, refutation->reason));
    details.append(evidence::message.of(b, refutation->message));
    for (NamedAttribute detail : refutation->details)
      details.append(detail);
  } else {
    details.append(evidence::worstRatio.of(b, tally.worstRatio));
    details.append(evidence::bitIdentical.of(b, tally.bitIdentical));
    SmallVector<std::string> assumed;
    if (tally.inOrder)
      assumed.push_back("blocks start in the order of their numbers");
    for (StringRef dim : tally.launchesNothingAt)
      assumed.push_back((dim + " > 0, for it has a launch without blocks "
                               "there")
                            .str());
    if (!assumed.empty())
      details.append(evidence::assumes.of(b, llvm::join(assumed, "; ")));
    if (tally.onlyShipped)
      number(evidence::onlyAsShipped, tally.onlyShipped);
    if (tally.unwatched)
      number(evidence::racesNotWatched, tally.unwatched);
    number(evidence::fieldSamples, field->counted);
    if (field->forfeited)
      number(evidence::fieldForfeited, field->forfeited);
    if (tally.literalSamples)
      number(evidence::literalSamples, tally.literalSamples);
    if (tally.sizesLeftOut)
      number(evidence::sizesLeftOut, tally.sizesLeftOut);
    if (tally.valuesLeftOut)
      number(evidence::valuesLeftOut, tally.valuesLeftOut);
    if (tally.orders)
      number(evidence::twoOrders, tally.orders);
    if (tally.repeatedCalls)
      number(evidence::repeatedCalls, tally.repeatedCalls);
    if (!tally.sampledBlocks.empty())
      details.append(
          evidence::sampledBlocks.of(b, llvm::join(tally.sampledBlocks, "; ")));
    if (!tally.fullGrid.empty())
      details.append(
          evidence::fullGrid.of(b, llvm::join(tally.fullGrid, "; ")));
    if (tally.indexOverflowShapes)
      number(evidence::beyond32Bits, tally.indexOverflowShapes);
    std::vector<exec::OneWayBranch> open = written->getOneWayBranches(coverage);
    listBranches(evidence::oneWayOnData, exec::BranchInput::Data, open);
    listBranches(evidence::oneWayOnSizes, exec::BranchInput::Launch, open);
    if (!field->snapped.empty())
      details.append(evidence::snapped.of(b, llvm::join(field->snapped, "; ")));
    if (uint64_t effort = effortLevel().proofEffort) {
      IndexProof proof = proveIndices(plan, effort);
      if (!proof.proved.empty())
        details.append(evidence::proved.of(b, proof.proved));
      if (!proof.open.empty())
        details.append(evidence::notProved.of(b, proof.open));
    }
    if (grade == Grade::Numeric)
      details.append(evidence::notAlgebraic.of(b, field->notAlgebraic));
    if (grade == Grade::Algebraic)
      details.append(evidence::notExact.of(b, field->notExact));
  }
  return EvidenceAttr::get(kernel.getContext(), grade, b.getStringAttr(hash),
                           details.getDictionary(kernel.getContext()));
}

std::optional<Grade> PlanVerifier::prepareCandidate() {
  // Diagnostics of a candidate are data, so they are caught.
  std::string caught;
  OwnDiagnosticHandler handler(kernel.getContext(), [&](Diagnostic &diag) {
    if (!caught.empty())
      caught += "; ";
    caught += diag.str();
    return success();
  });
  auto refuse = [&](StringRef reason, std::string message, Grade grade) {
    refutation = Refutation{reason.str(), std::move(message), {}};
    return grade;
  };
  FailureOr<CodegenOptions> codegen = CodegenOptions::parse(
      plan.getOptionsAttr(), options.target, plan.getLoc());
  if (failed(codegen))
    return refuse("does-not-build", caught, Grade::Refuted);
  FailureOr<std::vector<DeviceModule>> modules =
      builder.build(plan, *codegen, llvmContext);
  if (failed(modules))
    return refuse("does-not-build", caught, Grade::Refuted);
  hash = hashPlan(plan, *modules, *codegen);
  for (const DeviceModule &module : *modules)
    if (auto lacking =
            exec::findInstructionsLacking(*module.optimized, options.target);
        !lacking.empty())
      return refuse("does-not-build", lacking.front().str(), Grade::Refuted);
  for (auto [form, slot] :
       {std::pair(ExecutablePlan::Form::PreOptimisation, &written),
        std::pair(ExecutablePlan::Form::PostOptimisation, &shipped)}) {
    llvm::Expected<ExecutablePlan> executable =
        ExecutablePlan::create(plan, *modules, form);
    if (!executable)
      return refuse("unsupported", llvm::toString(executable.takeError()),
                    Grade::Unsupported);
    limitLaunches(*executable, options.target);
    *slot = std::move(*executable);
  }
  if (!written->getAddressControl().empty())
    return refuse("unsupported",
                  "addresses differ from device to device and from run to run, "
                  "but " +
                      written->getAddressControl().front().str(),
                  Grade::Unsupported);
  return std::nullopt;
}

void PlanVerifier::refuteFinding(const exec::Finding &finding) {
  refutation =
      Refutation{exec::findingKindName(finding.kind), finding.str(), {}};
  refutation->undecided = finding.kind == exec::FindingKind::Unsupported ||
                          finding.kind == exec::FindingKind::WaitsForBlock;
  if (finding.location.line)
    refutation->details.append(
        evidence::location.of(b, finding.location.str()));
  if (finding.otherLocation.line)
    refutation->details.append(
        evidence::otherLocation.of(b, finding.otherLocation.str()));
}

FailureOr<EvidenceAttr> PlanVerifier::run() {
  std::string cannotRun;
  FailureOr<ExecutablePlan> prepared =
      prepareReference(kernel, options.target, builder, llvmContext, cannotRun);
  if (succeeded(prepared))
    reference = std::move(*prepared);
  else if (cannotRun.empty())
    return failure();
  if (std::optional<Grade> grade = prepareCandidate())
    return evidence(*grade);
  if (!cannotRun.empty()) { // no fault of anybody, and no verdict
    refutation = Refutation{"unsupported",
                            "the reference cannot be executed: " + cannotRun,
                            {},
                            /*undecided=*/true};
    return evidence(Grade::Unsupported);
  }
  EffortLevel level = effortLevel();
  Random random(options.seed);
  if (failed(trySamples(level, random)))
    return failure();
  if (!refutation && timeIsUp())
    refutation = Refutation{
        "out-of-time", "the time budget ended before the judgement", {}, true};
  if (!refutation && tally.samples == 0 && tally.overBudget)
    return referenceFault(kernel.emitError())
           << ": it runs past its budget at all "
              "sizes that were tried, such as "
           << costliest;
  if (!refutation && tally.samples == 0)
    refutation = Refutation{"no-samples",
                            "no sizes and values were found that satisfy the "
                            "requirements and run clean" +
                                (whyDropped.empty() ? "" : "; " + whyDropped),
                            {},
                            true};
  if (!refutation && tally.illConditioned == tally.samples)
    refutation = Refutation{"no-samples",
                            "every sample is ill-conditioned: by the bounds of "
                            "its own rounding the reference could give nearly "
                            "anything, and so could a candidate",
                            {},
                            true};
  if (refutation)
    return evidence(refutation->undecided ? Grade::Unsupported
                                          : Grade::Refuted);
  FailureOr<Grade> grade = judgeInField(level, random.split());
  if (failed(grade))
    return failure();
  return evidence(*grade);
}

/// The grade of a candidate that is within the bound on every sample.
FailureOr<Grade> PlanVerifier::judgeInField(EffortLevel level, Random random) {
  field.emplace(kernel, *reference, *shipped, level.fieldInstructions,
                tally.inOrder);
  exec::Options engine;
  engine.limits.laneInstructions = options.instructionBudget;
  stableSortBy(tried, [](const auto &t) { return t.first; });
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
      refutation->details.append(evidence::at.of(b, printBindings(sizes)));
      return Grade::Refuted;
    }
  }
  if (field->differsAt && failed(lookCloser(*field->differsAt, random)))
    return failure();
  if (refutation)
    return refutation->undecided ? Grade::Unsupported : Grade::Refuted;
  field->finish();
  if (field->notAlgebraic.empty())
    for (const exec::OneWayBranch &branch :
         written->getOneWayBranches(coverage))
      if (branch.input == exec::BranchInput::Data) {
        field->notAlgebraic = "the candidate: a branch on data, " +
                              branch.str() + ", went one way on all samples";
        break;
      }
  if (field->notAlgebraic.empty())
    field->notAlgebraic = uncompared;
  if (field->notAlgebraic.empty() && tally.unwatchedInside &&
      !tally.watchedInside)
    field->notAlgebraic = "races were watched at trivial sizes alone: what is "
                          "larger is over budget";
  if (!field->isAlgebraic())
    return Grade::Numeric;
  if (!tally.bitIdentical && field->notExact.empty())
    // unreachable: but on paths that no data of the field take
    field->notExact = "results differ in their last bits";
  return field->isSameExpression() ? Grade::Exact : Grade::Algebraic;
}

FailureOr<EvidenceAttr> evo::verifyPlan(KernelOp kernel,
                                        LaunchPlanOpInterface plan,
                                        const VerificationOptions &options,
                                        DeviceBuilder &builder) {
  return PlanVerifier(kernel, plan, options, builder).run();
}

FailureOr<std::string> evo::expectedEvidenceHash(LaunchPlanOpInterface plan,
                                                 StringRef target,
                                                 DeviceBuilder &builder) {
  FailureOr<CodegenOptions> codegen =
      CodegenOptions::parse(plan.getOptionsAttr(), target, plan.getLoc());
  if (failed(codegen))
    return failure();
  llvm::LLVMContext context;
  FailureOr<std::vector<DeviceModule>> modules =
      builder.build(plan, *codegen, context, DeviceBuilder::Forms::Digest);
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
