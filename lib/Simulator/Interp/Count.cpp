// Instructions, sectors and bank conflicts. Fills the counters of a launch.
// Called per warp instruction when somebody asked for them.
#include "Cold.h"
#include "evo/Target/TargetInfo.h"
#include <algorithm>

namespace evo::sim {

static constexpr unsigned sharedBanks = target::TargetInfo::sharedBanks,
                          sectorBytes = target::TargetInfo::sectorBytes;

/// Sorts and drops what is there twice; answers how many are left. Mostly
/// neighbouring lanes ask for neighbours, and there is nothing to do.
static unsigned sortUnique(uint64_t *values, unsigned n) {
  for (unsigned i = 1; i < n; ++i)
    if (values[i - 1] >= values[i]) {
      std::sort(values, values + n);
      return std::unique(values, values + n) - values;
    }
  return n;
}

/// Counts the words that lie in one bank, a word that several lanes ask for
/// once, unless they take turns at it. Nothing is sorted: a bank holds one word
/// of an access, as a rule.
class Banks {
public:
  explicit Banks(bool inTurn) : inTurn(inTurn) {
    std::fill_n(first, sharedBanks, -1);
  }
  void add(uint64_t word) {
    const unsigned bank = word % sharedBanks;
    unsigned inBank = 1;
    for (int at = first[bank]; at >= 0; at = next[at], ++inBank)
      if (words[at] == word && !inTurn)
        return;
    words[size] = word;
    next[size] = first[bank];
    first[bank] = size++;
    worst = std::max(worst, inBank);
  }
  unsigned worst = 0;

private:
  /// Four words of each lane.
  static constexpr unsigned maxWords = 4 * warpSize;
  bool inTurn;
  uint64_t words[maxWords];
  int next[maxWords];
  int first[sharedBanks];
  int size = 0;
};

/// Of each part of memory of so many bytes, the max number of lanes that mean
/// one address of it, summed up.
static unsigned countTurns(const Access &a, LaneMask mask, unsigned shift) {
  uint64_t offsets[warpSize];
  unsigned n = 0, turns = 0, max = 0, run = 0;
  EVO_BITS(mask) offsets[n++] = a.offset[i] + (a.region->address % sectorBytes);
  std::sort(offsets, offsets + n);
  for (unsigned k = 0; k < n; ++k) {
    run = k && offsets[k] == offsets[k - 1] ? run + 1 : 1;
    if (k && offsets[k] >> shift != offsets[k - 1] >> shift) {
      turns += max;
      max = 0;
    }
    max = std::max(max, run);
  }
  return turns + max;
}

void countInstruction(Exec &x, const Inst &i, LaneMask mask) {
  if (has(i.op, fact::isCountedByMemory))
    return; // by the space it touches, in countMemory
  const unsigned c = static_cast<unsigned>(rowOf(i.op).cost);
  const unsigned lanes = countLanes(mask);
  ++x.counters->warpInstructions[c];
  x.counters->laneInstructions[c] += lanes;
  x.counters->flops += uint64_t(rowOf(i.op).flops) * lanes;
}

void countMemory(Exec &x, const Warp &w, const Inst &i, LaneMask mask,
                 const Access &a, unsigned bytes, bool write, bool atomic) {
  Counters &c = *x.counters;
  const Region &r = *a.region;
  const uint64_t space = r.address >> 60;
  const unsigned lanes = countLanes(mask);
  if (!atomic) {
    OpClass k = space == SpaceShared  ? OpClass::SharedLoad
                : space == SpaceLocal ? OpClass::LocalLoad
                                      : OpClass::GlobalLoad;
    unsigned n = static_cast<unsigned>(k) + write;
    ++c.warpInstructions[n];
    c.laneInstructions[n] += lanes;
  }
  if (space == SpaceGlobal || space == SpaceHeap) {
    Counters::Traffic &t = c.global[write];
    ++t.requests;
    t.bytes += uint64_t(bytes) * lanes;
    uint64_t sectors[warpSize * 3];
    unsigned n = 0;
    const uint64_t lead = r.address % sectorBytes;
    auto add = [&](uint64_t begin, uint64_t count) {
      for (uint64_t s = (begin + lead) / sectorBytes;
           s <= (begin + lead + count - 1) / sectorBytes; ++s)
        if (n == 0 || sectors[n - 1] != s)
          sectors[n++] = s;
    };
    if (a.contiguous) {
      add(a.offset[0], warpSize * uint64_t(bytes));
    } else {
      EVO_BITS(mask) add(a.offset[i], bytes);
      n = sortUnique(sectors, n);
    }
    t.sectors += n;
    if (atomic) {
      ++c.atomics.requests;
      const unsigned turns = countTurns(a, mask, /*shift=*/5);
      c.atomics.turns += turns;
      c.atomics.crowding += turns / std::max(1.0, double(sizeOf(r)) / 512);
    }
    if (uint32_t *tag = write ? r.storeTag : r.loadTag)
      for (unsigned s = 0; s < n; ++s) {
        uint32_t &e = tag[sectors[s]];
        t.launchSectors += e == 0;
        t.blockSectors += e != x.blockEpoch;
        e = x.blockEpoch;
      }
  } else if (space == SpaceShared) {
    Counters::Shared &t = c.shared[write];
    ++t.requests;
    t.bytes += uint64_t(bytes) * lanes;
    // What lanes read or write at one place is one, what they do there is not,
    // unless it is to count.
    const bool inTurn = atomic && !a.increments;
    if (atomic && i.op == Op::ATOMIC &&
        (bytes == 8 || (i.aux >> 8 & 255) != FT_None))
      c.atomics.loops[bytes == 8] += countTurns(a, mask, /*shift=*/63);
    // Accesses of 8 and 16 bytes go by half and quarter warps.
    const unsigned parts = bytes <= 4 ? 1 : bytes <= 8 ? 2 : 4;
    const unsigned per = warpSize / parts;
    if (a.contiguous) { // neighbouring words, each in the next bank
      t.wavefronts += parts * std::max(1u, per * bytes / 128);
      return;
    }
    for (unsigned p = 0; p < parts; ++p) {
      Banks banks(inTurn);
      uint64_t last = ~0ull; // lanes beside each other often read one place
      const LaneMask own = allLanes >> (warpSize - per) << p * per;
      EVO_BITS(mask & own) {
        if (a.offset[i] == last && !inTurn)
          continue;
        last = a.offset[i];
        // Regions of different variables start at different banks; offsets
        // within one variable decide the conflicts that code can avoid.
        for (unsigned b = 0; b < bytes; b += 4)
          banks.add((a.offset[i] + b) >> 2);
      }
      t.wavefronts += banks.worst;
    }
  }
}

} // namespace evo::sim
