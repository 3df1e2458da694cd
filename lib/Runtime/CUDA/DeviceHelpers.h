// The helper kernels on a device: what fills inputs, and tells outputs apart,
// where they lie. Private to this library.
#ifndef EVO_LIB_RUNTIME_CUDA_DEVICEHELPERS_H
#define EVO_LIB_RUNTIME_CUDA_DEVICEHELPERS_H

#include "DeviceObjects.h"
#include "evo/Runtime/CUDA/Elements.h"

namespace evo::cuda {

/// Each call enqueues on the stream; those that answer wait for it.
class DeviceHelpers {
public:
  static llvm::Expected<DeviceHelpers> load(DriverApi &api);

  llvm::Error fill(DriverHandle stream, DeviceAddress to,
                   const InputValues &values, uint64_t key) const;

  struct Range {
    DeviceAddress address;
    uint64_t bytes;
  };
  /// A number for the contents of each range.
  llvm::Expected<std::vector<uint64_t>>
  fingerprint(DriverHandle stream, llvm::ArrayRef<Range> ranges,
              double timeoutSeconds) const;

  /// Root mean square of the finite elements that are written.
  llvm::Expected<double> rootMeanSquare(DriverHandle stream, Range range,
                                        const ElementFormat &format,
                                        double timeoutSeconds) const;

  struct Comparison {
    DeviceAddress expected, found;
    uint64_t bytes;
    ElementFormat format;
    Tolerance bound;
    double rms; ///< of what is expected
  };
  /// Elements that are suspected to be further apart than the bound allows: all
  /// that are, and perhaps some that are nearly.
  llvm::Expected<uint64_t> countSuspects(DriverHandle stream,
                                         llvm::ArrayRef<Comparison> comparisons,
                                         double timeoutSeconds) const;

private:
  llvm::Error launch(DriverHandle stream, DriverHandle function,
                     uint64_t elements, llvm::ArrayRef<void *> arguments) const;
  llvm::Error clear(DriverHandle stream) const;
  llvm::Error read(DriverHandle stream, llvm::MutableArrayRef<uint64_t> words,
                   double timeoutSeconds) const;

  DriverApi *api = nullptr;
  DriverObject module;
  DriverHandle fillKernel = nullptr, fingerprintKernel = nullptr,
               squaresKernel = nullptr, compareKernel = nullptr;
  DeviceMemory results;
};

} // namespace evo::cuda

#endif
