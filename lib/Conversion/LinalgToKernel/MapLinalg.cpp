// Linalg ops on buffers become GPU kernels. It takes any op with any number of
// dimensions, so that whatever a front end emits can be run and improved upon;
// schedules that know an op better do better.
#include "KernelEmitter.h"
#include "evo/Target/TargetInfo.h"
#include "evo/Transforms/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using linalg::LinalgOp;

namespace evo {
#define GEN_PASS_DEF_MAPLINALG
#include "evo/Transforms/Passes.h.inc"

namespace {
struct MapLinalgPass : impl::MapLinalgBase<MapLinalgPass> {
  using MapLinalgBase::MapLinalgBase;
  void runOnOperation() override;
  LogicalResult checkOptions();
  LogicalResult checkProduct();
  ProductTile tile() const;
};
} // namespace

LogicalResult MapLinalgPass::checkOptions() {
  auto check = [&](StringRef name, int64_t value, int64_t minimum,
                   int64_t maximum) -> LogicalResult {
    if (value >= minimum && value <= maximum)
      return success();
    return getOperation().emitError()
           << "option '" << name << "' is " << value << ", expected " << minimum
           << " to " << maximum;
  };
  constexpr int64_t maxThreads = target::TargetInfo::maxThreadsPerBlock;
  if (failed(check("threads", threads, 1, maxThreads)) ||
      failed(check("columns", columns, 1, 16)) ||
      failed(check("rows", rows, 1, 16)) ||
      failed(check("split", split, 0, 2)) ||
      failed(check("chain", chain, 0, 1)) ||
      failed(check("group", group, 0, 3)) ||
      failed(check("stage", stage, 0, 8)) ||
      failed(check("parts", parts, 1, 1024)) ||
      failed(check("access", access, 0, 64)) ||
      failed(check("hold", hold, 0, 64)) ||
      failed(check("stream", stream, 0, 1)) ||
      failed(check("online", online, 0, 1)) ||
      failed(check("scatter", scatter, 0, 16)) ||
      failed(check("attend", attend, 0, 1)))
    return failure();
  if (failed(checkProduct()))
    return failure();
  const std::pair<StringRef, int64_t> powers[] = {{"access", access},
                                                  {"scatter", scatter}};
  for (auto [name, value] : powers)
    if (value & (value - 1))
      return getOperation().emitError() << "option '" << name << "' is "
                                        << value << ", expected a power of two";
  if ((split || group) && threads % target::warpSize != 0)
    return getOperation().emitError()
           << "option 'threads' is " << threads.getValue()
           << ", expected whole warps where threads share a reduction";
  return success();
}

ProductTile MapLinalgPass::tile() const {
  ProductTile result;
  int64_t *fields[] = {
      &result.rows,       &result.columns,       &result.depth, &result.stages,
      &result.threadRows, &result.threadColumns, &result.group, &result.batches,
      &result.resident,   &result.walk};
  for (auto [field, value] : llvm::zip(fields, product))
    *field = value;
  return result;
}

LogicalResult MapLinalgPass::checkProduct() {
  if (product.empty())
    return success();
  auto fail = [&](const llvm::Twine &what) {
    return getOperation().emitError() << "option 'product' " << what;
  };
  if (product.size() != 10)
    return fail("takes ten numbers, found " + llvm::Twine(product.size()));
  ProductTile made = tile();
  if (llvm::any_of(ArrayRef<int64_t>(product).drop_back(),
                   [](int64_t value) { return value < 1; }) ||
      made.walk < 0 || made.walk > 2)
    return fail("takes positive numbers, and at last 0, 1 or 2");
  auto isOneOf = [](int64_t value, ArrayRef<int64_t> all) {
    return llvm::is_contained(all, value);
  };
  if (!isOneOf(made.threadRows, {1, 2, 4, 8, 12, 16}) ||
      !isOneOf(made.threadColumns, {1, 2, 4, 8, 12, 16}))
    return fail("takes 1, 2, 4, 8, 12 or 16 rows and columns of a thread");
  if (made.rows % made.threadRows != 0 ||
      made.columns % made.threadColumns != 0 || made.columns % 16 != 0 ||
      made.rows % 16 != 0)
    return fail("takes tiles of whole threads and of a multiple of 16 rows and "
                "columns");
  if (made.stages == 2 || made.stages > 8 || made.depth > 64)
    return fail("takes one stage, or 3 to 8, of a depth up to 64");
  int64_t count = made.countThreads() * made.batches;
  constexpr int64_t maxThreads = target::TargetInfo::maxThreadsPerBlock;
  if (count % target::warpSize != 0 || count > maxThreads)
    return fail("makes blocks of " + llvm::Twine(count) +
                " threads, expected whole warps up to " +
                llvm::Twine(maxThreads));
  return success();
}

/// Ops that have to be mapped, in order; a diagnostic where one cannot be.
static FailureOr<SmallVector<LinalgOp>> collectOps(func::FuncOp function) {
  // Copies that bufferisation made are kernels too.
  SmallVector<memref::CopyOp> copies;
  function.walk([&](memref::CopyOp op) { copies.push_back(op); });
  for (memref::CopyOp copy : copies) {
    OpBuilder b(copy);
    if (copy.getSource() != copy.getTarget())
      linalg::makeMemRefCopyOp(b, copy.getLoc(), copy.getSource(),
                               copy.getTarget());
    copy.erase();
  }
  SmallVector<LinalgOp> ops;
  WalkResult result = function.walk([&](Operation *inner) {
    auto op = dyn_cast<LinalgOp>(inner);
    if (!op) {
      if (!isa_and_nonnull<linalg::LinalgDialect>(inner->getDialect()) ||
          inner->getParentOfType<LinalgOp>())
        return WalkResult::advance();
      inner->emitError("is not mapped to a kernel: decompose it first");
      return WalkResult::interrupt();
    }
    if (!op.hasPureBufferSemantics())
      inner->emitError("works on tensors: bufferise the function first");
    else if (!isa<func::FuncOp>(inner->getParentOp()))
      inner->emitError("stands in a loop or a branch of the host");
    else if (hasResultsOnTheWay(op) && !matchScan(op))
      inner->emitError("has results along a dimension that it reduces, and is "
                       "no scan");
    else {
      ops.push_back(op);
      return WalkResult::skip();
    }
    return WalkResult::interrupt();
  });
  if (result.wasInterrupted())
    return failure();
  return ops;
}

/// Puts `flat` in the place of `op` everywhere.
static void replaceOp(LinalgOp op, LinalgOp flat, AbsorbedFills &fills,
                      SmallVectorImpl<LinalgOp> &ops) {
  // A copy: an insertion may move what a reference refers to.
  auto absorbed = fills.lookup(op);
  fills[flat] = std::move(absorbed);
  llvm::erase(ops, op);
  op->erase();
}

/// Flattens element-wise ops that have a kernel to themselves, and the rows of
/// kernels whose ops all go over these in order.
static void flattenPlans(std::vector<KernelPlan> &plans, AbsorbedFills &fills,
                         SmallVectorImpl<LinalgOp> &ops,
                         const MapOptions &options) {
  for (KernelPlan &plan : plans) {
    bool isAlone = plan.ops.size() == 1 && !plan.rowDims;
    bool hasRows = plan.rowDims && options.hold > 0;
    if (!hasRows && !(isAlone && options.chain))
      continue;
    if (isAlone && plan.ops.front().getNumReductionLoops() > 0)
      continue;
    unsigned first = hasRows ? *plan.rowDims : 0;
    llvm::DenseMap<Value, Value> views;
    for (LinalgOp &member : plan.ops)
      if (LinalgOp flat = flattenTail(member, first, views)) {
        LinalgOp op = std::exchange(member, flat);
        replaceOp(op, flat, fills, ops);
      }
  }
}

/// A block whose row is known to be short has no more threads than that needs
/// for a few accesses each: others would but be waited for.
static MapOptions narrow(const KernelPlan &plan, MapOptions options) {
  // Where a warp does a row the others have rows of their own.
  constexpr int64_t byWarps = 1;
  if (!plan.rowDims || !plan.partials.empty() || plan.attention ||
      options.split == byWarps || matchScan(plan.ops.front()))
    return options;
  int64_t longest = 1, bits = 8;
  for (LinalgOp op : plan.ops) {
    int64_t length = 1;
    for (int64_t extent :
         llvm::drop_begin(op.getStaticLoopRanges(),
                          std::min(op.getNumLoops(), *plan.rowDims)))
      if (ShapedType::isDynamic(extent) ||
          llvm::MulOverflow(length, extent, length))
        return options;
    longest = std::max(longest, length);
    for (Value operand : op->getOperands())
      if (Type element = getElementTypeOrSelf(operand); element.isIntOrFloat())
        bits = std::max<int64_t>(bits, element.getIntOrFloatBitWidth());
  }
  constexpr int64_t accesses = 4;
  int64_t atOnce =
      options.hold > 0
          ? accesses * std::max<int64_t>(1, options.access * 8 / bits)
          : 1;
  int64_t wanted =
      llvm::alignTo(llvm::divideCeil(longest, atOnce), target::warpSize);
  options.threads = std::min(options.threads, wanted);
  return options;
}

void MapLinalgPass::runOnOperation() {
  func::FuncOp function = getOperation();
  if (failed(checkOptions()))
    return signalPassFailure();
  FailureOr<SmallVector<LinalgOp>> ops = collectOps(function);
  if (failed(ops))
    return signalPassFailure();
  MapOptions options{threads, columns, rows,    split,  chain,
                     group,   stage,   parts,   access, hold,
                     stream,  online,  scatter, attend, tile()};
  AbsorbedFills fills = absorbFills(*ops);
  // What elements are combined with has to be there before the first of them.
  for (LinalgOp op : *ops)
    if (getScatter(op, options))
      fills[op].assign(op.getNumDpsInits(), linalg::FillOp());
  std::vector<KernelPlan> plans = planKernels(*ops, fills, options);
  flattenPlans(plans, fills, *ops, options);
  joinColumns(plans, fills, *ops, options);
  splitReductions(plans, fills, options);
  splitScans(plans, fills, options);
  for (const KernelPlan &plan : plans) {
    KernelEmitter(plan, fills, narrow(plan, options)).run();
    // What combines the parts uses the results from now on.
    if (!plan.partials.empty()) {
      llvm::erase(*ops, plan.ops.front());
      plan.ops.front()->erase();
    }
  }
  // The absorbed fills are in `ops` alone, the combinations in `plans` alone.
  llvm::SmallSetVector<Operation *, 8> left;
  for (const KernelPlan &plan : plans)
    if (plan.partials.empty())
      left.insert(plan.ops.begin(), plan.ops.end());
  left.insert(ops->begin(), ops->end());
  for (Operation *op : left)
    op->erase();
}
} // namespace evo
