// evo-opt audit K: what is degenerate about a contract, before anybody
// searches.
#include "Verbs.h"
#include "evo/Interfaces/Backends.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace evo;

std::string evo::auditPipeline(const VerbOptions &options, uint64_t seed) {
  return "builtin.module(evo.kernel(evo-audit{target=" + options.target +
         " seed=" + std::to_string(seed) + "}))";
}

int evo::runAudit(const VerbOptions &options) {
  if (options.inputs.size() != 1)
    return reportError(options, "'audit' takes one kernel file"), WrongInput;
  uint64_t seed = chooseSeed(options);
  std::string pipeline = auditPipeline(options, seed);
  if (options.showPipeline) {
    llvm::outs() << pipeline << '\n';
    return Done;
  }
  KernelFile file(options.inputs[0], options);
  KernelOp kernel = file.getKernel("the file", /*needsContract=*/true);
  if (!kernel)
    return file.getExitCode();
  if (failed(runPipeline(file.getModule(), pipeline)))
    return WrongInput;
  auto found = kernel->getAttrOfType<ArrayAttr>(auditAttr);
  if (!found)
    return Undecided;
  size_t count = found.size();
  if (options.json)
    llvm::outs() << llvm::json::Value(
                        llvm::json::Object{{"event", "audit"},
                                           {"warnings", int64_t(count)},
                                           {"seed", int64_t(seed)}})
                 << '\n';
  else
    llvm::outs() << (count == 0   ? "nothing degenerate found"
                     : count == 1 ? "1 warning"
                                  : std::to_string(count) + " warnings")
                 << "; seed " << seed << '\n';
  return count ? Refused : Done;
}
