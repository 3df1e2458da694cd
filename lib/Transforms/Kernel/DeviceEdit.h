// Device code of a plan as LLVM IR, while it is rewritten. Redistributing the
// work of threads needs code in SSA form, inlined and simplified, which LLVM's
// passes make of Clang's output. The result goes back into the plan as LLVM
// dialect, so that a variant stays text that can be read, hashed and verified.
#ifndef EVO_LIB_TRANSFORMS_KERNEL_DEVICEEDIT_H
#define EVO_LIB_TRANSFORMS_KERNEL_DEVICEEDIT_H

#include "evo/Dialect/Evo/IR/Evo.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace evo {

class DeviceEdit {
public:
  /// Opens the device code of `variant`, inlined and in SSA form. Failures are
  /// reported at `loc`.
  static mlir::FailureOr<std::unique_ptr<DeviceEdit>> open(VariantOp variant,
                                                           mlir::Location loc);
  /// Cleans up and puts the code back into the plan.
  mlir::LogicalResult commit();

  llvm::Module &getModule() { return *module; }
  /// The function that `launch` names.
  llvm::Function *getKernel(LaunchOp launch);

  /// Brings every loop into simplified form and hoists its invariants. Short
  /// loops over private arrays are unrolled, so that elements become values.
  void prepareLoops();

  /// Unrolls short loops completely. Returns whether there were any.
  bool fullyUnrollLoops();

  /// Adds facts about the arguments of every launch: the alignment of buffers,
  /// and the variant's requirements `E % n == 0` for parameters that are passed
  /// E. Parameters whose value follows from requirements `N == n` become
  /// constants.
  void addFacts();

private:
  DeviceEdit(VariantOp variant, mlir::Location loc)
      : variant(variant), loc(loc) {}
  VariantOp variant;
  mlir::Location loc;
  llvm::LLVMContext context;
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::Module> module;
};

} // namespace evo

#endif
