// The whole way from L0 to L1 for one launch plan, and back the names and
// launches that go with it.
#include "evo/Conversion/LLVMToStructured/Raiser.h"
#include "Raise.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace evo;
using namespace evo::raise;

Location evo::raise::plainLocation(Location loc) {
  if (auto fused = dyn_cast<FusedLoc>(loc)) {
    if (fused.getLocations().empty())
      return UnknownLoc::get(loc.getContext());
    return plainLocation(fused.getLocations().front());
  }
  if (auto call = dyn_cast<CallSiteLoc>(loc))
    return plainLocation(call.getCallee());
  return loc;
}

/// Where `loc`, or the call it was inlined from, is in `file`; headers of the
/// toolkit are of no use to whoever wrote the kernel.
static std::optional<Location> placeIn(StringAttr file, Location loc) {
  if (auto fused = dyn_cast<FusedLoc>(loc)) {
    for (Location part : fused.getLocations())
      if (std::optional<Location> place = placeIn(file, part))
        return place;
    return std::nullopt;
  }
  if (auto call = dyn_cast<CallSiteLoc>(loc)) {
    if (std::optional<Location> place = placeIn(file, call.getCallee()))
      return place;
    return placeIn(file, call.getCaller());
  }
  auto place = dyn_cast<FileLineColLoc>(loc);
  return place && place.getFilename() == file ? std::optional(loc)
                                              : std::nullopt;
}

InFlightDiagnostic evo::raise::refuse(Operation *op) {
  Location loc = plainLocation(op->getLoc());
  auto kernel = op->getParentOfType<LLVM::LLVMFuncOp>();
  if (kernel)
    if (auto start = dyn_cast<FileLineColLoc>(plainLocation(kernel->getLoc())))
      loc = placeIn(start.getFilename(), op->getLoc()).value_or(loc);
  return emitRemark(loc) << "kept at L0: ";
}

bool evo::raise::isKernel(Operation *op) {
  auto function = dyn_cast_or_null<LLVM::LLVMFuncOp>(op);
  return function && !function.isExternal() &&
         function.getCConv() == LLVM::CConv::PTX_Kernel;
}

namespace {
class StructuredRaiser : public Raiser {
public:
  LogicalResult raise(LaunchPlanOpInterface plan, VariantOp variant,
                      TargetAttrInterface target) override;
};
} // namespace

static LogicalResult tidy(ModuleOp module) {
  PassManager passes(module.getContext(), ModuleOp::getOperationName());
  passes.addNestedPass<func::FuncOp>(createCanonicalizerPass());
  passes.addNestedPass<func::FuncOp>(createLoopInvariantCodeMotionPass());
  passes.addNestedPass<func::FuncOp>(createCSEPass());
  passes.addNestedPass<func::FuncOp>(createCanonicalizerPass());
  return passes.run(module);
}

/// The shape that a launch gives to the buffer it passes as argument `i`: its
/// extents are literals, or arguments of the same launch. Empty where one is
/// neither.
static SmallVector<Extent> extentsOf(LaunchOp launch, unsigned i,
                                     func::FuncOp function) {
  auto textOf = [&](unsigned j) {
    return cast<ExprAttr>(launch.getArgs()[j]).getText();
  };
  if (launch.getArgs().size() != function.getNumArguments())
    return {};
  KernelOp kernel = launch.getPlan().getKernel();
  ArgumentAttr buffer = kernel.lookupArgument(textOf(i));
  SmallVector<StringRef> dims;
  if (buffer)
    dims = buffer.getDimStrings();
  if (ScratchOp scratch = launch.getPlan().lookupScratch(textOf(i)))
    dims = scratch.getDimStrings();
  SmallVector<Extent> extents;
  for (auto [position, dim] : llvm::enumerate(dims)) {
    Extent extent{-1, Value()};
    if (dim.getAsInteger(10, extent.constant)) {
      for (BlockArgument argument : function.getArguments())
        if (argument.getType().isIndex() &&
            textOf(argument.getArgNumber()) == dim)
          extent.value = argument;
      if (!extent.value && position > 0)
        return {};
    }
    extents.push_back(extent);
  }
  return extents;
}

/// The shapes that all launches of `function` agree upon.
static SmallVector<Shape> launchedShapes(ArrayRef<LaunchOp> launches,
                                         func::FuncOp function) {
  SmallVector<Shape> shapes;
  for (BlockArgument argument : function.getArguments()) {
    if (launches.empty() || !isa<MemRefType>(argument.getType()))
      continue;
    SmallVector<Extent> extents =
        extentsOf(launches.front(), argument.getArgNumber(), function);
    if (llvm::all_of(launches, [&](LaunchOp launch) {
          return extentsOf(launch, argument.getArgNumber(), function) ==
                 extents;
        }))
      shapes.push_back({argument, extents, false});
  }
  return shapes;
}

/// The negation of a condition, pushed into it as far as it goes.
static Value negate(OpBuilder &b, Value condition) {
  Operation *op = condition.getDefiningOp();
  Location loc = condition.getLoc();
  if (auto compare = dyn_cast_or_null<arith::CmpIOp>(op))
    return arith::CmpIOp::create(b, loc,
                                 arith::invertPredicate(compare.getPredicate()),
                                 compare.getLhs(), compare.getRhs());
  if (isa_and_nonnull<arith::OrIOp, arith::AndIOp>(op)) {
    Value lhs = negate(b, op->getOperand(0)),
          rhs = negate(b, op->getOperand(1));
    if (isa<arith::OrIOp>(op))
      return arith::AndIOp::create(b, loc, lhs, rhs);
    return arith::OrIOp::create(b, loc, lhs, rhs);
  }
  return arith::XOrIOp::create(b, loc, condition,
                               arith::ConstantIntOp::create(b, loc, 1, 1));
}

/// `if (c) {} else {...}` as `if (!c) {...}`.
static void invertEmptyBranches(func::FuncOp function) {
  IRRewriter b(function.getContext());
  function.walk([&](scf::IfOp branch) {
    if (!branch.elseBlock() || branch.getNumResults() ||
        !llvm::hasSingleElement(*branch.thenBlock()))
      return;
    b.setInsertionPoint(branch);
    Value condition = negate(b, branch.getCondition());
    auto result = scf::IfOp::create(b, branch.getLoc(), condition,
                                    /*withElseRegion=*/false);
    result.getThenRegion().takeBody(branch.getElseRegion());
    b.eraseOp(branch);
  });
}

/// The launches of `kernel` in `plan`.
static SmallVector<LaunchOp> launchesOf(LaunchPlanOpInterface plan,
                                        StringRef module, StringRef kernel) {
  SmallVector<LaunchOp> result;
  for (LaunchOp launch : plan.getLaunches())
    if (launch.getCallee().getRootReference() == module &&
        launch.getCallee().getLeafReference() == kernel)
      result.push_back(launch);
  return result;
}

/// The type in which code holds a contract's elements: integers have no sign,
/// and floats without arithmetic of their own are bytes, as truth values are.
static Type storageType(Type type) {
  unsigned width = std::max(8u, type.getIntOrFloatBitWidth());
  if (type.isSignlessInteger(width) || (isa<FloatType>(type) && width >= 16))
    return type;
  return IntegerType::get(type.getContext(), width);
}

static ArgumentAttr argumentOf(ArrayRef<LaunchOp> launches, unsigned i) {
  if (launches.empty())
    return {};
  LaunchOp launch = launches.front();
  if (i >= launch.getArgs().size())
    return {};
  return launch.getPlan().getKernel().lookupArgument(
      cast<ExprAttr>(launch.getArgs()[i]).getText());
}

/// The name of each kernel in the source, where it is a plain one; mangled
/// names are for linkers.
static llvm::StringMap<std::string> plainNames(LaunchPlanOpInterface plan) {
  llvm::StringMap<std::string> names;
  ArrayAttr spellings = plan.getKernelSpellings();
  auto launches = plan.getLaunches();
  if (!spellings || spellings.size() != llvm::range_size(launches))
    return names;
  for (auto [launch, spelling] :
       llvm::zip_equal(launches, spellings.getAsRange<StringAttr>()))
    if (llvm::all_of(spelling.getValue(),
                     [](char c) { return llvm::isAlnum(c) || c == '_'; }))
      names[launch.getCallee().getLeafReference().getValue()] =
          spelling.getValue().str();
  return names;
}

/// Moves the body of `function` into a gpu.func; shared arrays, which stood at
/// its start, become workgroup attributions.
static gpu::GPUFuncOp toGPU(OpBuilder &b, func::FuncOp function) {
  auto result = gpu::GPUFuncOp::create(b, function.getLoc(), function.getName(),
                                       function.getFunctionType(), {}, {});
  result->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  if (ArrayAttr attributes = function.getAllArgAttrs())
    result.setAllArgAttrs(attributes);
  Block *body = &result.getBody().front(), *from = &function.getBody().front();
  for (auto [old, argument] :
       llvm::zip_equal(from->getArguments(), result.getArguments()))
    old.replaceAllUsesWith(argument);
  body->getOperations().splice(body->end(), from->getOperations());
  for (auto alloca :
       llvm::make_early_inc_range(body->getOps<memref::AllocaOp>())) {
    alloca->removeAttr("evo.shape");
    if (!alloca.getType().getMemorySpace())
      continue;
    BlockArgument shared =
        result.addWorkgroupAttribution(alloca.getType(), alloca.getLoc());
    if (std::optional<uint64_t> alignment = alloca.getAlignment())
      result.setWorkgroupAttributionAttr(
          result.getNumWorkgroupAttributions() - 1, "llvm.align",
          b.getI64IntegerAttr(*alignment));
    alloca.replaceAllUsesWith(Value(shared));
    alloca.erase();
  }
  auto end = cast<func::ReturnOp>(body->getTerminator());
  b.setInsertionPoint(end);
  gpu::ReturnOp::create(b, end.getLoc());
  end.erase();
  b.setInsertionPointAfter(result);
  return result;
}

static LogicalResult raiseModule(OpBuilder &b, gpu::GPUModuleOp device,
                                 LaunchPlanOpInterface plan,
                                 TargetAttrInterface target,
                                 const llvm::StringMap<std::string> &names) {
  FailureOr<OwningOpRef<ModuleOp>> imported = importNormalized(device, target);
  if (failed(imported))
    return failure();
  OwningOpRef<ModuleOp> work = ModuleOp::create(device.getLoc());
  OpBuilder inner = OpBuilder::atBlockEnd(work->getBody());
  llvm::StringMap<LLVM::LoopUnrollAttr> unrolled;
  auto normalized = *(*imported)->getOps<gpu::GPUModuleOp>().begin();
  for (auto kernel : normalized.getOps<LLVM::LLVMFuncOp>()) {
    if (!isKernel(kernel))
      continue;
    SmallVector<LaunchOp> launches =
        launchesOf(plan, device.getName(), kernel.getName());
    const Objects objects = Objects::find(kernel, target, [&](unsigned i) {
      ArgumentAttr argument = argumentOf(launches, i);
      return argument && argument.isBuffer()
                 ? storageType(argument.getElementType())
                 : Type();
    });
    if (LLVM::LoopUnrollAttr unroll = findUnroll(kernel))
      unrolled[kernel.getName()] = unroll;
    inner.setInsertionPointToEnd(work->getBody());
    FailureOr<func::FuncOp> function = translateKernel(inner, kernel, objects);
    if (failed(function) || failed(structure(*function)))
      return failure();
    testLoopsFirst(*function);
  }
  if (failed(tidy(*work)))
    return failure();
  for (auto function : work->getOps<func::FuncOp>())
    if (!function.isExternal()) {
      countLoops(function);
      useIndices(function);
    }
  if (failed(tidy(*work)))
    return failure();
  for (auto function : work->getOps<func::FuncOp>())
    if (!function.isExternal()) {
      SmallVector<Shape> shapes = declaredShapes(function);
      llvm::append_range(
          shapes,
          launchedShapes(launchesOf(plan, device.getName(), function.getName()),
                         function));
      useShapes(function, shapes);
    }
  if (failed(tidy(*work)))
    return failure();
  for (auto function : work->getOps<func::FuncOp>())
    invertEmptyBranches(function);
  if (failed(tidy(*work)))
    return failure();
  auto raised = gpu::GPUModuleOp::create(b, plainLocation(device.getLoc()),
                                         device.getName());
  b.setInsertionPointToStart(raised.getBody());
  for (Operation &op : llvm::make_early_inc_range(*work->getBody()))
    if (!isa<func::FuncOp>(op)) {
      op.remove();
      b.insert(&op);
    }
  for (auto function :
       llvm::make_early_inc_range(work->getOps<func::FuncOp>())) {
    if (function.isExternal()) {
      function->remove();
      b.insert(function);
    } else {
      if (auto unroll = unrolled.lookup(function.getName()))
        markUnroll(function, unroll);
      auto name = names.find(function.getName());
      gpu::GPUFuncOp kernel = toGPU(b, function);
      if (name != names.end())
        kernel.setName(name->second);
    }
  }
  b.setInsertionPointAfter(raised);
  return success();
}

LogicalResult StructuredRaiser::raise(LaunchPlanOpInterface plan,
                                      VariantOp variant,
                                      TargetAttrInterface target) {
  OpBuilder b = OpBuilder::atBlockEnd(&variant.getBody().front());
  llvm::StringMap<std::string> names = plainNames(plan);
  for (Operation &op : plan.getBody().front()) {
    if (auto device = dyn_cast<gpu::GPUModuleOp>(op)) {
      if (failed(raiseModule(b, device, plan, target, names)))
        return failure();
      continue;
    }
    auto launch = dyn_cast<LaunchOp>(b.clone(op));
    if (!launch)
      continue;
    auto name = names.find(launch.getCallee().getLeafReference().getValue());
    if (name != names.end())
      launch.setCalleeAttr(SymbolRefAttr::get(
          launch.getCallee().getRootReference(),
          {FlatSymbolRefAttr::get(b.getContext(), name->second)}));
  }
  return success();
}

std::unique_ptr<Raiser> evo::createStructuredRaiser() {
  return std::make_unique<StructuredRaiser>();
}
