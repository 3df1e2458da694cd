// Fills the driver table and gives its errors words. The library is kept open
// for the life of the process: drivers do not survive being unloaded.
#include "evo/Runtime/CUDA/Driver.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>

using namespace llvm;

namespace evo::cuda {

double nowMicros() {
  return std::chrono::duration<double, std::micro>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

char DeviceUnavailable::ID;
char DriverTooOld::ID;
char DriverError::ID;
char LaunchTimeout::ID;

void DeviceUnavailable::log(raw_ostream &os) const {
  os << "no CUDA device available: " << reason;
}

void DriverError::log(raw_ostream &os) const {
  os << call << " failed with " << code << ": " << text;
}

bool DriverError::isFatal() const {
  switch (code) {
  case 214: // uncorrectable memory error
  case 700: // illegal address
  case 702: // launch timeout
  case 709: // context is destroyed
  case 710: // assertion
  case 714: // hardware stack error
  case 715: // illegal instruction
  case 716: // misaligned address
  case 717: // invalid address space
  case 718: // invalid program counter
  case 719: // launch failed
  case 999:
    return true;
  default:
    return false;
  }
}

bool DriverError::isOfKernel() const {
  switch (code) {
  case 214: // uncorrectable memory error
  case 709: // context is destroyed
  case 999: // unknown
    return false;
  case 701: // launch out of resources
    return true;
  default:
    return isFatal();
  }
}

void LaunchTimeout::log(raw_ostream &os) const {
  os << "the kernel did not end within " << format("%g", seconds) << " s";
}

Expected<DriverApi> DriverApi::load(const std::string &path) {
  std::string message;
  sys::DynamicLibrary library =
      sys::DynamicLibrary::getPermanentLibrary(path.c_str(), &message);
  if (!library.isValid())
    return make_error<DeviceUnavailable>("cannot load the driver: " + message);
  DriverApi api;
  std::string absent;
  auto get = [&](const char *symbol, bool optional, auto &slot) {
    slot = reinterpret_cast<std::remove_reference_t<decltype(slot)>>(
        library.getAddressOfSymbol(symbol));
    if (!slot && !optional)
      absent = symbol;
  };
#define EVO_ENTRY(member, symbol, optional, parameters)                        \
  get(symbol, optional, api.member);
  EVO_CUDA_DRIVER_TABLE(EVO_ENTRY)
#undef EVO_ENTRY
  if (!absent.empty())
    return make_error<DriverTooOld>("the driver '" + path +
                                    "' is too old: it has no " + absent);
  return api;
}

void DriverApi::abandon() {
  auto nothing = [](DriverHandle) { return 0; };
  memFree = [](DeviceAddress) { return 0; };
  primaryCtxRelease = [](int) { return 0; };
  streamDestroy = eventDestroy = moduleUnload = graphDestroy =
      graphExecDestroy = nothing;
}

Error DriverApi::check(int code, const char *call) const {
  if (code == 0)
    return Error::success();
  const char *name = nullptr, *text = nullptr;
  getErrorName(code, &name);
  getErrorString(code, &text);
  return make_error<DriverError>(
      call, code,
      std::string(name ? name : "unknown error") +
          (text ? std::string(" (") + text + ")" : std::string()));
}

} // namespace evo::cuda
