// Launch operands as formulas over the contract's names.
#include "PlanFromHost.h"
#include "evo/Support/IntExpr.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace evo;

namespace {
class FormulaBuilder {
public:
  explicit FormulaBuilder(KernelOp kernel) : kernel(kernel) {}

  /// The text of an integer value; emits an error where there is none.
  FailureOr<std::string> formula(Value value);
  /// The contract's argument that a memref is.
  FailureOr<ArgumentAttr> buffer(Value value);

private:
  KernelOp kernel;
  std::string print(AffineExpr expr, unsigned numDims,
                    ArrayRef<std::string> operands);
};
} // namespace

std::string FormulaBuilder::print(AffineExpr expr, unsigned numDims,
                                  ArrayRef<std::string> operands) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return std::to_string(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return operands[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return operands[numDims + symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  std::string lhs = print(binary.getLHS(), numDims, operands);
  std::string rhs = print(binary.getRHS(), numDims, operands);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return "(" + lhs + " + " + rhs + ")";
  case AffineExprKind::Mul:
    return "(" + lhs + " * " + rhs + ")";
  case AffineExprKind::Mod:
    return "(" + lhs + " % " + rhs + ")";
  case AffineExprKind::FloorDiv:
    return "(" + lhs + " / " + rhs + ")";
  default:
    return "ceildiv(" + lhs + ", " + rhs + ")";
  }
}

FailureOr<ArgumentAttr> FormulaBuilder::buffer(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    if (argument.getArgNumber() < kernel.getArgsAttr().size())
      return cast<ArgumentAttr>(kernel.getArgsAttr()[argument.getArgNumber()]);
  emitError(value.getLoc()) << "a kernel takes a buffer that is no argument of "
                               "the contract";
  return failure();
}

FailureOr<std::string> FormulaBuilder::formula(Value value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return std::to_string(*constant);
  Operation *op = value.getDefiningOp();
  if (auto dim = dyn_cast_or_null<memref::DimOp>(op)) {
    FailureOr<ArgumentAttr> arg = buffer(dim.getSource());
    std::optional<int64_t> index = dim.getConstantIndex();
    if (failed(arg) || !index)
      return failure();
    return "(" + arg->getDimStrings()[*index].str() + ")";
  }
  if (auto apply = dyn_cast_or_null<affine::AffineApplyOp>(op)) {
    SmallVector<std::string> operands;
    for (Value operand : apply.getMapOperands()) {
      FailureOr<std::string> text = formula(operand);
      if (failed(text))
        return failure();
      operands.push_back(*text);
    }
    AffineMap map = apply.getAffineMap();
    return print(map.getResult(0), map.getNumDims(), operands);
  }
  const char *infix = nullptr;
  if (isa_and_nonnull<arith::AddIOp>(op))
    infix = " + ";
  else if (isa_and_nonnull<arith::SubIOp>(op))
    infix = " - ";
  else if (isa_and_nonnull<arith::MulIOp>(op))
    infix = " * ";
  if (infix || isa_and_nonnull<arith::CeilDivSIOp, arith::CeilDivUIOp>(op)) {
    FailureOr<std::string> lhs = formula(op->getOperand(0));
    FailureOr<std::string> rhs = formula(op->getOperand(1));
    if (failed(lhs) || failed(rhs))
      return failure();
    return infix ? "(" + *lhs + infix + *rhs + ")"
                 : "ceildiv(" + *lhs + ", " + *rhs + ")";
  }
  if (isa_and_nonnull<arith::IndexCastOp>(op))
    return formula(op->getOperand(0));
  emitError(value.getLoc()) << "a launch depends on a value that is no formula "
                               "of the sizes";
  return failure();
}

/// Canonical text, so that equal formulas are equal strings.
static std::string canonical(StringRef text) {
  return llvm::cantFail(IntExpr::parse(text)).str();
}

static LogicalResult addLaunch(VariantOp variant, gpu::LaunchFuncOp launch,
                               FormulaBuilder &formulas) {
  auto texts = [&](std::initializer_list<Value> values,
                   SmallVectorImpl<std::string> &result) -> LogicalResult {
    for (Value value : values) {
      FailureOr<std::string> text = formulas.formula(value);
      if (failed(text))
        return failure();
      result.push_back(canonical(*text));
    }
    return success();
  };
  SmallVector<std::string> grid, block, args, shared;
  gpu::KernelDim3 gridDim = launch.getGridSizeOperandValues();
  gpu::KernelDim3 blockDim = launch.getBlockSizeOperandValues();
  if (failed(texts({gridDim.x, gridDim.y, gridDim.z}, grid)) ||
      failed(texts({blockDim.x, blockDim.y, blockDim.z}, block)))
    return failure();
  if (Value bytes = launch.getDynamicSharedMemorySize())
    if (failed(texts({bytes}, shared)))
      return failure();
  for (Value operand : launch.getKernelOperands()) {
    if (!isa<MemRefType>(operand.getType())) {
      FailureOr<std::string> text = formulas.formula(operand);
      if (failed(text))
        return failure();
      args.push_back(canonical(*text));
      continue;
    }
    FailureOr<ArgumentAttr> arg = formulas.buffer(operand);
    if (failed(arg))
      return failure();
    appendDescriptor(*arg, args);
  }
  OpBuilder b = OpBuilder::atBlockEnd(&variant.getBody().front());
  auto array = [&](ArrayRef<std::string> list) {
    SmallVector<StringRef> views(list.begin(), list.end());
    return b.getStrArrayAttr(views);
  };
  LaunchOp::create(
      b, launch.getLoc(), launch.getKernelAttr(), array(grid), array(block),
      shared.empty() || shared[0] == "0" ? StringAttr()
                                         : b.getStringAttr(shared[0]),
      array(args));
  return success();
}

LogicalResult evo::buildPlanFromHost(VariantOp variant, ModuleOp module,
                                     func::FuncOp host) {
  FormulaBuilder formulas(cast<KernelOp>(variant->getParentOp()));
  WalkResult result = host.walk([&](gpu::LaunchFuncOp launch) {
    return failed(addLaunch(variant, launch, formulas))
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  for (auto device :
       llvm::make_early_inc_range(module.getOps<gpu::GPUModuleOp>())) {
    device->moveBefore(&variant.getBody().front(),
                       variant.getBody().front().end());
    // Vectors of up to 16 bytes move through shared memory; the lowering of
    // memrefs leaves such arrays with the alignment of their element.
    for (auto global : device.getOps<LLVM::GlobalOp>())
      if (global.getAddrSpace() == 3 && global.getAlignment().value_or(0) < 16)
        global.setAlignment(16);
    for (auto function : device.getOps<LLVM::LLVMFuncOp>())
      if (function->hasAttr(gpu::GPUDialect::getKernelFuncAttrName()) ||
          function->hasAttr("nvvm.kernel"))
        function.setCConv(LLVM::CConv::PTX_Kernel);
  }
  if (variant.getBody().getOps<LaunchOp>().empty())
    return host.emitError("the schedule left no kernel launch");
  return success();
}
