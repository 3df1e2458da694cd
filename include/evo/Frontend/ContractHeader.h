// The `// evo.` comment lines of a kernel file (`; evo.` in LLVM IR): a
// contract that any other compiler of the file ignores. docs/Contract.md has
// the grammar.
#ifndef EVO_FRONTEND_CONTRACTHEADER_H
#define EVO_FRONTEND_CONTRACTHEADER_H

#include "evo/Dialect/Evo/IR/Evo.h"
#include "mlir/IR/Builders.h"
#include <optional>

namespace evo {

/// What the comment lines of one file say.
struct ContractHeader {
  /// A call of the CUDA runtime between launches: `bytes` of the buffer `to`
  /// become the byte `value`, or what is in the buffer `from`.
  struct Step {
    std::string to, from; // from: empty where a value is set
    uint8_t value;
    IntExpr bytes;
  };
  struct Launch {
    mlir::Location loc;
    /// As the file spells it, template arguments included: `rows<128>`.
    std::string kernel;
    std::vector<IntExpr> grid = {}, block = {}; // always three extents
    std::optional<IntExpr> shared = {};         // bytes
    std::vector<IntExpr> args = {};
    std::optional<Step> step = {}; // instead of all above but the name
  };
  /// A device variable that holds an argument of the contract.
  struct Symbol {
    mlir::Location loc;
    std::string variable; // as C++ spells it, `inner::table`
    std::string argument;
  };
  struct Scratch {
    mlir::Location loc;
    std::string name;
    mlir::Type elementType;
    std::vector<IntExpr> dims;
  };

  mlir::StringAttr name; // null: no evo.kernel line
  std::optional<mlir::Location> loc;
  llvm::SmallVector<mlir::Attribute> args, workloads, requirements;
  AccuracyAttr accuracy;
  /// How code is generated of the file's own launches; null: no such line.
  mlir::DictionaryAttr options;
  std::optional<mlir::Location> optionsLoc;
  std::vector<Launch> launches;
  std::vector<Scratch> scratch;
  std::vector<Symbol> symbols;
  /// Arguments that evo.symbol lines declare; in `args`, too, behind those of
  /// the evo.kernel line.
  llvm::SmallVector<mlir::Attribute> symbolArgs;

  bool empty() const {
    return !name && launches.empty() && scratch.empty() && workloads.empty() &&
           symbols.empty() && requirements.empty() && !accuracy && !options;
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

/// Gives `plan`, an evo.reference or evo.variant, the options of code
/// generation that `header` has, but for those that it has itself.
void takeOptions(LaunchPlanOpInterface plan, const ContractHeader &header);

/// Creates the evo.scratch and evo.launch ops of `header`'s plan, which the
/// builder is in, and gives it the header's options. Of a launch
/// that is a step the extents and arguments have to be filled in before. A
/// launch of `k` calls `@<deviceModule>::@<symbols[i]>`, one symbol per launch.
void createPlan(mlir::OpBuilder &builder, const ContractHeader &header,
                llvm::StringRef deviceModule,
                llvm::ArrayRef<std::string> symbols);

/// Options of code generation as a header line, with its end; empty where there
/// are none.
std::string printOptionsLine(mlir::DictionaryAttr options);

/// Prints the contract of `kernel` as header lines; with a plan (an
/// evo.reference or evo.variant, may be null) its launch lines too.
std::string printContractHeader(KernelOp kernel, LaunchPlanOpInterface plan);

} // namespace evo

#endif
