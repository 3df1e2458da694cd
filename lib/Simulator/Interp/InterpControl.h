// Groups, edges and shuffles. Lanes that diverge are groups by code position;
// phi copies of an edge touch the lanes that take it.
#ifndef EVO_LIB_SIMULATOR_INTERP_INTERPCONTROL_H
#define EVO_LIB_SIMULATOR_INTERP_INTERPCONTROL_H

#include "InterpFrame.h"

namespace evo::sim {
namespace EVO_EXEC_ISA {
namespace { // NOLINT(misc-anonymous-namespace-in-header): private to one build

/// Lanes whose 32-bit value is odd.
EVO_INLINE LaneMask oddLanes(const u32 *c) {
  LaneMask r = 0;
#ifdef __AVX2__
  for (unsigned j = 0; j < warpSize / 8; ++j) {
    __m256i v =
        _mm256_loadu_si256(reinterpret_cast<const __m256i *>(c + 8 * j));
    r |= static_cast<LaneMask>(
             _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_slli_epi32(v, 31))))
         << 8 * j;
  }
#else
  for (unsigned j = 0; j < warpSize / 4; ++j) {
    __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i *>(c + 4 * j));
    r |= static_cast<LaneMask>(
             _mm_movemask_ps(_mm_castsi128_ps(_mm_slli_epi32(v, 31))))
         << 4 * j;
  }
#endif
  return r;
}

template <int S>
EVO_INLINE void shuffleOp(Exec &x, Warp &w, const Frame &f, const Inst &I) {
  const u32 *value = at<u32>(f, I.a), *lane = at<u32>(f, I.b),
            *member = at<u32>(f, I.c), *clamp = at<u32>(f, I.e);
  u32 *d = at<u32>(f, I.dst);
  const unsigned kind = S ? I.flags & SV_Mask : 0;
  u32 source[warpSize];
  LaneMask undefined = 0;
  EVO_BITS(f.mask) {
    const u32 bound = clamp[i] % warpSize, segment = (clamp[i] >> 8) % warpSize;
    const u32 b = lane[i] % warpSize, first = i & segment,
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
      reportInactive(x, w, i, I, j);
      undefined |= laneBit(i);
      j = i;
    }
    source[i] = j;
    if (I.dst2 != noOperand)
      at<u32>(f, I.dst2)[i] = in;
  }
  EVO_BITS(f.mask) d[i] = value[source[i]];
  if constexpr (S >= 1) {
    if (kind != SV_None)
      for (unsigned pos = 0; pos < (kind == SV_Packed ? 2u : 1u); ++pos) {
        EVO_BITS(f.mask) gh(f, I.dst, pos)[i] = gh(f, I.a, pos)[source[i]];
        if constexpr (S >= 2)
          EVO_BITS(f.mask) er(f, I.dst, pos)[i] = er(f, I.a, pos)[source[i]];
      }
  }
  if (__builtin_expect(undefined != 0, false))
    leaveUndefined(x, w, I, undefined);
}

EVO_INLINE void addGroup(Warp &w, u32 ip, LaneMask mask) {
  for (unsigned j = 0; j < w.nGroups; ++j)
    if (w.groups[j].ip == ip) {
      w.groups[j].mask |= mask;
      return;
    }
  w.groups[w.nGroups++] = {ip, mask};
}

template <int S>
EVO_INLINE void edgeCopies(const Exec &x, const Frame &f, const Edge &e,
                           LaneMask mask) {
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
      if (c.shadowValue == SV_None)
        continue;
      const unsigned positions =
          c.shadowValue == SV_Packed ? (c.wide ? 4 : 2) : 1;
      for (unsigned p = 0; p < positions; ++p) {
        const u64 *s = reinterpret_cast<const u64 *>(gh(f, c.src, p));
        u64 *d = reinterpret_cast<u64 *>(gh(f, c.dst, p));
        if (all)
          EVO_LANES d[i] = s[i];
        else
          EVO_BITS(mask) d[i] = s[i];
        if constexpr (S >= 2) {
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

} // namespace
} // namespace EVO_EXEC_ISA
} // namespace evo::sim

#endif
