// What all verbs need: a context, files in, pipelines, errors out.
#include "Verbs.h"
#include "evo/Driver/Registration.h"
#include "evo/Frontend/Lift.h"
#include "evo/Support/Files.h"
#include "evo/Target/CUDA/Toolkit.h"
#include "mlir/IR/AsmState.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include <random>

using namespace mlir;
using namespace evo;

BackendOptions evo::backendOptions(const VerbOptions &options) {
  BackendOptions backends;
  backends.cudaPath = options.cudaPath;
  backends.cudaStandard = options.standard;
  backends.target = options.target;
  backends.includes = options.includes;
  backends.defines = options.defines;
  backends.exchangeDirectory = options.exchangeDirectory;
  backends.recordDirectory = options.recordDirectory;
  backends.replayDirectory = options.replayDirectory;
  backends.replayByTask = options.replayByTask;
  backends.model = options.model;
  backends.baseURL = options.baseURL;
  backends.keyVariable = options.keyVariable;
  backends.temperature = options.temperature;
  backends.exchangeTimeout = options.exchangeTimeout;
  backends.promptDirectory = options.promptDirectory;
  backends.strategy = options.strategy;
  backends.journal = options.journal;
  return backends;
}

std::unique_ptr<MLIRContext> evo::createContext(const VerbOptions &options) {
  DialectRegistry registry;
  registerDialects(registry);
  attachBackends(registry, backendOptions(options));
  registerPasses();
  auto context =
      std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  return context;
}

FailureOr<OwningOpRef<ModuleOp>>
evo::readKernelFile(MLIRContext &context, StringRef path,
                    const VerbOptions &options) {
  Location loc = FileLineColLoc::get(&context, path, 0, 0);
  llvm::Expected<std::string> text = readFile(path);
  if (!text)
    return emitError(loc) << llvm::toString(text.takeError()), failure();
  StringRef extension = llvm::sys::path::extension(path);
  if (extension == ".mlir")
    return liftTensor(&context, *text, path);
  if (extension == ".ll")
    return liftLLVMIR(&context, *text, path);
  if (extension != ".cu")
    return emitError(loc) << "unknown kind of file '" << extension
                          << "', expected .cu, .ll or .mlir",
           failure();
  cuda::ToolkitSearch search;
  search.path = options.cudaPath;
  llvm::Expected<cuda::Toolkit> toolkit = cuda::Toolkit::discover(search);
  if (!toolkit)
    return emitError(loc) << "CUDA files need the headers of a CUDA toolkit: "
                          << llvm::toString(toolkit.takeError()),
           failure();
  CUDAOptions cuda;
  cuda.toolkit = toolkit->getRoot();
  cuda.architecture = options.target;
  cuda.standard = options.standard;
  cuda.includeDirectories = options.includes;
  cuda.defines = options.defines;
  return liftCUDA(&context, *text, path, cuda);
}

bool evo::addBaseline(KernelOp kernel) {
  ReferenceOp reference = kernel.getReference();
  if (!kernel.hasContract() || !reference || !reference.isLaunchPlan() ||
      kernel.lookupSymbol("baseline"))
    return false;
  OpBuilder b = OpBuilder::atBlockEnd(&kernel.getBody().front());
  ProposalOp::create(b, kernel.getLoc(), b.getStringAttr("baseline"),
                     b.getStringAttr("options"), b.getStringAttr(""),
                     DictionaryAttr(), StringAttr(), StringAttr(),
                     b.getStringAttr("reference"), StringAttr(), StringAttr());
  return true;
}

LogicalResult evo::runPipeline(ModuleOp module, StringRef pipeline) {
  PassManager passes(module.getContext(), ModuleOp::getOperationName());
  FailureOr<OpPassManager> parsed = parsePassPipeline(pipeline, llvm::errs());
  if (failed(parsed))
    return failure();
  static_cast<OpPassManager &>(passes) = std::move(*parsed);
  return passes.run(module);
}

uint64_t evo::chooseSeed(const VerbOptions &options) {
  if (options.seed >= 0)
    return options.seed;
  return std::random_device()() & 0x7fffffff;
}

void evo::reportError(const VerbOptions &options, StringRef text) {
  if (options.json)
    llvm::outs() << llvm::json::Value(llvm::json::Object{{"event", "error"},
                                                         {"message", text}})
                 << '\n';
  else
    llvm::errs() << "evo-opt: error: " << text << '\n';
}
