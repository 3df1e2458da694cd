// Warps that run as machine code. What a launch needs of a kernel that was
// compiled for this machine (JIT.h). The compiled code is cut at barriers: each
// part, a *segment*, runs the lanes of a full warp that are all at one place,
// or the first thread of one whose others have returned, on the same register
// file as the interpreter, and answers where it stopped. There the interpreter
// goes on: with a barrier, a branch that lanes take both ways, an instruction
// that was not compiled. Once all lanes are together again at the start of a
// segment, its machine code takes over.
//
// So there is nothing that a kernel must not contain, and each access is still
// checked: one that is not plainly inside of its buffer is the interpreter's.
#ifndef EVO_SIMULATOR_NATIVE_H
#define EVO_SIMULATOR_NATIVE_H

#include "evo/Simulator/Lanes.h"
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace evo::sim {

class Program;
struct KernelCode;

/// One region of memory, as compiled accesses check and reach it. Lengths are 0
/// where there is no fast way.
struct NativeRegion {
  uint64_t address = 0; ///< virtual, of byte 0
  uint64_t loadBytes = 0, storeBytes = 0;
  uint64_t delta = 0; ///< host address - virtual address
};

/// What compiled code sees of the warp and its launch. Its layout is known to
/// the compiler.
struct NativeFrame {
  char *registers = nullptr;
  const char *constants = nullptr; ///< end of the area
  const NativeRegion *roots = nullptr;
  const uint32_t *threads = nullptr; ///< numbers in x, y, z; a warp each
  /// Number of the block in x, y, z, those of the grid, dynamic shared bytes.
  uint32_t *place = nullptr;
  uint64_t executed = 0; ///< warp instructions of this call
  uint64_t limit = 0;    ///< to leave where a loop begins anew beyond it
  /// Executes the instruction at a position, which is no jump. True: the launch
  /// has ended.
  bool (*step)(NativeFrame *, uint32_t position) = nullptr;
  /// The region at an address; one of no length where there is none.
  const NativeRegion *(*find)(NativeFrame *, uint64_t address) = nullptr;
};

/// Why compiled code stopped at a position.
enum class NativeExit : uint64_t {
  Instruction, ///< the interpreter's turn
  Limit,       ///< at the start of a segment
  Stop,        ///< the launch has ended
};

/// A kernel compiled for blocks of one shape: for full warps, or for those of
/// which the first thread alone is left.
struct NativeKernel {
  const KernelCode *code = nullptr;
  std::shared_ptr<const void> owner; ///< keeps the machine code
  uint32_t block[3] = {};
  bool isLone = false; ///< of one thread, which stands for a whole warp
  /// The other one, of one for full warps; null where there is none. Compiled
  /// when it is first asked for: most launches have no such warps.
  std::function<const NativeKernel *()> getLone;
  /// From the start of a segment to the position that is answered; a NativeExit
  /// stands in the high half.
  uint64_t (*run)(NativeFrame *, uint64_t segment) = nullptr;
  std::vector<int32_t> segmentAt; ///< by position; -1: none starts there
  /// Numbers of lanes that a segment takes to differ by constants: else it must
  /// not be entered.
  struct Lanes {
    int32_t unit;
    bool wide;
    uint32_t shape; ///< in `shapes`
  };
  /// Distances from lane 0, as numbers of 64 and of 32 bits.
  struct Shape {
    std::array<int64_t, warpSize> distances;
    std::array<uint32_t, warpSize> narrow;
  };
  std::vector<std::vector<Lanes>> expected; ///< by segment
  std::vector<Shape> shapes;
  std::vector<int32_t> roots; ///< constant operands: addresses of regions
};

/// What compiled instructions of full warps count in a budget of interpreted
/// ones. Those of a lone thread count for one each.
constexpr unsigned nativeShare = 8;

} // namespace evo::sim

#endif
