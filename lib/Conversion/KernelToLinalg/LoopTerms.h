// What the integers, loads and parameters of a kernel at L1 are, in terms of
// the contract: sums over sizes and counters, elements of tensors, scalars.
#ifndef EVO_LIB_CONVERSION_KERNELTOLINALG_LOOPTERMS_H
#define EVO_LIB_CONVERSION_KERNELTOLINALG_LOOPTERMS_H

#include "KernelArguments.h"
#include "Places.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace evo {

/// A tensor of the function that is written, with its extents.
struct SizedTensor {
  mlir::Value value;
  std::vector<Sum> dims;
};

/// An element of a tensor.
struct Element {
  SizedTensor tensor;
  std::vector<Sum> indices;
};

class LoopTerms {
public:
  LoopTerms(KernelOp kernel, mlir::func::FuncOp function);

  /// Begins with the kernel of `launch`.
  void enter(const StructuredLaunch &launch);

  /// An integer of the kernel as a sum; `Places::unknown` at worst.
  Sum index(mlir::Value value);
  void setIndex(mlir::Value value, const Sum &sum) {
    known[value] = sum;
    derived.clear();
  }
  /// Takes `counter`, of threads, for several: wherever it stands, also in what
  /// was asked for before.
  void replaceCounter(Factor counter, const Sum &by);

  /// The value of a size at the start of the function; null where the names in
  /// it are extents of no argument.
  mlir::Value getSize(const Sum &sum);
  /// The scalar that a parameter of the kernel is; null where it is none.
  mlir::Value getScalar(mlir::Value parameter);
  /// A tensor of no values yet.
  SizedTensor createEmpty(mlir::OpBuilder &b, std::vector<Sum> dims,
                          mlir::Type element);
  std::optional<std::vector<Sum>> convertDims(llvm::ArrayRef<IntExpr> dims);

  Places places;
  /// Values that are in memory: what was loaded, reduced or stored.
  llvm::DenseMap<mlir::Value, Element> elements;

private:
  KernelOp kernel;
  mlir::func::FuncOp function;
  StructuredLaunch launch;
  llvm::DenseMap<mlir::Value, Sum> known, derived;
  std::map<Factor, Sum> replaced;
  Sum threads[3], blocks[3]; // counters of the launch
  std::map<Sum, mlir::Value> sizes;
  mlir::Operation *sizesEnd; ///< sizes are computed before it, nests after

  Sum derive(mlir::Value value);
  std::optional<Sum> deriveBinary(mlir::Operation *op);
  mlir::Value createName(mlir::OpBuilder &b, llvm::StringRef name);
  mlir::Value createFactor(mlir::OpBuilder &b, Factor factor);
};

} // namespace evo

#endif
