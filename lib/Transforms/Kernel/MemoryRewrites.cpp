// Rewrites of memory accesses and of the branches around them, with the
// launches that go with them.
#include "IfConversion.h"
#include "RedundantLoads.h"
#include "Rewriter.h"
#include "evo/Target/TargetInfo.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace evo;

FailureOr<ExprAttr> Rewriter::simplify(const std::string &text) {
  FailureOr<ExprAttr> formula = makeFormula(text);
  if (failed(formula))
    return failure();
  llvm::Expected<int64_t> literal = formula->getValue().evaluate({});
  if (literal)
    return makeNumber(*literal);
  llvm::consumeError(literal.takeError());
  return formula;
}

FailureOr<ExprAttr> Rewriter::countElements(LaunchOp launch,
                                            const ReducedArray &array) {
  StringRef name = cast<ExprAttr>(launch.getArgs()[array.parameter]).getText();
  SmallVector<StringRef> dims;
  Type type;
  if (ArgumentAttr buffer =
          cast<KernelOp>(variant->getParentOp()).lookupArgument(name)) {
    dims = buffer.getDimStrings();
    type = buffer.getElementType();
  }
  if (ScratchOp scratch = LaunchPlanOpInterface(variant).lookupScratch(name)) {
    dims = scratch.getDimStrings();
    type = scratch.getElementType();
  }
  if (!type || !type.isIntOrFloat() ||
      type.getIntOrFloatBitWidth() != array.type->getScalarSizeInBits())
    return emitError(loc)
           << "'" << name
           << "' is no buffer of elements of the type that atomics update";
  std::string text;
  for (StringRef dim : dims)
    text += (text.empty() ? "(" : " * (") + dim.str() + ")";
  return simplify(text.empty() ? "1" : text);
}

LogicalResult Rewriter::addCopies(LaunchOp launch,
                                  ArrayRef<ReducedArray> arrays) {
  // Static limit of shared memory per block on every target.
  constexpr int64_t maxBytes = target::TargetInfo::sharedPerBlockDefault;
  Builder b(variant.getContext());
  SmallVector<Attribute> args(launch.getArgs().getValue());
  std::string bytes;
  for (const ReducedArray &array : arrays) {
    FailureOr<ExprAttr> count = countElements(launch, array);
    if (failed(count))
      return failure();
    args.push_back(*count);
    std::string width = std::to_string(array.type->getScalarSizeInBits() / 8),
                unit = std::to_string(copyAlignment);
    bytes += (bytes.empty() ? "" : " + ") + unit + " * ceildiv(" + width +
             " * (" + count->getText().str() + "), " + unit + ")";
  }
  FailureOr<ExprAttr> shared = simplify(bytes);
  if (failed(shared))
    return failure();
  launch.setArgsAttr(b.getArrayAttr(args));
  launch.setSharedAttr(*shared);
  std::optional<int64_t> literal = shared->getValue().getAsConstant();
  if (!literal)
    return require(shared->getText().str() + " <= " + std::to_string(maxBytes));
  if (*literal > maxBytes)
    return emitError(loc) << "the private copies of a block would take "
                          << *literal << " bytes of shared memory";
  return success();
}

LogicalResult Rewriter::privatize() {
  if (failed(beginEdit()))
    return failure();
  // Of several kernels, those without such arrays stay as they are.
  std::string refusal;
  bool any = false;
  for (auto &[name, launches] : launchesByKernel()) {
    llvm::Function *kernel = edit->getKernel(launches[0]);
    auto arrays = findReducedArrays(*kernel);
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

LogicalResult Rewriter::ifConvert() {
  if (failed(beginEdit()))
    return failure();
  for (auto &[name, launches] : launchesByKernel())
    if (llvm::Error error = evo::ifConvert(*edit->getKernel(launches[0])))
      return emitError(loc) << llvm::toString(std::move(error));
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
              contract.lookupArgument(cast<ExprAttr>(name).getText());
          return buffer && buffer.isBuffer() &&
                 llvm::count(launch.getArgs(), name) == 1;
        }))
      buffers.push_back(&parameter);
  return buffers;
}

LogicalResult Rewriter::eliminateLoads() {
  if (failed(beginEdit()))
    return failure();
  // Of several kernels, those without redundant loads stay as they are.
  std::string refusal;
  bool any = false;
  for (auto &[name, launches] : launchesByKernel()) {
    llvm::Function *kernel = edit->getKernel(launches[0]);
    if (llvm::Error error =
            evo::eliminateLoads(*kernel, getBuffers(*kernel, launches)))
      refusal = llvm::toString(std::move(error));
    else
      any = true;
  }
  if (!any)
    return emitError(loc) << refusal;
  return success();
}
