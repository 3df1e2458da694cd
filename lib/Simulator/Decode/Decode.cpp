// Blocks, edges and terminators of a kernel. Drives the decoding of one kernel.
// An instruction that is not understood stops it with an error that names the
// instruction and its source line.
#include "Decoder.h"
#include "Simulator/IR/Numeric.h"
#include "evo/Analysis/Branches.h"
#include "evo/Analysis/CountedExits.h"
#include "evo/Analysis/SkippedStores.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DebugInfoMetadata.h"

using namespace llvm;

namespace evo::sim {

void Decoder::fail(const Twine &what) {
  if (!error.empty())
    return;
  const SourceLoc &l = k.locations[currentLoc];
  error = ("unsupported: " + what + " at ").str() +
          (l.line ? l.str() : "function " + k.name);
}

std::string readableName(StringRef mangled) {
  std::string name = demangle(mangled);
  size_t scope = name.rfind("::");
  return scope == std::string::npos ? name : name.substr(scope + 2);
}

uint32_t Decoder::location(const Instruction &inst) {
  const DILocation *l = inst.getDebugLoc().get();
  if (!l)
    return 0;
  // Of an intrinsic in a header, where it was called.
  while (l->getInlinedAt() && l->getFilename().contains("/include/"))
    l = l->getInlinedAt();
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

int32_t Decoder::one(const Leaf &leaf) {
  return leaf.wide() ? constant(bitsTo<uint64_t>(1.0), true, FT_D)
                     : constant(bitsTo<uint32_t>(1.0f), false, FT_S);
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

int32_t Decoder::undefined(const Leaf &leaf) {
  const uint64_t mask = ~0ull >> (64 - std::min(64u, std::max(1u, leaf.bits)));
  auto key = std::make_tuple(int(Constant::Undefined), leaf.wide(),
                             int(leaf.floatType), mask, 0u);
  auto [it, isNew] = pool.try_emplace(key, 0);
  if (isNew) {
    Constant c;
    c.kind = Constant::Undefined;
    c.wide = leaf.wide();
    c.floatType = leaf.floatType;
    c.bits = mask;
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
  branchSites();
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

/// Edges of one terminator lie one after another, in its own order.
void Decoder::branchSites() {
  auto natures = classifyBranches(fn);
  auto limits = findCountedExits(fn, natures);
  auto skipping = findSkippedStores(fn);
  for (size_t e = 0; e < edgeEnds.size();) {
    const BasicBlock *from = edgeEnds[e].first;
    size_t end = e;
    while (end < edgeEnds.size() && edgeEnds[end].first == from)
      ++end;
    const Instruction *inst = from->getTerminator();
    auto nature = natures.find(inst);
    if (end - e > 1 && nature != natures.end() &&
        nature->second != BranchNature::Constant) {
      k.branches.push_back(
          {static_cast<uint32_t>(e), static_cast<uint32_t>(end - e),
           location(*inst), isa<SwitchInst>(inst),
           nature->second >= BranchNature::Data,
           nature->second == BranchNature::Input, std::nullopt,
           skipping.lookup(inst).whenTrue, skipping.lookup(inst).whenFalse});
      if (auto limit = limits.find(inst); limit != limits.end())
        k.branches.back().roundLimit = limit->second;
    }
    e = end;
  }
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
    emit(Op::CONDBR, noOperand, c).aux = e;
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
    emit(Op::SWITCH, noOperand, cond).aux = k.switches.size() - 1;
  } else if (isa<ReturnInst>(inst)) {
    emit(Op::RET);
  } else if (isa<UnreachableInst>(inst)) {
    // After a trap the trap has already been reported.
    trap("reached code marked unreachable");
  } else {
    fail(inst.getOpcodeName());
  }
}

} // namespace evo::sim
