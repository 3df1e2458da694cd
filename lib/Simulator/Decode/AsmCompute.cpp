// Inline PTX that converts and compares numbers, packed halves included.
#include "AsmDecoder.h"
#include "Simulator/IR/Numeric.h"
#include "Simulator/Interp/Math.h"
#include "evo/Support/Digest.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace evo::sim {

int32_t AsmDecoder::unary(Op s, const PtxType &t, int32_t a, uint8_t sub) {
  int32_t r = d.slot(t.bits > 32, t.floatType);
  d.emit(forFloat(s, t.floatType), r, a).sub = sub;
  return r;
}

/// Between pairs of eight-bit floats, which lie in 16 bits, and wider ones:
/// cvt.rn.f16x2.e4m3x2 d, a; cvt.rn.satfinite.e4m3x2.f32 d, high, low;
/// cvt.rn.satfinite.e4m3x2.f16x2 d, a.
bool AsmDecoder::convertFloat8(const device::Words &op,
                               ArrayRef<StringRef> args) {
  PtxType b16, half, wide;
  b16.bits = 16;
  half.bits = 16;
  half.floatType = FT_H;
  const bool decodes = op.types[1].starts_with("e");
  StringRef narrow = op.types[decodes], other = op.types[!decodes];
  const bool e4m3 = narrow == "e4m3x2";
  if ((!e4m3 && narrow != "e5m2x2") || !parsePtxType(other, wide) ||
      (wide.floatType != FT_H && wide.floatType != FT_S))
    return refuse();
  if (decodes) {
    int32_t pair, out[2];
    if (op.said.size() != 1 || op["rounding"] != "rn" || args.size() != 2 ||
        !wide.pair || !read(args[1], b16, pair))
      return refuse();
    for (int i : {0, 1}) {
      int32_t code = d.emitTo(
          leaf(b16), Op::AND_I,
          i ? d.emitTo(leaf(b16), Op::LSHR_I, pair, d.constant(8, false))
            : pair,
          d.constant(0xff, false));
      int32_t number = d.slot(false, FT_H);
      d.emit(Op::ITOFP, number, code).sub = FT_H;
      int32_t value =
          unary(Op::MATH1_S, half, number,
                uint8_t(e4m3 ? MathFn::DecodeE4M3 : MathFn::DecodeE5M2));
      out[i] = d.slot(false, FT_None);
      d.emit(Op::MOV_I, out[i], value);
    }
    PtxType b32;
    b32.bits = 32;
    write(args[0], b32, d.emitTo(leaf(b32), Op::PACK16_I, out[0], out[1]));
    return true;
  }
  int32_t in[2];
  const bool relu = op.has("relu");
  if (op.said.size() != 2u + relu || op["rounding"] != "rn" ||
      !op.has("finite") || args.size() != (wide.pair ? 2 : 3))
    return refuse();
  if (wide.pair ? !pairOf(args[1], wide, in)
                : !read(args[2], wide, in[0]) || !read(args[1], wide, in[1]))
    return false;
  int32_t code[2];
  for (int i : {0, 1}) {
    if (relu) {
      in[i] = d.emitTo(leaf(wide), forFloat(Op::FMINMAX_S, wide.floatType),
                       in[i], d.constant(0, false, wide.floatType));
      d.k.code.back().sub = uint8_t(MinMax::Maximum); // NaN stays
    }
    int32_t number =
        unary(Op::MATH1_S, wide, in[i],
              uint8_t(e4m3 ? MathFn::EncodeE4M3 : MathFn::EncodeE5M2));
    code[i] = d.slot(false, FT_None);
    Inst &c = d.emit(Op::FPTOI, code[i], number);
    c.sub = wide.floatType;
    c.imm = int(Rounding::Zero) | 16 << 8;
  }
  int32_t high = d.emitTo(leaf(b16), Op::SHL_I, code[1], d.constant(8, false));
  write(args[0], b16, d.emitTo(leaf(b16), Op::OR_I, code[0], high));
  return true;
}

/// The number of type `to` that is nearest to an integer of type `from`.
int32_t AsmDecoder::nearestIn(const PtxType &to, const PtxType &from,
                              int32_t v) {
  const Leaf l = leaf(from);
  const bool wide = from.bits > 32;
  const uint64_t all = to.bits == 64 ? ~0ull : (1ull << to.bits) - 1;
  const uint64_t max = to.isSigned ? all >> 1 : all;
  const uint64_t own = from.bits == 64 ? ~0ull : (1ull << from.bits) - 1;
  if (from.isSigned) {
    v = d.signExtended(v, l);
    const uint64_t min = to.isSigned ? ~max : 0;
    const bool holdsMin = to.isSigned && to.bits >= from.bits;
    if (!holdsMin)
      v = d.emitTo(l, forWidth(Op::SMAX_I, wide), v,
                   d.constant(wide ? min : uint32_t(min), wide));
  }
  if (max < (from.isSigned ? own >> 1 : own))
    v = d.emitTo(l, forWidth(from.isSigned ? Op::SMIN_I : Op::UMIN_I, wide), v,
                 d.constant(max, wide));
  return d.masked(v, l);
}

/// With the largest number in place of an infinity, for .satfinite.
int32_t AsmDecoder::largestOf(const PtxType &t, int32_t v) {
  const uint64_t max = t.floatType == FT_H ? 0x7bff : 0x7f7f;
  for (bool isMax : {false, true}) {
    const int32_t bound =
        d.constant(max | (isMax ? 0x8000 : 0), false, t.floatType);
    v = d.emitTo(leaf(t), forFloat(Op::FMINMAX_S, t.floatType), v, bound);
    d.k.code.back().sub =
        uint8_t(isMax ? MinMax::Maximum : MinMax::Minimum); // NaN stays
  }
  return v;
}

bool AsmDecoder::convert(const device::Words &op, ArrayRef<StringRef> args) {
  PtxType to, from;
  const StringRef word = op["rounding"];
  if (op.types[0].starts_with("e") || op.types[1].starts_with("e"))
    return convertFloat8(op, args);
  if (op.types[0] == "tf32") {
    from.bits = 32;
    from.floatType = FT_S;
    int32_t v;
    if (op.said.size() != 1 || op.types[1] != "f32" || args.size() != 2 ||
        (word != "rna" && word != "rn"))
      return refuse();
    if (!read(args[1], from, v))
      return false;
    write(args[0], from,
          unary(Op::MATH1_S, from, v,
                uint8_t(word == "rna" ? MathFn::RoundTF32
                                      : MathFn::RoundTF32Even)));
    return true;
  }
  if (!parsePtxType(op.types[0], to) || !parsePtxType(op.types[1], from) ||
      from.pair || word == "rna")
    return refuse();
  const int rounding = StringSwitch<int>(word)
                           .Cases({"rn", "rni"}, int(Rounding::Nearest))
                           .Cases({"rz", "rzi"}, int(Rounding::Zero))
                           .Cases({"rm", "rmi"}, int(Rounding::Down))
                           .Cases({"rp", "rpi"}, int(Rounding::Up))
                           .Default(-1);
  const bool flush = op.has("flush"), saturate = op.has("saturate"),
             relu = op.has("relu"), finite = op.has("finite");
  const bool ff = from.floatType != FT_None, tf = to.floatType != FT_None;
  const bool nearest = rounding < 0 || rounding == int(Rounding::Nearest);
  if ((relu || finite) && (from.floatType != FT_S || to.bits != 16 || !tf))
    return refuse();
  // What cvt makes of a float once it is rounded.
  auto bounded = [&](int32_t r) {
    if (finite)
      r = largestOf(to, r);
    if (relu) {
      r = d.emitTo(leaf(to), forFloat(Op::FMINMAX_S, to.floatType), r,
                   d.constant(0, to.bits > 32, to.floatType));
      d.k.code.back().sub = uint8_t(MinMax::Maximum); // NaN stays
    }
    return saturate ? unary(Op::MATH1_S, to, r, uint8_t(MathFn::Saturate)) : r;
  };
  if (to.pair) { // cvt.rn.f16x2.f32 d, high, low
    if (args.size() != 3 || from.floatType != FT_S || saturate)
      return refuse();
    int32_t half[2];
    for (int i : {0, 1}) {
      int32_t v;
      if (!read(args[2 - i], from, v))
        return false;
      int32_t h = d.slot(false, to.floatType);
      Inst &cast = d.emit(Op::FPCVT, h, v);
      cast.sub = FT_S | to.floatType << 4;
      cast.imm = nearest ? 0 : rounding;
      half[i] = d.slot(false, FT_None);
      d.emit(Op::MOV_I, half[i], bounded(h));
    }
    PtxType b32;
    b32.bits = 32;
    write(args[0], b32, d.emitTo(leaf(b32), Op::PACK16_I, half[0], half[1]));
    return true;
  }
  int32_t v, r;
  if (args.size() != 2 || !read(args[1], from, v))
    return refuse();
  if (flush && from.floatType == FT_S)
    v = unary(Op::MATH1_S, from, v, uint8_t(MathFn::FlushDenormal));
  if (ff && tf) {
    if (from.floatType == to.floatType) {
      auto fn = rounding == int(Rounding::Nearest) ? MathFn::Rint
                : rounding == int(Rounding::Zero)  ? MathFn::Trunc
                : rounding == int(Rounding::Down)  ? MathFn::Floor
                                                   : MathFn::Ceil;
      r = rounding < 0 ? v : unary(Op::MATH1_S, to, v, uint8_t(fn));
    } else {
      r = d.slot(to.bits > 32, to.floatType);
      Inst &cast = d.emit(Op::FPCVT, r, v);
      cast.sub = from.floatType | to.floatType << 4;
      cast.imm = nearest ? 0 : rounding;
    }
    r = bounded(r);
  } else if (ff) { // which saturates in any case
    if (rounding < 0)
      return refuse();
    r = d.slot(to.bits > 32, FT_None);
    Inst &c = d.emit(Op::FPTOI, r, v);
    c.sub = from.floatType | to.isSigned << 4 | (to.bits > 32) << 5;
    c.imm = rounding | int(to.bits) << 8;
  } else if (tf) {
    if (from.isSigned)
      v = d.signExtended(v, leaf(from));
    r = d.slot(to.bits > 32, to.floatType);
    Inst &cast = d.emit(Op::ITOFP, r, v);
    cast.sub = to.floatType | from.isSigned << 4 | (from.bits > 32) << 5;
    cast.imm = nearest ? 0 : rounding;
    r = bounded(r);
  } else {
    r = saturate ? nearestIn(to, from, v) : v;
    if (from.isSigned)
      r = d.signExtended(r, leaf(from));
    if (from.bits <= 32 && to.bits > 32)
      r = d.emitTo(leaf(to), from.isSigned ? Op::SEXT_IL : Op::ZEXT_IL, r);
    else if (from.bits > 32 && to.bits <= 32)
      r = d.emitTo(Leaf{nullptr, 0, 32, FT_None}, Op::TRUNC_LI, r);
    r = d.masked(r, leaf(to));
  }
  if (flush && to.floatType == FT_S)
    r = unary(Op::MATH1_S, to, r, uint8_t(MathFn::FlushDenormal));
  // A wider register is filled by the sign, or with zeros.
  const unsigned width = registers.lookup(args[0]).type.bits;
  if (!tf && width > to.bits) {
    const PtxType whole = PtxType::ofBits(width);
    if (to.isSigned)
      r = d.signExtended(r, leaf(to));
    if (width > 32 && to.bits <= 32)
      r = d.emitTo(leaf(whole), to.isSigned ? Op::SEXT_IL : Op::ZEXT_IL, r);
    to = whole;
    r = d.masked(r, leaf(whole));
  }
  write(args[0], to, r);
  return true;
}

/// Emits the predicate a CMP b.
bool AsmDecoder::predicate(StringRef comparison, const PtxType &t, int32_t a,
                           int32_t b, int32_t &p) {
  p = d.slot(false, FT_None);
  if (t.floatType != FT_None) {
    int pred = StringSwitch<int>(comparison)
                   .Case("eq", 1)
                   .Case("gt", 2)
                   .Case("ge", 3)
                   .Case("lt", 4)
                   .Case("le", 5)
                   .Case("ne", 6)
                   .Case("num", 7)
                   .Case("nan", 8)
                   .Case("equ", 9)
                   .Case("gtu", 10)
                   .Case("geu", 11)
                   .Case("ltu", 12)
                   .Case("leu", 13)
                   .Case("neu", 14)
                   .Default(-1);
    if (pred < 0)
      return refuse();
    d.emit(forFloat(Op::FCMP_S, t.floatType), p, a, b).sub = pred;
    return true;
  }
  int o = StringSwitch<int>(comparison)
              .Case("eq", int(Op::ICMP_EQ_I))
              .Case("ne", int(Op::ICMP_NE_I))
              .Case("lo", t.isSigned ? -1 : int(Op::ICMP_ULT_I))
              .Case("ls", t.isSigned ? -1 : int(Op::ICMP_ULE_I))
              .Case("hi", t.isSigned ? -1 : int(Op::ICMP_UGT_I))
              .Case("hs", t.isSigned ? -1 : int(Op::ICMP_UGE_I))
              .Case("gt", int(t.isSigned ? Op::ICMP_SGT_I : Op::ICMP_UGT_I))
              .Case("ge", int(t.isSigned ? Op::ICMP_SGE_I : Op::ICMP_UGE_I))
              .Case("lt", int(t.isSigned ? Op::ICMP_SLT_I : Op::ICMP_ULT_I))
              .Case("le", int(t.isSigned ? Op::ICMP_SLE_I : Op::ICMP_ULE_I))
              .Default(-1);
  if (o < 0)
    return refuse();
  if (t.isSigned) {
    a = d.signExtended(a, leaf(t));
    b = d.signExtended(b, leaf(t));
  }
  d.emit(forWidth(Op(o), t.bits > 32), p, a, b);
  return true;
}

/// setp.cmp.type p[|q], a, b, where q is the opposite of p /
/// set.cmp.dtype.stype d, a, b; of pairs the latter only, with one or with all
/// bits in each half.
bool AsmDecoder::compare(const device::Words &op, ArrayRef<StringRef> args) {
  PtxType t, result;
  const bool isSet = op.family == "set", flush = op.has("flush");
  // setp.cmp.{and,or,xor}.type p, a, b, [!]c
  const bool joins = op.has("joins");
  if (!parsePtxType(op.types.back(), t) || args.size() != (joins ? 4u : 3u) ||
      (t.pair && !isSet) || (flush && t.floatType != FT_S) ||
      (isSet && !parsePtxType(op.types[0], result)))
    return refuse();
  static const uint64_t one[] = {0x3c00, 0x3f80, 0x3f800000,
                                 0x3ff0000000000000};
  if (t.pair) {
    if (!result.pair && (result.floatType != FT_None || result.bits != 32))
      return refuse();
    int32_t a[2], b[2], out[2];
    if (!pairOf(args[1], t, a) || !pairOf(args[2], t, b))
      return false;
    for (int i : {0, 1}) {
      int32_t p;
      if (!predicate(op["comparison"], t, a[i], b[i], p))
        return false;
      out[i] = d.slot(false, FT_None);
      d.emit(Op::SELECT_I, out[i], p,
             d.constant(result.pair ? one[result.floatType] : 0xffff, false),
             d.constant(0, false));
    }
    PtxType b32;
    b32.bits = 32;
    write(args[0], b32, d.emitTo(leaf(b32), Op::PACK16_I, out[0], out[1]));
    return true;
  }
  int32_t a, b, p;
  if (!read(args[1], t, a) || !read(args[2], t, b))
    return false;
  if (flush) {
    a = unary(Op::MATH1_S, t, a, uint8_t(MathFn::FlushDenormal));
    b = unary(Op::MATH1_S, t, b, uint8_t(MathFn::FlushDenormal));
  }
  if (!predicate(op["comparison"], t, a, b, p))
    return false;
  if (!isSet) {
    PtxType pred;
    pred.bits = 1;
    pred.predicate = true;
    auto [yes, no] = args[0].split('|');
    auto opposite = [&](int32_t v) {
      return d.emitTo(leaf(pred), Op::XOR_I, v, d.constant(1, false));
    };
    int32_t other = no.empty() ? noOperand : opposite(p);
    if (joins) {
      StringRef name = args[3];
      const bool isOpposite = name.consume_front("!");
      int32_t c;
      if (!read(name.trim(), pred, c))
        return false;
      if (isOpposite)
        c = opposite(c);
      const Op how = op["joins"] == "and"  ? Op::AND_I
                     : op["joins"] == "or" ? Op::OR_I
                                           : Op::XOR_I;
      p = d.emitTo(leaf(pred), how, p, c);
      if (!no.empty())
        other = d.emitTo(leaf(pred), how, other, c);
    }
    write(yes.trim(), pred, p);
    if (!no.empty())
      write(no.trim(), pred, other);
    return true;
  }
  const bool w = result.bits > 32;
  int32_t yes = result.floatType != FT_None
                    ? d.constant(one[result.floatType], w, result.floatType)
                    : d.constant((1ull << result.bits) - 1, w);
  write(args[0], result,
        d.emitTo(leaf(result), forWidth(Op::SELECT_I, w), p, yes,
                 d.constant(0, w, result.floatType)));
  return true;
}

} // namespace evo::sim
