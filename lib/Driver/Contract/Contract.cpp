// evo-opt contract K: the header lines that a file lacks, drafted from its own
// launches and from what its kernels do, and audited.
#include "Contract.h"
#include "Driver/CUDASetup.h"
#include "Driver/KernelFile.h"
#include "Driver/Verbs.h"
#include "evo/Draft/Draft.h"
#include "evo/Frontend/ContractHeader.h"
#include "evo/Frontend/Lift.h"
#include "evo/Interfaces/Backends.h"
#include "evo/Support/Files.h"
#include "evo/Support/OwnDiagnostics.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace evo;

namespace {
/// A CUDA file, and what can be drafted for its kernels.
class Drafting {
public:
  Drafting(StringRef path, const VerbOptions &options)
      : path(path.str()), options(options), context(createContext(options)) {}

  /// Reads the file; what is wrong with it is reported, unless `isQuiet`.
  ExitCode read(bool isQuiet);
  /// Drafts the contract of the kernel that is asked for, else of the first
  /// one whose contract comes out whole.
  void draft();
  /// The lines with what is guessed, to be put before the file; empty: none.
  std::string getLines() const;
  /// What the launches tell where none of it makes a whole contract.
  std::string describeLaunches() const;
  /// Audits the lines. Its diagnostics are shown.
  ExitCode audit(uint64_t seed);

  /// What is missing, a kernel each.
  std::vector<std::string> missing;
  /// Kernels of the file that the lines are not for.
  std::vector<std::string> others;
  bool hasKernel = false; ///< of the name that is asked for

private:
  std::string path;
  const VerbOptions &options;
  std::unique_ptr<MLIRContext> context;
  std::string source;
  CUDAOptions cuda;
  std::vector<CUDADraft> drafts;
  const CUDADraft *chosen = nullptr;
  DraftedContract contract;

  FailureOr<OwningOpRef<ModuleOp>> lift(StringRef header) {
    return liftCUDA(context.get(), header.str() + "#line 1\n" + source, path,
                    cuda);
  }
};
} // namespace

ExitCode Drafting::read(bool isQuiet) {
  std::optional<std::string> text = readKernelText(path, options);
  if (!text)
    return WrongInput;
  source = std::move(*text);
  std::optional<std::string> toolkit = findHeaders(options);
  if (!toolkit)
    return Infrastructure;
  cuda = cudaOptions(backendOptions(options), *toolkit);
  std::optional<DiagnosticReporter> reporter;
  std::optional<OwnDiagnosticHandler> quiet;
  if (isQuiet)
    quiet.emplace(context.get(), [](Diagnostic &) { return success(); });
  else
    reporter.emplace(*context, options.json);
  FailureOr<ContractHeader> header =
      parseContractHeader(context.get(), source, path);
  if (failed(header))
    return WrongInput;
  if (!header->empty()) {
    emitError(FileLineColLoc::get(context.get(), path, 1, 1))
        << "has evo lines already, and a draft would be beside them";
    return WrongInput;
  }
  FailureOr<std::vector<CUDADraft>> found =
      findCUDADrafts(context.get(), source, path, cuda);
  if (failed(found))
    return WrongInput;
  drafts = std::move(*found);
  return Done;
}

void Drafting::draft() {
  DeviceBuilder builder;
  const TargetAttrInterface target =
      parseTarget(context.get(), cuda.architecture);
  if (!target) // unreachable: Clang has read the file for it
    return;
  for (const CUDADraft &draft : drafts) {
    const bool isAsked = draft.kernel == options.kernel;
    hasKernel |= isAsked;
    if (chosen || (!options.kernel.empty() && !isAsked)) {
      others.push_back(draft.kernel);
      continue;
    }
    auto liftQuietly = [&](StringRef header, std::string &why) {
      OwnDiagnosticHandler quiet(context.get(), [&](Diagnostic &diagnostic) {
        if (why.empty() &&
            diagnostic.getSeverity() == DiagnosticSeverity::Error)
          why = diagnostic.str();
        return success();
      });
      return lift(header);
    };
    DraftedContract drafted =
        completeDraft(draft, liftQuietly, target, builder);
    if (drafted.header.empty()) {
      for (const std::string &what : drafted.missing)
        missing.push_back("'" + draft.kernel + "': " + what);
      continue;
    }
    chosen = &draft;
    contract = std::move(drafted);
  }
}

std::string Drafting::getLines() const {
  if (!chosen)
    return "";
  std::string text =
      chosen->isLaunched
          ? "// Drafted from the launch in line " + std::to_string(chosen->line)
          : "// Drafted for the kernel in line " + std::to_string(chosen->line);
  text += contract.guesses.empty() ? ".\n" : ". Guessed, and to be checked:\n";
  for (const std::string &guess : contract.guesses)
    text += "// - " + guess + "\n";
  return text + contract.header;
}

std::string Drafting::describeLaunches() const {
  constexpr size_t enough = 3;
  std::string text;
  auto launched = llvm::make_filter_range(
      drafts, [](const CUDADraft &draft) { return draft.isLaunched; });
  for (auto [index, draft] : llvm::enumerate(launched))
    if (index < enough)
      text += "\nthe launch in line " + std::to_string(draft.line) +
              " suggests, to be completed:\n" + draft.text();
  return text;
}

ExitCode Drafting::audit(uint64_t seed) {
  DiagnosticReporter reporter(*context, options.json);
  FailureOr<OwningOpRef<ModuleOp>> module = lift(contract.header);
  if (failed(module) ||
      failed(runPipeline(**module, auditPipeline(options, seed))))
    return Undecided;
  KernelOp kernel = *(*module)->getOps<KernelOp>().begin();
  return kernel->hasAttr(auditAttr) ? Done : Undecided;
}

int evo::runContract(const VerbOptions &options) {
  if (options.inputs.size() != 1)
    return reportError(options, "'contract' takes one kernel file"), WrongInput;
  std::optional<Genome> language =
      getKernelLanguage(options.inputs[0], options);
  if (!language)
    return WrongInput;
  if (language != Genome::CUDA)
    return reportError(options, "'contract' drafts for .cu files; the "
                                "arguments of others are in docs/Contract.md"),
           WrongInput;
  Drafting drafting(options.inputs[0], options);
  if (ExitCode code = drafting.read(/*isQuiet=*/false); code != Done)
    return code;
  drafting.draft();
  if (!options.kernel.empty() && !drafting.hasKernel) {
    std::string names;
    for (const std::string &name : drafting.others)
      names += (names.empty() ? ": " : ", ") + name;
    reportError(options, "the file has no kernel '" + options.kernel + "'" +
                             (names.empty() ? "" : "; it has" + names));
    return WrongInput;
  }
  for (const std::string &what : drafting.missing)
    reportError(options, "cannot draft a contract of " + what);
  std::string lines = drafting.getLines();
  if (lines.empty()) {
    if (drafting.missing.empty())
      reportError(options, "the file has no kernel that could be launched (a "
                           "template that nothing instantiates is none)");
    return Undecided;
  }
  // A kernel file is to be used as one.
  std::string written = lines;
  if (StringRef(options.output).ends_with(".cu")) {
    llvm::Expected<std::string> source = readFile(options.inputs[0]);
    if (!source) // unreachable: it was read before
      return reportError(options, llvm::toString(source.takeError())),
             WrongInput;
    written += *source;
  }
  if (int code = options.json && options.output.empty()
                     ? Done
                     : writeOutput(written, options);
      code != Done)
    return code;
  ExitCode code = drafting.audit(chooseSeed(options));
  if (options.json)
    llvm::outs() << llvm::json::Value(llvm::json::Object{
                        {"event", "contract"},
                        {"lines", lines},
                        {"others", llvm::json::Array(drafting.others)},
                        {"audited", code == Done}})
                 << '\n';
  else
    for (const std::string &other : drafting.others)
      llvm::errs() << "evo-opt: remark: not for '" << other
                   << "', which --kernel names\n";
  return code;
}

std::string evo::describeDraft(StringRef path, const VerbOptions &options) {
  if (!path.ends_with(".cu"))
    return "";
  Drafting drafting(path, options);
  if (drafting.read(/*isQuiet=*/true) != Done)
    return "";
  drafting.draft();
  std::string lines = drafting.getLines();
  if (!lines.empty())
    return "; 'evo-opt contract' drafts one:\n" +
           StringRef(lines).rtrim().str();
  std::string text;
  for (const std::string &what : drafting.missing)
    text += (text.empty() ? "; none can be drafted of " : ", nor of ") + what;
  return text + drafting.describeLaunches();
}
