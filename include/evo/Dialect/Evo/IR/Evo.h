// The evo dialect: everything a user of its C++ classes includes.
#ifndef EVO_DIALECT_EVO_IR_EVO_H
#define EVO_DIALECT_EVO_IR_EVO_H

#include "evo/Support/IntExpr.h"
#include "evo/Support/Reason.h"
#include "evo/Target/AddressSpace.h"
#include "evo/Target/TargetInfo.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/IR/SymbolTable.h"

#include "evo/Dialect/Evo/IR/Evidence.h"
#include "evo/Dialect/Evo/IR/EvoDialect.h.inc"
#include "evo/Dialect/Evo/IR/EvoEnums.h.inc"

namespace evo::detail {
struct ExprAttrStorage;
struct RequirementAttrStorage;
} // namespace evo::detail

#include "evo/Dialect/Evo/IR/TargetInterface.h.inc"
#define GET_ATTRDEF_CLASSES
#include "evo/Dialect/Evo/IR/EvoAttrs.h.inc"

namespace evo {
class KernelOp;
class LaunchOp;
class ScratchOp;
} // namespace evo

#include "evo/Dialect/Evo/IR/EvoInterfaces.h.inc"

#define GET_OP_CLASSES
#include "evo/Dialect/Evo/IR/EvoOps.h.inc"

namespace evo {

/// The target that a pass option names, such as an architecture; null after a
/// diagnostic where there is none.
TargetAttrInterface parseTarget(mlir::MLIRContext *context,
                                llvm::StringRef name);

/// The proposal whose variant the others are compared with: the kernel as it
/// is. See KernelOp::lookupBaseline.
inline constexpr llvm::StringLiteral baselineName = "baseline";

/// The code generators, as the option `codegen` names them.
inline constexpr llvm::StringLiteral llvmGenerator = "llvm";
inline constexpr llvm::StringLiteral nvrtcGenerator = "nvrtc";

/// Whether `option` says how code is generated, and takes this value.
bool isCodegenOption(mlir::NamedAttribute option);
/// What such options are, for diagnostics.
inline constexpr llvm::StringLiteral codegenOptionsKnown =
    "opt (0 to 3), maxnreg (16 to 255), codegen (\"llvm\" or \"nvrtc\")";

/// `attr` with the text in the place of every expression and requirement that
/// stands in an array or a dictionary of it: what ops print, and what hashes
/// are of.
mlir::Attribute spellTexts(mlir::Attribute attr);
void addTextReplacements(mlir::AttrTypeReplacer &replacer);
void printTexts(llvm::raw_ostream &os, mlir::Attribute attr);

/// Appends the launch arguments that pass the dense row-major buffer `arg` as
/// an expanded memref descriptor: base and aligned pointer, offset, sizes,
/// strides (the latter in elements).
void appendDescriptor(ArgumentAttr arg,
                      llvm::SmallVectorImpl<std::string> &args);

} // namespace evo

#endif
