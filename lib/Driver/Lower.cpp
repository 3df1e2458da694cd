// evo-opt lower: PTX, or the cubin, of the best or only variant that has valid
// evidence. A kernel as somebody wrote it is judged first; an evo.kernel
// carries its evidence along.
#include "Report.h"
#include "Verbs.h"
#include "evo/Interfaces/Faults.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace evo;

/// The variant that the file's kernel calls its best, or its only one.
static VariantOp chooseVariant(KernelOp kernel) {
  if (FlatSymbolRefAttr best = kernel.getBestAttr())
    return kernel.lookupSymbol<VariantOp>(best.getAttr());
  auto variants = kernel.getBody().getOps<VariantOp>();
  return llvm::hasSingleElement(variants) ? *variants.begin() : VariantOp();
}

/// Why there is no code for a variant that was judged; Done where there may be.
static int answerVerdict(VariantOp variant, const VerbOptions &options) {
  EvidenceAttr evidence = variant.getEvidenceAttr();
  if (!evidence || evidence.isAccepted() || options.allowUnverified)
    return Done;
  std::string why;
  for (evidence::Text key : {evidence::reason, evidence::message})
    if (StringRef text = evidence.getDetail(key); !text.empty())
      why += (": " + text).str();
  bool refuted = evidence.getGrade() == Grade::Refuted;
  reportError(options, "the variant is " +
                           std::string(refuted ? "refuted" : "undecided") +
                           why);
  return refuted ? Refused : Undecided;
}

static int writeCode(VariantOp variant, const VerbOptions &options) {
  bool binary = llvm::sys::path::extension(options.output) == ".cubin";
  StringRef code = binary ? getCubin(variant) : getPTX(variant);
  if (binary && code.empty() && !getPTX(variant).empty())
    return reportError(options, "no assembler was found, so there is no cubin"),
           Infrastructure;
  if (code.empty())
    // unreachable: it was answered what is not accepted
    return reportError(options, "the variant is not accepted, so no code was "
                                "generated for it"),
           Refused;
  return writeOutput(code, options);
}

/// Runs the passes that make code. What this machine lacks is no refusal.
static ExitCode generateCode(ModuleOp module, const std::string &pipeline) {
  bool isOfMachine = false;
  ScopedDiagnosticHandler handler(
      module.getContext(), [&](Diagnostic &diagnostic) {
        isOfMachine |= faultOf(diagnostic) == FaultKind::Machine;
        return failure(); // it is printed by whom it is for
      });
  if (succeeded(runPipeline(module, pipeline)))
    return Done;
  return isOfMachine ? Infrastructure : Refused;
}

int evo::runLower(const VerbOptions &options) {
  if (options.inputs.size() != 1)
    return reportError(options, "'lower' takes one file"), WrongInput;
  std::string judge =
      options.allowUnverified
          ? "evo-materialize"
          : "evo-materialize,evo-verify{target=" + options.target + " effort=" +
                stringifyEffort(options.effort.value_or(Effort::Default))
                    .str() +
                " seed=" + std::to_string(chooseSeed(options)) + "}";
  std::string lower = "evo-lower{target=" + options.target +
                      (options.allowUnverified ? " allow-unverified=1}" : "}");
  auto onKernels = [](const std::string &passes) {
    return "builtin.module(evo.kernel(" + passes + "))";
  };
  StringRef extension = llvm::sys::path::extension(options.inputs[0]);
  bool isSource = extension == ".cu" || extension == ".ll";
  if (options.showPipeline) {
    llvm::outs() << onKernels(isSource ? judge + "," + lower : lower) << '\n';
    return Done;
  }
  KernelFile file(options.inputs[0], options);
  isSource = file.isSource();
  KernelOp kernel = file.getKernel("the file", /*needsContract=*/isSource);
  if (!kernel)
    return file.getExitCode();
  // An evo.kernel of which nothing was tried yet: a winner that was kept, say.
  isSource |= kernel.hasContract() && kernel.getReference() &&
              kernel.getReference().isLaunchPlan() &&
              kernel.getBody().getOps<ProposalOp>().empty() &&
              kernel.getBody().getOps<VariantOp>().empty();
  if (isSource) {
    // A kernel as somebody wrote it: its own plan is the only variant, and is
    // held to its contract (sizes, bounds, races) as any other.
    addBaseline(kernel);
    if (failed(runPipeline(file.getModule(), onKernels(judge))))
      return WrongInput;
  }
  // Only what will be printed is lowered.
  VariantOp chosen = chooseVariant(kernel);
  if (!chosen)
    return reportError(options, "the kernel names no best variant, and has not "
                                "just one"),
           WrongInput;
  for (auto variant :
       llvm::make_early_inc_range(kernel.getBody().getOps<VariantOp>()))
    if (variant != chosen)
      variant.erase();
  if (int code = answerVerdict(chosen, options); code != Done)
    return code;
  if (ExitCode code = generateCode(file.getModule(), onKernels(lower));
      code != Done)
    return code;
  return writeCode(chosen, options);
}
