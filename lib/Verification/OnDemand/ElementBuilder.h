// One element of a tensor, computed on demand: of each producer the elements
// that it is made of, down to the elements of the arguments. No tensor is ever
// there as a whole, so that an element costs what its own sums cost, whatever
// the size of the tensors.
#ifndef EVO_LIB_VERIFICATION_ONDEMAND_ELEMENTBUILDER_H
#define EVO_LIB_VERIFICATION_ONDEMAND_ELEMENTBUILDER_H

#include "Verification/OnDemand/Scopes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"

namespace evo {

/// Emits the scalar code of elements of tensors that a function computes.
/// Sums run over the same terms in the same order as in the loops that the
/// whole operation becomes, so that each element has the same bits.
class ElementBuilder {
public:
  /// `arguments` says which memref (of a tensor) or scalar stands for each
  /// argument of the function. Where `lane` is given, a whole warp computes
  /// each element: its lanes share the terms of sums, whose order is another
  /// then.
  ElementBuilder(mlir::OpBuilder &builder, mlir::IRMapping arguments,
                 mlir::Value lane = nullptr)
      : b(builder), scopes(builder), lane(lane),
        arguments(std::move(arguments)) {}

  /// The element of `tensor` at `index`; fails, with `obstacle` set, where
  /// there is no code for it.
  mlir::FailureOr<mlir::Value> element(mlir::Value tensor,
                                       mlir::ValueRange index);
  mlir::FailureOr<mlir::Value> extent(mlir::Value tensor, int64_t dim);
  /// The index of the `number`-th element of `tensor`, row by row.
  mlir::FailureOr<Scopes::Values> unrank(mlir::Value tensor,
                                         mlir::Value number);

  /// What cannot be evaluated element by element, and where.
  std::optional<mlir::Location> obstacleAt;
  std::string obstacle;

  mlir::OpBuilder &b;
  Scopes scopes;
  /// Whether lanes share any sum.
  bool hasSharedSums = false;

private:
  using Values = Scopes::Values;
  enum class Arithmetic { Add, Sub, Mul, Div, Rem };
  /// Of each result what adds to it, and what that begins with.
  struct SharedSums {
    llvm::SmallVector<mlir::Operation *> combiners;
    llvm::SmallVector<mlir::TypedAttr> neutral;
  };
  mlir::Value lane;
  mlir::IRMapping arguments;
  mlir::SymbolTableCollection symbols;

  /// Whether all results are computed at once: an element of each at the same
  /// index.
  static bool isTogether(mlir::Operation *op);
  mlir::LogicalResult giveUp(mlir::Operation *op);
  mlir::Value constant(int64_t value);
  mlir::Value compute(Arithmetic kind, mlir::Value lhs, mlir::Value rhs);
  mlir::FailureOr<mlir::Value> apply(mlir::AffineExpr expr,
                                     mlir::ValueRange dims);
  mlir::FailureOr<mlir::Value> number(mlir::OpFoldResult value);
  mlir::FailureOr<mlir::Value> scalar(mlir::Value value);
  mlir::FailureOr<Values> numbers(llvm::ArrayRef<mlir::OpFoldResult> values);

  /// Copies the operations of a body; what it returns is what the terminator
  /// does. `map` names the arguments of the block, `index` what linalg.index
  /// says.
  mlir::FailureOr<Values> inlineBody(mlir::Block &body, mlir::IRMapping &map,
                                     mlir::ValueRange index);
  mlir::LogicalResult inlineOp(mlir::Operation &op, mlir::IRMapping &map,
                               mlir::ValueRange index);
  mlir::FailureOr<mlir::Value> mapped(mlir::Value value, mlir::IRMapping &map);

  /// `then` where `condition` holds, else `otherwise`; each may use what it
  /// computes of its own alone.
  using Branch = llvm::function_ref<mlir::FailureOr<Values>()>;
  mlir::FailureOr<Values> choose(mlir::Value condition, mlir::TypeRange types,
                                 Branch then, Branch otherwise);

  // The elements of results, by operation.
  mlir::FailureOr<Values> elementsOf(mlir::Operation *op, unsigned result,
                                     mlir::ValueRange index);
  mlir::FailureOr<Values> ofLinalg(mlir::linalg::LinalgOp op, unsigned result,
                                   mlir::ValueRange index);
  // SharedSums.cpp: lanes that add up for each other.
  std::optional<SharedSums> planShared(mlir::linalg::LinalgOp op);
  Values chooseShared(mlir::ValueRange extents);
  mlir::Value combine(mlir::Operation *combiner, mlir::Value lhs,
                      mlir::Value rhs);
  mlir::Value combineLanes(mlir::Operation *combiner, mlir::Value own);
  mlir::FailureOr<Values> ofConstant(mlir::Operation *op,
                                     mlir::ElementsAttr elements,
                                     mlir::ValueRange index);
  mlir::FailureOr<Values> ofExpand(mlir::tensor::ExpandShapeOp op,
                                   mlir::ValueRange index);
  mlir::FailureOr<Values> ofCollapse(mlir::tensor::CollapseShapeOp op,
                                     mlir::ValueRange index);
  mlir::FailureOr<Values> ofPad(mlir::tensor::PadOp op, mlir::ValueRange index);
  mlir::FailureOr<Values> ofExtractSlice(mlir::tensor::ExtractSliceOp op,
                                         mlir::ValueRange index);
  mlir::FailureOr<Values> ofInsertSlice(mlir::tensor::InsertSliceOp op,
                                        mlir::ValueRange index);
  mlir::FailureOr<Values> ofInsert(mlir::tensor::InsertOp op,
                                   mlir::ValueRange index);
  mlir::FailureOr<Values> ofConcat(mlir::tensor::ConcatOp op, size_t part,
                                   mlir::Value before, mlir::ValueRange index);
  mlir::FailureOr<Values> ofElementwise(mlir::Operation *op,
                                        mlir::ValueRange index);
  mlir::FailureOr<Values> one(mlir::FailureOr<mlir::Value> value);
};

} // namespace evo

#endif
