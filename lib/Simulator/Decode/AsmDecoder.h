// Inline PTX of one statement, as splitStatements leaves it. PTX registers are
// untyped bits: each operand holds a slot, and an instruction that reads it as
// another type goes through a move, along which shadow values travel.
#ifndef EVO_LIB_SIMULATOR_DECODE_ASMDECODER_H
#define EVO_LIB_SIMULATOR_DECODE_ASMDECODER_H

#include "Decoder.h"
#include "evo/DeviceOps/Statements.h"
#include "llvm/ADT/StringMap.h"

namespace evo::sim {

struct PtxType {
  unsigned bits = 0;
  FloatType floatType = FT_None;
  bool isSigned = false, pair = false, predicate = false;
  static PtxType ofBits(unsigned bits) {
    PtxType t;
    t.bits = bits;
    return t;
  }
};

/// The names of "{a, b}", or of a single operand.
llvm::SmallVector<llvm::StringRef, 4> listed(llvm::StringRef operand);

/// "f32", "u64", "f16x2", "pred", ...
bool parsePtxType(llvm::StringRef text, PtxType &type);

class AsmDecoder {
public:
  AsmDecoder(Decoder &d) : d(d) {}
  bool run(const llvm::CallBase &inst, const llvm::InlineAsm &assembly);

private:
  Decoder &d;
  struct Register {
    int32_t slot;
    PtxType type;
  };
  llvm::StringMap<Register> registers; ///< the operands, "$0" and on
  std::string statement;               ///< what a refusal names

  bool refuse() {
    d.fail("inline asm '" + llvm::Twine(statement) + "'");
    return false;
  }
  Leaf leaf(const PtxType &t) const {
    return Leaf{nullptr, 0, t.bits, t.floatType};
  }
  /// Reads an operand as a type: a name, an immediate, a special register.
  bool read(llvm::StringRef name, const PtxType &t, int32_t &out);
  /// Gives a register a value; "_" is none, and takes whatever comes.
  void write(llvm::StringRef name, const PtxType &t, int32_t slot) {
    if (auto operand = registers.find(name); operand != registers.end())
      operand->second = {slot, t};
    else if (name != "_")
      refuse();
  }
  bool pairOf(llvm::StringRef name, const PtxType &t, int32_t out[2]);
  /// What the table says is a call.
  bool spelled(const device::Spelling &spelling, llvm::StringRef word,
               llvm::ArrayRef<llvm::StringRef> args);
  /// The slots of an operand, two of a packed one.
  bool readSlots(llvm::StringRef name, const PtxType &t, Slots &out);
  void writeSlots(llvm::StringRef name, const PtxType &t,
                  llvm::ArrayRef<int32_t> slots);
  bool declare(const device::Statement &directive);
  bool execute(const device::Statement &parts);
  /// The statements of a text whose first operands are `outputs` results.
  bool executeAll(llvm::StringRef text, unsigned outputs);
  // AsmMemory.cpp
  /// "[register + displacement]" as a slot and a displacement; `shared`: the
  /// register names shared memory as PTX does.
  bool address(llvm::StringRef operand, int32_t &base, int64_t &disp,
               bool shared = false);
  bool fence(const device::Words &op, llvm::ArrayRef<llvm::StringRef> args);
  bool atomic(const device::Words &op, llvm::ArrayRef<llvm::StringRef> args);
  bool cachePolicy(llvm::ArrayRef<llvm::StringRef> args);
  bool access(const device::Words &op, llvm::ArrayRef<llvm::StringRef> args);
  // AsmCompute.cpp
  bool convert(const device::Words &op, llvm::ArrayRef<llvm::StringRef> args);
  bool compare(const device::Words &op, llvm::ArrayRef<llvm::StringRef> args);
  int32_t nearestIn(const PtxType &to, const PtxType &from, int32_t v);
  int32_t largestOf(const PtxType &t, int32_t v);
  bool convertFloat8(const device::Words &op,
                     llvm::ArrayRef<llvm::StringRef> args);
  bool predicate(llvm::StringRef comparison, const PtxType &t, int32_t a,
                 int32_t b, int32_t &p);
  bool move(const device::Words &op, llvm::ArrayRef<llvm::StringRef> args);
  bool select(const device::Words &op, llvm::ArrayRef<llvm::StringRef> args);
  bool shift(const device::Words &op, llvm::ArrayRef<llvm::StringRef> args);
  // AsmInteger.cpp
  bool logic3(const device::Words &op, llvm::ArrayRef<llvm::StringRef> args);
  bool bitField(const device::Words &op, llvm::ArrayRef<llvm::StringRef> args);
  bool wideProduct(const device::Words &op,
                   llvm::ArrayRef<llvm::StringRef> args);
  // AsmPacked.cpp
  bool dotProduct(const device::Words &op,
                  llvm::ArrayRef<llvm::StringRef> args);
  bool onLanes(const device::Words &op, llvm::ArrayRef<llvm::StringRef> args);
  bool findBit(const device::Words &op, llvm::ArrayRef<llvm::StringRef> args);
  int32_t two(Op op, int32_t a, int32_t b);
  /// A part of a word, with zeros or its sign in front.
  int32_t laneOf(int32_t word, unsigned width, unsigned lane, bool isSigned);
  int32_t laneResult(llvm::StringRef name, int32_t x, int32_t y, bool isSigned);
  // AsmScalar.cpp
  bool isZero(const device::Words &op, llvm::ArrayRef<llvm::StringRef> args);
  bool withCarry(const device::Words &op, llvm::ArrayRef<llvm::StringRef> args);
  bool choice(const device::Words &op, llvm::ArrayRef<llvm::StringRef> args);
  bool classOf(const device::Words &op, llvm::ArrayRef<llvm::StringRef> args);
  bool extent(const device::Words &op, llvm::ArrayRef<llvm::StringRef> args);
  bool product24(const device::Words &op, llvm::ArrayRef<llvm::StringRef> args);
  bool permutation(const device::Words &op,
                   llvm::ArrayRef<llvm::StringRef> args);
  // AsmTensor.cpp
  bool immediate(llvm::StringRef name, uint64_t &value);
  bool sharedRegister(llvm::StringRef name, int32_t &out);
  bool fullAddress(llvm::StringRef operand, bool shared, int32_t &out);
  bool registersOf(llvm::StringRef operand, const PtxType &t, Slots &out);
  bool matrixProduct(const device::Words &op,
                     llvm::ArrayRef<llvm::StringRef> args);
  bool matrixMemory(const device::Words &op,
                    llvm::ArrayRef<llvm::StringRef> args);
  bool asyncCopy(const device::Words &op, llvm::ArrayRef<llvm::StringRef> args);
  bool asyncWait(const device::Words &op, llvm::ArrayRef<llvm::StringRef> args);
  bool convertAddress(const device::Words &op,
                      llvm::ArrayRef<llvm::StringRef> args);
  int32_t unary(Op s, const PtxType &t, int32_t a, uint8_t sub = 0);
};

} // namespace evo::sim

#endif
