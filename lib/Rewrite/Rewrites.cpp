// Launch shape and loop rewrites, and the reading of all rewrites.
#include "evo/Rewrite/Rewrites.h"
#include "Rewriter.h"
#include "Slices.h"
#include "evo/Support/IntExpr.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Target/LLVMIR/TypeFromLLVM.h"
#include "llvm/Demangle/Demangle.h"

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

static LogicalResult setBlock(ArrayRef<LaunchOp> launches,
                              ArrayRef<int64_t> block, Location loc) {
  for (LaunchOp launch : launches) {
    Builder b(launch.getContext());
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

/// Whether a loop is marked not to be unrolled.
static bool isKept(LLVM::LoopAnnotationAttr annotation) {
  return annotation && annotation.getUnroll() &&
         annotation.getUnroll().getDisable() &&
         annotation.getUnroll().getDisable().getValue();
}

/// Whether a kernel's symbol is `name`, or is what a compiler made of it.
static bool isNamed(StringRef symbol, StringRef name) {
  if (symbol == name)
    return true;
  std::string written = llvm::demangle(symbol);
  StringRef rest = written;
  rest.consume_front("void ");
  return rest.take_until([](char c) { return c == '(' || c == '<'; }) == name;
}

/// Marks the latch of every loop: a branch to a block that dominates it. With
/// `only`, of the loops in that kernel.
static void setUnroll(VariantOp variant, int64_t count, StringRef only) {
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
    if (function.isExternal() || (!only.empty() && function.getName() != only))
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

/// Applies `set` to the kernel that each of `launches` names.
static void forEachKernel(VariantOp variant, ArrayRef<LaunchOp> launches,
                          function_ref<void(LLVM::LLVMFuncOp, LaunchOp)> set) {
  for (LaunchOp launch : launches)
    if (auto function = dyn_cast_or_null<LLVM::LLVMFuncOp>(
            SymbolTable::lookupSymbolIn(variant, launch.getCallee())))
      set(function, launch);
}

static LogicalResult setBounds(VariantOp variant, ArrayRef<LaunchOp> launches,
                               Location loc) {
  bool literal = true;
  forEachKernel(variant, launches,
                [&](LLVM::LLVMFuncOp function, LaunchOp launch) {
                  SmallVector<int32_t> extents;
                  for (auto text : launch.getBlock().getAsRange<StringAttr>()) {
                    int32_t extent = 0;
                    literal &= !text.getValue().getAsInteger(10, extent);
                    extents.push_back(extent);
                  }
                  function->setAttr(
                      NVVM::NVVMDialect::getMaxntidAttrName(),
                      DenseI32ArrayAttr::get(variant.getContext(), extents));
                });
  if (!literal)
    return emitError(loc) << "'bounds' needs literal block extents";
  return success();
}

LogicalResult Rewriter::beginEdit() {
  if (edit)
    return success();
  FailureOr<std::unique_ptr<DeviceEdit>> opened =
      DeviceEdit::open(variant, loc);
  if (failed(opened))
    return failure();
  edit = std::move(*opened);
  return success();
}

/// Writes down what is required so far: the rewrites that follow can use it.
void Rewriter::addFacts() {
  if (!hasFacts)
    edit->addFacts();
  hasFacts = true;
}

LogicalResult Rewriter::finish() {
  if (!edit)
    return success();
  addFacts();
  LogicalResult result = edit->commit();
  edit.reset();
  return result;
}

SmallVector<LaunchOp> Rewriter::launches() {
  return llvm::filter_to_vector(
      variant.getBody().getOps<LaunchOp>(), [&](LaunchOp launch) {
        return only.empty() ||
               isNamed(launch.getCallee().getLeafReference(), only);
      });
}

llvm::MapVector<StringAttr, SmallVector<LaunchOp>>
Rewriter::launchesByKernel() {
  llvm::MapVector<StringAttr, SmallVector<LaunchOp>> result;
  for (LaunchOp launch : launches())
    result[launch.getCallee().getLeafReference()].push_back(launch);
  return result;
}

LogicalResult Rewriter::restrict(ArrayRef<StringRef> words) {
  if (words.size() > 1)
    return emitError(loc) << "expected the name of one kernel, or none";
  only = words.empty() ? "" : words.front().str();
  if (launches().empty())
    return emitError(loc) << "no launch names a kernel '" << only << "'";
  return success();
}

FailureOr<SmallVector<int64_t>>
Rewriter::getBlock(ArrayRef<LaunchOp> launches) {
  SmallVector<int64_t> block;
  LaunchOp first = launches.front();
  for (auto text : first.getBlock().getAsRange<StringAttr>()) {
    int64_t extent;
    if (text.getValue().getAsInteger(10, extent))
      return emitError(loc)
                 << "the block extent '" << text.getValue()
                 << "' is no literal, so it cannot be multiplied or divided",
             failure();
    block.push_back(extent);
  }
  for (LaunchOp launch : launches)
    if (launch.getBlock() != first.getBlock())
      return emitError(loc)
                 << "'" << launch.getCallee().getLeafReference().getValue()
                 << "' is launched with blocks of more than one shape",
             failure();
  return block;
}

LogicalResult Rewriter::parseNumbers(ArrayRef<StringRef> words, unsigned count,
                                     SmallVectorImpl<int64_t> &numbers) {
  if (words.size() != count)
    return emitError(loc) << "expected " << count << " numbers, found "
                          << words.size();
  for (StringRef word : words) {
    int64_t number;
    if (word.getAsInteger(10, number) || number < 1 || number > 1024)
      return emitError(loc)
             << "expected a number from 1 to 1024, found '" << word << "'";
    numbers.push_back(number);
  }
  return success();
}

LogicalResult Rewriter::parseCoarsening(ArrayRef<StringRef> words,
                                        Coarsening &how) {
  if (!words.empty() && words.back() == "strided") {
    how.isStrided = true;
    words = words.drop_back();
  }
  SmallVector<int64_t> numbers;
  if (failed(parseNumbers(words, 3, numbers)))
    return failure();
  llvm::copy(numbers, how.factors.begin());
  constexpr int64_t most = 64;
  if (numbers[0] * numbers[1] * numbers[2] > most)
    return emitError(loc) << "expected a factor of at most " << most
                          << " in all, found "
                          << numbers[0] * numbers[1] * numbers[2];
  return success();
}

LogicalResult Rewriter::require(StringRef condition) {
  llvm::Expected<Requirement> parsed = Requirement::parse(condition);
  if (!parsed)
    return emitError(loc) << llvm::toString(parsed.takeError());
  auto kernel = cast<KernelOp>(variant->getParentOp());
  SmallVector<StringRef> known = kernel.getDimensionNames();
  for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>())
    if (!arg.isBuffer() && isa<IntegerType>(arg.getElementType()))
      known.push_back(arg.getName());
  std::string unknown;
  parsed->forEachName([&](StringRef name) {
    if (!llvm::is_contained(known, name))
      unknown = name.str();
  });
  if (!unknown.empty())
    return emitError(loc) << "'" << unknown
                          << "' is no dimension and no integer argument";
  Builder b(variant.getContext());
  SmallVector<Attribute> all;
  if (ArrayAttr old = variant.getRequirementsAttr())
    llvm::append_range(all, old);
  all.push_back(b.getStringAttr(parsed->str()));
  variant.setRequirementsAttr(b.getArrayAttr(all));
  hasFacts = false;
  return beginEdit();
}

LogicalResult Rewriter::coarsenThreads(const Coarsening &how) {
  if (how.getNumCopies() == 1)
    return success();
  if (failed(beginEdit()))
    return failure();
  if (areThreadsCoarsened)
    return emitError(loc) << "threads are regrouped once";
  areThreadsCoarsened = true;
  addFacts();
  Builder b(variant.getContext());
  for (auto &[name, launches] : launchesByKernel()) {
    FailureOr<SmallVector<int64_t>> block = getBlock(launches);
    if (failed(block))
      return failure();
    llvm::Function *kernel = edit->getKernel(launches[0]);
    if (llvm::Error error = evo::coarsenThreads(*kernel, how, *block))
      return emitError(loc) << llvm::toString(std::move(error));
    SmallVector<Attribute> extents;
    for (unsigned i = 0; i < 3; ++i)
      extents.push_back(
          b.getStringAttr(std::to_string((*block)[i] / how.factors[i])));
    for (LaunchOp launch : launches)
      launch.setBlockAttr(b.getArrayAttr(extents));
  }
  return success();
}

LogicalResult Rewriter::formTeams(const Teams &how) {
  if (failed(beginEdit()))
    return failure();
  if (areThreadsCoarsened)
    return emitError(loc) << "threads are regrouped once";
  areThreadsCoarsened = true;
  edit->prepareLoops();
  // Of several kernels, those without a loop to deal out stay as they are.
  std::string refusal;
  bool any = false;
  for (auto &[name, launches] : launchesByKernel()) {
    FailureOr<SmallVector<int64_t>> block = getBlock(launches);
    if (failed(block))
      return failure();
    llvm::Function *kernel = edit->getKernel(launches[0]);
    if (llvm::Error error = evo::formTeams(*kernel, how, *block)) {
      refusal = llvm::toString(std::move(error));
      continue;
    }
    any = true;
    (*block)[0] *= how.size;
    Builder b(variant.getContext());
    SmallVector<Attribute> extents;
    for (int64_t extent : *block)
      extents.push_back(b.getStringAttr(std::to_string(extent)));
    for (LaunchOp launch : launches)
      launch.setBlockAttr(b.getArrayAttr(extents));
  }
  if (!any)
    return emitError(loc) << refusal;
  return success();
}

LogicalResult Rewriter::cutIntoSlices(unsigned count) {
  if (failed(beginEdit()))
    return failure();
  if (areThreadsCoarsened)
    return emitError(loc) << "slices are cut before threads are regrouped";
  OpBuilder b(variant.getContext());
  auto contract = cast<KernelOp>(variant->getParentOp());
  for (auto &[name, launches] : launchesByKernel()) {
    FailureOr<SmallVector<int64_t>> block = getBlock(launches);
    if (failed(block))
      return failure();
    LaunchOp launch = launches.front();
    auto extent = [&](unsigned dim) {
      return cast<StringAttr>(launch.getGrid()[dim]).getValue();
    };
    if (launches.size() > 1 || (*block)[1] != 1 || (*block)[2] != 1 ||
        extent(1) != "1" || extent(2) != "1")
      return emitError(loc) << "slices are cut of one launch of a line of "
                               "threads in a line of blocks";
    llvm::Expected<Slices> slices =
        evo::cutIntoSlices(*edit->getKernel(launch), count);
    if (!slices)
      return emitError(loc) << llvm::toString(slices.takeError());
    Type type = LLVM::TypeFromLLVMIRTranslator(*variant.getContext())
                    .translateType(slices->type);
    std::string buffer;
    unsigned serial = 0;
    auto isTaken = [&] {
      return contract.lookupArgument(buffer) ||
             llvm::is_contained(contract.getDimensionNames(), buffer) ||
             llvm::any_of(variant.getBody().getOps<ScratchOp>(),
                          [&](ScratchOp op) { return op.getName() == buffer; });
    };
    do
      buffer = "totals" + std::to_string(serial++);
    while (isTaken());
    std::string size =
        std::to_string(count * (*block)[0]) + " * (" + extent(0).str() + ")";
    size = llvm::cantFail(IntExpr::parse(size)).str();
    b.setInsertionPoint(launch);
    ScratchOp::create(b, loc, b.getStringAttr(buffer), TypeAttr::get(type),
                      b.getStrArrayAttr({size}));
    SmallVector<Attribute> args(launch.getArgs().getValue()),
        grid(launch.getGrid().getValue());
    args.push_back(b.getStringAttr(buffer));
    grid[1] = b.getStringAttr(std::to_string(count));
    launch.setArgsAttr(b.getArrayAttr(args));
    launch.setGridAttr(b.getArrayAttr(grid));
    auto totals = cast<LaunchOp>(b.clone(*launch));
    totals.setCalleeAttr(SymbolRefAttr::get(
        launch.getCallee().getRootReference(),
        FlatSymbolRefAttr::get(b.getContext(),
                               StringRef(slices->totals->getName()))));
  }
  return success();
}

LogicalResult Rewriter::coarsenBlocks(const Coarsening &how) {
  if (how.getNumCopies() == 1)
    return success();
  if (failed(beginEdit()))
    return failure();
  Builder b(variant.getContext());
  for (auto &[name, launches] : launchesByKernel()) {
    llvm::Function *kernel = edit->getKernel(launches[0]);
    if (llvm::Error error = evo::coarsenBlocks(*kernel, how))
      return emitError(loc) << llvm::toString(std::move(error));
    for (LaunchOp launch : launches) {
      SmallVector<Attribute> grid(launch.getGrid().getValue()),
          args(launch.getArgs().getValue());
      for (unsigned i = 0; i < 3; ++i) {
        if (how.factors[i] == 1)
          continue;
        args.push_back(grid[i]);
        std::string text = "ceildiv(" + cast<StringAttr>(grid[i]).str() + ", " +
                           std::to_string(how.factors[i]) + ")";
        grid[i] = b.getStringAttr(llvm::cantFail(IntExpr::parse(text)).str());
      }
      launch.setGridAttr(b.getArrayAttr(grid));
      launch.setArgsAttr(b.getArrayAttr(args));
    }
  }
  return success();
}

LogicalResult Rewriter::apply(StringRef row, Location at) {
  loc = at;
  SmallVector<StringRef> words;
  row.split(words, ' ', -1, /*KeepEmpty=*/false);
  if (words.empty())
    return success();
  ArrayRef<StringRef> rest = ArrayRef(words).drop_front();
  StringRef name = words[0];
  SmallVector<int64_t> numbers;
  if (name == "require")
    return require(row.trim().drop_front(name.size()).trim());
  if (name == "only")
    return restrict(rest);
  if (name == "plane")
    return makePlane(row.trim().drop_front(name.size()).trim());
  if (name == "stack")
    return stackBlocks(rest);
  if (name == "write-out") {
    if (failed(parseNumbers(rest, 0, numbers)) || failed(beginEdit()))
      return failure();
    if (!edit->writeOutLoops())
      return emitError(loc) << "there is no short loop to be written out";
    return success();
  }
  if (name == "privatize" || name == "flatten" || name == "reuse") {
    if (failed(parseNumbers(rest, 0, numbers)))
      return failure();
    return name == "flatten" ? flatten()
           : name == "reuse" ? reuseLoads()
                             : privatize();
  }
  if (name == "teams") {
    Teams how;
    how.dealsOutermost = !rest.empty() && rest.back() == "outermost";
    if (how.dealsOutermost)
      rest = rest.drop_back();
    if (failed(parseNumbers(rest, 1, numbers)))
      return failure();
    how.size = numbers[0];
    return formTeams(how);
  }
  if (name == "slices") {
    if (failed(parseNumbers(rest, 1, numbers)))
      return failure();
    return cutIntoSlices(numbers[0]);
  }
  if (name == "coarsen-threads" || name == "coarsen-blocks") {
    Coarsening how;
    if (failed(parseCoarsening(rest, how)))
      return failure();
    return name == "coarsen-threads" ? coarsenThreads(how) : coarsenBlocks(how);
  }
  if (name == "block" && areThreadsCoarsened)
    return emitError(loc) << "a block's shape is chosen before its threads are "
                             "regrouped";
  if (name == "block")
    return failure(failed(parseNumbers(rest, 3, numbers)) ||
                   failed(setBlock(launches(), numbers, loc)));
  // The others mark functions of the plan, so these have to be there.
  if (failed(finish()))
    return failure();
  if (name == "unroll") {
    if (failed(parseNumbers(rest, 1, numbers)))
      return failure();
    setUnroll(variant, numbers[0], only);
    return success();
  }
  if (name == "bounds")
    return failure(failed(parseNumbers(rest, 0, numbers)) ||
                   failed(setBounds(variant, launches(), loc)));
  if (name == "minblocks") {
    if (failed(parseNumbers(rest, 1, numbers)))
      return failure();
    forEachKernel(
        variant, launches(), [&](LLVM::LLVMFuncOp function, LaunchOp) {
          function->setAttr(
              NVVM::NVVMDialect::getMinctasmAttrName(),
              Builder(variant.getContext()).getI32IntegerAttr(numbers[0]));
        });
    return success();
  }
  return emitError(loc) << "unknown rewrite '" << row
                        << "', expected only K, block X Y Z, require C, "
                           "plane X Y C[; R], stack X Y Z, write-out, flatten, "
                           "coarsen-threads X Y Z, coarsen-blocks X Y Z, "
                           "reuse, privatize, slices N, teams N, unroll N, "
                           "bounds or minblocks N";
}

LogicalResult evo::applyRewrites(VariantOp variant, StringRef text,
                                 StringRef fileName) {
  Rewriter rewriter(variant);
  unsigned line = 0;
  while (!text.empty()) {
    StringRef row;
    std::tie(row, text) = text.split('\n');
    Location loc =
        FileLineColLoc::get(variant.getContext(), fileName, ++line, 1);
    if (failed(rewriter.apply(row, loc)))
      return failure();
  }
  return rewriter.finish();
}
