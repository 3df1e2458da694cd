// One trial: sizes, values, and the memory two plans run on.
#ifndef EVO_LIB_VERIFICATION_TRIAL_H
#define EVO_LIB_VERIFICATION_TRIAL_H

#include "Verification/Sampling/LiteralValues.h"
#include "evo/Simulator/Plan/ExecutablePlan.h"
#include "evo/Verification/Values.h"

namespace evo {

/// Whether a candidate is handed data in it.
inline bool isReadBuffer(ArgumentAttr arg) {
  return arg.isBuffer() && arg.isRead();
}
/// Whether it is handed a buffer of integers of which that holds.
bool anyIntegers(KernelOp kernel, llvm::function_ref<bool(ArgumentAttr)> is);

/// Inputs of one trial, drawn once and given to both plans.
struct TrialInputs {
  Bindings sizes;
  llvm::StringMap<double> floats;
  struct Buffer {
    ArgumentAttr arg;
    uint64_t elements = 0;
    std::vector<char> contents;   // of in and inout arguments
    uint64_t alignmentOffset = 0; // of the base pointer
  };
  std::vector<Buffer> buffers; // in the contract's order
  /// Floats are independent of each other.
  bool isIndependent = false;
};

/// Draws the inputs of a trial. Fails where a dimension or domain cannot be
/// evaluated at these sizes. Generic data are of the one distribution and take
/// no default, so that coincidences are rare.
llvm::Expected<TrialInputs> drawInputs(KernelOp kernel, const Bindings &sizes,
                                       Distribution distribution,
                                       llvm::ArrayRef<double> floatConstants,
                                       Random random, bool generic = false);

/// Inputs of which only their places matter: floats are all zero, whatever the
/// domain, and integers all the same where they may be.
llvm::Expected<TrialInputs>
makeBlankInputs(KernelOp kernel, const Bindings &sizes, Random random);

/// Draws the inputs of a trial at the literals of the code. Sizes hold what is
/// drawn for integer scalars.
llvm::Expected<TrialInputs> drawLiteralInputs(KernelOp kernel, Bindings sizes,
                                              LiteralSampler &sampler,
                                              Random random);

/// A plan's memory after its run.
struct TrialRun {
  std::unique_ptr<sim::GlobalMemory> memory;
  TrialValues values;
  sim::LaunchResult result;
  /// Errors are those of any order of sums (Accuracy/AnyOrder.h), or cannot be
  /// made so.
  bool triedAnyOrder = false;
};

/// The memory and values that a plan is to run on: a fresh copy of `inputs`,
/// with outputs poisoned and room for the shadows of `options`.
llvm::Expected<TrialRun> setUpTrial(const TrialInputs &inputs,
                                    const sim::Options &options);

/// Runs `plan` on a fresh copy of `inputs`; outputs are poisoned. With field
/// values in `options`, float inputs are drawn in the field.
llvm::Expected<TrialRun> runTrial(const ExecutablePlan &plan,
                                  const TrialInputs &inputs,
                                  const sim::Options &options,
                                  uint64_t orderSeed);

/// Calls `plan` again on the memory of `run`, with other inputs of the same
/// sizes: as a later call in one process, where variables of modules still hold
/// what they held. Neither they nor outputs may be read before they are
/// written.
llvm::Error callAgain(const ExecutablePlan &plan, const TrialInputs &inputs,
                      TrialRun &run, const sim::Options &options,
                      uint64_t orderSeed);

} // namespace evo

#endif
