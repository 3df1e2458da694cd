// Steps that the whole of a tensor-level reference and its single elements go
// alike: from a function to loops to a launch plan.
#ifndef EVO_LIB_VERIFICATION_ONDEMAND_TENSORLOWERING_H
#define EVO_LIB_VERIFICATION_ONDEMAND_TENSORLOWERING_H

#include "evo/Dialect/Evo/IR/Evo.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace evo {

/// A buffer of the plan beside the contract's own.
struct ReferenceScratch {
  std::string name;
  mlir::Type elementType;
  mlir::ArrayAttr dims; ///< formulas, as those of arguments
};

/// One block of a function, with its arguments in the form of the LLVM dialect.
struct ReferenceLaunch {
  std::string function;
  unsigned threads;
  llvm::SmallVector<std::string> args;
};

/// The function of a reference, checked against the contract, in `work`;
/// operations that stand for several are taken apart.
mlir::FailureOr<mlir::func::FuncOp> cloneTensorReference(KernelOp kernel,
                                                         mlir::ModuleOp work);

/// From buffers, loops and scalars to the LLVM dialect.
mlir::LogicalResult lowerLoopsToLLVM(mlir::ModuleOp module);

/// What the contract's arguments become there.
llvm::SmallVector<std::string> getReferenceArguments(KernelOp kernel);

/// A module with a copy of the contract whose reference launches functions of
/// `lowered`, which are moved there.
mlir::OwningOpRef<mlir::ModuleOp>
makeReferencePlan(KernelOp kernel, mlir::ModuleOp lowered,
                  llvm::ArrayRef<ReferenceScratch> scratches,
                  llvm::ArrayRef<ReferenceLaunch> launches);

} // namespace evo

#endif
