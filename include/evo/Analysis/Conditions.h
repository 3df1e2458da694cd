// The conditions of a kernel: comparisons, cases of switches, entries of tables
// and narrowings, as graphs over its integer arguments, the numbers of threads
// and blocks, and integers (or bits of floats) that it loads. Plain data, so
// that they outlive the module.
#ifndef EVO_ANALYSIS_CONDITIONS_H
#define EVO_ANALYSIS_CONDITIONS_H

#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <string>
#include <vector>

namespace llvm {
class Function;
}

namespace evo {

struct KernelConditions {
  enum class Op : uint8_t {
    // Leaves. `value` is the constant, the number of the argument (of the
    // buffer, for what is loaded), or 0 to 2 for x to z.
    Constant,
    Argument,
    ThreadId,
    BlockId,
    BlockDim,
    GridDim,
    Loaded,
    Unknown, ///< not negative: a counter, most often
    // Of two operands of one width.
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    URem,
    SRem,
    Shl,
    LShr,
    AShr,
    And,
    Or,
    Xor,
    Eq,
    ULt,
    SLt,
    // Of one; Popcount keeps the width.
    Not,
    Trunc,
    ZExt,
    SExt,
    Popcount,
    Select, ///< condition, then, else
  };
  /// Operands come before what is made of them.
  struct Node {
    Op op;
    unsigned width; ///< in bits, at most 64
    uint64_t value = 0;
    llvm::SmallVector<unsigned, 3> operands;
    bool isFloat = false; ///< Loaded: the bits of a float
  };
  /// A node of one bit and its value.
  using Fact = std::pair<unsigned, bool>;
  /// What may come out both ways, or of which one way may never have been seen.
  struct Condition {
    unsigned node;
    bool onlyTrue;                   ///< nobody asks for the other way
    llvm::SmallVector<Fact, 4> path; ///< what holds where it is asked
  };

  std::string kernel;
  std::vector<Node> nodes;
  std::vector<Condition> conditions;

  bool isEmpty() const { return conditions.empty(); }
};

/// Of a function in which all calls are inlined. The first `max` conditions.
KernelConditions collectConditions(const llvm::Function &kernel,
                                   unsigned max = 256);

/// The value of each node where `leaf` gives those of leaves but constants.
std::vector<uint64_t> evaluate(const KernelConditions &graph,
                               const std::vector<uint64_t> &leaves);

} // namespace evo

#endif
