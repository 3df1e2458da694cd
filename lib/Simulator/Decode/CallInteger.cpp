// Calls that compute with integers. Counting, funnel shifts, saturation,
// reductions over vectors.
#include "CallDecoder.h"

using namespace llvm;

namespace evo::exec {

CallDecoder::Outcome CallDecoder::integers() {
  switch (entry.kind) {
  case Kind::IntBinary: {
    Op op = static_cast<Op>(entry.what);
    if (ls.empty() || ls[0].floatType != FT_None)
      return Outcome::Unknown;
    bool isSigned = op == Op::SMIN_I || op == Op::SMAX_I ||
                    op == Op::MULHIS_I || op == Op::ADDSATS_I ||
                    op == Op::SUBSATS_I;
    bool widthBound = op == Op::MULHIS_I || op == Op::MULHIU_I ||
                      op == Op::ADDSATS_I || op == Op::ADDSATU_I ||
                      op == Op::SUBSATS_I;
    if (widthBound && ls[0].bits != 32 && ls[0].bits != 64)
      return dec.fail("'" + Twine(plain) + "' on " + Twine(ls[0].bits) +
                      " bits"),
             Outcome::Done;
    elementwise(2, [&](const Leaf &l, int32_t *v) {
      int32_t a = v[0], b = v[1];
      if (isSigned) {
        a = dec.signExtended(a, l);
        b = dec.signExtended(b, l);
      }
      return dec.masked(intOp(l, op, a, b), l);
    });
    return Outcome::Values;
  }
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
      return dec.masked(intOp(l, Op::ABS_I, dec.signExtended(v[0], l)), l);
    });
    return Outcome::Values;
  case Kind::IntPop:
  case Kind::IntClz:
  case Kind::IntCtz:
  case Kind::IntFfs:
    elementwise(1, [&](const Leaf &to, int32_t *v) {
      Leaf l = dec.leafOf(arg(0)->getType()->getScalarType());
      bool w = l.wide();
      Leaf il{nullptr, 0, w ? 64u : 32u, FT_None};
      int32_t r;
      if (entry.kind == Kind::IntPop) {
        r = intOp(il, Op::CTPOP_I, v[0]);
      } else if (entry.kind == Kind::IntClz) {
        r = intOp(il, Op::CTLZ_I, v[0]);
        if (l.bits != il.bits)
          r = intOp(il, Op::SUB_I, r, dec.constant(il.bits - l.bits, w));
      } else {
        int32_t x = v[0];
        if (l.bits != il.bits)
          x = intOp(il, Op::OR_I, x, dec.constant(1ull << l.bits, w));
        r = intOp(il, Op::CTTZ_I, x);
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
      Op op = entry.kind == Kind::IntBswap ? Op::BSWAP_I : Op::BITREV_I;
      int32_t r = intOp(l, op, v[0]);
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
      int32_t d = dec.emitTo(l, forWidth(static_cast<Op>(entry.what), l.wide()),
                             v[0], v[1], v[2]);
      dec.k.code.back().sub = entry.kind == Kind::FunnelClamp;
      return d;
    });
    return Outcome::Values;
  case Kind::Prmt:
    elementwise(3, [&](const Leaf &l, int32_t *v) {
      const int32_t selector =
          intOp(l, Op::AND_I, v[2], dec.constant(entry.what, false));
      return dec.emitTo(l, Op::PRMT, v[0], v[1], selector);
    });
    return Outcome::Values;
  case Kind::Overflow: {
    if (!operands(2) || ls.size() != 2)
      return Outcome::Done;
    const Leaf &l = ls[0];
    Op op = static_cast<Op>(entry.what);
    int32_t r = dec.masked(intOp(l, op, in[0][0], in[1][0]), l);
    int32_t o =
        op == Op::ADD_I
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
      r = dec.masked(intOp(ls[0], static_cast<Op>(entry.what), r, in[0][i]),
                     ls[0]);
    out = {r};
    return Outcome::Values;
  }
  default:
    return Outcome::NotMine;
  }
}

} // namespace evo::exec
