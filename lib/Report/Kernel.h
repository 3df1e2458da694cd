// A kernel with what was tried on it, as the page has it.
#ifndef EVO_LIB_REPORT_KERNEL_H
#define EVO_LIB_REPORT_KERNEL_H

#include "evo/Dialect/Evo/IR/Evo.h"
#include "evo/Report/Search.h"

namespace evo::report {

void addKernel(Search &search, KernelOp kernel);

/// Where a candidate failed, as files have it; Pipeline for what is no stage of
/// this tool.
inline std::optional<Stage> stageFromName(llvm::StringRef name) {
  if (name.empty())
    return std::nullopt;
  return symbolizeStage(name).value_or(Stage::Pipeline);
}

/// The source of input and winner (Search::findBest), out of `kernel`.
void addSources(Search &search, KernelOp kernel);

} // namespace evo::report

#endif
