// Between compiled and interpreted code.
#ifndef EVO_LIB_SIMULATOR_JIT_RUNNATIVE_H
#define EVO_LIB_SIMULATOR_JIT_RUNNATIVE_H

#include "Simulator/Interp/Exec.h"
#include "evo/Simulator/Native.h"

namespace evo::exec {

/// Runs warps of one launch, by turns as compiled and by the interpreter.
class NativeRunner {
public:
  NativeRunner(const NativeKernel &kernel, Exec &x,
               const InterpreterTable &interpreter);

  /// As a RunWarp.
  void run(Warp &w);
  /// A block begins.
  void startBlock();

private:
  struct Frame : NativeFrame {
    NativeRunner *runner = nullptr;
    Warp *warp = nullptr;
  };
  const NativeKernel &kernel;
  const LaneMask full;    ///< the lanes of a warp that is together
  const uint64_t counted; ///< what one of its instructions counts
  Exec &x;
  const InterpreterTable &interpreter;
  Frame frame;
  std::vector<NativeRegion> roots;
  NativeRegion found;
  uint32_t place[7];
  /// By warp: lanes have been together since compiled code left it.
  std::vector<char> together;

  NativeRegion regionAt(uint64_t address) const;
  int32_t segmentOf(const Warp &w) const;
  enum class Next { Leave, Interpret, Compiled };
  Next runCompiled(Warp &w, int32_t segment);
};

} // namespace evo::exec

#endif
