// Terms of executed operations. One call after each instruction, in the mode
// that carries them. Values and magnitudes are those of the shadow values;
// what each operation adds to an error is what the mode with errors adds
// (Launch.h), but that the errors of sums are those of any order.
#include "Simulator/Interp/Cold.h"
#include "Simulator/Interp/FunctionCall.h"
#include <algorithm>

namespace evo::sim {

TermsArena::Handle TermsArena::store(const SumOfTerms &terms) {
  if (isFull())
    return 0;
  if (count % chunkSize == 0)
    chunks.push_back(std::make_unique<SumOfTerms[]>(chunkSize));
  chunks.back()[count % chunkSize] = terms;
  return firstHandle + count++;
}

namespace {

/// The float forms of an opcode follow each other as _S, _D, _H, _B.
unsigned typeOf(Op op, Op first) {
  static const uint8_t types[] = {FT_S, FT_D, FT_H, FT_B};
  return types[unsigned(op) - unsigned(first)];
}

/// An operand: its value by exact arithmetic, and its terms.
struct Value {
  double value;
  SumOfTerms terms;
  bool isExactZero() const { return value == 0 && terms.reach() == 0; }
};

SumOfTerms joined(const SumOfTerms &a, const SumOfTerms &b, double unit) {
  return {a.error + b.error,
          a.magnitude + b.magnitude,
          a.squares + b.squares,
          static_cast<float>(a.units + b.units + unit),
          a.additions + b.additions + 1,
          std::max(a.within, b.within)};
}

class TermsStep {
public:
  TermsStep(Exec &x, Warp &w, const Inst &I, LaneMask mask)
      : x(x), w(w), I(I), mask(mask), arena(*x.terms) {}
  void run();

private:
  Exec &x;
  Warp &w;
  const Inst &I;
  const LaneMask mask;
  TermsArena &arena;

  TermsArena::Handle *handles(int32_t u) {
    return reinterpret_cast<TermsArena::Handle *>(errorOf(x, w, u));
  }
  double valueOf(int32_t u, unsigned type, unsigned lane) {
    return type == FT_D ? floatValue(SV_D, regAddress(x, w, u), lane)
                        : shadowValueOf(x, w, u)[lane];
  }
  Value operand(int32_t u, unsigned type, unsigned lane) {
    const double value = valueOf(u, type, lane);
    const TermsArena::Handle h = handles(u)[lane];
    return {value, arena.holds(h) ? arena.at(h) : SumOfTerms::term(value, 0)};
  }
  void result(unsigned lane, const SumOfTerms &terms) {
    handles(I.dst)[lane] = arena.store(terms);
  }
  template <class F> void each(unsigned type, F terms) {
    EVO_BITS(mask) result(i, terms(i, valueOf(I.dst, type, i)));
  }
  double unit(unsigned type) const {
    return unitRoundoff[type] * (I.sub ? 2 : 1);
  }
  double rounding(unsigned type, double r) const {
    return r == 0 ? 0
                  : std::max(unit(type) * std::fabs(r),
                             halfSubnormal[type] * (I.sub ? 2 : 1));
  }
  double allowedInProduct(unsigned type) const {
    return x.multiplyUnit > unitRoundoff[type] ? 3 * x.multiplyUnit : 0;
  }
  /// Of an addition, what a contract allows included.
  double unitOfSum(unsigned type) const {
    return std::max(unit(type), x.accumulateUnit);
  }
  void sum(unsigned type);
  void product(unsigned type);
  void quotient(unsigned type);
  void fma(unsigned type);
  void choose(unsigned type);
  void convert();
  void fromInteger();
  void function();
};

/// One term, of which these are factors.
SumOfTerms termOf(const Value &a, const Value &b, double value, double error) {
  SumOfTerms result = SumOfTerms::term(value, error);
  result.within = std::max(a.terms.within + a.terms.additions,
                           b.terms.within + b.terms.additions);
  return result;
}

double errorOfProduct(const Value &a, const Value &b) {
  const double ea = a.terms.reach(), eb = b.terms.reach();
  return std::fabs(a.value) * eb + (std::fabs(b.value) + eb) * ea;
}

void TermsStep::sum(unsigned type) {
  each(type, [&](unsigned i, double) {
    const Value a = operand(I.a, type, i), b = operand(I.b, type, i);
    if (a.isExactZero()) // adding a zero rounds nothing in any order
      return b.terms;
    if (b.isExactZero())
      return a.terms;
    return joined(a.terms, b.terms, unitOfSum(type));
  });
}

void TermsStep::product(unsigned type) {
  each(type, [&](unsigned i, double r) {
    const Value a = operand(I.a, type, i), b = operand(I.b, type, i);
    return termOf(a, b, r,
                  errorOfProduct(a, b) + rounding(type, r) +
                      allowedInProduct(type) * std::fabs(r));
  });
}

void TermsStep::quotient(unsigned type) {
  each(type, [&](unsigned i, double r) {
    const Value a = operand(I.a, type, i), b = operand(I.b, type, i);
    return termOf(a, b, r,
                  (a.terms.reach() + std::fabs(r) * b.terms.reach()) /
                          std::fabs(b.value) +
                      rounding(type, r));
  });
}

void TermsStep::fma(unsigned type) {
  each(type, [&](unsigned i, double) {
    const Value a = operand(I.a, type, i), b = operand(I.b, type, i),
                c = operand(I.c, type, i);
    const double p = a.value * b.value;
    const SumOfTerms term =
        termOf(a, b, p,
               errorOfProduct(a, b) + allowedInProduct(type) * std::fabs(p) +
                   (p == 0 ? 0 : halfSubnormal[type]));
    return joined(c.terms, term, unitOfSum(type));
  });
}

/// A minimum or maximum is the operand that the bits chose. In another order it
/// may be the other one, which matters where that one may be further off.
void TermsStep::choose(unsigned type) {
  const bool isMax = I.sub & 1, propagate = I.sub >= uint8_t(MinMax::Minimum);
  EVO_BITS(mask) {
    const double v = floatValue(type + SV_H, regAddress(x, w, I.a), i),
                 u = floatValue(type + SV_H, regAddress(x, w, I.b), i);
    bool first;
    if (v != v || u != u)
      first = propagate ? v != v : u != u;
    else
      first = v == u ? std::signbit(v) != isMax : (v < u) != isMax;
    const int32_t chosen = first ? I.a : I.b, other = first ? I.b : I.a;
    const Value is = operand(chosen, type, i),
                mightBe = operand(other, type, i);
    const bool isFurtherOff =
        mightBe.terms.reach() >
        is.terms.reach() + std::fabs(is.value - mightBe.value);
    handles(I.dst)[i] = handles(isFurtherOff ? other : chosen)[i];
  }
}

void TermsStep::convert() {
  const unsigned from = I.sub & 15, to = I.sub >> 4;
  const bool holdsAll =
      to == from || to == FT_D || (to == FT_S && from != FT_D);
  const double nearest =
      unitRoundoff[to] > unitRoundoff[from] ? unitRoundoff[to] : 0;
  each(from, [&](unsigned i, double) {
    Value a = operand(I.a, from, i);
    if (!holdsAll && a.value != 0)
      a.terms.error +=
          std::max(nearest * std::fabs(a.value), halfSubnormal[to]) *
          (I.imm ? 2 : 1);
    return a.terms;
  });
}

void TermsStep::fromInteger() {
  const unsigned to = I.sub & 15;
  each(to, [&](unsigned i, double r) {
    const double bits = floatValue(to + SV_H, regAddress(x, w, I.dst), i);
    const bool isExact =
        to == FT_D ? shadowValueOf(x, w, I.dst)[i] == 0 : bits == r;
    return SumOfTerms::term(r,
                            isExact ? 0 : 2 * unitRoundoff[to] * std::fabs(r));
  });
}

void TermsStep::function() {
  const FunctionCall call(I);
  each(call.type, [&](unsigned i, double r) {
    const Value a = operand(I.a, call.type, i);
    Known b{0, 0};
    int n = 0;
    if (call.form == FunctionCall::MathInt)
      n = reg<int32_t>(x, w, I.b)[i];
    else if (I.b != noOperand) {
      const Value second = operand(I.b, call.type, i);
      b = {second.value, second.terms.reach()};
    }
    return SumOfTerms::term(r, call.error({a.value, a.terms.reach()}, b, n, r));
  });
}

void TermsStep::run() {
  switch (I.op) {
#define EACH(N)                                                                \
  case Op::N##_S:                                                              \
  case Op::N##_D:                                                              \
  case Op::N##_H:                                                              \
  case Op::N##_B
    EACH(FADD) : return sum(typeOf(I.op, Op::FADD_S));
    EACH(FSUB) : return sum(typeOf(I.op, Op::FSUB_S));
    EACH(FMUL) : return product(typeOf(I.op, Op::FMUL_S));
    EACH(FDIV) : return quotient(typeOf(I.op, Op::FDIV_S));
    EACH(FMA) : return fma(typeOf(I.op, Op::FMA_S));
    EACH(FMINMAX) : return choose(typeOf(I.op, Op::FMINMAX_S));
    EACH(FNEG) : EACH(FABS) : EACH(COPYSIGN) : {
      EVO_BITS(mask) handles(I.dst)[i] = handles(I.a)[i];
      return;
    }
    EACH(MATH1) : EACH(MATH2) : EACH(FREM) : EACH(MATHINT) : return function();
#undef EACH
  case Op::FPCVT:
    return convert();
  case Op::ITOFP:
    return fromInteger();
  case Op::MOV_I:
  case Op::MOV_L:
    if ((I.flags & SV_Mask) >= SV_H && I.sub == SV_None)
      EVO_BITS(mask) handles(I.dst)[i] = 0;
    return;
  default:
    return;
  }
}

} // namespace

void termsOp(Exec &x, Warp &w, const Inst &I, LaneMask mask) {
  TermsStep(x, w, I, mask).run();
  if (x.terms->isFull())
    x.stop = true;
}

double termsAtomic(Exec &x, FloatType type, const Tagged &oldTag,
                   double oldValue, const Tagged &newTag, double newValue) {
  auto termsOf = [&](const Tagged &t, double value) {
    const auto h = bitsTo<TermsArena::Handle>(t.error);
    return x.terms->holds(h) ? x.terms->at(h) : SumOfTerms::term(value, 0);
  };
  const double unit = std::max(unitRoundoff[type], x.accumulateUnit);
  return bitsTo<double>(x.terms->store(
      joined(termsOf(oldTag, oldValue), termsOf(newTag, newValue), unit)));
}

} // namespace evo::sim
