// Registration of everything concrete. Only the driver names backends.
#include "evo/Driver/Registration.h"
#include "evo/Cost/StaticMeasurer.h"
#include "evo/Dialect/Evo/IR/Evo.h"
#include "evo/Driver/Worker.h"
#include "evo/Frontend/Materializers.h"
#include "evo/Rewrite/SearchProposer.h"
#include "evo/Target/CUDA/Toolkit.h"
#include "evo/Target/NVPTX/CodeGenerators.h"
#include "evo/Transforms/Passes.h"
#include "evo/Verification/CPUVerifier.h"
#include "llvm/Support/FileSystem.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"

using namespace evo;

void evo::registerDialects(mlir::DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllFromLLVMIRTranslations(registry);
  mlir::registerAllToLLVMIRTranslations(registry);
  registry.insert<EvoDialect>();
}

void evo::registerPasses() {
  mlir::registerAllPasses();
  registerEvoPasses();
}

/// Where a CUDA toolkit is: asked for, or found. Empty if there is none.
static std::string locateToolkit(const std::string &asked) {
  cuda::ToolkitSearch search;
  search.path = asked;
  llvm::Expected<cuda::Toolkit> toolkit = cuda::Toolkit::discover(search);
  if (toolkit && toolkit->has(cuda::ToolkitPart::Headers))
    return toolkit->getRoot();
  if (!toolkit)
    llvm::consumeError(toolkit.takeError());
  return "";
}

/// This executable as its own worker, with the options that matter to one.
static std::vector<std::string> ownWorker(const BackendOptions &options) {
  std::vector<std::string> command = {
      llvm::sys::fs::getMainExecutable(nullptr, nullptr), "worker",
      "--target=" + options.target, "--std=" + options.cudaStandard};
  if (!options.cudaPath.empty())
    command.push_back("--cuda-path=" + options.cudaPath);
  for (const std::string &directory : options.includes)
    command.push_back("-I" + directory);
  for (const std::string &define : options.defines)
    command.push_back("-D" + define);
  return command;
}

namespace {
/// Adds the backends when a context loads the evo dialect.
class BackendExtension
    : public mlir::DialectExtension<BackendExtension, EvoDialect> {
public:
  explicit BackendExtension(BackendOptions options)
      : options(std::move(options)) {}
  void apply(mlir::MLIRContext *, EvoDialect *dialect) const override;

private:
  BackendOptions options;
};
} // namespace

void BackendExtension::apply(mlir::MLIRContext *, EvoDialect *dialect) const {
  auto backends = std::make_unique<BackendInterface>(dialect);
  CUDAOptions cuda;
  cuda.toolkit = locateToolkit(options.cudaPath);
  cuda.standard = options.cudaStandard;
  cuda.architecture = options.target;
  cuda.includeDirectories = options.includes;
  cuda.defines = options.defines;
  backends->materializers.push_back(createCUDAMaterializer(cuda));
  backends->materializers.push_back(createMLIRMaterializer());
  backends->materializers.push_back(createOptionsMaterializer());
  backends->generators.push_back(createLLVMGenerator(options.cudaPath));
  backends->generators.push_back(createNVRTCGenerator(options.cudaPath));
  backends->measurers.push_back(createStaticMeasurer());
  backends->proposers.push_back(createSearchProposer());
  backends->verifier = createCPUVerifier();
  backends->evaluator = createWorkerEvaluator(
      options.worker.empty() ? ownWorker(options) : options.worker,
      IsolationLimits());
  dialect->addInterface(std::move(backends));
}

void evo::attachBackends(mlir::DialectRegistry &registry,
                         const BackendOptions &options) {
  registry.addExtension(mlir::TypeID::get<BackendExtension>(),
                        std::make_unique<BackendExtension>(options));
}
