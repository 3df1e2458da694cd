//===- Launch.cpp - Grids, blocks, barriers ---------------------*- C++ -*-===//
//
// Sets the stage of a launch (arguments, regions, register files), then runs
// block after block: every warp until it waits or ends, then the block barrier
// is released if all arrived at the same place, else it is a finding.
//
//===----------------------------------------------------------------------===//

#include "evo/Execution/Launch.h"
#include "AsyncCopy.h"
#include "Exec.h"
#include "Heap.h"
#include "ModuleState.h"
#include "Numeric.h"
#include "Race.h"
#include "evo/Execution/Coverage.h"
#include "evo/Execution/Field.h"
#include "evo/Execution/LaunchLimits.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <numeric>

namespace evo::exec {

AccessObserver::~AccessObserver() = default;

Argument Argument::f32(float value) {
  return Argument(bitsTo<uint32_t>(value), 4);
}
Argument Argument::f64(double value) {
  return Argument(bitsTo<uint64_t>(value), 8);
}
Argument Argument::byVal(const void *data, size_t size) {
  Argument a;
  a.bytes.assign(static_cast<const char *>(data),
                 static_cast<const char *>(data) + size);
  return a;
}

namespace {

uint64_t nowMicroseconds() {
  return std::chrono::duration_cast<std::chrono::microseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// Zeroed storage aligned to cache lines; large blocks stay untouched pages.
class Storage {
public:
  ~Storage() { std::free(raw); }
  Storage() = default;
  Storage(const Storage &) = delete;
  char *allocate(uint64_t bytes) {
    raw = std::calloc(bytes + 64, 1);
    if (!raw)
      return nullptr;
    return reinterpret_cast<char *>((reinterpret_cast<uintptr_t>(raw) + 63) &
                                    ~uintptr_t(63));
  }

private:
  void *raw = nullptr;
};

/// Small deterministic generator (splitmix64) for the order of execution.
uint64_t mix(uint64_t &state) {
  uint64_t z = state += 0x9e3779b97f4a7c15ull;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ z >> 27) * 0x94d049bb133111ebull;
  return z ^ z >> 31;
}

class Launcher {
public:
  Launcher(const Program &program, const LaunchParams &params,
           GlobalMemory &memory, const Options &options)
      : program(program), p(program.impl()), params(params), memory(memory),
        options(options) {}

  LaunchResult run() {
    uint64_t begin = nowMicroseconds();
    if (setUp())
      runBlocks();
    if (races && races->found && !hasDivergence())
      result.findings.insert(result.findings.begin(), *races->found);
    result.stats.laneInstructions = x.laneInstructions;
    result.stats.lastBlockInstructions = x.laneInstructions - beforeBlock;
    result.stats.warpInstructions = x.warpInstructions;
    result.stats.ghostDecisionFlips = x.flips;
    result.stats.wallMicroseconds = nowMicroseconds() - begin;
    return std::move(result);
  }

private:
  const Program &program;
  const ProgramImpl &p;
  const LaunchParams &params;
  GlobalMemory &memory;
  const Options &options;
  LaunchResult result;
  Exec x;
  const KernelCode *k = nullptr;
  std::vector<Region> shared{1}, locals{1}, args{1};
  std::vector<std::string> names[4];
  std::vector<Warp> warps;
  std::vector<std::unique_ptr<Storage>> storage;
  uint64_t hostBytes = 0;
  uint64_t beforeBlock = 0; ///< lane instructions when the last block began
  RunWarp runWarp = nullptr;
  std::unique_ptr<RaceDetector> races;
  std::unique_ptr<AsyncCopies> copies;
  std::vector<uint8_t> unwatchedEdges; ///< where nobody wants to know
  uint32_t arrivals[16]; ///< threads that passed a barrier without waiting

  bool refuse(const std::string &message,
              FindingKind kind = FindingKind::LaunchFailure) {
    Finding f;
    f.kind = kind;
    f.message = message;
    result.findings.push_back(f);
    return false;
  }

  bool hasDivergence() const {
    return llvm::any_of(result.findings, [](const Finding &f) {
      return f.kind == FindingKind::BarrierDivergence;
    });
  }

  char *allocate(uint64_t bytes) {
    hostBytes += bytes;
    if (hostBytes > options.limits.hostBytes)
      return nullptr;
    storage.push_back(std::make_unique<Storage>());
    return storage.back()->allocate(bytes);
  }

  bool checkLimits();
  bool checkArguments();
  bool setUp();
  bool setUpRegions();
  bool setUpConstants();
  bool setUpWarps();
  bool makeRegion(Region &r, uint64_t address, uint64_t bytes,
                  uint64_t instances, bool wantInit);
  void resetRegion(Region &r, uint64_t instances);
  void runBlocks();
  bool runBlock(uint64_t linear);
  bool arriveAtBarrier(Warp &w);
  void release(const std::vector<Warp *> &waiting);
  bool releaseComplete();
  void reportStuckBarrier(unsigned done);
  void reportSpin();
};

bool Launcher::checkLimits() {
  uint64_t sum = 0;
  for (const Variable &v : k->shared) {
    if (!v.reserved)
      sum = (sum + v.align - 1) / v.align * v.align + v.bytes;
  }
  x.totalShared = sum + params.dynamicSharedBytes;
  // Their sum may wrap.
  if (std::optional<std::string> why = findBadLaunch(
          params.grid, params.block,
          std::max(x.totalShared, params.dynamicSharedBytes), options.limits))
    return refuse(*why);
  return true;
}

bool Launcher::checkArguments() {
  if (params.args.size() != k->params.size())
    return refuse("kernel '" + k->name + "' takes " +
                  std::to_string(k->params.size()) + " arguments, " +
                  std::to_string(params.args.size()) + " given");
  for (size_t i = 0; i < params.args.size(); ++i) {
    const KernelParameter &want = k->params[i];
    const Argument &have = params.args[i];
    uint64_t width = want.byVal ? have.bytes.size() : have.width;
    if ((want.byVal && width != want.bytes) || (width && width != want.bytes))
      return refuse("argument " + std::to_string(i) + " ('" + want.name +
                    "') has " + std::to_string(width) + " bytes, " +
                    std::to_string(want.bytes) + " expected");
  }
  return true;
}

/// Storage and shadows of a shared, local or parameter region; `instances` is
/// the number of lanes that have their own copy.
bool Launcher::makeRegion(Region &r, uint64_t address, uint64_t bytes,
                          uint64_t instances, bool wantInit) {
  r.address = address;
  r.bytes = bytes;
  r.granuleShift = 1;
  uint64_t stride = (bytes + 63) / 64 * 64 + 64;
  if (instances > 1)
    r.laneStride = stride;
  uint64_t total = stride * instances;
  r.host = allocate(total);
  if (!r.host)
    return false;
  if (wantInit && options.checkUninitialized &&
      !(r.init = reinterpret_cast<uint8_t *>(allocate(total / 8 + 16))))
    return false;
  if (options.shadow != Shadow::None &&
      !(r.ghost = reinterpret_cast<double *>(allocate(total / 2 * 8))))
    return false;
  if (options.shadow >= Shadow::GhostAndError &&
      !(r.error = reinterpret_cast<double *>(allocate(total / 2 * 8))))
    return false;
  return true;
}

void Launcher::resetRegion(Region &r, uint64_t instances) {
  uint64_t total =
      instances > 1 ? r.laneStride * instances : (r.bytes + 7) / 8 * 8;
  for (uint64_t o = 0; o < total; o += 8)
    std::memcpy(r.host + o, &x.poison, 8);
  if (r.init)
    std::memset(r.init, 0, total / 8 + 1);
  if (r.ghost)
    std::memset(r.ghost, 0, total / 2 * 8);
  if (r.error)
    std::memset(r.error, 0, total / 2 * 8);
}

bool Launcher::setUpRegions() {
  setUpModuleGlobals(p, memory);
  memory.enableShadow(options.shadow);
  if (options.counters)
    memory.enableSectorTags();
  for (const Variable &v : k->shared) {
    shared.emplace_back();
    names[SpaceShared].resize(shared.size());
    names[SpaceShared].back() = v.name;
    if (!makeRegion(shared.back(),
                    variableAddress(SpaceShared, shared.size() - 2, v.align),
                    v.dynamic ? params.dynamicSharedBytes : v.bytes, 1, true))
      return refuse("shared memory does not fit the host budget",
                    FindingKind::BudgetExceeded);
  }
  for (const Variable &v : k->locals) {
    locals.emplace_back();
    names[SpaceLocal].resize(locals.size());
    names[SpaceLocal].back() = v.name;
    if (!makeRegion(locals.back(),
                    variableAddress(SpaceLocal, locals.size() - 2, v.align),
                    v.bytes, uint64_t(x.warps) * 32, true))
      return refuse("local memory does not fit the host budget",
                    FindingKind::BudgetExceeded);
  }
  for (size_t i = 0; i < k->params.size(); ++i) {
    args.emplace_back();
    names[SpaceParam].resize(args.size());
    names[SpaceParam].back() = k->params[i].name;
    if (!k->params[i].byVal)
      continue;
    Region &r = args.back();
    if (!makeRegion(r, regionAddress(SpaceParam, i), k->params[i].bytes, 1,
                    false))
      return refuse("parameters do not fit the host budget",
                    FindingKind::BudgetExceeded);
    std::memcpy(r.host, params.args[i].bytes.data(), k->params[i].bytes);
    r.readOnly = true;
    if (options.field) // which bytes are floats that vary nobody says
      std::fill_n(r.error, r.bytes / 2 + 1, kOpaqueBits);
  }
  names[SpaceGlobal].resize(1);
  for (unsigned i = 0; i < memory.size(); ++i) {
    names[SpaceGlobal].push_back(memory.spec(i).name);
    if (!memory.isMapped(i))
      return refuse("buffer '" + memory.spec(i).name + "' could not be mapped",
                    FindingKind::BudgetExceeded);
  }
  const std::vector<Region> *tables[] = {&memory.regions(), &shared, &locals,
                                         &args};
  static_assert(SpaceHeap == 4, "the heap follows these four");
  for (unsigned s = 0; s < 4; ++s) {
    x.tables[s] = tables[s]->data();
    x.counts[s] = tables[s]->size();
    x.names[s] = names[s].data();
  }
  x.heap = &memory.heap();
  x.heapLimit = options.limits.heapBytes;
  x.tables[SpaceHeap] = x.heap->table.data();
  x.counts[SpaceHeap] = x.heap->table.size();
  x.names[SpaceHeap] = x.heap->names.data();
  return true;
}

/// What a variable holds that was never assigned, another thing each run: as
/// zero it would pass for a sum's or a maximum's beginning. NaN spoils sums,
/// the largest numbers maxima and minima, which pass over NaN.
static uint64_t undefinedBits(FloatType type, uint64_t poison) {
  static constexpr struct {
    uint64_t nan, huge, sign;
  } floats[] = {{0x7e00, 0x7bff, 0x8000},
                {0x7fc0, 0x7f7f, 0x8000},
                {0x7fc00000, 0x7f7fffff, 0x80000000},
                {0x7ff8ull << 48, 0x7fefull << 48, 1ull << 63}};
  if (type == FT_None)
    return poison;
  const auto &f = floats[type == FT_H   ? 0
                         : type == FT_B ? 1
                         : type == FT_S ? 2
                                        : 3];
  if (poison & 1)
    return f.nan;
  return poison & 2 ? f.huge : f.huge | f.sign;
}

bool Launcher::setUpConstants() {
  const uint64_t units = k->constantUnits + 2;
  char *data = allocate(units * 128);
  char *ghost = options.shadow != Shadow::None ? allocate(units * 512) : data;
  char *error =
      options.shadow >= Shadow::GhostAndError ? allocate(units * 512) : data;
  if (!data || !ghost || !error)
    return refuse("constants do not fit the host budget",
                  FindingKind::BudgetExceeded);
  x.constants = data + (units - 1) * 128;
  if (options.shadow != Shadow::None)
    x.constantGhost = reinterpret_cast<double *>(ghost + (units - 1) * 512);
  if (options.shadow >= Shadow::GhostAndError)
    x.constantError = reinterpret_cast<double *>(error + (units - 1) * 512);
  const unsigned globals = memory.moduleGlobals(p.serial);
  for (size_t c = 0; c < k->constants.size(); ++c) {
    const Constant &v = k->constants[c];
    uint64_t bits = v.bits;
    switch (v.kind) {
    case Constant::Bits:
      break;
    case Constant::Arg: {
      unsigned bytes = k->params[v.index].bytes;
      bits = params.args[v.index].bits;
      if (bytes < 8)
        bits &= (1ull << 8 * bytes) - 1;
      break;
    }
    case Constant::GlobalAddress:
      bits += memory.address(globals + v.index);
      break;
    case Constant::ParamAddress:
      bits += regionAddress(SpaceParam, v.index);
      break;
    case Constant::Undefined:
      // Shadows follow a program that is right; what has none is being judged.
      bits = options.shadow == Shadow::None
                 ? undefinedBits(v.floatType, options.poison) & v.bits
                 : 0;
      break;
    }
    char *at = x.constants + static_cast<ptrdiff_t>(k->constantUnit[c]) * 128;
    double value = 0;
    switch (v.floatType) {
    case FT_H:
      value = halfToFloat(bits);
      break;
    case FT_B:
      value = bfloatToFloat(bits);
      break;
    case FT_S:
      value = bitsTo<float>(static_cast<uint32_t>(bits));
      break;
    case FT_D:
      value = bitsTo<double>(bits);
      break;
    case FT_None:
      break;
    }
    uint64_t handle = Field::kLiteral;
    if (options.field && v.floatType != FT_None) {
      const ElementKind type = fieldType(v.floatType);
      FieldValue meant = v.kind == Constant::Arg
                             ? options.field->scalar(value)
                             : options.field->literal(value, type);
      meant.type = type;
      handle = options.field->store(meant);
    }
    for (unsigned l = 0; l < 32; ++l) {
      if (handle)
        std::memcpy(x.constantError +
                        static_cast<ptrdiff_t>(k->constantUnit[c]) * 64 + l,
                    &handle, 8);
      if (v.wide)
        std::memcpy(at + 8 * l, &bits, 8);
      else
        std::memcpy(at + 4 * l, &bits, 4);
      if (x.constantGhost && v.floatType != FT_None)
        x.constantGhost[static_cast<ptrdiff_t>(k->constantUnit[c]) * 64 + l] =
            value;
    }
  }
  return true;
}

bool Launcher::setUpWarps() {
  warps.resize(x.warps);
  const uint64_t units = k->registerUnits + 1;
  for (unsigned i = 0; i < x.warps; ++i) {
    Warp &w = warps[i];
    w.index = i;
    w.regs = allocate(units * 128);
    if (options.shadow != Shadow::None)
      w.ghost = reinterpret_cast<double *>(allocate(units * 512));
    if (options.shadow >= Shadow::GhostAndError)
      w.error = reinterpret_cast<double *>(allocate(units * 512));
    if (!w.regs || (options.shadow != Shadow::None && !w.ghost) ||
        (options.shadow >= Shadow::GhostAndError && !w.error))
      return refuse("register files do not fit the host budget",
                    FindingKind::BudgetExceeded);
    w.existing = 0;
    for (unsigned l = 0; l < 32; ++l) {
      uint32_t t = i * 32 + l;
      w.tid[0][l] = t % x.block[0];
      w.tid[1][l] = t / x.block[0] % x.block[1];
      w.tid[2][l] = t / x.block[0] / x.block[1];
      if (t < x.threads)
        w.existing |= 1u << l;
    }
  }
  return true;
}

bool Launcher::setUp() {
  auto it = p.kernels.find(params.kernel);
  if (it == p.kernels.end())
    return refuse("no kernel named '" + params.kernel + "'");
  k = &it->second;
  if ((options.shadow == Shadow::GhostAndField) != (options.field != nullptr))
    return refuse("field values need both the mode and an arena");
  if (!checkLimits() || !checkArguments())
    return false;
  x.k = k;
  x.code = k->code.data();
  if (options.coverage) {
    x.taken = options.coverage->edges(program, params.kernel).data();
  } else {
    unwatchedEdges.resize(k->edges.size() + 1);
    x.taken = unwatchedEdges.data();
  }
  const Dim3 *dims[] = {&params.grid, &params.block};
  uint32_t *out[] = {x.grid, x.block};
  for (int d : {0, 1}) {
    out[d][0] = dims[d]->x;
    out[d][1] = dims[d]->y;
    out[d][2] = dims[d]->z;
  }
  x.threads = x.block[0] * x.block[1] * x.block[2];
  x.warps = (x.threads + 31) / 32;
  x.dynamicShared = params.dynamicSharedBytes;
  x.shadow = static_cast<int>(options.shadow);
  x.checkUninit = options.checkUninitialized;
  x.stopAtFirst = options.stopAtFirstFinding;
  x.maxFindings = options.maxFindings;
  x.poison = options.poison;
  x.laneLimit = options.limits.laneInstructions;
  x.clockCheck = kClockInterval;
  if (options.limits.wallMilliseconds != ~0ull)
    x.deadline = nowMicroseconds() + options.limits.wallMilliseconds * 1000;
  x.counters = options.counters;
  x.observer = options.observer;
  if (options.detectRaces) {
    races = std::make_unique<RaceDetector>(x);
    x.races = races.get();
  }
  x.watched = x.observer || x.races;
  if (llvm::any_of(k->code, [](const Inst &i) { return i.op == Op::CPASYNC; }))
    copies = std::make_unique<AsyncCopies>(x.warps);
  x.copies = copies.get();
  x.field = options.field;
  x.findings = &result.findings;
  bool avx2 = !options.forceBaseline && __builtin_cpu_supports("avx2") &&
              __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c");
  const InterpreterTable &t = avx2 ? avx2Interpreter() : baselineInterpreter();
  runWarp = t.run[x.shadow];
  return setUpRegions() && setUpConstants() && setUpWarps();
}

/// Notes at which barrier a warp has arrived; false (and a finding) where its
/// lanes disagree or the barrier cannot be.
bool Launcher::arriveAtBarrier(Warp &w) {
  const Inst &i = x.code[w.barrierIp];
  auto uniform = [&](int32_t u, uint32_t &value) {
    if (u == kNone)
      return true;
    const uint32_t *lanes = reg<uint32_t>(x, w, u);
    value = lanes[__builtin_ctz(w.live)];
    for (unsigned l = 0; l < 32; ++l)
      if ((w.live >> l & 1) && lanes[l] != value)
        return false;
    return true;
  };
  w.barrierId = w.barrierThreads = 0;
  std::string problem;
  if (!uniform(i.b, w.barrierId) || !uniform(i.c, w.barrierThreads))
    problem = "lanes of one warp name different barriers";
  else if (w.barrierId > 15)
    problem = "there are barriers 0 to 15, not " + std::to_string(w.barrierId);
  else if (i.c != kNone && (w.barrierThreads == 0 || w.barrierThreads % 32))
    problem = "a barrier waits for a multiple of 32 threads, not " +
              std::to_string(w.barrierThreads);
  if (!problem.empty()) {
    report(x, w, __builtin_ctz(w.live), i, FindingKind::BarrierDivergence,
           problem);
    x.stop = true;
    return false;
  }
  if (i.sub != static_cast<uint8_t>(BarKind::Arrive))
    return true;
  arrivals[w.barrierId] += 32;
  if (x.races)
    x.races->barrierArrive(w, w.barrierId);
  w.state = WarpState::Running;
  w.groups[0] = {w.barrierIp + 1, w.live};
  w.nGroups = 1;
  return true;
}

/// These warps wait at a barrier, and nobody else has to come: combine their
/// predicates and let them go on.
void Launcher::release(const std::vector<Warp *> &waiting) {
  uint32_t count = 0, threads = 0;
  for (Warp *w : waiting) {
    const int32_t predicate = x.code[w->barrierIp].a;
    threads += __builtin_popcount(w->live);
    if (predicate == kNone)
      continue;
    for (unsigned l = 0; l < 32; ++l)
      if (w->live >> l & 1)
        count += reg<uint32_t>(x, *w, predicate)[l] & 1;
  }
  uint32_t mask = 0;
  for (Warp *w : waiting) {
    const Inst &i = x.code[w->barrierIp];
    uint32_t v = count;
    if (i.sub == static_cast<uint8_t>(BarKind::And))
      v = count == threads;
    else if (i.sub == static_cast<uint8_t>(BarKind::Or))
      v = count != 0;
    if (i.dst != kNone)
      for (unsigned l = 0; l < 32; ++l)
        if (w->live >> l & 1)
          reg<uint32_t>(x, *w, i.dst)[l] = v;
    mask |= 1u << w->index;
    w->state = WarpState::Running;
    w->groups[0] = {w->barrierIp + 1, w->live};
    w->nGroups = 1;
  }
  const bool all = waiting.size() == warps.size();
  if (x.observer && all)
    x.observer->order(AccessObserver::Order::BlockBarrier, 0, ~0u);
  if (x.races)
    x.races->barrier(all ? ~0u : mask, waiting.front()->barrierId);
  arrivals[waiting.front()->barrierId] = 0;
}

/// Releases the warps of each barrier that has all the threads it waits for.
bool Launcher::releaseComplete() {
  bool released = false;
  for (uint32_t id = 0; id < 16; ++id) {
    std::vector<Warp *> waiting;
    uint32_t wanted = 0;
    for (Warp &w : warps)
      if (w.state == WarpState::AtBarrier && w.barrierId == id) {
        waiting.push_back(&w);
        wanted = std::max(wanted, w.barrierThreads);
      }
    if (waiting.empty())
      continue;
    const bool whole = llvm::all_of(waiting, [&](const Warp *w) {
      return w->barrierThreads == 0 &&
             w->barrierIp == waiting.front()->barrierIp;
    });
    const bool counted = llvm::all_of(
        waiting, [&](const Warp *w) { return w->barrierThreads == wanted; });
    if (whole ? waiting.size() == warps.size()
              : counted && wanted &&
                    waiting.size() * 32 + arrivals[id] == wanted) {
      release(waiting);
      released = true;
    }
  }
  return released;
}

/// No warp can go on: says which barrier waits for whom.
void Launcher::reportStuckBarrier(unsigned done) {
  const Warp *first = nullptr, *other = nullptr;
  uint64_t there = 0;
  for (const Warp &w : warps) {
    if (w.state != WarpState::AtBarrier)
      continue;
    if (!first)
      first = &w;
    else if (w.barrierIp != first->barrierIp || w.barrierId != first->barrierId)
      other = &w;
    there += w.barrierId == first->barrierId ? 32 : 0;
  }
  const Inst &i = x.code[first->barrierIp];
  std::string message;
  if (first->barrierThreads) {
    message = "barrier " + std::to_string(first->barrierId) + " waits for " +
              std::to_string(first->barrierThreads) + " threads, " +
              std::to_string(there + arrivals[first->barrierId]) + " arrived";
  } else if (done) {
    message = "block barrier waits for " + std::to_string(done) +
              " warps that have exited";
  } else {
    const SourceLoc &l = k->locations[other ? x.code[other->barrierIp].loc : 0];
    message = "warps " + std::to_string(first->index) + " and " +
              std::to_string(other ? other->index : first->index) +
              " wait at different block barriers" +
              (l.line ? " (the other at " + l.str() + ")" : "");
  }
  report(x, *first, __builtin_ctz(first->live), i,
         FindingKind::BarrierDivergence, message);
  x.stop = true;
}

/// All warps that could run wait in loops, and have done so for long.
void Launcher::reportSpin() {
  for (const Warp &w : warps) {
    if (w.state != WarpState::Running)
      continue;
    const Inst *i = nullptr;
    bool global = false;
    for (const Warp::Poll &poll : w.polls)
      if (poll.inst) {
        i = poll.inst;
        global |= poll.global;
      }
    const bool alone =
        !global || uint64_t(x.grid[0]) * x.grid[1] * x.grid[2] == 1;
    report(x, w, __builtin_ctz(w.live), i ? *i : x.code[w.groups[0].ip],
           alone ? FindingKind::BudgetExceeded : FindingKind::WaitsForBlock,
           alone ? "waits in a loop for a value that no thread will write"
                 : "waits in a loop for another block, which may not run "
                   "before this one ends; blocks are executed one by one");
    break;
  }
  x.stop = true;
}

bool Launcher::runBlock(uint64_t linear) {
  x.ctaid[0] = linear % x.grid[0];
  x.ctaid[1] = linear / x.grid[0] % x.grid[1];
  x.ctaid[2] = linear / x.grid[0] / x.grid[1];
  ++x.blockEpoch;
  for (size_t i = 1; i < shared.size(); ++i)
    resetRegion(shared[i], 1);
  for (size_t i = 1; i < locals.size(); ++i)
    resetRegion(locals[i], uint64_t(x.warps) * 32);
  if (x.observer)
    x.observer->order(AccessObserver::Order::BlockStart, 0, ~0u);
  if (x.races)
    x.races->blockStart();
  if (copies)
    copies->reset();
  std::vector<unsigned> order(x.warps);
  std::iota(order.begin(), order.end(), 0u);
  uint64_t seed = params.warpOrderSeed ^ (linear << 20);
  for (Warp &w : warps) {
    w.live = w.existing;
    w.state = WarpState::Running;
    w.groups[0] = {0, w.existing};
    w.nGroups = 1;
    w.nWaiting = 0;
    w.executed = 0;
    w.unchanged = 0;
    w.largestFirst = false;
    std::fill(std::begin(w.polls), std::end(w.polls), Warp::Poll());
    if (!params.warps.empty() && !llvm::is_contained(params.warps, w.index))
      w.state = WarpState::Done;
  }
  std::fill(std::begin(arrivals), std::end(arrivals), 0u);
  unsigned stale = 0;
  for (;;) {
    if (params.warpOrderSeed)
      for (unsigned n = x.warps; n > 1; --n)
        std::swap(order[n - 1], order[mix(seed) % n]);
    unsigned running = 0, waiting = 0, done = 0;
    bool progress = false;
    for (unsigned n : order) {
      Warp &w = warps[n];
      if (w.state == WarpState::Running) {
        x.sliceEnd = x.warps > 1 ? x.warpInstructions + kSlice : ~0ull;
        w.yielded = false;
        runWarp(x, w);
        if (x.stop || (w.state == WarpState::AtBarrier && !arriveAtBarrier(w)))
          return false;
        progress |= !w.yielded;
        w.largestFirst &= w.yielded;
      }
      running += w.state == WarpState::Running;
      waiting += w.state == WarpState::AtBarrier;
      done += w.state == WarpState::Done;
    }
    progress |= waiting && releaseComplete();
    if (progress)
      stale = 0;
    if (running && !progress && ++stale > kStaleRounds) {
      reportSpin();
      return false;
    }
    if (running || progress)
      continue;
    if (!waiting)
      break;
    reportStuckBarrier(done);
    return false;
  }
  if (x.observer)
    x.observer->order(AccessObserver::Order::BlockEnd, 0, ~0u);
  if (Counters *c = options.counters) {
    ++c->blocks;
    c->warps += x.warps;
    for (const Warp &w : warps)
      c->longestWarp = std::max(c->longestWarp, w.executed);
  }
  ++result.stats.blocksRun;
  return true;
}

void Launcher::runBlocks() {
  const uint64_t all = uint64_t(x.grid[0]) * x.grid[1] * x.grid[2];
  const uint64_t n = params.blocks.empty() ? all : params.blocks.size();
  // A permutation that needs no memory: multiples of a step coprime to n.
  uint64_t step = 1, start = 0;
  if (params.blockOrderSeed && n > 1) {
    uint64_t seed = params.blockOrderSeed;
    start = mix(seed) % n;
    do
      step = mix(seed) % n | 1;
    while (std::gcd(step, n) != 1);
  }
  for (uint64_t j = 0; j < n && !x.stop; ++j) {
    uint64_t at = static_cast<uint64_t>(
        (static_cast<unsigned __int128>(j) * step + start) % n);
    uint64_t linear = params.blocks.empty() ? at : params.blocks[at];
    if (linear >= all) {
      refuse("block " + std::to_string(linear) + " is not in the grid");
      return;
    }
    beforeBlock = x.laneInstructions;
    if (!runBlock(linear))
      return;
  }
}

} // namespace

LaunchResult launch(const Program &program, const LaunchParams &params,
                    GlobalMemory &memory, const Options &options) {
  return Launcher(program, params, memory, options).run();
}

} // namespace evo::exec
