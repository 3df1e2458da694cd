// What is known of an operation by its name. One table (DeviceOps.td) has the
// operations of a device in all spellings: functions of libdevice and of the
// device's runtime, LLVM's intrinsics, ops of the NVVM dialect, statements and
// registers of PTX. Whoever decides something by the name of an operation asks
// here, so that adding one means a record, its semantics and a test. What
// LLVM's own attributes say of intrinsics is asked of LLVM; of the other
// spellings the records say the same.
//
// Lookups hash; the table never changes.
#ifndef EVO_DEVICEOPS_DEVICEOPS_H
#define EVO_DEVICEOPS_DEVICEOPS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/ModRef.h"
#include <optional>
#include <string>
#include <vector>

namespace llvm {
class CallBase;
class Function;
} // namespace llvm

namespace evo::device {

/// Who has to come to an operation together, or learns of others by it.
enum class Scope : uint8_t { Thread, Warp, Block, Cluster };

/// What is done to memory.
enum class Effect : uint8_t { None, Read, Write, ReadWrite };

/// Which memory that is.
enum class Reach : uint8_t {
  Arguments, ///< what is at the addresses that an operation is given
  All,
  Hidden, ///< what has no address: the order of things, registers of others
};

/// What an operation does to memory.
struct MemoryUse {
  Effect effect;
  Reach reach;

  /// Whether its result may be of what is in memory.
  bool reads() const {
    return reach != Reach::Hidden && effect != Effect::None &&
           effect != Effect::Write;
  }
  /// The same in LLVM's words.
  llvm::MemoryEffects inLLVM() const;
};

/// What a special register tells.
enum class Tells : uint8_t {
  Nothing, ///< no special register
  ThreadId,
  BlockDim,
  BlockId,
  GridDim,
  Lane,    ///< the place in the warp, or how warps are made
  Cluster, ///< the place in the cluster
  Other,
};

/// Which operation of numbers it is, for rewrites that know its algebra.
enum class Algebra : uint8_t {
  None,
  FloatChoice, ///< min(a, b) or max(a, b) of floats
  SignedMin,
  SignedMax,
  UnsignedMin,
  UnsignedMax,
  Fused, ///< a * b + c
  SquareRoot,
  ByteSwap,  ///< the order of bytes, turned
  CountOnes, ///< of bits
  SameBits,  ///< another type's value of the same bits
  // Of integers alone, and modulo a power of two.
  Sum,
  Difference,
  Product,
  ProductAndSum,
  And,
  Or,
  Xor,
  Not,
  Negative,
  Absolute,
  LeadingZeros,
  ReversedBits,
};

/// Whether it is the lesser or the greater of two numbers.
inline bool isMinOrMax(Algebra algebra) {
  return algebra >= Algebra::FloatChoice && algebra <= Algebra::UnsignedMax;
}

/// Whether it is one of integers of any width.
inline bool isOfIntegers(Algebra algebra) {
  return algebra >= Algebra::Sum || algebra == Algebra::CountOnes ||
         (isMinOrMax(algebra) && algebra != Algebra::FloatChoice);
}

/// A record of the table; DeviceOp.td says what the fields mean.
struct DeviceOp {
  llvm::StringLiteral names, prototypes, words, registers;
  Scope scope;
  MemoryUse memory;
  Tells tells;
  Algebra algebra;
  llvm::StringLiteral mathOp;
  uint8_t addressOperands;
  uint8_t minCapability;
  bool isAsync, isAtomic, hasDestination, comparesFloats, allocates,
      isForPeople, endsThread, callsUnknown, isJump, isSupported;
  llvm::StringLiteral promptName;
  uint8_t promptPlace;
  llvm::StringLiteral form;
  uint8_t types;
  llvm::StringLiteral costs;
};

/// What a capability added to older operations.
struct Variant {
  llvm::StringLiteral heads, words;
  uint8_t minCapability;
};

/// A statement of PTX that is a call in other words (DeviceOp.td).
struct Spelling {
  llvm::StringLiteral words, results, operands, function;

  /// An operand: its number in the call, and its type in the statement.
  struct Operand {
    unsigned number;
    llvm::StringRef type;
  };
  llvm::SmallVector<Operand, 4> listOperands() const;
  /// The types of the results.
  llvm::SmallVector<llvm::StringRef, 2> listResults() const;
  /// The name of the intrinsic, "llvm.nvvm.shfl.sync.up.i32p".
  std::string intrinsic() const;
};

llvm::ArrayRef<DeviceOp> allOps();
llvm::ArrayRef<Variant> allVariants();
llvm::ArrayRef<Spelling> allSpellings();

/// The place of a record in allOps().
size_t indexOf(const DeviceOp &op);

/// A function or intrinsic, as its name was understood.
struct Callee {
  const DeviceOp *op = nullptr; ///< null: the table does not have it
  std::string name;             ///< without prefix and ".ftz"
  bool isFast = false;          ///< one of libdevice's fast forms
  bool flushesDenormals = false;
};

/// By its full name, such as "__nv_fast_expf", "llvm.fma" (an intrinsic without
/// the types it is overloaded on) or "vprintf". Letters of a type are left out
/// where there is a prefix.
Callee lookupFunction(llvm::StringRef name);
/// The same of what is called; none of a function with a body, whatever its
/// name, of inline assembly, and of a pointer.
Callee lookupCallee(const llvm::CallBase &call);
inline const DeviceOp *lookup(const llvm::CallBase &call) {
  return lookupCallee(call).op;
}

/// A function of libdevice, by its name.
bool isLibdevice(llvm::StringRef name);
/// Whether `function` is one of libdevice that has yet to be linked.
bool isLibdeviceDeclaration(const llvm::Function &function);
/// The types of result and operands of a function of libdevice, "f32 f32 ptr";
/// empty where it has no function of that name.
llvm::StringRef prototypeOf(llvm::StringRef name);
/// The function of libdevice that computes what the C library's of that name
/// does, "__nv_erff" for "erff"; empty where it has none.
std::string libdeviceNameOf(llvm::StringRef libraryName);
/// Whether `function` is declared as libdevice has it, if it has one of that
/// name: what is declared otherwise does on a device what nobody knows.
bool hasLibdeviceTypes(const llvm::Function &function);

/// By the first word of a PTX statement, such as "shfl.sync.bfly.b32"; null if
/// the table does not have it.
const DeviceOp *lookupPTX(llvm::StringRef word);
/// The word of a statement by the roles of its parts, as the form of its family
/// has them.
struct Words {
  llvm::StringRef family; ///< what it begins with: "ld", "mul.wide"
  llvm::SmallVector<std::pair<llvm::StringRef, llvm::StringRef>, 8> said;
  llvm::SmallVector<llvm::StringRef, 4> types;

  /// The part in a role; empty where there is none.
  llvm::StringRef operator[](llvm::StringRef role) const;
  bool has(llvm::StringRef role) const { return !(*this)[role].empty(); }
};
/// Reads "ld.global.v4.f32"; nothing where its family has no such form.
std::optional<Words> readWords(llvm::StringRef word);

/// A type of PTX: of numbers, of bits that are any, or of predicates.
struct NumberType {
  enum class Kind : uint8_t {
    Predicate,
    Bits,
    Unsigned,
    Signed,
    Float,
    BrainFloat,
  };
  Kind kind;
  unsigned bits; ///< of one number
  bool isPair;   ///< two of them, "f16x2"

  bool isFloat() const {
    return kind == Kind::Float || kind == Kind::BrainFloat;
  }
  bool isInteger() const {
    return kind == Kind::Unsigned || kind == Kind::Signed;
  }
};
/// Reads "f32", "u64", "bf16x2" or "pred"; nothing of others, such as "tf32".
std::optional<NumberType> readType(llvm::StringRef name);
/// The types that the first word of any statement ends with: f16 and s32 of
/// "cvt.rn.f16.s32".
llvm::SmallVector<NumberType, 4> typesOf(llvm::StringRef word);

/// The call that a statement is: by its first word, and by how many operands it
/// has ("d|p" is one, of two results); null where the table spells no call so.
const Spelling *lookupSpelling(llvm::StringRef word,
                               llvm::ArrayRef<llvm::StringRef> operands);
/// By the name of an op of the NVVM dialect, such as "nvvm.shfl.sync"; null if
/// it is of another dialect, or not in the table.
const DeviceOp *lookupNVVM(llvm::StringRef opName);
/// By a special register of PTX, such as "%tid.x"; null for others.
const DeviceOp *lookupRegister(llvm::StringRef name);

/// The min capability (89: 8.9) that has an instruction of PTX, such as
/// "cvt.rn.bf16.f32", or an intrinsic, such as "llvm.nvvm.redux.sync.add"; 0
/// where every target of today has it, or where it is not known.
unsigned minCapabilityOf(llvm::StringRef instruction);

/// What the words of an instruction say, whichever it is.
struct Modifiers {
  bool shared = false;  ///< it names shared memory of the block
  bool cluster = false; ///< it knows of other blocks
  bool givesCarry = false, takesCarry = false; ///< between statements of a text
  bool flushesDenormals = false;
  bool ordersMemory = false; ///< others learn of what comes before or after
};
Modifiers modifiersOf(llvm::StringRef instruction);

/// Attributes of LLVM functions by which kernels are launched.
enum class LaunchAttribute : uint8_t {
  Kernel,
  RequiredBlock,
  LargestBlock,
  MinResidentBlocks,
  MaxRegisters,
  ClusterShape,
  LargestCluster,
  BlocksAreClusters,
};
llvm::StringRef getName(LaunchAttribute attribute);
/// Whether an attribute of that name is one of them.
bool isLaunchAttribute(llvm::StringRef name);

/// What CUDA code may use, in the words of the system prompt.
std::vector<llvm::StringRef> promptPhrases();
/// "mma.sync, ldmatrix and stmatrix": the instructions of PTX that the system
/// prompt names as known to the simulator, or as not known to it.
std::string promptInstructions(bool areSupported);

} // namespace evo::device

#endif
