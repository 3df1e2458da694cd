// See Machine.h. What a verb cannot do without is an error of that verb; here
// stands what it would silently do without as well.
#include "Machine.h"
#include "CUDASetup.h"
#include "Diagnostics.h"
#include "evo/Runtime/CUDA/Driver.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Process.h"

using namespace evo;

std::string evo::describeMissing(const cuda::FoundToolkit &found,
                                 llvm::StringRef driverProblem) {
  using cuda::ToolkitPart;
  std::vector<std::string> lacks;
  if (driverProblem.contains("is too old"))
    lacks.push_back("a newer NVIDIA driver (times are estimated)");
  else if (!driverProblem.empty())
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

void evo::warnOfMissing(const VerbOptions &options, bool times) {
  if (!llvm::sys::Process::GetEnv("EVO_PORTABLE"))
    return;
  std::string problem;
  if (times && !options.noGPU) {
    llvm::Expected<cuda::DriverApi> driver = cuda::DriverApi::load();
    if (!driver)
      problem = llvm::toString(driver.takeError());
  }
  std::string text = describeMissing(findToolkit(options.cudaPath), problem);
  if (!text.empty())
    reportWarning(options, text);
}
