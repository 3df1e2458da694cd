// Loads and stores of a warp. Region, bounds and alignment of all lanes are
// checked in one vector loop. Lanes in different regions, and faults, take the
// slow path subset by subset.
#ifndef EVO_LIB_SIMULATOR_INTERP_INTERPMEMORY_H
#define EVO_LIB_SIMULATOR_INTERP_INTERPMEMORY_H

#include "InterpFrame.h"

namespace evo::sim {
namespace EVO_EXEC_ISA {
namespace { // NOLINT(misc-anonymous-namespace-in-header): private to one build

/// Checks all lanes at once. False: some lane faults, or lanes are in several
/// regions; then the slow path sorts it out.
EVO_INLINE bool prepare(const Exec &x, const Warp &w, const Frame &f,
                        const Inst &I, u64 total, u64 alignMask, bool write,
                        Access &A) {
  const u64 *addr = at<u64>(f, I.a);
  const u64 disp = static_cast<u64>(static_cast<i64>(I.imm));
  const u64 a0 = addr[firstLane(f.mask)] + disp;
  const u64 space = a0 >> 60, index = (a0 >> 40) & 0xfffff;
  if (index >= x.counts[space])
    return false;
  const Region &r = x.tables[space][index];
  const MemoryPlace named = placeNamedBy(I);
  if (r.bytes < total || (write && r.readOnly) ||
      (named != MemoryPlace::Any && named != r.place))
    return false;
  const u64 limit = r.bytes - total, base = r.address - disp;
  const u64 o0 = a0 - r.address;
  u64 bad = 0, misaligned = 0, apart = 0;
  if (f.mask == allLanes) {
    EVO_LANES {
      u64 o = addr[i] - base;
      A.offset[i] = o;
      bad |= o | (limit - o);
      misaligned |= addr[i] + disp;
      apart |= (o - o0) ^ (i * total);
    }
  } else {
    apart = 1;
    for (unsigned i = 0; i < warpSize; ++i) {
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
  A.gatherable =
      (r.laneStride ? r.laneStride * target::TargetInfo::maxThreadsPerBlock
                    : r.bytes) < (1u << 31);
  if (r.laneStride)
    EVO_LANES A.offset[i] += (u64(w.index) * warpSize + i) * r.laneStride;
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
    for (unsigned b = 0; b < warpSize / 8 * sizeof(T) * n; ++b)
      bad |= p[b] ^ 0xff;
    return !bad;
  }
#ifdef __AVX2__
  if (A.gatherable) {
    const __m256i want = _mm256_set1_epi32((1 << sizeof(T)) - 1);
    __m256i missing = _mm256_setzero_si256();
    for (unsigned e = 0; e < n; ++e)
      for (unsigned j = 0; j < warpSize / 8; ++j) {
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
  case SV_H:
    return halfToFloat(static_cast<const u32 *>(lanes)[i]);
  case SV_B:
    return bfloatToFloat(static_cast<const u32 *>(lanes)[i]);
  case SV_S:
    return static_cast<const float *>(lanes)[i];
  default:
    return static_cast<const double *>(lanes)[i];
  }
}

/// The shadow value of a float that memory has none of: its value, and nothing
/// is missing from a double.
EVO_INLINE double ownShadowValue(unsigned kind, const void *lanes, unsigned i) {
  return kind == SV_D ? 0 : valueOf(kind, lanes, i);
}

template <int S>
EVO_INLINE void loadShadowValue(const Frame &f, const Inst &I, const Access &A,
                                int32_t dst, u64 at0) {
  const Region &r = *A.region;
  const unsigned kind = I.flags & SV_Mask;
  const void *bits = at<u32>(f, dst);
  double *g = gh(f, dst);
  if (!r.shadowValue) {
    if (kind == SV_S) {
      const float *s = at<float>(f, dst);
      shadowLoop(f, g, [=](unsigned i) { return double(s[i]); });
    } else {
      EVO_BITS(f.mask) g[i] = ownShadowValue(kind, bits, i);
    }
  } else {
    const u64 *raw = reinterpret_cast<const u64 *>(r.shadowValue);
    if (A.contiguous && kind == SV_S && r.granuleShift == 2 &&
        !(I.flags & flagList) && !(A.offset[0] & 3)) {
      const float *s = at<float>(f, dst);
      const u64 *p = raw + (A.offset[0] >> 2);
      EVO_LANES {
        u64 v = p[i];
        double own = bitsTo<double>(v ^ shadowKey);
        g[i] = v ? own : double(s[i]);
      }
    } else {
      const u64 low = (1u << r.granuleShift) - 1;
      EVO_BITS(f.mask) {
        u64 o = A.offset[i] + at0;
        u64 v = o & low ? 0 : raw[o >> r.granuleShift];
        g[i] =
            v ? bitsTo<double>(v ^ shadowKey) : ownShadowValue(kind, bits, i);
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
  if constexpr (S == 3) {
    double *e = er(f, dst);
    const u64 low = (1u << r.granuleShift) - 1;
    EVO_BITS(f.mask) {
      u64 o = A.offset[i] + at0;
      e[i] = r.error && !(o & low) ? r.error[o >> r.granuleShift] : opaqueBits;
    }
  }
}

/// Element type T in memory, lane type L in the register.
template <class T, class L, int S>
EVO_INLINE void loadElements(Exec &x, Warp &w, const Frame &f, const Inst &I,
                             const Access &A) {
  const Region &r = *A.region;
  const bool list = I.flags & flagList;
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
      for (unsigned j = 0; j < warpSize / 8; ++j) {
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
    } else if (f.mask == allLanes) {
      for (unsigned i = 0; i < warpSize; ++i) {
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
      if ((I.flags & SV_Mask) >= SV_H)
        loadShadowValue<S>(f, I, A, dst[e], e * sizeof(T));
  }
  if constexpr (S >= 1)
    if ((I.flags & SV_Mask) == SV_Packed)
      loadPackedShadows(x, w, I, f.mask, A);
  if constexpr (S == 3)
    if ((I.flags & SV_Mask) == SV_None)
      fieldIntegerLoad(x, I, f.mask, A, n * sizeof(T));
}

template <int S, class T>
EVO_INLINE void storeShadowValue(const Frame &f, const Inst &I, const Access &A,
                                 int32_t src, u64 at0) {
  const Region &r = *A.region;
  if (!r.shadowValue)
    return;
  const unsigned kind = I.flags & SV_Mask, shift = r.granuleShift;
  const u64 low = (1u << shift) - 1;
  u64 *raw = reinterpret_cast<u64 *>(r.shadowValue);
  if (kind == SV_S && A.contiguous && shift == 2 && !(I.flags & flagList) &&
      !(A.offset[0] & 3)) {
    const u64 *g = reinterpret_cast<const u64 *>(gh(f, src));
    u64 *p = raw + (A.offset[0] >> 2);
    EVO_LANES p[i] = g[i] ^ shadowKey;
    if constexpr (S >= 2)
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
      if (q == first && kind >= SV_H && !(o & low)) {
        const double g = gh(f, src)[i];
        // Two floats that travel as one double keep what they have.
        v = kind == SV_D && g == 0 ? 0 : bitsTo<u64>(g) ^ shadowKey;
        if constexpr (S >= 2)
          e = er(f, src)[i];
      } else if constexpr (S == 3) {
        // The middle of a float, or an integer; a constant one is a literal.
        e = kind >= SV_H ? insideBits : src < 0 ? 0 : opaqueBits;
      }
      if (v || raw[q])
        raw[q] = v;
      if constexpr (S == 3) {
        if (r.error)
          __builtin_memcpy(&r.error[q], &e, 8);
      } else if (S == 2 && r.error && (e != 0 || r.error[q] != 0))
        r.error[q] = e;
    }
  }
}

template <class T, class L, int S>
EVO_INLINE void storeElements(Exec &x, Warp &w, const Frame &f, const Inst &I,
                              const Access &A) {
  const Region &r = *A.region;
  const bool list = I.flags & flagList;
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
      if ((I.flags & SV_Mask) != SV_Packed)
        storeShadowValue<S, T>(f, I, A, src[e], e * sizeof(T));
  }
  if (r.init) {
    if (A.contiguous && (A.offset[0] & 7) == 0)
      __builtin_memset(r.init + (A.offset[0] >> 3), 0xff,
                       warpSize / 8 * sizeof(T) * n);
    else if (!surelyWritten<T>(A, n))
      EVO_BITS(f.mask)
    for (unsigned e = 0; e < n; ++e)
      setBits(r.init, A.offset[i] + e * sizeof(T), sizeof(T));
  }
  if constexpr (S >= 1)
    if ((I.flags & SV_Mask) == SV_Packed)
      storePackedShadows(x, w, I, f.mask, A);
}

template <class T, class L, int S, bool Write>
EVO_INLINE void accessBody(Exec &x, Warp &w, const Frame &f, const Inst &I,
                           const Access &A, unsigned total) {
  if (x.counters)
    countMemory(x, w, I, f.mask, A, total, Write, false);
  // No other thread reaches local memory, and nobody writes what is read only:
  // the race detector has no use for either.
  if (x.watched &&
      (x.observer || !(A.region->readOnly || A.region->laneStride))) {
    observe(x, w, I, f.mask, total,
            Write ? AccessObserver::Access::Store
                  : AccessObserver::Access::Load,
            &A);
    if (x.stop)
      return;
  }
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
  LaneMask todo = f.mask;
  while (todo && !x.stop) {
    x.laneInstructions += x.separateAccess;
    Access A;
    LaneMask sub = sameRegion(x, w, I, todo, total, alignMask, Write, A);
    if (!sub) {
      unsigned i = firstLane(todo);
      if (!Write) {
        const bool list = I.flags & flagList;
        const unsigned n = list ? x.k->lists[I.aux].size() : 1;
        for (unsigned e = 0; e < n; ++e) {
          int32_t d = list ? x.k->lists[I.aux][e] : I.dst;
          at<L>(f, d)[i] = static_cast<T>(x.poison);
          if constexpr (S >= 1) {
            const unsigned kind = I.flags & SV_Mask;
            gh(f, d)[i] =
                kind >= SV_H ? ownShadowValue(kind, at<u32>(f, d), i) : 0.0;
          }
          if constexpr (S >= 2)
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
  const unsigned n = I.flags & flagList ? x.k->lists[I.aux].size() : 1;
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

} // namespace
} // namespace EVO_EXEC_ISA
} // namespace evo::sim

#endif
