// Parses the rewrites of a proposal and applies them line by line.
#include "evo/Transforms/Kernel/Rewrites.h"
#include "Rewriter.h"
#include "evo/Target/TargetInfo.h"
#include "mlir/IR/Builders.h"

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

/// Adds the requirements so far as facts, which the following rewrites can use.
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
  auto original = originals.find(symbol);
  return isNamed(
      original == originals.end() ? symbol : StringRef(original->second), only);
}

SmallVector<LaunchOp> Rewriter::launches() {
  return llvm::filter_to_vector(
      variant.getBody().getOps<LaunchOp>(), [&](LaunchOp launch) {
        return isMeant(launch.getCallee().getLeafReference());
      });
}

bool Rewriter::areRedistributed() {
  return llvm::any_of(launches(), [&](LaunchOp launch) {
    return redistributed.contains(launch.getCallee().getLeafReference());
  });
}

FailureOr<ExprAttr> Rewriter::makeFormula(const std::string &text) {
  llvm::Expected<IntExpr> formula = IntExpr::parse(text);
  if (!formula)
    return emitError(loc) << llvm::toString(formula.takeError()), failure();
  return ExprAttr::get(variant.getContext(), *formula);
}

ExprAttr Rewriter::makeNumber(int64_t value) {
  return ExprAttr::get(variant.getContext(), IntExpr::constant(value));
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
  for (auto expr : first.getBlock().getAsRange<ExprAttr>()) {
    std::optional<int64_t> extent = expr.getValue().getAsConstant();
    if (!extent)
      return emitError(loc)
                 << "the block extent '" << expr.getText()
                 << "' is no literal, so it cannot be multiplied or divided",
             failure();
    block.push_back(*extent);
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
  constexpr int64_t max = target::TargetInfo::maxThreadsPerBlock;
  for (StringRef word : words) {
    int64_t number;
    if (word.getAsInteger(10, number) || number < 1 || number > max)
      return emitError(loc) << "expected a number from 1 to " << max
                            << ", found '" << word << "'";
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
  constexpr int64_t maxFactor = 64;
  if (numbers[0] * numbers[1] * numbers[2] > maxFactor)
    return emitError(loc) << "expected a factor of up to " << maxFactor
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
  all.push_back(RequirementAttr::get(b.getContext(), *parsed));
  variant.setRequirementsAttr(b.getArrayAttr(all));
  hasFacts = false;
  return beginEdit();
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
  if (name == "remap-2d")
    return remapLaunch(row.trim().drop_front(name.size()).trim());
  if (name == "merge-blocks")
    return mergeBlocks(rest);
  if (name == "full-unroll") {
    if (failed(parseNumbers(rest, 0, numbers)) || failed(beginEdit()))
      return failure();
    if (!edit->fullyUnrollLoops())
      return emitError(loc)
             << "there is no loop with a small constant trip count";
    return success();
  }
  if (name == "privatize" || name == "if-convert" ||
      name == "eliminate-loads") {
    if (failed(parseNumbers(rest, 0, numbers)))
      return failure();
    return name == "if-convert"        ? ifConvert()
           : name == "eliminate-loads" ? eliminateLoads()
                                       : privatize();
  }
  if (name == "distribute-loops") {
    LoopDistribution how;
    how.isOutermost = !rest.empty() && rest.back() == "outermost";
    if (how.isOutermost)
      rest = rest.drop_back();
    if (failed(parseNumbers(rest, 1, numbers)))
      return failure();
    how.groupSize = numbers[0];
    return distributeLoops(how);
  }
  if (name == "reduce-then-scan") {
    if (failed(parseNumbers(rest, 1, numbers)))
      return failure();
    return reduceThenScan(numbers[0]);
  }
  if (name == "coarsen-threads" || name == "coarsen-blocks") {
    Coarsening how;
    if (failed(parseCoarsening(rest, how)))
      return failure();
    return name == "coarsen-threads" ? coarsenThreads(how) : coarsenBlocks(how);
  }
  if (name == "block" && areRedistributed())
    return emitError(loc) << "a block's shape is set before its threads are "
                             "redistributed";
  if (name == "block")
    return failure(failed(parseNumbers(rest, 3, numbers)) ||
                   failed(setBlock(numbers)));
  // The others annotate functions of the plan, which has to be in the LLVM
  // dialect.
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
                           "remap-2d X Y C[; R], merge-blocks X Y Z, "
                           "full-unroll, if-convert, coarsen-threads X Y Z, "
                           "coarsen-blocks X Y Z, eliminate-loads, privatize, "
                           "reduce-then-scan N, distribute-loops N, unroll N, "
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
