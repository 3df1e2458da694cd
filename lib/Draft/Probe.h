// What a kernel touches of its buffers at given sizes.
#ifndef EVO_LIB_DRAFT_PROBE_H
#define EVO_LIB_DRAFT_PROBE_H

#include "evo/Dialect/Evo/IR/Evo.h"
#include "evo/Lowering/DeviceBuilder.h"
#include "evo/Simulator/Plan/ExecutablePlan.h"
#include "evo/Support/IntExpr.h"
#include "llvm/ADT/StringMap.h"

namespace evo {

struct BufferUse {
  uint64_t end = 0;    ///< elements up to the last one that was touched
  bool isRead = false; ///< some element before it was written
  bool isWritten = false;
};
using BufferUses = llvm::StringMap<BufferUse>;

/// The reference of a kernel, to be run on buffers far larger than it needs.
class Probe {
public:
  /// `kernel` and `context` have to outlive the probe.
  static llvm::Expected<Probe> create(KernelOp kernel,
                                      TargetAttrInterface target,
                                      DeviceBuilder &builder,
                                      llvm::LLVMContext &context);

  /// No more are run: well below half a minute.
  static constexpr uint64_t maxThreads = 1 << 18;
  uint64_t countThreads(const Bindings &sizes) const {
    return plan.countThreads(sizes);
  }

  /// Runs all launches at `sizes`, every element of an integer buffer being
  /// what `indices` says (0 where it says nothing). Fails with what the engine
  /// found wrong, and where a launch has no blocks.
  llvm::Expected<BufferUses> run(const Bindings &sizes,
                                 const llvm::StringMap<int64_t> &indices);

  /// Whether the last run did not end within its budget.
  bool wasTooLong() const { return tooLong; }

private:
  bool tooLong = false;
  Probe(KernelOp kernel, ExecutablePlan plan)
      : kernel(kernel), plan(std::move(plan)) {}
  KernelOp kernel;
  ExecutablePlan plan;
};

} // namespace evo

#endif
