// Dispatch, selects and aggregates. Sends each instruction to its decoder.
// Those that only rearrange the leaves of their operands are decoded here,
// mostly to nothing.
#include "Decoder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"

using namespace llvm;

namespace evo::sim {

/// What a load or store promises to other threads.
static uint16_t orderFlags(bool isVolatile, AtomicOrdering ordering,
                           bool blockScope) {
  const bool ordered =
      isAcquireOrStronger(ordering) || isReleaseOrStronger(ordering);
  const bool strong = isVolatile || ordering != AtomicOrdering::NotAtomic;
  return (strong ? flagStrong : 0) | (ordered ? flagOrdered : 0) |
         (blockScope ? flagBlockScope : 0);
}

/// Whether what is loaded is what a compare-and-swap at the same place expects
/// at first. That may be out of date, as the loop around it knows: it is the
/// read of an atomic, which CUDA had no other way to write for long.
static bool startsExchange(const LoadInst &load) {
  const Value *place = load.getPointerOperand()->stripPointerCasts();
  SmallVector<const Value *, 8> work = {&load};
  SmallPtrSet<const Value *, 8> seen;
  while (!work.empty()) {
    const Value *value = work.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    for (const User *user : value->users()) {
      if (isa<PHINode, BitCastInst, FreezeInst>(user))
        work.push_back(user);
      else if (auto *x = dyn_cast<AtomicCmpXchgInst>(user);
               x && x->getCompareOperand() == value &&
               x->getPointerOperand()->stripPointerCasts() == place)
        return true;
    }
  }
  return false;
}

void Decoder::instruction(const Instruction &inst) {
  if (auto *b = dyn_cast<BinaryOperator>(&inst))
    return binary(*b);
  if (auto *c = dyn_cast<CmpInst>(&inst))
    return compare(*c);
  if (auto *c = dyn_cast<CastInst>(&inst))
    return conversion(*c);
  if (auto *g = dyn_cast<GetElementPtrInst>(&inst))
    return gep(*g);
  if (auto *l = dyn_cast<LoadInst>(&inst)) {
    if (l->isAtomic() && l->getType()->isAggregateType())
      // unreachable: LLVM knows none
      return fail("atomic load of an aggregate");
    const uint16_t path =
        l->hasMetadata(LLVMContext::MD_invariant_load) ? flagReadOnlyPath : 0;
    return load(
        l, l->getPointerOperand(), l->getAlign().value(),
        path |
            orderFlags(l->isVolatile() || startsExchange(*l), l->getOrdering(),
                       l->isAtomic() && isBlockScope(l->getSyncScopeID())));
  }
  if (auto *s = dyn_cast<StoreInst>(&inst))
    return store(
        s->getValueOperand(), s->getPointerOperand(), s->getAlign().value(),
        orderFlags(s->isVolatile(), s->getOrdering(),
                   s->isAtomic() && isBlockScope(s->getSyncScopeID())));
  if (auto *a = dyn_cast<AllocaInst>(&inst))
    return stackSlot(*a);
  if (auto *c = dyn_cast<CallBase>(&inst))
    return call(*c);
  if (auto *s = dyn_cast<SelectInst>(&inst)) {
    Slots cond = get(s->getCondition()), t = get(s->getTrueValue()),
          f = get(s->getFalseValue()), out;
    SmallVector<Leaf, 8> ls;
    if (!leaves(s->getType(), ls) || !error.empty())
      return;
    for (size_t i = 0; i < ls.size(); ++i)
      out.push_back(emitTo(ls[i], forWidth(Op::SELECT_I, ls[i].wide()),
                           cond[cond.size() > 1 ? i : 0], t[i], f[i]));
    values[&inst] = out;
    return;
  }
  if (inst.getOpcode() == Instruction::FNeg) {
    Slots in = get(inst.getOperand(0)), out;
    SmallVector<Leaf, 8> ls;
    if (!leaves(inst.getType(), ls) || !error.empty())
      return;
    for (size_t i = 0; i < ls.size(); ++i)
      out.push_back(
          emitTo(ls[i], forFloat(Op::FNEG_S, ls[i].floatType), in[i]));
    values[&inst] = out;
    return;
  }
  if (isa<FreezeInst>(inst)) {
    Slots in = get(inst.getOperand(0));
    values[&inst] = in;
    return;
  }
  if (auto *e = dyn_cast<ExtractValueInst>(&inst)) {
    Slots all = get(e->getAggregateOperand());
    if (!error.empty())
      return;
    const auto [start, count] =
        leavesAt(e->getAggregateOperand()->getType(), e->getIndices());
    values[&inst] = Slots(all.begin() + start, all.begin() + start + count);
    return;
  }
  if (auto *e = dyn_cast<InsertValueInst>(&inst)) {
    Slots all = get(e->getAggregateOperand());
    Slots part = get(e->getInsertedValueOperand());
    if (!error.empty())
      return;
    llvm::copy(part, all.begin() + leavesAt(e->getAggregateOperand()->getType(),
                                            e->getIndices())
                                       .first);
    values[&inst] = all;
    return;
  }
  if (auto *e = dyn_cast<ExtractElementInst>(&inst)) {
    Slots all = get(e->getVectorOperand());
    Leaf leaf = leafOf(e->getType()),
         indexLeaf = leafOf(e->getIndexOperand()->getType());
    if (auto *i = dyn_cast<ConstantInt>(e->getIndexOperand())) {
      values[&inst] = {i->getValue().ult(all.size()) ? all[i->getZExtValue()]
                                                     : undefined(leaf)};
      return;
    }
    int32_t index = scalar(e->getIndexOperand());
    if (!error.empty())
      return;
    int32_t r = undefined(leaf); // beyond the last element
    for (size_t i = 0; i < all.size(); ++i) {
      int32_t is = slot(false, FT_None);
      emit(forWidth(Op::ICMP_EQ_I, indexLeaf.wide()), is, index,
           constant(i, indexLeaf.wide()));
      r = emitTo(leaf, forWidth(Op::SELECT_I, leaf.wide()), is, all[i], r);
    }
    values[&inst] = {r};
    return;
  }
  if (auto *e = dyn_cast<InsertElementInst>(&inst)) {
    Slots all = get(e->getOperand(0));
    int32_t v = scalar(e->getOperand(1));
    Leaf leaf = leafOf(e->getOperand(1)->getType()),
         indexLeaf = leafOf(e->getOperand(2)->getType());
    if (auto *i = dyn_cast<ConstantInt>(e->getOperand(2))) {
      if (i->getValue().ult(all.size()))
        all[i->getZExtValue()] = v;
      else // of which nothing is left
        all.assign(all.size(), undefined(leaf));
      values[&inst] = all;
      return;
    }
    int32_t index = scalar(e->getOperand(2));
    if (!error.empty())
      return;
    int32_t inside = slot(false, FT_None);
    emit(forWidth(Op::ICMP_ULT_I, indexLeaf.wide()), inside, index,
         constant(all.size(), indexLeaf.wide()));
    for (size_t i = 0; i < all.size(); ++i) {
      all[i] = emitTo(leaf, forWidth(Op::SELECT_I, leaf.wide()), inside, all[i],
                      undefined(leaf));
      int32_t is = slot(false, FT_None);
      emit(forWidth(Op::ICMP_EQ_I, indexLeaf.wide()), is, index,
           constant(i, indexLeaf.wide()));
      all[i] = emitTo(leaf, forWidth(Op::SELECT_I, leaf.wide()), is, v, all[i]);
    }
    values[&inst] = all;
    return;
  }
  if (auto *s = dyn_cast<ShuffleVectorInst>(&inst)) {
    Slots a = get(s->getOperand(0)), b = get(s->getOperand(1)), out;
    Leaf leaf = leafOf(cast<VectorType>(s->getType())->getElementType());
    if (!error.empty())
      return;
    for (int m : s->getShuffleMask())
      out.push_back(m < 0                  ? undefined(leaf)
                    : size_t(m) < a.size() ? a[m]
                                           : b[m - a.size()]);
    values[&inst] = out;
    return;
  }
  if (auto *f = dyn_cast<FenceInst>(&inst)) {
    emit(Op::FENCE).sub = isBlockScope(f->getSyncScopeID());
    return;
  }
  if (auto *r = dyn_cast<AtomicRMWInst>(&inst)) {
    AtomicOp op;
    switch (r->getOperation()) {
#define CASE(N, M)                                                             \
  case AtomicRMWInst::N:                                                       \
    op = AtomicOp::M;                                                          \
    break;
      CASE(Xchg, Xchg)
      CASE(Add, Add)
      CASE(Sub, Sub)
      CASE(And, And)
      CASE(Nand, Nand)
      CASE(Or, Or)
      CASE(Xor, Xor)
      CASE(Max, Max)
      CASE(Min, Min)
      CASE(UMax, UMax)
      CASE(UMin, UMin)
      CASE(FAdd, FAdd)
      CASE(FSub, FSub)
      CASE(FMax, FMax)
      CASE(FMin, FMin)
      CASE(UIncWrap, UIncWrap)
      CASE(UDecWrap, UDecWrap)
#undef CASE
    default:
      return fail("atomicrmw " +
                  AtomicRMWInst::getOperationName(r->getOperation()));
    }
    return atomic(r, r->getPointerOperand(), r->getValOperand(), op,
                  isBlockScope(r->getSyncScopeID()));
  }
  if (auto *x = dyn_cast<AtomicCmpXchgInst>(&inst))
    return cmpxchg(x, x->getPointerOperand(), x->getCompareOperand(),
                   x->getNewValOperand(), isBlockScope(x->getSyncScopeID()));
  fail(inst.getOpcodeName());
}

} // namespace evo::sim
