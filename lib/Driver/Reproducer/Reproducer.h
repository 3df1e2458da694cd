// What refutes a candidate, as files that need nothing of this tool.
#ifndef EVO_LIB_DRIVER_REPRODUCER_H
#define EVO_LIB_DRIVER_REPRODUCER_H

#include "Driver/CommandLine.h"
#include "evo/Dialect/Evo/IR/Evo.h"

namespace evo {

/// Writes the data that refute `variant` into the folder that options name: all
/// that is known in counterexample.json, buffers as .npy files, and for CUDA
/// code the candidate and a program that runs it on them. Writes nothing for
/// what is not refuted. Fails, with an error printed, where the folder cannot
/// be written.
mlir::LogicalResult writeReproducer(KernelOp kernel, VariantOp variant,
                                    const VerbOptions &options);

} // namespace evo

#endif
