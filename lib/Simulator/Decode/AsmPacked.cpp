// Inline PTX on the lanes of a word. Dot products of bytes, the instructions on
// two halves or four bytes of a word ("video"), and the search for a bit.
// CUDA's headers write __dp4a, __vadd4 and their like this way.
#include "AsmDecoder.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace evo::sim {

static bool isWord(StringRef text, PtxType &t) {
  return parsePtxType(text, t) && t.bits == 32 && !t.pair &&
         t.floatType == FT_None;
}

int32_t AsmDecoder::two(Op op, int32_t a, int32_t b) {
  return d.emitTo(leaf(PtxType::ofBits(32)), op, a, b);
}

int32_t AsmDecoder::laneOf(int32_t word, unsigned width, unsigned lane,
                           bool isSigned) {
  auto number = [&](unsigned v) { return d.constant(v, false); };
  return two(isSigned ? Op::ASHR_I : Op::LSHR_I,
             two(Op::SHL_I, word, number(32 - width * (lane + 1))),
             number(32 - width));
}

/// dp4a.T.U d, a, b, c: c and the products of bytes; dp2a.{lo,hi}.T.U: of the
/// halves of a with two bytes of b.
bool AsmDecoder::dotProduct(const device::Words &op, ArrayRef<StringRef> args) {
  const bool isHalves = op.family == "dp2a";
  PtxType t, u;
  if (args.size() != 4 || !isWord(op.types[0], t) || !isWord(op.types[1], u))
    return refuse();
  int32_t a, b, sum;
  if (!read(args[1], t, a) || !read(args[2], u, b) || !read(args[3], t, sum))
    return false;
  const unsigned first = op["half"] == "hi" ? 2 : 0;
  for (unsigned n = 0; n < (isHalves ? 2 : 4); ++n) {
    int32_t product =
        two(Op::MUL_I, laneOf(a, isHalves ? 16 : 8, n, t.isSigned),
            laneOf(b, 8, first + n, u.isSigned));
    sum = two(Op::ADD_I, sum, product);
  }
  write(args[0], t, sum);
  return true;
}

/// What one lane of an instruction on lanes gives, before it is cut off.
int32_t AsmDecoder::laneResult(StringRef name, int32_t x, int32_t y,
                               bool isSigned) {
  const Op minOp = isSigned ? Op::SMIN_I : Op::UMIN_I,
           maxOp = isSigned ? Op::SMAX_I : Op::UMAX_I;
  if (name == "add" || name == "sub")
    return two(name == "add" ? Op::ADD_I : Op::SUB_I, x, y);
  if (name == "min" || name == "max")
    return two(name == "min" ? minOp : maxOp, x, y);
  if (name == "absdiff")
    return two(Op::SUB_I, two(maxOp, x, y), two(minOp, x, y));
  // The average is rounded away from zero.
  int32_t sum = two(Op::ADD_I, x, y);
  int32_t isNegative = two(Op::LSHR_I, sum, d.constant(31, false));
  return two(
      Op::ASHR_I,
      two(Op::ADD_I, sum, two(Op::XOR_I, isNegative, d.constant(1, false))),
      d.constant(1, false));
}

/// v{add,sub,absdiff,min,max,avrg}{2,4}.D.T.U[.sat|.add] d, a, b, c and
/// vset{2,4}.T.U.CMP[.add] d, a, b, c. Without .add, c has no part in it.
bool AsmDecoder::onLanes(const device::Words &op, ArrayRef<StringRef> args) {
  StringRef name = op.family.drop_front().drop_back();
  constexpr unsigned wordBits = 32;
  const unsigned lanes = op.family.back() - '0', width = wordBits / lanes;
  const bool compares = name == "set", adds = op["further"] == "add",
             saturates = op["further"] == "sat";
  PtxType to, t, u;
  const ArrayRef<StringRef> in = ArrayRef(op.types).take_back(2);
  if (args.size() != 4 || !isWord(in[0], t) || !isWord(in[1], u) ||
      (!compares && !isWord(op.types[0], to)) || t.isSigned != u.isSigned)
    return refuse();
  auto comparison =
      StringSwitch<std::optional<Op>>(op["comparison"])
          .Case("eq", Op::ICMP_EQ_I)
          .Case("ne", Op::ICMP_NE_I)
          .Case("lt", t.isSigned ? Op::ICMP_SLT_I : Op::ICMP_ULT_I)
          .Case("le", t.isSigned ? Op::ICMP_SLE_I : Op::ICMP_ULE_I)
          .Case("gt", t.isSigned ? Op::ICMP_SGT_I : Op::ICMP_UGT_I)
          .Case("ge", t.isSigned ? Op::ICMP_SGE_I : Op::ICMP_UGE_I)
          .Default(std::nullopt);
  if (compares && !comparison)
    return refuse();
  int32_t a, b, c;
  if (!read(args[1], t, a) || !read(args[2], u, b) || !read(args[3], t, c))
    return false;
  auto number = [&](uint32_t v) { return d.constant(v, false); };
  int32_t result = adds ? c : number(0);
  for (unsigned n = 0; n < lanes; ++n) {
    int32_t x = laneOf(a, width, n, t.isSigned),
            y = laneOf(b, width, n, u.isSigned);
    int32_t r =
        compares ? two(*comparison, x, y) : laneResult(name, x, y, t.isSigned);
    if (adds) {
      result = two(Op::ADD_I, result, r);
      continue;
    }
    if (saturates) {
      const unsigned top = to.isSigned ? width - 1 : width;
      r = two(Op::SMAX_I, r, number(to.isSigned ? ~0u << top : 0));
      r = two(Op::SMIN_I, r, number((1u << top) - 1));
    }
    r = two(Op::AND_I, r, number((1u << width) - 1));
    result = two(Op::OR_I, result, two(Op::SHL_I, r, number(width * n)));
  }
  write(args[0], PtxType::ofBits(32), result);
  return true;
}

/// bfind[.shiftamt].T d, a, whose result has 32 bits.
bool AsmDecoder::findBit(const device::Words &op, ArrayRef<StringRef> args) {
  PtxType t;
  const bool asShift = op.has("shift");
  if (args.size() != 2 || !parsePtxType(op.types[0], t) || t.pair ||
      t.floatType != FT_None || (t.bits != 32 && t.bits != 64))
    return refuse();
  int32_t a;
  if (!read(args[1], t, a))
    return false;
  const bool wide = t.bits == 64;
  const Leaf l = leaf(t);
  // Of a negative number the first bit that is not its sign is looked for.
  if (t.isSigned)
    a = d.emitTo(l, forWidth(Op::XOR_I, wide), a,
                 d.emitTo(l, forWidth(Op::ASHR_I, wide), a,
                          d.constant(t.bits - 1, wide)));
  int32_t count = d.emitTo(l, forWidth(Op::CTLZ_I, wide), a);
  if (wide) {
    int32_t narrow = d.slot(false, FT_None);
    d.emit(Op::TRUNC_LI, narrow, count);
    count = narrow;
  }
  // All bits are set where there is none to be found.
  int32_t place = two(Op::SUB_I, d.constant(t.bits - 1, false), count);
  int32_t none = two(Op::ASHR_I, place, d.constant(31, false));
  write(args[0], PtxType::ofBits(32),
        asShift ? two(Op::OR_I, count, none) : place);
  return true;
}

} // namespace evo::sim
