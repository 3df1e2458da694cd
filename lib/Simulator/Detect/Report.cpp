// Findings of a running launch. Turns what the interpreter met into findings:
// one per instruction and kind when the launch goes on, else the first.
#include "Simulator/Interp/Cold.h"
#include "Simulator/Memory/Heap.h"
#include "llvm/Support/MathExtras.h"
#include <chrono>
#include <cstdio>

namespace evo::sim {

static Finding describe(Exec &x, const Warp &w, uint32_t lane, const Inst &i,
                        FindingKind kind, const std::string &message) {
  Finding f;
  f.kind = kind;
  f.message = message;
  for (unsigned d = 0; d < 3; ++d) {
    f.block[d] = x.ctaid[d];
    f.thread[d] = w.tid[d][lane];
  }
  f.location = x.k->locations[i.loc];
  return f;
}

Finding *addFinding(Exec &x, const Warp &w, uint32_t lane, const Inst &i,
                    FindingKind kind, const std::string &message) {
  Finding f = describe(x, w, lane, i, kind, message);
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
    addFinding(x, w, lane, i, kind, message);
}

void reportInactive(Exec &x, const Warp &w, uint32_t lane, const Inst &i,
                    uint32_t source) {
  if (!x.inactiveRead)
    x.inactiveRead = describe(x, w, lane, i, FindingKind::InactiveLaneRead,
                              "shuffle reads lane " + std::to_string(source) +
                                  ", which does not take part");
}

void reportWrap(Exec &x, const Warp &w, const Inst &inst, const uint32_t *a,
                const uint32_t *b, LaneMask mask) {
  const bool isUnsigned = inst.sub == subUnsignedIndex;
  EVO_BITS(mask) {
    const int64_t left =
        isUnsigned ? int64_t(a[i]) : static_cast<int32_t>(a[i]);
    const int64_t right =
        isUnsigned ? int64_t(b[i]) : static_cast<int32_t>(b[i]);
    const bool isSum = inst.op == Op::ADD_I, isProduct = inst.op == Op::MUL_I;
    // Of unsigned numbers there are products alone.
    const bool isExact = isUnsigned
                             ? uint64_t(left) * uint64_t(right) <= UINT32_MAX
                         : isSum     ? llvm::isInt<32>(left + right)
                         : isProduct ? llvm::isInt<32>(left * right)
                                     : llvm::isInt<32>(left - right);
    if (isExact)
      continue;
    report(x, w, i, inst, FindingKind::SignedWrap,
           std::to_string(left) +
               (isSum       ? " + "
                : isProduct ? " * "
                            : " - ") +
               std::to_string(right) + " is no number of 32 bits");
    return;
  }
}

void reportBeyond(Exec &x, const Warp &w, uint32_t lane, const Inst &i,
                  double number) {
  char text[32];
  std::snprintf(text, sizeof(text), "%g", number);
  const unsigned bits = static_cast<uint32_t>(i.imm) >> 8;
  report(x, w, lane, i, FindingKind::ConversionRange,
         std::string("conversion of ") + text + " to " +
             (i.sub & 16 ? "a signed" : "an unsigned") + " number of " +
             std::to_string(bits) + " bits, which does not hold it");
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

static const char *placeName(MemoryPlace place) {
  switch (place) {
  case MemoryPlace::Shared:
    return "shared";
  case MemoryPlace::Constant:
    return "constant";
  case MemoryPlace::Local:
    return "local";
  default:
    return "global";
  }
}

void reportAccess(Exec &x, const Warp &w, uint32_t lane, const Inst &i,
                  uint64_t address, unsigned bytes, uint64_t alignMask,
                  bool write) {
  if (x.stop)
    return;
  const std::string what =
      (write ? "write of " : "read of ") + std::to_string(bytes) + " bytes";
  int64_t offset = 0;
  std::string name, freedAt;
  const Region *r = nearest(x, address, offset, name);
  Finding *f = nullptr;
  if (!r)
    f = addFinding(x, w, lane, i, FindingKind::NullOrWildPointer,
                   what + " through a pointer to no buffer");
  else if (x.heap->wasFreed(r->address, freedAt))
    f = addFinding(x, w, lane, i, FindingKind::UseAfterFree,
                   what + " of '" + name + "', which has been freed" +
                       (freedAt.empty() ? "" : " at " + freedAt));
  else if (!isReachedBy(i, write, *r))
    f = addFinding(x, w, lane, i, FindingKind::NullOrWildPointer,
                   std::string("an instruction for ") +
                       placeName(namedPlace(i, write)) +
                       " memory is given an address elsewhere");
  else if (offset < 0 || uint64_t(offset) + bytes > sizeOf(*r))
    f = addFinding(x, w, lane, i, FindingKind::OutOfBounds,
                   what + " outside '" + name + "' of " +
                       std::to_string(sizeOf(*r)) + " bytes");
  else if (address & alignMask)
    f = addFinding(x, w, lane, i, FindingKind::Misaligned,
                   what + " that needs an alignment of " +
                       std::to_string(alignMask + 1));
  else if (write && r->readOnly)
    f = addFinding(x, w, lane, i, FindingKind::ReadOnlyWrite,
                   what + " to read-only '" + name + "'");
  if (f) {
    f->address = address;
    f->buffer = name;
    f->byteOffset = offset;
  }
}

void reportAt(Exec &x, const Warp &w, uint32_t lane, const Inst &i,
              FindingKind kind, const std::string &message, uint64_t address) {
  if (x.stop)
    return;
  int64_t offset = 0;
  std::string name;
  nearest(x, address, offset, name);
  if (Finding *f = addFinding(x, w, lane, i, kind, message)) {
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
  // Variables of a module begin with their initial values, so only those that
  // an earlier call changed can be in this state.
  const bool kept =
      address >> 60 == SpaceGlobal && !name.empty() && name[0] == '@';
  if (Finding *f = addFinding(
          x, w, lane, i,
          kept ? FindingKind::KeptState : FindingKind::UninitializedRead,
          "read of " + std::to_string(bytes) + " bytes of '" + name +
              (kept ? "' that an earlier call left there"
                    : "' before anything was written there"))) {
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
      std::to_string(countLanes(g.mask)) + " of " +
      std::to_string(countLanes(w.existing)) + " lanes wait";
  if (w.live != w.existing)
    message += ", " + std::to_string(countLanes(w.existing & ~w.live)) +
               " have exited";
  if (w.nWaiting > 1) {
    message += ", others wait elsewhere";
    const SourceLoc &l = x.k->locations[x.code[w.waiting[1].ip].loc];
    if (l.line)
      message += " (" + l.str() + ")";
  }
  addFinding(x, w, firstLane(g.mask), i, FindingKind::BarrierDivergence,
             message);
  x.stop = true;
}

void trapOp(Exec &x, Warp &w, const Inst &i, LaneMask mask) {
  report(x, w, firstLane(mask), i, FindingKind::Trap, x.k->messages[i.aux]);
}

bool withinBudget(Exec &x, const Warp &w, const Inst &i) {
  std::string what;
  if (x.laneInstructions > x.laneLimit)
    what = std::to_string(x.laneLimit) + " lane instructions";
  else if (x.warpInstructions > x.warpLimit)
    what = std::to_string(x.warpLimit) + " warp instructions";
  x.clockCheck = x.warpInstructions + clockInterval;
  if (what.empty() && x.deadline != ~0ull) {
    auto now = std::chrono::duration_cast<std::chrono::microseconds>(
                   std::chrono::steady_clock::now().time_since_epoch())
                   .count();
    if (static_cast<uint64_t>(now) > x.deadline)
      what = "time";
  }
  if (what.empty())
    return true;
  uint32_t lane = w.live ? firstLane(w.live) : 0;
  addFinding(x, w, lane, i, FindingKind::BudgetExceeded,
             "does not end within its budget of " + what);
  x.stop = true;
  return false;
}

} // namespace evo::sim
