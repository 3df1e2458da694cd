// Calls that compute with integers. Counting, funnel shifts, saturation,
// reductions over vectors.
#include "CallDecoder.h"

using namespace llvm;

namespace evo::sim {

/// The place of the offset-th bit of `mask` from `base` on, the base's own
/// being the first; downwards for offsets below 0, the base's own bit for 0,
/// and all ones where there is none. Downwards is upwards in the reversed word.
int32_t CallDecoder::nthBit(int32_t mask, int32_t base, int32_t offset) {
  auto number = [&](uint32_t v) { return dec.constant(v, false); };
  auto two = [&](Op op, int32_t a, int32_t b) {
    return dec.emitTo(i32, op, a, b);
  };
  auto choose = [&](int32_t which, int32_t a, int32_t b) {
    return dec.emitTo(i32, Op::SELECT_I, which, a, b);
  };
  base = two(Op::AND_I, base, number(31));
  const int32_t isZero = two(Op::ICMP_EQ_I, offset, number(0)),
                isDown = two(Op::ICMP_SLT_I, offset, number(0));
  // One bit, the base's own, answers an offset of 0.
  const int32_t own = two(Op::AND_I, mask, two(Op::SHL_I, number(1), base));
  mask = choose(isDown, dec.emitTo(i32, Op::BITREV_I, mask),
                choose(isZero, own, mask));
  const int32_t from = choose(isDown, two(Op::SUB_I, number(31), base), base);
  int32_t rest = two(Op::LSHR_I, mask, from);
  int32_t left = choose(isDown, two(Op::SUB_I, number(0), offset),
                        choose(isZero, number(1), offset));
  const int32_t none =
      two(Op::ICMP_UGT_I, left, dec.emitTo(i32, Op::CTPOP_I, rest));
  int32_t place = from;
  for (uint32_t width : {16u, 8u, 4u, 2u, 1u}) {
    const int32_t low = two(Op::AND_I, rest, number((1u << width) - 1));
    const int32_t count = dec.emitTo(i32, Op::CTPOP_I, low);
    const int32_t isAbove = two(Op::ICMP_UGT_I, left, count);
    left = choose(isAbove, two(Op::SUB_I, left, count), left);
    rest = choose(isAbove, two(Op::LSHR_I, rest, number(width)), rest);
    place = choose(isAbove, two(Op::ADD_I, place, number(width)), place);
  }
  place = choose(isDown, two(Op::SUB_I, number(31), place), place);
  return choose(none, number(~0u), place);
}

/// Whether what an instruction answers depends on the sign of its operands.
static bool readsSigns(Op op) {
  switch (op) {
  case Op::SMIN_I:
  case Op::SMAX_I:
  case Op::MULHIS_I:
  case Op::ADDSATS_I:
  case Op::SUBSATS_I:
    return true;
  default:
    return false;
  }
}

int32_t CallDecoder::signedOp(const Leaf &leaf, Op op, int32_t a, int32_t b) {
  if (readsSigns(op)) {
    a = dec.signExtended(a, leaf);
    b = dec.signExtended(b, leaf);
  }
  return intOp(leaf, op, a, b);
}

CallDecoder::Outcome CallDecoder::integers() {
  switch (entry.kind) {
  case Kind::IntBinary: {
    const Op op = opcode();
    if (ls.empty() || ls[0].floatType != FT_None)
      return Outcome::Unknown;
    bool widthBound = op == Op::MULHIS_I || op == Op::MULHIU_I ||
                      op == Op::ADDSATS_I || op == Op::ADDSATU_I ||
                      op == Op::SUBSATS_I;
    if (widthBound && ls[0].bits != 32 && ls[0].bits != 64)
      return dec.fail("'" + Twine(plain) + "' on " + Twine(ls[0].bits) +
                      " bits"),
             Outcome::Done;
    elementwise(2, [&](const Leaf &l, int32_t *v) {
      int32_t r = signedOp(l, op, v[0], v[1]);
      if (entry.what & integerReluFlag)
        r = intOp(l, Op::SMAX_I, r, dec.constant(0, l.wide()));
      return dec.masked(r, l);
    });
    return Outcome::Values;
  }
  case Kind::IntNot:
    elementwise(1, [&](const Leaf &l, int32_t *v) {
      const uint64_t ones = l.bits == 64 ? ~0ull : (1ull << l.bits) - 1;
      return intOp(l, opcode(), v[0], dec.constant(ones, l.wide()));
    });
    return Outcome::Values;
  case Kind::IntNeg:
    elementwise(1, [&](const Leaf &l, int32_t *v) {
      return dec.masked(intOp(l, opcode(), dec.constant(0, l.wide()), v[0]), l);
    });
    return Outcome::Values;
  case Kind::MulAdd:
    elementwise(3, [&](const Leaf &l, int32_t *v) {
      const int32_t product = intOp(l, opcode(), v[0], v[1]);
      return dec.masked(intOp(l, Op::ADD_I, product, v[2]), l);
    });
    return Outcome::Values;
  case Kind::SumOfDifference:
  case Kind::Mean: {
    const bool isSigned = entry.what & signedFlag,
               roundsUp = entry.what & upFlag;
    const bool isMean = entry.kind == Kind::Mean;
    if (ls.empty() || ls[0].floatType != FT_None)
      return Outcome::Unknown;
    elementwise(isMean ? 2 : 3, [&](const Leaf &l, int32_t *v) {
      const int32_t a = isSigned ? dec.signExtended(v[0], l) : v[0],
                    b = isSigned ? dec.signExtended(v[1], l) : v[1];
      if (!isMean) {
        const Op max = isSigned ? Op::SMAX_I : Op::UMAX_I,
                 min = isSigned ? Op::SMIN_I : Op::UMIN_I;
        const int32_t difference =
            intOp(l, Op::SUB_I, intOp(l, max, a, b), intOp(l, min, a, b));
        return dec.masked(intOp(l, Op::ADD_I, difference, v[2]), l);
      }
      // Without the carry: a + b is 2 (a & b) + (a ^ b) and 2 (a | b) - (a ^
      // b).
      const int32_t half =
          intOp(l, isSigned ? Op::ASHR_I : Op::LSHR_I,
                intOp(l, Op::XOR_I, a, b), dec.constant(1, l.wide()));
      return dec.masked(
          roundsUp ? intOp(l, Op::SUB_I, intOp(l, Op::OR_I, a, b), half)
                   : intOp(l, Op::ADD_I, intOp(l, Op::AND_I, a, b), half),
          l);
    });
    return Outcome::Values;
  }
  case Kind::NthBit:
    if (!operands(3))
      return Outcome::Done;
    out = {nthBit(in[0][0], in[1][0], in[2][0])};
    return Outcome::Values;
  case Kind::Mul24:
    elementwise(2, [&](const Leaf &l, int32_t *v) {
      int32_t x[2];
      for (int i : {0, 1}) {
        x[i] = dec.slot(false, FT_None);
        dec.emit(entry.what ? Op::SEXTIN_I : Op::MASK_I, x[i], v[i]).imm = 24;
      }
      return intOp(l, Op::MUL_I, x[0], x[1]);
    });
    return Outcome::Values;
  case Kind::IntAbs:
    if (ls.empty() || ls[0].floatType != FT_None)
      return Outcome::Unknown;
    elementwise(1, [&](const Leaf &l, int32_t *v) {
      return dec.masked(intOp(l, opcode(), dec.signExtended(v[0], l)), l);
    });
    return Outcome::Values;
  case Kind::IntPop:
  case Kind::IntClz:
  case Kind::IntCtz:
  case Kind::IntFfs:
    elementwise(1, [&](const Leaf &to, int32_t *v) {
      Leaf l = operandLeaf(0);
      bool w = l.wide();
      Leaf il{nullptr, 0, w ? 64u : 32u, FT_None};
      int32_t r;
      if (entry.kind == Kind::IntPop) {
        r = intOp(il, opcode(), v[0]);
      } else if (entry.kind == Kind::IntClz) {
        r = intOp(il, opcode(), v[0]);
        if (l.bits != il.bits)
          r = intOp(il, Op::SUB_I, r, dec.constant(il.bits - l.bits, w));
      } else {
        int32_t x = v[0];
        if (l.bits != il.bits)
          x = intOp(il, Op::OR_I, x, dec.constant(1ull << l.bits, w));
        r = intOp(il, opcode(), x);
        if (entry.kind == Kind::IntFfs) { // 1 + position, 0 for zero
          r = intOp(il, Op::ADD_I, r, dec.constant(1, w));
          int32_t z = dec.emitTo(i32, forWidth(Op::ICMP_EQ_I, w), x,
                                 dec.constant(0, w));
          r = dec.emitTo(il, forWidth(Op::SELECT_I, w), z, dec.constant(0, w),
                         r);
        }
      }
      return fit(r, w, to.wide());
    });
    return Outcome::Values;
  case Kind::IntBswap:
  case Kind::IntBrev:
    elementwise(1, [&](const Leaf &l, int32_t *v) {
      int32_t r = intOp(l, opcode(), v[0]);
      unsigned full = l.wide() ? 64 : 32;
      if (l.bits != full)
        r = intOp(l, Op::LSHR_I, r, dec.constant(full - l.bits, l.wide()));
      return r;
    });
    return Outcome::Values;
  case Kind::Funnel:
  case Kind::FunnelClamp:
    elementwise(3, [&](const Leaf &l, int32_t *v) {
      if (l.bits != 32 && l.bits != 64) {
        dec.fail("funnel shift of " + Twine(l.bits) + " bits");
        return v[0];
      }
      int32_t d = dec.emitTo(l, opcode(l), v[0], v[1], v[2]);
      dec.k.code.back().sub = entry.kind == Kind::FunnelClamp;
      return d;
    });
    return Outcome::Values;
  case Kind::Prmt:
    elementwise(3, [&](const Leaf &l, int32_t *v) {
      const int32_t selector =
          intOp(l, Op::AND_I, v[2], dec.constant(entry.what, false));
      return dec.emitTo(l, opcode(), v[0], v[1], selector);
    });
    return Outcome::Values;
  case Kind::Overflow: {
    if (!operands(2) || ls.size() != 2)
      return Outcome::Done;
    const Leaf &l = ls[0];
    int32_t r = dec.masked(intOp(l, opcode(), in[0][0], in[1][0]), l);
    int32_t o =
        opcode() == Op::ADD_I
            ? dec.emitTo(i32, forWidth(Op::ICMP_ULT_I, l.wide()), r, in[0][0])
            : dec.emitTo(i32, forWidth(Op::ICMP_ULT_I, l.wide()), in[0][0],
                         in[1][0]);
    out = {r, o};
    return Outcome::Values;
  }
  case Kind::Reduce: {
    if (!operands(1))
      return Outcome::Done;
    int32_t r = in[0][0];
    for (size_t i = 1; i < in[0].size(); ++i)
      r = dec.masked(signedOp(ls[0], opcode(), r, in[0][i]), ls[0]);
    out = {r};
    return Outcome::Values;
  }
  default:
    return Outcome::NotMine;
  }
}

} // namespace evo::sim
