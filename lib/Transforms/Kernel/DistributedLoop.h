// Loops whose iterations can be distributed over several threads: their
// induction variables, reductions and scans.
#ifndef EVO_LIB_TRANSFORMS_KERNEL_DISTRIBUTEDLOOP_H
#define EVO_LIB_TRANSFORMS_KERNEL_DISTRIBUTEDLOOP_H

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/Error.h"

namespace evo {

/// A value that grows by `step` per iteration; in bytes if it is a pointer.
struct InductionVariable {
  llvm::PHINode *phi;
  int64_t step;
};

/// A loop-carried value that is updated by an associative and commutative
/// operation, up to rounding.
struct Reduction {
  llvm::PHINode *phi;
  /// One of the updates: a binary operator, a call of a minimum or maximum, or
  /// a select of one of two values that are compared.
  llvm::Instruction *update;

  /// The neutral element; null for idempotent operations, which need none.
  llvm::Constant *getIdentity() const;
  /// Combines two partial results.
  llvm::Value *createCombined(llvm::IRBuilderBase &b, llvm::Value *left,
                              llvm::Value *right) const;
  /// Of a scan: the operand that `update` combines with the running value.
  llvm::Value *createOperand(llvm::IRBuilderBase &b) const;
};

/// An arg-reduction such as argmax: the best key so far, with what belongs to
/// it (its index, say). Of equal keys the first wins, or the last.
struct ArgReduction {
  llvm::CmpInst *compare;
  llvm::SmallVector<llvm::SelectInst *> next; // of each of `kept`
  llvm::SmallVector<llvm::PHINode *> kept;    // the key first
  /// `kept` is replaced if `takes` holds between the new key and the old one.
  llvm::CmpInst::Predicate takes;

  /// Whether the first of equal keys wins.
  bool keepsFirst() const { return llvm::CmpInst::isStrictPredicate(takes); }
};

/// A loop whose only exit is at its header, bounded by an induction variable.
/// Its loop-carried values are induction variables, reductions, arg-reductions
/// and at most one scan; or induction variables and records. Dependences
/// through memory are not looked at: the verifier finds the races.
struct DistributedLoop {
  llvm::Loop *loop;
  llvm::SmallVector<InductionVariable> inductions;
  llvm::SmallVector<Reduction> reductions;
  llvm::SmallVector<ArgReduction> argReductions;
  /// A reduction whose value so far is used in every iteration, after the
  /// update.
  std::optional<Reduction> scan;
  /// Values that are kept until a better one comes (Records.h).
  llvm::SmallVector<llvm::PHINode *> records;
  /// The exit condition: a comparison of `bounding`, one of the induction
  /// variables, or of an extension of it, with a loop-invariant bound.
  llvm::ICmpInst *test = nullptr;
  llvm::PHINode *bounding = nullptr;
  /// The induction variable that `bounding` is.
  const InductionVariable &getBounding() const {
    return *llvm::find_if(inductions,
                          [this](const InductionVariable &induction) {
                            return induction.phi == bounding;
                          });
  }

  /// Classifies `loop`, which has a preheader and one latch. An error says why
  /// it cannot be distributed.
  static llvm::Expected<DistributedLoop>
  of(llvm::Loop &loop, const llvm::DominatorTree &dominators);
};

/// All instructions in `loop` that depend on `phi`.
llvm::SetVector<llvm::Instruction *> findDependents(const llvm::Loop &loop,
                                                    llvm::PHINode &phi);
/// The arg-reductions whose values are among `phis`; they are removed there.
llvm::SmallVector<ArgReduction>
takeArgReductions(const llvm::Loop &loop,
                  llvm::SmallVectorImpl<llvm::PHINode *> &phis);
/// Whether `inst` is a fused multiply-add, ...
bool isFused(const llvm::Instruction &inst);
/// ... `call` is a minimum or maximum of its two arguments, ...
bool isMinMax(const llvm::CallBase &call);
/// ... a binary operator of this kind is associative and commutative.
bool isReductionOpcode(unsigned opcode);
/// `phi` as a scan, if it is one.
std::optional<Reduction> findScan(const llvm::Loop &loop, llvm::PHINode &phi,
                                  const llvm::DominatorTree &dominators);
/// Carries the value that was loaded at a kept index instead of loading it
/// again: `x[j] > x[best]` then is an arg-reduction by value. The result is the
/// same.
void keepLoadedValues(llvm::Loop &loop, llvm::DominatorTree &dominators,
                      llvm::LoopInfo &loops);

} // namespace evo

#endif
