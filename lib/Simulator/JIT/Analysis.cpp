// Segments, and what is alive between them.
#include "Analysis.h"
#include "Simulator/IR/Operands.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include <cmath>
#include <deque>

using namespace llvm;
using namespace evo::sim;

namespace evo::jit {

Analysis::Analysis(const KernelCode &kernel, const uint32_t (&block)[3],
                   bool isLone)
    : kernel(kernel), block(block), lone(isLone) {
  uniform = &*shapes.insert(Shape{}).first;
  for (size_t i = 0; i < kernel.constants.size(); ++i)
    constants[kernel.constantUnit[i]] = &kernel.constants[i];
  addRoots();
  cut();
  findLive();
  findFacts();
  findCarried();
}

void Analysis::addRoots() {
  for (const auto &[unit, constant] : constants) {
    bool isAddress = false;
    switch (constant->kind) {
    case Constant::Arg:
      isAddress = kernel.params[constant->index].isPointer;
      break;
    case Constant::GlobalAddress:
    case Constant::ParamAddress:
      isAddress = true;
      break;
    case Constant::Bits: // of shared variables
      isAddress = constant->wide && constant->bits >> 60 == SpaceShared;
      break;
    case Constant::Undefined:
      break;
    }
    if (isAddress)
      roots.push_back(unit);
  }
}

void Analysis::cut() {
  segmentAt.assign(kernel.code.size(), -1);
  auto start = [&](uint32_t position) {
    if (position < kernel.code.size())
      segmentAt[position] = 0;
  };
  for (uint32_t position : kernel.blockStart)
    start(position);
  for (uint32_t p = 0; p < kernel.code.size(); ++p)
    if (kernel.code[p].op == Op::BAR)
      start(p + 1);
  for (uint32_t p = 0; p < kernel.code.size(); ++p) {
    if (segmentAt[p] < 0)
      continue;
    if (!segments.empty())
      segments.back().end = p;
    segmentAt[p] = segments.size();
    segments.emplace_back();
    segments.back().begin = p;
    segments.back().end = kernel.code.size();
    segments.back().live.resize(kernel.registerUnits + 2);
    segments.back().carried.resize(kernel.registerUnits + 2);
  }
}

static bool isJump(const Inst &i) {
  return i.op == Op::BR || i.op == Op::CONDBR || i.op == Op::SWITCH;
}

BitVector Analysis::sharedByEdges(const Inst &jump) const {
  BitVector one(kernel.registerUnits + 2), several(kernel.registerUnits + 2);
  forEachEdge(kernel, jump, [&](uint32_t number) {
    const Edge &edge = kernel.edges[number];
    const Segment &target = segments[segmentAt[edge.target]];
    BitVector own = target.live;
    own.reset(target.carried);
    for (uint32_t c = 0; c < edge.copies; ++c)
      own.reset(kernel.copies[edge.firstCopy + c].dst);
    BitVector again = one;
    again &= own;
    several |= again;
    one |= own;
  });
  return several;
}

BitVector Analysis::liveBefore(const Segment &segment,
                               uint32_t position) const {
  const Inst &last = kernel.code[segment.end - 1];
  BitVector live(kernel.registerUnits + 2);
  if (isJump(last)) {
    forEachEdge(kernel, last, [&](uint32_t number) {
      const Edge &edge = kernel.edges[number];
      BitVector own = segments[segmentAt[edge.target]].live;
      for (uint32_t c = edge.copies; c-- > 0;) {
        const Copy &copy = kernel.copies[edge.firstCopy + c];
        own.reset(copy.dst);
        if (copy.src >= 0)
          own.set(copy.src);
      }
      live |= own;
    });
  } else if (last.op == Op::BAR && segment.end < kernel.code.size()) {
    live = segments[segmentAt[segment.end]].live;
  }
  for (uint32_t p = segment.end; p-- > position;) {
    const Inst &i = kernel.code[p];
    forEachDef(kernel, i, [&](int32_t unit) { live.reset(unit); });
    forEachUse(kernel, i, [&](int32_t unit) {
      if (unit >= 0)
        live.set(unit);
    });
  }
  return live;
}

void Analysis::findLive() {
  for (bool changed = true; changed;) {
    changed = false;
    for (Segment &segment : reverse(segments)) {
      BitVector live = liveBefore(segment, segment.begin);
      changed |= live != segment.live;
      segment.live = std::move(live);
    }
  }
}

std::optional<uint64_t> Analysis::constantOf(int32_t unit) const {
  auto it = constants.find(unit);
  if (unit >= 0 || it == constants.end() || it->second->kind != Constant::Bits)
    return std::nullopt;
  return it->second->bits;
}

Fact Analysis::factOf(int32_t unit, const Facts &facts) const {
  auto it = facts.find(unit);
  if (unit >= 0 && it != facts.end())
    return it->second;
  Fact fact;
  if (unit >= 0) {
    fact.shape = lone ? uniform : nullptr;
    return fact;
  }
  fact.shape = uniform;
  auto constant = constants.find(unit);
  fact.wide = constant != constants.end() && constant->second->wide;
  if (!fact.wide)
    fact.bits = 32;
  if (std::optional<uint64_t> value = constantOf(unit)) {
    fact.bits = 64 - countl_zero(*value);
    fact.zeros = fact.zeros0 = std::min(63, countr_zero(*value));
    fact.isFloat =
        fact.wide ? !std::isnan(bit_cast<double>(*value))
                  : !std::isnan(bit_cast<float>(static_cast<uint32_t>(*value)));
  }
  auto root = find(roots, unit);
  if (root != roots.end())
    fact.root = root - roots.begin();
  return fact;
}

/// What two ways to one place have in common.
static Fact meet(const Fact &a, const Fact &b) {
  Fact r;
  r.shape = a.shape == b.shape && a.wide == b.wide ? a.shape : nullptr;
  r.wide = a.wide;
  r.zeros = std::min(a.zeros, b.zeros);
  r.zeros0 = std::min(a.zeros0, b.zeros0);
  r.bits = std::max(a.bits, b.bits);
  r.root = a.root == b.root ? a.root : -1;
  r.isFloat = a.isFloat && b.isFloat;
  return r;
}

void Analysis::note(const KernelCode &kernel, const Inst &inst,
                    const Fact &result, Facts &facts) {
  forEachDef(kernel, inst, [&](int32_t unit) { facts[unit] = result; });
  if (inst.dst2 != noOperand) // a condition
    facts[inst.dst2].wide = facts[inst.dst2].isFloat = false;
}

void Analysis::findFacts() {
  std::deque<int32_t> work = {0};
  segments[0].isReached = true;
  auto arrive = [&](int32_t to, const Facts &facts) {
    Segment &segment = segments[to];
    Facts known;
    for (unsigned unit : segment.live.set_bits()) {
      auto now = facts.find(unit);
      if (now == facts.end())
        continue;
      auto before = segment.facts.find(unit);
      if (!segment.isReached)
        known[unit] = now->second;
      else if (before != segment.facts.end())
        known[unit] = meet(before->second, now->second);
    }
    if (segment.isReached && known == segment.facts)
      return;
    segment.isReached = true;
    segment.facts = std::move(known);
    work.push_back(to);
  };
  while (!work.empty()) {
    const Segment &segment = segments[work.front()];
    work.pop_front();
    Facts facts = segment.facts;
    auto get = [&](int32_t unit) { return factOf(unit, facts); };
    for (uint32_t p = segment.begin; p < segment.end; ++p) {
      const Inst &i = kernel.code[p];
      note(kernel, i, evaluate(i, get), facts);
    }
    const Inst &last = kernel.code[segment.end - 1];
    if (!isJump(last)) {
      if (last.op == Op::BAR && segment.end < kernel.code.size())
        arrive(segmentAt[segment.end], facts);
      continue;
    }
    forEachEdge(kernel, last, [&](uint32_t number) {
      const Edge &edge = kernel.edges[number];
      Facts own = facts;
      for (uint32_t c = 0; c < edge.copies; ++c) {
        const Copy &copy = kernel.copies[edge.firstCopy + c];
        Fact fact = factOf(copy.src, own);
        fact.wide = copy.wide;
        own[copy.dst] = fact;
      }
      arrive(segmentAt[edge.target], own);
    });
  }
}

} // namespace evo::jit
