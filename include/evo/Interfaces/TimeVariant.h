// One variant on a device, for a search and for what comes after it.
#ifndef EVO_INTERFACES_TIMEVARIANT_H
#define EVO_INTERFACES_TIMEVARIANT_H

#include "evo/Interfaces/SearchSession.h"

namespace evo {

/// Has `variant` timed and answers the seconds that took; it then has its time
/// or `notMeasuredAttr` (and no earlier time any more), or what it had where it
/// was interrupted. Whoever watches `session` (which may be null) is told, its
/// summary counts, and its journal keeps the time; a failure is the journal's.
mlir::FailureOr<double> timeVariant(Measurer &measurer, VariantOp variant,
                                    TargetAttrInterface target,
                                    SearchSession *session);

/// The same of several variants of one kernel, at a time each; the baseline is
/// not among them unless it is alone. At most as many as `measurer` is wide.
mlir::FailureOr<double> timeVariants(Measurer &measurer,
                                     llvm::ArrayRef<VariantOp> variants,
                                     TargetAttrInterface target,
                                     SearchSession *session);

/// Has what `variant` does counted, where it was timed and not counted yet; the
/// rest is as for timeVariant.
mlir::FailureOr<double> countVariant(Measurer &measurer, VariantOp variant,
                                     TargetAttrInterface target,
                                     SearchSession *session);

} // namespace evo

#endif
