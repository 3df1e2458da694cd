// Inline PTX that accesses memory. Loads, stores, atomics and fences. Their
// words of order and scope say what they promise to other threads, as in LLVM
// IR: a scope of the block (or of the cluster, which has one block here)
// promises nothing to other blocks. Words that a form in the table has not are
// refused: there are fences of proxies, of barriers and of halves of an order,
// which do less than one of memory does.
#include "AsmDecoder.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace evo::sim {

/// A cluster has one block here.
static bool isBlockScope(const device::Words &op) {
  return op["scope"] == "cta" || op["scope"] == "cluster";
}

static bool isShared(const device::Words &op) {
  return op["space"].starts_with("shared");
}

static MemoryPlace placeOf(const device::Words &op) {
  return isShared(op)      ? MemoryPlace::Shared
         : op.has("space") ? MemoryPlace::Global
                           : MemoryPlace::Any;
}

/// How many elements it accesses.
static unsigned elementsOf(const device::Words &op) {
  return op["vector"] == "v2" ? 2 : op["vector"] == "v4" ? 4 : 1;
}

bool AsmDecoder::address(StringRef operand, int32_t &base, int64_t &disp,
                         bool shared) {
  disp = 0;
  if (!operand.consume_front("[") || !operand.consume_back("]"))
    return refuse();
  auto [name, plus] = operand.split('+');
  if (!plus.empty() && plus.trim().getAsInteger(0, disp))
    return refuse();
  if (shared)
    return sharedRegister(name.trim(), base);
  PtxType t;
  t.bits = 64;
  return read(name.trim(), t, base);
}

/// membar.{cta,gl,sys} and fence[.sc|.acq_rel].{cta,cluster,gpu,sys}.
bool AsmDecoder::fence(const device::Words &op, ArrayRef<StringRef> args) {
  if (!args.empty())
    return refuse();
  d.emit(Op::FENCE).sub = isBlockScope(op);
  return true;
}

/// atom.op.type d, [a], b (, c) and red.op.type [a], b: lanes perform their
/// atomics one after another, and what orders other accesses is `promise`.
bool AsmDecoder::atomic(const device::Words &op, ArrayRef<StringRef> args) {
  PtxType t;
  const bool reads = op.family == "atom", shared = isShared(op);
  if (op.has("hint") && args.size() > 2)
    args = args.drop_back();
  if (!parsePtxType(op.types[0], t) || args.size() < (reads ? 3 : 2) ||
      t.bits < 16)
    return refuse();
  const StringRef name = op["operation"], order = op["order"];
  const unsigned n = elementsOf(op);
  const uint16_t place = placeFlag(placeOf(op));
  const uint32_t promised =
      (isBlockScope(op) ? atomicBlockScope : 0) |
      (order == "release" || order == "acq_rel" ? atomicRelease : 0) |
      (order == "acquire" || order == "acq_rel" ? atomicAcquire : 0);
  const bool isFloat = t.floatType != FT_None;
  auto kind = StringSwitch<int>(name)
                  .Case("add", int(isFloat ? AtomicOp::FAdd : AtomicOp::Add))
                  .Case("min", isFloat      ? int(AtomicOp::FMin)
                               : t.isSigned ? int(AtomicOp::Min)
                                            : int(AtomicOp::UMin))
                  .Case("max", isFloat      ? int(AtomicOp::FMax)
                               : t.isSigned ? int(AtomicOp::Max)
                                            : int(AtomicOp::UMax))
                  .Case("and", isFloat ? -1 : int(AtomicOp::And))
                  .Case("or", isFloat ? -1 : int(AtomicOp::Or))
                  .Case("xor", isFloat ? -1 : int(AtomicOp::Xor))
                  .Case("inc", isFloat ? -1 : int(AtomicOp::UIncWrap))
                  .Case("dec", isFloat ? -1 : int(AtomicOp::UDecWrap))
                  .Case("exch", int(AtomicOp::Xchg))
                  .Case("cas", int(AtomicOp::Xchg))
                  .Default(-1);
  const bool swaps = name == "cas";
  if (kind < 0 || args.size() != (reads ? 3u : 2u) + swaps || (swaps && t.pair))
    return refuse();
  // Vectors are of additions in global memory, and of f32 alone here.
  if (n > 1 && (t.floatType != FT_S || name != "add" || shared))
    return refuse();
  int32_t base;
  int64_t disp;
  if (!address(args[reads], base, disp, shared))
    return false;
  const unsigned log = t.bits == 16 ? 1 : t.bits == 32 ? 2 : 3;
  auto emit = [&](int32_t value, int64_t at, unsigned logAlign) {
    int32_t old = d.slot(t.bits > 32, t.floatType);
    Inst &i = d.emit(Op::ATOMIC, old, base, value);
    i.sub = log | logAlign << 4;
    i.aux = static_cast<uint32_t>(kind) | uint32_t(t.floatType) << 8 | promised;
    i.flags = place;
    i.imm = at;
    return old;
  };
  if (n > 1) { // each element is an atomic of its own, aligned as all are
    const SmallVector<StringRef, 4> names = listed(args[reads + 1]),
                                    olds = reads ? listed(args[0]) : names;
    if (names.size() != n || olds.size() != n)
      return refuse();
    SmallVector<int32_t, 4> values(n);
    for (unsigned e = 0; e < n; ++e)
      if (!read(names[e], t, values[e]))
        return false;
    for (unsigned e = 0; e < n; ++e) {
      const int32_t old =
          emit(values[e], disp + 4 * e, e ? log : log + (n == 2 ? 1 : 2));
      if (reads)
        write(olds[e], t, old);
    }
    return true;
  }
  int32_t result;
  PtxType have = t;
  if (t.pair) { // each half is an atomic of its own, aligned as the pair is
    int32_t value[2], old[2];
    if (!pairOf(args[reads + 1], t, value))
      return false;
    for (int i : {0, 1}) {
      int32_t half = emit(value[i], disp + 2 * i, i ? log : log + 1);
      old[i] = d.slot(false, FT_None);
      d.emit(Op::MOV_I, old[i], half);
    }
    have = PtxType();
    have.bits = 32;
    result = d.emitTo(leaf(have), Op::PACK16_I, old[0], old[1]);
  } else if (swaps) {
    int32_t expected, value;
    if (!read(args[reads + 1], t, expected) || !read(args[reads + 2], t, value))
      return false;
    result = d.slot(t.bits > 32, t.floatType);
    Inst &i = d.emit(Op::CMPXCHG, result, base, expected, value);
    i.sub = log | log << 4;
    i.aux = uint32_t(t.floatType) << 8 | promised;
    i.flags = place;
    i.imm = disp;
  } else {
    int32_t value;
    if (!read(args[reads + 1], t, value))
      return false;
    result = emit(value, disp, log);
  }
  if (reads)
    write(args[0], have, result);
  return true;
}

/// createpolicy.*: how long a cache should keep what an access touches. Nothing
/// is computed with such a number.
bool AsmDecoder::cachePolicy(ArrayRef<StringRef> args) {
  if (args.empty())
    return refuse();
  write(args[0], PtxType::ofBits(64), d.constant(0, true));
  return true;
}

/// ld and st with words of caching, order and scope, scalar or vector.
bool AsmDecoder::access(const device::Words &op, ArrayRef<StringRef> args) {
  PtxType t;
  if (op.has("hint") && args.size() > 2)
    args = args.drop_back();
  if (!parsePtxType(op.types[0], t) || t.pair || args.size() != 2)
    return refuse();
  const bool isLoad = op.family == "ld", readOnlyPath = op.has("path");
  const bool pastCache = isLoad && (op["cache"] == "cg" || op["cache"] == "cv");
  const MemoryPlace place = placeOf(op);
  const StringRef order = op["order"];
  const unsigned n = elementsOf(op);
  // Order and scope come together, of loads or of stores.
  const bool isStrong = !order.empty() && order != "weak";
  const bool scoped = isStrong && order != "volatile";
  if (scoped != op.has("scope") ||
      (readOnlyPath && (place != MemoryPlace::Global || isStrong)))
    return refuse();
  const uint16_t flags =
      placeFlag(place) | (readOnlyPath ? flagReadOnlyPath : 0) |
      (pastCache ? flagPastCache : 0) | (isStrong ? flagStrong : 0) |
      (scoped && order != "relaxed" ? flagOrdered : 0) |
      (isBlockScope(op) ? flagBlockScope : 0);
  StringRef what = args[isLoad ? 0 : 1];
  int64_t disp;
  int32_t a;
  if (!address(args[isLoad ? 1 : 0], a, disp, isShared(op)))
    return false;
  SmallVector<StringRef, 4> names = listed(what);
  // 32 bytes at a time are of global memory only.
  if (names.size() != n || (n * t.bits > 128 && place != MemoryPlace::Global))
    return refuse();
  std::vector<int32_t> slots;
  for (StringRef name : names) {
    int32_t s = d.slot(t.bits > 32, t.floatType);
    if (!isLoad && !read(name, t, s))
      return false;
    slots.push_back(s);
  }
  unsigned log = t.bits == 8 ? 0 : t.bits == 16 ? 1 : t.bits == 32 ? 2 : 3;
  Inst &i = d.emit(isLoad ? Op::LOAD : Op::STORE,
                   isLoad && n == 1 ? slots[0] : noOperand, a,
                   !isLoad && n == 1 ? slots[0] : noOperand);
  i.sub = log | (log + (n == 2 ? 1 : n == 4 ? 2 : 0)) << 4;
  i.imm = static_cast<int32_t>(disp);
  if (n > 1) {
    i.flags = flagList;
    i.aux = d.k.lists.size();
    d.k.lists.push_back(slots);
  }
  i.flags |= flags;
  if (!isLoad)
    return true;
  for (unsigned e = 0; e < n; ++e) {
    int32_t s = slots[e];
    PtxType have = t;
    // An 8-bit load writes a wider register, extended.
    const PtxType whole = registers.lookup(names[e]).type;
    if (t.floatType == FT_None && whole.bits > t.bits && whole.bits <= 32) {
      have = PtxType::ofBits(whole.bits);
      if (t.isSigned)
        s = d.masked(d.signExtended(s, leaf(t)), leaf(have));
    }
    write(names[e], have, s);
  }
  return true;
}

} // namespace evo::sim
