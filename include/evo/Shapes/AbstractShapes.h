// A function on tensors of static shape as the same function on shapes that are
// open, and back. Front ends emit the sizes that a caller happened to have; a
// kernel that is judged over small sizes, and for all, needs names instead.
#ifndef EVO_SHAPES_ABSTRACTSHAPES_H
#define EVO_SHAPES_ABSTRACTSHAPES_H

#include "evo/Dialect/Evo/IR/Evo.h"
#include "evo/Support/IntExpr.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace evo {

/// What abstraction found out about a function.
struct ShapeNames {
  /// For each argument the extents as formulas, literals where they are fixed;
  /// empty for what is no tensor.
  std::vector<std::vector<std::string>> extents;
  /// The names in order of appearance, with the sizes that the file has.
  std::vector<std::pair<std::string, int64_t>> sizes;
  /// Conditions on the names without which an extent would be negative.
  std::vector<std::string> requirements;
  /// For each argument that holds indices the extent of the axis that they are
  /// of; empty for others.
  std::vector<std::string> indexed;
  /// Why what is still a number is one: "arg0, axis 1, is 3: ...".
  std::vector<std::string> fixed;
};

/// Gives open shapes to `function`, which is in destination style: its i-th
/// result is written to the argument `destinations[i]`. Extents that `like`
/// spells alike, one list for each argument, are the same name, and its
/// literals stay numbers. Fails, with the reason in `why` and the function as
/// it was, where the result would not be the same function at the sizes of the
/// file.
mlir::FailureOr<ShapeNames> abstractShapes(
    mlir::func::FuncOp function, llvm::ArrayRef<unsigned> destinations,
    llvm::ArrayRef<llvm::SmallVector<llvm::StringRef>> like, std::string &why);

/// Gives `function` arguments of the given types, which say the extents that
/// its own leave open, and all other values the types that follow; sizes become
/// numbers in its code. Fails with a diagnostic where they do not follow.
mlir::LogicalResult bindShapes(mlir::func::FuncOp function,
                               mlir::TypeRange arguments);

/// Whether both functions are the same but for names and the order of
/// constants, once canonicalised.
bool areSameFunctions(mlir::func::FuncOp a, mlir::func::FuncOp b);

/// The name of the attribute of an evo.kernel that maps the names of its
/// dimensions to the sizes that its caller has, and no others.
inline constexpr llvm::StringLiteral callerSizesName = "evo.sizes";
/// The attribute that says, as texts, which extents stayed numbers, and why.
inline constexpr llvm::StringLiteral fixedExtentsName = "evo.fixed";

/// Abstracts the shapes of a kernel whose reference is a function on tensors of
/// static shape and whose contract has no dimension names: the contract gets
/// them, the file's sizes as its workload, and `evo.sizes`. True where any name
/// was found. With `like`, an abstracted kernel, the result has the arguments
/// of that one, or nothing is changed.
bool abstractKernel(KernelOp kernel, KernelOp like = {});

/// The arguments of a contract with the extents that they have at `sizes`.
llvm::SmallVector<mlir::Attribute> bindArguments(mlir::ArrayAttr args,
                                                 const Bindings &sizes);

/// The sizes that the caller of an abstracted kernel has; none of another one.
std::optional<Bindings> getCallerSizes(KernelOp kernel);

} // namespace evo

#endif
