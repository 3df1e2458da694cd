// Floats, their shadow values and errors. One template per operation over the
// four float types. Bits are rounded as the device rounds them; shadow values
// are the same operation in double, and of doubles what they lack
// (InterpDouble.h); errors follow the rules in Launch.h.
#ifndef EVO_LIB_SIMULATOR_INTERP_INTERPFLOAT_H
#define EVO_LIB_SIMULATOR_INTERP_INTERPFLOAT_H

#include "ErrorBound.h"
#include "InterpDouble.h"
#include "Rounded.h"
#include <limits>

namespace evo::sim {
namespace EVO_EXEC_ISA {
namespace { // NOLINT(misc-anonymous-namespace-in-header): private to one build

// Float types: L lane, C type computed in, u unit roundoff, eta half the
// smallest subnormal.
struct TS {
  using L = float;
  using C = float;
  static constexpr FloatType type = FT_S;
  static constexpr double u = 0x1p-24, eta = 0x1p-150;
  static constexpr bool keepsRest = false;
  EVO_INLINE C up(L v) { return v; }
  EVO_INLINE L down(C v) { return canonical(v); }
  EVO_INLINE L fma(L a, L b, L c) {
#ifdef __FMA__
    return canonical(__builtin_fmaf(a, b, c));
#else
    return canonical(static_cast<float>(
        addRoundToOdd(static_cast<double>(a) * static_cast<double>(b), c)));
#endif
  }
};
struct TD {
  using L = double;
  using C = double;
  static constexpr FloatType type = FT_D;
  static constexpr double u = 0x1p-53, eta = 0;
  static constexpr bool keepsRest = true;
  EVO_INLINE C up(L v) { return v; }
  EVO_INLINE L down(C v) { return canonical(v); }
  EVO_INLINE L fma(L a, L b, L c) { return canonical(__builtin_fma(a, b, c)); }
};
struct TH {
  using L = u32;
  using C = float;
  static constexpr FloatType type = FT_H;
  static constexpr double u = 0x1p-11, eta = 0x1p-25;
  static constexpr bool keepsRest = false;
  EVO_INLINE C up(L v) { return halfToFloat(v); }
  EVO_INLINE L down(C v) { return floatToHalf(v); }
  EVO_INLINE L fma(L a, L b, L c) {
    double p = static_cast<double>(up(a)) * static_cast<double>(up(b));
    return doubleToHalf(addRoundToOdd(p, static_cast<double>(up(c))));
  }
};
struct TB {
  using L = u32;
  using C = float;
  static constexpr FloatType type = FT_B;
  static constexpr double u = 0x1p-8, eta = 0x1p-134;
  static constexpr bool keepsRest = false;
  EVO_INLINE C up(L v) { return bfloatToFloat(v); }
  EVO_INLINE L down(C v) { return floatToBfloat(v); }
  EVO_INLINE L fma(L a, L b, L c) {
    double p = static_cast<double>(up(a)) * static_cast<double>(up(b));
    return doubleToBfloat(addRoundToOdd(p, static_cast<double>(up(c))));
  }
};

/// What rounding a product or quotient adds, by the standard model with
/// underflow: where results are subnormal their spacing no longer shrinks. Sums
/// are exact there.
EVO_INLINE double rounding(double r, double u, double eta) {
  return r == 0 ? 0 : u * mag(r) > eta ? u * mag(r) : eta;
}

/// What arithmetic that a contract allows adds to the error of a product whose
/// own unit roundoff is u: both operands and the product are rounded.
EVO_INLINE double allowedInProduct(const Frame &f, double u) {
  return f.multiplyUnit > u ? 3 * f.multiplyUnit : 0;
}
/// The same of a sum, which is rounded.
EVO_INLINE double allowedInSum(const Frame &f, double u) {
  return f.accumulateUnit > u ? f.accumulateUnit : 0;
}

/// How large a value may be that is known with an error. In a product the two
/// errors meet: the square of a difference that is zero is as much as that.
EVO_INLINE double reach(double value, double error) {
  return mag(value) + error;
}

struct FAddOp {
  template <class C> EVO_INLINE C bits(C a, C b) { return a + b; }
  EVO_INLINE double rest(double a, double b, double da, double db, double r) {
    return restOfSum(a, b, r) + (da + db);
  }
  EVO_INLINE double allowed(const Frame &f, double u) {
    return allowedInSum(f, u);
  }
  EVO_INLINE double err(double, double, double ea, double eb, double r,
                        double u, double) {
    return ea + eb + u * mag(r);
  }
};
struct FSubOp {
  template <class C> EVO_INLINE C bits(C a, C b) { return a - b; }
  EVO_INLINE double rest(double a, double b, double da, double db, double r) {
    return restOfSum(a, -b, r) + (da - db);
  }
  EVO_INLINE double allowed(const Frame &f, double u) {
    return allowedInSum(f, u);
  }
  EVO_INLINE double err(double, double, double ea, double eb, double r,
                        double u, double) {
    return ea + eb + u * mag(r);
  }
};
struct FMulOp {
  template <class C> EVO_INLINE C bits(C a, C b) { return a * b; }
  EVO_INLINE double rest(double a, double b, double da, double db, double r) {
    return __builtin_fma(a, b, -r) + (a * db + b * da);
  }
  EVO_INLINE double allowed(const Frame &f, double u) {
    return allowedInProduct(f, u);
  }
  EVO_INLINE double err(double a, double b, double ea, double eb, double r,
                        double u, double eta) {
    return mag(a) * eb + reach(b, eb) * ea + rounding(r, u, eta);
  }
};
struct FDivOp {
  template <class C> EVO_INLINE C bits(C a, C b) { return a / b; }
  EVO_INLINE double rest(double a, double b, double da, double db, double r) {
    return (__builtin_fma(-r, b, a) + (da - r * db)) / (b + db);
  }
  EVO_INLINE double allowed(const Frame &, double) { return 0; }
  EVO_INLINE double err(double, double b, double ea, double eb, double r,
                        double u, double eta) {
    return (ea + mag(r) * eb) / mag(b) + rounding(r, u, eta);
  }
};

/// The unit roundoff of one operation: a result that is not rounded to the
/// nearest number is off by up to twice as much.
EVO_INLINE double unitOf(double nearest, int rounding) {
  return rounding == 0 ? nearest : 2 * nearest;
}

EVO_INLINE void noteOverflows(const Frame &f, unsigned type,
                              const double *values) {
  if (__builtin_expect(f.overflows == nullptr, true))
    return;
  for (LaneMask lanes = f.mask; lanes; lanes &= lanes - 1)
    *f.overflows |= exceeds(type, values[firstLane(lanes)]);
}

template <class T, class O, int S>
EVO_INLINE void fp2(const Frame &f, const Inst &I) {
  using L = typename T::L;
  if (__builtin_expect(I.sub != 0, false))
    roundedArithmetic(I, at<L>(f, I.dst), at<L>(f, I.a), at<L>(f, I.b), nullptr,
                      f.mask);
  else
    map2<L, L, L>(
        f, I, [](L a, L b) { return T::down(O::bits(T::up(a), T::up(b))); });
  if constexpr (S >= 1) {
    const double *a = gh(f, I.a), *b = gh(f, I.b);
    double *d = gh(f, I.dst);
    // Magnitudes for the errors.
    const double *va = a, *vb = b, *vd = d;
    if constexpr (T::keepsRest) {
      va = at<double>(f, I.a), vb = at<double>(f, I.b);
      vd = at<double>(f, I.dst);
      shadowLoop(f, d, [=](unsigned i) {
        return settledRest(O::rest(va[i], vb[i], a[i], b[i], vd[i]));
      });
    } else {
      shadowLoop(f, d, [=](unsigned i) { return O::bits(a[i], b[i]); });
    }
    if constexpr (S == 2) {
      const double *ea = er(f, I.a), *eb = er(f, I.b);
      const double allowed = O::allowed(f, T::u), u = unitOf(T::u, I.sub),
                   eta = unitOf(T::eta, I.sub);
      shadowLoop(f, er(f, I.dst), [=](unsigned i) {
        const double error = O::err(va[i], vb[i], ea[i], eb[i], vd[i], u, eta) +
                             allowed * mag(vd[i]);
        return exactIfInfinite(vd[i], withOverflow(T::type, vd[i], error),
                               Known{va[i], ea[i]}, Known{vb[i], eb[i]});
      });
      noteOverflows(f, T::type, vd);
    }
  }
}

template <class T, int S> EVO_INLINE void fpFma(const Frame &f, const Inst &I) {
  using L = typename T::L;
  if (__builtin_expect(I.sub != 0, false))
    roundedArithmetic(I, at<L>(f, I.dst), at<L>(f, I.a), at<L>(f, I.b),
                      at<L>(f, I.c), f.mask);
  else
    map3<L, L, L, L>(f, I, [](L a, L b, L c) { return T::fma(a, b, c); });
  if constexpr (S >= 1) {
    const double *a = gh(f, I.a), *b = gh(f, I.b), *c = gh(f, I.c);
    double *d = gh(f, I.dst);
    const double *va = a, *vb = b, *vd = d;
    if constexpr (T::keepsRest) {
      va = at<double>(f, I.a), vb = at<double>(f, I.b);
      vd = at<double>(f, I.dst);
      const double *vc = at<double>(f, I.c);
      shadowLoop(f, d, [=](unsigned i) {
        return settledRest(restOfFma(va[i], vb[i], vc[i], vd[i]) +
                           (va[i] * b[i] + vb[i] * a[i] + c[i]));
      });
    } else {
      shadowLoop(f, d, [=](unsigned i) { return a[i] * b[i] + c[i]; });
    }
    if constexpr (S == 2) {
      const double *ea = er(f, I.a), *eb = er(f, I.b), *ec = er(f, I.c);
      const double *addend = T::keepsRest ? at<double>(f, I.c) : c;
      const double product = allowedInProduct(f, T::u),
                   sum = allowedInSum(f, T::u), u = unitOf(T::u, I.sub),
                   eta = unitOf(T::eta, I.sub);
      shadowLoop(f, er(f, I.dst), [=](unsigned i) {
        const double error = mag(va[i]) * eb[i] + reach(vb[i], eb[i]) * ea[i] +
                             ec[i] + rounding(vd[i], u, eta) +
                             product * mag(va[i] * vb[i]) + sum * mag(vd[i]);
        return exactIfInfinite(vd[i], withOverflow(T::type, vd[i], error),
                               Known{va[i], ea[i]}, Known{vb[i], eb[i]},
                               Known{addend[i], ec[i]});
      });
      noteOverflows(f, T::type, vd);
    }
  }
}

/// Sign operations: exact, on the representation.
template <class L, int S, class F, class G>
EVO_INLINE void fpSign1(const Frame &f, const Inst &I, F bits, G shadowValue) {
  map1<L, L>(f, I, bits);
  if constexpr (S >= 1) {
    const double *a = gh(f, I.a);
    if constexpr (sizeof(L) == 8) { // a rest follows the sign of its bits
      const L *va = at<L>(f, I.a), *vd = at<L>(f, I.dst);
      shadowLoop(f, gh(f, I.dst),
                 [=](unsigned i) { return va[i] == vd[i] ? a[i] : -a[i]; });
    } else {
      shadowLoop(f, gh(f, I.dst),
                 [=](unsigned i) { return shadowValue(a[i]); });
    }
    if constexpr (S == 2) {
      const double *ea = er(f, I.a);
      shadowLoop(f, er(f, I.dst), [=](unsigned i) { return ea[i]; });
    }
  }
}

template <class Float> EVO_INLINE bool isNaN(Float v) {
  return __builtin_isnan(v); // a function of <cmath> would be shared by builds
}

template <class T, int S>
EVO_INLINE void fpMinMax(const Frame &f, const Inst &I) {
  using L = typename T::L;
  L *d = at<L>(f, I.dst);
  const L *a = at<L>(f, I.a), *b = at<L>(f, I.b);
  const bool isMax = I.sub & 1, propagate = I.sub >= u8(MinMax::Minimum);
  EVO_BITS(f.mask) {
    typename T::C x = T::up(a[i]), y = T::up(b[i]);
    bool first;
    if (isNaN(x) || isNaN(y))
      first = propagate ? isNaN(x) : isNaN(y);
    else if (x == y) // equal values of different sign: -0 is the smaller
      first = __builtin_signbit(x) ? !isMax : isMax;
    else
      first = (x < y) != isMax;
    typename T::C v = first ? x : y;
    d[i] = !isNaN(v) ? (first ? a[i] : b[i]) : T::down(v);
    if constexpr (S >= 1)
      gh(f, I.dst)[i] = first ? gh(f, I.a)[i] : gh(f, I.b)[i];
    if constexpr (S >= 2)
      er(f, I.dst)[i] = first ? er(f, I.a)[i] : er(f, I.b)[i];
  }
}

template <class T, int S>
EVO_INLINE void fpCompare(const Frame &f, const Inst &I, Exec &x) {
  using L = typename T::L;
  const u32 p = I.sub;
  const u32 eq = p & 1, gt = (p >> 1) & 1, lt = (p >> 2) & 1, un = (p >> 3) & 1;
  auto decide = [=](auto a, auto b) -> u32 {
    return (a == b ? eq : 0u) | (a > b ? gt : 0u) | (a < b ? lt : 0u) |
           (isNaN(a) || isNaN(b) ? un : 0u);
  };
  map2<u32, L, L>(f, I,
                  [=](L a, L b) -> u32 { return decide(T::up(a), T::up(b)); });
  if constexpr (S >= 1) {
    const double *a = gh(f, I.a), *b = gh(f, I.b);
    const u32 *d = at<u32>(f, I.dst);
    u32 n = 0;
    if constexpr (T::keepsRest) {
      const double *va = at<double>(f, I.a), *vb = at<double>(f, I.b);
      EVO_LANES n +=
          (decide(differenceOf(va[i], a[i], vb[i], b[i]), 0.0) ^ d[i]) &
          ((f.mask >> i) & 1);
    } else {
      EVO_LANES n += (decide(a[i], b[i]) ^ d[i]) & ((f.mask >> i) & 1);
    }
    x.flips += n;
  }
}

template <int S>
EVO_INLINE void copyShadow(const Frame &f, int32_t dst, int32_t src) {
  if constexpr (S >= 1) {
    const double *a = gh(f, src);
    shadowLoop(f, gh(f, dst), [=](unsigned i) { return a[i]; });
  }
  if constexpr (S >= 2) {
    const double *a = er(f, src);
    shadowLoop(f, er(f, dst), [=](unsigned i) { return a[i]; });
  }
}

template <class L, int S>
EVO_INLINE void select(const Frame &f, const Inst &I, Exec &x, Warp &w) {
  map3<L, u32, L, L>(f, I, [](u32 c, L a, L b) { return c ? a : b; });
  if constexpr (S >= 1) {
    const unsigned kind = I.flags & SV_Mask;
    if (kind >= SV_H) {
      const u32 *c = at<u32>(f, I.a);
      const double *a = gh(f, I.b), *b = gh(f, I.c);
      shadowLoop(f, gh(f, I.dst),
                 [=](unsigned i) { return c[i] ? a[i] : b[i]; });
      if constexpr (S >= 2) {
        const double *ea = er(f, I.b), *eb = er(f, I.c);
        shadowLoop(f, er(f, I.dst),
                   [=](unsigned i) { return c[i] ? ea[i] : eb[i]; });
      }
    } else if (kind == SV_Packed) {
      packedShadows(x, w, I, f.mask);
    }
  }
}

} // namespace
} // namespace EVO_EXEC_ISA
} // namespace evo::sim

#endif
