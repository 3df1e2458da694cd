// Loops whose iterations can be dealt out among several threads: what they
// count with, and what they accumulate.
#ifndef EVO_LIB_REWRITE_DEALTLOOP_H
#define EVO_LIB_REWRITE_DEALTLOOP_H

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/Error.h"

namespace evo {

/// Something that grows by a constant from one iteration to the next. `step` is
/// in bytes where it is a pointer.
struct LoopCounter {
  llvm::PHINode *phi;
  int64_t step;
};

/// A value into which a loop joins one thing after the other by an operation
/// whose order does not matter, rounding apart.
struct Accumulation {
  llvm::PHINode *phi;
  /// One of the instructions that join: a binary operator, a call of a minimum
  /// or maximum, or a selection of one of two that are compared.
  llvm::Instruction *join;

  /// What changes nothing where it is joined; null where joining a value with
  /// itself changes nothing either.
  llvm::Constant *getIdentity() const;
  /// The two values, joined.
  llvm::Value *create(llvm::IRBuilderBase &b, llvm::Value *left,
                      llvm::Value *right) const;
};

/// A loop that is left at its head, when a counter has come to its end. All
/// that its iterations hand on to each other are counters and accumulations.
/// Whether they meet in memory is not looked at: the verifier finds that.
struct DealtLoop {
  llvm::Loop *loop;
  llvm::SmallVector<LoopCounter> counters;
  llvm::SmallVector<Accumulation> accumulations;

  /// What `loop` is; it has a preheader and one latch. An error says why it is
  /// no such loop.
  static llvm::Expected<DealtLoop> of(llvm::Loop &loop);
};

} // namespace evo

#endif
