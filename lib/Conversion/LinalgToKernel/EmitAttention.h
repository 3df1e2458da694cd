// Writes the body of a kernel that computes rows of an attention.
#ifndef EVO_LIB_CONVERSION_LINALGTOKERNEL_EMITATTENTION_H
#define EVO_LIB_CONVERSION_LINALGTOKERNEL_EMITATTENTION_H

#include "KernelEmitter.h"

namespace evo {

class KernelEmitter::Attending {
public:
  Attending(KernelEmitter &emitter, const Attention &attention);
  int64_t countThreads() const { return threads; }
  int64_t countSharedBytes() const;
  /// Blocks: points before the rows, tiles of rows, tiles of the values'
  /// columns.
  Values countBlocks();
  void emit();

private:
  /// Of the depth of the first product, and of the values' columns, that are in
  /// shared memory at once.
  static constexpr int64_t width = 64;
  /// So that eight rows of vectors are at banks of their own.
  static constexpr int64_t pitch = width + padding;
  /// Of the depth, and of values, that are multiplied before it is asked
  /// whether there are more.
  static constexpr int64_t depthAtOnce = 16, valuesAtOnce = 8;

  /// An operand of which rows come to shared memory, by what its op calls them.
  struct Source {
    mlir::OpOperand *operand = nullptr;
    unsigned row = 0, column = 0;
    mlir::Value tile = {};
    /// Beyond the last row of values there are zeros; of others it is repeated.
    bool isOfValues = false;
  };

  KernelEmitter &e;
  mlir::OpBuilder &b;
  mlir::Location loc;
  const Attention &attention;
  const ProductTile &tile;
  mlir::linalg::LinalgOp first, last;
  unsigned rank; // of the scores
  int64_t threads, groups, rows, keys, columns;
  mlir::Value zero, group, lane;
  mlir::Value firstRow, firstColumn;
  Values base; // the point before rows
  Source queries = {}, keysSource = {}, values = {};
  mlir::Value weights; // in shared memory

  mlir::Value extentOf(mlir::linalg::LinalgOp op, unsigned dim);
  void place();
  mlir::Value areWhole(const Source &source);
  void copyQuad(const Source &source, mlir::Value fromRow,
                mlir::Value fromColumn, mlir::Value number, bool isVector);
  void copy(const Source &source, mlir::Value fromRow, mlir::Value fromColumn,
            int64_t count, bool isUnrolled = false);
  void commit();
  void meet();
  mlir::Value rowAt(int64_t i);
  mlir::Value loadVector(mlir::Value tile, mlir::Value row, mlir::Value column);
  mlir::Value loop(mlir::Value end, int64_t step, Values &carried,
                   llvm::function_ref<void(mlir::Value, Values &)> body);
  Values computeScores(mlir::Value firstKey);
  mlir::Value scoreOf(mlir::Value score, mlir::Value row, mlir::Value key);
  mlir::Value reduceRow(mlir::Value value, bool isSum);
  void addValues(mlir::Value there, Values &results);
  void store(llvm::ArrayRef<mlir::Value> results,
             llvm::ArrayRef<mlir::Value> sums);
};

} // namespace evo

#endif
