// One thread of a kernel, with all that it may do as terms: an index is a term
// over sizes, ids and loop variables, an access has the conditions under which
// it happens.
#ifndef EVO_LIB_PROVE_KERNEL_H
#define EVO_LIB_PROVE_KERNEL_H

#include "Terms.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseMap.h"
#include <array>

namespace evo::prove {

/// What holds for all threads of one launch.
struct LaunchTerms {
  std::array<Term, 3> grid, block;
  /// By number of the kernel's parameter: of an integer its value (null: not
  /// known), of a memref the extents.
  llvm::SmallVector<Term> values;
  llvm::SmallVector<llvm::SmallVector<Term>> extents;
};

struct Access {
  mlir::Operation *op;
  mlir::Value memref;
  llvm::SmallVector<Term> indices;
  int64_t length; ///< elements from the last index on
  llvm::SmallVector<Term> conditions;
  bool writes, atomic;
};

/// Which results fit their types: asked once for each op, for the threads are
/// alike.
using Fits = llvm::DenseMap<mlir::Operation *, bool>;

class ThreadTerms {
public:
  ThreadTerms(mlir::gpu::GPUFuncOp kernel, const LaunchTerms &launch,
              Terms &terms, Fits &fits);
  /// Walks the kernel. False where it holds an op that may access memory in a
  /// way that is not understood; `why` says which.
  bool run();

  std::array<Term, 3> blockId, threadId;
  llvm::SmallVector<Access> accesses;
  std::string why;

private:
  mlir::gpu::GPUFuncOp kernel;
  const LaunchTerms &launch;
  Terms &terms;
  Fits &fits;
  llvm::DenseMap<mlir::Value, Term> values;
  llvm::SmallVector<Term> conditions; ///< under which control is here

  bool refuse(mlir::Operation *op, const llvm::Twine &text);
  bool holds(Term claim);
  Term anyOf(mlir::Type type);
  Term between(int64_t low, Term high);
  Term valueOf(mlir::Value value);
  /// The result of an op that computes `exact` if that fits its type.
  Term fitted(mlir::Operation *op, Term exact);
  bool isNotNegative(Term term);
  Term translate(mlir::Operation *op);
  Term translateArith(mlir::Operation *op, Term a, Term b);
  Term translateCompare(mlir::Operation *op, Term a, Term b);
  bool walk(mlir::Block &block);
  bool walk(mlir::Operation &op);
  bool walkFor(mlir::scf::ForOp op);
  bool walkIf(mlir::scf::IfOp op);
  bool walkWhile(mlir::scf::WhileOp op);
  bool walkUnder(Term condition, mlir::Region &region);
  bool access(mlir::Operation *op, mlir::Value memref, mlir::ValueRange indices,
              int64_t length, bool writes, bool atomic);
};

} // namespace evo::prove

#endif
