// The rewrites of one proposal, line by line.
#ifndef EVO_LIB_TRANSFORMS_KERNEL_REWRITER_H
#define EVO_LIB_TRANSFORMS_KERNEL_REWRITER_H

#include "Coarsen.h"
#include "DeviceEdit.h"
#include "Privatize.h"
#include "Teams.h"
#include "evo/Dialect/Evo/IR/Evo.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

namespace evo {

/// Applies them to one variant: each line to its device code, which is opened
/// once, and to the launches that go with it.
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
  llvm::StringSet<> regrouped; // kernels whose threads were
  bool hasFacts = false;       // the code says what is required
  std::string only;            // the kernel that is rewritten, or all
  /// Of a kernel that was cut off another: that one.
  llvm::StringMap<std::string> wholes;

  mlir::LogicalResult parseNumbers(llvm::ArrayRef<llvm::StringRef> words,
                                   unsigned count,
                                   llvm::SmallVectorImpl<int64_t> &numbers);
  mlir::LogicalResult parseCoarsening(llvm::ArrayRef<llvm::StringRef> words,
                                      Coarsening &how);
  mlir::LogicalResult beginEdit();
  void addFacts();
  /// Whether the plan's kernels are in the LLVM dialect.
  bool isLowered();
  /// Whether a symbol is of a kernel that is rewritten.
  bool isMeant(llvm::StringRef symbol) const;
  /// Whether the threads of one of these were regrouped.
  bool areRegrouped();
  /// `text`, put together of other formulas, as it is written.
  mlir::FailureOr<std::string> parseFormula(const std::string &text);
  /// The same, as a number where no name is in it.
  mlir::FailureOr<std::string> simplify(const std::string &text);
  mlir::LogicalResult setBlock(llvm::ArrayRef<int64_t> block);
  mlir::LogicalResult fitBlock(LaunchOp launch, llvm::ArrayRef<int64_t> block);
  void setUnroll(int64_t count);
  mlir::LogicalResult setBounds();
  void setMinBlocks(int64_t count);
  mlir::LogicalResult require(llvm::StringRef condition);
  mlir::LogicalResult coarsenThreads(const Coarsening &how);
  mlir::LogicalResult coarsenBlocks(const Coarsening &how);
  mlir::LogicalResult formTeams(const Teams &how);
  mlir::LogicalResult cutIntoSlices(unsigned count);
  mlir::LogicalResult privatize();
  /// Gives the blocks of `launch` shared memory for copies of `arrays`, and the
  /// kernel their lengths.
  mlir::LogicalResult addCopies(LaunchOp launch,
                                llvm::ArrayRef<JoinedArray> arrays);
  /// The number of elements, as a formula, of what `launch` passes as `array`.
  mlir::FailureOr<std::string> countElements(LaunchOp launch,
                                             const JoinedArray &array);
  mlir::LogicalResult makePlane(llvm::StringRef text);
  mlir::LogicalResult flatten();
  mlir::LogicalResult stackBlocks(llvm::ArrayRef<llvm::StringRef> words);
  mlir::LogicalResult reuseLoads();
  /// The parameters of `kernel` to which all of `launches` pass buffers that
  /// they pass nowhere else.
  llvm::SmallVector<llvm::Argument *>
  getBuffers(llvm::Function &kernel, llvm::ArrayRef<LaunchOp> launches);
  mlir::LogicalResult restrict(llvm::ArrayRef<llvm::StringRef> words);
  /// The literal block that all of `launches` have.
  mlir::FailureOr<llvm::SmallVector<int64_t>>
  getBlock(llvm::ArrayRef<LaunchOp> launches);
  /// Those that are rewritten.
  llvm::SmallVector<LaunchOp> launches();
  /// The same, of each kernel.
  llvm::MapVector<mlir::StringAttr, llvm::SmallVector<LaunchOp>>
  launchesByKernel();
};

/// Whether a kernel's symbol is `name`, or is what a compiler made of it.
bool isNamed(llvm::StringRef symbol, llvm::StringRef name);

} // namespace evo

#endif
