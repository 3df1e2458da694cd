// What checks share that try data of one kind at a shape of their own.
#ifndef EVO_LIB_VERIFICATION_DATASAMPLES_H
#define EVO_LIB_VERIFICATION_DATASAMPLES_H

#include "Trial.h"
#include "VerificationState.h"

namespace evo {

/// Whether a device takes the launches of both there, and there is work.
bool areLaunched(const VerificationState &state, const Bindings &sizes);

/// Whether both can be run there, for no more than so much estimated work and
/// so many lane instructions.
bool isAffordable(const VerificationState &state, const Bindings &sizes,
                  uint64_t work, uint64_t instructions);

/// The sizes with the longest dimension a `part` of what it is, or as much less
/// as requirements ask for, where both are launched; nothing where it is below
/// `shortest`.
std::optional<Bindings> shortenLongest(const VerificationState &state,
                                       const Bindings &sizes, int64_t part,
                                       int64_t shortest);

/// The longest extent of a dimension that a workload has; 0 without workloads.
int64_t getWorkloadExtent(KernelOp kernel, llvm::StringRef dim);

/// The largest buffer that is read; null where there is none.
ArgumentAttr findLargestInput(KernelOp kernel, const Bindings &sizes);

/// Elements of a row: the innermost extent, one at least.
uint64_t getRowLength(ArgumentAttr buffer, const Bindings &sizes);

/// Whether the order of a buffer's numbers is its domain's.
bool isOrdered(ArgumentAttr arg);

/// Gives integer scalars the values that callers usually hand over.
void takeDefaults(KernelOp kernel, Bindings &sizes);

/// The same for floats.
void takeDefaults(KernelOp kernel, TrialInputs &inputs);

/// The same extents with the integers that callers usually hand over, where
/// that is allowed: with others a condition may be true of no element.
Bindings withUsualScalars(const VerificationState &state,
                          const Bindings &sizes);

/// The same extents with each of those integers the largest that it may be.
Bindings withLargestScalars(const VerificationState &state, Bindings sizes);

/// Normal data, as they are or to be written over; none where the domains allow
/// no data. `generic` as for drawInputs.
std::optional<TrialInputs> drawNormal(const VerificationState &state,
                                      const Bindings &sizes, bool generic,
                                      Random &random);

/// Compares on normal data, at sizes that nobody asked for.
mlir::LogicalResult tryNormal(VerificationState &state, const Bindings &sizes,
                              bool generic, Random &random,
                              bool watchesRaces = false);

/// Compares on data of which the largest buffer is below zero but for some
/// -0.0, and others are above it: numbers that blocks put together by their
/// bits are ordered otherwise there. Nothing where it holds no floats.
mlir::LogicalResult tryBelowZero(VerificationState &state,
                                 const Bindings &sizes, Random &random);

/// A race of the candidate on normal data refutes it, whatever the reference
/// does there. Of other findings nobody knows whether that has them, too.
void refuteRace(VerificationState &state, const sim::LaunchResult &result,
                const Bindings &sizes);

} // namespace evo

#endif
