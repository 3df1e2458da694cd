// evo-opt verify REFERENCE CANDIDATE: the verifier as a product of its own.
#include "KernelFile.h"
#include "Reproducer/Reproducer.h"
#include "Verbs.h"
#include "evo/Dialect/Evo/IR/Grades.h"
#include "evo/Frontend/ContractHeader.h"
#include "evo/Frontend/Variants.h"
#include "evo/Interfaces/AsJSON.h"
#include "evo/Interfaces/Backends.h"
#include "evo/Interfaces/Faults.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace evo;

/// Adds the candidate file as a proposal of the reference's kernel. A missing
/// toolkit is nothing that could be held against it.
static ExitCode addCandidate(KernelOp kernel, StringRef path,
                             const VerbOptions &options) {
  std::optional<std::string> text = readKernelText(path, options);
  if (!text)
    return WrongInput;
  std::optional<Genome> language = getKernelLanguage(path, options);
  if (!language)
    return WrongInput;
  if (language == Genome::CUDA && !findHeaders(options))
    return Infrastructure;
  if (language != Genome::MLIR && !options.variant.empty())
    return reportError(options, "'--variant' names a variant of an .mlir file, "
                                "which '" +
                                    path.str() + "' is not"),
           WrongInput;
  Location loc = FileLineColLoc::get(kernel.getContext(), path, 1, 1);
  OpBuilder b = OpBuilder::atBlockEnd(&kernel.getBody().front());
  auto proposal = ProposalOp::create(
      b, loc, b.getStringAttr("candidate"),
      GenomeAttr::get(b.getContext(), *language), b.getStringAttr(*text),
      DictionaryAttr(), StringAttr(), StringAttr(), b.getStringAttr("user"),
      StageAttr(), StringAttr());
  if (!options.variant.empty())
    proposal->setAttr(takeVariantAttr, b.getStringAttr(options.variant));
  return Done;
}

/// Makes a variant the reference that others are held to, on the sizes that it
/// is for.
static LogicalResult referTo(KernelOp kernel, StringRef name) {
  VariantOp variant = findVariant(kernel, name, kernel.getLoc());
  if (!variant)
    return failure();
  OpBuilder b(variant);
  if (ReferenceOp stated = kernel.getReference())
    stated.erase();
  auto reference = ReferenceOp::create(b, variant.getLoc(), StringAttr());
  reference.getBody().takeBody(variant.getBody());
  SmallVector<Attribute> requirements;
  for (ArrayAttr list :
       {kernel.getRequirementsAttr(), variant.getRequirementsAttr()})
    if (list)
      llvm::append_range(requirements, list);
  if (!requirements.empty())
    kernel.setRequirementsAttr(b.getArrayAttr(requirements));
  return success();
}

/// Leaves of a kernel what it computes: a file that a search left holds what
/// was tried as well, of which none is judged here.
static void keepReference(KernelOp kernel) {
  for (Operation &op : llvm::make_early_inc_range(kernel.getBody().front()))
    if (isa<ProposalOp, VariantOp>(op))
      op.erase();
  kernel.removeBestAttr();
}

namespace {
/// What is said of a candidate beside its evidence.
struct Remarks {
  std::vector<std::string>
      requirements;                 ///< its own: it is for these sizes only
  std::vector<std::string> ignored; ///< header lines that only a reference has
};
} // namespace

/// What an acceptance is about, behind the grade on its line.
static void printScope(EvidenceAttr evidence, const Remarks &remarks) {
  auto &os = llvm::outs();
  if (!evidence.getDetail(evidence::notCompared).empty())
    os << ", not compared at the workload";
  else if (!evidence.getDetail(evidence::sampledBlocks).empty())
    os << ", compared at the workload";
  if (StringRef sizes = evidence.getDetail(evidence::covered); !sizes.empty())
    os << "; covered: " << sizes.split(';').first;
  if (!remarks.requirements.empty())
    os << "; only " << llvm::join(remarks.requirements, ", ");
  if (StringRef loops = evidence.getDetail(evidence::fewRounds); !loops.empty())
    os << "; not repeated: " << loops;
  if (std::optional<int64_t> dropped = evidence.getDetail(evidence::dropped))
    os << "; " << *dropped << " samples dropped";
  if (StringRef proved = evidence.getDetail(evidence::proved); !proved.empty())
    os << "; proved: " << proved.split(',').first;
}

static void printText(EvidenceAttr evidence, const Remarks &remarks = {}) {
  auto &os = llvm::outs();
  os << stringifyGrade(evidence.getGrade());
  if (!evidence.getDetail(evidence::reason).empty())
    os << ": " << evidence.getDetail(evidence::reason);
  if (evidence.isAccepted())
    printScope(evidence, remarks);
  os << '\n';
  for (const std::string &line : remarks.ignored)
    os << "  ignored: " << line << '\n';
  for (NamedAttribute detail : evidence.getDetails()) {
    if (detail.getName() == evidence::reason.name)
      continue;
    os << "  " << detail.getName().getValue() << ": ";
    if (auto text = dyn_cast<StringAttr>(detail.getValue()))
      os << text.getValue() << '\n';
    else if (auto number = dyn_cast<IntegerAttr>(detail.getValue());
             number && !isa<BoolAttr>(detail.getValue()))
      os << number.getInt() << '\n';
    else if (auto number = dyn_cast<FloatAttr>(detail.getValue()))
      os << number.getValueAsDouble() << '\n';
    else
      os << detail.getValue() << '\n';
  }
}

static void printJSON(EvidenceAttr evidence, const Remarks &remarks = {}) {
  llvm::json::Object object{{"event", "verdict"},
                            {"grade", stringifyGrade(evidence.getGrade())},
                            {"hash", evidence.getHash().getValue()}};
  for (NamedAttribute detail : evidence.getDetails())
    object[detail.getName().getValue()] = describeAttribute(detail.getValue());
  for (auto [key, texts] : {std::pair("requires", &remarks.requirements),
                            std::pair("ignored", &remarks.ignored)})
    if (!texts->empty())
      object[key] = llvm::json::Array(*texts);
  llvm::outs() << llvm::json::Value(std::move(object)) << '\n';
}

/// The exit code of a verdict.
static int judge(EvidenceAttr evidence, StringRef required) {
  if (evidence.getGrade() == Grade::Refuted)
    return Refused;
  if (!evidence.isAccepted())
    return Undecided;
  if (std::optional<Grade> grade = symbolizeGrade(required))
    if (evidence.getGrade() > *grade)
      return Undecided;
  return Done;
}

/// Says why a file became no candidate, and answers whose doing that is. What
/// its compiler rejects is refuted; what we have no way to build is not.
static int answerFailure(ProposalOp proposal, const VerbOptions &options) {
  StringRef why = *proposal.getFailure();
  switch (faultOf(proposal).value_or(FaultKind::Candidate)) {
  case FaultKind::Request:
    return reportError(options, why), WrongInput;
  case FaultKind::Machine:
    return reportError(options, why), Infrastructure;
  case FaultKind::Unsupported: {
    Builder b(proposal.getContext());
    EvidenceAttr evidence = EvidenceAttr::get(
        b.getContext(), Grade::Unsupported, b.getStringAttr(""),
        b.getDictionaryAttr(
            {evidence::message.of(b, why),
             evidence::reason.of(b, reasonName(Reason::Unsupported))}));
    options.json ? printJSON(evidence) : printText(evidence);
    return Undecided;
  }
  default:
    break;
  }
  const StringRef reason = reasonName(Reason::DoesNotBuild);
  if (options.json)
    llvm::outs() << llvm::json::Value(
                        llvm::json::Object{{"event", "verdict"},
                                           {"grade", "refuted"},
                                           {evidence::reason.name, reason},
                                           {evidence::message.name, why}})
                 << '\n';
  else
    llvm::outs() << "refuted: " << reason << '\n' << why << '\n';
  return Refused;
}

/// Says why there is no verdict. A fault of the reference is wrong input. A
/// death is the candidate's doing only while a compiler of source text is at
/// it: elsewhere it is our own code that died, which says nothing about it.
static int answerFault(const Outcome &outcome, KernelOp kernel,
                       const VerbOptions &options) {
  FaultKind fault = outcome.fault.value_or(FaultKind::Crashed);
  bool died = !outcome.module;
  reportFault(options,
              (died ? "the evaluation died in " +
                          stringifyStage(outcome.stage).str() + ": "
                    : "") +
                  outcome.failure,
              fault, outcome.stage);
  if (!died)
    return fault == FaultKind::Machine       ? Infrastructure
           : fault == FaultKind::Unsupported ? Undecided
                                             : WrongInput;
  auto candidate = kernel.lookupSymbol<ProposalOp>("candidate");
  bool isCompiled = candidate && candidate.getGenome() == Genome::CUDA;
  return isCompiled && outcome.stage == Stage::MaterializePass ? Refused
                                                               : Undecided;
}

/// What the candidate's header says of the contract otherwise than the
/// reference's, which alone holds.
static std::vector<std::string> findIgnoredLines(KernelOp reference) {
  std::vector<std::string> ignored;
  auto candidate = reference.lookupSymbol<ProposalOp>("candidate");
  if (!candidate || candidate.getGenome() == Genome::MLIR)
    return ignored;
  MLIRContext *context = reference.getContext();
  // What is wrong with it is said where it is judged.
  OwnDiagnosticHandler quiet(context, [](Diagnostic &) { return success(); });
  FailureOr<ContractHeader> header =
      parseContractHeader(context, candidate.getText(), "candidate",
                          candidate.getGenome() == Genome::CUDA ? "//" : ";");
  if (failed(header))
    return ignored;
  auto differs = [&](ArrayRef<Attribute> own, ArrayAttr others) {
    return !own.empty() && (!others || ArrayRef(own) != others.getValue());
  };
  auto note = [&](StringRef line) {
    ignored.push_back(
        (line + " of the candidate: the reference's contract holds").str());
  };
  if (header->name && differs(header->args, reference.getArgsAttr()))
    note("evo.kernel");
  if (differs(header->workloads, reference.getWorkloadsAttr()))
    note("evo.workload");
  if (header->accuracy && header->accuracy != reference.getAccuracyAttr())
    note("evo.accuracy");
  return ignored;
}

std::string evo::verdictPasses(const VerbOptions &options, uint64_t seed) {
  return "evo-materialize,evo-verify{target=" + options.target + " effort=" +
         stringifyEffort(options.effort.value_or(Effort::Default)).str() +
         " seed=" + std::to_string(seed) +
         (options.seconds > 0 ? " seconds=" + std::to_string(options.seconds)
                              : "") +
         (options.reproducer.empty() ? "" : " counterexample") + "}";
}

int evo::runVerify(const VerbOptions &options) {
  if (options.listChecks)
    return listChecks(options);
  if (options.inputs.size() != 2)
    return reportError(options, "'verify' takes a reference and a candidate"),
           WrongInput;
  if (!options.requireGrade.empty() && !isAcceptedGrade(options.requireGrade))
    return reportError(options,
                       "'--require' takes exact, algebraic or numeric" +
                           suggest(options.requireGrade,
                                   {"exact", "algebraic", "numeric"})),
           WrongInput;
  std::string evaluate = "builtin.module(evo.kernel(" +
                         verdictPasses(options, chooseSeed(options)) + "))";
  if (options.showPipeline) {
    llvm::outs() << evaluate << '\n';
    return Done;
  }
  KernelFile file(options.inputs[0], options);
  KernelOp reference = file.getKernel("the reference", /*needsContract=*/true);
  if (!reference)
    return file.getExitCode();
  if (!options.referenceVariant.empty() &&
      failed(referTo(reference, options.referenceVariant)))
    return WrongInput;
  keepReference(reference);
  if (ExitCode code = addCandidate(reference, options.inputs[1], options))
    return code;
  Remarks remarks;
  remarks.ignored = findIgnoredLines(reference);
  const BackendInterface *backends =
      BackendInterface::get(&file.getContext(), reference.getLoc());
  if (!backends)
    return Infrastructure;
  FailureOr<Outcome> outcome =
      backends->evaluator->evaluate(file.getModule(), evaluate);
  if (failed(outcome))
    return Infrastructure;
  if (!outcome->module || outcome->fault)
    return answerFault(*outcome, reference, options);
  KernelOp kernel = *outcome->module->getOps<KernelOp>().begin();
  for (auto proposal : kernel.getBody().getOps<ProposalOp>())
    if (proposal.getFailure())
      return answerFailure(proposal, options);
  for (auto variant : kernel.getBody().getOps<VariantOp>())
    if (EvidenceAttr evidence = variant.getEvidenceAttr()) {
      if (ArrayAttr requirements = variant.getRequirementsAttr())
        for (auto requirement : requirements.getAsRange<RequirementAttr>())
          remarks.requirements.push_back(requirement.getText().str());
      options.json ? printJSON(evidence, remarks)
                   : printText(evidence, remarks);
      if (!options.reproducer.empty() &&
          failed(writeReproducer(kernel, variant, options)))
        return Infrastructure;
      return judge(evidence, options.requireGrade);
    }
  // unreachable: a candidate that is no failure is a variant with evidence
  reportError(options, "the evaluation gave no verdict");
  return Infrastructure;
}
