// A winner that is CUDA C++ is its source; any other is what its device code
// says, raised to loops on memrefs where the verifier accepts that. The options
// of its code generation stand in the file as such; comments say how it came
// about, and are not read again: what the file is worth, a new verdict says.
#include "Winner.h"
#include "Driver/Report.h"
#include "Driver/Verbs.h"
#include "evo/Frontend/ContractHeader.h"
#include "evo/Interfaces/Backends.h"
#include "evo/Interfaces/Fitness.h"
#include "evo/Schedule/Schedule.h"
#include "evo/Shapes/AbstractShapes.h"
#include "evo/Support/Fixed.h"
#include "evo/Support/OwnDiagnostics.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace evo;

/// On one line, whatever a model has called itself.
static std::string oneLine(StringRef text) {
  std::string line;
  for (char c : text)
    line += llvm::isPrint(c) ? c : ' ';
  return line;
}

static std::string commented(StringRef text) {
  std::string lines;
  SmallVector<StringRef> parts;
  text.rtrim().split(parts, '\n');
  for (StringRef part : parts)
    lines += ("//   " + part).str() + "\n";
  return lines;
}

/// Comments: the tool, the seed, what the winner was made of, its grade and
/// times.
static std::string describeProvenance(KernelOp kernel, VariantOp best,
                                      uint64_t seed) {
  auto proposal = dyn_cast_or_null<ProposalOp>(
      best.getProposalAttr() ? SymbolTable::lookupSymbolIn(
                                   kernel, best.getProposalAttr().getAttr())
                             : nullptr);
  std::string text = "// Winner of a search by evo-opt " EVO_VERSION ", seed " +
                     std::to_string(seed) + ": " + best.getSymName().str();
  if (proposal) {
    text += ", " + stringifyGenome(proposal.getGenome()).str();
    if (auto model = proposal->getAttrOfType<StringAttr>(modelAttr))
      text += ", by the model " + oneLine(model.getValue());
  }
  text += ".\n";
  if (best.getEvidence())
    text += "// Graded " +
            stringifyGrade(best.getEvidenceAttr().getGrade()).str() +
            " against the kernel that was searched.\n";
  for (bool measured : {true, false}) {
    std::optional<double> time = weightedTime(best, measured);
    if (!time)
      continue;
    CostAttr cost = measured ? best.getMeasuredAttr() : best.getEstimateAttr();
    text += "// " + std::string(measured ? "Measured" : "Estimated") + ": " +
            printFixed(*time, 2) + " us on " +
            cost.getMachine().getValue().str();
    if (VariantOp baseline = kernel.lookupBaseline())
      if (std::optional<double> before = weightedTime(baseline, measured))
        text += "; as it was given " + printFixed(*before, 2) + " us";
    text += ".\n";
  }
  // Those of code generation are no comment.
  NamedAttrList options;
  if (DictionaryAttr all = best.getOptionsAttr())
    for (NamedAttribute option : all)
      if (!isCodegenOption(option))
        options.append(option);
  if (!options.empty()) {
    std::string printed;
    llvm::raw_string_ostream(printed)
        << options.getDictionary(best.getContext());
    text += "// Options: " + oneLine(printed) + "\n";
  }
  if (proposal && proposal.getGenome() == Genome::Schedule) {
    // A text of its own begins like the module that it is.
    StringRef schedule = proposal.getText();
    text += schedule.contains('\n')
                ? "// Its schedule:\n" + commented(schedule)
                : "// Its schedule is the built-in " + schedule.str() + ".\n";
    if (func::FuncOp payload = getPayload(kernel)) {
      std::string printed;
      llvm::raw_string_ostream os(printed);
      payload->print(os, OpPrintingFlags().useLocalScope());
      text += "// What it was applied to:\n" + commented(printed);
    }
  }
  return text;
}

/// Whether a line is the comment `// KEY ...`.
static bool isHeaderLine(StringRef line, StringRef key) {
  line = line.trim();
  return line.consume_front("//") && line.ltrim().starts_with(key);
}

static bool statesContract(StringRef source) {
  SmallVector<StringRef> lines;
  source.split(lines, '\n');
  return llvm::any_of(
      lines, [](StringRef line) { return isHeaderLine(line, "evo.kernel"); });
}

/// `source` without its own line of options.
static std::string withoutOptions(StringRef source) {
  std::string kept;
  while (!source.empty()) {
    auto [line, rest] = source.split('\n');
    bool isLast = line.size() == source.size();
    if (!isHeaderLine(line, "evo.options"))
      kept += line.str() + (isLast ? "" : "\n");
    source = rest;
  }
  return kept;
}

/// The options that are not those of a compiler of the source.
static DictionaryAttr withoutCompiler(DictionaryAttr options) {
  NamedAttrList kept;
  if (options)
    for (NamedAttribute option : options)
      if (isCodegenOption(option) && option.getName() != "codegen")
        kept.append(option);
  return kept.empty() ? DictionaryAttr()
                      : kept.getDictionary(options.getContext());
}

/// A module with the kernel's contract, whose reference is the winner.
static OwningOpRef<ModuleOp> asReference(KernelOp kernel, VariantOp best) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(kernel.getLoc());
  OpBuilder b = OpBuilder::atBlockEnd(module->getBody());
  auto copy = cast<KernelOp>(b.cloneWithoutRegions(*kernel));
  copy.removeBestAttr();
  for (NamedAttribute attribute :
       llvm::make_early_inc_range(kernel->getDiscardableAttrs()))
    if (attribute.getName() != callerSizesName)
      copy->removeDiscardableAttr(attribute.getName());
  SmallVector<Attribute> requirements;
  for (ArrayAttr list :
       {kernel.getRequirementsAttr(), best.getRequirementsAttr()})
    if (list)
      llvm::append_range(requirements, list);
  if (!requirements.empty())
    copy.setRequirementsAttr(b.getArrayAttr(requirements));
  b.createBlock(&copy.getBody());
  auto reference = ReferenceOp::create(b, best.getLoc(), StringAttr(),
                                       withoutCompiler(best.getOptionsAttr()));
  b.createBlock(&reference.getBody());
  // What was generated of the code is no part of it.
  for (Operation &op : best.getBody().front())
    if (!isa<gpu::BinaryOp>(op))
      b.clone(op);
  return module;
}

/// Replaces the reference by its structured form, where it has one; says
/// whether it has.
static bool raise(ModuleOp module, const VerbOptions &options) {
  if (module.walk([](gpu::GPUFuncOp) { return WalkResult::interrupt(); })
          .wasInterrupted())
    return true; // it was written so
  OwnDiagnosticHandler quiet(module.getContext(),
                             [](Diagnostic &) { return success(); });
  OwningOpRef<ModuleOp> raised = module.clone();
  if (failed(
          runPipeline(*raised, "builtin.module(evo.kernel(evo-raise-structured{"
                               "target=" +
                                   options.target + "}))")))
    return false;
  KernelOp kernel = *raised->getOps<KernelOp>().begin();
  auto found = kernel.getBody().getOps<VariantOp>();
  if (found.empty())
    return false;
  KernelOp target = *module.getOps<KernelOp>().begin();
  target.getReference().getBody().takeBody((*found.begin()).getBody());
  return true;
}

/// Whether `lower` makes of `module` the code that `best` has. It is tried
/// where a compiler that dies takes no results along.
static bool makesCodeOf(VariantOp best, ModuleOp module,
                        const VerbOptions &options) {
  const BackendInterface *backends =
      BackendInterface::get(module.getContext(), module.getLoc());
  OwningOpRef<ModuleOp> copy = module.clone();
  addBaseline(*copy->getOps<KernelOp>().begin());
  OwnDiagnosticHandler quiet(module.getContext(),
                             [](Diagnostic &) { return success(); });
  FailureOr<Outcome> outcome = backends->evaluator->evaluate(
      *copy, "builtin.module(evo.kernel(evo-materialize,evo-lower{target=" +
                 options.target + " allow-unverified=1}))");
  if (failed(outcome) || !outcome->module)
    return false;
  KernelOp kernel = *outcome->module->getOps<KernelOp>().begin();
  VariantOp made = kernel.lookupBaseline();
  return made && getPTX(made) == getPTX(best);
}

void evo::addWinner(KernelOp kernel, const VerbOptions &options, uint64_t seed,
                    std::vector<Artifact> &files) {
  auto best = kernel.lookupSymbol<VariantOp>(kernel.getBest().value_or(""));
  if (!best)
    return;
  std::string provenance = describeProvenance(kernel, best, seed);
  auto source = llvm::find_if(
      files, [](const Artifact &file) { return file.fileName == "best.cu"; });
  if (source != files.end()) {
    std::string contract = statesContract(source->contents)
                               ? ""
                               : printContractHeader(kernel, nullptr);
    source->contents = provenance + contract +
                       printOptionsLine(best.getOptionsAttr()) +
                       withoutOptions(source->contents);
    return;
  }
  OwningOpRef<ModuleOp> module = asReference(kernel, best);
  provenance += raise(*module, options)
                    ? "// Its code as loops on memrefs:\n"
                    : "// Its code, which has no form of loops on memrefs:\n";
  if (!makesCodeOf(best, *module, options))
    provenance += "// Code made of this form differs from best.ptx, which "
                  "best.mlir holds.\n";
  std::string text;
  llvm::raw_string_ostream os(text);
  os << provenance;
  module->print(os);
  os << '\n';
  files.push_back({winnerFile.str(), std::move(text)});
}
