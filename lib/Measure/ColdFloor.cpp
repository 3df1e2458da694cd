// The time that the bytes of a kernel take, by its contract and the card.
#include "evo/Measure/GPUMeasurer.h"
#include "evo/Target/TargetInfo.h"

using namespace mlir;
using namespace evo;

double evo::getColdFloorMicros(KernelOp kernel, const cuda::DevicePlan &plan,
                               const cuda::DeviceFacts &device) {
  // The card by name, else the fastest of its architecture.
  double bandwidth = 0;
  std::string name = StringRef(device.name).lower();
  name.erase(std::remove(name.begin(), name.end(), ' '), name.end());
  bool named = false;
  for (const target::TargetInfo &target : target::getTargets()) {
    if (target.computeMajor * 10 + target.computeMinor != device.capability)
      continue;
    bool matches = StringRef(name).contains(target.card);
    if (matches && !named)
      bandwidth = 0;
    if (matches || !named)
      bandwidth = std::max(bandwidth, target.dramBandwidth);
    named |= matches;
  }
  if (bandwidth == 0)
    return 0;
  auto selects = [](ArgumentAttr arg) {
    return arg.isBuffer() && arg.isRead() && arg.getDomain() &&
           isa<IntegerType>(arg.getElementType());
  };
  auto args = kernel.getArgsAttr().getAsRange<ArgumentAttr>();
  bool gathers = llvm::any_of(args, selects);
  uint64_t read = 0, written = 0;
  for (const cuda::PlanBuffer &buffer : plan.buffers) {
    ArgumentAttr arg = kernel.lookupArgument(buffer.name);
    if (!arg)
      continue; // scratch may stay on the chip
    if (arg.getRole() == Role::In)
      read += !gathers || selects(arg) ? buffer.bytes : 0;
    else
      written += buffer.bytes;
  }
  written -= std::min<uint64_t>(written, device.l2Bytes);
  return (read + written) / bandwidth * 1e6;
}
