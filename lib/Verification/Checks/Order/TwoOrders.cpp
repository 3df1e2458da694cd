// Equal data twice, with warps and blocks in two orders and two poisons in what
// nobody wrote. Without atomics nothing may change, not even a last bit: a
// change is a race, or a read of what was not written, that no detector saw.
#include "Verification/AtomicsSeen.h"
#include "Verification/Checks/Registry.h"
#include "Verification/SampleRunner.h"

using namespace mlir;
using namespace evo;

static LogicalResult run(VerificationState &state, Budget) {
  Random random(state.drawSeed());
  if (state.tried.isEmpty() || state.tally.inOrder)
    return success();
  const Bindings sizes = state.tried.takeCheap();
  llvm::Expected<TrialInputs> inputs =
      drawInputs(state.kernel, sizes, Distribution::Normal, {}, random.split());
  if (!inputs) {
    llvm::consumeError(inputs.takeError());
    return success();
  }
  SampleRunner runner(state);
  AtomicsSeen atomics;
  std::optional<TrialRun> runs[2];
  for (std::optional<TrialRun> &run : runs) {
    sim::Options engine = state.engineOptions();
    engine.observer = &atomics;
    run = runner.runCandidate(*state.postOptimised, *inputs, engine,
                              Accidents::draw(random));
    // What was drawn here may be beyond the contract: samples judge findings.
    if (!run || !run->result.clean() || atomics.any) {
      state.refutation.reset();
      return success();
    }
  }
  state.details.count(evidence::twoOrders, 1);
  for (const TrialInputs::Buffer &buffer : inputs->buffers) {
    if (!buffer.arg.isWritten())
      continue;
    StringRef name = buffer.arg.getName().getValue();
    std::optional<uint64_t> index = findDifferentElement(
        buffer.arg, buffer.elements, *runs[0]->memory,
        runs[0]->values.buffers.lookup(name), *runs[1]->memory,
        runs[1]->values.buffers.lookup(name));
    if (!index)
      continue;
    state.refutation =
        Refutation(Reason::DependsOnOrder,
                   name.str() + "[" + std::to_string(*index) +
                       // unreachable: unless a detector is at fault
                       "]: other bits where warps and blocks run in another "
                       "order, on equal data and without atomics");
    state.refutation->argument = name.str();
    state.refutation->index = index;
    runner.locateRefutation(*inputs, "normal");
    break;
  }
  return success();
}

constexpr Check evo::checks::twoOrders = {
    "two-orders",
    "results that hang on the order of warps and blocks, or on what nobody "
    "wrote, where no detector saw why",
    "two runs of one cheap shape",
    Effort::Quick,
    /*isEssential=*/false,
    {},
    run};
