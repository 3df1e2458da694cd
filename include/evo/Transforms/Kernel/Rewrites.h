// Named rewrites of a launch plan whose code is in the LLVM dialect. Each is
// applied blindly: the verifier, not the rewrite, decides whether it was right.
#ifndef EVO_TRANSFORMS_KERNEL_REWRITES_H
#define EVO_TRANSFORMS_KERNEL_REWRITES_H

#include "evo/Dialect/Evo/IR/Evo.h"

namespace evo {

/// Applies the rewrites in `text`, one a line, to the plan of `variant`:
///   only K           what follows is for the kernel K; without K for all again
///   block X Y Z      threads of a block; grid extents that divide by the old
///                    ones, rounded up, follow, and so does the largest block
///                    that the kernel promises
///   require C        a requirement of the variant's own, such as N % 4 == 0,
///                    which the code then relies on
///   plane X Y C [; R]
///                    a line of threads, which go through rows of C elements
///                    (of planes of R rows each), is folded there: blocks X by
///                    Y on a grid of columns and rows (and planes), by which
///                    the code need not divide any more
///   stack X Y Z      so many neighbouring blocks become one; along dimensions
///                    in which they are one thread thick
///   write-out        loops of few iterations, whose number is known, are
///                    written out before what follows
///   flatten          short ways that threads may or may not go, where they
///                    only load and compute, are gone by all of them
///   coarsen-threads X Y Z [strided]
///                    a thread takes each instruction for so many neighbours of
///                    its block (strided: for threads equally far apart); the
///                    block shrinks, the grid stays
///   coarsen-blocks X Y Z [strided]
///                    a block does the work of so many blocks in turn; the grid
///                    shrinks
///   reuse            what was loaded before from the same place of a buffer
///                    that the kernel does not write is not loaded again
///   privatize        what a block's threads join into arrays by atomics alone
///                    they join in shared memory, and the block then into the
///                    arrays
///   teams N [outermost]
///                    N neighbouring threads take the place of each: they deal
///                    out the iterations of its innermost (or outermost) loops
///                    and join what these accumulate, or go together through
///                    what seldom beats what they keep; the block grows, the
///                    grid stays
///   slices N         the only loop, with a value that is summed up as it goes,
///                    is cut into N slices, of as many threads each: a first
///                    kernel finds what each slice comes to, the second does
///                    the work
///   unroll N         every loop unrolled N times (1: not at all), but for what
///                    the source says not to be
///   bounds           the block's size as a promise to the assembler
///   minblocks N      at least N blocks resident on a multiprocessor
/// An unknown or malformed line, and one that the kernel does not allow, is an
/// error at its line.
mlir::LogicalResult applyRewrites(VariantOp variant, llvm::StringRef text,
                                  llvm::StringRef fileName);

} // namespace evo

#endif
