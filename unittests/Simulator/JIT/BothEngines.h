// One launch in two engines.
#ifndef EVO_UNITTESTS_JIT_BOTHENGINES_H
#define EVO_UNITTESTS_JIT_BOTHENGINES_H

#include "Harness.h"
#include "evo/Simulator/JIT.h"

namespace evo::sim::test {

/// A program, and buffers of which each engine gets a copy.
struct BothEngines : Fixture {
  std::vector<std::vector<char>> buffers;
  std::vector<Argument> scalars; ///< behind the buffers
  Dim3 grid, block;
  uint64_t dynamicShared = 0;
  std::string obstacle; ///< why it was not compiled
  LaunchResult compiled, interpreted;

  template <class T> void add(const std::vector<T> &data) {
    const char *bytes = reinterpret_cast<const char *>(data.data());
    buffers.emplace_back(bytes, bytes + data.size() * sizeof(T));
  }
  void addZeros(size_t bytes) { buffers.emplace_back(bytes); }

  /// Post-optimisation; the module is decoded anew.
  bool optimize() {
    test::optimize(*module);
    return decode(Prepare::AsIs);
  }

  /// Bytes of all buffers after a launch.
  std::string runIn(const std::string &kernel, const NativeKernel *native,
                    uint64_t budget, LaunchResult &result) const {
    GlobalMemory own;
    LaunchParams params;
    std::vector<BufferId> ids;
    for (const std::vector<char> &bytes : buffers) {
      BufferSpec spec;
      spec.bytes = bytes.size();
      spec.initialized = true;
      ids.push_back(own.addBuffer(spec));
      own.write(ids.back(), 0, bytes.data(), bytes.size());
      params.args.emplace_back(own.address(ids.back()), 8);
    }
    params.args.insert(params.args.end(), scalars.begin(), scalars.end());
    params.kernel = kernel;
    params.grid = grid;
    params.block = block;
    params.dynamicSharedBytes = dynamicShared;
    Options options;
    options.checkUninitialized = false;
    options.native = native;
    options.limits.laneInstructions = budget;
    result = launch(*program, params, own, options);
    std::string all;
    for (size_t i = 0; i < ids.size(); ++i)
      all.append(own.bytes(ids[i]), buffers[i].size());
    return all;
  }

  /// Whether both engines end alike and leave the same bytes.
  bool agree(const std::string &kernel, uint64_t budget = ~0ull) {
    std::string theirs = runIn(kernel, nullptr, budget, interpreted);
    bool same = true;
    for (jit::CodeFor runs :
         {jit::CodeFor::ShortRuns, jit::CodeFor::LongRuns}) {
      auto native = jit::compile(*program, kernel, block, runs);
      if (!native) {
        obstacle = llvm::toString(native.takeError());
        return false;
      }
      std::string ours = runIn(kernel, native->get(), budget, compiled);
      same &= ours == theirs && compiled.clean() == interpreted.clean();
    }
    return same;
  }
};

} // namespace evo::sim::test

#endif
