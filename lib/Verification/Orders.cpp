// Equal data twice, with warps and blocks in two orders and two poisons in what
// nobody wrote. Without atomics nothing may change, not even a last bit: a
// change is a race, or a read of what was not written, that no detector saw.
#include "AtomicsSeen.h"
#include "Compare.h"
#include "PlanVerifier.h"

using namespace mlir;
using namespace evo;

void PlanVerifier::tryTwoOrders(Random random) {
  if (tried.empty() || tally.inOrder)
    return;
  const Bindings sizes = getCheapShape();
  llvm::Expected<TrialInputs> inputs =
      drawInputs(kernel, sizes, Distribution::Normal, {}, random.split());
  if (!inputs)
    return llvm::consumeError(inputs.takeError());
  AtomicsSeen atomics;
  std::optional<TrialRun> runs[2];
  for (std::optional<TrialRun> &run : runs) {
    exec::Options engine = engineOptions();
    engine.observer = &atomics;
    run = runCandidate(*shipped, *inputs, engine, Accidents::draw(random));
    // What was drawn here may be beyond the contract: samples judge findings.
    if (!run || !run->result.clean() || atomics.any)
      return refutation.reset();
  }
  ++tally.orders;
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
    refutation =
        Refutation{"depends-on-order",
                   name.str() + "[" + std::to_string(*index) +
                       // unreachable: unless a detector is at fault
                       "]: other bits where warps and blocks run in another "
                       "order, on equal data and without atomics",
                   {}};
    refutation->details.append(evidence::argument.of(b, name));
    refutation->details.append(evidence::index.of(b, *index));
    return locateRefutation(*inputs, {"normal"});
  }
}
