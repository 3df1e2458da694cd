// What of tensor-level code says where a search should begin.
#ifndef EVO_LIB_PROPOSERS_EVOLUTIONARY_FEATURES_H
#define EVO_LIB_PROPOSERS_EVOLUTIONARY_FEATURES_H

#include "evo/Dialect/Evo/IR/Evo.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"

namespace evo {

/// Names of what ops of `payload` have about them at the kernel's first
/// workload, in the order of the ops, by which schedules name their starts:
///   few       long sums with too few results to give every multiprocessor a
///             block
///   moments   such sums that run over several dimensions
///   rows      sums along memory that are long enough for a block, and results
///             enough for all multiprocessors
///   long      rows that take many threads to be held
///   powers    such rows whose powers are added up
///   columns   long sums that lie across memory, with too few results to give
///             every multiprocessor its threads
///   across    long sums that lie across memory, and results enough
///   scans     what is combined up to each place along a dimension
///   tiles     too few results for a usual tile on each multiprocessor
///   deep      too few even for a small one
///   flat      a product of few rows
///   slim      a product of few columns
///   windows   results of windows that overlap
///   crossing  an operand lies in memory along another dimension than the
///             result does
/// None where extents are not known.
llvm::SmallSetVector<llvm::StringRef, 4>
findFeatures(KernelOp kernel, mlir::func::FuncOp payload);

} // namespace evo

#endif
