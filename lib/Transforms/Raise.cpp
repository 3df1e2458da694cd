// Raising by guess and check: the contract's shapes suggest what a kernel may
// compute, the verifier says whether it does. A wrong guess costs a few
// milliseconds; a right one opens every schedule to the kernel.
#include "evo/Search/Backends.h"
#include "evo/Transforms/Passes.h"

using namespace mlir;

namespace evo {
#define GEN_PASS_DEF_RAISE
#include "evo/Transforms/Passes.h.inc"

namespace {
struct RaisePass : impl::RaiseBase<RaisePass> {
  using RaiseBase::RaiseBase;
  void runOnOperation() override;
  bool check(KernelOp kernel, func::FuncOp guess, Verifier &verifier);
};
} // namespace

/// The tensor type of a buffer argument, all extents dynamic.
static RankedTensorType tensorOf(ArgumentAttr arg) {
  SmallVector<int64_t> shape(arg.getDimStrings().size(), ShapedType::kDynamic);
  return RankedTensorType::get(shape, arg.getElementType());
}

/// An empty function over the contract's arguments that returns the last.
static func::FuncOp createFunction(OpBuilder &b, KernelOp kernel) {
  SmallVector<Type> types;
  for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>())
    types.push_back(tensorOf(arg));
  auto function = func::FuncOp::create(b, kernel.getLoc(), kernel.getSymName(),
                                       b.getFunctionType(types, types.back()));
  function.addEntryBlock();
  b.setInsertionPointToStart(&function.getBody().front());
  return function;
}

static func::FuncOp guessMatmul(OpBuilder b, KernelOp kernel) {
  func::FuncOp function = createFunction(b, kernel);
  b.setInsertionPointToStart(&function.getBody().front());
  Location loc = kernel.getLoc();
  Value out = function.getArgument(2);
  Type element = cast<ShapedType>(out.getType()).getElementType();
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
  Value init = linalg::FillOp::create(b, loc, zero, out).getResult(0);
  Value product =
      linalg::MatmulOp::create(
          b, loc, out.getType(),
          ValueRange{function.getArgument(0), function.getArgument(1)}, init)
          .getResult(0);
  func::ReturnOp::create(b, loc, product);
  return function;
}

static func::FuncOp guessSoftmax(OpBuilder b, KernelOp kernel) {
  func::FuncOp function = createFunction(b, kernel);
  b.setInsertionPointToStart(&function.getBody().front());
  Location loc = kernel.getLoc();
  Value in = function.getArgument(0), out = function.getArgument(1);
  int64_t last = cast<RankedTensorType>(in.getType()).getRank() - 1;
  auto softmax = linalg::SoftmaxOp::create(b, loc, TypeRange{out.getType()}, in,
                                           out, b.getI64IntegerAttr(last));
  func::ReturnOp::create(b, loc, softmax->getResults());
  return function;
}

using Guess = func::FuncOp (*)(OpBuilder, KernelOp);

/// Guesses that the shapes allow, likeliest first.
static SmallVector<Guess> guessesFor(KernelOp kernel) {
  SmallVector<Guess> guesses;
  SmallVector<ArgumentAttr> args(
      kernel.getArgsAttr().getAsRange<ArgumentAttr>());
  bool plain = llvm::all_of(args, [](ArgumentAttr arg) {
    return arg.isBuffer() && isa<FloatType>(arg.getElementType()) &&
           arg.getDimStrings().size() == 2;
  });
  if (!plain || args.back().getRole() != Role::Out)
    return guesses;
  auto dims = [&](unsigned i) { return args[i].getDimStrings(); };
  if (args.size() == 3 && dims(0)[0] == dims(2)[0] &&
      dims(1)[1] == dims(2)[1] && dims(0)[1] == dims(1)[0])
    guesses.push_back(guessMatmul);
  if (args.size() == 2 && dims(0) == dims(1))
    guesses.push_back(guessSoftmax);
  return guesses;
}

/// Judges the kernel's own plan as a candidate against the guess.
bool RaisePass::check(KernelOp kernel, func::FuncOp guess, Verifier &verifier) {
  ScopedDiagnosticHandler quiet(&getContext(),
                                [](Diagnostic &) { return success(); });
  OwningOpRef<ModuleOp> module = ModuleOp::create(kernel.getLoc());
  OpBuilder b = OpBuilder::atBlockEnd(module->getBody());
  auto copy = cast<KernelOp>(b.cloneWithoutRegions(*kernel));
  copy.removeBestAttr();
  b.createBlock(&copy.getBody());
  auto reference = ReferenceOp::create(b, kernel.getLoc(), StringAttr());
  auto variant = VariantOp::create(
      b, kernel.getLoc(), b.getStringAttr("reference"), OriginAttr(),
      StringAttr(), ArrayAttr(), DictionaryAttr(), EvidenceAttr(), ArrayAttr(),
      CostAttr(), CostAttr());
  b.createBlock(&reference.getBody());
  b.clone(*guess);
  b.createBlock(&variant.getBody());
  for (Operation &op : kernel.getReference().getBody().front())
    b.clone(op);
  VerificationRequest request;
  request.target = target;
  request.effort = "quick";
  request.seed = seed;
  FailureOr<EvidenceAttr> evidence = verifier.verify(variant, request);
  return succeeded(evidence) && evidence->isAccepted();
}

void RaisePass::runOnOperation() {
  KernelOp kernel = getOperation();
  ReferenceOp reference = kernel.getReference();
  if (!kernel.hasContract() || !reference || !reference.isLaunchPlan() ||
      !kernel.getBody().getOps<RaisedOp>().empty())
    return;
  BackendInterface *backends =
      BackendInterface::get(&getContext(), kernel.getLoc());
  if (!backends || !backends->verifier)
    return signalPassFailure();
  for (Guess guess : guessesFor(kernel)) {
    OpBuilder b(&getContext());
    b.setInsertionPointAfter(reference);
    auto raised = RaisedOp::create(b, kernel.getLoc());
    b.createBlock(&raised.getBody());
    func::FuncOp function = guess(b, kernel);
    if (check(kernel, function, *backends->verifier))
      return;
    raised.erase();
  }
}
} // namespace evo
