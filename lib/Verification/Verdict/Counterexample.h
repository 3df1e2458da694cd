// The data of a refutation that a sample found, for who wants to see it happen.
#ifndef EVO_LIB_VERIFICATION_COUNTEREXAMPLE_H
#define EVO_LIB_VERIFICATION_COUNTEREXAMPLE_H

#include "Verification/Trial.h"

namespace evo {

/// Sizes and float scalars, the bytes of inputs and, by the names of results,
/// what reference and candidate left there: {sizes, floats, inputs, expected,
/// found}. Null where they are more than is worth to be kept. `wanted` and
/// `got` are absent where one of them left nothing.
mlir::DictionaryAttr describeCounterexample(mlir::MLIRContext *context,
                                            const TrialInputs &inputs,
                                            const TrialRun *wanted,
                                            const TrialRun *got);

} // namespace evo

#endif
