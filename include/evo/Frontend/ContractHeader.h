// The `// evo.` comment lines of a kernel file (`; evo.` in LLVM IR): a
// contract that any other compiler of the file ignores. docs/Contract.md has
// the grammar.
#ifndef EVO_FRONTEND_CONTRACTHEADER_H
#define EVO_FRONTEND_CONTRACTHEADER_H

#include "evo/Dialect/Evo/IR/Evo.h"
#include "mlir/IR/Builders.h"

namespace evo {

/// What the comment lines of one file say. Expressions are kept as text that
/// was checked to parse.
struct ContractHeader {
  struct Launch {
    mlir::Location loc;
    /// As written, template arguments included: `rows<128>`.
    std::string kernel;
    std::vector<std::string> grid, block; // always three extents
    std::string shared;                   // bytes; empty: none
    std::vector<std::string> args;
  };
  struct Scratch {
    mlir::Location loc;
    std::string name;
    mlir::Type elementType;
    std::vector<std::string> dims;
  };

  mlir::StringAttr name; // null: no evo.kernel line
  std::optional<mlir::Location> loc;
  llvm::SmallVector<mlir::Attribute> args, workloads;
  std::vector<std::string> requirements;
  AccuracyAttr accuracy;
  std::vector<Launch> launches;
  std::vector<Scratch> scratch;

  bool empty() const {
    return !name && launches.empty() && scratch.empty() && workloads.empty() &&
           requirements.empty() && !accuracy;
  }
};

/// Reads the header lines of `text`. `leader` is what begins a comment, "//" or
/// ";". Errors are emitted at file, line and column.
mlir::FailureOr<ContractHeader>
parseContractHeader(mlir::MLIRContext *context, llvm::StringRef text,
                    llvm::StringRef fileName, llvm::StringRef leader = "//");

/// Creates the evo.kernel that `header` describes, with an empty body.
KernelOp createKernel(mlir::OpBuilder &builder, mlir::Location loc,
                      const ContractHeader &header);

/// Creates the evo.scratch and evo.launch ops of `header`'s plan. A launch of
/// `k` calls `@<deviceModule>::@<symbols[i]>`, one symbol a launch.
void createPlan(mlir::OpBuilder &builder, const ContractHeader &header,
                llvm::StringRef deviceModule,
                llvm::ArrayRef<std::string> symbols);

/// Prints the contract of `kernel` as header lines; with a plan (an
/// evo.reference or evo.variant, may be null) its launch lines too.
std::string printContractHeader(KernelOp kernel, LaunchPlanOpInterface plan);

} // namespace evo

#endif
