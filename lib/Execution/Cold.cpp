//===- Cold.cpp - Paths the hot loop leaves to others -----------*- C++ -*-===//
//
// Findings, per-lane access checks, and operations that are rare or expensive
// enough for a call: atomics, functions, votes, packed ghosts, counting. Built
// once for the baseline instruction set; shadow mode is a run-time test here.
//
//===----------------------------------------------------------------------===//

#include "Exec.h"
#include "Math.h"
#include "Numeric.h"
#include <algorithm>
#include <chrono>
#include <cstring>

#define EVO_BITS(M)                                                            \
  for (uint32_t m_ = (M), i = 0; m_ && (i = __builtin_ctz(m_), true);          \
       m_ &= m_ - 1)

namespace evo::exec {

// Findings -------------------------------------------------------------------

static Finding *add(Exec &x, const Warp &w, uint32_t lane, const Inst &i,
                    FindingKind kind, const std::string &message) {
  Finding f;
  f.kind = kind;
  f.message = message;
  for (unsigned d = 0; d < 3; ++d) {
    f.block[d] = x.ctaid[d];
    f.thread[d] = w.tid[d][lane];
  }
  f.location = x.k->locations[i.loc];
  if (!x.stopAtFirst)
    for (const Finding &o : *x.findings)
      if (o.kind == kind && o.location.line == f.location.line &&
          o.location.column == f.location.column && o.message == message)
        return nullptr;
  if (x.findings->size() >= x.maxFindings) {
    x.stop = true;
    return nullptr;
  }
  x.findings->push_back(std::move(f));
  if (x.stopAtFirst)
    x.stop = true;
  return &x.findings->back();
}

void report(Exec &x, const Warp &w, uint32_t lane, const Inst &i,
            FindingKind kind, const std::string &message) {
  if (!x.stop)
    add(x, w, lane, i, kind, message);
}

/// Region whose start is nearest below or just above an address.
static const Region *nearest(const Exec &x, uint64_t address, int64_t &offset,
                             std::string &name) {
  uint64_t a = address + (1ull << 39), space = a >> 60,
           index = (a >> 40) & 0xfffff;
  if (index == 0 || index >= x.counts[space])
    return nullptr;
  const Region &r = x.tables[space][index];
  offset = static_cast<int64_t>(address - r.address);
  name = x.names[space][index];
  return &r;
}

void reportAccess(Exec &x, const Warp &w, uint32_t lane, const Inst &i,
                  uint64_t address, unsigned bytes, uint64_t alignMask,
                  bool write) {
  if (x.stop)
    return;
  const std::string what =
      (write ? "write of " : "read of ") + std::to_string(bytes) + " bytes";
  int64_t offset = 0;
  std::string name;
  const Region *r = nearest(x, address, offset, name);
  Finding *f = nullptr;
  if (!r)
    f = add(x, w, lane, i, FindingKind::NullOrWildPointer,
            what + " through a pointer to no buffer");
  else if (offset < 0 || uint64_t(offset) + bytes > r->bytes)
    f = add(x, w, lane, i, FindingKind::OutOfBounds,
            what + " outside '" + name + "' of " + std::to_string(r->bytes) +
                " bytes");
  else if (address & alignMask)
    f = add(x, w, lane, i, FindingKind::Misaligned,
            what + " that needs an alignment of " +
                std::to_string(alignMask + 1));
  else if (write && r->readOnly)
    f = add(x, w, lane, i, FindingKind::ReadOnlyWrite,
            what + " to read-only '" + name + "'");
  if (f) {
    f->address = address;
    f->buffer = name;
    f->byteOffset = offset;
  }
}

void reportUninitialized(Exec &x, const Warp &w, uint32_t lane, const Inst &i,
                         uint64_t address, unsigned bytes) {
  if (x.stop)
    return;
  int64_t offset = 0;
  std::string name;
  nearest(x, address, offset, name);
  if (Finding *f = add(x, w, lane, i, FindingKind::UninitializedRead,
                       "read of " + std::to_string(bytes) + " bytes of '" +
                           name + "' before anything was written there")) {
    f->address = address;
    f->buffer = name;
    f->byteOffset = offset;
  }
}

void reportStuck(Exec &x, Warp &w) {
  if (x.stop)
    return;
  const Group &g = w.waiting[0];
  const Inst &i = x.code[g.ip];
  std::string message =
      std::string(i.op == Op::BAR ? "block barrier" : "warp-wide operation") +
      " waits for lanes that never arrive: " +
      std::to_string(__builtin_popcount(g.mask)) + " of " +
      std::to_string(__builtin_popcount(w.existing)) + " lanes wait";
  if (w.live != w.existing)
    message += ", " + std::to_string(__builtin_popcount(w.existing & ~w.live)) +
               " have exited";
  if (w.nWaiting > 1) {
    message += ", others wait elsewhere";
    const SourceLoc &l = x.k->locations[x.code[w.waiting[1].ip].loc];
    if (l.line)
      message += " (" + l.str() + ")";
  }
  add(x, w, __builtin_ctz(g.mask), i, FindingKind::BarrierDivergence, message);
  x.stop = true;
}

void trapOp(Exec &x, Warp &w, const Inst &i, uint32_t mask) {
  report(x, w, __builtin_ctz(mask), i, FindingKind::Trap, x.k->messages[i.aux]);
}

bool withinBudget(Exec &x, const Warp &w, const Inst &i) {
  std::string what;
  if (x.laneInstructions > x.laneLimit)
    what = std::to_string(x.laneLimit) + " lane instructions";
  x.clockCheck = x.warpInstructions + kClockInterval;
  if (what.empty() && x.deadline != ~0ull) {
    auto now = std::chrono::duration_cast<std::chrono::microseconds>(
                   std::chrono::steady_clock::now().time_since_epoch())
                   .count();
    if (static_cast<uint64_t>(now) > x.deadline)
      what = "time";
  }
  if (what.empty())
    return true;
  uint32_t lane = w.live ? __builtin_ctz(w.live) : 0;
  add(x, w, lane, i, FindingKind::BudgetExceeded,
      "does not end within its budget of " + what);
  x.stop = true;
  return false;
}

// Access ---------------------------------------------------------------------

const Region *checkLane(Exec &x, const Warp &w, uint32_t lane, const Inst &i,
                        uint64_t address, unsigned bytes, uint64_t alignMask,
                        bool write, uint64_t &offset) {
  uint64_t space = address >> 60, index = (address >> 40) & 0xfffff;
  if (index < x.counts[space]) {
    const Region &r = x.tables[space][index];
    uint64_t o = address - r.address;
    if (bytes <= r.bytes && o <= r.bytes - bytes && !(address & alignMask) &&
        !(write && r.readOnly)) {
      offset = o + (uint64_t(w.index) * 32 + lane) * r.laneStride;
      return &r;
    }
  }
  reportAccess(x, w, lane, i, address, bytes, alignMask, write);
  return nullptr;
}

uint32_t sameRegion(Exec &x, const Warp &w, const Inst &i, uint32_t mask,
                    unsigned bytes, uint64_t alignMask, bool write, Access &a) {
  const uint64_t *addr = reg<uint64_t>(x, const_cast<Warp &>(w), i.a);
  const int64_t disp = i.imm;
  uint32_t first = __builtin_ctz(mask), out = 0;
  const Region *r = checkLane(x, w, first, i, addr[first] + disp, bytes,
                              alignMask, write, a.offset[first]);
  if (!r)
    return 0;
  a.region = r;
  a.contiguous = a.gatherable = false;
  EVO_BITS(mask) {
    uint64_t address = addr[i] + disp, o = address - r->address;
    if (o > r->bytes - bytes || (address & alignMask))
      continue;
    a.offset[i] = o + (uint64_t(w.index) * 32 + i) * r->laneStride;
    out |= 1u << i;
  }
  return out;
}

bool isWritten(const Region &r, uint64_t offset, uint64_t bytes) {
  if (!r.init)
    return true;
  for (uint64_t o = offset; o < offset + bytes; ++o)
    if (!(r.init[o >> 3] >> (o & 7) & 1))
      return false;
  return true;
}
void markWritten(const Region &r, uint64_t offset, uint64_t bytes) {
  if (!r.init)
    return;
  for (uint64_t o = offset; o < offset + bytes; ++o)
    r.init[o >> 3] |= 1u << (o & 7);
}

void observe(Exec &x, const Warp &w, const Inst &i, uint32_t mask,
             unsigned bytes, AccessObserver::Access kind) {
  uint64_t addresses[32];
  const uint64_t *a = reg<uint64_t>(x, const_cast<Warp &>(w), i.a);
  for (unsigned l = 0; l < 32; ++l)
    addresses[l] = a[l] + static_cast<int64_t>(i.imm);
  x.observer->access({kind, mask, w.index, bytes, addresses, i.loc});
}

// Counting -------------------------------------------------------------------

void countInstruction(Exec &x, const Inst &i, uint32_t mask) {
  if (i.op == Op::LOAD || i.op == Op::STORE)
    return; // by the space they touch, in countMemory
  const unsigned c = static_cast<unsigned>(opClass(i.op));
  const unsigned lanes = __builtin_popcount(mask);
  ++x.counters->warpInstructions[c];
  x.counters->laneInstructions[c] += lanes;
  x.counters->flops += uint64_t(opFlops(i.op)) * lanes;
}

void countMemory(Exec &x, const Warp &w, const Inst &i, uint32_t mask,
                 const Access &a, unsigned bytes, bool write, bool atomic) {
  Counters &c = *x.counters;
  const Region &r = *a.region;
  const uint64_t space = r.address >> 60;
  const unsigned lanes = __builtin_popcount(mask);
  if (!atomic) {
    OpClass k = space == SpaceShared  ? OpClass::SharedLoad
                : space == SpaceLocal ? OpClass::LocalLoad
                                      : OpClass::GlobalLoad;
    unsigned n = static_cast<unsigned>(k) + write;
    ++c.warpInstructions[n];
    c.laneInstructions[n] += lanes;
  }
  if (space == SpaceGlobal) {
    Counters::Traffic &t = c.global[write];
    ++t.requests;
    t.bytes += uint64_t(bytes) * lanes;
    uint64_t sectors[32 * 3];
    unsigned n = 0;
    const uint64_t lead = r.address & 31;
    EVO_BITS(mask) {
      uint64_t first = (a.offset[i] + lead) >> 5,
               last = (a.offset[i] + lead + bytes - 1) >> 5;
      for (uint64_t s = first; s <= last; ++s)
        if (n == 0 || sectors[n - 1] != s)
          sectors[n++] = s;
    }
    std::sort(sectors, sectors + n);
    n = std::unique(sectors, sectors + n) - sectors;
    t.sectors += n;
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
    // Accesses of 8 and 16 bytes go by half and quarter warps.
    const unsigned parts = bytes <= 4 ? 1 : bytes <= 8 ? 2 : 4;
    const unsigned per = 32 / parts;
    for (unsigned p = 0; p < parts; ++p) {
      uint64_t words[32 * 4];
      unsigned n = 0;
      EVO_BITS(mask) {
        if (i / per != p)
          continue;
        // Regions of different variables start at different banks; offsets
        // within one variable decide the conflicts that code can avoid.
        for (unsigned b = 0; b < bytes; b += 4)
          words[n++] = (a.offset[i] + b) >> 2;
      }
      if (!n)
        continue;
      std::sort(words, words + n);
      n = std::unique(words, words + n) - words;
      unsigned bank[32] = {}, worst = 0;
      for (unsigned s = 0; s < n; ++s)
        worst = std::max(worst, ++bank[words[s] & 31]);
      t.wavefronts += worst;
    }
  }
}

// Packed ghosts --------------------------------------------------------------

static uint64_t encode(double v) { return bitsTo<uint64_t>(v) ^ kGhostKey; }

static double floatValue(unsigned kind, const void *lanes, unsigned i) {
  switch (kind) {
  case GK_H:
    return halfToFloat(static_cast<const uint32_t *>(lanes)[i]);
  case GK_B:
    return bfloatToFloat(static_cast<const uint32_t *>(lanes)[i]);
  case GK_S:
    return static_cast<const float *>(lanes)[i];
  default:
    return static_cast<const double *>(lanes)[i];
  }
}

/// A ghost at a 16-bit position of an operand, as encoded bits and its error.
struct Tagged {
  uint64_t ghost = 0;
  double error = 0;
};

static Tagged readTagged(Exec &x, Warp &w, int32_t u, unsigned kind,
                         unsigned pos, unsigned lane) {
  Tagged t;
  double g = ghostOf(x, w, u, pos)[lane];
  if (kind >= GK_H) {
    if (pos)
      return t;
    t.ghost = encode(g);
  } else {
    t.ghost = bitsTo<uint64_t>(g);
  }
  if (x.shadow == 2 && t.ghost)
    t.error = errorOf(x, w, u, pos)[lane];
  return t;
}

static void writeTagged(Exec &x, Warp &w, int32_t u, unsigned kind,
                        unsigned pos, unsigned lane, Tagged t) {
  if (kind == GK_None || (kind >= GK_H && pos))
    return;
  double g = bitsTo<double>(t.ghost);
  if (kind >= GK_H)
    g = t.ghost ? bitsTo<double>(t.ghost ^ kGhostKey)
                : floatValue(kind, regAddress(x, w, u), lane);
  ghostOf(x, w, u, pos)[lane] = g;
  if (x.shadow == 2)
    errorOf(x, w, u, pos)[lane] = t.error;
}

void packedGhosts(Exec &x, Warp &w, const Inst &I, uint32_t mask) {
  const unsigned kind = I.flags & GK_Mask;
  if (kind == GK_None)
    return;
  const bool isMove = I.op == Op::MOV_I || I.op == Op::MOV_L;
  unsigned positions = 2;
  switch (I.op) {
  case Op::MOV_L:
  case Op::SELECT_L:
  case Op::OR_L:
  case Op::SHL_L:
  case Op::LSHR_L:
  case Op::ZEXT_IL:
  case Op::PACK32_L:
    positions = 4;
    break;
  default:
    break;
  }
  EVO_BITS(mask) {
    Tagged t[4];
    auto from = [&](int32_t u, unsigned pos) {
      return readTagged(x, w, u, isMove ? I.sub : GK_Packed, pos, i);
    };
    switch (I.op) {
    case Op::MOV_I:
    case Op::MOV_L:
      if (I.sub != GK_None)
        for (unsigned p = 0; p < positions; ++p)
          t[p] = from(I.a, p);
      break;
    case Op::SELECT_I:
    case Op::SELECT_L:
      for (unsigned p = 0; p < positions; ++p)
        t[p] = from(reg<uint32_t>(x, w, I.a)[i] ? I.b : I.c, p);
      break;
    case Op::OR_I:
    case Op::OR_L: {
      // Each half belongs to the operand whose other side is zero there.
      auto bits = [&](int32_t u, unsigned p) {
        return positions == 4
                   ? uint32_t(reg<uint64_t>(x, w, u)[i] >> 16 * p & 0xffff)
                   : reg<uint32_t>(x, w, u)[i] >> 16 * p & 0xffff;
      };
      for (unsigned p = 0; p < positions; ++p) {
        Tagged a = from(I.a, p), b = from(I.b, p);
        if (a.ghost && bits(I.b, p) == 0)
          t[p] = a;
        else if (b.ghost && bits(I.a, p) == 0)
          t[p] = b;
      }
      break;
    }
    case Op::SHL_I:
    case Op::SHL_L:
    case Op::LSHR_I:
    case Op::LSHR_L: {
      uint64_t s = positions == 4 ? reg<uint64_t>(x, w, I.b)[i]
                                  : reg<uint32_t>(x, w, I.b)[i];
      if (s % 16)
        break;
      bool left = I.op == Op::SHL_I || I.op == Op::SHL_L;
      for (unsigned p = 0; p < positions; ++p) {
        uint64_t q = left ? p - s / 16 : p + s / 16;
        if (q < positions)
          t[p] = from(I.a, q);
      }
      break;
    }
    case Op::MASK_I:
      if (I.imm >= 16)
        t[0] = from(I.a, 0);
      break;
    case Op::TRUNC_LI:
    case Op::ZEXT_IL:
      for (unsigned p = 0; p < 2; ++p)
        t[p] = from(I.a, p);
      break;
    case Op::UNPACK16_I:
      t[0] = from(I.a, I.imm / 16);
      break;
    case Op::UNPACK32_L:
      for (unsigned p = 0; p < 2; ++p)
        t[p] = from(I.a, I.imm / 16 + p);
      break;
    case Op::PACK16_I:
      t[0] = from(I.a, 0);
      t[1] = from(I.b, 0);
      break;
    case Op::PACK32_L:
      for (unsigned p = 0; p < 2; ++p) {
        t[p] = from(I.a, p);
        t[2 + p] = from(I.b, p);
      }
      break;
    default:
      break;
    }
    for (unsigned p = 0; p < positions; ++p)
      writeTagged(x, w, I.dst, kind, p, i, t[p]);
  }
}

static Tagged memoryTagged(Exec &x, const Region &r, uint64_t o) {
  Tagged t;
  if (!r.ghost || (o & ((1u << r.granuleShift) - 1)))
    return t;
  t.ghost = bitsTo<uint64_t>(r.ghost[o >> r.granuleShift]);
  if (x.shadow == 2 && r.error && t.ghost)
    t.error = r.error[o >> r.granuleShift];
  return t;
}

/// Writes the granules a store of `bytes` covers, tagged per 16 bits.
static void storeTagged(Exec &x, const Region &r, uint64_t o, unsigned bytes,
                        const Tagged *t) {
  if (!r.ghost)
    return;
  const uint64_t low = (1u << r.granuleShift) - 1;
  for (uint64_t q = o >> r.granuleShift; q <= (o + bytes - 1) >> r.granuleShift;
       ++q) {
    Tagged v;
    uint64_t at = q << r.granuleShift;
    if (t && at >= o && !((at - o) & 1) && !(at & low))
      v = t[(at - o) / 2];
    std::memcpy(&r.ghost[q], &v.ghost, 8);
    if (x.shadow == 2 && r.error)
      r.error[q] = v.error;
  }
}

void loadPackedGhosts(Exec &x, Warp &w, const Inst &I, uint32_t mask,
                      const Access &a) {
  const bool list = I.flags & kFlagList;
  const unsigned n = list ? x.k->lists[I.aux].size() : 1;
  const unsigned bytes = 1u << (I.sub & 15), positions = bytes > 4 ? 4 : 2;
  EVO_BITS(mask)
  for (unsigned e = 0; e < n; ++e)
    for (unsigned p = 0; p < positions; ++p) {
      Tagged t;
      if (2 * p < bytes)
        t = memoryTagged(x, *a.region, a.offset[i] + e * bytes + 2 * p);
      writeTagged(x, w, list ? x.k->lists[I.aux][e] : I.dst, GK_Packed, p, i,
                  t);
    }
}

void storePackedGhosts(Exec &x, Warp &w, const Inst &I, uint32_t mask,
                       const Access &a) {
  const bool list = I.flags & kFlagList;
  const unsigned n = list ? x.k->lists[I.aux].size() : 1;
  const unsigned bytes = 1u << (I.sub & 15), positions = bytes > 4 ? 4 : 2;
  EVO_BITS(mask)
  for (unsigned e = 0; e < n; ++e) {
    Tagged t[4];
    for (unsigned p = 0; p < positions; ++p)
      t[p] =
          readTagged(x, w, list ? x.k->lists[I.aux][e] : I.b, GK_Packed, p, i);
    storeTagged(x, *a.region, a.offset[i] + e * bytes, bytes, t);
  }
}

// Functions ------------------------------------------------------------------

static void storeFloat(unsigned type, void *lanes, unsigned i, double v) {
  switch (type) {
  case FT_H:
    static_cast<uint32_t *>(lanes)[i] = v == v ? doubleToHalf(v) : 0x7fff;
    break;
  case FT_B:
    static_cast<uint32_t *>(lanes)[i] = v == v ? doubleToBfloat(v) : 0x7fff;
    break;
  case FT_S:
    static_cast<float *>(lanes)[i] = canonical(static_cast<float>(v));
    break;
  default:
    static_cast<double *>(lanes)[i] = canonical(v);
  }
}

static double flushed(double v) {
  return std::fabs(v) < 0x1p-126 ? std::copysign(0.0, v) : v;
}

void mathOp(Exec &x, Warp &w, const Inst &I, uint32_t mask) {
  enum { Math1, Math2, MathI, Rem, Sign } form;
  unsigned first;
  if (I.op >= Op::MATHI_S && I.op <= Op::MATHI_B)
    form = MathI, first = unsigned(Op::MATHI_S);
  else if (I.op >= Op::MATH2_S && I.op <= Op::MATH2_B)
    form = Math2, first = unsigned(Op::MATH2_S);
  else if (I.op >= Op::MATH1_S && I.op <= Op::MATH1_B)
    form = Math1, first = unsigned(Op::MATH1_S);
  else if (I.op >= Op::FREM_S && I.op <= Op::FREM_B)
    form = Rem, first = unsigned(Op::FREM_S);
  else
    form = Sign, first = unsigned(Op::COPYSIGN_S);
  static const uint8_t types[] = {FT_S, FT_D, FT_H, FT_B};
  const unsigned type = types[unsigned(I.op) - first];
  const void *a = regAddress(x, w, I.a);
  const void *b = I.b == kNone ? nullptr : regAddress(x, w, I.b);
  void *d = regAddress(x, w, I.dst);
  const MathFn fn = form == Rem ? MathFn::Fmod : static_cast<MathFn>(I.sub);
  const double u = kUnit[type];
  EVO_BITS(mask) {
    double va = floatValue(type + GK_H, a, i);
    double vb = 0;
    int n = 0;
    if (form == MathI)
      n = static_cast<const int32_t *>(b)[i];
    else if (b)
      vb = floatValue(type + GK_H, b, i);
    auto apply = [&](double p, double q) {
      switch (form) {
      case Math1:
        return fn == MathFn::FlushDenormal ? flushed(p) : math1(fn, p);
      case Math2:
      case Rem:
        return math2(fn, p, q);
      case MathI:
        return mathInt(static_cast<MathIntFn>(I.sub), p, n);
      case Sign:
        return std::copysign(p, vb); // the bits choose the sign
      }
      return 0.0;
    };
    if (form == Sign && va != va) { // the sign of a NaN is only a bit
      if (type == FT_D)
        static_cast<double *>(d)[i] = std::copysign(va, vb);
      else
        storeFloat(type, d, i, va);
    } else {
      storeFloat(type, d, i, apply(va, vb));
    }
    if (!x.shadow)
      continue;
    double ga = ghostOf(x, w, I.a)[i], gb = 0;
    if (b && form != MathI)
      gb = ghostOf(x, w, I.b)[i];
    // A flush belongs to the narrow type, so the ghost does not see it.
    double g =
        form == Math1 && fn == MathFn::FlushDenormal ? ga : apply(ga, gb);
    ghostOf(x, w, I.dst)[i] = g;
    if (x.shadow != 2)
      continue;
    double ea = errorOf(x, w, I.a)[i], eb = 0, e = ea;
    if (b && form != MathI)
      eb = errorOf(x, w, I.b)[i];
    if (form == Math1)
      e = math1Error(fn, ga, g, ea, u) +
          (fn == MathFn::FlushDenormal
               ? 0x1p-126 * (g != 0 && std::fabs(g) < 0x1p-126)
               : 0);
    else if (form == Math2 || form == Rem)
      e = math2Error(fn, ga, gb, g, ea, eb, u);
    else if (form == MathI)
      e = mathIntError(static_cast<MathIntFn>(I.sub), ga, n, g, ea, u);
    errorOf(x, w, I.dst)[i] = e;
  }
}

// Atomics --------------------------------------------------------------------

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

void atomicOp(Exec &x, Warp &w, const Inst &I, uint32_t mask) {
  const unsigned bytes = 1u << (I.sub & 15), kind = I.flags & GK_Mask;
  const uint64_t alignMask = bytes - 1;
  const AtomicOp op = static_cast<AtomicOp>(I.aux & 255);
  const FloatType type = static_cast<FloatType>(I.aux >> 8 & 255);
  const bool wide = bytes == 8, exchange = I.op == Op::CMPXCHG;
  const int32_t valueReg = exchange ? I.c : I.b;
  const uint64_t *addr = reg<uint64_t>(x, w, I.a);
  if (x.observer)
    observe(x, w, I, mask, bytes, AccessObserver::Access::Atomic);
  auto get = [&](int32_t u, unsigned i) -> uint64_t {
    return wide ? reg<uint64_t>(x, w, u)[i] : reg<uint32_t>(x, w, u)[i];
  };
  auto put = [&](int32_t u, unsigned i, uint64_t v) {
    if (u == kNone)
      return;
    if (wide)
      reg<uint64_t>(x, w, u)[i] = v;
    else
      reg<uint32_t>(x, w, u)[i] = static_cast<uint32_t>(v);
  };
  EVO_BITS(mask) {
    uint64_t offset, address = addr[i] + static_cast<int64_t>(I.imm);
    const Region *r =
        checkLane(x, w, i, I, address, bytes, alignMask, true, offset);
    if (x.stop)
      return;
    if (!r) {
      put(I.dst, i, x.poison & (~0ull >> (64 - 8 * bytes)));
      continue;
    }
    if (x.checkUninit && !isWritten(*r, offset, bytes)) {
      reportUninitialized(x, w, i, I, address, bytes);
      if (x.stop)
        return;
    }
    if (x.counters && r->address >> 60 != SpaceLocal) {
      Access a;
      a.region = r;
      a.offset[i] = offset;
      countMemory(x, w, I, 1u << i, a, bytes, true, true);
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
    Tagged oldTag[4], newTag[4];
    const bool isFloat = type != FT_None;
    if (x.shadow)
      for (unsigned q = 0; q < 4 && 2 * q < bytes; ++q) {
        oldTag[q] = memoryTagged(x, *r, offset + 2 * q);
        if (kind != GK_None)
          newTag[q] =
              readTagged(x, w, valueReg, isFloat ? kind : GK_Packed, q, i);
      }
    if (isFloat && !exchange && op != AtomicOp::Xchg) {
      // Decode both operands from memory-format bits.
      alignas(8) char ob[8] = {}, vb[8] = {}, rb[8] = {};
      std::memcpy(ob, &old, 8);
      std::memcpy(vb, &v, 8);
      double a = floatValue(type + GK_H, ob, 0),
             b = floatValue(type + GK_H, vb, 0), s;
      double ga =
          oldTag[0].ghost ? bitsTo<double>(oldTag[0].ghost ^ kGhostKey) : a;
      double gb = x.shadow ? bitsTo<double>(newTag[0].ghost ^ kGhostKey) : b;
      Tagged t;
      switch (op) {
      case AtomicOp::FMax:
      case AtomicOp::FMin: {
        bool first = b != b || (op == AtomicOp::FMax ? a > b : a < b);
        s = first ? a : b;
        t = first ? oldTag[0] : newTag[0];
        if (first)
          t.ghost = encode(ga);
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
        t.ghost = encode(g);
        t.error =
            oldTag[0].error + newTag[0].error + kUnit[type] * std::fabs(g);
        break;
      }
      }
      storeFloat(type, rb, 0, s);
      std::memcpy(&now, rb, 8);
      newTag[0] = t;
      for (unsigned q = 1; q < 4; ++q)
        newTag[q] = Tagged();
    } else if (!exchange && op != AtomicOp::Xchg) {
      for (Tagged &t : newTag)
        t = Tagged();
    }
    if (stored) {
      std::memcpy(p, &now, bytes);
      if (x.shadow)
        storeTagged(x, *r, offset, bytes, newTag);
    }
    put(I.dst, i, old);
    if (x.shadow && kind != GK_None && I.dst != kNone)
      for (unsigned q = 0; q < (wide ? 4u : 2u); ++q)
        writeTagged(x, w, I.dst, isFloat ? kind : GK_Packed, q, i, oldTag[q]);
    if (exchange && I.dst2 != kNone)
      reg<uint32_t>(x, w, I.dst2)[i] = stored;
  }
}

// Block copies ---------------------------------------------------------------

void memoryBlockOp(Exec &x, Warp &w, const Inst &I, uint32_t mask) {
  const uint64_t *to = reg<uint64_t>(x, w, I.a),
                 *len = reg<uint64_t>(x, w, I.c);
  EVO_BITS(mask) {
    const uint64_t n = len[i];
    if (n == 0)
      continue;
    if (n > (1u << 30)) {
      report(x, w, i, I, FindingKind::OutOfBounds,
             "block copy of " + std::to_string(n) + " bytes");
      if (x.stop)
        return;
      continue;
    }
    uint64_t od, os = 0;
    const Region *d = checkLane(x, w, i, I, to[i], n, 0, true, od);
    const Region *s = nullptr;
    if (d && I.op == Op::MEMCPY) {
      uint64_t from = reg<uint64_t>(x, w, I.b)[i];
      s = checkLane(x, w, i, I, from, n, 0, false, os);
      // Copying padding that nothing wrote is fine: the marks travel along.
    }
    if (x.stop)
      return;
    if (!d || (I.op == Op::MEMCPY && !s))
      continue;
    x.laneInstructions += n / 4;
    if (I.op == Op::MEMSET) {
      std::memset(d->host + od, int(reg<uint32_t>(x, w, I.b)[i] & 255), n);
      markWritten(*d, od, n);
      if (x.shadow)
        storeTagged(x, *d, od, n, nullptr);
      continue;
    }
    std::vector<char> bytes(s->host + os, s->host + os + n);
    std::vector<char> written(n);
    for (uint64_t b = 0; b < n; ++b)
      written[b] = isWritten(*s, os + b, 1);
    std::vector<Tagged> tags((n + 1) / 2);
    if (x.shadow)
      for (uint64_t q = 0; q < tags.size(); ++q)
        tags[q] = memoryTagged(x, *s, os + 2 * q);
    std::memcpy(d->host + od, bytes.data(), n);
    for (uint64_t b = 0; b < n; ++b)
      if (d->init) {
        uint64_t o = od + b;
        uint8_t bit = 1u << (o & 7);
        d->init[o >> 3] =
            written[b] ? d->init[o >> 3] | bit : d->init[o >> 3] & ~bit;
      }
    if (x.shadow)
      storeTagged(x, *d, od, n, tags.data());
  }
  if (x.observer)
    observe(x, w, I, mask, 1, AccessObserver::Access::Store);
}

// Votes ----------------------------------------------------------------------

void voteOp(Exec &x, Warp &w, const Inst &I, uint32_t mask) {
  const uint32_t *member = reg<uint32_t>(x, w, I.c);
  uint32_t *d = reg<uint32_t>(x, w, I.dst);
  EVO_BITS(mask) {
    const unsigned self = i;
    const uint32_t others = mask & member[self];
    if (I.op == Op::VOTE) {
      const uint32_t *p = reg<uint32_t>(x, w, I.a);
      uint32_t ballot = 0;
      EVO_BITS(others) ballot |= (p[i] & 1) << i;
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
      uint32_t same = 0;
      EVO_BITS(others) same |= uint32_t(v(i) == v(self)) << i;
      if (mode == MatchMode::Any32 || mode == MatchMode::Any64) {
        d[self] = same;
      } else {
        d[self] = same == others ? others : 0;
        if (I.dst2 != kNone)
          reg<uint32_t>(x, w, I.dst2)[self] = same == others;
      }
    } else {
      const uint32_t *v = reg<uint32_t>(x, w, I.a);
      uint32_t r = v[self];
      EVO_BITS(others & ~(1u << self)) {
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

uint32_t arrive(Exec &x, Warp &w, const Inst &I, uint32_t ip, uint32_t mask) {
  uint32_t here = mask;
  for (unsigned j = 0; j < w.nWaiting; ++j)
    if (w.waiting[j].ip == ip) {
      here |= w.waiting[j].mask;
      w.waiting[j] = w.waiting[--w.nWaiting];
      break;
    }
  const uint32_t *member = reg<uint32_t>(x, w, I.c);
  uint32_t ready = 0;
  EVO_BITS(here) {
    const uint32_t m = member[i] & w.existing;
    if (!(m >> i & 1)) {
      report(x, w, i, I, FindingKind::BarrierDivergence,
             "lane " + std::to_string(i) +
                 " takes part in a warp-wide operation whose mask omits it");
      if (x.stop)
        return 0;
      ready |= 1u << i;
      continue;
    }
    // Everyone named has arrived, naming the same lanes.
    bool complete = (m & ~here) == 0;
    if (complete) {
      uint32_t rest = m;
      for (; rest; rest &= rest - 1)
        complete &= (member[__builtin_ctz(rest)] & w.existing) == m;
    }
    if (complete)
      ready |= 1u << i;
  }
  if (here & ~ready)
    w.waiting[w.nWaiting++] = {ip, here & ~ready};
  return ready;
}

} // namespace evo::exec
