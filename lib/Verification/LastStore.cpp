// A refutation by a wrong result says which element is wrong; who mends it
// looks for the line that wrote it. So the sample is run once more with an
// observer.
#include "LastStore.h"

using namespace mlir;
using namespace evo;

namespace {
/// Remembers the newest write to some bytes, and the kernel that was running.
struct Watch : sim::AccessObserver {
  uint64_t first = 0, end = 0; // addresses
  std::string kernel, writer;
  uint32_t location = 0;

  void access(const Event &event) override {
    if (event.access == Access::Load)
      return;
    for (sim::LaneMask lanes = event.mask; lanes; lanes &= lanes - 1) {
      uint64_t address = event.addresses[sim::firstLane(lanes)];
      if (address >= end || address + event.bytes <= first)
        continue;
      writer = kernel;
      location = event.location;
      return;
    }
  }
  void order(Order, uint32_t, sim::LaneMask) override {}
};
} // namespace

sim::SourceLoc evo::findLastStore(const ExecutablePlan &plan,
                                  const TrialInputs &inputs, StringRef buffer,
                                  uint64_t index, sim::Options options,
                                  uint64_t orderSeed) {
  llvm::Expected<TrialRun> run = setUpTrial(inputs, options);
  if (!run)
    return llvm::consumeError(run.takeError()), sim::SourceLoc();
  Watch watch;
  for (const TrialInputs::Buffer &candidate : inputs.buffers)
    if (candidate.arg.getName() == buffer) {
      unsigned bytes = getElementBytes(candidate.arg.getElementType());
      watch.first = run->memory->address(run->values.buffers.lookup(buffer)) +
                    index * bytes;
      watch.end = watch.first + bytes;
    }
  options.observer = &watch;
  llvm::Expected<sim::LaunchResult> result = plan.runWithHook(
      run->values, *run->memory, options, orderSeed,
      [&](const ExecutablePlan::Configuration &launch, sim::LaunchParams &,
          sim::Options &) { watch.kernel = launch.kernel; });
  if (!result)
    return llvm::consumeError(result.takeError()), sim::SourceLoc();
  return plan.getLocation(watch.writer, watch.location);
}
