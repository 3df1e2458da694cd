// Kernels as loops over work items. The fast way to run a kernel on this
// machine: its code is cut at barriers, and each part becomes a function that
// runs it for the lanes of a warp at once, in vector registers; the launch
// loops over the warps of a block between one barrier and the next. What all
// work items have in common is computed once, and so is what differs between
// them by known constants, as most indices do. A thread that the others of its
// warp have left alone, as in a kernel of one thread per row, has code of its
// own, in scalar registers.
//
// Compiled from the bytecode that the interpreter runs, operation by operation,
// and never from the candidate's LLVM IR: an optimiser would take from it what
// its undefined behaviour allows, and this code runs in the verifier's process.
// Each access is checked against its buffer. What is not compiled (divergent
// branches, atomics, functions of floats, products of matrices) the interpreter
// executes on the same registers; so results are its results, bit for bit.
#ifndef EVO_SIMULATOR_JIT_H
#define EVO_SIMULATOR_JIT_H

#include "evo/Simulator/Launch.h"
#include "evo/Simulator/Native.h"
#include "llvm/Support/Error.h"

namespace evo::jit {

/// What code is compiled for: launches that take longer than compiling, or
/// short ones, for which the code is there sooner and is slower.
enum class CodeFor { LongRuns, ShortRuns };

/// Compiles a kernel of `program` for blocks of one shape. Fails, with the
/// reason and the place, where that would not pay or cannot be done. The
/// program must outlive the result.
llvm::Expected<std::unique_ptr<sim::NativeKernel>>
compile(const sim::Program &program, llvm::StringRef kernel, sim::Dim3 block,
        CodeFor runs = CodeFor::LongRuns);

} // namespace evo::jit

#endif
