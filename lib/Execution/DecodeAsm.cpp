//===- DecodeAsm.cpp - Inline PTX -------------------------------*- C++ -*-===//
//
// CUDA's half headers, cache-hinted loads and much hand-written code reach LLVM
// as inline PTX, so the statements that occur there are decoded like any other
// code. PTX registers are untyped bits: each name holds a slot, and an
// instruction that reads it as another type goes through a move, along which
// ghosts travel. Only straight-line text is taken; labels, branches, guards and
// every instruction not listed are refused with the statement's text.
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"
#include "Math.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/InlineAsm.h"

using namespace llvm;

namespace evo::exec {
namespace {

struct PtxType {
  unsigned bits = 0;
  FloatType floatType = FT_None;
  bool isSigned = false, pair = false, predicate = false;
};

bool parseType(StringRef s, PtxType &t) {
  t = PtxType();
  if (s == "pred")
    return t.bits = 1, t.predicate = true, true;
  if (s.consume_back("x2"))
    t.pair = true;
  if (s == "f16")
    t.floatType = FT_H;
  else if (s == "bf16")
    t.floatType = FT_B;
  else if (s == "f32")
    t.floatType = FT_S;
  else if (s == "f64")
    t.floatType = FT_D;
  if (t.floatType != FT_None) {
    t.bits = t.floatType == FT_S ? 32 : t.floatType == FT_D ? 64 : 16;
    return true;
  }
  if (s.size() < 2 || (s[0] != 'b' && s[0] != 'u' && s[0] != 's'))
    return false;
  t.isSigned = s[0] == 's';
  return !s.drop_front().getAsInteger(10, t.bits) &&
         (t.bits == 8 || t.bits == 16 || t.bits == 32 || t.bits == 64);
}

} // namespace

class AsmDecoder {
public:
  AsmDecoder(Decoder &d) : d(d) {}
  bool run(const CallBase &inst, const InlineAsm &assembly);

private:
  Decoder &d;
  struct Register {
    int32_t slot;
    PtxType type;
  };
  StringMap<Register> registers;
  StringMap<PtxType> declared;
  std::string statement;

  bool refuse() {
    d.fail("inline asm '" + Twine(statement) + "'");
    return false;
  }
  Leaf leaf(const PtxType &t) const {
    return Leaf{nullptr, 0, t.bits, t.floatType};
  }
  /// Reads an operand as a type: a name, an immediate, a special register.
  bool read(StringRef name, const PtxType &t, int32_t &out);
  void write(StringRef name, const PtxType &t, int32_t slot) {
    registers[name] = {slot, t};
  }
  bool pairOf(StringRef name, const PtxType &t, int32_t out[2]);
  bool execute();
  bool arithmetic(ArrayRef<StringRef> op, ArrayRef<StringRef> args);
  bool convert(ArrayRef<StringRef> op, ArrayRef<StringRef> args);
  bool compare(ArrayRef<StringRef> op, ArrayRef<StringRef> args);
  bool access(ArrayRef<StringRef> op, ArrayRef<StringRef> args);
  bool move(const PtxType &t, ArrayRef<StringRef> args);
  int32_t unary(Op s, const PtxType &t, int32_t a, uint8_t sub = 0);
};

static Op floatOp(Op s, FloatType ft) {
  static const unsigned index[] = {2, 3, 0, 1};
  return static_cast<Op>(static_cast<unsigned>(s) + index[ft]);
}
static Op widthOp(Op narrow, bool wide) {
  return static_cast<Op>(static_cast<unsigned>(narrow) + (wide ? 1 : 0));
}

bool AsmDecoder::read(StringRef name, const PtxType &t, int32_t &out) {
  auto it = registers.find(name);
  if (it == registers.end()) {
    uint64_t v = 0;
    if (name == "WARP_SZ") {
      v = 32;
    } else if (name.starts_with("%")) {
      auto s = StringSwitch<int>(name)
                   .Case("%laneid", int(Sreg::LaneId))
                   .Case("%warpid", int(Sreg::WarpId))
                   .Case("%lanemask_lt", int(Sreg::LaneMaskLt))
                   .Case("%lanemask_le", int(Sreg::LaneMaskLe))
                   .Case("%lanemask_gt", int(Sreg::LaneMaskGt))
                   .Case("%lanemask_ge", int(Sreg::LaneMaskGe))
                   .Case("%lanemask_eq", int(Sreg::LaneMaskEq))
                   .Case("%clock", int(Sreg::Clock))
                   .Case("%tid.x", int(Sreg::TidX))
                   .Case("%tid.y", int(Sreg::TidY))
                   .Case("%tid.z", int(Sreg::TidZ))
                   .Case("%ctaid.x", int(Sreg::CtaidX))
                   .Case("%ctaid.y", int(Sreg::CtaidY))
                   .Case("%ctaid.z", int(Sreg::CtaidZ))
                   .Case("%ntid.x", int(Sreg::NtidX))
                   .Case("%nctaid.x", int(Sreg::NctaidX))
                   .Default(-1);
      if (s < 0 || t.bits != 32)
        return refuse();
      out = d.slot(false, FT_None);
      d.emit(Op::SREG, out).sub = s;
      return true;
    } else if (name.starts_with_insensitive("0f")) {
      if (name.drop_front(2).getAsInteger(16, v))
        return refuse();
    } else {
      StringRef digits = name;
      bool negative = digits.consume_front("-");
      (void)(digits.consume_back("U") || digits.consume_back("u"));
      std::string lower = digits.lower();
      if (StringRef(lower).getAsInteger(0, v))
        return refuse();
      if (negative)
        v = 0 - v;
    }
    if (t.bits < 64)
      v &= (1ull << t.bits) - 1;
    out = d.constant(v, t.bits > 32, t.floatType);
    return true;
  }
  const Register &r = it->second;
  if (r.slot == kNone || r.type.bits != t.bits)
    return refuse();
  out = r.slot;
  if (r.type.floatType != t.floatType)
    out = d.emitTo(leaf(t), widthOp(Op::MOV_I, t.bits > 32), r.slot);
  return true;
}

/// The halves of a packed operand.
bool AsmDecoder::pairOf(StringRef name, const PtxType &t, int32_t out[2]) {
  PtxType b32;
  b32.bits = 32;
  int32_t v;
  if (!read(name, b32, v))
    return false;
  for (int i : {0, 1}) {
    int32_t h = d.slot(false, FT_None);
    d.emit(Op::UNPACK16_I, h, v).imm = 16 * i;
    out[i] = d.slot(false, t.floatType);
    d.emit(Op::MOV_I, out[i], h);
  }
  return true;
}

int32_t AsmDecoder::unary(Op s, const PtxType &t, int32_t a, uint8_t sub) {
  int32_t r = d.slot(t.bits > 32, t.floatType);
  d.emit(floatOp(s, t.floatType), r, a).sub = sub;
  return r;
}

bool AsmDecoder::arithmetic(ArrayRef<StringRef> op, ArrayRef<StringRef> args) {
  PtxType t;
  if (!parseType(op.back(), t) || args.size() < 2)
    return refuse();
  bool flush = false, saturate = false, relu = false, nan = false, lo = false,
       hi = false, wide = false;
  for (StringRef m : op.slice(1, op.size() - 2)) {
    flush |= m == "ftz";
    saturate |= m == "sat";
    relu |= m == "relu";
    nan |= m == "NaN";
    lo |= m == "lo";
    hi |= m == "hi";
    wide |= m == "wide";
    if (m == "rz" || m == "rm" || m == "rp" || wide)
      return refuse();
  }
  StringRef name = op[0];
  const bool isFloat = t.floatType != FT_None;
  const unsigned n = args.size() - 1;
  auto compute = [&](int32_t *v, int32_t &r) {
    const bool w = t.bits > 32;
    if (isFloat) {
      flush &= t.floatType == FT_S;
      if (flush)
        for (unsigned i = 0; i < n; ++i)
          v[i] = unary(Op::MATH1_S, t, v[i], uint8_t(MathFn::FlushDenormal));
      auto simple = StringSwitch<int>(name)
                        .Case("add", int(Op::FADD_S))
                        .Case("sub", int(Op::FSUB_S))
                        .Case("mul", int(Op::FMUL_S))
                        .Case("div", int(Op::FDIV_S))
                        .Default(-1);
      auto fn = StringSwitch<int>(name)
                    .Case("ex2", int(MathFn::Exp2))
                    .Case("lg2", int(MathFn::Log2))
                    .Case("rcp", int(MathFn::Rcp))
                    .Case("sqrt", int(MathFn::Sqrt))
                    .Case("rsqrt", int(MathFn::Rsqrt))
                    .Case("sin", int(MathFn::Sin))
                    .Case("cos", int(MathFn::Cos))
                    .Case("tanh", int(MathFn::Tanh))
                    .Default(-1);
      if (simple >= 0 && n == 2)
        r = d.emitTo(leaf(t), floatOp(Op(simple), t.floatType), v[0], v[1]);
      else if ((name == "fma" || name == "mad") && n == 3)
        r = d.emitTo(leaf(t), floatOp(Op::FMA_S, t.floatType), v[0], v[1],
                     v[2]);
      else if ((name == "min" || name == "max") && n == 2) {
        r = d.emitTo(leaf(t), floatOp(Op::FMINMAX_S, t.floatType), v[0], v[1]);
        d.k.code.back().sub = (nan ? 2 : 0) + (name == "max");
      } else if (name == "neg" && n == 1)
        r = unary(Op::FNEG_S, t, v[0]);
      else if (name == "abs" && n == 1)
        r = unary(Op::FABS_S, t, v[0]);
      else if (fn >= 0 && n == 1)
        r = unary(Op::MATH1_S, t, v[0], fn);
      else
        return refuse();
      if (relu) {
        int32_t m = d.emitTo(leaf(t), floatOp(Op::FMINMAX_S, t.floatType), r,
                             d.constant(0, w, t.floatType));
        d.k.code.back().sub = uint8_t(MinMax::MaxNum);
        r = m;
      }
      if (saturate)
        r = unary(Op::MATH1_S, t, r, uint8_t(MathFn::Saturate));
      if (flush)
        r = unary(Op::MATH1_S, t, r, uint8_t(MathFn::FlushDenormal));
      return true;
    }
    if (saturate || t.predicate)
      return refuse();
    Leaf l = leaf(t);
    auto two = [&](Op o, int32_t a, int32_t b) {
      return d.masked(d.emitTo(l, widthOp(o, w), a, b), l);
    };
    auto sx = [&](int32_t a) { return t.isSigned ? d.signExtended(a, l) : a; };
    auto simple =
        StringSwitch<int>(name)
            .Case("add", int(Op::ADD_I))
            .Case("sub", int(Op::SUB_I))
            .Case("and", int(Op::AND_I))
            .Case("or", int(Op::OR_I))
            .Case("xor", int(Op::XOR_I))
            .Case("min", t.isSigned ? int(Op::SMIN_I) : int(Op::UMIN_I))
            .Case("max", t.isSigned ? int(Op::SMAX_I) : int(Op::UMAX_I))
            .Default(-1);
    if (simple >= 0 && n == 2)
      r = two(Op(simple), sx(v[0]), sx(v[1]));
    else if (name == "mul" && n == 2 && lo)
      r = two(Op::MUL_I, v[0], v[1]);
    else if (name == "mul" && n == 2 && hi && t.bits >= 32)
      r = two(t.isSigned ? Op::MULHIS_I : Op::MULHIU_I, v[0], v[1]);
    else if (name == "mad" && n == 3 && lo)
      r = two(Op::ADD_I, two(Op::MUL_I, v[0], v[1]), v[2]);
    else if (name == "not" && n == 1)
      r = two(Op::XOR_I, v[0],
              d.constant(t.bits == 64 ? ~0ull : (1ull << t.bits) - 1, w));
    else if (name == "neg" && n == 1)
      r = two(Op::SUB_I, d.constant(0, w), v[0]);
    else if (name == "popc" && n == 1 && t.bits == 32)
      r = d.emitTo(l, Op::CTPOP_I, v[0]);
    else if (name == "clz" && n == 1 && t.bits == 32)
      r = d.emitTo(l, Op::CTLZ_I, v[0]);
    else if (name == "brev" && n == 1 && t.bits == 32)
      r = d.emitTo(l, Op::BITREV_I, v[0]);
    else
      return refuse();
    return true;
  };
  if (n > 3)
    return refuse();
  int32_t r = kNone;
  if (!t.pair) {
    int32_t v[3];
    for (unsigned i = 0; i < n; ++i)
      if (!read(args[i + 1], t, v[i]))
        return false;
    if (!compute(v, r))
      return false;
    write(args[0], t, r);
    return true;
  }
  int32_t halves[3][2], out[2];
  for (unsigned i = 0; i < n; ++i)
    if (!pairOf(args[i + 1], t, halves[i]))
      return false;
  for (int h : {0, 1}) {
    int32_t v[3] = {halves[0][h], n > 1 ? halves[1][h] : kNone,
                    n > 2 ? halves[2][h] : kNone};
    if (!compute(v, r))
      return false;
    out[h] = d.slot(false, FT_None);
    d.emit(Op::MOV_I, out[h], r);
  }
  PtxType b32;
  b32.bits = 32;
  write(args[0], b32, d.emitTo(leaf(b32), Op::PACK16_I, out[0], out[1]));
  return true;
}

bool AsmDecoder::convert(ArrayRef<StringRef> op, ArrayRef<StringRef> args) {
  PtxType to, from;
  if (op.size() < 3 || !parseType(op[op.size() - 2], to) ||
      !parseType(op.back(), from) || from.pair)
    return refuse();
  int rounding = -1;
  bool flush = false, saturate = false, relu = false;
  for (StringRef m : op.slice(1, op.size() - 3)) {
    int r = StringSwitch<int>(m)
                .Cases({"rn", "rni"}, int(Rounding::Nearest))
                .Cases({"rz", "rzi"}, int(Rounding::Zero))
                .Cases({"rm", "rmi"}, int(Rounding::Down))
                .Cases({"rp", "rpi"}, int(Rounding::Up))
                .Default(-1);
    if (r >= 0)
      rounding = r;
    else if (m == "ftz")
      flush = true;
    else if (m == "sat")
      saturate = true;
    else if (m == "relu")
      relu = true;
    else
      return refuse();
  }
  if (saturate || relu)
    return refuse();
  const bool ff = from.floatType != FT_None, tf = to.floatType != FT_None;
  const bool nearest = rounding < 0 || rounding == int(Rounding::Nearest);
  if (to.pair) { // cvt.rn.f16x2.f32 d, high, low
    if (args.size() != 3 || from.floatType != FT_S || !nearest)
      return refuse();
    int32_t half[2];
    for (int i : {0, 1}) {
      int32_t v;
      if (!read(args[2 - i], from, v))
        return false;
      int32_t h = d.slot(false, to.floatType);
      d.emit(Op::FPCVT, h, v).sub = FT_S | to.floatType << 4;
      half[i] = d.slot(false, FT_None);
      d.emit(Op::MOV_I, half[i], h);
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
      if (!nearest && to.bits < from.bits)
        return refuse();
      r = d.slot(to.bits > 32, to.floatType);
      d.emit(Op::FPCVT, r, v).sub = from.floatType | to.floatType << 4;
    }
  } else if (ff) {
    if (rounding < 0)
      return refuse();
    r = d.slot(to.bits > 32, FT_None);
    Inst &c = d.emit(Op::FPTOI, r, v);
    c.sub = from.floatType | to.isSigned << 4 | (to.bits > 32) << 5;
    c.imm = rounding | int(to.bits) << 8;
  } else if (tf) {
    if (!nearest)
      return refuse();
    if (from.isSigned)
      v = d.signExtended(v, leaf(from));
    r = d.slot(to.bits > 32, to.floatType);
    d.emit(Op::ITOFP, r, v).sub =
        to.floatType | from.isSigned << 4 | (from.bits > 32) << 5;
  } else {
    r = v;
    if (from.isSigned)
      r = d.signExtended(r, leaf(from));
    if (from.bits <= 32 && to.bits > 32)
      r = d.emitTo(leaf(to), from.isSigned ? Op::SEXT_IL : Op::ZEXT_IL, r);
    else if (from.bits > 32 && to.bits <= 32)
      r = d.emitTo(Leaf{nullptr, 0, 32, FT_None}, Op::TRUNC_LI, r);
    r = d.masked(r, leaf(to));
  }
  write(args[0], to, r);
  return true;
}

/// setp.cmp.type p, a, b / set.cmp.dtype.stype d, a, b
bool AsmDecoder::compare(ArrayRef<StringRef> op, ArrayRef<StringRef> args) {
  PtxType t, result;
  if (!parseType(op.back(), t) || t.pair || args.size() != 3)
    return refuse();
  const bool isSet = op[0] == "set";
  if (isSet && (op.size() < 4 || !parseType(op[op.size() - 2], result)))
    return refuse();
  bool flush = false;
  for (StringRef m : op.slice(2, op.size() - (isSet ? 4 : 3)))
    if (m == "ftz")
      flush = t.floatType == FT_S;
    else
      return refuse();
  int32_t a, b, p = d.slot(false, FT_None);
  if (!read(args[1], t, a) || !read(args[2], t, b))
    return false;
  if (flush) {
    a = unary(Op::MATH1_S, t, a, uint8_t(MathFn::FlushDenormal));
    b = unary(Op::MATH1_S, t, b, uint8_t(MathFn::FlushDenormal));
  }
  if (t.floatType != FT_None) {
    int pred = StringSwitch<int>(op[1])
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
    d.emit(floatOp(Op::FCMP_S, t.floatType), p, a, b).sub = pred;
  } else {
    int o = StringSwitch<int>(op[1])
                .Case("eq", int(Op::ICMP_EQ_I))
                .Case("ne", int(Op::ICMP_NE_I))
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
    d.emit(widthOp(Op(o), t.bits > 32), p, a, b);
  }
  if (!isSet) {
    PtxType pred;
    pred.bits = 1;
    pred.predicate = true;
    write(args[0], pred, p);
    return true;
  }
  static const uint64_t one[] = {0x3c00, 0x3f80, 0x3f800000,
                                 0x3ff0000000000000};
  const bool w = result.bits > 32;
  int32_t yes = result.floatType != FT_None
                    ? d.constant(one[result.floatType], w, result.floatType)
                    : d.constant((1ull << result.bits) - 1, w);
  write(args[0], result,
        d.emitTo(leaf(result), widthOp(Op::SELECT_I, w), p, yes,
                 d.constant(0, w, result.floatType)));
  return true;
}

static SmallVector<StringRef, 4> listed(StringRef s) {
  SmallVector<StringRef, 4> parts;
  s.consume_front("{");
  s.consume_back("}");
  s.split(parts, ',');
  for (StringRef &p : parts)
    p = p.trim();
  return parts;
}

/// ld and st with any cache or ordering words, scalar or vector.
bool AsmDecoder::access(ArrayRef<StringRef> op, ArrayRef<StringRef> args) {
  PtxType t;
  if (!parseType(op.back(), t) || t.pair || args.size() != 2)
    return refuse();
  const bool isLoad = op[0] == "ld";
  unsigned n = 1;
  for (StringRef m : op.slice(1, op.size() - 2)) {
    if (m == "v2")
      n = 2;
    else if (m == "v4")
      n = 4;
    else if (!StringSwitch<bool>(m)
                  .Cases({"global", "ca", "cg", "cs", "cv", "lu", "wb"}, true)
                  .Cases({"wt", "nc", "volatile", "relaxed", "weak"}, true)
                  .Cases({"gpu", "cta", "sys", "acquire", "release"}, true)
                  .Cases({"L1::no_allocate", "L2::128B", "L2::256B"}, true)
                  .Cases({"L1::evict_last", "L2::64B"}, true)
                  .Default(false))
      return refuse();
  }
  StringRef where = args[isLoad ? 1 : 0], what = args[isLoad ? 0 : 1];
  if (!where.consume_front("[") || !where.consume_back("]"))
    return refuse();
  int64_t disp = 0;
  auto [base, plus] = where.split('+');
  if (!plus.empty() && plus.trim().getAsInteger(0, disp))
    return refuse();
  PtxType address;
  address.bits = 64;
  int32_t a;
  if (!read(base.trim(), address, a))
    return false;
  SmallVector<StringRef, 4> names = listed(what);
  if (names.size() != n)
    return refuse();
  std::vector<int32_t> slots;
  for (StringRef name : names) {
    int32_t s = d.slot(t.bits > 32, t.floatType);
    if (!isLoad && !read(name, t, s))
      return false;
    slots.push_back(s);
  }
  unsigned log = t.bits == 8 ? 0 : t.bits == 16 ? 1 : t.bits == 32 ? 2 : 3;
  Inst &i =
      d.emit(isLoad ? Op::LOAD : Op::STORE, isLoad && n == 1 ? slots[0] : kNone,
             a, !isLoad && n == 1 ? slots[0] : kNone);
  i.sub = log | (log + (n == 2 ? 1 : n == 4 ? 2 : 0)) << 4;
  i.imm = static_cast<int32_t>(disp);
  if (n > 1) {
    i.flags = kFlagList;
    i.aux = d.k.lists.size();
    d.k.lists.push_back(slots);
  }
  if (!isLoad)
    return true;
  for (unsigned e = 0; e < n; ++e) {
    int32_t s = slots[e];
    PtxType have = t;
    // An 8-bit load writes a wider register, extended.
    auto it = declared.find(names[e]);
    if (it != declared.end() && t.floatType == FT_None &&
        it->second.bits > t.bits && it->second.bits <= 32) {
      if (t.isSigned)
        s = d.masked(d.signExtended(s, leaf(t)), leaf(it->second));
      have = it->second;
      have.floatType = FT_None;
    }
    write(names[e], have, s);
  }
  return true;
}

bool AsmDecoder::move(const PtxType &t, ArrayRef<StringRef> args) {
  if (args.size() != 2)
    return refuse();
  PtxType half;
  half.bits = t.bits / 2;
  const bool wide = t.bits == 64;
  if (args[1].starts_with("{")) { // join
    auto names = listed(args[1]);
    int32_t lo, hi;
    if (names.size() != 2 || t.bits < 32 || !read(names[0], half, lo) ||
        !read(names[1], half, hi))
      return refuse();
    PtxType bits;
    bits.bits = t.bits;
    write(args[0], bits,
          d.emitTo(leaf(bits), wide ? Op::PACK32_L : Op::PACK16_I, lo, hi));
    return true;
  }
  int32_t v;
  if (!read(args[1], t, v))
    return false;
  if (!args[0].starts_with("{")) {
    write(args[0], t, v);
    return true;
  }
  auto names = listed(args[0]);
  if (names.size() != 2 || t.bits < 32)
    return refuse();
  for (int i : {0, 1}) {
    int32_t h = d.slot(false, FT_None);
    d.emit(wide ? Op::UNPACK32_L : Op::UNPACK16_I, h, v).imm =
        i * int(half.bits);
    write(names[i], half, h);
  }
  return true;
}

bool AsmDecoder::execute() {
  StringRef s = statement;
  if (s.starts_with("@") || (s.contains(':') && !s.contains("::")))
    return refuse();
  size_t space = s.find_first_of(" \t\n");
  StringRef word = s.substr(0, space);
  StringRef rest = space == StringRef::npos ? "" : s.substr(space).trim();
  SmallVector<StringRef, 8> op, args;
  word.split(op, '.');
  // Split the operands at commas outside of braces and brackets.
  for (size_t i = 0, start = 0, depth = 0; i <= rest.size(); ++i) {
    if (i < rest.size() && (rest[i] == '{' || rest[i] == '['))
      ++depth;
    if (i < rest.size() && (rest[i] == '}' || rest[i] == ']'))
      --depth;
    if (i == rest.size() || (rest[i] == ',' && !depth)) {
      StringRef a = rest.slice(start, i).trim();
      if (!a.empty())
        args.push_back(a);
      start = i + 1;
    }
  }
  if (word.starts_with(".reg")) {
    // ".reg.b32 a, b" or ".reg .b32 a, b"
    StringRef type = op.size() > 2 ? op[2] : "";
    if (type.empty() && !args.empty()) {
      auto [first, name] = args[0].split(' ');
      type = first.trim().drop_front(first.starts_with(".") ? 1 : 0);
      args[0] = name.trim();
    }
    PtxType t;
    if (!parseType(type, t))
      return refuse();
    for (StringRef a : args) {
      registers[a] = {kNone, t};
      declared[a] = t;
    }
    return true;
  }
  PtxType t;
  if (op[0] == "mov" && op.size() == 2 && parseType(op[1], t))
    return move(t, args);
  if (op[0] == "cvt")
    return convert(op, args);
  if (op[0] == "setp" || op[0] == "set")
    return compare(op, args);
  if (op[0] == "ld" || op[0] == "st")
    return access(op, args);
  if (op[0] == "selp" && op.size() == 2 && parseType(op[1], t) &&
      args.size() == 4) {
    PtxType pred;
    pred.bits = 1;
    int32_t a, b, p;
    if (!read(args[1], t, a) || !read(args[2], t, b) || !read(args[3], pred, p))
      return false;
    write(args[0], t,
          d.emitTo(leaf(t), widthOp(Op::SELECT_I, t.bits > 32), p, a, b));
    return true;
  }
  if ((op[0] == "shl" || op[0] == "shr") && op.size() == 2 &&
      parseType(op[1], t) && args.size() == 3 && t.bits >= 32) {
    PtxType amount;
    amount.bits = 32;
    int32_t a, n;
    if (!read(args[1], t, a) || !read(args[2], amount, n))
      return false;
    const bool w = t.bits > 32;
    if (w)
      n = d.emitTo(leaf(t), Op::ZEXT_IL, n);
    Op o = op[0] == "shl" ? Op::SHL_I : t.isSigned ? Op::ASHR_I : Op::LSHR_I;
    write(args[0], t, d.emitTo(leaf(t), widthOp(o, w), a, n));
    return true;
  }
  if (op[0] == "shfl" && op.size() == 4 && op[1] == "sync" && op[3] == "b32" &&
      args.size() == 5) {
    auto mode = StringSwitch<int>(op[2])
                    .Case("up", int(ShflMode::Up))
                    .Case("down", int(ShflMode::Down))
                    .Case("bfly", int(ShflMode::Bfly))
                    .Case("idx", int(ShflMode::Idx))
                    .Default(-1);
    PtxType b32;
    b32.bits = 32;
    int32_t v, lane, clamp, mask;
    if (mode < 0 || args[0].contains('|'))
      return refuse();
    if (!read(args[1], b32, v) || !read(args[2], b32, lane) ||
        !read(args[3], b32, clamp) || !read(args[4], b32, mask))
      return false;
    int32_t r = d.slot(false, FT_None);
    Inst &i = d.emit(Op::SHFL, r, v, lane, mask);
    i.sub = mode;
    i.e = clamp;
    write(args[0], b32, r);
    return true;
  }
  if (word == "bar.sync" && args.size() == 1 &&
      !args[0].getAsInteger(10, t.bits)) {
    d.emit(Op::BAR).imm = t.bits;
    return true;
  }
  if (op[0] == "membar" || op[0] == "fence") {
    d.emit(Op::FENCE);
    return true;
  }
  if (op[0] == "trap") {
    d.trap("trap executed");
    return true;
  }
  if (op.size() >= 2)
    return arithmetic(op, args);
  return refuse();
}

bool AsmDecoder::run(const CallBase &inst, const InlineAsm &assembly) {
  statement = assembly.getAsmString();
  // Operands: outputs, then inputs, numbered in order of the constraints.
  SmallVector<PtxType, 4> outputs;
  unsigned number = 0, argument = 0;
  for (const InlineAsm::ConstraintInfo &c : assembly.ParseConstraints()) {
    if (c.Type == InlineAsm::isClobber)
      continue;
    if (c.isIndirect || c.Codes.size() != 1)
      return refuse();
    StringRef code = c.Codes[0];
    PtxType t;
    std::string name = "$" + std::to_string(number++);
    unsigned tied;
    bool isTied = !code.getAsInteger(10, tied);
    if (isTied) {
      if (c.Type != InlineAsm::isInput || tied >= outputs.size())
        return refuse();
      t = outputs[tied];
    } else {
      t.bits = code == "h"                  ? 16
               : code == "r" || code == "f" ? 32
               : code == "l" || code == "d" ? 64
               : code == "b"                ? 1
                                            : 0;
      t.floatType = code == "f" ? FT_S : code == "d" ? FT_D : FT_None;
      if (!t.bits && c.Type == InlineAsm::isInput &&
          (code == "n" || code == "i")) {
        Leaf l = d.leafOf(inst.getArgOperand(argument)->getType());
        t.bits = l.bits;
      }
      if (!t.bits)
        return refuse();
    }
    declared[name] = t;
    if (c.Type == InlineAsm::isOutput) {
      outputs.push_back(t);
      registers[name] = {kNone, t};
      continue;
    }
    const Value *v = inst.getArgOperand(argument++);
    Leaf l = d.leafOf(v->getType());
    if (l.bits != t.bits)
      return refuse();
    int32_t s = d.scalar(v);
    if (!d.error.empty())
      return false;
    PtxType have = t;
    have.floatType = l.floatType;
    registers[name] = {s, have};
    if (isTied)
      registers["$" + std::to_string(tied)] = {s, have};
  }
  // "${0}" and "$0" name the same operand; "$$" is a dollar sign.
  std::string text;
  StringRef source = assembly.getAsmString();
  for (size_t i = 0; i < source.size(); ++i) {
    if (source[i] == '$' && i + 1 < source.size() && source[i + 1] == '{') {
      size_t end = source.find('}', i);
      text += "$" + source.slice(i + 2, end).split(':').first.str();
      i = end;
    } else if (source[i] == '$' && i + 1 < source.size() &&
               source[i + 1] == '$') {
      text += '_';
      ++i;
    } else {
      text += source[i];
    }
  }
  // Statements end at semicolons. Braces that open a scope, at the start of a
  // statement, are dropped: names inside may hide outer ones, never escape.
  StringRef rest = text;
  while (true) {
    rest = rest.ltrim(" \t\n\r;");
    if (rest.consume_front("{") || rest.consume_front("}"))
      continue;
    if (rest.starts_with("//")) {
      rest = rest.drop_until([](char c) { return c == '\n'; });
      continue;
    }
    if (rest.empty())
      break;
    size_t end = rest.find(';');
    statement = rest.substr(0, end).trim().str();
    rest = end == StringRef::npos ? "" : rest.substr(end + 1);
    if (StringRef(statement).trim("}{ \n\t").empty())
      continue;
    if (!execute())
      return d.error.empty() ? refuse() : false;
  }
  Slots out;
  for (unsigned i = 0; i < outputs.size(); ++i) {
    // As the IR types the result.
    Type *type = inst.getType()->isStructTy()
                     ? inst.getType()->getStructElementType(i)
                     : inst.getType();
    Leaf l = d.leafOf(type);
    PtxType want;
    want.bits = l.bits;
    want.floatType = l.floatType;
    int32_t s;
    statement = "result of " + assembly.getAsmString().str();
    if (!read("$" + std::to_string(i), want, s))
      return false;
    out.push_back(s);
  }
  if (!inst.getType()->isVoidTy())
    d.values[&inst] = out;
  return true;
}

void Decoder::inlineAsm(const CallBase &inst, const InlineAsm &assembly) {
  AsmDecoder(*this).run(inst, assembly);
}

} // namespace evo::exec
