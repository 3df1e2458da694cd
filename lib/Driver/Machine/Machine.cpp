// See Machine.h. What a verb cannot do without is an error of that verb; here
// stands what it would silently do without as well.
#include "Driver/Machine/Machine.h"
#include "Driver/CUDASetup.h"
#include "Driver/Diagnostics.h"
#include "evo/Runtime/CUDA/Driver.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Process.h"

using namespace evo;

std::string evo::describeMissing(const cuda::FoundToolkit &found,
                                 DriverState driver) {
  using cuda::ToolkitPart;
  std::vector<std::string> lacks;
  if (driver == DriverState::TooOld)
    lacks.push_back("a newer NVIDIA driver (times are estimated)");
  else if (driver == DriverState::Missing)
    lacks.push_back("an NVIDIA driver (times are estimated)");
  auto has = [&](ToolkitPart part) {
    return found.toolkit && found.toolkit->has(part);
  };
  if (!has(ToolkitPart::Headers))
    lacks.push_back("CUDA's headers (no .cu files)");
  if (!has(ToolkitPart::Libdevice))
    lacks.push_back("libdevice (no exp and its like)");
  if (!has(ToolkitPart::Ptxas) && !has(ToolkitPart::NvJitLink))
    lacks.push_back("ptxas and nvJitLink (no cubin, no count of registers)");
  if (!has(ToolkitPart::Nvrtc))
    lacks.push_back("NVRTC (none of its variants)");
  if (lacks.empty())
    return "";
  std::string text = "this machine lacks " + llvm::join(lacks, ", ");
  if (!found.toolkit)
    text += "; " + found.problem;
  else if (!found.toolkit->getMissing().empty())
    text += "; the CUDA toolkit is '" + found.toolkit->getRoot() + "'";
  return text;
}

static DriverState lookForDriver() {
  llvm::Expected<cuda::DriverApi> driver = cuda::DriverApi::load();
  if (driver)
    return DriverState::Usable;
  llvm::Error error = driver.takeError();
  const bool isOld = error.isA<cuda::DriverTooOld>();
  llvm::consumeError(std::move(error));
  return isOld ? DriverState::TooOld : DriverState::Missing;
}

void evo::warnOfMissing(const VerbOptions &options, bool times) {
  if (!llvm::sys::Process::GetEnv("EVO_PORTABLE"))
    return;
  const DriverState driver =
      times && !options.noGPU ? lookForDriver() : DriverState::NotAsked;
  std::string text = describeMissing(findToolkit(options.cudaPath), driver);
  if (!text.empty())
    reportWarning(options, text);
}
