// Lifting: source text to an evo.kernel with its reference, or to a variant.
#ifndef EVO_FRONTEND_LIFT_H
#define EVO_FRONTEND_LIFT_H

#include "evo/Dialect/Evo/IR/Evo.h"
#include "evo/Frontend/CUDA.h"
#include "mlir/IR/OwningOpRef.h"

namespace evo {

/// Lifts a CUDA file (level L0: the LLVM and NVVM dialects, as Clang gave it)
/// to a module that holds one evo.kernel. Without header lines each
/// `__global__` function is lifted into a kernel without a contract, and
/// `drafts`, if given, gets what its launches suggest (CUDAModule::drafts).
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
liftCUDA(mlir::MLIRContext *context, llvm::StringRef source,
         llvm::StringRef fileName, const CUDAOptions &options,
         std::vector<CUDADraft> *drafts = nullptr);

/// What contracts the launches of a CUDA file without header lines suggest, and
/// the signatures of its other kernels (CUDAModule::drafts).
mlir::FailureOr<std::vector<CUDADraft>>
findCUDADrafts(mlir::MLIRContext *context, llvm::StringRef source,
               llvm::StringRef fileName, const CUDAOptions &options);

/// Fills the body of `plan` (empty, of a kernel
/// with a contract) from CUDA text with `// evo.` launch lines. Requirements of
/// the text are returned, for they belong to the variant.
mlir::LogicalResult
buildPlanFromCUDA(LaunchPlanOpInterface plan, llvm::StringRef source,
                  llvm::StringRef fileName, const CUDAOptions &options,
                  llvm::SmallVectorImpl<mlir::Attribute> *requirements,
                  const CUDAHeaders *headers = nullptr);

/// Lifts NVPTX LLVM IR with `; evo.` header lines, as Clang, Triton and other
/// compilers print it: a launch line names a kernel by its symbol. Without
/// header lines the file becomes a kernel without a contract.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
liftLLVMIR(mlir::MLIRContext *context, llvm::StringRef source,
           llvm::StringRef fileName);

/// As buildPlanFromCUDA, from LLVM IR.
mlir::LogicalResult
buildPlanFromLLVMIR(LaunchPlanOpInterface plan, llvm::StringRef source,
                    llvm::StringRef fileName,
                    llvm::SmallVectorImpl<mlir::Attribute> *requirements);

/// Lifts an MLIR file with `// evo.` header lines. One func.func on tensors
/// becomes a tensor-level reference: its arguments are the contract's in order,
/// outputs as destination tensors or as results alone, its results what is
/// written; where all its types are static it needs no header. Kernels of the
/// gpu dialect become a launch plan: that of the func.func that launches them,
/// or of launch lines. An evo.kernel is lifted already. A file that states no
/// contract, in lines or attributes, has that of `contract` if one is given.
/// Static shapes without a contract are abstracted (evo/Shapes), unless
/// `keepsSizes`; with a contract that was, as far as they give the same one.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
liftMLIR(mlir::MLIRContext *context, llvm::StringRef source,
         llvm::StringRef fileName, KernelOp contract = {},
         bool keepsSizes = false);

} // namespace evo

#endif
