// How CUDA C++ is read, by the driver's options.
#include "CUDASetup.h"
#include "evo/Target/TargetInfo.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

using namespace evo;

std::string evo::cacheDirectory() {
  if (auto named = llvm::sys::Process::GetEnv("EVO_CACHE_DIR"))
    return *named;
  llvm::SmallString<128> path;
  if (!llvm::sys::path::cache_directory(path))
    return "";
  llvm::sys::path::append(path, "evo-opt");
  return path.str().str();
}

cuda::FoundToolkit evo::findToolkit(const std::string &asked) {
  cuda::ToolkitSearch search;
  search.path = asked;
  return cuda::FoundToolkit::find(search);
}

CUDAOptions evo::cudaOptions(const BackendOptions &options,
                             llvm::StringRef toolkit) {
  CUDAOptions cuda;
  cuda.toolkit = toolkit.str();
  cuda.standard = options.cudaStandard;
  // Clang has no names for families; what they share has their first member.
  llvm::StringRef arch = target::getArchOf(options.target);
  if (target::Arch::parse(arch))
    arch.consume_back("f");
  cuda.architecture = arch.str();
  cuda.includeDirectories = options.includes;
  cuda.defines = options.defines;
  cuda.cacheDirectory = cacheDirectory();
  return cuda;
}
