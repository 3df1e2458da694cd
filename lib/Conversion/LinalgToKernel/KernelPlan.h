// Which linalg ops on buffers become one kernel.
#ifndef EVO_LIB_CONVERSION_LINALGTOKERNEL_KERNELPLAN_H
#define EVO_LIB_CONVERSION_LINALGTOKERNEL_KERNELPLAN_H

#include "evo/Dialect/Linalg/Reductions.h"
#include "evo/Dialect/Linalg/Scatter.h"
#include "evo/Target/Warp.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace evo {

/// How a block computes a tile of a product, whose operands come through shared
/// memory in a ring of asynchronous copies.
struct ProductTile {
  int64_t rows = 0, columns = 0; // of a block; 0: no such kernels
  int64_t depth = 16;            // of what is copied at once
  int64_t stages = 4; // copies that there is room for; 1: none is under way
  int64_t threadRows = 8, threadColumns = 8; // of a thread, in registers
  int64_t group = 8;    // rows of tiles that neighbouring blocks share
  int64_t batches = 1;  // products of a batch that a block does side by side
  int64_t resident = 1; // blocks that registers have to be enough for
  int64_t walk = 0; // of a thread: 0 by rows, 1 by columns, 2 by pairs of them

  /// Lanes that share a row of an attention's scores.
  static constexpr int64_t lanesOfRow = 8;
  /// Whether each row is one of so many lanes, warps are whole, and registers
  /// are enough for scores beside results.
  bool isForAttention() const {
    return rows > 0 && columns == lanesOfRow * threadColumns &&
           columns % 16 == 0 && threadColumns % 4 == 0 &&
           threadRows * threadColumns <= 64 &&
           countThreads() % target::warpSize == 0;
  }
  /// That do a tile together.
  int64_t countThreads() const {
    return rows * columns / (threadRows * threadColumns);
  }
};

/// How ops become kernels.
struct MapOptions {
  int64_t threads = 256; // per block
  int64_t columns = 1;   // results per thread along the innermost dimension
  int64_t rows = 1;      // and along the one before, where there is reuse
  int64_t split = 0;     // threads per reduction: 0 one, 1 a warp, 2 a block
  int64_t chain = 0;     // 1: element-wise users of a result join its kernel
  int64_t group = 0;     // a block per row: 0 no, 1 reductions, 2 anything,
                         // 3 reductions, and those of columns with them
  int64_t stage = 0;     // side of a thread's tile of a product; 0: no tiles
  int64_t parts = 1;     // blocks (or threads apart) that share a reduction
  int64_t access = 0;    // bytes of an access; 0: an element
  int64_t hold = 0;      // accesses of a row that a thread keeps; 0: none
  int64_t stream = 0;    // 1: caches need not keep what is read but once
  int64_t online = 0;    // 1: a row's maximum and what it shifts, in one pass
  int64_t scatter = 0;   // bytes of an atomic operation; 0: no such kernels
  int64_t attend = 0;    // 1: an attention is one kernel, by product's tile
  ProductTile product;
};

/// An attention: a product, element-wise ops on its scores, their softmax, and
/// the product of that with values.
struct Attention {
  /// The left and right operands of the first product, and the right one of the
  /// last.
  mlir::OpOperand *queries, *keys, *values;
  /// Element-wise ops behind the first one.
  unsigned numScoreOps;
};

/// The ops of one kernel, in order.
struct KernelPlan {
  llvm::SmallVector<mlir::linalg::LinalgOp> ops;
  /// All iterate over these many dimensions in common, and a block does one
  /// point of them, or several where some ops reduce these. Unset: the first op
  /// has a thread (or some) per element, and the others are element-wise users
  /// of what it computed.
  std::optional<unsigned> rowDims;
  /// Where the only op, a reduction, leaves its partial results, a buffer each:
  /// their first dimension counts the parts, or the last one where the plan has
  /// rows. Empty: it computes whole results.
  llvm::SmallVector<mlir::Value> partials;
  /// Set: they are one, and a block does a tile of its rows.
  std::optional<Attention> attention;
  /// Of a scan in parts, what each part comes to by itself: one per row and
  /// part, the last dimension. One plan fills it, the next one scans.
  mlir::Value totals;
  bool fillsTotals = false;
};

/// Fills whose value another op starts from; they need no kernel themselves.
using AbsorbedFills =
    llvm::DenseMap<mlir::Operation *,
                   llvm::SmallVector<mlir::linalg::FillOp>>; // an output each

/// The buffer that a value is a view of.
mlir::Value getRootBuffer(mlir::Value value);

/// Whether the region of `op` looks elements up in the buffer `root`, beside
/// those that its operands are.
bool looksUp(mlir::linalg::LinalgOp op, mlir::Value root);

/// A scan: results along the one reduced dimension, each what was combined up
/// to there.
struct Scan {
  unsigned dim;              ///< of the op, that is scanned
  unsigned carried;          ///< output that is what is combined at last
  mlir::Operation *combiner; ///< in the op's region, with a neutral element
  unsigned input;            ///< operand of it that is not the carried value
  /// Of each output: what is combined with the element at hand, or before it.
  llvm::SmallVector<bool> isInclusive;
};

/// The scan that `op` is; none where it is something else.
std::optional<Scan> matchScan(mlir::linalg::LinalgOp op);

/// The sum and the product that `op` is made of, if it adds products of its two
/// operands to the result, and of nothing else.
std::optional<std::pair<mlir::Operation *, mlir::Operation *>>
matchSum(mlir::linalg::LinalgOp op);

/// Whether places in the operand are sums of multiples of dimensions: then a
/// step is as far from the first one for all elements.
bool isLinear(mlir::AffineMap map);

/// The attention that `ops` begin with; its plan is empty where they do not.
KernelPlan matchAttention(llvm::ArrayRef<mlir::linalg::LinalgOp> ops,
                          const AbsorbedFills &fills);

/// Of the `reduced` dimensions of a product the one that is cut into stages:
/// one that no operand adds to another.
unsigned chooseDepth(mlir::linalg::LinalgOp op,
                     llvm::ArrayRef<unsigned> reduced);

/// The scatter that `op` is, where it may become a kernel in which elements
/// look for their results; none where `options` want no such kernels.
std::optional<Scatter> getScatter(mlir::linalg::LinalgOp op,
                                  const MapOptions &options);

/// Whether `op` can follow `others` in a block that does one point of the first
/// `rowDims` dimensions.
bool joinsRows(mlir::linalg::LinalgOp op,
               llvm::ArrayRef<mlir::linalg::LinalgOp> others, unsigned rowDims);

/// Whether parts of the only reduction of `plan`, which has rows, may be
/// computed apart, and what is left is little: it is done where the parts are
/// combined.
bool leavesLittle(const KernelPlan &plan);

/// Whether `op` of `plan` reduces the rows, to a result for each place along
/// them.
bool isOfColumns(mlir::linalg::LinalgOp op, const KernelPlan &plan);

AbsorbedFills absorbFills(llvm::ArrayRef<mlir::linalg::LinalgOp> ops);

/// The op that does the same with its dimensions from `first` on as one, before
/// `op`, where all operands have them at their end, in their order, or not at
/// all; null for other ops, and where there is nothing to do. `views` has the
/// views that were made of buffers.
mlir::linalg::LinalgOp
flattenTail(mlir::linalg::LinalgOp op, unsigned first,
            llvm::DenseMap<mlir::Value, mlir::Value> &views);

/// What `extent` is at the workload, as far as the arguments of the function
/// around say by the attribute `evo.extents`.
std::optional<int64_t> expectedExtent(mlir::Value extent);

/// How often `op` goes through its region at the workload, if that is known,
/// for each point of its first `outer` dimensions.
std::optional<int64_t> expectedPoints(mlir::linalg::LinalgOp op,
                                      unsigned outer = 0);

/// Plans kernels for `ops`, which stand in one block, in order.
std::vector<KernelPlan> planKernels(llvm::ArrayRef<mlir::linalg::LinalgOp> ops,
                                    const AbsorbedFills &fills,
                                    const MapOptions &options);

/// Lets reductions along columns join the plan of the rows that they read
/// (`options.group` 3), whose `options.parts` blocks do several rows each and
/// combine atomically what they found. What a reduction starts from has a plan
/// before that. `ops` are those of the function.
void joinColumns(std::vector<KernelPlan> &plans, AbsorbedFills &fills,
                 llvm::SmallVectorImpl<mlir::linalg::LinalgOp> &ops,
                 const MapOptions &options);

/// Cuts each reduction that leads its kernel and is no scatter, and whose other
/// ops have none, into `options.parts` that are computed apart, and a further
/// op that combines them in a kernel of its own: two plans in the place of one,
/// the first of which does not outlive its op. Products that go through shared
/// memory stay whole.
void splitReductions(std::vector<KernelPlan> &plans, AbsorbedFills &fills,
                     const MapOptions &options);

/// Cuts each scan into `options.parts` where blocks share scans: two plans in
/// the place of one, of the same op.
void splitScans(std::vector<KernelPlan> &plans, const AbsorbedFills &fills,
                const MapOptions &options);

} // namespace evo

#endif
