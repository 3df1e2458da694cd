// Which integers carry shadow values. Every float slot has a shadow value. An
// integer slot needs shadow values only if a float may hide in its bits on the
// way from a load, bitcast or shuffle to a store, bitcast or exchange:
// compare-and-swap loops, packed halves, vectorised copies through i32 and i64.
// Two sweeps find those slots (could hold one; someone could want it); all
// other integer code pays nothing.
#include "Decoder.h"
#include "Simulator/IR/Operands.h"

namespace evo::sim {
namespace {

/// Whether shadow values of operands, or of memory, go on to an integer result.
bool carries(const Inst &i) {
  return has(i.op, fact::carriesA | fact::carriesB | fact::carriesC |
                       fact::carriesMemory);
}

/// Operands whose shadow values matter to the result.
template <class F> void carriedOperands(const Inst &i, F f) {
  for (auto [carried, operand] : {std::pair(fact::carriesA, i.a),
                                  {fact::carriesB, i.b},
                                  {fact::carriesC, i.c}})
    if (has(i.op, carried))
      f(operand);
}

/// Operands whose shadow values memory takes over.
template <class F> void storedOperands(KernelCode &k, Inst &i, F f) {
  if (has(i.op, fact::storesValues))
    forEachUse(k, i, [&](int32_t &v) {
      if (&v != &i.a)
        f(v);
    });
}

/// Marks instructions that compute with integers in which a float may hide: the
/// field cannot follow it there. A loop around a compare-and-swap asks whether
/// the swap took place, which says nothing about the float.
void markIntegerUses(KernelCode &k, const std::vector<char> &demand) {
  std::map<int32_t, int32_t> swapped; // result of a swap, its expected operand
  for (const Inst &i : k.code)
    if (i.op == Op::CMPXCHG)
      swapped[i.dst] = i.b;
  auto asksForSwap = [&](const Inst &i) {
    if (i.op != Op::ICMP_EQ_I && i.op != Op::ICMP_NE_I &&
        i.op != Op::ICMP_EQ_L && i.op != Op::ICMP_NE_L)
      return false;
    auto isPair = [&](int32_t a, int32_t b) {
      auto it = swapped.find(a);
      return it != swapped.end() && it->second == b;
    };
    return isPair(i.a, i.b) || isPair(i.b, i.a);
  };
  for (Inst &i : k.code) {
    if (asksForSwap(i))
      continue;
    const bool isMemory = has(i.op, fact::storesValues | fact::exchangesMemory);
    auto handedOn = [&](int32_t v) {
      if (isMemory)
        return v == i.b || v == i.c;
      bool found = false;
      if (carries(i) && (i.flags & SV_Mask) != SV_None)
        carriedOperands(i, [&](int32_t c) { found |= c == v; });
      return found;
    };
    if (i.a >= 0 && demand[i.a] && !handedOn(i.a))
      i.flags |= flagBitsA;
    if (i.b >= 0 && demand[i.b] && !handedOn(i.b))
      i.flags |= flagBitsB;
  }
}

} // namespace

void assignShadowValues(KernelCode &k, std::vector<SlotInfo> &slots) {
  std::vector<char> source(slots.size()), demand(slots.size());
  auto isFloat = [&](int32_t v) {
    return v >= 0 && slots[v].floatType != FT_None;
  };
  auto may = [&](int32_t v) { return v >= 0 && (isFloat(v) || source[v]); };
  // A float constant moved into an integer has no shadow value worth carrying.
  for (bool changed = true; changed;) {
    changed = false;
    auto mark = [&](int32_t v) {
      if (v >= 0 && !isFloat(v) && !source[v]) {
        source[v] = 1;
        changed = true;
      }
    };
    for (Inst &i : k.code) {
      if (!carries(i))
        continue;
      bool any = has(i.op, fact::carriesMemory);
      carriedOperands(i, [&](int32_t v) { any |= may(v); });
      if (!any)
        continue;
      forEachDef(k, i, [&](int32_t &d) {
        if (&d != &i.dst2)
          mark(d);
      });
    }
    for (const Copy &c : k.copies)
      if (may(c.src))
        mark(c.dst);
  }
  auto wanted = [&](int32_t v) { return v >= 0 && (isFloat(v) || demand[v]); };
  for (bool changed = true; changed;) {
    changed = false;
    auto mark = [&](int32_t v) {
      if (v >= 0 && !isFloat(v) && source[v] && !demand[v]) {
        demand[v] = 1;
        changed = true;
      }
    };
    for (Inst &i : k.code) {
      storedOperands(k, i, mark);
      if (!carries(i))
        continue;
      bool want = has(i.op, fact::exchangesMemory);
      forEachDef(k, i, [&](int32_t &d) { want |= &d != &i.dst2 && wanted(d); });
      if (want)
        carriedOperands(i, mark);
    }
    for (const Copy &c : k.copies)
      if (wanted(c.dst))
        mark(c.src);
  }
  auto kind = [&](int32_t v) -> uint8_t {
    FloatType ft = FT_None;
    if (v == noOperand)
      return SV_None;
    if (v < 0)
      ft = k.constants[-v - 1].floatType;
    else if (demand[v])
      return k.hasPacked = true, SV_Packed;
    else
      ft = slots[v].floatType;
    switch (ft) {
    case FT_H:
      return SV_H;
    case FT_B:
      return SV_B;
    case FT_S:
      return SV_S;
    case FT_D:
      return SV_D;
    case FT_None:
      break;
    }
    return SV_None;
  };
  for (Inst &i : k.code) {
    uint8_t held = SV_None; // what becomes of memory, or is moved
    storedOperands(k, i, [&](int32_t v) {
      if (kind(v) != SV_None)
        held = kind(v);
    });
    if (has(i.op, fact::exchangesMemory))
      carriedOperands(i, [&](int32_t v) { held = kind(v); });
    if (held != SV_None || !carries(i)) {
      i.flags |= held;
    } else if (hasList(i)) {
      // Results of one list differ at most in being wanted.
      for (int32_t d : k.lists[i.aux])
        if (kind(d) != SV_None)
          held = kind(d);
      i.flags |= held;
    } else {
      i.flags |= kind(i.dst);
    }
    if (i.op == Op::MOV_I || i.op == Op::MOV_L)
      i.sub = kind(i.a);
  }
  for (Copy &c : k.copies)
    c.shadowValue = kind(c.dst);
  markIntegerUses(k, demand);
  // A carrying op may read an integer operand that never holds a shadow value;
  // its defining instruction must leave "absent" there. Those are marked by
  // giving the consumer's operands a defined shadow value: flag the definition.
  std::vector<char> needsClear(slots.size());
  auto need = [&](int32_t v) {
    if (v >= 0 && !isFloat(v) && !demand[v])
      needsClear[v] = 1;
  };
  for (Inst &i : k.code) {
    if ((i.flags & SV_Mask) == SV_None)
      continue;
    storedOperands(k, i, need);
    carriedOperands(i, need);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (Copy &c : k.copies) {
      if (c.shadowValue == SV_Packed)
        need(c.src);
      if (c.dst >= 0 && needsClear[c.dst] && !c.shadowValue) {
        c.shadowValue = SV_Packed; // copies "absent" along
        changed = true;
      }
    }
  }
  for (Inst &i : k.code)
    forEachDef(k, i, [&](int32_t &d) {
      if (&d != &i.dst2 && needsClear[d])
        i.flags |= flagClear | (slots[d].wide ? flagWide : 0);
    });
}

} // namespace evo::sim
