// The schedule genome: payload and schedule through upstream's transform
// interpreter, bufferisation and outlining, to a launch plan.
#include "FoldAddresses.h"
#include "SinkViews.h"
#include "StreamLoads.h"
#include "evo/HostAnalysis/PlanFromHost.h"
#include "evo/Interfaces/Fitness.h"
#include "evo/Lowering/NarrowExponents.h"
#include "evo/Schedule/Schedule.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Transform/IR/TransformOps.h"
#include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.h"
#include "mlir/Dialect/Transform/Transforms/TransformInterpreterUtils.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace evo;

// The fixed pipeline between the entry points of a schedule. Entry points:
// @__transform_main on tensors, @on_buffers after bufferisation, @on_vectors on
// the lowered kernel (the last two where present).
static constexpr StringLiteral beforeSchedule = "canonicalize,cse";
static constexpr StringLiteral toBuffers =
    "eliminate-empty-tensors,"
    "one-shot-bufferize{bufferize-function-boundaries=1 "
    "function-boundary-type-conversion=identity-layout-map},"
    "canonicalize,cse,canonicalize";
static constexpr StringLiteral placeBuffers =
    "func.func(buffer-loop-hoisting,promote-buffers-to-stack{"
    "max-alloc-size-in-bytes=262144 max-rank-of-allocated-memref=4})";
static constexpr StringLiteral toKernels =
    "gpu-launch-sink-index-computations,gpu-kernel-outlining";
static constexpr StringLiteral tidyKernels = "canonicalize,cse";
static constexpr StringLiteral toDevice =
    "gpu.module(expand-strided-metadata,lower-affine,convert-scf-to-cf,"
    "convert-gpu-to-nvvm{has-redux=true},convert-nvgpu-to-nvvm,"
    "canonicalize,cse,"
    "reconcile-unrealized-casts)";

static LogicalResult runPasses(ModuleOp module, StringRef pipeline) {
  PassManager passes(module.getContext(), ModuleOp::getOperationName());
  if (failed(parsePassPipeline(pipeline, passes)))
    return failure();
  return passes.run(module);
}

/// Runs the named sequence `entry` of `schedule` on `payload`; one that is not
/// there is nothing to do, unless `required`.
static LogicalResult runEntry(ModuleOp payload, ModuleOp schedule,
                              StringRef entry, bool required) {
  auto sequence = schedule.lookupSymbol<transform::NamedSequenceOp>(entry);
  if (!sequence)
    // unreachable: parsing asks for the first, the others are built in
    return required ? schedule.emitError() << "no named sequence @" << entry
                    : success();
  transform::TransformOptions options;
  return transform::applyTransformNamedSequence(payload, sequence, schedule,
                                                options);
}

/// The text that stands for the built-in schedule `general` by its plain knobs.
static constexpr StringLiteral plainMapping = "plain";

/// Knob values: the defaults, then those of the proposal's options.
static FailureOr<Bindings> knobValues(const Schedule &schedule,
                                      ProposalOp proposal) {
  Bindings values;
  for (const ScheduleKnob &knob : schedule.getKnobs())
    values[knob.name] = knob.values.front();
  DictionaryAttr options = proposal.getOptionsAttr();
  auto chosen = options ? options.getAs<DictionaryAttr>("knobs") : nullptr;
  if (proposal.getText().trim() == plainMapping)
    chosen = schedule.getPlainKnobs();
  if (!chosen)
    return values;
  for (NamedAttribute knob : chosen) {
    int64_t value;
    if (auto number = dyn_cast<IntegerAttr>(knob.getValue()))
      value = number.getInt();
    else if (auto text = dyn_cast<StringAttr>(knob.getValue());
             !text || text.getValue().getAsInteger(10, value))
      return proposal.emitError()
                 << "knob '" << knob.getName().getValue()
                 << "' needs an integer, found " << knob.getValue(),
             failure();
    values[knob.getName()] = value;
  }
  return values;
}

/// What transposes and casts of shapes leave behind has no counterpart in LLVM.
static LogicalResult lowerSlicesOfVectors(ModuleOp module) {
  RewritePatternSet patterns(module.getContext());
  vector::populateVectorInsertExtractStridedSliceTransforms(patterns);
  return applyPatternsGreedily(module, std::move(patterns));
}

/// Says by `evo.extents` of each argument how large it is at the first
/// workload: what is unrolled should be no more than fills that.
static void noteExtents(KernelOp kernel, func::FuncOp function) {
  ArrayAttr workloads = kernel.getWorkloadsAttr();
  if (!workloads || workloads.empty())
    return;
  Bindings sizes = getWorkloadSizes(kernel, cast<WorkloadAttr>(workloads[0]));
  for (auto [i, arg] :
       llvm::enumerate(kernel.getArgsAttr().getAsRange<ArgumentAttr>())) {
    SmallVector<IntExpr> dims = arg.getExtents();
    if (i >= function.getNumArguments() || dims.empty())
      continue;
    SmallVector<int64_t> extents;
    for (const IntExpr &dim : dims) {
      llvm::Expected<int64_t> extent = dim.evaluate(sizes);
      if (extent)
        extents.push_back(*extent);
      else
        llvm::consumeError(extent.takeError());
    }
    if (extents.size() == dims.size())
      function.setArgAttr(i, "evo.extents",
                          DenseI64ArrayAttr::get(kernel.getContext(), extents));
  }
}

/// Outlines the kernels. How many blocks of one a multiprocessor should have
/// room for, `evo.resident` of the launch, becomes what the assembler is told.
static LogicalResult outlineKernels(ModuleOp module) {
  SmallVector<IntegerAttr> resident;
  module.walk([&](gpu::LaunchOp launch) {
    resident.push_back(launch->getAttrOfType<IntegerAttr>("evo.resident"));
  });
  if (failed(runPasses(module, toKernels)))
    return failure();
  unsigned number = 0;
  module.walk([&](gpu::LaunchFuncOp launch) {
    // What was a function already has none.
    IntegerAttr blocks = number < resident.size() ? resident[number] : nullptr;
    ++number;
    auto kernel = SymbolTable::lookupNearestSymbolFrom<gpu::GPUFuncOp>(
        launch, launch.getKernelAttr());
    if (blocks && kernel)
      kernel->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(), blocks);
  });
  return runPasses(module, tidyKernels);
}

namespace {
class ScheduleMaterializer : public Materializer {
public:
  Genome getGenome() const override { return Genome::Schedule; }
  LogicalResult materialize(ProposalOp proposal, VariantOp variant) override;
};
} // namespace

LogicalResult ScheduleMaterializer::materialize(ProposalOp proposal,
                                                VariantOp variant) {
  auto kernel = cast<KernelOp>(proposal->getParentOp());
  MLIRContext *context = proposal.getContext();
  func::FuncOp payload = getPayload(kernel);
  if (!payload)
    return proposal.emitError(
        "a schedule needs tensor-level code: this kernel "
        "has no tensor-level reference and was not raised");
  StringRef text = proposal.getText();
  StringRef name = text.trim() == plainMapping ? "general" : text.trim();
  if (StringRef builtin = getBuiltinSchedule(name); !builtin.empty())
    text = builtin;
  FailureOr<Schedule> schedule =
      Schedule::parse(context, text, (proposal.getSymName() + ".mlir").str());
  if (failed(schedule))
    return failure();
  FailureOr<Bindings> values = knobValues(*schedule, proposal);
  if (failed(values))
    return failure();
  FailureOr<OwningOpRef<ModuleOp>> resolved =
      schedule->resolve(*values, proposal.getLoc());
  FailureOr<std::vector<Requirement>> requirements =
      schedule->getRequirements(*values, kernel, proposal.getLoc());
  FailureOr<Schedule> fixed = Schedule::parseLibrary(
      context, getBuiltinSchedule("lower-gpu"), "lower-gpu.mlir");
  if (failed(resolved) || failed(requirements) || failed(fixed))
    return failure();
  FailureOr<OwningOpRef<ModuleOp>> lowering =
      fixed->resolve({}, proposal.getLoc());
  if (failed(lowering))
    return failure();

  OwningOpRef<ModuleOp> work = ModuleOp::create(payload.getLoc());
  OpBuilder b = OpBuilder::atBlockEnd(work->getBody());
  auto copy = cast<func::FuncOp>(b.clone(*payload));
  bindResults(kernel, copy);
  noteExtents(kernel, copy);
  if (failed(runPasses(*work, beforeSchedule)) ||
      failed(runEntry(*work, **resolved, "__transform_main", true)))
    return failure();
  // Fusion may have taken a result out of its destination.
  if (auto function = work->lookupSymbol<func::FuncOp>(payload.getName()))
    bindResults(kernel, function);
  if (failed(runPasses(*work, toBuffers)) ||
      failed(runEntry(*work, **resolved, "on_buffers", false)) ||
      failed(runPasses(*work, placeBuffers)))
    return failure();
  sinkViews(*work);
  if (failed(outlineKernels(*work)) ||
      failed(runEntry(*work, **lowering, "shared_to_globals", true)) ||
      failed(runEntry(*work, **lowering, "lower_vectors", true)) ||
      failed(runEntry(*work, **resolved, "on_vectors", false)) ||
      failed(lowerSlicesOfVectors(*work)))
    return failure();
  narrowExponents(*work);
  if (failed(runPasses(*work, toDevice)))
    return failure();
  foldAddresses(*work);
  streamLoads(*work);
  auto host = work->lookupSymbol<func::FuncOp>(payload.getName());
  if (!host)
    return proposal.emitError("the schedule lost the function");
  if (!requirements->empty())
    variant.setRequirementsAttr(
        RequirementAttr::getArray(context, *requirements));
  return buildPlanFromHost(variant, *work, host);
}

std::unique_ptr<Materializer> evo::createScheduleMaterializer() {
  return std::make_unique<ScheduleMaterializer>();
}
