// Arguments, memory, registers.
#include "Launcher.h"
#include "Simulator/IR/Numeric.h"
#include "Simulator/Memory/Heap.h"
#include "Simulator/Memory/ModuleState.h"
#include "evo/Simulator/Coverage.h"
#include "evo/Simulator/Field.h"
#include "evo/Simulator/LaunchLimits.h"
#include <algorithm>
#include <cstring>

namespace evo::sim {

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
  r.place = address >> 60 == SpaceShared  ? MemoryPlace::Shared
            : address >> 60 == SpaceLocal ? MemoryPlace::Local
                                          : MemoryPlace::Parameter;
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
      !(r.shadowValue = reinterpret_cast<double *>(allocate(total / 2 * 8))))
    return false;
  if (options.shadow >= Shadow::ValueAndError &&
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
  if (r.shadowValue)
    std::memset(r.shadowValue, 0, total / 2 * 8);
  if (r.error)
    std::memset(r.error, 0, total / 2 * 8);
}

bool Launcher::setUpBlockMemory() {
  for (const Variable &v : k->shared) {
    shared.emplace_back();
    if (!makeRegion(shared.back(),
                    variableAddress(SpaceShared, shared.size() - 2, v.align),
                    v.dynamic ? params.dynamicSharedBytes : v.bytes, 1, true))
      return refuse("shared memory does not fit the host budget",
                    FindingKind::BudgetExceeded);
  }
  for (const Variable &v : k->locals) {
    locals.emplace_back();
    if (!makeRegion(locals.back(),
                    variableAddress(SpaceLocal, locals.size() - 2, v.align),
                    v.bytes, uint64_t(x.warps) * warpSize, true))
      return refuse("local memory does not fit the host budget",
                    FindingKind::BudgetExceeded);
  }
  return true;
}

bool Launcher::setUpRegions() {
  setUpModuleGlobals(p, memory);
  memory.enableShadow(options.shadow);
  if (options.counters)
    memory.enableSectorTags();
  if (!setUpBlockMemory())
    return false;
  for (auto [space, variables] : {std::pair(SpaceShared, &k->shared),
                                  std::pair(SpaceLocal, &k->locals)}) {
    names[space].resize(1);
    for (const Variable &v : *variables)
      names[space].push_back(v.name);
  }
  for (size_t i = 0; i < k->params.size(); ++i) {
    args.emplace_back();
    names[SpaceParam].resize(args.size());
    names[SpaceParam].back() = k->params[i].name;
    if (!k->params[i].byVal)
      continue;
    Region &r = args.back();
    if (!makeRegion(r, variableAddress(SpaceParam, i, k->params[i].align),
                    k->params[i].bytes, 1, false))
      return refuse("parameters do not fit the host budget",
                    FindingKind::BudgetExceeded);
    std::memcpy(r.host, params.args[i].bytes.data(), k->params[i].bytes);
    r.readOnly = true;
    if (options.field) // which bytes are floats that vary nobody says
      std::fill_n(r.error, r.bytes / 2 + 1, opaqueBits);
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

bool Launcher::setUpConstants() {
  const uint64_t units = k->constantUnits + 2;
  char *data = allocate(units * unitBytes);
  char *shadowValue =
      options.shadow != Shadow::None ? allocate(units * 512) : data;
  char *error =
      options.shadow >= Shadow::ValueAndError ? allocate(units * 512) : data;
  if (!data || !shadowValue || !error)
    return refuse("constants do not fit the host budget",
                  FindingKind::BudgetExceeded);
  x.constants = data + (units - 1) * unitBytes;
  if (options.shadow != Shadow::None)
    x.constantShadowValue =
        reinterpret_cast<double *>(shadowValue + (units - 1) * 512);
  if (options.shadow >= Shadow::ValueAndError)
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
      bits += variableAddress(SpaceParam, v.index, k->params[v.index].align);
      break;
    case Constant::Undefined:
      // Shadows follow a program that is right; what has none is being judged.
      bits = options.shadow == Shadow::None
                 ? undefinedBits(v.floatType, options.poison) & v.bits
                 : 0;
      break;
    }
    char *at =
        x.constants + static_cast<ptrdiff_t>(k->constantUnit[c]) * unitBytes;
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
    uint64_t handle = Field::literalHandle;
    if (options.field && v.floatType != FT_None) {
      const ElementKind type = fieldType(v.floatType);
      FieldValue meant = v.kind == Constant::Arg
                             ? options.field->scalar(value)
                             : options.field->literal(value, type);
      meant.type = type;
      handle = options.field->store(meant);
    }
    for (unsigned l = 0; l < warpSize; ++l) {
      if (handle)
        std::memcpy(x.constantError +
                        static_cast<ptrdiff_t>(k->constantUnit[c]) *
                            unitShadowValues +
                        l,
                    &handle, 8);
      if (v.wide)
        std::memcpy(at + 8 * l, &bits, 8);
      else
        std::memcpy(at + 4 * l, &bits, 4);
      if (x.constantShadowValue && v.floatType != FT_None)
        x.constantShadowValue[static_cast<ptrdiff_t>(k->constantUnit[c]) *
                                  unitShadowValues +
                              l] = v.floatType == FT_D ? 0 : value;
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
    w.regs = allocate(units * unitBytes);
    if (options.shadow != Shadow::None)
      w.shadowValue = reinterpret_cast<double *>(allocate(units * 512));
    if (options.shadow >= Shadow::ValueAndError)
      w.error = reinterpret_cast<double *>(allocate(units * 512));
    if (!w.regs || (options.shadow != Shadow::None && !w.shadowValue) ||
        (options.shadow >= Shadow::ValueAndError && !w.error))
      return refuse("register files do not fit the host budget",
                    FindingKind::BudgetExceeded);
    w.existing = 0;
    for (unsigned l = 0; l < warpSize; ++l) {
      uint32_t t = i * warpSize + l;
      w.tid[0][l] = t % x.block[0];
      w.tid[1][l] = t / x.block[0] % x.block[1];
      w.tid[2][l] = t / x.block[0] / x.block[1];
      if (t < x.threads && t == params.thread.value_or(t))
        w.existing |= laneBit(l);
    }
  }
  return true;
}

/// Compiled code has no shadows, and nobody hears what it does.
bool Launcher::setUpNative(const InterpreterTable &interpreter) {
  const NativeKernel *compiled = options.native;
  // What it keeps is of one block, which then has to end before the next.
  if (!compiled || options.schedule)
    return true;
  if (compiled->code != k ||
      !std::equal(x.block, x.block + 3, compiled->block) || x.shadow ||
      x.counters || x.watched || options.coverage || x.wrapsWatched ||
      !x.stopAtFirst)
    // unreachable: the fast path compiles for the launch at hand
    return refuse("code that was compiled for other launches");
  native = std::make_unique<NativeRunner>(*compiled, x, interpreter);
  return true;
}

bool Launcher::setUp() {
  auto it = p.kernels.find(params.kernel);
  if (it == p.kernels.end())
    return refuse("no kernel named '" + params.kernel + "'");
  k = &it->second;
  if ((options.shadow == Shadow::ValueAndField) != (options.field != nullptr))
    return refuse("field values need both the mode and an arena");
  if ((options.shadow == Shadow::ValueAndTerms) != (options.terms != nullptr))
    // unreachable: whoever asks for terms brings an arena
    return refuse("terms need both the mode and an arena");
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
  x.warps = (x.threads + warpSize - 1) / warpSize;
  if (options.coverage && options.detectRaces) {
    rounds.emplace(program, params.kernel,
                   options.coverage->rounds(program, params.kernel), x.warps);
    x.rounds = rounds->anyLoops() ? &*rounds : nullptr;
  }
  x.dynamicShared = params.dynamicSharedBytes;
  // Terms travel as field values do.
  x.shadow = std::min(static_cast<int>(options.shadow), 3);
  x.multiplyUnit = options.multiplyUnit;
  x.accumulateUnit = options.accumulateUnit;
  x.checkUninit = options.checkUninitialized;
  x.stopAtFirst = options.stopAtFirstFinding;
  if (options.detectSignedWraps)
    x.wrapsWatched |= subNoSignedWrap;
  if (options.detectDataWraps)
    x.wrapsWatched |= subNoSignedWrap | subSignedData;
  if (options.detectIndexWraps)
    x.wrapsWatched |= subNoSignedWrap | subSignedIndex | subUnsignedIndex;
  x.noteOverflows = options.noteOverflows;
  x.maxFindings = options.maxFindings;
  x.poison = options.poison;
  x.laneLimit = options.limits.laneInstructions;
  x.warpLimit = options.limits.warpInstructions;
  x.separateAccess = options.limits.separateAccess;
  x.clockCheck = clockInterval;
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
  x.terms = options.terms;
  x.findings = &result.findings;
  bool avx2 = !options.forceBaseline && __builtin_cpu_supports("avx2") &&
              __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c");
  const InterpreterTable &t = avx2 ? avx2Interpreter() : baselineInterpreter();
  runWarp = t.run[x.shadow];
  return setUpRegions() && setUpConstants() && setUpWarps() && setUpNative(t) &&
         setUpTurns();
}

} // namespace evo::sim
