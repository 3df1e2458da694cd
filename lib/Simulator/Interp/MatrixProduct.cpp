// D = A B + C of a warp. What tensor cores compute is documented in part only:
// products are exact, but the order, the width and the rounding of the sum are
// the hardware's business. So there are two things here.
//
// The bits follow what has been measured of Hopper (Li et al., "FTTN", 2024;
// Khattak and Mikaitis, "Accurate Models of NVIDIA Tensor Cores", 2025): all
// products of an instruction and the old sum are aligned to the largest
// exponent, cut off two bits below a float's last one, added exactly, and the
// sum is cut off to f32, or rounded to nearest for f16.
//
// The error bound holds for any of the known generations: sums in steps of four
// products, each term cut off at the last bit of the largest, each step's
// result cut off once more. With S = |c| + sum |a b| that is, over k / 4 steps,
// at most 2^-23 S (5 + 1) k / 4.
//
// Since other hardware may add otherwise, no grade above `algebraic` comes from
// a product: the field is told so.
#include "Cold.h"
#include "Fragments.h"
#include "Matrix.h"
#include <cmath>
#include <memory>
#include <vector>

namespace evo::sim {
namespace {

constexpr unsigned maxOperand =
    512; ///< elements of an operand, copies included

int minExponent(MatrixType t) { return t == MatrixType::F16 ? -14 : -126; }

int exponentOf(double v, int min) {
  return v == 0 ? min : std::max(std::ilogb(v), min);
}

/// An operand, by element of its matrix (and copy).
struct Operand {
  MatrixType type;
  double value[maxOperand], shadowValue[maxOperand], error[maxOperand];
  int exponent[maxOperand];
  std::vector<FieldValue> field;
};

double truncatedToFloat(double v) {
  if (std::fabs(v) >= 0x1p128)
    return std::copysign(HUGE_VAL, v);
  float f = static_cast<float>(v);
  if (std::fabs(static_cast<double>(f)) > std::fabs(v))
    f = std::nextafterf(f, 0.0f);
  return f;
}

class Product {
public:
  Product(Exec &x, Warp &w, const Inst &I)
      : x(x), w(w), I(I), s(x.k->products[I.imm]),
        slots(x.k->lists[I.aux].data()) {}
  void run() {
    if (s.d == MatrixType::S32)
      integers();
    else
      floats();
    if (x.counters)
      x.counters->flops += 2ull * s.m * s.n * s.k;
    // Time and not instructions is what budgets are about.
    x.laneInstructions += s.m * s.n * s.k / 4;
  }

private:
  Exec &x;
  Warp &w;
  const Inst &I;
  const Mma &s;
  const int32_t *slots; ///< D, A, B, C

  const int32_t *slotsA() const { return slots + s.slotsD; }
  const int32_t *slotsB() const { return slotsA() + s.slotsA; }
  const int32_t *slotsC() const { return slotsB() + s.slotsB; }

  template <class P>
  void gather(Operand &o, MatrixType type, const int32_t *from, unsigned count,
              unsigned rows, unsigned columns, P place);
  SumOfTerms termsOf(int32_t slot, unsigned lane);
  FieldValue fieldOf(int32_t slot, unsigned lane, double value, FloatType type);
  double sum(const Operand &a, unsigned at, const Operand &b, unsigned bAt,
             double c) const;
  bool areZero(const int32_t *registers, unsigned count) const;
  void floats();
  void integers();
};

/// Exact, and faster than ldexp; of exponents of normal numbers only.
double powerOfTwo(int exponent) {
  assert(exponent >= -1022 && exponent <= 1023);
  return bitsTo<double>(static_cast<uint64_t>(exponent + 1023) << 52);
}

SumOfTerms Product::termsOf(int32_t slot, unsigned lane) {
  const auto h = bitsTo<TermsArena::Handle>(errorOf(x, w, slot)[lane]);
  return x.terms->holds(h)
             ? x.terms->at(h)
             : SumOfTerms::term(shadowValueOf(x, w, slot)[lane], 0);
}

FieldValue Product::fieldOf(int32_t slot, unsigned lane, double value,
                            FloatType type) {
  const uint64_t h = bitsTo<uint64_t>(errorOf(x, w, slot)[lane]);
  return h == Field::literalHandle ? x.field->literal(value, fieldType(type))
                                   : x.field->at(h);
}

template <class P>
void Product::gather(Operand &o, MatrixType type, const int32_t *from,
                     unsigned count, unsigned rows, unsigned columns, P place) {
  o.type = type;
  if (x.field)
    o.field.resize(maxOperand);
  const FloatType ft = floatTypeOf(type);
  const unsigned each = rows * columns, copies = count * warpSize / each,
                 unique = count / copies;
  for (unsigned i = 0; i < count; ++i)
    for (unsigned lane = 0; lane < warpSize; ++lane) {
      const Place p = place(s, lane, i % unique);
      const unsigned at = i / unique * each + p.row * columns + p.column;
      double v = floatValue(ft + SV_H, regAddress(x, w, from[i]), lane);
      double missing = 0;
      if (x.field)
        o.field[at] = fieldOf(from[i], lane, v, ft);
      if (type == MatrixType::TF32 && std::isfinite(v)) {
        // The lowest 13 bits are ignored.
        const uint32_t bits = bitsTo<uint32_t>(static_cast<float>(v));
        if (bits & 0x1fff)
          missing = 0x1p-10 * std::fabs(v);
        v = bitsTo<float>(bits & ~0x1fffu);
      }
      o.value[at] = v;
      o.exponent[at] = exponentOf(v, minExponent(type));
      if (x.shadow)
        o.shadowValue[at] = shadowValueOf(x, w, from[i])[lane];
      if (x.shadow == 2)
        o.error[at] = errorOf(x, w, from[i])[lane] + missing;
      if (x.terms)
        o.error[at] = termsOf(from[i], lane).reach() + missing;
    }
}

/// c plus the products of k elements of a from `at` and of a column of b.
double Product::sum(const Operand &a, unsigned at, const Operand &b,
                    unsigned bAt, double c) const {
  double plain = c;
  int largest = exponentOf(c, -126);
  for (unsigned k = 0; k < s.k; ++k) {
    const double p = a.value[at + k] * b.value[bAt + k * s.n];
    plain += p;
    // Where one is not finite there are no exponents, and none is needed.
    if (p != 0 && std::isfinite(p))
      largest =
          std::max(largest, a.exponent[at + k] + b.exponent[bAt + k * s.n]);
  }
  if (!std::isfinite(plain)) // infinities and NaN need no alignment
    return plain;
  const int last = largest - 25;
  const double scale = powerOfTwo(-last);
  auto cut = [&](double v) { return static_cast<int64_t>(v * scale); };
  int64_t total = cut(c);
  for (unsigned k = 0; k < s.k; ++k)
    total += cut(a.value[at + k] * b.value[bAt + k * s.n]);
  return static_cast<double>(total) * powerOfTwo(last);
}

/// Whether all of some registers are zero in all lanes, with no sign.
bool Product::areZero(const int32_t *registers, unsigned count) const {
  for (unsigned i = 0; i < count; ++i) {
    const uint32_t *values = reg<uint32_t>(x, w, registers[i]);
    for (unsigned lane = 0; lane < warpSize; ++lane)
      if (values[lane])
        return false;
  }
  return true;
}

void Product::floats() {
  // Where only places matter, data are blank.
  if (!x.shadow && areZero(slotsA(), s.slotsA) && areZero(slotsB(), s.slotsB) &&
      areZero(slotsC(), s.slotsC)) {
    for (unsigned i = 0; i < s.slotsD; ++i)
      std::fill_n(reg<uint32_t>(x, w, slots[i]), warpSize, 0);
    return;
  }
  // Too large for the stack.
  std::unique_ptr<Operand[]> operands(new Operand[2]);
  Operand &a = operands[0], &b = operands[1];
  gather(a, s.a, slotsA(), s.slotsA, s.m, s.k, placeInA);
  gather(b, s.b, slotsB(), s.slotsB, s.k, s.n, placeInB);
  const unsigned copiesA = s.slotsA * warpSize / (s.m * s.k),
                 copiesB = s.slotsB * warpSize / (s.k * s.n);
  const FloatType ct = floatTypeOf(s.c), dt = floatTypeOf(s.d);
  double unit = 0x1p-23 * 1.5 * s.k;
  if (s.d == MatrixType::F16) // and a rounding after every eighth product
    unit += 0x1p-11 * std::max(1u, s.k / 8);
  unit += 3 * x.multiplyUnit + s.k * x.accumulateUnit; // what a contract allows
  if (x.field)
    x.field->note(FieldNote::Contraction,
                  "in which order tensor cores add, and how they round, is not "
                  "specified",
                  x.k->locations[I.loc]);
  for (unsigned i = 0; i < s.slotsD; ++i)
    for (unsigned lane = 0; lane < warpSize; ++lane) {
      const Place p = placeInC(s, lane, i);
      const unsigned at = p.column * copiesA / s.n * s.m * s.k + p.row * s.k;
      const unsigned bAt = p.row * copiesB / s.m * s.k * s.n + p.column;
      const int32_t from = slotsC()[i], to = slots[i];
      const double c = floatValue(ct + SV_H, regAddress(x, w, from), lane);
      double d = sum(a, at, b, bAt, c);
      if (s.d == MatrixType::F32 && std::isfinite(d))
        d = truncatedToFloat(d);
      storeFloat(dt, regAddress(x, w, to), lane, d);
      if (!x.shadow)
        continue;
      const double gc = shadowValueOf(x, w, from)[lane];
      double g = gc, magnitudes = std::fabs(gc),
             e = x.shadow == 2 ? errorOf(x, w, from)[lane] : 0;
      SumOfTerms terms;
      if (x.terms)
        terms = termsOf(from, lane);
      for (unsigned k = 0; k < s.k; ++k) {
        const double ga = a.shadowValue[at + k],
                     gb = b.shadowValue[bAt + k * s.n];
        g += ga * gb;
        magnitudes += std::fabs(ga * gb);
        if (x.shadow != 2 && !x.terms)
          continue;
        const double own =
            std::fabs(ga) * b.error[bAt + k * s.n] +
            (std::fabs(gb) + b.error[bAt + k * s.n]) * a.error[at + k];
        e += own;
        terms.error += own;
        terms.magnitude += std::fabs(ga * gb);
        // Cut off and not rounded: nothing averages out.
        terms.squares = HUGE_VAL;
      }
      if (x.field) {
        Field &f = *x.field;
        FieldValue r = fieldOf(from, lane, c, ct);
        uint64_t expression = Field::mix(unsigned(Op::MMA), r.expression);
        bool infinite = false;
        auto look = [&](const FieldValue &v) {
          infinite |= v.kind == FieldValue::PlusInfinity ||
                      v.kind == FieldValue::MinusInfinity;
          return v;
        };
        look(r);
        for (unsigned k = 0; k < s.k; ++k) {
          const FieldValue &fa = look(a.field[at + k]),
                           &fb = look(b.field[bAt + k * s.n]);
          expression += Field::mix(fa.expression, fb.expression);
          r = f.add(r, f.mul(fa, fb));
        }
        if (infinite)
          r = f.lost(FieldNote::Lost, "arithmetic with an infinity",
                     x.k->locations[I.loc]);
        r.expression = expression;
        r.type = fieldType(dt);
        errorOf(x, w, to)[lane] = bitsTo<double>(f.store(r));
      } else if (x.terms) {
        terms.units += static_cast<float>(unit);
        terms.additions += static_cast<float>(s.k);
        errorOf(x, w, to)[lane] = bitsTo<double>(x.terms->store(terms));
      } else if (x.shadow == 2) {
        errorOf(x, w, to)[lane] = std::isinf(g) ? 0 : e + unit * magnitudes;
      }
      shadowValueOf(x, w, to)[lane] = g;
    }
  if ((x.field && x.field->isFull()) || (x.terms && x.terms->isFull()))
    x.stop = true;
}

void Product::integers() {
  int32_t a[maxOperand], b[maxOperand];
  auto gatherBytes = [&](int32_t *out, MatrixType type, const int32_t *from,
                         unsigned count, unsigned columns, auto place) {
    for (unsigned i = 0; i < count * 4; ++i)
      for (unsigned lane = 0; lane < warpSize; ++lane) {
        const Place p = place(s, lane, i);
        const uint32_t byte =
            reg<uint32_t>(x, w, from[i / 4])[lane] >> i % 4 * 8 & 0xff;
        out[p.row * columns + p.column] = type == MatrixType::S8
                                              ? static_cast<int8_t>(byte)
                                              : static_cast<int32_t>(byte);
      }
  };
  gatherBytes(a, s.a, slotsA(), s.slotsA, s.k, placeInA);
  gatherBytes(b, s.b, slotsB(), s.slotsB, s.n, placeInB);
  for (unsigned i = 0; i < s.slotsD; ++i)
    for (unsigned lane = 0; lane < warpSize; ++lane) {
      const Place p = placeInC(s, lane, i);
      int64_t d = static_cast<int32_t>(reg<uint32_t>(x, w, slotsC()[i])[lane]);
      for (unsigned k = 0; k < s.k; ++k)
        d += int64_t(a[p.row * s.k + k]) * b[k * s.n + p.column];
      if (s.saturate)
        d = std::clamp<int64_t>(d, INT32_MIN, INT32_MAX);
      reg<uint32_t>(x, w, slots[i])[lane] = static_cast<uint32_t>(d);
    }
}

} // namespace

void matrixOp(Exec &x, Warp &w, const Inst &I, LaneMask mask) {
  if (mask != allLanes) {
    report(x, w, firstLane(mask), I, FindingKind::BarrierDivergence,
           "an operation on matrices needs all " + std::to_string(warpSize) +
               " lanes of its warp, and " + std::to_string(countLanes(mask)) +
               " take part");
    if (x.stop)
      return;
  }
  if (I.op == Op::MMA)
    Product(x, w, I).run();
  else
    matrixMemoryOp(x, w, I, mask);
}

} // namespace evo::sim
