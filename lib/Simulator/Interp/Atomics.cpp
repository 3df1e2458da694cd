// Atomic operations, lane by lane. Lanes perform their atomics in the order of
// their numbers or in the opposite one: a device may choose any.
#include "Cold.h"
#include "StoreFloat.h"
#include "evo/Support/Random.h"
#include <algorithm>
#include <cmath>
#include <cstring>

namespace evo::sim {

/// Takes one lane out of a mask that is not empty: its first, or its last.
static unsigned takeLane(LaneMask &mask, bool isLast) {
  const unsigned lane = isLast ? lastLane(mask) : firstLane(mask);
  mask &= ~laneBit(lane);
  return lane;
}

static uint64_t integerAtomic(AtomicOp op, uint64_t old, uint64_t v,
                              unsigned bytes) {
  const unsigned shift = 64 - 8 * bytes;
  auto sx = [&](uint64_t a) {
    return static_cast<int64_t>(a << shift) >> shift;
  };
  switch (op) {
  case AtomicOp::Add:
    return old + v;
  case AtomicOp::Sub:
    return old - v;
  case AtomicOp::And:
    return old & v;
  case AtomicOp::Nand:
    return ~(old & v);
  case AtomicOp::Or:
    return old | v;
  case AtomicOp::Xor:
    return old ^ v;
  case AtomicOp::Max:
    return sx(old) > sx(v) ? old : v;
  case AtomicOp::Min:
    return sx(old) < sx(v) ? old : v;
  case AtomicOp::UMax:
    return old > v ? old : v;
  case AtomicOp::UMin:
    return old < v ? old : v;
  case AtomicOp::UIncWrap:
    return old >= v ? 0 : old + 1;
  case AtomicOp::UDecWrap:
    return old == 0 || old > v ? v : old - 1;
  default:
    return v;
  }
}

/// What an operation on whole numbers, or an addition of floats, makes of the
/// bits `old` and `v`.
template <class Bits>
static Bits combine(AtomicOp op, FloatType type, Bits old, Bits v) {
  using Float = std::conditional_t<sizeof(Bits) == 8, double, float>;
  if (type == FT_None || op == AtomicOp::Xchg)
    return op == AtomicOp::Xchg
               ? v
               : static_cast<Bits>(integerAtomic(op, old, v, sizeof(Bits)));
  const auto a = bitsTo<Float>(old), b = bitsTo<Float>(v);
  Bits result;
  const Float sum = op == AtomicOp::FSub ? a - b : a + b;
  std::memcpy(&result, &sum, sizeof(result));
  return result;
}

/// Whether an exchange only stores: nobody asks what was there before.
static bool onlyStores(const Inst &I) {
  return I.op == Op::ATOMIC && I.dst == noOperand &&
         static_cast<AtomicOp>(I.aux & 255) == AtomicOp::Xchg;
}

/// Reports a read of what nobody wrote; whether the launch is over by that.
static bool stopsAtUnwritten(Exec &x, const Warp &w, unsigned lane,
                             const Inst &I, const Region &r, uint64_t address,
                             uint64_t offset, unsigned bytes) {
  if (!x.checkUninit || isWritten(r, offset, bytes))
    return false;
  if (onlyStores(I)) {
    markWritten(r, offset, bytes);
    return false;
  }
  reportUninitialized(x, w, lane, I, address, bytes);
  return x.stop;
}

/// The usual operations where nobody watches them and values have no shadows.
template <class Bits>
static void plainAtomic(Exec &x, Warp &w, const Inst &I, LaneMask mask) {
  const uint64_t alignMask = (1ull << (I.sub >> 4)) - 1;
  const auto op = static_cast<AtomicOp>(I.aux & 255);
  const auto type = static_cast<FloatType>(I.aux >> 8 & 255);
  const uint64_t *addr = reg<uint64_t>(x, w, I.a);
  uint64_t seen = 0;
  bool global = false, changed = false;
  for (LaneMask left = mask; left;) {
    const unsigned i = takeLane(left, x.lastLaneFirst);
    uint64_t offset, address = addr[i] + static_cast<int64_t>(I.imm);
    const Region *r =
        checkLane(x, w, i, I, address, sizeof(Bits), alignMask, true, offset);
    if (x.stop)
      return;
    Bits old = static_cast<Bits>(x.poison);
    if (r) {
      if (stopsAtUnwritten(x, w, i, I, *r, address, offset, sizeof(Bits)))
        return;
      char *p = r->host + offset;
      std::memcpy(&old, p, sizeof(old));
      const Bits now = combine(op, type, old, reg<Bits>(x, w, I.b)[i]);
      std::memcpy(p, &now, sizeof(now));
      const uint64_t space = address >> 60;
      global |= space != SpaceShared && space != SpaceLocal;
      seen = spreadBits(seen ^ old ^ address);
      changed |= old != now;
    }
    if (I.dst != noOperand)
      reg<Bits>(x, w, I.dst)[i] = old;
  }
  if (!changed)
    notePoll(x, w, I, seen, global);
}

/// Whether there is a short way for it.
static bool isPlain(const Exec &x, const Inst &I) {
  const unsigned bytes = 1u << (I.sub & 15);
  const auto op = static_cast<AtomicOp>(I.aux & 255);
  const auto type = static_cast<FloatType>(I.aux >> 8 & 255);
  const bool isSum = op != AtomicOp::FMax && op != AtomicOp::FMin;
  return !x.watched && !x.shadow && !x.counters && I.op == Op::ATOMIC &&
         ((bytes == 4 && (type == FT_None || (type == FT_S && isSum))) ||
          (bytes == 8 && (type == FT_None || (type == FT_D && isSum))));
}

void atomicOp(Exec &x, Warp &w, const Inst &I, LaneMask mask) {
  if (isPlain(x, I))
    return (I.sub & 15) == 3 ? plainAtomic<uint64_t>(x, w, I, mask)
                             : plainAtomic<uint32_t>(x, w, I, mask);
  const unsigned bytes = 1u << (I.sub & 15), kind = I.flags & SV_Mask;
  const uint64_t alignMask = (1ull << (I.sub >> 4)) - 1;
  const AtomicOp op = static_cast<AtomicOp>(I.aux & 255);
  const FloatType type = static_cast<FloatType>(I.aux >> 8 & 255);
  const bool wide = bytes == 8, exchange = I.op == Op::CMPXCHG;
  const int32_t valueReg = exchange ? I.c : I.b;
  const uint64_t *addr = reg<uint64_t>(x, w, I.a);
  if (x.watched)
    observe(x, w, I, mask, bytes, AccessObserver::Access::Atomic, nullptr);
  if (x.stop)
    return;
  auto get = [&](int32_t u, unsigned i) -> uint64_t {
    return wide ? reg<uint64_t>(x, w, u)[i] : reg<uint32_t>(x, w, u)[i];
  };
  auto put = [&](int32_t u, unsigned i, uint64_t v) {
    if (u == noOperand)
      return;
    if (wide)
      reg<uint64_t>(x, w, u)[i] = v;
    else
      reg<uint32_t>(x, w, u)[i] = static_cast<uint32_t>(v);
  };
  uint64_t seen = 0;
  bool global = false;
  bool changed = false;
  // What one instruction does to one region is counted together.
  Access counted;
  LaneMask countedMask = 0;
  counted.increments = I.op == Op::ATOMIC && op == AtomicOp::Add &&
                       type == FT_None && I.dst == noOperand && valueReg < 0 &&
                       get(valueReg, 0) == 1;
  auto count = [&] {
    if (countedMask)
      countMemory(x, w, I, countedMask, counted, bytes, true, true);
    countedMask = 0;
  };
  for (LaneMask left = mask; left;) {
    const unsigned i = takeLane(left, x.lastLaneFirst);
    uint64_t offset, address = addr[i] + static_cast<int64_t>(I.imm);
    const Region *r =
        checkLane(x, w, i, I, address, bytes, alignMask, true, offset);
    if (x.stop)
      return;
    if (!r) {
      put(I.dst, i, x.poison & (~0ull >> (64 - 8 * bytes)));
      continue;
    }
    if (stopsAtUnwritten(x, w, i, I, *r, address, offset, bytes))
      return;
    if (x.counters && r->address >> 60 != SpaceLocal) {
      if (countedMask && counted.region != r)
        count();
      counted.region = r;
      counted.offset[i] = offset;
      countedMask |= laneBit(i);
    }
    char *p = r->host + offset;
    uint64_t old = 0, v = get(valueReg, i), now = v;
    std::memcpy(&old, p, bytes);
    bool stored = true;
    if (exchange) {
      stored = old == get(I.b, i);
    } else if (type == FT_None || op == AtomicOp::Xchg) {
      now = integerAtomic(op, old, v, bytes);
    }
    const Tagged none = untagged(x);
    Tagged oldTag[4], newTag[4] = {none, none, none, none};
    const bool isFloat = type != FT_None;
    if (x.shadow)
      for (unsigned q = 0; q < 4 && 2 * q < bytes; ++q) {
        oldTag[q] = memoryTagged(x, *r, offset + 2 * q);
        if (kind != SV_None)
          newTag[q] =
              readTagged(x, w, valueReg, isFloat ? kind : SV_Packed, q, i);
      }
    if (isFloat && !exchange && op != AtomicOp::Xchg) {
      // Decode both operands from memory-format bits.
      alignas(8) char ob[8] = {}, vb[8] = {}, rb[8] = {};
      std::memcpy(ob, &old, 8);
      std::memcpy(vb, &v, 8);
      double a = floatValue(type + SV_H, ob, 0),
             b = floatValue(type + SV_H, vb, 0), s;
      const bool isDouble = type == FT_D; // whose shadow values are rests
      auto shadowValueIn = [&](const Tagged &t, double own) {
        return t.shadowValue ? bitsTo<double>(t.shadowValue ^ shadowKey)
               : isDouble    ? 0
                             : own;
      };
      double ga = shadowValueIn(oldTag[0], a), gb = shadowValueIn(newTag[0], b);
      Tagged t;
      bool keepOld = false;
      switch (op) {
      case AtomicOp::FMax:
      case AtomicOp::FMin: {
        bool first = b != b || (op == AtomicOp::FMax ? a > b : a < b);
        s = first ? a : b;
        keepOld = first;
        t = first ? oldTag[0] : newTag[0];
        if (first)
          t.shadowValue = encodeShadowValue(ga);
        break;
      }
      case AtomicOp::FSub:
      default: {
        const double sign = op == AtomicOp::FSub ? -1 : 1;
        s = a + sign * b;
        if (type == FT_S)
          s = static_cast<float>(a) + static_cast<float>(sign * b);
        else if (type != FT_D)
          s = addRoundToOdd(a, sign * b);
        double g = ga + sign * gb;
        if (isDouble) {
          const double bb = s - a;
          g += (a - (s - bb)) + (sign * b - bb);
          g = std::isfinite(g) ? g : 0;
        }
        t.shadowValue = encodeShadowValue(g);
        t.error = oldTag[0].error + newTag[0].error +
                  std::max(unitRoundoff[type], x.accumulateUnit) *
                      std::fabs(isDouble ? s : g);
        break;
      }
      }
      if (x.terms) {
        if (op != AtomicOp::FMax && op != AtomicOp::FMin)
          t.error = termsAtomic(x, type, oldTag[0], isDouble ? a : ga,
                                newTag[0], isDouble ? b : gb);
      } else if (x.shadow == 3) {
        t.error =
            fieldAtomic(x, I, op, type, oldTag[0], a, isDouble ? a + ga : ga,
                        newTag[0], b, isDouble ? b + gb : gb, keepOld);
      }
      storeFloat(type, rb, 0, s);
      std::memcpy(&now, rb, 8);
      newTag[0] = t;
      for (unsigned q = 1; q < 4; ++q)
        newTag[q] = none;
    } else if (!exchange && op != AtomicOp::Xchg) {
      if (x.shadow == 3) {
        fieldIntegerUse(x, I, oldTag, bytes / 2);
        fieldIntegerUse(x, I, newTag, bytes / 2);
      }
      for (Tagged &t : newTag)
        t = none;
    }
    const uint64_t space = address >> 60;
    global |= space != SpaceShared && space != SpaceLocal;
    seen = spreadBits(seen ^ old ^ address);
    changed |= stored && std::memcmp(&old, &now, bytes) != 0;
    if (stored) {
      std::memcpy(p, &now, bytes);
      if (x.shadow)
        storeTagged(x, *r, offset, bytes, newTag);
    }
    put(I.dst, i, old);
    if (x.shadow && kind != SV_None && I.dst != noOperand)
      for (unsigned q = 0; q < (wide ? 4u : 2u); ++q)
        writeTagged(x, w, I.dst, isFloat ? kind : SV_Packed, q, i, oldTag[q]);
    if (exchange && I.dst2 != noOperand)
      reg<uint32_t>(x, w, I.dst2)[i] = stored;
  }
  count();
  if (!changed)
    notePoll(x, w, I, seen, global);
}

} // namespace evo::sim
