// The CUDA driver as a table of entry points, filled at run time from the
// driver's library. All types are declared here, so that a build needs neither
// CUDA headers nor a GPU, and a test can put its own functions into the table.
// A machine without a device is an answer (DeviceUnavailable), not a failure.
#ifndef EVO_RUNTIME_CUDA_DRIVER_H
#define EVO_RUNTIME_CUDA_DRIVER_H

#include "llvm/Support/Error.h"
#include <cstddef>
#include <cstdint>
#include <string>

namespace evo::cuda {

/// Handles of the driver are pointers to what only it knows.
using DriverHandle = void *;
using DeviceAddress = uint64_t;

/// Every entry point used: member, symbol, whether a driver may lack it, and
/// parameters. All return a CUresult, 0 for success.
#define EVO_CUDA_DRIVER_TABLE(ENTRY)                                           \
  ENTRY(init, "cuInit", false, (unsigned flags))                               \
  ENTRY(driverGetVersion, "cuDriverGetVersion", false, (int *version))         \
  ENTRY(getErrorName, "cuGetErrorName", false, (int code, const char **text))  \
  ENTRY(getErrorString, "cuGetErrorString", false,                             \
        (int code, const char **text))                                         \
  ENTRY(deviceGetCount, "cuDeviceGetCount", false, (int *count))               \
  ENTRY(deviceGet, "cuDeviceGet", false, (int *device, int ordinal))           \
  ENTRY(deviceGetName, "cuDeviceGetName", false,                               \
        (char *name, int length, int device))                                  \
  ENTRY(deviceGetAttribute, "cuDeviceGetAttribute", false,                     \
        (int *value, int attribute, int device))                               \
  ENTRY(deviceGetPCIBusId, "cuDeviceGetPCIBusId", false,                       \
        (char *text, int length, int device))                                  \
  ENTRY(primaryCtxRetain, "cuDevicePrimaryCtxRetain", false,                   \
        (DriverHandle * context, int device))                                  \
  ENTRY(primaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", false,              \
        (int device))                                                          \
  ENTRY(ctxSetCurrent, "cuCtxSetCurrent", false, (DriverHandle context))       \
  ENTRY(ctxSynchronize, "cuCtxSynchronize", false, ())                         \
  ENTRY(ctxResetPersistingL2Cache, "cuCtxResetPersistingL2Cache", true, ())    \
  ENTRY(memGetInfo, "cuMemGetInfo_v2", false, (size_t *free, size_t *total))   \
  ENTRY(memAlloc, "cuMemAlloc_v2", false,                                      \
        (DeviceAddress * address, size_t bytes))                               \
  ENTRY(memFree, "cuMemFree_v2", false, (DeviceAddress address))               \
  ENTRY(                                                                       \
      memcpyHtoDAsync, "cuMemcpyHtoDAsync_v2", false,                          \
      (DeviceAddress to, const void *from, size_t bytes, DriverHandle stream)) \
  ENTRY(memcpyDtoHAsync, "cuMemcpyDtoHAsync_v2", false,                        \
        (void *to, DeviceAddress from, size_t bytes, DriverHandle stream))     \
  ENTRY(memcpyDtoDAsync, "cuMemcpyDtoDAsync_v2", false,                        \
        (DeviceAddress to, DeviceAddress from, size_t bytes,                   \
         DriverHandle stream))                                                 \
  ENTRY(memsetD8Async, "cuMemsetD8Async", false,                               \
        (DeviceAddress to, unsigned char value, size_t bytes,                  \
         DriverHandle stream))                                                 \
  ENTRY(streamCreate, "cuStreamCreate", false,                                 \
        (DriverHandle * stream, unsigned flags))                               \
  ENTRY(streamDestroy, "cuStreamDestroy_v2", false, (DriverHandle stream))     \
  ENTRY(streamQuery, "cuStreamQuery", false, (DriverHandle stream))            \
  ENTRY(streamBeginCapture, "cuStreamBeginCapture_v2", false,                  \
        (DriverHandle stream, int mode))                                       \
  ENTRY(streamEndCapture, "cuStreamEndCapture", false,                         \
        (DriverHandle stream, DriverHandle * graph))                           \
  ENTRY(graphInstantiate, "cuGraphInstantiateWithFlags", false,                \
        (DriverHandle * exec, DriverHandle graph, unsigned long long flags))   \
  ENTRY(graphLaunch, "cuGraphLaunch", false,                                   \
        (DriverHandle exec, DriverHandle stream))                              \
  ENTRY(graphExecDestroy, "cuGraphExecDestroy", false, (DriverHandle exec))    \
  ENTRY(graphDestroy, "cuGraphDestroy", false, (DriverHandle graph))           \
  ENTRY(eventCreate, "cuEventCreate", false,                                   \
        (DriverHandle * event, unsigned flags))                                \
  ENTRY(eventRecord, "cuEventRecord", false,                                   \
        (DriverHandle event, DriverHandle stream))                             \
  ENTRY(eventElapsedTime, "cuEventElapsedTime", false,                         \
        (float *milliseconds, DriverHandle start, DriverHandle stop))          \
  ENTRY(eventDestroy, "cuEventDestroy_v2", false, (DriverHandle event))        \
  ENTRY(moduleLoadDataEx, "cuModuleLoadDataEx", false,                         \
        (DriverHandle * module, const void *image, unsigned numOptions,        \
         int *options, void **values))                                         \
  ENTRY(moduleUnload, "cuModuleUnload", false, (DriverHandle module))          \
  ENTRY(moduleGetFunction, "cuModuleGetFunction", false,                       \
        (DriverHandle * function, DriverHandle module, const char *name))      \
  ENTRY(funcSetAttribute, "cuFuncSetAttribute", false,                         \
        (DriverHandle function, int attribute, int value))                     \
  ENTRY(funcGetParamInfo, "cuFuncGetParamInfo", true,                          \
        (DriverHandle function, size_t index, size_t *offset, size_t *size))   \
  ENTRY(launchKernel, "cuLaunchKernel", false,                                 \
        (DriverHandle function, unsigned gridX, unsigned gridY,                \
         unsigned gridZ, unsigned blockX, unsigned blockY, unsigned blockZ,    \
         unsigned sharedBytes, DriverHandle stream, void **parameters,         \
         void **extra))

/// Microseconds of the host's monotonic clock.
double nowMicros();

/// The entry points; null where the driver lacks an optional one.
struct DriverApi {
#define EVO_ENTRY(member, symbol, optional, parameters)                        \
  int(*member) parameters = nullptr;
  EVO_CUDA_DRIVER_TABLE(EVO_ENTRY)
#undef EVO_ENTRY

  /// The clock, in microseconds, that bounds waiting and sampling. A fake
  /// device brings its own, so that a busy machine changes nothing for its
  /// tests.
  double (*hostMicros)() = nowMicros;

  /// Opens the driver's library. Error: DeviceUnavailable.
  static llvm::Expected<DriverApi>
  load(const std::string &library = "libcuda.so.1");

  /// Makes all releases do nothing. After a timeout the device is still busy,
  /// and a release would wait for it for ever.
  void abandon();

  /// Success, or a DriverError that names `call`.
  llvm::Error check(int code, const char *call) const;
};

/// There is no driver, or no device, to run on; nothing was tried.
class DeviceUnavailable : public llvm::ErrorInfo<DeviceUnavailable> {
public:
  static char ID;
  explicit DeviceUnavailable(std::string reason) : reason(std::move(reason)) {}
  const std::string &getReason() const { return reason; }
  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

private:
  std::string reason;
};

/// The driver lacks what every run asks of it.
class DriverTooOld : public llvm::ErrorInfo<DriverTooOld, DeviceUnavailable> {
public:
  static char ID;
  explicit DriverTooOld(std::string reason) : ErrorInfo(std::move(reason)) {}
};

/// A driver call failed.
class DriverError : public llvm::ErrorInfo<DriverError> {
public:
  static char ID;
  DriverError(std::string call, int code, std::string text)
      : call(std::move(call)), text(std::move(text)), code(code) {}
  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }
  int getCode() const { return code; }
  llvm::StringRef getCall() const { return call; }
  /// Whether the context is lost with it (illegal address, assertion, launch
  /// failure, hardware fault): only a new process can go on.
  bool isFatal() const;
  /// Whether it is a kernel's own doing: what it accesses or executes, or that
  /// its launch asks for more than there is.
  bool isOfKernel() const;

private:
  std::string call, text;
  int code;
};

/// A kernel did not end within its time. The device is still busy: only the end
/// of this process stops it.
class LaunchTimeout : public llvm::ErrorInfo<LaunchTimeout> {
public:
  static char ID;
  explicit LaunchTimeout(double seconds) : seconds(seconds) {}
  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

private:
  double seconds;
};

} // namespace evo::cuda

#endif
