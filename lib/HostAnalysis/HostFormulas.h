// Values of host code as formulas over the contract's names.
#ifndef EVO_LIB_HOSTANALYSIS_HOSTFORMULAS_H
#define EVO_LIB_HOSTANALYSIS_HOSTFORMULAS_H

#include "evo/Dialect/Evo/IR/Evo.h"
#include "mlir/IR/AffineExpr.h"

namespace evo {

class HostFormulas {
public:
  /// A dense row-major buffer, by its name in the plan.
  struct Buffer {
    std::string name;
    llvm::SmallVector<IntExpr> dims;
    /// Appends its expanded memref descriptor to the arguments of a launch.
    void appendDescriptor(llvm::SmallVectorImpl<IntExpr> &args) const;
  };

  explicit HostFormulas(KernelOp kernel) : kernel(kernel) {}

  /// That of an integer value; emits an error where there is none.
  mlir::FailureOr<IntExpr> formula(mlir::Value value);
  /// The buffer that a memref is; emits an error where it is none of the
  /// plan's.
  mlir::FailureOr<Buffer> buffer(mlir::Value value);
  /// Makes the buffer that `value` (an allocation) is known as `name`.
  mlir::LogicalResult addScratch(mlir::Value value, llvm::StringRef name,
                                 mlir::ValueRange dynamicSizes);

private:
  using Kind = IntExpr::Kind;
  KernelOp kernel;
  llvm::DenseMap<mlir::Value, Buffer> scratches;

  std::optional<ArgumentAttr> argument(mlir::Value value);
  mlir::FailureOr<IntExpr> ofSize(mlir::OpFoldResult size);
  /// An extent of a buffer, or of a view of one.
  mlir::FailureOr<IntExpr> ofDim(mlir::Value source, int64_t index);
  /// The results of `map`, joined by `joinedBy` where there are several.
  mlir::FailureOr<IntExpr> ofMap(mlir::AffineMap map, mlir::ValueRange operands,
                                 Kind joinedBy);
};

} // namespace evo

#endif
