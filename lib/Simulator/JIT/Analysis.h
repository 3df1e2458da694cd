// What lanes have in common. Cuts a kernel's bytecode into segments, and finds
// for each of them which registers are alive where it begins and what is known
// of their values. It is known for lanes that have come all the way together,
// as those of compiled code have; for others the launch looks whether it holds.
#ifndef EVO_LIB_SIMULATOR_JIT_ANALYSIS_H
#define EVO_LIB_SIMULATOR_JIT_ANALYSIS_H

#include "Simulator/IR/Bytecode.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <array>
#include <optional>
#include <set>

namespace evo::jit {

/// Distances of the lanes' values from that of lane 0, modulo their width.
using Shape = std::array<int64_t, sim::warpSize>;

/// What is known of a register.
struct Fact {
  const Shape *shape = nullptr; ///< null: anything
  uint8_t zeros = 0;            ///< low bits that are 0 in all lanes
  uint8_t zeros0 = 0;           ///< and in lane 0
  uint8_t bits = 64;            ///< all lanes are below 2^bits
  int16_t root = -1;            ///< which region it likely points into
  bool wide = false;            ///< 64 bits per lane
  bool isFloat = false;         ///< if it is NaN, then it is the device's
  bool operator==(const Fact &o) const {
    return shape == o.shape && zeros == o.zeros && zeros0 == o.zeros0 &&
           bits == o.bits && root == o.root && wide == o.wide &&
           isFloat == o.isFloat;
  }
};

using Facts = std::map<int32_t, Fact>;
using GetFact = llvm::function_ref<Fact(int32_t)>;

/// A part of a basic block: from its start, or what comes after a barrier, to
/// its end or the next barrier.
struct Segment {
  uint32_t begin, end;  ///< positions
  llvm::BitVector live; ///< registers by first unit, where it begins
  Facts facts;          ///< the same
  /// Those that come as values from where it is reached: memory may have older
  /// ones.
  llvm::BitVector carried;
  bool isReached = false;
};

/// Whether it rounds its result as its `sub` says.
bool isRoundedArithmetic(sim::Op op);

class Analysis {
public:
  /// `isLone`: of warps of which the first thread alone is left.
  Analysis(const sim::KernelCode &kernel, const uint32_t (&block)[3],
           bool isLone);

  const sim::KernelCode &kernel;
  const uint32_t (&block)[3];
  std::vector<Segment> segments;
  std::vector<int32_t> segmentAt; ///< by position
  std::vector<int32_t> roots;     ///< constant operands that are addresses

  const Shape *uniform;
  /// What the only thread of a warp computes stands for all of its lanes, so
  /// that each value is one of all lanes.
  bool isLone() const { return lone; }
  bool isUniform(const Fact &fact) const { return fact.shape == uniform; }
  /// The value of a constant operand that all launches share.
  std::optional<uint64_t> constantOf(int32_t unit) const;
  Fact factOf(int32_t unit, const Facts &facts) const;
  /// What is known of the results of an instruction.
  Fact evaluate(const sim::Inst &inst, GetFact get) const;
  /// Registers that are alive before a position of a segment.
  llvm::BitVector liveBefore(const Segment &segment, uint32_t position) const;
  /// Those that more than one of a jump's targets needs in memory.
  llvm::BitVector sharedByEdges(const sim::Inst &jump) const;
  /// Notes what is known of the results of an instruction.
  static void note(const sim::KernelCode &kernel, const sim::Inst &inst,
                   const Fact &result, Facts &facts);

private:
  bool lone;
  std::set<Shape> shapes;
  std::map<int32_t, const sim::Constant *> constants;
  const Shape *intern(const Shape &shape, bool wide);
  const Shape *combine(const Fact &a, const Fact &b, bool wide,
                       llvm::function_ref<int64_t(int64_t, int64_t)> f) const;
  Fact evaluateOther(const sim::Inst &inst, GetFact get) const;
  Fact evaluateInteger(const sim::Inst &inst, GetFact get, bool wide) const;
  Fact evaluateBits(const sim::Inst &inst, GetFact get, bool wide) const;
  Fact threadNumber(unsigned axis) const;
  void cut();
  void findLive();
  void findFacts();
  void addRoots();

  // Carried.cpp
  /// Segments from one, that a later one leads back to, on.
  struct Loop {
    int32_t first;
    llvm::BitVector segments;
    bool carries = true; ///< registers from segment to segment
  };
  std::vector<Loop> loops;
  void findLoops();
  bool staysInLoop(int32_t from, int32_t to) const;
  bool carryOn(int32_t from, const sim::Edge &edge);
  void spreadCarried();
  void findCarried();
};

} // namespace evo::jit

#endif
