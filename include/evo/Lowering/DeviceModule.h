// The LLVM modules of a launch plan, and the hash that evidence is bound to.
// DeviceBuilder makes them, for the verifier as for the code generator, so that
// what was judged is what is shipped.
#ifndef EVO_LOWERING_DEVICEMODULE_H
#define EVO_LOWERING_DEVICEMODULE_H

#include "evo/Dialect/Evo/IR/Evo.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/IR/PassManager.h"
#include <memory>

namespace llvm {
class LLVMContext;
class Module;
class PassBuilder;
class TargetMachine;
} // namespace llvm

namespace evo {

/// How device code is generated; parsed from a variant's `options`.
struct CodegenOptions {
  explicit CodegenOptions(TargetAttrInterface target) : target(target) {}
  TargetAttrInterface target;
  /// LLVM optimisation level, 0 to 3.
  unsigned optLevel = 3;
  /// 0: no limit.
  unsigned maxRegisters = 0;
  /// The name of the code generator.
  std::string generator = llvmGenerator.str();

  /// Reads `options` (may be null) over the defaults; unknown keys and wrong
  /// types are errors, reported at `loc`.
  static mlir::FailureOr<CodegenOptions> parse(mlir::DictionaryAttr options,
                                               TargetAttrInterface target,
                                               mlir::Location loc);
};

/// One gpu.module of a plan as LLVM IR. A form that was not asked for is null.
struct DeviceModule {
  std::string name; // of the gpu.module
  /// As lifted or lowered, before any optimisation. Detectors run on this.
  std::unique_ptr<llvm::Module> unoptimized;
  /// After LLVM's pipeline for the target; libdevice not yet linked, so that
  /// its functions stay whole units of known accuracy. Values are judged on
  /// this, and code is generated from this.
  std::unique_ptr<llvm::Module> optimized;
  /// Of the optimised module, without debug locations and names of files; empty
  /// where only the unoptimised form was asked for.
  std::string digest;
};

/// The way back from LLVM IR: a gpu.module `name` in the LLVM dialect, made of
/// `module`, at the builder's place. Emits a diagnostic on failure.
mlir::LogicalResult importDevice(mlir::OpBuilder &builder, mlir::Location loc,
                                 llvm::StringRef name,
                                 std::unique_ptr<llvm::Module> module);

/// One gpu.module as LLVM IR, lowered first where it is not in the LLVM
/// dialect, as it is before any optimisation. Null after a diagnostic.
std::unique_ptr<llvm::Module>
translateDeviceModule(mlir::gpu::GPUModuleOp device,
                      llvm::TargetMachine &machine,
                      llvm::LLVMContext &llvmContext);

/// Hash of the optimised modules, the plan's launches and scratch, the contract
/// and the target, as 32 hexadecimal digits. Debug locations do not count.
std::string hashPlan(LaunchPlanOpInterface plan,
                     llvm::ArrayRef<DeviceModule> modules,
                     const CodegenOptions &options);

/// Runs the passes that `build` adds on `module`, with all analyses registered
/// and the target's own callbacks and cost model.
void runModulePasses(
    llvm::Module &module, llvm::TargetMachine &machine,
    llvm::function_ref<void(llvm::PassBuilder &, llvm::ModulePassManager &)>
        build);

/// The NVPTX back end for `target`; a diagnostic at `loc` where it knows no
/// such architecture.
mlir::FailureOr<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(TargetAttrInterface target, unsigned optLevel,
                    mlir::Location loc);

} // namespace evo

#endif
