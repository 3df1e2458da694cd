// Calls that compute with floats. Elementary functions, arithmetic with its
// rounding named, class tests and conversions, as libdevice, LLVM and NVVM
// spell them.
#include "CallDecoder.h"
#include "Simulator/IR/Numeric.h"
#include "Simulator/Interp/Math.h"
#include "evo/Support/Digest.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace evo::sim {

/// Bit tests on the representation; classes as in llvm.is.fpclass.
void CallDecoder::classTest(unsigned mask) {
  if (!operands(1))
    return;
  SmallVector<Leaf, 8> fl;
  if (!dec.leaves(arg(0)->getType(), fl))
    return;
  for (size_t i = 0; i < fl.size(); ++i) {
    const Leaf &f = fl[i];
    if (!requireFloat(f))
      return;
    bool w = f.wide();
    Leaf il{nullptr, 0, f.bits, FT_None};
    unsigned mant = f.floatType == FT_S   ? 23
                    : f.floatType == FT_D ? 52
                    : f.floatType == FT_H ? 10
                                          : 7;
    uint64_t sign = 1ull << (f.bits - 1),
             inf = (sign - 1) & ~((1ull << mant) - 1);
    int32_t bits = dec.emitTo(il, forWidth(Op::MOV_I, w), in[0][i]);
    int32_t mag =
        dec.emitTo(il, forWidth(Op::AND_I, w), bits, dec.constant(sign - 1, w));
    auto range = [&](int32_t v, uint64_t lo, uint64_t hi) { // lo <= v <= hi
      int32_t d =
          dec.emitTo(il, forWidth(Op::SUB_I, w), v, dec.constant(lo, w));
      if (f.bits == 16)
        d = dec.masked(d, il);
      return dec.emitTo(i32, forWidth(Op::ICMP_ULE_I, w), d,
                        dec.constant(hi - lo, w));
    };
    int32_t r = dec.constant(0, false);
    auto add = [&](int32_t c) { r = dec.emitTo(i32, Op::OR_I, r, c); };
    uint64_t quiet = 1ull << (mant - 1), tiny = 1ull << mant;
    if (mask & 1)
      add(range(mag, inf + 1, inf + quiet - 1));
    if (mask & 2)
      add(range(mag, inf + quiet, sign - 1));
    const struct {
      unsigned neg, pos;
      uint64_t lo, hi;
    } classes[] = {{4, 512, inf, inf},
                   {8, 256, tiny, inf - 1},
                   {16, 128, 1, tiny - 1},
                   {32, 64, 0, 0}};
    for (auto &c : classes) {
      if (mask & c.neg)
        add(range(bits, sign | c.lo, sign | c.hi));
      if (mask & c.pos)
        add(range(bits, c.lo, c.hi));
    }
    out.push_back(r);
  }
}

/// expf and __expf are one function here, and two on a device.
int32_t CallDecoder::calleeNumber() const {
  return static_cast<int32_t>(
      fingerprint(inst ? inst->getCalledFunction()->getName() : word));
}

/// A device's instruction is called by its own name, by one of libdevice's fast
/// forms, or by a function of LLVM's that may be approximate.
Precision CallDecoder::precisionOf(const Leaf &leaf) const {
  const auto fn = static_cast<MathFn>(entry.what & 255);
  if (entry.what & fullRangeFlag)
    return Precision::FullRange;
  const auto direction = static_cast<Rounding>(entry.what >> rootShift & 3);
  if (direction != Rounding::Nearest)
    return sim::precisionOf(direction);
  if ((entry.what & approximateFlag) || isFast)
    return Precision::Approximate;
  const bool isShort =
      leaf.floatType == FT_S ||
      ((fn == MathFn::Tanh || fn == MathFn::Exp2) && leaf.floatType != FT_D);
  return inst && isa<FPMathOperator>(inst) && inst->hasApproxFunc() &&
                 isa<IntrinsicInst>(inst) && isShort
             ? Precision::Approximate
             : Precision::Library;
}

namespace {
/// A function by the base of two, as libdevice makes the fast forms of exp and
/// log: the product is rounded, so that their error grows with their argument.
struct FastFunction {
  MathFn function;
  float before = 1, after = 1; ///< factors
};
} // namespace

static FastFunction fastFunction(bool isFast, int what) {
  const auto function = static_cast<MathFn>(what & 255);
  if (!isFast)
    return {function};
  switch (function) {
  case MathFn::Exp:
    return {MathFn::Exp2, 1.44269504f, 1};
  case MathFn::Exp10:
    return {MathFn::Exp2, 3.32192809f, 1};
  case MathFn::Log:
    return {MathFn::Log2, 1, 0.693147181f};
  case MathFn::Log10:
    return {MathFn::Log2, 1, 0.301029996f};
  default:
    return {function};
  }
}

/// Of a result, what does not belong to a range: .relu and .sat.
int32_t CallDecoder::bounded(int32_t v, const Leaf &leaf) {
  if (entry.what & reluFlag) {
    const int32_t zero = dec.constant(0, leaf.wide(), leaf.floatType);
    v = dec.emitTo(leaf, forFloat(Op::FMINMAX_S, leaf.floatType), v, zero);
    dec.k.code.back().sub = uint8_t(MinMax::Maximum); // NaN stays
  }
  if (entry.what & saturateFlag) {
    v = dec.emitTo(leaf, forFloat(Op::MATH1_S, leaf.floatType), v);
    dec.k.code.back().sub = uint8_t(MathFn::Saturate);
  }
  return v;
}

/// Arithmetic that is not rounded to the nearest number there is of f32 and
/// f64.
bool CallDecoder::roundsLike(const Leaf &leaf) {
  if (requireFloat(leaf) && rounding() != 0 && leaf.floatType != FT_S &&
      leaf.floatType != FT_D)
    dec.fail("'" + Twine(plain) + "' on this type");
  return dec.error.empty();
}

CallDecoder::Outcome CallDecoder::floats() {
  auto scaled = [&](const Leaf &leaf, int32_t v, float factor) {
    int32_t d = dec.slotLike(leaf);
    dec.emit(Op::FMUL_S, d, v,
             dec.constant(bitsTo<uint32_t>(factor), false, FT_S));
    return d;
  };
  switch (entry.kind) {
  case Kind::Math1:
    elementwise(1, [&](const Leaf &l, int32_t *v) {
      if (!requireFloat(l))
        return v[0];
      int32_t d = dec.slotLike(l);
      const FastFunction fast = fastFunction(isFast, entry.what);
      int32_t operand = v[0];
      if (fast.before != 1)
        operand = scaled(l, operand, fast.before);
      Inst &i = dec.emit(opcode(l), d, operand);
      i.sub = static_cast<uint8_t>(fast.function);
      i.aux = static_cast<uint32_t>(precisionOf(l));
      i.imm = calleeNumber();
      return fast.after != 1 ? scaled(l, d, fast.after) : d;
    });
    return Outcome::Values;
  case Kind::Math2:
    elementwise(2, [&](const Leaf &l, int32_t *v) {
      if (!requireFloat(l))
        return v[0];
      int32_t d = dec.slotLike(l);
      Inst &i = dec.emit(opcode(l), d, v[0], v[1]);
      i.sub = static_cast<uint8_t>(entry.what);
      i.aux = static_cast<uint32_t>(precisionOf(l));
      i.imm = calleeNumber();
      return d;
    });
    return Outcome::Values;
  case Kind::MathInt:
    elementwise(2, [&](const Leaf &l, int32_t *v) {
      if (!requireFloat(l))
        return v[0];
      // Either may come first.
      if (arg(0)->getType()->isIntOrIntVectorTy())
        std::swap(v[0], v[1]);
      const unsigned integer = arg(0)->getType()->isIntOrIntVectorTy() ? 0 : 1;
      Leaf il = dec.leafOf(arg(integer)->getType()->getScalarType());
      int32_t d = dec.slotLike(l), e = dec.signExtended(v[1], il);
      if (il.wide()) {
        int32_t t = dec.slot(false, FT_None);
        dec.emit(Op::TRUNC_LI, t, e);
        e = t;
      }
      dec.emit(opcode(l), d, v[0], e).sub = entry.what;
      return d;
    });
    return Outcome::Values;
  case Kind::SinCos: {
    if (in.size() != 3) // LLVM's intrinsic of that name returns both
      return Outcome::Unknown;
    Leaf l = dec.leafOf(arg(0)->getType());
    int32_t x = dec.scalar(arg(0));
    if (!requireFloat(l))
      return Outcome::Done;
    for (unsigned i : {0u, 1u}) {
      auto [base, disp] = dec.pointer(arg(1 + i));
      int32_t d = dec.slotLike(l);
      Inst &f = dec.emit(opcode(l), d, x);
      if (entry.what) // of multiples of pi
        f.sub = uint8_t(i ? MathFn::Cospi : MathFn::Sinpi);
      else
        f.sub = uint8_t(i ? MathFn::Cos : MathFn::Sin);
      f.aux = static_cast<uint32_t>(precisionOf(l));
      Inst &s = dec.emit(Op::STORE, noOperand, base, d);
      s.sub = l.wide() ? 3 | 3 << 4 : 2 | 2 << 4;
      s.imm = disp;
    }
    return Outcome::Done;
  }
  case Kind::Fma:
    elementwise(3, [&](const Leaf &l, int32_t *v) {
      if (!roundsLike(l))
        return v[0];
      if (inst && rounding() == 0)
        if (const std::optional<MathFn> rint = findShiftedRint(*inst))
          return dec.shiftedRint(l, *rint, v[0], v[1]);
      const int32_t r = dec.emitTo(l, opcode(l), v[0], v[1], v[2]);
      dec.k.code.back().sub = rounding();
      return bounded(r, l);
    });
    return Outcome::Values;
  case Kind::FloatBinary:
    elementwise(2, [&](const Leaf &l, int32_t *v) {
      if (!roundsLike(l))
        return v[0];
      const int32_t r = dec.emitTo(l, opcode(l), v[0], v[1]);
      dec.k.code.back().sub = rounding();
      if (entry.what & contractFlag)
        dec.k.code.back().aux = static_cast<uint32_t>(Contraction::Open);
      return bounded(r, l);
    });
    return Outcome::Values;
  case Kind::Reciprocal:
    elementwise(1, [&](const Leaf &l, int32_t *v) {
      if (!requireFloat(l))
        return v[0];
      const int32_t r = dec.emitTo(l, opcode(l), dec.one(l), v[0]);
      dec.k.code.back().sub = static_cast<uint8_t>(entry.what);
      return r;
    });
    return Outcome::Values;
  case Kind::FloatAbs:
  case Kind::FloatNeg:
    elementwise(1, [&](const Leaf &l, int32_t *v) {
      if (!requireFloat(l))
        return v[0];
      return dec.emitTo(l, opcode(l), v[0]);
    });
    return Outcome::Values;
  case Kind::CopySign:
    elementwise(2, [&](const Leaf &l, int32_t *v) {
      return dec.emitTo(l, opcode(l), v[0], v[1]);
    });
    return Outcome::Values;
  case Kind::FloatMinMax:
    if (ls.empty() || ls[0].floatType == FT_None)
      return Outcome::Unknown;
    elementwise(2, [&](const Leaf &l, int32_t *v) {
      int32_t d = dec.slotLike(l);
      const bool ofSizes = entry.what & xorSignFlag;
      int32_t x[2] = {v[0], v[1]};
      if (ofSizes)
        for (int32_t &operand : x)
          operand = dec.emitTo(l, forFloat(Op::FABS_S, l.floatType), operand);
      dec.emit(opcode(l), d, x[0], x[1]).sub = entry.what & 3;
      // Its sign is that of their product.
      return ofSizes ? dec.withSignOf(l, d, v[0], v[1]) : d;
    });
    return Outcome::Values;
  case Kind::SignBit: {
    Leaf l = dec.leafOf(arg(0)->getType());
    if (!requireFloat(l))
      return Outcome::Done;
    const Leaf bits{nullptr, 0, l.bits, FT_None};
    int32_t v =
        dec.emitTo(bits, forWidth(Op::MOV_I, l.wide()), dec.scalar(arg(0)));
    v = dec.emitTo(bits, forWidth(Op::LSHR_I, l.wide()), v,
                   dec.constant(l.bits - 1, l.wide()));
    out = {fit(v, l.wide(), ls[0].wide())};
    return Outcome::Values;
  }
  case Kind::NaN: // whatever the text says that it is given
    if (ls.size() != 1 || !requireFloat(ls[0]))
      return Outcome::Unknown;
    out = {ls[0].wide() ? dec.constant(0x7ff8000000000000ull, true, FT_D)
                        : dec.constant(0x7fffffff, false, FT_S)};
    return Outcome::Values;
  case Kind::IsNan:
    classTest(3);
    return Outcome::Values;
  case Kind::IsInf:
    classTest(4 | 512);
    return Outcome::Values;
  case Kind::IsFinite:
    classTest(0x1f8);
    return Outcome::Values;
  case Kind::IsClass:
    classTest(cast<ConstantInt>(arg(1))->getZExtValue());
    return Outcome::Values;
  case Kind::ReduceFloat: {
    if (!operands(2))
      return Outcome::Done;
    int32_t r = in[0][0];
    for (int32_t v : in[1])
      r = dec.emitTo(ls[0], opcode(ls[0]), r, v);
    out = {r};
    return Outcome::Values;
  }
  default:
    return Outcome::NotMine;
  }
}

CallDecoder::Outcome CallDecoder::conversions() {
  switch (entry.kind) {
  case Kind::Bitcast:
    dec.bitcast(arg(0), inst);
    return Outcome::Done;
  case Kind::FloatToHalf: { // the result is the pattern in an i16
    Leaf f = dec.leafOf(arg(0)->getType());
    int32_t v = dec.scalar(arg(0)), h = dec.slot(false, FT_H);
    if (f.floatType == FT_None || ls.size() != 1)
      return Outcome::Unknown;
    dec.emit(opcode(), h, v).sub = f.floatType | FT_H << 4;
    if (ls[0].floatType == FT_H)
      out = {h};
    else
      out = {dec.emitTo(ls[0], Op::MOV_I, h)};
    return Outcome::Values;
  }
  case Kind::HalfToFloat: {
    Leaf f = dec.leafOf(arg(0)->getType());
    int32_t v = dec.scalar(arg(0));
    if (f.bits != 16 || !requireFloat(ls[0]))
      return Outcome::Unknown;
    if (f.floatType != FT_H) {
      int32_t h = dec.slot(false, FT_H);
      dec.emit(Op::MOV_I, h, v);
      v = h;
    }
    int32_t d = dec.slotLike(ls[0]);
    dec.emit(opcode(), d, v).sub = FT_H | ls[0].floatType << 4;
    out = {d};
    return Outcome::Values;
  }
  case Kind::WordOfDouble: {
    const Leaf wide{nullptr, 0, 64, FT_None};
    const int32_t bits = dec.emitTo(wide, Op::MOV_L, dec.scalar(arg(0)));
    int32_t d = dec.slot(false, FT_None);
    dec.emit(opcode(), d, bits).imm = entry.what;
    out = {d};
    return Outcome::Values;
  }
  case Kind::DoubleOfWords: {
    const bool highFirst = entry.what;
    int32_t low = dec.scalar(arg(highFirst)),
            high = dec.scalar(arg(!highFirst));
    const Leaf wide{nullptr, 0, 64, FT_None};
    const int32_t bits = dec.emitTo(wide, opcode(), low, high);
    out = {dec.emitTo(ls[0], Op::MOV_L, bits)};
    return Outcome::Values;
  }
  case Kind::FloatCast: {
    Leaf f = dec.leafOf(arg(0)->getType());
    int32_t v = flushed(dec.scalar(arg(0)), f), d = dec.slotLike(ls[0]);
    if (!requireFloat(f) || !requireFloat(ls[0]))
      return Outcome::Done;
    Inst &cast = dec.emit(opcode(), d, v);
    cast.sub = f.floatType | ls[0].floatType << 4;
    cast.imm = rounding();
    out = {flushed(bounded(d, ls[0]), ls[0])};
    return Outcome::Values;
  }
  case Kind::PairCast: { // (high, low)
    if (ls.size() != 2 || !requireFloat(ls[0]))
      return Outcome::Unknown;
    for (unsigned i : {1u, 0u}) {
      int32_t d = dec.slotLike(ls[0]);
      Inst &cast = dec.emit(opcode(), d, dec.scalar(arg(i)));
      cast.sub = FT_S | ls[0].floatType << 4;
      cast.imm = rounding();
      out.push_back(bounded(d, ls[0]));
    }
    return Outcome::Values;
  }
  case Kind::FloatToInt: {
    if (!operands(1))
      return Outcome::Done;
    SmallVector<Leaf, 8> fl;
    if (!dec.leaves(arg(0)->getType(), fl))
      return Outcome::Done;
    for (size_t i = 0; i < ls.size(); ++i) {
      if (!requireFloat(fl[i]))
        return Outcome::Done;
      int32_t d = dec.slot(ls[i].wide(), FT_None);
      Inst &c = dec.emit(opcode(), d, flushed(in[0][i], fl[i]));
      c.sub = fl[i].floatType | (entry.what & (signedFlag | saturatesFlag)) |
              ls[i].wide() << 5;
      c.imm = (entry.what & 15) | ls[i].bits << 8;
      out.push_back(d);
    }
    return Outcome::Values;
  }
  case Kind::IntToFloat: {
    Leaf f = dec.leafOf(arg(0)->getType());
    int32_t v = dec.scalar(arg(0)), d = dec.slotLike(ls[0]);
    if (!requireFloat(ls[0]))
      return Outcome::Done;
    Inst &cast = dec.emit(opcode(), d, v);
    cast.sub = ls[0].floatType | (entry.what & signedFlag) | f.wide() << 5;
    cast.imm = entry.what & 3;
    out = {d};
    return Outcome::Values;
  }
  case Kind::RoundTF32: { // the result is the pattern in an i32
    int32_t r = dec.slot(false, FT_S), bits = dec.slot(false, FT_None);
    dec.emit(opcode(), r, dec.scalar(arg(0))).sub =
        static_cast<uint8_t>(entry.what);
    dec.emit(Op::MOV_I, bits, r);
    out = {bits};
    return Outcome::Values;
  }
  default:
    return Outcome::NotMine;
  }
}

} // namespace evo::sim
