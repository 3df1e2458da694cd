// Comparison of a plan's outputs with the baseline's, both from the device. The
// verifier has judged the variant already; this finds what only the device does
// (a miscompile behind PTX, a race, code that does other than was judged), so
// the bound is wide and knows nothing of how the values came about.
#ifndef EVO_LIB_MEASURE_OUTPUTCHECK_H
#define EVO_LIB_MEASURE_OUTPUTCHECK_H

#include "evo/Dialect/Evo/IR/Evo.h"
#include "llvm/Support/Error.h"

namespace evo {

/// Let b be the baseline's result, c the other's, u the unit roundoff of the
/// type, or of a narrower one that `accuracy` allows. Half of the digits have
/// to agree:
///   |c - b| <= sqrt(u) max(|b|, rms(b))    for each element,
/// or what `accuracy` allows where that is more. Integers, infinities and NaN
/// must be equal. Elements that the baseline left poisoned (all bits set) are
/// not looked at. The error names the first element.
llvm::Error checkOutput(ArgumentAttr arg, AccuracyAttr accuracy,
                        llvm::StringRef baseline, llvm::StringRef other);

} // namespace evo

#endif
