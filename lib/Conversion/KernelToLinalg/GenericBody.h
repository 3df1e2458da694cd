// The body of a linalg.generic, written value by value from the scalar ops of
// a kernel: what a value needs is written first.
#ifndef EVO_LIB_CONVERSION_KERNELTOLINALG_GENERICBODY_H
#define EVO_LIB_CONVERSION_KERNELTOLINALG_GENERICBODY_H

#include "LoopTerms.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace evo {

using Counters = llvm::SetVector<Factor>;

/// A condition of the kernel, and how it has to come out.
struct Guard {
  mlir::Value condition;
  bool isTaken;
};

class GenericBody {
public:
  /// `loops`: the counters that the op iterates over, outermost first;
  /// `numReduced` at their end are reduced.
  GenericBody(LoopTerms &terms, mlir::OpBuilder builder, mlir::Location loc,
              Counters loops, unsigned numReduced);

  /// An output, whose element in the body is answered. The result lies at
  /// `places`, a loop each, or an index that is always zero.
  mlir::Value addOutput(const SizedTensor &tensor, llvm::ArrayRef<Sum> places);
  /// The value in the body; null where it cannot be written.
  mlir::Value get(mlir::Value value);
  /// `get`, where all `guards` come out as they have to; else `otherwise`.
  mlir::Value getGuarded(mlir::Value value, llvm::ArrayRef<Guard> guards,
                         mlir::Value otherwise);
  /// `taken` where `condition` of the kernel holds, else `other`.
  mlir::Value getEither(mlir::Value condition, mlir::Value taken,
                        mlir::Value other);
  /// At the end of the body.
  mlir::OpBuilder &builder() { return b; }
  /// The op; null where it does not say how far its loops run.
  mlir::linalg::GenericOp finish(mlir::ValueRange results);

private:
  struct Operand {
    mlir::Value tensor;
    mlir::AffineMap map;
  };
  LoopTerms &terms;
  mlir::OpBuilder outer, b;
  mlir::Location loc;
  Counters loops;
  unsigned numReduced;
  mlir::Region region;
  mlir::Block *body;
  llvm::SmallVector<Operand> inputs, outputs;
  mlir::IRMapping values;
  llvm::SmallVector<mlir::Value> positions; ///< in each loop, once asked for
  llvm::SmallVector<bool> isBounded; ///< loops whose extent an operand tells

  std::optional<mlir::AffineMap> mapOf(const Element &element, bool isGuarded);
  void note(const mlir::AffineMap &map);
  mlir::Value read(const Element &element);
  mlir::Value emitIndex(const Sum &sum);
  mlir::Value emitFactor(Factor factor);
  mlir::Value convert(mlir::Value value);
  mlir::Value choose(mlir::Value condition,
                     llvm::function_ref<mlir::Value()> taken,
                     llvm::function_ref<mlir::Value()> otherwise,
                     mlir::Type type);
  bool boundLoops();
};

/// The counters that `value` depends on; false where it depends on something
/// that is neither a sum nor in memory.
bool collectCounters(LoopTerms &terms, mlir::Value value, Counters &result);

} // namespace evo

#endif
