// Which variants ship beside the best, and where each of them is used. Private
// to this library.
#ifndef EVO_LIB_TRANSFORMS_DISPATCH_H
#define EVO_LIB_TRANSFORMS_DISPATCH_H

#include "evo/Dialect/Evo/IR/Evo.h"

namespace evo {

/// A variant, and the conditions on sizes, beyond its own requirements, under
/// which a launcher uses it; null: none.
struct DispatchChoice {
  VariantOp variant;
  mlir::ArrayAttr when;
};

/// Those that make workloads faster than `best` (which may be null) alone, in
/// the order in which a launcher tries them; it falls back to `best`. A variant
/// with requirements is used wherever they hold, any other where sizes are
/// nearer to a workload that it is the fastest at than to others.
llvm::SmallVector<DispatchChoice>
chooseDispatch(KernelOp kernel, VariantOp best,
               llvm::ArrayRef<VariantOp> candidates, TargetAttrInterface target,
               bool measured);

} // namespace evo

#endif
