// Loops whose iterations can be dealt out among several threads: what they
// count with, and what they accumulate.
#ifndef EVO_LIB_TRANSFORMS_KERNEL_DEALTLOOP_H
#define EVO_LIB_TRANSFORMS_KERNEL_DEALTLOOP_H

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
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
  /// Of a running value: what `join` joins to it.
  llvm::Value *createJoined(llvm::IRBuilderBase &b) const;
};

/// The best of what a loop goes through, by a key, with what is kept of it (as
/// its place). The first of equals stays, or the last.
struct Choice {
  llvm::CmpInst *compare;
  llvm::SmallVector<llvm::SelectInst *> next; // of each of `kept`
  llvm::SmallVector<llvm::PHINode *> kept;    // the key first
  /// What `kept` is replaced by, if `takes`, as the comparison of the new key
  /// with the old one, holds.
  llvm::CmpInst::Predicate takes;

  /// Whether a new key that equals the old one leaves it.
  bool keepsFirst() const { return llvm::CmpInst::isStrictPredicate(takes); }
};

/// A loop that is left at its head, when a counter has come to its end. All
/// that its iterations hand on to each other are counters, accumulations,
/// choices and one running value; or counters and records. Whether they meet in
/// memory is not looked at: the verifier finds that.
struct DealtLoop {
  llvm::Loop *loop;
  llvm::SmallVector<LoopCounter> counters;
  llvm::SmallVector<Accumulation> accumulations;
  llvm::SmallVector<Choice> choices;
  /// An accumulation whose value so far is used in every iteration, after it
  /// was joined.
  std::optional<Accumulation> running;
  /// What is kept until something beats it (Records.h).
  llvm::SmallVector<llvm::PHINode *> records;
  /// By which the loop ends: it goes on as long as `test` says so of `counted`,
  /// one of the counters, or of an extension of it.
  llvm::ICmpInst *test = nullptr;
  llvm::PHINode *counted = nullptr;
  /// That counter.
  const LoopCounter &getCounter() const {
    return *llvm::find_if(counters, [this](const LoopCounter &counter) {
      return counter.phi == counted;
    });
  }

  /// What `loop` is; it has a preheader and one latch. An error says why it is
  /// no such loop.
  static llvm::Expected<DealtLoop> of(llvm::Loop &loop,
                                      const llvm::DominatorTree &dominators);
};

/// All in `loop` that is computed from `phi`.
llvm::SetVector<llvm::Instruction *> findDependents(const llvm::Loop &loop,
                                                    llvm::PHINode &phi);
/// The choices whose values are among `phis`, which are taken from there.
llvm::SmallVector<Choice>
takeChoices(const llvm::Loop &loop,
            llvm::SmallVectorImpl<llvm::PHINode *> &phis);
/// Whether `inst` is a fused product and sum, ...
bool isFused(const llvm::Instruction &inst);
/// ... `call` answers one of its two arguments, whatever their order, ...
bool choosesOne(const llvm::CallBase &call);
/// ... a binary operator of this kind joins things in any order.
bool isJoinOpcode(unsigned opcode);
/// `phi` as a running value, where it is one.
std::optional<Accumulation> findRunning(const llvm::Loop &loop,
                                        llvm::PHINode &phi,
                                        const llvm::DominatorTree &dominators);
/// Where a loop loads what lies at a place that it keeps of one iteration, it
/// keeps the value instead: `x[j] > x[best]` then is a choice by value. The
/// result is the same.
void keepLoadedValues(llvm::Loop &loop, llvm::DominatorTree &dominators,
                      llvm::LoopInfo &loops);

} // namespace evo

#endif
