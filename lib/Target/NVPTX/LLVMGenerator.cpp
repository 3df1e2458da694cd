// LLVM's NVPTX back end: the optimised module that was judged, libdevice linked
// in, then code generation.
#include "Assemble.h"
#include "LinkModules.h"
#include "LoopExits.h"
#include "UnrollLoads.h"
#include "evo/DeviceOps/DeviceOps.h"
#include "evo/Interfaces/Faults.h"
#include "evo/Target/NVPTX/CodeGenerators.h"
#include "evo/Target/TargetInfo.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

using namespace mlir;
using namespace evo;

/// Names of libdevice functions that `module` calls.
static SmallVector<StringRef> libdeviceCalls(const llvm::Module &module) {
  SmallVector<StringRef> names;
  for (const llvm::Function &function : module)
    if (!function.use_empty() && device::isLibdeviceDeclaration(function))
      names.push_back(function.getName());
  return names;
}

static LogicalResult linkLibdevice(LaunchPlanOpInterface plan,
                                   llvm::Module &module,
                                   const cuda::Toolkit *toolkit) {
  SmallVector<StringRef> needed = libdeviceCalls(module);
  if (needed.empty())
    return success();
  if (!toolkit || !toolkit->has(cuda::ToolkitPart::Libdevice))
    return machineFault(plan.emitError())
           << "libdevice is needed for '" << needed.front()
           << "', and no CUDA toolkit was found that has it";
  llvm::SMDiagnostic diagnostic;
  // Only the few functions that are linked are read.
  std::unique_ptr<llvm::Module> library =
      llvm::getLazyIRFileModule(toolkit->getPath(cuda::ToolkitPart::Libdevice),
                                diagnostic, module.getContext());
  if (!library)
    return machineFault(plan.emitError())
           << "libdevice cannot be read: " << diagnostic.getMessage();
  library->setTargetTriple(module.getTargetTriple());
  library->setDataLayout(module.getDataLayout());
  if (llvm::Linker::linkModules(module, std::move(library),
                                llvm::Linker::LinkOnlyNeeded))
    // unreachable: its functions, and no others, are taken from there
    return plan.emitError("libdevice cannot be linked");
  for (llvm::Function &function : module)
    if (!function.isDeclaration() && device::isLibdevice(function.getName())) {
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
      function.removeFnAttr(llvm::Attribute::NoInline);
      function.addFnAttr(llvm::Attribute::AlwaysInline);
    }
  return success();
}

/// Folds the constant queries of libdevice (nvvm-reflect), inlines it, and
/// cleans up where it was put. The rest has been through LLVM's pipeline
/// already, so the passes are few.
static void optimizeLinked(llvm::Module &module, llvm::TargetMachine &machine,
                           unsigned level) {
  runModulePasses(
      module, machine,
      [&](llvm::PassBuilder &builder, llvm::ModulePassManager &passes) {
        if (level > 0)
          builder.invokePipelineStartEPCallbacks(passes,
                                                 llvm::OptimizationLevel::O2);
        passes.addPass(llvm::AlwaysInlinerPass());
        if (level > 0) {
          llvm::FunctionPassManager functions;
          functions.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
          for (bool isLast : {false, true}) {
            functions.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
            functions.addPass(llvm::InstCombinePass());
            functions.addPass(llvm::SimplifyCFGPass());
            if (!isLast)
              functions.addPass(llvm::createFunctionToLoopPassAdaptor(
                  llvm::LICMPass(llvm::LICMOptions()), /*UseMemorySSA=*/true));
          }
          functions.addPass(llvm::ADCEPass());
          passes.addPass(
              llvm::createModuleToFunctionPassAdaptor(std::move(functions)));
        }
        passes.addPass(llvm::GlobalDCEPass());
      });
}

/// Says to the assembler how large blocks are that leave a thread fewer
/// registers than it would take, so that they can be launched. A bound on
/// registers that was asked for is one that the assembler would then ignore.
static void boundBlocks(LaunchPlanOpInterface plan, llvm::Module &module,
                        const CodegenOptions &options) {
  using device::LaunchAttribute;
  constexpr int64_t alwaysFits =
      target::TargetInfo::maxRegistersPerBlock /
      (target::TargetInfo::maxRegistersPerThread + 1);
  // A block that is required is its own bound, and PTX takes one of the two.
  for (llvm::Function &function : module)
    if (function.hasFnAttribute(
            device::getName(LaunchAttribute::RequiredBlock)))
      function.removeFnAttr(device::getName(LaunchAttribute::LargestBlock));
  if (options.maxRegisters)
    return;
  llvm::StringMap<std::optional<int64_t>> threads; // nothing: not known
  for (LaunchOp launch : plan.getLaunches()) {
    std::optional<int64_t> product = 1;
    for (auto extent : launch.getBlock().getAsRange<ExprAttr>()) {
      std::optional<int64_t> value = extent.getValue().getAsConstant();
      product =
          product && value ? std::optional(*product * *value) : std::nullopt;
    }
    StringRef name = launch.getCallee().getLeafReference().getValue();
    auto [entry, isNew] = threads.try_emplace(name, product);
    if (!isNew)
      entry->second = entry->second && product
                          ? std::optional(std::max(*entry->second, *product))
                          : std::nullopt;
  }
  for (const auto &entry : threads) {
    llvm::Function *kernel = module.getFunction(entry.getKey());
    auto says = [&](LaunchAttribute attribute) {
      return kernel->hasFnAttribute(device::getName(attribute));
    };
    if (kernel && entry.getValue() > alwaysFits &&
        !says(LaunchAttribute::LargestBlock) &&
        !says(LaunchAttribute::RequiredBlock) &&
        !says(LaunchAttribute::MaxRegisters))
      kernel->addFnAttr(device::getName(LaunchAttribute::LargestBlock),
                        std::to_string(*entry.getValue()));
  }
}

static FailureOr<std::string> emitPTX(LaunchPlanOpInterface plan,
                                      llvm::Module &module,
                                      llvm::TargetMachine &machine) {
  SmallVector<char, 0> buffer;
  llvm::raw_svector_ostream os(buffer);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, os, nullptr,
                                  llvm::CodeGenFileType::AssemblyFile))
    // unreachable: unless LLVM was built without it
    return plan.emitError("the NVPTX back end emits no assembly"), failure();
  passes.run(module);
  return std::string(buffer.begin(), buffer.end());
}

static void collectErrors(const llvm::DiagnosticInfo *info, void *text) {
  if (info->getSeverity() != llvm::DS_Error)
    return;
  llvm::raw_string_ostream os(*static_cast<std::string *>(text));
  llvm::DiagnosticPrinterRawOStream printer(os);
  info->print(printer);
}

namespace {
class LLVMGenerator : public CodeGenerator {
public:
  LLVMGenerator(std::optional<cuda::Toolkit> toolkit,
                std::shared_ptr<DeviceBuilder> builder)
      : toolkit(std::move(toolkit)), builder(std::move(builder)) {}
  StringRef getName() const override { return llvmGenerator; }

  FailureOr<CodeObject> generate(LaunchPlanOpInterface plan,
                                 TargetAttrInterface target) override {
    FailureOr<CodegenOptions> options =
        CodegenOptions::parse(plan.getOptionsAttr(), target, plan.getLoc());
    if (failed(options))
      return failure();
    // Left to itself, LLVM ends the process at the first error of a back end.
    std::string errors;
    llvm::LLVMContext context;
    context.setDiagnosticHandlerCallBack(collectErrors, &errors);
    FailureOr<std::vector<DeviceModule>> modules = builder->build(
        plan, *options, context, DeviceBuilder::Forms::Optimized);
    if (failed(modules))
      return failure();
    FailureOr<std::unique_ptr<llvm::Module>> linked =
        linkModules(plan, std::move(*modules));
    if (failed(linked))
      return failure();
    FailureOr<std::unique_ptr<llvm::TargetMachine>> machine =
        createTargetMachine(target, options->optLevel, plan.getLoc());
    if (failed(machine))
      return failure();
    const cuda::Toolkit *found = toolkit ? &*toolkit : nullptr;
    llvm::Module &module = **linked;
    llvm::StripDebugInfo(module);
    bool usesLibdevice = !libdeviceCalls(module).empty();
    if (failed(linkLibdevice(plan, module, found)))
      return failure();
    if (usesLibdevice)
      optimizeLinked(module, **machine, options->optLevel);
    boundBlocks(plan, module, *options);
    if (options->optLevel > 1)
      unrollLoads(module, **machine);
    if (options->optLevel > 0)
      for (llvm::Function &function : module)
        branchBackWhereTrue(function);
    FailureOr<std::string> ptx = emitPTX(plan, module, **machine);
    if (!errors.empty())
      return markFault(plan.emitError(), FaultKind::Unsupported)
                 << "no code can be generated: " << errors,
             failure();
    if (failed(ptx))
      return failure();
    return assemblePTX(plan, std::move(*ptx), found, *options);
  }

private:
  std::optional<cuda::Toolkit> toolkit;
  std::shared_ptr<DeviceBuilder> builder;
};
} // namespace

std::unique_ptr<CodeGenerator>
evo::createLLVMGenerator(std::optional<cuda::Toolkit> toolkit,
                         std::shared_ptr<DeviceBuilder> builder) {
  return std::make_unique<LLVMGenerator>(std::move(toolkit),
                                         std::move(builder));
}
