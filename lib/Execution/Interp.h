//===- Interp.h - The hot loop ----------------------------------*- C++ -*-===//
//
// Executes the bytecode of one warp. Included by one file per instruction set,
// which names a namespace for it (EVO_EXEC_ISA), since the same template built
// twice with different flags must not be merged by the linker. Instantiated for
// each shadow mode S (0 none, 1 ghost, 2 ghost and error), so that shadows not
// asked for cost nothing; counting is one predictable branch per instruction
// rather than a second copy of everything.
//
// Speed comes from three habits: every operation is a loop of 32 typed lanes
// that the compiler turns into vector code; a group that holds all live lanes
// ("full") runs these loops unmasked, since dead lanes may hold anything; and a
// memory instruction checks region, bounds and alignment of 32 addresses in one
// vector loop before it touches memory. Compiled with -ffp-contract=off, so
// both builds round alike; NaN results are canonical as on the device, which
// hides the only other difference, the payload.
//
//===----------------------------------------------------------------------===//

#include "Exec.h"
#include "Math.h"
#include "Numeric.h"
#include <immintrin.h>

#define EVO_INLINE static inline __attribute__((always_inline))
#if defined(__clang__)
#define EVO_LANES                                                              \
  _Pragma("clang loop vectorize(assume_safety)") for (unsigned i = 0; i < 32;  \
                                                      ++i)
#else
#define EVO_LANES _Pragma("GCC ivdep") for (unsigned i = 0; i < 32; ++i)
#endif
#define EVO_BITS(M)                                                            \
  for (uint32_t m_ = (M), i = 0; m_ && (i = __builtin_ctz(m_), true);          \
       m_ &= m_ - 1)

namespace evo::exec {
namespace EVO_EXEC_ISA {
namespace {

using u8 = uint8_t;
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;
using i32 = int32_t;
using i64 = int64_t;

/// Where operands of the current group lie, and which lanes it has.
struct Frame {
  char *reg[2];
  double *ghost[2], *error[2];
  u32 mask;
  bool full; ///< all live lanes: lanes outside may be overwritten
  i32 lane[32];
};

template <class T> EVO_INLINE T *at(const Frame &f, int32_t u) {
  return reinterpret_cast<T *>(f.reg[static_cast<u32>(u) >> 31] +
                               static_cast<ptrdiff_t>(u) * 128);
}
EVO_INLINE double *gh(const Frame &f, int32_t u, unsigned pos = 0) {
  return f.ghost[static_cast<u32>(u) >> 31] + static_cast<ptrdiff_t>(u) * 64 +
         pos * 32;
}
EVO_INLINE double *er(const Frame &f, int32_t u, unsigned pos = 0) {
  return f.error[static_cast<u32>(u) >> 31] + static_cast<ptrdiff_t>(u) * 64 +
         pos * 32;
}

EVO_INLINE void setMask(Frame &f, const Warp &w, u32 mask) {
  f.mask = mask;
  f.full = mask == w.live;
  if (!f.full)
    EVO_LANES f.lane[i] = -static_cast<i32>((mask >> i) & 1);
}

// Elementwise loops. `cheap` functions are evaluated on all lanes and blended.
template <class D, class A, class F>
EVO_INLINE void map1(const Frame &f, const Inst &I, F fn) {
  D *d = at<D>(f, I.dst);
  const A *a = at<A>(f, I.a);
  if (f.full)
    EVO_LANES d[i] = fn(a[i]);
  else
    EVO_LANES {
      D v = fn(a[i]);
      d[i] = f.lane[i] ? v : d[i];
    }
}
template <class D, class A, class B, class F>
EVO_INLINE void map2(const Frame &f, const Inst &I, F fn) {
  D *d = at<D>(f, I.dst);
  const A *a = at<A>(f, I.a);
  const B *b = at<B>(f, I.b);
  if (f.full)
    EVO_LANES d[i] = fn(a[i], b[i]);
  else
    EVO_LANES {
      D v = fn(a[i], b[i]);
      d[i] = f.lane[i] ? v : d[i];
    }
}
template <class D, class A, class B, class E, class F>
EVO_INLINE void map3(const Frame &f, const Inst &I, F fn) {
  D *d = at<D>(f, I.dst);
  const A *a = at<A>(f, I.a);
  const B *b = at<B>(f, I.b);
  const E *c = at<E>(f, I.c);
  if (f.full)
    EVO_LANES d[i] = fn(a[i], b[i], c[i]);
  else
    EVO_LANES {
      D v = fn(a[i], b[i], c[i]);
      d[i] = f.lane[i] ? v : d[i];
    }
}
// The same for shadows, whose operands are doubles.
template <class F> EVO_INLINE void shadowLoop(const Frame &f, double *d, F fn) {
  if (f.full)
    EVO_LANES d[i] = fn(i);
  else
    EVO_LANES {
      double v = fn(i);
      d[i] = f.lane[i] ? v : d[i];
    }
}

EVO_INLINE double mag(double v) { return __builtin_fabs(v); }

// Float types: L lane, C type computed in, u unit roundoff.
struct TS {
  using L = float;
  using C = float;
  static constexpr double u = 0x1p-24;
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
  static constexpr double u = 0x1p-53;
  EVO_INLINE C up(L v) { return v; }
  EVO_INLINE L down(C v) { return canonical(v); }
  EVO_INLINE L fma(L a, L b, L c) { return canonical(__builtin_fma(a, b, c)); }
};
struct TH {
  using L = u32;
  using C = float;
  static constexpr double u = 0x1p-11;
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
  static constexpr double u = 0x1p-8;
  EVO_INLINE C up(L v) { return bfloatToFloat(v); }
  EVO_INLINE L down(C v) { return floatToBfloat(v); }
  EVO_INLINE L fma(L a, L b, L c) {
    double p = static_cast<double>(up(a)) * static_cast<double>(up(b));
    return doubleToBfloat(addRoundToOdd(p, static_cast<double>(up(c))));
  }
};

struct FAddOp {
  template <class C> EVO_INLINE C bits(C a, C b) { return a + b; }
  EVO_INLINE double err(double, double, double ea, double eb, double r,
                        double u) {
    return ea + eb + u * mag(r);
  }
};
struct FSubOp {
  template <class C> EVO_INLINE C bits(C a, C b) { return a - b; }
  EVO_INLINE double err(double, double, double ea, double eb, double r,
                        double u) {
    return ea + eb + u * mag(r);
  }
};
struct FMulOp {
  template <class C> EVO_INLINE C bits(C a, C b) { return a * b; }
  EVO_INLINE double err(double a, double b, double ea, double eb, double r,
                        double u) {
    return mag(a) * eb + mag(b) * ea + u * mag(r);
  }
};
struct FDivOp {
  template <class C> EVO_INLINE C bits(C a, C b) { return a / b; }
  EVO_INLINE double err(double, double b, double ea, double eb, double r,
                        double u) {
    return (ea + mag(r) * eb) / mag(b) + u * mag(r);
  }
};

template <class T, class O, int S>
EVO_INLINE void fp2(const Frame &f, const Inst &I) {
  using L = typename T::L;
  map2<L, L, L>(f, I,
                [](L a, L b) { return T::down(O::bits(T::up(a), T::up(b))); });
  if constexpr (S >= 1) {
    const double *a = gh(f, I.a), *b = gh(f, I.b);
    double *d = gh(f, I.dst);
    shadowLoop(f, d, [=](unsigned i) { return O::bits(a[i], b[i]); });
    if constexpr (S == 2) {
      const double *ea = er(f, I.a), *eb = er(f, I.b);
      shadowLoop(f, er(f, I.dst), [=](unsigned i) {
        return O::err(a[i], b[i], ea[i], eb[i], d[i], T::u);
      });
    }
  }
}

template <class T, int S> EVO_INLINE void fpFma(const Frame &f, const Inst &I) {
  using L = typename T::L;
  map3<L, L, L, L>(f, I, [](L a, L b, L c) { return T::fma(a, b, c); });
  if constexpr (S >= 1) {
    const double *a = gh(f, I.a), *b = gh(f, I.b), *c = gh(f, I.c);
    double *d = gh(f, I.dst);
    shadowLoop(f, d, [=](unsigned i) { return a[i] * b[i] + c[i]; });
    if constexpr (S == 2) {
      const double *ea = er(f, I.a), *eb = er(f, I.b), *ec = er(f, I.c);
      shadowLoop(f, er(f, I.dst), [=](unsigned i) {
        return mag(a[i]) * eb[i] + mag(b[i]) * ea[i] + ec[i] + T::u * mag(d[i]);
      });
    }
  }
}

/// Sign operations: exact, on the representation.
template <class L, int S, class F, class G>
EVO_INLINE void fpSign1(const Frame &f, const Inst &I, F bits, G ghost) {
  map1<L, L>(f, I, bits);
  if constexpr (S >= 1) {
    const double *a = gh(f, I.a);
    shadowLoop(f, gh(f, I.dst), [=](unsigned i) { return ghost(a[i]); });
    if constexpr (S == 2) {
      const double *ea = er(f, I.a);
      shadowLoop(f, er(f, I.dst), [=](unsigned i) { return ea[i]; });
    }
  }
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
    if (x != x || y != y)
      first = propagate ? x != x : y != y;
    else if (x == y) // equal values of different sign: -0 is the smaller
      first = __builtin_signbit(x) ? !isMax : isMax;
    else
      first = (x < y) != isMax;
    typename T::C v = first ? x : y;
    d[i] = v == v ? (first ? a[i] : b[i]) : T::down(v);
    if constexpr (S >= 1)
      gh(f, I.dst)[i] = first ? gh(f, I.a)[i] : gh(f, I.b)[i];
    if constexpr (S == 2)
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
           (a != a || b != b ? un : 0u);
  };
  map2<u32, L, L>(f, I,
                  [=](L a, L b) -> u32 { return decide(T::up(a), T::up(b)); });
  if constexpr (S >= 1) {
    const double *a = gh(f, I.a), *b = gh(f, I.b);
    const u32 *d = at<u32>(f, I.dst);
    u32 n = 0;
    EVO_LANES n += (decide(a[i], b[i]) ^ d[i]) & ((f.mask >> i) & 1);
    x.flips += n;
  }
}

template <int S>
EVO_INLINE void copyShadow(const Frame &f, int32_t dst, int32_t src) {
  if constexpr (S >= 1) {
    const double *a = gh(f, src);
    shadowLoop(f, gh(f, dst), [=](unsigned i) { return a[i]; });
  }
  if constexpr (S == 2) {
    const double *a = er(f, src);
    shadowLoop(f, er(f, dst), [=](unsigned i) { return a[i]; });
  }
}

template <class L, int S>
EVO_INLINE void select(const Frame &f, const Inst &I, Exec &x, Warp &w) {
  map3<L, u32, L, L>(f, I, [](u32 c, L a, L b) { return c ? a : b; });
  if constexpr (S >= 1) {
    const unsigned kind = I.flags & GK_Mask;
    if (kind >= GK_H) {
      const u32 *c = at<u32>(f, I.a);
      const double *a = gh(f, I.b), *b = gh(f, I.c);
      shadowLoop(f, gh(f, I.dst),
                 [=](unsigned i) { return c[i] ? a[i] : b[i]; });
      if constexpr (S == 2) {
        const double *ea = er(f, I.b), *eb = er(f, I.c);
        shadowLoop(f, er(f, I.dst),
                   [=](unsigned i) { return c[i] ? ea[i] : eb[i]; });
      }
    } else if (kind == GK_Packed) {
      packedGhosts(x, w, I, f.mask);
    }
  }
}

/// Lanes whose 32-bit value is odd.
EVO_INLINE u32 oddLanes(const u32 *c) {
  u32 r = 0;
#ifdef __AVX2__
  for (unsigned j = 0; j < 4; ++j) {
    __m256i v =
        _mm256_loadu_si256(reinterpret_cast<const __m256i *>(c + 8 * j));
    r |= static_cast<u32>(
             _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_slli_epi32(v, 31))))
         << 8 * j;
  }
#else
  for (unsigned j = 0; j < 8; ++j) {
    __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i *>(c + 4 * j));
    r |= static_cast<u32>(
             _mm_movemask_ps(_mm_castsi128_ps(_mm_slli_epi32(v, 31))))
         << 4 * j;
  }
#endif
  return r;
}

// Memory --------------------------------------------------------------------

/// Checks all lanes at once. False: some lane faults, or lanes are in several
/// regions; then the slow path sorts it out.
EVO_INLINE bool prepare(const Exec &x, const Warp &w, const Frame &f,
                        const Inst &I, u64 total, u64 alignMask, bool write,
                        Access &A) {
  const u64 *addr = at<u64>(f, I.a);
  const u64 disp = static_cast<u64>(static_cast<i64>(I.imm));
  const u64 a0 = addr[__builtin_ctz(f.mask)] + disp;
  const u64 space = a0 >> 60, index = (a0 >> 40) & 0xfffff;
  if (index >= x.counts[space])
    return false;
  const Region &r = x.tables[space][index];
  if (r.bytes < total || (write && r.readOnly))
    return false;
  const u64 limit = r.bytes - total, base = r.address - disp;
  const u64 o0 = a0 - r.address;
  u64 bad = 0, misaligned = 0, apart = 0;
  if (f.mask == ~0u) {
    EVO_LANES {
      u64 o = addr[i] - base;
      A.offset[i] = o;
      bad |= o | (limit - o);
      misaligned |= addr[i] + disp;
      apart |= (o - o0) ^ (i * total);
    }
  } else {
    apart = 1;
    for (unsigned i = 0; i < 32; ++i) {
      u64 a = (f.mask >> i) & 1 ? addr[i] + disp : a0;
      u64 o = a - r.address;
      A.offset[i] = o;
      bad |= o | (limit - o);
      misaligned |= a;
    }
  }
  if (static_cast<i64>(bad) < 0 || (misaligned & alignMask))
    return false;
  A.region = &r;
  A.contiguous = apart == 0 && !r.laneStride;
  A.gatherable = (r.laneStride ? r.laneStride * 1024 : r.bytes) < (1u << 31);
  if (r.laneStride)
    EVO_LANES A.offset[i] += (u64(w.index) * 32 + i) * r.laneStride;
  return true;
}

#ifdef __AVX2__
/// Offsets of lanes 8 j .. 8 j + 7, plus `add`, as 32-bit integers.
EVO_INLINE __m256i offsets32(const Access &A, unsigned j, u64 add) {
  const __m256i *p = reinterpret_cast<const __m256i *>(A.offset + 8 * j);
  __m256 lo = _mm256_castsi256_ps(_mm256_loadu_si256(p)),
         hi = _mm256_castsi256_ps(_mm256_loadu_si256(p + 1));
  __m256i even = _mm256_castps_si256(_mm256_shuffle_ps(lo, hi, 0x88));
  return _mm256_add_epi32(_mm256_permute4x64_epi64(even, 0xd8),
                          _mm256_set1_epi32(static_cast<int>(add)));
}
#endif

/// True when every byte of every lane's access has been written; may say false
/// without being sure (the caller looks lane by lane then).
template <class T> EVO_INLINE bool surelyWritten(const Access &A, unsigned n) {
  const u8 *init = A.region->init;
  if (A.contiguous && (A.offset[0] & 7) == 0) {
    const u8 *p = init + (A.offset[0] >> 3);
    unsigned bad = 0;
    for (unsigned b = 0; b < 4 * sizeof(T) * n; ++b)
      bad |= p[b] ^ 0xff;
    return !bad;
  }
#ifdef __AVX2__
  if (A.gatherable) {
    const __m256i want = _mm256_set1_epi32((1 << sizeof(T)) - 1);
    __m256i missing = _mm256_setzero_si256();
    for (unsigned e = 0; e < n; ++e)
      for (unsigned j = 0; j < 4; ++j) {
        __m256i o = offsets32(A, j, e * sizeof(T));
        __m256i word = _mm256_i32gather_epi32(
            reinterpret_cast<const int *>(init), _mm256_srli_epi32(o, 3), 1);
        word =
            _mm256_srlv_epi32(word, _mm256_and_si256(o, _mm256_set1_epi32(7)));
        missing = _mm256_or_si256(missing, _mm256_andnot_si256(word, want));
      }
    return _mm256_testz_si256(missing, missing);
  }
#endif
  return false;
}

EVO_INLINE bool bitsSet(const u8 *init, u64 offset, unsigned bytes) {
  u16 v;
  __builtin_memcpy(&v, init + (offset >> 3), 2);
  u32 want = (1u << bytes) - 1;
  return ((v >> (offset & 7)) & want) == want;
}
EVO_INLINE void setBits(u8 *init, u64 offset, unsigned bytes) {
  u16 v;
  __builtin_memcpy(&v, init + (offset >> 3), 2);
  v |= static_cast<u16>(((1u << bytes) - 1) << (offset & 7));
  __builtin_memcpy(init + (offset >> 3), &v, 2);
}

template <class T>
EVO_INLINE void checkWritten(Exec &x, const Warp &w, const Frame &f,
                             const Inst &I, const Access &A, unsigned n) {
  const Region &r = *A.region;
  if (surelyWritten<T>(A, n))
    return;
  EVO_BITS(f.mask)
  for (unsigned e = 0; e < n; ++e)
    if (!bitsSet(r.init, A.offset[i] + e * sizeof(T), sizeof(T))) {
      reportUninitialized(x, w, i, I,
                          at<u64>(f, I.a)[i] + static_cast<i64>(I.imm) +
                              e * sizeof(T),
                          sizeof(T));
      break;
    }
}

/// The float value of loaded bits, as a double.
EVO_INLINE double valueOf(unsigned kind, const void *lanes, unsigned i) {
  switch (kind) {
  case GK_H:
    return halfToFloat(static_cast<const u32 *>(lanes)[i]);
  case GK_B:
    return bfloatToFloat(static_cast<const u32 *>(lanes)[i]);
  case GK_S:
    return static_cast<const float *>(lanes)[i];
  default:
    return static_cast<const double *>(lanes)[i];
  }
}

template <int S>
EVO_INLINE void loadGhost(const Frame &f, const Inst &I, const Access &A,
                          int32_t dst, u64 at0) {
  const Region &r = *A.region;
  const unsigned kind = I.flags & GK_Mask;
  const void *bits = at<u32>(f, dst);
  double *g = gh(f, dst);
  if (!r.ghost) {
    if (kind == GK_S) {
      const float *s = at<float>(f, dst);
      shadowLoop(f, g, [=](unsigned i) { return double(s[i]); });
    } else {
      EVO_BITS(f.mask) g[i] = valueOf(kind, bits, i);
    }
  } else {
    const u64 *raw = reinterpret_cast<const u64 *>(r.ghost);
    if (A.contiguous && kind == GK_S && r.granuleShift == 2 &&
        !(I.flags & kFlagList) && !(A.offset[0] & 3)) {
      const float *s = at<float>(f, dst);
      const u64 *p = raw + (A.offset[0] >> 2);
      EVO_LANES {
        u64 v = p[i];
        double own = bitsTo<double>(v ^ kGhostKey);
        g[i] = v ? own : double(s[i]);
      }
    } else {
      const u64 low = (1u << r.granuleShift) - 1;
      EVO_BITS(f.mask) {
        u64 o = A.offset[i] + at0;
        u64 v = o & low ? 0 : raw[o >> r.granuleShift];
        g[i] = v ? bitsTo<double>(v ^ kGhostKey) : valueOf(kind, bits, i);
      }
    }
  }
  if constexpr (S == 2) {
    double *e = er(f, dst);
    EVO_BITS(f.mask) {
      u64 o = A.offset[i] + at0;
      e[i] = r.error ? r.error[o >> r.granuleShift] : 0;
    }
  }
}

/// Element type T in memory, lane type L in the register.
template <class T, class L, int S>
EVO_INLINE void loadElements(Exec &x, Warp &w, const Frame &f, const Inst &I,
                             const Access &A) {
  const Region &r = *A.region;
  const bool list = I.flags & kFlagList;
  const int32_t *dst = list ? x.k->lists[I.aux].data() : &I.dst;
  const unsigned n = list ? x.k->lists[I.aux].size() : 1;
  if (r.init && x.checkUninit)
    checkWritten<T>(x, w, f, I, A, n);
  for (unsigned e = 0; e < n; ++e) {
    L *d = at<L>(f, dst[e]);
    const char *p = r.host + e * sizeof(T);
    if (A.contiguous && n == 1) {
      const char *q = p + A.offset[0];
      EVO_LANES {
        T v;
        __builtin_memcpy(&v, q + i * sizeof(T), sizeof(T));
        d[i] = v;
      }
#ifdef __AVX2__
    } else if (sizeof(T) == 4 && A.gatherable) {
      for (unsigned j = 0; j < 4; ++j) {
        __m256i v = _mm256_i32gather_epi32(reinterpret_cast<const int *>(p),
                                           offsets32(A, j, 0), 1);
        __m256i *to = reinterpret_cast<__m256i *>(d + 8 * j);
        if (!f.full)
          v = _mm256_blendv_epi8(
              _mm256_loadu_si256(to), v,
              _mm256_loadu_si256(
                  reinterpret_cast<const __m256i *>(f.lane + 8 * j)));
        _mm256_storeu_si256(to, v);
      }
#endif
    } else if (f.mask == ~0u) {
      for (unsigned i = 0; i < 32; ++i) {
        T v;
        __builtin_memcpy(&v, p + A.offset[i], sizeof(T));
        d[i] = v;
      }
    } else {
      EVO_BITS(f.mask) {
        T v;
        __builtin_memcpy(&v, p + A.offset[i], sizeof(T));
        d[i] = v;
      }
    }
    if constexpr (S >= 1)
      if ((I.flags & GK_Mask) >= GK_H)
        loadGhost<S>(f, I, A, dst[e], e * sizeof(T));
  }
  if constexpr (S >= 1)
    if ((I.flags & GK_Mask) == GK_Packed)
      loadPackedGhosts(x, w, I, f.mask, A);
}

template <int S, class T>
EVO_INLINE void storeGhost(const Frame &f, const Inst &I, const Access &A,
                           int32_t src, u64 at0) {
  const Region &r = *A.region;
  if (!r.ghost)
    return;
  const unsigned kind = I.flags & GK_Mask, shift = r.granuleShift;
  const u64 low = (1u << shift) - 1;
  u64 *raw = reinterpret_cast<u64 *>(r.ghost);
  if (kind == GK_S && A.contiguous && shift == 2 && !(I.flags & kFlagList) &&
      !(A.offset[0] & 3)) {
    const u64 *g = reinterpret_cast<const u64 *>(gh(f, src));
    u64 *p = raw + (A.offset[0] >> 2);
    EVO_LANES p[i] = g[i] ^ kGhostKey;
    if constexpr (S == 2)
      if (r.error) {
        const double *e = er(f, src);
        double *q = r.error + (A.offset[0] >> 2);
        EVO_LANES q[i] = e[i];
      }
    return;
  }
  EVO_BITS(f.mask) {
    u64 o = A.offset[i] + at0;
    u64 first = o >> shift, last = (o + sizeof(T) - 1) >> shift;
    for (u64 q = first; q <= last; ++q) {
      u64 v = 0;
      double e = 0;
      if (q == first && kind >= GK_H && !(o & low)) {
        v = bitsTo<u64>(gh(f, src)[i]) ^ kGhostKey;
        if constexpr (S == 2)
          e = er(f, src)[i];
      }
      if (v || raw[q])
        raw[q] = v;
      if (S == 2 && r.error && (e != 0 || r.error[q] != 0))
        r.error[q] = e;
    }
  }
}

template <class T, class L, int S>
EVO_INLINE void storeElements(Exec &x, Warp &w, const Frame &f, const Inst &I,
                              const Access &A) {
  const Region &r = *A.region;
  const bool list = I.flags & kFlagList;
  const int32_t *src = list ? x.k->lists[I.aux].data() : &I.b;
  const unsigned n = list ? x.k->lists[I.aux].size() : 1;
  for (unsigned e = 0; e < n; ++e) {
    const L *s = at<L>(f, src[e]);
    char *p = r.host + e * sizeof(T);
    if (A.contiguous && n == 1) {
      char *q = p + A.offset[0];
      EVO_LANES {
        T v = static_cast<T>(s[i]);
        __builtin_memcpy(q + i * sizeof(T), &v, sizeof(T));
      }
    } else {
      EVO_BITS(f.mask) {
        T v = static_cast<T>(s[i]);
        __builtin_memcpy(p + A.offset[i], &v, sizeof(T));
      }
    }
    if constexpr (S >= 1)
      if ((I.flags & GK_Mask) != GK_Packed)
        storeGhost<S, T>(f, I, A, src[e], e * sizeof(T));
  }
  if (r.init) {
    if (A.contiguous && (A.offset[0] & 7) == 0)
      __builtin_memset(r.init + (A.offset[0] >> 3), 0xff, 4 * sizeof(T) * n);
    else if (!surelyWritten<T>(A, n))
      EVO_BITS(f.mask)
    for (unsigned e = 0; e < n; ++e)
      setBits(r.init, A.offset[i] + e * sizeof(T), sizeof(T));
  }
  if constexpr (S >= 1)
    if ((I.flags & GK_Mask) == GK_Packed)
      storePackedGhosts(x, w, I, f.mask, A);
}

template <class T, class L, int S, bool Write>
EVO_INLINE void accessBody(Exec &x, Warp &w, const Frame &f, const Inst &I,
                           const Access &A, unsigned total) {
  if (x.counters)
    countMemory(x, w, I, f.mask, A, total, Write, false);
  if (x.observer)
    observe(x, w, I, f.mask, total,
            Write ? AccessObserver::Access::Store
                  : AccessObserver::Access::Load);
  if constexpr (Write)
    storeElements<T, L, S>(x, w, f, I, A);
  else
    loadElements<T, L, S>(x, w, f, I, A);
}

/// Lanes in different regions, or with faults: one subset after the other.
template <class T, class L, int S, bool Write>
__attribute__((noinline)) void accessSlow(Exec &x, Warp &w, Frame f,
                                          const Inst &I, unsigned total,
                                          u64 alignMask) {
  u32 todo = f.mask;
  while (todo && !x.stop) {
    Access A;
    u32 sub = sameRegion(x, w, I, todo, total, alignMask, Write, A);
    if (!sub) {
      unsigned i = __builtin_ctz(todo);
      if (!Write) {
        const bool list = I.flags & kFlagList;
        const unsigned n = list ? x.k->lists[I.aux].size() : 1;
        for (unsigned e = 0; e < n; ++e) {
          int32_t d = list ? x.k->lists[I.aux][e] : I.dst;
          at<L>(f, d)[i] = static_cast<T>(x.poison);
          if constexpr (S >= 1) {
            const unsigned kind = I.flags & GK_Mask;
            gh(f, d)[i] = kind >= GK_H ? valueOf(kind, at<u32>(f, d), i) : 0.0;
          }
          if constexpr (S == 2)
            er(f, d)[i] = 0;
        }
      }
      todo &= todo - 1;
      continue;
    }
    f.mask = sub;
    f.full = false;
    EVO_LANES f.lane[i] = -static_cast<i32>((sub >> i) & 1);
    accessBody<T, L, S, Write>(x, w, f, I, A, total);
    todo &= ~sub;
  }
}

template <class T, class L, int S, bool Write>
EVO_INLINE void accessOp(Exec &x, Warp &w, const Frame &f, const Inst &I) {
  const unsigned n = I.flags & kFlagList ? x.k->lists[I.aux].size() : 1;
  const unsigned total = n * sizeof(T);
  const u64 alignMask = (1ull << (I.sub >> 4)) - 1;
  Access A;
  if (__builtin_expect(prepare(x, w, f, I, total, alignMask, Write, A), 1))
    accessBody<T, L, S, Write>(x, w, f, I, A, total);
  else
    accessSlow<T, L, S, Write>(x, w, f, I, total, alignMask);
}

template <int S, bool Write>
EVO_INLINE void memoryOp(Exec &x, Warp &w, const Frame &f, const Inst &I) {
  switch (I.sub & 15) {
  case 0:
    return accessOp<u8, u32, S, Write>(x, w, f, I);
  case 1:
    return accessOp<u16, u32, S, Write>(x, w, f, I);
  case 2:
    return accessOp<u32, u32, S, Write>(x, w, f, I);
  default:
    return accessOp<u64, u64, S, Write>(x, w, f, I);
  }
}

// Conversions ----------------------------------------------------------------

EVO_INLINE double toDouble(unsigned type, const void *lanes, unsigned i) {
  return valueOf(type + GK_H, lanes, i);
}
EVO_INLINE void fromDouble(unsigned type, void *lanes, unsigned i, double v) {
  switch (type) {
  case FT_H:
    static_cast<u32 *>(lanes)[i] = v == v ? doubleToHalf(v) : 0x7fff;
    break;
  case FT_B:
    static_cast<u32 *>(lanes)[i] = v == v ? doubleToBfloat(v) : 0x7fff;
    break;
  case FT_S:
    static_cast<float *>(lanes)[i] = canonical(static_cast<float>(v));
    break;
  default:
    static_cast<double *>(lanes)[i] = canonical(v);
  }
}

template <int S> EVO_INLINE void fpConvert(const Frame &f, const Inst &I) {
  const unsigned from = I.sub & 15, to = I.sub >> 4;
  const void *a = at<u32>(f, I.a);
  void *d = at<u32>(f, I.dst);
  if (from == FT_H && to == FT_S)
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
  else
    EVO_BITS(f.mask) fromDouble(to, d, i, toDouble(from, a, i));
  copyShadow<S>(f, I.dst, I.a);
  if constexpr (S == 2) {
    const double u = kUnit[to] > kUnit[from] ? kUnit[to] : 0;
    if (u != 0) {
      const double *g = gh(f, I.a), *e = er(f, I.a);
      shadowLoop(f, er(f, I.dst),
                 [=](unsigned i) { return e[i] + u * mag(g[i]); });
    }
  }
}

/// Saturating, NaN becomes 0: what cvt does on the device.
EVO_INLINE u64 roundToInt(double v, bool isSigned, unsigned bits,
                          Rounding rounding) {
  switch (rounding) {
  case Rounding::Zero:
    v = __builtin_trunc(v);
    break;
  case Rounding::Nearest:
    v = __builtin_nearbyint(v);
    break;
  case Rounding::Down:
    v = __builtin_floor(v);
    break;
  case Rounding::Up:
    v = __builtin_ceil(v);
    break;
  }
  const u64 keep = bits == 64 ? ~0ull : (1ull << bits) - 1;
  if (v != v)
    return 0;
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

EVO_INLINE void fpToInt(const Frame &f, const Inst &I) {
  const unsigned from = I.sub & 15, bits = static_cast<u32>(I.imm) >> 8;
  const bool isSigned = I.sub & 16, wide = I.sub & 32;
  const Rounding rounding = static_cast<Rounding>(I.imm & 255);
  const void *a = at<u32>(f, I.a);
  EVO_BITS(f.mask) {
    u64 v = roundToInt(toDouble(from, a, i), isSigned, bits, rounding);
    if (wide)
      at<u64>(f, I.dst)[i] = v;
    else
      at<u32>(f, I.dst)[i] = static_cast<u32>(v);
  }
}

template <int S> EVO_INLINE void intToFp(const Frame &f, const Inst &I) {
  const unsigned to = I.sub & 15;
  const bool isSigned = I.sub & 16, wide = I.sub & 32;
  if (to == FT_S && !wide) {
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
        fromDouble(to, d, i,
                   isSigned ? double(static_cast<i64>(raw)) : double(raw));
      else // beyond 2^52 a half is infinite, a bfloat needs the sticky bits
        fromDouble(to, d, i,
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
    if constexpr (S == 2)
      EVO_BITS(f.mask)
    er(f, I.dst)[i] =
        toDouble(to, at<u32>(f, I.dst), i) == g[i] ? 0 : kUnit[to] * mag(g[i]);
  }
}

// Shuffles -------------------------------------------------------------------

template <int S>
EVO_INLINE void shuffleOp(Exec &x, Warp &w, const Frame &f, const Inst &I) {
  const u32 *value = at<u32>(f, I.a), *lane = at<u32>(f, I.b),
            *member = at<u32>(f, I.c), *clamp = at<u32>(f, I.e);
  u32 *d = at<u32>(f, I.dst);
  const unsigned kind = S ? I.flags & GK_Mask : 0;
  u32 source[32];
  EVO_BITS(f.mask) {
    const u32 bound = clamp[i] & 31, segment = (clamp[i] >> 8) & 31;
    const u32 b = lane[i] & 31, first = i & segment,
              last = first | (bound & ~segment);
    u32 j = i;
    bool in = false;
    switch (static_cast<ShflMode>(I.sub)) {
    case ShflMode::Up:
      j = i - b;
      in = static_cast<i32>(j) >= static_cast<i32>(last);
      break;
    case ShflMode::Down:
      j = i + b;
      in = j <= last;
      break;
    case ShflMode::Bfly:
      j = i ^ b;
      in = j <= last;
      break;
    case ShflMode::Idx:
      j = first | (b & ~segment);
      in = j <= last;
      break;
    }
    if (!in)
      j = i;
    if (!((f.mask & member[i]) >> j & 1)) {
      report(x, w, i, I, FindingKind::InactiveLaneRead,
             "shuffle reads lane " + std::to_string(j) +
                 ", which does not take part");
      j = i;
    }
    source[i] = j;
    if (I.dst2 != kNone)
      at<u32>(f, I.dst2)[i] = in;
  }
  EVO_BITS(f.mask) d[i] = value[source[i]];
  if constexpr (S >= 1) {
    if (kind != GK_None)
      for (unsigned pos = 0; pos < (kind == GK_Packed ? 2u : 1u); ++pos) {
        EVO_BITS(f.mask) gh(f, I.dst, pos)[i] = gh(f, I.a, pos)[source[i]];
        if constexpr (S == 2)
          EVO_BITS(f.mask) er(f, I.dst, pos)[i] = er(f, I.a, pos)[source[i]];
      }
  }
}

// Control --------------------------------------------------------------------

EVO_INLINE void addGroup(Warp &w, u32 ip, u32 mask) {
  for (unsigned j = 0; j < w.nGroups; ++j)
    if (w.groups[j].ip == ip) {
      w.groups[j].mask |= mask;
      return;
    }
  w.groups[w.nGroups++] = {ip, mask};
}

template <int S>
EVO_INLINE void edgeCopies(const Exec &x, const Frame &f, const Edge &e,
                           u32 mask) {
  const bool all = f.full && mask == f.mask;
  for (u32 n = 0; n < e.copies; ++n) {
    const Copy &c = x.k->copies[e.firstCopy + n];
    if (c.wide) {
      const u64 *s = at<u64>(f, c.src);
      u64 *d = at<u64>(f, c.dst);
      if (all)
        EVO_LANES d[i] = s[i];
      else
        EVO_BITS(mask) d[i] = s[i];
    } else {
      const u32 *s = at<u32>(f, c.src);
      u32 *d = at<u32>(f, c.dst);
      if (all)
        EVO_LANES d[i] = s[i];
      else
        EVO_BITS(mask) d[i] = s[i];
    }
    if constexpr (S >= 1) {
      if (c.ghost == GK_None)
        continue;
      const unsigned positions = c.ghost == GK_Packed ? (c.wide ? 4 : 2) : 1;
      for (unsigned p = 0; p < positions; ++p) {
        const u64 *s = reinterpret_cast<const u64 *>(gh(f, c.src, p));
        u64 *d = reinterpret_cast<u64 *>(gh(f, c.dst, p));
        if (all)
          EVO_LANES d[i] = s[i];
        else
          EVO_BITS(mask) d[i] = s[i];
        if constexpr (S == 2) {
          const double *es = er(f, c.src, p);
          double *ed = er(f, c.dst, p);
          if (all)
            EVO_LANES ed[i] = es[i];
          else
            EVO_BITS(mask) ed[i] = es[i];
        }
      }
    }
  }
}

template <int S> void runWarp(Exec &x, Warp &w) {
  Frame f;
  f.reg[0] = w.regs;
  f.reg[1] = x.constants;
  f.ghost[0] = w.ghost;
  f.ghost[1] = x.constantGhost;
  f.error[0] = w.error;
  f.error[1] = x.constantError;
  const Inst *const code = x.code;
  const bool counting = x.counters != nullptr;

  while (!x.stop) {
    if (w.nGroups == 0) {
      if (w.nWaiting)
        return reportStuck(x, w);
      w.state = WarpState::Done;
      return;
    }
    unsigned best = 0;
    for (unsigned j = 1; j < w.nGroups; ++j)
      if (w.groups[j].ip < w.groups[best].ip)
        best = j;
    const Inst *ip = code + w.groups[best].ip;
    setMask(f, w, w.groups[best].mask);
    w.groups[best] = w.groups[--w.nGroups];
    const Inst *start = ip;
    bool running = true;

    // Books what ran since `start`; true when the warp must leave.
    auto account = [&](const Inst *end) {
      const u64 n = end - start + 1;
      x.warpInstructions += n;
      w.executed += n;
      x.laneInstructions += n * __builtin_popcount(f.mask);
      if (__builtin_expect(x.laneInstructions > x.laneLimit ||
                               x.warpInstructions > x.clockCheck,
                           0))
        if (!withinBudget(x, w, *end))
          return true;
      return x.warpInstructions > x.sliceEnd;
    };

    while (running) {
      const Inst &I = *ip;
      if (__builtin_expect(counting, 0))
        countInstruction(x, I, f.mask);
      if constexpr (S >= 1)
        if (__builtin_expect(I.flags & kFlagClear, 0)) {
          // 0 reads "absent" in every position an integer can have.
          const unsigned n = I.flags & kFlagWide ? 4 : 2;
          for (unsigned p = 0; p < n; ++p)
            EVO_BITS(f.mask) gh(f, I.dst, p)[i] = 0;
        }
      switch (I.op) {
#define INT2(N, E)                                                             \
  case Op::N##_I:                                                              \
    map2<u32, u32, u32>(f, I, [](u32 a, u32 b) -> u32 {                        \
      using U = u32;                                                           \
      using T = i32;                                                           \
      using W = u64;                                                           \
      using V = i64;                                                           \
      (void)sizeof(U), (void)sizeof(T), (void)sizeof(W), (void)sizeof(V);      \
      return E;                                                                \
    });                                                                        \
    break;                                                                     \
  case Op::N##_L:                                                              \
    map2<u64, u64, u64>(f, I, [](u64 a, u64 b) -> u64 {                        \
      using U = u64;                                                           \
      using T = i64;                                                           \
      using W = unsigned __int128;                                             \
      using V = __int128;                                                      \
      (void)sizeof(U), (void)sizeof(T), (void)sizeof(W), (void)sizeof(V);      \
      return E;                                                                \
    });                                                                        \
    break;
        INT2(ADD, a + b)
        INT2(SUB, a - b)
        INT2(MUL, a * b)
        INT2(AND, a & b)
        INT2(XOR, a ^ b)
        INT2(ASHR, T(a) >> (b < 8 * sizeof(U) ? b : 8 * sizeof(U) - 1))
        INT2(UMIN, a < b ? a : b)
        INT2(UMAX, a > b ? a : b)
        INT2(SMIN, T(a) < T(b) ? a : b)
        INT2(SMAX, T(a) > T(b) ? a : b)
        INT2(MULHIU, U((W(a) * W(b)) >> (8 * sizeof(U))))
        INT2(MULHIS, U((V(T(a)) * V(T(b))) >> (8 * sizeof(U))))
        INT2(ADDSATU, U(a + b) < a ? ~U(0) : U(a + b))
        INT2(SUBSATU, a < b ? U(0) : U(a - b))
        INT2(ADDSATS, (V(T(a)) + V(T(b)) != V(T(a + b)))
                          ? U((U(~U(0)) >> 1) + (a >> (8 * sizeof(U) - 1)))
                          : U(a + b))
        INT2(SUBSATS, (V(T(a)) - V(T(b)) != V(T(a - b)))
                          ? U((U(~U(0)) >> 1) + (a >> (8 * sizeof(U) - 1)))
                          : U(a - b))
#undef INT2
// Shifts and or carry packed ghosts when they move whole halves.
#define INT2G(N, E)                                                            \
  case Op::N##_I:                                                              \
    map2<u32, u32, u32>(f, I, [](u32 a, u32 b) -> u32 { return E; });          \
    if constexpr (S >= 1)                                                      \
      if (I.flags & GK_Mask)                                                   \
        packedGhosts(x, w, I, f.mask);                                         \
    break;                                                                     \
  case Op::N##_L:                                                              \
    map2<u64, u64, u64>(f, I, [](u64 a, u64 b) -> u64 { return E; });          \
    if constexpr (S >= 1)                                                      \
      if (I.flags & GK_Mask)                                                   \
        packedGhosts(x, w, I, f.mask);                                         \
    break;
        INT2G(OR, a | b)
        INT2G(SHL, b < 8 * sizeof(a) ? a << (b & (8 * sizeof(a) - 1)) : 0)
        INT2G(LSHR, b < 8 * sizeof(a) ? a >> (b & (8 * sizeof(a) - 1)) : 0)
#undef INT2G
#define DIVIDE(N, U, T, E)                                                     \
  case Op::N: {                                                                \
    const U *pa = at<U>(f, I.a), *pb = at<U>(f, I.b);                          \
    U *pd = at<U>(f, I.dst);                                                   \
    EVO_BITS(f.mask) {                                                         \
      U a = pa[i], b = pb[i];                                                  \
      if (b == 0) {                                                            \
        report(x, w, i, I, FindingKind::DivisionByZero,                        \
               "integer division by zero");                                    \
        pd[i] = ~U(0);                                                         \
        continue;                                                              \
      }                                                                        \
      pd[i] = E;                                                               \
    }                                                                          \
    break;                                                                     \
  }
        DIVIDE(UDIV_I, u32, i32, a / b)
        DIVIDE(UDIV_L, u64, i64, a / b)
        DIVIDE(UREM_I, u32, i32, a % b)
        DIVIDE(UREM_L, u64, i64, a % b)
        DIVIDE(SDIV_I, u32, i32, b == ~0u ? 0 - a : u32(i32(a) / i32(b)))
        DIVIDE(SDIV_L, u64, i64, b == ~0ull ? 0 - a : u64(i64(a) / i64(b)))
        DIVIDE(SREM_I, u32, i32, b == ~0u ? 0 : u32(i32(a) % i32(b)))
        DIVIDE(SREM_L, u64, i64, b == ~0ull ? 0 : u64(i64(a) % i64(b)))
#undef DIVIDE
#define INT1(N, EI, EL)                                                        \
  case Op::N##_I:                                                              \
    map1<u32, u32>(f, I, [](u32 a) -> u32 { return EI; });                     \
    break;                                                                     \
  case Op::N##_L:                                                              \
    map1<u64, u64>(f, I, [](u64 a) -> u64 { return EL; });                     \
    break;
        INT1(CTPOP, __builtin_popcount(a), __builtin_popcountll(a))
        INT1(CTLZ, a ? __builtin_clz(a) : 32, a ? __builtin_clzll(a) : 64)
        INT1(CTTZ, a ? __builtin_ctz(a) : 32, a ? __builtin_ctzll(a) : 64)
        INT1(BSWAP, __builtin_bswap32(a), __builtin_bswap64(a))
        INT1(ABS, i32(a) < 0 ? 0 - a : a, i64(a) < 0 ? 0 - a : a)
#undef INT1
      case Op::BITREV_I:
        map1<u32, u32>(f, I, [](u32 a) -> u32 {
          a = (a >> 1 & 0x55555555u) | (a & 0x55555555u) << 1;
          a = (a >> 2 & 0x33333333u) | (a & 0x33333333u) << 2;
          a = (a >> 4 & 0x0f0f0f0fu) | (a & 0x0f0f0f0fu) << 4;
          return __builtin_bswap32(a);
        });
        break;
      case Op::BITREV_L:
        map1<u64, u64>(f, I, [](u64 a) -> u64 {
          a = (a >> 1 & 0x5555555555555555ull) | (a & 0x5555555555555555ull)
                                                     << 1;
          a = (a >> 2 & 0x3333333333333333ull) | (a & 0x3333333333333333ull)
                                                     << 2;
          a = (a >> 4 & 0x0f0f0f0f0f0f0f0full) | (a & 0x0f0f0f0f0f0f0f0full)
                                                     << 4;
          return __builtin_bswap64(a);
        });
        break;
      // Without clamping the amount is taken modulo the width.
      case Op::FSHL_I: {
        const bool clamp = I.sub;
        map3<u32, u32, u32, u32>(f, I, [=](u32 a, u32 b, u32 c) -> u32 {
          u32 s = clamp ? (c > 32 ? 32 : c) : c & 31;
          return u32(((u64(a) << 32 | b) << s) >> 32);
        });
        break;
      }
      case Op::FSHR_I: {
        const bool clamp = I.sub;
        map3<u32, u32, u32, u32>(f, I, [=](u32 a, u32 b, u32 c) -> u32 {
          u32 s = clamp ? (c > 32 ? 32 : c) : c & 31;
          return u32((u64(a) << 32 | b) >> s);
        });
        break;
      }
      case Op::FSHL_L:
        map3<u64, u64, u64, u64>(f, I, [](u64 a, u64 b, u64 c) -> u64 {
          c &= 63;
          return c ? a << c | b >> (64 - c) : a;
        });
        break;
      case Op::FSHR_L:
        map3<u64, u64, u64, u64>(f, I, [](u64 a, u64 b, u64 c) -> u64 {
          c &= 63;
          return c ? b >> c | a << (64 - c) : b;
        });
        break;
      case Op::PRMT:
        map3<u32, u32, u32, u32>(f, I, [](u32 a, u32 b, u32 s) -> u32 {
          u64 all = u64(b) << 32 | a;
          u32 r = 0;
          for (unsigned j = 0; j < 4; ++j) {
            u32 sel = s >> (4 * j) & 15;
            u32 byte = u32(all >> (8 * (sel & 7))) & 255;
            if (sel & 8)
              byte = byte & 128 ? 255 : 0;
            r |= byte << (8 * j);
          }
          return r;
        });
        break;
      case Op::MASK_I: {
        const u32 keep = (1u << I.imm) - 1;
        map1<u32, u32>(f, I, [=](u32 a) -> u32 { return a & keep; });
        if constexpr (S >= 1)
          if (I.flags & GK_Mask)
            packedGhosts(x, w, I, f.mask);
        break;
      }
      case Op::MASK_L: {
        const u64 keep = (1ull << I.imm) - 1;
        map1<u64, u64>(f, I, [=](u64 a) -> u64 { return a & keep; });
        break;
      }
      case Op::SEXTIN_I: {
        const unsigned s = 32 - I.imm;
        map1<u32, u32>(f, I, [=](u32 a) -> u32 { return i32(a << s) >> s; });
        break;
      }
      case Op::SEXTIN_L: {
        const unsigned s = 64 - I.imm;
        map1<u64, u64>(f, I, [=](u64 a) -> u64 { return i64(a << s) >> s; });
        break;
      }
      case Op::TRUNC_LI:
        map1<u32, u64>(f, I, [](u64 a) -> u32 { return u32(a); });
        if constexpr (S >= 1)
          if (I.flags & GK_Mask)
            packedGhosts(x, w, I, f.mask);
        break;
      case Op::ZEXT_IL:
        map1<u64, u32>(f, I, [](u32 a) -> u64 { return a; });
        if constexpr (S >= 1)
          if (I.flags & GK_Mask)
            packedGhosts(x, w, I, f.mask);
        break;
      case Op::SEXT_IL:
        map1<u64, i32>(f, I, [](i32 a) -> u64 { return u64(i64(a)); });
        break;
      case Op::UNPACK16_I: {
        const unsigned s = I.imm;
        map1<u32, u32>(f, I, [=](u32 a) -> u32 { return a >> s & 0xffff; });
        if constexpr (S >= 1)
          if (I.flags & GK_Mask)
            packedGhosts(x, w, I, f.mask);
        break;
      }
      case Op::PACK16_I:
        map2<u32, u32, u32>(
            f, I, [](u32 a, u32 b) -> u32 { return (a & 0xffff) | b << 16; });
        if constexpr (S >= 1)
          if (I.flags & GK_Mask)
            packedGhosts(x, w, I, f.mask);
        break;
      case Op::UNPACK32_L: {
        const unsigned s = I.imm;
        map1<u32, u64>(f, I, [=](u64 a) -> u32 { return u32(a >> s); });
        if constexpr (S >= 1)
          if (I.flags & GK_Mask)
            packedGhosts(x, w, I, f.mask);
        break;
      }
      case Op::PACK32_L:
        map2<u64, u32, u32>(
            f, I, [](u32 a, u32 b) -> u64 { return a | u64(b) << 32; });
        if constexpr (S >= 1)
          if (I.flags & GK_Mask)
            packedGhosts(x, w, I, f.mask);
        break;
      case Op::MOV_I:
        map1<u32, u32>(f, I, [](u32 a) { return a; });
        if constexpr (S >= 1)
          packedGhosts(x, w, I, f.mask);
        break;
      case Op::MOV_L:
        map1<u64, u64>(f, I, [](u64 a) { return a; });
        if constexpr (S >= 1)
          packedGhosts(x, w, I, f.mask);
        break;
#define COMPARE(N, E)                                                          \
  case Op::ICMP_##N##_I:                                                       \
    map2<u32, u32, u32>(f, I, [](u32 a, u32 b) -> u32 {                        \
      using T = i32;                                                           \
      (void)sizeof(T);                                                         \
      return E;                                                                \
    });                                                                        \
    break;                                                                     \
  case Op::ICMP_##N##_L:                                                       \
    map2<u32, u64, u64>(f, I, [](u64 a, u64 b) -> u32 {                        \
      using T = i64;                                                           \
      (void)sizeof(T);                                                         \
      return E;                                                                \
    });                                                                        \
    break;
        COMPARE(EQ, a == b)
        COMPARE(NE, a != b)
        COMPARE(UGT, a > b)
        COMPARE(UGE, a >= b)
        COMPARE(ULT, a < b)
        COMPARE(ULE, a <= b)
        COMPARE(SGT, T(a) > T(b))
        COMPARE(SGE, T(a) >= T(b))
        COMPARE(SLT, T(a) < T(b))
        COMPARE(SLE, T(a) <= T(b))
#undef COMPARE
      case Op::SELECT_I:
        select<u32, S>(f, I, x, w);
        break;
      case Op::SELECT_L:
        select<u64, S>(f, I, x, w);
        break;
      case Op::GEP_I: {
        const i64 scale = I.imm;
        map2<u64, u64, i32>(f, I, [=](u64 a, i32 b) -> u64 {
          return a + static_cast<u64>(i64(b) * scale);
        });
        break;
      }
      case Op::GEP_L: {
        const u64 scale = I.imm;
        map2<u64, u64, u64>(f, I,
                            [=](u64 a, u64 b) -> u64 { return a + b * scale; });
        break;
      }
#define FLOAT2(N, O)                                                           \
  case Op::N##_S:                                                              \
    fp2<TS, O, S>(f, I);                                                       \
    break;                                                                     \
  case Op::N##_D:                                                              \
    fp2<TD, O, S>(f, I);                                                       \
    break;                                                                     \
  case Op::N##_H:                                                              \
    fp2<TH, O, S>(f, I);                                                       \
    break;                                                                     \
  case Op::N##_B:                                                              \
    fp2<TB, O, S>(f, I);                                                       \
    break;
        FLOAT2(FADD, FAddOp)
        FLOAT2(FSUB, FSubOp)
        FLOAT2(FMUL, FMulOp)
        FLOAT2(FDIV, FDivOp)
#undef FLOAT2
#define EACH_FLOAT(N, CALL)                                                    \
  case Op::N##_S: {                                                            \
    using T = TS;                                                              \
    CALL;                                                                      \
    break;                                                                     \
  }                                                                            \
  case Op::N##_D: {                                                            \
    using T = TD;                                                              \
    CALL;                                                                      \
    break;                                                                     \
  }                                                                            \
  case Op::N##_H: {                                                            \
    using T = TH;                                                              \
    CALL;                                                                      \
    break;                                                                     \
  }                                                                            \
  case Op::N##_B: {                                                            \
    using T = TB;                                                              \
    CALL;                                                                      \
    break;                                                                     \
  }
        EACH_FLOAT(FMA, (fpFma<T, S>(f, I)))
        EACH_FLOAT(FMINMAX, (fpMinMax<T, S>(f, I)))
        EACH_FLOAT(FCMP, (fpCompare<T, S>(f, I, x)))
#undef EACH_FLOAT
#define SIGN(N, L, E, G)                                                       \
  case Op::N:                                                                  \
    fpSign1<L, S>(                                                             \
        f, I, [](L a) -> L { return E; },                                      \
        [](double a) -> double { return G; });                                 \
    break;
        SIGN(FNEG_S, u32, a ^ 0x80000000u, -a)
        SIGN(FNEG_D, u64, a ^ 0x8000000000000000ull, -a)
        SIGN(FNEG_H, u32, a ^ 0x8000u, -a)
        SIGN(FNEG_B, u32, a ^ 0x8000u, -a)
        SIGN(FABS_S, u32, a & 0x7fffffffu, mag(a))
        SIGN(FABS_D, u64, a & 0x7fffffffffffffffull, mag(a))
        SIGN(FABS_H, u32, a & 0x7fffu, mag(a))
        SIGN(FABS_B, u32, a & 0x7fffu, mag(a))
#undef SIGN
      case Op::COPYSIGN_S:
      case Op::COPYSIGN_D:
      case Op::COPYSIGN_H:
      case Op::COPYSIGN_B:
      case Op::FREM_S:
      case Op::FREM_D:
      case Op::FREM_H:
      case Op::FREM_B:
      case Op::MATH1_S:
      case Op::MATH1_D:
      case Op::MATH1_H:
      case Op::MATH1_B:
      case Op::MATH2_S:
      case Op::MATH2_D:
      case Op::MATH2_H:
      case Op::MATH2_B:
      case Op::MATHI_S:
      case Op::MATHI_D:
      case Op::MATHI_H:
      case Op::MATHI_B:
        mathOp(x, w, I, f.mask);
        break;
      case Op::FPCVT:
        fpConvert<S>(f, I);
        break;
      case Op::FPTOI:
        fpToInt(f, I);
        break;
      case Op::ITOFP:
        intToFp<S>(f, I);
        break;
      case Op::LOAD:
        memoryOp<S, false>(x, w, f, I);
        if (__builtin_expect(x.stop, 0))
          return;
        break;
      case Op::STORE:
        memoryOp<S, true>(x, w, f, I);
        if (__builtin_expect(x.stop, 0))
          return;
        break;
      case Op::ATOMIC:
      case Op::CMPXCHG:
        atomicOp(x, w, I, f.mask);
        if (__builtin_expect(x.stop, 0))
          return;
        break;
      case Op::MEMCPY:
      case Op::MEMSET:
        memoryBlockOp(x, w, I, f.mask);
        if (__builtin_expect(x.stop, 0))
          return;
        break;
      case Op::FENCE:
        if (x.observer)
          x.observer->order(AccessObserver::Order::Fence, w.index, f.mask);
        break;
      case Op::SREG: {
        u32 *d = at<u32>(f, I.dst);
        u32 v = 0;
        const Sreg s = static_cast<Sreg>(I.sub);
        if (s <= Sreg::TidZ) {
          const u32 *t = w.tid[I.sub];
          EVO_BITS(f.mask) d[i] = t[i];
          break;
        }
        if (s >= Sreg::LaneMaskEq && s <= Sreg::LaneMaskGe) {
          EVO_BITS(f.mask) {
            const u32 bit = 1u << i, lt = bit - 1;
            d[i] = s == Sreg::LaneMaskEq   ? bit
                   : s == Sreg::LaneMaskLt ? lt
                   : s == Sreg::LaneMaskLe ? lt | bit
                   : s == Sreg::LaneMaskGt ? ~(lt | bit)
                                           : ~lt;
          }
          break;
        }
        if (s == Sreg::LaneId) {
          EVO_BITS(f.mask) d[i] = i;
          break;
        }
        if (s >= Sreg::NtidX && s <= Sreg::NtidZ)
          v = x.block[I.sub - u8(Sreg::NtidX)];
        else if (s >= Sreg::CtaidX && s <= Sreg::CtaidZ)
          v = x.ctaid[I.sub - u8(Sreg::CtaidX)];
        else if (s >= Sreg::NctaidX && s <= Sreg::NctaidZ)
          v = x.grid[I.sub - u8(Sreg::NctaidX)];
        else if (s == Sreg::WarpId)
          v = w.index;
        else if (s == Sreg::NWarpId)
          v = x.warps;
        else if (s == Sreg::WarpSize)
          v = 32;
        else if (s == Sreg::Clock)
          v = static_cast<u32>(x.warpInstructions);
        else if (s == Sreg::DynamicSmem)
          v = static_cast<u32>(x.dynamicShared);
        else if (s == Sreg::TotalSmem)
          v = static_cast<u32>(x.totalShared);
        else if (s == Sreg::One)
          v = 1;
        EVO_BITS(f.mask) d[i] = v;
        break;
      }
      case Op::ISSPACEP: {
        const u64 space = I.sub;
        map1<u32, u64>(f, I,
                       [=](u64 a) -> u32 { return a && a >> 60 == space; });
        break;
      }
      case Op::ACTIVEMASK:
        EVO_BITS(f.mask) at<u32>(f, I.dst)[i] = f.mask;
        break;

      case Op::SHFL:
      case Op::VOTE:
      case Op::MATCH:
      case Op::REDUX:
      case Op::WARPSYNC: {
        u32 ready = f.mask;
        const u32 *member = at<u32>(f, I.c);
        // The common case: the group is exactly what the mask asks for.
        const bool complete = I.c < 0 && (member[0] & w.existing) == f.mask;
        if (!complete) {
          account(ip);
          if (x.stop)
            return;
          ready = arrive(x, w, I, ip - code, f.mask);
          if (x.stop)
            return;
          if (!ready) {
            running = false;
            break;
          }
          setMask(f, w, ready);
        }
        if (I.op == Op::SHFL)
          shuffleOp<S>(x, w, f, I);
        else if (I.op == Op::WARPSYNC) {
          if (x.observer)
            x.observer->order(AccessObserver::Order::WarpSync, w.index, f.mask);
        } else
          voteOp(x, w, I, f.mask);
        if (x.stop)
          return;
        if (!complete) {
          addGroup(w, ip + 1 - code, f.mask);
          running = false;
        }
        break;
      }
      case Op::BAR: {
        account(ip);
        if (x.stop)
          return;
        u32 here = f.mask;
        for (unsigned j = 0; j < w.nWaiting; ++j)
          if (w.waiting[j].ip == static_cast<u32>(ip - code)) {
            here |= w.waiting[j].mask;
            w.waiting[j] = w.waiting[--w.nWaiting];
            break;
          }
        if (here == w.live && here == w.existing) {
          w.state = WarpState::AtBarrier;
          w.barrierIp = ip - code;
          return;
        }
        w.waiting[w.nWaiting++] = {static_cast<u32>(ip - code), here};
        running = false;
        break;
      }

      case Op::BR: {
        const bool leave = account(ip);
        const Edge &e = x.k->edges[I.aux];
        edgeCopies<S>(x, f, e, f.mask);
        if (leave || w.nGroups) {
          addGroup(w, e.target, f.mask);
          if (leave)
            return;
          running = false;
          break;
        }
        ip = start = code + e.target;
        continue;
      }
      case Op::CONDBR: {
        const bool leave = account(ip);
        const u32 t = oddLanes(at<u32>(f, I.a)) & f.mask;
        if (counting)
          ++x.counters->branches;
        if (t == 0 || t == f.mask) {
          const Edge &e = x.k->edges[I.aux + (t == 0)];
          edgeCopies<S>(x, f, e, f.mask);
          if (leave || w.nGroups) {
            addGroup(w, e.target, f.mask);
            if (leave)
              return;
            running = false;
            break;
          }
          ip = start = code + e.target;
          continue;
        }
        if (counting)
          ++x.counters->divergentBranches;
        const u32 e = f.mask & ~t;
        const Edge &te = x.k->edges[I.aux], &fe = x.k->edges[I.aux + 1];
        edgeCopies<S>(x, f, te, t);
        edgeCopies<S>(x, f, fe, e);
        addGroup(w, te.target, t);
        addGroup(w, fe.target, e);
        if (leave)
          return;
        running = false;
        break;
      }
      case Op::SWITCH: {
        const bool leave = account(ip);
        const SwitchTable &t = x.k->switches[I.aux];
        u32 rest = f.mask;
        unsigned ways = 0;
        auto take = [&](u32 mask, u32 edge) {
          if (!mask)
            return;
          ++ways;
          const Edge &e = x.k->edges[edge];
          edgeCopies<S>(x, f, e, mask);
          addGroup(w, e.target, mask);
        };
        for (auto &c : t.cases) {
          u32 hit = 0;
          EVO_BITS(rest)
          hit |=
              u32((t.wide ? at<u64>(f, I.a)[i] : at<u32>(f, I.a)[i]) == c.first)
              << i;
          rest &= ~hit;
          take(hit, c.second);
        }
        take(rest, t.defaultEdge);
        if (counting) {
          ++x.counters->branches;
          x.counters->divergentBranches += ways > 1;
        }
        if (leave)
          return;
        running = false;
        break;
      }
      case Op::RET:
        account(ip);
        w.live &= ~f.mask;
        running = false;
        break;
      case Op::TRAP:
        account(ip);
        trapOp(x, w, I, f.mask);
        w.live &= ~f.mask;
        running = false;
        break;
      case Op::Count_:
        __builtin_unreachable();
      }
      ++ip;
    }
  }
}

inline InterpreterTable makeTable() {
  return {{runWarp<0>, runWarp<1>, runWarp<2>}};
}

} // namespace
} // namespace EVO_EXEC_ISA
} // namespace evo::exec
