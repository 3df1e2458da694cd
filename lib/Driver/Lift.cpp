// evo-opt lift: a kernel file as MLIR.
#include "Verbs.h"
#include "evo/Support/Files.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace evo;

int evo::runLift(const VerbOptions &options) {
  if (options.inputs.size() != 1)
    return reportError(options, "'lift' takes one kernel file"), WrongInput;
  auto context = createContext(options);
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler handler(sources, context.get());
  FailureOr<OwningOpRef<ModuleOp>> module =
      readKernelFile(*context, options.inputs[0], options);
  if (failed(module))
    return WrongInput;
  std::string text;
  llvm::raw_string_ostream os(text);
  (*module)->print(os);
  os << '\n';
  if (options.output.empty() || options.output == "-") {
    llvm::outs() << text;
    llvm::outs().flush();
    if (!llvm::outs().has_error())
      return Done;
    std::string why = llvm::outs().error().message();
    llvm::outs().clear_error(); // or LLVM ends the process over it
    return reportError(options, "cannot write standard output: " + why),
           Infrastructure;
  }
  if (llvm::Error error = writeFileAtomically(options.output, text))
    return reportError(options, llvm::toString(std::move(error))),
           Infrastructure;
  return Done;
}
