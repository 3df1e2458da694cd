// Between compiled and interpreted code.
#ifndef EVO_LIB_SIMULATOR_JIT_RUNNATIVE_H
#define EVO_LIB_SIMULATOR_JIT_RUNNATIVE_H

#include "Simulator/Interp/Exec.h"
#include "evo/Simulator/Native.h"
#include <optional>

namespace evo::sim {

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
  /// A kernel as compiled code, and the warps that it is for.
  struct Code {
    const NativeKernel *kernel;
    LaneMask lanes;   ///< those of the warp, and no others
    uint64_t counted; ///< what one of its instructions counts
  };
  static Code codeFor(const NativeKernel &kernel);
  const Code whole;
  std::optional<Code> lone; ///< once enough was interpreted for one thread
  uint64_t interpretedAlone = 0;
  const Code *current = nullptr;
  Exec &x;
  const InterpreterTable &interpreter;
  Frame frame;
  std::vector<NativeRegion> roots;
  NativeRegion found;
  uint32_t place[7];
  /// By warp: lanes have been together since compiled code left it.
  std::vector<char> together;

  NativeRegion regionAt(uint64_t address) const;
  bool returnsAt(uint32_t position) const;
  void retire(Warp &w);
  const Code *codeOf(const Warp &w);
  int32_t segmentOf(const Warp &w);
  bool isAsExpected(const Warp &w, int32_t segment) const;
  enum class Next { Leave, Interpret, Compiled };
  Next runCompiled(Warp &w, int32_t segment);
};

} // namespace evo::sim

#endif
