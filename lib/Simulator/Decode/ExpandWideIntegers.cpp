// Lanes have 64 bits. CUDA's __int128, and what LLVM moves in one piece, has
// more: such a value becomes its low and its high word, the high one with zeros
// above the type's own width. Floats that travel in it keep their shadow values
// that way, which lie beside each 16 bits of a word.
#include "ExpandWideIntegers.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/Transforms/Utils/IntegerDivision.h"
#include <optional>

using namespace llvm;

namespace evo::sim {
namespace {

constexpr unsigned wordBits = 64;

unsigned wideBits(const Type *type) {
  const unsigned bits = type->isIntegerTy() ? type->getIntegerBitWidth() : 0;
  return bits > wordBits && bits <= 2 * wordBits ? bits : 0;
}

struct Words {
  Value *low = nullptr, *high = nullptr;
};

class Expansion {
public:
  explicit Expansion(Function &function)
      : f(function), b(function.getContext()), word(b.getInt64Ty()) {}
  void run();

private:
  Function &f;
  IRBuilder<> b;
  Type *const word;
  DenseMap<Value *, Words> words;
  SmallVector<Instruction *> replaced;

  static bool isWideDivision(const Instruction &i);
  bool isKnown(const Instruction &i) const;
  void expand(Instruction &i);
  Words of(Value *value);
  /// With the sign in all of the high word.
  Words signedOf(Value *value);
  Words trimmed(Words v, unsigned bits);
  Value *number(uint64_t v) { return ConstantInt::get(word, v); }
  Words either(Value *which, Words yes, Words no) {
    return {b.CreateSelect(which, yes.low, no.low),
            b.CreateSelect(which, yes.high, no.high)};
  }
  Words add(Words x, Words y);
  Words negated(Words v);
  Words product(Words x, Words y);
  Words shifted(unsigned opcode, Words x, Value *amount);
  Words binary(BinaryOperator &i);
  Value *compare(CmpInst::Predicate predicate, Value *x, Value *y);
  Words ofFloat(Value *x, unsigned bits, bool isSigned);
  Value *toFloat(Value *x, Type *type, bool isSigned);
  std::optional<Words> cast(CastInst &i, Value *&narrow);
  std::optional<Words> intrinsic(IntrinsicInst &i);
  Words load(LoadInst &i);
  void store(StoreInst &i);
  void fillPhis();
};

} // namespace

bool Expansion::isWideDivision(const Instruction &i) {
  return wideBits(i.getType()) != 0 && (i.getOpcode() == Instruction::UDiv ||
                                        i.getOpcode() == Instruction::SDiv ||
                                        i.getOpcode() == Instruction::URem ||
                                        i.getOpcode() == Instruction::SRem);
}

/// Whether there are words for all that an instruction does with wide integers.
bool Expansion::isKnown(const Instruction &i) const {
  auto isOperand = [](const Value *v) {
    return isa<Instruction, ConstantInt, UndefValue>(v);
  };
  for (const Value *operand : i.operands())
    if (wideBits(operand->getType()) && !isOperand(operand))
      return false;
  if (auto *access = dyn_cast<LoadInst>(&i))
    return !access->isAtomic() && wideBits(i.getType()) % 8 == 0;
  if (auto *access = dyn_cast<StoreInst>(&i))
    return !access->isAtomic() &&
           wideBits(access->getValueOperand()->getType()) % 8 == 0;
  if (auto *call = dyn_cast<IntrinsicInst>(&i))
    switch (call->getIntrinsicID()) {
    case Intrinsic::ctlz:
    case Intrinsic::cttz:
    case Intrinsic::ctpop:
    case Intrinsic::umin:
    case Intrinsic::umax:
    case Intrinsic::smin:
    case Intrinsic::smax:
    case Intrinsic::abs:
      return true;
    default:
      return false;
    }
  return isa<BinaryOperator, CastInst, ICmpInst, SelectInst, PHINode,
             FreezeInst>(i);
}

Words Expansion::of(Value *value) {
  if (auto found = words.find(value); found != words.end())
    return found->second;
  if (auto *constant = dyn_cast<ConstantInt>(value)) {
    const APInt &v = constant->getValue();
    return {number(v.extractBitsAsZExtValue(wordBits, 0)),
            number(v.lshr(wordBits).getZExtValue())};
  }
  return {PoisonValue::get(word), PoisonValue::get(word)};
}

Words Expansion::trimmed(Words v, unsigned bits) {
  if (bits < 2 * wordBits)
    v.high = b.CreateAnd(v.high, number((1ull << (bits - wordBits)) - 1));
  return v;
}

Words Expansion::signedOf(Value *value) {
  Words v = of(value);
  const unsigned unused = 2 * wordBits - wideBits(value->getType());
  if (unused > 0)
    v.high = b.CreateAShr(b.CreateShl(v.high, unused), unused);
  return v;
}

Words Expansion::add(Words x, Words y) {
  Value *low = b.CreateAdd(x.low, y.low);
  Value *carry = b.CreateZExt(b.CreateICmpULT(low, x.low), word);
  return {low, b.CreateAdd(b.CreateAdd(x.high, y.high), carry)};
}

Words Expansion::negated(Words v) {
  return add({b.CreateNot(v.low), b.CreateNot(v.high)}, {number(1), number(0)});
}

Words Expansion::product(Words x, Words y) {
  Value *carry =
      b.CreateIntrinsic(Intrinsic::nvvm_mulhi_ull, {}, {x.low, y.low});
  Value *mixed =
      b.CreateAdd(b.CreateMul(x.low, y.high), b.CreateMul(x.high, y.low));
  return {b.CreateMul(x.low, y.low), b.CreateAdd(carry, mixed)};
}

/// By an amount below 128, a word: what is more is poison.
Words Expansion::shifted(unsigned opcode, Words x, Value *amount) {
  Value *isFar = b.CreateICmpUGE(amount, number(wordBits));
  Value *rest = b.CreateAnd(amount, number(wordBits - 1));
  auto funnel = [&](Intrinsic::ID id) {
    return b.CreateIntrinsic(id, {word}, {x.high, x.low, rest});
  };
  if (opcode == Instruction::Shl) {
    Value *low = b.CreateShl(x.low, rest);
    return either(isFar, {number(0), low}, {low, funnel(Intrinsic::fshl)});
  }
  const bool isArithmetic = opcode == Instruction::AShr;
  Value *high =
      isArithmetic ? b.CreateAShr(x.high, rest) : b.CreateLShr(x.high, rest);
  Value *above = isArithmetic ? b.CreateAShr(x.high, wordBits - 1) : number(0);
  return either(isFar, {high, above}, {funnel(Intrinsic::fshr), high});
}

Words Expansion::binary(BinaryOperator &i) {
  Value *first = i.getOperand(0), *second = i.getOperand(1);
  const Words x = of(first), y = of(second);
  switch (i.getOpcode()) {
  case Instruction::Add:
    return add(x, y);
  case Instruction::Sub:
    return add(x, negated(y));
  case Instruction::Mul:
    return product(x, y);
  case Instruction::And:
    return {b.CreateAnd(x.low, y.low), b.CreateAnd(x.high, y.high)};
  case Instruction::Or:
    return {b.CreateOr(x.low, y.low), b.CreateOr(x.high, y.high)};
  case Instruction::Xor:
    return {b.CreateXor(x.low, y.low), b.CreateXor(x.high, y.high)};
  default: // shifts; divisions are gone
    return shifted(i.getOpcode(),
                   i.getOpcode() == Instruction::AShr ? signedOf(first) : x,
                   y.low);
  }
}

Value *Expansion::compare(CmpInst::Predicate predicate, Value *first,
                          Value *second) {
  const bool isSigned = CmpInst::isSigned(predicate);
  const Words x = isSigned ? signedOf(first) : of(first),
              y = isSigned ? signedOf(second) : of(second);
  Value *sameHigh = b.CreateICmpEQ(x.high, y.high);
  if (CmpInst::isEquality(predicate)) {
    Value *same = b.CreateAnd(sameHigh, b.CreateICmpEQ(x.low, y.low));
    return predicate == CmpInst::ICMP_EQ ? same : b.CreateNot(same);
  }
  Value *low =
      b.CreateICmp(ICmpInst::getUnsignedPredicate(predicate), x.low, y.low);
  Value *high =
      b.CreateICmp(CmpInst::getStrictPredicate(predicate), x.high, y.high);
  return b.CreateSelect(sameHigh, low, high);
}

/// Truncated; of what a type does not hold nothing is said.
Words Expansion::ofFloat(Value *x, unsigned bits, bool isSigned) {
  Type *type = x->getType();
  if (!type->isDoubleTy()) // exact
    x = b.CreateFPExt(x, b.getDoubleTy());
  Value *size = isSigned ? b.CreateUnaryIntrinsic(Intrinsic::fabs, x) : x;
  auto real = [&](double v) { return ConstantFP::get(b.getDoubleTy(), v); };
  // Multiples of 2^64, and what is left: both exact.
  Value *high = b.CreateUnaryIntrinsic(Intrinsic::trunc,
                                       b.CreateFMul(size, real(0x1p-64)));
  Value *rest = b.CreateIntrinsic(Intrinsic::fma, {b.getDoubleTy()},
                                  {high, real(-0x1p64), size});
  auto whole = [&](Value *v) {
    return b.CreateIntrinsic(Intrinsic::fptoui_sat, {word, b.getDoubleTy()},
                             {v});
  };
  Words result{whole(rest), whole(high)};
  if (isSigned)
    result = either(b.CreateFCmpOLT(x, real(0)), negated(result), result);
  return trimmed(result, bits);
}

/// The leading 64 bits, the last of them set where a bit below is, are rounded
/// as the whole number is.
Value *Expansion::toFloat(Value *x, Type *type, bool isSigned) {
  Words v = isSigned ? signedOf(x) : of(x);
  Value *isNegative = b.CreateICmpSLT(v.high, number(0));
  if (isSigned)
    v = either(isNegative, negated(v), v);
  auto zeros = [&](Value *w) {
    return b.CreateIntrinsic(Intrinsic::ctlz, {word}, {w, b.getFalse()});
  };
  Value *isShort = b.CreateICmpEQ(v.high, number(0));
  Value *count = b.CreateAnd(zeros(v.high), number(wordBits - 1));
  const Words moved = shifted(Instruction::Shl, v, count);
  Value *sticky = b.CreateZExt(b.CreateICmpNE(moved.low, number(0)), word);
  Value *leading =
      b.CreateSelect(isShort, v.low, b.CreateOr(moved.high, sticky));
  Value *exponent =
      b.CreateSelect(isShort, number(0), b.CreateSub(number(wordBits), count));
  // In double: a float's 24 bits come from 64 in one rounding, by one more
  // sticky bit, for the number is made odd below the 53 of a double.
  Type *wide = b.getDoubleTy();
  if (type->isDoubleTy()) {
    Value *r = b.CreateUIToFP(leading, wide);
    // A power of two that a double holds.
    Value *power = b.CreateBitCast(
        b.CreateShl(b.CreateAdd(exponent, number(1023)), number(52)), wide);
    r = b.CreateFMul(r, power);
    return isSigned ? b.CreateSelect(isNegative, b.CreateFNeg(r), r) : r;
  }
  Value *r = b.CreateFPExt(b.CreateUIToFP(leading, b.getFloatTy()), wide);
  Value *power = b.CreateBitCast(
      b.CreateShl(b.CreateAdd(exponent, number(1023)), number(52)), wide);
  r = b.CreateFPTrunc(b.CreateFMul(r, power), type); // exact, or infinite
  return isSigned ? b.CreateSelect(isNegative, b.CreateFNeg(r), r) : r;
}

/// A cast to or from a wide integer; `narrow` is the result where it is none.
std::optional<Words> Expansion::cast(CastInst &i, Value *&narrow) {
  Value *x = i.getOperand(0);
  Type *from = x->getType(), *to = i.getType();
  const unsigned bits = wideBits(to);
  auto *pair = FixedVectorType::get(word, 2);
  switch (i.getOpcode()) {
  case Instruction::Trunc:
    if (bits)
      return trimmed(of(x), bits);
    narrow = b.CreateTrunc(of(x).low, to);
    return std::nullopt;
  case Instruction::ZExt:
    return wideBits(from) ? of(x) : Words{b.CreateZExt(x, word), number(0)};
  case Instruction::SExt: {
    if (wideBits(from))
      return trimmed(signedOf(x), bits);
    Value *low = b.CreateSExt(x, word);
    return trimmed({low, b.CreateAShr(low, wordBits - 1)}, bits);
  }
  case Instruction::BitCast: {
    if (!bits) {
      const Words v = of(x);
      Value *both =
          b.CreateInsertElement(PoisonValue::get(pair), v.low, uint64_t(0));
      both = b.CreateInsertElement(both, v.high, uint64_t(1));
      narrow = b.CreateBitCast(both, to);
      return std::nullopt;
    }
    Value *both = b.CreateBitCast(x, pair);
    return Words{b.CreateExtractElement(both, uint64_t(0)),
                 b.CreateExtractElement(both, uint64_t(1))};
  }
  case Instruction::FPToUI:
  case Instruction::FPToSI:
    return ofFloat(x, bits, i.getOpcode() == Instruction::FPToSI);
  default: // UIToFP, SIToFP
    narrow = toFloat(x, to, i.getOpcode() == Instruction::SIToFP);
    return std::nullopt;
  }
}

std::optional<Words> Expansion::intrinsic(IntrinsicInst &i) {
  Value *x = i.getArgOperand(0);
  const unsigned bits = wideBits(i.getType());
  auto count = [&](Intrinsic::ID id, Value *w) -> Value * {
    if (id == Intrinsic::ctpop)
      return b.CreateUnaryIntrinsic(id, w);
    return b.CreateIntrinsic(id, {word}, {w, b.getFalse()});
  };
  const Words v = of(x);
  Value *sum;
  switch (i.getIntrinsicID()) {
  case Intrinsic::ctpop:
    sum = b.CreateAdd(count(Intrinsic::ctpop, v.low),
                      count(Intrinsic::ctpop, v.high));
    return Words{sum, number(0)};
  case Intrinsic::ctlz:
    sum = b.CreateSelect(
        b.CreateICmpEQ(v.high, number(0)),
        b.CreateAdd(count(Intrinsic::ctlz, v.low), number(wordBits)),
        count(Intrinsic::ctlz, v.high));
    return Words{b.CreateSub(sum, number(2 * wordBits - bits)), number(0)};
  case Intrinsic::cttz: {
    Value *high = count(Intrinsic::cttz, v.high);
    Value *max = b.CreateBinaryIntrinsic(
        Intrinsic::umin, b.CreateAdd(high, number(wordBits)), number(bits));
    return Words{b.CreateSelect(b.CreateICmpEQ(v.low, number(0)), max,
                                count(Intrinsic::cttz, v.low)),
                 number(0)};
  }
  case Intrinsic::abs: {
    const Words s = signedOf(x);
    return trimmed(either(b.CreateICmpSLT(s.high, number(0)), negated(s), s),
                   bits);
  }
  default: {
    const auto predicate = llvm::cast<MinMaxIntrinsic>(i)
                               .getPredicate(); // of a choice of the first
    Value *y = i.getArgOperand(1);
    return either(compare(predicate, x, y), v, of(y));
  }
  }
}

/// The bytes of the high word alone, for what lies behind it is not read.
static Type *upperType(IRBuilder<> &b, unsigned bits) {
  return b.getIntNTy(bits - wordBits);
}

Words Expansion::load(LoadInst &i) {
  const unsigned bits = wideBits(i.getType());
  Value *behind = b.CreateConstGEP1_32(word, i.getPointerOperand(), 1);
  LoadInst *low = b.CreateAlignedLoad(word, i.getPointerOperand(), i.getAlign(),
                                      i.isVolatile());
  LoadInst *high =
      b.CreateAlignedLoad(upperType(b, bits), behind,
                          commonAlignment(i.getAlign(), 8), i.isVolatile());
  for (LoadInst *part : {low, high})
    part->copyMetadata(i, {LLVMContext::MD_invariant_load});
  return {low, b.CreateZExt(high, word)};
}

void Expansion::store(StoreInst &i) {
  const unsigned bits = wideBits(i.getValueOperand()->getType());
  const Words v = of(i.getValueOperand());
  Value *behind = b.CreateConstGEP1_32(word, i.getPointerOperand(), 1);
  b.CreateAlignedStore(v.low, i.getPointerOperand(), i.getAlign(),
                       i.isVolatile());
  b.CreateAlignedStore(b.CreateTrunc(v.high, upperType(b, bits)), behind,
                       commonAlignment(i.getAlign(), 8), i.isVolatile());
}

void Expansion::expand(Instruction &i) {
  const unsigned bits = wideBits(i.getType());
  if (auto *access = dyn_cast<StoreInst>(&i)) {
    store(*access);
    return;
  }
  if (auto *compared = dyn_cast<ICmpInst>(&i)) {
    i.replaceAllUsesWith(
        compare(compared->getPredicate(), i.getOperand(0), i.getOperand(1)));
    return;
  }
  std::optional<Words> result;
  if (auto *phi = dyn_cast<PHINode>(&i)) {
    const unsigned count = phi->getNumIncomingValues();
    result = {b.CreatePHI(word, count), b.CreatePHI(word, count)};
  } else if (auto *operation = dyn_cast<BinaryOperator>(&i)) {
    result = trimmed(binary(*operation), bits);
  } else if (auto *converted = dyn_cast<CastInst>(&i)) {
    Value *narrow = nullptr;
    result = cast(*converted, narrow);
    if (narrow)
      i.replaceAllUsesWith(narrow);
  } else if (auto *choice = dyn_cast<SelectInst>(&i)) {
    result = either(choice->getCondition(), of(choice->getTrueValue()),
                    of(choice->getFalseValue()));
  } else if (auto *access = dyn_cast<LoadInst>(&i)) {
    result = load(*access);
  } else if (auto *call = dyn_cast<IntrinsicInst>(&i)) {
    result = intrinsic(*call);
  } else { // a freeze
    const Words v = of(i.getOperand(0));
    result = {b.CreateFreeze(v.low), b.CreateFreeze(v.high)};
  }
  if (result)
    words[&i] = *result;
}

void Expansion::fillPhis() {
  for (auto &[value, parts] : words) {
    auto *phi = dyn_cast<PHINode>(value);
    if (!phi)
      continue;
    for (unsigned n = 0; n < phi->getNumIncomingValues(); ++n) {
      const Words incoming = of(phi->getIncomingValue(n));
      BasicBlock *from = phi->getIncomingBlock(n);
      llvm::cast<PHINode>(parts.low)->addIncoming(incoming.low, from);
      llvm::cast<PHINode>(parts.high)->addIncoming(incoming.high, from);
    }
  }
}

void Expansion::run() {
  auto isWide = [](const Instruction &i) {
    return wideBits(i.getType()) || any_of(i.operands(), [](const Use &use) {
             return wideBits(use->getType()) != 0;
           });
  };
  SmallVector<BinaryOperator *> divisions;
  bool any = false;
  for (Instruction &i : instructions(f)) {
    if (!isWide(i))
      continue;
    if (!isKnown(i))
      return; // decoding says what it is
    any = true;
    if (isWideDivision(i))
      divisions.push_back(llvm::cast<BinaryOperator>(&i));
  }
  if (!any)
    return;
  for (BinaryOperator *division : divisions)
    if (division->getOpcode() == Instruction::UDiv ||
        division->getOpcode() == Instruction::SDiv)
      expandDivision(division);
    else
      expandRemainder(division);
  ReversePostOrderTraversal<Function *> order(&f);
  for (BasicBlock *block : order)
    for (Instruction &i : make_early_inc_range(*block)) {
      if (!isWide(i))
        continue;
      b.SetInsertPoint(&i);
      expand(i);
      replaced.push_back(&i);
    }
  fillPhis();
  for (Instruction *i : replaced)
    i->dropAllReferences();
  for (Instruction *i : replaced) {
    if (!i->use_empty())
      i->replaceAllUsesWith(PoisonValue::get(i->getType()));
    i->eraseFromParent();
  }
}

void expandWideIntegers(Function &function) { Expansion(function).run(); }

} // namespace evo::sim
