// Samples of the verification on another processor: same data, same bounds.
// Whoever has the device runs them; this library draws and judges.
#ifndef EVO_VERIFICATION_DEVICESAMPLES_H
#define EVO_VERIFICATION_DEVICESAMPLES_H

#include "evo/Support/IntExpr.h"
#include "evo/Support/Reason.h"
#include "evo/Verification/Verifier.h"

namespace evo {

/// Data of one call of a plan.
struct DeviceSample {
  Bindings sizes;
  /// Bytes of the scalars that are floats.
  llvm::StringMap<std::string> scalars;
  struct Buffer {
    llvm::StringRef name;
    /// What it holds before; empty where it is only written.
    llvm::StringRef contents;
    /// Of its address, past a multiple of 256.
    uint64_t alignmentOffset = 0;
  };
  std::vector<Buffer> buffers; ///< in the contract's order, without scratch
};

/// What became of a call.
struct DeviceResult {
  /// Bytes of each buffer that may be written.
  llvm::StringMap<std::string> outputs;
  /// What it did that no kernel may; none: nothing, and there are outputs.
  std::optional<Reason> reason;
  std::string message; ///< of that
};

/// Calls the plan on a device; all that is not an input is filled with the
/// poison before. An error is no fault of the plan's.
using RunOnDevice = llvm::function_ref<llvm::Expected<DeviceResult>(
    const DeviceSample &sample, unsigned char poison)>;

/// Runs samples of a variant on a device, each with two poisons, and judges
/// them by the bounds that its verification has. Answers its evidence with what
/// that adds (evidence::processors, evidence::deviceSamples); evidence against
/// it where a result is out of its bound, was not written, or the call did what
/// no kernel may. Evidence of other code than the variant's stays as it is.
llvm::Expected<EvidenceAttr> verifyOnDevice(VariantOp variant,
                                            const VerificationOptions &options,
                                            DeviceBuilder &builder,
                                            RunOnDevice run);

} // namespace evo

#endif
