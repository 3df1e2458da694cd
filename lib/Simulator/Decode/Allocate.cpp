// Places in the register file. A warp's register file should stay in the
// first-level cache, so slots share places: linear scan over live intervals
// (Poletto and Sarkar 1999), where an interval is the hull of all positions at
// which block liveness says the slot is live. Divergence does not matter, since
// lanes never touch each other's part of a slot but in shuffles, whose operands
// are live by definition. A result never shares a place with an operand of its
// own instruction, because lanes of different widths would overlap.
#include "Decoder.h"
#include "Simulator/IR/Operands.h"
#include "llvm/ADT/BitVector.h"
#include <algorithm>
#include <queue>

using namespace llvm;

namespace evo::sim {

/// Instructions that only compute: safe to drop when the result is unused.
static bool isPure(const Inst &i) {
  return has(i.op, fact::isFunction | fact::isRemovable) &&
         !has(i.op, fact::mayFault);
}

void removeUnused(KernelCode &k, const std::vector<SlotInfo> &slots) {
  std::vector<unsigned> uses(slots.size());
  for (Inst &i : k.code)
    forEachUse(k, i, [&](int32_t &v) {
      if (v >= 0)
        ++uses[v];
    });
  for (const Copy &c : k.copies)
    if (c.src >= 0)
      ++uses[c.src];
  std::vector<char> dead(k.code.size());
  for (size_t n = k.code.size(); n-- > 0;) {
    Inst &i = k.code[n];
    if (!isPure(i) || i.dst < 0 || uses[i.dst])
      continue;
    dead[n] = 1;
    forEachUse(k, i, [&](int32_t &v) {
      if (v >= 0)
        --uses[v];
    });
  }
  std::vector<Inst> kept;
  size_t block = 0;
  for (size_t n = 0; n < k.code.size(); ++n) {
    while (block < k.blockStart.size() && k.blockStart[block] == n)
      k.blockStart[block++] = kept.size();
    if (!dead[n])
      kept.push_back(k.code[n]);
  }
  k.code = std::move(kept);
}

void allocateRegisters(KernelCode &k, std::vector<SlotInfo> &slots) {
  const unsigned blocks = k.blockStart.size(), n = slots.size();
  auto blockEnd = [&](unsigned b) {
    return b + 1 < blocks ? k.blockStart[b + 1] : uint32_t(k.code.size());
  };
  // Hulls from the positions of definitions and uses.
  std::vector<int64_t> first(n, -1), last(n, -1);
  auto touch = [&](int32_t v, int64_t pos) {
    if (v < 0)
      return;
    if (first[v] < 0 || pos < first[v])
      first[v] = pos;
    if (pos > last[v])
      last[v] = pos;
  };
  // Liveness between blocks, only for slots that cross a block border.
  std::vector<int32_t> homeBlock(n, -1);
  std::vector<char> crosses(n);
  for (unsigned b = 0; b < blocks; ++b)
    for (uint32_t p = k.blockStart[b]; p < blockEnd(b); ++p) {
      auto see = [&](int32_t v) {
        touch(v, p);
        if (v < 0)
          return;
        if (homeBlock[v] >= 0 && homeBlock[v] != int32_t(b))
          crosses[v] = 1;
        homeBlock[v] = b;
      };
      forEachUse(k, k.code[p], [&](int32_t &v) { see(v); });
      forEachDef(k, k.code[p], [&](int32_t &v) { see(v); });
      forEachEdge(k, k.code[p], [&](uint32_t e) {
        const Edge &edge = k.edges[e];
        for (uint32_t c = 0; c < edge.copies; ++c) {
          const Copy &copy = k.copies[edge.firstCopy + c];
          see(copy.src);
          see(copy.dst);
          if (copy.dst >= 0)
            crosses[copy.dst] = 1;
        }
      });
    }
  std::vector<int32_t> global(n, -1);
  std::vector<int32_t> ofGlobal;
  for (unsigned v = 0; v < n; ++v)
    if (crosses[v]) {
      global[v] = ofGlobal.size();
      ofGlobal.push_back(v);
    }
  const unsigned g = ofGlobal.size();
  std::vector<BitVector> use(blocks, BitVector(g)), def(blocks, BitVector(g)),
      in(blocks, BitVector(g));
  for (unsigned b = 0; b < blocks; ++b)
    for (uint32_t p = k.blockStart[b]; p < blockEnd(b); ++p) {
      auto read = [&](int32_t v) {
        if (v >= 0 && global[v] >= 0 && !def[b].test(global[v]))
          use[b].set(global[v]);
      };
      forEachUse(k, k.code[p], [&](int32_t &v) { read(v); });
      forEachDef(k, k.code[p], [&](int32_t &v) {
        if (v >= 0 && global[v] >= 0)
          def[b].set(global[v]);
      });
      // Copies of one edge: a temporary written by an earlier copy may be read
      // by a later one; reading it "from before" only lengthens its interval.
      forEachEdge(k, k.code[p], [&](uint32_t e) {
        const Edge &edge = k.edges[e];
        for (uint32_t c = 0; c < edge.copies; ++c)
          read(k.copies[edge.firstCopy + c].src);
      });
    }
  for (bool changed = true; changed;) {
    changed = false;
    for (unsigned b = blocks; b-- > 0;) {
      if (blockEnd(b) == k.blockStart[b])
        continue;
      BitVector live(g);
      forEachEdge(k, k.code[blockEnd(b) - 1], [&](uint32_t e) {
        const Edge &edge = k.edges[e];
        BitVector from = in[edge.target];
        for (uint32_t c = 0; c < edge.copies; ++c) {
          int32_t d = k.copies[edge.firstCopy + c].dst;
          if (d >= 0 && global[d] >= 0)
            from.reset(global[d]);
        }
        live |= from;
      });
      for (unsigned v : live.set_bits())
        touch(ofGlobal[v], blockEnd(b) - 1);
      live.reset(def[b]);
      live |= use[b];
      for (unsigned v : live.set_bits())
        touch(ofGlobal[v], k.blockStart[b]);
      if (live != in[b]) {
        in[b] = live;
        changed = true;
      }
    }
  }
  // Phi destinations are live from the block start on.
  std::vector<int32_t> order;
  for (unsigned v = 0; v < n; ++v)
    if (first[v] >= 0)
      order.push_back(v);
  std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    return first[a] != first[b] ? first[a] < first[b] : a < b;
  });
  using End = std::pair<int64_t, int32_t>;
  std::priority_queue<End, std::vector<End>, std::greater<End>> active;
  std::vector<int32_t> place(n, 0);
  std::vector<int32_t> freeSingle, freePair; // stacks: reuse what is warm
  int32_t units = 0;
  for (int32_t v : order) {
    while (!active.empty() && active.top().first < first[v]) {
      int32_t d = active.top().second;
      active.pop();
      (slots[d].wide ? freePair : freeSingle).push_back(place[d]);
    }
    auto &mine = slots[v].wide ? freePair : freeSingle;
    if (!mine.empty()) {
      place[v] = mine.back();
      mine.pop_back();
    } else {
      place[v] = units;
      units += slots[v].wide ? 2 : 1;
    }
    active.push({last[v], v});
  }
  k.registerUnits = units;
  // Constants lie before the register file, counted backwards.
  int32_t unit = 0;
  k.constantUnit.clear();
  for (const Constant &c : k.constants) {
    unit -= c.wide ? 2 : 1;
    k.constantUnit.push_back(unit);
  }
  k.constantUnits = -unit;
  auto rename = [&](int32_t &v) {
    v = v >= 0 ? place[v] : k.constantUnit[-v - 1];
  };
  // Two instructions never share a list, so each is renamed once.
  for (Inst &i : k.code) {
    forEachUse(k, i, rename);
    forEachDef(k, i, rename);
  }
  for (Copy &c : k.copies) {
    rename(c.dst);
    rename(c.src);
  }
  for (Edge &e : k.edges)
    e.target = k.blockStart[e.target];
}

} // namespace evo::sim
