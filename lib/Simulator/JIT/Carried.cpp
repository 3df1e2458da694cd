// Which registers go from segment to segment as values. Within a loop what it
// computes stays out of memory from round to round. What comes into a loop, or
// an inner one, from outside lies in memory and is loaded where it is read:
// that waits for nobody, and whoever leaves the loop need not store it.
#include "Analysis.h"
#include "Simulator/IR/Operands.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace evo::sim;

namespace evo::jit {

/// The most that the segments of a loop carry, all together. Code grows with
/// it, and in a long loop there is enough else to do while memory is waited
/// for.
static constexpr size_t maxCarried = 100;

/// Whether an instruction may have results that are not in memory anyway.
static bool mayBeCompiled(const Inst &inst) {
  return !has(inst.op, fact::exchangesLanes | fact::exchangesMemory);
}

void Analysis::findLoops() {
  std::vector<SmallVector<int32_t, 2>> before(segments.size());
  std::map<int32_t, SmallVector<int32_t, 2>> ends; // by the loop's first one
  for (auto [number, segment] : enumerate(segments)) {
    if (!segment.isReached)
      continue;
    const auto from = static_cast<int32_t>(number);
    forEachEdge(kernel, kernel.code[segment.end - 1], [&](uint32_t edge) {
      const int32_t to = segmentAt[kernel.edges[edge].target];
      before[to].push_back(from);
      if (to <= from)
        ends[to].push_back(from);
    });
  }
  for (auto &[first, work] : ends) {
    Loop &loop = loops.emplace_back();
    loop.first = first;
    loop.segments.resize(segments.size());
    loop.segments.set(first);
    while (!work.empty()) {
      const int32_t segment = work.pop_back_val();
      if (segment < first || loop.segments[segment])
        continue;
      loop.segments.set(segment);
      append_range(work, before[segment]);
    }
  }
}

/// Whether values stay values on a way: within a loop, and not into another.
bool Analysis::staysInLoop(int32_t from, int32_t to) const {
  bool stays = false;
  for (const Loop &loop : loops) {
    if (loop.segments[from])
      stays |= loop.carries && loop.segments[to];
    else if (loop.first == to)
      return false;
  }
  return stays;
}

/// False if that was known.
bool Analysis::carryOn(int32_t from, const Edge &edge) {
  const Segment &segment = segments[from];
  Segment &target = segments[segmentAt[edge.target]];
  BitVector own = segment.carried;
  for (uint32_t p = segment.begin; p < segment.end; ++p)
    if (mayBeCompiled(kernel.code[p]))
      forEachDef(kernel, kernel.code[p], [&](int32_t unit) { own.set(unit); });
  for (uint32_t c = 0; c < edge.copies; ++c)
    own.set(kernel.copies[edge.firstCopy + c].dst);
  own &= target.live;
  // How wide others are is not known.
  for (unsigned unit : own.set_bits())
    if (!target.facts.count(unit))
      own.reset(unit);
  own |= target.carried;
  const bool isNews = own != target.carried;
  target.carried = std::move(own);
  return isNews;
}

/// Through the loops that carry any.
void Analysis::spreadCarried() {
  for (Segment &segment : segments)
    segment.carried.reset();
  for (bool changed = true; changed;) {
    changed = false;
    for (auto [number, segment] : enumerate(segments)) {
      if (!segment.isReached)
        continue;
      const auto from = static_cast<int32_t>(number);
      forEachEdge(kernel, kernel.code[segment.end - 1], [&](uint32_t n) {
        const Edge &edge = kernel.edges[n];
        if (staysInLoop(from, segmentAt[edge.target]))
          changed |= carryOn(from, edge);
      });
    }
  }
}

void Analysis::findCarried() {
  findLoops();
  spreadCarried();
  bool areTooMany = false;
  for (Loop &loop : loops) {
    size_t values = 0;
    for (unsigned segment : loop.segments.set_bits())
      values += segments[segment].carried.count();
    loop.carries = values <= maxCarried;
    areTooMany |= !loop.carries;
  }
  if (areTooMany)
    spreadCarried();
}

} // namespace evo::jit
