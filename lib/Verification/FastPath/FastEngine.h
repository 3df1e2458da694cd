// Plans by the fast path: each kernel is compiled once for a shape of blocks.
#ifndef EVO_LIB_VERIFICATION_FASTPATH_FASTENGINE_H
#define EVO_LIB_VERIFICATION_FASTPATH_FASTENGINE_H

#include "evo/Simulator/JIT.h"
#include "evo/Simulator/Plan/ExecutablePlan.h"
#include <map>

namespace evo {

class FastEngine {
public:
  /// Runs the launches of a plan, of each of them `blocks` alone where there
  /// are any. Fails, with the reason, where one of its kernels is not compiled
  /// and may not be interpreted. Code is compiled for such `runs`.
  llvm::Expected<sim::LaunchResult>
  run(const ExecutablePlan &plan, TrialValues &values,
      sim::GlobalMemory &memory, sim::Options options,
      llvm::ArrayRef<uint64_t> blocks = {}, bool mayInterpret = false,
      jit::CodeFor runs = jit::CodeFor::LongRuns);

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
