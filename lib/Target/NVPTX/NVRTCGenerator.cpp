// NVRTC on the CUDA source of a variant: another compiler's code for the same
// text. Its evidence is about the source only, until a device has run it.
#include "Assemble.h"
#include "evo/Lowering/ForNVRTC.h"
#include "evo/Target/CUDA/Nvrtc.h"
#include "evo/Target/NVPTX/CodeGenerators.h"

using namespace mlir;
using namespace evo;

namespace {
class NVRTCGenerator : public CodeGenerator {
public:
  explicit NVRTCGenerator(cuda::FoundToolkit found) : found(std::move(found)) {}
  StringRef getName() const override { return nvrtcGenerator; }

  FailureOr<CodeObject> generate(LaunchPlanOpInterface plan,
                                 TargetAttrInterface target) override {
    StringAttr source = plan.getSourceAttr();
    if (!source)
      return plan.emitError("has no CUDA source for NVRTC to compile"),
             failure();
    if (ArrayAttr names = plan.getKernelSpellings(); names && names.empty())
      return plan.emitError("has kernels or parameters that NVRTC would not "
                            "make of its source: steps, or variables that "
                            "became arguments"),
             failure();
    if (StringAttr why = getWhyNotNVRTC(plan))
      return plan.emitError("is not for NVRTC, which would make other code of "
                            "its source: ")
                 << why.getValue() << " chooses it",
             failure();
    FailureOr<CodegenOptions> options =
        CodegenOptions::parse(plan.getOptionsAttr(), target, plan.getLoc());
    if (failed(options))
      return failure();
    llvm::Expected<cuda::Toolkit> toolkit = found.get();
    if (!toolkit)
      return emitNoCode(plan, "NVRTC refused the source", "NVRTC",
                        toolkit.takeError());
    cuda::NvrtcOptions nvrtc;
    nvrtc.arch = target.getArch().str();
    if (ArrayAttr names = plan.getKernelSpellings())
      for (auto name : names.getAsRange<StringAttr>())
        nvrtc.nameExpressions.push_back(name.str());
    llvm::Expected<cuda::NvrtcResult> compiled =
        cuda::compileCuda(source, "candidate.cu", *toolkit, nvrtc);
    if (!compiled)
      return emitNoCode(plan, "NVRTC refused the source", "NVRTC",
                        compiled.takeError());
    return assemblePTX(plan, std::move(compiled->ptx), &*toolkit, *options);
  }

private:
  cuda::FoundToolkit found;
};
} // namespace

std::unique_ptr<CodeGenerator>
evo::createNVRTCGenerator(cuda::FoundToolkit found) {
  return std::make_unique<NVRTCGenerator>(std::move(found));
}
