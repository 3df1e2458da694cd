// Inline PTX on bits. Instructions of integers that have no twin in LLVM IR:
// three-way logic, bit fields, wide products.
#include "AsmDecoder.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace evo::sim {

/// lop3.b32 d, a, b, c, table, which has bit 4 a + 2 b + c for each argument.
/// Any function of three bits is a sum modulo 2 of products of them (its
/// algebraic normal form).
bool AsmDecoder::logic3(const device::Words &op, ArrayRef<StringRef> args) {
  int32_t in[3];
  uint64_t table;
  if (op.types[0] != "b32" || args.size() != 5)
    return refuse();
  for (int i : {0, 1, 2})
    if (!read(args[1 + i], PtxType::ofBits(32), in[i]))
      return false;
  if (!immediate(args[4], table) || table > 255)
    return refuse();
  for (unsigned v : {1, 2, 4}) // the Moebius transform, variable by variable
    for (unsigned i = 0; i < 8; ++i)
      if (i & v)
        table ^= (table >> (i ^ v) & 1) << i;
  const Leaf l = leaf(PtxType::ofBits(32));
  int32_t sum = d.constant(table & 1 ? ~0u : 0, false);
  for (unsigned i = 1; i < 8; ++i) {
    if (!(table >> i & 1))
      continue;
    int32_t product = noOperand;
    for (unsigned n : {0, 1, 2})
      if (i >> (2 - n) & 1)
        product = product == noOperand ? in[n]
                                       : d.emitTo(l, Op::AND_I, product, in[n]);
    sum = d.emitTo(l, Op::XOR_I, sum, product);
  }
  write(args[0], PtxType::ofBits(32), sum);
  return true;
}

/// bfe.{u32,s32} d, a, position, length and bfi.b32 d, a, b, position, length.
/// Of the two numbers the low eight bits count. They are clamped to what 64
/// bits hold, where a word can be shifted as far as any of them say.
bool AsmDecoder::bitField(const device::Words &op, ArrayRef<StringRef> args) {
  const bool insert = op.family == "bfi";
  PtxType t;
  if (!parsePtxType(op.types[0], t) || t.bits != 32 || t.pair ||
      t.floatType != FT_None || insert != op.types[0].starts_with("b") ||
      args.size() != (insert ? 5u : 4u))
    return refuse();
  const PtxType b32 = PtxType::ofBits(32);
  const Leaf narrow = leaf(b32), wide = leaf(PtxType::ofBits(64));
  auto number = [&](uint64_t v) { return d.constant(v, true); };
  auto widen = [&](int32_t v, bool isSigned) {
    return d.emitTo(wide, isSigned ? Op::SEXT_IL : Op::ZEXT_IL, v);
  };
  int32_t a, b = noOperand, counts[2];
  if (!read(args[1], t, a) || (insert && !read(args[2], t, b)))
    return false;
  for (int i : {0, 1}) {
    int32_t v;
    if (!read(args[args.size() - 2 + i], b32, v))
      return false;
    v = d.emitTo(narrow, Op::AND_I, v, d.constant(0xff, false));
    v = d.emitTo(narrow, Op::UMIN_I, v, d.constant(i ? 32 : 63, false));
    counts[i] = widen(v, false);
  }
  auto [position, length] = counts;
  auto two = [&](Op o, int32_t x, int32_t y) {
    return d.emitTo(wide, o, x, y);
  };
  // As many ones as the field is long.
  int32_t ones = two(Op::SUB_L, two(Op::SHL_L, number(1), length), number(1));
  int32_t r;
  if (insert) {
    int32_t mask = two(Op::SHL_L, ones, position);
    int32_t field =
        two(Op::AND_L, two(Op::SHL_L, widen(a, false), position), mask);
    r = two(Op::OR_L, field,
            two(Op::AND_L, widen(b, false),
                two(Op::XOR_L, mask, number(~uint64_t(0)))));
  } else if (t.isSigned) {
    // Its uppermost bit goes to bit 63 and back; of no bits there is none.
    r = two(Op::ASHR_L, widen(a, true), position);
    int32_t rest = two(Op::SUB_L, number(64), length);
    int32_t isEmpty = two(Op::LSHR_L, rest, number(6));
    rest = two(Op::SUB_L, rest, isEmpty);
    r = two(Op::ASHR_L, two(Op::SHL_L, r, rest), rest);
    r = two(Op::AND_L, r, two(Op::SUB_L, isEmpty, number(1)));
  } else {
    r = two(Op::AND_L, two(Op::LSHR_L, widen(a, false), position), ones);
  }
  int32_t result = d.slot(false, FT_None);
  d.emit(Op::TRUNC_LI, result, r);
  write(args[0], t, result);
  return true;
}

/// {mul,mad}.wide.{u32,s32} d, a, b[, c]
bool AsmDecoder::wideProduct(const device::Words &op,
                             ArrayRef<StringRef> args) {
  PtxType t;
  const bool adds = op.family == "mad.wide";
  if (!parsePtxType(op.types[0], t) || t.bits != 32 || t.pair ||
      t.floatType != FT_None || args.size() != (adds ? 4u : 3u))
    return refuse();
  PtxType wide = PtxType::ofBits(64);
  wide.isSigned = t.isSigned;
  const Leaf l = leaf(wide);
  int32_t v[2], c;
  for (int i : {0, 1}) {
    if (!read(args[1 + i], t, v[i]))
      return false;
    v[i] = d.emitTo(l, t.isSigned ? Op::SEXT_IL : Op::ZEXT_IL, v[i]);
  }
  int32_t r = d.emitTo(l, Op::MUL_L, v[0], v[1]);
  if (adds) {
    if (!read(args[3], wide, c))
      return false;
    r = d.emitTo(l, Op::ADD_L, r, c);
  }
  write(args[0], wide, r);
  return true;
}

} // namespace evo::sim
