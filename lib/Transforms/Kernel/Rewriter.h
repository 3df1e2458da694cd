// The rewrites of one proposal, line by line.
#ifndef EVO_LIB_TRANSFORMS_KERNEL_REWRITER_H
#define EVO_LIB_TRANSFORMS_KERNEL_REWRITER_H

#include "Coarsen.h"
#include "DeviceEdit.h"
#include "LoopDistribution.h"
#include "Privatize.h"
#include "evo/Dialect/Evo/IR/Evo.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

namespace evo {

/// Applies rewrites to one variant: to its device code, which is opened once,
/// and to the launches that go with it.
class Rewriter {
public:
  explicit Rewriter(VariantOp variant) : variant(variant) {}
  mlir::LogicalResult apply(llvm::StringRef row, mlir::Location at);
  /// Puts device code that is being edited back into the plan.
  mlir::LogicalResult finish();

private:
  VariantOp variant;
  mlir::Location loc = mlir::UnknownLoc::get(variant.getContext());
  std::unique_ptr<DeviceEdit> edit;
  llvm::StringSet<> redistributed; // kernels whose threads were
  bool hasFacts = false;           // the code states all requirements
  std::string only;                // the kernel that is rewritten; empty: all
  /// For a kernel that was split off: the original one.
  llvm::StringMap<std::string> originals;

  mlir::LogicalResult parseNumbers(llvm::ArrayRef<llvm::StringRef> words,
                                   unsigned count,
                                   llvm::SmallVectorImpl<int64_t> &numbers);
  mlir::LogicalResult parseCoarsening(llvm::ArrayRef<llvm::StringRef> words,
                                      Coarsening &how);
  mlir::LogicalResult beginEdit();
  void addFacts();
  /// Whether the plan's kernels are in the LLVM dialect.
  bool isLowered();
  /// Whether the kernel `symbol` is rewritten.
  bool isMeant(llvm::StringRef symbol) const;
  /// Whether the threads of a launched kernel were redistributed before.
  bool areRedistributed();
  /// `text`, composed of other formulas, in canonical form.
  mlir::FailureOr<ExprAttr> makeFormula(const std::string &text);
  ExprAttr makeNumber(int64_t value);
  /// `extent` over `divisor`, rounded up.
  mlir::FailureOr<ExprAttr> makeQuotient(mlir::Attribute extent,
                                         int64_t divisor);
  /// The same, as a number if it contains no name.
  mlir::FailureOr<ExprAttr> simplify(const std::string &text);
  mlir::LogicalResult setBlock(llvm::ArrayRef<int64_t> block);
  mlir::LogicalResult fitBlock(LaunchOp launch, llvm::ArrayRef<int64_t> block);
  void setUnroll(int64_t count);
  mlir::LogicalResult setBounds();
  void setMinBlocks(int64_t count);
  mlir::LogicalResult require(llvm::StringRef condition);
  mlir::LogicalResult coarsenThreads(const Coarsening &how);
  mlir::LogicalResult coarsenBlocks(const Coarsening &how);
  mlir::LogicalResult distributeLoops(const LoopDistribution &how);
  mlir::LogicalResult reduceThenScan(unsigned count);
  mlir::LogicalResult privatize();
  /// Gives the blocks of `launch` shared memory for private copies of `arrays`,
  /// and the kernel their lengths.
  mlir::LogicalResult addCopies(LaunchOp launch,
                                llvm::ArrayRef<ReducedArray> arrays);
  /// The number of elements, as a formula, of what `launch` passes as `array`.
  mlir::FailureOr<ExprAttr> countElements(LaunchOp launch,
                                          const ReducedArray &array);
  mlir::LogicalResult remapLaunch(llvm::StringRef text);
  mlir::LogicalResult ifConvert();
  mlir::LogicalResult mergeBlocks(llvm::ArrayRef<llvm::StringRef> words);
  mlir::LogicalResult eliminateLoads();
  /// The parameters of `kernel` to which all of `launches` pass buffers that
  /// they pass nowhere else.
  llvm::SmallVector<llvm::Argument *>
  getBuffers(llvm::Function &kernel, llvm::ArrayRef<LaunchOp> launches);
  mlir::LogicalResult restrict(llvm::ArrayRef<llvm::StringRef> words);
  /// The literal block that all of `launches` have.
  mlir::FailureOr<llvm::SmallVector<int64_t>>
  getBlock(llvm::ArrayRef<LaunchOp> launches);
  /// The launches of the kernels that are rewritten.
  llvm::SmallVector<LaunchOp> launches();
  /// The same, by kernel.
  llvm::MapVector<mlir::StringAttr, llvm::SmallVector<LaunchOp>>
  launchesByKernel();
};

/// Whether a kernel's symbol is `name`, mangled or not.
bool isNamed(llvm::StringRef symbol, llvm::StringRef name);

} // namespace evo

#endif
