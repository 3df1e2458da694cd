// Addresses, accesses, local variables. Displacements are folded into accesses,
// and aggregates are accessed in runs of equal elements.
#include "Decoder.h"
#include "evo/Analysis/SkippedStores.h"
#include "evo/Target/AddressSpace.h"
#include "llvm/ADT/bit.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"

using namespace llvm;

namespace evo::sim {

void Decoder::gep(const GetElementPtrInst &inst) {
  if (inst.getType()->isVectorTy())
    return fail("getelementptr of vectors");
  auto [base, disp] = pointer(inst.getPointerOperand());
  for (auto it = gep_type_begin(inst), e = gep_type_end(inst); it != e; ++it) {
    const Value *index = it.getOperand();
    if (StructType *s = it.getStructTypeOrNull()) {
      disp += ctx.layout.getStructLayout(s)->getElementOffset(
          cast<ConstantInt>(index)->getZExtValue());
      continue;
    }
    uint64_t scale = it.getSequentialElementStride(ctx.layout);
    if (auto *c = dyn_cast<ConstantInt>(index)) {
      disp += c->getSExtValue() * static_cast<int64_t>(scale);
      continue;
    }
    if (scale == 0)
      continue;
    // A sign-extended 32-bit index is used as it is.
    if (auto *x = dyn_cast<SExtInst>(index))
      index = x->getOperand(0);
    else if (auto *z = dyn_cast<ZExtInst>(index); z && z->hasNonNeg())
      index = z->getOperand(0);
    Leaf leaf = leafOf(index->getType());
    int32_t v = signExtended(scalar(index), leaf);
    if (!error.empty())
      return;
    if (scale > INT32_MAX) {
      if (!leaf.wide()) {
        int32_t x = slot(true, FT_None);
        emit(Op::SEXT_IL, x, v);
        v = x;
      }
      int32_t m = slot(true, FT_None);
      emit(Op::MUL_L, m, v, constant(scale, true));
      int32_t d = slot(true, FT_None);
      emit(Op::ADD_L, d, base, m);
      base = d;
      continue;
    }
    int32_t d = slot(true, FT_None);
    emit(leaf.wide() ? Op::GEP_L : Op::GEP_I, d, base, v).imm = scale;
    base = d;
  }
  parts[&inst] = {base, disp};
  if (disp) {
    int32_t d = slot(true, FT_None);
    emit(Op::ADD_L, d, base, constant(disp, true));
    base = d;
  }
  values[&inst] = {base};
}

static uint8_t memorySub(unsigned bytes, uint64_t align) {
  unsigned logAlign = 0;
  while (logAlign < 15 && (align >> (logAlign + 1)))
    ++logAlign;
  return (bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 3) | logAlign << 4;
}

/// Splits leaves into runs of equal consecutive elements: one access each.
static SmallVector<std::pair<unsigned, unsigned>, 4>
accessRuns(const SmallVectorImpl<Leaf> &ls) {
  SmallVector<std::pair<unsigned, unsigned>, 4> runs;
  for (unsigned i = 0; i < ls.size();) {
    unsigned bytes = (ls[i].bits + 7) / 8, n = 1;
    while (i + n < ls.size() && ls[i + n].bits == ls[i].bits &&
           ls[i + n].floatType == ls[i].floatType &&
           ls[i + n].offset == ls[i].offset + n * bytes &&
           (n + 1) * bytes <= 16)
      ++n;
    runs.emplace_back(i, n);
    i += n;
  }
  return runs;
}

/// What devices ask of an access: no more than its size, or the 16 bytes that
/// accesses may be put together to. Types may promise more (CUB's scan of warps
/// does, in storage that has less).
static uint64_t limitAlign(uint64_t align, uint64_t bytes) {
  constexpr uint64_t widest = 16;
  return std::min(align, std::max(widest, llvm::bit_floor(bytes)));
}

static uint64_t alignAt(uint64_t align, uint64_t offset) {
  return offset ? std::min(align, offset & (~offset + 1)) : align;
}

static bool storable(unsigned bits) {
  return bits == 1 || bits == 8 || bits == 16 || bits == 32 || bits == 64;
}

/// A cluster has one block here, and promises nothing to other blocks.
bool Decoder::isBlockScope(SyncScope::ID scope) const {
  std::optional<StringRef> name = fn.getContext().getSyncScopeName(scope);
  return name &&
         (*name == "block" || *name == "cluster" || *name == "singlethread");
}

MemoryPlace Decoder::placeOf(const Value *pointer) {
  switch (unsigned space = pointer->getType()->getPointerAddressSpace()) {
  case target::Global:
  case target::Shared:
  case target::Constant:
  case target::Local:
    return static_cast<MemoryPlace>(space);
  default:
    return MemoryPlace::Any;
  }
}

void Decoder::load(const Value *result, const Value *ptr, uint64_t align,
                   uint16_t orderFlags) {
  SmallVector<Leaf, 8> ls;
  auto [base, disp] = pointer(ptr);
  if (!leaves(result->getType(), ls) || !error.empty())
    return;
  align = limitAlign(align, ctx.layout.getTypeStoreSize(result->getType()));
  Slots out;
  for (auto [first, n] : accessRuns(ls)) {
    const Leaf &l = ls[first];
    if (l.offset == ~0ull || !storable(l.bits))
      return fail("load of " + Twine(l.bits) + "-bit elements");
    std::vector<int32_t> list;
    for (unsigned i = 0; i < n; ++i)
      list.push_back(slotLike(l));
    Inst &i = emit(Op::LOAD, n == 1 ? list[0] : noOperand, base);
    i.sub = memorySub((l.bits + 7) / 8, alignAt(align, l.offset));
    i.imm = disp + l.offset;
    if (n > 1) {
      i.flags = flagList;
      i.aux = k.lists.size();
      k.lists.push_back(list);
    }
    i.flags |= orderFlags | placeFlag(placeOf(ptr));
    out.append(list.begin(), list.end());
  }
  values[result] = out;
}

void Decoder::store(const Value *value, const Value *ptr, uint64_t align,
                    uint16_t orderFlags) {
  SmallVector<Leaf, 8> ls;
  Slots v = get(value);
  auto [base, disp] = pointer(ptr);
  if (!leaves(value->getType(), ls) || !error.empty())
    return;
  align = limitAlign(align, ctx.layout.getTypeStoreSize(value->getType()));
  for (auto [first, n] : accessRuns(ls)) {
    const Leaf &l = ls[first];
    if (l.offset == ~0ull || !storable(l.bits))
      return fail("store of " + Twine(l.bits) + "-bit elements");
    Inst &i = emit(Op::STORE, noOperand, base, n == 1 ? v[first] : noOperand);
    i.sub = memorySub((l.bits + 7) / 8, alignAt(align, l.offset));
    i.imm = disp + l.offset;
    if (n > 1) {
      i.flags = flagList;
      i.aux = k.lists.size();
      k.lists.emplace_back(v.begin() + first, v.begin() + first + n);
    }
    i.flags |= orderFlags | placeFlag(placeOf(ptr));
  }
}

void Decoder::atomic(const Value *result, const Value *ptr, const Value *value,
                     AtomicOp op, bool blockScope) {
  auto [base, disp] = pointer(ptr);
  Slots v = get(value), out;
  SmallVector<Leaf, 4> ls;
  if (!leaves(value->getType(), ls) || !error.empty())
    return;
  for (size_t n = 0; n < ls.size(); ++n) {
    const Leaf &l = ls[n];
    unsigned bytes = (l.bits + 7) / 8;
    if (!storable(l.bits) || l.bits == 1)
      // unreachable: LLVM has atomics of 8, 16, 32, 64 bits, and wider leaves
      // are none
      return fail("atomic on " + Twine(l.bits) + " bits");
    int32_t d = result->use_empty() ? noOperand : slotLike(l);
    Inst &i = emit(Op::ATOMIC, d, base, v[n]);
    // Of a vector each element is an atomic of its own; it is aligned as one.
    i.sub = memorySub(bytes, n == 0 ? bytes * ls.size() : bytes);
    i.aux = static_cast<uint32_t>(op) | uint32_t(l.floatType) << 8 |
            (blockScope ? atomicBlockScope : 0);
    if (auto *inst = dyn_cast<AtomicRMWInst>(result); inst && onlyReads(*inst))
      i.aux |= atomicOnlyReads;
    i.flags = placeFlag(placeOf(ptr));
    i.imm = disp + n * bytes;
    out.push_back(d);
  }
  values[result] = out;
}

void Decoder::cmpxchg(const Value *result, const Value *ptr,
                      const Value *expected, const Value *desired,
                      bool blockScope) {
  auto [base, disp] = pointer(ptr);
  int32_t e = scalar(expected), v = scalar(desired);
  Leaf l = leafOf(desired->getType());
  if (!error.empty())
    return;
  if (!storable(l.bits) || l.bits == 1)
    // unreachable: nor is there such a one
    return fail("cmpxchg on " + Twine(l.bits) + " bits");
  int32_t d = slotLike(l), ok = slot(false, FT_None);
  Inst &i = emit(Op::CMPXCHG, d, base, e, v);
  i.sub = memorySub(l.bits / 8, l.bits / 8);
  i.dst2 = ok;
  i.imm = disp;
  i.aux = uint32_t(l.floatType) << 8 | (blockScope ? atomicBlockScope : 0);
  i.flags = placeFlag(placeOf(ptr));
  if (result->getType()->isStructTy())
    values[result] = {d, ok};
  else
    values[result] = {d};
}

void Decoder::stackSlot(const AllocaInst &inst) {
  auto *n = dyn_cast<ConstantInt>(inst.getArraySize());
  if (!n)
    return fail("alloca of dynamic size");
  Variable v;
  v.name = inst.hasName() ? inst.getName().str() : "local";
  const uint64_t element = ctx.layout.getTypeAllocSize(inst.getAllocatedType());
  if (element && n->getValue().ugt((1ull << 38) / element))
    return fail("alloca of " + Twine(n->getLimitedValue()) + " elements");
  v.bytes = element * n->getZExtValue();
  v.align = inst.getAlign().value();
  values[&inst] = {
      constant(variableAddress(SpaceLocal, k.locals.size(), v.align), true)};
  k.locals.push_back(v);
}

} // namespace evo::sim
