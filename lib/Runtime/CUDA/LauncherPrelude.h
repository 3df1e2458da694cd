// The fixed part of every generated launcher: checked integers, the driver
// entry points it opens at run time, and module loading. It is text, compiled
// on the user's machine and not here, so it uses nothing but the C++17 library
// and POSIX dlopen. Private to the generator.
#ifndef EVO_LIB_RUNTIME_CUDA_LAUNCHERPRELUDE_H
#define EVO_LIB_RUNTIME_CUDA_LAUNCHERPRELUDE_H

namespace evo {

constexpr const char launcherPrelude[] = R"cpp(
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace {

// Status codes below zero; above zero they are the driver's.
enum : int {
  evoOk = 0,
  evoRequirement = -1, // sizes this launcher was not verified for
  evoArithmetic = -2,  // overflow or division by zero in a formula
  evoUnavailable = -3, // no driver or no device
  evoNoCode = -4,      // no code file that loads
  evoArgument = -5,    // null or misaligned pointer, negative size
  evoCapacity = -6,    // evo_geometry's output is too short
  evoAllocation = -7   // the caller's allocator has no scratch memory
};

thread_local std::string evoMessage;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
int evoFail(int status, const char *format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof(text), format, arguments);
  va_end(arguments);
  evoMessage = text;
  return status;
}

// Formulas are evaluated in signed 64 bits; overflow and division by zero are
// remembered in `ok`, which spreads to whatever uses the value.
struct Int {
  int64_t value;
  bool ok;
  Int(long long value, bool ok = true) : value(value), ok(ok) {}
};
[[maybe_unused]] inline Int operator+(Int a, Int b) {
  Int r(0);
  r.ok = !__builtin_add_overflow(a.value, b.value, &r.value) && a.ok && b.ok;
  return r;
}
[[maybe_unused]] inline Int operator-(Int a, Int b) {
  Int r(0);
  r.ok = !__builtin_sub_overflow(a.value, b.value, &r.value) && a.ok && b.ok;
  return r;
}
[[maybe_unused]] inline Int operator*(Int a, Int b) {
  Int r(0);
  r.ok = !__builtin_mul_overflow(a.value, b.value, &r.value) && a.ok && b.ok;
  return r;
}
[[maybe_unused]] inline Int floordiv(Int a, Int b) {
  if (b.value == 0 || (a.value == INT64_MIN && b.value == -1))
    return Int(0, false);
  int64_t q = a.value / b.value;
  if (a.value % b.value != 0 && (a.value < 0) != (b.value < 0))
    --q;
  return Int(q, a.ok && b.ok);
}
[[maybe_unused]] inline Int floormod(Int a, Int b) {
  if (b.value == 0)
    return Int(0, false);
  if (b.value == -1)
    return Int(0, a.ok && b.ok);
  int64_t r = a.value % b.value;
  if (r != 0 && (r < 0) != (b.value < 0))
    r += b.value;
  return Int(r, a.ok && b.ok);
}
[[maybe_unused]] inline Int ceildiv(Int a, Int b) {
  if (b.value == 0 || (a.value == INT64_MIN && b.value == -1))
    return Int(0, false);
  int64_t q = a.value / b.value;
  if (a.value % b.value != 0 && (a.value < 0) == (b.value < 0))
    ++q;
  return Int(q, a.ok && b.ok);
}
[[maybe_unused]] inline Int min(Int a, Int b) {
  return Int(a.value < b.value ? a.value : b.value, a.ok && b.ok);
}
[[maybe_unused]] inline Int max(Int a, Int b) {
  return Int(a.value > b.value ? a.value : b.value, a.ok && b.ok);
}
// A comparison is 1 or 0, or -1 where a side is no number.
[[maybe_unused]] inline int truth(Int a, Int b, bool holds) { return a.ok && b.ok ? holds : -1; }
[[maybe_unused]] inline int operator==(Int a, Int b) { return truth(a, b, a.value == b.value); }
[[maybe_unused]] inline int operator!=(Int a, Int b) { return truth(a, b, a.value != b.value); }
[[maybe_unused]] inline int operator<(Int a, Int b) { return truth(a, b, a.value < b.value); }
[[maybe_unused]] inline int operator<=(Int a, Int b) { return truth(a, b, a.value <= b.value); }
[[maybe_unused]] inline int operator>(Int a, Int b) { return truth(a, b, a.value > b.value); }
[[maybe_unused]] inline int operator>=(Int a, Int b) { return truth(a, b, a.value >= b.value); }

struct Extents {
  int64_t grid[3];
  int64_t block[3];
  int64_t shared;
};

int evoSet(int64_t &slot, Int value, int64_t min, int64_t max,
           const char *formula) {
  if (!value.ok)
    return evoFail(evoArithmetic, "'%s' overflows or divides by zero", formula);
  if (value.value < min || value.value > max)
    return evoFail(evoArithmetic, "'%s' is %lld, out of range", formula,
                   static_cast<long long>(value.value));
  slot = value.value;
  return evoOk;
}

// The part of the driver that a launch needs.
struct Driver {
  int (*init)(unsigned);
  int (*deviceGet)(int *, int);
  int (*ctxGetCurrent)(void **);
  int (*ctxSetCurrent)(void *);
  int (*ctxGetDevice)(int *);
  int (*primaryRetain)(void **, int);
  int (*deviceAttribute)(int *, int, int);
  int (*moduleLoad)(void **, const char *);
  int (*moduleGetFunction)(void **, void *, const char *);
  int (*funcSetAttribute)(void *, int, int);
  int (*launchKernel)(void *, unsigned, unsigned, unsigned, unsigned, unsigned,
                      unsigned, unsigned, void *, void **, void **);
  int (*memAllocAsync)(uint64_t *, size_t, void *);
  int (*memFreeAsync)(uint64_t, void *);
  int (*errorString)(int, const char **);
};

template <typename Function>
bool evoGet(void *library, const char *name, Function &slot) {
  slot = reinterpret_cast<Function>(dlsym(library, name));
  return slot != nullptr;
}

// Null where there is no usable driver.
const Driver *evoDriver() {
  static Driver driver;
  static const bool usable = [] {
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    return library && evoGet(library, "cuInit", driver.init) &&
           evoGet(library, "cuDeviceGet", driver.deviceGet) &&
           evoGet(library, "cuCtxGetCurrent", driver.ctxGetCurrent) &&
           evoGet(library, "cuCtxSetCurrent", driver.ctxSetCurrent) &&
           evoGet(library, "cuCtxGetDevice", driver.ctxGetDevice) &&
           evoGet(library, "cuDevicePrimaryCtxRetain", driver.primaryRetain) &&
           evoGet(library, "cuDeviceGetAttribute", driver.deviceAttribute) &&
           evoGet(library, "cuModuleLoad", driver.moduleLoad) &&
           evoGet(library, "cuModuleGetFunction", driver.moduleGetFunction) &&
           evoGet(library, "cuFuncSetAttribute", driver.funcSetAttribute) &&
           evoGet(library, "cuLaunchKernel", driver.launchKernel) &&
           evoGet(library, "cuMemAllocAsync", driver.memAllocAsync) &&
           evoGet(library, "cuMemFreeAsync", driver.memFreeAsync) &&
           evoGet(library, "cuGetErrorString", driver.errorString) &&
           driver.init(0) == 0;
  }();
  return usable ? &driver : nullptr;
}

int evoCheck(const Driver &driver, int result, const char *call) {
  if (result == 0)
    return evoOk;
  const char *text = nullptr;
  driver.errorString(result, &text);
  return evoFail(result, "%s failed with %d: %s", call, result,
                 text ? text : "unknown error");
}

// A context is needed; the caller's is used, else the first device's own.
int evoContext(const Driver &driver, void *&context, int &capability) {
  int result = driver.ctxGetCurrent(&context);
  if (result == 0 && !context) {
    int device = 0;
    if ((result = driver.deviceGet(&device, 0)) == 0 &&
        (result = driver.primaryRetain(&context, device)) == 0)
      result = driver.ctxSetCurrent(context);
  }
  int device = 0, major = 0, minor = 0;
  if (result == 0)
    result = driver.ctxGetDevice(&device);
  if (result == 0)
    result = driver.deviceAttribute(&major, 75, device);
  if (result == 0)
    result = driver.deviceAttribute(&minor, 76, device);
  capability = 10 * major + minor;
  return evoCheck(driver, result, "opening a context");
}

// The folder with the code files: as set by evo_load, else this library's own.
std::string &evoFolder() {
  static std::string folder = [] {
    Dl_info info;
    if (dladdr(reinterpret_cast<void *>(&evoContext), &info) && info.dli_fname) {
      std::string path = info.dli_fname;
      size_t slash = path.rfind('/');
      if (slash != std::string::npos)
        return path.substr(0, slash);
    }
    return std::string(".");
  }();
  return folder;
}

std::mutex evoMutex;

// Modules live as long as their context; there is one per context and variant.
struct Loaded {
  void *context;
  int variant;
  void *module;
};

int evoModule(const Driver &driver, void *context, int variant,
              const char *cubin, const char *ptx, void *&module) {
  static std::vector<Loaded> all;
  for (const Loaded &loaded : all)
    if (loaded.context == context && loaded.variant == variant) {
      module = loaded.module;
      return evoOk;
    }
  std::string tried;
  for (const char *file : {cubin, ptx}) {
    if (!*file)
      continue;
    std::string path = evoFolder() + "/" + file;
    int result = driver.moduleLoad(&module, path.c_str());
    if (result == 0) {
      all.push_back({context, variant, module});
      return evoOk;
    }
    tried += " " + path + " (" + std::to_string(result) + ")";
  }
  return evoFail(evoNoCode, "no code file loads:%s", tried.c_str());
}

// Scratch is of the pool of the stream's device, unless the caller brings memory.
struct Allocator {
  int (*allocate)(void *state, uint64_t *address, uint64_t bytes, void *stream);
  int (*release)(void *state, uint64_t address, void *stream);
  void *state;
};
Allocator evoAllocator = {nullptr, nullptr, nullptr};

[[maybe_unused]] int evoAllocate(const Driver &driver, uint64_t &address,
                                 uint64_t bytes, void *stream) {
  if (!evoAllocator.allocate)
    return evoCheck(driver, driver.memAllocAsync(&address, bytes, stream),
                    "cuMemAllocAsync");
  int code = evoAllocator.allocate(evoAllocator.state, &address, bytes, stream);
  if (code == 0 && address && address % 256 == 0)
    return evoOk;
  bool given = code == 0 && address;
  if (given)
    evoAllocator.release(evoAllocator.state, address, stream);
  address = 0;
  if (given)
    return evoFail(evoAllocation,
                   "the allocator's memory is not aligned to 256 bytes");
  return evoFail(evoAllocation, "the allocator failed with %d", code);
}

[[maybe_unused]] void evoRelease(const Driver &driver, uint64_t address,
                                 void *stream) {
  if (!address)
    return;
  if (evoAllocator.release)
    evoAllocator.release(evoAllocator.state, address, stream);
  else
    driver.memFreeAsync(address, stream);
}

// Code that is loaded lazily comes with its function.
[[maybe_unused]] int evoFunction(const Driver &driver, void *module,
                                 const char *symbol) {
  void *function = nullptr;
  return evoCheck(driver, driver.moduleGetFunction(&function, module, symbol),
                  "cuModuleGetFunction");
}

int evoLaunch(const Driver &driver, void *module, const char *symbol,
              const Extents &extents, void *stream, void **parameters) {
  // CUDA refuses an empty grid; for an empty problem there is nothing to do.
  if (!extents.grid[0] || !extents.grid[1] || !extents.grid[2])
    return evoOk;
  void *function = nullptr;
  if (int status = evoCheck(driver,
                            driver.moduleGetFunction(&function, module, symbol),
                            "cuModuleGetFunction"))
    return status;
  // Above 48 KiB a kernel has to ask for its dynamic shared memory.
  if (extents.shared > 0)
    if (int status = evoCheck(
            driver,
            driver.funcSetAttribute(function, 8, static_cast<int>(extents.shared)),
            "cuFuncSetAttribute"))
      return status;
  return evoCheck(
      driver,
      driver.launchKernel(
          function, static_cast<unsigned>(extents.grid[0]),
          static_cast<unsigned>(extents.grid[1]),
          static_cast<unsigned>(extents.grid[2]),
          static_cast<unsigned>(extents.block[0]),
          static_cast<unsigned>(extents.block[1]),
          static_cast<unsigned>(extents.block[2]),
          static_cast<unsigned>(extents.shared), stream, parameters, nullptr),
      "cuLaunchKernel");
}

} // namespace
)cpp";

} // namespace evo

#endif
