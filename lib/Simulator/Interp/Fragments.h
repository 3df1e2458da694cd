// Which lane holds which element. A warp holds a matrix in fragments, one a
// lane. For mma.sync the PTX ISA says which element is where; all its tables
// for 16-bit, tf32 and 8-bit operands are one pattern. A register of 32 bits
// holds `per` neighbours along k, four lanes side by side make a tile of 4 per
// along k, eight such rows of lanes make it 8 along m or n, and the registers
// of a lane step over such tiles, m first.
//
// For wmma the ISA leaves the layout open, and says only that the same one is
// used by load, product and store. Ours is not the hardware's on purpose: code
// that counts on the hardware's gives wrong results here. Elements go round the
// lanes by pairs, row by row. Where a fragment has more room than its matrix
// has elements, it holds copies, and different parts of the result are computed
// from different copies: code that changes only some of them is found.
#ifndef EVO_LIB_SIMULATOR_INTERP_FRAGMENTS_H
#define EVO_LIB_SIMULATOR_INTERP_FRAGMENTS_H

#include "Simulator/IR/Bytecode.h"

namespace evo::sim {

struct Place {
  unsigned row, column;
};

/// What arithmetic takes an element for; none for integers.
inline FloatType floatTypeOf(MatrixType t) {
  switch (t) {
  case MatrixType::F16:
    return FT_H;
  case MatrixType::BF16:
    return FT_B;
  case MatrixType::TF32:
  case MatrixType::F32:
    return FT_S;
  default:
    return FT_None;
  }
}

/// Elements in a 32-bit register.
static constexpr unsigned elementsPerRegister(MatrixType t) {
  switch (t) {
  case MatrixType::F16:
  case MatrixType::BF16:
    return 2;
  case MatrixType::S8:
  case MatrixType::U8:
    return 4;
  default:
    return 1;
  }
}

/// Elements of a wmma fragment, copies included.
static constexpr unsigned wmmaElements(MatrixType t, unsigned rows,
                                       unsigned columns, bool accumulator) {
  return t == MatrixType::F16 && !accumulator ? 16 : rows * columns / warpSize;
}
/// Of the elements of one copy.
static constexpr Place wmmaPlace(unsigned columns, unsigned lane, unsigned i) {
  const unsigned n = i / 2 * 64 + lane * 2 + i % 2;
  return {n / columns, n % columns};
}

static constexpr Place placeInA(const Mma &s, unsigned lane, unsigned i) {
  if (s.opaque)
    return wmmaPlace(s.k, lane, i);
  const unsigned per = elementsPerRegister(s.a), reg = i / per;
  const unsigned down = s.m / 8;
  return {lane / 4 + 8 * (reg % down),
          lane % 4 * per + i % per + 4 * per * (reg / down)};
}
static constexpr Place placeInB(const Mma &s, unsigned lane, unsigned i) {
  if (s.opaque)
    return wmmaPlace(s.n, lane, i);
  const unsigned per = elementsPerRegister(s.b);
  return {lane % 4 * per + i % per + 4 * per * (i / per), lane / 4};
}
/// Of C and D.
static constexpr Place placeInC(const Mma &s, unsigned lane, unsigned i) {
  if (s.opaque)
    return wmmaPlace(s.n, lane, i);
  return {lane / 4 + 8 * (i / 2), lane % 4 * 2 + i % 2};
}

} // namespace evo::sim

#endif
