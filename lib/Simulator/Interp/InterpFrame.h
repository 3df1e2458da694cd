// Operands and lanes of a group. Where the values of a group of lanes lie, and
// the loops over lanes that every operation is made of. Part of Interp.h, like
// the other Interp headers; see there for the namespace.
#ifndef EVO_LIB_SIMULATOR_INTERP_INTERPFRAME_H
#define EVO_LIB_SIMULATOR_INTERP_INTERPFRAME_H

#include "Exec.h"
#include "Math.h"
#include "Simulator/IR/Numeric.h"
#include <immintrin.h>

#define EVO_INLINE static inline __attribute__((always_inline))
#if defined(__clang__)
#define EVO_LANES                                                              \
  _Pragma("clang loop vectorize(assume_safety)") for (unsigned i = 0;          \
                                                      i <                      \
                                                      ::evo::sim::warpSize;    \
                                                      ++i)
#else
#define EVO_LANES                                                              \
  _Pragma("GCC ivdep") for (unsigned i = 0; i < ::evo::sim::warpSize; ++i)
#endif

namespace evo::sim {
namespace EVO_EXEC_ISA {
namespace { // NOLINT(misc-anonymous-namespace-in-header): private to one build

using u8 = uint8_t;
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;
using i32 = int32_t;
using i64 = int64_t;

/// Where operands of the current group lie, and which lanes it has.
struct Frame {
  char *reg[2];
  double *shadowValue[2], *error[2];
  double multiplyUnit, accumulateUnit; ///< of Options
  bool *overflows;                     ///< null: not noted
  LaneMask mask;
  bool full; ///< all live lanes: lanes outside may be overwritten
  i32 lane[warpSize];
};

template <class T> EVO_INLINE T *at(const Frame &f, int32_t u) {
  return reinterpret_cast<T *>(f.reg[static_cast<u32>(u) >> 31] +
                               static_cast<ptrdiff_t>(u) * unitBytes);
}
EVO_INLINE double *gh(const Frame &f, int32_t u, unsigned pos = 0) {
  return f.shadowValue[static_cast<u32>(u) >> 31] +
         static_cast<ptrdiff_t>(u) * unitShadowValues + pos * warpSize;
}
EVO_INLINE double *er(const Frame &f, int32_t u, unsigned pos = 0) {
  return f.error[static_cast<u32>(u) >> 31] +
         static_cast<ptrdiff_t>(u) * unitShadowValues + pos * warpSize;
}

EVO_INLINE void setMask(Frame &f, const Warp &w, LaneMask mask) {
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

} // namespace
} // namespace EVO_EXEC_ISA
} // namespace evo::sim

#endif
