// From CUDA text to an evo.kernel: header lines become the contract and the
// launch plan, device code becomes a gpu.module in the LLVM dialect.
#include "BindSymbols.h"
#include "StepKernels.h"
#include "evo/Frontend/ContractHeader.h"
#include "evo/Frontend/Lift.h"
#include "evo/Lowering/DeviceModule.h"
#include "evo/Lowering/ForNVRTC.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace mlir;
using namespace evo;

/// Name of the gpu.module of a lifted file.
static constexpr StringLiteral deviceName = "device";

static CUDALaunchName nameAt(Location loc, StringRef spelling) {
  auto place = cast<FileLineColLoc>(loc);
  return {spelling.str(), place.getFilename().str(), place.getLine(),
          place.getColumn()};
}

static std::vector<CUDALaunchName> launchNames(const ContractHeader &header) {
  std::vector<CUDALaunchName> names;
  for (const ContractHeader::Launch &launch : header.launches)
    if (!launch.step)
      names.push_back(nameAt(launch.loc, launch.kernel));
  return names;
}

static std::vector<CUDALaunchName> symbolNames(const ContractHeader &header) {
  std::vector<CUDALaunchName> names;
  for (const ContractHeader::Symbol &symbol : header.symbols)
    names.push_back(nameAt(symbol.loc, symbol.variable));
  return names;
}

/// A copy of `module` that holds `kernels` and what they refer to.
static std::unique_ptr<llvm::Module>
extract(const llvm::Module &module,
        ArrayRef<const llvm::GlobalValue *> kernels) {
  SetVector<const llvm::GlobalValue *> needed(kernels.begin(), kernels.end());
  // Constants nest: what an initialiser or an operand refers to is looked for
  // in its own operands.
  SmallPtrSet<const llvm::User *, 16> seen;
  std::function<void(const llvm::User &)> visit = [&](const llvm::User &user) {
    for (const llvm::Value *operand : user.operand_values()) {
      if (auto *global = dyn_cast<llvm::GlobalValue>(operand))
        needed.insert(global);
      else if (auto *constant = dyn_cast<llvm::Constant>(operand))
        if (seen.insert(constant).second)
          visit(*constant);
    }
  };
  for (size_t i = 0; i < needed.size(); ++i) {
    visit(*needed[i]);
    if (auto *function = dyn_cast<llvm::Function>(needed[i]))
      for (const llvm::Instruction &instruction : llvm::instructions(*function))
        visit(instruction);
  }
  llvm::ValueToValueMapTy copies;
  std::unique_ptr<llvm::Module> copy =
      llvm::CloneModule(module, copies, [&](const llvm::GlobalValue *global) {
        return needed.contains(global);
      });
  SmallVector<llvm::GlobalValue *> others;
  for (const llvm::GlobalValue &global : module.global_values())
    if (!needed.contains(&global))
      others.push_back(cast<llvm::GlobalValue>(copies.lookup(&global)));
  // They may refer to each other, so all let go before any is erased.
  for (llvm::GlobalValue *global : others)
    if (auto *function = dyn_cast<llvm::Function>(global))
      function->deleteBody();
    else
      global->dropAllReferences();
  for (llvm::GlobalValue *global : others) {
    global->removeDeadConstantUsers();
    global->eraseFromParent();
  }
  return copy;
}

/// Refuses `module`, which holds what its kernels refer to, where a variable in
/// it has a value that only the host knows.
static LogicalResult refuseHostSymbols(MLIRContext *context,
                                       const llvm::Module &module,
                                       ArrayRef<CUDAHostSymbol> symbols) {
  for (const CUDAHostSymbol &symbol : symbols) {
    bool isUsed = llvm::any_of(
        module.globals(), [&](const llvm::GlobalVariable &variable) {
          // Clang adds to the name of a static variable that the host uses.
          StringRef rest = variable.getName();
          return rest.consume_front(symbol.symbol) &&
                 (rest.empty() || rest.starts_with("__static__"));
        });
    if (!isUsed)
      continue;
    InFlightDiagnostic diag = emitError(
        FileLineColLoc::get(context, symbol.file, symbol.line, symbol.column));
    switch (symbol.how) {
    case CUDAHostSymbol::How::Call:
      diag << "the host sets '" << symbol.name << "', which the kernel reads: ";
      break;
    case CUDAHostSymbol::How::Managed:
      diag << "'" << symbol.name
           << "' is __managed__, so that the host may set it at any time: ";
      break;
    case CUDAHostSymbol::How::Uninitialized:
      diag << "'" << symbol.name
           << "' is __constant__ without an initializer, so that only the host "
              "can set it: initialize it, or ";
      break;
    }
    if (symbol.declaration.empty())
      return diag << "pass it as an argument";
    return diag << "make it an argument by '// evo.symbol "
                << symbol.declaration << "'";
  }
  return success();
}

/// Makes parameters of the variables that evo.symbol lines name, and kernels of
/// the steps; both become launches of `header` and `compiled`.
static LogicalResult completeLaunches(ContractHeader &header,
                                      CUDAModule &compiled,
                                      llvm::Module &device, KernelOp kernel) {
  std::vector<BoundSymbol> symbols;
  for (auto [symbol, name] :
       llvm::zip_equal(header.symbols, compiled.variableSymbols)) {
    ArgumentAttr argument = kernel.lookupArgument(symbol.argument);
    if (!argument)
      return emitError(symbol.loc)
             << "the contract has no argument '" << symbol.argument << "'";
    // What no launched kernel reads is not there.
    if (llvm::GlobalVariable *variable = device.getGlobalVariable(name, true))
      symbols.push_back({variable, symbol.variable, argument, symbol.loc});
  }
  FailureOr<SymbolArguments> bound = bindSymbols(device, symbols);
  if (failed(bound))
    return failure();
  std::vector<std::string> launchSymbols;
  auto next = compiled.launchSymbols.begin();
  for (ContractHeader::Launch &launch : header.launches) {
    if (launch.step) {
      FailureOr<std::string> kernelName =
          addStepKernel(device, launch, kernel, header);
      if (failed(kernelName))
        return failure();
      launchSymbols.push_back(*kernelName);
      continue;
    }
    llvm::append_range(launch.args, (*bound)[*next]);
    launchSymbols.push_back(*next++);
  }
  compiled.launchSymbols = std::move(launchSymbols);
  return success();
}

LogicalResult evo::buildPlanFromCUDA(LaunchPlanOpInterface plan,
                                     StringRef source, StringRef fileName,
                                     const CUDAOptions &options,
                                     SmallVectorImpl<Attribute> *requirements,
                                     const CUDAHeaders *headers) {
  MLIRContext *context = plan.getContext();
  Location start = FileLineColLoc::get(context, fileName, 1, 1);
  FailureOr<ContractHeader> header =
      parseContractHeader(context, source, fileName);
  if (failed(header))
    return failure();
  if (header->launches.empty())
    return emitError(start) << "needs an '// evo.launch' line";
  llvm::LLVMContext llvmContext;
  FailureOr<CUDAModule> compiled =
      compileCUDA(context, llvmContext, source, fileName, launchNames(*header),
                  symbolNames(*header), options, headers);
  if (failed(compiled))
    return failure();
  // A file may hold other kernels: what is wrong with them is no matter here.
  SmallVector<const llvm::GlobalValue *> launched;
  for (const std::string &symbol : compiled->launchSymbols)
    launched.push_back(compiled->module->getFunction(symbol));
  std::unique_ptr<llvm::Module> device = extract(*compiled->module, launched);
  if (failed(completeLaunches(*header, *compiled, *device, plan.getKernel())) ||
      failed(refuseHostSymbols(context, *device, compiled->hostSymbols)))
    return failure();
  OpBuilder builder = OpBuilder::atBlockEnd(&plan.getBody().front());
  createPlan(builder, *header, deviceName, compiled->launchSymbols);
  // The spellings are kept for a code generator that starts from the source;
  // what is not the source's own kernels it cannot make, and finds none.
  SmallVector<StringRef> spellings;
  if (header->symbols.empty() && launched.size() == header->launches.size())
    for (const ContractHeader::Launch &launch : header->launches)
      spellings.push_back(launch.kernel);
  plan.setKernelSpellings(builder.getStrArrayAttr(spellings));
  if (!compiled->whyNotNVRTC.empty())
    plan->setAttr(notForNVRTCAttr,
                  builder.getStringAttr(compiled->whyNotNVRTC));
  if (requirements)
    *requirements = header->requirements;
  return importDevice(builder, start, deviceName, std::move(device));
}

/// One evo.kernel without a contract for each __global__ function, each with a
/// device module of its own.
static LogicalResult liftBare(OpBuilder &builder, Location loc,
                              std::unique_ptr<llvm::Module> module,
                              StringRef source) {
  bool any = false;
  for (const llvm::Function &function : *module) {
    if (function.getCallingConv() != llvm::CallingConv::PTX_Kernel ||
        function.isDeclaration())
      continue;
    any = true;
    OpBuilder::InsertionGuard guard(builder);
    auto kernel = KernelOp::create(
        builder, loc, builder.getStringAttr(function.getName()), ArrayAttr(),
        ArrayAttr(), ArrayAttr(), AccuracyAttr(), FlatSymbolRefAttr());
    builder.createBlock(&kernel.getBody());
    auto reference =
        ReferenceOp::create(builder, loc, builder.getStringAttr(source));
    builder.createBlock(&reference.getBody());
    if (failed(importDevice(builder, loc, deviceName,
                            extract(*module, &function))))
      return failure();
  }
  if (!any)
    return emitError(loc) << "defines no __global__ function (a template that "
                             "nothing instantiates is none)";
  return success();
}

/// A file without a contract, which others wrote for nvcc: some hide device
/// code from whoever does not say to be that. What compiles so alone is taken
/// so, and it is said how.
static FailureOr<CUDAModule> compileBare(MLIRContext *context,
                                         llvm::LLVMContext &llvmContext,
                                         StringRef source, StringRef fileName,
                                         const CUDAOptions &options) {
  constexpr llvm::StringLiteral ofNvcc = "__NVCC__";
  std::vector<Diagnostic> first, second;
  auto attempt = [&](const CUDAOptions &options,
                     std::vector<Diagnostic> &said) {
    ScopedDiagnosticHandler collect(context, [&](Diagnostic &diagnostic) {
      said.push_back(std::move(diagnostic));
      return success();
    });
    return compileCUDA(context, llvmContext, source, fileName, {}, {}, options);
  };
  auto emit = [&](std::vector<Diagnostic> &said) {
    for (Diagnostic &diagnostic : said)
      context->getDiagEngine().emit(std::move(diagnostic));
  };
  FailureOr<CUDAModule> compiled = attempt(options, first);
  if (succeeded(compiled)) {
    emit(first);
    return compiled;
  }
  CUDAOptions asNvcc = options;
  asNvcc.defines.push_back(ofNvcc.str());
  FailureOr<CUDAModule> other = attempt(asNvcc, second);
  if (failed(other)) {
    emit(first);
    return failure();
  }
  emitRemark(FileLineColLoc::get(context, fileName, 1, 1))
      << "compiles with -D " << ofNvcc
      << " alone, as nvcc has it; other verbs need it, too";
  emit(second);
  return other;
}

FailureOr<std::vector<CUDADraft>>
evo::findCUDADrafts(MLIRContext *context, StringRef source, StringRef fileName,
                    const CUDAOptions &options) {
  llvm::LLVMContext llvmContext;
  FailureOr<CUDAModule> compiled =
      compileBare(context, llvmContext, source, fileName, options);
  if (failed(compiled))
    return failure();
  return std::move(compiled->drafts);
}

FailureOr<OwningOpRef<ModuleOp>>
evo::liftCUDA(MLIRContext *context, StringRef source, StringRef fileName,
              const CUDAOptions &options, std::vector<CUDADraft> *drafts) {
  Location start = FileLineColLoc::get(context, fileName, 1, 1);
  FailureOr<ContractHeader> header =
      parseContractHeader(context, source, fileName);
  if (failed(header))
    return failure();
  OwningOpRef<ModuleOp> module = ModuleOp::create(start);
  OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
  if (!header->name) {
    if (!header->empty())
      return emitError(start) << "has evo lines but no '// evo.kernel' line",
             failure();
    llvm::LLVMContext llvmContext;
    FailureOr<CUDAModule> compiled =
        compileBare(context, llvmContext, source, fileName, options);
    if (failed(compiled) ||
        failed(liftBare(builder, start, std::move(compiled->module), source)))
      return failure();
    if (drafts)
      *drafts = std::move(compiled->drafts);
    return module;
  }
  KernelOp kernel = createKernel(builder, *header->loc, *header);
  // The contract first: a launch line can only be judged against a good one.
  if (failed(kernel.verify()))
    return failure();
  builder.setInsertionPointToStart(&kernel.getBody().front());
  auto reference =
      ReferenceOp::create(builder, *header->loc, builder.getStringAttr(source));
  reference.getBody().emplaceBlock();
  if (failed(buildPlanFromCUDA(reference, source, fileName, options, nullptr)))
    return failure();
  if (failed(mlir::verify(module->getOperation())))
    return failure();
  return module;
}
