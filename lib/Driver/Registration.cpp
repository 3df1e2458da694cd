// Registration of everything concrete. Only the driver names backends.
#include "evo/Driver/Registration.h"
#include "CUDASetup.h"
#include "ModelSetup.h"
#include "evo/Conversion/LLVMToStructured/Raiser.h"
#include "evo/Cost/StaticMeasurer.h"
#include "evo/Dialect/Evo/IR/Evo.h"
#include "evo/Dialect/TMTensor/IR/TMTensor.h"
#include "evo/Driver/Worker.h"
#include "evo/Frontend/Materializers.h"
#include "evo/Interfaces/SearchSession.h"
#include "evo/Journal/Journal.h"
#include "evo/Measure/GPUMeasurer.h"
#include "evo/Proposers/Evolutionary/SearchProposer.h"
#include "evo/Proposers/Model/Floor.h"
#include "evo/Proposers/Model/ModelProposer.h"
#include "evo/Schedule/Schedule.h"
#include "evo/Target/CUDA/Toolkit.h"
#include "evo/Target/NVPTX/CodeGenerators.h"
#include "evo/Transforms/Kernel/OptionsMaterializer.h"
#include "evo/Transforms/Passes.h"
#include "evo/Verification/CPUVerifier.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include <dlfcn.h>

using namespace evo;

void evo::registerDialects(mlir::DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllFromLLVMIRTranslations(registry);
  mlir::registerAllToLLVMIRTranslations(registry);
  registry.insert<EvoDialect, tm_tensor::TMTensorDialect>();
}

void evo::registerPasses() {
  mlir::registerAllPasses();
  registerEvoPasses();
}

/// The folder out of which CUDA text is read; empty where there is none.
static std::string headersOf(const cuda::FoundToolkit &found) {
  if (found.toolkit && found.toolkit->has(cuda::ToolkitPart::Headers))
    return found.toolkit->getRoot();
  return "";
}

/// This executable as its own worker, with the options that matter to one.
static std::vector<std::string> ownWorker(const BackendOptions &options,
                                          const cuda::FoundToolkit &found) {
  std::vector<std::string> command = {
      llvm::sys::fs::getMainExecutable(nullptr, nullptr), "worker",
      "--target=" + options.target, "--std=" + options.cudaStandard};
  // The one that was found here, whatever a worker would find.
  if (found.toolkit)
    command.push_back("--cuda-path=" + found.toolkit->getRoot());
  else if (!options.cudaPath.empty())
    command.push_back("--cuda-path=" + options.cudaPath);
  for (const std::string &directory : options.includes)
    command.push_back("-I" + directory);
  for (const std::string &define : options.defines)
    command.push_back("-D" + define);
  return command;
}

/// The same for the worker that has a GPU.
static std::vector<std::string> deviceWorker(const BackendOptions &options,
                                             const cuda::FoundToolkit &found,
                                             int device) {
  std::vector<std::string> command = options.worker;
  if (command.empty())
    command = {llvm::sys::fs::getMainExecutable(nullptr, nullptr), "worker"};
  command.push_back("--device=" + std::to_string(device));
  if (found.toolkit)
    command.push_back("--cuda-path=" + found.toolkit->getRoot());
  return command;
}

/// A verification that was given its time also gets to its end: what comes
/// before and after it takes some more.
static IsolationLimits limitsOf(const BackendOptions &options) {
  constexpr double margin = 60, maxSeconds = 1e8;
  IsolationLimits limits;
  limits.wallSeconds =
      std::max(limits.wallSeconds,
               std::min(options.verificationSeconds, maxSeconds) + margin);
  return limits;
}

/// A session as `options` have it: kept in a journal where they name one.
static std::shared_ptr<SearchSession>
openSession(const BackendOptions &options) {
  auto session = std::make_shared<SearchSession>();
  if (!options.journal.empty())
    session->journal = createJournal(options.journal, describeMeans(options),
                                     options.ledger, options.runRequest);
  if (options.onSession)
    options.onSession(session);
  return session;
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

void BackendExtension::apply(mlir::MLIRContext *context,
                             EvoDialect *dialect) const {
  auto backends = std::make_unique<BackendInterface>(dialect);
  auto builder = std::make_shared<DeviceBuilder>();
  cuda::FoundToolkit found = findToolkit(options.cudaPath);
  backends->materializers.push_back(
      createCUDAMaterializer(cudaOptions(options, headersOf(found))));
  backends->materializers.push_back(createLLVMIRMaterializer());
  backends->materializers.push_back(createMLIRMaterializer());
  backends->materializers.push_back(createOptionsMaterializer());
  backends->materializers.push_back(createScheduleMaterializer());
  backends->generators.push_back(
      isolateGenerator(createLLVMGenerator(found.toolkit, builder)));
  backends->generators.push_back(isolateGenerator(createNVRTCGenerator(found)));
  backends->measurers.push_back(createStaticMeasurer(builder));
  GPUMeasureOptions measuring;
  measuring.devices = options.devices;
  measuring.worker = [=](int device) {
    return deviceWorker(options, found, device);
  };
  measuring.builder = builder;
  backends->measurers.push_back(createGPUMeasurer(measuring));
  backends->proposers.push_back(createSearchProposer());
  for (auto &proposer : createModelProposers(modelMeans(options),
                                             proposerOptions(options, context)))
    backends->proposers.push_back(std::move(proposer));
  backends->raiser = createStructuredRaiser();
  backends->verifier = createCPUVerifier(builder);
  backends->evaluator = createWorkerEvaluator(
      options.worker.empty() ? ownWorker(options, found) : options.worker,
      limitsOf(options), options.jobs);
  backends->floorMicros = [](KernelOp kernel, TargetAttrInterface target) {
    return floorMicros(kernel, target);
  };
  backends->openSession = [options = options](KernelOp) {
    return openSession(options);
  };
  dialect->addInterface(std::move(backends));
}

std::vector<std::string> evo::findWorker() {
  Dl_info info;
  llvm::SmallString<256> folder;
  if (dladdr(reinterpret_cast<void *>(&findWorker), &info) && info.dli_fname)
    folder = llvm::sys::path::parent_path(info.dli_fname);
  llvm::SmallString<256> candidate;
  for (llvm::StringRef relative : {"", "../bin"}) {
    candidate = folder;
    llvm::sys::path::append(candidate, relative, "evo-worker");
    if (llvm::sys::fs::can_execute(candidate))
      break;
  }
  return {candidate.str().str()};
}

void evo::attachBackends(mlir::DialectRegistry &registry,
                         const BackendOptions &options) {
  registry.addExtension(mlir::TypeID::get<BackendExtension>(),
                        std::make_unique<BackendExtension>(options));
}
