// Run a grid on the CPU. `launch` runs every thread of a grid, one block after
// another, each warp in lockstep. A warp runs until it ends or waits for
// others; lanes that diverge run in groups, smallest code position first. Every
// memory access is checked, every wait must be satisfiable, and the whole ends
// within its budget: a defect is a Finding, never a crash or a hang of the
// host.
//
// Each float carries up to three values along the same path:
//   bits   in its own type, operations rounded as the device rounds them
//          (IEEE; fma in one rounding; f16 and bf16 after every operation;
//          transcendental f32 functions correctly rounded; NaN results are the
//          device's canonical NaN). They decide branches, addresses, selects.
//   shadow value  a double that is never rounded to the narrow type; of an f64
//   what
//          its bits lack, so that both together are a double-double. Selects,
//          minima and maxima take the shadow value of the operand that the bits
//          chose.
//   error  an absolute bound on |bits - exact value of the same expression|
//          after Higham, "Accuracy and Stability of Numerical Algorithms",
//          3.3 (running error analysis): add u|r| + ea + eb, multiply
//          u|r| + |a|eb + |b|ea, divide u|q| + (ea + |q|eb)/|b|, a function f
//          |f'(x)|ea + c u |f(x)|, a narrowing conversion u_narrow|r|. A
//          product, quotient or narrowed number is off by half the smallest
//          subnormal at least, unless it is zero. The
//          magnitudes are those of the shadow values; second-order terms are
//          dropped.
//   field  in place of the error: an element of finite fields; see Field.h;
//   terms  or what sums are made of; see Terms.h.
#ifndef EVO_SIMULATOR_LAUNCH_H
#define EVO_SIMULATOR_LAUNCH_H

#include "evo/Simulator/Counters.h"
#include "evo/Simulator/Finding.h"
#include "evo/Simulator/Lanes.h"
#include "evo/Simulator/Memory.h"
#include "evo/Simulator/Program.h"
#include "evo/Target/TargetInfo.h"
#include <vector>

namespace evo::sim {

class Coverage;
class Field;
class TermsArena;
struct NativeKernel;
struct Schedule;

struct Dim3 {
  uint64_t x = 1, y = 1, z = 1;
};

/// One kernel argument: the bits of a scalar or pointer in the low end of
/// `bits`, or the bytes of a struct passed by value.
struct Argument {
  uint64_t bits = 0;
  /// Bytes of the value as the caller believes them; 0 means "do not check",
  /// anything else must equal the parameter's size.
  unsigned width = 0;
  std::vector<char> bytes;
  Argument() = default;
  Argument(uint64_t bits, unsigned width = 0) : bits(bits), width(width) {}
  static Argument f32(float value);
  static Argument f64(double value);
  static Argument byVal(const void *data, size_t size);
};

struct LaunchParams {
  std::string kernel;
  Dim3 grid;
  Dim3 block;
  uint64_t dynamicSharedBytes = 0;
  std::vector<Argument> args;
  /// Linear block ids (x fastest) to run; empty: all.
  std::vector<uint64_t> blocks;
  /// Warps of each block to run, for kernels without barriers; empty: all.
  std::vector<unsigned> warps;
  /// One thread of each block alone, by its linear number, for kernels whose
  /// threads exchange nothing.
  std::optional<unsigned> thread;
  /// Non-zero: blocks run in a permuted order.
  uint64_t blockOrderSeed = 0;
  /// Non-zero: warps of a block take their turns in a permuted order.
  uint64_t warpOrderSeed = 0;
};

/// Bounds on one launch; exceeding one is a finding.
struct Limits {
  uint64_t laneInstructions = ~0ull;
  /// Of warps, each once, however many of its lanes take part: what time goes
  /// by. Looked at now and then.
  uint64_t warpInstructions = ~0ull;
  /// What an access counts more for each page of sparse memory or region that
  /// its lanes are in: it takes longer than an instruction of all lanes.
  uint64_t separateAccess = 0;
  uint64_t wallMilliseconds = ~0ull;
  /// Host bytes for register files, shared and local memory of one block.
  uint64_t hostBytes = 4ull << 30;
  /// Static and dynamic shared memory of a block.
  uint64_t sharedBytes = target::getDefaultTarget().sharedPerBlockOptIn;
  /// What malloc may hand out in all, as HeapUse counts; it answers null where
  /// this does not suffice. (A device's default is 8 MiB.)
  uint64_t heapBytes = 1ull << 30;
};

/// The hook for shadows that watch memory and order rather than values (races,
/// residues): told of every checked access and every ordering event, in
/// program order of each warp. A call covers one warp instruction.
class AccessObserver {
public:
  enum class Access { Load, Store, Atomic };
  enum class Order { BlockBarrier, WarpSync, Fence, BlockStart, BlockEnd };
  struct Event {
    Access access;
    LaneMask mask;             ///< lanes taking part
    uint32_t warp;             ///< within the block
    uint32_t bytes;            ///< per lane
    const uint64_t *addresses; ///< of all lanes, valid where mask is set
    uint32_t location;         ///< index for Program locations
  };
  virtual ~AccessObserver();
  virtual void access(const Event &event) = 0;
  virtual void order(Order order, uint32_t warp, LaneMask mask) = 0;
};

struct Options {
  Shadow shadow = Shadow::None;
  /// Where field values live; needed for ValueAndField, and to be kept for all
  /// launches that share a memory.
  Field *field = nullptr;
  /// The same of terms; needed for ValueAndTerms.
  TermsArena *terms = nullptr;
  /// Unit roundoffs of the types to which a contract lets operands and products
  /// of multiplications, and sums, be rounded (0: none). They add to errors.
  double multiplyUnit = 0, accumulateUnit = 0;
  Limits limits;
  /// Filled when not null; counting slows the launch down two- to threefold.
  Counters *counters = nullptr;
  AccessObserver *observer = nullptr;
  /// Where to note which ways branches went, if anywhere.
  Coverage *coverage = nullptr;
  /// Two accesses to one byte, one of them a write, that nothing orders are a
  /// finding. See docs/VerificationDesign.md for what orders them.
  bool detectRaces = false;
  /// Sums, differences and products of 32 bits that the source says to stay in
  /// the range of signed numbers, and that do not, are a finding.
  bool detectSignedWraps = false;
  /// The same of those that are made of data.
  bool detectDataWraps = false;
  /// Besides these, those of indices that become numbers of 64 bits, where the
  /// source says nothing; without a sign products alone. Modulo 2^32 the last
  /// of several may be right.
  bool detectIndexWraps = false;
  /// With errors: whether finite numbers exceeded their type is noted.
  bool noteOverflows = false;
  /// Repeated over shared and local memory before each block.
  uint64_t poison = 0xcacacacacacacacaull;
  bool checkUninitialized = true;
  /// False: go on after a finding (a faulting lane reads poison, its store is
  /// dropped), at most `maxFindings`, one per instruction and kind.
  bool stopAtFirstFinding = true;
  unsigned maxFindings = 32;
  /// The kernel, compiled for blocks of this shape (JIT.h): for launches
  /// without shadows, counters, observers and detectors but those of accesses,
  /// barriers and budgets. Instructions count an eighth there.
  const NativeKernel *native = nullptr;
  /// Where not null, blocks are under way together, as it says.
  const Schedule *schedule = nullptr;
  /// Use the baseline interpreter even where AVX2 exists. Results are equal
  /// bit for bit; a test says so.
  bool forceBaseline = false;
};

struct LaunchStats {
  uint64_t laneInstructions = 0;
  uint64_t warpInstructions = 0;
  uint64_t blocksRun = 0;
  /// Warps that a schedule held, or executions of a store that came late.
  uint64_t held = 0;
  /// Lane instructions of the block that ran last: of a budget that ended, what
  /// one block had of it.
  uint64_t lastBlockInstructions = 0;
  uint64_t wallMicroseconds = 0;
  /// Float comparisons whose outcome the shadow values would have decided
  /// otherwise.
  uint64_t shadowDecisionFlips = 0;
  /// A finite shadow value exceeded its type, where that is noted.
  bool overflows = false;
};

struct LaunchResult {
  std::vector<Finding> findings;
  /// The first shuffle that took its value from a lane not taking part. That
  /// value is undefined, another one with another poison: a defect where it
  /// reaches a result.
  std::optional<Finding> inactiveRead;
  /// Where races are watched: a thread reads what others published without an
  /// acquire or a fence of its own, in a way that devices grant.
  bool readerWithoutFence = false;
  LaunchStats stats;
  bool clean() const { return findings.empty(); }
};

/// Whether kernels of `program` could keep anything from one call to the next:
/// it has variables in global memory that they may write.
bool keepsState(const Program &program);

/// To be called between two calls on one memory. Variables of the program keep
/// what they hold, but reading a byte that differs from what a fresh module has
/// is a finding (KeptState) until the new call has written it: results must not
/// depend on earlier calls. A counter that was reset may be read.
void retireModuleState(const Program &program, GlobalMemory &memory);

LaunchResult launch(const Program &program, const LaunchParams &params,
                    GlobalMemory &memory, const Options &options = Options());

} // namespace evo::sim

#endif
