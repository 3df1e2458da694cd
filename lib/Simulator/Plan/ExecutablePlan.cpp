// Decoding and running of launch plans.
#include "evo/Simulator/Plan/ExecutablePlan.h"
#include "EncodeScalar.h"
#include "evo/Analysis/AddressControl.h"
#include "evo/Analysis/DataAddresses.h"
#include "evo/Analysis/FloatControl.h"
#include "evo/Analysis/KeptFloats.h"
#include "evo/Analysis/SharedAlignment.h"
#include "evo/DeviceOps/DeviceOps.h"
#include "evo/Simulator/ExpandVectors.h"
#include "evo/Simulator/LastRounds.h"
#include "evo/Simulator/LaunchLimits.h"
#include "evo/Simulator/Locations.h"
#include "evo/Simulator/StoreSlice.h"
#include "evo/Target/TargetInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace mlir;
using namespace evo;

unsigned evo::getElementBytes(Type type) {
  return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
}

exec::ElementKind evo::getElementKind(Type type) {
  if (type.isF16())
    return exec::ElementKind::F16;
  if (type.isBF16())
    return exec::ElementKind::BF16;
  if (type.isF32())
    return exec::ElementKind::F32;
  if (type.isF64())
    return exec::ElementKind::F64;
  return isa<IntegerType>(type) ? exec::ElementKind::Int
                                : exec::ElementKind::Bytes;
}

/// What the literal of an instruction says about sizes. A mask of low bits is a
/// remainder, one of higher bits picks a field of a number: where it begins is
/// a boundary, the mask is none.
static llvm::APInt boundaryOf(const llvm::Instruction &inst,
                              const llvm::APInt &literal) {
  if (inst.getOpcode() != llvm::Instruction::And || !literal.isShiftedMask() ||
      literal.isMask())
    return literal;
  return llvm::APInt::getOneBitSet(literal.getBitWidth(),
                                   literal.countr_zero());
}

/// Literals in device code between 2 and 4096: tile sizes, thresholds, shifts
/// are where behaviour changes.
static void collectConstants(const llvm::Module &module,
                             std::vector<int64_t> &constants) {
  for (const llvm::Function &function : module)
    for (const llvm::Instruction &inst : llvm::instructions(function)) {
      // The lower of a size and a literal is a call.
      auto *call = dyn_cast<llvm::CallBase>(&inst);
      const bool isFunction =
          call && call->doesNotAccessMemory() && !call->isConvergent();
      if (!isa<llvm::ICmpInst, llvm::BinaryOperator>(inst) && !isFunction)
        continue;
      for (const llvm::Use &use : inst.operands())
        if (auto *literal = dyn_cast<llvm::ConstantInt>(use)) {
          llvm::APInt value = boundaryOf(inst, literal->getValue());
          if (value.getBitWidth() <= 64 && value.sgt(1) && value.slt(4097))
            constants.push_back(value.getSExtValue());
        }
    }
}

static void collectFromText(StringRef text, std::vector<int64_t> &constants) {
  while (!text.empty()) {
    text = text.drop_until([](char c) { return isdigit(c); });
    StringRef digits = text.take_while([](char c) { return isdigit(c); });
    int64_t value;
    if (!digits.empty() && !digits.getAsInteger(10, value) && value > 1)
      constants.push_back(value);
    text = text.drop_front(digits.size());
  }
}

/// Extents in an attribute, such as "32,4"; those that are missing are 1.
static std::optional<exec::Dim3> readExtents(const llvm::Function &function,
                                             device::LaunchAttribute which) {
  StringRef attribute = getName(which);
  if (!function.hasFnAttribute(attribute))
    return std::nullopt;
  SmallVector<StringRef, 3> texts;
  function.getFnAttribute(attribute).getValueAsString().split(texts, ',');
  uint64_t extents[3] = {1, 1, 1};
  for (size_t i = 0; i < std::min<size_t>(3, texts.size()); ++i)
    if (texts[i].trim().getAsInteger(10, extents[i]))
      return std::nullopt;
  return exec::Dim3{extents[0], extents[1], extents[2]};
}

static std::string print(exec::Dim3 extents) {
  return "(" + std::to_string(extents.x) + ", " + std::to_string(extents.y) +
         ", " + std::to_string(extents.z) + ")";
}

llvm::Expected<ExecutablePlan>
ExecutablePlan::create(LaunchPlanOpInterface plan,
                       ArrayRef<DeviceModule> modules, Form form) {
  ExecutablePlan result;
  llvm::StringMap<unsigned> byName;
  const bool isChain =
      llvm::hasNItemsOrMore(plan.getBody().getOps<LaunchOp>(), 2);
  for (const DeviceModule &module : modules) {
    std::unique_ptr<llvm::Module> copy =
        llvm::CloneModule(form == Form::PreOptimisation ? *module.unoptimized
                                                        : *module.optimized);
    expandVectorIntrinsics(*copy);
    if (llvm::Error error = exec::prepareForExecution(
            *copy, form == Form::PreOptimisation ? exec::Prepare::DetectorsForm
                                                 : exec::Prepare::AsIs))
      return std::move(error);
    if (form == Form::PreOptimisation) // as code generation will place them
      raiseSharedAlignment(*copy);
    if (form == Form::PreOptimisation)
      for (const llvm::Function &function : *copy)
        if (function.getCallingConv() == llvm::CallingConv::PTX_Kernel)
          result.conditions.push_back(collectConditions(function));
    collectConstants(*copy, result.constants);
    result.literals.append(collectLiterals(*copy));
    llvm::append_range(result.floatControl, exec::findFloatControl(*copy));
    llvm::append_range(result.addressControl, exec::findAddressControl(*copy));
    if (form == Form::PreOptimisation)
      result.narrowCounts |= exec::findNarrowCounts(*copy);
    result.addsUpFloats |= exec::keepsFloats(*copy);
    result.placesFromData |= exec::takesPlacesFromData(*copy);
    auto program = exec::Program::decode(*copy);
    if (!program)
      return program.takeError();
    byName[module.name] = result.programs.size();
    result.programs.push_back(std::move(*program));
    if (form != Form::PostOptimisation) {
      result.lastRounds.push_back(result.programs.back());
      if (auto skipped = exec::copyWithLastRounds(*copy)) {
        auto last = exec::Program::decode(*skipped);
        if (!last)
          // unreachable: it has nothing but arithmetic besides
          return last.takeError();
        result.lastRounds.back() = std::move(*last);
      }
    }
    // Of one launch what was shipped alone is asked where it stores.
    if (!isChain && form != Form::PostOptimisation)
      continue;
    exec::keepWhatPlacesStores(*copy);
    auto slice = exec::Program::decode(*copy);
    if (!slice)
      // unreachable: it has nothing that the whole does not have
      return slice.takeError();
    result.storeSlices.push_back(std::move(*slice));
  }
  for (Operation &op : plan.getBody().front()) {
    if (auto scratch = dyn_cast<ScratchOp>(op)) {
      Scratch entry{scratch.getName().str(), scratch.getElementType(), {}};
      for (auto dim : scratch.getDims().getAsRange<ExprAttr>())
        entry.dims.push_back(dim.getValue());
      result.scratches.push_back(std::move(entry));
    }
    auto launch = dyn_cast<LaunchOp>(op);
    if (!launch)
      continue;
    auto module = byName.find(launch.getCallee().getRootReference());
    if (module == byName.end())
      // unreachable: an evo.launch names a gpu.module of its plan
      return llvm::createStringError("launch of a module without device code");
    Launch entry;
    entry.program = module->second;
    entry.kernel = launch.getCallee().getLeafReference().str();
    const DeviceModule &code = modules[entry.program];
    if (const llvm::Function *function =
            (form == Form::PreOptimisation ? code.unoptimized : code.optimized)
                ->getFunction(entry.kernel)) {
      entry.requiredBlock =
          readExtents(*function, device::LaunchAttribute::RequiredBlock);
      entry.largestBlock =
          readExtents(*function, device::LaunchAttribute::LargestBlock);
    }
    for (auto [extents, exprs] : {std::pair(&entry.grid, launch.getGrid()),
                                  std::pair(&entry.block, launch.getBlock())})
      for (auto expr : exprs.getAsRange<ExprAttr>()) {
        extents->push_back(expr.getValue());
        collectFromText(expr.getText(), result.constants);
      }
    if (launch.getShared())
      entry.shared = launch.getShared()->getValue();
    KernelOp kernelOp = plan.getKernel();
    for (ExprAttr arg : launch.getLoweredArgs()) {
      const IntExpr &expr = arg.getValue();
      StringRef name = expr.getAsName();
      ArgumentAttr argument = kernelOp.lookupArgument(name);
      bool isScratch = llvm::any_of(
          result.scratches, [&](const Scratch &s) { return s.name == name; });
      bool byIdentity =
          isScratch ||
          (argument && (argument.isBuffer() ||
                        !isa<IntegerType>(argument.getElementType())));
      if (byIdentity)
        entry.args.push_back({name.str(), std::nullopt,
                              argument ? argument.getElementType() : Type()});
      else
        entry.args.push_back({"", expr, Type()});
    }
    result.launches.push_back(std::move(entry));
  }
  result.nameLiterals();
  return result;
}

LaunchFormulas ExecutablePlan::getFormulas(size_t index) const {
  const Launch &launch = launches[index];
  LaunchFormulas result;
  result.kernel = launch.kernel;
  result.grid.assign(launch.grid.begin(), launch.grid.end());
  result.block.assign(launch.block.begin(), launch.block.end());
  for (const Launch::Argument &argument : launch.args) {
    result.names.push_back(argument.name);
    result.arguments.push_back(argument.expr);
  }
  return result;
}

/// Which dimensions and scalars the literals of kernels' arguments belong to.
void ExecutablePlan::nameLiterals() {
  Literals named;
  for (const Literals::OfArgument &literal : literals.ofArguments) {
    bool isNamed = false, isOther = false;
    for (const Launch &launch : launches) {
      if (launch.kernel != literal.kernel ||
          literal.argument >= launch.args.size())
        continue;
      const auto &expr = launch.args[literal.argument].expr;
      StringRef name = expr ? expr->getAsName() : "";
      (name.empty() ? isOther : isNamed) = true;
      if (!name.empty())
        named.ofNames.emplace_back(name, literal.value);
    }
    if (isOther || !isNamed)
      named.ofAnySize.push_back(literal.value);
  }
  literals.append(named);
}

bool ExecutablePlan::launchesBlocks(const Bindings &sizes) const {
  for (const Launch &launch : launches)
    for (const IntExpr &extent : launch.grid) {
      llvm::Expected<int64_t> value = extent.evaluate(sizes);
      if (!value)
        return llvm::consumeError(value.takeError()), false;
      if (*value == 0)
        return false;
    }
  return true;
}

bool ExecutablePlan::mayWrite(size_t index, StringRef buffer) const {
  const Launch &launch = launches[index];
  const std::vector<exec::KernelParameter> parameters =
      programs[launch.program]->parameters(launch.kernel);
  for (auto [position, argument] : llvm::enumerate(launch.args))
    if (argument.name == buffer &&
        (position >= parameters.size() || !parameters[position].isReadOnly))
      return true;
  return false;
}

std::optional<size_t> ExecutablePlan::findOnlyWriter(
    llvm::function_ref<bool(StringRef)> isWritten) const {
  if (launches.size() == 1)
    return 0;
  std::optional<size_t> only;
  if (keepsState())
    return only;
  for (auto [index, launch] : llvm::enumerate(launches)) {
    auto writes = [&](const Launch::Argument &arg) {
      return isWritten(arg.name) ||
             llvm::any_of(scratches,
                          [&](const Scratch &s) { return s.name == arg.name; });
    };
    if (llvm::none_of(launch.args, writes))
      continue;
    if (only)
      return std::nullopt;
    only = index;
  }
  return only;
}

uint64_t ExecutablePlan::countThreads(const Bindings &sizes) const {
  double total = 0;
  for (const Launch &launch : launches) {
    double threads = 1;
    for (const std::vector<IntExpr> *extents : {&launch.grid, &launch.block})
      for (const IntExpr &extent : *extents) {
        llvm::Expected<int64_t> value = extent.evaluate(sizes);
        if (!value) {
          llvm::consumeError(value.takeError());
          return UINT64_MAX;
        }
        threads *= std::max<int64_t>(1, *value);
      }
    total += threads;
  }
  return total < 1e18 ? static_cast<uint64_t>(total) : UINT64_MAX;
}

uint64_t ExecutablePlan::countBlocks(const Bindings &sizes,
                                     size_t launch) const {
  uint64_t blocks = launch < launches.size();
  if (blocks)
    for (const IntExpr &extent : launches[launch].grid) {
      llvm::Expected<int64_t> value = extent.evaluate(sizes);
      if (!value)
        return llvm::consumeError(value.takeError()), 0;
      blocks *= std::clamp<int64_t>(*value, 0, INT32_MAX);
    }
  return blocks;
}

static llvm::Expected<exec::Dim3> evaluateExtents(ArrayRef<IntExpr> extents,
                                                  const Bindings &sizes) {
  uint64_t values[3];
  for (unsigned i = 0; i < 3; ++i) {
    llvm::Expected<int64_t> value = extents[i].evaluate(sizes);
    if (!value)
      return value.takeError();
    if (*value < 0)
      return llvm::createStringError("launch extent '" + extents[i].str() +
                                     "' is negative");
    values[i] = *value;
  }
  return exec::Dim3{values[0], values[1], values[2]};
}

/// Why a device refuses such blocks of the kernel, or it does not assemble.
std::optional<std::string> ExecutablePlan::findBadBlock(const Launch &launch,
                                                        exec::Dim3 block,
                                                        uint64_t staticShared) {
  auto volume = [](exec::Dim3 extents) {
    return double(extents.x) * double(extents.y) * double(extents.z);
  };
  constexpr uint64_t maxStaticShared =
      target::TargetInfo::sharedPerBlockDefault;
  if (launch.requiredBlock && print(*launch.requiredBlock) != print(block))
    return "'" + launch.kernel + "' requires blocks of " +
           print(*launch.requiredBlock) + ", launched with " + print(block);
  if (launch.largestBlock && volume(block) > volume(*launch.largestBlock))
    return "'" + launch.kernel + "' allows blocks of at most " +
           print(*launch.largestBlock) + ", launched with " + print(block);
  if (staticShared > maxStaticShared)
    return "'" + launch.kernel +
           "' declares more than 48 KiB of static shared memory";
  return std::nullopt;
}

void ExecutablePlan::forEachInteger(
    llvm::function_ref<bool(const IntExpr &, unsigned bytes)> f) const {
  for (const Launch &launch : launches) {
    std::vector<exec::KernelParameter> parameters =
        programs[launch.program]->parameters(launch.kernel);
    if (parameters.size() != launch.args.size())
      continue; // which the launch itself says
    for (auto [argument, parameter] : llvm::zip_equal(launch.args, parameters))
      if (argument.expr && !parameter.isPointer && parameter.bytes != 0 &&
          !f(*argument.expr, parameter.bytes))
        return;
  }
}

std::optional<std::string>
ExecutablePlan::findNarrowArgument(const Bindings &sizes) const {
  std::optional<std::string> found;
  forEachInteger([&](const IntExpr &expr, unsigned bytes) {
    if (bytes > 4)
      return true;
    llvm::Expected<int64_t> value = expr.evaluate(sizes);
    if (!value) {
      llvm::consumeError(value.takeError());
      return true;
    }
    const unsigned bits = 8 * bytes;
    if (*value < -(int64_t(1) << (bits - 1)) || *value >= int64_t(1) << bits)
      found = "argument '" + expr.str() + "' is " + std::to_string(*value) +
              ", which a parameter of " + std::to_string(bits) +
              " bits does not hold";
    return !found;
  });
  return found;
}

bool ExecutablePlan::takesWide(llvm::StringRef dim) const {
  bool isWide = false, isNarrow = false;
  forEachInteger([&](const IntExpr &expr, unsigned bytes) {
    if (expr.getAsName() == dim)
      (bytes < 8 ? isNarrow : isWide) = true;
    return !isNarrow;
  });
  return isWide && !isNarrow;
}

llvm::Expected<std::optional<std::string>>
ExecutablePlan::findLaunchFailure(const Bindings &sizes) const {
  exec::Limits limits;
  limits.sharedBytes = maxSharedBytes;
  for (const Launch &launch : launches) {
    llvm::Expected<exec::Dim3> grid = evaluateExtents(launch.grid, sizes);
    if (!grid)
      return grid.takeError();
    llvm::Expected<exec::Dim3> block = evaluateExtents(launch.block, sizes);
    if (!block)
      return block.takeError();
    int64_t dynamic = 0;
    if (launch.shared) {
      llvm::Expected<int64_t> shared = launch.shared->evaluate(sizes);
      if (!shared)
        return shared.takeError();
      dynamic = *shared;
    }
    uint64_t fixed = programs[launch.program]->staticSharedBytes(launch.kernel);
    std::optional<std::string> why = findBadBlock(launch, *block, fixed);
    if (!why && dynamic < 0)
      why = "dynamic shared memory is negative";
    if (!why)
      why = exec::findBadLaunch(*grid, *block, fixed + dynamic, limits);
    if (why)
      return "launch of '" + launch.kernel + "': " + *why;
  }
  return std::nullopt;
}

bool ExecutablePlan::isLaunchable(const Bindings &sizes) const {
  llvm::Expected<std::optional<std::string>> failure = findLaunchFailure(sizes);
  if (!failure)
    return llvm::consumeError(failure.takeError()), false;
  return !*failure;
}

/// A launch refused before the device would see it.
static exec::LaunchResult launchFailure(std::string message) {
  exec::LaunchResult result;
  exec::Finding finding;
  finding.kind = exec::FindingKind::LaunchFailure;
  finding.message = std::move(message);
  result.findings.push_back(std::move(finding));
  return result;
}

llvm::Expected<exec::BufferSpec>
ExecutablePlan::Scratch::getSpec(const Bindings &sizes) const {
  uint64_t elements = 1;
  for (const IntExpr &dim : dims) {
    llvm::Expected<int64_t> extent = dim.evaluate(sizes);
    if (!extent)
      return extent.takeError();
    if (*extent < 0 || (*extent && elements > (uint64_t(1) << 38) / *extent))
      return llvm::createStringError("scratch '" + name +
                                     "' has a size that cannot be allocated");
    elements *= *extent;
  }
  exec::BufferSpec spec;
  spec.name = name;
  spec.bytes = elements * getElementBytes(elementType);
  spec.kind = getElementKind(elementType);
  return spec;
}

llvm::Error ExecutablePlan::addSparseScratch(TrialValues &values,
                                             exec::GlobalMemory &memory) const {
  for (const Scratch &scratch : scratches) {
    llvm::Expected<exec::BufferSpec> spec = scratch.getSpec(values.sizes);
    if (!spec)
      return spec.takeError();
    spec->sparse = true;
    values.buffers[scratch.name] = memory.addBuffer(*spec);
  }
  return llvm::Error::success();
}

llvm::Error ExecutablePlan::addPlainScratch(TrialValues &values,
                                            exec::GlobalMemory &memory,
                                            uint64_t maxBytes) const {
  for (const Scratch &scratch : scratches) {
    llvm::Expected<exec::BufferSpec> spec = scratch.getSpec(values.sizes);
    if (!spec)
      return spec.takeError();
    if (spec->bytes > maxBytes)
      return llvm::createStringError("scratch '" + scratch.name +
                                     "' is too large");
    maxBytes -= spec->bytes;
    spec->initialized = true;
    exec::BufferId id = memory.addBuffer(*spec);
    if (!memory.isMapped(id))
      // unreachable: unless the machine has no room for it
      return llvm::createStringError("no memory for scratch '" + scratch.name +
                                     "'");
    values.buffers[scratch.name] = id;
  }
  return llvm::Error::success();
}

llvm::Expected<exec::LaunchResult>
ExecutablePlan::run(TrialValues &values, exec::GlobalMemory &memory,
                    exec::Options options, uint64_t orderSeed) const {
  return runWithHook(
      values, memory, options, orderSeed,
      [](const Configuration &, exec::LaunchParams &, exec::Options &) {});
}

llvm::Expected<exec::LaunchResult>
ExecutablePlan::runWithHook(TrialValues &values, exec::GlobalMemory &memory,
                            exec::Options options, uint64_t orderSeed,
                            LaunchHook hook) const {
  return runLaunches(programs, launches, values, memory, options, orderSeed,
                     hook);
}

llvm::Expected<exec::LaunchResult>
ExecutablePlan::runAlone(size_t launch, TrialValues &values,
                         exec::GlobalMemory &memory, exec::Options options,
                         LaunchHook hook, CodePart part) const {
  return runLaunches(getPrograms(part),
                     llvm::ArrayRef(launches).slice(launch, 1), values, memory,
                     options, /*orderSeed=*/0, hook);
}

llvm::ArrayRef<std::shared_ptr<exec::Program>>
ExecutablePlan::getPrograms(CodePart part) const {
  switch (part) {
  case CodePart::All:
    return programs;
  case CodePart::Stores:
    assert(hasStoreSlices());
    return storeSlices;
  case CodePart::LastRounds:
    return lastRounds.empty() ? programs : lastRounds;
  }
  llvm_unreachable("unknown part of code");
}

llvm::Expected<exec::LaunchResult> ExecutablePlan::runLaunches(
    llvm::ArrayRef<std::shared_ptr<exec::Program>> programs,
    llvm::ArrayRef<Launch> chosen, TrialValues &values,
    exec::GlobalMemory &memory, exec::Options options, uint64_t orderSeed,
    LaunchHook hook) const {
  llvm::StringMap<exec::BufferId> &buffers = values.buffers;
  for (const Scratch &scratch : scratches) {
    auto known = buffers.find(scratch.name);
    if (known == buffers.end()) {
      llvm::Expected<exec::BufferSpec> spec = scratch.getSpec(values.sizes);
      if (!spec)
        return launchFailure(llvm::toString(spec.takeError()));
      exec::BufferId id = memory.addBuffer(*spec);
      if (!memory.isMapped(id))
        return launchFailure("scratch '" + scratch.name +
                             "' has a size that cannot be allocated");
      known = buffers.try_emplace(scratch.name, id).first;
    }
    memory.poison(known->second, options.poison);
  }
  exec::LaunchResult total;
  for (const Launch &launch : chosen) {
    exec::LaunchParams params;
    params.kernel = launch.kernel;
    llvm::Expected<exec::Dim3> grid =
        evaluateExtents(launch.grid, values.sizes);
    if (!grid)
      return launchFailure(llvm::toString(grid.takeError()));
    llvm::Expected<exec::Dim3> block =
        evaluateExtents(launch.block, values.sizes);
    if (!block)
      return launchFailure(llvm::toString(block.takeError()));
    params.grid = *grid;
    params.block = *block;
    if (std::optional<std::string> why = findBadBlock(
            launch, params.block,
            programs[launch.program]->staticSharedBytes(launch.kernel)))
      return launchFailure(*why);
    if (launch.shared) {
      llvm::Expected<int64_t> shared = launch.shared->evaluate(values.sizes);
      if (!shared)
        return launchFailure(llvm::toString(shared.takeError()));
      if (*shared < 0)
        return launchFailure("dynamic shared memory is negative");
      params.dynamicSharedBytes = *shared;
    }
    params.blockOrderSeed = params.warpOrderSeed = orderSeed;
    std::vector<exec::KernelParameter> parameters =
        programs[launch.program]->parameters(launch.kernel);
    if (parameters.size() != launch.args.size())
      // unreachable: an evo.launch is checked against its callee
      return launchFailure("the kernel takes more arguments, or fewer");
    for (auto [argument, parameter] : llvm::zip(launch.args, parameters)) {
      if (argument.expr) {
        llvm::Expected<int64_t> value = argument.expr->evaluate(values.sizes);
        if (!value)
          return launchFailure(llvm::toString(value.takeError()));
        // A literal 0 is the null pointer.
        bool isNull = parameter.isPointer && argument.expr->str() == "0";
        if ((parameter.isPointer && !isNull) || parameter.isFloat)
          return launchFailure("argument '" + argument.expr->str() + "' of '" +
                               launch.kernel + "' is an integer, parameter '" +
                               parameter.name + "' is not");
        params.args.emplace_back(static_cast<uint64_t>(*value));
        continue;
      }
      auto buffer = buffers.find(argument.name);
      bool isBuffer = buffer != buffers.end();
      if (isBuffer != (parameter.isPointer && !parameter.byVal))
        return launchFailure("argument '" + argument.name + "' of '" +
                             launch.kernel + "' is " +
                             (isBuffer ? "a buffer" : "a scalar") +
                             ", the kernel's parameter is not");
      if (isBuffer) {
        params.args.emplace_back(memory.address(buffer->second), 8);
        continue;
      }
      std::optional<exec::Argument> scalar = encodeScalar(
          values.floats.lookup(argument.name), argument.type, parameter);
      if (!scalar)
        return launchFailure("argument '" + argument.name + "' of '" +
                             launch.kernel + "' is a float, parameter '" +
                             parameter.name + "' is not");
      params.args.push_back(std::move(*scalar));
    }
    exec::Options own = options;
    own.limits.sharedBytes = std::min(own.limits.sharedBytes, maxSharedBytes);
    hook({launch.kernel, *programs[launch.program], params.grid, params.block,
          programs[launch.program]->staticSharedBytes(launch.kernel),
          params.dynamicSharedBytes,
          programs[launch.program]->hasBarriers(launch.kernel),
          programs[launch.program]->exchangesLanes(launch.kernel)},
         params, own);
    exec::LaunchResult result =
        exec::launch(*programs[launch.program], params, memory, own);
    total.stats.laneInstructions += result.stats.laneInstructions;
    total.stats.warpInstructions += result.stats.warpInstructions;
    total.stats.blocksRun += result.stats.blocksRun;
    total.stats.lastBlockInstructions = result.stats.lastBlockInstructions;
    total.stats.held += result.stats.held;
    total.stats.shadowDecisionFlips += result.stats.shadowDecisionFlips;
    total.stats.overflows |= result.stats.overflows;
    total.readerWithoutFence |= result.readerWithoutFence;
    if (!total.inactiveRead)
      total.inactiveRead = std::move(result.inactiveRead);
    llvm::append_range(total.findings, result.findings);
    if (!total.clean())
      return total;
  }
  return total;
}

bool ExecutablePlan::multipliesMatrices() const {
  return llvm::any_of(programs, [](const std::shared_ptr<exec::Program> &p) {
    return p->multipliesMatrices();
  });
}

bool ExecutablePlan::dividesApproximately() const {
  return llvm::any_of(programs, [](const std::shared_ptr<exec::Program> &p) {
    return p->dividesApproximately();
  });
}

bool ExecutablePlan::keepsState() const {
  return llvm::any_of(programs, [](const std::shared_ptr<exec::Program> &p) {
    return exec::keepsState(*p);
  });
}

void ExecutablePlan::retireState(exec::GlobalMemory &memory) const {
  for (const std::shared_ptr<exec::Program> &program : programs)
    exec::retireModuleState(*program, memory);
}

std::vector<exec::SharedAccess> ExecutablePlan::getSharedAccesses() const {
  std::vector<exec::SharedAccess> accesses;
  for (const std::shared_ptr<exec::Program> &program : programs)
    llvm::append_range(accesses, exec::findSharedAccesses(*program));
  return accesses;
}

exec::SourceLoc ExecutablePlan::getLocation(StringRef kernel,
                                            uint32_t number) const {
  for (const std::shared_ptr<exec::Program> &program : programs)
    if (std::optional<exec::SourceLoc> place =
            exec::locationIn(*program, kernel, number))
      return *place;
  return {};
}

std::vector<exec::WaitingLoop>
ExecutablePlan::getFewRounds(const exec::Coverage &coverage) const {
  std::vector<exec::WaitingLoop> result;
  for (const std::shared_ptr<exec::Program> &program : programs)
    llvm::append_range(result, coverage.fewRounds(*program));
  return result;
}

std::vector<exec::OneWayBranch>
ExecutablePlan::getOneWayBranches(const exec::Coverage &coverage) const {
  std::vector<exec::OneWayBranch> result;
  for (const std::shared_ptr<exec::Program> &program : programs)
    llvm::append_range(result, coverage.oneWay(*program));
  return result;
}
