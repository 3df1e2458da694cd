// The error of a reference's sums in whichever order they are added.
#ifndef EVO_LIB_VERIFICATION_ACCURACY_ANYORDER_H
#define EVO_LIB_VERIFICATION_ACCURACY_ANYORDER_H

#include "Verification/Compare.h"
#include "Verification/Trial.h"
#include "evo/Simulator/Terms.h"

namespace evo {

/// How the terms of sums are to be taken, on data that are independent or not.
/// Where a contract allows other arithmetic, no data count as independent.
/// Tensor cores may add where floats have 16 bits or fewer, and others where
/// the candidate uses them.
sim::SumModel modelSums(KernelOp kernel, const ExecutablePlan &candidate,
                        bool isIndependent);

/// Whether a comparison by the reference's own order of additions says too
/// little: a result is out of bounds, or (where data are independent) within
/// one that is wide, though it is far worse than the reference is.
bool mayDependOnOrder(KernelOp kernel, const Comparison &comparison,
                      bool isIndependent);

/// Sets the error of the element at a byte offset of `wanted`, with its shadow
/// value, to that of any order of its sum: by the handle that a run with terms
/// left in `terms`. On data that are not independent an error only grows.
void setErrorOfAnyOrder(mlir::Type type, sim::SumModel model,
                        sim::GlobalMemory &wanted, sim::BufferId wantedId,
                        uint64_t wantedAt, const sim::GlobalMemory &terms,
                        sim::BufferId termsId, uint64_t termsAt,
                        const sim::TermsArena &arena);

/// Runs the reference once more for the terms of its sums and sets the errors
/// of all results of `wanted`, its run on the same inputs. False where that is
/// not known: there is no room for so many terms, or the two runs differ.
bool takeAnyOrder(const ExecutablePlan &reference, const TrialInputs &inputs,
                  sim::SumModel model, sim::Options engine, TrialRun &wanted);

} // namespace evo

#endif
