// Rewrites of how work is distributed over threads and blocks, with the
// launches that go with them.
#include "BlockMerging.h"
#include "LaunchRemapping.h"
#include "ReduceThenScan.h"
#include "Rewriter.h"
#include "evo/Dialect/Evo/IR/Elements.h"
#include "evo/Target/TargetInfo.h"
#include "mlir/IR/Builders.h"
#include "mlir/Target/LLVMIR/TypeFromLLVM.h"

using namespace mlir;
using namespace evo;

LogicalResult Rewriter::coarsenThreads(const Coarsening &how) {
  if (how.getNumCopies() == 1)
    return success();
  if (failed(beginEdit()))
    return failure();
  if (areRedistributed())
    return emitError(loc) << "threads are redistributed once";
  addFacts();
  Builder b(variant.getContext());
  for (auto &[name, launches] : launchesByKernel()) {
    FailureOr<SmallVector<int64_t>> block = getBlock(launches);
    if (failed(block))
      return failure();
    llvm::Function *kernel = edit->getKernel(launches[0]);
    if (llvm::Error error = evo::coarsenThreads(*kernel, how, *block))
      return emitError(loc) << llvm::toString(std::move(error));
    redistributed.insert(name.getValue());
    SmallVector<Attribute> extents;
    for (unsigned i = 0; i < 3; ++i)
      extents.push_back(makeNumber((*block)[i] / how.factors[i]));
    for (LaunchOp launch : launches)
      launch.setBlockAttr(b.getArrayAttr(extents));
  }
  return success();
}

FailureOr<ExprAttr> Rewriter::makeQuotient(Attribute extent, int64_t divisor) {
  return makeFormula("ceildiv(" + cast<ExprAttr>(extent).getText().str() +
                     ", " + std::to_string(divisor) + ")");
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
        FailureOr<ExprAttr> fewer = makeQuotient(grid[i], how.factors[i]);
        if (failed(fewer))
          return failure();
        grid[i] = *fewer;
      }
      launch.setGridAttr(b.getArrayAttr(grid));
      launch.setArgsAttr(b.getArrayAttr(args));
    }
  }
  return success();
}

LogicalResult Rewriter::mergeBlocks(ArrayRef<StringRef> words) {
  Coarsening how;
  if (failed(parseCoarsening(words, how)))
    return failure();
  if (how.isStrided)
    return emitError(loc) << "blocks that are merged are neighbours";
  if (areRedistributed())
    return emitError(loc)
           << "blocks are merged before threads are redistributed";
  if (failed(beginEdit()))
    return failure();
  Builder b(variant.getContext());
  for (auto &[name, launches] : launchesByKernel()) {
    FailureOr<SmallVector<int64_t>> block = getBlock(launches);
    if (failed(block))
      return failure();
    for (auto [extent, factor] : llvm::zip_equal(*block, how.factors))
      if (factor > 1 && extent > 1)
        return emitError(loc) << "blocks are merged along dimensions in which "
                                 "they have one thread";
    if (llvm::Error error =
            evo::mergeBlocks(*edit->getKernel(launches[0]), how.factors))
      return emitError(loc) << llvm::toString(std::move(error));
    for (LaunchOp launch : launches) {
      SmallVector<Attribute> grid(launch.getGrid().getValue()),
          args(launch.getArgs().getValue()), extents;
      for (unsigned i = 0; i < 3; ++i) {
        unsigned factor = how.factors[i];
        extents.push_back(makeNumber((*block)[i] * factor));
        if (factor == 1)
          continue;
        args.push_back(grid[i]);
        FailureOr<ExprAttr> fewer = makeQuotient(grid[i], factor);
        if (failed(fewer))
          return failure();
        grid[i] = *fewer;
      }
      launch.setGridAttr(b.getArrayAttr(grid));
      launch.setArgsAttr(b.getArrayAttr(args));
      launch.setBlockAttr(b.getArrayAttr(extents));
    }
  }
  return success();
}

/// Splits `text` at the first `mark` and trims both parts.
static std::pair<StringRef, StringRef> splitAt(StringRef text, char mark) {
  auto [first, rest] = text.split(mark);
  return {first.trim(), rest.trim()};
}

LogicalResult Rewriter::remapLaunch(StringRef text) {
  SmallVector<int64_t> extents;
  for (unsigned i = 0; i < 2; ++i) {
    auto [word, rest] = splitAt(text, ' ');
    if (failed(parseNumbers(word, 1, extents)))
      return failure();
    text = rest;
  }
  auto [columns, rows] = splitAt(text, ';');
  SmallVector<std::string> sizes;
  for (StringRef size : {columns, rows}) {
    if (size.empty() && !sizes.empty())
      continue;
    FailureOr<ExprAttr> formula = makeFormula(size.str());
    if (failed(formula))
      return failure();
    sizes.push_back("(" + formula->getText().str() + ")");
  }
  if (failed(beginEdit()))
    return failure();
  if (areRedistributed())
    return emitError(loc) << "a launch is remapped before threads are "
                             "redistributed";
  Builder b(variant.getContext());
  for (auto &[name, launches] : launchesByKernel()) {
    FailureOr<SmallVector<int64_t>> block = getBlock(launches);
    if (failed(block))
      return failure();
    for (LaunchOp launch : launches)
      for (unsigned dim : {1, 2})
        if ((*block)[dim] != 1 ||
            cast<ExprAttr>(launch.getGrid()[dim]).getValue().getAsConstant() !=
                1)
          return emitError(loc) << "a launch is remapped from a 1-D grid of "
                                   "1-D blocks";
    llvm::Expected<bool> needsFewThreads = evo::remapLaunch(
        *edit->getKernel(launches[0]), static_cast<unsigned>(sizes.size()));
    if (!needsFewThreads)
      return emitError(loc) << llvm::toString(needsFewThreads.takeError());
    for (LaunchOp launch : launches) {
      // The old number of threads, divided by the sizes.
      std::string rest = std::to_string((*block)[0]) + " * (" +
                         cast<ExprAttr>(launch.getGrid()[0]).getText().str() +
                         ")";
      if (*needsFewThreads &&
          failed(require(
              rest + " <= " + std::to_string(target::TargetInfo::maxGrid[0]))))
        return failure();
      std::string last = sizes[0];
      if (sizes.size() > 1)
        last += " * " + sizes[1];
      rest = "ceildiv(" + rest + ", max(1, " + last + "))";
      std::string x = std::to_string(extents[0]),
                  y = std::to_string(extents[1]);
      std::string grid[3] = {"ceildiv(" + sizes[0] + ", " + x + ")",
                             "ceildiv(" + rest + ", " + y + ")", "1"};
      if (sizes.size() > 1) {
        grid[1] = "ceildiv(" + sizes[1] + ", " + y + ")";
        grid[2] = rest;
      }
      SmallVector<Attribute> exprs;
      for (unsigned dim = 0; dim < 3; ++dim) {
        FailureOr<ExprAttr> extent = makeFormula(grid[dim]);
        if (failed(extent))
          return failure();
        exprs.push_back(*extent);
        if (dim > 0 && extent->getValue().getAsConstant() != 1 &&
            failed(require(extent->getText().str() + " <= " +
                           std::to_string(target::TargetInfo::maxGrid[dim]))))
          return failure();
      }
      launch.setGridAttr(b.getArrayAttr(exprs));
      launch.setBlockAttr(ExprAttr::getArray(b.getContext(), {x, y, "1"}));
    }
  }
  return success();
}

LogicalResult Rewriter::distributeLoops(const LoopDistribution &how) {
  if (failed(beginEdit()))
    return failure();
  if (areRedistributed())
    return emitError(loc) << "threads are redistributed once";
  edit->prepareLoops();
  // Of several kernels, those without a loop to distribute stay as they are.
  std::string refusal;
  bool any = false;
  for (auto &[name, launches] : launchesByKernel()) {
    FailureOr<SmallVector<int64_t>> block = getBlock(launches);
    if (failed(block))
      return failure();
    llvm::Function *kernel = edit->getKernel(launches[0]);
    if (llvm::Error error = evo::distributeLoops(*kernel, how, *block)) {
      refusal = llvm::toString(std::move(error));
      continue;
    }
    any = true;
    redistributed.insert(name.getValue());
    (*block)[0] *= how.groupSize;
    Builder b(variant.getContext());
    SmallVector<Attribute> extents;
    for (int64_t extent : *block)
      extents.push_back(makeNumber(extent));
    for (LaunchOp launch : launches)
      launch.setBlockAttr(b.getArrayAttr(extents));
  }
  if (!any)
    return emitError(loc) << refusal;
  return success();
}

LogicalResult Rewriter::reduceThenScan(unsigned count) {
  if (failed(beginEdit()))
    return failure();
  if (areRedistributed())
    return emitError(loc) << "reduce-then-scan comes before threads are "
                             "redistributed";
  OpBuilder b(variant.getContext());
  auto contract = cast<KernelOp>(variant->getParentOp());
  for (auto &[name, launches] : launchesByKernel()) {
    FailureOr<SmallVector<int64_t>> block = getBlock(launches);
    if (failed(block))
      return failure();
    LaunchOp launch = launches.front();
    auto extent = [&](unsigned dim) {
      return cast<ExprAttr>(launch.getGrid()[dim]);
    };
    if (launches.size() > 1 || (*block)[1] != 1 || (*block)[2] != 1 ||
        extent(1).getValue().getAsConstant() != 1 ||
        extent(2).getValue().getAsConstant() != 1)
      return emitError(loc)
             << "reduce-then-scan needs one launch of a 1-D grid of "
                "1-D blocks";
    llvm::Expected<ReduceThenScan> split =
        evo::reduceThenScan(*edit->getKernel(launch), count);
    if (!split)
      return emitError(loc) << llvm::toString(split.takeError());
    Type type = LLVM::TypeFromLLVMIRTranslator(*variant.getContext())
                    .translateType(split->type);
    if (!isSupportedElement(type))
      return emitError(loc)
             << "no buffer holds a scanned value of type " << type;
    std::string buffer;
    unsigned serial = 0;
    auto isTaken = [&] {
      return contract.lookupArgument(buffer) ||
             llvm::is_contained(contract.getDimensionNames(), buffer) ||
             LaunchPlanOpInterface(variant).lookupScratch(buffer);
    };
    do
      buffer = "totals" + std::to_string(serial++);
    while (isTaken());
    FailureOr<ExprAttr> size =
        makeFormula(std::to_string(count * (*block)[0]) + " * (" +
                    extent(0).getText().str() + ")");
    if (failed(size))
      return failure();
    originals[split->totals->getName()] = name.str();
    b.setInsertionPoint(launch);
    ScratchOp::create(b, loc, b.getStringAttr(buffer), TypeAttr::get(type),
                      b.getArrayAttr({*size}));
    SmallVector<Attribute> args(launch.getArgs().getValue()),
        grid(launch.getGrid().getValue());
    args.push_back(ExprAttr::get(b.getContext(), buffer));
    grid[1] = makeNumber(count);
    launch.setArgsAttr(b.getArrayAttr(args));
    launch.setGridAttr(b.getArrayAttr(grid));
    auto totals = cast<LaunchOp>(b.clone(*launch));
    totals.setCalleeAttr(SymbolRefAttr::get(
        launch.getCallee().getRootReference(),
        FlatSymbolRefAttr::get(b.getContext(),
                               StringRef(split->totals->getName()))));
  }
  return success();
}
