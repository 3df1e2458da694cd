// One call of a known function, or a statement of PTX that is one in other
// words. Every callee is looked up in the table of operations, whose records
// have a kind of decoding and a parameter of it; types come from the call.
#ifndef EVO_LIB_SIMULATOR_DECODE_CALLDECODER_H
#define EVO_LIB_SIMULATOR_DECODE_CALLDECODER_H

#include "Decoder.h"
#include "Simulator/Interp/Math.h"
#include "evo/DeviceOps/DeviceOps.h"
#include <optional>

namespace evo::sim {

namespace call_kind {
#define GET_CallKind_DECL
#include "evo/DeviceOps/DeviceOps.inc"
} // namespace call_kind
using call_kind::CallKind;

// Of arithmetic: a Rounding, and what becomes of the result.
constexpr int roundingShift = 4;
constexpr int saturateFlag = 64;
constexpr int reluFlag = 128;
constexpr int contractFlag = 256; ///< ptxas may fuse it
constexpr int xorSignFlag = 16;   ///< beside a MinMax
constexpr int integerReluFlag = 1;
constexpr int upFlag = 32; ///< of means
constexpr int signedFlag = 16;
constexpr int saturatesFlag = int(Beyond::Saturates) << beyondShift;
// Beside a MathFn: how the device computes it (a Precision).
constexpr int approximateFlag = 256;
constexpr int fullRangeFlag = 512;
constexpr int rootShift = 10; ///< a Rounding

/// What the table of operations says to the decoder alone.
struct CallEntry {
  llvm::StringLiteral names, words; ///< as in the record
  CallKind kind;
  int what;
  /// The instruction, in its first form, I or S; none where there are several.
  std::optional<Op> opcode;
};

const CallEntry &entryOf(const device::DeviceOp &op);

class CallDecoder {
public:
  /// An operand of a statement: a slot, or those of the halves of a word.
  struct Operand {
    Slots slots;
    Leaf leaf;
  };

  CallDecoder(Decoder &decoder, const llvm::CallBase &inst,
              const CallEntry &entry, const device::Callee &callee)
      : CallDecoder(decoder, entry, callee, inst.arg_size()) {
    this->inst = &inst;
  }
  /// A statement: its first word, its operands in the order of the call, and
  /// its results.
  CallDecoder(Decoder &decoder, llvm::StringRef word,
              llvm::ArrayRef<Operand> given, llvm::ArrayRef<Leaf> results,
              const CallEntry &entry, const device::Callee &callee)
      : CallDecoder(decoder, entry, callee, given.size()) {
    this->word = word;
    this->given = given;
    ls.assign(results.begin(), results.end());
  }
  /// False when the entry does not suit the call's types after all.
  bool run();
  /// The results of a statement; nothing where it is of no kind that is
  /// decoded without a call's types.
  std::optional<Slots> runStatement();

private:
  using Kind = CallKind;
  enum class Outcome {
    NotMine, ///< another group knows this kind
    Unknown, ///< nobody does, on these types
    Done,    ///< the result has been set, or there is none
    Values,  ///< the result is `out`
  };

  CallDecoder(Decoder &decoder, const CallEntry &entry,
              const device::Callee &callee, size_t operands)
      : dec(decoder), entry(entry), plain(callee.name),
        flush(callee.flushesDenormals), isFast(callee.isFast), in(operands) {}

  Decoder &dec;
  const llvm::CallBase *inst = nullptr; ///< null: a statement,
  llvm::StringRef word;                 ///< that begins so and
  llvm::ArrayRef<Operand> given;        ///< whose operands are these
  const CallEntry &entry;
  const std::string plain; ///< without prefix and ".ftz"
  const bool flush;        ///< operands and results
  const bool isFast;       ///< one of libdevice's fast forms
  const Leaf i32{nullptr, 0, 32, FT_None};
  llvm::SmallVector<Leaf, 8> ls; ///< of the result
  std::vector<Slots> in;         ///< by argument, after `operands`
  Slots out;

  llvm::Value *arg(unsigned i) const { return inst->getArgOperand(i); }
  /// Of a call or a statement; what is decoded from both knows no other way.
  int32_t operand(unsigned i) {
    return inst ? dec.scalar(arg(i)) : given[i].slots[0];
  }
  Leaf operandLeaf(unsigned i) {
    return inst ? dec.leafOf(arg(i)->getType()->getScalarType())
                : given[i].leaf;
  }
  Op opcode() const { return *entry.opcode; }
  Op opcode(const Leaf &leaf) const {
    return leaf.floatType == FT_None ? forWidth(opcode(), leaf.wide())
                                     : forFloat(opcode(), leaf.floatType);
  }
  bool operands(unsigned count);
  int32_t flushed(int32_t v, const Leaf &leaf);
  bool requireFloat(const Leaf &leaf);
  /// What the parameter says of a result's rounding and range.
  uint8_t rounding() const { return entry.what >> roundingShift & 3; }
  int32_t bounded(int32_t v, const Leaf &leaf);
  bool roundsLike(const Leaf &leaf);
  void classTest(unsigned mask);
  /// The same for calls of one name only.
  int32_t calleeNumber() const;
  Precision precisionOf(const Leaf &leaf) const;
  int32_t intOp(const Leaf &leaf, Op narrow, int32_t a, int32_t b = noOperand) {
    return dec.emitTo(leaf, forWidth(narrow, leaf.wide()), a, b);
  }
  /// The same of operands that are kept zero-extended, as integers of fewer
  /// than 32 bits are, where the instruction may read them as signed.
  int32_t signedOp(const Leaf &leaf, Op narrow, int32_t a, int32_t b);
  /// Results of counting functions may be narrower than their operand.
  int32_t fit(int32_t v, bool from, bool to);
  int32_t size(unsigned argument);
  int32_t nthBit(int32_t mask, int32_t base, int32_t offset);

  /// Emits `make` for each element with (flushed) operands.
  template <class F> void elementwise(unsigned count, F make) {
    if (!operands(count))
      return;
    for (size_t i = 0; i < ls.size(); ++i) {
      int32_t v[3] = {noOperand, noOperand, noOperand};
      for (unsigned j = 0; j < count; ++j) {
        v[j] = in[j][in[j].size() == 1 ? 0 : i];
        if (dec.typeOf(v[j]) != FT_None)
          v[j] = flushed(v[j], ls[i]);
      }
      out.push_back(flushed(make(ls[i], v), ls[i]));
    }
  }

  Outcome floats();
  Outcome conversions();
  Outcome integers();
  Outcome threads();
  Outcome memory();
  /// DecodeTensor.cpp
  Outcome tensors();
  Inst &exchange(int32_t d, int32_t a, int32_t b, int32_t mask);
};

} // namespace evo::sim

#endif
