// Launch shape and loop rewrites.
#include "evo/Rewrite/Rewrites.h"
#include "evo/Support/IntExpr.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Dominance.h"

using namespace mlir;
using namespace evo;

/// Replaces `ceildiv(e, old)` by `ceildiv(e, wanted)` in a grid formula. Only
/// the canonical spelling is looked for: formulas are printed canonically.
static std::string retile(StringRef formula, int64_t old, int64_t wanted) {
  std::string from = ", " + std::to_string(old) + ")";
  std::string to = ", " + std::to_string(wanted) + ")";
  std::string result = formula.str();
  for (size_t at = 0; (at = result.find(from, at)) != std::string::npos;
       at += to.size())
    result.replace(at, from.size(), to);
  return result;
}

static LogicalResult setBlock(VariantOp variant, ArrayRef<int64_t> block,
                              Location loc) {
  Builder b(variant.getContext());
  for (LaunchOp launch : variant.getBody().getOps<LaunchOp>()) {
    SmallVector<Attribute> grid, extents;
    for (unsigned i = 0; i < 3; ++i) {
      StringRef oldText = cast<StringAttr>(launch.getBlock()[i]).getValue();
      StringRef formula = cast<StringAttr>(launch.getGrid()[i]).getValue();
      int64_t old;
      if (oldText.getAsInteger(10, old))
        return emitError(loc) << "the block extent '" << oldText
                              << "' is no literal, so it cannot be replaced";
      if (old != block[i] && formula == "1" && old != 1)
        return emitError(loc)
               << "the grid does not depend on the block's extent " << i;
      grid.push_back(b.getStringAttr(retile(formula, old, block[i])));
      extents.push_back(b.getStringAttr(std::to_string(block[i])));
    }
    launch.setGridAttr(b.getArrayAttr(grid));
    launch.setBlockAttr(b.getArrayAttr(extents));
  }
  return success();
}

/// Marks the latch of every loop: a branch to a block that dominates it.
static void setUnroll(VariantOp variant, int64_t count) {
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
    if (function.isExternal())
      return;
    DominanceInfo dominance(function);
    for (Block &block : function.getBody()) {
      Operation *terminator = block.getTerminator();
      bool isLatch = llvm::any_of(block.getSuccessors(), [&](Block *to) {
        return dominance.dominates(to, &block);
      });
      if (!isLatch)
        continue;
      if (auto branch = dyn_cast<LLVM::BrOp>(terminator))
        branch.setLoopAnnotationAttr(annotation);
      else if (auto branch = dyn_cast<LLVM::CondBrOp>(terminator))
        branch.setLoopAnnotationAttr(annotation);
    }
  });
}

/// Applies `set` to every kernel that a launch of the plan names.
static void forEachKernel(VariantOp variant,
                          function_ref<void(LLVM::LLVMFuncOp, LaunchOp)> set) {
  for (LaunchOp launch : variant.getBody().getOps<LaunchOp>())
    if (auto function = dyn_cast_or_null<LLVM::LLVMFuncOp>(
            SymbolTable::lookupSymbolIn(variant, launch.getCallee())))
      set(function, launch);
}

static LogicalResult setBounds(VariantOp variant, Location loc) {
  bool literal = true;
  forEachKernel(variant, [&](LLVM::LLVMFuncOp function, LaunchOp launch) {
    SmallVector<int32_t> extents;
    for (auto text : launch.getBlock().getAsRange<StringAttr>()) {
      int32_t extent = 0;
      literal &= !text.getValue().getAsInteger(10, extent);
      extents.push_back(extent);
    }
    function->setAttr(NVVM::NVVMDialect::getMaxntidAttrName(),
                      DenseI32ArrayAttr::get(variant.getContext(), extents));
  });
  if (!literal)
    return emitError(loc) << "'bounds' needs literal block extents";
  return success();
}

LogicalResult evo::applyRewrites(VariantOp variant, StringRef text,
                                 StringRef fileName) {
  MLIRContext *context = variant.getContext();
  unsigned line = 0;
  while (!text.empty()) {
    StringRef row;
    std::tie(row, text) = text.split('\n');
    ++line;
    Location loc = FileLineColLoc::get(context, fileName, line, 1);
    SmallVector<StringRef> words;
    row.split(words, ' ', -1, /*KeepEmpty=*/false);
    if (words.empty())
      continue;
    SmallVector<int64_t> numbers;
    for (StringRef word : ArrayRef(words).drop_front()) {
      int64_t number;
      if (word.getAsInteger(10, number) || number < 1 || number > 1024)
        return emitError(loc)
               << "expected a number from 1 to 1024, found '" << word << "'";
      numbers.push_back(number);
    }
    if (words[0] == "block" && numbers.size() == 3) {
      if (failed(setBlock(variant, numbers, loc)))
        return failure();
    } else if (words[0] == "unroll" && numbers.size() == 1) {
      setUnroll(variant, numbers[0]);
    } else if (words[0] == "bounds" && numbers.empty()) {
      if (failed(setBounds(variant, loc)))
        return failure();
    } else if (words[0] == "minblocks" && numbers.size() == 1) {
      forEachKernel(variant, [&](LLVM::LLVMFuncOp function, LaunchOp) {
        function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                          Builder(context).getI32IntegerAttr(numbers[0]));
      });
    } else {
      return emitError(loc) << "unknown rewrite '" << row
                            << "', expected block X Y Z, unroll N, bounds or "
                               "minblocks N";
    }
  }
  return success();
}
