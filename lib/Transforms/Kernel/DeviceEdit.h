// Device code of a plan as LLVM IR, while it is rewritten. Regrouping the work
// of threads wants code in SSA form, without calls and with its branches folded
// to selections: LLVM's passes make that of what Clang gave, and its utilities
// clone and repair it. What comes out goes back into the plan as LLVM dialect,
// so that a variant stays text that can be read, hashed and judged.
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

  /// Gives every loop a preheader and one latch, and computes before it what
  /// does not change in it. Short ones that go through an array of the thread's
  /// own are unrolled, so that its elements become values.
  void prepareLoops();

  /// Writes out short loops. Answers whether there were any.
  bool writeOutLoops();

  /// Adds what the contract promises about the arguments of every launch:
  /// alignment of buffers, and that the variant's requirements of the form
  /// `E % n == 0` hold for parameters which are passed E. Parameters whose
  /// value follows from requirements of the form `N == n` become constants.
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
