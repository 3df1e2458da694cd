// Bytecode to LLVM IR for the host. One function for a kernel: segment by
// segment, basic blocks whose registers are values of a warp. Between segments
// registers lie in the warp's register file, as the interpreter has them, but
// for those that loops carry from segment to segment (Carried.cpp); within one
// they are values.
#ifndef EVO_LIB_SIMULATOR_JIT_TRANSLATOR_H
#define EVO_LIB_SIMULATOR_JIT_TRANSLATOR_H

#include "Analysis.h"
#include "Simulator/Interp/Math.h"
#include "evo/Simulator/Native.h"
#include "llvm/IR/IRBuilder.h"

namespace evo::jit {

/// A register while it is a value. Where the lanes' distances are known, `i`,
/// `f` and `b` are lane 0's; else they are vectors.
struct Register {
  Fact fact;
  bool wide = false;
  bool dirty = false;         ///< memory has an older value
  bool isAsItCame = false;    ///< carried into the segment
  llvm::Value *i = nullptr;   ///< as an integer
  llvm::Value *f = nullptr;   ///< as a float, whose NaN may be any
  llvm::Value *b = nullptr;   ///< as a condition
  llvm::Value *all = nullptr; ///< an integer per lane
};

/// Where a segment begins, and what comes there from others.
struct Entry {
  llvm::BasicBlock *block = nullptr;
  llvm::PHINode *executed = nullptr; ///< instructions of this call
  std::map<int32_t, llvm::PHINode *> carried;
};

/// Where several instructions of a segment hand over to the interpreter, with
/// the same registers as they came.
struct Exit {
  llvm::BasicBlock *block = nullptr;
  llvm::PHINode *executed = nullptr, *answer = nullptr;
};

class Translator {
public:
  Translator(llvm::Module &module, const Analysis &analysis);
  /// The function, of the type of NativeKernel::run.
  llvm::Function *translate();

private:
  using Registers = std::map<int32_t, Register>;
  const Analysis &analysis;
  const sim::KernelCode &k;
  llvm::LLVMContext &context;
  llvm::IRBuilder<> b;
  llvm::Function *function;
  llvm::BasicBlock *prologue = nullptr;
  llvm::Value *frame, *registerFile, *constantArea, *regions, *threads, *place,
      *limit;
  std::vector<Entry> entries;
  std::map<std::vector<int32_t>, Exit> exits; ///< of the current segment
  Registers constants, registers;
  Facts facts; ///< at the current instruction
  const Segment *segment = nullptr;
  uint32_t position = 0; ///< of the instruction being translated

  // Translate.cpp: registers, segments, jumps.
  llvm::IntegerType *intType(bool wide) { return b.getIntNTy(wide ? 64 : 32); }
  llvm::Type *floatType(bool wide) {
    return wide ? b.getDoubleTy() : b.getFloatTy();
  }
  static llvm::Type *lanes(llvm::Type *type) {
    return llvm::FixedVectorType::get(type, sim::warpSize);
  }
  llvm::Value *splat(llvm::Value *value) {
    return value->getType()->isVectorTy()
               ? value
               : b.CreateVectorSplat(sim::warpSize, value);
  }
  llvm::Constant *distances(const Shape &shape, bool wide,
                            unsigned divisor = 1);
  llvm::Value *addressOf(size_t offset);
  llvm::Value *fieldOf(llvm::Type *type, size_t offset);
  llvm::Value *slot(int32_t unit);
  Register &read(int32_t unit, bool wide);
  Register load(int32_t unit, bool wide, const Fact &fact);
  const Register &constant(int32_t unit, bool wide);
  void define(int32_t unit, Register value);
  /// An integer of the arity of its fact. Nothing is kept where the place is
  /// only one of several ways.
  llvm::Value *integerOf(const Register &value);
  llvm::Value *vectorOf(const Register &value);
  llvm::Value *operand(int32_t unit, bool wide, bool scalar);
  llvm::Value *floatOperand(int32_t unit, bool wide, bool scalar);
  llvm::Value *condition(int32_t unit, bool scalar);
  void flush(int32_t unit, const Register &value);
  void flushAll(const llvm::BitVector &units);
  llvm::Constant *answerOf(sim::NativeExit why, uint32_t where);
  void leave(sim::NativeExit why, uint32_t where, llvm::Value *executed);
  void leaveHere();
  const Exit &exitWith(const std::vector<int32_t> &units);
  llvm::Value *anyLane(llvm::Value *bits);
  auto getFact() {
    return [this](int32_t unit) { return analysis.factOf(unit, facts); };
  }
  llvm::BasicBlock *newBlock(const llvm::Twine &name);
  void branchUnlikely(llvm::Value *unlikely, llvm::BasicBlock *then,
                      llvm::BasicBlock *otherwise);
  void callStep();
  void step(const sim::Inst &inst);
  void stepOnSide(const sim::Inst &inst);
  Entry &ownEntry() { return entries[analysis.segmentAt[segment->begin]]; }
  Register asItCame(int32_t unit);
  void enterSegment(size_t number);
  void translateSegment(size_t number);
  bool translateInst(const sim::Inst &inst);
  llvm::Value *countExecuted(unsigned more);
  void jump(const sim::Inst &inst);
  Registers arriving(const sim::Edge &edge);
  llvm::Value *passed(const Register &value, llvm::Type *type);
  void goTo(int32_t target, const Registers &values, llvm::Value *executed);
  llvm::BasicBlock *takeEdge(uint32_t edge);
  Entry makeEntry(size_t number);
  llvm::BasicBlock *enterFromOutside(size_t number);
  bool takesAllLanes(const sim::Inst &inst) const;

  // TranslateInteger.cpp
  bool translateInteger(const sim::Inst &inst);
  bool translateDivision(const sim::Inst &inst, bool wide);
  bool translateSreg(const sim::Inst &inst);
  void checkWidening(int32_t unit, bool isSigned);
  llvm::Value *binary(sim::Op narrow, llvm::Value *a, llvm::Value *n);
  llvm::Value *shift(sim::Op narrow, llvm::Value *a, llvm::Value *n);

  // TranslateFloat.cpp
  bool translateFloat(const sim::Inst &inst);
  bool translateFloatOf(const sim::Inst &inst, unsigned form, bool scalar);
  bool translateNarrow(const sim::Inst &inst, unsigned form, bool scalar);
  bool translateConversion(const sim::Inst &inst, bool scalar);
  llvm::Value *minMax(const sim::Inst &inst, llvm::Value *x, llvm::Value *y);
  llvm::Value *exponential(llvm::Value *x, llvm::Value *&unsure);
  llvm::Value *canonical(llvm::Value *value);
  llvm::Value *fromNarrow(llvm::Value *bits, bool isBrain);
  llvm::Value *toNarrow(llvm::Value *value, bool isBrain);

  // TranslateMemory.cpp
  struct Access;
  void translateAccess(const sim::Inst &inst, bool isStore);
  void checkAccess(const sim::Inst &inst, Access &access);
  llvm::BasicBlock *otherWay = nullptr; ///< of the access that was checked
  llvm::Value *hostAddress(const Access &access, int64_t offset);
  llvm::Value *loadElement(Access &access, unsigned element);
  void storeElement(const Access &access, unsigned element, llvm::Value *value);
};

} // namespace evo::jit

#endif
