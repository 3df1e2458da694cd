// The NVRTC front end, opened at run time; its interface is declared here after
// its public documentation. Host headers that device code includes out of habit
// (<cstdint>, <cmath>, ...) are served from memory as empty files: everything
// they would give the device is in the compiler or in the prelude.
#include "evo/Target/CUDA/Nvrtc.h"
#include "evo/Target/Arch.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace evo::cuda {

namespace {
using Program = void *;

struct Api {
  const char *(*errorString)(int) = nullptr;
  int (*createProgram)(Program *, const char *, const char *, int,
                       const char *const *, const char *const *) = nullptr;
  int (*destroyProgram)(Program *) = nullptr;
  int (*addNameExpression)(Program, const char *) = nullptr;
  int (*compileProgram)(Program, int, const char *const *) = nullptr;
  int (*ptxSize)(Program, size_t *) = nullptr;
  int (*ptx)(Program, char *) = nullptr;
  int (*logSize)(Program, size_t *) = nullptr;
  int (*log)(Program, char *) = nullptr;
  int (*loweredName)(Program, const char *, const char **) = nullptr;
};

constexpr const char prelude[] = R"cuda(
#ifndef EVO_NVRTC_PRELUDE
#define EVO_NVRTC_PRELUDE
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
typedef unsigned int uint;
typedef unsigned char uchar;
typedef unsigned short ushort;
#ifndef INFINITY
#define INFINITY __int_as_float(0x7f800000)
#endif
#ifndef NAN
#define NAN __int_as_float(0x7fffffff)
#endif
#ifndef FLT_MAX
#define FLT_MAX 3.402823466e+38f
#define FLT_MIN 1.175494351e-38f
#define FLT_EPSILON 1.192092896e-07f
#define DBL_MAX 1.7976931348623158e+308
#define DBL_MIN 2.2250738585072014e-308
#define DBL_EPSILON 2.2204460492503131e-016
#endif
#ifndef INT_MAX
#define CHAR_BIT 8
#define INT_MAX 2147483647
#define INT_MIN (-2147483647 - 1)
#define UINT_MAX 4294967295u
#define LLONG_MAX 9223372036854775807ll
#endif
#ifndef M_PI
#define M_PI 3.14159265358979323846
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#define M_2_SQRTPI 1.12837916709551257390
#endif
namespace std {
template <typename T>
__host__ __device__ constexpr const T &min(const T &a, const T &b) {
  return b < a ? b : a;
}
template <typename T>
__host__ __device__ constexpr const T &max(const T &a, const T &b) {
  return a < b ? b : a;
}
} // namespace std
#endif
)cuda";

/// Headers that are harmless to leave out for device code.
constexpr const char *const emptyHeaders[] = {"stdint.h",
                                              "cstdint",
                                              "math.h",
                                              "cmath",
                                              "float.h",
                                              "cfloat",
                                              "limits.h",
                                              "climits",
                                              "stddef.h",
                                              "cstddef",
                                              "stdio.h",
                                              "cstdio",
                                              "stdlib.h",
                                              "cstdlib",
                                              "iostream",
                                              "vector",
                                              "algorithm",
                                              "string",
                                              "assert.h",
                                              "cassert",
                                              "memory",
                                              "chrono",
                                              "cuda.h",
                                              "cuda_runtime.h",
                                              "cuda_runtime_api.h",
                                              "device_launch_parameters.h"};

Expected<Api> loadApi(const Toolkit &toolkit) {
  std::string message;
  // NVRTC opens its builtins library by name, from wherever the loader looks.
  // Loading it first by path makes the right one the loaded one.
  if (!toolkit.getNvrtcBuiltins().empty())
    sys::DynamicLibrary::getLibrary(toolkit.getNvrtcBuiltins().c_str(),
                                    &message);
  const std::string &path = toolkit.getPath(ToolkitPart::Nvrtc);
  sys::DynamicLibrary library =
      sys::DynamicLibrary::getLibrary(path.c_str(), &message);
  if (!library.isValid())
    return make_error<MachineError>("cannot load '" + path + "': " + message);
  Api api;
  std::string absent;
  auto get = [&](const char *name, auto &slot) {
    using Function = std::remove_reference_t<decltype(slot)>;
    slot = reinterpret_cast<Function>(library.getAddressOfSymbol(name));
    if (!slot)
      absent = name;
  };
  get("nvrtcGetErrorString", api.errorString);
  get("nvrtcCreateProgram", api.createProgram);
  get("nvrtcDestroyProgram", api.destroyProgram);
  get("nvrtcAddNameExpression", api.addNameExpression);
  get("nvrtcCompileProgram", api.compileProgram);
  get("nvrtcGetPTXSize", api.ptxSize);
  get("nvrtcGetPTX", api.ptx);
  get("nvrtcGetProgramLogSize", api.logSize);
  get("nvrtcGetProgramLog", api.log);
  get("nvrtcGetLoweredName", api.loweredName);
  if (!absent.empty())
    return make_error<MachineError>("libnvrtc has no symbol '" + absent + "'");
  return api;
}

/// The first line of NVRTC's log that is an error; empty where none is.
std::string firstError(StringRef log) {
  while (!log.empty()) {
    auto [line, rest] = log.split('\n');
    // data format: what NVRTC prints
    if (line.contains("error:"))
      return line.trim().str();
    log = rest;
  }
  return {};
}

std::string readLog(const Api &api, Program program) {
  size_t size = 0;
  if (api.logSize(program, &size) != 0 || size == 0)
    return {};
  std::string text(size, '\0');
  if (api.log(program, text.data()) != 0)
    return {};
  text.resize(strnlen(text.data(), size));
  return StringRef(text).trim().str();
}
} // namespace

Expected<NvrtcResult> compileCuda(StringRef source, StringRef name,
                                  const Toolkit &toolkit,
                                  const NvrtcOptions &options) {
  if (Error error = toolkit.require(ToolkitPart::Nvrtc))
    return std::move(error);
  std::optional<target::Arch> arch = target::Arch::parse(options.arch);
  if (!arch)
    return createStringError("architecture '%s' is not of the form sm_<N>",
                             options.arch.c_str());
  Expected<Api> api = loadApi(toolkit);
  if (!api)
    return api.takeError();

  std::string text;
  if (options.prelude)
    text += prelude;
  // Messages keep the line numbers of the caller's text.
  text += "#line 1 \"" + name.str() + "\"\n";
  text += source;

  std::vector<const char *> headers, headerNames;
  if (options.prelude)
    for (const char *header : emptyHeaders) {
      headers.push_back("");
      headerNames.push_back(header);
    }

  Program program = nullptr;
  auto refuse = [&](const char *call, int result) {
    std::string log = program ? readLog(*api, program) : std::string();
    // The reason first: of a message the first line is what is shown of many.
    std::string first = firstError(log);
    return createStringError("%s failed: %s%s%s%s%s", call,
                             api->errorString(result),
                             first.empty() ? "" : ": ", first.c_str(),
                             log.empty() ? "" : "\n", log.c_str());
  };
  if (int result = api->createProgram(&program, text.c_str(),
                                      name.str().c_str(), headers.size(),
                                      headers.data(), headerNames.data()))
    return refuse("nvrtcCreateProgram", result);
  scope_exit destroy([&] { api->destroyProgram(&program); });
  for (const std::string &expression : options.nameExpressions)
    if (int result = api->addNameExpression(program, expression.c_str()))
      return refuse("nvrtcAddNameExpression", result);

  std::vector<std::string> words = {"--gpu-architecture=" + arch->virtualName(),
                                    "--std=" + options.standard};
  for (const std::string &define : options.defines)
    words.push_back("--define-macro=" + define);
  for (const std::string &folder : options.includeDirs)
    words.push_back("--include-path=" + folder);
  if (toolkit.has(ToolkitPart::Headers))
    words.push_back("--include-path=" + toolkit.getPath(ToolkitPart::Headers));
  if (!toolkit.getCcclIncludeDir().empty())
    words.push_back("--include-path=" + toolkit.getCcclIncludeDir());
  if (options.fastMath)
    words.push_back("--use_fast_math");
  if (options.lineInfo)
    words.push_back("--generate-line-info");
  std::vector<const char *> arguments;
  for (const std::string &word : words)
    arguments.push_back(word.c_str());
  if (int result =
          api->compileProgram(program, arguments.size(), arguments.data()))
    return refuse("nvrtcCompileProgram", result);

  NvrtcResult answer;
  answer.log = readLog(*api, program);
  size_t size = 0;
  if (int result = api->ptxSize(program, &size))
    return refuse("nvrtcGetPTXSize", result);
  answer.ptx.resize(size);
  if (int result = api->ptx(program, answer.ptx.data()))
    return refuse("nvrtcGetPTX", result);
  answer.ptx.resize(strnlen(answer.ptx.data(), size));
  for (const std::string &expression : options.nameExpressions) {
    const char *symbol = nullptr;
    if (int result = api->loweredName(program, expression.c_str(), &symbol))
      return refuse("nvrtcGetLoweredName", result);
    answer.loweredNames[expression] = symbol;
  }
  return answer;
}

} // namespace evo::cuda
