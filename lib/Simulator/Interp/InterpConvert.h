// Between floats and integers. Rounded once, saturating as cvt does.
#ifndef EVO_LIB_SIMULATOR_INTERP_INTERPCONVERT_H
#define EVO_LIB_SIMULATOR_INTERP_INTERPCONVERT_H

#include "InterpFloat.h"
#include "InterpMemory.h"
#include "StoreFloat.h"

namespace evo::sim {
namespace EVO_EXEC_ISA {
namespace { // NOLINT(misc-anonymous-namespace-in-header): private to one build

EVO_INLINE double toDouble(unsigned type, const void *lanes, unsigned i) {
  return valueOf(type + SV_H, lanes, i);
}
template <int S> EVO_INLINE void fpConvert(const Frame &f, const Inst &I) {
  const unsigned from = I.sub & 15, to = I.sub >> 4;
  const void *a = at<u32>(f, I.a);
  void *d = at<u32>(f, I.dst);
  const auto direction = static_cast<Rounding>(I.imm);
  if (direction != Rounding::Nearest)
    EVO_BITS(f.mask)
  storeRounded(to, direction, d, i, toDouble(from, a, i));
  else if (from == FT_H && to == FT_S)
      map1<float, u32>(f, I, [](u32 v) { return canonical(halfToFloat(v)); });
  else if (from == FT_S && to == FT_H)
      map1<u32, float>(f, I, [](float v) { return floatToHalf(v); });
  else if (from == FT_B && to == FT_S)
      map1<float, u32>(f, I, [](u32 v) { return canonical(bfloatToFloat(v)); });
  else if (from == FT_S && to == FT_B)
      map1<u32, float>(f, I, [](float v) { return floatToBfloat(v); });
  else if (from == FT_S && to == FT_D)
      map1<double, float>(f, I, [](float v) { return canonical(double(v)); });
  else if (from == FT_D && to == FT_S)
      map1<float, double>(f, I, [](double v) { return canonical(float(v)); });
  else EVO_BITS(f.mask) storeFloat(to, d, i, toDouble(from, a, i));
  copyShadow<S>(f, I.dst, I.a);
  if constexpr (S >= 1) {
    double *g = gh(f, I.dst);
    if (from == FT_D && to != FT_D) {
      const double *v = at<double>(f, I.a);
      shadowLoop(f, g, [=](unsigned i) { return v[i] + g[i]; });
    } else if (to == FT_D && from != FT_D) {
      const double *v = at<double>(f, I.dst);
      shadowLoop(f, g, [=](unsigned i) { return settledRest(g[i] - v[i]); });
    }
  }
  // What the type that is left does not hold is rounded, or is subnormal. Of a
  // bfloat a half holds all digits, but not every magnitude.
  const bool holdsAll =
      to == from || to == FT_D || (to == FT_S && from != FT_D);
  if (S == 2 && !holdsAll) {
    const double u = unitRoundoff[to] > unitRoundoff[from]
                         ? unitOf(unitRoundoff[to], I.imm)
                         : 0;
    const double eta = unitOf(halfSubnormal[to], I.imm);
    const double *g = gh(f, I.dst), *e = er(f, I.a);
    const auto *made = at<u32>(f, I.dst);
    shadowLoop(f, er(f, I.dst), [=](unsigned i) {
      // A number of the narrower type is kept as it is: where values are
      // clamped to the largest, none is near to an overflow.
      if (to != FT_D && e[i] == 0 && toDouble(to, made, i) == g[i])
        return 0.0;
      return exactIfInfinite(
          g[i], withOverflow(to, g[i], e[i] + rounding(g[i], u, eta)),
          Known{g[i], e[i]});
    });
    noteOverflows(f, to, g);
  }
}

EVO_INLINE double roundedBy(double v, Rounding rounding) {
  switch (rounding) {
  case Rounding::Zero:
    return __builtin_trunc(v);
  case Rounding::Nearest:
    return __builtin_nearbyint(v);
  case Rounding::Down:
    return __builtin_floor(v);
  case Rounding::Up:
    return __builtin_ceil(v);
  }
  return v;
}

/// An integral number that the type does not hold, or NaN.
EVO_INLINE bool isBeyond(double v, bool isSigned, unsigned bits) {
  const double top = bitsTo<double>(u64(1023 + bits - isSigned) << 52);
  return !(v < top && v >= (isSigned ? -top : 0));
}

/// Saturating, as cvt does on the device.
EVO_INLINE u64 toInt(double v, bool isSigned, unsigned bits, u64 ofNaN) {
  const u64 keep = bits == 64 ? ~0ull : (1ull << bits) - 1;
  if (v != v)
    return ofNaN;
  if (isSigned) {
    double top = bitsTo<double>(u64(1023 + bits - 1) << 52); // 2^(bits-1)
    if (v >= top)
      return keep >> 1;
    if (v < -top)
      return (keep >> 1) + 1;
    return static_cast<u64>(static_cast<i64>(v)) & keep;
  }
  double top = bitsTo<double>(u64(1023 + bits) << 52);
  if (v >= top)
    return keep;
  return v <= 0 ? 0 : static_cast<u64>(v);
}

EVO_INLINE void fpToInt(Exec &x, const Warp &w, const Frame &f, const Inst &I) {
  const unsigned from = I.sub & 15, bits = static_cast<u32>(I.imm) >> 8;
  const bool isSigned = I.sub & 16, wide = I.sub & 32;
  const Rounding rounding = static_cast<Rounding>(I.imm & 255);
  const Beyond beyond = static_cast<Beyond>(I.sub >> beyondShift);
  const void *a = at<u32>(f, I.a);
  const bool keepsNaN = beyond == Beyond::AsCvt && (from == FT_D || bits == 64);
  const u64 ofNaN = keepsNaN ? 1ull << (bits - 1) : 0;
  EVO_BITS(f.mask) {
    const double number = roundedBy(toDouble(from, a, i), rounding);
    u64 v = toInt(number, isSigned, bits, ofNaN);
    if (beyond >= Beyond::Undefined && isBeyond(number, isSigned, bits)) {
      if (beyond == Beyond::Refused)
        reportBeyond(x, w, i, I, number);
      v = x.poison & ((1ull << bits) - 1);
    }
    if (wide)
      at<u64>(f, I.dst)[i] = v;
    else
      at<u32>(f, I.dst)[i] = static_cast<u32>(v);
  }
}

template <int S> EVO_INLINE void intToFp(const Frame &f, const Inst &I) {
  const unsigned to = I.sub & 15;
  const bool isSigned = I.sub & 16, wide = I.sub & 32;
  const auto rounding = static_cast<Rounding>(I.imm);
  if (rounding != Rounding::Nearest) {
    void *d = at<u32>(f, I.dst);
    EVO_BITS(f.mask) {
      using Wide = long double; // holds each of them
      const Wide v = wide ? (isSigned ? Wide(at<i64>(f, I.a)[i])
                                      : Wide(at<u64>(f, I.a)[i]))
                          : (isSigned ? Wide(at<i32>(f, I.a)[i])
                                      : Wide(at<u32>(f, I.a)[i]));
      storeRounded(to, rounding, d, i, v);
    }
  } else if (to == FT_S && !wide) {
    if (isSigned)
      map1<float, i32>(f, I, [](i32 v) { return float(v); });
    else
      map1<float, u32>(f, I, [](u32 v) { return float(v); });
  } else {
    void *d = at<u32>(f, I.dst);
    EVO_BITS(f.mask) {
      u64 raw = wide ? at<u64>(f, I.a)[i]
                     : (isSigned ? u64(i64(at<i32>(f, I.a)[i]))
                                 : u64(at<u32>(f, I.a)[i]));
      if (to == FT_S) // one rounding, not two
        static_cast<float *>(d)[i] =
            isSigned ? float(static_cast<i64>(raw)) : float(raw);
      else if (to == FT_D ||
               (isSigned ? i64(raw) >> 52 == 0 || ~(i64(raw) >> 52) == 0
                         : raw >> 52 == 0))
        storeFloat(to, d, i,
                   isSigned ? double(static_cast<i64>(raw)) : double(raw));
      else // beyond 2^52 a half is infinite, a bfloat needs the sticky bits
        storeFloat(to, d, i,
                   isSigned ? addRoundToOdd(double(i64(raw) & ~i64(0xfff)),
                                            double(raw & 0xfff))
                            : addRoundToOdd(double(raw & ~u64(0xfff)),
                                            double(raw & 0xfff)));
    }
  }
  if constexpr (S >= 1) {
    double *g = gh(f, I.dst);
    EVO_BITS(f.mask)
    g[i] = wide ? (isSigned ? double(at<i64>(f, I.a)[i])
                            : double(at<u64>(f, I.a)[i]))
                : (isSigned ? double(at<i32>(f, I.a)[i])
                            : double(at<u32>(f, I.a)[i]));
    if (to == FT_D)
      EVO_BITS(f.mask) {
        using Wide = __int128;
        double rest = 0; // only a long integer is rounded
        if (wide)
          rest = double(
              (isSigned ? Wide(at<i64>(f, I.a)[i]) : Wide(at<u64>(f, I.a)[i])) -
              Wide(at<double>(f, I.dst)[i]));
        g[i] = rest;
      }
    if constexpr (S == 2)
      EVO_BITS(f.mask) {
        const double v = toDouble(to, at<u32>(f, I.dst), i);
        const bool isExact = to == FT_D ? g[i] == 0 : v == g[i];
        er(f, I.dst)[i] =
            isExact ? 0
                    : withOverflow(to, to == FT_D ? 0 : g[i],
                                   unitOf(unitRoundoff[to], I.imm) * mag(v));
      }
  }
}

} // namespace
} // namespace EVO_EXEC_ISA
} // namespace evo::sim

#endif
