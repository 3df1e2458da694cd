// The time that a search goes by.
#ifndef EVO_INTERFACES_SEARCHTIME_H
#define EVO_INTERFACES_SEARCHTIME_H

#include "evo/Dialect/Evo/IR/Evo.h"

namespace evo {

/// What estimates of a kernel's variants are to be multiplied by, as those say
/// that were measured: the median of measured over estimated times; 1 where
/// nothing was measured.
double estimateCorrection(KernelOp kernel);

/// Weighted microseconds of `variant`: measured, else estimated and corrected.
std::optional<double> expectedTime(VariantOp variant);

} // namespace evo

#endif
