// Runs a reference and watches its accesses. Buffers are sparse: only what is
// touched exists, so an access is out of bounds only where it is negative or
// absurd, and the extents come out as what was touched.
#include "Probe.h"
#include "evo/Verification/Values.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/LLVMContext.h"
#include <cstring>

using namespace mlir;
using namespace evo;

namespace {
class UseObserver : public sim::AccessObserver {
public:
  struct Buffer {
    uint64_t address, bytes;
    unsigned elementBytes;
    BufferUse *use;
    llvm::DenseSet<uint64_t> stored;
  };
  std::vector<Buffer> buffers;

  void access(const Event &event) override {
    for (unsigned lane = 0; lane < target::warpSize; ++lane)
      if (event.mask >> lane & 1)
        touch(event.access, event.addresses[lane], event.bytes);
  }
  void order(Order, uint32_t, sim::LaneMask) override {}

private:
  void touch(Access access, uint64_t address, uint64_t bytes) {
    for (Buffer &buffer : buffers) {
      if (address < buffer.address || address - buffer.address >= buffer.bytes)
        continue;
      const uint64_t first = (address - buffer.address) / buffer.elementBytes;
      const uint64_t end =
          first + std::max<uint64_t>(1, bytes / buffer.elementBytes);
      buffer.use->end = std::max(buffer.use->end, end);
      for (uint64_t i = first; i < end; ++i) {
        if (access != Access::Store)
          buffer.use->isRead |= !buffer.stored.contains(i);
        if (access != Access::Load)
          buffer.stored.insert(i);
      }
      buffer.use->isWritten |= access != Access::Load;
      return;
    }
  }
};
} // namespace

llvm::Expected<Probe> Probe::create(KernelOp kernel, TargetAttrInterface target,
                                    DeviceBuilder &builder,
                                    llvm::LLVMContext &context) {
  CodegenOptions codegen(target);
  FailureOr<std::vector<DeviceModule>> modules =
      builder.build(kernel.getReference(), codegen, context,
                    DeviceBuilder::Forms::Unoptimized);
  if (failed(modules))
    return llvm::createStringError("its device code cannot be built");
  llvm::Expected<ExecutablePlan> plan = ExecutablePlan::create(
      kernel.getReference(), *modules, ExecutablePlan::Form::PreOptimisation);
  if (!plan)
    return plan.takeError();
  return Probe(kernel, std::move(*plan));
}

/// What a buffer holds: tame positive floats, or one integer.
static sim::PageContents contents(Type type, int64_t index) {
  const unsigned size = getElementBytes(type);
  return [type, size, index](uint64_t offset, char *bytes, uint64_t count) {
    for (uint64_t i = 0; i + size <= count; i += size) {
      if (isa<FloatType>(type))
        encodeFloat(type, 0.25 + double((offset + i) / size % 61) / 64,
                    bytes + i);
      else
        std::memcpy(bytes + i, &index, size);
    }
  };
}

llvm::Expected<BufferUses> Probe::run(const Bindings &sizes,
                                      const llvm::StringMap<int64_t> &indices) {
  // Far more than is run at sizes of this kind.
  constexpr uint64_t maxInstructions = 20'000'000;
  constexpr uint64_t elements = uint64_t(1) << 32;
  tooLong = false;
  if (!plan.launchesBlocks(sizes))
    return llvm::createStringError("a launch has no blocks");
  if (countThreads(sizes) > maxThreads)
    return llvm::createStringError("its launches have too many threads to be "
                                   "tried");
  BufferUses uses;
  TrialValues values;
  values.sizes = sizes;
  sim::GlobalMemory memory;
  UseObserver observer;
  for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>()) {
    StringRef name = arg.getName().getValue();
    if (!arg.isBuffer()) {
      if (isa<FloatType>(arg.getElementType()))
        values.floats[name] = 0.5;
      continue;
    }
    const unsigned size = getElementBytes(arg.getElementType());
    sim::BufferSpec spec;
    spec.name = name.str();
    spec.bytes = elements * size;
    spec.kind = getElementKind(arg.getElementType());
    spec.initialized = spec.sparse = true;
    spec.fill = contents(arg.getElementType(), indices.lookup(name));
    sim::BufferId id = memory.addBuffer(spec);
    if (!memory.isMapped(id))
      // unreachable: unless the machine has no room for it
      return llvm::createStringError("no room for '" + spec.name + "'");
    values.buffers[name] = id;
    observer.buffers.push_back(
        {memory.address(id), spec.bytes, size, &uses[name], {}});
  }
  sim::Options options;
  options.checkUninitialized = false;
  options.limits.laneInstructions = maxInstructions;
  options.observer = &observer;
  llvm::Expected<sim::LaunchResult> result =
      plan.run(values, memory, options, 0);
  if (!result)
    return result.takeError();
  tooLong = !result->clean() &&
            result->findings.front().kind == sim::FindingKind::BudgetExceeded;
  if (!result->clean())
    return llvm::createStringError(result->findings.front().str());
  return uses;
}
