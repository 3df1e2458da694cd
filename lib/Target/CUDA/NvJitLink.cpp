// The nvJitLink backend. The library is opened at run time and its interface is
// declared here, after its public documentation: a build needs no CUDA, and a
// machine without the library gets an error that names it.
#include "AssemblerBackends.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/DynamicLibrary.h"

using namespace llvm;

namespace evo::cuda {

namespace {
// The documented interface. Handles are opaque; results are 0 on success.
using Handle = void *;
constexpr int inputPtx = 2;

struct Api {
  int (*create)(Handle *, uint32_t, const char **) = nullptr;
  int (*destroy)(Handle *) = nullptr;
  int (*addData)(Handle, int, const void *, size_t, const char *) = nullptr;
  int (*complete)(Handle) = nullptr;
  int (*cubinSize)(Handle, size_t *) = nullptr;
  int (*cubin)(Handle, void *) = nullptr;
  int (*errorLogSize)(Handle, size_t *) = nullptr;
  int (*errorLog)(Handle, char *) = nullptr;
  int (*infoLogSize)(Handle, size_t *) = nullptr;
  int (*infoLog)(Handle, char *) = nullptr;
};

template <typename Function>
Error load(sys::DynamicLibrary &library, const char *name, Function &slot) {
  slot = reinterpret_cast<Function>(library.getAddressOfSymbol(name));
  if (slot)
    return Error::success();
  return make_error<MachineError>("libnvJitLink has no symbol '" + Twine(name) +
                                  "'");
}

Expected<Api> loadApi(const std::string &path) {
  std::string message;
  sys::DynamicLibrary library =
      sys::DynamicLibrary::getLibrary(path.c_str(), &message);
  if (!library.isValid())
    return make_error<MachineError>("cannot load '" + path + "': " + message);
  Api api;
  Error error = Error::success();
  auto get = [&](const char *name, auto &slot) {
    error = joinErrors(std::move(error), load(library, name, slot));
  };
  get("nvJitLinkCreate", api.create);
  get("nvJitLinkDestroy", api.destroy);
  get("nvJitLinkAddData", api.addData);
  get("nvJitLinkComplete", api.complete);
  get("nvJitLinkGetLinkedCubinSize", api.cubinSize);
  get("nvJitLinkGetLinkedCubin", api.cubin);
  get("nvJitLinkGetErrorLogSize", api.errorLogSize);
  get("nvJitLinkGetErrorLog", api.errorLog);
  get("nvJitLinkGetInfoLogSize", api.infoLogSize);
  get("nvJitLinkGetInfoLog", api.infoLog);
  if (error)
    return std::move(error);
  return api;
}

std::string readLog(Handle handle, int (*getSize)(Handle, size_t *),
                    int (*getText)(Handle, char *)) {
  size_t size = 0;
  if (getSize(handle, &size) != 0 || size == 0)
    return {};
  std::string text(size, '\0');
  if (getText(handle, text.data()) != 0)
    return {};
  // The size counts a terminating zero.
  text.resize(strnlen(text.data(), size));
  return text;
}
} // namespace

Expected<RawAssembly> assembleWithNvJitLink(StringRef ptx,
                                            const std::string &library,
                                            const AssemblerOptions &options) {
  Expected<Api> api = loadApi(library);
  if (!api)
    return api.takeError();

  // -O takes 0 and 3 only; the levels between go to its ptxas.
  // Its cache answers a second request for the same code without a log.
  std::vector<std::string> words = {"-arch=" + options.arch, "-verbose",
                                    "-no-cache"};
  words.push_back(options.optLevel == 0 ? "-O0" : "-O3");
  if (options.optLevel == 1 || options.optLevel == 2)
    words.push_back("-Xptxas=-O" + std::to_string(options.optLevel));
  if (options.maxRegisters)
    words.push_back("-maxrregcount=" + std::to_string(options.maxRegisters));
  if (options.lineInfo)
    words.push_back("-lineinfo");
  std::vector<const char *> arguments;
  for (const std::string &word : words)
    arguments.push_back(word.c_str());

  Handle handle = nullptr;
  if (int result = api->create(&handle, arguments.size(), arguments.data()))
    // unreachable: what we hand over it takes, or ends the process
    return createStringError("nvJitLinkCreate failed with %d for %s", result,
                             options.arch.c_str());
  scope_exit destroy([&] { api->destroy(&handle); });
  auto refuse = [&](const char *call, int result) {
    std::string log =
        StringRef(readLog(handle, api->errorLogSize, api->errorLog))
            .rtrim()
            .str();
    return createStringError("%s failed with %d: %s", call, result,
                             log.c_str());
  };

  // A zero-terminated copy: the PTX reader is documented to want one.
  std::string text = ptx.str();
  if (int result = api->addData(handle, inputPtx, text.c_str(), text.size() + 1,
                                "kernel.ptx"))
    return refuse("nvJitLinkAddData", result);
  if (int result = api->complete(handle))
    return refuse("nvJitLinkComplete", result);

  size_t size = 0;
  if (int result = api->cubinSize(handle, &size))
    return refuse("nvJitLinkGetLinkedCubinSize", result);
  RawAssembly raw;
  raw.cubin.resize(size);
  if (int result = api->cubin(handle, raw.cubin.data()))
    return refuse("nvJitLinkGetLinkedCubin", result);
  raw.log = readLog(handle, api->infoLogSize, api->infoLog);
  return raw;
}

} // namespace evo::cuda
