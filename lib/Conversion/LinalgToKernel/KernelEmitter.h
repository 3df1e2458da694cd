// Writes the gpu.launch of planned linalg ops.
#ifndef EVO_LIB_CONVERSION_LINALGTOKERNEL_KERNELEMITTER_H
#define EVO_LIB_CONVERSION_LINALGTOKERNEL_KERNELEMITTER_H

#include "KernelPlan.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"

namespace evo {

class KernelEmitter {
public:
  KernelEmitter(KernelPlan plan, const AbsorbedFills &fills,
                const MapOptions &options);
  /// Creates the launch before the last op of the plan. The ops stay.
  void run();
  /// Whether the plan's rows can be held in registers.
  bool holdsRows();

private:
  using Values = llvm::SmallVector<mlir::Value>;

  KernelPlan plan;
  const AbsorbedFills &fills;
  const MapOptions &options;
  mlir::OpBuilder b;
  mlir::Location loc;
  llvm::DenseMap<mlir::Operation *, Values> extents;
  mlir::Value thread, block;

  struct Result {
    mlir::Value value;
    Values indices;
  };
  /// What was computed for the element (or row) at hand, by its buffer.
  llvm::MapVector<mlir::Value, Result> known;
  /// Buffers of this kernel alone, as the arrays of a block that they become.
  llvm::DenseMap<mlir::Value, mlir::Value> shared;
  /// Buffers that threads read or wrote since the last barrier.
  llvm::SmallPtrSet<mlir::Value, 8> reads, writes;

  /// Operands whose element at hand was read already.
  llvm::DenseMap<mlir::OpOperand *, mlir::Value> staged;

  mlir::Value constant(int64_t value);
  /// Index arithmetic, folded where the operands are constants.
  mlir::Value add(mlir::Value lhs, mlir::Value rhs);
  mlir::Value mul(mlir::Value lhs, mlir::Value rhs);
  mlir::Value div(mlir::Value lhs, mlir::Value rhs);
  mlir::Value rem(mlir::Value lhs, mlir::Value rhs);
  mlir::Value ceilDiv(mlir::Value lhs, int64_t rhs);
  mlir::Value less(mlir::Value lhs, mlir::Value rhs);
  /// The position in a space of `counts`, innermost last, of point `id`.
  Values delinearize(mlir::Value id, llvm::ArrayRef<mlir::Value> counts);

  Values indicesOf(mlir::linalg::LinalgOp op, mlir::OpOperand &operand,
                   llvm::ArrayRef<mlir::Value> ivs);
  mlir::Value read(mlir::linalg::LinalgOp op, mlir::OpOperand &operand,
                   llvm::ArrayRef<mlir::Value> ivs);
  void store(mlir::Value buffer, mlir::Value value,
             llvm::ArrayRef<mlir::Value> indices);
  /// The op's region in the iteration `ivs`, on these former results.
  Values compute(mlir::linalg::LinalgOp op, llvm::ArrayRef<mlir::Value> ivs,
                 mlir::ValueRange results);
  /// What the op's results start from, before any reduction.
  Values initialValues(mlir::linalg::LinalgOp op,
                       llvm::ArrayRef<mlir::Value> ivs);
  Values neutralValues(mlir::linalg::LinalgOp op);
  /// Loops over the reduction dimensions around the region, for several points
  /// at once; the innermost one from `first` by steps of `step`.
  Values reduce(mlir::linalg::LinalgOp op, llvm::MutableArrayRef<Values> points,
                Values results, mlir::Value first, int64_t step);
  mlir::Value combine(mlir::Operation *combiner, mlir::Value lhs,
                      mlir::Value rhs);
  /// What another lane of the warp has: `by` is what `mode` makes of it.
  mlir::Value shuffle(mlir::Value value, int32_t by,
                      mlir::gpu::ShuffleMode mode);
  /// What the lane of this number has.
  mlir::Value shuffle(mlir::Value value, mlir::Value lane);
  mlir::Value
  shuffleWords(mlir::Value value,
               llvm::function_ref<mlir::Value(mlir::Value)> shuffleWord);
  /// Of so many neighbouring lanes each, a power of two.
  mlir::Value reduceInWarp(mlir::Operation *combiner, mlir::Value value,
                           int64_t lanes);
  mlir::Value reduceInBlock(mlir::Operation *combiner, mlir::Value value);
  void remember(mlir::linalg::LinalgOp op, llvm::ArrayRef<mlir::Value> ivs,
                mlir::ValueRange values);
  /// Whether nothing but the plan's ops uses `buffer`.
  bool isInternal(mlir::Value buffer);
  bool isUsedHereAlone(mlir::Value buffer);
  void storeKnown();

  // A thread (or a warp) per element.
  void emitElements(mlir::gpu::LaunchOp launch);
  bool rereadsWhatItWrites();
  void storePoints(llvm::ArrayRef<Values> points, Values results,
                   llvm::ArrayRef<mlir::Value> inside, mlir::Value part = {},
                   bool isStartLeft = false);
  void storePart(llvm::ArrayRef<mlir::Value> ivs,
                 llvm::ArrayRef<mlir::Value> values, mlir::Value part);
  // A thread, a warp or a block per scan.
  int64_t threadsPerScan();
  mlir::Value scanStart(mlir::linalg::LinalgOp op, const Scan &scan,
                        Values ivs);
  mlir::Value scanInWarp(const Scan &scan, mlir::Value value, mlir::Value lane);
  mlir::Value scannedInput(mlir::linalg::LinalgOp op, const Scan &scan,
                           const Values &ivs);
  void storeScanned(mlir::linalg::LinalgOp op, const Scan &scan,
                    const Values &ivs, mlir::Value before, mlir::Value with);
  void emitScan(const Scan &scan);
  void emitSerialScan(mlir::linalg::LinalgOp op, const Scan &scan, Values ivs);
  void emitSharedScan(mlir::linalg::LinalgOp op, const Scan &scan, Values ivs,
                      mlir::Value part);
  // A block per tile of a product.
  struct Staging {
    mlir::OpOperand *left, *right;
    /// Parallel dimensions of both operands, of the left one alone, of the
    /// right one alone.
    llvm::SmallVector<unsigned> batch, rows, columns;
    /// The reduced dimension that is cut, and the others.
    unsigned depth;
    llvm::SmallVector<unsigned> around;
  };
  struct Copy {
    mlir::OpOperand *operand;
    mlir::Value tile, depth, place; // where in the tile
    Values ivs;                     // of the place
  };
  /// Columns of a tile that are there to spread it over the banks.
  static constexpr int64_t padding = 4;
  /// The product that the first op is, if it is one whose operands can go
  /// through shared memory.
  std::optional<Staging> matchProduct();
  /// How the operands go through shared memory, if they can.
  std::optional<Staging> getStaging();
  std::pair<int64_t, int64_t> getThreadShape();
  int64_t getTileDepth();
  mlir::Value countOf(llvm::ArrayRef<unsigned> dims);
  mlir::Value productOf(llvm::ArrayRef<mlir::Value> counts);
  /// The number of the thread among all. What is emitted from here on is for
  /// those that have one of so many points.
  mlir::Value enterPoints(llvm::ArrayRef<mlir::Value> counts);
  mlir::Value countTiles(const Staging &staging);
  void place(Values &ivs, llvm::ArrayRef<unsigned> dims, mlir::Value number);
  llvm::SmallVector<Copy> planCopies(mlir::OpOperand &operand, mlir::Value tile,
                                     const Values &ivs,
                                     llvm::ArrayRef<unsigned> dims,
                                     mlir::Value first, int64_t width);
  void emitCopies(llvm::ArrayRef<Copy> copies, const Staging &staging,
                  const Values &around, mlir::Value from);
  void emitTiles(const Staging &staging);
  // The same with copies in flight, of sums of products alone.
  class Pipeline;
  std::optional<Staging> getPipelined();
  // A block per rows of an attention.
  class Attending;
  // A block per tile of element-wise results.
  struct Crossing {
    unsigned dim; // along which the operands lie
    llvm::SmallVector<mlir::OpOperand *> operands;
    llvm::SmallVector<unsigned> others; // dimensions but that and the last
    int64_t deepSide,
        wideSide;  // elements of a tile along `dim`, and along the last
    int64_t width; // elements of an access
  };
  struct Tile {
    Values base;            // the point of the other dimensions
    mlir::Value deep, wide; // its first element along `dim` and the last one
    Values arrays; // the operands' parts, a row for each along the last
  };
  int64_t widthOfCrossing(const Crossing &crossing);
  std::optional<Crossing> getCrossing();
  std::pair<mlir::Value, mlir::Value> placeInTile(mlir::Value number,
                                                  int64_t along, int64_t width);
  void fillTile(const Crossing &crossing, const Tile &tile,
                llvm::ArrayRef<mlir::Value> numbers);
  void emptyTile(const Crossing &crossing, const Tile &tile,
                 llvm::ArrayRef<mlir::Value> numbers);
  mlir::Value countTiles(const Crossing &crossing);
  void emitCrossing(const Crossing &crossing);
  // A block per row.
  void emitRow();
  void emitRowResult(mlir::linalg::LinalgOp op, const Values &ivs);
  /// The first of the row's threads stores what others than this kernel read.
  void storeRowResult(mlir::linalg::LinalgOp op, mlir::Value isFirst);
  mlir::Value isZero(mlir::Value value);
  void emitRowPart(mlir::linalg::LinalgOp op, const Values &ivs,
                   mlir::Value part);
  void storeFirst(const Values &ivs, const Values &values, mlir::Value isFirst,
                  mlir::Value part);
  void emitRowElements(mlir::linalg::LinalgOp op, Values ivs);
  /// An array of the block.
  mlir::Value createShared(llvm::ArrayRef<int64_t> shape, mlir::Type element);
  /// A part of what a launch gives the block, from byte `offset` on.
  mlir::Value viewShared(llvm::ArrayRef<int64_t> shape, mlir::Type element,
                         int64_t offset);
  void placeInSharedMemory();
  void synchronize(mlir::linalg::LinalgOp op);

  // Neighbouring elements at once.
  struct Lanes {
    Values ivs;         // of the first
    unsigned dim;       // along which they lie
    int64_t width;      // so many
    mlir::Value inside; // whether they are there; unset: they are
  };
  /// Operands and what was read of each, a value per lane.
  using Loaded = llvm::SmallVector<std::pair<mlir::OpOperand *, Values>>;
  /// Whether neighbours along `dim` are neighbours in the operand.
  static bool liesAlong(mlir::linalg::LinalgOp op, mlir::OpOperand &operand,
                        unsigned dim);
  /// Whether the op's region may be computed where it is not wanted.
  static bool isComputedAnywhere(mlir::linalg::LinalgOp op);
  /// Whether it may be computed by each thread of a row, where the row is: that
  /// includes what it looks up in memory.
  static bool isComputedInRow(mlir::linalg::LinalgOp op);
  /// Elements of the widest operand along `dim` that an access takes.
  int64_t countLanes(mlir::linalg::LinalgOp op, unsigned dim);
  /// `extent` where it is a multiple of `width`, else 0: no row then begins
  /// where a vector may.
  mlir::Value endOfVectors(mlir::Value extent, int64_t width);
  llvm::SmallVector<mlir::OpOperand *>
  operandsToLoad(mlir::linalg::LinalgOp op);
  bool isStreamed(mlir::linalg::LinalgOp op, mlir::OpOperand &operand);
  Values loadLanes(mlir::linalg::LinalgOp op, mlir::OpOperand &operand,
                   const Lanes &lanes);
  void storeLanes(mlir::linalg::LinalgOp op, mlir::OpOperand &output,
                  const Lanes &lanes, mlir::ValueRange values);
  static llvm::MaybeAlign alignmentOf(mlir::MemRefType type, int64_t width);
  Values pointOf(const Lanes &lanes, int64_t lane);
  /// The op's region for one lane, on `results` or else on what they were.
  Values computeLane(mlir::linalg::LinalgOp op, const Lanes &lanes,
                     const Loaded &loaded, int64_t lane, Values results);
  Loaded load(mlir::linalg::LinalgOp op, const Lanes &lanes);
  // Scans of a warp or a block.
  struct ScanRound {
    int64_t width, parts; // of a thread: neighbours, and how many times
  };
  ScanRound roundOfScan(mlir::linalg::LinalgOp op, const Scan &scan);
  Values scannedInputs(mlir::linalg::LinalgOp op, const Scan &scan,
                       const Lanes &lanes, mlir::Value neutral);
  Values valuesBefore(const Scan &scan, mlir::Value carried,
                      llvm::ArrayRef<mlir::Value> totals, mlir::Value array);
  struct Segment {
    mlir::Value first, end; // along the scanned dimension
  };
  mlir::Value scanByRounds(mlir::linalg::LinalgOp op, const Scan &scan,
                           const Values &ivs, const Segment &segment,
                           mlir::Value start, ScanRound round);
  mlir::Value reduceByRounds(mlir::linalg::LinalgOp op, const Scan &scan,
                             const Values &ivs, const Segment &segment,
                             ScanRound round);
  /// What `body` makes of rounds of vectors, or else of elements.
  mlir::Value
  byVectorsOrElements(mlir::linalg::LinalgOp op, const Scan &scan,
                      mlir::Type type,
                      llvm::function_ref<mlir::Value(ScanRound)> body);
  Segment segmentOf(mlir::linalg::LinalgOp op, const Scan &scan,
                    mlir::Value part);
  void emitTotals(mlir::linalg::LinalgOp op, const Scan &scan, Values ivs,
                  mlir::Value part);
  mlir::Value startOfPart(const Scan &scan, const Values &around,
                          mlir::Value part, mlir::Value start);
  // A thread per vectors of an element-wise result.
  /// 1 where the plan's ops do not go by vectors.
  int64_t vectorWidth();
  Values vectorCounts(int64_t width);
  void emitLanes(Lanes lanes, llvm::ArrayRef<Loaded> loaded);
  llvm::SmallVector<Loaded> loadForAll(const Lanes &lanes);
  void emitVectors(int64_t width);
  void emitSingles(const Values &base, mlir::Value threadsOfRow,
                   mlir::Value isWhole, int64_t count);
  // A thread per elements that look for their results.
  struct Scattering {
    Scatter scatter;
    llvm::SmallVector<unsigned> dims; // of the elements, innermost last
    int64_t width;                    // elements of a thread along that one
    bool isJoined; // which are combined with neighbours, at once
  };
  /// Those of a thread's elements that it has the conditions' parts of.
  struct Scattered {
    Lanes lanes;
    mlir::Value inside; // unset: they are
    Loaded loaded;
  };
  std::optional<Scattering> getScattering();
  /// What threads are counted over, dimension by dimension.
  Values scatterCounts(const Scattering &scattering);
  mlir::Value evaluate(mlir::linalg::LinalgOp op, mlir::Value value,
                       llvm::ArrayRef<mlir::Value> ivs, mlir::IRMapping &known);
  Scattered loadScattered(const Scattering &scattering, Lanes lanes,
                          mlir::Value inside);
  void combineAtomically(mlir::Operation *combiner, mlir::Value buffer,
                         llvm::ArrayRef<mlir::Value> indices,
                         llvm::ArrayRef<mlir::Value> values);
  void scatterLanes(const Scattering &scattering, const Scattered &element,
                    int64_t first, int64_t count);
  void scatterAll(const Scattering &scattering,
                  llvm::ArrayRef<Scattered> elements);
  void emitScatter(const Scattering &scattering);
  // A block, a warp or a part of one per row, the row in registers.
  struct RowGroup {
    Values ivs;           // of the row
    mlir::Value isFirst;  // whether the thread stores what its group knows
    int64_t group;        // threads that share what they find
    mlir::Value place;    // number of the thread among all of the row
    int64_t all;          // which several groups are where a row is in parts
    mlir::Value part;     // that the group does
    int64_t width;        // neighbours that a thread has at once
    int64_t parts;        // so many times, in registers
    bool isWhole = false; // which is all of the row, in whole vectors
    int64_t rounds = 1;   // vectors at once beyond these
  };
  /// Elements of the row that this thread keeps, by buffer, map and part.
  llvm::DenseMap<std::pair<mlir::Value, mlir::AffineMap>,
                 llvm::DenseMap<int64_t, Values>>
      held;
  int64_t groupOfRow();
  int64_t maxWidthOfRow();
  int64_t widthOfRow();
  std::optional<int64_t> longestRow();
  mlir::Value reduceInGroup(mlir::Operation *combiner, mlir::Value value,
                            const RowGroup &row);
  struct Share {
    int64_t width, parts; // of a thread, as in RowGroup
    bool isEnough;        // for the rows of the workload
  };
  Share shareOfThread(int64_t threads);
  mlir::Value isInRegisters(const Share &share, int64_t threads);
  bool isGuarded(mlir::linalg::LinalgOp op);
  bool isOfAllRows(mlir::linalg::LinalgOp op, mlir::OpOperand &operand);
  bool isWrittenHere(mlir::Value buffer);
  Lanes lanesOfPart(mlir::linalg::LinalgOp op, const RowGroup &row,
                    int64_t chunk);
  llvm::SmallVector<Values> loadParts(mlir::linalg::LinalgOp op,
                                      mlir::OpOperand &operand,
                                      llvm::ArrayRef<Lanes> parts,
                                      mlir::Value end);
  llvm::SmallVector<Values> loadHeld(mlir::linalg::LinalgOp op,
                                     mlir::OpOperand &operand,
                                     llvm::ArrayRef<Lanes> parts,
                                     int64_t firstPart, mlir::Value end);
  Values overRounds(
      mlir::linalg::LinalgOp op, const RowGroup &row, Values carried,
      llvm::function_ref<Values(llvm::ArrayRef<Lanes>, const Values &)> body);
  Values reduceLanes(mlir::linalg::LinalgOp op, const RowGroup &row);
  Values
  overRow(mlir::linalg::LinalgOp op, const RowGroup &row, Values carried,
          llvm::function_ref<Values(const Lanes &, const Loaded &,
                                    std::optional<int64_t>, const Values &)>
              body);
  void emitHeldResult(mlir::linalg::LinalgOp op, const RowGroup &row);
  void emitHeldElements(mlir::linalg::LinalgOp op, const RowGroup &row);
  void emitHeldOp(mlir::linalg::LinalgOp op, const RowGroup &row);
  void emitHeldRow(const RowGroup &row);
  // A row's maximum, and the sum of powers that are shifted by it, in one pass.
  struct ShiftedSum {
    mlir::linalg::LinalgOp largest, sum;
    mlir::Operation *power;
  };
  std::optional<ShiftedSum> matchShiftedSum(mlir::linalg::LinalgOp largest);
  bool hasShiftedSum();
  mlir::Value scaleShifted(mlir::Operation *power, mlir::Value sum,
                           mlir::Value before, mlir::Value shift);
  Values addShifted(ShiftedSum pair, const Values &ivs,
                    llvm::ArrayRef<Lanes> round, const Values &carried);
  void emitShiftedSum(ShiftedSum pair, const RowGroup &row);
  bool isReadOnce();
  void emitHeldRows();
  void emitHeldRowsOf(const Values &counts, mlir::Value number,
                      mlir::Value isRow);
  // The same for several rows, with reductions along the columns beside.
  bool hasColumns();
  void addColumns(mlir::linalg::LinalgOp op, const RowGroup &row,
                  llvm::MutableArrayRef<mlir::Value> sums);
  void storeColumns(mlir::linalg::LinalgOp op, const RowGroup &row,
                    llvm::ArrayRef<mlir::Value> sums);
  /// Operands of which each row has elements of its own, as they are before
  /// the kernel, with an op that reads them.
  llvm::SmallVector<std::pair<mlir::linalg::LinalgOp, mlir::OpOperand *>>
  operandsOfRows();
  Values loadRow(const RowGroup &row);
  void holdRow(const RowGroup &row, llvm::ArrayRef<mlir::Value> values);
  void emitRowLoop(RowGroup row);
  void emitRowsWithColumns();

  bool usesWarps();
  /// Results per thread along the two innermost parallel dimensions.
  std::pair<int64_t, int64_t> tileSizes();
  /// Points that threads (or warps) are counted over.
  Values elementCounts();
};

} // namespace evo

#endif
