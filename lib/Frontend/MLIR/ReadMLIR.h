// MLIR as other compilers print it, made ready to be lifted.
#ifndef EVO_LIB_FRONTEND_MLIR_READMLIR_H
#define EVO_LIB_FRONTEND_MLIR_READMLIR_H

#include "evo/Frontend/ContractHeader.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace evo {

/// Parses a file. Attributes of dialects that are unknown here (a front end's
/// own notes) are dropped; ops of such dialects are errors at their place.
/// Scans are linalg, and squares products, in what is returned.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
readMLIR(mlir::MLIRContext *context, llvm::StringRef source,
         llvm::StringRef fileName);

/// Turns scans of torch-mlir into linalg; a diagnostic where one cannot be.
mlir::LogicalResult convertScans(mlir::ModuleOp module);

/// Within structured operations a power of 2 becomes a product.
void squarePowers(mlir::ModuleOp module);

/// What a function takes for granted of an argument's values.
struct ValueDomain {
  mlir::Value indexed; ///< tensor of which they number elements; else positive
  unsigned axis = 0;   ///< along which
};

/// What the uses of `argument` (a tensor or a scalar) say of its values; none
/// where they say nothing.
std::optional<ValueDomain> findDomain(mlir::Value argument);

/// The contract of a function on tensors of static shape that has none: its
/// arguments are read, its results written.
mlir::LogicalResult deriveContract(mlir::func::FuncOp function,
                                   ContractHeader &header);

/// The contract that a function carries itself, in the attributes `evo.args`,
/// `evo.workloads` and `evo.requires`; they are removed. Nothing where it has
/// none.
mlir::LogicalResult readContractAttributes(mlir::func::FuncOp function,
                                           ContractHeader &header);

/// Whether a file holds kernels already.
bool hasGPUCode(mlir::ModuleOp module);

/// Lifts kernels of the gpu dialect. The parts of `input` move into the result.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
liftGPU(mlir::ModuleOp input, const ContractHeader &header);

/// Destination style: gives `function` an argument for each `out` argument of
/// the contract where it has none, checks types against the contract, and that
/// there is one result for each argument that is written.
mlir::LogicalResult matchSignature(KernelOp kernel,
                                   mlir::func::FuncOp function);

} // namespace evo

#endif
