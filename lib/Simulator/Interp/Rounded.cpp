// Directed rounding. Sums, products, quotients and roots are left to the host's
// arithmetic in that mode, which is right where a test of the nearest result's
// error is not: where the error itself underflows. Operands and results are
// volatile, so that no operation moves out of the scope that sets the mode.
#include "Rounded.h"
#include "Simulator/IR/Numeric.h"
#include "StoreFloat.h"
#include <cfenv>
#include <cmath>

namespace evo::sim {
namespace {

class RoundingScope {
public:
  explicit RoundingScope(Rounding rounding) : before(std::fegetround()) {
    static constexpr int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD,
                                    FE_UPWARD};
    std::fesetround(modes[static_cast<unsigned>(rounding)]);
  }
  ~RoundingScope() { std::fesetround(before); }
  RoundingScope(const RoundingScope &) = delete;
  RoundingScope &operator=(const RoundingScope &) = delete;

private:
  const int before;
};

template <class Real>
void computeLanes(Op first, const Inst &inst, void *d, const void *a,
                  const void *b, const void *c, LaneMask mask) {
  auto lanes = [](const void *p) { return static_cast<const Real *>(p); };
  const auto form = static_cast<Op>(static_cast<unsigned>(inst.op) -
                                    static_cast<unsigned>(first) +
                                    static_cast<unsigned>(Op::FADD_S));
  RoundingScope scope(static_cast<Rounding>(inst.sub));
  EVO_BITS(mask) {
    volatile Real x = lanes(a)[i], y = lanes(b)[i];
    volatile Real z = c ? lanes(c)[i] : 0;
    volatile Real r;
    switch (form) {
    case Op::FADD_S:
      r = x + y;
      break;
    case Op::FSUB_S:
      r = x - y;
      break;
    case Op::FMUL_S:
      r = x * y;
      break;
    case Op::FDIV_S:
      r = x / y;
      break;
    default:
      r = std::fma(Real(x), Real(y), Real(z));
    }
    static_cast<Real *>(d)[i] = canonical(Real(r));
  }
}

/// The bits of a narrow or f32 number's neighbour, away from zero or towards
/// it.
uint32_t neighbour(uint32_t bits, bool away) {
  return away ? bits + 1 : bits - 1;
}

/// Whether a nearest number, `near`, has to give way to a neighbour, and which.
/// `near` may be infinite where `v` is not.
enum class Step { None, Away, Towards };
Step stepOf(long double near, long double v, Rounding rounding) {
  if (near == v || v != v || std::isinf(v))
    return Step::None;
  const bool isLarger = std::fabs(near) > std::fabs(v);
  const bool isNegative = std::signbit(v);
  const bool towards =
      rounding == Rounding::Zero || (rounding == Rounding::Down) != isNegative;
  if (towards)
    return isLarger ? Step::Towards : Step::None;
  return isLarger ? Step::None : Step::Away;
}

/// The double nearest to `v`, made odd where it is not exact: rounding that to
/// any narrower type gives what rounding `v` itself does.
double oddDouble(long double v) {
  const double r = static_cast<double>(v);
  if (r == v || v != v || std::isinf(v))
    return r;
  uint64_t bits = bitsTo<uint64_t>(r);
  if (!(bits & 1))
    bits += std::fabs(static_cast<long double>(r)) < std::fabs(v) ? 1 : -1;
  return bitsTo<double>(bits);
}

} // namespace

void roundedArithmetic(const Inst &inst, void *d, const void *a, const void *b,
                       const void *c, LaneMask mask) {
  const bool isWide =
      (static_cast<unsigned>(inst.op) - static_cast<unsigned>(Op::FADD_S)) %
          4 ==
      1;
  if (isWide)
    computeLanes<double>(Op::FADD_D, inst, d, a, b, c, mask);
  else
    computeLanes<float>(Op::FADD_S, inst, d, a, b, c, mask);
}

double roundedRoot(unsigned type, Rounding rounding, double x) {
  RoundingScope scope(rounding);
  if (type == FT_D) {
    volatile double v = x;
    volatile double r = std::sqrt(double(v));
    return r;
  }
  volatile float v = static_cast<float>(x);
  volatile float r = std::sqrt(float(v));
  return static_cast<double>(float(r));
}

void storeRounded(unsigned type, Rounding rounding, void *lanes, unsigned lane,
                  long double v) {
  if (type == FT_D) {
    double r = static_cast<double>(v);
    const Step step = stepOf(r, v, rounding);
    if (step != Step::None)
      r = bitsTo<double>(bitsTo<uint64_t>(r) + (step == Step::Away ? 1 : -1));
    static_cast<double *>(lanes)[lane] = canonical(r);
    return;
  }
  storeFloat(type, lanes, lane, oddDouble(v));
  uint32_t *bits = static_cast<uint32_t *>(lanes) + lane;
  const float near = type == FT_H   ? halfToFloat(*bits)
                     : type == FT_B ? bfloatToFloat(*bits)
                                    : bitsTo<float>(*bits);
  const Step step = stepOf(near, v, rounding);
  if (step != Step::None)
    *bits = neighbour(*bits, step == Step::Away);
}

} // namespace evo::sim
