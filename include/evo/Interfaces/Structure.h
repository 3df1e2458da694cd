// What makes two candidates the same code: a hash of a launch plan's canonical
// form, in which names, locations and the order of symbols' first use count for
// nothing. A second hash leaves out constants as well, so that a candidate
// which only turns the numbers of an earlier one is known as its like.
#ifndef EVO_INTERFACES_STRUCTURE_H
#define EVO_INTERFACES_STRUCTURE_H

#include "evo/Dialect/Evo/IR/Evo.h"

namespace evo {

/// Discardable attributes of proposals: the hashes of what they became.
inline constexpr llvm::StringLiteral codeAttr = "evo.code";
inline constexpr llvm::StringLiteral shapeAttr = "evo.shape";
/// The earlier proposal that has the same shape, and other code.
inline constexpr llvm::StringLiteral likeAttr = "evo.like";
/// On a kernel that is evaluated: a dictionary from hashes of code to the names
/// of those that had it. Who materializes such code again refuses it.
inline constexpr llvm::StringLiteral knownAttr = "evo.known";
/// On a kernel that is evaluated: what it was given besides the candidate need
/// not come back.
inline constexpr llvm::StringLiteral candidateOnlyAttr = "evo.candidate_only";

struct StructureHash {
  std::string code;  ///< all that decides what the plan does, options included
  std::string shape; ///< without constants, launch extents and options
};

/// The options of code generation in `options`, as text. The values of knobs
/// are none: what they did stands in the plan.
std::string describeCodegen(mlir::DictionaryAttr options);

/// Of the plan in `variant`. Generated binaries are left out, so that the hash
/// is the same before and after code generation.
StructureHash hashStructure(VariantOp variant);

} // namespace evo

#endif
