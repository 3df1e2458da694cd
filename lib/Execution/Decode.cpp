//===- Decode.cpp - Values, memory and control of one kernel ----*- C++ -*-===//
//
// One function per group of LLVM instructions; calls are in DecodeCall.cpp. An
// instruction that is not understood stops decoding with an error that names
// it and its source line.
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace evo::exec {

static FloatType floatTypeOf(const Type *t) {
  if (t->isHalfTy())
    return FT_H;
  if (t->isBFloatTy())
    return FT_B;
  if (t->isFloatTy())
    return FT_S;
  if (t->isDoubleTy())
    return FT_D;
  return FT_None;
}

static Op forWidth(Op narrow, bool wide) {
  return static_cast<Op>(static_cast<unsigned>(narrow) + (wide ? 1 : 0));
}
/// The four float forms of an opcode follow each other as _S, _D, _H, _B.
static Op forFloat(Op s, FloatType ft) {
  static const unsigned index[] = {2, 3, 0, 1};
  return static_cast<Op>(static_cast<unsigned>(s) + index[ft]);
}

void Decoder::fail(const Twine &what) {
  if (!error.empty())
    return;
  const SourceLoc &l = k.locations[currentLoc];
  error = ("unsupported: " + what + " at ").str() +
          (l.line ? l.str() : "function " + k.name);
}

uint32_t Decoder::location(const Instruction &inst) {
  const DILocation *l = inst.getDebugLoc().get();
  if (!l)
    return 0;
  auto key =
      std::make_tuple(l->getFilename().str(), l->getLine(), l->getColumn());
  auto [it, isNew] = locationIds.try_emplace(key, k.locations.size());
  if (isNew) {
    SourceLoc s;
    s.file = std::get<0>(key);
    s.line = l->getLine();
    s.column = l->getColumn();
    k.locations.push_back(s);
  }
  return it->second;
}

int32_t Decoder::slot(bool wide, FloatType ft) {
  SlotInfo info;
  info.wide = wide;
  info.floatType = ft;
  slots.push_back(info);
  return static_cast<int32_t>(slots.size() - 1);
}

Inst &Decoder::emit(Op op, int32_t dst, int32_t a, int32_t b, int32_t c) {
  Inst i;
  i.op = op;
  i.dst = dst;
  i.a = a;
  i.b = b;
  i.c = c;
  i.loc = currentLoc;
  k.code.push_back(i);
  return k.code.back();
}

int32_t Decoder::emitTo(const Leaf &leaf, Op op, int32_t a, int32_t b,
                        int32_t c) {
  int32_t d = slotLike(leaf);
  emit(op, d, a, b, c);
  return d;
}

int32_t Decoder::constant(uint64_t bits, bool wide, FloatType ft) {
  auto key = std::make_tuple(int(Constant::Bits), wide, int(ft), bits, 0u);
  auto [it, isNew] = pool.try_emplace(key, 0);
  if (isNew) {
    Constant c;
    c.wide = wide;
    c.floatType = ft;
    c.bits = bits;
    k.constants.push_back(c);
    it->second = -static_cast<int32_t>(k.constants.size());
  }
  return it->second;
}

int32_t Decoder::address(Constant::Kind kind, unsigned index, uint64_t disp) {
  auto key = std::make_tuple(int(kind), true, int(FT_None), disp, index);
  auto [it, isNew] = pool.try_emplace(key, 0);
  if (isNew) {
    Constant c;
    c.kind = kind;
    c.wide = true;
    c.bits = disp;
    c.index = index;
    k.constants.push_back(c);
    it->second = -static_cast<int32_t>(k.constants.size());
  }
  return it->second;
}

Leaf Decoder::leafOf(Type *type) {
  Leaf l{type, 0, 0, floatTypeOf(type)};
  if (type->isPointerTy())
    l.bits = 64;
  else if (type->isIntegerTy())
    l.bits = type->getIntegerBitWidth();
  else if (l.floatType != FT_None)
    l.bits = type->getScalarSizeInBits();
  return l;
}

bool Decoder::leaves(Type *type, SmallVectorImpl<Leaf> &out, uint64_t offset) {
  if (type->isVoidTy())
    return true;
  if (auto *s = dyn_cast<StructType>(type)) {
    const StructLayout *layout = ctx.layout.getStructLayout(s);
    for (unsigned i = 0; i < s->getNumElements(); ++i)
      if (!leaves(s->getElementType(i), out,
                  offset + layout->getElementOffset(i)))
        return false;
    return true;
  }
  if (auto *a = dyn_cast<ArrayType>(type)) {
    uint64_t size = ctx.layout.getTypeAllocSize(a->getElementType());
    if (a->getNumElements() > 4096)
      return fail("array value of " + Twine(a->getNumElements()) + " elements"),
             false;
    for (uint64_t i = 0; i < a->getNumElements(); ++i)
      if (!leaves(a->getElementType(), out, offset + i * size))
        return false;
    return true;
  }
  if (auto *v = dyn_cast<FixedVectorType>(type)) {
    uint64_t bits = ctx.layout.getTypeSizeInBits(v->getElementType());
    for (unsigned i = 0; i < v->getNumElements(); ++i) {
      Leaf l = leafOf(v->getElementType());
      // Vectors of sub-byte elements have no byte offsets; memory accesses
      // refuse them (offset ~0).
      l.offset = bits % 8 ? ~0ull : offset + i * bits / 8;
      out.push_back(l);
    }
    return leafOf(v->getElementType()).bits != 0 ||
           (fail("vector element type"), false);
  }
  Leaf l = leafOf(type);
  l.offset = offset;
  if (l.bits == 0 || l.bits > 64) {
    std::string text;
    raw_string_ostream(text) << *type;
    fail("type " + text);
    return false;
  }
  out.push_back(l);
  return true;
}

bool Decoder::constantPointer(const llvm::Constant *c, int32_t &out) {
  APInt offset(64, 0);
  const Value *base = c;
  for (;;) {
    base = base->stripAndAccumulateConstantOffsets(ctx.layout, offset, true);
    auto *op = dyn_cast<ConstantExpr>(base);
    if (op && op->getOpcode() == Instruction::AddrSpaceCast)
      base = op->getOperand(0);
    else
      break;
  }
  uint64_t disp = offset.getZExtValue();
  if (isa<ConstantPointerNull>(base) || isa<UndefValue>(base)) {
    out = constant(disp, true);
    return true;
  }
  if (auto *e = dyn_cast<ConstantExpr>(base))
    if (e->getOpcode() == Instruction::IntToPtr)
      if (auto *i = dyn_cast<ConstantInt>(e->getOperand(0))) {
        out = constant(i->getZExtValue() + disp, true);
        return true;
      }
  if (auto *g = dyn_cast<GlobalVariable>(base)) {
    if (g->getAddressSpace() == 3) {
      auto it = sharedIndex.find(g);
      if (it == sharedIndex.end())
        return false;
      out = constant(regionAddress(SpaceShared, it->second) + disp, true);
      return true;
    }
    auto it = ctx.globals.find(g);
    if (it == ctx.globals.end())
      return false;
    out = address(Constant::GlobalAddress, it->second, disp);
    return true;
  }
  return false;
}

bool Decoder::constantSlots(const llvm::Constant *c, Slots &out) {
  Type *t = c->getType();
  if (auto *i = dyn_cast<ConstantInt>(c); i && !t->isVectorTy()) {
    if (i->getBitWidth() > 64)
      return fail("integer constant wider than 64 bits"), false;
    out.push_back(constant(i->getZExtValue(), i->getBitWidth() > 32));
    return true;
  }
  if (auto *f = dyn_cast<ConstantFP>(c); f && !t->isVectorTy()) {
    FloatType ft = floatTypeOf(t);
    if (ft == FT_None)
      return fail("floating-point constant type"), false;
    out.push_back(constant(f->getValueAPF().bitcastToAPInt().getZExtValue(),
                           ft == FT_D, ft));
    return true;
  }
  if (t->isPointerTy()) {
    int32_t s;
    if (!constantPointer(c, s))
      return fail("constant pointer"), false;
    out.push_back(s);
    return true;
  }
  if (isa<UndefValue>(c) || isa<ConstantAggregateZero>(c) || c->isNullValue()) {
    SmallVector<Leaf, 8> ls;
    if (!leaves(t, ls))
      return false;
    for (const Leaf &l : ls)
      out.push_back(constant(0, l.wide(), l.floatType));
    return true;
  }
  if (t->isAggregateType() || t->isVectorTy()) {
    uint64_t n = t->isStructTy()  ? t->getStructNumElements()
                 : t->isArrayTy() ? t->getArrayNumElements()
                                  : cast<FixedVectorType>(t)->getNumElements();
    for (uint64_t i = 0; i < n; ++i) {
      const llvm::Constant *e = c->getAggregateElement(i);
      if (!e)
        return fail("aggregate constant"), false;
      if (!constantSlots(e, out))
        return false;
    }
    return true;
  }
  if (auto *e = dyn_cast<ConstantExpr>(c))
    if (e->getOpcode() == Instruction::PtrToInt && leafOf(t).bits == 64) {
      int32_t s;
      if (constantPointer(e->getOperand(0), s)) {
        out.push_back(s);
        return true;
      }
    }
  std::string text;
  raw_string_ostream(text) << *c;
  fail("constant " + text);
  return false;
}

const Slots &Decoder::get(const Value *value) {
  auto it = values.find(value);
  if (it != values.end())
    return it->second;
  Slots out;
  if (auto *c = dyn_cast<llvm::Constant>(value)) {
    if (!constantSlots(c, out))
      out.assign(4096, constant(0, true));
  } else {
    fail("use of a value of unreachable code or of a label");
    out.assign(4096, constant(0, true));
  }
  return values[value] = std::move(out);
}

std::pair<int32_t, int64_t> Decoder::pointer(const Value *value) {
  auto it = parts.find(value);
  if (it != parts.end() && it->second.second >= INT32_MIN &&
      it->second.second <= INT32_MAX)
    return it->second;
  return {scalar(value), 0};
}

int32_t Decoder::signExtended(int32_t value, const Leaf &leaf) {
  if (leaf.bits == 32 || leaf.bits == 64)
    return value;
  int32_t d = slot(leaf.wide(), FT_None);
  emit(forWidth(Op::SEXTIN_I, leaf.wide()), d, value).imm = leaf.bits;
  return d;
}

int32_t Decoder::masked(int32_t value, const Leaf &leaf) {
  if (leaf.bits == 32 || leaf.bits == 64)
    return value;
  int32_t d = slot(leaf.wide(), FT_None);
  emit(forWidth(Op::MASK_I, leaf.wide()), d, value).imm = leaf.bits;
  return d;
}

void Decoder::parameters() {
  unsigned index = 0;
  for (const llvm::Argument &a : fn.args()) {
    KernelParameter p;
    p.name = a.getName().str();
    if (a.hasByValAttr()) {
      p.byVal = true;
      p.isPointer = true;
      p.bytes = ctx.layout.getTypeAllocSize(a.getParamByValType());
      values[&a] = {address(Constant::ParamAddress, index, 0)};
    } else {
      SmallVector<Leaf, 4> ls;
      if (!leaves(a.getType(), ls))
        return;
      if (ls.size() != 1) {
        fail("aggregate parameter passed in registers");
        return;
      }
      p.isPointer = a.getType()->isPointerTy();
      p.isFloat = ls[0].floatType != FT_None;
      p.bytes = (ls[0].bits + 7) / 8;
      Constant c;
      c.kind = Constant::Arg;
      c.wide = ls[0].wide();
      c.floatType = ls[0].floatType;
      c.index = index;
      k.constants.push_back(c);
      values[&a] = {-static_cast<int32_t>(k.constants.size())};
    }
    k.params.push_back(p);
    ++index;
  }
}

/// Static shared variables first; every variable of unknown size aliases the
/// one dynamic region of the launch.
void Decoder::sharedVariables() {
  SmallVector<const GlobalVariable *, 4> dynamic;
  for (const GlobalVariable &g : ctx.module.globals()) {
    if (g.getAddressSpace() != 3)
      continue;
    // Only variables that this kernel mentions occupy its shared memory.
    SmallVector<const User *, 8> work(g.users());
    bool used = false;
    while (!work.empty() && !used) {
      const User *u = work.pop_back_val();
      if (auto *i = dyn_cast<Instruction>(u))
        used = i->getFunction() == &fn;
      else
        work.append(u->user_begin(), u->user_end());
    }
    if (!used)
      continue;
    uint64_t bytes = ctx.layout.getTypeAllocSize(g.getValueType());
    if (bytes == 0 || g.isDeclaration()) {
      dynamic.push_back(&g);
      continue;
    }
    Variable v;
    v.name = g.getName().str();
    v.bytes = bytes;
    v.align = g.getAlign().valueOrOne().value();
    sharedIndex[&g] = k.shared.size();
    k.shared.push_back(v);
  }
  if (dynamic.empty())
    return;
  Variable v;
  v.dynamic = true;
  v.name = dynamic.front()->getName().str();
  for (const GlobalVariable *g : dynamic)
    sharedIndex[g] = k.shared.size();
  k.shared.push_back(v);
}

Error Decoder::run() {
  k.locations.emplace_back();
  parameters();
  sharedVariables();
  std::vector<const BasicBlock *> order = executionOrder(fn);
  for (const BasicBlock *b : order) {
    unsigned n = blockIndex.size();
    blockIndex[b] = n;
  }
  for (const BasicBlock *b : order)
    for (const PHINode &phi : b->phis()) {
      SmallVector<Leaf, 8> ls;
      if (!leaves(phi.getType(), ls))
        break;
      Slots s;
      for (const Leaf &l : ls)
        s.push_back(slotLike(l));
      values[&phi] = s;
    }
  for (const BasicBlock *b : order) {
    k.blockStart.push_back(k.code.size());
    for (const Instruction &i : *b) {
      if (isa<PHINode>(i))
        continue;
      current = &i;
      currentLoc = location(i);
      if (i.isTerminator())
        terminator(i);
      else
        instruction(i);
      if (!error.empty())
        return createStringError(error);
    }
  }
  for (size_t e = 0; e < edgeEnds.size(); ++e)
    setEdgeCopies(k.edges[e], edgeEnds[e].first, edgeEnds[e].second);
  if (!error.empty())
    return createStringError(error);
  return Error::success();
}

uint32_t Decoder::edge(const BasicBlock *from, const BasicBlock *to) {
  k.edges.push_back({blockIndex[to], 0, 0});
  edgeEnds.emplace_back(from, to);
  return k.edges.size() - 1;
}

/// Orders the parallel assignments of an edge so that no value is overwritten
/// before it is read, with a temporary where they form a cycle.
void Decoder::setEdgeCopies(Edge &e, const BasicBlock *from,
                            const BasicBlock *to) {
  std::vector<Copy> pending;
  for (const PHINode &phi : to->phis()) {
    Slots dst = values[&phi];
    const Value *in = phi.getIncomingValueForBlock(from);
    if (isa<UndefValue>(in))
      continue;
    const Slots &src = get(in);
    if (!error.empty())
      return;
    for (size_t i = 0; i < dst.size(); ++i)
      if (dst[i] != src[i])
        pending.push_back({dst[i], src[i], slots[dst[i]].wide, 0});
  }
  e.firstCopy = k.copies.size();
  while (!pending.empty()) {
    bool progress = false;
    for (size_t i = 0; i < pending.size(); ++i) {
      bool read = false;
      for (size_t j = 0; j < pending.size() && !read; ++j)
        read = j != i && pending[j].src == pending[i].dst;
      if (read)
        continue;
      k.copies.push_back(pending[i]);
      pending.erase(pending.begin() + i);
      progress = true;
      break;
    }
    if (progress)
      continue;
    Copy &c = pending.front();
    int32_t t = slot(c.wide, slots[c.dst].floatType);
    k.copies.push_back({t, c.src, c.wide, 0});
    int32_t old = c.src;
    for (Copy &p : pending)
      if (p.src == old)
        p.src = t;
  }
  e.copies = k.copies.size() - e.firstCopy;
}

void Decoder::trap(const std::string &message) {
  k.messages.push_back(message);
  emit(Op::TRAP).aux = k.messages.size() - 1;
}

void Decoder::terminator(const Instruction &inst) {
  const BasicBlock *b = inst.getParent();
  if (auto *cb = dyn_cast<BranchInst>(&inst)) {
    if (!cb->isConditional() || cb->getSuccessor(0) == cb->getSuccessor(1)) {
      uint32_t e = edge(b, cb->getSuccessor(0));
      emit(Op::BR).aux = e;
      return;
    }
    int32_t c = scalar(cb->getCondition());
    uint32_t e = edge(b, cb->getSuccessor(0));
    edge(b, cb->getSuccessor(1));
    emit(Op::CONDBR, kNone, c).aux = e;
  } else if (auto *sw = dyn_cast<SwitchInst>(&inst)) {
    SwitchTable t;
    t.wide = leafOf(sw->getCondition()->getType()).wide();
    t.defaultEdge = edge(b, sw->getDefaultDest());
    for (auto &c : sw->cases()) {
      uint32_t e = edge(b, c.getCaseSuccessor());
      t.cases.emplace_back(c.getCaseValue()->getZExtValue(), e);
    }
    int32_t cond = scalar(sw->getCondition());
    k.switches.push_back(t);
    emit(Op::SWITCH, kNone, cond).aux = k.switches.size() - 1;
  } else if (isa<ReturnInst>(inst)) {
    emit(Op::RET);
  } else if (isa<UnreachableInst>(inst)) {
    // After a trap the trap has already been reported.
    trap("reached code marked unreachable");
  } else {
    fail(inst.getOpcodeName());
  }
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
      return fail("atomic load of an aggregate");
    return load(l, l->getPointerOperand(), l->getAlign().value());
  }
  if (auto *s = dyn_cast<StoreInst>(&inst))
    return store(s->getValueOperand(), s->getPointerOperand(),
                 s->getAlign().value());
  if (auto *a = dyn_cast<AllocaInst>(&inst))
    return alloca_(*a);
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
    // The leaves before the element are those of its preceding siblings.
    Slots all = get(e->getAggregateOperand());
    if (!error.empty())
      return;
    Type *t = e->getAggregateOperand()->getType();
    unsigned start = 0;
    SmallVector<Leaf, 8> ls;
    for (unsigned idx : e->indices()) {
      for (unsigned i = 0; i < idx; ++i) {
        ls.clear();
        leaves(t->isStructTy() ? t->getStructElementType(i)
                               : t->getArrayElementType(),
               ls);
        start += ls.size();
      }
      t = t->isStructTy() ? t->getStructElementType(idx)
                          : t->getArrayElementType();
    }
    ls.clear();
    leaves(t, ls);
    values[&inst] = Slots(all.begin() + start, all.begin() + start + ls.size());
    return;
  }
  if (auto *e = dyn_cast<InsertValueInst>(&inst)) {
    Slots all = get(e->getAggregateOperand());
    Slots part = get(e->getInsertedValueOperand());
    if (!error.empty())
      return;
    Type *t = e->getAggregateOperand()->getType();
    unsigned start = 0;
    SmallVector<Leaf, 8> ls;
    for (unsigned idx : e->indices()) {
      for (unsigned i = 0; i < idx; ++i) {
        ls.clear();
        leaves(t->isStructTy() ? t->getStructElementType(i)
                               : t->getArrayElementType(),
               ls);
        start += ls.size();
      }
      t = t->isStructTy() ? t->getStructElementType(idx)
                          : t->getArrayElementType();
    }
    std::copy(part.begin(), part.end(), all.begin() + start);
    values[&inst] = all;
    return;
  }
  if (auto *e = dyn_cast<ExtractElementInst>(&inst)) {
    Slots all = get(e->getVectorOperand());
    if (auto *i = dyn_cast<ConstantInt>(e->getIndexOperand())) {
      uint64_t n = i->getZExtValue();
      values[&inst] = {n < all.size() ? all[n] : constant(0, false)};
      return;
    }
    int32_t index = scalar(e->getIndexOperand());
    Leaf leaf = leafOf(e->getType()),
         indexLeaf = leafOf(e->getIndexOperand()->getType());
    if (!error.empty())
      return;
    int32_t r = all[0];
    for (size_t i = 1; i < all.size(); ++i) {
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
    if (auto *i = dyn_cast<ConstantInt>(e->getOperand(2))) {
      if (i->getZExtValue() < all.size())
        all[i->getZExtValue()] = v;
      values[&inst] = all;
      return;
    }
    int32_t index = scalar(e->getOperand(2));
    Leaf leaf = leafOf(e->getOperand(1)->getType()),
         indexLeaf = leafOf(e->getOperand(2)->getType());
    if (!error.empty())
      return;
    for (size_t i = 0; i < all.size(); ++i) {
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
      out.push_back(m < 0 ? constant(0, leaf.wide(), leaf.floatType)
                    : size_t(m) < a.size() ? a[m]
                                           : b[m - a.size()]);
    values[&inst] = out;
    return;
  }
  if (isa<FenceInst>(inst)) {
    emit(Op::FENCE);
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
    return atomic(r, r->getPointerOperand(), r->getValOperand(), op);
  }
  if (auto *x = dyn_cast<AtomicCmpXchgInst>(&inst))
    return cmpxchg(x, x->getPointerOperand(), x->getCompareOperand(),
                   x->getNewValOperand());
  fail(inst.getOpcodeName());
}

int32_t Decoder::binaryLeaf(unsigned opcode, const Leaf &leaf, int32_t a,
                            int32_t b) {
  bool w = leaf.wide();
  FloatType ft = leaf.floatType;
  switch (opcode) {
  case Instruction::FAdd:
    return emitTo(leaf, forFloat(Op::FADD_S, ft), a, b);
  case Instruction::FSub:
    return emitTo(leaf, forFloat(Op::FSUB_S, ft), a, b);
  case Instruction::FMul:
    return emitTo(leaf, forFloat(Op::FMUL_S, ft), a, b);
  case Instruction::FDiv:
    return emitTo(leaf, forFloat(Op::FDIV_S, ft), a, b);
  case Instruction::FRem:
    return emitTo(leaf, forFloat(Op::FREM_S, ft), a, b);
  case Instruction::Add:
    return masked(emitTo(leaf, forWidth(Op::ADD_I, w), a, b), leaf);
  case Instruction::Sub:
    return masked(emitTo(leaf, forWidth(Op::SUB_I, w), a, b), leaf);
  case Instruction::Mul:
    return masked(emitTo(leaf, forWidth(Op::MUL_I, w), a, b), leaf);
  case Instruction::UDiv:
    return emitTo(leaf, forWidth(Op::UDIV_I, w), a, b);
  case Instruction::URem:
    return emitTo(leaf, forWidth(Op::UREM_I, w), a, b);
  case Instruction::SDiv:
  case Instruction::SRem: {
    int32_t x = signExtended(a, leaf), y = signExtended(b, leaf);
    Op op = opcode == Instruction::SDiv ? Op::SDIV_I : Op::SREM_I;
    return masked(emitTo(leaf, forWidth(op, w), x, y), leaf);
  }
  case Instruction::And:
    return emitTo(leaf, forWidth(Op::AND_I, w), a, b);
  case Instruction::Or:
    return emitTo(leaf, forWidth(Op::OR_I, w), a, b);
  case Instruction::Xor:
    return emitTo(leaf, forWidth(Op::XOR_I, w), a, b);
  case Instruction::Shl:
    return masked(emitTo(leaf, forWidth(Op::SHL_I, w), a, b), leaf);
  case Instruction::LShr:
    return emitTo(leaf, forWidth(Op::LSHR_I, w), a, b);
  case Instruction::AShr:
    return masked(
        emitTo(leaf, forWidth(Op::ASHR_I, w), signExtended(a, leaf), b), leaf);
  default:
    fail(Instruction::getOpcodeName(opcode));
    return a;
  }
}

void Decoder::binary(const BinaryOperator &inst) {
  Slots a = get(inst.getOperand(0)), b = get(inst.getOperand(1)), out;
  SmallVector<Leaf, 8> ls;
  if (!leaves(inst.getType(), ls) || !error.empty())
    return;
  for (size_t i = 0; i < ls.size(); ++i)
    out.push_back(binaryLeaf(inst.getOpcode(), ls[i], a[i], b[i]));
  values[&inst] = out;
}

void Decoder::compare(const CmpInst &inst) {
  Slots a = get(inst.getOperand(0)), b = get(inst.getOperand(1)), out;
  SmallVector<Leaf, 8> ls;
  if (!leaves(inst.getOperand(0)->getType(), ls) || !error.empty())
    return;
  for (size_t i = 0; i < ls.size(); ++i) {
    int32_t d = slot(false, FT_None);
    out.push_back(d);
    if (isa<FCmpInst>(inst)) {
      emit(forFloat(Op::FCMP_S, ls[i].floatType), d, a[i], b[i]).sub =
          inst.getPredicate();
      continue;
    }
    static const Op ops[] = {Op::ICMP_EQ_I,  Op::ICMP_NE_I,  Op::ICMP_UGT_I,
                             Op::ICMP_UGE_I, Op::ICMP_ULT_I, Op::ICMP_ULE_I,
                             Op::ICMP_SGT_I, Op::ICMP_SGE_I, Op::ICMP_SLT_I,
                             Op::ICMP_SLE_I};
    int32_t x = a[i], y = b[i];
    if (inst.isSigned()) {
      x = signExtended(x, ls[i]);
      y = signExtended(y, ls[i]);
    }
    emit(forWidth(ops[inst.getPredicate() - CmpInst::ICMP_EQ], ls[i].wide()), d,
         x, y);
  }
  values[&inst] = out;
}

void Decoder::conversion(const CastInst &inst) {
  if (isa<BitCastInst>(inst))
    return bitcast(inst.getOperand(0), &inst);
  Slots in = get(inst.getOperand(0)), out;
  SmallVector<Leaf, 8> from, to;
  if (!leaves(inst.getOperand(0)->getType(), from) ||
      !leaves(inst.getType(), to) || !error.empty())
    return;
  for (size_t i = 0; i < to.size(); ++i) {
    const Leaf &f = from[i], &t = to[i];
    int32_t v = in[i], r = v;
    switch (inst.getOpcode()) {
    case Instruction::Trunc:
      if (f.wide() && !t.wide()) {
        r = slot(false, FT_None);
        emit(Op::TRUNC_LI, r, v);
      }
      r = masked(r, t);
      break;
    case Instruction::PtrToInt:
    case Instruction::IntToPtr:
    case Instruction::ZExt:
      if (f.wide() && !t.wide()) {
        r = slot(false, FT_None);
        emit(Op::TRUNC_LI, r, v);
        r = masked(r, t);
      } else if (!f.wide() && t.wide()) {
        r = emitTo(t, Op::ZEXT_IL, v);
      } else if (f.bits > t.bits) {
        r = masked(v, t);
      }
      break;
    case Instruction::SExt:
      r = signExtended(v, f);
      if (!f.wide() && t.wide())
        r = emitTo(t, Op::SEXT_IL, r);
      r = masked(r, t);
      break;
    case Instruction::FPTrunc:
    case Instruction::FPExt:
      r = slotLike(t);
      emit(Op::FPCVT, r, v).sub = f.floatType | t.floatType << 4;
      break;
    case Instruction::FPToSI:
    case Instruction::FPToUI: {
      r = slot(t.wide(), FT_None);
      bool isSigned = inst.getOpcode() == Instruction::FPToSI;
      Inst &c = emit(Op::FPTOI, r, v);
      c.sub = f.floatType | isSigned << 4 | t.wide() << 5;
      c.imm = int(Rounding::Zero) | t.bits << 8;
      break;
    }
    case Instruction::SIToFP:
    case Instruction::UIToFP: {
      bool isSigned = inst.getOpcode() == Instruction::SIToFP;
      int32_t x = isSigned ? signExtended(v, f) : v;
      r = slotLike(t);
      emit(Op::ITOFP, r, x).sub = t.floatType | isSigned << 4 | f.wide() << 5;
      break;
    }
    case Instruction::AddrSpaceCast:
      break;
    default:
      return fail(inst.getOpcodeName());
    }
    out.push_back(r);
  }
  values[&inst] = out;
  if (isa<AddrSpaceCastInst>(inst))
    parts[&inst] = pointer(inst.getOperand(0));
}

/// Reinterprets leaf lists of equal total width: through 16-, 32- and 64-bit
/// pieces, each piece keeping the ghosts that belong to its bits.
void Decoder::bitcast(const Value *fromValue, const Value *result) {
  Slots in = get(fromValue), out;
  SmallVector<Leaf, 8> from, to;
  if (!leaves(fromValue->getType(), from) || !leaves(result->getType(), to) ||
      !error.empty())
    return;
  auto same = [&](int32_t v, const Leaf &f, const Leaf &t) {
    if (f.floatType == t.floatType)
      return v;
    return emitTo(t, forWidth(Op::MOV_I, t.wide()), v);
  };
  unsigned fb = from[0].bits, tb = to[0].bits;
  for (const Leaf &l : from)
    if (l.bits != fb)
      return fail("bitcast of a mixed aggregate");
  if (fb == tb) {
    for (size_t i = 0; i < to.size(); ++i)
      out.push_back(same(in[i], from[i], to[i]));
    values[result] = out;
    return;
  }
  Leaf i16{nullptr, 0, 16, FT_None}, i32{nullptr, 0, 32, FT_None},
      i64{nullptr, 0, 64, FT_None};
  auto intLeaf = [&](unsigned bits) {
    return bits == 16 ? i16 : bits == 32 ? i32 : i64;
  };
  if (fb % 8 || tb % 8 || fb > 64 || tb > 64)
    return fail("bitcast between " + Twine(fb) + "- and " + Twine(tb) +
                "-bit elements");
  unsigned piece = std::min(fb, tb);
  if (piece == 8) {
    // Bytes carry no ghosts; shift and mask.
    Slots bytes;
    for (size_t i = 0; i < in.size(); ++i)
      for (unsigned b = 0; b < fb; b += 8) {
        bool w = fb > 32;
        int32_t s = in[i];
        if (b) {
          s = slot(w, FT_None);
          emit(forWidth(Op::LSHR_I, w), s, in[i], constant(b, w));
        }
        if (w) {
          int32_t n = slot(false, FT_None);
          emit(Op::TRUNC_LI, n, s);
          s = n;
        }
        int32_t m = slot(false, FT_None);
        emit(Op::MASK_I, m, s).imm = 8;
        bytes.push_back(m);
      }
    for (size_t i = 0, n = 0; i < to.size(); ++i) {
      bool w = tb > 32;
      int32_t r = constant(0, w);
      for (unsigned b = 0; b < tb; b += 8, ++n) {
        int32_t s = bytes[n];
        if (w) {
          int32_t e = slot(true, FT_None);
          emit(Op::ZEXT_IL, e, s);
          s = e;
        }
        int32_t h = slot(w, FT_None), o = slot(w, FT_None);
        emit(forWidth(Op::SHL_I, w), h, s, constant(b, w));
        emit(forWidth(Op::OR_I, w), o, r, h);
        r = o;
      }
      out.push_back(same(r, intLeaf(tb), to[i]));
    }
    values[result] = out;
    return;
  }
  // Split down to pieces of the smaller width, then join.
  SmallVector<std::pair<int32_t, Leaf>, 16> pieces;
  for (size_t i = 0; i < in.size(); ++i) {
    if (fb == piece) {
      pieces.emplace_back(in[i], from[i]);
      continue;
    }
    int32_t v = same(in[i], from[i], intLeaf(fb));
    for (unsigned b = 0; b < fb; b += piece) {
      if (fb == 64) {
        int32_t h = slot(false, FT_None);
        emit(Op::UNPACK32_L, h, v).imm = b & 32;
        if (piece == 16) {
          int32_t q = slot(false, FT_None);
          emit(Op::UNPACK16_I, q, h).imm = b & 16;
          h = q;
        }
        pieces.emplace_back(h, intLeaf(piece));
      } else {
        int32_t q = slot(false, FT_None);
        emit(Op::UNPACK16_I, q, v).imm = b & 16;
        pieces.emplace_back(q, i16);
      }
    }
  }
  size_t n = 0;
  for (const Leaf &t : to) {
    if (tb == piece) {
      out.push_back(same(pieces[n].first, pieces[n].second, t));
      ++n;
      continue;
    }
    auto next = [&] {
      auto &p = pieces[n++];
      return same(p.first, p.second, intLeaf(piece));
    };
    auto next32 = [&] {
      if (piece == 32)
        return next();
      int32_t lo = next(), hi = next(), r = slot(false, FT_None);
      emit(Op::PACK16_I, r, lo, hi);
      return r;
    };
    int32_t r;
    if (tb == 32) {
      r = next32();
    } else {
      int32_t lo = next32(), hi = next32();
      r = slot(true, FT_None);
      emit(Op::PACK32_L, r, lo, hi);
    }
    out.push_back(same(r, intLeaf(tb), t));
  }
  values[result] = out;
}

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

static uint64_t alignAt(uint64_t align, uint64_t offset) {
  return offset ? std::min(align, offset & (~offset + 1)) : align;
}

static bool storable(unsigned bits) {
  return bits == 1 || bits == 8 || bits == 16 || bits == 32 || bits == 64;
}

void Decoder::load(const Value *result, const Value *ptr, uint64_t align) {
  SmallVector<Leaf, 8> ls;
  auto [base, disp] = pointer(ptr);
  if (!leaves(result->getType(), ls) || !error.empty())
    return;
  Slots out;
  for (auto [first, n] : accessRuns(ls)) {
    const Leaf &l = ls[first];
    if (l.offset == ~0ull || !storable(l.bits))
      return fail("load of " + Twine(l.bits) + "-bit elements");
    std::vector<int32_t> list;
    for (unsigned i = 0; i < n; ++i)
      list.push_back(slotLike(l));
    Inst &i = emit(Op::LOAD, n == 1 ? list[0] : kNone, base);
    i.sub = memorySub((l.bits + 7) / 8, alignAt(align, l.offset));
    i.imm = disp + l.offset;
    if (n > 1) {
      i.flags = kFlagList;
      i.aux = k.lists.size();
      k.lists.push_back(list);
    }
    out.append(list.begin(), list.end());
  }
  values[result] = out;
}

void Decoder::store(const Value *value, const Value *ptr, uint64_t align) {
  SmallVector<Leaf, 8> ls;
  Slots v = get(value);
  auto [base, disp] = pointer(ptr);
  if (!leaves(value->getType(), ls) || !error.empty())
    return;
  for (auto [first, n] : accessRuns(ls)) {
    const Leaf &l = ls[first];
    if (l.offset == ~0ull || !storable(l.bits))
      return fail("store of " + Twine(l.bits) + "-bit elements");
    Inst &i = emit(Op::STORE, kNone, base, n == 1 ? v[first] : kNone);
    i.sub = memorySub((l.bits + 7) / 8, alignAt(align, l.offset));
    i.imm = disp + l.offset;
    if (n > 1) {
      i.flags = kFlagList;
      i.aux = k.lists.size();
      k.lists.emplace_back(v.begin() + first, v.begin() + first + n);
    }
  }
}

void Decoder::atomic(const Value *result, const Value *ptr, const Value *value,
                     AtomicOp op) {
  auto [base, disp] = pointer(ptr);
  Slots v = get(value), out;
  SmallVector<Leaf, 4> ls;
  if (!leaves(value->getType(), ls) || !error.empty())
    return;
  for (size_t n = 0; n < ls.size(); ++n) {
    const Leaf &l = ls[n];
    unsigned bytes = (l.bits + 7) / 8;
    if (!storable(l.bits) || l.bits == 1)
      return fail("atomic on " + Twine(l.bits) + " bits");
    int32_t d = slotLike(l);
    Inst &i = emit(Op::ATOMIC, d, base, v[n]);
    i.sub = memorySub(bytes, bytes);
    i.aux = static_cast<uint32_t>(op) | uint32_t(l.floatType) << 8;
    i.imm = disp + n * bytes;
    out.push_back(d);
  }
  values[result] = out;
}

void Decoder::cmpxchg(const Value *result, const Value *ptr,
                      const Value *expected, const Value *desired) {
  auto [base, disp] = pointer(ptr);
  int32_t e = scalar(expected), v = scalar(desired);
  Leaf l = leafOf(desired->getType());
  if (!error.empty())
    return;
  if (!storable(l.bits) || l.bits == 1)
    return fail("cmpxchg on " + Twine(l.bits) + " bits");
  int32_t d = slotLike(l), ok = slot(false, FT_None);
  Inst &i = emit(Op::CMPXCHG, d, base, e, v);
  i.sub = memorySub(l.bits / 8, l.bits / 8);
  i.dst2 = ok;
  i.imm = disp;
  i.aux = uint32_t(l.floatType) << 8;
  if (result->getType()->isStructTy())
    values[result] = {d, ok};
  else
    values[result] = {d};
}

void Decoder::alloca_(const AllocaInst &inst) {
  auto *n = dyn_cast<ConstantInt>(inst.getArraySize());
  if (!n)
    return fail("alloca of dynamic size");
  Variable v;
  v.name = inst.hasName() ? inst.getName().str() : "local";
  v.bytes =
      ctx.layout.getTypeAllocSize(inst.getAllocatedType()) * n->getZExtValue();
  v.align = inst.getAlign().value();
  values[&inst] = {constant(regionAddress(SpaceLocal, k.locals.size()), true)};
  k.locals.push_back(v);
}

} // namespace evo::exec
