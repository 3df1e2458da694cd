// How CUDA C++ is read, by the driver's options.
#include "CUDASetup.h"
#include "llvm/Support/Process.h"

using namespace evo;

std::string evo::cacheDirectory() {
  return llvm::sys::Process::GetEnv("EVO_CACHE_DIR").value_or("");
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
  cuda.architecture = options.target;
  cuda.includeDirectories = options.includes;
  cuda.defines = options.defines;
  cuda.cacheDirectory = cacheDirectory();
  return cuda;
}
