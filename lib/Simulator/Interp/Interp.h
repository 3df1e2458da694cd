// The hot loop. Executes the bytecode of one warp. Included by one file per
// instruction set, which names a namespace for it (EVO_EXEC_ISA), since the
// same template built twice with different flags must not be merged by the
// linker. Instantiated for each shadow mode S (0 none, 1 shadow value, 2 shadow
// value and error, 3 shadow value and field), so that shadows not asked for
// cost nothing; field values move as errors do, and one call after each
// instruction computes them; counting is one predictable branch per instruction
// rather than a second copy of everything.
//
// Speed comes from three habits: every operation is a loop of typed lanes
// that the compiler turns into vector code; a group that holds all live lanes
// ("full") runs these loops unmasked, since dead lanes may hold anything; and a
// memory instruction checks region, bounds and alignment of all addresses in
// one vector loop before it touches memory. Compiled with -ffp-contract=off, so
// both builds round alike; NaN results are canonical as on the device, which
// hides the only other difference, the payload.
#include "InterpControl.h"
#include "InterpConvert.h"
#include "InterpFloat.h"
#include "InterpMemory.h"

namespace evo::sim {
namespace EVO_EXEC_ISA {
namespace { // NOLINT(misc-anonymous-namespace-in-header): private to one build

template <int S> void runWarp(Exec &x, Warp &w) {
  Frame f;
  f.reg[0] = w.regs;
  f.reg[1] = x.constants;
  f.shadowValue[0] = w.shadowValue;
  f.shadowValue[1] = x.constantShadowValue;
  f.error[0] = w.error;
  f.error[1] = x.constantError;
  f.multiplyUnit = x.multiplyUnit;
  f.accumulateUnit = x.accumulateUnit;
  f.overflows = x.noteOverflows ? &x.overflows : nullptr;
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
      if ((w.groups[j].ip < w.groups[best].ip) != w.largestFirst)
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
      x.laneInstructions += n * countLanes(f.mask);
      if (__builtin_expect(x.laneInstructions > x.laneLimit ||
                               x.warpInstructions > x.clockCheck,
                           0))
        if (!withinBudget(x, w, *end))
          return true;
      return x.warpInstructions > x.sliceEnd;
    };

    // Where blocks take turns: whether this one leaves before it goes on.
    auto givesUpTurn = [&](const Inst *at) {
      if (__builtin_expect(x.turns == nullptr, 1) ||
          !leavesTurn(x, w, *at, f.mask))
        return false;
      account(at);
      addGroup(w, at - code, f.mask);
      return true;
    };
    auto noteRound = [&](u32 edge) {
      if (__builtin_expect(x.rounds != nullptr, 0) &&
          x.k->edges[edge].target <= static_cast<u32>(ip - code))
        x.rounds->goBack(w, edge);
    };

    while (running) {
      const Inst &I = *ip;
      if (__builtin_expect(counting, 0))
        countInstruction(x, I, f.mask);
      if constexpr (S >= 1)
        if (__builtin_expect(I.flags & flagClear, 0)) {
          // 0 reads "absent" in every position an integer can have.
          const unsigned n = I.dst == noOperand   ? 0
                             : I.flags & flagWide ? 4
                                                  : 2;
          for (unsigned p = 0; p < n; ++p)
            EVO_BITS(f.mask) {
              gh(f, I.dst, p)[i] = 0;
              if constexpr (S == 3)
                er(f, I.dst, p)[i] = opaqueBits;
            }
          if (!n)
            clearListedShadowValues(x, w, I, f.mask);
        }
      switch (I.op) {
#include "InterpFloatCases.inc"
#include "InterpIntegerCases.inc"
#include "InterpMemoryCases.inc"

      case Op::SHFL:
      case Op::VOTE:
      case Op::MATCH:
      case Op::REDUX:
      case Op::WARPSYNC:
      case Op::MMA:
      case Op::LDMATRIX:
      case Op::STMATRIX:
      case Op::WMMALOAD:
      case Op::WMMASTORE: {
        LaneMask ready = f.mask;
        const u32 *member = at<u32>(f, I.c);
        // The common case: the group is exactly what the mask asks for.
        const LaneMask expected =
            I.op >= Op::MMA && I.op <= Op::WMMASTORE ? w.existing : w.live;
        const bool complete = I.c < 0 && (member[0] & expected) == f.mask;
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
          if (x.watched)
            observeOrder(x, w, I, f.mask);
        } else if (I.op >= Op::MMA && I.op <= Op::WMMASTORE)
          matrixOp(x, w, I, f.mask);
        else
          voteOp(x, w, I, f.mask);
        if (x.stop)
          return;
        if (!complete) {
          if constexpr (S == 3)
            handleOp(x, w, I, f.mask);
          addGroup(w, ip + 1 - code, f.mask);
          running = false;
        }
        break;
      }
      case Op::BAR: {
        account(ip);
        if (x.stop)
          return;
        LaneMask here = f.mask;
        for (unsigned j = 0; j < w.nWaiting; ++j)
          if (w.waiting[j].ip == static_cast<u32>(ip - code)) {
            here |= w.waiting[j].mask;
            w.waiting[j] = w.waiting[--w.nWaiting];
            break;
          }
        if (here == w.live) {
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
        noteRound(I.aux);
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
        const LaneMask t = oddLanes(at<u32>(f, I.a)) & f.mask;
        if (counting)
          ++x.counters->branches;
        if (t == 0 || t == f.mask) {
          const Edge &e = x.k->edges[I.aux + (t == 0)];
          x.taken[I.aux + (t == 0)] = 1;
          noteRound(I.aux + (t == 0));
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
        const LaneMask e = f.mask & ~t;
        const Edge &te = x.k->edges[I.aux], &fe = x.k->edges[I.aux + 1];
        x.taken[I.aux] = x.taken[I.aux + 1] = 1;
        noteRound(I.aux);
        noteRound(I.aux + 1);
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
        LaneMask rest = f.mask;
        unsigned ways = 0;
        auto take = [&](LaneMask mask, u32 edge) {
          if (!mask)
            return;
          ++ways;
          x.taken[edge] = 1;
          const Edge &e = x.k->edges[edge];
          edgeCopies<S>(x, f, e, mask);
          addGroup(w, e.target, mask);
        };
        for (auto &c : t.cases) {
          LaneMask hit = 0;
          EVO_BITS(rest)
          hit |= LaneMask((t.wide ? at<u64>(f, I.a)[i] : at<u32>(f, I.a)[i]) ==
                          c.first)
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
        leave(x, w, f.mask);
        running = false;
        break;
      case Op::TRAP:
        account(ip);
        trapOp(x, w, I, f.mask);
        leave(x, w, f.mask);
        running = false;
        break;
      }
      if constexpr (S == 3)
        if (running)
          handleOp(x, w, I, f.mask);
      ++ip;
    }
  }
}

/// One instruction of a full warp whose lanes are together, bits alone.
inline void runOne(Exec &x, Warp &w, const Inst &I) {
  constexpr int S = 0;
  const Inst *const ip = &I;
  auto givesUpTurn = [](const Inst *) { return false; };
  Frame f;
  f.reg[0] = w.regs;
  f.reg[1] = x.constants;
  setMask(f, w, w.live);
  switch (I.op) {
#include "InterpFloatCases.inc"
#include "InterpIntegerCases.inc"
#include "InterpMemoryCases.inc"
  case Op::SHFL:
    shuffleOp<S>(x, w, f, I);
    break;
  case Op::VOTE:
  case Op::MATCH:
  case Op::REDUX:
    voteOp(x, w, I, f.mask);
    break;
  case Op::MMA:
  case Op::LDMATRIX:
  case Op::STMATRIX:
  case Op::WMMALOAD:
  case Op::WMMASTORE:
    matrixOp(x, w, I, f.mask);
    break;
  default: // jumps, and what waits
    __builtin_unreachable();
  }
}

inline InterpreterTable makeTable() {
  return {{runWarp<0>, runWarp<1>, runWarp<2>, runWarp<3>}, runOne};
}

} // namespace
} // namespace EVO_EXEC_ISA
} // namespace evo::sim
