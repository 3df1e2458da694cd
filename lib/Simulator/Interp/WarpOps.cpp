// Votes, matches, reductions, arrival. What the lanes of a warp do together,
// and who of them may do it now.
#include "Cold.h"
#include "Simulator/Detect/Race.h"
#include "evo/Support/Random.h"
#include <algorithm>

namespace evo::sim {

void voteOp(Exec &x, Warp &w, const Inst &I, LaneMask mask) {
  const uint32_t *member = reg<uint32_t>(x, w, I.c);
  uint32_t *d = reg<uint32_t>(x, w, I.dst);
  LaneMask all = 0; // of a vote: lanes whose predicate is true
  if (I.op == Op::VOTE) {
    const uint32_t *p = reg<uint32_t>(x, w, I.a);
    EVO_BITS(mask) all |= (p[i] & 1) << i;
  }
  EVO_BITS(mask) {
    const unsigned self = i;
    const LaneMask others = mask & member[self];
    if (I.op == Op::VOTE) {
      const LaneMask ballot = all & others;
      switch (static_cast<VoteMode>(I.sub)) {
      case VoteMode::All:
        d[self] = ballot == others;
        break;
      case VoteMode::Any:
        d[self] = ballot != 0;
        break;
      case VoteMode::Uni:
        d[self] = ballot == 0 || ballot == others;
        break;
      case VoteMode::Ballot:
        d[self] = ballot;
        break;
      }
    } else if (I.op == Op::MATCH) {
      const MatchMode mode = static_cast<MatchMode>(I.sub);
      const bool wide = mode == MatchMode::Any64 || mode == MatchMode::All64;
      auto v = [&](unsigned l) {
        return wide ? reg<uint64_t>(x, w, I.a)[l]
                    : uint64_t(reg<uint32_t>(x, w, I.a)[l]);
      };
      LaneMask same = 0;
      EVO_BITS(others) same |= LaneMask(v(i) == v(self)) << i;
      if (mode == MatchMode::Any32 || mode == MatchMode::Any64) {
        d[self] = same;
      } else {
        d[self] = same == others ? others : 0;
        if (I.dst2 != noOperand)
          reg<uint32_t>(x, w, I.dst2)[self] = same == others;
      }
    } else {
      const uint32_t *v = reg<uint32_t>(x, w, I.a);
      uint32_t r = v[self];
      EVO_BITS(others & ~laneBit(self)) {
        uint32_t o = v[i];
        switch (static_cast<ReduxOp>(I.sub)) {
        case ReduxOp::Add:
          r += o;
          break;
        case ReduxOp::Min:
          r = int32_t(o) < int32_t(r) ? o : r;
          break;
        case ReduxOp::Max:
          r = int32_t(o) > int32_t(r) ? o : r;
          break;
        case ReduxOp::UMin:
          r = std::min(r, o);
          break;
        case ReduxOp::UMax:
          r = std::max(r, o);
          break;
        case ReduxOp::And:
          r &= o;
          break;
        case ReduxOp::Or:
          r |= o;
          break;
        case ReduxOp::Xor:
          r ^= o;
          break;
        }
      }
      d[self] = r;
    }
  }
}

/// What PTX asks all threads of a warp to execute together, an exited one never
/// does; votes, shuffles and the like wait for those that are left.
static LaneMask expected(const Warp &w, const Inst &I) {
  return has(I.op, fact::needsWholeWarp) ? w.existing : w.live;
}

LaneMask arrive(Exec &x, Warp &w, const Inst &I, uint32_t ip, LaneMask mask) {
  LaneMask here = mask;
  for (unsigned j = 0; j < w.nWaiting; ++j)
    if (w.waiting[j].ip == ip) {
      here |= w.waiting[j].mask;
      w.waiting[j] = w.waiting[--w.nWaiting];
      break;
    }
  const uint32_t *member = reg<uint32_t>(x, w, I.c);
  LaneMask ready = 0;
  EVO_BITS(here) {
    const LaneMask m = member[i] & expected(w, I);
    if (!(m >> i & 1)) {
      report(x, w, i, I, FindingKind::BarrierDivergence,
             "lane " + std::to_string(i) +
                 " takes part in a warp-wide operation whose mask omits it");
      if (x.stop)
        return 0;
      ready |= laneBit(i);
      continue;
    }
    // Everyone named has arrived, naming the same lanes.
    bool complete = (m & ~here) == 0;
    if (complete) {
      LaneMask rest = m;
      for (; rest; rest &= rest - 1)
        complete &= (member[firstLane(rest)] & expected(w, I)) == m;
    }
    if (complete)
      ready |= laneBit(i);
  }
  if (here & ~ready)
    w.waiting[w.nWaiting++] = {ip, here & ~ready};
  return ready;
}

uint64_t undefinedBits(FloatType type, uint64_t poison) {
  static constexpr struct {
    uint64_t nan, huge, sign;
  } floats[] = {{0x7e00, 0x7bff, 0x8000},
                {0x7fc0, 0x7f7f, 0x8000},
                {0x7fc00000, 0x7f7fffff, 0x80000000},
                {0x7ff8ull << 48, 0x7fefull << 48, 1ull << 63}};
  if (type == FT_None)
    return poison;
  const auto &f = floats[type == FT_H   ? 0
                         : type == FT_B ? 1
                         : type == FT_S ? 2
                                        : 3];
  if (poison & 1)
    return f.nan;
  return poison & 2 ? f.huge : f.huge | f.sign;
}

void leaveUndefined(Exec &x, Warp &w, const Inst &I, LaneMask mask) {
  const unsigned kind = I.flags & SV_Mask;
  // Two halves may be packed in what has no float's kind.
  const auto type = kind == SV_None || kind == SV_Packed
                        ? FT_None
                        : static_cast<FloatType>(kind - SV_H);
  const auto bits =
      static_cast<uint32_t>(x.shadow ? 0 : undefinedBits(type, x.poison));
  EVO_BITS(mask) reg<uint32_t>(x, w, I.dst)[i] = bits;
  if (!x.shadow || kind == SV_None)
    return;
  for (unsigned pos = 0; pos < (kind == SV_Packed ? 2u : 1u); ++pos)
    EVO_BITS(mask) {
      shadowValueOf(x, w, I.dst, pos)[i] = 0;
      if (x.shadow >= 2)
        errorOf(x, w, I.dst, pos)[i] = x.shadow == 3 ? opaqueBits : 0;
    }
}

void leave(Exec &x, Warp &w, LaneMask mask) {
  w.live &= ~mask;
  if (x.races && w.live)
    x.races->exit(w, mask);
  // Those who wait may have waited for these alone: they arrive again.
  for (unsigned j = 0; j < w.nWaiting; ++j)
    w.groups[w.nGroups++] = w.waiting[j];
  w.nWaiting = 0;
}

void notePoll(Exec &x, Warp &w, const Inst &I, uint64_t seen, bool global) {
  Warp::Poll &poll = w.polls[(&I - x.code) & 3];
  if (poll.inst != &I || poll.seen != seen) {
    poll = {&I, seen, global};
    w.unchanged = 0;
    return;
  }
  if (++w.unchanged < maxPolls)
    return;
  w.unchanged = 0;
  w.yielded = true;
  // The lanes waited for may be this warp's own.
  w.largestFirst = !w.largestFirst;
  x.sliceEnd = 0;
}

void noteVolatileLoad(Exec &x, Warp &w, const Inst &I, LaneMask mask) {
  const int32_t dst = I.flags & flagList ? x.k->lists[I.aux][0] : I.dst;
  const bool wide = (I.sub & 15) == 3;
  uint64_t seen = 0;
  bool global = false;
  EVO_BITS(mask) {
    const uint64_t space = reg<uint64_t>(x, w, I.a)[i] >> 60;
    global |= space != SpaceShared && space != SpaceLocal;
    const uint64_t value =
        wide ? reg<uint64_t>(x, w, dst)[i] : reg<uint32_t>(x, w, dst)[i];
    // The address may have been overwritten by the value; no harm is done.
    seen = spreadBits(seen ^ value ^ reg<uint64_t>(x, w, I.a)[i]);
  }
  notePoll(x, w, I, seen, global);
}

} // namespace evo::sim
