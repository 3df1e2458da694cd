// The reading of rewrites, and those that go through threads, blocks and loops.
#include "evo/Transforms/Kernel/Rewrites.h"
#include "Rewriter.h"
#include "Slices.h"
#include "evo/Dialect/Evo/IR/Elements.h"
#include "evo/Support/IntExpr.h"
#include "mlir/IR/Builders.h"
#include "mlir/Target/LLVMIR/TypeFromLLVM.h"

using namespace mlir;
using namespace evo;

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

bool Rewriter::isMeant(StringRef symbol) const {
  if (only.empty())
    return true;
  auto whole = wholes.find(symbol);
  return isNamed(whole == wholes.end() ? symbol : StringRef(whole->second),
                 only);
}

SmallVector<LaunchOp> Rewriter::launches() {
  return llvm::filter_to_vector(
      variant.getBody().getOps<LaunchOp>(), [&](LaunchOp launch) {
        return isMeant(launch.getCallee().getLeafReference());
      });
}

bool Rewriter::areRegrouped() {
  return llvm::any_of(launches(), [&](LaunchOp launch) {
    return regrouped.contains(launch.getCallee().getLeafReference());
  });
}

FailureOr<std::string> Rewriter::parseFormula(const std::string &text) {
  llvm::Expected<IntExpr> formula = IntExpr::parse(text);
  if (!formula)
    return emitError(loc) << llvm::toString(formula.takeError()), failure();
  return formula->str();
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
  if (areRegrouped())
    return emitError(loc) << "threads are regrouped once";
  addFacts();
  Builder b(variant.getContext());
  for (auto &[name, launches] : launchesByKernel()) {
    FailureOr<SmallVector<int64_t>> block = getBlock(launches);
    if (failed(block))
      return failure();
    llvm::Function *kernel = edit->getKernel(launches[0]);
    if (llvm::Error error = evo::coarsenThreads(*kernel, how, *block))
      return emitError(loc) << llvm::toString(std::move(error));
    regrouped.insert(name.getValue());
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
  if (areRegrouped())
    return emitError(loc) << "threads are regrouped once";
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
    regrouped.insert(name.getValue());
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
  if (areRegrouped())
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
    if (!isSupportedElement(type))
      return emitError(loc)
             << "no buffer holds a running value of type " << type;
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
    FailureOr<std::string> size = parseFormula(
        std::to_string(count * (*block)[0]) + " * (" + extent(0).str() + ")");
    if (failed(size))
      return failure();
    wholes[slices->totals->getName()] = name.str();
    b.setInsertionPoint(launch);
    ScratchOp::create(b, loc, b.getStringAttr(buffer), TypeAttr::get(type),
                      b.getStrArrayAttr({*size}));
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
        FailureOr<std::string> fewer =
            parseFormula("ceildiv(" + cast<StringAttr>(grid[i]).str() + ", " +
                         std::to_string(how.factors[i]) + ")");
        if (failed(fewer))
          return failure();
        grid[i] = b.getStringAttr(*fewer);
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
  if (name == "block" && areRegrouped())
    return emitError(loc) << "a block's shape is chosen before its threads are "
                             "regrouped";
  if (name == "block")
    return failure(failed(parseNumbers(rest, 3, numbers)) ||
                   failed(setBlock(numbers)));
  // The others mark functions of the plan, so these have to be there, as LLVM
  // has them.
  if ((!isLowered() && failed(beginEdit())) || failed(finish()))
    return failure();
  if (name == "unroll") {
    if (failed(parseNumbers(rest, 1, numbers)))
      return failure();
    setUnroll(numbers[0]);
    return success();
  }
  if (name == "bounds")
    return failure(failed(parseNumbers(rest, 0, numbers)) ||
                   failed(setBounds()));
  if (name == "minblocks") {
    if (failed(parseNumbers(rest, 1, numbers)))
      return failure();
    setMinBlocks(numbers[0]);
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
