// A device module decoded for execution. A Program is what `launch` runs: the
// kernels of one LLVM device module, decoded once into compact bytecode.
// Decoding takes microseconds per instruction, so no candidate pays a compile
// time, but where all blocks of a large launch are to be run (JIT.h compiles
// the bytecode). LLVM IR never runs as it came: the interpreter executes only
// what it understands and answers `unsupported: <op> at <file:line>` for the
// rest, never a guess.
//
// The unit of execution is a warp. An SSA value of scalar type becomes a slot
// of lanes in the warp's register file: 4-byte lanes for anything up to 32
// bits (halves keep their bits), 8-byte lanes for wider integers, doubles and
// pointers. Vectors, structs and arrays become several slots, so inserting,
// extracting and shuffling elements costs nothing at run time. Phis become
// parallel copies on the edges. Blocks lie in an order in which every loop is
// contiguous and everything else is topological: running the lanes with the
// smallest position first makes diverged lanes meet again at the join.
#ifndef EVO_SIMULATOR_PROGRAM_H
#define EVO_SIMULATOR_PROGRAM_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace llvm {
class Module;
}

namespace evo::sim {

enum class Prepare {
  /// For the detectors: every device function inlined into the kernels and
  /// local variables promoted to registers; but for what literals rule out, all
  /// is there: an endless loop, a dead out-of-bounds read.
  DetectorsForm,
  /// The module exactly as given (the one handed to code generation).
  AsIs,
};

/// Brings a module into the form `Program::decode` reads best.
llvm::Error prepareForExecution(llvm::Module &module, Prepare form);

/// What a kernel expects for one argument.
struct KernelParameter {
  std::string name;
  /// Size in bytes of the value (pointers: 8). For `byVal` aggregates the size
  /// of the pointee, whose bytes the launch passes.
  unsigned bytes = 0;
  uint64_t align = 1; ///< of a `byVal` aggregate
  bool isPointer = false;
  /// Of a pointer: loads go through it, and nothing else.
  bool isReadOnly = false;
  bool isFloat = false;
  bool byVal = false;
};

struct KernelCode;
struct ProgramImpl;

class Program {
public:
  /// Decodes every kernel (calling convention ptx_kernel, or listed as kernel
  /// in nvvm.annotations). Fails with `unsupported: ...` naming the first thing
  /// that cannot be executed.
  static llvm::Expected<std::unique_ptr<Program>>
  decode(const llvm::Module &module);
  ~Program();

  /// Parameters of a kernel; empty when there is no such kernel.
  std::vector<KernelParameter> parameters(llvm::StringRef kernel) const;
  /// Bytes of static shared memory a kernel uses.
  uint64_t staticSharedBytes(llvm::StringRef kernel) const;
  /// Whether warps of a block wait for each other.
  bool hasBarriers(llvm::StringRef kernel) const;
  /// Whether threads of a warp may do anything together: shuffles, votes,
  /// products of matrices.
  bool exchangesLanes(llvm::StringRef kernel) const;
  /// Whether tensor cores multiply for any kernel.
  bool multipliesMatrices() const;
  /// Whether any kernel divides in a way that is zero beyond 2^126: by
  /// div.approx, or by a reciprocal that is flushed.
  bool endsDivisionEarly() const;
  /// Remarks that change no result: a printf that will be ignored, ...
  const std::vector<std::string> &notes() const;

  const ProgramImpl &impl() const { return *data; }

private:
  Program();
  std::unique_ptr<ProgramImpl> data;
};

} // namespace evo::sim

#endif
