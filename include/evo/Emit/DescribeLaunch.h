// From the dialect to a launch description: how a kernel's variants are called,
// as data that needs no MLIR to be read. Verification, measuring and shipping
// thereby evaluate one and the same formulas.
#ifndef EVO_EMIT_DESCRIBELAUNCH_H
#define EVO_EMIT_DESCRIBELAUNCH_H

#include "evo/Dialect/Evo/IR/Evo.h"
#include "evo/Runtime/LaunchDescription.h"

namespace evo {

/// The contract's name of an element type ("f16", "u8"); empty for others.
std::string getTypeName(mlir::Type type);

/// Name, dimensions, arguments and requirements of `kernel`; no variants.
/// Integer scalars stand among the dimensions: formulas may name them, and a
/// kernel takes them in the width of its own parameter.
llvm::Expected<LaunchDescription> describeContract(KernelOp kernel);

/// The launches and scratch buffers of `plan` (an evo.variant, or an
/// evo.reference with launches). Widths of integer parameters are read from the
/// kernels' signatures. Errors: a kernel is not defined in the plan, or an
/// argument is of another kind than its parameter.
llvm::Expected<LaunchVariant> describePlan(LaunchPlanOpInterface plan,
                                           llvm::StringRef name,
                                           const target::Arch &target);

/// The whole, valid, description; `variants` in the order in which they are
/// tried, so specialised ones first. The first general one is called "best" and
/// its files best.ptx and best.cubin, the others have the names of their
/// symbols. Errors: a variant has no code (see evo-lower), or as above.
llvm::Expected<LaunchDescription>
describeLaunch(KernelOp kernel, llvm::ArrayRef<VariantOp> variants);

/// Code that evo-lower left in a variant. Views of its attributes.
struct VariantCode {
  target::Arch target;
  llvm::StringRef ptx;
  /// Empty where there was no assembler.
  llvm::StringRef cubin;
};

/// Error: there is none, or for an architecture that is none.
llvm::Expected<VariantCode> findCode(VariantOp variant);

} // namespace evo

#endif
