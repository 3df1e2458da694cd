// Rewrites of where threads are and of what they share, with the launches that
// go with them.
#include "Flatten.h"
#include "Plane.h"
#include "Reuse.h"
#include "Rewriter.h"
#include "Stack.h"
#include "evo/Support/IntExpr.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace evo;

FailureOr<std::string> Rewriter::simplify(const std::string &text) {
  FailureOr<std::string> formula = parseFormula(text);
  if (failed(formula))
    return failure();
  llvm::Expected<int64_t> literal =
      llvm::cantFail(IntExpr::parse(*formula)).evaluate({});
  if (literal)
    return std::to_string(*literal);
  llvm::consumeError(literal.takeError());
  return formula;
}

FailureOr<std::string> Rewriter::countElements(LaunchOp launch,
                                               const JoinedArray &array) {
  StringRef name = cast<StringAttr>(launch.getArgs()[array.parameter]);
  SmallVector<StringRef> dims;
  Type type;
  if (ArgumentAttr buffer =
          cast<KernelOp>(variant->getParentOp()).lookupArgument(name)) {
    dims = buffer.getDimStrings();
    type = buffer.getElementType();
  }
  if (ScratchOp scratch = LaunchPlanOpInterface(variant).lookupScratch(name)) {
    for (auto dim : scratch.getDims().getAsRange<StringAttr>())
      dims.push_back(dim);
    type = scratch.getElementType();
  }
  if (!type || !type.isIntOrFloat() ||
      type.getIntOrFloatBitWidth() != array.type->getScalarSizeInBits())
    return emitError(loc) << "'" << name
                          << "' is no buffer of elements as they are joined";
  std::string text;
  for (StringRef dim : dims)
    text += (text.empty() ? "(" : " * (") + dim.str() + ")";
  return simplify(text.empty() ? "1" : text);
}

LogicalResult Rewriter::addCopies(LaunchOp launch,
                                  ArrayRef<JoinedArray> arrays) {
  // What every target gives a block without being asked for more.
  constexpr int64_t most = 48 * 1024;
  Builder b(variant.getContext());
  SmallVector<Attribute> args(launch.getArgs().getValue());
  std::string bytes;
  for (const JoinedArray &array : arrays) {
    FailureOr<std::string> count = countElements(launch, array);
    if (failed(count))
      return failure();
    args.push_back(b.getStringAttr(*count));
    std::string width = std::to_string(array.type->getScalarSizeInBits() / 8),
                unit = std::to_string(copyAlignment);
    bytes += (bytes.empty() ? "" : " + ") + unit + " * ceildiv(" + width +
             " * (" + *count + "), " + unit + ")";
  }
  FailureOr<std::string> shared = simplify(bytes);
  if (failed(shared))
    return failure();
  launch.setArgsAttr(b.getArrayAttr(args));
  launch.setSharedAttr(b.getStringAttr(*shared));
  int64_t literal;
  if (StringRef(*shared).getAsInteger(10, literal))
    return require(*shared + " <= " + std::to_string(most));
  if (literal > most)
    return emitError(loc) << "a block's own copies would take " << literal
                          << " bytes of shared memory";
  return success();
}

LogicalResult Rewriter::privatize() {
  if (failed(beginEdit()))
    return failure();
  // Of several kernels, those that join nothing stay as they are.
  std::string refusal;
  bool any = false;
  for (auto &[name, launches] : launchesByKernel()) {
    llvm::Function *kernel = edit->getKernel(launches[0]);
    auto arrays = findJoinedArrays(*kernel);
    if (!arrays) {
      refusal = llvm::toString(arrays.takeError());
      continue;
    }
    any = true;
    for (LaunchOp launch : launches)
      if (failed(addCopies(launch, *arrays)))
        return failure();
    evo::privatize(*kernel, *arrays);
  }
  if (!any)
    return emitError(loc) << refusal;
  return success();
}

/// Splits `text` at the first `mark`; both parts without blanks around them.
static std::pair<StringRef, StringRef> splitAt(StringRef text, char mark) {
  auto [first, rest] = text.split(mark);
  return {first.trim(), rest.trim()};
}

LogicalResult Rewriter::makePlane(StringRef text) {
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
    llvm::Expected<IntExpr> formula = IntExpr::parse(size);
    if (!formula)
      return emitError(loc) << llvm::toString(formula.takeError());
    sizes.push_back("(" + formula->str() + ")");
  }
  if (failed(beginEdit()))
    return failure();
  if (areRegrouped())
    return emitError(loc) << "a plane is made before threads are regrouped";
  Builder b(variant.getContext());
  for (auto &[name, launches] : launchesByKernel()) {
    FailureOr<SmallVector<int64_t>> block = getBlock(launches);
    if (failed(block))
      return failure();
    for (LaunchOp launch : launches)
      for (unsigned dim : {1, 2})
        if ((*block)[dim] != 1 ||
            cast<StringAttr>(launch.getGrid()[dim]).getValue() != "1")
          return emitError(loc) << "a plane is made of a line of threads in a "
                                   "line of blocks";
    llvm::Expected<bool> needsFewThreads = evo::makePlane(
        *edit->getKernel(launches[0]), static_cast<unsigned>(sizes.size()));
    if (!needsFewThreads)
      return emitError(loc) << llvm::toString(needsFewThreads.takeError());
    for (LaunchOp launch : launches) {
      // Threads as there were, by the sizes.
      std::string rest = std::to_string((*block)[0]) + " * (" +
                         cast<StringAttr>(launch.getGrid()[0]).str() + ")";
      if (*needsFewThreads && failed(require(rest + " <= 2147483647")))
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
      SmallVector<Attribute> texts;
      for (unsigned dim = 0; dim < 3; ++dim) {
        FailureOr<std::string> extent = parseFormula(grid[dim]);
        if (failed(extent))
          return failure();
        texts.push_back(b.getStringAttr(*extent));
        if (dim > 0 && *extent != "1" &&
            failed(require(*extent + " <= 65535"))) // what a grid may have
          return failure();
      }
      launch.setGridAttr(b.getArrayAttr(texts));
      launch.setBlockAttr(b.getStrArrayAttr({x, y, "1"}));
    }
  }
  return success();
}

LogicalResult Rewriter::flatten() {
  if (failed(beginEdit()))
    return failure();
  for (auto &[name, launches] : launchesByKernel())
    if (llvm::Error error = evo::flatten(*edit->getKernel(launches[0])))
      return emitError(loc) << llvm::toString(std::move(error));
  return success();
}

LogicalResult Rewriter::stackBlocks(ArrayRef<StringRef> words) {
  Coarsening how;
  if (failed(parseCoarsening(words, how)))
    return failure();
  if (how.isStrided)
    return emitError(loc) << "blocks that are stacked are neighbours";
  if (areRegrouped())
    return emitError(loc) << "blocks are stacked before threads are regrouped";
  if (failed(beginEdit()))
    return failure();
  Builder b(variant.getContext());
  for (auto &[name, launches] : launchesByKernel()) {
    FailureOr<SmallVector<int64_t>> block = getBlock(launches);
    if (failed(block))
      return failure();
    for (auto [extent, factor] : llvm::zip_equal(*block, how.factors))
      if (factor > 1 && extent > 1)
        return emitError(loc) << "blocks are stacked along dimensions in which "
                                 "they are one thread thick";
    if (llvm::Error error =
            evo::stackBlocks(*edit->getKernel(launches[0]), how.factors))
      return emitError(loc) << llvm::toString(std::move(error));
    for (LaunchOp launch : launches) {
      SmallVector<Attribute> grid(launch.getGrid().getValue()),
          args(launch.getArgs().getValue()), extents;
      for (unsigned i = 0; i < 3; ++i) {
        unsigned factor = how.factors[i];
        extents.push_back(
            b.getStringAttr(std::to_string((*block)[i] * factor)));
        if (factor == 1)
          continue;
        args.push_back(grid[i]);
        FailureOr<std::string> fewer =
            parseFormula("ceildiv(" + cast<StringAttr>(grid[i]).str() + ", " +
                         std::to_string(factor) + ")");
        if (failed(fewer))
          return failure();
        grid[i] = b.getStringAttr(*fewer);
      }
      launch.setGridAttr(b.getArrayAttr(grid));
      launch.setArgsAttr(b.getArrayAttr(args));
      launch.setBlockAttr(b.getArrayAttr(extents));
    }
  }
  return success();
}

SmallVector<llvm::Argument *>
Rewriter::getBuffers(llvm::Function &kernel, ArrayRef<LaunchOp> launches) {
  auto contract = cast<KernelOp>(variant->getParentOp());
  SmallVector<llvm::Argument *> buffers;
  for (llvm::Argument &parameter : kernel.args())
    if (llvm::all_of(launches, [&](LaunchOp launch) {
          if (parameter.getArgNo() >= launch.getArgs().size())
            return false;
          Attribute name = launch.getArgs()[parameter.getArgNo()];
          ArgumentAttr buffer =
              contract.lookupArgument(cast<StringAttr>(name).getValue());
          return buffer && buffer.isBuffer() &&
                 llvm::count(launch.getArgs(), name) == 1;
        }))
      buffers.push_back(&parameter);
  return buffers;
}

LogicalResult Rewriter::reuseLoads() {
  if (failed(beginEdit()))
    return failure();
  // Of several kernels, those that load everything once stay as they are.
  std::string refusal;
  bool any = false;
  for (auto &[name, launches] : launchesByKernel()) {
    llvm::Function *kernel = edit->getKernel(launches[0]);
    if (llvm::Error error =
            evo::reuseLoads(*kernel, getBuffers(*kernel, launches)))
      refusal = llvm::toString(std::move(error));
    else
      any = true;
  }
  if (!any)
    return emitError(loc) << refusal;
  return success();
}
