// Numbers in the code that are functions of an extent: the N of a mean over N
// elements, the last index of a loop.
#ifndef EVO_LIB_SHAPES_BODYNUMBERS_H
#define EVO_LIB_SHAPES_BODYNUMBERS_H

#include "SizeValues.h"

namespace evo {

struct BodyNumber {
  /// How the number follows from the extent.
  enum Kind { Same, OneLess, Inverse, InverseOfOneLess };
  mlir::OpOperand *use;
  Kind kind;
  Extent extent;
};

/// Finds numbers that equal, exactly in their type, one simple function of one
/// extent that the op which uses them has to do with. What could be several is
/// none of them; `remarks` then says so.
std::vector<BodyNumber> findBodyNumbers(mlir::func::FuncOp function,
                                        const ShapeRules &rules,
                                        const Bindings &sizes,
                                        std::vector<std::string> &remarks);

/// Replaces the numbers by arithmetic on extents.
void replaceBodyNumbers(llvm::ArrayRef<BodyNumber> numbers, SizeValues &values);

} // namespace evo

#endif
