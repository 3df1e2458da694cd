// Plans by the fast path: each kernel is compiled once for a shape of blocks.
#ifndef EVO_LIB_VERIFICATION_FASTPATH_FASTENGINE_H
#define EVO_LIB_VERIFICATION_FASTPATH_FASTENGINE_H

#include "evo/Simulator/JIT.h"
#include "evo/Simulator/Plan/ExecutablePlan.h"
#include <map>

namespace evo {

/// What is run of a plan.
struct FastRequest {
  const ExecutablePlan &plan;
  TrialValues &values;
  sim::GlobalMemory &memory;
  sim::Options options;
  /// Of each launch these alone, and of the last one those, unless empty.
  llvm::ArrayRef<uint64_t> blocks = {}, blocksOfLast = {};
  bool mayInterpret = false; ///< a kernel that is not compiled
  jit::CodeFor runs = jit::CodeFor::LongRuns;
  llvm::ArrayRef<size_t> launches = {}; ///< empty: all
};

class FastEngine {
public:
  /// Fails, with the reason, where a kernel is not compiled and may not be
  /// interpreted.
  llvm::Expected<sim::LaunchResult> run(const FastRequest &request);

private:
  using Key = std::tuple<const sim::Program *, std::string, uint64_t, uint64_t,
                         uint64_t, jit::CodeFor>;
  struct Entry {
    std::unique_ptr<sim::NativeKernel> kernel;
    std::string obstacle; ///< where there is none
  };
  std::map<Key, Entry> kernels;
  const Entry &compile(const ExecutablePlan::Configuration &configuration,
                       jit::CodeFor runs);
};

} // namespace evo

#endif
