// Between compiled and interpreted code. Compiled code knows full warps whose
// lanes are together, and warps of which the first thread alone is left;
// whatever else happens to a warp is the interpreter's, one basic block at a
// time.
#include "RunNative.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cstring>

namespace evo::sim {

/// Lanes that an interpreted instruction counts for in a budget, at least.
static constexpr uint64_t interpretedLanes = warpSize;

/// Basic blocks that the first thread of a warp takes by itself before it is
/// worth to compile for it.
static constexpr uint64_t enoughAlone = 256;

/// What an instruction counts in a budget that the interpreter executes for
/// compiled code; functions of floats, which take as long as dozens of others,
/// besides for each time that they are evaluated.
static uint64_t costOf(const Inst &i, bool isLone) {
  return (isLone ? 4 : warpSize) * (i.op == Op::MMA ? 48 : 4);
}
static constexpr uint64_t costOfFunction = 44;

NativeRunner::Code NativeRunner::codeFor(const NativeKernel &kernel) {
  return kernel.isLone ? Code{&kernel, 1, 1}
                       : Code{&kernel, allLanes, warpSize / nativeShare};
}

NativeRunner::NativeRunner(const NativeKernel &kernel, Exec &x,
                           const InterpreterTable &interpreter)
    : whole(codeFor(kernel)), x(x), interpreter(interpreter),
      together(x.warps) {
  for (int32_t root : kernel.roots) {
    uint64_t address;
    std::memcpy(&address,
                x.constants + static_cast<ptrdiff_t>(root) * unitBytes, 8);
    roots.push_back(regionAt(address));
  }
  std::copy(x.grid, x.grid + 3, place + 3);
  place[6] = static_cast<uint32_t>(x.dynamicShared);
  frame.runner = this;
  frame.constants = x.constants;
  frame.roots = roots.data();
  frame.place = place;
  frame.step = [](NativeFrame *f, uint32_t position) {
    auto *own = static_cast<Frame *>(f);
    NativeRunner &runner = *own->runner;
    const Inst &inst = runner.x.code[position];
    const uint64_t calls = runner.x.functionCalls;
    runner.interpreter.one(runner.x, *own->warp, inst);
    runner.found = NativeRegion(); // it may have been freed
    runner.x.laneInstructions +=
        costOf(inst, runner.current->kernel->isLone) +
        costOfFunction * (runner.x.functionCalls - calls);
    return runner.x.stop;
  };
  frame.find = [](NativeFrame *f, uint64_t address) {
    NativeRunner &runner = *static_cast<Frame *>(f)->runner;
    if (address - runner.found.address >= runner.found.loadBytes)
      runner.found = runner.regionAt(address);
    return const_cast<const NativeRegion *>(&runner.found);
  };
}

/// Regions where an access has to be noted, or finds its place by the lane, are
/// left to the interpreter.
NativeRegion NativeRunner::regionAt(uint64_t address) const {
  NativeRegion result;
  const uint64_t space = address >> 60, index = address >> 40 & 0xfffff;
  if (index >= x.counts[space])
    return result;
  const Region &r = x.tables[space][index];
  if (!r.host || r.laneStride || r.sparse)
    return result;
  result.address = r.address;
  result.delta = reinterpret_cast<uint64_t>(r.host) - r.address;
  // Nobody asks what was written in memory that is run so.
  const bool isNoted = r.init && x.checkUninit;
  result.loadBytes = isNoted ? 0 : r.bytes;
  result.storeBytes = r.readOnly || isNoted ? 0 : r.bytes;
  return result;
}

void NativeRunner::startBlock() {
  std::copy(x.ctaid, x.ctaid + 3, place);
  llvm::fill(together, 0);
}

/// Whether nothing is left to do at a position but to return.
bool NativeRunner::returnsAt(uint32_t position) const {
  while (x.code[position].op == Op::BR) {
    const Edge &edge = x.k->edges[x.code[position].aux];
    if (edge.copies || edge.target <= position)
      return false;
    position = edge.target;
  }
  return x.code[position].op == Op::RET;
}

/// Lets those go that have nothing left to do, whoever goes on: what is left
/// may be one thread.
void NativeRunner::retire(Warp &w) {
  for (unsigned j = 0; w.nGroups > 1 && j < w.nGroups;) {
    const Group group = w.groups[j];
    if (!returnsAt(group.ip)) {
      ++j;
      continue;
    }
    w.groups[j] = w.groups[--w.nGroups];
    ++x.warpInstructions;
    ++w.executed;
    x.laneInstructions += countLanes(group.mask);
    leave(x, w, group.mask);
  }
}

/// What is compiled for a warp as it is; null: nothing.
const NativeRunner::Code *NativeRunner::codeOf(const Warp &w) {
  if (w.nGroups != 1 || w.nWaiting || w.live != w.groups[0].mask)
    return nullptr;
  if (w.live == whole.lanes)
    return &whole;
  if (w.live != 1 || !whole.kernel->getLone)
    return nullptr;
  if (!lone) {
    if (++interpretedAlone < enoughAlone)
      return nullptr;
    const NativeKernel *kernel = whole.kernel->getLone();
    lone = kernel ? codeFor(*kernel) : Code{nullptr, 0, 0};
  }
  return lone->kernel ? &*lone : nullptr;
}

/// Whether lanes differ by what a segment takes them to differ by.
bool NativeRunner::isAsExpected(const Warp &w, int32_t segment) const {
  const NativeKernel &kernel = *current->kernel;
  // Differences are gathered without a branch, for vectors.
  for (const NativeKernel::Lanes &lanes : kernel.expected[segment]) {
    const char *at = w.regs + static_cast<ptrdiff_t>(lanes.unit) * unitBytes;
    const NativeKernel::Shape &shape = kernel.shapes[lanes.shape];
    if (lanes.wide) {
      const auto *v = reinterpret_cast<const uint64_t *>(at);
      uint64_t other = 0;
      for (unsigned l = 0; l < warpSize; ++l)
        other |= v[l] ^ (v[0] + static_cast<uint64_t>(shape.distances[l]));
      if (other)
        return false;
    } else {
      const auto *v = reinterpret_cast<const uint32_t *>(at);
      uint32_t other = 0;
      for (unsigned l = 0; l < warpSize; ++l)
        other |= v[l] ^ (v[0] + shape.narrow[l]);
      if (other)
        return false;
    }
  }
  return true;
}

/// Where compiled code, the current one from now on, may go on with a warp; -1:
/// nowhere.
int32_t NativeRunner::segmentOf(const Warp &w) {
  const Code *code = codeOf(w);
  if (!code)
    return -1;
  current = code;
  const int32_t segment = code->kernel->segmentAt[w.groups[0].ip];
  if (segment < 0 || together[w.index] || code->kernel->isLone)
    return segment;
  return isAsExpected(w, segment) ? segment : -1;
}

/// Who goes on with the warp.
NativeRunner::Next NativeRunner::runCompiled(Warp &w, int32_t segment) {
  auto left = [](uint64_t now, uint64_t end) {
    return end > now ? end - now : 0;
  };
  frame.warp = &w;
  frame.registers = w.regs;
  frame.threads = &w.tid[0][0];
  frame.executed = 0;
  frame.limit =
      std::min({left(x.warpInstructions, x.sliceEnd),
                left(x.warpInstructions, x.clockCheck),
                left(x.laneInstructions, x.laneLimit) / current->counted});
  const uint64_t answer =
      current->kernel->run(&frame, static_cast<uint64_t>(segment));
  x.warpInstructions += frame.executed;
  w.executed += frame.executed;
  x.laneInstructions += frame.executed * current->counted;
  const auto position = static_cast<uint32_t>(answer);
  const auto exit = static_cast<NativeExit>(answer >> 32);
  w.groups[0] = {position, current->lanes};
  if (exit == NativeExit::Stop || x.stop)
    return Next::Leave;
  together[w.index] = 1;
  if (exit == NativeExit::Limit) {
    const bool isOver =
        x.laneInstructions > x.laneLimit || x.warpInstructions > x.clockCheck;
    if (isOver && !withinBudget(x, w, x.code[position]))
      return Next::Leave;
    return x.warpInstructions > x.sliceEnd ? Next::Leave : Next::Compiled;
  }
  switch (x.code[position].op) {
  case Op::BAR:
    w.nGroups = 0;
    w.state = WarpState::AtBarrier;
    w.barrierIp = position;
    return Next::Leave;
  case Op::RET:
    w.nGroups = 0;
    w.live = 0;
    w.state = WarpState::Done;
    return Next::Leave;
  default:
    return Next::Interpret;
  }
}

void NativeRunner::run(Warp &w) {
  Next next = Next::Compiled;
  while (!x.stop) {
    retire(w);
    const int32_t segment = next == Next::Compiled ? segmentOf(w) : -1;
    if (segment >= 0) {
      next = runCompiled(w, segment);
      if (next == Next::Leave)
        return;
      continue;
    }
    // To the end of a basic block.
    const uint64_t end = x.sliceEnd;
    const uint64_t lanes = x.laneInstructions, warps = x.warpInstructions;
    x.sliceEnd = 0;
    interpreter.run[0](x, w);
    x.sliceEnd = end;
    // For one lane it takes about as long as for all of them.
    x.laneInstructions =
        std::max(x.laneInstructions,
                 lanes + (x.warpInstructions - warps) * interpretedLanes);
    found = NativeRegion();
    together[w.index] = 0;
    next = Next::Compiled;
    if (w.state != WarpState::Running || w.yielded || x.warpInstructions > end)
      return;
  }
}

} // namespace evo::sim
