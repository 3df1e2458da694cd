// Inline PTX on single numbers that neither C++ nor LLVM IR has operators for:
// sums with a carry, choices by a number's sign, tests of a float's class,
// extents of bits, products of 24 bits.
#include "AsmDecoder.h"
#include "Simulator/IR/Numeric.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <array>

using namespace llvm;

namespace evo::sim {

/// Whether a type is that of integers of one or two words.
static bool isInteger(const PtxType &t) {
  return t.floatType == FT_None && !t.pair && !t.predicate &&
         (t.bits == 32 || t.bits == 64);
}

/// {add,sub,mad.lo,mad.hi}[c][.cc].T d[|carry], a, b[, c][, carry], where
/// splitStatements has made an operand of the flag.
bool AsmDecoder::withCarry(const device::Words &op, ArrayRef<StringRef> args) {
  StringRef name = op.family, half = op["half"];
  const bool gives = name.consume_back(".cc") || op.has("carry");
  const bool takes = name.consume_back("c");
  const bool isProduct = name.consume_front("mad");
  if (half.empty() && name.consume_front("."))
    half = name;
  PtxType t;
  if (!parsePtxType(op.types[0], t) || !isInteger(t) ||
      args.size() != 3u + isProduct + takes)
    return refuse();
  const bool wide = t.bits == 64;
  const Leaf l = leaf(t), bit = leaf(PtxType::ofBits(32));
  auto two = [&](Op o, int32_t x, int32_t y) {
    return d.emitTo(l, forWidth(o, wide), x, y);
  };
  auto isBelow = [&](int32_t x, int32_t y) {
    return d.emitTo(bit, forWidth(Op::ICMP_ULT_I, wide), x, y);
  };
  int32_t v[3], carry = noOperand;
  if (takes && !read(args.back(), PtxType::ofBits(32), carry))
    return false;
  for (unsigned n = 0; n < 2u + isProduct; ++n)
    if (!read(args[n + 1], t, v[n]))
      return false;
  int32_t a = v[0], b = v[1];
  if (isProduct) {
    a = two(half == "lo" ? Op::MUL_I
            : t.isSigned ? Op::MULHIS_I
                         : Op::MULHIU_I,
            v[0], v[1]);
    b = v[2];
  }
  const bool isDifference = name == "sub";
  int32_t r = two(isDifference ? Op::SUB_I : Op::ADD_I, a, b);
  int32_t out = isDifference ? isBelow(a, b) : isBelow(r, a);
  if (takes) {
    const int32_t in = wide ? d.emitTo(l, Op::ZEXT_IL, carry) : carry;
    const int32_t before = r;
    r = two(isDifference ? Op::SUB_I : Op::ADD_I, before, in);
    out = d.emitTo(bit, Op::OR_I, out,
                   isDifference ? isBelow(before, in) : isBelow(r, before));
  }
  auto [sum, flag] = args[0].split('|');
  if (gives && !flag.empty())
    write(flag, PtxType::ofBits(32), out);
  write(sum, t, r);
  return true;
}

/// slct.D.{s32,f32} d, a, b, c: a where c >= 0.
bool AsmDecoder::choice(const device::Words &op, ArrayRef<StringRef> args) {
  PtxType t, u;
  if (args.size() != 4 || !parsePtxType(op.types[0], t) ||
      !parsePtxType(op.types[1], u) || t.bits < 32 || t.pair || u.pair ||
      u.bits != 32 || (u.floatType == FT_None && !u.isSigned))
    return refuse();
  int32_t a, b, c;
  if (!read(args[1], t, a) || !read(args[2], t, b) || !read(args[3], u, c))
    return false;
  int32_t p;
  if (!predicate("ge", u, c, d.constant(0, false, u.floatType), p))
    return false;
  write(args[0], t,
        d.emitTo(leaf(t), forWidth(Op::SELECT_I, t.bits > 32), p, a, b));
  return true;
}

/// testp.CLASS.T p, a
bool AsmDecoder::classOf(const device::Words &op, ArrayRef<StringRef> args) {
  PtxType t;
  if (args.size() != 2 || !parsePtxType(op.types[0], t) ||
      (t.floatType != FT_S && t.floatType != FT_D))
    return refuse();
  const bool wide = t.floatType == FT_D;
  const unsigned fraction = wide ? 52 : 23;
  const uint64_t all = ~0ull >> (65 - t.bits),
                 infinity = all >> fraction << fraction,
                 tiny = 1ull << fraction;
  // Magnitudes from the first on, up to the second.
  auto range = StringSwitch<std::pair<uint64_t, uint64_t>>(op["class"])
                   .Case("finite", {0, infinity})
                   .Case("infinite", {infinity, infinity + 1})
                   .Case("number", {0, infinity + 1})
                   .Case("notanumber", {infinity + 1, all + 1})
                   .Case("normal", {tiny, infinity})
                   .Case("subnormal", {1, tiny}) // and no zero
                   .Default({0, 0});
  int32_t a;
  if (range.second == 0 || !read(args[1], t, a))
    return refuse();
  const Leaf bits = leaf(PtxType::ofBits(t.bits));
  auto two = [&](Op o, int32_t x, uint64_t y) {
    return d.emitTo(bits, forWidth(o, wide), x, d.constant(y, wide));
  };
  a = d.emitTo(bits, forWidth(Op::MOV_I, wide), a);
  const int32_t size = two(Op::AND_I, a, all);
  const Leaf truth = leaf(PtxType::ofBits(32));
  int32_t p = d.emitTo(truth, forWidth(Op::ICMP_ULT_I, wide),
                       two(Op::SUB_I, size, range.first),
                       d.constant(range.second - range.first, wide));
  if (op["class"] == "normal") // and so are zeros
    p = d.emitTo(truth, Op::OR_I, p,
                 d.emitTo(truth, forWidth(Op::ICMP_EQ_I, wide), size,
                          d.constant(0, wide)));
  PtxType predicate = PtxType::ofBits(1);
  predicate.predicate = true;
  write(args[0], predicate, p);
  return true;
}

/// szext.MODE.T d, a, b: the b low bits of a, extended. bmsk.MODE.b32 d, a, b:
/// b ones from bit a on. Numbers above 31 count as 32, or are taken modulo 32.
bool AsmDecoder::extent(const device::Words &op, ArrayRef<StringRef> args) {
  PtxType t;
  const bool isMask = op.family == "bmsk";
  if (args.size() != 3 || !parsePtxType(op.types[0], t) || t.bits != 32 ||
      t.pair || t.floatType != FT_None ||
      isMask != op.types[0].starts_with("b"))
    return refuse();
  const bool wraps = op["mode"] == "wrap";
  auto number = [&](uint32_t v) { return d.constant(v, false); };
  auto bound = [&](int32_t v) {
    return wraps ? two(Op::AND_I, v, number(31))
                 : two(Op::UMIN_I, v, number(32));
  };
  int32_t a, b;
  if (!read(args[1], t, a) || !read(args[2], PtxType::ofBits(32), b))
    return false;
  b = bound(b);
  // Shifts by 32 in two steps, for a lane's own shift knows no such amount.
  auto shift = [&](Op o, int32_t v, int32_t by) {
    const int32_t first = two(Op::LSHR_I, by, number(1));
    return two(o, two(o, v, first), two(Op::SUB_I, by, first));
  };
  const int32_t ones =
      two(Op::XOR_I, shift(Op::SHL_I, number(~0u), b), number(~0u));
  int32_t r;
  if (isMask) {
    r = shift(Op::SHL_I, ones, bound(a));
  } else if (t.isSigned) {
    // Nothing is left of no bits.
    const int32_t rest = two(Op::SUB_I, number(32), b);
    r = two(Op::AND_I, shift(Op::ASHR_I, shift(Op::SHL_I, a, rest), rest),
            d.emitTo(leaf(t), Op::SELECT_I, b, number(~0u), number(0)));
  } else {
    r = two(Op::AND_I, a, ones);
  }
  write(args[0], t, r);
  return true;
}

/// {mul24,mad24}.{lo,hi}.T d, a, b[, c]: of the 48 bits of a product of 24 bits
/// the low or the high 32.
bool AsmDecoder::product24(const device::Words &op, ArrayRef<StringRef> args) {
  PtxType t;
  const bool adds = op.family == "mad24";
  if (!parsePtxType(op.types[0], t) || !isInteger(t) || t.bits != 32 ||
      args.size() != (adds ? 4u : 3u))
    return refuse();
  const Leaf wide = leaf(PtxType::ofBits(64));
  int32_t v[2], c;
  for (int i : {0, 1}) {
    if (!read(args[1 + i], t, v[i]))
      return false;
    const int32_t narrow = d.slot(false, FT_None);
    d.emit(t.isSigned ? Op::SEXTIN_I : Op::MASK_I, narrow, v[i]).imm = 24;
    v[i] = d.emitTo(wide, t.isSigned ? Op::SEXT_IL : Op::ZEXT_IL, narrow);
  }
  int32_t product = d.emitTo(wide, Op::MUL_L, v[0], v[1]);
  if (op["half"] == "hi")
    product = d.emitTo(wide, Op::LSHR_L, product, d.constant(16, true));
  int32_t r = d.slot(false, FT_None);
  d.emit(Op::TRUNC_LI, r, product);
  if (adds) {
    if (!read(args[3], t, c))
      return false;
    r = two(Op::ADD_I, r, c);
  }
  write(args[0], t, r);
  return true;
}

/// prmt.b32.MODE d, a, b, c: which bytes of (b, a) the last two bits of c ask
/// for, as selectors of prmt.b32 for each of the four.
bool AsmDecoder::permutation(const device::Words &op,
                             ArrayRef<StringRef> args) {
  auto selectors = StringSwitch<std::array<uint32_t, 4>>(op["mode"])
                       .Case("f4e", {0x3210, 0x4321, 0x5432, 0x6543})
                       .Case("b4e", {0x5670, 0x6701, 0x7012, 0x0123})
                       .Case("rc8", {0x0000, 0x1111, 0x2222, 0x3333})
                       .Case("ecl", {0x3210, 0x3211, 0x3222, 0x3333})
                       .Case("ecr", {0x0000, 0x1110, 0x2210, 0x3210})
                       .Case("rc16", {0x1010, 0x3232, 0x1010, 0x3232})
                       .Default({});
  const PtxType b32 = PtxType::ofBits(32);
  int32_t in[3];
  if (op.types[0] != "b32" || args.size() != 4)
    return refuse();
  for (int i : {0, 1, 2})
    if (!read(args[1 + i], b32, in[i]))
      return false;
  auto number = [&](uint32_t v) { return d.constant(v, false); };
  auto bit = [&](uint32_t v) { return two(Op::AND_I, in[2], number(v)); };
  auto choose = [&](uint32_t which, int32_t yes, int32_t no) {
    return d.emitTo(leaf(b32), Op::SELECT_I, bit(which), yes, no);
  };
  const int32_t selector =
      choose(2, choose(1, number(selectors[3]), number(selectors[2])),
             choose(1, number(selectors[1]), number(selectors[0])));
  write(args[0], b32, d.emitTo(leaf(b32), Op::PRMT, in[0], in[1], selector));
  return true;
}

/// cnot.T d, a: whether a is 0.
bool AsmDecoder::isZero(const device::Words &op, ArrayRef<StringRef> args) {
  PtxType t;
  int32_t a;
  if (args.size() != 2 || !parsePtxType(op.types[0], t) || !isInteger(t) ||
      !read(args[1], t, a))
    return refuse();
  const bool wide = t.bits == 64;
  const int32_t is =
      d.emitTo(leaf(PtxType::ofBits(32)), forWidth(Op::ICMP_EQ_I, wide), a,
               d.constant(0, wide));
  write(args[0], t, wide ? d.emitTo(leaf(t), Op::ZEXT_IL, is) : is);
  return true;
}

} // namespace evo::sim
