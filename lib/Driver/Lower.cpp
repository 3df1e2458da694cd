// evo-opt lower: PTX of the best, or only, variant that has valid evidence.
#include "Report.h"
#include "Verbs.h"
#include "evo/Dialect/Evo/IR/Evo.h"
#include "evo/Support/Files.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace evo;

int evo::runLower(const VerbOptions &options) {
  if (options.inputs.size() != 1)
    return reportError(options, "'lower' takes one file"), WrongInput;
  std::string pipeline =
      "builtin.module(evo.kernel(evo-lower{target=" + options.target +
      (options.allowUnverified ? " allow-unverified=1" : "") + "}))";
  if (options.showPipeline) {
    llvm::outs() << pipeline << '\n';
    return Done;
  }
  auto context = createContext(options);
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler handler(sources, context.get());
  FailureOr<OwningOpRef<ModuleOp>> module =
      readKernelFile(*context, options.inputs[0], options);
  if (failed(module))
    return WrongInput;
  auto kernels = (*module)->getOps<KernelOp>();
  if (llvm::range_size(kernels) != 1)
    return reportError(options, "the file must hold one kernel"), WrongInput;
  KernelOp kernel = *kernels.begin();
  // Only what will be printed is lowered.
  VariantOp chosen;
  if (FlatSymbolRefAttr best = kernel.getBestAttr())
    chosen = kernel.lookupSymbol<VariantOp>(best.getAttr());
  else if (auto variants = kernel.getBody().getOps<VariantOp>();
           llvm::range_size(variants) == 1)
    chosen = *variants.begin();
  if (!chosen)
    return reportError(options, "the kernel names no best variant, and has not "
                                "just one"),
           WrongInput;
  for (auto variant :
       llvm::make_early_inc_range(kernel.getBody().getOps<VariantOp>()))
    if (variant != chosen)
      variant.erase();
  if (failed(runPipeline(**module, pipeline)))
    return Refused;
  StringRef ptx = getPTX(chosen);
  if (ptx.empty())
    return reportError(options, "the variant is not accepted, so no code was "
                                "generated for it"),
           Refused;
  if (options.output.empty() || options.output == "-") {
    llvm::outs() << ptx;
    return Done;
  }
  if (llvm::Error error = writeFileAtomically(options.output, ptx))
    return reportError(options, llvm::toString(std::move(error))),
           Infrastructure;
  return Done;
}
