// Decoded kernels. The form a kernel has while it runs: one flat array of
// 44-byte instructions whose operands are positions in a warp's register file.
// Plain data only: the interpreter is compiled once per instruction set, and
// anything inline that it shared with other files could be emitted for the
// wrong one.
//
// Operands. A non-negative operand counts units of 4 bytes per lane from the
// start of the warp's register file; a negative one counts units backwards from
// the end of the constant area, which all warps share (constants and arguments,
// each repeated over all lanes). 64-bit values take two units. Shadow values of
// unit u lie at 4 x 16-bit positions: a float's shadow value is at position 0,
// an integer that may hold packed floats has one shadow value per 16 bits of
// its width.
#ifndef EVO_LIB_SIMULATOR_IR_BYTECODE_H
#define EVO_LIB_SIMULATOR_IR_BYTECODE_H

#include "Simulator/IR/Lanes.h"
#include "evo/Simulator/Counters.h"
#include "evo/Simulator/Finding.h"
#include "evo/Simulator/Memory.h"
#include "evo/Simulator/Program.h"
#include <climits>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace evo::sim {

namespace fact {
/// What holds of an instruction by its opcode.
enum Facts : uint32_t {
  none = 0,
  /// The result is a function of the operands, and nothing else happens,
  isFunction = 1,
  /// but that some operands are a finding.
  mayFault = 2,
  /// No function, but may be dropped where nobody reads the result.
  isRemovable = 4,
  /// The first result has 64 bits; where neither opcode nor type say so, `sub`
  /// does.
  isWide = 8,
  /// The result may hold floats' bits of these operands, or of memory: their
  /// shadow values go along.
  carriesA = 16,
  carriesB = 32,
  carriesC = 64,
  carriesMemory = 128,
  /// `aux` names a list of slots; or does so with flagList.
  hasList = 256,
  mayList = 512,
  /// The list is of results.
  listsResults = 1024,
  /// Counted as what it touches, not by its class.
  isCountedByMemory = 2048,
  /// `flags` hold a MemoryPlace (placeShift).
  namesPlace = 4096,
  /// The last instruction of a block.
  endsBlock = 8192,
  /// Threads of a warp may do it together.
  exchangesLanes = 16384,
  /// All lanes that a warp began with have to, those that have exited too.
  needsWholeWarp = 32768,
  /// What it reads goes to memory, but for `a`, the address.
  storesValues = 65536,
  /// What it carries goes to memory, in exchange for what was there.
  exchangesMemory = 131072,
};
} // namespace fact

/// What evo/DeviceOps/Opcodes.td says of an opcode.
struct OpcodeRow {
  uint16_t number;
  const char *name;
  OpClass cost;
  uint8_t flops;
  uint32_t facts;
};

namespace opcode {
using namespace fact;
#define GET_Op_DECL
#define GET_OpcodeTable_IMPL
#include "evo/DeviceOps/Opcodes.inc"
} // namespace opcode
using opcode::Op;

static constexpr const OpcodeRow &rowOf(Op op) {
  return opcode::OpcodeTable[static_cast<unsigned>(op)];
}
/// Whether one of `facts` holds of an opcode.
static constexpr bool has(Op op, uint32_t facts) {
  return rowOf(op).facts & facts;
}

constexpr int32_t noOperand = INT32_MIN;

enum FloatType : uint8_t { FT_H, FT_B, FT_S, FT_D, FT_None };

/// What shadow values an operand carries. Float kinds keep one plain double at
/// position 0; Packed keeps encoded doubles (0: absent) per 16 bits.
enum ShadowValueKind : uint8_t {
  SV_None = 0,
  SV_Packed = 1,
  SV_H = 2,
  SV_B = 3,
  SV_S = 4,
  SV_D = 5,
  SV_Mask = 7,
};
constexpr uint8_t flagList = 8;     ///< aux names a list of element slots
constexpr uint16_t flagBitsA = 256; ///< operand a may be a float's bits, and
constexpr uint16_t flagBitsB = 512; ///< b: they are used as integers
constexpr uint8_t flagWide = 64;    ///< with flagClear: 64-bit result
constexpr uint8_t flagClear =
    32; ///< the result's shadow values are to read "absent"
// What a LOAD or STORE promises to other threads.
constexpr uint8_t flagStrong = 16;        ///< volatile, relaxed or more
constexpr uint8_t flagOrdered = 128;      ///< acquire or release
constexpr uint16_t flagBlockScope = 1024; ///< and to the block's alone
/// A LOAD that need not see what its launch writes (__ldg, ld.global.nc).
constexpr uint16_t flagReadOnlyPath = 2048;
/// A LOAD that takes nothing from the cache of its multiprocessor (ld.cg).
constexpr uint16_t flagPastCache = 4096;
/// By which of these a LOAD or STORE meets others that run meanwhile.
constexpr uint16_t flagMeets = flagStrong | flagPastCache;
/// From this bit on, the MemoryPlace that a LOAD, STORE, ATOMIC, CMPXCHG,
/// MEMCPY (where it writes) or MEMSET names: it reaches no other on a device.
constexpr unsigned placeShift = 13;
// The same of an ATOMIC or CMPXCHG, in aux above operation and type.
constexpr uint32_t atomicBlockScope = 1u << 16;
constexpr uint32_t atomicRelease = 1u << 17;
constexpr uint32_t atomicAcquire = 1u << 18;
/// It adds nothing to what it reads.
constexpr uint32_t atomicOnlyReads = 1u << 19;

/// `sub` of FADD, FSUB, FMUL, FDIV and FMA and `imm` of FPCVT and ITOFP are a
/// Rounding. Any but Nearest is of f32 and f64 alone, or to a float type.
/// `sub` of ADD_I, SUB_I and MUL_I: the source says that it stays in the range
/// of signed numbers; or it says nothing, and the number is an index that
/// becomes one of 64 bits, with its sign or without; or it says so of what data
/// are made of.
constexpr uint8_t subNoSignedWrap = 1, subSignedIndex = 2, subUnsignedIndex = 4,
                  subSignedData = 8;

/// Whether the code generator fuses an addition with a product.
enum class Contraction : uint8_t { No, Yes, Open };
enum class MinMax : uint8_t { MinNum, MaxNum, Minimum, Maximum };
enum class Rounding : uint8_t { Nearest, Zero, Down, Up };
/// What FPTOI makes of a float that its type does not hold, and of NaN; in the
/// two highest bits of `sub`.
enum class Beyond : uint8_t {
  AsCvt,     ///< the nearest number; NaN as the PTX ISA says of cvt
  Saturates, ///< the nearest number, 0 of NaN: LLVM's intrinsics
  Undefined, ///< any number, another each run
  Refused,   ///< besides, it is a finding
};
constexpr unsigned beyondShift = 6;
enum class AtomicOp : uint8_t {
  Xchg,
  Add,
  Sub,
  And,
  Nand,
  Or,
  Xor,
  Max,
  Min,
  UMax,
  UMin,
  FAdd,
  FSub,
  FMax,
  FMin,
  UIncWrap,
  UDecWrap,
};
enum class Sreg : uint8_t {
  TidX,
  TidY,
  TidZ,
  NtidX,
  NtidY,
  NtidZ,
  CtaidX,
  CtaidY,
  CtaidZ,
  NctaidX,
  NctaidY,
  NctaidZ,
  LaneId,
  WarpSize,
  LaneMaskEq,
  LaneMaskLt,
  LaneMaskLe,
  LaneMaskGt,
  LaneMaskGe,
  DynamicSmem,
  Zero, ///< of clusters of one block
  One,
};
enum class BarKind : uint8_t { Sync, Popc, And, Or, Arrive };
enum class ShflMode : uint8_t { Up, Down, Bfly, Idx };
enum class VoteMode : uint8_t { All, Any, Uni, Ballot };
enum class MatchMode : uint8_t { Any32, Any64, All32, All64 };
enum class ReduxOp : uint8_t { Add, Min, Max, UMin, UMax, And, Or, Xor };
/// Elements of the matrices that a warp multiplies.
enum class MatrixType : uint8_t { F16, BF16, TF32, F32, S8, U8, S32 };

struct Inst {
  Op op = Op::RET;
  uint8_t sub = 0;
  uint16_t flags = 0;
  int32_t dst = noOperand;
  int32_t a = noOperand, b = noOperand, c = noOperand;
  int32_t e = noOperand;    ///< fourth operand: the clamp of a shuffle
  int32_t dst2 = noOperand; ///< second result: shuffle and match predicates
  /// Of an addition of floats: a Contraction.
  uint32_t aux = 0;
  /// Of a function of floats: a number of the function called.
  int32_t imm = 0;
  uint32_t loc = 0;
};

/// One copy of an edge's phi assignments.
struct Copy {
  int32_t dst, src;
  uint8_t wide;        ///< 8-byte lanes
  uint8_t shadowValue; ///< ShadowValueKind
};
struct Edge {
  uint32_t target; ///< block, later: index of its first instruction
  uint32_t firstCopy, copies;
};
struct SwitchTable {
  uint32_t defaultEdge;
  std::vector<std::pair<uint64_t, uint32_t>> cases; ///< value, edge
  bool wide;
};

/// A conditional branch or switch that literals do not decide.
struct BranchSite {
  uint32_t firstEdge, edges; ///< of a branch: taken where true, where false
  uint32_t location;
  bool isSwitch;
  bool onData;  ///< else on the launch alone
  bool onInput; ///< on data that surely come of arguments
  /// Of a loop that data may end earlier: the number of rounds.
  std::optional<int64_t> roundLimit;
  /// Of a branch: whether that way stores nothing where the other does.
  bool skipsWhenTrue = false, skipsWhenFalse = false;
};

/// An entry of the constant area.
struct Constant {
  enum Kind : uint8_t {
    Bits,
    Arg,
    GlobalAddress,
    ParamAddress,
    Undefined, ///< a variable that nothing was assigned to
  } kind = Bits;
  bool wide = false;
  FloatType floatType = FT_None;
  /// Value; the displacement of an address; the bits that are undefined.
  uint64_t bits = 0;
  unsigned index = 0; ///< argument or global number
};

/// A block-shared or lane-local variable.
struct Variable {
  std::string name;
  uint64_t bytes = 0;
  uint64_t align = 1;
  bool dynamic = false;
  bool reserved = false; ///< the system's share, which no limit counts
};

/// A module-level variable in global or constant memory.
struct GlobalVar {
  std::string name;
  uint64_t align = 1;
  bool constant = false; ///< in constant memory
  bool readOnly = false;
  bool used = true; ///< by code, not merely declared by a header
  std::vector<char> init;
  struct Fixup {
    uint64_t offset;
    unsigned global;
    uint64_t addend;
  };
  std::vector<Fixup> fixups;
};

/// Address spaces as the top four bits of a virtual address.
enum Space : uint64_t {
  SpaceGlobal = 0,
  SpaceShared,
  SpaceLocal,
  SpaceParam,
  SpaceHeap, ///< global memory that malloc returned
};
constexpr uint64_t regionAddress(uint64_t space, uint64_t index) {
  return space << 60 | (index + 1) << 40;
}

/// How far from the start of its region a variable lies: as badly aligned as
/// its declaration allows, so that an access which needs more is found here and
/// not on a device that packs its variables.
constexpr uint64_t variableOffset(uint64_t align) {
  return align <= 4096 ? align : 0;
}
constexpr uint64_t variableAddress(uint64_t space, uint64_t index,
                                   uint64_t align) {
  return regionAddress(space, index) + variableOffset(align);
}

constexpr uint16_t placeFlag(MemoryPlace place) {
  return static_cast<uint16_t>(static_cast<unsigned>(place) << placeShift);
}
static constexpr MemoryPlace placeNamedBy(const Inst &i) {
  return static_cast<MemoryPlace>(i.flags >> placeShift);
}

/// The 32-bit number by which PTX names a byte of shared memory: each variable
/// has a window of its own, so that a pointer that left its variable is still
/// found. 0 for addresses elsewhere.
static constexpr uint32_t sharedWindow(uint64_t address) {
  const uint64_t index = (address + (1ull << 39)) >> 40 & 0xfffff;
  const int64_t offset = static_cast<int64_t>(
      address - (static_cast<uint64_t>(SpaceShared) << 60 | index << 40));
  if (offset < -(1 << 19) || offset >= 1 << 19 || index > 4094)
    return 0;
  return static_cast<uint32_t>((index << 20) + offset);
}
static constexpr uint64_t sharedAddress(uint32_t window) {
  const uint64_t index = (window + (1u << 19)) >> 20;
  const int32_t offset = static_cast<int32_t>(window - (index << 20));
  return (static_cast<uint64_t>(SpaceShared) << 60 | index << 40) +
         static_cast<int64_t>(offset);
}

/// A product D = A B + C of a warp's fragments (MMA). The instruction's list
/// names the slots of D, A, B and C in this order, so many of each; floats are
/// a slot an element, 8-bit integers four to a slot.
struct Mma {
  unsigned m = 0, n = 0, k = 0;
  MatrixType a, b, c, d;
  unsigned slotsD = 0, slotsA = 0, slotsB = 0, slotsC = 0;
  bool opaque = false;   ///< wmma: a layout of our own
  bool saturate = false; ///< integer sums
};

/// A matrix in memory of which each lane loads or stores a fragment (WMMA).
struct MatrixTile {
  unsigned rows = 0, columns = 0;
  MatrixType type;
  bool rowMajor = true;
  unsigned alignment = 0; ///< of the first element, in bytes
};

struct KernelCode {
  std::string name;
  std::vector<KernelParameter> params;
  std::vector<Inst> code;
  std::vector<uint32_t> blockStart;
  std::vector<Copy> copies;
  std::vector<Edge> edges;
  std::vector<SwitchTable> switches;
  std::vector<BranchSite> branches;
  std::vector<std::vector<int32_t>> lists;
  std::vector<Mma> products;
  std::vector<MatrixTile> tiles;
  std::vector<Constant> constants;
  std::vector<int32_t> constantUnit; ///< negative operand of each constant
  unsigned constantUnits = 0;
  unsigned registerUnits = 0;
  std::vector<Variable> shared; ///< the last one is dynamic, if any is
  std::vector<Variable> locals;
  std::vector<std::string> messages; ///< texts of TRAP
  std::vector<SourceLoc> locations;  ///< entry 0 is "unknown"
  bool hasPacked = false;
};

struct ProgramImpl {
  uint64_t serial = 0;
  std::map<std::string, KernelCode> kernels;
  std::vector<GlobalVar> globals;
  std::vector<std::string> notes;
};

} // namespace evo::sim

#endif
