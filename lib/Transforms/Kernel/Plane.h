// Threads in a plane or a box, where a line of them was.
#ifndef EVO_LIB_TRANSFORMS_KERNEL_PLANE_H
#define EVO_LIB_TRANSFORMS_KERNEL_PLANE_H

#include "llvm/IR/Function.h"
#include "llvm/Support/Error.h"

namespace evo {

/// Of a kernel whose threads are a line and divide their number by the length
/// of a row, makes one whose threads are launched in rows: columns along x and
/// rows along y. With `levels` 2 the rows are divided again, by how many of
/// them a plane has, and planes lie along z, each in blocks of its own. More
/// threads than there are columns or rows end at once. Answers whether this is
/// right only of less than 2^31 threads, as wider numbers were cut off to be
/// divided. Refuses, and changes nothing, where a thread's place is used for
/// more than its number, or nothing divides that.
llvm::Expected<bool> makePlane(llvm::Function &kernel, unsigned levels);

} // namespace evo

#endif
