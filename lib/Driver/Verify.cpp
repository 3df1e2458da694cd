// evo-opt verify REFERENCE CANDIDATE: the verifier as a product of its own.
#include "Verbs.h"
#include "evo/Interfaces/AsJSON.h"
#include "evo/Interfaces/Backends.h"
#include "evo/Support/Files.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace evo;

/// Adds the candidate file as a proposal of the reference's kernel. A missing
/// toolkit is nothing that could be held against it.
static ExitCode addCandidate(KernelOp kernel, StringRef path,
                             const VerbOptions &options) {
  llvm::Expected<std::string> text = readFile(path);
  if (!text)
    return reportError(options, llvm::toString(text.takeError())), WrongInput;
  std::optional<Genome> language = getKernelLanguage(path, options);
  if (!language)
    return WrongInput;
  if (language == Genome::CUDA && !findHeaders(options))
    return Infrastructure;
  Location loc = FileLineColLoc::get(kernel.getContext(), path, 1, 1);
  OpBuilder b = OpBuilder::atBlockEnd(&kernel.getBody().front());
  ProposalOp::create(b, loc, b.getStringAttr("candidate"),
                     GenomeAttr::get(b.getContext(), *language),
                     b.getStringAttr(*text), DictionaryAttr(), StringAttr(),
                     StringAttr(), b.getStringAttr("user"), StringAttr(),
                     StringAttr());
  return Done;
}

/// Leaves of a kernel what it computes: a file that a search left holds what
/// was tried as well, of which none is judged here.
static void keepReference(KernelOp kernel) {
  for (Operation &op : llvm::make_early_inc_range(kernel.getBody().front()))
    if (isa<ProposalOp, VariantOp>(op))
      op.erase();
  kernel.removeBestAttr();
}

static void printText(EvidenceAttr evidence) {
  auto &os = llvm::outs();
  os << stringifyGrade(evidence.getGrade());
  if (!evidence.getDetail(evidence::reason).empty())
    os << ": " << evidence.getDetail(evidence::reason);
  if (!evidence.getDetail(evidence::notCompared).empty())
    os << ", not compared at the workload";
  os << '\n';
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

static void printJSON(EvidenceAttr evidence) {
  llvm::json::Object object{{"event", "verdict"},
                            {"grade", stringifyGrade(evidence.getGrade())},
                            {"hash", evidence.getHash().getValue()}};
  for (NamedAttribute detail : evidence.getDetails())
    object[detail.getName().getValue()] = describeAttribute(detail.getValue());
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

std::string evo::verdictPasses(const VerbOptions &options, uint64_t seed) {
  return "evo-materialize,evo-verify{target=" + options.target +
         " effort=" + stringifyEffort(options.effort).str() +
         " seed=" + std::to_string(seed) +
         (options.seconds > 0 ? " seconds=" + std::to_string(options.seconds)
                              : "") +
         "}";
}

int evo::runVerify(const VerbOptions &options) {
  if (options.listChecks)
    return listChecks(options);
  if (options.inputs.size() != 2)
    return reportError(options, "'verify' takes a reference and a candidate"),
           WrongInput;
  if (!options.requireGrade.empty() && options.requireGrade != "exact" &&
      options.requireGrade != "algebraic" && options.requireGrade != "numeric")
    return reportError(options,
                       "'--require' takes exact, algebraic or numeric"),
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
  keepReference(reference);
  if (ExitCode code = addCandidate(reference, options.inputs[1], options))
    return code;
  const BackendInterface *backends =
      BackendInterface::get(&file.getContext(), reference.getLoc());
  if (!backends)
    return Infrastructure;
  FailureOr<Outcome> outcome =
      backends->evaluator->evaluate(file.getModule(), evaluate);
  if (failed(outcome))
    return Infrastructure;
  if (!outcome->module || outcome->fault) {
    // A fault of the reference is wrong input, a death is the candidate's doing
    // only while the candidate is being handled. What the judgement took of
    // time and memory says nothing about who is judged.
    bool died = !outcome->module;
    reportError(options,
                (died ? "the evaluation died in " + outcome->stage + ": "
                      : std::string()) +
                    outcome->failure);
    if (!died)
      return WrongInput;
    bool isJudgement = outcome->stage == "evo-verify";
    bool isExhausted = outcome->fault && isExhaustion(*outcome->fault);
    return isJudgement && isExhausted ? Undecided : Refused;
  }
  KernelOp kernel = *outcome->module->getOps<KernelOp>().begin();
  for (auto proposal : kernel.getBody().getOps<ProposalOp>())
    if (proposal.getFailure()) {
      if (options.json)
        llvm::outs() << llvm::json::Value(llvm::json::Object{
                            {"event", "verdict"},
                            {"grade", "refuted"},
                            {evidence::reason.name, "does-not-build"},
                            {evidence::message.name, *proposal.getFailure()}})
                     << '\n';
      else
        llvm::outs() << "refuted: does-not-build\n"
                     << *proposal.getFailure() << '\n';
      return Refused;
    }
  for (auto variant : kernel.getBody().getOps<VariantOp>())
    if (EvidenceAttr evidence = variant.getEvidenceAttr()) {
      options.json ? printJSON(evidence) : printText(evidence);
      return judge(evidence, options.requireGrade);
    }
  // unreachable: a candidate that is no failure is a variant with evidence
  reportError(options, "the evaluation gave no verdict");
  return Infrastructure;
}
