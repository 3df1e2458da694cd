// Named rewrites of a launch plan whose code is in the LLVM dialect. None of
// them proves that it is right: the verifier decides.
#ifndef EVO_TRANSFORMS_KERNEL_REWRITES_H
#define EVO_TRANSFORMS_KERNEL_REWRITES_H

#include "evo/Dialect/Evo/IR/Evo.h"

namespace evo {

/// Applies the rewrites in `text`, one per line, to the plan of `variant`:
///   only K           the following lines are for the kernel K; without K, for
///                    all kernels again
///   block X Y Z      sets the block's extents. Grid extents that divide by the
///                    old ones, rounded up, follow; so does the largest block
///                    that the kernel promises
///   require C        adds a requirement of the variant, such as N % 4 == 0, on
///                    which the code then relies
///   remap-2d X Y C [; R]
///                    maps a 1-D launch to a 2-D one (3-D with R): the linear
///                    thread index, which runs through rows of C elements (and
///                    images of R rows), becomes column, row (and image).
///                    Blocks of X by Y threads; divisions by C and R disappear
///   merge-blocks X Y Z
///                    merges so many neighbouring blocks into one, along
///                    dimensions in which a block has one thread
///   full-unroll      unrolls loops with a small constant trip count completely
///   if-convert       turns short divergent branches whose arms only load and
///                    compute into selects
///   coarsen-threads X Y Z [strided]
///                    one thread does the work of so many neighbours of its
///                    block (strided: of threads equally far apart),
///                    instruction by instruction; the block shrinks, the grid
///                    stays
///   coarsen-blocks X Y Z [strided]
///                    one block does the work of so many blocks, one after the
///                    other; the grid shrinks
///   eliminate-loads  eliminates redundant loads from buffers that the kernel
///                    does not write
///   privatize        gives each block a private copy, in shared memory, of
///                    arrays that are only updated by atomics; the copies are
///                    combined into the arrays at the block's end
///   distribute-loops N [outermost]
///                    replaces each thread by a group of N neighbours that
///                    distribute the iterations of its innermost (outermost)
///                    loops, with cooperative reductions and scans; the block
///                    grows, the grid stays
///   reduce-then-scan N
///                    splits the only loop, which is a scan, into N segments
///                    for as many threads each: a first kernel reduces each
///                    segment, the second scans
///   unroll N         unrolls every loop N times (1: not at all), unless the
///                    source forbids it
///   bounds           promises the block's size to the assembler
///   minblocks N      asks for at least N resident blocks per multiprocessor
/// An unknown or malformed line, and one that the kernel does not allow, is an
/// error at its line.
mlir::LogicalResult applyRewrites(VariantOp variant, llvm::StringRef text,
                                  llvm::StringRef fileName);

} // namespace evo

#endif
