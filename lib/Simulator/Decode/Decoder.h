// LLVM IR to bytecode, one kernel. Walks one kernel in execution order and
// emits bytecode over *virtual* slots (numbered without end, written once or by
// phi copies). Aggregates dissolve here: every value is a list of scalar
// leaves, so insertelement, extractvalue, shufflevector and freeze emit
// nothing. Shadow value flow and register allocation follow as separate steps
// over the bytecode (ShadowFlow.cpp, Allocate.cpp).
#ifndef EVO_LIB_SIMULATOR_DECODE_DECODER_H
#define EVO_LIB_SIMULATOR_DECODE_DECODER_H

#include "Simulator/IR/Bytecode.h"
#include "Simulator/Interp/Math.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace evo::sim {

/// A scalar part of a type and where it lies in memory.
struct Leaf {
  llvm::Type *type;
  uint64_t offset;
  unsigned bits;
  FloatType floatType;
  bool wide() const { return bits > 32; }
};

inline FloatType floatTypeOf(const llvm::Type *t) {
  if (t->isHalfTy())
    return FT_H;
  if (t->isBFloatTy())
    return FT_B;
  if (t->isFloatTy())
    return FT_S;
  if (t->isDoubleTy())
    return FT_D;
  return FT_None;
}

/// The 64-bit form of an integer opcode follows the 32-bit one.
inline Op forWidth(Op narrow, bool wide) {
  return static_cast<Op>(static_cast<unsigned>(narrow) + (wide ? 1 : 0));
}
/// The four float forms of an opcode follow each other as _S, _D, _H, _B.
inline Op forFloat(Op s, FloatType ft) {
  const unsigned index[] = {2, 3, 0, 1};
  return static_cast<Op>(static_cast<unsigned>(s) + index[ft]);
}

class AsmDecoder;
class CallDecoder;
class TensorDecoder;

/// What is known of a virtual slot.
struct SlotInfo {
  bool wide = false;
  FloatType floatType = FT_None;
};

using Slots = llvm::SmallVector<int32_t, 4>;

/// Module-level facts that all kernels of a program share.
struct ModuleContext {
  const llvm::Module &module;
  const llvm::DataLayout &layout;
  ProgramImpl &program;
  llvm::DenseMap<const llvm::GlobalVariable *, unsigned> globals;
};

/// A variable's name as the source has it, without the function around it.
std::string readableName(llvm::StringRef mangled);

/// Blocks so ordered that loops are contiguous and the rest is topological.
std::vector<const llvm::BasicBlock *>
executionOrder(const llvm::Function &function);

/// Whether a sum is there to round the other addend, or the product that is
/// fused with it, to a whole number (ShiftedRint.cpp).
std::optional<MathFn> findShiftedRint(const llvm::Instruction &sum);

class Decoder {
public:
  Decoder(ModuleContext &context, const llvm::Function &function,
          KernelCode &kernel)
      : ctx(context), fn(function), k(kernel) {}
  llvm::Error run();

  std::vector<SlotInfo> slots;

private:
  ModuleContext &ctx;
  const llvm::Function &fn;
  KernelCode &k;
  llvm::DenseMap<const llvm::Value *, Slots> values;
  /// A pointer as slot + displacement, for folding into accesses.
  llvm::DenseMap<const llvm::Value *, std::pair<int32_t, int64_t>> parts;
  llvm::DenseMap<const llvm::BasicBlock *, uint32_t> blockIndex;
  llvm::DenseMap<const llvm::GlobalVariable *, unsigned> sharedIndex;
  std::map<std::tuple<int, bool, int, uint64_t, unsigned>, int32_t> pool;
  std::map<std::tuple<std::string, unsigned, unsigned>, uint32_t> locationIds;
  const llvm::Instruction *current = nullptr;
  uint32_t currentLoc = 0;
  std::string error;

  // Decode*.cpp
  void fail(const llvm::Twine &what);
  uint32_t location(const llvm::Instruction &inst);
  int32_t slot(bool wide, FloatType ft);
  FloatType typeOf(int32_t slot) const {
    return slot >= 0 ? slots[slot].floatType : k.constants[-slot - 1].floatType;
  }
  int32_t slotLike(const Leaf &leaf) {
    return slot(leaf.wide(), leaf.floatType);
  }
  Inst &emit(Op op, int32_t dst = noOperand, int32_t a = noOperand,
             int32_t b = noOperand, int32_t c = noOperand);
  int32_t emitTo(const Leaf &leaf, Op op, int32_t a, int32_t b = noOperand,
                 int32_t c = noOperand);
  int32_t constant(uint64_t bits, bool wide, FloatType ft = FT_None);
  int32_t one(const Leaf &leaf); ///< 1.0 as a float or double
  int32_t shiftedRint(const Leaf &leaf, MathFn fn, int32_t a, int32_t b);
  int32_t address(Constant::Kind kind, unsigned index, uint64_t disp);
  int32_t undefined(const Leaf &leaf);
  bool leaves(llvm::Type *type, llvm::SmallVectorImpl<Leaf> &out,
              uint64_t offset = 0);
  /// Where among the leaves of an aggregate those of one element of it are: the
  /// first, and their number.
  std::pair<unsigned, unsigned> leavesAt(llvm::Type *type,
                                         llvm::ArrayRef<unsigned> indices);
  Leaf leafOf(llvm::Type *type);
  const Slots &get(const llvm::Value *value);
  int32_t scalar(const llvm::Value *value) { return get(value)[0]; }
  std::pair<int32_t, int64_t> pointer(const llvm::Value *value);
  bool constantSlots(const llvm::Constant *c, Slots &out);
  bool constantPointer(const llvm::Constant *c, int32_t &out);
  bool sharedNumber(const llvm::Constant *c, uint64_t &out);
  int32_t signExtended(int32_t value, const Leaf &leaf);
  int32_t masked(int32_t value, const Leaf &leaf);
  /// A float that is not negative, with the sign of the product of two others.
  int32_t withSignOf(const Leaf &leaf, int32_t size, int32_t a, int32_t b);
  void parameters();
  void sharedVariables();
  /// Address of the shared memory that cooperative groups find reserved.
  int32_t reservedShared();
  void instruction(const llvm::Instruction &inst);
  void binary(const llvm::BinaryOperator &inst);
  int32_t binaryLeaf(unsigned opcode, const Leaf &leaf, int32_t a, int32_t b);
  void compare(const llvm::CmpInst &inst);
  void conversion(const llvm::CastInst &inst);
  void bitcast(const llvm::Value *from, const llvm::Value *result);
  void gep(const llvm::GetElementPtrInst &inst);
  void load(const llvm::Value *result, const llvm::Value *ptr, uint64_t align,
            uint16_t orderFlags = 0);
  void store(const llvm::Value *value, const llvm::Value *ptr, uint64_t align,
             uint16_t orderFlags = 0);
  void atomic(const llvm::Value *result, const llvm::Value *ptr,
              const llvm::Value *value, AtomicOp op, bool blockScope = false);
  bool isBlockScope(llvm::SyncScope::ID scope) const;
  /// The memory that accesses through a pointer of this type name.
  static MemoryPlace placeOf(const llvm::Value *pointer);
  void cmpxchg(const llvm::Value *result, const llvm::Value *ptr,
               const llvm::Value *expected, const llvm::Value *desired,
               bool blockScope);
  void stackSlot(const llvm::AllocaInst &inst);
  void branchSites();
  void terminator(const llvm::Instruction &inst);
  uint32_t edge(const llvm::BasicBlock *from, const llvm::BasicBlock *to);
  void setEdgeCopies(Edge &e, const llvm::BasicBlock *from,
                     const llvm::BasicBlock *to);
  void trap(const std::string &message);
  std::vector<std::pair<const llvm::BasicBlock *, const llvm::BasicBlock *>>
      edgeEnds;

  // DecodeCall.cpp
  friend class CallDecoder;
  void call(const llvm::CallBase &inst);
  friend class TensorDecoder;
  // DecodeAsm.cpp
  friend class AsmDecoder;
  void inlineAsm(const llvm::CallBase &inst, const llvm::InlineAsm &assembly);
};

/// Decides which integer slots carry shadow values and fills the shadow value
/// fields.
void assignShadowValues(KernelCode &k, std::vector<SlotInfo> &slots);
/// Removes value computations that nothing uses.
void removeUnused(KernelCode &k, const std::vector<SlotInfo> &slots);
/// Gives virtual slots their places in the register file.
void allocateRegisters(KernelCode &k, std::vector<SlotInfo> &slots);

} // namespace evo::sim

#endif
