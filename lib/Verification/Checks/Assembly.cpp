// What ships is machine code, so a candidate is lowered and assembled once.
// What the assembler refuses cannot be launched, nor can a block whose threads
// take more registers or memory than the target has; and blocks that wait for
// each other have to be there at once.
#include "Verification/Checks/Registry.h"
#include "Verification/Sampling/IndexOverflow.h"
#include "Verification/Sampling/Shapes.h"
#include "evo/Interfaces/Backends.h"
#include "evo/Interfaces/Faults.h"
#include "evo/Interfaces/Fitness.h"
#include "evo/Target/TargetInfo.h"

using namespace mlir;
using namespace evo;

/// The candidate's code; where there is none `why` says so, and whose fault it
/// is.
static std::optional<CodeObject> generate(VerificationState &state,
                                          std::string &why, FaultKind &fault) {
  MLIRContext *context = state.kernel.getContext();
  // A process without backends judges, and makes no code.
  auto *backends = context->getLoadedDialect<EvoDialect>()
                       ->getRegisteredInterface<BackendInterface>();
  std::string name = llvmGenerator.str();
  if (DictionaryAttr options = state.plan.getOptionsAttr())
    if (auto chosen = options.getAs<StringAttr>("codegen"))
      name = chosen.str();
  CodeGenerator *generator = backends ? backends->getGenerator(name) : nullptr;
  fault = FaultKind::Machine;
  // unreachable: but in a process without backends
  why = "no code generator is attached";
  if (!generator)
    return std::nullopt;
  OwnDiagnosticHandler handler(context, [&](Diagnostic &diag) {
    if (diag.getSeverity() != DiagnosticSeverity::Error)
      return success();
    why = diag.str();
    fault = faultOf(diag);
    return success();
  });
  FailureOr<CodeObject> code =
      generator->generate(state.plan, state.options.target);
  if (failed(code))
    return std::nullopt;
  if (code->cubin.empty()) {
    why = "no assembler was found";
    return std::nullopt;
  }
  return std::move(code);
}

/// What a formula gives; 0 where it has no value, or a negative one.
static uint64_t evaluateOr0(ExprAttr formula, const Bindings &sizes) {
  llvm::Expected<int64_t> value = formula.getValue().evaluate(sizes);
  if (value)
    return static_cast<uint64_t>(std::max<int64_t>(0, *value));
  llvm::consumeError(value.takeError());
  return 0;
}

static uint64_t countOf(ArrayAttr extents, const Bindings &sizes) {
  uint64_t count = 1;
  for (auto extent : extents.getAsRange<ExprAttr>())
    count = llvm::SaturatingMultiply(count, evaluateOr0(extent, sizes));
  return count;
}

static uint64_t countShared(LaunchOp launch, ResourcesAttr resources,
                            const Bindings &sizes) {
  return resources.getShared() +
         (launch.getShared() ? evaluateOr0(*launch.getShared(), sizes) : 0);
}

/// Why a device cannot launch `launch` at these sizes; empty where it can, or a
/// formula has no value.
static std::string findExcess(LaunchOp launch, ResourcesAttr resources,
                              const target::TargetInfo &card,
                              const Bindings &sizes) {
  const uint64_t threads = countOf(launch.getBlock(), sizes);
  const uint64_t taken =
      target::registersOfBlock(threads, resources.getRegisters());
  const std::string launched =
      "launch of '" + resources.getKernel().str() + "': ";
  if (taken > card.maxRegistersPerBlock)
    return launched + std::to_string(threads) + " threads of " +
           std::to_string(resources.getRegisters()) +
           " registers take the registers of " + std::to_string(taken) +
           ", a block has " + std::to_string(card.maxRegistersPerBlock);
  const uint64_t shared = countShared(launch, resources, sizes);
  if (shared > card.sharedPerBlockOptIn)
    return launched + std::to_string(shared) +
           " bytes of shared memory, as assembled, exceed the limit of " +
           std::to_string(card.sharedPerBlockOptIn);
  return "";
}

/// Why blocks that wait for each other wait for ever: those that fit on the
/// target do not end before the others begin.
static std::string findTooMany(LaunchOp launch, ResourcesAttr resources,
                               const target::TargetInfo &card,
                               const Bindings &sizes) {
  const uint64_t threads = countOf(launch.getBlock(), sizes),
                 blocks = countOf(launch.getGrid(), sizes);
  if (threads == 0 || threads > card.maxThreadsPerBlock)
    return "";
  const uint64_t fit =
      uint64_t(card.numSMs) *
      target::occupancy(card, resources.getRegisters(),
                        countShared(launch, resources, sizes), threads)
          .blocksPerSM;
  if (blocks <= fit)
    return "";
  return "launch of '" + resources.getKernel().str() +
         "': its blocks wait for each other, and of " + std::to_string(blocks) +
         " only " + std::to_string(fit) + " are on the target at once";
}

/// Whether blocks of a launch wait for all others of it.
static bool waitsForAll(const VerificationState &state, LaunchOp launch) {
  if (!state.tally.together)
    return false;
  return llvm::any_of(state.postOptimised->getSharedAccesses(),
                      [&](const sim::SharedAccess &access) {
                        return access.answers &&
                               access.kernel ==
                                   launch.getCallee().getLeafReference();
                      });
}

/// Shapes with one dimension as long as requirements allow and the reference
/// can be launched at, up to what 32 bits count.
static std::vector<Bindings> listLongest(VerificationState &state,
                                         const Bindings &base) {
  std::vector<Bindings> sizes;
  for (StringRef dim : state.kernel.getDimensionNames()) {
    auto at = [&](int64_t extent) -> std::optional<Bindings> {
      Bindings shape = base;
      shape[dim] = extent;
      if (largestBuffer(state.kernel, shape) >= 0x1p31 ||
          !state.meetsRequirements(shape) ||
          !state.reference->isLaunchable(shape))
        return std::nullopt;
      return shape;
    };
    int64_t low = std::max<int64_t>(1, base.lookup(dim)), step = low;
    for (; low < INT32_MAX - step && at(low + step); step *= 2)
      low += step;
    for (; step > 0; step /= 2)
      if (low < INT32_MAX - step && at(low + step))
        low += step;
    if (auto longest = at(low))
      sizes.push_back(std::move(*longest));
  }
  return sizes;
}

static LogicalResult run(VerificationState &state, Budget) {
  std::string why;
  FaultKind fault = FaultKind::Candidate;
  std::optional<CodeObject> code = generate(state, why, fault);
  if (!code) {
    if (fault == FaultKind::Machine)
      state.tally.notAssembled = std::move(why);
    else if (fault == FaultKind::Candidate)
      state.refutation = Refutation(Reason::DoesNotBuild, std::move(why));
    else // it is our code generator that has none
      state.refutation =
          Refutation(Reason::Unsupported, std::move(why), /*undecided=*/true);
    return success();
  }
  const target::TargetInfo *card =
      target::findTarget(state.options.target.getArch());
  if (!card)
    return success();
  std::vector<Bindings> sizes = state.usualShapes;
  if (ArrayAttr workloads = state.kernel.getWorkloadsAttr())
    for (auto workload : workloads.getAsRange<WorkloadAttr>())
      sizes.push_back(getWorkloadSizes(state.kernel, workload));
  std::vector<Bindings> longest;
  if (state.tally.together) {
    if (!sizes.empty())
      longest = listLongest(state, sizes.back());
    llvm::append_range(sizes, sampleLimitShapes(state.kernel, state.plan,
                                                state.options.target,
                                                Random(state.drawSeed())));
  }
  for (LaunchOp launch : state.plan.getLaunches())
    for (ResourcesAttr resources : code->resources) {
      if (resources.getKernel() != launch.getCallee().getLeafReference())
        continue;
      const bool areAllNeeded = waitsForAll(state, launch);
      auto refutes = [&](const Bindings &at, Reason reason,
                         std::string excess) {
        if (excess.empty() || !state.meetsRequirements(at))
          return false;
        state.refutation = Refutation(reason, std::move(excess));
        state.refutation->at = printBindings(at);
        return true;
      };
      for (const Bindings &at : sizes) {
        std::string excess = findExcess(launch, resources, *card, at);
        const bool isLaunched = excess.empty();
        if (refutes(at, Reason::LaunchFailure, std::move(excess)) ||
            (isLaunched && areAllNeeded &&
             refutes(at, Reason::WaitsForBlocks,
                     findTooMany(launch, resources, *card, at))))
          return success();
      }
      // Blocks that are too large there are no specialisation's fault.
      for (const Bindings &at : longest)
        if (areAllNeeded && findExcess(launch, resources, *card, at).empty() &&
            refutes(at, Reason::WaitsForBlocks,
                    findTooMany(launch, resources, *card, at)))
          return success();
    }
  return success();
}

constexpr Check evo::checks::assembly = {
    "assembly",
    "what the assembler refuses: constants beyond their bank, functions that "
    "nobody defines; blocks that take more registers or shared memory than the "
    "target has; more blocks that wait for each other than it holds at once",
    "the candidate's code is generated and assembled once",
    Effort::Quick,
    /*isEssential=*/true,
    {},
    run};
