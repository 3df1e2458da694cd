// evo-opt lift: a kernel file as MLIR.
#include "Verbs.h"

using namespace evo;

int evo::runLift(const VerbOptions &options) {
  if (options.inputs.size() != 1)
    return reportError(options, "'lift' takes one kernel file"), WrongInput;
  KernelFile file(options.inputs[0], options);
  if (!file.getModule())
    return file.getExitCode();
  std::string text;
  llvm::raw_string_ostream os(text);
  file.getModule().print(os);
  os << '\n';
  return writeOutput(text, options);
}
