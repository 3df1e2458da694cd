// State of a running launch. What the two interpreters (one per instruction
// set) and the slow paths share. Plain data and declarations only; see
// Bytecode.h for why.
#ifndef EVO_LIB_SIMULATOR_INTERP_EXEC_H
#define EVO_LIB_SIMULATOR_INTERP_EXEC_H

#include "Simulator/IR/Bytecode.h"
#include "evo/Simulator/Coverage.h"
#include "evo/Simulator/Launch.h"
#include <optional>

namespace evo::sim {

class AsyncCopies;
class RaceDetector;
class Turns;

/// Lanes at one code position. Positions order execution: smallest first.
struct Group {
  uint32_t ip;
  LaneMask mask;
};

enum class WarpState : uint8_t { Running, AtBarrier, Done };

struct Warp {
  char *regs = nullptr;          ///< unit 0: unitBytes a unit
  double *shadowValue = nullptr; ///< unit 0: unitShadowValues a unit
  double *error = nullptr;
  uint32_t index = 0;
  LaneMask existing = 0; ///< lanes that are threads of the block
  LaneMask live = 0;     ///< lanes that have not returned
  WarpState state = WarpState::Running;
  uint32_t barrierIp = 0;
  unsigned nGroups = 0, nWaiting = 0;
  // One for each lane, and one that is about to be joined to another.
  Group groups[warpSize + 1];  ///< can run
  Group waiting[warpSize + 1]; ///< arrived at a warp- or block-wide operation
  uint64_t executed = 0;
  uint32_t tid[3][warpSize];
  // Waiting in a loop; see notePoll.
  struct Poll {
    const Inst *inst = nullptr;
    uint64_t seen = 0;
    bool global = false; ///< in memory that other blocks reach
  };
  Poll polls[4];
  uint32_t unchanged = 0;
  bool yielded = false;      ///< left its turn because it waits in a loop
  bool partsEarly = false;   ///< lanes that part from others are each alone
  bool largestFirst = false; ///< let lanes further on run before those behind
  // Where blocks take turns: waits until nobody else can go on, has done so,
  // and what it may execute then.
  bool held = false, wasHeld = false;
  const Inst *permit = nullptr;
  // At a block barrier.
  uint32_t barrierId = 0;
  uint32_t barrierThreads = 0; ///< 0: all of the block
};

/// Counts rounds of loops that wait, for each warp by itself.
class RoundCounter {
public:
  RoundCounter(const Program &program, const std::string &kernel,
               std::vector<unsigned char> &max, unsigned warps);
  void blockStart();
  /// The warp takes an edge back to the beginning of a loop.
  void goBack(const Warp &w, uint32_t edge);
  bool anyLoops() const { return !loops.empty(); }

private:
  std::vector<WaitingLoop> loops;
  std::vector<uint32_t> loopOf; ///< by edge, from 1
  std::vector<unsigned char> &max;
  std::vector<unsigned char> now; ///< by warp and edge
};

/// Everything one launch needs while it runs.
struct Exec {
  const KernelCode *k = nullptr;
  const Inst *code = nullptr;
  uint8_t *taken = nullptr;       ///< a flag for each edge of a branch
  RoundCounter *rounds = nullptr; ///< where rounds of loops are counted
  // Ends of the constant area and its shadows.
  char *constants = nullptr;
  double *constantShadowValue = nullptr, *constantError = nullptr;
  const Region *tables[16] = {};
  uint32_t counts[16] = {};
  const std::string *names[16] = {};
  uint32_t grid[3], block[3], ctaid[3];
  uint32_t warps = 0, threads = 0;
  uint64_t dynamicShared = 0, totalShared = 0;
  uint32_t blockEpoch = 0; ///< 1, 2, ... per executed block, for sector tags
  int shadow = 0;
  double multiplyUnit = 0, accumulateUnit = 0; ///< of Options
  bool checkUninit = true;
  bool stop = false;
  bool stopAtFirst = true;
  uint8_t wrapsWatched = 0; ///< by what `sub` says
  bool noteOverflows = false, overflows = false;
  bool lastLaneFirst = false; ///< of the lanes of an atomic operation
  unsigned maxFindings = 32;
  uint64_t poison = 0;
  // Budgets.
  uint64_t laneInstructions = 0, warpInstructions = 0;
  uint64_t functionCalls = 0; ///< of functions of floats that were evaluated
  uint64_t laneLimit = ~0ull, warpLimit = ~0ull;
  uint64_t separateAccess = 0; ///< as in Limits
  uint64_t sliceEnd = 0;       ///< warpInstructions at which a warp yields
  uint64_t clockCheck = 0;   ///< warpInstructions of the next look at the clock
  uint64_t deadline = ~0ull; ///< microseconds, steady clock
  uint64_t flips = 0;
  Counters *counters = nullptr;
  AccessObserver *observer = nullptr;
  RaceDetector *races = nullptr;
  bool watched = false; ///< there is one of these two
  Field *field = nullptr;
  TermsArena *terms = nullptr;   ///< travel as field values do
  AsyncCopies *copies = nullptr; ///< where the kernel has any
  Turns *turns = nullptr;        ///< where blocks take turns
  Heap *heap = nullptr;
  uint64_t heapLimit = 0;
  std::vector<Finding> *findings = nullptr;
  std::optional<Finding> inactiveRead; ///< the first one
};

constexpr uint64_t sliceInstructions = 1u << 20;
/// Reads of the same values by one warp after which others take their turn, and
/// rounds in which no warp did anything else after which none ever will.
constexpr uint32_t maxPolls = 64, maxStaleRounds = 4096;
constexpr uint64_t clockInterval = 1u << 16;
constexpr double unitRoundoff[] = {0x1p-11, 0x1p-8, 0x1p-24,
                                   0x1p-53}; // H B S D
/// Half the distance of subnormal numbers; none of an f64, whose rest is known.
constexpr double halfSubnormal[] = {0x1p-25, 0x1p-134, 0x1p-150, 0};

/// The handles that name no field value (Field.h), as the doubles that carry
/// them.
constexpr double opaqueBits = 0x1p-1074, insideBits = 0x1p-1073;

/// A warp instruction's addresses after checking.
struct Access {
  const Region *region;
  uint64_t offset[warpSize]; ///< into the region's storage, lane part included
  bool contiguous = false;   ///< all lanes, consecutive
  bool gatherable = false;   ///< offsets of all lanes are valid and below 2^31
  bool increments = false;   ///< an atomic that adds one and answers nothing
};

// Slow paths ----------------------------------------------------------------

/// Adds a finding about what `lane` does at `i`; none once the launch is to
/// stop.
void report(Exec &x, const Warp &w, uint32_t lane, const Inst &i,
            FindingKind kind, const std::string &message);
/// Looks for lanes of `mask` where a sum, difference or product of 32 bits,
/// which `i` makes of `a` and `b`, lies outside of the range that `i` means.
void reportWrap(Exec &x, const Warp &w, const Inst &i, const uint32_t *a,
                const uint32_t *b, LaneMask mask);
/// A float, rounded, is no number of the type that FPTOI converts it to.
void reportBeyond(Exec &x, const Warp &w, uint32_t lane, const Inst &i,
                  double number);
/// A shuffle of `lane` reads lane `source`, which does not take part. Not by
/// itself a defect: only what reaches a result counts.
void reportInactive(Exec &x, const Warp &w, uint32_t lane, const Inst &i,
                    uint32_t source);
/// What a value holds that nothing was assigned to, another thing each run: as
/// zero it would pass for a sum's or a maximum's beginning. NaN spoils sums,
/// the largest numbers maxima and minima, which pass over NaN.
uint64_t undefinedBits(FloatType type, uint64_t poison);
/// In lanes of `mask` the result of a shuffle is what an undefined value is:
/// another thing each run, and 0 where there are shadows.
void leaveUndefined(Exec &x, Warp &w, const Inst &i, LaneMask mask);
/// As `report`, with the address and what lies there.
void reportAt(Exec &x, const Warp &w, uint32_t lane, const Inst &i,
              FindingKind kind, const std::string &message, uint64_t address);
/// Of `bytes` at `address`, which the lane reads, some were never written.
void reportUninitialized(Exec &x, const Warp &w, uint32_t lane, const Inst &i,
                         uint64_t address, unsigned bytes);
/// Finds why `lane` may not access `address` and reports it.
void reportAccess(Exec &x, const Warp &w, uint32_t lane, const Inst &i,
                  uint64_t address, unsigned bytes, uint64_t alignMask,
                  bool write);
/// The memory that an access of `i` names.
MemoryPlace namedPlace(const Inst &i, bool write);
/// Whether that is where `r` lies.
bool isReachedBy(const Inst &i, bool write, const Region &r);
/// Checks one lane's access, and finds its offset into the region's storage;
/// null (and a finding) when it is not allowed.
const Region *checkLane(Exec &x, const Warp &w, uint32_t lane, const Inst &i,
                        uint64_t address, unsigned bytes, uint64_t alignMask,
                        bool write, uint64_t &offset);
/// Those of the lanes whose access lies in the region of `a`, aligned; fills
/// their offsets.
LaneMask lanesWithin(const Warp &w, LaneMask mask, const uint64_t *addresses,
                     int64_t disp, unsigned bytes, uint64_t alignMask,
                     Access &a);
/// Of the lanes in `mask`: those that may go together with the first one into
/// its region. 0 when the first lane faults (reported).
LaneMask sameRegion(Exec &x, const Warp &w, const Inst &i, LaneMask mask,
                    unsigned bytes, uint64_t alignMask, bool write, Access &a);
/// Bytes of the buffer or variable.
uint64_t sizeOf(const Region &r);
/// Whether all of these bytes hold what somebody wrote.
bool isWritten(const Region &r, uint64_t offset, uint64_t bytes);
/// From now on they do.
void markWritten(const Region &r, uint64_t offset, uint64_t bytes);
/// Counts an access of the lanes of `mask` by the space that it touches:
/// instructions, traffic in sectors, turns of shared memory and atomics.
void countMemory(Exec &x, const Warp &w, const Inst &i, LaneMask mask,
                 const Access &a, unsigned bytes, bool write, bool atomic);
/// Counts any other instruction, by its class.
void countInstruction(Exec &x, const Inst &i, LaneMask mask);
/// Tells observer and race detector of an access that is about to happen;
/// `checked` is null where lanes may still fault.
void observe(Exec &x, const Warp &w, const Inst &i, LaneMask mask,
             unsigned bytes, AccessObserver::Access kind,
             const Access *checked);
/// The same of a fence or a warp's synchronisation.
void observeOrder(Exec &x, const Warp &w, const Inst &i, LaneMask mask);
/// False (and a finding) when the launch is beyond its limits.
bool withinBudget(Exec &x, const Warp &w, const Inst &i);
/// Leaves no shadow values in the integers of a list that the instruction
/// writes.
void clearListedShadowValues(Exec &x, Warp &w, const Inst &i, LaneMask mask);
/// Shadow values of integer ops on packed floats and of bitcasts.
void packedShadows(Exec &x, Warp &w, const Inst &i, LaneMask mask);
/// The same of an integer load or store that was checked: floats may lie there.
void loadPackedShadows(Exec &x, Warp &w, const Inst &i, LaneMask mask,
                       const Access &a);
void storePackedShadows(Exec &x, Warp &w, const Inst &i, LaneMask mask,
                        const Access &a);
/// Functions of floats, remainders and signs among them, with their shadow
/// values.
void mathOp(Exec &x, Warp &w, const Inst &i, LaneMask mask);
/// Field values of the results of `i`, which has just been executed. Moves are
/// done where errors are moved.
void fieldOp(Exec &x, Warp &w, const Inst &i, LaneMask mask);
/// The same of terms.
void termsOp(Exec &x, Warp &w, const Inst &i, LaneMask mask);
/// Whichever of the two the handles of the mode name.
void handleOp(Exec &x, Warp &w, const Inst &i, LaneMask mask);
/// Looks for floats under a load of plain integers.
void fieldIntegerLoad(Exec &x, const Inst &i, LaneMask mask, const Access &a,
                      unsigned bytes);
/// Read-modify-write and compare-and-swap, a lane after another.
void atomicOp(Exec &x, Warp &w, const Inst &i, LaneMask mask);
/// Copies and fills of many bytes.
void memoryBlockOp(Exec &x, Warp &w, const Inst &i, LaneMask mask);
/// malloc and free of the device.
void heapOp(Exec &x, Warp &w, const Inst &i, LaneMask mask);
/// Votes, matches and reductions of the lanes that have arrived together.
void voteOp(Exec &x, Warp &w, const Inst &i, LaneMask mask);
/// Products of matrices, and loads and stores of their fragments.
void matrixOp(Exec &x, Warp &w, const Inst &i, LaneMask mask);
/// cp.async, and the commits and waits of its groups.
void asyncCopyOp(Exec &x, Warp &w, const Inst &i, LaneMask mask);
/// Lanes that may now perform the warp-wide operation at `ip`; the others of
/// `mask` are parked.
LaneMask arrive(Exec &x, Warp &w, const Inst &i, uint32_t ip, LaneMask mask);
/// These lanes have returned. Nobody waits for them any more.
void leave(Exec &x, Warp &w, LaneMask mask);
/// A volatile or atomic access has found in memory, and left there, what `seen`
/// is a hash of. A warp that meets the same again and again waits for others
/// and gives them its turn.
void notePoll(Exec &x, Warp &w, const Inst &i, uint64_t seen, bool global);
/// The same for the result of a LOAD.
void noteVolatileLoad(Exec &x, Warp &w, const Inst &i, LaneMask mask);
/// Whether blocks take turns and the warp leaves its own before `i`.
bool leavesTurn(Exec &x, Warp &w, const Inst &i, LaneMask mask);
/// A warp whose lanes all wait can never go on.
void reportStuck(Exec &x, Warp &w);
/// What ends a launch on purpose, as a finding of the first lane.
void trapOp(Exec &x, Warp &w, const Inst &i, LaneMask mask);

// Operand addressing, for the slow paths.
inline char *regAddress(Exec &x, Warp &w, int32_t u) {
  return (u < 0 ? x.constants : w.regs) + static_cast<ptrdiff_t>(u) * unitBytes;
}
template <class T> T *reg(Exec &x, Warp &w, int32_t u) {
  return reinterpret_cast<T *>(regAddress(x, w, u));
}
inline double *shadowValueOf(Exec &x, Warp &w, int32_t u, unsigned pos = 0) {
  return (u < 0 ? x.constantShadowValue : w.shadowValue) +
         static_cast<ptrdiff_t>(u) * unitShadowValues + pos * warpSize;
}
inline double *errorOf(Exec &x, Warp &w, int32_t u, unsigned pos = 0) {
  return (u < 0 ? x.constantError : w.error) +
         static_cast<ptrdiff_t>(u) * unitShadowValues + pos * warpSize;
}

inline ElementKind fieldType(unsigned floatType) {
  return floatType == FT_H   ? ElementKind::F16
         : floatType == FT_B ? ElementKind::BF16
         : floatType == FT_S ? ElementKind::F32
                             : ElementKind::F64;
}

/// Runs one warp until it waits at a block barrier, ends, or used up its slice.
using RunWarp = void (*)(Exec &, Warp &);
/// Interpreters by shadow mode.
struct InterpreterTable {
  RunWarp run[4];
  /// Of bits alone: one instruction of a full warp whose lanes are together,
  /// which neither jumps nor waits.
  void (*one)(Exec &, Warp &, const Inst &);
};
const InterpreterTable &baselineInterpreter();
const InterpreterTable &avx2Interpreter();

} // namespace evo::sim

#endif
