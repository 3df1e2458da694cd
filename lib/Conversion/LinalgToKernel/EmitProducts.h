// Writes the body of a kernel that computes a tile of a product, its operands
// coming through a ring of copies in flight.
#ifndef EVO_LIB_CONVERSION_LINALGTOKERNEL_EMITPRODUCTS_H
#define EVO_LIB_CONVERSION_LINALGTOKERNEL_EMITPRODUCTS_H

#include "KernelEmitter.h"

namespace evo {

class KernelEmitter::Pipeline {
public:
  Pipeline(KernelEmitter &emitter, const Staging &product);
  /// Threads of a block.
  int64_t countThreads() const { return threads; }
  int64_t countSharedBytes();
  /// Blocks, as the host counts them before the launch.
  Values countBlocks();
  void emit();

private:
  /// What a thread copies in each step: elements side by side.
  struct Move {
    mlir::Value depth, point; // where in the tile
    mlir::Value inside;       // whether this thread does; unset: all do
    mlir::Value from;         // the operand from what the first step copies on
  };
  /// An operand, with what becomes of it.
  struct Side {
    mlir::OpOperand *operand;
    llvm::ArrayRef<unsigned> dims; // whose points the tile has
    mlir::Value first;             // of these points
    int64_t width;                 // so many
    mlir::Value tile = {};         // [stages][depth][width and padding]
    bool isAlongPoints = false;    // whether points are neighbours in memory
    int64_t vector = 1;            // elements of a copy, where `isWhole`
    mlir::Value isWhole = {};
    std::vector<Move> vectors = {}, elements = {};
    const std::vector<Move> &getMoves(bool byVectors) const {
      return byVectors && vector > 1 ? vectors : elements;
    }
    int64_t getWidth(bool byVectors) const { return byVectors ? vector : 1; }
  };
  /// Where in the reduction a stage is.
  struct Step {
    Values around;
    mlir::Value from;
  };

  KernelEmitter &e;
  mlir::OpBuilder &b;
  mlir::Location loc;
  const Staging &product;
  const ProductTile &tile;
  mlir::linalg::LinalgOp op;
  /// Products of the batch that the block does, the threads that do one of
  /// these, and all.
  int64_t batches, crew, threads;
  int64_t threadRows, threadColumns;
  mlir::Value member;      // number of the thread in its crew
  mlir::Value entry;       // and of the crew in the block
  mlir::Value firstEntry;  // of the block, in the batch
  mlir::Value firstSlot;   // of the crew
  Values base;             // the batch
  mlir::Value depthEnd;    // of the cut dimension; 0 where nothing is reduced
  mlir::Value row, column; // of the thread among threads
  std::vector<Side> sides;

  mlir::linalg::FillOp getFill();
  static int64_t bytesOf(mlir::OpOperand &operand);
  int64_t pitchOf(mlir::OpOperand &operand, llvm::ArrayRef<unsigned> dims,
                  int64_t width);
  int64_t pitchOfResults() const;
  int64_t linesOfSlot() const;
  void placeCrew(mlir::Value block);
  Values startSums();
  bool goesAlongPoints(mlir::OpOperand &operand, llvm::ArrayRef<unsigned> dims);
  void placeThread();
  Side makeSide(mlir::OpOperand &operand, llvm::ArrayRef<unsigned> dims,
                mlir::Value first, int64_t width, int64_t offset);
  std::pair<mlir::Value, mlir::Value> split(mlir::Value number, int64_t count,
                                            int64_t done, int64_t inner);
  std::vector<Move> planMoves(const Side &side, int64_t vector);
  mlir::Value placeInMemory(mlir::OpOperand &operand,
                            llvm::ArrayRef<mlir::Value> ivs);
  mlir::Value viewFrom(mlir::OpOperand &operand, mlir::Value place);
  mlir::Value distanceOf(const Side &side, const Step &step);
  mlir::Value countThere(const Step &step);
  void emitMove(const Side &side, const Move &move, int64_t vector,
                const Step &step, mlir::Value there, mlir::Value slot);
  void emitCopies(const Step &step, mlir::Value there, mlir::Value slot,
                  bool byVectors, int64_t part, int64_t parts);
  void commit();
  void wait(int64_t left);
  Step advance(const Step &step);
  void loadFragments(const Side &side, mlir::Value slot, mlir::Value depth,
                     mlir::Value place, int64_t apart, int64_t count,
                     Values &vectors);
  Values loadBoth(mlir::Value slot, int64_t depth);
  llvm::SmallVector<std::pair<int64_t, int64_t>> walk() const;
  void multiply(llvm::ArrayRef<mlir::Value> vectors, Values &results);
  mlir::Value nextSlot(mlir::Value slot);
  Values sumInRing(bool byVectors);
  Values sumAtOnce(bool byVectors);
  Values sumBoth();
  mlir::Value placeOf(mlir::Value place, int64_t apart, int64_t count,
                      int64_t i);
  mlir::Value share(llvm::ArrayRef<mlir::Value> results);
  void storeShared(mlir::Value whole, int64_t width);
  void storeVector(const Values &ivs, llvm::ArrayRef<mlir::Value> results);
  void store(llvm::ArrayRef<mlir::Value> results);
};

} // namespace evo

#endif
