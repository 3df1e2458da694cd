// The whole way in one call, for compilers that link libEvo.
#include "evo/Driver/Compiler.h"
#include "Verbs.h"
#include "evo/Dialect/Evo/IR/Shipped.h"
#include "evo/Driver/Registration.h"
#include "evo/Emit/Artifacts.h"
#include "evo/Frontend/Lift.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/FormatVariadic.h"
#include <mutex>

using namespace mlir;
using namespace evo;

/// What became of the candidates, where none is of use.
static std::string describeFailures(KernelOp kernel) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (Operation &op : kernel.getBody().front()) {
    if (auto proposal = dyn_cast<ProposalOp>(op))
      if (std::optional<StringRef> failure = proposal.getFailure())
        os << "\n  " << proposal.getSymName() << ": " << *failure;
    auto variant = dyn_cast<VariantOp>(op);
    EvidenceAttr evidence =
        variant ? variant.getEvidenceAttr() : EvidenceAttr();
    if (evidence && !evidence.isAccepted())
      os << "\n  " << variant.getSymName() << ": "
         << stringifyGrade(evidence.getGrade()) << ": "
         << evidence.getDetail(evidence::message);
  }
  return text;
}

llvm::Expected<std::vector<CompiledFile>>
evo::compileMLIR(StringRef text, StringRef fileName,
                 const CompileOptions &options) {
  DialectRegistry registry;
  registerDialects(registry);
  BackendOptions backends;
  backends.target = options.target;
  backends.cudaPath = options.cudaPath;
  backends.worker = options.worker.empty() ? findWorker() : options.worker;
  attachBackends(registry, backends);
  static std::once_flag registered;
  std::call_once(registered, registerPasses);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  std::string diagnostics;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
      llvm::raw_string_ostream(diagnostics)
          << diagnostic.getLocation() << ": " << diagnostic << '\n';
    return success();
  });
  auto fail = [&](const std::string &why) {
    return llvm::createStringError(diagnostics.empty() ? why : diagnostics);
  };
  FailureOr<OwningOpRef<ModuleOp>> module = liftMLIR(&context, text, fileName);
  if (failed(module))
    return fail("cannot be read"); // unreachable: it says why
  SmallVector<KernelOp> kernels((*module)->getOps<KernelOp>());
  if (kernels.size() != 1)
    return fail("holds " + std::to_string(kernels.size()) +
                " kernels, expected one");
  KernelOp kernel = kernels.front();
  if (!kernel.hasContract())
    return fail("the kernel has no contract");
  addBaseline(kernel);
  std::string pipeline =
      llvm::formatv("builtin.module(evo.kernel(evo-raise{{seed={2}},"
                    "evo-search{{proposer={0} budget={1} seed={2} "
                    "target={3}},evo-select{{target={3}}))",
                    options.proposer, options.budget, options.seed,
                    options.target)
          .str();
  if (failed(runPipeline(**module, pipeline)))
    return fail("the search failed"); // unreachable: it says why
  SmallVector<VariantOp> shipped = findShippedVariants(kernel);
  if (shipped.empty())
    return fail("no variant was accepted" + describeFailures(kernel));
  llvm::Expected<std::vector<Artifact>> artifacts =
      emitArtifacts(kernel, shipped);
  if (!artifacts)
    return artifacts.takeError();
  std::vector<CompiledFile> files;
  std::string whole;
  llvm::raw_string_ostream os(whole);
  (*module)->print(os);
  files.push_back({"best.mlir", whole});
  for (Artifact &artifact : *artifacts)
    files.push_back({artifact.fileName, std::move(artifact.contents)});
  return files;
}
