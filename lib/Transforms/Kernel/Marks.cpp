// Rewrites that only annotate launches and functions: block shapes, launch
// bounds, unroll factors.
#include "Rewriter.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Dominance.h"
#include "llvm/Demangle/Demangle.h"

using namespace mlir;
using namespace evo;

bool evo::isNamed(StringRef symbol, StringRef name) {
  if (symbol == name)
    return true;
  std::string demangled = llvm::demangle(symbol);
  StringRef rest = demangled;
  rest.consume_front("void "); // data format: the demangler's
  return rest.take_until([](char c) { return c == '(' || c == '<'; }) == name;
}

static Operation *findKernel(VariantOp variant, LaunchOp launch) {
  return SymbolTable::lookupSymbolIn(variant, launch.getCallee());
}

bool Rewriter::isLowered() {
  WalkResult found =
      variant.walk([](gpu::GPUFuncOp) { return WalkResult::interrupt(); });
  return !found.wasInterrupted();
}

/// The entry `name` of the attributes that a kernel passes through to LLVM: a
/// key and its value.
static ArrayAttr findPassthrough(Operation *kernel, StringRef name) {
  auto function = dyn_cast<LLVM::LLVMFuncOp>(kernel);
  if (ArrayAttr all = function ? function.getPassthroughAttr() : nullptr)
    for (Attribute one : all)
      if (auto pair = dyn_cast<ArrayAttr>(one);
          pair && pair.size() == 2 &&
          pair[0] == Builder(one.getContext()).getStringAttr(name))
        return pair;
  return {};
}

/// The number of threads per block that the attribute `name` of `kernel`
/// states.
static std::optional<int64_t> countThreads(Operation *kernel, StringRef name) {
  SmallVector<int64_t> extents;
  if (auto pair = findPassthrough(kernel, name)) {
    SmallVector<StringRef> words;
    if (auto text = dyn_cast<StringAttr>(pair[1]))
      text.getValue().split(words, ',');
    for (StringRef word : words) {
      extents.push_back(1);
      word.trim().getAsInteger(10, extents.back());
    }
  }
  if (auto attribute = kernel->getAttrOfType<DenseI32ArrayAttr>(name))
    llvm::append_range(extents, attribute.asArrayRef());
  if (extents.empty())
    return std::nullopt;
  return llvm::product_of(extents);
}

/// Sets the attribute `name` of `kernel` to `value`, or removes it.
static void replaceAttribute(Operation *kernel, StringRef name,
                             Attribute value) {
  if (ArrayAttr old = findPassthrough(kernel, name)) {
    auto function = cast<LLVM::LLVMFuncOp>(kernel);
    SmallVector<Attribute> others(function.getPassthroughAttr().getValue());
    llvm::erase(others, old);
    function.setPassthroughAttr(ArrayAttr::get(kernel->getContext(), others));
  }
  if (value)
    kernel->setAttr(name, value);
  else
    kernel->removeAttr(name);
}

/// Adapts what the kernel of `launch` promises about its blocks to `block`.
LogicalResult Rewriter::fitBlock(LaunchOp launch, ArrayRef<int64_t> block) {
  Operation *kernel = findKernel(variant, launch);
  if (!kernel)
    return success();
  auto raised = dyn_cast<gpu::GPUFuncOp>(kernel);
  if (countThreads(kernel, NVVM::NVVMDialect::getReqntidAttrName()) ||
      (raised && raised.getKnownBlockSizeAttr()))
    return emitError(loc) << "the kernel prescribes its block";
  StringRef maxThreads = NVVM::NVVMDialect::getMaxntidAttrName();
  std::optional<int64_t> promised = countThreads(kernel, maxThreads);
  if (!promised || llvm::product_of(block) <= *promised)
    return success();
  replaceAttribute(kernel, maxThreads,
                   DenseI32ArrayAttr::get(variant.getContext(),
                                          llvm::to_vector_of<int32_t>(block)));
  // That was a number of blocks of the old size.
  replaceAttribute(kernel, NVVM::NVVMDialect::getMinctasmAttrName(), {});
  return success();
}

LogicalResult Rewriter::setBlock(ArrayRef<int64_t> block) {
  if (failed(finish()))
    return failure();
  for (LaunchOp launch : launches()) {
    Builder b(launch.getContext());
    SmallVector<Attribute> grid, extents;
    bool changes = false;
    for (unsigned i = 0; i < 3; ++i) {
      auto oldExtent = cast<ExprAttr>(launch.getBlock()[i]);
      const IntExpr &formula = cast<ExprAttr>(launch.getGrid()[i]).getValue();
      std::optional<int64_t> old = oldExtent.getValue().getAsConstant();
      if (!old)
        return emitError(loc) << "the block extent '" << oldExtent.getText()
                              << "' is no literal, so it cannot be replaced";
      if (*old != block[i] && formula.getAsConstant() == 1 && *old != 1)
        return emitError(loc)
               << "the grid does not depend on the block's extent " << i;
      changes |= *old != block[i];
      if (*old != block[i])
        grid.push_back(
            ExprAttr::get(b.getContext(), formula.retile(*old, block[i])));
      else
        grid.push_back(launch.getGrid()[i]);
      extents.push_back(makeNumber(block[i]));
    }
    if (changes && failed(fitBlock(launch, block)))
      return failure();
    launch.setGridAttr(b.getArrayAttr(grid));
    launch.setBlockAttr(b.getArrayAttr(extents));
  }
  return success();
}

/// Whether unrolling a loop is disabled.
static bool isKept(LLVM::LoopAnnotationAttr annotation) {
  return annotation && annotation.getUnroll() &&
         annotation.getUnroll().getDisable() &&
         annotation.getUnroll().getDisable().getValue();
}

/// Annotates the latch of every loop: a branch to a block that dominates it.
void Rewriter::setUnroll(int64_t count) {
  MLIRContext *context = variant.getContext();
  Builder b(context);
  auto unroll = count <= 1
                    ? LLVM::LoopUnrollAttr::get(context, b.getBoolAttr(true),
                                                {}, {}, {}, {}, {}, {})
                    : LLVM::LoopUnrollAttr::get(context, b.getBoolAttr(false),
                                                b.getI32IntegerAttr(count), {},
                                                {}, {}, {}, {});
  auto annotation = LLVM::LoopAnnotationAttr::get(
      context, {}, {}, {}, unroll, {}, {}, {}, {}, {}, {},
      /*mustProgress=*/b.getBoolAttr(true), {}, {}, {}, {});
  variant.walk([&](LLVM::LLVMFuncOp function) {
    if (function.isExternal() || !isMeant(function.getName()))
      return;
    DominanceInfo dominance(function);
    for (Block &block : function.getBody()) {
      Operation *terminator = block.getTerminator();
      bool isLatch = llvm::any_of(block.getSuccessors(), [&](Block *to) {
        return dominance.dominates(to, &block);
      });
      if (!isLatch)
        continue;
      if (auto branch = dyn_cast<LLVM::BrOp>(terminator)) {
        if (!isKept(branch.getLoopAnnotationAttr()))
          branch.setLoopAnnotationAttr(annotation);
      } else if (auto branch = dyn_cast<LLVM::CondBrOp>(terminator)) {
        if (!isKept(branch.getLoopAnnotationAttr()))
          branch.setLoopAnnotationAttr(annotation);
      }
    }
  });
}

LogicalResult Rewriter::setBounds() {
  for (LaunchOp launch : launches()) {
    auto function =
        dyn_cast_or_null<LLVM::LLVMFuncOp>(findKernel(variant, launch));
    if (!function)
      continue;
    SmallVector<int32_t> extents;
    for (auto expr : launch.getBlock().getAsRange<ExprAttr>()) {
      std::optional<int64_t> extent = expr.getValue().getAsConstant();
      if (!extent || !llvm::isInt<32>(*extent))
        return emitError(loc) << "'bounds' needs literal block extents";
      extents.push_back(*extent);
    }
    replaceAttribute(function, NVVM::NVVMDialect::getMaxntidAttrName(),
                     DenseI32ArrayAttr::get(variant.getContext(), extents));
  }
  return success();
}

void Rewriter::setMinBlocks(int64_t count) {
  Builder b(variant.getContext());
  for (LaunchOp launch : launches())
    if (auto function =
            dyn_cast_or_null<LLVM::LLVMFuncOp>(findKernel(variant, launch)))
      replaceAttribute(function, NVVM::NVVMDialect::getMinctasmAttrName(),
                       b.getI32IntegerAttr(count));
}
